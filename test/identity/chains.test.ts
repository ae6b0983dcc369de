// A short spelling does not join two matches that contradict each other, whatever the order of arrival.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sport } from '../../src/domain/sport.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { WORLD_START } from '../random-observations.ts'
import { merge, World } from './world.ts'

type Match = readonly [league: string, home: string, away: string]

/** A match, another one, and a spelling that may be of either. */
const TRIPLES: readonly (readonly [Sport, Match, Match, Match])[] = [
  ['tennis', ['', 'Maxim Popov', 'Ivan Ivanov'], ['', 'Mikhail Popov', 'Igor Ivanov'], ['', 'Popov M', 'Ivanov I']],
  ['tennis', ['', 'Fabio Arda', 'Tom Etch'], ['', 'Franco Arda', 'Tiago Etch'], ['', 'Arda F', 'Etch T']],
  ['tennis', ['ATP', 'Kim S', 'Lee D'], ['WTA', 'Kim S', 'Lee D'], ['x', 'Kim S', 'Lee D']],
  [
    'tennis',
    ['', 'Krawietz K / Puetz T', 'Ram R / Salis J'],
    ['', 'Krawietz L / Puetz M', 'Ram S / Salis K'],
    ['', 'Krawietz / Puetz', 'Ram / Salis'],
  ],
  [
    'combat_sport',
    ['', 'Bruno Silva', 'Joao Sousa'],
    ['', 'Bernardo Silva', 'Jonas Sousa'],
    ['', 'Silva B', 'Sousa J'],
  ],
  ['badminton', ['', 'Chen Yufei', 'Wang Zhiyi'], ['', 'Chen Yang', 'Wang Zheng'], ['', 'Chen Y', 'Wang Z']],
  [
    'football',
    ['', 'Manchester United', 'Sheffield United'],
    ['', 'Manchester City', 'Sheffield Wednesday'],
    ['', 'Manchester', 'Sheffield'],
  ],
  ['football', ['', 'Racing North', 'Union Hill'], ['', 'Racing South', 'Union Dale'], ['', 'Racing', 'Union']],
  ['football', ['', 'Reds (URU)', 'Blues (URU)'], ['', 'Reds (PAR)', 'Blues (PAR)'], ['', 'Reds', 'Blues']],
  ['football', ['', 'Reds 17', 'Blues 17'], ['', 'Reds 18', 'Blues 18'], ['', 'Reds', 'Blues']],
  ['football', ['', 'Reds U19', 'Blues U19'], ['', 'Reds U21', 'Blues U21'], ['', 'Reds Youth', 'Blues Youth']],
  ['football', ['Primera, Uruguay', 'River', 'Oak'], ['Primera, Argentina', 'River', 'Oak'], ['x', 'River', 'Oak']],
  [
    'basketball',
    ['NCAA', 'Miami (OH)', 'Loyola Marymount'],
    ['NCAA', 'Miami (FL)', 'Loyola Chicago'],
    ['NCAA', 'Miami', 'Loyola'],
  ],
]

const ORDERS = ['abc', 'acb', 'bac', 'bca', 'cab', 'cba']

const together = (parts: readonly string[]): boolean => parts.some((part) => part.includes('a:') && part.includes('b:'))

for (const [sport, ...matches] of TRIPLES) {
  test(`two matches stay two beside a spelling of either: ${sport}, ${matches[0]![1]}, ${matches[2]![1]}`, () => {
    for (const order of ORDERS) {
      const world = new World(100, new NameMatcher())
      for (const source of order) {
        const [leagueName, home, away] = matches['abc'.indexOf(source)]!
        world.see(`${source}:1`, { sport, leagueName, home, away })
      }
      assert.ok(!together(world.parts()), `${order}: ${world.parts().join(', ')}`)
      // The short spelling joins neither where both are known.
      if (order.endsWith('c')) assert.deepEqual(world.parts(), ['a:1', 'b:1', 'c:1'])
      // Nor by a new spelling of a source.
      const [leagueName, home, away] = matches[2]!
      for (const minutes of [1, 2]) {
        world.see('d:1', { sport, leagueName, home, away, kickoffAt: WORLD_START + minutes * 60_000 })
        world.see('e:1', { sport, leagueName, home, away, kickoffAt: WORLD_START + (minutes + 1) * 60_000 })
      }
      assert.ok(!together(world.parts()), `${order}: ${world.parts().join(', ')}`)
    }
  })
}

test('two events are not joined by a respelling where others of their spellings contradict', () => {
  const world = new World(100, new NameMatcher())
  world.see('a:1', { home: 'Manchester United', away: 'Sheffield United' })
  world.see('d:1', { home: 'Manchester', away: 'Sheffield' })
  assert.deepEqual(world.parts(), ['a:1 d:1'])
  world.see('b:1', { home: 'Manchester City', away: 'Sheffield Wednesday' })
  world.see('b:1', { home: 'Manchester', away: 'Sheffield Wednesday' })
  assert.deepEqual(world.parts(), ['a:1 d:1', 'b:1'])
  world.see('a:1', { home: 'Manchester', away: 'Sheffield United' })
  assert.deepEqual(world.parts(), ['a:1 d:1', 'b:1'])
})

test('a spelling that a person has joined to an event does not contradict its others', () => {
  const world = new World(100, new NameMatcher())
  world.see('a:1', { home: 'Arsenal', away: 'Chelsea' })
  world.see('b:1', { home: 'The Lilies', away: 'The Oaks' })
  world.decide(merge('a:1', 'b:1'))
  world.see('c:1', { home: 'Arsenal FC', away: 'Chelsea FC' })
  world.see('d:1', { home: 'Lilies', away: 'The Oaks' })
  assert.deepEqual(world.parts(), ['a:1 b:1 c:1 d:1'])
})
