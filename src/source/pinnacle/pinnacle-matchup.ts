// Matchups of Pinnacle (docs/feeds.md 7): what prices are about. A match, its corners, its bookings and each of its
// specials are matchups; the event is the one without a parent.

import type { EventSighting } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { isRecord } from '../../domain/record.ts'
import { parseDateTime } from '../../domain/time.ts'
import { isId } from '../kit/json.ts'
import { leagueKeyOf } from '../kit/league.ts'
import { sportOfPinnacle } from '../kit/sport-words.ts'
import { isCleanText } from '../kit/text.ts'
import { type Special, readSpecial } from './pinnacle-specials.ts'

export interface Matchup {
  readonly id: number
  /** Of the matchup that is the event. */
  readonly eventId: number
  /** The event as observations name it, or, where we do not have its sport, Pinnacle's name of the sport. */
  readonly sighting: EventSighting | string
  /** What handicaps and totals count: `Regular`, `Corners`, `Bookings`, `Sets`, `Games`; empty: not given. */
  readonly units: string
  readonly isLive: boolean
  readonly status: QuoteStatus
  /** Periods that are not open. */
  readonly periods: ReadonlyMap<number, QuoteStatus>
  readonly special: Special | undefined
}

/** Sport of a matchup in the account: ours, else Pinnacle's name of it. */
export const sportOf = (matchup: Matchup | undefined): string | null =>
  typeof matchup?.sighting === 'object' ? matchup.sighting.sport : (matchup?.sighting ?? null)

/** Why a matchup could not be read: its field, and what that must be. */
export interface MatchupFault {
  readonly field: string
  readonly fault: string
}

const STATUSES: ReadonlyMap<unknown, QuoteStatus> = new Map<unknown, QuoteStatus>([
  [undefined, 'open'],
  [null, 'open'],
  ['open', 'open'],
  ['settled', 'closed'],
  ['cancelled', 'closed'],
])

/** Quote status for a `status` of a market or a period: an unknown one means suspended. */
export const statusOfPinnacle = (word: unknown): QuoteStatus => STATUSES.get(word) ?? 'suspended'

/** The same for a matchup, whose `status` may also give the progress of the match. */
const statusOfMatchup = (word: unknown): QuoteStatus =>
  word === 'pending' || word === 'started' ? 'open' : statusOfPinnacle(word)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const recordsOf = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isRecord) : []

const nameOfSide = (participants: unknown, alignment: 'home' | 'away'): string =>
  textOf(recordsOf(participants).find((participant) => participant.alignment === alignment)?.name)

/** A special without a parent is about a competition, which is then the home side, as in other sources. */
const competitionOf = (special: unknown, leagueName: string, textLengthMax: number): string => {
  const description = isRecord(special) ? textOf(special.description) : ''
  if (description.trim() === '') return leagueName
  const both = `${leagueName} - ${description}`
  return description.includes(leagueName) || both.length > textLengthMax ? description : both
}

/** The event that a matchup, or the parent within one, names; undefined where something is missing. */
const sight = (
  naming: Record<string, unknown>,
  id: number,
  league: Record<string, unknown>,
  sportId: number,
  textLengthMax: number,
): EventSighting | undefined => {
  const leagueName = textOf(league.name)
  const isOutright = naming.type === 'special'
  const home = isOutright
    ? competitionOf(naming.special, leagueName, textLengthMax)
    : nameOfSide(naming.participants, 'home')
  const away = isOutright ? '' : nameOfSide(naming.participants, 'away')
  const kickoffAt = parseDateTime(textOf(naming.startTime))?.epochMs
  const sport = sportOfPinnacle(sportId)
  if (home.trim() === '' || (away.trim() === '' && !isOutright) || home === away) return undefined
  if (kickoffAt === undefined || sport === undefined) return undefined
  const leagueKey = leagueKeyOf(leagueName, sport)
  return {
    sport,
    leagueKey,
    leagueName: leagueName.trim() === '' ? leagueKey : leagueName,
    home,
    away,
    kickoffAt,
    sourceKey: `pinnacle:${id}`,
  }
}

const NO_PERIODS: ReadonlyMap<number, QuoteStatus> = new Map()

const closedPeriods = (value: unknown): ReadonlyMap<number, QuoteStatus> => {
  const periods = new Map<number, QuoteStatus>()
  for (const { period, status } of recordsOf(value)) {
    if (isId(period) && statusOfPinnacle(status) !== 'open') periods.set(period, statusOfPinnacle(status))
  }
  return periods.size === 0 ? NO_PERIODS : periods
}

/** An unreadable value counts as live. */
const isLive = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/** The first field whose text may not go into observations or the account; undefined: none. */
const uncleanText = (matchup: Record<string, unknown>, lengthMax: number): string | undefined => {
  const league = isRecord(matchup.league) ? matchup.league : {}
  const sport = isRecord(league.sport) ? league.sport : {}
  const parent = isRecord(matchup.parent) ? matchup.parent : {}
  const special = isRecord(matchup.special) ? matchup.special : {}
  const isUnclean = (value: unknown): boolean => typeof value === 'string' && !isCleanText(value, lengthMax)
  if (isUnclean(league.name)) return 'league.name'
  if (isUnclean(sport.name)) return 'league.sport.name'
  if (isUnclean(matchup.units)) return 'units'
  if (isUnclean(special.description)) return 'special.description'
  if (recordsOf(matchup.participants).some(({ name }) => isUnclean(name))) return 'participants'
  return recordsOf(parent.participants).some(({ name }) => isUnclean(name)) ? 'parent.participants' : undefined
}

/**
 * Reads a matchup from parsed JSON.
 * @param parentOf a known matchup
 * @returns undefined when the matchup does not name its event: its prices cannot be served yet
 */
export const readMatchup = (
  value: unknown,
  parentOf: (id: number) => Matchup | undefined,
  textLengthMax: number,
): Matchup | MatchupFault | undefined => {
  if (!isRecord(value)) return { field: '', fault: 'must be an object' }
  if (!isId(value.id)) return { field: 'id', fault: 'must be a whole number' }
  if (!Array.isArray(value.participants)) return { field: 'participants', fault: 'must be an array' }
  const unclean = uncleanText(value, textLengthMax)
  if (unclean !== undefined) {
    return { field: unclean, fault: `must have at most ${textLengthMax} characters, none a control character` }
  }
  const parentId = isId(value.parentId) ? value.parentId : isRecord(value.parent) ? value.parent.id : undefined
  const parent = isId(parentId) ? parentOf(parentId) : undefined
  const eventId = parent?.eventId ?? (isId(parentId) ? parentId : value.id)
  const league = isRecord(value.league) ? value.league : {}
  const sport = isRecord(league.sport) ? league.sport : {}
  let sighting: EventSighting | string | undefined = parent?.sighting
  if (sighting === undefined && isId(sport.id)) {
    const teller = isId(parentId) ? (isRecord(value.parent) ? value.parent : {}) : value
    // Its names are not needed where we do not have the sport.
    if (sportOfPinnacle(sport.id) === undefined) sighting = textOf(sport.name) || `sport ${sport.id}`
    else sighting = sight(teller, eventId, league, sport.id, textLengthMax)
  }
  if (sighting === undefined) {
    const { startTime = null } = value
    const isTime = startTime === null || parseDateTime(textOf(startTime)) !== undefined
    return isTime ? undefined : { field: 'startTime', fault: 'must be an RFC 3339 date-time' }
  }
  return {
    id: value.id,
    eventId,
    sighting,
    units: textOf(value.units),
    isLive: isLive(value.isLive),
    status: statusOfMatchup(value.status),
    periods: closedPeriods(value.periods),
    special: readSpecial(value, sighting),
  }
}

/**
 * A known matchup, updated with the betting status of a new entry that could not be read or does not name its event.
 */
export const restated = (known: Matchup, { status, periods, isLive: live }: Record<string, unknown>): Matchup => ({
  ...known,
  isLive: live === undefined || live === null ? known.isLive : isLive(live),
  status: status === undefined || status === null ? known.status : statusOfMatchup(status),
  periods: Array.isArray(periods) ? closedPeriods(periods) : known.periods,
})

/** Depth of a matchup below its event: parents must be read before their children. */
export const depthOf = (value: unknown): 0 | 1 | 2 => {
  if (!isRecord(value) || !(isId(value.parentId) || isRecord(value.parent))) return 0
  return value.type === 'special' ? 2 : 1
}
