// What a flow carries: which events, bookmakers and notices. Turns, replays and snapshots use the same functions.

import type { EventNotice } from '../board/changes.ts'
import { type Audience, bookmakersOf, hasBookmaker, setsOfText } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import { SPORTS } from '../domain/sport.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Flow, FlowFilter } from './flow.ts'

/**
 * Whether a filter includes an event, whichever bookmaker quotes it. The id of an event that was merged leads to the
 * event that it became, as on REST.
 * @param view sport and former ids of the event
 */
export const includesEvent = (
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

/** As {@link seesSame}, for the text of an audience; a hash is compared as a whole. */
export const seesSameAs = (flow: Flow, text: string): boolean => {
  if (text === flow.audience.text) return true
  const sets = setsOfText(text)
  return sets !== undefined && seesSame(flow, { sets })
}

/** Whether a flow would carry the same for another audience. */
export const seesSame = ({ filter, audience }: Flow, other: Pick<Audience, 'sets'>): boolean =>
  SPORTS.every((_, number) => {
    if (filter.sportNumber !== null && number !== filter.sportNumber) return true
    const before = bookmakersOf(audience, TRANSPORT_NUMBER.live, number)
    const after = bookmakersOf(other, TRANSPORT_NUMBER.live, number)
    if (filter.bookmaker === null) return before.join() === after.join()
    return hasBookmaker(before, filter.bookmaker) === hasBookmaker(after, filter.bookmaker)
  })

/** Whether a flow's audience sees a bookmaker live in any sport: then it may see the health of its source. */
export const seesFeed = ({ filter, audience }: Flow, bookmaker: number): boolean =>
  (filter.bookmaker === null || filter.bookmaker === bookmaker) && hasFeed(audience, bookmaker)

const hasFeed = (audience: Audience, bookmaker: number): boolean =>
  SPORTS.some((_, sportNumber) => hasBookmaker(bookmakersOf(audience, TRANSPORT_NUMBER.live, sportNumber), bookmaker))

export const EVENT_CHANGES = ['appeared', 'changed', 'gone'] as const

export type EventChange = (typeof EVENT_CHANGES)[number]

/** What a notice means to the audience of a flow: an event exists while one of its bookmakers quotes it live. */
export const eventChange = (flow: Flow, notice: EventNotice): EventChange | undefined => {
  const { event, sportNumber, before, after, was: eventBefore, formerId } = notice
  if (!includesEvent(flow.filter, event, notice)) return undefined
  if (formerId !== undefined && formerId.id !== flow.filter.eventId) return undefined
  const set = bookmakersOf(flow.audience, TRANSPORT_NUMBER.live, sportNumber)
  const was = before.some((bookmaker) => hasBookmaker(set, bookmaker))
  const is = after.some((bookmaker) => hasBookmaker(set, bookmaker))
  // For a flow that names a former id, the event appears or is gone with the id.
  if (formerId !== undefined) return !is ? undefined : formerId.isLeading ? 'appeared' : 'gone'
  if (is && !was) return 'appeared'
  if (was && !is) return 'gone'
  return is && eventBefore !== undefined ? 'changed' : undefined
}

/**
 * Whether an event enters or leaves the leagues of a filter: a source has moved the event to another league, which
 * messages about quotes cannot say.
 */
export const movesBetween = ({ leagues }: FlowFilter, notice: EventNotice): boolean =>
  leagues !== null &&
  notice.was !== undefined &&
  leagues.has(notice.was.leagueKey) !== leagues.has(notice.event.leagueKey)
