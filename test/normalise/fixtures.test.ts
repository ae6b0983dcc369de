import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFixtures } from '../../src/normalise/fixtures.ts'

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

const parse = (...fixtures: unknown[]) => parseFixtures(JSON.stringify({ fixtures }), LIMITS)

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
