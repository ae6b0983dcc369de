// What a connector is to the supervisor that runs it, and the other way round.

import type { Observation } from '../../domain/observation.ts'
import type { Account } from './account.ts'

/** Why what a producer said is not shown as open. */
export type ProducerDoubt = 'gap' | 'source_down'

/**
 * A part of a source that lives and dies on its own: a polled URL, a product of a feed, a subscription. The board remembers
 * for every quote which producer last spoke of it, so that nobody else has to. All calls take effect in their order.
 */
export interface Producer {
  /**
   * Hands observations to the engine. Resolves when all of them are on the board or refused; to whether none was refused.
   * Past the source's budget that takes time, and the connector must not read on meanwhile.
   * @param doubt they may be old: they are recorded, and shown suspended until the producer confirms them or speaks again
   */
  take(observations: Iterable<Observation>, doubt?: ProducerDoubt): Promise<boolean>
  /** It may have missed something: what it said is shown suspended until it confirms it or speaks of it. */
  suspect(doubt: ProducerDoubt): void
  /** What it last said still holds, as of a time of the source, epoch ms. */
  confirm(at: number): Promise<void>
  /** It no longer offers what it last said, as of a time of the source, epoch ms. */
  end(at: number): Promise<void>
  /** It speaks no more: what it said is suspected, and stays so until another producer speaks of it. */
  leave(): Promise<void>
}

/** What a connector is given. */
export interface ConnectorContext {
  /** Name of the source in the configuration. */
  readonly name: string
  /** What became of the outcomes that the source gave. */
  readonly account: Account
  /** Epoch ms. */
  readonly now: () => number
  /** A number from 0 to 1, each time another: for jitter. */
  readonly chance: () => number
  /** Opens a producer. Of two that speak at the same time each has a name of its own. */
  readonly producer: (name: string) => Producer
  /** The source is there, though it has nothing to say: a heartbeat, an answer that nothing is new. */
  readonly hear: () => void
  /** Something to log. `problem` stays in the source's status until the source is heard again. */
  readonly tell: (level: 'info' | 'warn', message: string) => void
  /** A part of a payload could not be read; the account has counted it already. */
  readonly onMalformed: (place: string, reason: string) => void
}

/** A running connection to a source. Begins with its construction; reconnects by itself until it is stopped. */
export interface Connector {
  /** Resolves when nothing of it is open or pending any more. Never rejects. */
  stop(): Promise<void>
  /**
   * Asks the source for what it offers now, and hands it over: an end-to-end verification needs prices just fetched.
   * Resolves when they are on the board; to a sentence when they could not be had.
   */
  refresh(): Promise<string | undefined>
  /**
   * The source is heard again after its producers were suspected, because it was down or its clock was wrong. A connector
   * confirms those of which it knows that nothing was missed, and asks the source about the others soon. One that can do
   * neither leaves this out: its quotes stay suspended until the source speaks of them.
   */
  resume?(): void
  /**
   * Whether it has handed over, once since it began, all that the source has to say at first, even if that is nothing: until
   * then a customer would be told that what is only missing yet is not offered. Left out: the first observation says so.
   */
  hasDelivered?(): boolean
  /** What is wrong with a part of it while the rest is heard, as long as it is; null: nothing. */
  trouble?(): string | null
  /** More for the status, beyond what the supervisor counts: `{"credits":412,"markets":37}`. */
  facts(): Readonly<Record<string, string | number | boolean | null>>
}
