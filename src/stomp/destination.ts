// Destinations (docs/live-protocol.md 2): the topics, and the parsing of destinations.

import { isBookmakerSlug } from '../domain/coverage.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import { isSport, type Sport } from '../domain/sport.ts'

type Segment = 'sport' | 'bookmaker' | 'eventId'

/** The topics and their segments after the name; the AsyncAPI document shows them from here. */
export const TOPICS = {
  status: ['sport', 'bookmaker', 'eventId'],
  odds: ['sport', 'bookmaker', 'eventId'],
  events: ['sport', 'eventId'],
  feeds: ['bookmaker'],
  lag: [],
  refusals: [],
} as const satisfies Record<string, readonly Segment[]>

export type Topic = keyof typeof TOPICS

/** What a SUBSCRIBE asks for; null: all. */
export interface Pattern {
  readonly topic: Topic
  readonly sport: Sport | null
  readonly bookmaker: string | null
  readonly eventId: string | null
}

export const TOPIC_PREFIX = '/topic/'
const FEED_PREFIX = '/feed/'
const ONE = '*'
const REST = '#'

const shapeOf = (topic: Topic): string =>
  `${TOPIC_PREFIX}${[topic, ...TOPICS[topic].map((name) => `{${name}}`)].join('.')}`

const UNKNOWN = refuse(
  'not_found',
  `No such destination; there are ${(Object.keys(TOPICS) as Topic[]).map(shapeOf).join(', ')}. A segment may be *, the last one # for all the rest.`,
  'destination',
)

// Slugs may contain dots, so a bookmaker may span several pieces; sport and event never do.
const split = (
  pieces: readonly string[],
  names: readonly Segment[],
  hasRest: boolean,
): (string | undefined)[] | undefined => {
  const extra = pieces.length - names.length
  const place = names.indexOf('bookmaker')
  if (place === -1 || pieces.length <= place) return extra <= 0 ? [...pieces] : undefined
  // Before a #, the last piece is an event only if it looks like one.
  const endsInEvent = !hasRest || /^(\d+|\*)$/.test(pieces.at(-1)!)
  const after = pieces.length > place + 1 && endsInEvent ? names.length - place - 1 : 0
  const bookmaker = pieces.slice(place, pieces.length - after)
  return [...pieces.slice(0, place), bookmaker.join('.'), ...pieces.slice(pieces.length - after)]
}

/** The topics that a SUBSCRIBE's destination names, or a refusal `not_found`. Rights are not checked here. */
export const parseTopics = (destination: string): Pattern | Refusal => {
  if (!destination.startsWith(TOPIC_PREFIX)) return UNKNOWN
  const [topic, ...pieces] = destination.slice(TOPIC_PREFIX.length).split('.')
  if (topic === undefined || !Object.hasOwn(TOPICS, topic)) return UNKNOWN
  const names: readonly Segment[] = TOPICS[topic as Topic]
  const hasRest = pieces.at(-1) === REST
  if (hasRest) pieces.pop()
  if (pieces.includes(REST) || (!hasRest && pieces.length < names.length)) return UNKNOWN
  const texts = split(pieces, names, hasRest)
  if (texts === undefined) return UNKNOWN
  const found: Record<Segment, string | null> = { sport: null, bookmaker: null, eventId: null }
  for (const [place, name] of names.entries()) {
    const text = texts[place]
    found[name] = text === undefined || text === ONE ? null : text
  }
  const { sport, bookmaker, eventId } = found
  if (sport !== null && !isSport(sport)) return UNKNOWN
  if (bookmaker !== null && !isBookmakerSlug(bookmaker)) return UNKNOWN
  if (eventId !== null && !/^\d{1,15}$/.test(eventId)) return UNKNOWN
  return { topic: topic as Topic, sport, bookmaker, eventId }
}

const FEEDS_KEPT = 4_096

// Feeds by destination, so that equal destinations give the same text: whatever compares a bookmaker with one of before, as
// scanner, log and board do, compares two places then, and no letters (find and scan a body of ten prices: 2 590 ns, and 3 030
// without; 30 interleaved rounds).
const feeds = new Map<string, string>()

/** The bookmaker that a SEND's destination names; undefined: it is no feed destination. */
export const feedOf = (destination: string): string | undefined => {
  const known = feeds.get(destination)
  if (known !== undefined) return known
  if (!destination.startsWith(FEED_PREFIX)) return undefined
  const bookmaker = destination.slice(FEED_PREFIX.length)
  if (!isBookmakerSlug(bookmaker)) return undefined
  if (feeds.size === FEEDS_KEPT) feeds.clear()
  feeds.set(destination, bookmaker)
  return bookmaker
}

/** Whether a SEND goes to a topic, which is never allowed (docs/live-protocol.md 8.7). */
export const isTopic = (destination: string): boolean => destination.startsWith(TOPIC_PREFIX)
