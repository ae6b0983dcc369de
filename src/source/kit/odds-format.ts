// The odds format of a document. A price of 138 is +138 in American odds and a longshot in decimal ones, so a document
// is judged as a whole before any of it is published: a price of -100 or less exists in American odds only, one between
// 1 and 100 in decimal odds only, and a document of whole numbers of 100 or more only is not decimal. The last holds
// for one complete market of one bookmaker, too, even if the rest of the document is decimal.

import { decimalOdds } from './american-odds.ts'
import { shown } from './text.ts'

export const ODDS_FORMATS = ['decimal', 'american'] as const

export type OddsFormat = (typeof ODDS_FORMATS)[number]

export const isOddsFormat = (value: unknown): value is OddsFormat => ODDS_FORMATS.includes(value as OddsFormat)

const LEAST_AMERICAN = 100

// As American odds the sides of a market make a book of about 1: less at an exchange, more with a bookmaker's margin.
// Placeholder prices (1001 on every side) do not.
const BOOK_LEAST = 0.85
const BOOK_MOST = 1.35

/** Whether a price may be American odds above 0: as decimal odds it would be a longshot without a fraction. */
export const mayBeAmerican = (price: number): boolean => price >= LEAST_AMERICAN && Number.isInteger(price)

/** Whether the prices of all sides of one market, two at least, can only be American odds. */
export const isAmericanBook = (prices: readonly number[]): boolean => {
  if (!prices.every(mayBeAmerican)) return false
  const book = prices.reduce((sum, price) => sum + LEAST_AMERICAN / (price + LEAST_AMERICAN), 0)
  return book >= BOOK_LEAST && book <= BOOK_MOST
}

/** Where a price is; formatted only for a message. */
export type PricePlace = () => string

interface Seen {
  readonly price: number
  readonly place: string
}

const seenText = ({ price, place }: Seen): string => `${place} is ${price}`

const REMEDY =
  'ask for it with oddsFormat=decimal, or, where American odds are right, give --odds-format american (oddsFormat in the ' +
  'configuration of a file or stomp source)'

/** Detects the odds format of one document from its prices. */
export class OddsFormatJudge {
  /** The format that the caller stated; null: none. */
  private readonly given: OddsFormat | null
  /** The format that the document states. */
  private said: OddsFormat | null = null
  private fault: string | undefined
  private american: Seen | undefined
  private decimal: Seen | undefined
  /** The first of the whole numbers of 100 or more. */
  private whole: Seen | undefined
  private isFraction = false
  /** A market whose sides can only be American odds. */
  private market: { readonly place: string; readonly prices: readonly number[] } | undefined

  constructor(given: OddsFormat | null) {
    this.given = given
  }

  /** Reads the format that the document states; undefined, null and an empty text state none. */
  say(value: unknown, place: PricePlace): void {
    if (value === undefined || value === null || value === '' || this.fault !== undefined) return
    if (value === this.said) return
    if (!isOddsFormat(value)) {
      const text = shown(typeof value === 'string' ? value : JSON.stringify(value))
      this.fault = `has odds in a format that is not known here (${place()} is ${text}, not decimal or american)`
    } else if (this.said !== null) {
      this.fault = `says both that its odds are ${this.said} and that they are ${value} (${place()})`
    } else if (this.given !== null && this.given !== value) {
      this.fault = `has ${value} odds (${place()}), though --odds-format (oddsFormat) is ${this.given}`
    } else this.said = value
  }

  /** Whether a price adds no evidence; most are decimals like the one before. */
  isKnown(price: number): boolean {
    return this.decimal !== undefined && price > 1 && price < LEAST_AMERICAN
  }

  price(price: number, place: PricePlace): void {
    if (!Number.isFinite(price)) return
    if (price > 1 && price < LEAST_AMERICAN) this.decimal ??= { price, place: place() }
    else if (price <= -LEAST_AMERICAN) this.american ??= { price, place: place() }
    else if (price >= LEAST_AMERICAN) {
      if (!Number.isInteger(price)) this.isFraction = true
      else this.whole ??= { price, place: place() }
    }
    // The others are no prices in either format, and prove nothing.
  }

  /** A price with a plus sign: decimal odds are never written so. */
  signed(price: number, place: PricePlace): void {
    if (price >= LEAST_AMERICAN) this.american ??= { price, place: place() }
  }

  /**
   * Whether evidence of whole markets counts: not where the format is stated, since longshots on all sides are then
   * possible.
   */
  get asksMarkets(): boolean {
    return this.given === null && this.said === null && this.market === undefined
  }

  /** All sides of a market. @param prices see {@link isAmericanBook} */
  americanBook(prices: readonly number[], place: PricePlace): void {
    this.market ??= { place: place(), prices }
  }

  /** The format of the prices so far, unless they are refused. */
  get format(): OddsFormat {
    return this.given ?? this.said ?? 'decimal'
  }

  /**
   * Why the document is refused, as far as it was read, by the evidence of single prices. The words follow its name.
   */
  get refusal(): string | undefined {
    if (this.fault !== undefined) return this.fault
    const { given, said, american, decimal, market } = this
    if (given === null && said === null) {
      if (american !== undefined) return `holds American odds (${seenText(american)}): ${REMEDY}`
      return market === undefined ? undefined : this.marketText(market.place, market.prices)
    }
    const by = given === null ? 'it says itself' : 'was given as --odds-format (oddsFormat)'
    if (this.format === 'american') {
      if (decimal === undefined) return undefined
      return `holds decimal odds (${seenText(decimal)}), not American odds as ${by}`
    }
    return american === undefined ? undefined : `holds American odds (${seenText(american)}), not decimal odds as ${by}`
  }

  private marketText(place: string, prices: readonly number[]): string {
    const { decimal } = this
    const mixed = decimal === undefined ? '' : ` beside decimal odds (${seenText(decimal)})`
    return (
      `holds American odds${mixed}, as far as can be seen (${place} has ${prices.join(', ')}, and no bookmaker offers ` +
      `whole numbers of 100 or more on all sides as decimals): ${REMEDY}; where these are longshots in decimal odds, give ` +
      '--odds-format decimal'
    )
  }

  /** The same, when the whole document was read. */
  get verdict(): string | undefined {
    const { refusal, given, said, decimal, whole, isFraction } = this
    if (refusal !== undefined || given !== null || said !== null) return refusal
    if (whole === undefined || decimal !== undefined || isFraction) return undefined
    return (
      `holds American odds, as far as can be seen (${seenText(whole)}, and every price is a whole number of 100 or more): ` +
      `${REMEDY}; where these are longshots in decimal odds, give --odds-format decimal`
    )
  }
}

/** Decimal odds of a price; undefined where it is none. */
export const oddsOf = (price: number, format: OddsFormat): number | undefined =>
  format === 'american' ? decimalOdds(price) : price > 1 ? price : undefined
