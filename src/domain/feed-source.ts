// A source: what a connector feeds us from, and when it can no longer be believed.

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
  /** Age of an observation when it comes past which the source is late, ms; Infinity: it is not judged by that. */
  readonly behindMsMax: number
}

/** Number of the source of what nobody configured: SENDs of feed keys, recordings, the simulator. */
export const NO_SOURCE = 0

/**
 * Number of the producer of the same. Producers are the parts of a source that live and die on their own: a polled URL, a
 * product, a subscription. What a source says as a whole is said by the producer that has the source's own number.
 */
export const NO_PRODUCER = 0
