// From the body of an answer to the board: a normaliser, what it is to know of the body at hand, and what stands from it.

import type { Observation } from '../../domain/observation.ts'
import type { FedTransport } from '../../domain/transport.ts'
import { isFormatFault, NOTHING_KNOWN, type Normaliser } from '../../normalise/normaliser.ts'
import type { NormaliserLimits, NormaliserOptions } from '../../normalise/normaliser.ts'
import type { ConnectorContext } from '../connector.ts'

/** What normalisers of polled sources are told by the configuration. */
export interface ReadingOptions {
  /** Slug; null: as the payload says, else the format's own. */
  readonly bookmaker: string | null
  /** The product channels that the source feeds; null: as the format says. */
  readonly transport: FedTransport | null
  readonly payload: NormaliserLimits
}

type Left = Pick<Observation, 'bookmaker' | 'transport' | 'event'>

/** Events that are remembered in order to be let go; the oldest are forgotten first. */
const EVENTS_MAX = 20_000

/** One normaliser. Bodies are read one after the other, whoever brings them: what it gives out must be taken before. */
export class Reading<N extends Normaliser = Normaliser> {
  readonly normaliser: N
  private readonly context: ConnectorContext
  private readonly events = new Map<string, Left>()
  private receivedAt: number | null = null
  private isComplete = false
  private turn: Promise<unknown> = Promise.resolve()

  /** @param clean takes out of a text what must not be told */
  constructor(
    make: (options: NormaliserOptions) => N,
    options: ReadingOptions,
    context: ConnectorContext,
    clean: (text: string) => string,
  ) {
    this.context = context
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
   * Reads a body and hands what is in it to the engine. Resolves when that is done; to words to follow the name of the
   * source when the body cannot be read.
   * @param isComplete whether what the body does not name of its events is gone
   */
  take(text: string, receivedAt: number, isComplete: boolean): Promise<string | undefined> {
    return this.inTurn(async () => {
      this.receivedAt = receivedAt
      this.isComplete = isComplete
      const observations = this.normaliser.take(text, 1)
      if (isFormatFault(observations)) return observations.fault
      await this.context.take(this.watched(observations))
      return undefined
    })
  }

  /** Hands to the engine what the normaliser says that stands at a time, epoch ms. */
  restate(normaliser: { restate(at: number): Iterable<Observation> }, at: number): Promise<void> {
    return this.inTurn(() => this.context.take(this.watched(normaliser.restate(at))))
  }

  /** Says of all events that were read that nothing stands any more: not known any longer, or over. */
  leave(others: 'suspended' | 'closed', at: number): Promise<void> {
    return this.inTurn(() =>
      this.context.take(
        Array.from(this.events.values(), (left): Observation => ({ ...left, observedAt: at, prices: [], others })),
      ),
    )
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work)
    this.turn = done
    return done
  }

  private *watched(observations: Iterable<Observation>): Generator<Observation> {
    for (const observation of observations) {
      const { bookmaker, transport, event } = observation
      const key = `${bookmaker} ${transport} ${event.sourceKey}`
      this.events.delete(key) // so that it becomes the youngest
      this.events.set(key, { bookmaker, transport, event })
      if (this.events.size > EVENTS_MAX) this.events.delete(this.events.keys().next().value!)
      yield observation
    }
  }
}
