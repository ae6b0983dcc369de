// Two matches that are not one though their names nearly are: women and men of a club, youth and reserves, schools with
// the beginning of a name in common, players with one surname. Each pair is to stay apart whichever is known first.

import type { EventSighting } from '../src/domain/observation.ts'
import type { Sport } from '../src/domain/sport.ts'
import { NameMatcher } from '../src/identity/matcher.ts'
import { twoLeagues } from './identity-look-alike-leagues.ts'

const KICKOFF_AT = Date.UTC(2026, 10, 21, 15)
const MINUTE_MS = 60_000

export type LookAlikes = readonly [EventSighting, EventSighting]

interface Facts {
  readonly sport?: Sport
  readonly key?: string
  readonly name?: string
  readonly lateMinutes?: number
}

const sighting = (
  home: string,
  away: string,
  { sport = 'football', key, name, lateMinutes = 0 }: Facts,
): EventSighting => ({
  sport,
  leagueKey: key ?? 'unknown',
  leagueName: name ?? key ?? 'unknown',
  home,
  away,
  kickoffAt: KICKOFF_AT + lateMinutes * MINUTE_MS,
  sourceKey: 'a:1',
})

const CLUBS = [
  'Arsenal v Chelsea',
  'Barcelona v Real Madrid',
  'Bayern Munich v VfL Wolfsburg',
  'Juventus v AS Roma',
  'Lyon v PSG',
]
const SENIOR_LEAGUES = ['unknown', 'epl', 'spain_la_liga', 'germany_bundesliga', 'x']

/** What says that it is another team of the club: by league key and name, or behind each name. */
const OTHER_LEAGUES = [
  ...[
    'wsl',
    'fa_wsl',
    'england_wsl',
    'england_fa_womens_super_league',
    'england_super_league_w',
    'nwsl',
    'liga_f',
    'swpl',
  ],
  ...[
    'frauen_bundesliga',
    'germany_bundesliga_frauen',
    'france_division_1_feminine',
    'd1_arkema',
    'uefa_champions_league_women',
  ],
  ...[
    'spain_primera_division_femenina',
    'italy_serie_a_femminile',
    'toppserien',
    'damallsvenskan',
    'a_league_women',
    'uwcl',
  ],
  ...['england_u21_premier_league', 'premier_league_2', 'england_professional_development_league', 'uefa_youth_league'],
  ...[
    'england_premier_league_u_18',
    'italy_primavera_1',
    'germany_a_junioren_bundesliga',
    'club_friendlies_u19',
    'under_23_cup',
  ],
  ...[
    'england_premier_reserve_league',
    'argentina_reservas',
    'reserves',
    'spain_division_honor_juvenil',
    'brazil_sub_20',
  ],
]
const OTHER_LEAGUE_NAMES = [
  ...[
    "FA Women's Super League",
    'WSL',
    'Super League (W)',
    'Bundesliga, Frauen',
    'Liga F',
    'Première Ligue Féminine',
    'NWSL',
  ],
  ...[
    'U21 Premier League',
    'Premier League 2',
    'UEFA Youth League',
    'Primavera',
    'Under 18 Cup',
    'Reserve League',
    'Reserves',
  ],
]
const OTHER_TEAMS = [
  ...[
    ' Women',
    ' (W)',
    ' W',
    ' Ladies',
    ' WFC',
    ' Femenino',
    ' Féminines',
    ' Frauen',
    ' (F)',
    ' LFC Women',
    ' Women U21',
  ],
  ...[' U21', ' U-19', ' Under 23', ' (Youth)', ' Primavera', ' Juvenil', ' II', ' B', ' Reserves', ' Res.', ' III'],
]

function* ofClubs(): Generator<LookAlikes> {
  for (const match of CLUBS) {
    const [home, away] = match.split(' v ') as [string, string]
    for (const lateMinutes of [0, 5]) {
      for (const key of SENIOR_LEAGUES) {
        const senior = sighting(home, away, { key })
        for (const other of OTHER_LEAGUES) yield [senior, sighting(home, away, { key: other, lateMinutes })]
        for (const name of OTHER_LEAGUE_NAMES) yield [senior, sighting(home, away, { key, name, lateMinutes })]
        for (const end of OTHER_TEAMS) yield [senior, sighting(home + end, away + end, { key, lateMinutes })]
      }
      // Women and youth, each marked elsewhere.
      for (const women of ['wsl', 'liga_f', 'frauen_bundesliga', 'women']) {
        for (const end of [' U21', ' II', ' Reserves']) {
          yield [sighting(home, away, { key: women }), sighting(home + end, away + end, { lateMinutes })]
        }
        yield [sighting(home, away, { key: women }), sighting(home, away, { key: 'premier_league_2', lateMinutes })]
      }
    }
  }
}

const SCHOOLS = `
  Miami (OH)/Miami (FL), Miami Ohio/Miami Florida, USC/South Carolina, Southern California/South Carolina, Southern/Southern Miss
  Michigan/Michigan State, Michigan/Central Michigan, Washington/Washington St, Mississippi/Mississippi State, Ole Miss/Miss St
  Kansas/Kansas City, Kansas/Kansas State, Texas/Texas State, Texas/Texas Tech, Texas A&M/Texas A&M-CC, North Carolina/NC State
  North Carolina/NC Central, Indiana/Indiana State, Loyola (MD)/Loyola (Chi), St. Francis (PA)/St. Francis (NY), Ohio/Ohio State
  Boston College/Boston University, Georgia/Georgia State, Georgia/Georgia Tech, Northwestern/Northwestern St, Iowa/Northern Iowa
  Saint Mary's/Mount St. Mary's, Kent State/Kentucky, Penn/Penn State, Charleston/Charleston Southern, Tennessee/Tennessee Tech
  UT Martin/UT Arlington, Long Beach State/Long Island, Iowa/Iowa State, Oregon/Oregon State, Oklahoma/Oklahoma State
  Alabama/Alabama State, Alabama/South Alabama, Florida/Florida State, Florida/South Florida, Arizona/Arizona State
  Utah/Utah State, Utah/Utah Valley, Virginia/Virginia Tech, Virginia/West Virginia, Illinois/Illinois State, Idaho/Idaho State
  Colorado/Colorado State, Jackson State/Jacksonville State, Jacksonville/Jacksonville State, Louisiana/Louisiana Tech
  Louisiana/Louisiana-Monroe, San Diego/San Diego State, New Mexico/New Mexico State, North Dakota/North Dakota State
  South Dakota/South Dakota State, Houston/Sam Houston, Houston/Houston Christian, Missouri/Missouri State, Saint Louis/St. John's
  Montana/Montana State, Portland/Portland State, Delaware/Delaware State, Tulsa/Tulane, Arkansas/Arkansas State, UNC/UNCW`

function* ofColleges(): Generator<LookAlikes> {
  const pairs = SCHOOLS.split(/[,\n]/).filter((row) => row.includes('/'))
  for (const pair of pairs) {
    const [one, two] = pair.split('/').map((name) => name.trim()) as [string, string]
    for (const sport of ['basketball', 'american_football'] as const) {
      const known = sport === 'basketball' ? 'ncaab' : 'ncaaf'
      for (const [key, other] of [
        [known, known],
        [known, 'usa_ncaa'],
        [known, 'unknown'],
        ['unknown', known],
        ['unknown', 'unknown'],
      ]) {
        yield [sighting(one, 'Gonzaga', { sport, key: key! }), sighting(two, 'Gonzaga', { sport, key: other! })]
        yield [sighting('Duke', two, { sport, key: key! }), sighting('Duke Blue Devils', one, { sport, key: other! })]
      }
    }
    // Women and men of one school, on one day.
    for (const women of [
      { key: 'wncaab' },
      { key: 'usa_ncaaw' },
      { key: 'unknown', name: "NCAA Women's" },
      { key: 'ncaa_women' },
    ]) {
      for (const key of ['ncaab', 'usa_ncaa', 'unknown']) {
        yield [
          sighting(one, two, { sport: 'basketball', key }),
          sighting(one, two, { sport: 'basketball', lateMinutes: 5, ...women }),
        ]
      }
    }
    yield [
      sighting(one, two, { sport: 'basketball', key: 'ncaab' }),
      sighting(`${one} (W)`, `${two} (W)`, { sport: 'basketball', lateMinutes: 5 }),
    ]
  }
  // A college is no professional team of its city.
  for (const cities of ['Houston v Memphis', 'Utah v Indiana', 'Minnesota v Washington', 'Milwaukee v Detroit']) {
    const [home, away] = cities.split(' v ') as [string, string]
    yield [
      sighting(home, away, { sport: 'basketball', key: 'ncaab' }),
      sighting(home, away, { sport: 'basketball', key: 'nba' }),
    ]
  }
}

/** Home, opponent; another home, opponent. */
const PERSONS: readonly [string, string, string, string, Facts?, Facts?][] = [
  ['Karolina Pliskova', 'Iga Swiatek', 'Pliskova Kr.', 'Swiatek I.'],
  ['Pliskova Ka.', 'Swiatek I.', 'Pliskova Kr.', 'Swiatek I.'],
  ['Alexander Zverev', 'Ben Shelton', 'Zverev M.', 'Shelton B.'],
  ['Zverev A.', 'Shelton B.', 'Mischa Zverev', 'Ben Shelton'],
  ['Francisco Cerundolo', 'Ben Shelton', 'Cerundolo J. M.', 'Shelton B.'],
  ['Juan Manuel Cerundolo', 'Ben Shelton', 'Cerundolo F.', 'Ben Shelton'],
  ['Stefanos Tsitsipas', 'Ben Shelton', 'P. Tsitsipas', 'B. Shelton'],
  ['Xinyu Wang', 'Coco Gauff', 'Xiyu Wang', 'Coco Gauff'],
  ['Wang X.', 'Zhang S.', 'Wang X.', 'Zhang S.', { key: 'atp_beijing' }, { key: 'wta_beijing' }],
  ['Wang X.', 'Zhang S.', 'Wang X.', 'Zhang S.', { key: 'm25_tianjin' }, { key: 'w35_tianjin' }],
  ['Wang X.', 'Zhang S.', 'Xin Wang', 'Shuai Zhang', { key: 'men_singles' }, { name: 'Beijing, Women Singles' }],
  ['Zverev A.', 'Cerundolo F.', 'Zverev A. / Zverev M.', 'Cerundolo F. / Cerundolo J. M.'],
  ['Zverev A. / Zverev M.', 'Tsitsipas S. / Tsitsipas P.', 'Alexander Zverev', 'Stefanos Tsitsipas'],
  ['Zverev / Krawietz', 'Tsitsipas / Puetz', 'Zverev / Mies', 'Tsitsipas / Puetz'],
  ['Jan Zielinski / Hugo Nys', 'A One / B Two', 'Hugo Zielinski / Jan Nys', 'A One / B Two'],
  ['Djokovic N.', 'Alcaraz C.', 'Djokovic', 'Alcaraz'],
  ['Djokovic N.', 'Alcaraz C.', 'Djokovic M.', 'Alcaraz C.'],
  [
    'Umar Nurmagomedov',
    'Jon Jones',
    'Usman Nurmagomedov',
    'Jon Jones',
    { sport: 'combat_sport' },
    { sport: 'combat_sport' },
  ],
  [
    'Chris Eubank Jr',
    'Conor Benn',
    'Chris Eubank Sr',
    'Nigel Benn',
    { sport: 'combat_sport' },
    { sport: 'combat_sport' },
  ],
  ['Chris Eubank', 'Conor Benn', 'Chris Eubank', 'Nigel Benn', { sport: 'combat_sport' }, { sport: 'combat_sport' }],
  ['T1', 'Gen.G', 'T1 Academy', 'Gen.G Academy', { sport: 'esports' }, { sport: 'esports' }],
  [
    'T1',
    'Gen.G',
    'T1',
    'Gen.G',
    { sport: 'esports', key: 'lck' },
    { sport: 'esports', key: 'lck_academy', lateMinutes: 5 },
  ],
  ['G2 Esports', 'Fnatic', 'G2 Hel', 'Fnatic Rising', { sport: 'esports' }, { sport: 'esports' }],
  [
    'Las Vegas Aces',
    'Utah Jazz',
    'Las Vegas',
    'Utah',
    { sport: 'basketball', key: 'wnba' },
    { sport: 'basketball', key: 'nba' },
  ],
]

/** Pairs that are not one match. */
export function* lookAlikes(): Generator<LookAlikes> {
  for (const { sport, lateMinutes, ...each } of twoLeagues()) {
    yield [
      sighting(each.home, each.away, { sport, key: each.league }),
      sighting(each.otherHome, each.otherAway, { sport, key: each.otherLeague, lateMinutes }),
    ]
  }
  yield* ofClubs()
  yield* ofColleges()
  for (const [home, away, otherHome, otherAway, facts, otherFacts] of PERSONS) {
    yield [
      sighting(home, away, { sport: 'tennis', ...facts }),
      sighting(otherHome, otherAway, { sport: 'tennis', ...otherFacts }),
    ]
  }
}

const shown = ({ home, away, leagueKey, leagueName }: EventSighting): string =>
  `${home} v ${away} (${leagueKey}, ${leagueName})`

/** Those that are merged, and how many were asked. */
export const mergedLookAlikes = (): { readonly asked: number; readonly merged: readonly string[] } => {
  const merged: string[] = []
  let asked = 0
  for (const pair of lookAlikes()) {
    for (const [known, seen] of [pair, pair.toReversed() as [EventSighting, EventSighting]]) {
      const matcher = new NameMatcher()
      matcher.add(1, 'a:1', known)
      asked++
      if (matcher.match({ ...seen, sourceKey: 'b:1' }, () => false)?.kind === 'same') {
        merged.push(`${shown(seen)} is not ${shown(known)}`)
      }
    }
  }
  return { asked, merged }
}
