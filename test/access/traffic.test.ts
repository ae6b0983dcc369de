// What customers have asked for: to which hour it is counted, and what is kept of the address of a refused request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintSecret } from '../../src/access/key.ts'
import { Traffic } from '../../src/access/traffic.ts'

const AT = Date.UTC(2026, 10, 20, 12, 59, 30)
const HOUR_AT = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000

const newTraffic = (): Traffic =>
  new Traffic({ refusalsMax: 100, refusalsTotalMax: 1_000, refusalPathMax: 300 }, () => [], AT)

const refusedAt = (path: string) => ({
  ...{ at: AT, keyId: 'key_1', method: 'GET', path, code: 'not_found', message: 'There is no such event' },
})

test('what was asked for before the hour ended is counted to it, although it is collected after', () => {
  const traffic = newTraffic()
  traffic.noteRefused('org', refusedAt('/api/v1/events/1/odds'))
  assert.deepEqual(
    traffic.collect(HOUR_AT + HOUR_MS + 2).traffic.map(({ hour, count }) => [hour, count]),
    [[HOUR_AT, 1]],
  )
  traffic.noteRefused('org', refusedAt('/api/v1/events/1/odds'))
  assert.deepEqual(
    traffic.collect(HOUR_AT + HOUR_MS + 60_000).traffic.map(({ hour }) => hour),
    [HOUR_AT + HOUR_MS],
  )
})

test('no key is readable in the address of a refused request, however it is encoded; what REST knows is kept', () => {
  const secret = mintSecret('customer')
  const encoded = [...secret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  const twice = encoded.replaceAll('%', '%25')
  for (const given of [
    secret,
    secret.replace('odds_', 'odds%5F'),
    secret.replace('o', '%6f').replace('live_', 'live%5f'),
    secret.toUpperCase(),
    secret.slice('odds_live_'.length),
    encoded,
    twice,
  ]) {
    for (const path of [
      `/api/v1/${given}`,
      `/api/v1/events?api_key=${given}`,
      `/api/v1/events?sport=${given}&limit=2`,
    ]) {
      const traffic = newTraffic()
      traffic.noteRefused('org', refusedAt(path))
      const [kept] = traffic.refusedOf('org')
      const plain = kept!.path.toLowerCase()
      for (const part of [secret.slice(12, 30), secret.slice(30, 50), encoded.slice(60, 90)]) {
        assert(!plain.includes(part.toLowerCase()), `${path} is kept as ${kept!.path}`)
      }
    }
  }
  const traffic = newTraffic()
  for (const path of [
    '/api/v1/events?sport=chess&limit=999&league=kestria_first_division_of_women_and_reserves',
    '/api/v1/events?password=hunter2&sport=football&token=x',
    '/api/v1/events?x',
  ]) {
    traffic.noteRefused('org', refusedAt(path))
  }
  assert.deepEqual(
    traffic.refusedOf('org').map(({ path }) => path),
    [
      '/api/v1/events?x=…',
      '/api/v1/events?password=…&sport=football&token=…',
      '/api/v1/events?sport=chess&limit=999&league=kestria_first_division_of_women_and_reserves',
    ],
  )
})
