// What a flow carries: which events, whose quotes, which notices. The same answers for messages as they happen, for
// replays and for snapshots.

import type { EventNotice } from '../board/changes.ts'
import { type Audience, bookmakersOf, hasBookmaker } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import { SPORTS } from '../domain/sport.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Flow, FlowFilter } from './flow.ts'

/**
 * Whether a filter takes an event, whoever quotes it. The id of an event that was merged stands for what it became, as on
 * REST.
 * @param view what is known of the event beside it
 */
export const takesEvent = (
  filter: FlowFilter,
  event: Event,
  view: Pick<EventView, 'sportNumber' | 'formerIds'>,
): boolean =>
  (filter.sportNumber === null || filter.sportNumber === view.sportNumber) &&
  (filter.eventId === null || filter.eventId === event.id || view.formerIds.includes(filter.eventId)) &&
  (filter.leagues === null || filter.leagues.has(event.leagueKey))

/** Whether a flow carries a bookmaker's quotes of a sport. */
export const seesBookmaker = ({ filter, audience }: Flow, sportNumber: number, bookmaker: number): boolean =>
  (filter.bookmaker === null || filter.bookmaker === bookmaker) &&
  hasBookmaker(bookmakersOf(audience, TRANSPORT_NUMBER.live, sportNumber), bookmaker)

/** Whether a flow carries to another audience what it carries now. */
export const seesSame = ({ filter, audience }: Flow, other: Audience): boolean =>
  SPORTS.every((_, number) => {
    if (filter.sportNumber !== null && number !== filter.sportNumber) return true
    const before = bookmakersOf(audience, TRANSPORT_NUMBER.live, number)
    const after = bookmakersOf(other, TRANSPORT_NUMBER.live, number)
    if (filter.bookmaker === null) return before.join() === after.join()
    return hasBookmaker(before, filter.bookmaker) === hasBookmaker(after, filter.bookmaker)
  })

/** Whether an audience sees a bookmaker live in any sport: then it may know how its source is. */
export const seesFeed = ({ filter, audience }: Flow, bookmaker: number): boolean =>
  (filter.bookmaker === null || filter.bookmaker === bookmaker) && hasFeed(audience, bookmaker)

const hasFeed = (audience: Audience, bookmaker: number): boolean =>
  SPORTS.some((_, sportNumber) => hasBookmaker(bookmakersOf(audience, TRANSPORT_NUMBER.live, sportNumber), bookmaker))

export const EVENT_CHANGES = ['appeared', 'changed', 'gone'] as const

export type EventChange = (typeof EVENT_CHANGES)[number]

/** What a notice is to the audience of a flow: an event is there while one of its bookmakers quotes it live. */
export const eventChange = (flow: Flow, notice: EventNotice): EventChange | undefined => {
  const { event, sportNumber, before, after, was: eventBefore, formerId } = notice
  if (!takesEvent(flow.filter, event, notice)) return undefined
  if (formerId !== undefined && formerId.id !== flow.filter.eventId) return undefined
  const set = bookmakersOf(flow.audience, TRANSPORT_NUMBER.live, sportNumber)
  const was = before.some((bookmaker) => hasBookmaker(set, bookmaker))
  const is = after.some((bookmaker) => hasBookmaker(set, bookmaker))
  // To who names a former id, the event begins, or ends, with the id.
  if (formerId !== undefined) return !is ? undefined : formerId.isLeading ? 'appeared' : 'gone'
  if (is && !was) return 'appeared'
  if (was && !is) return 'gone'
  return is && eventBefore !== undefined ? 'changed' : undefined
}

/**
 * Whether a filter by league takes an event that it did not take before, or the other way round: a source has moved the
 * event to another league, and no message about a quote can tell that.
 */
export const movesBetween = ({ leagues }: FlowFilter, notice: EventNotice): boolean =>
  leagues !== null &&
  notice.was !== undefined &&
  leagues.has(notice.was.leagueKey) !== leagues.has(notice.event.leagueKey)
