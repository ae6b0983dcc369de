// Matches of the same names in two leagues that are not one: of women, youth and reserves under names of their own, of two
// countries, of two games, and of play that is simulated or of another code. And names that differ by their end only.

import type { Sport } from '../src/domain/sport.ts'

export interface TwoLeagues {
  readonly sport: Sport
  readonly home: string
  readonly away: string
  readonly league: string
  readonly otherHome: string
  readonly otherAway: string
  readonly otherLeague: string
  readonly lateMinutes: number
}

/** Sport: home v away, league: leagues of other matches. */
const ROWS = `
  football: Arsenal v Chelsea, england_premier_league: england_w_super_league central_league england_o21 wsl_cup esoccer_battle
  football: PSG v Lyon, france_ligue_1: france_premiere_ligue d1f france_d1_f premiere_ligue_f d1_arkema
  football: Barcelona v Real Madrid, spain_la_liga: copa_de_la_reina liga_f lnfs spain_futsal_primera_division gt_sports_league
  football: Barcelona v Real Madrid, spain_la_liga: cyber_live_arena e_soccer virtual_football fifa_25_volta srl_spain_la_liga
  football: Barcelona v Real Madrid, spain_la_liga: spain_la_liga_srl simulated_reality_league esoccer_gt_leagues ecuador_liga_pro
  football: Juventus v Roma, italy_serie_a: serie_a_f torneo_di_viareggio viareggio_cup italy_u_19
  football: Orlando v Kansas City, usa_mls: usl_super_league gainbridge_super_league mls_next_pro usa_indoor_masl
  football: HJK v KuPS, finland_veikkausliiga: kansallinen_liiga finland_naisten_liiga
  football: Valur v Breidablik, iceland_besta_deild: besta_deild_kvenna iceland_urvalsdeild_kvenna
  football: Tigres v America, mexico_liga_mx: liga_mx_f liga_mx_femenil
  football: Boca Juniors v River Plate, argentina_primera_division: torneo_proyeccion copa_proyeccion uruguay_primera_division
  football: Santos v Flamengo, brazil_campeonato: copinha copa_sao_paulo brasileiro_f brazil_u20
  football: Feyenoord v Utrecht, netherlands_eredivisie: onder_21 netherlands_o21
  football: Slavia Prague v Sparta Prague, czech_1_liga: czech_liga_zen dorostenecka_liga juniorska_liga
  football: Zenit v Dynamo, russia_premier_league: russia_yfl molodezhnoe_pervenstvo belarus_premier_league kazakhstan_premier_league
  football: Everton v Rangers, england_premier_league: chile_primera_division northern_ireland_premiership
  football: Al Ahli v Al Nasr, saudi_arabia_pro_league: uae_pro_league sudan_premier_league kuwait_premier_league
  football: Brazil v Portugal, fifa_world_cup: beach_soccer_world_cup fifa_futsal_world_cup algarve_cup shebelieves_cup
  basketball: Fenerbahce v Galatasaray, turkey_super_league: tkbl halkbank_kbsl
  basketball: Guangdong v Sichuan, china_cba: wcba china_wcba
  basketball: Cleveland v Indiana, nba: g_league nba_summer_league ncaab ebasketball_h2h_gg nba2k_league
  basketball: USA v Serbia, fiba_world_cup: fiba_3x3_world_cup
  volleyball: Fenerbahce v Galatasaray, turkey_efeler_ligi: sultanlar_ligi turkey_sultanlar_ligi
  volleyball: Brazil v USA, vnl: vnl_f beach_volleyball_world_tour
  volleyball: Perugia v Monza, italy_superlega: italy_serie_a1
  handball: Nantes v Paris, france_starligue: france_lfh ligue_butagaz_energie
  handball: Ferencvaros v Gyor, hungary_nb_i: k_and_h_noi_liga hungary_nb_i_noi
  ice_hockey: Karpat v HIFK, finland_liiga: auroraliiga nuorten_sm_liiga
  ice_hockey: Chicago v Winnipeg, nhl: ahl echl ncaa_hockey phf
  ice_hockey: Canada v USA, iihf_world_championship: rivalry_series wjc iihf_wwc
  american_football: Houston v Dallas, nfl: ufl cfl ncaaf elf
  baseball: Boston v New York, mlb: double_a triple_a kbo npb
  cricket: Surrey v Essex, t20_blast: charlotte_edwards_cup second_xi_trophy international_w_odi
  rugby: New Zealand v Australia, rugby_union_championship: rugby_league_pacific_cup rugby_sevens_dubai wxv_1
  rugby: Blues v Chiefs, super_rugby: super_rugby_aupiki
  australian_rules: Carlton v Richmond, afl: vfl vflw coates_talent_league
  esports: Fnatic v G2, lol_lec: vct_emea cs2_major dota2 rocket_league_rlcs lck_challengers counter_strike_blast
  badminton: Chen Y v Wang Z, ms: ws
  table_tennis: Chen Y v Wang Z, ms: ws`

/** Behind both names: another team of the club. */
const ENDS = `Academy, Dev, U18s, Junior, Juniors, A, Q, XI, (R), LFC, WU19, Castilla, (ž), nők, (nők), Dam, fr., Wmn, (Am), Legends
  (SRL), (Sim), Futsal, eSports, Atletico`

/** Sport: home v away / other home v other away, minutes later. */
const NAMES = `
  tennis: Popov M. v Ivanov I. / Popova M. v Ivanova I., 0
  tennis: Novak J. v Kral P. / Novakova J. v Kralova P., 0
  tennis: Kowalski Jan v Borsky A. / Kowalska Jan v Borska A., 60
  tennis: Maxim Popov v Ivan Ivanov / Mikhail Popov v Igor Ivanov, 0
  tennis: Juan Carlos Gomez v Luis Perez / Carlos Gomez v Luis Perez, 0
  combat_sport: Bruno Silva v Joao Sousa / Bernardo Silva v Jonas Sousa, 0
  football: Winner SF1 v Winner SF2 / Winner SF1 v Winner SF2, 0
  football: Home Team v Away Team / Home Team v Away Team, 0
  football: Home (5 Games) v Away (5 Games) / Home (5 Games) v Away (5 Games), 5
  football: Home Goals v Away Goals / Home Goals v Away Goals, 5
  football: Team A v Team B / Team A v Team B, 0
  football: TBD v TBA / TBD v TBA, 0
  football: Reds (Kray SRL) v Blues (Nash SRL) / Reds (Volt SRL) v Blues (Nash SRL), 0
  football: Reds (Kray) SRL v Blues (Nash) SRL / Reds (Kray) SRL v Blues (Nash) SRL, 6
  baseball: Boston Red Sox v New York Yankees / Boston Red Sox v New York Yankees, 30
  baseball: Boston Red Sox v New York Yankees / Red Sox v Yankees, 55
  esports: Navi v G2 / Navi v G2, 50
  table_tennis: Petrov A v Ivanov B / Petrov A v Ivanov B, 29
  basketball: Duke Blue Devils v North Carolina Tar Heels / Duke v North Carolina, 150`

const rowsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((row) => row.trim())
    .filter(Boolean)

const sidesOf = (match: string): readonly [string, string] => match.trim().split(' v ') as [string, string]

export function* twoLeagues(): Generator<TwoLeagues> {
  for (const row of rowsOf(ROWS)) {
    const [sport, rest, others] = row.split(': ') as [Sport, string, string]
    const [match, league] = rest.split(', ') as [string, string]
    const [home, away] = sidesOf(match)
    for (const otherLeague of others.split(' ')) {
      for (const lateMinutes of [0, 5]) {
        yield { sport, home, away, league, otherHome: home, otherAway: away, otherLeague, lateMinutes }
      }
    }
  }
  for (const end of ENDS.split(/[,\n]/)) {
    const [home, away, league] = ['Arsenal', 'Chelsea', 'england_premier_league']
    const [otherHome, otherAway] = [`${home} ${end.trim()}`, `${away} ${end.trim()}`]
    yield { sport: 'football', home, away, league, otherHome, otherAway, otherLeague: league, lateMinutes: 0 }
  }
  for (const row of rowsOf(NAMES)) {
    const [sport, match, other, minutes] = row.split(/: | \/ |, /) as [Sport, string, string, string]
    const [[home, away], [otherHome, otherAway]] = [sidesOf(match), sidesOf(other)]
    for (const league of ['unknown', 'x']) {
      const otherLeague = league
      yield { sport, home, away, league, otherHome, otherAway, otherLeague, lateMinutes: Number(minutes) }
    }
  }
}
