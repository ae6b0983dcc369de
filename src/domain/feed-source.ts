// A source: what a connector reads from, and how its silence is judged.

/** How a source is judged by its own cadence. */
export interface SourceTerms {
  /** Name in the configuration: lower-case letters, digits, `_`, `-`. */
  readonly name: string
  /** Silence after which it is late, ms. Any sign of life ends a silence: a heartbeat, a poll that found nothing new. */
  readonly lateMs: number
  /** Silence after which it is down, ms. */
  readonly downMs: number
  /**
   * How long after it went down its open quotes are suspended, ms; null: never, they age out (a source without status
   * semantics, docs/architecture.md 3.3).
   */
  readonly suspendMs: number | null
  /** Age on arrival from which an observation makes the source late, ms; Infinity: it is not judged by that. */
  readonly behindMsMax: number
}

/**
 * The source number of everything that is not from a configured source: SENDs of feed keys, recordings, the simulator.
 */
export const NO_SOURCE = 0

/**
 * The producer number of the same. Producers are the parts of a source that start, fail and end independently: a polled
 * URL, a product, a subscription. A source as a whole is a producer, too, with the source's own number.
 */
export const NO_PRODUCER = 0
