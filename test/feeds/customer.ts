// A customer of the real service: reads the whole board through REST, and follows it on a desk.

import assert from 'node:assert/strict'
import { get, type Json, list, type RunningService } from '../service.ts'
import { bodyOf, Desk, quoteName } from '../stomp/desk.ts'
import { RawClient } from '../stomp/raw-client.ts'
import type { ServerFrame } from '../stomp/strict-frames.ts'

/** A quote that REST shows. */
export interface Shown {
  readonly eventId: string
  readonly bookmaker: string
  readonly type: string
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
}

const PAGE = 200
const REQUESTS_MAX = 16

const onPage = async (service: RunningService, key: string, offset: number): Promise<Json> => {
  const { status, body, text } = await get(service, `/events?limit=${PAGE}&offset=${offset}`, key)
  assert.equal(status, 200, text)
  return body
}

/** Ids of all events that REST lists. */
export const listedEvents = async (service: RunningService, key: string): Promise<string[]> => {
  const ids: string[] = []
  for (let offset = 0; ; offset += PAGE) {
    const page = list((await onPage(service, key, offset)).data)
    ids.push(...page.map(({ id }) => String(id)))
    if (page.length < PAGE) return ids
  }
}

/** The quotes of an event on REST; none where it has no such event. */
export const quotesOf = async (
  service: RunningService,
  key: string,
  eventId: string,
  query = '',
): Promise<readonly Shown[]> => {
  const { status, body, text } = await get(service, `/events/${eventId}/odds${query}`, key)
  if (status === 404) return []
  assert.equal(status, 200, text)
  return list(body.data?.markets).flatMap((market) =>
    list(market.bookmakers).flatMap((book) =>
      list(book.outcomes).map((outcome): Shown => {
        const { type, line } = market as unknown as Shown
        const { outcome: label, odds } = outcome as unknown as Shown
        return { eventId: String(body.data!.event!.id), bookmaker: String(book.slug), type, line, outcome: label, odds }
      }),
    ),
  )
}

/** All open quotes that REST shows, by name. */
export const boardOf = async (service: RunningService, key: string): Promise<ReadonlyMap<string, Shown>> => {
  const ids = await listedEvents(service, key)
  const board = new Map<string, Shown>()
  let next = 0
  const read = async (): Promise<void> => {
    for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
      for (const quote of await quotesOf(service, key, id)) {
        board.set(quoteName(quote.eventId, quote.bookmaker, quote.type, quote.line, quote.outcome), quote)
      }
    }
  }
  await Promise.all(Array.from({ length: REQUESTS_MAX }, read))
  return board
}

/** How a source was said to be, in the order of the messages. */
export interface ToldState {
  readonly bookmaker: string
  readonly state: string
}

const HEART_BEAT_MS = 2_000

/** A live session: the whole picture of odds and events, and how sources are. */
export class Customer {
  readonly odds = new Desk({ destination: '/topic/odds.#', name: 'odds' })
  readonly events = new Desk({ destination: '/topic/events.#', name: 'events' })
  readonly states: ToldState[] = []
  /** Messages of `/topic/events`, after the snapshot. */
  readonly eventMessages: Json[] = []
  /** Changes of quotes by bookmaker, since last cleared. */
  readonly changes = new Map<string, number>()
  private readonly client: RawClient
  private readonly pumping: Promise<void>
  private fault: unknown
  private isLeaving = false
  private readonly beats: NodeJS.Timeout

  static async open(service: RunningService, key: string): Promise<Customer> {
    const client = await RawClient.open({ stomp: service.stompPort, http: service.port }, 'tcp', '1.2')
    await client.connect({ passcode: key, 'heart-beat': `${HEART_BEAT_MS},0` })
    const customer = new Customer(client)
    for (const [id, destination] of Object.entries(DESTINATIONS)) {
      await client.frame('SUBSCRIBE', { id, destination, snapshot: 'true' })
    }
    return customer
  }

  private constructor(client: RawClient) {
    this.client = client
    this.odds.awaitSnapshot()
    this.events.awaitSnapshot()
    this.beats = setInterval(() => void client.write('\n'), HEART_BEAT_MS)
    this.pumping = this.pump()
  }

  /** Fails where a message was not as promised, or the session has ended. */
  check(): void {
    if (this.fault !== undefined) throw this.fault
  }

  get isWhole(): boolean {
    this.check()
    return this.odds.phase === 'state' && this.events.phase === 'state'
  }

  /** What it knows of a bookmaker's quotes, by status. */
  countsOf(bookmaker: string): { readonly open: number; readonly suspended: number } {
    this.check()
    const counts = { open: 0, suspended: 0 }
    for (const [name, { status }] of this.odds.quotes) {
      if (name.split(' ')[1] === bookmaker) counts[status as keyof typeof counts]++
    }
    return counts
  }

  statesOf(bookmaker: string): string[] {
    this.check()
    return this.states.filter((told) => told.bookmaker === bookmaker).map(({ state }) => state)
  }

  /** Everything that was sent until now has been taken. */
  async settle(): Promise<void> {
    const id = this.client.receiptId()
    const settled = new Promise<void>((resolve) => this.receipts.set(id, resolve))
    await this.client.frame('BEGIN', { transaction: id, receipt: id })
    await Promise.race([settled, this.pumping])
    await this.client.frame('ABORT', { transaction: id })
    this.check()
  }

  /** Reads nothing more until {@link readOn}. */
  pause(): void {
    this.client.pause()
  }

  readOn(): void {
    this.client.resume()
  }

  async leave(): Promise<void> {
    this.isLeaving = true
    clearInterval(this.beats)
    this.client.destroy()
    await this.pumping
  }

  private readonly receipts = new Map<string, () => void>()

  private async pump(): Promise<void> {
    try {
      for (;;) this.take(await this.client.next(undefined, 600_000))
    } catch (error) {
      if (!this.isLeaving) this.fault = error
    }
  }

  private take(frame: ServerFrame): void {
    const { command, headers } = frame
    if (command === 'RECEIPT') {
      const id = headers.get('receipt-id')!
      this.receipts.get(id)?.()
      this.receipts.delete(id)
      return
    }
    assert.equal(command, 'MESSAGE', frame.body.toString('utf8'))
    switch (headers.get('subscription')) {
      case 'odds':
        this.odds.apply(frame)
        for (const { text } of this.odds.takeTold()) {
          const bookmaker = text.split(' ')[2]!
          this.changes.set(bookmaker, (this.changes.get(bookmaker) ?? 0) + 1)
        }
        return
      case 'events':
        if (this.events.phase === 'state') this.eventMessages.push(bodyOf(frame))
        this.events.apply(frame)
        return
      case 'feeds': {
        const { bookmaker, state } = bodyOf(frame) as unknown as ToldState
        if (state !== undefined) this.states.push({ bookmaker, state })
        return
      }
    }
  }
}

const DESTINATIONS = { odds: '/topic/odds.#', events: '/topic/events.#', feeds: '/topic/feeds.#' } as const
