import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsOf, isFixtureFault, parseFixtures } from '../../../src/source/kit/fixture-list.ts'

const LIMITS = { pricesMax: 10, textLengthMax: 40 }

const entry = (over: object = {}): object => ({
  id: 'sr:match:1',
  sport: 'football',
  league: { key: 'premier_league', name: 'Premier League' },
  home: 'Harbour Town',
  away: 'Kestrel Rovers',
  kickoffAt: '2026-11-20T16:00:00+01:00',
  ...over,
})

const parse = (...fixtures: unknown[]) => {
  const list = parseFixtures(JSON.stringify({ fixtures }), LIMITS)
  return isFixtureFault(list) ? list : list.fixtures
}

test('a fixture list gives names and kickoffs by the id of the source', () => {
  assert.deepEqual(
    parse(entry(), entry({ id: '2', away: '' })),
    new Map([
      [
        'sr:match:1',
        {
          sport: 'football',
          leagueKey: 'premier_league',
          leagueName: 'Premier League',
          home: 'Harbour Town',
          away: 'Kestrel Rovers',
          kickoffAt: Date.parse('2026-11-20T15:00:00Z'),
        },
      ],
      [
        '2',
        {
          sport: 'football',
          leagueKey: 'premier_league',
          leagueName: 'Premier League',
          home: 'Harbour Town',
          away: '',
          kickoffAt: Date.parse('2026-11-20T15:00:00Z'),
        },
      ],
    ]),
  )
  assert.deepEqual(parse(), new Map())
})

test('a list with one fault in it is not taken; the fault names its place once, in words of its own', () => {
  const league = { key: 'l', name: 'L' }
  const cases: readonly (readonly [unknown, string])[] = [
    [7, 'fixtures[1]'],
    [null, 'fixtures[1]'],
    [[], 'fixtures[1]'],
    [entry({ id: undefined }), 'fixtures[1].id'],
    [entry({ id: 17 }), 'fixtures[1].id'],
    [entry({ id: '' }), 'fixtures[1].id'],
    [entry({ id: 'sr:match:0' }), 'fixtures[1].id'],
    [entry({ sport: 'chess' }), 'fixtures[1].sport'],
    [entry({ sport: 'toString' }), 'fixtures[1].sport'],
    [entry({ league: 'l' }), 'fixtures[1].league'],
    [entry({ league: { ...league, key: '' } }), 'fixtures[1].league.key'],
    [entry({ league: { ...league, name: 'x'.repeat(41) } }), 'fixtures[1].league.name'],
    [entry({ league: { ...league, country: 'x' } }), 'fixtures[1].league.country'],
    [entry({ home: '' }), 'fixtures[1].home'],
    [entry({ home: 'a\u0000b' }), 'fixtures[1].home'],
    [entry({ away: undefined }), 'fixtures[1].away'],
    [entry({ away: 'Harbour Town' }), 'fixtures[1].away'],
    [entry({ kickoffAt: '2026-11-20' }), 'fixtures[1].kickoffAt'],
    [entry({ kickoffAt: 1_790_000_000_000 }), 'fixtures[1].kickoffAt'],
    [entry({ venue: 'Harbour Ground' }), 'fixtures[1].venue'],
  ]
  for (const [wrong, field] of cases) {
    const fault = parse(entry({ id: 'sr:match:0' }), wrong, entry())
    assert.ok('field' in fault, `${field}: taken`)
    assert.equal(fault.field, field)
    assert.match(fault.message, /^(must|is|repeats|has)\b/, `${field}: ${fault.message}`)
    assert.ok(!fault.message.startsWith(field), fault.message)
  }
})

test('what is no list is told apart from what is no JSON', () => {
  for (const text of ['', '{"fixtures":[', '{fixtures:[]}']) {
    const fault = parseFixtures(text, LIMITS)
    assert.ok('field' in fault && fault.field === 'file', text)
  }
  for (const text of ['[]', 'null', '{}', '{"fixtures":{}}', '7']) {
    const fault = parseFixtures(text, LIMITS)
    assert.ok('field' in fault && fault.field === 'fixtures', text)
  }
})

test('a fixture list may name runners, by selection id', () => {
  const list = parseFixtures(
    JSON.stringify({ fixtures: [entry()], runners: { 11: 'Harbour Town', 47973: 'Over' } }),
    LIMITS,
  )
  if (isFixtureFault(list)) assert.fail(list.message)
  const { fixtureOf, runnerNameOf } = factsOf(list)
  assert.equal(runnerNameOf?.(11), 'Harbour Town')
  assert.equal(runnerNameOf?.(47_973), 'Over')
  assert.equal(runnerNameOf?.(12), undefined)
  assert.equal(fixtureOf('sr:match:1')?.home, 'Harbour Town')
  assert.equal(fixtureOf('11'), undefined)
  for (const [runners, field] of [
    [[], 'runners'],
    ['11', 'runners'],
    [{ 'sr:1': 'Harbour Town' }, 'runners.sr:1'],
    [{ 0: 'Harbour Town' }, 'runners.0'],
    [{ 11: '' }, 'runners.11'],
    [{ 11: 7 }, 'runners.11'],
    [{ 11: 'x'.repeat(41) }, 'runners.11'],
    [{ 11: 'a\nb' }, 'runners.11'],
  ] as const) {
    const fault = parseFixtures(JSON.stringify({ fixtures: [], runners }), LIMITS)
    assert.ok(
      isFixtureFault(fault) &&
        (field === 'runners' ? fault.field === field || fault.field.startsWith('runners.') : fault.field === field),
      JSON.stringify(runners),
    )
  }
})
