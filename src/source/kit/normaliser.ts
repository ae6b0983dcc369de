// The interface of every source format: text in, observations out.

import type { Fixture, Observation } from '../../domain/observation.ts'
import type { FedTransport } from '../../domain/transport.ts'
import type { Account } from './account.ts'
import type { OddsFormat } from './odds-format.ts'

/** Bounds on what a payload may make us keep. */
export interface NormaliserLimits {
  /** Prices of one observation. */
  readonly pricesMax: number
  /** Characters of a name, label or key. */
  readonly textLengthMax: number
}

/** More limits, of a recording. */
export interface RecordingLimits extends NormaliserLimits {
  /** Bytes of a line, without its end. */
  readonly lineBytesMax: number
  /** Bytes of a document, unpacked. */
  readonly documentBytesMax: number
}

/** What is known of a source, or of the current piece, beyond its own text. */
export interface SourceFacts {
  /** Slug of the bookmaker; null: as in the payload, else the format's own (docs/feeds.md 5 to 11). */
  readonly bookmaker: string | null
  /** Names and kickoff of an event that payloads give by id; undefined: not known (yet). */
  readonly fixtureOf: (sourceEventId: string) => Fixture | undefined
  /** Name of a runner that payloads give by selection id (Betfair); undefined: not known. */
  readonly runnerNameOf?: (selectionId: number) => string | undefined
  /**
   * When the piece was received, epoch ms; null: unknown. A format whose payloads have no observation time then uses
   * the newest time in them: the recording cannot be older.
   */
  readonly receivedAt: () => number | null
  /** Whether the piece lists all that the source has of its events: what is missing from it is gone. */
  readonly isComplete: () => boolean
  /**
   * Whether the same normaliser reads pieces about other events: then a complete piece says nothing of events that it
   * does not name. Omitted: all pieces are about the same events, and an event that a complete piece does not name is
   * gone.
   */
  readonly isOneOfMany?: () => boolean
  /** Name of the file of the piece, without folders; empty: none. */
  readonly fileName: () => string
  /** The format of prices that may be decimal or American; null: detected from the document. */
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
  /** The product channels that the source feeds; null: as in the payload, else `rest`. */
  readonly transport: FedTransport | null
  readonly limits: NormaliserLimits
  /**
   * Called for each part that could not be read and was skipped: its place (`line 12`, `[3].bookmakers[0]`) and the
   * reason. The account has counted it already.
   */
  readonly onMalformed: (place: string, reason: string) => void
}

/** The text as a whole is not of the format: nothing more can be read from it. */
export interface FormatFault {
  readonly fault: string
}

/** Reads a recording of lines once, before a normaliser does, for checks that need the whole of it. */
export interface Examiner {
  read(line: string, lineNumber: number): void
  /** Why nothing of the recording may be published. */
  end(): FormatFault | undefined
}

/** Reads one text of one format. */
export interface Normaliser {
  /**
   * Reads the next piece: a line without its end, or the whole document. Consume the observations before the next call:
   * their outcomes are counted only then.
   * @param lineNumber of the piece's first line, from 1
   */
  read(text: string, lineNumber: number): Iterable<Observation> | FormatFault
  /** What was held back until it was known to be complete. */
  end(): Iterable<Observation> | FormatFault
}

/** A normaliser of documents with closing times. */
export interface ClosingNormaliser extends Normaliser {
  /** The source has nothing new at `at`, epoch ms: closes what has reached its closing time since the last piece. */
  closeDue(at: number): Iterable<Observation>
}

export const isFormatFault = (value: object): value is FormatFault => 'fault' in value
