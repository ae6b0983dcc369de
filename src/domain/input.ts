// Inputs: everything that changes the board. A turn is a list of them, applied in this order at one time.

import type { Decision } from './event-identity.ts'
import type { BookmakerHealth } from './feed-health.ts'
import type { Observation } from './observation.ts'
import type { Doubt } from './quote.ts'
import type { Refusal } from './refusal.ts'

/** Producers by name (feed-source.ts); times are epoch ms. */
export type Input =
  | {
      readonly kind: 'observe'
      readonly observation: Observation
      readonly producer: string
      /** Why the observation may be old, by the producer itself. */
      readonly doubt: Doubt | undefined
    }
  /** The observations of a transaction: all or none. */
  | { readonly kind: 'commit'; readonly observations: readonly Observation[] }
  /** It may have missed something: its quotes are shown suspended until it confirms them or observes them again. */
  | { readonly kind: 'suspect'; readonly producer: string; readonly doubt: Doubt }
  /** What it last said still holds at `at`, the source's time. */
  | { readonly kind: 'confirm'; readonly producer: string; readonly at: number }
  /** It no longer offers anything that it last said. */
  | { readonly kind: 'end'; readonly producer: string; readonly at: number }
  /** It has stopped for good. `doubt`: its quotes stay suspect; undefined: they stay as they are. */
  | { readonly kind: 'leave'; readonly producer: string; readonly doubt: Doubt | undefined }
  /** All decisions about events, and all suspensions by operators: they replace the former ones. */
  | { readonly kind: 'decide'; readonly decisions: readonly Decision[] }
  /** The health of a bookmaker's source has changed. */
  | { readonly kind: 'health'; readonly health: BookmakerHealth }
  /** Bookmakers that coverage names: each gets a number, in this order. */
  | { readonly kind: 'bookmakers'; readonly slugs: readonly string[] }
  /** A key is used for the first time since rights of its organization have changed. `seq`: of the log at that time. */
  | {
      readonly kind: 'use'
      readonly key: string
      readonly organization: string
      /** What it may see: equal texts, equal audiences. */
      readonly audience: string
      readonly seq: number
    }
  /** Rights of organizations may have changed; null: of all. `seq`: of the log at that time. */
  | {
      readonly kind: 'rights'
      readonly organizations: readonly string[] | null
      readonly seq: number
      /** A process begins with this log: the last uses of keys before may not have been written. */
      readonly isStart: boolean
    }
  /** The last input of a turn of a log that several processes share: which log and turn it is, and a digest of all so far. */
  | { readonly kind: 'link'; readonly epoch: string; readonly turn: number; readonly chain: string }
  /** What a process has in a part of its state after a turn: all processes must have the same. It changes nothing. */
  | { readonly kind: 'checksum'; readonly process: string; readonly turn: number; readonly sum: number }
  /**
   * A process begins to run a source: what its producers have said before, in whichever process, is suspect until those
   * of this run say it again, and what they say from now on does not count. `run`: larger than that of any run before.
   */
  | { readonly kind: 'take'; readonly source: string; readonly run: number }
  | StoreInput

/** A value of a statement of SQL. */
export type StoredValue = string | number | null

/** A statement of SQL that writes, and its values, in order. */
export type StoreStatement = readonly [sql: string, values: readonly StoredValue[]]

/** The last change of the store that the log has. */
export interface StoreMark {
  /** Its {@link StoreInput.proposal}; empty: none yet. */
  readonly proposal: string
  /** Its {@link StoreInput.version}; 0: none yet. */
  readonly version: number
}

/**
 * A change of the store (access rights and what belongs to them) that several processes share. Of the changes that were
 * made from one state of the store, the first one in the log is accepted; the others are refused, and made anew.
 */
export interface StoreInput {
  readonly kind: 'store'
  /** A name of its own. A store that has made the change is known by it. */
  readonly proposal: string
  /** The last accepted change of the log; empty: there is none. Otherwise this one is refused, with the field `expects`. */
  readonly expects: string
  /**
   * The last change of the store that it is made from: the same as `expects`, but where a store becomes that of a log, or
   * is ahead of a log that has lost its end.
   */
  readonly after: string
  /** Number of changes of the store, with this one. */
  readonly version: number
  readonly statements: readonly StoreStatement[]
  /** As in `decide`; null: they have not changed. */
  readonly decisions: readonly Decision[] | null
  /** As in `bookmakers`. */
  readonly bookmakers: readonly string[]
  /** Organizations whose keys may see something else from the end of the turn on; null: all. */
  readonly organizations: readonly string[] | null
}

/** Inputs and the time at which they are applied, epoch ms: the unit of the log, of publication and of receipts. */
export interface Turn {
  readonly at: number
  readonly inputs: readonly Input[]
}

/** Called when the turn of an input was published. @param refusal why it was not applied, or not completely */
export type Settled = (refusal: Refusal | undefined) => void

/** Adds an input to the current turn. */
export type AddInput = (input: Input, settled?: Settled) => void
