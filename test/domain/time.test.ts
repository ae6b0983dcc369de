import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEpochMs, parseDateTime } from '../../src/domain/time.ts'
import { Random, SEED } from '../random.ts'

const at = (text: string): string | undefined => {
  const time = parseDateTime(text)
  return time === undefined ? undefined : new Date(time.epochMs).toISOString()
}

test('digits past the milliseconds are truncated, not rounded', () => {
  assert.equal(at('2026-04-16T19:00:55.290990+00:00'), '2026-04-16T19:00:55.290Z')
  assert.equal(at('2026-04-16T19:00:55.9999999Z'), '2026-04-16T19:00:55.999Z')
  assert.equal(at('2026-04-16T19:00:55.5Z'), '2026-04-16T19:00:55.500Z')
})

test('offsets count, small letters too', () => {
  assert.equal(at('2026-04-16T01:30:00+05:30'), '2026-04-15T20:00:00.000Z')
  assert.equal(at('2026-04-16t23:30:00-01:00'), '2026-04-17T00:30:00.000Z')
  assert.equal(at('2026-04-16T19:00:55z'), '2026-04-16T19:00:55.000Z')
})

test('a leap second is the first of the next minute', () => {
  assert.equal(at('2016-12-31T23:59:60Z'), '2017-01-01T00:00:00.000Z')
})

test('what is no RFC 3339 date-time is none', () => {
  for (const text of [
    '',
    '2026-04-16',
    '2026-04-16T19:00:55', // no offset
    '2026-04-16 19:00:55Z',
    '2026-04-16T19:00Z',
    '2026-04-16T19:00:55.Z',
    '2026-04-16T19:00:55+0100',
    '2026-04-16T19:00:55+24:00',
    '2026-04-16T19:00:55+01:60',
    '2026-04-16T24:00:00Z',
    '2026-04-16T19:60:00Z',
    '2026-04-16T23:59:61Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-04-00T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    ' 2026-04-16T19:00:55Z',
    '2026-04-16T19:00:55Z\n',
    '+002026-04-16T19:00:55Z',
    '1776366055000',
  ]) {
    assert.equal(parseDateTime(text), undefined, text)
  }
})

test('a number is a time where four digits can write its year', () => {
  for (const time of [0, Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]) {
    assert(isEpochMs(time))
    assert.equal(parseDateTime(new Date(time).toISOString())?.epochMs, time)
  }
  const others = [253_402_300_800_000, 8.64e15 + 1, Number.MAX_SAFE_INTEGER, 0.5, Number.NaN, '7', null]
  for (const other of others) assert(!isEpochMs(other), String(other))
})

test('every time of the years 0 to 9999 is the time that Date says', () => {
  const random = new Random(SEED)
  const first = Date.parse('0000-01-01T00:00:00.000Z')
  const last = Date.parse('9999-12-31T23:59:59.999Z')
  for (let run = 0; run < 20_000; run++) {
    const time = random.int(first, last)
    assert.equal(parseDateTime(new Date(time).toISOString())?.epochMs, time, `seed ${SEED}, run ${run}`)
  }
  for (const edge of ['2000-02-29', '2024-02-29', '2100-02-28', '0000-02-29', '0001-01-01', '1970-01-01']) {
    assert.equal(parseDateTime(`${edge}T00:00:00Z`)?.epochMs, Date.parse(`${edge}T00:00:00Z`), edge)
  }
})
