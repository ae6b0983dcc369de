// The recorded seasons of football-data, with the rows of matches that The Odds API names as of now.

import { slugOf } from '../../src/domain/slug.ts'
import { SEASONS, columnsOf, linesOf, read, seasonPath, timeText, type Expected } from './payloads.ts'

/** Its spellings of clubs that The Odds API names otherwise; written by hand from both files. */
export const FOOTBALL_DATA_NAMES: Readonly<Record<string, string>> = {
  Brighton: 'Brighton and Hove Albion',
  Ipswich: 'Ipswich Town',
  Leicester: 'Leicester City',
  'Man City': 'Manchester City',
  'Man United': 'Manchester United',
  Newcastle: 'Newcastle United',
  "Nott'm Forest": 'Nottingham Forest',
  Tottenham: 'Tottenham Hotspur',
  'West Ham': 'West Ham United',
  Wolves: 'Wolverhampton Wanderers',
  Alaves: 'Alavés',
  Almeria: 'Almería',
  'Ath Bilbao': 'Athletic Bilbao',
  'Ath Madrid': 'Atlético Madrid',
  Betis: 'Real Betis',
  Cadiz: 'Cádiz CF',
  Celta: 'Celta Vigo',
  Granada: 'Granada CF',
  Osasuna: 'CA Osasuna',
  Sociedad: 'Real Sociedad',
  Vallecano: 'Rayo Vallecano',
}

const BRITISH = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/London',
  ...{ day: '2-digit', month: '2-digit', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
})

/** Closing columns by book: home, draw, away; over, under; home and away of the handicap. */
const CLOSING: readonly (readonly [prefix: string, bookmaker: string])[] = [
  ['B365C', 'bet365'],
  ['BWC', 'bwin'],
  ['IWC', 'interwetten'],
  ['PSC', 'pinnacle'],
  ['PC', 'pinnacle'],
  ['WHC', 'williamhill'],
  ['VCC', 'betvictor'],
  ['1XBC', 'onexbet'],
  ['BFC', 'betfair_sb_uk'],
  ['BFEC', 'betfair_ex_uk'],
]

const CLOSING_COLUMNS: readonly (readonly [suffix: string, type: string, outcome: string])[] = [
  ['H', 'match_result_1x2', 'home'],
  ['D', 'match_result_1x2', 'draw'],
  ['A', 'match_result_1x2', 'away'],
  ['>2.5', 'total_goals', 'over'],
  ['<2.5', 'total_goals', 'under'],
  ['AHH', 'spread', 'home'],
  ['AHA', 'spread', 'away'],
]

export interface SeasonReplay {
  readonly season: string
  readonly text: string
  readonly expected: readonly Expected[]
}

/** @param isPlayed whether The Odds API has a match: its row is one of now, all others are history */
export const footballData = (kickoffAt: number, isPlayed: (home: string, away: string) => boolean): SeasonReplay[] => {
  const taken = new Set<string>()
  const parts = new Map(BRITISH.formatToParts(kickoffAt).map(({ type, value }) => [type, value]))
  const date = `${parts.get('day')}/${parts.get('month')}/${parts.get('year')}`
  const time = `${parts.get('hour')}:${parts.get('minute')}`
  return SEASONS.map((season) => {
    const [header, ...lines] = linesOf(read(seasonPath(season)))
    const names = columnsOf(header!)
    const place = (name: string): number => names.indexOf(name)
    const expected: Expected[] = []
    const rows = lines.map((line) => {
      const columns = [...columnsOf(line)]
      const sides = ['HomeTeam', 'AwayTeam'].map((name) => columns[place(name)]!)
      const [home, away] = sides.map((name) => FOOTBALL_DATA_NAMES[name] ?? name)
      // Two seasons have some matches twice.
      if (!isPlayed(home!, away!) || taken.has(`${home} ${away}`)) return line
      taken.add(`${home} ${away}`)
      columns[place('Date')] = date
      columns[place('Time')] = time
      const slugs = sides.map(slugOf)
      const key = ['football-data', columns[0], timeText(kickoffAt).slice(0, 10), ...slugs].join(':')
      for (const [prefix, bookmaker] of CLOSING) {
        for (const [suffix, type, outcome] of CLOSING_COLUMNS) {
          const cell = columns[place(prefix + suffix)] ?? ''
          if (place(prefix + suffix) === -1 || cell === '') continue
          const line = type === 'spread' ? Number(columns[place('AHCh')]) : type === 'total_goals' ? 2.5 : null
          expected.push({ key, bookmaker, type, line, outcome, odds: Number(cell), at: kickoffAt })
        }
      }
      return columns.join(',')
    })
    return { season, text: [header, ...rows].join('\n'), expected }
  })
}
