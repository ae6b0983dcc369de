// What a connector is to the supervisor that runs it, and the other way round.

import type { Observation } from '../../domain/observation.ts'
import type { Account } from './account.ts'

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
  /**
   * Hands observations to the engine. Resolves when all of them are on the board (or refused, which is counted): past the
   * source's budget that takes time, and the connector must not read on meanwhile.
   */
  readonly take: (observations: Iterable<Observation>) => Promise<void>
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
   * Asks the source for what stands now, and hands it to `take`: an end-to-end verification needs prices just fetched.
   * Resolves when they are on the board; to a sentence when they could not be had.
   */
  refresh(): Promise<string | undefined>
  /**
   * Hands what stands, as the source last said it, to `take` once more, soon: the board has suspended it meanwhile, because
   * the source was down or its clock was wrong, and it is heard again. A connector that knows that what it remembers may
   * be old asks the source first. One that has no memory and cannot ask leaves this out: its quotes stay suspended until
   * the source speaks of them.
   */
  restate?(): void
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
