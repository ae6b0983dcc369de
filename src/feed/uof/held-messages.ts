// Messages of events whose fixture is still to come, in their order. Bounded by what they hold, not by their number.

import type { UofMessage } from '../../normalise/uof-message.ts'

/** A message and what else has to be kept of it. */
const sizeOf = ({ markets }: UofMessage): number => markets.reduce((sum, { outcomes }) => sum + 1 + outcomes.length, 1)

export class HeldMessages {
  private readonly events = new Map<string, UofMessage[]>()
  private readonly sizeMax: number
  private size = 0

  /** @param sizeMax messages, markets and outcomes together */
  constructor(sizeMax: number) {
    this.sizeMax = sizeMax
  }

  /** Messages held. */
  get count(): number {
    let count = 0
    for (const messages of this.events.values()) count += messages.length
    return count
  }

  has(eventId: string): boolean {
    return this.events.has(eventId)
  }

  /** @returns whether there was room for it */
  hold(message: UofMessage): boolean {
    const size = sizeOf(message)
    if (this.size + size > this.sizeMax) return false
    this.size += size
    const messages = this.events.get(message.eventId)
    if (messages === undefined) this.events.set(message.eventId, [message])
    else messages.push(message)
    return true
  }

  /** Takes out what is held of an event. */
  release(eventId: string): readonly UofMessage[] {
    const messages = this.events.get(eventId) ?? []
    this.events.delete(eventId)
    for (const message of messages) this.size -= sizeOf(message)
    return messages
  }
}
