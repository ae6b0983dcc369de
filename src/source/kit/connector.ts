// The interfaces between a connector and the supervisor that runs it.

import type { Observation } from '../../domain/observation.ts'
import type { Account } from './account.ts'

/** Why quotes of a producer are not shown as open. */
export type SuspectCause = 'gap' | 'source_down'

/**
 * A part of a source that starts, fails and ends independently: a polled URL, a product of a feed, a subscription. The
 * board stores for every quote the producer that last stated it. All calls take effect in their order.
 */
export interface Producer {
  /**
   * Passes observations to the engine. Resolves when all of them are on the board or refused: true if none was refused.
   * It takes longer when the source exceeds its budget; the connector must not read on until it resolves.
   * @param cause they may be old: they are recorded, and shown as suspended until the producer confirms or restates
   * them
   */
  observe(observations: Iterable<Observation>, cause?: SuspectCause): Promise<boolean>
  /** It may have missed something: its quotes are shown as suspended until it confirms or restates them. */
  suspect(cause: SuspectCause): void
  /** What it last said still holds, as of a time of the source, epoch ms. */
  confirm(at: number): Promise<void>
  /** It no longer offers what it last said, as of a time of the source, epoch ms. */
  end(at: number): Promise<void>
  /** It sends no more: its quotes are suspect, by `source_down` unless said, until another producer states them. */
  leave(cause?: SuspectCause): Promise<void>
}

/** What a connector gets. */
export interface ConnectorContext {
  /** Name of the source in the configuration. */
  readonly name: string
  /** Where the outcomes of the source ended. */
  readonly account: Account
  /** Epoch ms. */
  readonly now: () => number
  /** A random number from 0 to 1, for jitter. */
  readonly chance: () => number
  /** Opens a producer. Producers that are open at the same time have different names. */
  readonly producer: (name: string) => Producer
  /** A sign of life without prices: a heart-beat, an answer that nothing has changed. */
  readonly alive: () => void
  /** A time that the source has just given, and that may be ahead of `now`: epoch ms, NaN for none. */
  readonly ahead?: (at: number) => void
  /** Logs a message. A `warn` stays in the source's status until the next sign of life. */
  readonly log: (level: 'info' | 'warn', message: string) => void
  /** A part of a payload could not be read; the account has counted it already. */
  readonly onMalformed: (place: string, reason: string) => void
}

/** A running connection to a source. Starts when it is constructed; reconnects by itself until it is stopped. */
export interface Connector {
  /** Resolves when it has nothing open or pending. Never rejects. */
  stop(): Promise<void>
  /**
   * Fetches what the source offers now and passes it on: an end-to-end verification needs fresh prices. Resolves when
   * they are on the board; to a sentence when they are not available.
   */
  refresh(): Promise<string | undefined>
  /**
   * The source's producers were suspected because it is down. A connector that observes later what it has read before
   * does so with a doubt, until the source states or confirms it.
   */
  suspended?(): void
  /**
   * A sign of life came after the source's producers were suspected, because it was down or its clock was wrong. A
   * connector confirms the producers that certainly missed nothing, and soon asks the source about the others. A
   * connector that can do neither omits this: its quotes stay suspended until the source states them.
   */
  resume?(): void
  /**
   * Whether it has delivered, once since it started, all that the source has at first, even if that is nothing. Until
   * then a missing price does not mean that it is not offered. Omitted: true after the first observation.
   */
  hasDelivered?(): boolean
  /** What is wrong with a part of it while the rest works; null: nothing. */
  trouble?(): string | null
  /** More fields for the status, beyond what the supervisor counts: `{"credits":412,"markets":37}`. */
  facts(): Readonly<Record<string, string | number | boolean | null>>
}
