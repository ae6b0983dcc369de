// A market of the exchange as it stands (docs/feeds.md 8): its definition, a ladder for each runner, the quotes that were
// given out, and which runners the account has.

import type { Observation, Price } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { isRecord } from '../../domain/record.ts'
import type { Fate } from '../kit/account.ts'
import { BackLadder } from './betfair-ladder.ts'
import {
  type KnownNames,
  type MappedMarket,
  type MarketNames,
  type MarketReading,
  type RunnerKey,
  readDefinition,
  runnerKeyOf,
} from './betfair-market.ts'
import type { StreamTime } from './betfair-time.ts'
import type { NormaliserOptions } from '../kit/normaliser.ts'

const SLUG = 'betfair_ex_eu'

const RUNNERS_MAX = 1_000

/** What of a definition cannot be read, and how many parts that is. */
export interface Unread {
  readonly reason: string
  readonly parts: number
}

interface Runner {
  readonly key: RunnerKey
  readonly ladder: BackLadder
  /** What its definition allows. */
  allowed: QuoteStatus
  label: string | undefined
  /** The quote: its odds, 0 before there is one, and its status. */
  odds: number
  status: QuoteStatus
  /** It is to be given out, even if it is as before. */
  isDue: boolean
  isCounted: boolean
}

/** Identity of a market's quotes but for their label. */
const quoteKeyOf = ({ event, type, line }: MappedMarket): string => `${event.sourceKey} ${type} ${line}`

const isSameSighting = ({ event: a }: MappedMarket, { event: b }: MappedMarket): boolean =>
  a.home === b.home && a.away === b.away && a.kickoffAt === b.kickoffAt && a.sport === b.sport

/** Which market gives out the quotes of a key: a second list of the same would overwrite them. */
export type Owners = Map<string, MarketBook>

export class MarketBook {
  readonly id: string
  /** Closed, or gone from an image: nothing of it stands any more. Whoever keeps the books sets it. */
  isFinished = false
  private readonly options: NormaliserOptions
  private readonly owners: Owners
  private readonly time: StreamTime
  private readonly runners: Runner[] = []
  private sourceMarket = '(no definition)'
  private status: QuoteStatus = 'suspended'
  private mapped: MappedMarket | undefined
  /** Sport or market have no type here, for good: its prices need not be kept. */
  private isForeign = false
  private names: KnownNames
  /** The last definition, while it waits for names. */
  private unnamed: unknown
  /** When one of its quotes was last given out as closed, by this market or by the one that had them before; epoch ms. */
  private closedAt = 0

  constructor(id: string, owners: Owners, time: StreamTime, options: NormaliserOptions) {
    this.id = id
    this.owners = owners
    this.time = time
    this.options = options
    const { fixtureOf, runnerNameOf } = options.facts
    this.names = {
      catalogue: undefined,
      fixtureOf: (eventId) => fixtureOf(eventId) ?? fixtureOf(id),
      runnerNameOf: (selectionId) => runnerNameOf?.(selectionId),
    }
  }

  get isUnnamed(): boolean {
    return this.unnamed !== undefined
  }

  get isClosed(): boolean {
    return this.status === 'closed'
  }

  /** Forgets the prices: all that is on offer comes now, and the rest is gone. Each quote is given out once more. */
  clear(): void {
    for (const runner of this.runners) {
      runner.ladder.clear()
      runner.isDue = true
    }
  }

  /** Takes an entry of `rc`. Returns why it cannot be read. */
  takeRunner(change: unknown): string | undefined {
    const key = isRecord(change) ? runnerKeyOf(change.id, change.hc) : undefined
    const runner = key === undefined ? undefined : this.runnerOf(key)
    if (runner === undefined) return `must have a selection id, one of at most ${RUNNERS_MAX}`
    if (this.isForeign) return undefined
    const { atb, batb, bdatb } = change as Record<string, unknown>
    const { ladder } = runner
    if (
      (atb === undefined || ladder.takePrices(atb)) &&
      (batb === undefined || ladder.takeLevels(batb)) &&
      (bdatb === undefined || ladder.takeDisplayed(bdatb))
    ) {
      return undefined
    }
    ladder.clear() // what stands is not known any more, and must not stay open
    return 'must have lists of numbers for atb, batb and bdatb'
  }

  /** Takes a definition, which replaces the one before, and settles. Returns what of it cannot be read. */
  define(definition: unknown, observations: Observation[]): Unread | undefined {
    const reading = readDefinition(definition, this.names, this.options.limits.textLengthMax)
    if (typeof reading === 'string') {
      this.status = 'suspended' // it may have said so; nobody knows
      this.settle(observations)
      return { reason: reading, parts: 1 }
    }
    const isUnnamed = reading.mapped === 'unnamed'
    this.unnamed = isUnnamed ? definition : undefined
    this.noteNames(reading)
    const known = this.mapped
    this.disown()
    const mapped = typeof reading.mapped === 'string' ? undefined : this.own(reading.mapped)
    const isOther =
      known !== undefined &&
      (mapped === undefined || quoteKeyOf(known) !== quoteKeyOf(mapped) || this.isRelabelled(reading))
    if (isOther) this.withdraw(known, observations)
    this.sourceMarket = reading.sourceMarket
    this.status = reading.status
    this.mapped = mapped
    this.isForeign = reading.mapped === 'sport' || reading.mapped === 'market'

    for (const runner of this.runners) runner.allowed = 'suspended' // one that is not named any more
    const isTwin = typeof reading.mapped === 'object' && mapped === undefined
    let left = 0
    for (const { key, status, label, reason } of reading.runners) {
      const runner = this.runnerOf(key)
      if (runner === undefined) {
        left++
        continue
      }
      runner.allowed = status
      runner.label = mapped === undefined ? undefined : label
      if (runner.label === undefined && !isUnnamed) this.count(runner, isTwin && label !== undefined ? 'twin' : reason)
    }
    const isMoved = known !== undefined && mapped !== undefined && !isOther && !isSameSighting(known, mapped)
    this.settle(observations, isMoved)
    return left === 0
      ? undefined
      : { reason: `has more than ${RUNNERS_MAX} runners: ${left} are left out`, parts: left }
  }

  /** Takes the names of a market whose definition has ids only, and gives out what was kept back for them. */
  name(names: MarketNames, observations: Observation[]): void {
    this.names = { ...this.names, catalogue: names }
    if (this.unnamed !== undefined) this.define(this.unnamed, observations)
  }

  /**
   * Compares each runner with its quote, and gives out what has changed.
   * @param all whatever stands, changed or not
   */
  settle(observations: Observation[], all = false): void {
    const { mapped, status: allowed } = this
    if (mapped === undefined) return
    let isClosing = false
    let isBeginning = false
    let prices: Price[] | undefined
    for (const runner of this.runners) {
      const { label } = runner
      if (label === undefined) continue
      const { best } = runner.ladder
      let status: QuoteStatus = 'open'
      if (allowed === 'closed' || runner.allowed === 'closed') status = 'closed'
      else if (allowed === 'suspended' || runner.allowed === 'suspended' || best <= 1) status = 'suspended'
      // A closed quote keeps its last odds; and before its first price a runner has no quote.
      if (status === 'closed' && runner.status === 'closed') continue
      const odds = best > 1 ? best : runner.odds
      if (odds > 0 && (all || runner.isDue || odds !== runner.odds || status !== runner.status)) {
        if (!runner.isCounted) this.count(runner, mapped.type)
        const price: Price = { type: mapped.type, line: mapped.line, outcome: label, odds, status }
        if (prices === undefined) prices = [price]
        else prices.push(price)
        if (status === 'closed') isClosing = true
        else if (runner.status === 'closed' || runner.odds === 0) isBeginning = true
      }
      runner.odds = odds
      runner.status = status
      runner.isDue = false
    }
    if (prices === undefined) return
    if (isBeginning && this.closedAt === this.time.at) this.time.pass()
    if (isClosing) this.closedAt = this.time.at
    observations.push(this.observe(mapped, prices))
  }

  /** Counts the runners of which nobody knows more by now. */
  countRest(): void {
    for (const runner of this.runners) {
      const isKnown = this.mapped !== undefined && runner.label !== undefined
      this.count(runner, !isKnown ? 'event' : runner.ladder.best > 0 ? 'bad_price' : 'no_price')
    }
  }

  /** Another market may have its quotes. */
  disown(): void {
    if (this.mapped === undefined) return
    const key = quoteKeyOf(this.mapped)
    if (this.owners.get(key) === this) this.owners.delete(key)
  }

  /** What of a market that could be published has no name. */
  private noteNames({ mapped, eventId, isEventUnnamed, runners, unnamedRunners }: MarketReading): void {
    if (typeof mapped === 'string' && mapped !== 'unnamed') return
    const { missingNames } = this.options.account
    if (isEventUnnamed) missingNames.miss('event', eventId)
    else missingNames.find('event', eventId)
    for (const { key } of missingNames.isNone ? [] : runners) missingNames.find('runner', String(key))
    for (const id of unnamedRunners) missingNames.miss('runner', String(id))
  }

  private runnerOf(key: RunnerKey): Runner | undefined {
    // Two or three in most markets: walking is faster than a map.
    for (const runner of this.runners) if (runner.key === key) return runner
    if (this.runners.length >= RUNNERS_MAX) return undefined
    const runner: Runner = {
      key,
      ladder: new BackLadder(),
      allowed: 'suspended',
      label: undefined,
      odds: 0,
      status: 'suspended',
      isDue: false,
      isCounted: false,
    }
    this.runners.push(runner)
    this.options.account.read++
    return runner
  }

  /** The market as mapped, unless another that goes on has the same quotes. */
  private own(mapped: MappedMarket): MappedMarket | undefined {
    const key = quoteKeyOf(mapped)
    const owner = this.owners.get(key)
    if (owner !== undefined && owner !== this && !owner.isFinished) return undefined
    if (owner !== undefined) this.closedAt = Math.max(this.closedAt, owner.closedAt)
    this.owners.set(key, this)
    return mapped
  }

  private isRelabelled({ runners }: MarketReading): boolean {
    return runners.some(({ key, label }) =>
      this.runners.some((runner) => runner.key === key && runner.odds > 0 && runner.label !== label),
    )
  }

  /** The quotes are to be known by other names: the ones under the old names must not stay open. */
  private withdraw(known: MappedMarket, observations: Observation[]): void {
    const prices = this.standing().map((price): Price => ({ ...price, status: 'suspended' }))
    if (prices.length > 0) observations.push(this.observe(known, prices))
    for (const runner of this.runners) runner.odds = 0
  }

  private standing(): Price[] {
    const { mapped } = this
    const prices: Price[] = []
    for (const { label, odds, status } of this.runners) {
      if (mapped === undefined || label === undefined || odds === 0 || status === 'closed') continue
      prices.push({ type: mapped.type, line: mapped.line, outcome: label, odds, status })
    }
    return prices
  }

  private observe({ event }: MappedMarket, prices: readonly Price[]): Observation {
    const { facts, transport } = this.options
    return {
      bookmaker: facts.bookmaker ?? SLUG,
      transport: transport ?? 'both', // a push source that says when a price is off
      observedAt: this.time.at,
      event,
      prices,
      others: 'keep',
    }
  }

  /** Counts a runner where it ends, once: later prices of it are no new outcomes. */
  private count(runner: Runner, fate: Fate): void {
    if (runner.isCounted) return
    runner.isCounted = true
    this.options.account.count(this.sourceMarket, fate)
  }
}
