// Messages of events that wait for their fixture, in order. Bounded by their content, not by their number.

import type { Producer } from '../kit/connector.ts'
import type { UofMessage } from './uof-message.ts'

export interface HeldMessage {
  readonly message: UofMessage
  /** The producer of the message when it arrived. */
  readonly producer: Producer
  /** Its product was suspected after it, and has not confirmed it since. */
  isSuspect: boolean
}

/** A message with its markets and outcomes. */
const sizeOf = ({ markets }: UofMessage): number => markets.reduce((sum, { outcomes }) => sum + 1 + outcomes.length, 1)

export class HeldMessages {
  private readonly events = new Map<string, HeldMessage[]>()
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

  /** @returns whether it fits */
  hold(message: UofMessage, producer: Producer): boolean {
    const size = sizeOf(message)
    if (this.size + size > this.sizeMax) return false
    this.size += size
    const messages = this.events.get(message.eventId)
    const held = { message, producer, isSuspect: false }
    if (messages === undefined) this.events.set(message.eventId, [held])
    else messages.push(held)
    return true
  }

  /** Marks the messages of a product as suspect, or as confirmed. */
  mark(product: number, isSuspect: boolean): void {
    for (const messages of this.events.values()) {
      for (const held of messages) if (held.message.product === product) held.isSuspect = isSuspect
    }
  }

  /** Removes and returns the messages of an event. */
  release(eventId: string): readonly HeldMessage[] {
    const messages = this.events.get(eventId) ?? []
    this.events.delete(eventId)
    for (const { message } of messages) this.size -= sizeOf(message)
    return messages
  }
}
