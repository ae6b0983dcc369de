// What every source format offers: text in, observations out.

import type { Fixture, Observation } from '../../domain/observation.ts'
import type { FedTransport } from '../../domain/transport.ts'
import type { Account } from './account.ts'
import type { OddsFormat } from './odds-format.ts'

/** What a payload may ask us to keep. */
export interface NormaliserLimits {
  /** Prices of one observation. */
  readonly pricesMax: number
  /** Characters of a name, label or key. */
  readonly textLengthMax: number
}

/** Of a recording, besides. */
export interface RecordingLimits extends NormaliserLimits {
  /** Bytes of a line, without its end. */
  readonly lineBytesMax: number
  /** Bytes of a document, unpacked. */
  readonly documentBytesMax: number
}

/** What is known of a source, or of the piece at hand, beyond what it says itself. */
export interface SourceFacts {
  /** Slug of the bookmaker; null: as the payload says, else the format's own (docs/feeds.md 5 to 11). */
  readonly bookmaker: string | null
  /** Names and kickoff of an event that payloads give an id of; undefined: not known (yet). */
  readonly fixtureOf: (sourceEventId: string) => Fixture | undefined
  /** Name of a runner that payloads give a selection id of (Betfair); undefined: not known. */
  readonly runnerNameOf?: (selectionId: number) => string | undefined
  /**
   * When the piece was received, epoch ms; null: nobody knows. A format whose payloads carry no time of seeing then takes
   * the newest time that they name: the recording cannot be older.
   */
  readonly receivedAt: () => number | null
  /** Whether the piece holds all that the source has of the events in it: what is missing from it is then gone. */
  readonly isComplete: () => boolean
  /**
   * Whether pieces about other events come to the same normaliser: then a complete one says nothing of events that it does
   * not name. None: all that comes is about the same thing, and what it does not name at all is gone as well.
   */
  readonly isOneOfMany?: () => boolean
  /** Name of the file that the piece comes from, without folders; empty: none. */
  readonly fileName: () => string
  /** The format of prices that may be decimal or American; null: judged by the document. */
  readonly oddsFormat?: OddsFormat | null
}

/** Facts of a recording about which nothing else is known. */
export const NOTHING_KNOWN: SourceFacts = {
  bookmaker: null,
  fixtureOf: () => undefined,
  receivedAt: () => null,
  isComplete: () => false,
  fileName: () => '',
}

export interface NormaliserOptions {
  readonly account: Account
  readonly facts: SourceFacts
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

/** Reads a recording of lines once, before a normaliser does, for what only the whole of it can show. */
export interface Examiner {
  take(line: string, lineNumber: number): void
  /** Why nothing of the recording may be published. */
  end(): FormatFault | undefined
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

/** A normaliser of documents that name closing times. */
export interface ClosingNormaliser extends Normaliser {
  /** The source has nothing new to say at `at`, epoch ms: what has closed by its own time since its last word. */
  closeDue(at: number): Iterable<Observation>
}

export const isFormatFault = (value: object): value is FormatFault => 'fault' in value
