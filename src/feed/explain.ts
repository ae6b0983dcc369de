// Explains recordings: where every outcome ended, and what the board would hold at the end.

import type { Observation, Price } from '../domain/observation.ts'
import type { QuoteStatus } from '../domain/quote.ts'
import type { FedTransport } from '../domain/transport.ts'
import { Account, type AccountTotals, type SourceMarketRow } from '../source/kit/account.ts'
import { FORMATS, type FormatName } from '../source/formats.ts'
import { unnamedText } from '../source/kit/format.ts'
import type { RecordingLimits, SourceFacts } from '../source/kit/normaliser.ts'
import type { RecordingFault } from './recording.ts'
import { readRecordings } from './recordings.ts'

export interface ExplainOptions {
  /**
   * Files of one format, in the order in which they were received. One normaliser reads several documents into one
   * picture.
   */
  readonly paths: readonly string[]
  readonly format: FormatName
  readonly transport: FedTransport | null
  readonly facts: Partial<SourceFacts>
  readonly limits: RecordingLimits
  readonly onMalformed: (place: string, reason: string) => void
}

/** What the board would hold: quotes by (event, bookmaker, market, line, outcome). */
export interface Explained {
  readonly totals: AccountTotals
  readonly sourceMarkets: readonly SourceMarketRow[]
  /**
   * What the recordings do not name, and what to configure for it, to follow their name; absent: nothing is missing.
   */
  readonly unnamed?: string | undefined
  readonly observations: number
  readonly quotes: number
  readonly events: number
  readonly bookmakers: number
  /** Event x type x line, and the same x bookmaker. */
  readonly markets: number
  readonly bookMarkets: number
  /** Quotes by market type, and by their last status. */
  readonly byType: Readonly<Record<string, number>>
  readonly byStatus: Readonly<Record<QuoteStatus, number>>
}

/**
 * The last state of each quote, as in the engine (docs/architecture.md 3.2): the newest `observedAt` wins; of equal
 * ones the later.
 */
class Picture {
  observations = 0
  private readonly statuses = new Map<string, { status: QuoteStatus; observedAt: number; type: string }>()
  private readonly ofBook = new Map<string, Set<string>>()
  // Events with a quote, by id and by spelling: of other events the board keeps nothing.
  private readonly events = new Set<string>()
  // The newest statement about the unnamed quotes of a book: it applies to prices that arrive late.
  private readonly ended = new Map<string, { readonly at: number; readonly to: QuoteStatus }>()

  add({ bookmaker, event, observedAt, prices, others }: Observation): void {
    this.observations++
    const spelt = [event.sport, event.leagueKey, event.home, event.away, event.kickoffAt].join('|')
    const identity = event.sourceKey ?? spelt
    const book = `${identity}\n${bookmaker}`
    const known = this.ofBook.get(book) ?? new Set()
    this.ofBook.set(book, known)
    const named = new Set<string>()
    for (const price of prices) {
      const key = `${book}\n${price.type}\n${price.line}\n${price.outcome}`
      named.add(key)
      const ended = this.ended.get(book)
      this.addPrice(key, price, observedAt, known, ended !== undefined && observedAt < ended.at ? ended : undefined)
    }
    if (known.size > 0) this.events.add(identity).add(spelt)
    if (others === 'keep') return
    if ((this.events.has(identity) || this.events.has(spelt)) && observedAt >= (this.ended.get(book)?.at ?? 0)) {
      this.ended.set(book, { at: observedAt, to: others })
    }
    for (const key of known) {
      const quote = this.statuses.get(key)!
      if (named.has(key) || quote.status === 'closed' || quote.observedAt > observedAt) continue
      quote.status = others
      quote.observedAt = observedAt
    }
  }

  /** @param ended a later statement about the unnamed quotes of the book */
  private addPrice(
    key: string,
    { type, status, odds }: Price,
    observedAt: number,
    known: Set<string>,
    ended: { readonly at: number; readonly to: QuoteStatus } | undefined,
  ): void {
    const quote = this.statuses.get(key)
    if (quote === undefined) {
      if (status === 'closed' || odds === null || ended?.to === 'closed') return
      this.statuses.set(key, { status: ended?.to ?? status, observedAt: ended?.at ?? observedAt, type })
      known.add(key)
      return
    }
    if (observedAt < quote.observedAt) return
    if (observedAt === quote.observedAt && quote.status === 'closed' && status !== 'closed') return
    if (quote.status === 'closed' && status !== 'closed' && ended !== undefined) {
      if (ended.to === 'closed') return
      quote.status = ended.to
      quote.observedAt = ended.at
      return
    }
    quote.status = status
    quote.observedAt = observedAt
  }

  figures(): Omit<Explained, 'totals' | 'sourceMarkets' | 'unnamed'> {
    const [events, bookmakers, markets, bookMarkets] = [new Set(), new Set(), new Set(), new Set()]
    const byType: Record<string, number> = {}
    const byStatus = { open: 0, suspended: 0, closed: 0 }
    for (const [key, { status, type }] of this.statuses) {
      const [event, bookmaker, , line] = key.split('\n')
      events.add(event)
      bookmakers.add(bookmaker)
      markets.add([event, type, line].join('\n'))
      bookMarkets.add([event, bookmaker, type, line].join('\n'))
      byType[type] = (byType[type] ?? 0) + 1
      byStatus[status]++
    }
    return {
      observations: this.observations,
      quotes: this.statuses.size,
      events: events.size,
      bookmakers: bookmakers.size,
      markets: markets.size,
      bookMarkets: bookMarkets.size,
      byType: Object.fromEntries(Object.entries(byType).sort(([, a], [, b]) => b - a)),
      byStatus,
    }
  }
}

/** Reads recordings into figures. A file that cannot be read is a fault. */
export const explain = async (options: ExplainOptions): Promise<Explained | RecordingFault> => {
  const { format } = options
  const account = new Account()
  const picture = new Picture()
  const batches = readRecordings({ ...options, account })
  for (;;) {
    const step = await batches.next()
    if (step.done === true) {
      if ('fault' in step.value) return step.value
      break
    }
    for (const observation of step.value) picture.add(observation)
  }
  const unnamed = unnamedText(FORMATS[format], account)
  return {
    totals: account.totals(),
    sourceMarkets: account.sourceMarkets(),
    ...(unnamed === undefined ? {} : { unnamed }),
    ...picture.figures(),
  }
}
