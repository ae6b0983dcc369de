// Numbers, times and names as people read them.

import { SPORT_NAMES } from '../domain/sport.ts'

export const count = (value: number): string => value.toLocaleString('en-GB')

export const limitText = (value: number): string => (value === 0 ? 'unlimited' : count(value))

export const octets = (value: number): string =>
  value < 1024
    ? `${value} B`
    : value < 1024 ** 2
      ? `${(value / 1024).toFixed(1)} KiB`
      : `${(value / 1024 ** 2).toFixed(1)} MiB`

export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} days`
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const MINUTE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const SECOND = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
})

/** Such as `20 Nov 2026`; all times are UTC, as in the interface. */
export const day = (at: string): string => DAY_OF_YEAR.format(new Date(at))
export const shortDay = (at: string): string => DAY.format(new Date(at))
export const minute = (at: string): string => MINUTE.format(new Date(at))
export const second = (at: string): string => SECOND.format(new Date(at))
export const dayAndMinute = (at: string): string => `${shortDay(at)}, ${minute(at)}`

/** Such as `3 min ago`. */
export const ago = (at: string | null, now: number): string => {
  if (at === null) return 'never'
  const ms = now - Date.parse(at)
  return ms < 60_000 ? 'just now' : `${duration(ms)} ago`
}

const spaced = (word: string): string => word.replaceAll('_', ' ')

const MARKET_NAMES: Readonly<Record<string, string>> = {
  match_result_1x2: 'Match result',
  btts: 'Both teams to score',
  halftime_fulltime: 'Half time / full time',
  total_goals: 'Total goals',
  player_prop: 'Player props',
}

/** A key that has no name goes by its id. */
export const keyName = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  name === '' ? id : name

/** Such as `Total goals`. */
export const marketName = (type: string): string => {
  const name = MARKET_NAMES[type] ?? spaced(type)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Handicaps have their sign. */
export const lineText = (type: string, line: number | null): string => {
  if (line === null) return ''
  return /spread|line/.test(type) && line > 0 ? `+${line}` : String(line)
}

export const outcomeName = (outcome: string): string => spaced(outcome)

export const sportName = (sport: string): string =>
  (SPORT_NAMES as Readonly<Record<string, string>>)[sport] ?? spaced(sport)

/** Two digits behind the point, three where the price needs them; none of a whole price from 100 on. */
export const oddsText = (odds: number): string => {
  if (odds >= 100) return String(Number(odds.toFixed(2)))
  const two = odds.toFixed(2)
  return Number(two) === odds ? two : odds.toFixed(3)
}

export const percent = (share: number): string => {
  const text = (share * 100).toFixed(1)
  return `${text === '-0.0' ? '0.0' : text}%`
}

/** Why a quote is suspended, on a mark and in a sentence (docs/architecture.md 3.3). */
export const CAUSES: Readonly<Record<string, readonly [mark: string, sentence: string]>> = {
  book: ['book', 'suspended by the bookmaker'],
  source_down: ['down', 'suspended: its source is silent for longer than its terms allow'],
  gap: ['gap', 'suspended: its source may have missed something'],
  clock: ['clock', 'suspended: the clock of its source is ahead'],
  operator: ['oper.', 'suspended by an operator of this service'],
  '': ['susp.', 'suspended; its cause was said before this page listened'],
  // Of prices that have ended.
  closed: ['closed', 'closed: the bookmaker has ended it'],
  aged_out: ['old', 'left out: nobody has confirmed it for 24 hours'],
}

export const causeOf = (cause: string): readonly [mark: string, sentence: string] =>
  CAUSES[cause] ?? [spaced(cause).slice(0, 5), `suspended: ${spaced(cause)}`]
