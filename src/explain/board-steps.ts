// The rules about coverage, the event, and the source behind a bookmaker.

import type { Access } from '../access/access.ts'
import type { EventRecord } from '../board/event-record.ts'
import type { QuoteStates } from '../board/quote-states.ts'
import { type Audience, bookmakersOf, hasBookmaker } from '../domain/audience.ts'
import { coverageOf, isEligible } from '../domain/coverage.ts'
import type { Event, EventView } from '../domain/event.ts'
import { sourceOfProducer } from '../domain/feed-source.ts'
import type { FeedState } from '../domain/feed-health.ts'
import type { Sport } from '../domain/sport.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import { didYouMean } from '../feed/nearest.ts'
import type { ReplayRing } from '../stomp/replay-ring.ts'
import type { Question } from './question.ts'
import { ended, type Finding, hidesBy, passes, spanText, timeText } from './step.ts'

/** What is known of a running source. */
export interface SourceNow {
  readonly state: FeedState | 'standby'
  /** The process that runs one on standby; null or left out: it is not known. */
  readonly holder?: string | null
  /** Epoch ms, all. */
  readonly since: number
  readonly heardAt: number | null
  readonly suspendedAt: number | null
  /** Its last problem, for operators. */
  readonly problem: string | null
}

export interface BoardParts {
  readonly engine: Engine
  readonly states: QuoteStates
  readonly registry: Access['registry']
  /** Announced removals of a bookmaker's coverage. */
  readonly removalsOf: Access['removalsOf']
  /** Undefined: no source of that name runs. */
  readonly sourceOf: (name: string) => SourceNow | undefined
  /** The last changes of the log; left out: it is not known which events have ended. */
  readonly ring?: Pick<ReplayRing, 'groupsStart' | 'groupsEnd' | 'noticeOf' | 'recordedAtOf'>
  /** Changes of the log that are looked at for the end of an event. */
  readonly groupsMax: number
}

/** Who gets the answer: an operator, or a customer, who must not learn of what it cannot see. */
export type Reader = 'operator' | 'customer'

/** Slugs that a mistyped one is compared with, and letters that they may have more or less: a millisecond as a rule. */
const COMPARED_MAX = 500
const TYPED_MAX = 4

const dateText = (at: number): string => timeText(at).slice(0, 10)

/** @param sport of the event; undefined: it is unknown. @param audience of the caller; undefined: there is none */
export const coverageStep = (
  { registry, removalsOf }: BoardParts,
  { bookmaker: slug, transport }: Question,
  sport: Sport | undefined,
  audience: Audience | undefined,
  reader: Reader,
): Finding => {
  const bookmaker = registry.bookmakerOf(slug)
  if (bookmaker === undefined) {
    const seen = registry.bookmakers.filter(
      ({ slug: each }) => reader === 'operator' || isSeen(audience, registry, each),
    )
    const near = seen.map(({ slug: each }) => each).filter((each) => Math.abs(each.length - slug.length) <= TYPED_MAX)
    const hint = didYouMean(slug, near.slice(0, COMPARED_MAX))
    return hidesBy(
      'coverage',
      reader === 'operator'
        ? `${ended(`No bookmaker ${slug} is registered${hint}`)} Nothing is shown before its coverage is imported (oddswire coverage import).`
        : `${ended(`No bookmaker ${slug} is covered${hint}`)} GET /bookmakers lists those that you can see.`,
    )
  }
  if (sport === undefined) {
    return passes(
      'coverage',
      `${slug} is registered; for which sports is only known with an event that is on the board.`,
    )
  }
  const coverage = coverageOf(bookmaker, sport)
  if (!isEligible(coverage, transport)) {
    if (reader !== 'operator') {
      return hidesBy(
        'coverage',
        `Coverage does not show ${slug} in ${sport} on transport ${transport}. GET /bookmakers lists those that you can see.`,
      )
    }
    const advice = ' Verify it, then oddswire coverage set.'
    if (coverage === undefined) return hidesBy('coverage', `${slug} has no coverage of ${sport}.${advice}`)
    const available = transport === 'rest' ? coverage.restAvailable : coverage.liveAvailable
    const of = coverage.sport === '*' ? `${sport} (by *)` : sport
    return hidesBy(
      'coverage',
      `Coverage of ${slug} in ${of} is ${coverage.status}, ${transport} ${available ? 'available' : 'not available'}: that is not shown on transport ${transport}.${advice}`,
    )
  }
  const removal = removalsOf(slug).find(({ losses }) =>
    losses.some(({ sports, transports }) => sports.includes(sport) && transports.includes(transport)),
  )
  const end =
    removal === undefined ? '' : ` Its removal is announced: from ${dateText(removal.effectiveAt)} on it is not shown.`
  const verified = coverage!.lastVerifiedAt === null ? 'never verified' : `last verified ${coverage!.lastVerifiedAt}`
  return passes('coverage', `${slug} in ${sport} is ${coverage!.status}, ${verified}.${end}`)
}

/** Whether an audience sees a bookmaker anywhere. */
const isSeen = (audience: Audience | undefined, registry: Access['registry'], slug: string): boolean => {
  const number = registry.numberOf(slug)
  return number !== undefined && audience !== undefined && audience.sets.some((set) => hasBookmaker(set, number))
}

/** What an event is called: `Harbour Town v Millbrook`; a competition has one side. */
export const eventName = ({ homeTeam, awayTeam }: Event): string =>
  awayTeam === '' ? homeTeam : `${homeTeam} v ${awayTeam}`

/** When and how an event with this id has left the log's last changes; undefined: it is not among them. */
const endOf = (
  { ring, groupsMax }: BoardParts,
  id: string,
): { readonly at: number; readonly event: Event } | undefined => {
  if (ring === undefined) return undefined
  const least = Math.max(ring.groupsStart, ring.groupsEnd - groupsMax)
  for (let group = ring.groupsEnd - 1; group >= least; group--) {
    const notice = ring.noticeOf(group)
    if (notice === undefined || !('event' in notice)) continue
    if (notice.event.id === id && notice.after.length === 0)
      return { at: ring.recordedAtOf(group), event: notice.event }
  }
  return undefined
}

/**
 * @param view undefined: there is no such event
 * @param isShown whether some bookmaker that the caller sees has quoted it within 24 hours
 */
export const eventStep = (
  parts: BoardParts,
  { event: id, bookmaker, transport }: Question,
  view: EventView | undefined,
  isShown: boolean,
  nowAt: number,
  reader: Reader,
): Finding => {
  if (view === undefined || (reader === 'customer' && !isShown)) {
    const end = reader === 'operator' ? endOf(parts, id) : undefined
    return hidesBy(
      'event',
      end === undefined
        ? `There is no event ${id} now (404 not_found): either the id is wrong, or no bookmaker has quoted it for 24 hours. GET /events lists the ids.`
        : `Event ${id} (${eventName(end.event)}) has ended: its last live quote left the board at ${timeText(end.at)}, ${spanText(nowAt - end.at)} ago.`,
    )
  }
  const { event } = view
  const kickoff =
    event.kickoffAt > nowAt ? `in ${spanText(event.kickoffAt - nowAt)}` : `${spanText(nowAt - event.kickoffAt)} ago`
  const what = `${eventName(event)}, ${event.sport}, ${event.leagueName}, kickoff ${timeText(event.kickoffAt)} (${kickoff})`
  const merged = event.id === id ? '' : ` It was merged: its id is ${event.id} now, and ${id} leads there.`
  return passes(
    'event',
    `${what}.${merged}${reader === 'operator' ? separateText(parts, view, bookmaker, transport) : ''}`,
  )
}

const EVENTS_SHOWN = 3

/** Other events that may be the same, and whether the bookmaker quotes them. */
const separateText = (
  { engine, states }: BoardParts,
  view: EventView,
  slug: string,
  transport: Question['transport'],
): string => {
  const { decided, alike } = engine.sightings.separateFrom(view as EventRecord)
  const bookmaker = engine.reader.bookmakerNumber(slug)
  const textOf = (event: Event): string => {
    const other = engine.reader.eventOf(event.id)
    const quotes = other === undefined ? 0 : states.count(other, bookmaker, TRANSPORT_NUMBER[transport])
    const has = quotes === 0 ? '' : `, where ${slug} has ${quotes} ${quotes === 1 ? 'quote' : 'quotes'}`
    return `${event.id} (${eventName(event)}${has})`
  }
  const listed = (events: readonly Event[]): string => events.slice(0, EVENTS_SHOWN).map(textOf).join(', ')
  return [
    decided.length === 0
      ? ''
      : ` A decision keeps it separate from ${listed(decided)}; oddswire event decisions lists it.`,
    alike.length === 0 ? '' : ` It looks like ${listed(alike)} and was kept separate; see oddswire event conflicts.`,
  ].join('')
}

/** The source of the quotes: it hides nothing by itself. @param producers names; null: sent, or from a recording */
export const sourceStep = (
  { engine, sourceOf }: BoardParts,
  { bookmaker }: Question,
  producers: readonly (string | null)[],
  nowAt: number,
  reader: Reader,
): Finding => {
  const number = engine.reader.bookmakerNumber(bookmaker)
  const health = number === 0 ? undefined : engine.reader.healthOf(number)
  const ofBookmaker =
    health === undefined
      ? `Nothing is known of the source of ${bookmaker}.`
      : `The source of ${bookmaker} is ${health.state} since ${timeText(health.since)}; its last observation was ${spanText(health.behindMs)} old on arrival.`
  if (reader === 'customer') return passes('source', ofBookmaker)
  const names = new Set(producers.map((producer) => (producer === null ? null : sourceOfProducer(producer))))
  const texts = [...names].slice(0, EVENTS_SHOWN).map((name) => {
    if (name === null) return ' Its quotes were sent by a feed key, or are from a recording: no silence suspends them.'
    const source = sourceOf(name)
    if (source === undefined)
      return ` Source ${name} does not run: it is not configured, or is off (oddswire feed status).`
    if (source.state === 'standby') {
      const holder = source.holder ?? null
      return holder === null
        ? ` Source ${name} runs in no process just now.`
        : ` Source ${name} runs in process ${holder}: ask there how it is.`
    }
    const heard = source.heardAt === null ? 'was never heard' : `was heard ${spanText(nowAt - source.heardAt)} ago`
    const problem = source.problem === null ? '' : `, problem: ${source.problem}`
    return ` Source ${name} is ${source.state} and ${heard}${problem}.`
  })
  return passes('source', ofBookmaker + texts.join(''))
}

/** Whether the caller sees a bookmaker in the sport of an event: what REST and the live channel ask. */
export const seesBookmaker = (
  { engine }: Pick<BoardParts, 'engine'>,
  audience: Audience,
  { bookmaker, transport }: Question,
  view: EventView,
): boolean => {
  const number = engine.reader.bookmakerNumber(bookmaker)
  return number !== 0 && hasBookmaker(bookmakersOf(audience, TRANSPORT_NUMBER[transport], view.sportNumber), number)
}
