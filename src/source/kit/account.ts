// The account of a source's prices (docs/feeds.md 2.1): each outcome ends in exactly one place, and none is dropped
// without being counted.

import { type MarketType, isMarketType } from '../../domain/market.ts'
import { MissingNames } from './missing-names.ts'

/** Why an outcome has no quote. The first reason that applies, in this order, is counted. */
export const UNMAPPED_REASONS = [
  'event',
  'sport',
  'lay',
  'aggregate',
  'no_timestamp',
  'market',
  'twin',
  'outcome',
] as const

export type UnmappedReason = (typeof UNMAPPED_REASONS)[number]

/** Where an outcome ended: its market type when it is mapped and has a price. */
export type Fate = MarketType | 'no_price' | 'bad_price' | UnmappedReason

/** A source market of a sport, and how many of its outcomes ended where. */
export interface SourceMarketRow {
  /** Ours, else the source's word for it; null: not known. */
  readonly sport: string | null
  readonly sourceMarket: string
  readonly fates: ReadonlyMap<Fate, number>
}

/** Outcomes by where they ended; `read` = `mapped` + `noPrice` + `badPrice` + `unmapped`. */
export interface AccountTotals {
  readonly read: number
  readonly mapped: number
  readonly noPrice: number
  readonly badPrice: number
  readonly unmapped: number
  readonly unmappedBy: ReadonlyMap<UnmappedReason, number>
  /** Lines, rows or parts of a document that could not be read; none of their outcomes is in `read`. */
  readonly malformed: number
  /** Of those mapped: outcomes of which the source names the day, and no time. */
  readonly dated: number
}

// Source markets come from the payload: a hostile payload must not grow the table without bound.
const SOURCE_MARKETS_MAX = 2_000
const REST_OF_MARKETS = '(other)'

const isUnmapped = (fate: Fate): fate is UnmappedReason => UNMAPPED_REASONS.includes(fate as UnmappedReason)

export class Account {
  /**
   * Outcomes in the payloads. Counted where they are read, separately from where they end, so that the sums can be
   * checked.
   */
  read = 0
  /** Lines, rows or parts of a document that could not be read. */
  malformed = 0
  /** Mapped outcomes of which the source names the day, and no time. */
  dated = 0
  /**
   * Sport of the outcomes that are counted next: ours, else the source's word for it; null: not known. It is set in the
   * same step of the event loop as they are counted: a source may have several normalisers with one account.
   */
  sport: string | null = null
  /** Ids in the payloads that have no name. */
  readonly missingNames = new MissingNames()
  private readonly rows = new Map<string, SourceMarketRow & { readonly fates: Map<Fate, number> }>()
  private lastMarket: string | undefined
  private lastSport: string | null = null
  private lastFates = new Map<Fate, number>()

  /** Counts outcomes of a source market into the place where they ended. */
  count(sourceMarket: string, fate: Fate, outcomes = 1): void {
    if (sourceMarket !== this.lastMarket || this.sport !== this.lastSport) this.switchTo(sourceMarket)
    this.lastFates.set(fate, (this.lastFates.get(fate) ?? 0) + outcomes)
  }

  /** Where the outcomes of each source market ended, in the order in which they were first seen. */
  sourceMarkets(): SourceMarketRow[] {
    return [...this.rows.values()]
  }

  totals(): AccountTotals {
    let mapped = 0
    let noPrice = 0
    let badPrice = 0
    let unmapped = 0
    const unmappedBy = new Map<UnmappedReason, number>()
    for (const { fates } of this.rows.values()) {
      for (const [fate, outcomes] of fates) {
        if (fate === 'no_price') noPrice += outcomes
        else if (fate === 'bad_price') badPrice += outcomes
        else if (isMarketType(fate)) mapped += outcomes
        else if (isUnmapped(fate)) {
          unmapped += outcomes
          unmappedBy.set(fate, (unmappedBy.get(fate) ?? 0) + outcomes)
        }
      }
    }
    const { read, malformed, dated } = this
    return { read, mapped, noPrice, badPrice, unmapped, unmappedBy, malformed, dated }
  }

  /** Whether every outcome read has ended in one place. False while a normaliser holds some back. */
  isBalanced(): boolean {
    const { read, mapped, noPrice, badPrice, unmapped } = this.totals()
    return read === mapped + noPrice + badPrice + unmapped
  }

  private switchTo(sourceMarket: string): void {
    let key = `${this.sport ?? ''}\n${sourceMarket}`
    let row = this.rows.get(key)
    if (row === undefined) {
      const isFull = this.rows.size >= SOURCE_MARKETS_MAX
      if (isFull) key = REST_OF_MARKETS
      row = this.rows.get(key)
      row ??= isFull
        ? { sport: null, sourceMarket: REST_OF_MARKETS, fates: new Map() }
        : { sport: this.sport, sourceMarket, fates: new Map() }
      this.rows.set(key, row)
    }
    this.lastMarket = sourceMarket
    this.lastSport = this.sport
    this.lastFates = row.fates
  }
}
