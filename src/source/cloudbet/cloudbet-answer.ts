// Reads the parts of an answer of Cloudbet (docs/feeds.md 16), each of which may be anything.

import type { EventSighting } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { isRecord } from '../../domain/record.ts'
import { parseDateTime } from '../../domain/time.ts'
import { isId, isNumberOrNone } from '../kit/json.ts'
import { leagueKeyOf } from '../kit/league.ts'
import { isCleanText } from '../kit/text.ts'
import { leagueWordsOf, sportOfCloudbet } from './cloudbet-sports.ts'

/** Events of one competition, and their place in the answer. */
export interface Competition {
  readonly value: Record<string, unknown>
  readonly sport: unknown
  readonly events: readonly unknown[]
  readonly placeOf: (event: number) => string
}

const competitionAt = (value: unknown, place: string): Competition | undefined =>
  isRecord(value) && Array.isArray(value.events)
    ? { value, sport: value.sport, events: value.events, placeOf: (event) => `${place}events[${event}]` }
    : undefined

/**
 * The competitions of an answer: of `/events`, `{"competitions":[…]}`; of `/competitions/{key}`; or the one of
 * `/events/{id}`. Undefined where it is none of them; an entry of the first that cannot be read is its place.
 */
export const competitionsOf = (answer: unknown): readonly (Competition | string)[] | undefined => {
  if (!isRecord(answer)) return undefined
  if (Array.isArray(answer.competitions)) {
    return (answer.competitions as unknown[]).map((value, index) => {
      const place = `competitions[${index}]`
      return competitionAt(value, `${place}.`) ?? place
    })
  }
  const one = competitionAt(answer, '')
  if (one !== undefined) return [one]
  if (!isId(answer.id) || !isRecord(answer.markets)) return undefined
  const { competition, sport } = answer
  return [{ value: isRecord(competition) ? competition : {}, sport, events: [answer], placeOf: () => 'event' }]
}

const STATUSES: ReadonlyMap<unknown, QuoteStatus> = new Map<unknown, QuoteStatus>([
  ['TRADING', 'open'],
  ['TRADING_LIVE', 'open'],
  ['AWAITING_RESULTS', 'closed'],
  ['RESULTED', 'closed'],
  ['CANCELLED', 'closed'],
])

/** Status of all quotes of an event by its `status`: an unknown or missing one means suspended. */
export const statusOfEvent = (word: unknown): QuoteStatus => STATUSES.get(word) ?? 'suspended'

export const isLive = (word: unknown): boolean => word === 'TRADING_LIVE'

/** Epoch ms; Infinity where there is none, undefined when it is no time. */
export const timeOf = (value: unknown): number | undefined => {
  if (value === undefined || value === null || value === '') return Number.POSITIVE_INFINITY
  return typeof value === 'string' ? parseDateTime(value)?.epochMs : undefined
}

/**
 * The time of an answer of which nobody knows when it was received, epoch ms: just before the first end of betting of a
 * match that has not begun, else the newest time in it; undefined where it names none.
 */
export const timeInAnswer = (competitions: readonly (Competition | string)[]): number | undefined => {
  let first = Number.POSITIVE_INFINITY
  let newest = Number.NEGATIVE_INFINITY
  for (const competition of competitions) {
    if (typeof competition === 'string') continue
    for (const event of competition.events) {
      const at = isRecord(event) ? timeOf(event.cutoffTime) : undefined
      if (at === undefined || at === Number.POSITIVE_INFINITY) continue
      if (at > newest) newest = at
      if (at < first && (event as Record<string, unknown>).status === 'TRADING') first = at
    }
  }
  if (first !== Number.POSITIVE_INFINITY) return first - 1_000
  return newest === Number.NEGATIVE_INFINITY ? undefined : newest
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A key or name of a record; empty where it has none. */
const partOf = (value: unknown, part: 'key' | 'name'): string => (isRecord(value) ? textOf(value[part]) : '')

/** The source's key of a sport, where it has one that can be shown. */
export const sportKeyOf = (sport: unknown, textLengthMax: number): string | null => {
  const key = partOf(sport, 'key')
  return key !== '' && isCleanText(key, textLengthMax) ? key : null
}

/** The first text of an event whose characters may not go into an observation; undefined: none. */
export const uncleanText = (
  { value }: Competition,
  event: Record<string, unknown>,
  textLengthMax: number,
): string | undefined => {
  const isUnclean = (text: string): boolean => !isCleanText(text, textLengthMax)
  if (isUnclean(partOf(event.home, 'name'))) return 'home.name'
  if (isUnclean(partOf(event.away, 'name'))) return 'away.name'
  return isUnclean(textOf(value.name)) || isUnclean(textOf(value.key)) ? 'competition' : undefined
}

/**
 * The event as observations name it, or the reason why none of its outcomes can be mapped.
 * @param knownKickoffAt of an event that is live: its `cutoffTime` need not be its start any more
 */
export const sightingOf = (
  { value, sport }: Competition,
  event: Record<string, unknown>,
  knownKickoffAt: number | undefined,
): EventSighting | 'event' | 'sport' => {
  const home = partOf(event.home, 'name')
  const away = partOf(event.away, 'name')
  const sportKey = partOf(sport, 'key')
  const startsAt = timeOf(event.startTime)
  const cutoffAt = knownKickoffAt ?? timeOf(event.cutoffTime)
  const kickoffAt = startsAt === undefined || startsAt === Number.POSITIVE_INFINITY ? cutoffAt : startsAt
  // A competition as a whole has no sides: what its outcomes decide is in the name of the event alone.
  if (home.trim() === '' || away.trim() === '' || home === away || sportKey === '') return 'event'
  if (kickoffAt === undefined || kickoffAt === Number.POSITIVE_INFINITY) return 'event'
  const ours = event.type === 'EVENT_TYPE_VIRTUAL' ? undefined : sportOfCloudbet(sportKey)
  if (ours === undefined) return 'sport'
  const leagueKey = leagueKeyOf(leagueWordsOf(textOf(value.key), sportKey), ours)
  const leagueName = textOf(value.name)
  return {
    sport: ours,
    leagueKey,
    leagueName: leagueName.trim() === '' ? leagueKey : leagueName,
    home,
    away,
    kickoffAt,
    sourceKey: `cloudbet:${String(event.id)}`,
  }
}

/** A selection whose fields can be read. */
export interface Selection {
  readonly outcome: string
  readonly params: string
  /** Null: none is given. */
  readonly price: number | null
  readonly isEnabled: boolean
  readonly isBack: boolean
}

const isTextOrNone = (value: unknown, lengthMax: number): boolean =>
  value === undefined || value === null || (typeof value === 'string' && isCleanText(value, lengthMax))

/** Reads a selection; else the field that cannot be read, empty for the whole, and what it must be. */
export const readSelection = (
  value: unknown,
  textLengthMax: number,
): Selection | { readonly field: string; readonly fault: string } => {
  if (!isRecord(value)) return { field: '', fault: 'must be an object' }
  const { outcome, params, price, status, side } = value
  if (typeof outcome !== 'string' || !isCleanText(outcome, textLengthMax)) {
    return {
      field: 'outcome',
      fault: `must be a text of at most ${textLengthMax} characters, none a control character`,
    }
  }
  if (!isTextOrNone(params, textLengthMax)) return { field: 'params', fault: 'must be a text' }
  if (!isNumberOrNone(price)) return { field: 'price', fault: 'must be a number' }
  if (!isTextOrNone(status, textLengthMax)) return { field: 'status', fault: 'must be a text' }
  if (!isTextOrNone(side, textLengthMax)) return { field: 'side', fault: 'must be a text' }
  return {
    outcome,
    params: textOf(params),
    // 0 is how a field that is not set is written.
    price: typeof price === 'number' && price !== 0 ? price : null,
    isEnabled: status === 'SELECTION_ENABLED',
    isBack: side === undefined || side === null || side === 'BACK',
  }
}
