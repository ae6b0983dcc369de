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

/** The number of no configured source: of SENDs of feed keys, recordings, the simulator. */
export const NO_SOURCE = 0

/**
 * A producer is a part of a source that starts, fails and ends independently: a polled URL, a product, a subscription. Its
 * name is the name of the source, a space, and a text that no other producer of the source has, or has had. This is the
 * name of what no source has produced: SENDs of feed keys, recordings, the simulator.
 */
export const NO_PRODUCER = ''

/**
 * The run of its source that a producer belongs to, see {@link producerName}; empty: none. Of the last word of a name all
 * up to the first dot.
 */
export const runOfProducer = (producer: string): string => {
  const start = producer.lastIndexOf(' ') + 1
  const end = producer.indexOf('.', start)
  return start === 0 || end === -1 ? '' : producer.slice(start, end)
}

/** @param run number of the run of the source, which no other one has @param count of the producers of this process */
export const producerName = (source: string, part: string, run: number, count: number): string =>
  `${source} ${part} ${runText(run)}.${count}`

export const runText = (run: number): string => run.toString(36)

/** The source of a producer, by name; empty: none. */
export const sourceOfProducer = (producer: string): string => {
  const end = producer.indexOf(' ')
  return end === -1 ? producer : producer.slice(0, end)
}
