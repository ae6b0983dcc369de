// Reads the parts of an answer of Kambi (docs/feeds.md 6), each of which may be anything.

import { isRecord } from '../../domain/record.ts'
import { parseDateTime } from '../../domain/time.ts'
import { isId, isNumberOrNone } from '../kit/json.ts'
import type { KambiOutcome, KambiSides } from './kambi-markets.ts'
import type { KambiOffer } from './kambi-sports.ts'

const numberOr = <Other>(value: unknown, other: Other): number | Other => (typeof value === 'number' ? value : other)
export const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' ? value : other

/** Whether an answer is one of several pages, by its `range`: what is missing may be on another one. */
const isPage = (range: unknown): boolean => {
  if (!isRecord(range)) return false
  const { start, size, total } = range
  return numberOr(start, 0) > 0 || numberOr(total, 0) > numberOr(size, 0)
}

/** Events and bet offers of an answer, each with its place in it. */
export interface KambiAnswer {
  readonly events: readonly unknown[]
  readonly offers: readonly unknown[]
  readonly placeOfEvent: (index: number) => string
  readonly placeOfOffer: (index: number) => string
  /** `list`: a list view (`listView/….json`), which has the main offers of its events only. */
  readonly shape: 'offers' | 'page' | 'list'
}

/** An entry of a list view: an event with its main offers. */
const isEntry = (value: unknown): value is { readonly event: unknown; readonly betOffers?: unknown } =>
  isRecord(value) && 'event' in value

const readListView = (entries: readonly unknown[]): KambiAnswer => {
  const places: string[] = []
  const offers: unknown[] = []
  for (const [index, entry] of entries.entries()) {
    const listed = isEntry(entry) ? (entry.betOffers ?? []) : []
    const values: readonly unknown[] = Array.isArray(listed) ? listed : [listed]
    for (const [at, offer] of values.entries()) {
      offers.push(offer)
      places.push(`events[${index}].betOffers${Array.isArray(listed) ? `[${at}]` : ''}`)
    }
  }
  return {
    events: entries.map((entry) => (isEntry(entry) ? entry.event : entry)),
    offers,
    placeOfEvent: (index) => `events[${index}]${isEntry(entries[index]) ? '.event' : ''}`,
    placeOfOffer: (index) => places[index]!,
    shape: 'list',
  }
}

/** An answer about bet offers, or a list view; undefined: it is neither. */
export const answerOf = (value: unknown): KambiAnswer | undefined => {
  if (!isRecord(value) || !Array.isArray(value.events)) return undefined
  const { events, betOffers, range } = value
  if (betOffers === undefined) return readListView(events)
  if (!Array.isArray(betOffers)) return undefined
  return {
    events,
    offers: betOffers,
    placeOfEvent: (index) => `events[${index}]`,
    placeOfOffer: (index) => `betOffers[${index}]`,
    shape: isPage(range) ? 'page' : 'offers',
  }
}

export const offerTypeOf = ({ betOfferType }: Record<string, unknown>): number | undefined =>
  isRecord(betOfferType) ? numberOr(betOfferType.id, undefined) : undefined

/** What of a bet offer says which market it is. */
export const offerOf = (
  offer: Record<string, unknown>,
  id: number,
  name: unknown,
  outcomes: readonly unknown[],
): KambiOffer => {
  const { from, to } = offer
  return { id, name: textOr(name, '').trim(), offerType: offerTypeOf(offer), from, to, outcomes }
}

const SECONDS_LENGTH = '2021-05-30T09:45:46Z'.length

/** The newest `changedDate` of an answer, epoch ms; undefined where there is none. */
export const newestChange = (offers: readonly unknown[]): number | undefined => {
  let newest = ''
  let newestAt: number | undefined
  for (const offer of offers) {
    if (!isRecord(offer) || !Array.isArray(offer.outcomes)) continue
    for (const outcome of offer.outcomes as unknown[]) {
      const text = isRecord(outcome) ? outcome.changedDate : undefined
      // Texts of this length sort like their times, and most are older than the newest so far.
      if (typeof text !== 'string' || (text.length === SECONDS_LENGTH && text <= newest)) continue
      const at = parseDateTime(text)?.epochMs
      if (at === undefined || (newestAt !== undefined && at <= newestAt)) continue
      newestAt = at
      if (text.length === SECONDS_LENGTH) newest = text
    }
  }
  return newestAt
}

/** Epoch ms; Infinity where there is none, undefined when it is no time. */
export const closingTime = (value: unknown): number | undefined => {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY
  return typeof value === 'string' ? parseDateTime(value)?.epochMs : undefined
}

/** By `home` of the participants; undefined where none has that side. */
export const sideIdsOf = (participants: unknown): Pick<KambiSides, 'homeId' | 'awayId'> => {
  let homeId: number | undefined
  let awayId: number | undefined
  for (const participant of Array.isArray(participants) ? (participants as unknown[]) : []) {
    if (!isRecord(participant) || !isId(participant.participantId)) continue
    if (participant.home === true) homeId = participant.participantId
    else if (participant.home === false) awayId = participant.participantId
  }
  return { homeId, awayId }
}

/** The participant of the first outcome that names one: in a player's offer, only one does. */
export const playerOf = (outcomes: readonly unknown[]): string | undefined => {
  for (const outcome of outcomes) {
    if (isRecord(outcome) && typeof outcome.participant === 'string') return outcome.participant
  }
  return undefined
}

/** Field and reason if an outcome cannot be read. */
export const faultOf = ({
  type,
  odds,
  line,
  status,
}: Record<string, unknown>): readonly [string, string] | undefined => {
  if (typeof type !== 'string') return ['type', 'must be a text']
  if (!isNumberOrNone(odds)) return ['odds', 'must be a number']
  if (!isNumberOrNone(line)) return ['line', 'must be a number']
  return typeof status === 'string' ? undefined : ['status', 'must be a text']
}

export const outcomeOf = (outcome: Record<string, unknown>): KambiOutcome => ({
  type: textOr(outcome.type, ''),
  line: numberOr(outcome.line, null),
  participant: textOr(outcome.participant, undefined),
  englishLabel: textOr(outcome.englishLabel, undefined),
  participantId: numberOr(outcome.participantId, undefined),
  homeScore: textOr(outcome.homeScore, undefined),
  awayScore: textOr(outcome.awayScore, undefined),
  lowerLimit: numberOr(outcome.lowerLimit, undefined),
})
