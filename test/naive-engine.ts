// The naive twin of engine, board and odds answers: maps, filters and sorts; nothing clever. It stays plain for ever.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { isEventNotice } from '../src/board/changes.ts'
import { NO_LINE } from '../src/board/columns.ts'
import { MARKET_TYPES, type MarketType } from '../src/domain/market.ts'
import type { EventSighting, Observation } from '../src/domain/observation.ts'
import { CAUSES, CHANGES, type Doubt } from '../src/domain/quote.ts'
import type { Transport } from '../src/domain/transport.ts'
import type { Engine } from '../src/engine/engine.ts'

const DAY_MS = 86_400_000

export interface NaiveQuote {
  readonly event: NaiveEvent
  readonly transport: Transport
  readonly bookmaker: string
  readonly type: string
  readonly line: number | null
  readonly outcome: string
  odds: number
  /** As its source said. */
  status: string
  observedAt: number
  /** That has last spoken of it. */
  producer: number
  /** Why what was said cannot be relied on; empty: it can. */
  doubt: '' | Doubt
  /** What was said last could not be recorded. */
  isLost: boolean
}

/** What is shown of a quote. */
export const shownStatus = ({ status, doubt }: NaiveQuote): string =>
  status === 'open' && doubt !== '' ? 'suspended' : status

const causeOf = ({ status, doubt }: NaiveQuote): string => (status === 'suspended' ? 'book' : doubt)

export interface NaiveEvent {
  readonly id: string
  /** What distinguishes it, also from what is spelt the same. */
  identity: string
  sighting: EventSighting
  readonly keys: string[]
  /** Newest `observedAt` of each key. */
  readonly spelledAt: Map<string, number>
}

/** The newest statement of a source about the quotes of a book that it does not name. */
interface NaiveEnd {
  readonly event: NaiveEvent
  readonly transport: Transport
  readonly bookmaker: string
  readonly source: number
  readonly observedAt: number
  readonly status: 'suspended' | 'closed'
}

/** A change as text: what, of which quote, to which odds and status, seen when. */
export type NaiveChange = string

export const changeText = (
  change: string,
  eventId: string,
  bookmaker: string,
  transport: string,
  type: string,
  line: number | null,
  outcome: string,
  odds: number,
  status: string,
  observedAt: number,
  cause: string,
): NaiveChange =>
  [cause === '' ? change : `${change}/${cause}`, eventId, bookmaker, transport, type, line ?? 'none', outcome]
    .concat([odds, status, observedAt].map(String))
    .join(' ')

/** What events that are spelt the same have in common. */
export const identityOf = (s: EventSighting): string => [s.sport, s.leagueKey, s.home, s.away, s.kickoffAt].join('\n')

type NaiveBook = Pick<NaiveEnd, 'event' | 'transport' | 'bookmaker'>

const isSameBook = (a: NaiveBook, b: NaiveBook): boolean =>
  a.event === b.event && a.transport === b.transport && a.bookmaker === b.bookmaker

const lineOf = (line: number | null): number | null => (line === null ? null : line === 0 ? 0 : line)

export class NaiveEngine {
  quotes: NaiveQuote[] = []
  events: NaiveEvent[] = []
  private ends: NaiveEnd[] = []
  private readonly quotesMax: number
  private readonly skewMsMax: number
  private readonly sourceOf: (producer: number) => number

  constructor(quotesMax: number, skewMsMax: number, sourceOf = (producer: number): number => producer) {
    this.quotesMax = quotesMax
    this.skewMsMax = skewMsMax
    this.sourceOf = sourceOf
  }

  suspect(producer: number, doubt: Doubt): NaiveChange[] {
    return this.change(this.saidBy(producer), (quote) => {
      if (quote.doubt === '') quote.doubt = doubt
    })
  }

  confirm(producer: number, at: number, nowAt: number): NaiveChange[] {
    if (at > nowAt + this.skewMsMax) return this.suspect(producer, 'clock')
    return this.change(this.saidBy(producer), (quote) => {
      if (quote.isLost) return
      quote.doubt = ''
      quote.observedAt = Math.max(quote.observedAt, at)
    })
  }

  end(producer: number, at: number, nowAt: number): NaiveChange[] {
    return this.change(this.saidBy(producer), (quote) => {
      Object.assign(quote, { status: 'closed', doubt: '', isLost: false })
      quote.observedAt = Math.max(quote.observedAt, Math.min(at, nowAt + this.skewMsMax))
    })
  }

  private saidBy(producer: number): NaiveQuote[] {
    return this.quotes.filter((quote) => quote.producer === producer && quote.status !== 'closed')
  }

  /** What an observation speaks of that is ahead of the clock. */
  private lose({ event: sighting, bookmaker }: Observation, producer: number): NaiveChange[] {
    const { sourceKey } = sighting
    const event = this.events.find(({ keys, identity }) =>
      sourceKey === null ? identity === identityOf(sighting) : keys.includes(sourceKey),
    )
    const meant = this.quotes.filter(
      (quote) =>
        quote.event === event &&
        quote.bookmaker === bookmaker &&
        quote.status !== 'closed' &&
        this.sourceOf(quote.producer) === this.sourceOf(producer),
    )
    return this.change(meant, (quote) => {
      quote.isLost = true
      if (quote.doubt === '') quote.doubt = 'clock'
    })
  }

  /** Changes quotes, and says what that shows. */
  private change(quotes: readonly NaiveQuote[], change: (quote: NaiveQuote) => void): NaiveChange[] {
    return quotes.flatMap((quote) => {
      const before = { ...quote }
      change(quote)
      return this.transition(before, quote)
    })
  }

  private transition(before: NaiveQuote, quote: NaiveQuote): NaiveChange[] {
    const [was, is] = [shownStatus(before), shownStatus(quote)]
    if (is === was) {
      return before.odds !== quote.odds && is !== 'closed' ? [this.text('repriced', quote)] : []
    }
    if (is === 'closed') return [this.text('closed', quote)]
    if (was === 'closed') return [this.text('added', quote)]
    return [
      is === 'suspended'
        ? this.text('suspended', quote, causeOf(quote))
        : this.text('reopened', quote, causeOf(before)),
    ]
  }

  age(nowAt: number): NaiveChange[] {
    const old = this.quotes.filter((quote) => quote.observedAt + DAY_MS <= nowAt)
    this.quotes = this.quotes.filter((quote) => quote.observedAt + DAY_MS > nowAt)
    const isLeft = (book: NaiveBook): boolean => this.quotes.some((quote) => isSameBook(quote, book))
    const ended = old.filter((quote) => !isLeft(quote))
    this.ends = this.ends.filter((end) => !ended.some((quote) => isSameBook(quote, end)))
    this.dropEmptyEvents()
    return old.filter((quote) => quote.status !== 'closed').map((quote) => this.text('aged_out', quote))
  }

  observe(observation: Observation, nowAt: number, producer = 0): NaiveChange[] {
    if (observation.observedAt > nowAt + this.skewMsMax) return producer === 0 ? [] : this.lose(observation, producer)
    if (observation.observedAt + DAY_MS <= nowAt) return []
    const event = this.resolve(observation.event, observation.observedAt)
    const transports: Transport[] = observation.transport === 'both' ? ['rest', 'live'] : [observation.transport]
    const changes = transports.flatMap((transport) => this.record(event, transport, observation, producer))
    this.dropEmptyEvents()
    return changes
  }

  /** Open quotes of an event that `sees` allows. */
  open(event: NaiveEvent, transport: Transport, sees: (bookmaker: string) => boolean): NaiveQuote[] {
    return this.quotes.filter(
      (quote) =>
        quote.event === event &&
        quote.transport === transport &&
        shownStatus(quote) === 'open' &&
        sees(quote.bookmaker),
    )
  }

  isQuoted(event: NaiveEvent, transport: Transport, sees: (bookmaker: string) => boolean): boolean {
    return this.quotes.some((quote) => quote.event === event && quote.transport === transport && sees(quote.bookmaker))
  }

  marketCount(event: NaiveEvent, transport: Transport, sees: (bookmaker: string) => boolean): number {
    return new Set(this.open(event, transport, sees).map((quote) => `${quote.type} ${quote.line}`)).size
  }

  eventJson(event: NaiveEvent, marketCount: number): object {
    const { sighting } = event
    return {
      id: event.id,
      sport: sighting.sport,
      leagueKey: sighting.leagueKey,
      leagueName: sighting.leagueName,
      homeTeam: sighting.home,
      awayTeam: sighting.away,
      kickoffAt: new Date(sighting.kickoffAt).toISOString(),
      marketCount,
    }
  }

  /** The events of GET /events, in order. */
  listed(transport: Transport, sees: (bookmaker: string, sport: string) => boolean): [NaiveEvent, number][] {
    return this.events
      .map((event): [NaiveEvent, number] => [
        event,
        this.marketCount(event, transport, (bookmaker) => sees(bookmaker, event.sighting.sport)),
      ])
      .filter(([, count]) => count > 0)
      .sort(([a], [b]) => a.sighting.kickoffAt - b.sighting.kickoffAt || Number(a.id) - Number(b.id))
  }

  /** The body of the odds answer. */
  oddsJson(
    event: NaiveEvent,
    transport: Transport,
    sees: (bookmaker: string) => boolean,
    asks: (bookmaker: string) => boolean,
    displayName: (bookmaker: string) => string,
    outcomeOrder: (a: string, b: string) => number,
  ): object {
    const quotes = this.open(event, transport, sees).filter((quote) => asks(quote.bookmaker))
    const markets = [...new Map(quotes.map((q) => [`${q.type} ${q.line}`, { type: q.type, line: q.line }])).values()]
    markets.sort(
      (a, b) =>
        MARKET_TYPES.indexOf(a.type as never) - MARKET_TYPES.indexOf(b.type as never) ||
        (a.line === null ? -1 : b.line === null ? 1 : a.line - b.line),
    )
    return {
      data: {
        event: this.eventJson(event, this.marketCount(event, transport, sees)),
        markets: markets.map(({ type, line }) => {
          const inMarket = quotes.filter((quote) => quote.type === type && quote.line === line)
          const slugs = [...new Set(inMarket.map((quote) => quote.bookmaker))].sort()
          return {
            type,
            line,
            bookmakers: slugs.map((slug) => ({
              slug,
              displayName: displayName(slug),
              outcomes: inMarket
                .filter((quote) => quote.bookmaker === slug)
                .sort((a, b) => outcomeOrder(a.outcome, b.outcome))
                .map((quote) => ({
                  outcome: quote.outcome,
                  transport,
                  odds: quote.odds,
                  status: 'open',
                  lastUpdatedAt: new Date(quote.observedAt).toISOString(),
                })),
            })),
          }
        }),
      },
    }
  }

  private resolve(sighting: EventSighting, observedAt: number): NaiveEvent {
    const { sourceKey } = sighting
    const byKey = sourceKey === null ? undefined : this.events.find((event) => event.keys.includes(sourceKey))
    const plain = identityOf(sighting)
    if (byKey !== undefined) {
      if (observedAt < byKey.spelledAt.get(sourceKey!)!) return byKey
      byKey.spelledAt.set(sourceKey!, observedAt)
      if (byKey.keys[0] === sourceKey) {
        if (identityOf(byKey.sighting) !== plain) byKey.identity = this.freeIdentity(plain, sourceKey!, byKey)
        byKey.sighting = sighting
      }
      return byKey
    }
    // Two ids of one source are never the same event.
    const isOther = ({ keys }: NaiveEvent): boolean =>
      sourceKey !== null && keys.some((key) => key.split(':')[0] === sourceKey.split(':')[0])
    let event = this.events.find((other) => other.identity === plain && !isOther(other))
    if (event === undefined) {
      const identity = this.freeIdentity(plain, sourceKey ?? '', undefined)
      let id = createHash('sha256').update(identity).digest().readUIntBE(0, 6)
      while (this.events.some((other) => other.id === String(id))) id++
      event = { id: String(id), identity, sighting, keys: [], spelledAt: new Map() }
      this.events.push(event)
    }
    if (sourceKey !== null) {
      event.keys.push(sourceKey)
      event.spelledAt.set(sourceKey, observedAt)
    }
    return event
  }

  private freeIdentity(identity: string, key: string, event: NaiveEvent | undefined): string {
    const isTaken = this.events.some((other) => other !== event && other.identity === identity)
    return isTaken ? this.freeIdentity(`${identity}\n${key}`, key, event) : identity
  }

  private record(event: NaiveEvent, transport: Transport, observation: Observation, producer: number): NaiveChange[] {
    const { bookmaker, observedAt } = observation
    const source = this.sourceOf(producer)
    const changes: NaiveChange[] = []
    const named: NaiveQuote[] = []
    const isOurs = (other: NaiveEnd): boolean =>
      other.source === source && isSameBook(other, { event, transport, bookmaker })
    const end = this.ends.find(isOurs)
    const isLate = end !== undefined && observedAt < end.observedAt
    for (const price of observation.prices) {
      const line = lineOf(price.line)
      const quote = this.quotes.find(
        (other) =>
          other.event === event &&
          other.transport === transport &&
          other.bookmaker === bookmaker &&
          other.type === price.type &&
          other.line === line &&
          other.outcome === price.outcome,
      )
      if (quote === undefined) {
        if (price.status === 'closed' || price.odds === null) continue
        if (isLate && end.status === 'closed') continue
        if (this.quotes.length >= this.quotesMax) continue
        const added = {
          event,
          transport,
          bookmaker,
          type: price.type,
          line,
          outcome: price.outcome,
          odds: price.odds,
          status: isLate ? end.status : price.status,
          observedAt: isLate ? end.observedAt : observedAt,
          producer,
          doubt: '',
          isLost: false,
        } satisfies NaiveQuote as NaiveQuote
        this.quotes.push(added)
        named.push(added)
        changes.push(this.text('added', added))
        continue
      }
      named.push(quote)
      if (observedAt < quote.observedAt) continue
      if (observedAt === quote.observedAt && quote.status === 'closed' && price.status !== 'closed') continue
      const isEnded = isLate && price.status !== 'closed'
      if (isEnded && end.status === 'closed') continue
      const before = { ...quote }
      quote.odds = price.odds ?? quote.odds
      quote.status = isEnded ? end.status : price.status
      quote.observedAt = isEnded ? end.observedAt : observedAt
      Object.assign(quote, { producer, doubt: '', isLost: false })
      changes.push(...this.transition(before, quote))
    }
    if (observation.others !== 'keep') {
      if (!isLate) {
        const next = { event, transport, bookmaker, source, observedAt, status: observation.others }
        this.ends = [...this.ends.filter((other) => !isOurs(other)), next]
      }
      for (const quote of this.quotes) {
        if (quote.event !== event || quote.transport !== transport || quote.bookmaker !== bookmaker) continue
        if (named.includes(quote) || quote.status === 'closed' || observedAt < quote.observedAt) continue
        if (this.sourceOf(quote.producer) !== source) continue
        const before = { ...quote }
        Object.assign(quote, { status: observation.others, observedAt, doubt: '', isLost: false })
        changes.push(...this.transition(before, quote))
      }
    }
    return changes
  }

  private dropEmptyEvents(): void {
    this.events = this.events.filter((event) => this.quotes.some((quote) => quote.event === event))
    this.ends = this.ends.filter((end) => this.events.includes(end.event))
  }

  private text(change: string, quote: NaiveQuote, cause = ''): NaiveChange {
    return changeText(
      change,
      quote.event.id,
      quote.bookmaker,
      quote.transport,
      quote.type,
      quote.line,
      quote.outcome,
      quote.odds,
      shownStatus(quote),
      quote.observedAt,
      cause,
    )
  }
}

// --- what the log says, against what the reader shows

const STATUSES = ['', 'open', 'suspended', 'closed'] as const

export interface Shown {
  readonly odds: number
  readonly status: string
  readonly observedAt: number
}

/** A picture that is made of nothing but the changes that were handed out. */
export class LogPicture {
  readonly quotes = new Map<string, Shown>()
  /** Live bookmakers of each event, by the notices. */
  readonly books = new Map<string, readonly number[]>()
  merges = 0

  constructor(engine: Engine, at: () => string) {
    engine.onTurn((changes) => {
      for (let group = 0; group < changes.groups; group++) {
        const notice = changes.notice[group]
        if (notice !== undefined) {
          if (!isEventNotice(notice)) continue
          const { id } = notice.event
          assert.deepEqual([...notice.before].sort(), [...(this.books.get(id) ?? [])].sort(), `${at()}: before, ${id}`)
          this.books.set(id, notice.after)
          if (notice.after.length === 0) this.books.delete(id)
          if (notice.mergedInto !== undefined) this.merges++
          continue
        }
        const book = [
          changes.event[group]!.id,
          engine.board.bookmakers.textOf(changes.bookmaker[group]!),
          changes.transport[group],
        ].join(' ')
        for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) {
          const outcome = JSON.parse(Buffer.from(changes.outcome[n]!).toString())
          const key = `${book} ${quoteKey(MARKET_TYPES[changes.type[n]!]!, changes.line[n]!, outcome)}`
          const change = CHANGES[changes.change[n]! - 1]!
          const hasCause = change === 'suspended' || change === 'reopened'
          assert.equal(CAUSES[changes.cause[n]! - 1] !== undefined, hasCause, `${at()}: the cause of ${change}, ${key}`)
          this.apply(change, key, {
            odds: changes.odds[n]!,
            status: STATUSES[changes.status[n]!]!,
            observedAt: changes.observedAt[n]!,
          })
        }
      }
    })
    this.at = at
  }

  private readonly at: () => string

  private apply(change: string, key: string, now: Shown): void {
    const before = this.quotes.get(key)
    const said = `${this.at()}: ${change} of ${key}, before ${before?.status} ${before?.odds}, now ${now.status}`
    const statuses = { added: [undefined], suspended: ['open'], reopened: ['suspended'] }[change]
    if (statuses !== undefined) assert(statuses.includes(before?.status as never), said)
    else assert(before !== undefined, said)
    if (change === 'repriced') assert(before!.status === now.status && before!.odds !== now.odds, said)
    if (change === 'aged_out' || change === 'closed') this.quotes.delete(key)
    else this.quotes.set(key, now)
  }
}

export const quoteKey = (type: MarketType, line: number | null, outcome: string): string =>
  `${type} ${line === null || line === NO_LINE ? 'none' : line + 0} ${outcome}`

/** What the reader shows: the live books whole, of rest what is open. */
export const shownBy = (engine: Engine, nowAt: number): Map<string, Shown> => {
  const shown = new Map<string, Shown>()
  const everybody = new Uint32Array(8).fill(2 ** 32 - 1)
  const textOf = (bytes: Uint8Array): string => JSON.parse(Buffer.from(bytes).toString())
  const { reader } = engine
  reader.visitEvents(undefined, undefined, Number.NEGATIVE_INFINITY, (view) => {
    for (const bookmaker of reader.liveBookmakers(view)) {
      const slug = reader.bookmakerSlug(bookmaker)
      reader.visitLiveBook(view, bookmaker, nowAt, (type, line, outcome, odds, status, observedAt) => {
        const key = `${view.event.id} ${slug} 1 ${quoteKey(MARKET_TYPES[type]!, line, textOf(outcome))}`
        assert(!shown.has(key), `${key} is shown twice`)
        shown.set(key, { odds, status: STATUSES[status]!, observedAt })
      })
    }
    for (const transport of [0, 1] as const) {
      let [market, book] = ['', '']
      let line: number | null = null
      reader.visitOdds(view, transport, everybody, everybody, nowAt, {
        beginMarket: (type, of) => ([market, line] = [MARKET_TYPES[type]!, of]),
        beginBookmaker: (bookmaker) => (book = reader.bookmakerSlug(bookmaker)),
        outcome: (outcome, odds, observedAt) => {
          const key = `${view.event.id} ${book} ${transport} ${quoteKey(market as MarketType, line, textOf(outcome))}`
          const quote = { odds, status: 'open', observedAt }
          if (transport === 1) assert.deepEqual(shown.get(key), quote, `${key} is on REST what it is on topics`)
          shown.set(key, quote)
        },
        endBookmaker: () => {},
        endMarket: () => {},
      })
    }
    return true
  })
  return shown
}

/** Without the times: one that is seen again as it was is no change. */
export const saidOnly = (quotes: [string, Shown][]): string[] =>
  quotes.map(([key, { odds, status }]) => `${key} ${odds} ${status}`).sort()

export const textsOf = (quotes: [string, Shown][]): string[] =>
  quotes.map(([key, { odds, status, observedAt }]) => `${key} ${odds} ${status} ${observedAt}`).sort()

/** Many thousand times a run: the difference is only worked out where there is one. */
export const assertSame = (actual: string[], expected: string[], message: string): void => {
  if (actual.join('\n') !== expected.join('\n')) assert.deepEqual(actual, expected, message)
}

export const isShown = (key: string, { status }: Shown): boolean => key.split(' ')[2] === '1' || status === 'open'
