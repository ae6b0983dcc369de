// From the body of an answer to the board: a normaliser, what it is to know of the body at hand, and what stands from it.

import type { Observation } from '../../domain/observation.ts'
import type { FedTransport } from '../../domain/transport.ts'
import { isFormatFault, NOTHING_KNOWN, type Normaliser } from './normaliser.ts'
import type { NormaliserLimits, NormaliserOptions } from './normaliser.ts'
import type { ConnectorContext } from './connector.ts'

/** What normalisers of polled sources are told by the configuration. */
export interface ReadingOptions {
  /** Slug; null: as the payload says, else the format's own. */
  readonly bookmaker: string | null
  /** The product channels that the source feeds; null: as the format says. */
  readonly transport: FedTransport | null
  readonly payload: NormaliserLimits
}

/** An event as it was read last. */
interface Sighted {
  readonly sighting: Pick<Observation, 'bookmaker' | 'transport' | 'event'>
  /** Epoch ms. */
  readonly at: number
}

/** Events that are remembered in order to be let go; the oldest are forgotten first. */
const EVENTS_MAX = 20_000

/** One normaliser. Bodies are read one after the other, whoever brings them: what it gives out must be taken before. */
export class Reading<N extends Normaliser = Normaliser> {
  readonly normaliser: N
  private readonly context: ConnectorContext
  /** The one read longest ago comes first. */
  private readonly events = new Map<string, Sighted>()
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
      await this.context.take(this.watched(observations, receivedAt))
      return undefined
    })
  }

  /** Hands to the engine what the normaliser says that stands at a time, epoch ms. */
  restate(normaliser: { restate(at: number): Iterable<Observation> }, at: number): Promise<void> {
    return this.inTurn(() => this.context.take(this.watched(normaliser.restate(at), at)))
  }

  /** Says of all events that were read that nothing stands any more: not known any longer, or over. */
  leave(others: 'suspended' | 'closed', at: number): Promise<void> {
    return this.inTurn(() => this.letGo([...this.events.values()], others, at))
  }

  /** Says that nothing is known any longer of events that no body has named after a time, epoch ms. */
  leaveUnnamed(sinceAt: number, at: number): Promise<void> {
    return this.inTurn(async () => {
      const unnamed: Sighted[] = []
      for (const [key, event] of this.events) {
        if (event.at > sinceAt) break
        this.events.delete(key)
        unnamed.push(event)
      }
      if (unnamed.length > 0) await this.letGo(unnamed, 'suspended', at)
    })
  }

  private letGo(events: readonly Sighted[], others: 'suspended' | 'closed', at: number): Promise<void> {
    return this.context.take(
      events.map(({ sighting }): Observation => ({ ...sighting, observedAt: at, prices: [], others })),
    )
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work)
    // One that throws must not be the end of those after it.
    this.turn = done.catch(() => {})
    return done
  }

  private *watched(observations: Iterable<Observation>, at: number): Generator<Observation> {
    for (const observation of observations) {
      const { bookmaker, transport, event } = observation
      const key = `${bookmaker} ${transport} ${event.sourceKey}`
      this.events.delete(key) // so that it becomes the youngest
      this.events.set(key, { sighting: { bookmaker, transport, event }, at })
      if (this.events.size > EVENTS_MAX) this.events.delete(this.events.keys().next().value!)
      yield observation
    }
  }
}
