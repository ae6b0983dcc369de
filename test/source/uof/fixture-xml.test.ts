// Fixtures of Sportradar's API become fixtures of ours.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readFixture } from '../../../src/source/uof/fixture-xml.ts'
import { ROOT } from '../../root.ts'

const XML = readFileSync(join(ROOT, 'fixtures', 'uof', 'fixture.xml'), 'utf8')
const read = (xml: string): unknown => readFixture(xml, 200)

test('a fixture has sport, league, sides and kickoff', () => {
  assert.deepEqual(read(XML), {
    sport: 'football',
    leagueKey: 'england_premier_league',
    leagueName: 'Premier League',
    home: 'Northport & Sons United',
    away: 'Southgate Athletic',
    kickoffAt: Date.parse('2026-11-21T15:00:00Z'),
  })
})

test('a category that is no country is no part of the league; without league it is unknown', () => {
  const cup = XML.replace(/<category [^>]*>/, '<category id="sr:category:393" name="International Clubs"/>').replace(
    'name="Premier League"',
    'name="UEFA Champions League"',
  )
  assert.equal((read(cup) as { leagueKey: string }).leagueKey, 'uefa_champions_league')
  const none = XML.replace(/<category [^>]*>/, '').replace('name="Premier League"', '')
  assert.equal((read(none) as { leagueKey: string }).leagueKey, 'unknown')
})

test('the start time stands in for a missing schedule', () => {
  const moved = XML.replace(/ scheduled="[^"]*"/, '')
  assert.equal((read(moved) as { kickoffAt: number }).kickoffAt, Date.parse('2026-11-21T15:30:00Z'))
})

test('what cannot be used has a reason', () => {
  assert.equal(read(XML.replace('sr:sport:1"', 'sr:sport:9999"')), 'other_sport')
  const faults: [string, string][] = [
    [XML.replace(/<sport [^>]*>/, ''), 'names no sport'],
    [XML.replaceAll(/<competitor [^>]*>(<[^>]*>\s*<\/competitor>)?/g, ''), 'names no two sides'],
    [XML.replace('scheduled="2026-11-21T15:00:00+00:00"', 'scheduled="soon"'), 'has no kickoff: "soon"'],
    [XML.replace('Southgate Athletic', 'x'.repeat(201)), `has a name that cannot be shown: "${'x'.repeat(60)}…"`],
    ['<!DOCTYPE a []><a/>', 'must not have a DTD'],
  ]
  for (const [xml, fault] of faults) assert.deepEqual(read(xml), { fault })
  assert.match((read('nothing') as { fault: string }).fault, /^is not XML: /)
})
