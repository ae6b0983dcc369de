// What every source format offers: text in, observations out.

import type { Observation } from '../domain/observation.ts'
import type { FedTransport } from '../domain/transport.ts'
import type { Account } from './account.ts'

/** What a payload may ask us to keep. */
export interface NormaliserLimits {
  /** Prices of one observation. */
  readonly pricesMax: number
  /** Characters of a name, label or key. */
  readonly textLengthMax: number
}

export interface NormaliserOptions {
  readonly account: Account
  /** The product channels that the source feeds; null: what the payload says, else `rest`. */
  readonly transport: FedTransport | null
  readonly limits: NormaliserLimits
  /**
   * Told of each part that could not be read and was skipped: its place (`line 12`, `[3].bookmakers[0]`) and the reason.
   * The account has counted it already.
   */
  readonly onMalformed: (place: string, reason: string) => void
}

/** The text as a whole is not of the format: nothing more can be read from it. */
export interface FormatFault {
  readonly fault: string
}

/** Reads one text of one format. */
export interface Normaliser {
  /**
   * Takes the next piece: a line without its end, or the whole document. The observations must be taken out before the
   * next call; only then are their outcomes in the account.
   * @param lineNumber of the piece's first line, from 1
   */
  take(text: string, lineNumber: number): Iterable<Observation> | FormatFault
  /** What was held back until it was known to be complete. */
  end(): Iterable<Observation> | FormatFault
}

export const isFormatFault = (value: object): value is FormatFault => 'fault' in value
