// Kambi's event lists (`listView/….json`), read only for the events to poll, and the choice of those events.

import { isRecord } from '../../domain/record.ts'
import { parseDateTime } from '../../domain/time.ts'

/** An event that a list names. */
export interface ListedEvent {
  /** Digits. */
  readonly id: string
  /** Epoch ms. */
  readonly kickoffAt: number
}

export interface EventList {
  /** Events that are not over. */
  readonly events: readonly ListedEvent[]
  /** Places of unreadable entries, with reasons. */
  readonly malformed: readonly (readonly [place: string, reason: string])[]
}

const ID = /^\d{1,18}$/

/** Reads `{"events":[{"event":{"id","start","state"}}]}`, with or without the inner `event`; else a fault. */
export const readEventList = (text: string): EventList | { readonly fault: string } => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: 'is not JSON' }
  }
  if (!isRecord(value) || !Array.isArray(value.events)) return { fault: 'is not a list: it must have events' }
  const events: ListedEvent[] = []
  const malformed: (readonly [string, string])[] = []
  for (const [index, entry] of (value.events as unknown[]).entries()) {
    const event = isRecord(entry) && isRecord(entry.event) ? entry.event : entry
    const id = isRecord(event) ? String(event.id) : ''
    const start = isRecord(event) && typeof event.start === 'string' ? parseDateTime(event.start) : undefined
    if (!isRecord(event) || !ID.test(id)) malformed.push([`events[${index}].id`, 'must be a number'])
    else if (start === undefined) malformed.push([`events[${index}].start`, 'must be an RFC 3339 date-time'])
    else if (event.state !== 'FINISHED') events.push({ id, kickoffAt: start.epochMs })
  }
  return { events, malformed }
}

export interface EventWindow {
  /** How far ahead a kickoff may be, ms. */
  readonly horizonMs: number
  /** How long after its kickoff an event is still polled, ms. */
  readonly afterKickoffMs: number
  readonly eventsMax: number
}

/** The events to poll: those within the window, the earliest first, at most so many. */
export const chooseEvents = (events: Iterable<ListedEvent>, window: EventWindow, nowAt: number): ListedEvent[] =>
  [...events]
    .filter(({ kickoffAt }) => kickoffAt <= nowAt + window.horizonMs && kickoffAt >= nowAt - window.afterKickoffMs)
    .sort((one, other) => one.kickoffAt - other.kickoffAt || (one.id < other.id ? -1 : 1))
    .slice(0, window.eventsMax)
