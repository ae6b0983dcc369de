import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MARKET_TYPES } from '../../../src/domain/market.ts'
import { OTHERS, type Observation, type Price } from '../../../src/domain/observation.ts'
import { QUOTE_STATUSES } from '../../../src/domain/quote.ts'
import { isRefusal, type Refusal } from '../../../src/domain/refusal.ts'
import { SPORTS } from '../../../src/domain/sport.ts'
import { FED_TRANSPORTS } from '../../../src/domain/transport.ts'
import { parseObservation, readObservation, wireObservation } from '../../../src/source/observations/observations.ts'
import { Random, SEED } from '../../random.ts'
import { ROOT } from '../../root.ts'

const LIMITS = { pricesMax: 10, textLengthMax: 40 }

const taken = (result: Observation | Refusal): Observation => {
  if (isRefusal(result)) assert.fail(result.message)
  return result
}

const refused = (result: Observation | Refusal): Refusal => {
  if (!isRefusal(result)) assert.fail('it was taken')
  assert.equal(result.refused, 'validation_failed')
  assert.ok(result.message.startsWith(result.field!), `${result.message} names ${result.field}`)
  return result
}

type Json = Record<string, unknown>

const QUOTE: Json = { type: 'match_result_1x2', line: null, outcome: 'home', odds: 2.1, status: 'open' }
const EVENT: Json = {
  sport: 'football',
  league: { key: 'england_premier_league', name: 'Premier League' },
  home: 'Arsenal',
  away: 'Chelsea',
  kickoffAt: '2026-11-20T20:00:00.000Z',
  sourceId: 'abc',
}
const WIRE: Json = {
  transport: 'live',
  observedAt: '2026-11-20T19:03:11.482Z',
  event: EVENT,
  quotes: [QUOTE],
  complete: false,
  others: 'keep',
}

const read = (changed: Json, bookmaker: string | null = 'bet365'): Observation | Refusal =>
  readObservation({ ...WIRE, ...changed }, bookmaker, LIMITS)
const readEvent = (changed: Json): Observation | Refusal => read({ event: { ...EVENT, ...changed } })
const readQuote = (changed: Json): Observation | Refusal =>
  read({ quotes: [QUOTE, { ...QUOTE, outcome: 'draw', ...changed }] })

test('the example of docs/live-protocol.md 7 is taken', () => {
  assert.deepEqual(taken(read({})), {
    bookmaker: 'bet365',
    transport: 'live',
    observedAt: Date.parse('2026-11-20T19:03:11.482Z'),
    event: {
      sport: 'football',
      leagueKey: 'england_premier_league',
      leagueName: 'Premier League',
      home: 'Arsenal',
      away: 'Chelsea',
      kickoffAt: Date.parse('2026-11-20T20:00:00.000Z'),
      sourceKey: 'bet365:abc',
    },
    prices: [{ type: 'match_result_1x2', line: null, outcome: 'home', odds: 2.1, status: 'open' }],
    others: 'keep',
  })
})

test('what may be left out has its default', () => {
  const { sourceId: _, ...event } = EVENT
  const { complete: _complete, others: _others, ...rest } = WIRE
  const observation = taken(
    readObservation(
      {
        ...rest,
        event,
        quotes: [
          { type: 'btts', outcome: 'yes', odds: 1.5 },
          { type: 'btts', outcome: 'no', status: 'closed' },
        ],
      },
      'bet365',
      LIMITS,
    ),
  )
  assert.deepEqual(observation.prices, [
    { type: 'btts', line: null, outcome: 'yes', odds: 1.5, status: 'open' },
    { type: 'btts', line: null, outcome: 'no', odds: null, status: 'closed' },
  ])
  assert.equal(observation.others, 'keep')
  assert.equal(observation.event.sourceKey, null)
})

test('complete is others closed, and contradicts the rest', () => {
  assert.equal(taken(read({ complete: true, others: undefined })).others, 'closed')
  assert.equal(taken(read({ complete: true, others: 'closed' })).others, 'closed')
  assert.equal(taken(read({ complete: false, others: 'closed' })).others, 'closed')
  assert.equal(taken(read({ quotes: [], others: 'suspended' })).others, 'suspended', 'a bet stop')
  for (const others of ['keep', 'suspended']) assert.equal(refused(read({ complete: true, others })).field, 'others')
})

test('the bookmaker is the destination’s or the line’s, and they agree', () => {
  assert.equal(taken(read({ bookmaker: 'bet365' })).bookmaker, 'bet365')
  assert.equal(taken(read({ bookmaker: 'bwin' }, null)).event.sourceKey, 'bwin:abc')
  assert.equal(refused(read({ bookmaker: 'bwin' })).message, 'bookmaker must be bet365 or left out here')
  assert.equal(refused(read({}, null)).field, 'bookmaker')
  for (const bookmaker of ['', 'Bet365', 'bet 365', 7, null]) {
    assert.equal(refused(read({ bookmaker }, null)).field, 'bookmaker')
  }
})

test('every wrong field is refused by its name', () => {
  const long = 'x'.repeat(LIMITS.textLengthMax + 1)
  const notTexts = ['', ' ', long, 'a\u0000', 'a\nb', 'a\u2028b', '\ud800', 7, null, undefined, {}]
  const cases: readonly [string, readonly unknown[], (value: unknown) => Observation | Refusal][] = [
    ['transport', ['REST', '', 'all', null, undefined, 1], (transport) => read({ transport })],
    ['observedAt', ['', '2026-11-20', '2026-11-20T19:03:11', 0, null, undefined], (observedAt) => read({ observedAt })],
    ['event', [null, undefined, [], 'event', 7], (event) => read({ event })],
    ['event.sport', ['soccer', 'Football', '', null, undefined], (sport) => readEvent({ sport })],
    ['event.league', [null, undefined, 'epl', []], (league) => readEvent({ league })],
    [
      'event.league.key',
      [...notTexts, 'a b', 'a,b', ' a', 'ä', '_a'],
      (key) => readEvent({ league: { key, name: 'League' } }),
    ],
    ['event.league.name', notTexts, (name) => readEvent({ league: { key: 'epl', name } })],
    ['event.league.country', ['England'], (country) => readEvent({ league: { key: 'epl', name: 'x', country } })],
    ['event.home', notTexts, (home) => readEvent({ home })],
    ['event.away', [...notTexts.slice(1), 'Arsenal'], (away) => readEvent({ away })],
    ['event.kickoffAt', ['', '2026-11-20T20:00', 0, null, undefined], (kickoffAt) => readEvent({ kickoffAt })],
    ['event.sourceId', ['', ' ', ' a', 'a ', long, 'a\tb', 7, {}], (sourceId) => readEvent({ sourceId })],
    ['event.id', ['1'], (id) => readEvent({ id })],
    ['quotes', [null, undefined, {}, 'x', Array(11).fill(QUOTE)], (quotes) => read({ quotes })],
    ['quotes[1]', [null, 7, [], 'x'], (quote) => read({ quotes: [QUOTE, quote] })],
    [
      'quotes[1]',
      [QUOTE, { ...QUOTE, odds: 3 }, { ...QUOTE, line: undefined }],
      (quote) => read({ quotes: [QUOTE, quote] }),
    ],
    ['quotes[1].type', ['h2h', '', null, undefined, 'constructor'], (type) => readQuote({ type })],
    ['quotes[1].line', ['2.5', '', {}, Number.POSITIVE_INFINITY, Number.NaN, true], (line) => readQuote({ line })],
    ['quotes[1].outcome', [...notTexts, ' a', 'a '], (outcome) => readQuote({ outcome })],
    [
      'quotes[1].odds',
      [1, 0, -2, '2.1', null, undefined, Number.POSITIVE_INFINITY, Number.NaN, []],
      (odds) => readQuote({ odds }),
    ],
    ['quotes[1].odds', [1, 0.5, '2.1', true], (odds) => readQuote({ odds, status: 'suspended' })],
    ['quotes[1].status', ['OPEN', '', 'settled', null, 1, 'toString'], (status) => readQuote({ status })],
    ['quotes[1].staus', ['closed'], (staus) => readQuote({ staus })],
    ['quotes[1]."a b"', [1], (value) => readQuote({ 'a b': value })],
    ['complete', ['true', 1, null], (complete) => read({ complete })],
    ['others', ['', 'KEEP', null, true], (others) => read({ others })],
    ['seq', ['1'], (seq) => read({ seq })],
    ['observation', [null, [], 7, 'x', undefined], (value) => readObservation(value, 'bet365', LIMITS)],
  ]
  for (const [field, values, run] of cases) {
    for (const value of values) {
      const { field: named, message } = refused(run(value))
      assert.equal(named, field, `${JSON.stringify(value)}: ${message}`)
    }
  }
  assert.equal(refused(readQuote({ odds: 1 })).message, 'quotes[1].odds must be a number above 1')
})

test('limits hold at N and not at N + 1', () => {
  const text = 'x'.repeat(LIMITS.textLengthMax)
  const quotes = (length: number): Json[] => Array.from({ length }, (_, index) => ({ ...QUOTE, outcome: `${index}-0` }))
  assert.equal(taken(read({ quotes: quotes(10) })).prices.length, 10)
  assert.equal(refused(read({ quotes: quotes(11) })).message, 'quotes must be an array of at most 10 quotes')
  assert.equal(taken(readEvent({ home: text })).event.home, text)
  assert.equal(taken(readQuote({ outcome: text })).prices[1]!.outcome, text)
  assert.equal(refused(readQuote({ outcome: `${text}x` })).field, 'quotes[1].outcome')
})

test('names stay as they are spelt; an outright has no away side; -0 is 0', () => {
  assert.equal(taken(readEvent({ home: ' Ærø & "Søn" ' })).event.home, ' Ærø & "Søn" ')
  assert.equal(taken(readEvent({ away: '' })).event.away, '')
  assert.ok(Object.is(taken(readQuote({ type: 'spread', line: -0 })).prices[1]!.line, 0))
  assert.equal(
    refused(
      read({
        quotes: [
          { ...QUOTE, line: 0 },
          { ...QUOTE, line: -0 },
        ],
      }),
    ).message,
    'quotes[1] repeats quotes[0]: one type, line and outcome',
  )
})

test('text that is no JSON is refused in one line', () => {
  for (const text of ['', '{', '{"a":1}}', 'nul\u0000', '[1,\n2', '{"transport":"live",}', '['.repeat(100_000)]) {
    const { field, message } = refused(parseObservation(text, 'bet365', LIMITS))
    assert.equal(field, 'observation')
    assert.match(message, /^observation is not JSON: [ -~…]{1,120}$/u)
  }
})

test('a field called __proto__ is a field like any other', () => {
  const text = JSON.stringify(WIRE).replace('"outcome"', '"__proto__":{"odds":5},"outcome"')
  assert.equal(refused(parseObservation(text, 'bet365', LIMITS)).field, 'quotes[0].__proto__')
})

test('the lines of the fixture are taken', () => {
  const path = join(ROOT, 'fixtures', 'observations', 'observations.jsonl')
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  assert.deepEqual(
    lines
      .map((line) => taken(parseObservation(line, null, LIMITS)))
      .map(({ bookmaker, others }) => `${bookmaker} ${others}`),
    ['northbet keep', 'southbet suspended', 'swap_one closed'],
  )
})

// --- random ----------------------------------------------------------------------------------------------------------

const RUNS = 3_000
const TEXTS = ['a', 'Ω', 'é', '&', '"', '\\', '/', ' x', '😀', '<b>', ':', ',', '__proto__', '1']

const randomText = (random: Random): string => {
  const text = Array.from({ length: random.int(1, 4) }, () => random.pick(TEXTS))
    .join('')
    .trim()
  return text === '' ? 'x' : text
}

const randomObservation = (random: Random): Observation => {
  const bookmaker = `book_${random.int(0, 9)}`
  const prices = new Map<string, Price>()
  for (let count = random.int(0, LIMITS.pricesMax); count > 0; count--) {
    const status = random.pick(QUOTE_STATUSES)
    const price: Price = {
      type: random.pick(MARKET_TYPES),
      line: random.chance(0.5) ? null : random.int(-40, 40) / 4 + 0,
      outcome: randomText(random),
      odds: status !== 'open' && random.chance(0.5) ? null : 1 + random.next() * 10 ** random.int(-3, 4) + 1e-9,
      status,
    }
    prices.set(`${price.type} ${price.line} ${price.outcome}`, price)
  }
  const home = randomText(random)
  const away = random.chance(0.1) ? '' : randomText(random)
  return {
    bookmaker,
    transport: random.pick(FED_TRANSPORTS),
    observedAt: random.int(0, 4e12),
    event: {
      sport: random.pick(SPORTS),
      leagueKey: `league_${random.int(0, 9)}`,
      leagueName: randomText(random),
      home,
      away: away === home ? `${away}2` : away,
      kickoffAt: random.int(0, 4e12),
      sourceKey: random.chance(0.2) ? null : `${bookmaker}:${randomText(random)}`,
    },
    prices: [...prices.values()],
    others: random.pick(OTHERS),
  }
}

test('what is written is read as the same again', () => {
  const random = new Random(SEED)
  for (let run = 0; run < RUNS; run++) {
    const observation = randomObservation(random)
    const text = JSON.stringify(wireObservation(observation))
    const bookmaker = random.chance(0.5) ? observation.bookmaker : null
    assert.deepEqual(parseObservation(text, bookmaker, LIMITS), observation, `seed ${SEED}, run ${run}: ${text}`)
  }
})

/** Every place in a JSON value that holds a value, as a path. */
const pathsOf = (value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] => {
  if (Array.isArray(value)) return [path, ...value.flatMap((entry, index) => pathsOf(entry, [...path, index]))]
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, entry]) => pathsOf(entry, [...path, name]))]
}

const fieldOf = (path: readonly (string | number)[]): string =>
  path.length === 0
    ? 'observation'
    : path
        .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
        .join('')
        .slice(1)

const put = (value: unknown, path: readonly (string | number)[], corrupt: unknown): unknown => {
  const [part, ...rest] = path
  if (part === undefined) return corrupt
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  ;(copy as Record<string | number, unknown>)[part] = put(
    (value as Record<string | number, unknown>)[part],
    rest,
    corrupt,
  )
  return copy
}

test('any one wrong field refuses the whole, and is named', () => {
  const random = new Random(SEED)
  const wrong = [true, [[]], { x: 1 }, 'a\u0007', Number.NEGATIVE_INFINITY, '']
  for (let run = 0; run < RUNS; run++) {
    const wire: unknown = wireObservation(randomObservation(random))
    const path = random.pick(pathsOf(wire))
    const field = fieldOf(path)
    // An away side may be empty, and is the one text that may.
    const corrupt = random.pick(wrong.filter((value) => !(field === 'event.away' && value === '')))
    const where = `seed ${SEED}, run ${run}: ${JSON.stringify(corrupt)} at ${field}`
    const result = readObservation(put(wire, path, corrupt), null, LIMITS)
    assert.ok(isRefusal(result), `${where} was taken`)
    const named = result.field ?? ''
    // An object where one belongs is wrong in what it holds.
    const isWithin =
      typeof corrupt === 'object' &&
      (path.length === 0 || named.startsWith(`${field}.`) || named.startsWith(`${field}[`))
    assert.ok(named === field || isWithin, `${where} was called ${named}: ${result.message}`)
  }
})

test('a price given twice by a source goes out once, the later one', () => {
  const observation = taken(read({}))
  const [price] = observation.prices
  const wire = wireObservation({ ...observation, prices: [price!, { ...price!, odds: 3 }] })
  assert.deepEqual(
    wire.quotes.map(({ odds }) => odds),
    [3],
  )
})

test('the id of another source goes out whole', () => {
  const observation = taken(read({}))
  const wire = wireObservation({ ...observation, event: { ...observation.event, sourceKey: 'the-odds-api:e1' } })
  assert.equal(wire.event.sourceId, 'the-odds-api:e1')
  assert.equal(taken(readObservation(wire, 'bet365', LIMITS)).event.sourceKey, 'bet365:the-odds-api:e1')
})
