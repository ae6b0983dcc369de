// The events that a source has fed: one that has no memory of prices can at least take back what it may have missed the end
// of.

import type { Observation } from '../../domain/observation.ts'

/** Past it the event that was silent longest is taken back. */
const EVENTS_MAX = 50_000

const keyOf = ({ bookmaker, transport, event }: Observation): string => {
  const { sourceKey, sport, home, away, kickoffAt } = event
  return JSON.stringify([bookmaker, transport, ...(sourceKey === null ? [sport, home, away, kickoffAt] : [sourceKey])])
}

export class FedEvents {
  /** As they were last said, without prices; the event that was silent longest comes first. */
  private readonly byKey = new Map<string, Observation>()
  private readonly eventsMax: number

  constructor(eventsMax = EVENTS_MAX) {
    this.eventsMax = eventsMax
  }

  /**
   * Notes what has been fed.
   * @returns what is to be fed, too: there are too many events to be remembered
   */
  note(observation: Observation): Observation | undefined {
    const key = keyOf(observation)
    const known = this.byKey.get(key)
    // Not before the newest time that was said of it: what is older than the board's quotes does nothing to them. Nor after
    // it: what the source says next may be of any later time, and must not be too old then.
    const observedAt = Math.max(observation.observedAt, known?.observedAt ?? 0)
    this.byKey.delete(key)
    this.byKey.set(key, { ...observation, observedAt, prices: [], others: 'suspended' })
    if (this.byKey.size <= this.eventsMax) return undefined
    const [oldest] = this.byKey
    this.byKey.delete(oldest![0])
    return oldest![1]
  }

  /** Suspends all that was fed; what has been taken out is forgotten. */
  *takeBack(): Generator<Observation> {
    for (const [key, observation] of this.byKey) {
      this.byKey.delete(key)
      yield observation
    }
  }
}
