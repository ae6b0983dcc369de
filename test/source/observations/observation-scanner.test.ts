// The scanner against the slow path: the same result for every body, whatever it is and whatever was read before.

import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { MARKET_TYPES } from '../../../src/domain/market.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import { type Refusal, isRefusal } from '../../../src/domain/refusal.ts'
import { ObservationScanner } from '../../../src/source/observations/observation-scanner.ts'
import { parseObservation, wireObservation } from '../../../src/source/observations/observations.ts'
import { randomObservation, WORLD_START } from '../../random-observations.ts'
import { Random, SEED } from '../../random.ts'

const LIMITS = { pricesMax: 8, textLengthMax: 40 }
const BOOKMAKER = 'bet365'

const slowly = (bytes: Buffer, bookmaker: string): Observation | Refusal =>
  isUtf8(bytes)
    ? parseObservation(bytes.toString('utf8'), bookmaker, LIMITS)
    : { refused: 'validation_failed', message: 'observation is not UTF-8', field: 'observation' }

/** Scanners that must agree with the slow path: a roomy one, and one that forgets all the time. */
const newScanners = (): ObservationScanner[] => [
  new ObservationScanner(LIMITS),
  new ObservationScanner(LIMITS, { eventsMax: 4, headsMax: 8 }),
]

/** Reads a body by all scanners; fails where one differs. Returns whether it was taken. */
const agree = (scanners: readonly ObservationScanner[], body: Buffer | string, bookmaker = BOOKMAKER): boolean => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const expected = slowly(bytes, bookmaker)
  for (const scanner of scanners) {
    const result = scanner.read(bytes, bookmaker)
    if (isDeepStrictEqual(result, expected)) continue
    assert.deepEqual(result, expected, `seed ${SEED}, ${bookmaker}: ${JSON.stringify(bytes.toString('latin1'))}`)
  }
  return !isRefusal(expected)
}

const EVENT =
  '{"sport":"football","league":{"key":"england_premier_league","name":"Premier League"},' +
  '"home":"Arsenal","away":"Chelsea","kickoffAt":"2026-11-20T20:00:00.000Z","sourceId":"abc"}'
const HOME = '{"type":"match_result_1x2","line":null,"outcome":"home","odds":2.1,"status":"open"}'
const OVER = '{"type":"total_goals","line":2.5,"outcome":"over","odds":13.25,"status":"suspended"}'
const START = '{"transport":"live","observedAt":"2026-11-20T19:03:11.482Z","event":'

const bodyOf = (quotes: readonly string[], ending = ',"complete":false,"others":"keep"}'): string =>
  `${START}${EVENT},"quotes":[${quotes.join(',')}]${ending}`

const EXAMPLE = bodyOf([HOME, OVER])

/** Whether a body is read without the slow path: then equal events are one object. */
const isFast = (body: string, bookmaker = BOOKMAKER): boolean => {
  const scanner = new ObservationScanner(LIMITS, { eventsMax: 4, headsMax: 64 })
  const read = (): Observation => {
    const result = scanner.read(Buffer.from(body), bookmaker)
    if (isRefusal(result)) assert.fail(`${result.message}: ${body}`)
    return result
  }
  return read().event === read().event
}

test('what wireObservation writes, and the order of docs/live-protocol.md 7, need no slow path', () => {
  assert(isFast(EXAMPLE))
  assert(isFast(bodyOf([])))
  assert(isFast(`{"bookmaker":"bet365",${EXAMPLE.slice(1)}`))
  for (const ending of [
    '}',
    ',"others":"keep"}',
    ',"others":"suspended"}',
    ',"others":"closed"}',
    ',"complete":true}',
    ',"complete":true,"others":"closed"}',
    ',"complete":false}',
    ',"complete":false,"others":"suspended"}',
    ',"complete":false,"others":"closed"}',
  ]) {
    assert(isFast(bodyOf([HOME, OVER], ending)), ending)
  }
  for (const quote of [
    HOME.replace('"line":null,', ''),
    HOME.replace(',"status":"open"', ''),
    HOME.replace('open', 'closed'),
    OVER.replace('13.25', 'null'),
    OVER.replace('"odds":13.25,', ''),
    OVER.replace('13.25', '1.9090909090909092'),
    OVER.replace('13.25', '1000'),
    OVER.replace('over', 'Ödegård'),
  ]) {
    assert(isFast(bodyOf([quote])), quote)
  }
  for (const type of MARKET_TYPES) assert(isFast(bodyOf([HOME.replace('match_result_1x2', type)])), type)
  const random = new Random(SEED)
  for (let n = 0; n < 200; n++) {
    const observation = randomObservation(random, WORLD_START)
    if (observation.prices.length > LIMITS.pricesMax) continue
    assert(isFast(JSON.stringify(wireObservation(observation)), observation.bookmaker), `seed ${SEED}`)
  }
})

test('observations may be kept: a later read does not change them', () => {
  const scanner = new ObservationScanner(LIMITS)
  const kept = scanner.read(Buffer.from(EXAMPLE), BOOKMAKER)
  const before = structuredClone(kept)
  scanner.read(Buffer.from(bodyOf([OVER.replace('13.25', '14'), HOME.replace('2.1', '3')])), BOOKMAKER)
  assert.deepEqual(kept, before)
})

test('a table of which a quarter of the slots are used forgets nothing', () => {
  const scanner = new ObservationScanner(LIMITS, { eventsMax: 1_024, headsMax: 64 })
  const eventsOf = (): unknown[] =>
    Array.from({ length: 256 }, (_, number) => {
      const result = scanner.read(Buffer.from(EXAMPLE.replace('"abc"', `"abc-${number}"`)), BOOKMAKER)
      return isRefusal(result) ? assert.fail(result.message) : result.event
    })
  const events = eventsOf()
  // The same objects: not one was parsed again.
  for (const [number, event] of eventsOf().entries()) assert(event === events[number], `event ${number}`)
})

test('an event is read as JSON.parse reads it, whatever octet is in a text', () => {
  const scanners = newScanners()
  const texts = ['england_premier_league', 'Premier League', 'Arsenal', 'Chelsea', 'abc']
  for (let octet = 0; octet < 256; octet++) {
    for (const text of texts) {
      const bytes = Buffer.from(EXAMPLE)
      const at = bytes.indexOf(`"${text}"`)
      assert(at >= 0, text)
      bytes[at + 1 + (octet % text.length)] = octet
      agree(scanners, bytes)
    }
  }
})

test('an event is each bookmaker’s own, however alike the bytes', () => {
  const scanners = newScanners()
  for (const bookmaker of ['bet365', 'bwin', 'bet365', 'Bet365', '', 'bwin']) agree(scanners, EXAMPLE, bookmaker)
  for (const bookmaker of ['bet365', 'bwin']) agree(scanners, `{"bookmaker":"bet365",${EXAMPLE.slice(1)}`, bookmaker)
})

test('bytes that are not UTF-8 are refused by that name', () => {
  const scanner = new ObservationScanner(LIMITS)
  for (const place of ['Arsenal', 'home"', 'live', 'keep']) {
    const bytes = Buffer.from(EXAMPLE)
    bytes[bytes.indexOf(place)] = 0xff
    assert.deepEqual(scanner.read(bytes, BOOKMAKER), {
      refused: 'validation_failed',
      message: 'observation is not UTF-8',
      field: 'observation',
    })
  }
})

test('one price twice is refused, whichever way it is spelt', () => {
  const scanners = newScanners()
  const spellings = [
    HOME,
    HOME.replace('"line":null,', ''),
    HOME.replace('"home"', '"\\u0068ome"'),
    HOME.replace('"line":null,', '"line":null, '),
    '{"outcome":"home","type":"match_result_1x2","odds":3}',
    '{"line":null,"outcome":"home","type":"match_result_1x2","status":"closed"}',
    OVER,
    OVER.replace('2.5', '2.50'),
    OVER.replace('2.5', '25e-1'),
    OVER.replace('2.5', '0'),
    OVER.replace('2.5', '-0'),
    OVER.replace('2.5', '-0.0'),
  ]
  // Alone first, so that they are known.
  for (const quote of spellings) agree(scanners, bodyOf([quote]))
  for (const one of spellings) {
    for (const other of spellings) {
      agree(scanners, bodyOf([one, other]))
      agree(scanners, bodyOf([one, HOME.replace('home', 'draw'), other, HOME.replace('home', 'away')]))
    }
  }
  assert(isRefusal(scanners[0]!.read(Buffer.from(bodyOf([HOME, spellings[1]!])), BOOKMAKER)))
})

/** All orders of some items. */
const orders = (items: readonly string[]): string[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => orders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))

test('the fields of a quote may come in any order, be missing, or come twice', () => {
  const scanners = newScanners()
  const fields = ['"type":"total_goals"', '"line":2.5', '"outcome":"over"', '"odds":3.5', '"status":"closed"']
  const choices = [fields, ...fields.map((left) => fields.filter((field) => field !== left))]
  for (const order of choices.flatMap(orders)) {
    agree(scanners, bodyOf([`{${order.join(',')}}`]))
    agree(scanners, bodyOf([HOME, `{${order.join(',')}}`, OVER.replace('2.5', '3.5')]))
    for (const again of ['"odds":1.5', '"status":"open"', '"status":"suspended"', '"outcome":"under"', '"line":null']) {
      agree(scanners, bodyOf([`{${order.join(',')},${again}}`]))
      agree(scanners, bodyOf([`{${again},${order.join(',')}}`]))
    }
  }
})

test('names and labels of every length are read', () => {
  const limits = { pricesMax: 8, textLengthMax: 200 }
  const scanner = new ObservationScanner(limits)
  for (let length = 1; length <= limits.textLengthMax + 1; length++) {
    for (const letter of ['x', 'é', '東']) {
      const text = letter.repeat(length)
      for (const body of [
        EXAMPLE.replace('home"', `${text}"`),
        EXAMPLE.replace('Arsenal', text),
        EXAMPLE.replace('Arsenal', text).replace('Chelsea', `${text}!`),
      ]) {
        for (let twice = 0; twice < 2; twice++) {
          assert.deepEqual(scanner.read(Buffer.from(body), BOOKMAKER), parseObservation(body, BOOKMAKER, limits))
        }
      }
    }
  }
})

test('a repetition is seen though the table is too small for the body', () => {
  const scanners = newScanners()
  const random = new Random(SEED)
  for (let n = 0; n < 5_000; n++) {
    const quotes = Array.from({ length: random.int(1, LIMITS.pricesMax + 1) }, () =>
      HOME.replace('home', `o${random.int(0, 30)}`),
    )
    agree(scanners, bodyOf(quotes))
  }
})

test('every byte of a body may be any byte', () => {
  const scanners = newScanners()
  let taken = 0
  // Of the second body only the start differs.
  for (const [body, end] of [
    [EXAMPLE, EXAMPLE.length],
    [`{"bookmaker":"bet365","transport":"both"${EXAMPLE.slice(19)}`, 50],
  ] as const) {
    assert(agree(scanners, body), body)
    const bytes = Buffer.from(body)
    for (let place = 0; place < end; place++) {
      const before = bytes[place]!
      // All of them is a lot of work for nothing: the ASCII ones, and one of each kind above.
      for (let byte = 0; byte < 128; byte++) {
        bytes[place] = byte
        if (agree(scanners, bytes)) taken++
      }
      for (const byte of [0x80, 0xc3, 0xe2, 0xf0, 0xff]) {
        bytes[place] = byte
        agree(scanners, bytes)
      }
      bytes[place] = before
    }
  }
  assert(taken > 1_000, 'other names, digits and labels are taken')
})

test('a body may end anywhere, and what stood behind it before is not read', () => {
  const scanners = newScanners()
  const bytes = Buffer.from(EXAMPLE)
  for (let end = bytes.length; end >= 0; end--) {
    agree(scanners, bytes)
    agree(scanners, bytes.subarray(0, end))
    agree(scanners, Buffer.concat([bytes, bytes.subarray(0, end)]))
    agree(scanners, Buffer.concat([bytes.subarray(0, end), bytes.subarray(end + 1)]))
    agree(scanners, Buffer.concat([bytes.subarray(0, end), Buffer.from(' '), bytes.subarray(end)]))
  }
})

test('odds are exactly the number that JSON.parse reads', () => {
  const scanners = newScanners()
  const random = new Random(SEED)
  const digits = (count: number): string => Array.from({ length: count }, () => random.int(0, 9)).join('')
  const withOdds = (odds: string): string => bodyOf([HOME.replace('2.1', odds)])
  const edges =
    '0 -0 1 1.0 1.00000000000000000001 1.0000000000000002 2 01 1. .5 1.5. 1e400 1e5 1E5 1e 1e+ 2e-1 +2 -2 0.5 00 1_0 0x10 ' +
    'NaN Infinity nul nulll true "2" [2] {} 9007199254740991 9007199254740992 9007199254740993 1.9090909090909092 ' +
    '900719925474099.3 90071992547409.93 4503599627370497.5 99999999999999999999999 1.0000000000000000000001'
  for (const odds of [...edges.split(' '), '', ' 2', '2 ', '1'.repeat(400), `1.${'0'.repeat(400)}1`]) {
    agree(scanners, withOdds(odds))
    agree(scanners, bodyOf([HOME.replace('2.1', odds), OVER.replace('13.25', odds), OVER.replace('2.5', odds)]))
  }
  let taken = 0
  for (let n = 0; n < 30_000; n++) {
    const odds = random.pick([
      () => `${random.int(1, 999)}.${digits(random.int(0, 3))}`,
      () => `${random.int(1, 9)}${digits(random.int(0, 20))}.${digits(random.int(1, 20))}`,
      () => JSON.stringify(1 + random.next() * 10 ** random.int(-9, 22)),
      () => `${random.int(1, 9)}${digits(random.int(0, 24))}`,
      () => `${random.int(0, 9)}.${digits(random.int(0, 5))}e${random.int(-3, 309)}`,
    ])()
    if (agree(scanners, withOdds(odds))) taken++
  }
  assert(taken > 10_000, `seed ${SEED}`)
})

test('times are read as everywhere else', () => {
  const scanners = newScanners()
  const random = new Random(SEED)
  const withTime = (time: string): string => EXAMPLE.replace('2026-11-20T19:03:11.482Z', time)
  for (const time of [
    '2026-11-20t19:03:11.482z',
    '2026-11-20T19:03:60.000Z',
    '2026-11-20T19:03:61.000Z',
    '2026-11-20T19:60:00.000Z',
    '2026-11-20T24:00:00.000Z',
    '2026-02-29T00:00:00.000Z',
    '2024-02-29T00:00:00.000Z',
    '0000-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '2026-11-20T19:03:11Z',
    '2026-11-20T19:03:11.4Z',
    '2026-11-20T19:03:11.48200Z',
    '2026-11-20T20:03:11.482+01:00',
    '2026-11-20T19:03:11,482Z',
    '2026-11-20 19:03:11.482Z',
    '+002026-11-20T19:03:11.4',
    '2026-11-20T19:03:1１.482Z',
  ]) {
    for (let twice = 0; twice < 2; twice++) agree(scanners, withTime(time))
  }
  for (let n = 0; n < 20_000; n++) {
    const spread = random.chance(0.7) ? 7_200_000 : 8e12
    const time = new Date(WORLD_START + Math.floor((random.next() - 0.2) * spread)).toISOString()
    const place = random.int(0, time.length - 1)
    const digit = String(random.int(0, 9))
    agree(scanners, withTime(random.chance(0.7) ? time : time.slice(0, place) + digit + time.slice(place + 1)))
  }
})

const TEXTS = [
  'Arsenal',
  'Chelsea',
  'Ödegård',
  '東京ヴェルディ',
  '⚽🏟',
  'a"b',
  'back\\slash',
  'tab\tbed',
  'Mesquote FC',
  '},"quotes":[',
  ',"odds":2',
  '"quotes"',
  ' edge ',
  '\u2028',
  '\ud800',
  'nul\u0000',
  'é'.repeat(LIMITS.textLengthMax),
  'x'.repeat(LIMITS.textLengthMax),
  'x'.repeat(LIMITS.textLengthMax + 1),
  '',
]

/** A body as values: mostly as it should be, its fields now and then wrong, missing, or in another order. */
const randomValue = (random: Random, bookmaker: string): object => {
  const text = (usual: string): unknown => {
    if (random.chance(0.9)) return `${usual}${random.int(0, 3)}`
    return random.chance(0.95) ? random.pick(TEXTS) : random.pick<unknown>([null, 7, true, [], {}])
  }
  const mostly = (usual: unknown, others: readonly unknown[]): unknown =>
    random.chance(0.95) ? usual : random.pick(others)
  const mixed = (fields: object): object => {
    let entries = Object.entries(fields)
    if (random.chance(0.03)) entries = entries.filter(() => random.chance(0.9))
    if (random.chance(0.02)) entries.push([random.pick(['odds', '__proto__', 'extra', 'Line']), 1])
    if (random.chance(0.02)) entries.reverse()
    return Object.fromEntries(entries)
  }
  const quotes = Array.from({ length: random.int(0, random.chance(0.95) ? 6 : 10) }, () =>
    mixed({
      type: mostly(random.pick(MARKET_TYPES.slice(0, 4)), ['soccer', '', 1, null]),
      line: mostly(random.pick([null, 0.5, -1.5, 2]), [1e21, -0, 1e-7, 'x', undefined]),
      outcome: text(random.pick(['home', 'over', 'ärger'])),
      odds: mostly(1 + random.int(1, 2_000) / 100, [null, 1, 0, -3, '2', 1e300, undefined]),
      status: mostly('open', ['suspended', 'closed', 'OPEN', null, undefined]),
    }),
  )
  return mixed({
    ...(random.chance(0.5) ? { bookmaker: mostly(bookmaker, ['bet365', 'Other', null]) } : {}),
    transport: mostly(random.pick(['rest', 'live', 'both']), ['all', '', null]),
    observedAt: mostly(new Date(WORLD_START + random.int(0, 100_000)).toISOString(), ['', 'now', 1, null]),
    event: mixed({
      sport: mostly('football', ['soccer', 'tennis']),
      league: mixed({ key: text('league_'), name: text('League ') }),
      home: text('Home '),
      away: text('Away '),
      kickoffAt: mostly('2026-11-20T20:00:00.000Z', ['2026-11-20T20:00:00+01:00', '2026-11-20', null]),
      sourceId: mostly(null, ['abc', ' abc', 7, undefined]),
    }),
    quotes,
    complete: mostly(undefined, [true, false, 'true', null]),
    others: mostly(undefined, ['keep', 'suspended', 'closed', 'open', null]),
  })
}

/** Bytes of a body, changed here and there. */
const mutated = (random: Random, bytes: Buffer): Buffer => {
  const place = random.int(0, bytes.length)
  const other = random.int(0, bytes.length)
  const [start, end] = place < other ? [place, other] : [other, place]
  const piece = bytes.subarray(start, Math.min(end, start + random.int(1, 200)))
  const insert = (inserted: Uint8Array): Buffer =>
    Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place)])
  switch (random.int(0, 5)) {
    case 0: {
      const copy = Buffer.from(bytes)
      if (place < copy.length) copy[place] = copy[place]! ^ (1 << random.int(0, 7))
      return copy
    }
    case 1:
      return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + piece.length)])
    case 2:
      return insert(piece)
    case 3:
      return insert(Buffer.from(random.pick([' ', '\n', '\t', '\\', '"', ',', '{', '}', ']', '\u0000', '\ufeff', '0'])))
    case 4:
      return insert(Buffer.of(random.int(0, 255)))
    default:
      return bytes.subarray(0, place)
  }
}

test('random bodies, canonical and not, whole and mutated, are read as by the slow path', () => {
  const random = new Random(SEED)
  const scanners = newScanners()
  const bookmakers = ['bet365', 'bwin', 'x'.repeat(64), 'x'.repeat(65)]
  let taken = 0
  for (let n = 0; n < 20_000; n++) {
    const bookmaker = random.chance(0.97) ? random.pick(bookmakers.slice(0, 3)) : random.pick(bookmakers)
    const value = randomValue(random, bookmaker)
    const bytes = Buffer.from(JSON.stringify(value, null, random.chance(0.02) ? 1 : 0))
    if (agree(scanners, bytes, bookmaker)) taken++
    if (agree(scanners, mutated(random, bytes), bookmaker)) taken++
    agree(scanners, mutated(random, mutated(random, bytes)), bookmaker)
  }
  assert(taken > 3_000, `seed ${SEED}: ${taken} taken`)
})

test('a body far longer than those before is read, and so is the next', () => {
  const limits = { pricesMax: 10_000, textLengthMax: 40 }
  const scanner = new ObservationScanner(limits)
  const quotes = Array.from({ length: 9_000 }, (_, n) => HOME.replace('home', `outcome ${n}`))
  for (const count of [1, 300, 9_000, 2, 9_000, 300, 1]) {
    const body = bodyOf(quotes.slice(0, count))
    assert.deepEqual(scanner.read(Buffer.from(body), BOOKMAKER), parseObservation(body, BOOKMAKER, limits))
  }
})

test('labels that are always new are read as well', () => {
  const scanner = new ObservationScanner(LIMITS, { eventsMax: 4, headsMax: 4 })
  for (let n = 0; n < 3_000; n++) agree([scanner], bodyOf([HOME.replace('home', `o${n}`), OVER]))
  agree([scanner], EXAMPLE)
})
