// What the words of a league say of its matches (docs/identity.md 4.1): which team of a club plays, men or women, one or
// two a side, colleges or not, and whether two sources can mean one league. A league has a key and a name, and a source
// may give the fact in either.

import { UNKNOWN_LEAGUE } from '../domain/observation.ts'
import { slugOf } from '../domain/slug.ts'
import type { Sport } from '../domain/sport.ts'
import type { Colleges } from './alias-table.ts'
import { competitionOf, marksOfWords } from './league-words.ts'
import { isFree, isOfPersons } from './persons.ts'
import {
  DOUBLES,
  doMarksAgree,
  MEN,
  numberOf,
  SECOND,
  SIMULATED,
  TEAM_MARKS,
  THIRD,
  WOMEN,
  WORDS_OF_AGES,
} from './words.ts'

/** A parsed league. */
export interface League {
  /** A hash of its key, whatever the order and the usual variants of its words; {@link NO_LEAGUE} where it names none. */
  readonly number: number
  /** Numbers of its country and of the known competition that it is, 0 for none or several: see {@link areElsewhere}. */
  readonly country: number
  /** Marks of all its sides: bits as in a name's. */
  readonly marks: number
  /** Which names of US colleges its teams may have. */
  readonly colleges: Colleges
}

export const NO_LEAGUE = 0

/** How two leagues relate: `reworded` is another key that does not contradict. */
export type LeagueRelation = 'same' | 'reworded' | 'other' | 'unknown'

const COUNTRY_BITS = 0xff

/** Whether two leagues are of two countries, or two known competitions. */
const areElsewhere = (a: number, b: number): boolean => {
  const isOther = (one: number, two: number): boolean => one !== two && one !== 0 && two !== 0
  return a !== b && (isOther(a & COUNTRY_BITS, b & COUNTRY_BITS) || isOther(a >>> 8, b >>> 8))
}

/** Whether a league is a known competition: of men, unless it has the mark of women. */
export const isKnownCompetition = (country: number): boolean => country >>> 8 !== 0

export const leagueRelation = (a: number, aCountry: number, b: number, bCountry: number): LeagueRelation => {
  // Two leagues of one key may have names of two countries.
  if (areElsewhere(aCountry, bCountry)) return 'other'
  if (a === NO_LEAGUE || b === NO_LEAGUE) return 'unknown'
  return a === b ? 'same' : 'reworded'
}

// A "Serie B" or a "League II" is no league of second teams.
const TEAM_LEAGUE_MARKS = ~(SECOND | THIRD)

const wordsOf = (rows: string): string[] => rows.split(/\s+/).filter(Boolean)

// Of sports of persons: each tour, and what its tournaments are called.
const WOMENS_TOUR = new Set(
  wordsOf('wta women womens woman ladies girls female femenino frauen damen dames lpga w ws wd'),
)
const MENS_TOUR = new Set(wordsOf('atp men mens man gentlemen boys male herren messieurs ms md'))
const ITF_TOURNAMENT = /^([mw])(?:15|25|35|40|50|60|75|80|100)$/
const DOUBLES_WORDS = new Set(wordsOf('doubles double dobles doppel dubbel md wd xd'))

const COLLEGE_WORDS = new Set(
  wordsOf('college colleges collegiate cfb cbb cfp fbs fcs ncaaf ncaab wncaab wcbb ncaam ncaaw ncaawb wncaa cws wcws'),
)

const PROFESSIONAL_WORDS = new Set(
  wordsOf('nba wnba nfl mlb milb nhl ahl cfl ufl xfl usfl gleague nbl npb kbo euroleague eurocup'),
)

/** Country = words that name it in a league. */
const COUNTRY_ROWS = `
  england english|scotland scottish|wales welsh cymru|ireland|spain spanish espana laliga|germany german deutschland
  italy italian italia|france french|netherlands dutch holland eredivisie|portugal portuguese|turkey turkish turkiye
  greece greek|belgium belgian|switzerland swiss|austria austrian|denmark danish|sweden swedish allsvenskan
  norway norwegian eliteserien|finland finnish veikkausliiga|poland polish ekstraklasa|czech czechia|russia russian
  ukraine ukrainian|croatia croatian|serbia serbian|romania romanian|bulgaria bulgarian|hungary hungarian
  slovakia slovak|slovenia slovenian|cyprus cypriot|israel israeli|iceland icelandic|estonia|latvia|lithuania|belarus
  georgia|armenia|azerbaijan|kazakhstan|uzbekistan|albania|kosovo|macedonia|montenegro|bosnia|malta|luxembourg|moldova
  faroe|gibraltar|andorra|brazil brazilian brasil brasileirao brasileiro|argentina argentine argentinian
  mexico mexican ligamx|chile chilean|colombia colombian|peru peruvian|uruguay uruguayan|paraguay|ecuador|bolivia
  venezuela|honduras|guatemala|panama|jamaica|canada canadian|usa mls|japan japanese|korea korean kleague|china chinese
  australia australian aleague|india|thailand thai|vietnam|indonesia indonesian|malaysia|singapore|philippines|taiwan
  saudi|qatar|uae emirates|iran|iraq|jordan|kuwait|bahrain|oman|egypt egyptian|morocco|tunisia|algeria|nigeria|ghana
  kenya|uganda|tanzania|ethiopia|zambia|zimbabwe|angola|cameroon|senegal|rwanda
  sudan|southafrica|northernireland|newzealand|costarica|elsalvador|hongkong|lebanon|syria|libya|palestine|nicaragua
  mali|mozambique|botswana|malawi|namibia|cambodia|myanmar|nepal|bangladesh|pakistan|srilanka|mongolia|kyrgyzstan
  tajikistan|turkmenistan`

const COUNTRIES: ReadonlyMap<string, number> = new Map(
  COUNTRY_ROWS.trim()
    .split(/[|\n]/)
    .flatMap((row, place) => wordsOf(row).map((word) => [word, place + 1] as const)),
)

// Named like a country: another one, or none.
const NOT_A_COUNTRY = /(?:^|_)(?:chinese_taipei|new_england|south_american?|usa_georgia)(?=_|$)/g

// Countries of two words.
const OF_TWO_WORDS =
  /(?<=^|_)(south|northern|new|costa|el|hong|sri)_(africa|ireland|zealand|rica|salvador|kong|lanka)(?=_|$)/g

/** What a word of a key is in its compared form. */
const FORMS: ReadonlyMap<string, string> = new Map(
  wordsOf(`one=1 two=2 three=3 i=1 ii=2 iii=3 first=1 1st=1 second=2 2nd=2 third=3 3rd=3 laliga=la_liga
  superleague=super_league aleague=a_league kleague=k_league jleague=j_league ligamx=liga_mx lig=league
  superligaen=superliga div=division english=england spanish=spain german=germany italian=italy french=france
  dutch=netherlands portuguese=portugal turkish=turkey greek=greece belgian=belgium swiss=switzerland austrian=austria
  danish=denmark swedish=sweden norwegian=norway finnish=finland polish=poland scottish=scotland brazilian=brazil
  mexican=mexico saudi_arabian=saudi_arabia australian=australia`).map((row) => row.split('=') as [string, string]),
)

const FILLERS = new Set(
  wordsOf('the of football soccer basketball hockey baseball american regular season cup_ ladbrokes jupiler ea sports'),
)

const YEAR = /^(?:19|20)\d\d$|^\d\d$/
const DIGITS_BEHIND = /([a-z]{3,})([1-9])(?=_|$)/g

const comparedWords = (key: string): string =>
  key
    .replace(DIGITS_BEHIND, '$1_$2')
    .split('_')
    .filter((word) => !FILLERS.has(word) && !YEAR.test(word))
    .flatMap((word) => (FORMS.get(word) ?? word).split('_'))
    .toSorted()
    .join('_')

/** One league = what else it is called. */
const SAME_ROWS = `
  england_premier_league = epl english_premier_league
  england_championship = efl_championship england_efl_championship sky_bet_championship
  spain_la_liga = spain_primera_division la_liga laliga_ea_sports primera_division_spain
  spain_segunda_division = spain_la_liga_2 la_liga_2 la_liga_2_spain spain_laliga_hypermotion laliga_hypermotion
  germany_2_bundesliga = germany_bundesliga_2 2_bundesliga bundesliga_2
  france_ligue_1 = ligue_1 france_ligue_1_mcdonalds | france_ligue_2 = ligue_2 france_ligue_2_bkt
  netherlands_eredivisie = eredivisie | portugal_primeira_liga = liga_portugal portugal_liga_portugal primeira_liga
  turkey_super_league = super_lig turkey_trendyol_super_lig
  belgium_first_div = belgium_first_division_a belgium_pro_league belgium_first_division
  denmark_superliga = danish_superliga denmark_superligaen | poland_ekstraklasa = ekstraklasa
  sweden_allsvenskan = allsvenskan | norway_eliteserien = eliteserien | finland_veikkausliiga = veikkausliiga
  usa_mls = mls usa_major_league_soccer major_league_soccer | mexico_liga_mx = liga_mx mexico_primera_division
  brazil_campeonato = brazil_serie_a brazil_brasileirao_serie_a brazil_brasileiro_serie_a brasileirao
  argentina_primera_division = argentina_liga_profesional argentina_liga_pro argentina_superliga
  chile_campeonato = chile_primera_division | japan_j_league = japan_j1_league j1_league japan_j_league_1
  korea_kleague1 = south_korea_k_league_1 k_league_1 | china_super_league = chinese_super_league
  saudi_arabia_pro_league = saudi_pro_league saudi_arabia_saudi_pro_league | scotland_premiership = scottish_premiership
  ncaab = usa_ncaab ncaa usa_ncaa ncaa_basketball usa_ncaa_basketball college_basketball ncaa_men ncaam
  ncaaf = usa_ncaaf ncaa_football usa_ncaa_football college_football ncaa_division_1 fbs
  nba = usa_nba | wnba = usa_wnba | nhl = usa_nhl | nfl = usa_nfl | mlb = usa_mlb`

const SAME: ReadonlyMap<string, string> = new Map(
  SAME_ROWS.split(/[|\n]/)
    .filter((row) => row.includes('='))
    .flatMap((row) => {
      const [name, others] = row.split('=')
      return wordsOf(others!).map((other) => [comparedWords(other), comparedWords(name!.trim())] as const)
    }),
)

const marksOfTeams = (slug: string, sport: Sport): number => {
  const words = slug.split('_')
  let marks = marksOfWords(words, sport)
  for (const [place, word] of words.entries()) {
    if (word.length > 1) marks |= (TEAM_MARKS.get(word) ?? 0) & TEAM_LEAGUE_MARKS
    if (WORDS_OF_AGES.has(word)) marks |= TEAM_MARKS.get(word + (words[place + 1] ?? '')) ?? 0
  }
  return sport === 'esports' ? marks & ~SIMULATED : marks
}

const marksOfPersons = (slug: string, sport: Sport): number => {
  let marks = marksOfWords(slug.split('_'), sport) & SIMULATED
  for (const word of slug.split('_')) {
    const itf = ITF_TOURNAMENT.exec(word)?.[1]
    if (WOMENS_TOUR.has(word) || itf === 'w') marks |= WOMEN
    if (MENS_TOUR.has(word) || itf === 'm') marks |= MEN
    if (DOUBLES_WORDS.has(word)) marks |= DOUBLES
  }
  // Both: a tournament of both, or mixed doubles.
  return (marks & WOMEN) !== 0 && (marks & MEN) !== 0 ? marks & ~(WOMEN | MEN) : marks
}

const countryOf = (slug: string): number => {
  let country = 0
  for (const word of slug
    .replace(NOT_A_COUNTRY, '')
    .replace(OF_TWO_WORDS, '$1$2')
    .replace(DIGITS_BEHIND, '$1_$2')
    .split('_')) {
    const found = COUNTRIES.get(word)
    if (found === undefined || found === country) continue
    if (country !== 0) return 0
    country = found
  }
  return country
}

const collegesOf = (slug: string): Colleges => {
  const words = slug.split('_')
  if (words.some((word) => word.startsWith('ncaa') || COLLEGE_WORDS.has(word))) return 'all'
  return words.some((word) => PROFESSIONAL_WORDS.has(word)) ? 'none' : 'some'
}

const parsed = (leagueKey: string, leagueName: string, sport: Sport): League => {
  const key = leagueKey === UNKNOWN_LEAGUE ? '' : slugOf(leagueKey)
  const name = leagueName === UNKNOWN_LEAGUE ? '' : slugOf(leagueName)
  const marksOf = isOfPersons(sport) ? marksOfPersons : marksOfTeams
  const compared = comparedWords(key)
  const number = key === '' ? NO_LEAGUE : numberOf(SAME.get(compared) ?? compared) || 1
  return {
    number,
    country: (countryOf(key) || countryOf(name)) | (competitionOf(`${key}_${name}`.split('_')) << 8),
    marks: marksOf(key, sport) | marksOf(name, sport),
    colleges: collegesOf(`${key}_${name}`),
  }
}

/** A league, as a sighting or an event names it. */
interface Named {
  readonly sport: Sport
  readonly leagueKey: string
  readonly leagueName: string
}

/** Whether two leagues, as far as their words say, can be of one match. */
export const doLeaguesAgree = (a: Named, b: Named): boolean => {
  if (a.leagueName === b.leagueName && a.leagueKey === b.leagueKey) return true
  const one = parsed(a.leagueKey, a.leagueName, a.sport)
  const two = parsed(b.leagueKey, b.leagueName, b.sport)
  return (
    doMarksAgree(one.marks, two.marks, isOfPersons(a.sport)) &&
    (isFree(a.sport) || !areElsewhere(one.country, two.country))
  )
}

// Two thousand of several sources; parsing one costs as much as ten lookups.
const LEAGUES_MAX = 8_192

/** Parses leagues; remembers a bounded number of them. */
export class LeagueReader {
  /** By key, then by name; cleared when full. */
  private readonly bySport = new Map<Sport, Map<string, Map<string, League>>>()
  private count = 0

  leagueOf(leagueKey: string, leagueName: string, sport: Sport): League {
    let leagues = this.bySport.get(sport)
    let byName = leagues?.get(leagueKey)
    const known = byName?.get(leagueName)
    if (known !== undefined) return known
    if (this.count >= LEAGUES_MAX) {
      this.bySport.clear()
      this.count = 0
      leagues = undefined
      byName = undefined
    }
    const league = parsed(leagueKey, leagueName, sport)
    if (leagues === undefined) this.bySport.set(sport, (leagues = new Map()))
    if (byName === undefined) leagues.set(leagueKey, new Map([[leagueName, league]]))
    else byName.set(leagueName, league)
    this.count++
    return league
  }
}
