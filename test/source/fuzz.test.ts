// Payloads that nobody meant to send: every normaliser takes them without throwing, accounts for every outcome, and gives
// out nothing that our own format would refuse.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Observation } from '../../src/domain/observation.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { Account } from '../../src/source/kit/account.ts'
import { FORMATS, type FormatName } from '../../src/source/formats.ts'
import { isFormatFault, type Normaliser, NOTHING_KNOWN } from '../../src/source/kit/normaliser.ts'
import { readObservation, wireObservation } from '../../src/source/observations/observations.ts'
import { Random, SEED } from '../random.ts'
import { ROOT } from '../root.ts'

const LIMITS = { pricesMax: 10_000, textLengthMax: 200 }
const RUNS = 150

interface Subject {
  readonly format: FormatName
  readonly name: string
  readonly text: string
}

const own = (format: FormatName, ...path: string[]): Subject => ({
  format,
  name: path.at(-1)!,
  text: readFileSync(join(ROOT, 'fixtures', ...path), 'utf8'),
})

const recorded = (format: FormatName, ...path: string[]): Subject[] => {
  const file = join(ROOT, '..', 'shared', 'data', ...path)
  if (!existsSync(file)) return []
  const bytes = readFileSync(file)
  return [{ format, name: path.at(-1)!, text: (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8') }]
}

/** The first lines, or the first entries of the arrays, of a recording: enough to break, and quick to read. */
const cut = (subject: Subject): Subject => {
  if (FORMATS[subject.format].piece === 'line') {
    return { ...subject, text: subject.text.split('\n').slice(0, 40).join('\n') }
  }
  if (subject.text.trimStart().startsWith('<') || subject.format === 'uof') return subject
  const shorten = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, 25).map(shorten)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shorten(each)]))
  }
  return { ...subject, text: JSON.stringify(shorten(JSON.parse(subject.text))) }
}

const SUBJECTS: readonly Subject[] = [
  ...recorded('betfair', 'betfair-stream', '1.166811431.jsonl.gz'),
  ...recorded('kambi', 'kambi', 'betoffers.json.gz'),
  ...recorded('kambi', 'kambi', 'unibet-type2.json.gz'),
  ...recorded('pinnacle', 'pinnacle', 'matchups.json.gz'),
  ...recorded('pinnacle', 'pinnacle', 'straight.json.gz'),
  ...recorded('the-odds-api', 'the-odds-api', 'h2h.json.gz'),
  ...recorded('the-odds-api-csv', 'the-odds-api', 'snapshot.csv.gz'),
  ...recorded('football-data', 'football-data', 'E0_2324.csv.gz'),
  ...recorded('txline', 'txline', '17588223.odds.json.gz'),
  ...recorded('uof', 'uof', 'feed_odds_change.xml'),
  ...recorded('uof', 'uof', 'feed_bet_settlement.xml'),
  own('betfair', 'betfair', 'stream.jsonl'),
  own('kambi', 'kambi', 'answer.json'),
  own('kambi', 'kambi', 'list-view.json'),
  own('pinnacle', 'pinnacle', 'matchups.json'),
  own('pinnacle', 'pinnacle', 'markets.json'),
  own('cloudbet', 'cloudbet', 'competition.json'),
  own('the-odds-api', 'the-odds-api', 'answer.json'),
  own('the-odds-api-csv', 'the-odds-api', 'recording.csv'),
  own('football-data', 'football-data', 'matches.csv'),
  own('txline', 'txline', '17588223.odds.json'),
  own('uof', 'uof', 'messages.xml'),
  own('observations', 'observations', 'observations.jsonl'),
].map(cut)

const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  0.5,
  2 ** 53,
  '',
  ' ',
  'x'.repeat(300),
  '\u0000\ud800',
  '2026-02-31T00:00:00Z',
  '-0',
  '1e5',
  [],
  [[]],
  {},
  { id: null },
  '__proto__',
]

/** JSON may hold numbers that are infinite to us; `JSON.stringify` cannot write them. */
const INFINITE = ['1e999', '-1e999']

const textOf = (value: unknown, random: Random): string =>
  JSON.stringify(value).replace(/"(?:line|points?|odds|price|timestamp|pt)":-?\d+(?:\.\d+)?\b/g, (member) =>
    random.chance(0.005) ? member.replace(/-?[\d.]+$/, random.pick(INFINITE)) : member,
  )

/** A copy of a JSON value in which some parts are something else, missing, or there twice. */
const broken = (value: unknown, random: Random, odds: number): unknown => {
  if (random.chance(odds)) return random.pick(STRANGE)
  if (Array.isArray(value)) {
    const copy = value.map((each) => broken(each, random, odds))
    if (copy.length > 0 && random.chance(odds * 5)) copy.push(copy[0])
    return copy
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => !random.chance(odds))
      .map(([key, each]) => [key, broken(each, random, odds)]),
  )
}

/** A text in which some characters are others, missing or there twice. */
const garbled = (text: string, random: Random, count: number): string => {
  let result = text
  for (let n = 0; n < count; n++) {
    const at = random.int(0, Math.max(0, result.length - 1))
    const length = random.int(1, 6)
    const instead = random.pick([
      '',
      '"',
      '<',
      '>',
      '&',
      ',',
      ';',
      '\u0000',
      '\ufffd',
      '999999999999',
      '-',
      'ß',
      result.slice(at, at + 12),
    ])
    result = result.slice(0, at) + instead + result.slice(at + length)
  }
  return result
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const piecesOf = ({ format, text }: Subject): string[] =>
  FORMATS[format].piece === 'line' ? text.split('\n').filter((line) => line !== '') : [text]

const spoil = (piece: string, random: Random): string => {
  const odds = random.pick([0.0005, 0.003, 0.02])
  if (isJson(piece) && random.chance(0.8)) return textOf(broken(JSON.parse(piece), random, odds), random)
  return random.chance(0.5) ? piece : garbled(piece, random, random.int(1, 8))
}

const check = (observation: Observation, where: string): void => {
  const { bookmaker, event } = observation
  assert(event.sourceKey === null || event.sourceKey.includes(':'), where)
  for (const { line, odds } of observation.prices) {
    assert(line === null || Number.isFinite(line), where)
    assert(odds === null || Number.isFinite(odds), where)
  }
  // A wire observation names each quote once, and has its source id without the bookmaker.
  const wire = JSON.parse(JSON.stringify(wireObservation(observation))) as unknown
  const read = readObservation(wire, bookmaker, LIMITS)
  if (observation.prices.length === 0 && observation.others === 'keep') return
  assert(!isRefusal(read), `${where}: ${isRefusal(read) ? read.message : ''} ${JSON.stringify(wire).slice(0, 400)}`)
}

const feed = (normaliser: Normaliser, piece: string, line: number, where: string): void => {
  const result = normaliser.read(piece, line)
  if (isFormatFault(result)) return
  for (const observation of result) check(observation, where)
}

for (const subject of SUBJECTS) {
  test(`${subject.format}: ${subject.name}, broken in ${RUNS} ways (seed ${SEED})`, () => {
    for (let run = 0; run < RUNS; run++) {
      const random = new Random(SEED + run)
      const account = new Account()
      let told = 0
      const normaliser = FORMATS[subject.format].normaliser({
        account,
        transport: random.pick([null, 'rest', 'live', 'both']),
        facts: {
          ...NOTHING_KNOWN,
          fixtureOf: (id) => ({
            sport: 'football',
            leagueKey: 'unknown',
            leagueName: 'unknown',
            home: `Home ${id}`,
            away: `Away ${id}`,
            kickoffAt: 0,
          }),
          receivedAt: () => (random.chance(0.5) ? null : 1_700_000_000_000),
          isComplete: () => random.chance(0.5),
          fileName: () => subject.name,
        },
        limits: LIMITS,
        onMalformed: () => told++,
      })
      const where = `seed ${SEED}, run ${run}`
      // The second time what was remembered of the first meets it.
      for (let round = 0; round < 2; round++) {
        for (const [line, piece] of piecesOf(subject).entries()) feed(normaliser, spoil(piece, random), line + 1, where)
      }
      const end = normaliser.end()
      if (!isFormatFault(end)) for (const observation of end) check(observation, where)
      assert.equal(told, account.malformed, `${where}: what is malformed is told once`)
      const { read, mapped, noPrice, badPrice, unmapped } = account.totals()
      assert.equal(read, mapped + noPrice + badPrice + unmapped, `${where}: every outcome ends in one place`)
    }
  })
}
