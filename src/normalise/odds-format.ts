// In which format the prices of a document are. A price of 138 is +138 in American odds and a longshot in decimal ones, so a
// document is judged as a whole before anything of it is published: a price of -100 or less exists in American odds only,
// one between 1 and 100 in decimal odds only, and where all are whole numbers of 100 or more, nobody offers them as decimals.

import { decimalOdds } from './american-odds.ts'
import { shown } from './text.ts'

export const ODDS_FORMATS = ['decimal', 'american'] as const

export type OddsFormat = (typeof ODDS_FORMATS)[number]

export const isOddsFormat = (value: unknown): value is OddsFormat => ODDS_FORMATS.includes(value as OddsFormat)

const LEAST_AMERICAN = 100

/** Where a price is; made into a text only for a message. */
export type PricePlace = () => string

interface Seen {
  readonly price: number
  readonly place: string
}

const seenText = ({ price, place }: Seen): string => `${place} is ${price}`

const REMEDY =
  'ask for it with oddsFormat=decimal, or, where American odds are right, give --odds-format american (oddsFormat in the ' +
  'configuration of a file or stomp source)'

/** Takes the prices of one document, and judges them. */
export class OddsFormatJudge {
  /** What whoever gave the document said; null: nothing. */
  private readonly given: OddsFormat | null
  /** What the document says of itself. */
  private said: OddsFormat | null = null
  private fault: string | undefined
  private american: Seen | undefined
  private decimal: Seen | undefined
  /** The first of the whole numbers of 100 or more. */
  private whole: Seen | undefined
  private isFraction = false

  constructor(given: OddsFormat | null) {
    this.given = given
  }

  /** Takes what the document says of its odds; undefined, null and an empty text say nothing. */
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

  /** Whether a price shows nothing that was not seen before; most are decimals like the one before. */
  isKnown(price: number): boolean {
    return this.decimal !== undefined && price > 1 && price < LEAST_AMERICAN
  }

  /** Takes a price. */
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

  /** The format of the prices that were taken, unless they are refused. */
  get format(): OddsFormat {
    return this.given ?? this.said ?? 'decimal'
  }

  /** Why the document is refused, as far as it was taken: by what one price proves. The words follow its name. */
  get refusal(): string | undefined {
    if (this.fault !== undefined) return this.fault
    const { given, said, american, decimal } = this
    if (given === null && said === null) {
      return american === undefined ? undefined : `holds American odds (${seenText(american)}): ${REMEDY}`
    }
    const by = given === null ? 'it says itself' : 'was given as --odds-format (oddsFormat)'
    if (this.format === 'american') {
      if (decimal === undefined) return undefined
      return `holds decimal odds (${seenText(decimal)}), not American odds as ${by}`
    }
    return american === undefined ? undefined : `holds American odds (${seenText(american)}), not decimal odds as ${by}`
  }

  /** The same, once the whole document was taken. */
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
