import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Admission, windowEnd, windowStart } from '../../src/access/ledger.ts'
import type { Organization } from '../../src/access/organization.ts'
import { NEW_PLAN } from '../../src/access/plan.ts'
import { type Reserve, ReservingLedger } from '../../src/access/reserving-ledger.ts'
import { Store } from '../../src/access/store.ts'
import type { Transport } from '../../src/domain/transport.ts'
import { newFolder } from './folder.ts'
import { Random, SEED } from '../random.ts'

const HOUR = 3_600_000
const AT = Date.UTC(2026, 10, 20, 12, 30)

const organization = (hourlyLimit: number, monthlyQuota: number, id = 'org_1'): Organization => ({
  id,
  name: id,
  plan: { ...NEW_PLAN, hourlyLimit, monthlyQuota },
  entitlement: '*',
})

/** A ledger on a real store. `reserve` may stand between the two. */
const newLedger = (
  between: (reserve: Reserve) => Reserve = (reserve) => reserve,
  dataDir = newFolder(),
  deadlineMs = 1_000,
) => {
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(store instanceof Store)
  const ledger = new ReservingLedger({
    reserve: between(async (wants) => store.usage.reserve(wants)),
    release: async (leftovers) => store.usage.release(leftovers),
    deadlineMs,
  })
  const admit = async (who: Organization, transport: Transport, at: number): Promise<Admission> => ({
    ...(await ledger.admit(who, transport, at)),
  })
  return { store, ledger, admit, dataDir }
}

const code = (admission: Admission): string => admission.refusal?.refused ?? 'admitted'

test('windows are the UTC hour and the UTC calendar month', () => {
  const at = Date.UTC(2028, 1, 29, 23, 59, 59, 999)
  assert.equal(windowStart('hour', at), Date.UTC(2028, 1, 29, 23))
  assert.equal(windowEnd('hour', at), at + 1)
  assert.equal(windowStart('month', at), Date.UTC(2028, 1, 1))
  assert.equal(windowEnd('month', at), at + 1)
  assert.equal(windowEnd('month', Date.UTC(2026, 11, 31)), Date.UTC(2027, 0, 1))
})

test('exactly the limit is admitted, with what is left counted down, then 429 until the hour ends', async () => {
  const { admit } = newLedger()
  const who = organization(7, 0)
  for (let left = 6; left >= 0; left--) {
    const admission = await admit(who, 'rest', AT)
    const expected = { refusal: undefined, limit: 7, remaining: left, resetAt: (AT + HOUR / 2) / 1000, retryAfterS: 0 }
    assert.deepEqual(admission, expected)
  }
  const refused = await admit(who, 'live', AT)
  assert.equal(code(refused), 'rate_limit_exceeded')
  assert.match(refused.refusal!.message, /hourly rate limit/i)
  assert.deepEqual([refused.limit, refused.remaining, refused.retryAfterS], [7, 0, 1_800])
  assert.equal((await admit(who, 'rest', AT + HOUR / 2 - 1)).retryAfterS, 1)
  assert.equal((await admit(who, 'rest', AT + HOUR / 2)).remaining, 6)
})

test('the quota counts transport rest only, the hour both', async () => {
  const { admit } = newLedger()
  const who = organization(10, 3)
  for (let n = 0; n < 3; n++) assert.equal(code(await admit(who, 'rest', AT)), 'admitted')
  const refused = await admit(who, 'rest', AT)
  assert.equal(code(refused), 'rate_limit_exceeded')
  assert.match(refused.refusal!.message, /monthly REST request quota/i)
  assert.deepEqual([refused.limit, refused.remaining, refused.resetAt], [3, 0, Date.UTC(2026, 11, 1) / 1000])
  assert.equal(refused.retryAfterS, (Date.UTC(2026, 11, 1) - AT) / 1000)
  // What the quota refused did not count against the hour.
  for (let left = 6; left >= 0; left--) assert.equal((await admit(who, 'live', AT)).remaining, left)
  assert.match((await admit(who, 'rest', AT)).refusal!.message, /hourly/i, 'the hour is asked first')
})

test('a prospect says what the next request would get, and counts nothing', async () => {
  const { ledger, admit } = newLedger()
  const who = organization(3, 2)
  const endsAt = { hour: AT + HOUR / 2, month: Date.UTC(2026, 11, 1) }
  const windows = (hour: number | undefined, month: number | undefined) => [
    { kind: 'hour', limit: 3, used: hour, endsAt: endsAt.hour },
    { kind: 'month', limit: 2, used: month, endsAt: endsAt.month },
  ]
  const unknown = { refusal: undefined, windows: windows(undefined, undefined) }
  assert.deepEqual(ledger.prospect(who, 'rest', AT), unknown, 'only the store knows')
  for (let n = 1; n <= 2; n++) {
    assert.equal(code(await admit(who, 'rest', AT)), 'admitted')
    for (let times = 0; times < 5; times++) assert.deepEqual(ledger.prospect(who, 'rest', AT).windows, windows(n, n))
  }
  assert.match(ledger.prospect(who, 'rest', AT).refusal?.message ?? '', /^Monthly/)
  assert.equal(ledger.prospect(who, 'live', AT).refusal, undefined)
  assert.equal(code(await admit(who, 'live', AT)), 'admitted')
  assert.match(ledger.prospect(who, 'live', AT).refusal?.message ?? '', /^Hourly/)
  assert.equal(ledger.prospect(who, 'live', AT + HOUR / 2).refusal, undefined, 'the next hour')
  assert.deepEqual(ledger.prospect(organization(0, 0), 'rest', AT), { refusal: undefined, windows: [] })
  await ledger.close()
  assert.equal(ledger.prospect(who, 'rest', AT).refusal?.refused, 'service_unavailable')
})

test('the window with fewer left is reported; of a tie the hour; of no limit none', async () => {
  const { admit } = newLedger()
  const month = await admit(organization(10, 9, 'a'), 'rest', AT)
  assert.deepEqual([month.limit, month.remaining], [9, 8])
  const tie = await admit(organization(9, 9, 'b'), 'rest', AT)
  assert.deepEqual([tie.limit, tie.resetAt], [9, (AT + HOUR / 2) / 1000])
  const live = await admit(organization(10, 9, 'c'), 'live', AT)
  assert.deepEqual([live.limit, live.remaining], [10, 9])
  const quotaOnly = await admit(organization(0, 9, 'd'), 'rest', AT)
  assert.deepEqual([quotaOnly.limit, quotaOnly.remaining], [9, 8])
  assert.equal((await admit(organization(0, 9, 'd'), 'live', AT)).limit, 0)
  assert.equal((await admit(organization(0, 0, 'e'), 'rest', AT)).limit, 0)
})

test('an unlimited plan asks for no block', () => {
  const { ledger } = newLedger(() => () => assert.fail('asked'))
  for (let n = 0; n < 1_000; n++) assert.equal(ledger.admit(organization(0, 0), 'rest', AT).constructor, Object)
})

test('with a block at hand, admitting is synchronous and hands out the same object', async () => {
  const { ledger, admit } = newLedger()
  const who = organization(1_000, 1_000)
  await admit(who, 'rest', AT)
  const first = ledger.admit(who, 'rest', AT)
  assert.ok(!(first instanceof Promise))
  assert.equal(ledger.admit(who, 'rest', AT), first)
})

test('never more than 100 requests of a window are reserved and not used; of a small limit a tenth', async () => {
  for (const limit of [1, 5, 100, 999, 10_000]) {
    let reserved = 0
    let used = 0
    const { admit } = newLedger((reserve) => async (wants) => {
      const grants = await reserve(wants)
      if (!('failed' in grants)) for (const { granted } of grants) reserved += granted
      assert.ok(reserved - used <= Math.min(100, Math.max(2, 2 * Math.ceil(limit / 20))), `${reserved} - ${used}`)
      assert.ok(reserved <= limit)
      return grants
    })
    for (let n = 0; n < Math.min(limit, 400); n++) {
      // Counted before it is certain: a refill that is under way meanwhile must not look larger than it is.
      assert.equal(code(await admit(organization(limit, 0), 'rest', AT)), 'admitted')
      used += 1
      if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
})

test('where requests are many, blocks grow to 1 % of the limit, and no further', async () => {
  for (const limit of [100_000, 1_000_000]) {
    let reserved = 0
    let used = 0
    let asked = 0
    const { admit } = newLedger((reserve) => async (wants) => {
      asked += 1
      const grants = await reserve(wants)
      if (!('failed' in grants)) for (const { granted } of grants) reserved += granted
      assert.ok(reserved - used <= limit / 100, `${reserved} - ${used} of ${limit}`)
      return grants
    })
    // In a moment, whatever the machine: a block that lasts for seconds would be the only one that does not grow.
    const count = Math.min(limit, 100_000)
    for (let n = 0; n < count; n++) {
      assert.equal(code(await admit(organization(limit, 0), 'rest', AT)), 'admitted')
      used += 1
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(asked <= (1.5 * count) / (limit / 200) + 10, `${asked} blocks`)
  }
})

test('a limit that is changed holds at once, also for who had used it up', async () => {
  const { admit } = newLedger()
  for (let n = 0; n < 10; n++) await admit(organization(10, 0), 'rest', AT)
  assert.equal(code(await admit(organization(10, 0), 'rest', AT)), 'rate_limit_exceeded')
  const raised = await admit(organization(200, 0), 'rest', AT)
  assert.deepEqual([code(raised), raised.remaining], ['admitted', 189])
  assert.equal(code(await admit(organization(5, 0), 'rest', AT)), 'rate_limit_exceeded', 'lowered below what was used')
  assert.equal(code(await admit(organization(0, 0), 'rest', AT)), 'admitted', 'unlimited')
  assert.equal((await admit(organization(12, 0), 'rest', AT)).remaining, 0, 'what unlimited admitted was not counted')
  assert.equal(code(await admit(organization(12, 0), 'rest', AT)), 'rate_limit_exceeded')
})

test('hour and month roll over, each by itself', async () => {
  const { admit } = newLedger()
  const who = organization(2, 3)
  const lastHour = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
  assert.deepEqual(
    [(await admit(who, 'rest', lastHour)).remaining, (await admit(who, 'rest', lastHour)).remaining],
    [1, 0],
  )
  assert.match((await admit(who, 'rest', lastHour)).refusal!.message, /hourly/i)
  assert.equal((await admit(who, 'rest', lastHour + 1)).remaining, 1, 'a new month, and a new hour with it')
  await admit(who, 'rest', lastHour + 1)
  assert.equal((await admit(who, 'rest', lastHour + 1 + HOUR)).limit, 3, 'the month has fewer left')
  assert.match((await admit(who, 'rest', lastHour + 1 + HOUR)).refusal!.message, /monthly/i)
})

test('time that goes back opens no window a second time, in one run and over a restart', async () => {
  const first = newLedger()
  const who = organization(3, 0)
  const nine = Date.UTC(2026, 10, 20, 9)
  for (let n = 0; n < 3; n++) await first.admit(who, 'rest', nine)
  assert.equal(code(await first.admit(who, 'rest', nine - 1)), 'rate_limit_exceeded')
  await first.ledger.close()
  const second = newLedger(undefined, first.dataDir)
  for (let n = 0; n < 3; n++)
    assert.equal(code(await second.admit(who, 'rest', nine - 1)), 'admitted', 'hour 8, unused')
  assert.equal(code(await second.admit(who, 'rest', nine - 1)), 'rate_limit_exceeded')
  assert.equal(code(await second.admit(who, 'rest', nine)), 'rate_limit_exceeded', 'hour 9 was used before')
})

test('a clean end gives back what was not used, so that a restart costs nothing', async () => {
  const dataDir = newFolder()
  const who = organization(50, 80)
  let admitted = 0
  for (let run = 0; run < 20; run++) {
    const { ledger, admit } = newLedger(undefined, dataDir)
    for (let n = 0; n < 3; n++) if (code(await admit(who, 'rest', AT)) === 'admitted') admitted += 1
    await ledger.close()
    assert.equal(code(await admit(who, 'rest', AT)), 'service_unavailable', 'closed')
  }
  assert.equal(admitted, 50)
})

test('requests wait for a block in their order, and all organizations that ask come in one transaction', async () => {
  const sizes: number[] = []
  const { ledger } = newLedger((reserve) => (wants) => {
    sizes.push(wants.length)
    return reserve(wants)
  })
  const order: number[] = []
  const waiting: Promise<unknown>[] = []
  for (let n = 0; n < 300; n++) {
    const admission = ledger.admit(organization(100, 0, `org_${n % 3}`), 'rest', AT)
    assert.ok(admission instanceof Promise)
    waiting.push(admission.then(({ refusal }) => refusal === undefined && n % 3 === 0 && order.push(n)))
  }
  await Promise.all(waiting)
  assert.equal(sizes[0], 3)
  assert.deepEqual(
    order,
    Array.from({ length: 100 }, (_, n) => 3 * n),
  )
})

test('a store that stays silent is 503 at the deadline; what was refused is given back', async () => {
  const dataDir = newFolder()
  let speak = (): void => {}
  const silence = new Promise<void>((resolve) => {
    speak = resolve
  })
  const deadlineMs = 10
  const silent = newLedger((reserve) => (wants) => silence.then(() => reserve(wants)), dataDir, deadlineMs)
  const who = organization(100, 0)
  const late = await Promise.all([silent.ledger.admit(who, 'rest', AT), silent.ledger.admit(who, 'rest', AT)])
  assert.deepEqual(late.map(code), ['service_unavailable', 'service_unavailable'])
  assert.equal(late[0]!.limit, 0, 'no facts are known')
  speak()
  await silent.ledger.close()
  assert.equal((await newLedger(undefined, dataDir).admit(who, 'rest', AT)).remaining, 99)
})

test('a store that fails is 503 at once when the block is spent; one that is busy is asked again', async () => {
  let mode: 'works' | 'fails' | 'busy' = 'works'
  let busyAnswers = 0
  const { admit } = newLedger((reserve) => async (wants) => {
    if (mode === 'fails') return { failed: 'disk I/O error', busy: false }
    if (mode === 'busy' && busyAnswers++ < 3) return { failed: 'database is locked', busy: true }
    return reserve(wants)
  })
  const who = organization(20, 0)
  assert.equal(code(await admit(who, 'rest', AT)), 'admitted')
  mode = 'fails'
  assert.equal(code(await admit(who, 'rest', AT)), 'admitted', 'the block is at hand')
  assert.equal(code(await admit(who, 'rest', AT)), 'service_unavailable')
  mode = 'busy'
  const admission = await admit(who, 'rest', AT)
  assert.deepEqual([code(admission), admission.remaining, busyAnswers], ['admitted', 17, 4])
})

test('a block that was recorded although the store said no costs requests, and never gives any', async () => {
  let calls = 0
  const { admit } = newLedger((reserve) => async (wants) => {
    const grants = await reserve(wants)
    return ++calls % 2 === 0 ? { failed: 'disk I/O error', busy: false } : grants
  })
  const counts: Record<string, number> = {}
  for (let n = 0; n < 300; n++) {
    const each = code(await admit(organization(100, 0), 'rest', AT))
    counts[each] = (counts[each] ?? 0) + 1
  }
  assert.ok(counts.admitted! < 100 && counts.admitted! > 40, JSON.stringify(counts))
  assert.ok(counts.rate_limit_exceeded! > 0, 'in the end it is the limit')
})

test('the ledger equals its naive twin', async () => {
  const random = new Random(SEED)
  const { admit } = newLedger()
  const used = new Map<string, number>()
  const limits = [0, 1, 3, 10, 60]
  const plans = Array.from({ length: 5 }, () => [0, 0])
  let at = AT
  for (let step = 0; step < 4_000; step++) {
    if (random.chance(0.02)) plans[random.int(0, 4)] = [random.pick(limits), 5 * random.pick(limits)]
    if (random.chance(0.05)) at += random.int(0, HOUR)
    if (random.chance(0.002)) at += 20 * 24 * HOUR
    const n = random.int(0, 4)
    const transport: Transport = random.chance(0.6) ? 'rest' : 'live'
    const [hourly, monthly] = plans[n] as [number, number]
    const windows = [
      { kind: 'hour', limit: hourly, text: 'Hourly' } as const,
      { kind: 'month', limit: transport === 'rest' ? monthly : 0, text: 'Monthly' } as const,
    ]
      .filter(({ limit }) => limit > 0)
      .map((window) => ({ ...window, name: `${n} ${window.kind} ${windowStart(window.kind, at)}` }))
    const left = (window: (typeof windows)[number]): number => window.limit - (used.get(window.name) ?? 0)
    const over = windows.find((window) => left(window) <= 0)
    if (over === undefined) for (const { name } of windows) used.set(name, (used.get(name) ?? 0) + 1)
    const fewest = over ?? windows.toSorted((a, b) => left(a) - left(b))[0]
    const admission = await admit(organization(hourly, monthly, `org_${n}`), transport, at)
    const where = `seed ${SEED}, step ${step}`
    assert.equal(admission.refusal?.message.split(' ', 1)[0], over?.text, where)
    assert.equal(admission.limit, fewest?.limit ?? 0, where)
    assert.equal(admission.remaining, fewest === undefined ? 0 : Math.max(0, left(fewest)), where)
    assert.equal(admission.resetAt, fewest === undefined ? 0 : windowEnd(fewest.kind, at) / 1000, where)
  }
})

test('a limit that is lowered holds over all that share it, also while answers are under way', async () => {
  const random = new Random(SEED)
  for (let round = 0; round < 60; round++) {
    let reserved = 0
    // What is granted is decided at once; the answer comes some iterations of the event loop later.
    const reserve: Reserve = async (wants) => {
      const grants = wants.map(({ amount, limit }) => {
        const before = reserved
        const granted = Math.max(0, Math.min(amount, limit - before))
        reserved += granted
        return { before, granted }
      })
      for (let left = random.pick([0, 0, 0, 50]); left > 0; left--)
        await new Promise((resolve) => setImmediate(resolve))
      return grants
    }
    const shared = { accountsMax: 10, idleMs: 60_000, isCounted: () => true }
    const options = { reserve, release: async () => {}, deadlineMs: 5_000, shared }
    const all = Array.from({ length: 3 }, () => new ReservingLedger(options))
    let admitted = 0
    let limit = random.int(50, 500)
    // A limit that is set, and set back before a process has seen it, changes nothing for what that process holds.
    const limits = new Set([limit])
    for (let run = 0; run < 60; run++) {
      const one = random.pick(all)
      for (let n = random.int(1, 40); n > 0; n--) {
        const { refusal } = await one.admit(organization(limit, 0), 'rest', AT)
        if (refusal !== undefined) continue
        assert(admitted < limit, `seed ${SEED}, round ${round}: one more than ${admitted} of ${limit}`)
        admitted++
      }
      if (!random.chance(0.2)) continue
      const next = random.chance(0.5) ? Math.max(1, admitted - random.int(0, 9)) : random.int(50, 1_000)
      if (limits.has(next)) continue
      limit = next
      limits.add(limit)
    }
    await Promise.all(all.map((one) => one.close()))
  }
})

test('a start with a wrong clock gives no request twice, over an hour and a month', async () => {
  const dataDir = newFolder()
  const who = organization(3, 5)
  const right = Date.UTC(2026, 10, 30, 23, 30)
  let admitted = 0
  const run = async (at: number): Promise<number> => {
    const { ledger, admit, store } = newLedger(undefined, dataDir)
    let count = 0
    for (let n = 0; n < 10; n++) if (code(await admit(who, 'rest', at)) === 'admitted') count++
    await ledger.close()
    store.close()
    admitted += count
    return count
  }
  assert.equal(await run(right), 3)
  // Wrong by an hour (which is the next month) and by 25 h, and right again: two times each.
  for (const wrong of [HOUR, -HOUR, 25 * HOUR, -25 * HOUR]) {
    await run(right + wrong)
    assert.equal(await run(right), 0, `after ${wrong / HOUR} h`)
    assert.equal(await run(right + wrong), 0, 'a window that was used is used')
  }
  assert.equal(await run(right + HOUR), 0, 'the next hour has come, and was used before')
  assert.equal(admitted, 10, 'five of each month')
})

test('a start with a clock that is years ahead does not forget the hours before', async () => {
  const dataDir = newFolder()
  const who = organization(3, 0)
  for (const at of [AT, Date.UTC(2099, 0, 1), Date.UTC(2099, 0, 1, 1)]) {
    const { ledger, admit, store } = newLedger(undefined, dataDir)
    for (let n = 0; n < 3; n++) assert.equal(code(await admit(who, 'rest', at)), 'admitted')
    await ledger.close()
    store.close()
  }
  const { admit } = newLedger(undefined, dataDir)
  assert.equal(code(await admit(who, 'rest', AT)), 'rate_limit_exceeded')
})

test('of an organization the newest 48 hours are kept', async () => {
  const { store } = newLedger()
  const want = { organization: 'org_1', kind: 'hour', limit: 3, amount: 3 } as const
  const start = windowStart('hour', AT)
  for (let n = 0; n < 60; n++) store.usage.reserve([{ ...want, start: start + n * HOUR }])
  const left = (n: number): number => store.usage.reserve([{ ...want, start: start + n * HOUR, amount: 0 }])[0]!.before
  assert.equal(left(59), 3)
  assert.equal(left(12), 3)
  assert.equal(left(11), 0)
})
