// The recorded snapshot of The Odds API as of now: v4 answers by sport key, and the quotes in them.

import type { Sport } from '../../src/domain/sport.ts'
import { slugOf } from '../../src/domain/slug.ts'
import { FILES, MINUTE_MS, columnsOf, groupBy, linesOf, pathOf, read, timeText, type Expected } from './payloads.ts'

/** An event in the words of The Odds API. */
export interface Match {
  readonly id: string
  readonly home: string
  readonly away: string
  readonly kickoffAt: number
}

interface Row {
  readonly eventId: string
  readonly sportKey: string
  readonly title: string
  readonly kickoffAt: number
  readonly home: string
  readonly away: string
  readonly takenAt: number
  readonly call: string
  readonly bookmaker: string
  readonly bookmakerTitle: string
  readonly seenAt: number
  readonly market: string
  readonly outcome: string
  readonly price: number
  readonly point: number | null
}

const rowOf = (line: string): Row => {
  const columns = columnsOf(line)
  const [eventId, sportKey, title, kickoff, home, away, taken, call, bookmaker, bookmakerTitle, seen] = columns
  const [market, outcome, price, point] = columns.slice(11)
  // Digits beyond milliseconds are cut.
  const takenAt = Date.parse(taken!.replace(/(\.\d{3})\d+/, '$1'))
  return {
    ...{ eventId: eventId!, sportKey: sportKey!, title: title!, kickoffAt: Date.parse(kickoff!) },
    ...{ home: home!, away: away!, takenAt, call: call!, bookmaker: bookmaker!, bookmakerTitle: bookmakerTitle! },
    ...{ seenAt: seen === '' ? takenAt : Date.parse(seen!), market: market!, outcome: outcome!, price: Number(price) },
    point: point === '' ? null : Number(point),
  }
}

/** Sports of the recording by the beginning of their keys (docs/feeds.md 3); lacrosse and politics have none. */
export const SPORT_OF_PREFIX: Readonly<Record<string, Sport>> = {
  soccer: 'football',
  tennis: 'tennis',
  basketball: 'basketball',
  icehockey: 'ice_hockey',
  baseball: 'baseball',
  aussierules: 'australian_rules',
  rugbyleague: 'rugby',
  cricket: 'cricket',
  boxing: 'combat_sport',
  mma: 'combat_sport',
  americanfootball: 'american_football',
  golf: 'golf',
}

const HANDICAP_OF: Partial<Record<Sport, string>> = { baseball: 'run_line', ice_hockey: 'puck_line' }

const moneylineOf = (sport: Sport, hasDraw: boolean): string => {
  if (sport === 'football') return 'match_result_1x2'
  if (!hasDraw) return 'match_winner'
  return sport === 'combat_sport' ? 'fight_betting' : 'match_result_1x2'
}

const expectedOf = (row: Row, sport: Sport, hasDraw: boolean): Expected | undefined => {
  const { eventId, home, away, bookmaker, market, outcome: name, price: odds, point, seenAt: at } = row
  if (odds <= 1) return undefined
  const side = name === home ? 'home' : name === away ? 'away' : 'draw'
  const key = `the-odds-api:${eventId}`
  switch (market) {
    case 'h2h':
      return { key, bookmaker, type: moneylineOf(sport, hasDraw), line: null, outcome: side, odds, at }
    case 'spreads': {
      const line = side === 'home' ? point! : 0 - point!
      return { key, bookmaker, type: HANDICAP_OF[sport] ?? 'spread', line: line + 0, outcome: side, odds, at }
    }
    case 'totals': {
      const type = sport === 'football' ? 'total_goals' : 'total'
      return { key, bookmaker, type, line: point, outcome: name.toLowerCase(), odds, at }
    }
    case 'outrights':
      return { key, bookmaker, type: 'outright', line: null, outcome: slugOf(name), odds, at }
    default:
      return undefined
  }
}

export interface TheOddsApiReplay {
  /** By sport key: the v4 answer. */
  readonly bodies: ReadonlyMap<string, string>
  readonly expected: readonly Expected[]
  /** Football matches. */
  readonly matches: readonly Match[]
}

/** The v4 shape: events > bookmakers > markets > outcomes. A call more of the same book is listed once more. */
const v4Of = (rows: readonly Row[]): string =>
  JSON.stringify(
    Array.from(groupBy(rows, ({ eventId }) => eventId).values(), (ofEvent) => {
      const { eventId, sportKey, title, kickoffAt, home, away } = ofEvent[0]!
      return {
        ...{ id: eventId, sport_key: sportKey, sport_title: title, commence_time: timeText(kickoffAt) },
        ...{ home_team: home === '' ? null : home, away_team: away === '' ? null : away },
        bookmakers: Array.from(
          groupBy(ofEvent, ({ bookmaker, call }) => `${call} ${bookmaker}`).values(),
          (ofBookmaker) => ({
            ...{ key: ofBookmaker[0]!.bookmaker, title: ofBookmaker[0]!.bookmakerTitle },
            markets: Array.from(
              groupBy(ofBookmaker, ({ market, seenAt }) => `${market} ${seenAt}`).values(),
              (ofMarket) => ({
                ...{ key: ofMarket[0]!.market, last_update: timeText(ofMarket[0]!.seenAt) },
                outcomes: ofMarket.map(({ outcome, price, point }) => ({
                  ...{ name: outcome, price },
                  ...(point === null ? {} : { point }),
                })),
              }),
            ),
          }),
        ),
      }
    }),
  )

/** @param kickoffOf another kickoff for a match; undefined: that of the recording, moved like all times */
export const theOddsApi = (
  nowAt: number,
  kickoffOf: (home: string, away: string) => number | undefined,
): TheOddsApiReplay => {
  const rows = linesOf(read(pathOf(FILES.snapshot)))
    .slice(1)
    .map(rowOf)
  const newestAt = rows.reduce((newest, { takenAt, seenAt }) => Math.max(newest, takenAt, seenAt), 0)
  const shiftMs = Math.floor((nowAt - newestAt) / MINUTE_MS) * MINUTE_MS
  const moved = rows.map((row) => ({
    ...row,
    kickoffAt: (isFootball(row) ? kickoffOf(row.home, row.away) : undefined) ?? row.kickoffAt + shiftMs,
    takenAt: row.takenAt + shiftMs,
    seenAt: row.seenAt + shiftMs,
  }))
  const draws = new Set(
    moved.filter(({ outcome }) => outcome === 'Draw').map(({ eventId, bookmaker }) => `${eventId} ${bookmaker}`),
  )
  const matches = new Map<string, Match>()
  const expected: Expected[] = []
  for (const row of moved) {
    const { eventId: id, home, away, kickoffAt } = row
    const sport = SPORT_OF_PREFIX[row.sportKey.split('_')[0]!]
    const quote = sport && expectedOf(row, sport, draws.has(`${id} ${row.bookmaker}`))
    if (quote !== undefined) expected.push(quote)
    if (isFootball(row) && away !== '') matches.set(id, { id, home, away, kickoffAt })
  }
  const bodies = new Map(
    Array.from(
      groupBy(moved, ({ sportKey }) => sportKey),
      ([key, some]) => [key, v4Of(some)],
    ),
  )
  return { bodies, expected, matches: [...matches.values()] }
}

const isFootball = ({ sportKey }: Row): boolean => sportKey.startsWith('soccer_')
