// Inputs: everything that changes the board. A turn is a list of them, applied in this order at one time.

import type { Decision } from './event-identity.ts'
import type { BookmakerHealth } from './feed-health.ts'
import type { Observation } from './observation.ts'
import type { Doubt } from './quote.ts'
import type { Refusal } from './refusal.ts'

/** Producers by number, see the engine; times are epoch ms. */
export type Input =
  | {
      readonly kind: 'observe'
      readonly observation: Observation
      readonly producer: number
      /** Why the observation may be old, by the producer itself. */
      readonly doubt: Doubt | undefined
    }
  /** The observations of a transaction: all or none. */
  | { readonly kind: 'commit'; readonly observations: readonly Observation[] }
  /** It may have missed something: its quotes are shown suspended until it confirms them or observes them again. */
  | { readonly kind: 'suspect'; readonly producer: number; readonly doubt: Doubt }
  /** What it last said still holds at `at`, the source's time. */
  | { readonly kind: 'confirm'; readonly producer: number; readonly at: number }
  /** It no longer offers anything that it last said. */
  | { readonly kind: 'end'; readonly producer: number; readonly at: number }
  /** It has stopped for good: its quotes stay suspect. */
  | { readonly kind: 'leave'; readonly producer: number; readonly doubt: Doubt }
  /** All decisions about events, and all suspensions by operators: they replace the former ones. */
  | { readonly kind: 'decide'; readonly decisions: readonly Decision[] }
  /** The health of a bookmaker's source has changed. */
  | { readonly kind: 'health'; readonly health: BookmakerHealth }

/** Called when the turn of an input was published. @param refusal why it was not applied, or not completely */
export type Settled = (refusal: Refusal | undefined) => void

/** Adds an input to the current turn. */
export type AddInput = (input: Input, settled?: Settled) => void
