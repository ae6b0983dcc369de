// A market of the exchange (docs/feeds.md 8): its current definition, a ladder for each runner, the published quotes,
// and which runners the account has counted.

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

/** Parts of a definition that cannot be read, and how many. */
export interface Unread {
  readonly reason: string
  readonly parts: number
}

interface Runner {
  readonly key: RunnerKey
  readonly ladder: BackLadder
  /** The status that its definition allows. */
  allowed: QuoteStatus
  label: string | undefined
  /** The quote: its odds, 0 before it has any, and its status. */
  odds: number
  status: QuoteStatus
  /** It is to be published, even if it is unchanged. */
  isDue: boolean
  isCounted: boolean
}

/** Identity of a market's quotes without their label. */
const quoteKeyOf = ({ event, type, line }: MappedMarket): string => `${event.sourceKey} ${type} ${line}`

const isSameSighting = ({ event: a }: MappedMarket, { event: b }: MappedMarket): boolean =>
  a.home === b.home && a.away === b.away && a.kickoffAt === b.kickoffAt && a.sport === b.sport

/** The market that publishes the quotes of a key: a second market with the same key would overwrite them. */
export type Owners = Map<string, MarketBook>

export class MarketBook {
  readonly id: string
  /** Closed, or missing from an image. Set by the normaliser that keeps the books. */
  isFinished = false
  private readonly options: NormaliserOptions
  private readonly owners: Owners
  private readonly time: StreamTime
  private readonly runners: Runner[] = []
  private sourceMarket = '(no definition)'
  private sport: string | null = null
  private status: QuoteStatus = 'suspended'
  private mapped: MappedMarket | undefined
  /** Its sport or market has no type here: its prices need not be kept. */
  private isForeign = false
  private names: KnownNames
  /** The last definition, while it waits for names. */
  private unnamed: unknown
  /**
   * When one of its quotes was last published as closed, by this market or by the previous owner of the key; epoch ms.
   */
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

  /** Forgets the prices: all that is on offer follows, and the rest is gone. Each quote is published once more. */
  clear(): void {
    for (const runner of this.runners) {
      runner.ladder.clear()
      runner.isDue = true
    }
  }

  /** Reads an entry of `rc`. @returns why it cannot be read */
  readRunner(change: unknown): string | undefined {
    const key = isRecord(change) ? runnerKeyOf(change.id, change.hc) : undefined
    const runner = key === undefined ? undefined : this.runnerOf(key)
    if (runner === undefined) return `must have a selection id, one of at most ${RUNNERS_MAX}`
    if (this.isForeign) return undefined
    const { atb, batb, bdatb } = change as Record<string, unknown>
    const { ladder } = runner
    if (
      (atb === undefined || ladder.applyPrices(atb)) &&
      (batb === undefined || ladder.applyLevels(batb)) &&
      (bdatb === undefined || ladder.applyDisplayed(bdatb))
    ) {
      return undefined
    }
    ladder.clear() // the ladder is unknown now, and must not stay open
    return 'must have lists of numbers for atb, batb and bdatb'
  }

  /** Reads a definition, which replaces the one before, and settles. @returns what of it cannot be read */
  define(definition: unknown, observations: Observation[]): Unread | undefined {
    const reading = readDefinition(definition, this.names, this.options.limits.textLengthMax)
    if (typeof reading === 'string') {
      this.status = 'suspended' // it may have suspended the market
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
    this.sport = reading.sport
    this.status = reading.status
    this.mapped = mapped
    this.isForeign = reading.mapped === 'sport' || reading.mapped === 'market'

    for (const runner of this.runners) runner.allowed = 'suspended' // a runner that is no longer named
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

  /** Sets the names of a market whose definition has ids only, and publishes what was held back for them. */
  name(names: MarketNames, observations: Observation[]): void {
    this.names = { ...this.names, catalogue: names }
    if (this.unnamed !== undefined) this.define(this.unnamed, observations)
  }

  /**
   * Compares each runner with its quote, and publishes the changes.
   * @param all all quotes, changed or not
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
      // A closed quote keeps its last odds; before its first price a runner has no quote.
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
    if (isBeginning && this.closedAt === this.time.at) this.time.advance()
    if (isClosing) this.closedAt = this.time.at
    observations.push(this.observe(mapped, prices))
  }

  /** Counts the runners that are still uncounted, by what is known of them now. */
  countRest(): void {
    for (const runner of this.runners) {
      const isKnown = this.mapped !== undefined && runner.label !== undefined
      this.count(runner, !isKnown ? 'event' : runner.ladder.best > 0 ? 'bad_price' : 'no_price')
    }
  }

  /** Releases its quotes for another market. */
  disown(): void {
    if (this.mapped === undefined) return
    const key = quoteKeyOf(this.mapped)
    if (this.owners.get(key) === this) this.owners.delete(key)
  }

  /** Notes the missing names of a market that could be published. */
  private noteNames({ mapped, eventId, isEventUnnamed, runners, unnamedRunners }: MarketReading): void {
    if (typeof mapped === 'string' && mapped !== 'unnamed') return
    const { missingNames } = this.options.account
    if (isEventUnnamed) missingNames.miss('event', eventId)
    else missingNames.find('event', eventId)
    for (const { key } of missingNames.isNone ? [] : runners) missingNames.find('runner', String(key))
    for (const id of unnamedRunners) missingNames.miss('runner', String(id))
  }

  private runnerOf(key: RunnerKey): Runner | undefined {
    // Two or three in most markets: a scan is faster than a map.
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

  /** The market as mapped; undefined when another unfinished market has the same quotes. */
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

  /** The quotes get other names: those with the old names must not stay open. */
  private withdraw(known: MappedMarket, observations: Observation[]): void {
    const prices = this.currentPrices().map((price): Price => ({ ...price, status: 'suspended' }))
    if (prices.length > 0) observations.push(this.observe(known, prices))
    for (const runner of this.runners) runner.odds = 0
  }

  private currentPrices(): Price[] {
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

  /** Counts a runner once: later prices of it are no new outcomes. */
  private count(runner: Runner, fate: Fate): void {
    if (runner.isCounted) return
    runner.isCounted = true
    this.options.account.sport = this.sport
    this.options.account.count(this.sourceMarket, fate)
  }
}
