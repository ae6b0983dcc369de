// A feed key that sends numbered prices with receipts to one of several processes, and sends again through another one what
// was not confirmed when a connection ended.

import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'
import { Link } from '../faults/link.ts'
import { sightingOf } from '../faults/publisher.ts'
import { isSuspended, oddsOf } from '../faults/record.ts'
import type { Server } from '../faults/server.ts'
import type { Book, History } from './history.ts'

interface Sending {
  readonly number: number
  readonly book: Book
  readonly body: string
  sentMs: number
}

const OUTCOMES = ['home', 'draw', 'away'] as const

const RETRY_MS = 50

export interface FeederOptions {
  readonly books: readonly Book[]
  readonly key: string
  readonly history: History
  /** Chooses a process that should be there; undefined: none is. */
  readonly where: () => Server | undefined
  /** SENDs that may wait for their RECEIPT. */
  readonly window: number
  /** Lines of the market with two outcomes each, beside three prices. */
  readonly lines: number
  /** SENDs a second; 0: as fast as they are confirmed. */
  readonly rate: number
}

export class Feeder {
  isFlowing = true
  /** From SEND to RECEIPT, ms. */
  readonly latencies: number[] = []
  private readonly options: FeederOptions
  private readonly unconfirmed = new Map<string, Sending>()
  private number = 0
  private link: Link | undefined
  private isOver = false
  private running: Promise<void> | undefined
  private pacing: NodeJS.Timeout | undefined
  private allowed = 0
  private pacedMs = 0

  constructor(options: FeederOptions) {
    this.options = options
  }

  get waiting(): number {
    return this.unconfirmed.size
  }

  start(): void {
    const { rate } = this.options
    if (rate > 0) {
      this.pacedMs = clock.elapsedMs()
      this.pacing = setInterval(() => {
        const nowMs = clock.elapsedMs()
        this.allowed = Math.min(rate, this.allowed + ((nowMs - this.pacedMs) * rate) / 1_000)
        this.pacedMs = nowMs
        this.flow()
      }, 5)
    }
    this.running ??= this.run()
  }

  async stop(): Promise<void> {
    this.isOver = true
    clearInterval(this.pacing)
    this.link?.destroy()
    await this.running
  }

  /** Ends the connection: the next one goes to another process, perhaps. */
  move(): void {
    this.link?.destroy()
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const server = this.options.where()
      try {
        if (server === undefined) throw new Error('no process is there')
        const link = await Link.open(server.ports.stomp, this.options.key, ({ command, headers }) => {
          if (command === 'RECEIPT') this.confirmed(headers.get('receipt-id')!)
        })
        this.link = link
        for (const [receipt, sending] of this.unconfirmed) this.send(receipt, sending)
        this.flow()
        await link.ended
        this.link = undefined
      } catch {
        await pause(RETRY_MS)
      }
    }
  }

  flow(): void {
    const { window, rate } = this.options
    while (this.isFlowing && this.link?.hasEnded === false && this.unconfirmed.size < window) {
      if (rate > 0 && this.allowed < 1) return
      this.allowed--
      this.sendNext()
    }
  }

  private sendNext(): void {
    const { books, lines } = this.options
    const number = ++this.number
    const book = books[number % books.length]!
    // Each is newer than the one before, or the board would keep that.
    book.observedAt = Math.max(clock.now(), book.observedAt + 1)
    const status = isSuspended(number) ? 'suspended' : 'open'
    const odds = oddsOf(number)
    const quotes: unknown[] = OUTCOMES.map((outcome) => ({ type: 'match_result_1x2', outcome, odds, status }))
    for (let n = 0; n < lines; n++) {
      for (const outcome of ['over', 'under'])
        quotes.push({ type: 'total_goals', line: n + 0.5, outcome, odds, status })
    }
    const body = JSON.stringify({
      transport: 'both',
      observedAt: new Date(book.observedAt).toISOString(),
      event: sightingOf(book.event),
      quotes,
    })
    book.sent = number
    const sending = { number, book, body, sentMs: 0 }
    this.unconfirmed.set(String(number), sending)
    this.send(String(number), sending)
  }

  private send(receipt: string, sending: Sending): void {
    sending.sentMs = clock.elapsedMs()
    this.link!.send('SEND', { destination: `/feed/${sending.book.bookmaker}`, receipt }, sending.body)
  }

  private confirmed(receipt: string): void {
    const sending = this.unconfirmed.get(receipt)
    if (sending === undefined) return
    this.unconfirmed.delete(receipt)
    if (this.latencies.length < 1_000_000) this.latencies.push(clock.elapsedMs() - sending.sentMs)
    this.options.history.confirmed(sending.book, sending.number)
    this.flow()
  }
}
