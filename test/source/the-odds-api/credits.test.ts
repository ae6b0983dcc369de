// The credits of The Odds API last to the end of the month, and the reserve is left alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Credits, resetAfter, type Spender } from '../../../src/source/the-odds-api/credits.ts'
import { Random, SEED } from '../../random.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-03-01T00:00:00Z')

const headers =
  (remaining: number, last: number) =>
  (name: string): string | undefined =>
    ({ 'x-requests-remaining': String(remaining), 'x-requests-last': String(last), 'x-requests-used': '7' })[name]

const spender = (key: string, intervalMs: number, priority = 1, cost = 2): Spender => ({
  key,
  intervalMs,
  priority,
  cost,
})

test('periods end on their day of the month', () => {
  const iso = (text: string, day: number): string => new Date(resetAfter(Date.parse(text), day)).toISOString()
  assert.equal(iso('2026-03-08T12:00:00Z', 1), '2026-04-01T00:00:00.000Z')
  assert.equal(iso('2026-03-08T12:00:00Z', 28), '2026-03-28T00:00:00.000Z')
  assert.equal(iso('2026-12-31T23:59:59.999Z', 1), '2027-01-01T00:00:00.000Z')
  assert.equal(iso('2027-01-01T00:00:00Z', 1), '2027-02-01T00:00:00.000Z')
})

test('with credits enough, or not known, every interval is as configured', () => {
  const epl = spender('epl', 60_000)
  const credits = new Credits({ perMonth: null, reserve: 0, resetDay: 1 }, [epl], START)
  assert.equal(credits.intervalMs(epl, START), 60_000)
  assert.equal(credits.affords(epl, START), true)
  credits.read('epl', headers(10_000_000, 2), START)
  assert.equal(credits.intervalMs(epl, START), 60_000)
  assert.equal(credits.stretch(START), 1)
})

test('credits that are short stretch the intervals by priority, and leave who needs little alone', () => {
  const often = spender('often', 60_000, 2)
  const seldom = spender('seldom', 60_000, 1)
  const modest = spender('modest', 10 * DAY_MS, 1)
  const credits = new Credits({ perMonth: 1_006, reserve: 0, resetDay: 1 }, [often, seldom, modest], START)
  assert.equal(credits.intervalMs(modest, START), 10 * DAY_MS)
  const left = 31 * DAY_MS
  const oftenMs = credits.intervalMs(often, START)
  const seldomMs = credits.intervalMs(seldom, START)
  assert.ok(Math.abs(seldomMs / oftenMs - 2) < 1e-9)
  const spent = (left / oftenMs + left / seldomMs + left / (10 * DAY_MS)) * 2
  assert.ok(Math.abs(spent - 1_006) < 1e-6, `${spent} credits would be spent`)
})

test('a month of polls, at what they really cost, spends nearly all and never the reserve', () => {
  const random = new Random(SEED)
  const spenders = [
    spender('a', 60_000, 3, 4),
    spender('b', 60_000, 1, 4),
    spender('c', 300_000, 1, 4),
    spender('idle', 60_000, 1, 4),
  ]
  const limits = { perMonth: 5_000, reserve: 100, resetDay: 1 }
  const credits = new Credits(limits, spenders, START)
  const dueAt = new Map(spenders.map(({ key }) => [key, START]))
  let remaining = 5_000
  const polls = new Map<string, number>()
  const end = START + 31 * DAY_MS - 1
  for (;;) {
    const next = spenders.reduce((one, other) => (dueAt.get(other.key)! < dueAt.get(one.key)! ? other : one))
    const nowAt = dueAt.get(next.key)!
    if (nowAt > end) break
    if (credits.affords(next, nowAt)) {
      const cost = next.key === 'idle' ? 0 : random.int(2, 4)
      remaining -= cost
      polls.set(next.key, (polls.get(next.key) ?? 0) + 1)
      credits.read(next.key, headers(remaining, cost), nowAt)
      assert.ok(remaining >= limits.reserve, `seed ${SEED}: ${remaining} left`)
    }
    dueAt.set(next.key, nowAt + credits.intervalMs(next, nowAt))
  }
  assert.ok(remaining < 200, `seed ${SEED}: ${remaining} of 5000 were left over`)
  assert.ok(polls.get('a')! > 2 * polls.get('b')!, `seed ${SEED}: ${[...polls].join(' ')}`)
})

test('at the reserve nothing is afforded until the period ends; then all is new', () => {
  const epl = spender('epl', 60_000)
  const credits = new Credits({ perMonth: 500, reserve: 20, resetDay: 1 }, [epl], START)
  credits.read('epl', headers(22, 2), START)
  assert.equal(credits.affords(epl, START), true)
  credits.read('epl', headers(21, 0), START)
  assert.equal(credits.affords(epl, START), false, 'what it cost last proves nothing')
  credits.read('epl', headers(21, 2), START)
  // No longer than to the end of the period, or a month would be slept through.
  assert.equal(credits.intervalMs(epl, START + 30 * DAY_MS), DAY_MS)
  assert.equal(credits.affords(epl, START + 31 * DAY_MS), true)
  assert.equal(credits.remaining, 500)
  assert.equal(credits.used, null)
})

test('more credits than before are noticed; headers that are no numbers change nothing', () => {
  const epl = spender('epl', 60_000)
  const credits = new Credits({ perMonth: null, reserve: 0, resetDay: 1 }, [epl], START)
  assert.equal(credits.read('epl', headers(50, 2), START), false)
  assert.equal(credits.read('credits', headers(500, 0), START), true)
  assert.deepEqual([credits.remaining, credits.used, credits.last], [500, 7, 0])
  assert.equal(
    credits.read('epl', () => 'many', START),
    false,
  )
  assert.equal(credits.remaining, 500)
  credits.exhaust()
  assert.equal(credits.affords(epl, START), false)
})
