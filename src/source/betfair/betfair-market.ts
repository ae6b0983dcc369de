// A market of the exchange in our terms (docs/feeds.md 8): its event, type and line, and the label and status of each
// runner, read from a `marketDefinition`.

import type { MarketType } from '../../domain/market.ts'
import type { EventSighting, Fixture } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { isRecord } from '../../domain/record.ts'
import type { Sport } from '../../domain/sport.ts'
import { parseDateTime } from '../../domain/time.ts'
import type { UnmappedReason } from '../kit/account.ts'
import { UNKNOWN_LEAGUE } from '../../domain/observation.ts'
import { moneylineTypeOf } from '../kit/market-words.ts'
import { sportOfBetfair } from '../kit/sport-words.ts'
import { isCleanText } from '../kit/text.ts'

/**
 * Names of a market, as in `listMarketCatalogue`. Recordings have them in the definition; a live stream has ids only,
 * and the catalogue must be asked.
 */
export interface MarketNames {
  /** `A v B`, or `A @ B`. */
  readonly eventName: string
  /** By selection id. */
  readonly runners: ReadonlyMap<number, string>
}

/** Names from outside the stream; names in a definition take precedence, then the catalogue's. */
export interface KnownNames {
  readonly catalogue: MarketNames | undefined
  /** The fixture list's entry of an event, by its id or the market's. */
  readonly fixtureOf: (eventId: string) => Fixture | undefined
  readonly runnerNameOf: (selectionId: number) => string | undefined
}

/** A market that settles like a type of ours. */
export interface MappedMarket {
  readonly event: EventSighting
  readonly type: MarketType
  readonly line: number | null
}

/** Selection id; with its handicap where it has one: `123/-1.5`. */
export type RunnerKey = number | string

export interface RunnerReading {
  readonly key: RunnerKey
  /** The status that the runner itself allows; the market and the lack of a price may allow less. */
  readonly status: QuoteStatus
  /** Undefined where it has none; `reason` says why. */
  readonly label: string | undefined
  readonly reason: UnmappedReason
}

export interface MarketReading {
  /** Its name in the account. */
  readonly sourceMarket: string
  /** Its sport there: ours, else the source's number of it. */
  readonly sport: string
  /** `unnamed`: its names must still be asked for. */
  readonly mapped: MappedMarket | UnmappedReason | 'unnamed'
  /** The source's own id of its event. */
  readonly eventId: string
  readonly isEventUnnamed: boolean
  /** Selection ids of the runners without a name. */
  readonly unnamedRunners: readonly number[]
  readonly status: QuoteStatus
  readonly runners: readonly RunnerReading[]
}

const DRAW = 58_805

// A status that is not listed is suspended: the price may not be available.
const MARKET_STATUSES: ReadonlyMap<unknown, QuoteStatus> = new Map([
  ['OPEN', 'open'],
  ['SUSPENDED', 'suspended'],
  ['INACTIVE', 'suspended'],
  ['CLOSED', 'closed'],
])

const RUNNER_STATUSES: ReadonlyMap<unknown, QuoteStatus> = new Map([
  ['ACTIVE', 'open'],
  ['HIDDEN', 'suspended'],
  ['REMOVED', 'closed'],
  ['REMOVED_VACANT', 'closed'],
  ['WINNER', 'closed'],
  ['LOSER', 'closed'],
  ['PLACED', 'closed'],
])

interface Kind {
  readonly sport?: Sport
  readonly type: MarketType | 'moneyline'
  readonly line: number | null
  /** Label of a runner that is not named after a side; undefined: runners are the sides and the draw. */
  readonly labelOf?: (name: string) => string | undefined
}

const overUnder = (name: string): string | undefined => {
  const word = name.toLowerCase()
  return word.startsWith('over ') ? 'over' : word.startsWith('under ') ? 'under' : undefined
}

const yesNo = (name: string): string | undefined => {
  const word = name.toLowerCase()
  return word === 'yes' || word === 'no' ? word : undefined
}

const goals = (prefix: string, type: MarketType, goalsMax: number): [string, Kind][] =>
  Array.from({ length: goalsMax + 1 }, (_, n) => [
    `${prefix}_${n}5`,
    { sport: 'football', type, line: n + 0.5, labelOf: overUnder },
  ])

/** A market type that is not listed, or listed for another sport, is unmapped. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['MATCH_ODDS', { type: 'moneyline', line: null }],
  ['BOTH_TEAMS_TO_SCORE', { sport: 'football', type: 'btts', line: null, labelOf: yesNo }],
  ...goals('OVER_UNDER', 'total_goals', 9),
  ...goals('FIRST_HALF_GOALS', 'first_half_total_goals', 9),
])

/** Home and away of `A v B` or `A @ B`, or undefined where the name is not of that form. */
const sidesOf = (eventName: string): { home: string; away: string } | undefined => {
  const parts = eventName.split(/ (v|@) /)
  if (parts.length !== 3) return undefined
  const first = parts[0]!.trim()
  const second = parts[2]!.trim()
  if (first === '' || second === '' || first === second) return undefined
  return parts[1] === '@' ? { home: second, away: first } : { home: first, away: second }
}

/** Home and away of a fixture; undefined where it has no two sides. */
const sidesOfFixture = ({ home, away }: Fixture): { home: string; away: string } | undefined =>
  home.trim() === '' || away.trim() === '' || home.trim() === away.trim()
    ? undefined
    : { home: home.trim(), away: away.trim() }

/** Key of a runner from its id and handicap; undefined where they are not numbers. */
export const runnerKeyOf = (id: unknown, handicap: unknown): RunnerKey | undefined => {
  if (typeof id !== 'number') return undefined
  if (handicap === undefined || handicap === null || handicap === 0) return id
  return typeof handicap === 'number' ? `${id}/${handicap}` : undefined
}

/**
 * Reads a market definition. A fixture list gives the sides and the league; the kickoff is the market's own time, which
 * the stream keeps up to date.
 * @param textLengthMax characters of a name or an id
 * @returns why it cannot be read, as a sentence without its beginning
 */
export const readDefinition = (
  definition: unknown,
  { catalogue, fixtureOf, runnerNameOf }: KnownNames,
  textLengthMax: number,
): MarketReading | string => {
  if (!isRecord(definition)) return 'must be an object'
  const { eventId, eventTypeId, marketType, marketTime, bettingType, runners } = definition
  const eventName = definition.eventName ?? catalogue?.eventName ?? ''
  for (const [field, text] of Object.entries({ eventId, eventTypeId, marketType, eventName })) {
    if (typeof text !== 'string' || !isCleanText(text, textLengthMax)) return `${field} must be a text of one line`
  }
  if ((eventId as string).trim() === '') return 'eventId must not be empty'
  const kickoffAt = typeof marketTime === 'string' ? parseDateTime(marketTime)?.epochMs : undefined
  if (kickoffAt === undefined) return 'marketTime must be an RFC 3339 date-time'
  if (!Array.isArray(runners)) return 'runners must be an array'

  const sport = sportOfBetfair(eventTypeId as string)
  const kind = KINDS.get(marketType as string)
  const isSettledAlike =
    kind !== undefined &&
    (kind.sport === undefined || kind.sport === sport) &&
    (bettingType === undefined || bettingType === 'ODDS') // a line or handicap is priced another way
  const nameOf = ({ id, name }: Record<string, unknown>): unknown =>
    name ?? catalogue?.runners.get(id as number) ?? runnerNameOf(id as number)
  const fixture = fixtureOf((eventId as string).trim())
  if (fixture !== undefined && sport !== undefined && fixture.sport !== sport) {
    return `eventTypeId ${eventTypeId as string} is ${sport}, but the fixture of event ${eventId as string} is ${fixture.sport}`
  }
  const isEventUnnamed = eventName === '' && fixture === undefined
  const unnamedRunners: number[] = []
  // Names matter only for markets that are mapped.
  for (const runner of sport !== undefined && isSettledAlike ? (runners as unknown[]) : []) {
    if (isRecord(runner) && runner.id !== DRAW && !nameOf(runner)) unnamedRunners.push(runner.id as number)
  }
  const isUnnamed = isEventUnnamed || unnamedRunners.length > 0
  const sides = eventName === '' && fixture !== undefined ? sidesOfFixture(fixture) : sidesOf(eventName as string)
  // An event without two sides may be known, as a race is; sides matter only where a market is about sides.
  let mapped: MappedMarket | UnmappedReason | 'unnamed'
  if (sport === undefined) mapped = 'sport'
  else if (!isSettledAlike) mapped = 'market'
  else if (isUnnamed) mapped = 'unnamed'
  else if (sides === undefined) mapped = 'event'
  else {
    const hasDraw = (runners as unknown[]).some((runner) => isRecord(runner) && runner.id === DRAW)
    mapped = {
      event: {
        sport,
        leagueKey: fixture?.leagueKey ?? UNKNOWN_LEAGUE,
        leagueName: fixture?.leagueName ?? UNKNOWN_LEAGUE,
        ...sides,
        kickoffAt,
        sourceKey: `betfair:${(eventId as string).trim()}`,
      },
      type: kind.type === 'moneyline' ? moneylineTypeOf(sport, hasDraw) : kind.type,
      line: kind.line,
    }
  }

  const readings: RunnerReading[] = []
  const labels = new Set<string>()
  for (const runner of runners as unknown[]) {
    if (!isRecord(runner)) return 'runners must be objects'
    const key = runnerKeyOf(runner.id, runner.hc)
    if (key === undefined) return 'runners must have numbers for id and hc'
    const status = RUNNER_STATUSES.get(runner.status) ?? 'suspended'
    let label: string | undefined
    let reason: UnmappedReason = typeof mapped === 'string' && mapped !== 'unnamed' ? mapped : 'outcome'
    if (typeof mapped === 'object') {
      const name = nameOf(runner)
      if (typeof key === 'string')
        reason = 'market' // another handicap is another market
      else if (kind?.labelOf !== undefined) label = typeof name === 'string' ? kind.labelOf(name.trim()) : undefined
      else if (key === DRAW) label = 'draw'
      else if (typeof name === 'string') {
        if (name.trim() === sides?.home) label = 'home'
        else if (name.trim() === sides?.away) label = 'away'
      }
      if (label !== undefined && labels.has(label)) {
        label = undefined
        reason = 'twin'
      }
      if (label !== undefined) labels.add(label)
    }
    readings.push({ key, status, label, reason })
  }
  const known = sport === undefined ? `event type ${eventTypeId as string} ` : ''
  return {
    sourceMarket: `${known}${marketType as string}`,
    sport: sport ?? known.trim(),
    mapped,
    eventId: (eventId as string).trim(),
    isEventUnnamed,
    unnamedRunners,
    status: MARKET_STATUSES.get(definition.status) ?? 'suspended',
    runners: readings,
  }
}
