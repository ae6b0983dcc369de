// The rule of docs/identity.md 4, case by case.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Match } from '../../src/domain/event-identity.ts'
import type { EventSighting } from '../../src/domain/observation.ts'
import type { Sport } from '../../src/domain/sport.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'

const KICKOFF_AT = Date.UTC(2026, 10, 21, 15)
const MINUTE_MS = 60_000

const nobody = (): boolean => false

interface Case {
  readonly sport?: Sport
  readonly league?: string
  readonly leagueName?: string
  readonly lateMinutes?: number
  readonly sourceKey?: string | null
}

const sighting = (home: string, away: string, facts: Case = {}): EventSighting => ({
  sport: facts.sport ?? 'football',
  leagueKey: facts.league ?? 'unknown',
  leagueName: facts.leagueName ?? '',
  home,
  away,
  kickoffAt: KICKOFF_AT + (facts.lateMinutes ?? 0) * MINUTE_MS,
  sourceKey: facts.sourceKey === undefined ? 'b:1' : facts.sourceKey,
})

/** What a matcher that knows the first as event 1 says of the second. */
const matched = (known: EventSighting, seen: EventSighting): Match | undefined => {
  const matcher = new NameMatcher()
  matcher.add(1, 'a:1', known)
  return matcher.match(seen, nobody)
}

const shown = (match: Match | undefined): string =>
  match === undefined ? 'none' : match.kind === 'same' ? `same ${match.level}` : match.kind

/** Known home, away; seen home, away; facts of the seen one; facts of the known one; what comes out. */
const CASES: readonly [string, string, string, string, Case, Case, string][] = [
  // Level A: both exact.
  ['Arsenal', 'Chelsea', 'Arsenal FC', 'Chelsea FC', {}, {}, 'same A'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { lateMinutes: 180 }, {}, 'same A'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { lateMinutes: 181 }, {}, 'none'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { league: 'x', lateMinutes: 15 }, { league: 'y' }, 'same A'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { league: 'x', lateMinutes: 16 }, { league: 'y' }, 'alike'],
  ['Brøndby', 'SønderjyskE', 'Brondby IF', 'Sonderjyske', {}, {}, 'same A'],
  ['FC Schalke 04', '1. FC Köln', 'Schalke', 'Cologne', {}, {}, 'same A'],
  ['FSV Mainz 05', 'Augsburg', '1. FSV Mainz 05', 'FC Augsburg', {}, {}, 'same A'],
  ['A.C. Milan', 'Lazio', 'Milan', 'SS Lazio', {}, {}, 'same A'],
  ['CA River Plate (ARG)', 'Lanus', 'River Plate', 'Lanús', {}, {}, 'same A'],
  // Windows of sports.
  ['Cubs', 'Mets', 'Cubs', 'Mets', { sport: 'baseball', lateMinutes: 15 }, { sport: 'baseball' }, 'same A'],
  ['Cubs', 'Mets', 'Cubs', 'Mets', { sport: 'baseball', lateMinutes: 60 }, { sport: 'baseball' }, 'alike'],
  ['Cubs', 'Mets', 'Cubs', 'Mets', { sport: 'baseball', lateMinutes: 61 }, { sport: 'baseball' }, 'none'],
  ['A One', 'B Two', 'A One', 'B Two', { sport: 'table_tennis', lateMinutes: 31 }, { sport: 'table_tennis' }, 'none'],
  ['A One', 'B Two', 'One A', 'Two, B', { sport: 'tennis', lateMinutes: 720 }, { sport: 'tennis' }, 'same A'],
  ['Jon A', 'Al B', 'Jon A', 'Al B', { sport: 'combat_sport', lateMinutes: 1440 }, { sport: 'combat_sport' }, 'same A'],
  // Level B: one exact.
  ['Viktoria Zlovna', 'Chelsea', 'Zlovna', 'Chelsea', { lateMinutes: 15 }, {}, 'same B'],
  ['Viktoria Zlovna', 'Chelsea', 'Zlovna', 'Chelsea', { lateMinutes: 16 }, {}, 'alike'],
  ['Viktoria Zlovna', 'Chelsea', 'Zlovna', 'Chelsea', { league: 'x' }, { league: 'y' }, 'same B'],
  ['Viktoria Zlovna', 'Chelsea', 'Zlovna', 'Chelsea', { league: 'england_x' }, { league: 'czech_x' }, 'alike'],
  ['Viktoria Zlovna', 'Slavia Usti', 'Zlovna', 'Usti', { league: 'la_liga' }, { league: 'spain_la_liga' }, 'same C'],
  ['Viktoria Zlovna', 'Slavia Usti', 'Zlovna', 'Usti', { league: 'la_liga' }, { league: 'spain_copa' }, 'alike'],
  ['Ben Shelton', 'Al Two', 'Shelton', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'alike'],
  // Short forms of several words at once.
  ['Zed Lake Bisons', 'Chelsea', 'ZL Bisons', 'Chelsea', {}, {}, 'same B'],
  ['Zed Lake Bisons', 'Chelsea', 'ZL Badgers', 'Chelsea', {}, {}, 'alike'],
  ['Zed Lake Bisons', 'Chelsea', 'ZLB', 'Chelsea', { lateMinutes: 15 }, {}, 'same B'],
  ['Zed Lake Bisons', 'Chelsea', 'ZLB', 'Chelsea', { lateMinutes: 16 }, {}, 'alike'],
  ['Zed Lake Bisons', 'Chelsea', 'ZL', 'Chelsea', {}, {}, 'alike'],
  ['Zedtown Lakers', 'Chelsea', 'Zedtown L', 'Chelsea', {}, {}, 'same B'],
  ['Zedtown Lakers', 'Chelsea', 'Z Lakers', 'Chelsea', {}, {}, 'same B'],
  ['Zedtown Lakers', 'Chelsea', 'Zedtown K', 'Chelsea', {}, {}, 'alike'],
  // Persons by surname and initials, or by some of their names.
  ['Ben Shelton', 'Al Two', 'Shelton B.', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'same B'],
  [
    'Ben Shelton',
    'Al Two',
    'Shelton B.',
    'Al Two',
    { sport: 'tennis', lateMinutes: 720 },
    { sport: 'tennis' },
    'same B',
  ],
  ['Ben Shelton', 'Al Two', 'Shelton B.', 'Al Two', { sport: 'tennis', lateMinutes: 721 }, { sport: 'tennis' }, 'none'],
  ['Ben Shelton', 'Al Two', 'Shelton B.', 'Al Two', { sport: 'darts', lateMinutes: 16 }, { sport: 'darts' }, 'alike'],
  [
    'Ben Shelton',
    'Al Two',
    'Shelton B.',
    'Two A.',
    { sport: 'tennis', league: 'r16' },
    { sport: 'tennis', league: 'atp' },
    'same C',
  ],
  [
    'Ben Shelton',
    'Al Two',
    'Shelton B.',
    'Two A.',
    { sport: 'tennis', league: 'wta' },
    { sport: 'tennis', league: 'atp' },
    'none',
  ],
  ['Kai Shelton', 'Al Two', 'Shelton Ka.', 'Two A.', { sport: 'tennis' }, { sport: 'tennis' }, 'same C'],
  ['Kai Shelton', 'Al Two', 'Shelton Kr.', 'Two A.', { sport: 'tennis' }, { sport: 'tennis' }, 'none'],
  [
    'Jon Abel',
    'Al Bo',
    'Abel J.',
    'Bo A.',
    { sport: 'combat_sport', lateMinutes: 1440 },
    { sport: 'combat_sport' },
    'same C',
  ],
  // Pairs of persons, in either order.
  [
    'Al One / Jo Two',
    'Ed Ray / Bo Lee',
    'Two J/One A',
    'Lee / Ray',
    { sport: 'tennis', lateMinutes: 300 },
    { sport: 'tennis' },
    'same C',
  ],
  [
    'Al One / Jo Two',
    'Ed Ray / Bo Lee',
    'Two/One',
    'Bo Lee & Ed Ray',
    { sport: 'tennis' },
    { sport: 'tennis' },
    'same B',
  ],
  [
    'Al One / Jo Two',
    'Ed Ray / Bo Lee',
    'Jo One / Al Two',
    'Ed Ray / Bo Lee',
    { sport: 'tennis' },
    { sport: 'tennis' },
    'none',
  ],
  ['Al One / Jo Two', 'Ed Ray / Bo Lee', 'Al One', 'Ed Ray', { sport: 'tennis' }, { sport: 'tennis' }, 'none'],
  ['Al One', 'Ed Ray', 'Al One', 'Ed Ray', { sport: 'tennis', league: 'doubles' }, { sport: 'tennis' }, 'none'],
  ['Ben Shelton', 'Al Two', 'Shelton C.', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'none'],
  ['Ben Shelton', 'Jan de Minor', 'B. Shelton', 'de Minor J.', { sport: 'tennis' }, { sport: 'tennis' }, 'same C'],
  ['Ben Shelton', 'Al Two', 'B. Shelton', 'Two B.', { sport: 'tennis' }, { sport: 'tennis' }, 'none'],
  ['Chun Hsin Tseng', 'Al Two', 'Tseng C. H.', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'same B'],
  ['Carlos Garcia Lopez', 'Al Two', 'Garcia C.', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'none'],
  ['Ada Bea Cole', 'Al Two', 'Ada Cole', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'same B'],
  ['Ada Bea Cole', 'Al Two', 'Bea Cole', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'alike'],
  ['Ada Bea Cole', 'Al Two', 'Cole Bea', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'none'],
  ['Ada Bea Cole', 'Al Two', 'Cole', 'Al Two', { sport: 'tennis' }, { sport: 'tennis' }, 'alike'],
  ['Ada Bea Cole', 'Al Two', 'Ada Cole', 'Al Two', { sport: 'esports' }, { sport: 'esports' }, 'alike'],
  ['Al One', 'Jo Two', 'One A.', 'Two J.', { sport: 'table_tennis' }, { sport: 'table_tennis' }, 'alike'],
  ['Naoya Inoue', 'Al Two', 'T. Inoue', 'Al Two', { sport: 'combat_sport' }, { sport: 'combat_sport' }, 'none'],
  // Level C: neither.
  ['Viktoria Zlovna', 'Slavia Usti', 'Zlovna', 'Usti', { league: 'x' }, { league: 'x' }, 'same C'],
  ['Viktoria Zlovna', 'Slavia Usti', 'Zlovna', 'Usti', {}, {}, 'alike'],
  // Reports.
  ['Arsenal', 'Chelsea', 'Chelsea', 'Arsenal', {}, {}, 'turned'],
  ['Viktoria Zlovna', 'Chelsea', 'Chelsea', 'Zlovna', {}, {}, 'turned'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'The Pensioners', {}, {}, 'alike'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'The Pensioners', { lateMinutes: 16 }, {}, 'none'],
  ['A One', 'B Two', 'A One', 'C Three', { sport: 'combat_sport' }, { sport: 'combat_sport' }, 'none'],
  ['Arsenal', 'Chelsea', 'Burnley', 'Fulham', {}, {}, 'none'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { sport: 'handball' }, {}, 'none'],
  // Other teams of a club, and other clubs of nearly one name.
  ['Real Sociedad', 'Getafe', 'Real Sociedad B', 'Getafe', {}, {}, 'none'],
  ['Real Sociedad B', 'Getafe', 'Real Sociedad II', 'Getafe', {}, {}, 'same A'],
  ['Rapid Wien', 'Ried', 'Rapid Wien II', 'Ried', {}, {}, 'none'],
  ['Athletic Bilbao', 'Getafe', 'Bilbao Athletic', 'Getafe', {}, {}, 'none'],
  ['Athletic Bilbao B', 'Eibar', 'Bilbao Athletic', 'SD Eibar', {}, {}, 'same A'],
  ['AC Milan', 'Lucchese', 'Milan Futuro', 'Lucchese', {}, {}, 'none'],
  ['Arsenal', 'Chelsea', 'Arsenal Women', 'Chelsea Women', {}, {}, 'none'],
  ['Arsenal', 'Chelsea', 'Arsenal (W)', 'Chelsea (W)', {}, {}, 'none'],
  ['Arsenal', 'Chelsea', 'Arsenal U-21', 'Chelsea U21', {}, {}, 'none'],
  ['Arsenal U21', 'Chelsea U21', 'Arsenal Under 21', 'Chelsea U-21', {}, {}, 'same A'],
  ['Arsenal', 'Chelsea', 'Arsenal Reserves', 'Chelsea', {}, {}, 'none'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { league: 'england_women_super_league' }, { league: 'x' }, 'none'],
  ['Arsenal W', 'Chelsea W', 'Arsenal', 'Chelsea', { league: 'england_women_super_league' }, {}, 'same A'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { league: 'wsl' }, { league: 'epl' }, 'none'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { leagueName: "FA Women's Super League" }, {}, 'none'],
  ['Arsenal (W)', 'Chelsea (W)', 'Arsenal', 'Chelsea', { leagueName: 'WSL' }, {}, 'same A'],
  ['Arsenal U21', 'Chelsea U21', 'Arsenal', 'Chelsea', { league: 'premier_league_2' }, {}, 'same A'],
  ['Arsenal U21', 'Chelsea U21', 'Arsenal U19', 'Chelsea U19', { league: 'youth' }, { league: 'youth' }, 'none'],
  ['Boca Juniors', 'Lanus', 'Boca', 'Lanus', { league: 'reserva' }, {}, 'none'],
  [
    'Las Vegas Aces',
    'Chicago Sky',
    'Aces Las Vegas',
    'Sky Chicago',
    { sport: 'basketball', league: 'wnba' },
    { sport: 'basketball' },
    'same A',
  ],
  // Colleges.
  [
    'Duke Blue Devils',
    'UConn Huskies',
    'Duke',
    'Connecticut',
    { sport: 'basketball' },
    { sport: 'basketball', league: 'ncaab' },
    'same A',
  ],
  [
    'Duke Blue Devils',
    'Ohio State Buckeyes',
    'Duke',
    'Ohio St',
    { sport: 'basketball' },
    { sport: 'basketball', league: 'ncaab' },
    'same A',
  ],
  [
    'Duke',
    'Houston Cougars',
    'Duke',
    'Houston',
    { sport: 'basketball' },
    { sport: 'basketball', league: 'ncaab' },
    'same B',
  ],
  [
    'Houston Cougars',
    'Utah Utes',
    'Houston',
    'Utah',
    { sport: 'basketball', league: 'usa_ncaa' },
    { sport: 'basketball', league: 'ncaab' },
    'same A',
  ],
  [
    'Houston Cougars',
    'Utah Utes',
    'Houston',
    'Utah',
    { sport: 'basketball' },
    { sport: 'basketball', league: 'ncaab' },
    'alike',
  ],
  [
    'Houston Rockets',
    'Utah Jazz',
    'Houston',
    'Utah',
    { sport: 'basketball', league: 'ncaab' },
    { sport: 'basketball', league: 'nba' },
    'none',
  ],
  ['Duke', 'Miami (OH)', 'Duke', 'Miami (FL)', { sport: 'basketball' }, { sport: 'basketball' }, 'alike'],
  ['Duke', 'Michigan State', 'Duke', 'Michigan', { sport: 'basketball' }, { sport: 'basketball' }, 'alike'],
  [
    'Duke',
    'Michigan',
    'Duke',
    'Michigan',
    { sport: 'basketball', league: 'wncaab' },
    { sport: 'basketball', league: 'ncaab' },
    'none',
  ],
  ['Home 17', 'Away 17', 'Home 18', 'Away 18', {}, {}, 'none'],
  ['Paris Saint Germain', 'Lyon', 'Paris FC', 'Lyon', {}, {}, 'alike'],
  ['Inter Milan', 'Lyon', 'AC Milan', 'Lyon', {}, {}, 'alike'],
  ['América', 'Atlas', 'América de Cali', 'Atlas', {}, {}, 'alike'],
  ['Everton', 'Fulham', 'Everton de Viña del Mar', 'Fulham', {}, {}, 'alike'],
  ['Arsenal', 'Fulham', 'Arsenal Tula', 'Fulham', {}, {}, 'alike'],
  ['Grasshopper Zürich', 'FC Thun', 'FC Zurich', 'FC Thun', {}, {}, 'alike'],
  ['Nigeria', 'Ghana', 'Niger', 'Ghana', {}, {}, 'alike'],
  ['Vitória SC', 'Braga', 'Vitoria', 'Braga', {}, {}, 'alike'],
  ['Vitória SC', 'Braga', 'Vitoria de Guimarães', 'Sporting Braga', {}, {}, 'same A'],
  ['Östers IF', 'GAIS', 'Östersunds FK', 'GAIS', {}, {}, 'alike'],
  ['Rosenborg', 'Molde', 'Rosenborg Kvinner', 'Molde', {}, {}, 'none'],
  // Words and names in other languages.
  ['Sparta Prague', 'FC Copenhagen', 'Sparta Praha', 'FC København', {}, {}, 'same A'],
  ['Dynamo Kyiv', 'Malmo FF', 'Dinamo Kiev', 'Malmoe FF', {}, {}, 'same A'],
  ['Rapid Wien', 'Ried', 'SK Rapid Vienna', 'SV Ried', {}, {}, 'same A'],
  ['Rapid Wien', 'Ried', 'Austria Vienna', 'Ried', {}, {}, 'alike'],
  ['Sparta Prague', 'Ried', 'Slavia Praha', 'Ried', {}, {}, 'alike'],
  ['Al-Nassr', 'Chelsea', 'Al Nasr Dubai', 'Chelsea', {}, {}, 'alike'],
  ['Inter Milan', 'Lazio', 'Internacional', 'Lazio', {}, {}, 'alike'],
  ['Germany', 'Ivory Coast', 'Alemania', 'Elfenbeinküste', {}, {}, 'same A'],
  ['Granada CF', 'Getafe', 'Granada', 'Getafe', {}, {}, 'same A'],
  ['Grenada', 'Curaçao', 'Granada', 'Curaçao', {}, {}, 'alike'],
  ['Switzerland', 'Sweden', 'SUI', 'Schweden', {}, {}, 'same A'],
  ['Austria', 'Ghana', 'Australien', 'Ghana', {}, {}, 'alike'],
  ['Liverpool', 'Arsenal', 'Everton Liverpool', 'Arsenal', {}, {}, 'alike'],
  // Nobody in particular.
  ['The Open', '', 'The Open', '', { sport: 'golf' }, { sport: 'golf' }, 'none'],
  ['TBD', 'Ghana', 'TBD', 'Ghana', {}, {}, 'none'],
  ['Спартак', 'Зенит', 'Спартак', 'Зенит', {}, {}, 'none'],
  ['Arsenal', 'Chelsea', 'Arsenal', 'Chelsea', { sourceKey: null }, {}, 'none'],
]

for (const [home, away, seenHome, seenAway, seenFacts, facts, expected] of CASES) {
  test(`${home} v ${away}, ${seenHome} v ${seenAway} ${JSON.stringify([facts, seenFacts])}: ${expected}`, () => {
    assert.equal(shown(matched(sighting(home, away, facts), sighting(seenHome, seenAway, seenFacts))), expected)
  })
}

test('two events that match are ambiguous, the nearer first; one under two spellings is not', () => {
  const matcher = new NameMatcher()
  matcher.add(7, 'a:1', sighting('Arsenal', 'Chelsea', { lateMinutes: 30 }))
  matcher.add(7, 'c:1', sighting('Arsenal FC', 'Chelsea FC', { lateMinutes: 31 }))
  assert.deepEqual(matcher.match(sighting('Arsenal', 'Chelsea'), nobody), { kind: 'same', event: 7, level: 'A' })
  matcher.add(9, 'a:2', sighting('Arsenal', 'Chelsea', { lateMinutes: -5 }))
  assert.deepEqual(matcher.match(sighting('Arsenal', 'Chelsea'), nobody), { kind: 'ambiguous', events: [9, 7] })
  const match = matcher.match(sighting('Arsenal', 'Chelsea'), (event) => event === 9)
  assert.deepEqual(match, { kind: 'same', event: 7, level: 'A' })
})

test('an event that is known with a number is not one with another, whatever else it is called', () => {
  const matcher = new NameMatcher()
  matcher.add(1, 'a:1', sighting('Hosts', 'Guests'))
  matcher.add(1, 'c:1', sighting('Hosts 17', 'Guests'))
  assert.equal(shown(matcher.match(sighting('Hosts 18', 'Guests'), nobody)), 'alike')
  assert.equal(shown(matcher.match(sighting('Hosts 17', 'Guests'), nobody)), 'same A')
})

test('a spelling that leaves open who plays does not join men and women, or two ages', () => {
  const tennis = { sport: 'tennis' } as const
  const matcher = new NameMatcher()
  matcher.add(1, 'a:1', sighting('Wang X.', 'Zhang S.', tennis))
  matcher.add(1, 'c:1', sighting('Wang X.', 'Zhang S.', { ...tennis, league: 'atp' }))
  assert.equal(
    shown(matcher.match(sighting('Wang X.', 'Zhang S.', { ...tennis, league: 'm25_bali' }), nobody)),
    'same A',
  )
  assert.equal(shown(matcher.match(sighting('Wang X.', 'Zhang S.', { ...tennis, league: 'wta' }), nobody)), 'alike')
  matcher.add(2, 'a:2', sighting('Arsenal', 'Chelsea', { league: 'uefa_youth_league' }))
  matcher.add(2, 'c:2', sighting('Arsenal U19', 'Chelsea U19'))
  assert.equal(shown(matcher.match(sighting('Arsenal U19', 'Chelsea U19'), nobody)), 'same A')
  assert.equal(shown(matcher.match(sighting('Arsenal U21', 'Chelsea U21'), nobody)), 'alike')
  matcher.add(3, 'a:3', sighting('Wang X.', 'Zhang S.', { ...tennis, league: 'wta' }))
  assert.equal(matcher.areOtherTeams(1, 3), true)
  assert.equal(matcher.areOtherTeams(3, 1), true)
  assert.equal(matcher.areOtherTeams(1, 1), false)
})

test('a spelling stays until its last key is removed, and a key has one spelling', () => {
  const matcher = new NameMatcher()
  const seen = sighting('Arsenal', 'Chelsea')
  matcher.add(1, 'a:1', seen)
  matcher.add(1, 'c:1', seen)
  matcher.remove(1, 'a:1')
  assert.equal(shown(matcher.match(seen, nobody)), 'same A')
  matcher.add(1, 'c:1', sighting('Arsenal', 'Burnley'))
  assert.equal(shown(matcher.match(seen, nobody)), 'alike')
  matcher.remove(1, 'c:1')
  matcher.remove(1, 'c:1')
  assert.equal(matcher.match(seen, nobody), undefined)
  assert.equal(matcher.size, 0)
})

test('aliases take effect on what is known, and replace those before', () => {
  const matcher = new NameMatcher()
  matcher.add(1, 'a:1', sighting('Zed Wanderers', 'Chelsea'))
  matcher.add(2, 'a:2', sighting('Burnley', 'Fulham'))
  const seen = sighting('The Lilies', 'Chelsea')
  const alias = { sport: 'football', name: 'The Lilies', means: 'Zed Wanderers' } as const
  assert.equal(shown(matcher.match(seen, nobody)), 'alike')
  assert.deepEqual(matcher.setAliases([alias]), [], 'no known name means another')
  assert.equal(shown(matcher.match(seen, nobody)), 'same A')
  assert.equal(shown(matcher.match(sighting('The Lilies U21', 'Chelsea U21'), nobody)), 'none')
  assert.deepEqual(matcher.setAliases([{ sport: null, name: 'ZED WANDERERS', means: 'Lily Town' }]), [1])
  assert.equal(shown(matcher.match(seen, nobody)), 'alike')
  assert.equal(shown(matcher.match(sighting('Lily Town', 'Chelsea'), nobody)), 'same A')
  assert.deepEqual(matcher.setAliases([]), [1])
  assert.equal(shown(matcher.match(sighting('Zed Wanderers', 'Chelsea'), nobody)), 'same A')
})

test('an alias may stand on a shipped one, turn it round, and run in a circle', () => {
  const matcher = new NameMatcher()
  matcher.add(1, 'a:1', sighting('Wolverhampton Wanderers', 'Chelsea'))
  matcher.setAliases([{ sport: null, name: 'The Pack', means: 'Wolves' }])
  assert.equal(shown(matcher.match(sighting('The Pack', 'Chelsea'), nobody)), 'same A')
  matcher.setAliases([{ sport: null, name: 'Wolverhampton Wanderers', means: 'Wolves' }])
  assert.equal(shown(matcher.match(sighting('Wolves', 'Chelsea'), nobody)), 'same A')
  const names = ['Wolves', 'The Pack', 'The Den']
  matcher.setAliases(names.map((name, place) => ({ sport: null, name, means: names[(place + 1) % 3]! })))
  assert.notEqual(matcher.match(sighting('Wolverhampton Wanderers', 'Chelsea'), nobody), undefined)
})

test('a name that stands in more events than a lookup looks at names nobody, and costs others nothing', () => {
  const matcher = new NameMatcher()
  for (let event = 1; event <= 600; event++) matcher.add(event, `a:${event}`, sighting('Flood', `Side ${event} x`))
  matcher.add(601, 'a:601', sighting('Arsenal', 'Chelsea'))
  assert.equal(matcher.match(sighting('Flood', 'Side 5 x'), nobody), undefined)
  assert.equal(shown(matcher.match(sighting('Arsenal', 'Chelsea'), nobody)), 'same A')
})
