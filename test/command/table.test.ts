// Lists as people read them, and as programs do: see also the commands on a real terminal below.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf, tableOf, type TableRow, tally } from '../../src/command/table.ts'

/** How a terminal shows it. */
const columnsOf = (line: string): number =>
  [...line].reduce((sum, letter) => sum + (letter === '\u0301' ? 0 : /[\p{Script=Han}🙂]/u.test(letter) ? 2 : 1), 0)

test('a table is aligned: numbers to the right, nothing as a dash, and what controls a terminal as a blank', () => {
  const at = '2026-11-23T05:56:56.074Z'
  assert.deepEqual(
    tableOf(
      [
        { id: 'a', books: ['x', 'y'], expires: null, live: true, prices: 7, note: '' },
        { id: 'longer', books: [], expires: at, live: false, prices: 1_200, note: 'a\u001b[31mb\u202ec\nd' },
        { id: 'e\u0301', books: 'z', expires: null, live: false, prices: null, note: 'e' },
      ],
      80,
    ),
    [
      'id      books  expires               live  prices  note',
      'a       x,y    -                     yes        7  -',
      'longer  -      2026-11-23 05:56:56Z  no      1200  a [31mb c d',
      'e\u0301       z      -                     no         -  e',
    ],
  )
  assert.deepEqual(tableOf([], 80), [''])
})

test('a table that is wider than the terminal has its widest columns shortened, and never the first', () => {
  const id = 'a-name-of-twenty-five-let'
  const rows = [{ id, books: 'b'.repeat(60), problem: 'p'.repeat(50), n: 1 }]
  for (const width of [60, 80, 120]) {
    const lines = tableOf(rows, width)
    for (const line of lines) assert.ok(line.length <= width, `${width}: ${line}`)
    assert.ok(lines[1]!.startsWith(`${id}  b`))
    assert.equal(lines[1]!.split('…').length, 3)
  }
  assert.ok(!tableOf(rows, 200)[1]!.includes('…'))
})

test('no table is wider than the terminal, and below the least widths of its columns each cell has a line', () => {
  const time = '2026-11-23T05:56:56.074Z'
  const tables: readonly TableRow[][] = [
    Array.from({ length: 3 }, (_, at) => ({
      id: `source-${at}-${'n'.repeat(64)}`,
      kind: 'cloudbet',
      interval: 30,
      at: time,
    })),
    [{ id: 'k'.repeat(16), org: 'o'.repeat(20), scope: 'read', created: time, expires: time, used: null }],
    [{ slug: 'book', status: 'verified_rest_live', sports: ['football', 'tennis'], countries: 2 }],
    [{ id: '足球英格兰超级联赛'.repeat(5), name: 'e\u0301'.repeat(40), face: '🙂'.repeat(30), n: 1 }],
    [Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`heading-${at}`, 'v'.repeat(at)]))],
  ]
  for (const rows of tables) {
    for (let width = 1; width <= 200; width++) {
      for (const line of tableOf(rows, width)) {
        assert.ok(columnsOf(line) <= width, `${columnsOf(line)} of ${width}: ${line}`)
        assert.doesNotMatch(line, /\p{Cs}/u)
      }
    }
  }
  assert.equal(tableOf(tables[0]!, 80)[1]!.split('  ')[0]!.length, 40, 'the first keeps half')
  assert.deepEqual(
    tableOf(
      [
        { id: 'a', sports: 'football', n: 12_345_678 },
        { id: 'b', sports: '', n: 1 },
      ],
      20,
    ),
    ['id      a', 'sports  football', 'n       12345678', '', 'id      b', 'sports  -', 'n       1'],
  )
})

test('sums are words', () => {
  assert.equal(tally(['live', 'down', 'live']), '2 live, 1 down')
  assert.deepEqual(
    [0, 1, 2].map((count) => countOf(count, 'source')),
    ['no sources', '1 source', '2 sources'],
  )
})
