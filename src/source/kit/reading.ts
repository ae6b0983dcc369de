// From the body of an answer to the board: a normaliser with the facts of the current body.

import type { FedTransport } from '../../domain/transport.ts'
import { type ClosingNormaliser, isFormatFault, NOTHING_KNOWN, type Normaliser } from './normaliser.ts'
import type { NormaliserLimits, NormaliserOptions } from './normaliser.ts'
import type { ConnectorContext, Producer, SuspectCause } from './connector.ts'

/** What the configuration gives normalisers of polled sources. */
export interface ReadingOptions {
  /** Slug; null: as in the payload, else the format's own. */
  readonly bookmaker: string | null
  /** The product channels that the source feeds; null: as the format says. */
  readonly transport: FedTransport | null
  readonly payload: NormaliserLimits
}

/**
 * One normaliser. Reads bodies one after the other: the observations of a body are consumed before the next is read.
 */
export class Reading<N extends Normaliser = Normaliser> {
  private readonly normaliser: N
  private receivedAt: number | null = null
  private isComplete = false
  private queue: Promise<unknown> = Promise.resolve()

  /** @param clean removes secrets from a text */
  constructor(
    make: (options: NormaliserOptions) => N,
    options: ReadingOptions,
    context: ConnectorContext,
    clean: (text: string) => string,
  ) {
    this.normaliser = make({
      account: context.account,
      facts: {
        ...NOTHING_KNOWN,
        bookmaker: options.bookmaker,
        receivedAt: () => this.receivedAt,
        isComplete: () => this.isComplete,
      },
      transport: options.transport,
      limits: options.payload,
      onMalformed: (place, reason) => context.onMalformed(place, clean(reason)),
    })
  }

  /**
   * Reads a body and passes its observations to the engine. Resolves when that is done: to whether nothing of it was
   * refused; to words to follow the name of the source when the body cannot be read.
   * @param isComplete whether what the body does not name of its events is gone
   * @param onReadable called when it is known that the body can be read
   * @param doubtOf why its prices may be old all the same, asked when they are passed on
   */
  read(
    producer: Producer,
    text: string,
    receivedAt: number,
    isComplete: boolean,
    onReadable: () => void = () => {},
    doubtOf: () => SuspectCause | undefined = () => undefined,
  ): Promise<string | boolean> {
    return this.queued(async () => {
      this.receivedAt = receivedAt
      this.isComplete = isComplete
      const observations = this.normaliser.read(text, 1)
      if (isFormatFault(observations)) return observations.fault
      onReadable()
      return producer.observe(observations, doubtOf())
    })
  }

  /**
   * Confirms what a producer last said, at a time, epoch ms, except what has closed by its own time.
   * @param doubtOf why it may be old all the same: then it is not confirmed
   */
  confirm(
    this: Reading<ClosingNormaliser>,
    producer: Producer,
    at: number,
    doubtOf: () => SuspectCause | undefined = () => undefined,
  ): Promise<void> {
    return this.queued(async () => {
      await producer.observe(this.normaliser.closeDue(at), doubtOf())
      if (doubtOf() === undefined) await producer.confirm(at)
    })
  }

  private queued<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work)
    // A call that throws must not block those after it.
    this.queue = done.catch(() => {})
    return done
  }
}
