// Compares what a source said with what REST shows: the basis of verification.

import type { ChannelVerification, VerificationOutcome } from '../domain/coverage.ts'
import type { EventSighting, Observation } from '../domain/observation.ts'
import { FRESHNESS_MS, type QuoteStatus } from '../domain/quote.ts'
import type { Transport } from '../domain/transport.ts'

// --- what the source said, merged as the board merges it

interface Said {
  readonly odds: number | null
  readonly status: QuoteStatus
  readonly observedAt: number
}

/** What a source said of one event, on one channel. */
export interface Book {
  event: EventSighting
  readonly prices: Map<string, Said>
  /** Epoch ms: until then a price that is not named is not offered. */
  completeAt: number
}

const priceKey = (type: string, line: number | null, outcome: string): string => `${type} ${line ?? '-'} ${outcome}`

const eventKey = ({ sourceKey, sport, leagueKey, home, away, kickoffAt }: EventSighting): string =>
  sourceKey ?? JSON.stringify([sport, leagueKey, home, away, kickoffAt])

/** Merges observations into books, in the order in which they were recorded. */
export const booksOf = (observations: readonly Observation[], transport: Transport): Iterable<Book> => {
  const books = new Map<string, Book>()
  for (const observation of observations) {
    if (observation.transport !== transport && observation.transport !== 'both') continue
    const { event, observedAt, others } = observation
    const key = eventKey(event)
    const book = books.get(key) ?? { event, prices: new Map<string, Said>(), completeAt: Number.NEGATIVE_INFINITY }
    books.set(key, book)
    book.event = event
    const named = new Set<string>()
    for (const { type, line, outcome, odds, status } of observation.prices) {
      const place = priceKey(type, line, outcome)
      named.add(place)
      const known = book.prices.get(place)
      // The newest wins; of equal ones the later (docs/architecture.md 3.2).
      if (known !== undefined && known.observedAt > observedAt) continue
      book.prices.set(place, { odds: odds ?? known?.odds ?? null, status, observedAt })
    }
    if (others === 'keep') continue
    book.completeAt = Math.max(book.completeAt, observedAt)
    for (const [place, said] of book.prices) {
      if (!named.has(place) && said.observedAt <= observedAt && said.status !== 'closed') {
        book.prices.set(place, { ...said, status: others, observedAt })
      }
    }
  }
  return books.values()
}

// --- what REST shows

/** A price as REST shows it; `updatedAt` is epoch ms. */
export interface Shown {
  readonly odds: number
  readonly updatedAt: number
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const listOf = (value: unknown, name: string): readonly unknown[] => {
  const list = fieldOf(value, name)
  return Array.isArray(list) ? list : []
}

/**
 * The prices of a bookmaker in a body of the odds operation (null: no such event); a sentence where it cannot be read.
 */
export const shownOf = (
  body: unknown,
  bookmaker: string,
  transport: Transport,
): ReadonlyMap<string, Shown> | string => {
  const shown = new Map<string, Shown>()
  if (body === null) return shown
  const data = fieldOf(body, 'data')
  if (!Array.isArray(fieldOf(data, 'markets'))) return 'REST has answered with something else than odds'
  for (const market of listOf(data, 'markets')) {
    const [type, line] = [fieldOf(market, 'type'), fieldOf(market, 'line')]
    for (const entry of listOf(market, 'bookmakers')) {
      if (fieldOf(entry, 'slug') !== bookmaker) return `REST shows ${String(fieldOf(entry, 'slug'))} instead`
      for (const outcome of listOf(entry, 'outcomes')) {
        const place = priceKey(
          String(type),
          typeof line === 'number' ? line : null,
          String(fieldOf(outcome, 'outcome')),
        )
        const status = fieldOf(outcome, 'status')
        if (status !== 'open') return `REST shows ${place} as ${String(status)}`
        if (fieldOf(outcome, 'transport') !== transport) return `REST shows ${place} of another channel`
        const updatedAt = Date.parse(String(fieldOf(outcome, 'lastUpdatedAt')))
        if (Number.isNaN(updatedAt)) return `REST shows ${place} without a time`
        shown.set(place, { odds: Number(fieldOf(outcome, 'odds')), updatedAt })
      }
    }
  }
  return shown
}

// --- are they equal?

/** The comparison of the books of one channel so far. */
export interface Comparison {
  readonly transport: Transport
  equal: number
  /** Prices that a newer observation replaced before they were read back. */
  replaced: number
  /** One sentence for each price that differs. */
  readonly differing: string[]
}

/** Compares a book with what REST shows of it. `nowAt` (epoch ms) is before it was read. */
export const compareBook = (
  { prices, completeAt }: Book,
  shown: ReadonlyMap<string, Shown>,
  nowAt: number,
  into: Comparison,
): void => {
  for (const [place, { odds, status, observedAt }] of prices) {
    const found = shown.get(place)
    if (status !== 'open') {
      if (found !== undefined && found.updatedAt <= observedAt)
        into.differing.push(`${place} is shown, though ${status}`)
    } else if (nowAt - observedAt >= FRESHNESS_MS) {
      // Aged out (docs/architecture.md 3.3): it must not be shown, but that may be a matter of milliseconds.
    } else if (found === undefined) into.differing.push(`${place} at ${odds} is not shown`)
    else if (found.updatedAt < observedAt) into.differing.push(`${place} is shown as it was before`)
    else if (found.odds === odds) into.equal += 1
    else if (found.updatedAt > observedAt) into.replaced += 1
    else into.differing.push(`${place} is ${odds} at the source and ${found.odds} here`)
  }
  for (const [place, { updatedAt }] of shown) {
    if (!prices.has(place) && updatedAt <= completeAt) into.differing.push(`${place} is shown, though not offered`)
  }
}

const EXAMPLES_MAX = 3

/** The result of a comparison. `passed` needs at least one equal price. */
export const verdictOf = ({ transport, equal, replaced, differing }: Comparison): ChannelVerification => {
  const verdict = (outcome: VerificationOutcome, detail: string): ChannelVerification => ({
    transport,
    outcome,
    quotes: equal + differing.length,
    detail,
  })
  if (differing.length > 0) {
    const more = differing.length > EXAMPLES_MAX ? ` and ${differing.length - EXAMPLES_MAX} more` : ''
    return verdict('failed', `${differing.slice(0, EXAMPLES_MAX).join('; ')}${more}`)
  }
  const moving = replaced === 0 ? '' : `, ${replaced} replaced before they were read back`
  if (equal > 0) return verdict('passed', `${equal} prices equal${moving}`)
  if (replaced > 0) return verdict('skipped', `prices change faster than they are read back (${replaced})`)
  return verdict('skipped', 'the source has no open price for this channel just now')
}
