// Specials of Pinnacle (docs/feeds.md 7): markets that are matchups of their own, with a description and participants.

import type { MarketType } from '../../domain/market.ts'
import type { EventSighting } from '../../domain/observation.ts'
import { isRecord } from '../../domain/record.ts'
import { playerSlugOf, slugOf } from '../../domain/slug.ts'
import { isId } from '../kit/json.ts'
import { statisticOf } from './pinnacle-statistics.ts'

export interface Special {
  /** Its description, with `Home` and `Away` for the teams: the same for every match. */
  readonly name: string
  /** Undefined: it settles like none of our types. */
  readonly type: MarketType | undefined
  /** The type of its straight market. */
  readonly market: 'moneyline' | 'total'
  /** By participant id; participants without a label are left out. */
  readonly labels: ReadonlyMap<number, string>
}

type LabelOf = (name: string, home: string, away: string) => string | undefined

interface Mapping {
  readonly type: MarketType
  readonly labelOf: LabelOf
  /** In the account; left out: its description. */
  readonly name?: string
}

const byName = (labels: Readonly<Record<string, string>>): LabelOf => {
  const table = new Map(Object.entries(labels))
  return (name) => table.get(name)
}

// Compared as whole texts, not split: a team's name may contain "or".
const doubleChance: LabelOf = (name, home, away) => {
  const is = (one: string, other: string): boolean => name === `${one} or ${other}` || name === `${other} or ${one}`
  if (is(home, 'Draw')) return 'home_or_draw'
  if (is(home, away)) return 'home_or_away'
  return is('Draw', away) ? 'draw_or_away' : undefined
}

const SCORE = /^(.+) (\d{1,2}), (.+) (\d{1,2})$/

const score: LabelOf = (name, home, away) => {
  const [, one, oneGoals, other, otherGoals] = SCORE.exec(name) ?? []
  if (one === home && other === away) return `${Number(oneGoals)}-${Number(otherGoals)}`
  return one === away && other === home ? `${Number(otherGoals)}-${Number(oneGoals)}` : undefined
}

const MARGIN = /^(.+) by (\d{1,2}\+?)$/

const margin: LabelOf = (name, home, away) => {
  if (name === 'Any Score Draw (0:0 excluded)') return 'draw:goals'
  if (name === 'No Goal') return 'draw:no_goals'
  const [, winner, goals] = MARGIN.exec(name) ?? []
  return winner === home ? `home:${goals}` : winner === away ? `away:${goals}` : undefined
}

// A label has the player, and a statistic and a word.
const PLAYER_LENGTH_MAX = 100

const playerOf = (name: string): string | undefined => {
  const slug = playerSlugOf(name)
  return slug === '' || slug.length > PLAYER_LENGTH_MAX ? undefined : slug
}

const NOBODY: ReadonlySet<string> = new Set(['No Goal', 'No Goalscorer', 'No Goal Scorer'])

const scorer =
  (which: 'first' | 'anytime' | 'last'): LabelOf =>
  (name) => {
    if (NOBODY.has(name)) return which === 'first' ? 'no_goal' : undefined
    const player = playerOf(name)
    return player === undefined ? undefined : `${which}:${player}`
  }

/** Specials of football that are mapped, by description; those of a half have other descriptions. */
const OF_FOOTBALL: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['Both Teams To Score', { type: 'btts', labelOf: byName({ Yes: 'yes', No: 'no' }) }],
  ['Double Chance', { type: 'double_chance', labelOf: doubleChance }],
  ['Total Goals Odd/Even', { type: 'odd_even', labelOf: byName({ Odd: 'odd', Even: 'even' }) }],
  ['Correct Score', { type: 'correct_score', labelOf: score }],
  ['Winning Margin', { type: 'winning_margin', labelOf: margin }],
  ['First Goalscorer', { type: 'goalscorer', labelOf: scorer('first') }],
  ['Anytime Goalscorer', { type: 'goalscorer', labelOf: scorer('anytime') }],
  ['Last Goalscorer', { type: 'goalscorer', labelOf: scorer('last') }],
])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const PLAYER_PROPS = 'Player Props'
const FUTURES = 'Futures'
const WINNER = /\bWinner$/
const SIDES = 'Over Under'

// "Ana Ruiz (Home Runs)(must start)", "Ana Ruiz Total Rebounds", "Ana Ruiz Total Shots (must start)".
const MUST_START = / ?\(must start\)$/i
const AFTER_TOTAL = /^([^()]+?) Total ([^()]+)$/
const IN_BRACKETS = /^([^()]+?) ?\(([^()]+)\)$/

/** The mapping of a player's over/under; undefined: nobody can tell whose, or of what. */
const playerProp = (
  description: string,
  units: string,
  names: readonly string[],
  sport: EventSighting['sport'],
): Mapping | undefined => {
  const text = description.replace(MUST_START, '')
  const [, name = '', words = ''] = AFTER_TOTAL.exec(text) ?? IN_BRACKETS.exec(text) ?? []
  const player = playerOf(name)
  const statistic = statisticOf(words, units, sport)
  if (player === undefined || statistic === undefined || names.toSorted().join(' ') !== SIDES) return undefined
  return {
    type: 'player_prop',
    labelOf: (side) => `${player}:${statistic}:${side.toLowerCase()}`,
    name: `${PLAYER_PROPS}: ${statistic}`,
  }
}

/**
 * Reads the special of a matchup; undefined: it is none.
 * @param sighting its event, or the name of a sport that we do not have
 */
export const readSpecial = (
  matchup: Record<string, unknown>,
  sighting: EventSighting | string,
): Special | undefined => {
  if (!isRecord(matchup.special) && matchup.type !== 'special') return undefined
  const special = isRecord(matchup.special) ? matchup.special : {}
  const description = textOf(special.description)
  if (typeof sighting === 'string')
    return { name: description, type: undefined, market: 'moneyline', labels: new Map() }
  const { home, away, sport } = sighting
  const participants = Array.isArray(matchup.participants) ? (matchup.participants as unknown[]).filter(isRecord) : []
  const names = participants.map(({ name }) => textOf(name))
  const prop =
    special.category === PLAYER_PROPS ? playerProp(description, textOf(matchup.units), names, sport) : undefined
  const winner: Mapping | undefined =
    isOutright(sighting) && special.category === FUTURES && WINNER.test(description)
      ? { type: 'outright', labelOf: slugOf, name: 'Winner' }
      : undefined
  const mapping = prop ?? winner ?? (sport === 'football' ? OF_FOOTBALL.get(description) : undefined)
  const labels = new Map<number, string>()
  for (const [at, { id }] of mapping === undefined ? [] : participants.entries()) {
    const label = mapping?.labelOf(names[at]!, home, away) ?? ''
    if (isId(id) && label !== '') labels.set(id, label)
  }
  const anonymous = isOutright(sighting) ? description : description.replace(home, 'Home').replace(away, 'Away')
  return {
    name: mapping?.name ?? anonymous,
    type: mapping?.type,
    market: prop === undefined ? 'moneyline' : 'total',
    labels,
  }
}

const isOutright = ({ away }: EventSighting): boolean => away === ''
