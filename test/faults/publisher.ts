// A feed key that sends numbered prices with receipts, and sends again after a break what was not confirmed.

import * as clock from '../../src/clock.ts'
import { Link, type LinkEnd } from './link.ts'
import { type BookRecord, isSuspended, oddsOf, type Record } from './record.ts'

interface Sending {
  readonly number: number
  readonly book: BookRecord
  readonly body: string
}

const OUTCOMES = ['home', 'draw', 'away'] as const

const KICKOFF_AT = Date.UTC(2030, 0, 1)
const HOUR_MS = 3_600_000

/** Letters instead of digits: names that have nothing in common. */
const nameOf = (event: number, side: string): string => {
  const letter = (n: number): string => String.fromCodePoint(97 + (n % 26))
  return `${side}${letter(event)}${letter(event * 7 + 3)}${letter(event * 11 + 5)}${letter(Math.floor(event / 26))}`
}

export const sightingOf = (event: number) => ({
  sport: 'football',
  league: { key: 'faults_league', name: 'Faults League' },
  home: nameOf(event, 'Hu'),
  away: nameOf(event, 'Vo'),
  kickoffAt: new Date(KICKOFF_AT + event * 5 * HOUR_MS).toISOString(),
})

export interface PublisherOptions {
  readonly bookmaker: string
  readonly books: readonly BookRecord[]
  readonly key: string
  readonly record: Record
  /** SENDs that may wait for their RECEIPT. */
  readonly window: number
}

export class Publisher {
  /** Whether it sends new observations. */
  isFlowing = false
  link: Link | undefined
  end: LinkEnd | undefined
  private readonly options: PublisherOptions
  private number = 0
  private readonly unconfirmed = new Map<string, Sending>()

  constructor(options: PublisherOptions) {
    this.options = options
  }

  get waiting(): number {
    return this.unconfirmed.size
  }

  /** Connects, and sends again what was not confirmed. */
  async connect(port: number): Promise<void> {
    this.end = undefined
    const link = await Link.open(port, this.options.key, ({ command, headers }) => {
      if (command === 'RECEIPT') this.confirmed(headers.get('receipt-id')!)
    })
    this.link = link
    void link.ended.then((end) => {
      if (this.link === link) this.end = end
    })
    for (const [receipt, sending] of this.unconfirmed) this.send(receipt, sending)
    this.flow()
  }

  flow(): void {
    const { window } = this.options
    while (this.isFlowing && this.link?.hasEnded === false && this.unconfirmed.size < window) this.sendNext()
  }

  /** Sends one observation, unless too many wait. */
  sendOne(): void {
    if (this.link?.hasEnded === false && this.unconfirmed.size < this.options.window) this.sendNext()
  }

  private sendNext(): void {
    const { books } = this.options
    const number = ++this.number
    const book = books[number % books.length]!
    // Each is newer than the one before, or the board would keep that.
    book.observedAt = Math.max(clock.now(), book.observedAt + 1)
    const status = isSuspended(number) ? 'suspended' : 'open'
    const body = JSON.stringify({
      transport: 'both',
      observedAt: new Date(book.observedAt).toISOString(),
      event: sightingOf(book.event),
      quotes: OUTCOMES.map((outcome) => ({ type: 'match_result_1x2', outcome, odds: oddsOf(number), status })),
    })
    book.sent = number
    const receipt = String(number)
    const sending = { number, book, body }
    this.unconfirmed.set(receipt, sending)
    this.send(receipt, sending)
  }

  private send(receipt: string, { body }: Sending): void {
    this.link!.send('SEND', { destination: `/feed/${this.options.bookmaker}`, receipt }, body)
  }

  private confirmed(receipt: string): void {
    const sending = this.unconfirmed.get(receipt)
    if (sending === undefined) return
    this.unconfirmed.delete(receipt)
    sending.book.receipted = Math.max(sending.book.receipted, sending.number)
    this.options.record.receipts++
    this.flow()
  }
}
