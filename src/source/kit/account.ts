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

/** A source market, and how many of its outcomes ended where. */
export interface SourceMarketRow {
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
  /** Ids in the payloads that have no name. */
  readonly missingNames = new MissingNames()
  private readonly rows = new Map<string, Map<Fate, number>>()
  private lastMarket: string | undefined
  private lastRow = new Map<Fate, number>()

  /** Counts outcomes of a source market into the place where they ended. */
  count(sourceMarket: string, fate: Fate, outcomes = 1): void {
    if (sourceMarket !== this.lastMarket) this.switchTo(sourceMarket)
    this.lastRow.set(fate, (this.lastRow.get(fate) ?? 0) + outcomes)
  }

  /** Where the outcomes of each source market ended, in the order in which the markets were first seen. */
  sourceMarkets(): SourceMarketRow[] {
    return [...this.rows].map(([sourceMarket, fates]) => ({ sourceMarket, fates }))
  }

  totals(): AccountTotals {
    let mapped = 0
    let noPrice = 0
    let badPrice = 0
    let unmapped = 0
    const unmappedBy = new Map<UnmappedReason, number>()
    for (const fates of this.rows.values()) {
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
    return { read: this.read, mapped, noPrice, badPrice, unmapped, unmappedBy, malformed: this.malformed }
  }

  /** Whether every outcome read has ended in one place. False while a normaliser holds some back. */
  isBalanced(): boolean {
    const { read, mapped, noPrice, badPrice, unmapped } = this.totals()
    return read === mapped + noPrice + badPrice + unmapped
  }

  private switchTo(sourceMarket: string): void {
    const known = this.rows.get(sourceMarket)
    const name = known === undefined && this.rows.size >= SOURCE_MARKETS_MAX ? REST_OF_MARKETS : sourceMarket
    let row = this.rows.get(name)
    if (row === undefined) {
      row = new Map()
      this.rows.set(name, row)
    }
    this.lastMarket = sourceMarket
    this.lastRow = row
  }
}
