// Fixtures as two sources name them, to measure event identity: how many are found (recall), and how many are merged that
// are not one. Names are those of real clubs, schools and players; who plays whom, when, is drawn.

import type { EventSighting } from '../src/domain/observation.ts'
import type { Sport } from '../src/domain/sport.ts'
import { NameMatcher } from '../src/identity/matcher.ts'
import type { SeededRandom } from '../src/source/simulator/random.ts'

const START = Date.UTC(2026, 10, 2)
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A match as one source names it, and as another does. */
export interface Fixture {
  readonly known: EventSighting
  readonly seen: EventSighting
}

export interface FixtureSet {
  readonly name: string
  readonly fixtures: readonly Fixture[]
}

export interface Measured {
  readonly fixtures: number
  readonly recall: number
  /** Merged with another match: beside the right one, or where that is not on the board. */
  readonly wrong: readonly string[]
  readonly missed: readonly string[]
}

const shown = ({ home, away, leagueKey, leagueName }: EventSighting): string =>
  `${home} v ${away} (${leagueKey}, ${leagueName})`

/** Each match is looked up among all, and among all others. */
export const measure = ({ fixtures }: FixtureSet): Measured => {
  const matcher = new NameMatcher()
  for (const [place, { known }] of fixtures.entries()) matcher.add(place + 1, `a:${place}`, known)
  const wrong: string[] = []
  const missed: string[] = []
  for (const [place, { known, seen }] of fixtures.entries()) {
    const match = matcher.match(seen, () => false)
    if (match?.kind !== 'same') missed.push(`${match?.kind ?? 'none'}: ${shown(known)} = ${shown(seen)}`)
    const other = matcher.match(seen, (event) => event === place + 1)
    for (const each of [match, other]) {
      if (each?.kind !== 'same' || each.event === place + 1) continue
      wrong.push(`${shown(seen)} is not ${shown(fixtures[each.event - 1]!.known)}`)
    }
  }
  return { fixtures: fixtures.length, recall: 1 - missed.length / fixtures.length, wrong, missed }
}

interface Named {
  readonly home: string
  readonly away: string
  readonly leagueKey: string
  readonly leagueName: string
}

const fixture = (sport: Sport, kickoffAt: number, known: Named, seen: Named, lateMinutes: number): Fixture => ({
  known: { sport, kickoffAt, sourceKey: 'a:1', ...known },
  seen: { sport, kickoffAt: kickoffAt + lateMinutes * MINUTE_MS, sourceKey: 'b:1', ...seen },
})

/** Pairs of members that play on each day, each at most once a day. */
function* pairings<Member>(random: SeededRandom, members: readonly Member[], count: number) {
  for (let made = 0, day = 0; made < count; day++) {
    const left = [...members]
    const drawn = (): Member => left.splice(Math.floor(random.next() * left.length), 1)[0]!
    while (left.length > 1 && made < count) {
      made++
      yield { one: drawn(), two: drawn(), day }
    }
  }
}

const dayAt = (day: number, hour: number): number => START + day * DAY_MS + Math.round(hour * 2) * (HOUR_MS / 2)

// --- football

/** Country: what sources call the league, then clubs, each with other spellings. */
const LEAGUES = `
  epl, england_premier_league, english_premier_league, premier_league, england_premier_league_2026_27, unknown
  : Arsenal, Arsenal FC/Chelsea, Chelsea FC/Manchester United, Man Utd, Manchester Utd, Man United
  /Manchester City, Man City/Tottenham Hotspur, Tottenham, Spurs/Wolverhampton Wanderers, Wolves, Wolverhampton
  /Newcastle United, Newcastle, Newcastle Utd/West Ham United, West Ham, West Ham Utd/Brighton and Hove Albion, Brighton
  /Nottingham Forest, Nott'm Forest, Nottm Forest/Leeds United, Leeds, Leeds Utd/Everton, Everton FC/Liverpool, Liverpool FC
  /Crystal Palace, C Palace/Aston Villa, Aston Villa FC/Fulham, Fulham FC/Brentford, Brentford FC/Burnley, Burnley FC
  | spain_la_liga, spain_laliga, la_liga, spain_primera_division, laliga_ea_sports, unknown
  : Real Madrid, R Madrid/Barcelona, FC Barcelona/Atlético Madrid, Atletico Madrid, Ath Madrid, Atl Madrid
  /Athletic Bilbao, Ath Bilbao, Athletic Club/Real Betis, Betis/Real Sociedad, Sociedad/Celta Vigo, Celta/Valencia, Valencia CF
  /Villarreal, Villarreal CF/Sevilla, Sevilla FC/Espanyol, Espanol, RCD Espanyol/Rayo Vallecano, Vallecano/Getafe, Getafe CF
  /Osasuna, CA Osasuna/Girona, Girona FC/Mallorca, RCD Mallorca
  | germany_bundesliga, germany_1_bundesliga, bundesliga, german_bundesliga, unknown
  : Bayern Munich, FC Bayern München, Bayern/Borussia Dortmund, Dortmund, B Dortmund/Bayer Leverkusen, Leverkusen
  /RB Leipzig, Leipzig, RasenBallsport Leipzig/Eintracht Frankfurt, Ein Frankfurt, Frankfurt/VfB Stuttgart, Stuttgart
  /Borussia Monchengladbach, M'gladbach, Mönchengladbach/SC Freiburg, Freiburg/Werder Bremen, SV Werder Bremen
  /1. FC Köln, FC Koln, Cologne/FSV Mainz 05, Mainz, 1. FSV Mainz 05/TSG Hoffenheim, Hoffenheim, 1899 Hoffenheim
  /Union Berlin, 1. FC Union Berlin/Augsburg, FC Augsburg/Hamburger SV, Hamburg, HSV/VfL Wolfsburg, Wolfsburg
  | italy_serie_a, serie_a, italian_serie_a, italy_serie_a_enilive, unknown
  : Inter Milan, Inter, Internazionale/AC Milan, Milan/Juventus, Juventus FC/Napoli, SSC Napoli/AS Roma, Roma/Lazio, SS Lazio
  /Atalanta BC, Atalanta/Fiorentina, ACF Fiorentina/Bologna, Bologna FC/Torino, Torino FC/Udinese, Udinese Calcio/Genoa, Genoa CFC
  /Cagliari, Cagliari Calcio/Hellas Verona, Verona/Parma, Parma Calcio 1913/Lecce, US Lecce
  | france_ligue_one, france_ligue_1, ligue_1, french_ligue_1, france_ligue_1_mcdonalds, unknown
  : Paris Saint Germain, PSG, Paris SG, Paris St-G/Marseille, Olympique Marseille, Olympique de Marseille/Lyon, Olympique Lyonnais
  /AS Monaco, Monaco/Lille, LOSC Lille/Nice, OGC Nice/Rennes, Stade Rennais/RC Lens, Lens/Strasbourg, RC Strasbourg/Nantes, FC Nantes
  /Toulouse, Toulouse FC/Auxerre, AJ Auxerre/Le Havre, Le Havre AC/Angers, Angers SCO/Brest, Stade Brestois 29/Lorient, FC Lorient
  | portugal_primeira_liga, liga_portugal, portugal_liga_portugal, portuguese_primeira_liga, unknown
  : Benfica, SL Benfica/FC Porto, Porto/Sporting Lisbon, Sporting CP, Sp Lisbon/SC Braga, Braga, Sp Braga/Vitória SC, Vitoria Guimaraes, Guimaraes
  /Famalicão, FC Famalicao/Rio Ave FC, Rio Ave/Boavista, Boavista FC/Casa Pia, Casa Pia AC/Estoril, GD Estoril Praia
  | usa_mls, mls, usa_major_league_soccer, unknown
  : LA Galaxy, Los Angeles Galaxy/Los Angeles FC, LAFC/Inter Miami CF, Inter Miami/New York Red Bulls, NY Red Bulls
  /New York City FC, NYCFC, New York City/Seattle Sounders FC, Seattle Sounders/Portland Timbers, Portland Timbers FC
  /Sporting Kansas City, Sporting KC/Atlanta United FC, Atlanta United/Columbus Crew SC, Columbus Crew`

const trimmedParts = (text: string, separator: string | RegExp): string[] =>
  text.split(separator).map((part) => part.trim())

const FOOTBALL = LEAGUES.split('|').map((league) => {
  const [words, clubs] = league.split(':')
  return { words: trimmedParts(words!, ','), clubs: trimmedParts(clubs!, '/').map((club) => trimmedParts(club, ',')) }
})

const DECORATIONS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.normalize('NFD').replace(/\p{M}/gu, ''),
  (name) => name.replace(' United', ' Utd').replace('Saint', 'St'),
]

const football = (random: SeededRandom, count: number): Fixture[] =>
  FOOTBALL.flatMap(({ words, clubs }) => {
    const share = Math.ceil(count / FOOTBALL.length)
    return Array.from(pairings(random, clubs, share), ({ one, two, day }) => {
      const spelt = (club: readonly string[]): string => random.pick(DECORATIONS)(random.pick(club))
      const [word, other] = [random.pick(words), random.pick(words)]
      const known = { home: spelt(one), away: spelt(two), leagueKey: word, leagueName: word }
      const seen = { home: spelt(one), away: spelt(two), leagueKey: other, leagueName: other }
      return fixture('football', dayAt(day, 12 + random.next() * 9), known, seen, random.pick([0, 0, 0, 5, 10]))
    })
  })

// --- persons

const MEN = `Novak Djokovic, Carlos Alcaraz, Jannik Sinner, Alexander Zverev, Mischa Zverev, Daniil Medvedev, Taylor Fritz, Ben Shelton
  Alex de Minaur, Holger Rune, Casper Ruud, Andrey Rublev, Tommy Paul, Frances Tiafoe, Francisco Cerundolo, Juan Manuel Cerundolo
  Stefanos Tsitsipas, Petros Tsitsipas, Felix Auger-Aliassime, Jan-Lennard Struff, Roberto Bautista Agut, Pablo Carreno Busta
  Chun-Hsin Tseng, Yibing Wu, Zhizhen Zhang, Juncheng Shang, Botic van de Zandschulp, Tallon Griekspoor, Giovanni Mpetshi Perricard
  Alejandro Davidovich Fokina, Arthur Fils, Ugo Humbert, Lorenzo Musetti, Matteo Berrettini, Lorenzo Sonego, Daniel Elahi Galan
  Mackenzie McDonald, Christopher O'Connell, Alexei Popyrin, Thiago Seyboth Wild, Thiago Monteiro, Joao Fonseca, Nuno Borges
  Hubert Hurkacz, Kamil Majchrzak, Jiri Lehecka, Tomas Machac, Jakub Mensik, Karen Khachanov, Grigor Dimitrov, Marin Cilic`
const WOMEN = `Iga Swiatek, Aryna Sabalenka, Coco Gauff, Elena Rybakina, Jessica Pegula, Mirra Andreeva, Erika Andreeva, Qinwen Zheng
  Xinyu Wang, Qiang Wang, Yafan Wang, Karolina Pliskova, Karolina Muchova, Petra Kvitova, Barbora Krejcikova, Marketa Vondrousova
  Leylah Annie Fernandez, Bianca Andreescu, Emma Raducanu, Katie Boulter, Harriet Dart, Ons Jabeur, Maria Sakkari, Paula Badosa
  Danielle Collins, Madison Keys, Sloane Stephens, Amanda Anisimova, Emma Navarro, Jasmine Paolini, Camila Osorio, Sorana Cirstea
  Beatriz Haddad Maia, Caroline Garcia, Diane Parry, Clara Tauson, Caroline Wozniacki, Magda Linette, Magdalena Frech, Daria Kasatkina`
const FIGHTERS = `Jon Jones, Alex Pereira, Islam Makhachev, Ilia Topuria, Max Holloway, Dustin Poirier, Charles Oliveira, Justin Gaethje
  Sean O'Malley, Merab Dvalishvili, Umar Nurmagomedov, Usman Nurmagomedov, Khamzat Chimaev, Dricus du Plessis, Israel Adesanya
  Leon Edwards, Belal Muhammad, Kamaru Usman, Colby Covington, Tom Aspinall, Ciryl Gane, Stipe Miocic, Francis Ngannou, Jiri Prochazka
  Benoit Saint Denis, Paddy Pimblett, Michael Chandler, Dan Hooker, Arman Tsarukyan, Zhang Weili, Alexa Grasso, Valentina Shevchenko`

const surnameOf = (name: string): [first: string, rest: string] => {
  const place = name.indexOf(' ')
  return [name.slice(0, place), name.slice(place + 1)]
}

const PERSON_FORMS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => surnameOf(name).toReversed().join(', '),
  (name) => surnameOf(name).toReversed().join(' '),
  (name) => `${surnameOf(name)[1]} ${name[0]}.`,
  (name) => `${name[0]}. ${surnameOf(name)[1]}`,
]
const DOUBLES_FORMS: readonly ((name: string) => string)[] = [...PERSON_FORMS, (name) => surnameOf(name)[1]]

const TOURS = [
  {
    players: trimmedParts(MEN, /[,\n]/),
    key: 'atp',
    words: ['unknown', 'atp', 'r16', 'round_of_16', 'atp_vienna_r1', 'men_singles', 'vienna'],
  },
  {
    players: trimmedParts(WOMEN, /[,\n]/),
    key: 'wta',
    words: ['unknown', 'wta', 'qf', 'wta_beijing_r2', 'women_singles', 'beijing', 'ladies'],
  },
]

/** A source has one form for all its names, and starts move by up to nine hours. */
const persons = (
  random: SeededRandom,
  sport: Sport,
  players: readonly string[],
  [first, ...words]: readonly string[],
  count: number,
): Fixture[] =>
  Array.from(pairings(random, players, count), ({ one, two, day }) => {
    const [a, b, word] = [random.pick(PERSON_FORMS), random.pick(PERSON_FORMS), random.pick(words)]
    const known = { home: a(one), away: a(two), leagueKey: first!, leagueName: first! }
    const seen = { home: b(one), away: b(two), leagueKey: word, leagueName: word }
    // Two days apart: a match that moves is not on another day.
    return fixture(sport, dayAt(3 * day, 9 + random.next() * 12), known, seen, Math.round(random.between(-9, 9) * 60))
  })

const doubles = (
  random: SeededRandom,
  players: readonly string[],
  words: readonly string[],
  count: number,
): Fixture[] => {
  const pairs = Array.from({ length: players.length >>> 1 }, (_, place) => [
    players[2 * place]!,
    players[2 * place + 1]!,
  ])
  return Array.from(pairings(random, pairs, count), ({ one, two, day }) => {
    const [a, b, word] = [random.pick(DOUBLES_FORMS), random.pick(DOUBLES_FORMS), random.pick(words)]
    const known = { home: one.map(a).join(' / '), away: two.map(a).join(' / '), leagueKey: 'unknown', leagueName: '' }
    const seen = {
      home: one.toReversed().map(b).join('/'),
      away: two.map(b).join(' & '),
      leagueKey: word,
      leagueName: word,
    }
    return fixture(
      'tennis',
      dayAt(3 * day, 9 + random.next() * 12),
      known,
      seen,
      Math.round(random.between(-9, 9) * 60),
    )
  })
}

// --- colleges

const COLLEGE_WORDS = {
  unknown: ['unknown'],
  reworded: ['usa_ncaa', 'ncaa_regular_season', 'college', 'usa_division_i', 'ncaa_men', 'week_12'],
} as const

const colleges = (
  random: SeededRandom,
  sport: Sport,
  schools: readonly (readonly string[])[],
  words: readonly string[],
  count: number,
): Fixture[] =>
  Array.from(pairings(random, schools, count), ({ one, two, day }) => {
    const leagueKey = sport === 'basketball' ? 'ncaab' : 'ncaaf'
    const known = { home: one[0]!, away: two[0]!, leagueKey, leagueName: 'NCAA' }
    const word = random.pick(words)
    const seen = { home: random.pick(one), away: random.pick(two), leagueKey: word, leagueName: word }
    return fixture(sport, dayAt(day, 12 + random.next() * 10), known, seen, random.pick([0, 0, 5, 10]))
  })

/** @param schools names of each school, that of The Odds API first */
export const fixtureSets = (
  random: SeededRandom,
  count: number,
  schools: readonly (readonly string[])[],
): FixtureSet[] => [
  { name: 'football', fixtures: football(random, count) },
  ...TOURS.map(({ players, key, words }) => ({
    name: `tennis ${key}`,
    fixtures: persons(random, 'tennis', players, [`${key}_masters`, ...words], count),
  })),
  {
    name: 'tennis doubles',
    fixtures: TOURS.flatMap(({ players, words }) => doubles(random, players, words, count >>> 1)),
  },
  {
    name: 'combat',
    fixtures: persons(
      random,
      'combat_sport',
      trimmedParts(FIGHTERS, /[,\n]/),
      ['mma_mixed_martial_arts', 'unknown', 'ufc', 'ufc_320', 'main_card'],
      count,
    ),
  },
  ...(['basketball', 'american_football'] as const).flatMap((sport) =>
    Object.entries(COLLEGE_WORDS).map(([kind, words]) => ({
      name: `colleges, ${sport}, league ${kind}`,
      fixtures: colleges(random, sport, schools, words, count),
    })),
  ),
]
