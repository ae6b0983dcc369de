// Which event a sighting is of as sources spell and move their events: never two of one source, and where they moved to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { WORLD_START } from '../random-observations.ts'
import { merge, price, split, World } from './world.ts'
import { checkInvariants } from '../board/invariants.ts'

const HOUR_MS = 3_600_000
const in_ = (hours: number): number => WORLD_START + hours * HOUR_MS
const GAME = { home: 'Northfield Rovers', away: 'Kestrel Vale' }
const GAME_SPELT_OTHERWISE = { home: 'Northfield Rovers FC', away: 'Kestrel Vale' }
const newWorld = (): World => new World(100, new NameMatcher())

test('two ids of one source that are spelt alike are two events, each with its prices', () => {
  for (const world of [new World(), newWorld()]) {
    world.see('a:1', { ...GAME, prices: [price('home', 2)] })
    world.see('a:2', { ...GAME, prices: [price('home', 5)] })
    assert.deepEqual(world.parts(), ['a:1', 'a:2'])
    assert.notEqual(world.idOf('a:1'), world.idOf('a:2'))
    assert.deepEqual([world.quotes('a:1'), world.quotes('a:2')], [['book_a  home 2 open'], ['book_a  home 5 open']])
    world.decide(merge('a:1', 'a:2'))
    assert.deepEqual(world.parts(), ['a:1 a:2'], 'people may say otherwise')
    world.decide()
    // The newest quote of the book had been that of one of them.
    for (const key of ['a:1', 'a:2']) world.see(key, GAME)
    assert.deepEqual(world.parts(), ['a:1', 'a:2'])
  }
})

test('of two events that a source spells alike nobody can tell which one another source means', () => {
  const world = newWorld()
  for (const key of ['a:1', 'a:2', 'b:1']) world.see(key, GAME)
  assert.deepEqual(world.parts(), ['a:1', 'a:2', 'b:1'])
  const [conflict, ...more] = world.engine.sightings.conflicts()
  assert.equal(conflict?.reason, 'ambiguous')
  assert.equal(conflict.others.length, 2)
  assert.deepEqual(more, [])
  world.decide(merge('a:2', 'b:1'))
  world.see('b:2', GAME)
  assert.deepEqual(world.parts(), ['a:1 b:2', 'a:2 b:1'], 'only one is left')
})

test('women and men of one club and one league key are two events, also when the name of the league says so later', () => {
  const world = newWorld()
  const match = { home: 'Arsenal', away: 'Chelsea' }
  world.see('a:1', { ...match, leagueName: "FA Women's Super League" })
  world.see('b:1', { ...match, leagueName: 'Premier League' })
  world.see('c:1', { ...match, leagueName: 'WSL', kickoffAt: WORLD_START + 300_000 })
  world.see('d:1', match)
  assert.deepEqual(world.parts(), ['a:1 c:1', 'b:1 d:1'])
  world.see('d:1', { ...match, leagueName: 'FA Youth Cup' })
  world.see('e:1', { ...match, leagueName: 'FA Youth Cup' })
  world.see('f:1', { ...match, home: 'Arsenal FC', leagueName: 'U18 Cup' })
  const [first, ...others] = world.parts()
  assert.equal(first, 'a:1 c:1')
  assert.ok(!others.some((part) => part.includes('b:1') && part.includes('e:1')), 'e:1 is a match of the youth')
})

test('men and women do not become one by a source that names neither', () => {
  const world = newWorld()
  const match = { home: 'Wang X.', away: 'Zhang S.', sport: 'tennis' } as const
  world.see('a:1', { ...match, leagueName: 'ATP Beijing' })
  world.see('b:1', { ...match, leagueName: 'WTA Beijing' })
  assert.deepEqual(world.parts(), ['a:1', 'b:1'])
  world.see('c:1', { ...match, kickoffAt: WORLD_START + HOUR_MS })
  assert.deepEqual(world.parts(), ['a:1', 'b:1', 'c:1'], 'it may be either')
  world.see('d:1', { ...match, kickoffAt: WORLD_START + HOUR_MS, leagueName: 'WTA' })
  world.see('c:1', { ...match, kickoffAt: WORLD_START + HOUR_MS, leagueName: 'WTA' })
  for (const part of world.parts()) assert.ok(!(part.includes('a:1') && part.includes('b:1')), part)
})

test('what has no source id stays the event that is called so', () => {
  const world = newWorld()
  for (const bookmaker of ['n', 'm']) world.see('n', { ...GAME, sourceKey: null, bookmaker })
  world.see('a:1', GAME)
  world.see('n', { ...GAME, sourceKey: null })
  assert.deepEqual(world.parts(), ['a:1'])
  assert.equal(world.engine.board.catalogue.eventCount, 1)
})

test('a match that is moved to where another source has it already is one event', () => {
  for (const spelling of [GAME, GAME_SPELT_OTHERWISE]) {
    const world = newWorld()
    world.see('a:1', { ...GAME, kickoffAt: in_(2) })
    world.see('g:1', { ...spelling, kickoffAt: in_(26) })
    assert.deepEqual(world.parts(), ['a:1', 'g:1'])
    world.see('a:1', { ...GAME, kickoffAt: in_(26) })
    assert.deepEqual(world.events(), [`a:1 g:1: ${spelling.home} v Kestrel Vale +26 h`])
    assert.deepEqual(world.quotes('g:1'), ['book_a  home 2 open', 'book_g  home 2 open'])
    checkInvariants(world.engine)
  }
})

test('a name that is corrected to what another source calls the match makes them one', () => {
  for (const matcher of [undefined, new NameMatcher()]) {
    const world = new World(100, matcher)
    world.see('a:1', { ...GAME, home: 'Nrothfield' })
    world.see('b:1', { ...GAME, home: 'Nrothfield' })
    world.see('g:1', GAME)
    assert.deepEqual(world.parts(), ['a:1 b:1', 'g:1'])
    // Not the one that brought it.
    world.see('b:1', GAME)
    assert.deepEqual(world.parts(), ['a:1 b:1 g:1'])
  }
})

test('a match that is moved to where another one is stays apart if people say so, or its source knows both', () => {
  for (const spelling of [GAME, GAME_SPELT_OTHERWISE]) {
    const world = newWorld()
    world.see('a:1', { ...GAME, kickoffAt: in_(2) })
    world.see('g:1', { ...spelling, kickoffAt: in_(26) })
    world.decide(split('a:1', 'g:1'))
    world.see('a:1', { ...GAME, kickoffAt: in_(26) })
    assert.deepEqual(world.events(), [
      'a:1: Northfield Rovers v Kestrel Vale +26 h',
      `g:1: ${spelling.home} v Kestrel Vale +26 h`,
    ])
    assert.deepEqual(world.engine.sightings.conflicts(), [])
    world.decide()
    assert.deepEqual(world.parts(), ['a:1 g:1'])
  }
})

test('a source that swaps the times of its two games is followed, from whichever it moves first', () => {
  for (const keys of [
    ['a:1', 'a:2'],
    ['a:2', 'a:1'],
  ]) {
    const world = newWorld()
    const see = (key: string, hours: number): void =>
      world.see(key, { sport: 'baseball', home: 'Cleveland', away: 'Baltimore', kickoffAt: in_(hours) })
    see('a:1', 2)
    see('a:2', 6)
    see('b:2', 6)
    const ids = ['a:1', 'a:2'].map((key) => world.idOf(key))
    for (const key of keys) see(key, key === 'a:1' ? 6 : 2)
    const rows = ['a:1: Cleveland v Baltimore +6 h', 'a:2 b:2: Cleveland v Baltimore +2 h']
    assert.deepEqual(world.events(), rows)
    for (const key of keys) see(key, key === 'a:1' ? 6 : 2)
    assert.deepEqual(world.events(), rows)
    assert.deepEqual(
      ['a:1', 'a:2'].map((key) => world.idOf(key)),
      ids,
    )
    for (const key of keys) see(key, key === 'a:1' ? 2 : 6)
    assert.deepEqual(world.events(), ['a:1: Cleveland v Baltimore +2 h', 'a:2 b:2: Cleveland v Baltimore +6 h'])
    checkInvariants(world.engine)
  }
})

test('when the source that brought an event has fallen silent, the next that still prices it moves it', () => {
  for (const movesAt of [30, 26, 10]) {
    const world = newWorld()
    const see = (key: string, kickoffAt: number): void => world.see(key, { ...GAME, kickoffAt })
    see('a:1', in_(72))
    see('b:1', in_(72))
    see('c:1', in_(72))
    for (let hours = 1; hours < 32; hours++) {
      world.nowAt = in_(hours)
      see('b:1', in_(hours < movesAt ? 72 : 96))
    }
    assert.deepEqual(world.events(), ['a:1 b:1 c:1: Northfield Rovers v Kestrel Vale +96 h'], `moved at ${movesAt} h`)
  }
})

test('an observation that is older than what its source has said neither renames nor moves its event', () => {
  const world = newWorld()
  const see = (key: string, home: string, hours: number, at: number): void =>
    world.see(key, { home, away: GAME.away, kickoffAt: in_(hours), at })
  const at = WORLD_START + 60_000
  world.nowAt = at
  see('a:1', 'Northfield', 2, at)
  see('a:1', 'Northfield Rovers', 3, at + 500)
  const named = ['a:1: Northfield Rovers v Kestrel Vale +3 h']
  assert.deepEqual(world.events(), named)
  see('a:1', 'Northfield', 2, at)
  assert.deepEqual(world.events(), named, 'a SEND that is repeated')
  see('a:1', 'Nrothfield', 1, at + 499)
  assert.deepEqual(world.events(), named, 'a SEND that is late')
  const { seq } = world.engine
  see('a:1', 'Northfield', 2, at - 24 * HOUR_MS)
  assert.deepEqual(world.events(), named, 'a stale one')
  see('a:1', 'Northfield', 2, world.nowAt + 1_000 + 5_001)
  assert.deepEqual(world.events(), named, 'one that is ahead of the clock')
  assert.equal(world.engine.seq, seq, 'subscribers are told nothing')
  see('a:1', 'Northfield Rovers', 4, at + 500)
  assert.deepEqual(world.events(), ['a:1: Northfield Rovers v Kestrel Vale +4 h'], 'of equal times the later arrival')
  checkInvariants(world.engine)
})

test('the same names, said again later, keep an older spelling out', () => {
  const world = newWorld()
  const at = WORLD_START + 60_000
  world.nowAt = at
  world.see('a:1', { ...GAME, at })
  world.see('a:1', { ...GAME, at: at + 1_000 })
  world.see('a:1', { ...GAME, home: 'Northfield', kickoffAt: in_(9), at: at + 999 })
  assert.deepEqual(world.events(), ['a:1: Northfield Rovers v Kestrel Vale +0 h'])
})

test('each source has a time of its own: a late one of one source does not hold up another', () => {
  const world = new World()
  const at = WORLD_START + 60_000
  world.nowAt = at
  world.see('a:1', { ...GAME, at: at + 1_000 })
  world.see('b:1', { ...GAME, at })
  // The first source names the event; when it has no quote left the next one does, as it spells it now.
  world.see('b:1', { ...GAME, kickoffAt: in_(5), at: at + 500 })
  world.see('b:1', { ...GAME, kickoffAt: in_(7), at: at + 499 })
  assert.deepEqual(world.events(), ['a:1 b:1: Northfield Rovers v Kestrel Vale +0 h'])
  for (let hours = 1; hours < 26; hours++) {
    world.nowAt = in_(hours)
    world.see('b:1', { ...GAME, kickoffAt: in_(5) })
  }
  assert.deepEqual(world.events(), ['a:1 b:1: Northfield Rovers v Kestrel Vale +5 h'])
  world.see('b:1', { ...GAME, kickoffAt: in_(2), at: in_(3) })
  assert.deepEqual(world.events(), ['a:1 b:1: Northfield Rovers v Kestrel Vale +5 h'])
  checkInvariants(world.engine)
})

test('rest and live of one source have one time', () => {
  const world = newWorld()
  const at = WORLD_START + 60_000
  world.nowAt = at
  world.see('a:1', { ...GAME, at: at + 500, transport: 'live' })
  world.see('a:1', { ...GAME, kickoffAt: in_(2), at, transport: 'rest' })
  assert.deepEqual(world.events(), ['a:1: Northfield Rovers v Kestrel Vale +0 h'])
  world.see('a:1', { ...GAME, kickoffAt: in_(2), at: at + 501, transport: 'rest' })
  assert.deepEqual(world.events(), ['a:1: Northfield Rovers v Kestrel Vale +2 h'])
})

test('names that stand for nobody are known by the id of their source only', () => {
  const world = newWorld()
  for (const [place, [home, away]] of [
    ['Winner SF1', 'Winner SF2'],
    ['Home Team', 'Away Team'],
    ['Home (5 Games)', 'Away (5 Games)'],
    ['Home', 'Away Goals'],
    ['TBD', 'TBA'],
    ['Arsenal', 'Team B'],
    ['Loser of Match 3', '1st Group A'],
  ].entries()) {
    for (const source of ['a', 'b']) world.see(`${source}:${place}`, { home: home!, away: away! })
    world.see(`a:${place}`, { home: home!, away: away! })
    assert.notEqual(world.idOf(`a:${place}`), world.idOf(`b:${place}`), home)
  }
  assert.equal(world.engine.board.catalogue.eventCount, 14)
  for (const source of ['a', 'b']) world.see(`${source}:x`, { home: 'Winterthur', away: 'Homeland' })
  assert.equal(world.idOf('a:x'), world.idOf('b:x'))
})

test('a simulated game joins one of the same players within minutes, and never a match', () => {
  const world = newWorld()
  const teams = { home: 'Real Madrid (Kray)', away: 'Barcelona (Boulevard)' }
  const minutes = (count: number): number => WORLD_START + count * 60_000
  world.see('m:1', { home: 'Real Madrid', away: 'Barcelona', leagueName: 'La Liga' })
  for (const game of [0, 1, 2]) {
    for (const [place, source] of ['a', 'b'].entries()) {
      const kickoffAt = minutes(10 * game + 2 * place)
      world.see(`${source}:${game}`, { ...teams, leagueName: 'Esoccer Battle', kickoffAt })
    }
  }
  world.see('c:0', { ...teams, away: 'Barcelona (Nash)', leagueName: 'Esoccer Battle' })
  world.see('c:1', { home: 'Real Madrid', away: 'Barcelona', leagueName: 'Esoccer Battle' })
  assert.deepEqual(world.parts(), ['a:0 b:0', 'a:1 b:1', 'a:2 b:2', 'c:0', 'c:1', 'm:1'])
})

test('a second game at a placeholder of a start joins no first game', () => {
  const world = newWorld()
  const match = { home: 'Boston Red Sox', away: 'New York Yankees', sport: 'baseball' } as const
  const prices = [price('home', 2, { type: 'match_winner' })]
  const at = (minutes: number): number => WORLD_START + minutes * 60_000
  world.see('a:1', { ...match, prices, kickoffAt: at(0) })
  world.see('a:2', { ...match, prices, kickoffAt: at(210) })
  world.see('b:2', { ...match, prices, kickoffAt: at(30) })
  world.see('c:1', { ...match, prices, kickoffAt: at(5) })
  world.see('c:2', { ...match, prices, kickoffAt: at(205) })
  assert.deepEqual(world.parts(), ['a:1 c:1', 'a:2 c:2', 'b:2'])
})
