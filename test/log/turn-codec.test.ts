// The codec of the log: turns to records and back.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Decision } from '../../src/domain/event-identity.ts'
import { FEED_STATES } from '../../src/domain/feed-health.ts'
import type { Input, StoreStatement, Turn } from '../../src/domain/input.ts'
import { MARKET_TYPES } from '../../src/domain/market.ts'
import { type EventSighting, type Observation, OTHERS, type Price } from '../../src/domain/observation.ts'
import { CAUSE, type Doubt, QUOTE_STATUS, QUOTE_STATUSES } from '../../src/domain/quote.ts'
import { SPORTS } from '../../src/domain/sport.ts'
import { FED_TRANSPORTS } from '../../src/domain/transport.ts'
import { TurnDecoder } from '../../src/log/turn-decoder.ts'
import { TurnEncoder, type TurnEncoderOptions } from '../../src/log/turn-encoder.ts'
import { DECISIONS, KINDS, TEXTS_MAX_MAX, TURN_FORMAT, TurnFault, VALUES } from '../../src/log/turn-format.ts'
import { Random, SEED } from '../random.ts'
import { ROOT } from '../root.ts'
import { sameSighting } from '../same-sighting.ts'
import { RECORDED_SEGMENTS } from './recorded-turns.ts'

const AT = 1_790_000_000_000

const SIGHTING: EventSighting = {
  sport: 'football',
  leagueKey: 'league_1',
  leagueName: 'League 1',
  home: 'Home United',
  away: 'Away City',
  kickoffAt: AT + 60_000,
  sourceKey: 'source:1',
}

const PRICE: Price = { type: 'total_goals', line: 2.5, outcome: 'over', odds: 1.95, status: 'open' }

const observation = (over: Partial<Observation> = {}): Observation => ({
  bookmaker: 'book_1',
  transport: 'live',
  observedAt: AT - 20,
  event: SIGHTING,
  prices: [PRICE],
  others: 'keep',
  ...over,
})

const turnOf = (...observations: readonly Observation[]): Turn => ({
  at: AT,
  inputs: observations.map((seen) => ({ kind: 'observe', observation: seen, producer: 'source a', doubt: undefined })),
})

const sightingTurn = (over: Partial<EventSighting>): Turn => turnOf(observation({ event: { ...SIGHTING, ...over } }))

const recordsOf = (encoder: TurnEncoder, turns: readonly Turn[]): Uint8Array[] =>
  turns.map((turn) => Uint8Array.from(encoder.encode(turn)))

/** Encodes turns in one segment and decodes them again. @returns the records */
const roundTrip = (turns: readonly Turn[], options: TurnEncoderOptions = {}): readonly Uint8Array[] => {
  const records = recordsOf(new TurnEncoder(options), turns)
  const decoder = new TurnDecoder()
  for (const [place, record] of records.entries()) assert.deepEqual(decoder.decode(record), turns[place])
  return records
}

const decodedAlone = (octets: readonly number[]): Turn => new TurnDecoder().decode(Uint8Array.from(octets))

/** The start of a record: format, time 0. */
const HEAD = [TURN_FORMAT, 0, 0, 0, 0, 0, 0, 0, 0]

const faultOf = (decode: () => unknown): string => {
  try {
    decode()
  } catch (error) {
    assert(error instanceof TurnFault, String(error))
    return error.message
  }
  return assert.fail('it was decoded')
}

const randomText = (random: Random): string => {
  const kind = random.next()
  if (kind < 0.05) return ''
  if (kind < 0.5) return `text ${random.int(0, 40)}`
  if (kind < 0.6) return random.pick(['Ålesund', 'Σπάρτη', '横浜', '🏇🏇', '\u0000', '\ufeffbom', 'e\u0301', '\u00e9'])
  if (kind < 0.65) return random.pick(['\ud800', 'a\udc00', '\udc00\ud800', '\ufffd', 'x'.repeat(40) + '\udbff'])
  if (kind < 0.66) return random.pick(['x', 'ß', '語', '🏇', '\ud83c']).repeat(65_536 / 2)
  return Array.from({ length: random.int(1, 300) }, () =>
    String.fromCharCode(random.chance(0.99) ? random.int(32, 126) : random.int(0, 0xffff)),
  ).join('')
}

const NUMBERS = [0, -0, 1, -1, 0.5, 0.1, 1e-7, 2 ** 31, -(2 ** 31), 2 ** 53, 1.7e308, 5e-324, Infinity, -Infinity]

const randomNumber = (random: Random): number => {
  const kind = random.next()
  if (kind < 0.2) return random.pick(NUMBERS)
  if (kind < 0.4) return random.int(0, 100_000) / 100
  if (kind < 0.6) return random.int(-100_000, 100_000) / 1000
  if (kind < 0.7) return random.int(-100, 100) / 4
  if (kind < 0.9) return AT + random.int(-100_000, 100_000)
  return (random.next() - 0.5) * 10 ** random.int(-20, 20)
}

const randomList = <Value>(random: Random, max: number, make: (random: Random) => Value): Value[] =>
  Array.from({ length: random.int(0, max) }, () => make(random))

const randomPrice = (random: Random): Price => ({
  type: random.chance(0.5) ? 'total' : random.pick(MARKET_TYPES),
  line: random.chance(0.3) ? null : random.chance(0.5) ? random.pick([0, -0, 2.5]) : randomNumber(random),
  outcome: random.chance(0.7) ? random.pick(['over', 'under', 'home']) : randomText(random),
  odds: random.chance(0.2) ? null : randomNumber(random),
  status: random.pick(QUOTE_STATUSES),
})

const randomSighting = (random: Random): EventSighting => {
  const n = random.int(0, 9)
  if (random.chance(0.7)) {
    return { ...SIGHTING, home: `Home ${n}`, sourceKey: n < 5 ? `s:${n}` : null, kickoffAt: AT + random.int(0, 5) }
  }
  return {
    sport: random.pick(SPORTS),
    leagueKey: randomText(random),
    leagueName: randomText(random),
    home: randomText(random),
    away: randomText(random),
    kickoffAt: randomNumber(random),
    sourceKey: random.chance(0.5) ? null : randomText(random),
  }
}

const randomObservation = (random: Random): Observation => ({
  bookmaker: random.chance(0.9) ? `book_${random.int(0, 5)}` : randomText(random),
  transport: random.pick(FED_TRANSPORTS),
  observedAt: randomNumber(random),
  event: randomSighting(random),
  prices: randomList(random, 8, randomPrice),
  others: random.pick(OTHERS),
})

const DOUBTS: readonly Doubt[] = ['source_down', 'gap', 'clock']

const randomDecision = (random: Random): Decision => {
  const kind = random.pick(['merge', 'split', 'alias', 'suspend'] as const)
  if (kind === 'alias') {
    const sport = random.chance(0.5) ? null : random.pick(SPORTS)
    return { kind, sport, name: randomText(random), means: randomText(random) }
  }
  if (kind === 'suspend') {
    return { kind, bookmaker: randomText(random), event: random.chance(0.5) ? null : randomText(random) }
  }
  const keys = [randomText(random), randomText(random)] as const
  return kind === 'split' ? { kind, keys } : { kind, keys, swapped: random.chance(0.5) }
}

/** Kinds of inputs that only a log of several processes has. */
const SHARED_KINDS = ['link', 'checksum', 'take']

const randomInput = (random: Random): Input => {
  const kind = random.pick(Object.keys(KINDS) as Input['kind'][])
  const producer = random.chance(0.8) ? `source part ${random.int(0, 9)}` : randomText(random)
  const doubt = random.pick([undefined, ...DOUBTS])
  switch (kind) {
    case 'observe':
      return { kind, observation: randomObservation(random), producer, doubt }
    case 'commit':
      return { kind, observations: randomList(random, 3, randomObservation) }
    case 'suspect':
      return { kind, producer, doubt: random.pick(DOUBTS) }
    case 'leave':
      return { kind, producer, doubt }
    case 'confirm':
    case 'end':
      return { kind, producer, at: randomNumber(random) }
    case 'decide':
      return { kind, decisions: randomList(random, 5, randomDecision) }
    case 'health': {
      const state = random.pick(FEED_STATES)
      const [since, behindMs] = [randomNumber(random), randomNumber(random)]
      return { kind, health: { bookmaker: randomText(random), state, since, behindMs } }
    }
    case 'bookmakers':
      return { kind, slugs: randomList(random, 40, randomText) }
    case 'use': {
      const [key, organization, audience] = [randomText(random), randomText(random), randomText(random)]
      return { kind, key, organization, audience, seq: randomNumber(random) }
    }
    case 'rights': {
      const organizations = random.chance(0.3) ? null : randomList(random, 5, randomText)
      return { kind, organizations, seq: randomNumber(random), isStart: random.chance(0.5) }
    }
    case 'take':
      return { kind, source: randomText(random), run: randomNumber(random) }
    case 'link':
      return { kind, epoch: randomText(random), turn: randomNumber(random), chain: randomText(random) }
    case 'checksum':
      return { kind, process: randomText(random), turn: randomNumber(random), sum: randomNumber(random) }
    case 'store': {
      const [proposal, expects, after] = [randomText(random), randomText(random), randomText(random)]
      const statements = randomList(
        random,
        4,
        (): StoreStatement => [
          randomText(random),
          randomList(random, 5, () => random.pick([null, randomNumber(random), randomText(random)])),
        ],
      )
      const decisions = random.chance(0.5) ? null : randomList(random, 3, randomDecision)
      const bookmakers = randomList(random, 3, randomText)
      const organizations = random.chance(0.3) ? null : randomList(random, 3, randomText)
      return {
        ...{ kind, proposal, expects, after, version: randomNumber(random) },
        ...{ statements, decisions, bookmakers, organizations },
      }
    }
  }
}

const randomTurn = (random: Random): Turn => ({
  at: random.chance(0.8) ? AT + random.int(0, 10_000) : randomNumber(random),
  inputs: randomList(random, 6, randomInput),
})

const fixtureSegments = (): readonly (readonly Buffer[])[] =>
  readFileSync(join(ROOT, 'fixtures/log/turn-format-1.hex'), 'utf8')
    .trim()
    .split('\n\n')
    .map((segment) => segment.split('\n').map((line) => Buffer.from(line, 'hex')))

test('every recorded format is decoded to the turns that were recorded', () => {
  const decoder = new TurnDecoder()
  const segments = fixtureSegments()
  assert.equal(segments.length, RECORDED_SEGMENTS.length)
  for (const [place, segment] of segments.entries()) {
    decoder.begin()
    assert.deepEqual(
      segment.map((record) => decoder.decode(record)),
      RECORDED_SEGMENTS[place],
    )
  }
  const inputs = RECORDED_SEGMENTS.flat().flatMap((turn) => turn.inputs)
  assert.deepEqual(
    new Set(inputs.map(({ kind }) => kind)),
    new Set(Object.keys(KINDS).filter((kind) => !SHARED_KINDS.includes(kind))),
  )
})

test('the encoder writes the recorded turns as it did when they were recorded', () => {
  const encoder = new TurnEncoder()
  const written = RECORDED_SEGMENTS.map((turns) => {
    encoder.begin()
    return recordsOf(encoder, turns)
      .map((record) => Buffer.from(record).toString('hex'))
      .join('\n')
  })
  const recorded = fixtureSegments().map((segment) => segment.map((record) => record.toString('hex')).join('\n'))
  assert.deepEqual(written, recorded)
})

// An order that has changed would give old records another meaning: it needs a new TURN_FORMAT, and a decoder that still
// reads the old one by the old order. At the end of a table something may be added here, too.
test('the tables whose numbers are in format 1 are those that it was recorded with', () => {
  assert.equal(TURN_FORMAT, 1)
  const sports =
    'football tennis basketball ice_hockey handball baseball darts australian_rules rugby cricket combat_sport ' +
    'volleyball american_football golf motorsport cycling table_tennis snooker badminton esports waterpolo winter_sport'
  const marketTypes =
    'match_result_1x2 double_chance total_goals btts match_winner total spread first_half_total_goals ' +
    'second_half_total_goals correct_score halftime_fulltime odd_even corners_total cards_total goalscorer player_prop ' +
    'shots_total first_to_score winning_margin clean_sheet race_to outright map_winner set_betting fight_betting ' +
    'run_line puck_line quarter_betting'
  assert.deepEqual(SPORTS, sports.split(' '))
  assert.deepEqual(MARKET_TYPES, marketTypes.split(' '))
  assert.deepEqual(FED_TRANSPORTS, ['rest', 'live', 'both'])
  assert.deepEqual(OTHERS, ['keep', 'suspended', 'closed'])
  assert.deepEqual(FEED_STATES, ['starting', 'live', 'late', 'down'])
  assert.deepEqual(QUOTE_STATUS, { open: 1, suspended: 2, closed: 3 })
  assert.deepEqual(
    DOUBTS.map((doubt) => CAUSE[doubt]),
    [2, 3, 4],
  )
  const kinds = 'observe commit suspect confirm end leave decide health bookmakers use rights store link checksum take'
  assert.deepEqual(KINDS, Object.fromEntries(kinds.split(' ').map((kind, place) => [kind, place + 1])))
  assert.deepEqual(VALUES, { null: 0, number: 1, text: 2 })
  assert.deepEqual(DECISIONS, { merge: 1, split: 2, alias: 3, suspend: 4 })
})

test('the tables fit into the bits that the format has for them', () => {
  assert(SPORTS.length <= 0x7f)
  assert(MARKET_TYPES.length <= 0x100)
  assert(FED_TRANSPORTS.length <= 4)
  assert(OTHERS.length <= 4)
  assert(QUOTE_STATUSES.every((status) => QUOTE_STATUS[status] <= 3))
  assert(DOUBTS.every((doubt) => CAUSE[doubt] >= 1 && CAUSE[doubt] <= 7))
})

test('random turns are decoded as they were encoded, with and without room in the dictionary', () => {
  const random = new Random(SEED)
  for (let round = 0; round < 12; round++) {
    const turns = Array.from({ length: 40 }, () => randomTurn(random))
    const options = round % 3 === 0 ? { textsMax: random.int(1, 30), sightingsMax: random.int(1, 10) } : {}
    try {
      roundTrip(turns, options)
    } catch (error) {
      throw new Error(`ODDSWIRE_TEST_SEED=${SEED}, round ${round}`, { cause: error })
    }
  }
})

test('a dictionary that begins again in both decodes any record by itself', () => {
  const random = new Random(SEED)
  const encoder = new TurnEncoder()
  const decoder = new TurnDecoder()
  for (let round = 0; round < 100; round++) {
    const turn = randomTurn(random)
    encoder.begin()
    const record = Uint8Array.from(encoder.encode(turn))
    decoder.begin()
    assert.deepEqual(decoder.decode(record), turn, `ODDSWIRE_TEST_SEED=${SEED}`)
    assert.deepEqual(new TurnDecoder().decode(record), turn, `ODDSWIRE_TEST_SEED=${SEED}`)
  }
})

test('equal turns give equal octets, whichever objects they are', () => {
  const random = new Random(SEED)
  const turns = Array.from({ length: 60 }, () => randomTurn(random))
  const copies = structuredClone(turns)
  const records = recordsOf(new TurnEncoder(), turns)
  assert.deepEqual(recordsOf(new TurnEncoder(), copies), records, `ODDSWIRE_TEST_SEED=${SEED}`)
  const encoder = new TurnEncoder()
  recordsOf(encoder, turns.slice(30))
  encoder.begin()
  assert.deepEqual(recordsOf(encoder, turns), records, `ODDSWIRE_TEST_SEED=${SEED}`)
})

test('sightings that come again as the same object give the octets of others that are equal', () => {
  const random = new Random(SEED)
  // Of a few source keys with more spellings than are compared, from two encoders, with small dictionaries.
  const seenOf = (): EventSighting => ({
    ...SIGHTING,
    home: `Home ${random.int(0, 6)}`,
    sourceKey: `s:${random.int(0, 2)}`,
  })
  for (const sightingsMax of [8, 100]) {
    const [encoder, other, plain] = [0, 1, 2].map(() => new TurnEncoder({ sightingsMax })) as [
      TurnEncoder,
      TurnEncoder,
      TurnEncoder,
    ]
    for (let step = 0; step < 2_000; step++) {
      const seen = seenOf()
      const turn = turnOf(observation({ event: seen }))
      const again = turnOf(observation({ event: sameSighting(seen) }))
      if (random.chance(0.02)) for (const each of [encoder, plain]) each.begin()
      if (random.chance(0.5)) other.encode(again)
      const [record] = recordsOf(encoder, [again])
      assert.deepEqual(record, recordsOf(plain, [turn])[0], `ODDSWIRE_TEST_SEED=${SEED}, step ${step}`)
    }
  }
})

test('every number of hundredths and thousandths gives back its double, and those beside it do, too', () => {
  const odds: number[] = []
  for (let thousandths = 1; thousandths <= 60_000; thousandths++) {
    const exact = thousandths / 1000
    odds.push(exact, exact + 2 ** -44)
  }
  for (const scaled of [2 ** 27, 2 ** 28 - 1, 2 ** 28, 2 ** 28 + 1, 2 ** 31, 2 ** 32]) {
    odds.push(scaled / 1000, scaled / 100, scaled / 4, -scaled / 4)
  }
  roundTrip([turnOf(observation({ prices: odds.map((each) => ({ ...PRICE, odds: each, line: each })) }))])
})

test('ten known prices of a known event are under 100 octets, and under 250 with a dictionary of their own', () => {
  const prices: Price[] = [
    ...['home', 'draw', 'away'].map((outcome) => ({
      ...PRICE,
      type: 'match_result_1x2' as const,
      line: null,
      outcome,
    })),
    ...[1.5, 2.5, 3.5].flatMap((line) => ['over', 'under'].map((outcome) => ({ ...PRICE, line, outcome }))),
    { ...PRICE, type: 'btts', line: null, outcome: 'yes' },
  ]
  const [first, second] = roundTrip([turnOf(observation({ prices })), turnOf(observation({ prices }))])
  assert(first!.length < 250, `${first!.length} octets`)
  assert(second!.length < 100, `${second!.length} octets`)
})

test('a sighting is written once, and again when anything in it differs', () => {
  const changes: readonly Partial<EventSighting>[] = [
    { sport: 'tennis' },
    { leagueKey: 'league_2' },
    { leagueName: 'League 2' },
    { home: 'Home Utd' },
    { away: 'Away Cty' },
    { kickoffAt: SIGHTING.kickoffAt + 1 },
    { sourceKey: 'source:2' },
    { sourceKey: null },
  ]
  for (const change of changes) {
    const turns = [{}, {}, change, {}, change].map(sightingTurn)
    const [first, again, changed, before, changedAgain] = roundTrip(turns)
    assert(again!.length < first!.length)
    assert(changed!.length > again!.length, JSON.stringify(change))
    assert.deepEqual(before, again)
    assert.equal(changedAgain!.length, again!.length)
  }
  // 0 and -0 are different kickoffs.
  roundTrip([0, -0, 0, -0].map((kickoffAt) => sightingTurn({ kickoffAt })))
})

test('of a source key that moves between spellings, the last four are remembered', () => {
  const spellings = (count: number): readonly number[] => {
    const turns = Array.from({ length: count * 2 }, (_, place) => sightingTurn({ home: `Home ${place % count}` }))
    const records = roundTrip(turns)
    return records.slice(count).map((record) => record.length)
  }
  const known = roundTrip([sightingTurn({}), sightingTurn({})])[1]!.length
  assert.deepEqual(spellings(4), [known, known, known, known])
  assert(spellings(5).every((octets) => octets > known))
})

test('a full dictionary of texts gives no further numbers, and is said to be full', () => {
  const slugs = (count: number): Turn => ({
    at: AT,
    inputs: [{ kind: 'bookmakers', slugs: Array.from({ length: count }, (_, place) => `book_${place}`) }],
  })
  const encoder = new TurnEncoder({ textsMax: 10 })
  const decoder = new TurnDecoder()
  const octetsOf = (turn: Turn): number => {
    const record = encoder.encode(turn)
    assert.deepEqual(decoder.decode(record), turn)
    return record.length
  }
  octetsOf(slugs(9))
  assert.deepEqual([encoder.texts, encoder.isFull], [9, false])
  octetsOf(slugs(10))
  assert.deepEqual([encoder.texts, encoder.isFull], [10, true])
  const known = octetsOf(slugs(10))
  assert.equal(octetsOf(slugs(11)), octetsOf(slugs(11)))
  assert(octetsOf(slugs(11)) > known + 'book_10'.length)
  assert.equal(encoder.texts, 10)
  encoder.begin()
  assert.deepEqual([encoder.texts, encoder.isFull], [0, false])
})

test('a full dictionary of sightings gives no further numbers, and is said to be full', () => {
  const encoder = new TurnEncoder({ sightingsMax: 2 })
  const decoder = new TurnDecoder()
  const octetsOf = (turn: Turn): number => {
    const record = encoder.encode(turn)
    assert.deepEqual(decoder.decode(record), turn)
    return record.length
  }
  const turns = [0, 1, 2].map((n) => sightingTurn({ sourceKey: `source:${n}` }))
  octetsOf(turns[0]!)
  assert.equal(encoder.isFull, false)
  octetsOf(turns[1]!)
  assert.equal(encoder.isFull, true)
  for (const turn of turns) octetsOf(turn)
  assert(octetsOf(turns[1]!) < octetsOf(turns[2]!))
})

test('long texts get no number, and neither do sightings with one', () => {
  const long = 'x'.repeat(257)
  const encoder = new TurnEncoder()
  encoder.encode({ at: AT, inputs: [{ kind: 'bookmakers', slugs: ['x'.repeat(256), long] }] })
  assert.equal(encoder.texts, 1)
  for (const member of ['leagueKey', 'leagueName', 'home', 'away', 'sourceKey'] as const) {
    const turns = [sightingTurn({}), sightingTurn({ [member]: long }), sightingTurn({ [member]: long })]
    const [, , again] = roundTrip(turns)
    assert(again!.length > long.length)
  }
})

test('texts and turns of megabytes are encoded between small ones', () => {
  const slugs = ['a', 'é'.repeat(3_000_000), '\ud800'.repeat(1_000_000), 'b'.repeat(5_000_000)]
  const large: Turn = { at: AT, inputs: [{ kind: 'bookmakers', slugs }] }
  roundTrip([turnOf(observation()), large, turnOf(observation()), large, turnOf(observation())])
})

test('the buffer grows at any place of a record', () => {
  const recorded = RECORDED_SEGMENTS.flat().flatMap((turn) => turn.inputs)
  const known = Array.from({ length: 200 }, (_, place) => `book_${place % 2}`)
  const octets = new TurnEncoder().encode({ at: AT, inputs: recorded }).length + known.length
  for (let before = 64 * 1024 - octets - 50; before <= 64 * 1024; before++) {
    const inputs: Input[] = [{ kind: 'bookmakers', slugs: ['x'.repeat(before), ...known] }, ...recorded]
    const record = new TurnEncoder().encode({ at: AT, inputs })
    assert.deepEqual(new TurnDecoder().decode(record).inputs.length, inputs.length, `${before} octets before`)
  }
})

test('times far from that of the turn, and fractions of them, are exact', () => {
  const ages = [0, 1, -1, 0.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 32, 1e300, Infinity]
  for (const at of [AT, AT + 0.25, 0, -0, 1, -1, Infinity, Number.NaN]) {
    for (const observedAt of [...ages.map((age) => at - age), ...ages, -0]) {
      roundTrip([{ ...turnOf(observation({ observedAt })), at }])
    }
  }
})

test('an encoder has bounds that the format allows', () => {
  for (const textsMax of [0, -1, 1.5, Number.NaN, TEXTS_MAX_MAX + 1]) {
    assert.throws(() => new TurnEncoder({ textsMax }), /^RangeError: textsMax must be a whole number from 1 to/)
    assert.throws(() => new TurnEncoder({ sightingsMax: textsMax }), /^RangeError: sightingsMax must be/)
  }
  assert.equal(new TurnEncoder({ textsMax: TEXTS_MAX_MAX }).texts, 0)
})

test('what has no form is not encoded, and nothing after it until a new dictionary begins', () => {
  const wrong = [
    turnOf(observation({ prices: [{ ...PRICE, outcome: 'new', type: 'unheard' as 'total' }] })),
    sightingTurn({ sport: 'quidditch' as 'golf' }),
    turnOf(observation({ transport: 'pigeon' as 'rest' })),
    turnOf(observation({ others: 'gone' as 'keep' })),
    { at: AT, inputs: [{ kind: 'unheard' } as unknown as Input] },
    { at: AT, inputs: [{ kind: 'decide', decisions: [{ kind: 'unheard' } as unknown as Decision] }] },
  ] satisfies Turn[]
  for (const turn of wrong) {
    const encoder = new TurnEncoder()
    assert.throws(() => encoder.encode(turn), TypeError)
    assert.throws(() => encoder.encode(turnOf(observation())), /begin a new segment/)
    encoder.begin()
    const record = encoder.encode(turnOf(observation()))
    assert.deepEqual(new TurnDecoder().decode(record), turnOf(observation()))
  }
})

test('a record that is cut at any octet is a fault, and leaves the decoder as it was', () => {
  for (const turns of RECORDED_SEGMENTS) {
    const decoder = new TurnDecoder()
    for (const [place, record] of recordsOf(new TurnEncoder(), turns).entries()) {
      for (let length = 0; length < record.length; length++) {
        assert.match(
          faultOf(() => decoder.decode(record.subarray(0, length))),
          /^offset \d+: /,
        )
      }
      assert.match(
        faultOf(() => decoder.decode(Uint8Array.of(...record, 0))),
        new RegExp(`^offset ${record.length}: 1 octets follow the turn$`),
      )
      assert.deepEqual(decoder.decode(record), turns[place])
    }
  }
})

test('a damaged record is a fault or another turn, and nothing else', () => {
  const random = new Random(SEED)
  const segments = RECORDED_SEGMENTS.map((turns) => recordsOf(new TurnEncoder(), turns))
  let faults = 0
  for (let round = 0; round < 20_000; round++) {
    const segment = random.pick(segments)
    const place = random.int(0, segment.length - 1)
    const damaged = Uint8Array.from(segment[place]!)
    for (let flips = random.int(1, 4); flips > 0; flips--) {
      const at = random.int(0, damaged.length - 1)
      damaged[at] = random.chance(0.5) ? random.int(0, 255) : damaged[at]! ^ (1 << random.int(0, 7))
    }
    const decoder = new TurnDecoder()
    for (const record of segment.slice(0, place)) decoder.decode(record)
    try {
      const { inputs } = decoder.decode(damaged)
      assert(inputs.every(({ kind }) => kind in KINDS))
    } catch (error) {
      assert(error instanceof TurnFault, `ODDSWIRE_TEST_SEED=${SEED}: ${String(error)}`)
      faults++
    }
  }
  assert(faults > 1_000)
})

test('random octets are a fault or a turn, and nothing else', () => {
  const random = new Random(SEED)
  for (let round = 0; round < 20_000; round++) {
    const octets = Array.from({ length: random.int(0, 60) }, () => random.int(0, random.chance(0.5) ? 11 : 255))
    try {
      decodedAlone([...HEAD, ...octets])
    } catch (error) {
      assert(error instanceof TurnFault, `ODDSWIRE_TEST_SEED=${SEED}: ${String(error)}`)
    }
  }
})

test('a fault says what is wrong and at which offset', () => {
  const head = [...HEAD, 1]
  const observe = [...head, KINDS.observe, 0, 0]
  const sighting = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  const huge = [0xff, 0xff, 0xff, 0xff, 0xf]
  const cases: readonly [octets: readonly number[], message: string][] = [
    [[], 'offset 0: the format needs 1 octets, of which 0 are there'],
    [[2], 'offset 0: format 2 is not 1'],
    [[TURN_FORMAT, 0], 'offset 1: the time needs 8 octets, of which 1 are there'],
    [[...HEAD, ...huge, 0, 0], 'offset 14: 4294967295 inputs in 2 octets'],
    [[...HEAD, 0xff, 0xff, 0xff, 0xff, 0x10], 'offset 13: the number of inputs has over 32 bits'],
    [[...HEAD, 0, 7], 'offset 10: 1 octets follow the turn'],
    [[...head, 0, 0], 'offset 10: no kind of input has number 0'],
    [[...head, 16, 0], 'offset 10: no kind of input has number 16'],
    [[...head, KINDS.commit, ...huge], 'offset 16: 4294967295 observations in 0 octets'],
    [[...head, KINDS.commit, 1, 0x20, 0, 0, 0, 0], 'offset 12: an observation of a transaction has a doubt'],
    [[...head, KINDS.decide, ...huge], 'offset 16: 4294967295 decisions in 0 octets'],
    [[...head, KINDS.decide, 1, 9, 0, 0], 'offset 12: no kind of decision has number 9'],
    [[...head, KINDS.decide, 1, DECISIONS.alias, 22, 0], 'offset 13: no sport has number 22'],
    [[...head, KINDS.decide, 1, DECISIONS.suspend, 0, 0, 2], 'offset 15: an event: 2 is neither 0 nor 1'],
    [[...head, KINDS.bookmakers, ...huge], 'offset 16: 4294967295 texts in 0 octets'],
    [[...head, KINDS.bookmakers, 1, 5], 'offset 13: a bookmaker: no text has number 4'],
    [
      [...head, KINDS.bookmakers, 1, 0, ...huge],
      'offset 18: a bookmaker needs 1073741823 octets, of which 0 are there',
    ],
    [[...head, KINDS.bookmakers, 1, 0, 4, 0xff], 'offset 14: a bookmaker is not UTF-8'],
    [[...head, KINDS.bookmakers, 1, 0, 6, 0x41], 'offset 14: a bookmaker: UTF-16 of 1 octets'],
    [[...head, KINDS.suspect, 0, 0, 0], 'offset 13: a doubt is missing'],
    [[...head, KINDS.leave, 0, 0, 1], 'offset 13: no doubt has number 1'],
    [[...head, KINDS.health, 0, 0, 4], 'offset 13: no state has number 4'],
    [
      [...head, KINDS.store, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 3],
      'offset 29: no type of a value has number 3',
    ],
    [[...head, KINDS.rights, 2], 'offset 11: a list of organizations: 2 is neither 0 nor 1'],
    [[...observe, 3], 'offset 13: no transport has number 3'],
    [[...observe, 12], 'offset 13: no others has number 3'],
    [[...observe, 0x50], 'offset 13: no doubt has number 5'],
    [[...observe, 0, 0, 0, 0, 2], 'offset 18: no sighting has number 0'],
    [[...observe, 0, 0, 0, 0, 0, 22], 'offset 18: no sport has number 22'],
    [[...observe, 0, 0, 0, 0, ...sighting, 1, 0, 0], 'offset 38: no price has flags 0'],
  ]
  for (const [octets, message] of cases)
    assert.equal(
      faultOf(() => decodedAlone(octets)),
      message,
    )
})

test('the first price of an observation has a market of its own, a market type that exists, and known flags', () => {
  const start = Array.from(new TurnEncoder().encode(turnOf(observation({ prices: [] })))).slice(0, -1)
  const at = start.length + 1
  const open = QUOTE_STATUS.open
  const cases: readonly [octets: readonly number[], message: string][] = [
    [[1, open, 0, 0], `offset ${at + 1}: the first price has the market of the price before`],
    [[1, open | 4, 28, 0, 0], `offset ${at + 1}: no market type has number 28`],
    [[1, open | 0x40, 0, 0], `offset ${at}: no price has flags 65`],
    [[0xff, 0xff, 3, 0], `offset ${at + 2}: 65535 prices in 1 octets`],
  ]
  for (const [octets, message] of cases)
    assert.equal(
      faultOf(() => decodedAlone([...start, ...octets])),
      message,
    )
})
