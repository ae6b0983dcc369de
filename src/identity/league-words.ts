// Words of leagues that say which teams of a club play, and what they play (docs/identity.md 2.5 and 4).

import type { Sport } from '../domain/sport.ts'
import { BEACH, INDOOR, RESERVES, SEVENS, SIMULATED, TEAM_MARKS, THREES, WOMEN, YOUTH } from './words.ts'

const wordsOf = (rows: string): string[] => rows.split(/\s+/).filter(Boolean)

/** A mark = words of a league's key or name that give it; several words of one league are joined by `_`. */
const ROWS: readonly (readonly [mark: number, words: string])[] = [
  [
    WOMEN,
    `wsl fawsl nwsl wnba wnbl wnbl1 wncaab wncaaf wncaa ncaaw ncaawb wcbb wbb wcws wbbl wpl wipl wcpl wt20 wt20i wodi wodis
    aflw nrlw wsl2 uwcl uwecl weuro wafcon swpl swpl1 swpl2 wpsl pwhl sdhl nwhl wleague frauenbundesliga frauenliga
    damallsvenskan damettan elitettan toppserien kvindeligaen kvindeliga elitedivisionen damligan damserien naisten
    naisliiga kvinneliga girl lady damehandboldligaen damhockeyligan nadeshiko iberdrola arkema kadinlar zenska
    kobiece kobiecy vrouweneredivisie mujeres donne lfb lf2 dbbl liga_f w_league we_league wk_league liga_bpi a_league_w
    the_hundred_w super_league_w w_super_league w_league premiere_ligue d1f d2f d3f reina usl_super_league gainbridge kansallinen_liiga
    denmark_a_liga kvenna ekstraliga_k ninja_a_league liberty_a_league lotto_super_league nashim zen zhfl zhenshchiny
    weleague cwsl hollywoodbets sasol shebelieves algarve_cup arnold_clark pinatar wnl kbsl tkbl lf_endesa
    wonderligue boulangere wcba wkbl wjbl wbca wnit wbit techfind lbf blk gynaikon wpbl sultanlar sultans tauron_liga
    orlen_liga tigota hbf butagaz lbe lfh delo noi k_and_h k_h_liga guerreras florilor auroraliiga phf zhhl
    rivalry_series wwc pfwl swhl charlotte_edwards w_odi w_t20 w_t20i aupiki wxv premier_15s pwr vflw game_changers
    esl_impact dam zensky zenske zenskiy zhenskaya zhenskiy zhinki moteru sieviesu naiste femei mulheres wmn nok
    frauenfussball damfotboll bundesliga_f serie_a_f d1_f d2_f wubc wtbl`,
  ],
  [
    YOUTH,
    `youth junior juniors juniores juniorer juniori juvenil juveniles junioren juniorenliga nachwuchs nachwuchsliga academy
    academies akademie espoirs espoir beloften revelacao aspirantes inferiores pl2 pdl dnl jugend jeunes giovanili
    giovanile cadete cadetes infantil ungdom mladez juniorzy premier_league_2 premier_league_two
    professional_development premier_league_international_cup lck_cl glasgow_cup development_league viareggio
    copa_sao_paulo copinha copa_sp usl_league_two noar dorostenecka dorost juniorska junioru mfl molodezhnoe
    molodezhnaya yfl diski ngt next_generation edl nbbl jbbl nuorten nuoret mhl wjc hlinka emerging_teams rising_stars
    flegg harold_matthews sg_ball coates_talent talent_league lck_challengers challengers_league omladinska
    mladinska ifjusagi noored jaunimo cantera allievi a_nuorten`,
  ],
  [
    RESERVES,
    `trust_trophy_b proyeccion a2_ligi mls_next_pro dubl nsw_cup queensland_cup second_xi 2nd_xi second_eleven 2nd_eleven rezerves
    rezerv reservelag`,
  ],
  [TEAM_MARKS.get('futsal')!, 'futsal futsala lnfs minifootball mini_football'],
  [THREES, '3x3 3on3 3_on_3 big3'],
  [SEVENS, 'sevens 7s svns'],
  [INDOOR, 'indoor masl'],
  [
    SIMULATED,
    `esoccer efootball ebasketball ehockey etennis ecricket evolleyball ebaseball srl simulated virtual virtuals cyber
    volta nba2k nba_2k esports esport egames vsport vsports e_soccer e_football e_basketball e_hockey e_sports
    gt_leagues gt_league gt_sports_league h2h_gg soccer_battle mins_play min_play`,
  ],
]

/** Words that have this meaning in one sport only. */
const ROWS_OF_SPORTS: Readonly<Partial<Record<Sport, readonly (readonly [mark: number, words: string])[]>>> = {
  football: [
    [RESERVES, 'central_league'],
    [BEACH, 'beach'],
  ],
  volleyball: [
    [WOMEN, 'serie_a1'],
    [BEACH, 'beach'],
  ],
  handball: [[BEACH, 'beach']],
  australian_rules: [[RESERVES, 'vfl']],
}

const marksByWords = (rows: readonly (readonly [number, string])[]): ReadonlyMap<string, number> =>
  new Map(rows.flatMap(([mark, words]) => wordsOf(words).map((word) => [word, mark] as const)))

const MARKS = marksByWords(ROWS)
const MARKS_OF_SPORTS = new Map(Object.entries(ROWS_OF_SPORTS).map(([sport, rows]) => [sport, marksByWords(rows)]))

/** Words of the longest row. */
const WORDS_MAX = 5

/** Runs of one to five words of a slug. */
export function* runsOf(words: readonly string[]): Generator<string> {
  for (let start = 0; start < words.length; start++) {
    let run = words[start]!
    yield run
    for (let place = start + 1; place < Math.min(words.length, start + WORDS_MAX); place++) {
      run += `_${words[place]!}`
      yield run
    }
  }
}

// "Group F" is no league of women.
const BEFORE_A_LETTER = new Set(
  wordsOf('group grupo gruppe gruppo groupe grupa girone poule pool serie series division'),
)

/** Marks by the words that leagues have, and names of teams have not. */
export const marksOfWords = (words: readonly string[], sport: Sport): number => {
  const ofSport = MARKS_OF_SPORTS.get(sport)
  let marks = 0
  for (const run of runsOf(words)) marks |= (MARKS.get(run) ?? 0) | (ofSport?.get(run) ?? 0)
  const last = words.at(-1)
  if (words.length > 1 && (last === 'f' || last === 'w') && !BEFORE_A_LETTER.has(words.at(-2)!)) marks |= WOMEN
  return marks
}

/** Competitions that contradict each other: a game, a league of one sport, or a code of it. */
const COMPETITIONS = `
  nba usa_nba|g_league gleague nba_g_league|summer_league|ncaa ncaab ncaaf ncaam ncaaw wncaab wncaa college colleges
  collegiate cfb cbb cfp fbs fcs wcbb cws wcws|wnba|nbl|cebl|kbl|cba|euroleague
  nhl|ahl|echl|ohl|whl|qmjhl|ushl|khl|vhl|shl
  nfl|cfl|ufl|xfl|usfl|elf|afl|ifl
  mlb|milb|aaa triple_a|aa double_a|high_a|single_a|kbo|npb|cpbl|lmb|lidom
  rugby_union super_rugby six_nations urc|rugby_league nrl
  lol league_of_legends leagueoflegends lck lec lcs lpl cblol lla|cs cs2 csgo cs_go counter_strike counterstrike|
  valorant vct vcl|dota dota2 dota_2 dreamleague|rocket_league rlcs|rainbow_six rainbow6 r6|overwatch ow|
  starcraft starcraft2 starcraft_2 sc2|call_of_duty cod cdl|mobile_legends mlbb mpl|
  king_of_glory honor_of_kings kog hok kpl|pubg|apex_legends|halo|wild_rift|fortnite|warcraft warcraft3 warcraft_3 wc3`

const NUMBERS: ReadonlyMap<string, number> = new Map(
  COMPETITIONS.split(/[|\n]/)
    .filter((row) => row.trim() !== '')
    .flatMap((row, place) => wordsOf(row).map((words) => [words, place + 1] as const)),
)

/** They name the organiser, too: "NBA Summer League". */
const ORGANISERS = new Set(['nba', 'nhl', 'nfl', 'mlb', 'cba'].map((word) => NUMBERS.get(word)!))

/** Number of the known competition that a league is, 0 for none or several. */
export const competitionOf = (words: readonly string[]): number => {
  let organiser = 0
  let competition = 0
  for (const run of runsOf(words)) {
    const found = NUMBERS.get(run)
    if (found === undefined) continue
    if (ORGANISERS.has(found)) organiser = found
    else if (competition !== 0 && competition !== found) return 0
    else competition = found
  }
  return competition || organiser
}
