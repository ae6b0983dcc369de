// Several processes that count in one real Redis: exactly the limit is admitted over all, whatever becomes of Redis.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Access } from '../../src/access/access.ts'
import { isFault } from '../../src/access/fault.ts'
import type { Admission } from '../../src/access/ledger.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { newFolder } from './folder.ts'
import { Random, SEED } from '../random.ts'
import { type RedisServer, redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { AT, organization, QUICK, SharingProcess, untilCounting } from './sharing-process.ts'

const HOUR = 3_600_000

/** What is waited for comes within this time, also on a loaded machine. */
const WAIT_MS_MAX = 60_000

const skip = redisMissing()
const test = testsWith('redis-server', skip)

let server: RedisServer
let count = 0
const started: SharingProcess[] = []

before(async () => {
  if (skip === false) server = await startRedis('--appendonly', 'no')
})

after(async () => {
  // Connections of a test that has failed would keep this process.
  for (const { reservations } of started) reservations.close()
  await server?.remove()
})

const code = (admission: Admission): string => admission.refusal?.refused ?? 'admitted'

/** An organization of its own in the Redis that the tests share. */
const newId = (): string => `org_${++count}`

const start = async (processes: number, limits = QUICK, deadlineMs = 5_000): Promise<SharingProcess[]> => {
  const all = Array.from({ length: processes }, () => new SharingProcess(server.url, limits, deadlineMs))
  started.push(...all)
  await Promise.all(all.map(({ reservations }) => untilCounting(reservations)))
  return all
}

const admittedBy = (all: readonly SharingProcess[]): number => all.reduce((sum, { admitted }) => sum + admitted, 0)

const closeAll = async (all: readonly SharingProcess[]): Promise<void> => {
  await Promise.all(all.map((one) => one.close()))
}

const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + WAIT_MS_MAX
  while (!(await holds())) {
    assert(Date.now() < end, what)
    await pause(5)
  }
}

test('one process alone counts down to 429, and the next hour is a new one', async () => {
  const [one] = (await start(1)) as [SharingProcess]
  const who = organization(7, 0, newId())
  for (let left = 6; left >= 0; left--) {
    const expected = { refusal: undefined, limit: 7, remaining: left, resetAt: (AT + HOUR / 2) / 1000, retryAfterS: 0 }
    assert.deepEqual(await one.admit(who), expected)
  }
  const refused = await one.admit(who)
  assert.deepEqual([code(refused), refused.remaining, refused.retryAfterS], ['rate_limit_exceeded', 0, 1_800])
  assert.equal((await one.admit(who, AT + HOUR / 2)).remaining, 6)
  await one.close()
})

test('hour and month roll over, each by itself, for all processes', async () => {
  const all = await start(3)
  const who = organization(2, 3, newId())
  const lastHour = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
  // Another process may hold what is left, and gives it back when it is idle.
  const isAdmitted = (one: SharingProcess, at: number): Promise<void> =>
    until('it is admitted', async () => code(await one.admit(who, at)) === 'admitted')
  await isAdmitted(all[0]!, lastHour)
  await isAdmitted(all[1]!, lastHour)
  assert.match((await all[2]!.admit(who, lastHour)).refusal!.message, /hourly/i)
  for (const one of all.slice(0, 2)) await isAdmitted(one, lastHour + 1)
  await isAdmitted(all[2]!, lastHour + 1 + HOUR)
  assert.match((await all[0]!.admit(who, lastHour + 1 + HOUR)).refusal!.message, /monthly/i)
  await closeAll(all)
})

test('three ledgers admit exactly the limit when all that is not used is given back', async () => {
  const random = new Random(SEED)
  for (const limit of [1, 2, 7, 100, 999]) {
    const all = await start(3)
    const who = organization(limit, 5 * limit, newId())
    let at = AT
    await until(`seed ${SEED}: the whole limit of ${limit} can be used`, async () => {
      for (let n = 0; n < 50; n++) {
        const { refusal } = await random.pick(all).admit(who, ++at)
        assert(admittedBy(all) <= limit, `seed ${SEED}: ${admittedBy(all)} of ${limit}`)
        assert.notEqual(refusal?.refused, 'service_unavailable')
      }
      return admittedBy(all) === limit
    })
    for (const one of all) assert.equal(code(await one.admit(who, ++at)), 'rate_limit_exceeded')
    await closeAll(all)
  }
})

test('what is left is told by what others have used, too', async () => {
  const [one, other] = (await start(2)) as [SharingProcess, SharingProcess]
  const who = organization(10_000, 0, newId())
  assert.equal((await other.admit(who)).remaining, 9_999)
  for (let n = 0; n < 5_000; n++) await one.admit(who)
  await until(
    'the other one knows',
    async () => (await other.admit(who)).remaining <= 10_000 - admittedBy([one, other]),
  )
  await closeAll([one, other])
})

test('three processes admit exactly the limit', async () => {
  await start(1).then(closeAll)
  const limit = 2_000
  const program = fileURLToPath(new URL('sharing-process.js', import.meta.url))
  const run = async (seed: number, requests: number): Promise<number> => {
    const child = spawn(process.execPath, [program, server.url, String(seed), String(limit), String(requests)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return Number(await text(child.stdout))
  }
  const first = await Promise.all([1, 2, 3].map((n) => run(SEED + n, 600)))
  const sum = first.reduce((all, each) => all + each, 0)
  assert.equal(sum, 1_800, `seed ${SEED}: all that were asked for`)
  const second = await Promise.all([4, 5, 6].map((n) => run(SEED + n, 300)))
  const more = second.reduce((all, each) => all + each, 0)
  assert(sum + more <= limit, `seed ${SEED}: ${sum + more} of ${limit}`)
  const [last] = (await start(1)) as [SharingProcess]
  while (code(await last.admit(organization(limit, 0))) === 'admitted');
  assert.equal(sum + more + last.admitted, limit, `seed ${SEED}: what was not used was given back`)
  await last.close()
})

test('of what is left near the end no process holds much', async () => {
  const limits = { ...QUICK, usageIdleMs: 60_000 }
  const [one, other] = (await start(2, limits)) as [SharingProcess, SharingProcess]
  const who = organization(1_000, 0, newId())
  for (let n = 0; n < 800; n++) assert.equal(code(await one.admit(who)), 'admitted')
  let held = 0
  while (code(await other.admit(who)) === 'admitted') held = Math.max(held, one.ledger.held(who.id, AT).hour)
  assert(held <= 200 / 8 + 1, `${held} of 200`)
  assert.equal(one.admitted + other.admitted + one.ledger.held(who.id, AT).hour, 1_000)
  await closeAll([one, other])
})

test('blocks that a process does not use go to the others, and a window that was used up opens again', async () => {
  const [one, other] = (await start(2)) as [SharingProcess, SharingProcess]
  const who = organization(100, 0, newId())
  assert.equal(code(await one.admit(who)), 'admitted')
  let at = AT
  await until('the other can use what the first one does not', async () => {
    await other.admit(who, (at += 10))
    return other.admitted === 99
  })
  assert.equal(code(await one.admit(who, at)), 'rate_limit_exceeded')
  await closeAll([one, other])
})

test('a limit that is lowered holds over all at once, and a raised one too', async () => {
  const random = new Random(SEED)
  for (let round = 0; round < 30; round++) {
    const all = await start(3, { ...QUICK, usageIdleMs: 60_000 })
    const id = newId()
    let limit = random.int(50, 500)
    let at = AT
    for (let change = 0; change < 4; change++) {
      for (let n = random.int(0, 200); n > 0; n--) {
        const was = admittedBy(all)
        const { refusal } = await random.pick(all).admit(organization(limit, 0, id), ++at)
        if (refusal === undefined) assert(was < limit, `seed ${SEED}, round ${round}: ${was} of ${limit}`)
      }
      limit = random.int(20, 600)
    }
    await closeAll(all)
  }
})

test('requests of many organizations are counted in few commands', async () => {
  const [one] = (await start(1)) as [SharingProcess]
  const ids = Array.from({ length: 1_234 }, newId)
  const results = await Promise.all(ids.map((id) => one.admit(organization(3, 9, id))))
  assert.deepEqual(new Set(results.map(code)), new Set(['admitted']))
  await one.close()
  for (const id of [ids[0]!, ids[600]!, ids[1_233]!]) {
    const key = `{test}:use:hour:${AT - (AT % HOUR)}:${id}`
    assert.equal(server.cli('HGET', key, 'n'), '1', 'the rest was given back')
    const kept = Number(server.cli('TTL', key))
    assert(kept > 48 * 3_600 && kept < 50 * 3_600, `${kept} s`)
  }
})

test('a command that Redis carries out too late has no effect', async () => {
  const [one] = (await start(1, QUICK, 50)) as [SharingProcess]
  const who = organization(1_000, 0, newId())
  server.freeze()
  try {
    // Several commands one after another: each is given up after 300 ms.
    for (let n = 0; n < 50; n++) assert.equal(code(await one.admit(who)), 'service_unavailable')
  } finally {
    server.thaw()
  }
  let lateAnswers = 0
  await until('it recovers', async () => {
    const isAdmitted = code(await one.admit(who)) === 'admitted'
    if (!isAdmitted) lateAnswers++
    return isAdmitted
  })
  await one.close()
  const counted = Number(server.cli('HGET', `{test}:use:hour:${AT - (AT % HOUR)}:${who.id}`, 'n'))
  // A command can be in time and its answer not: the one that is on its way when Redis goes on, and on a loaded machine
  // later ones. Such a block, of 10 % at most, is lost.
  const lost = counted - one.admitted
  assert(lost >= 0 && lost <= (1 + lateAnswers) * 100, `${lost} lost, ${lateAnswers} answers late`)
})

test('a Redis without memory refuses all blocks of a command, and recovers', async () => {
  const [one] = (await start(1, QUICK, 50)) as [SharingProcess]
  const who = organization(1_000, 1_000, newId())
  server.cli('CONFIG', 'SET', 'maxmemory', '1')
  try {
    assert.equal(code(await one.admit(who)), 'service_unavailable')
    assert.match(one.reservations.problem() ?? '', /OOM/)
  } finally {
    server.cli('CONFIG', 'SET', 'maxmemory', '0')
  }
  assert.equal(server.cli('KEYS', `*${who.id}`), '')
  await until('it recovers', async () => code(await one.admit(who)) === 'admitted')
  await one.close()
})

test('what all have reserved can be read; it is not known while Redis is away', async () => {
  const [one] = (await start(1)) as [SharingProcess]
  const who = organization(100, 0, newId())
  await one.admit(who)
  const starts = { hour: AT - (AT % HOUR), month: Date.UTC(2026, 10, 1) }
  const read = await one.reservations.reservedOf(who.id, starts)
  assert.deepEqual(read, { hour: 1 + one.ledger.held(who.id, AT).hour, month: 0 })
  server.freeze()
  try {
    assert.equal(await one.reservations.reservedOf(who.id, starts), undefined)
  } finally {
    server.thaw()
  }
  await one.close()
})

test('nothing is granted of an emptied Redis before all have said what they know', async () => {
  // The first one finds out late.
  const [late] = (await start(1, { ...QUICK, usageLookMs: 200 })) as [SharingProcess]
  const [other] = (await start(1)) as [SharingProcess]
  const who = organization(100, 0, newId())
  while (code(await late.admit(who)) === 'admitted');
  assert.equal(late.admitted, 100)
  server.cli('FLUSHALL')
  const answers = new Set<string>()
  await until('it is known again that all is used', async () => {
    const answer = code(await other.admit(who))
    answers.add(answer)
    return answer === 'rate_limit_exceeded'
  })
  assert.deepEqual(answers, new Set(['service_unavailable', 'rate_limit_exceeded']))
  await closeAll([late, other])
})

/** A process that can be paused, and asks for what it is told, as soon as it goes on. */
const startTold = async () => {
  const program = fileURLToPath(new URL('sharing-process.js', import.meta.url))
  const child = spawn(process.execPath, [program, server.url, 'told'], { stdio: ['pipe', 'pipe', 'inherit'] })
  after(() => child.kill('SIGKILL'))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<number> => Number((await answers.next()).value)
  assert.equal(await answer(), 0)
  return {
    /** @returns how many are admitted */
    ask: (id: string, limit: number, requests: number): Promise<number> => {
      child.stdin.write(`${id} ${limit} ${requests}\n`)
      return answer()
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    end: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.stdin.end()
      await ended
    },
  }
}

test('a process that was paused while Redis was emptied uses nothing of what it held', async () => {
  const LIMIT = 2_000
  const paused = await startTold()
  const [other] = (await start(1)) as [SharingProcess]
  for (const isKnown of [true, false]) {
    const id = newId()
    const who = organization(LIMIT, 0, id)
    assert.equal(await paused.ask(id, LIMIT, 170), 170)
    const before = isKnown ? 1 : 0
    other.admitted = 0
    if (isKnown) assert.equal(code(await other.admit(who)), 'admitted')
    paused.pause()
    server.cli('FLUSHALL')
    const untilUsedUp = async (): Promise<boolean> => code(await other.admit(who)) === 'rate_limit_exceeded'
    await until('the others use it up', untilUsedUp)
    assert(other.admitted > before, 'after the flush')
    const later = paused.ask(id, LIMIT, 100)
    paused.resume()
    assert.equal(await later, 0, 'it held a block')
    const all = other.admitted + 170
    // What nobody else knew of the paused process is admitted twice; never more.
    assert(all <= (isKnown ? LIMIT : LIMIT + 170), `${all} of ${LIMIT}`)
  }
  await paused.end()
  await other.close()
})

test('what a process had used that was paused is counted when it is back', async () => {
  const LIMIT = 2_000
  const paused = await startTold()
  const [other] = (await start(1)) as [SharingProcess]
  const id = newId()
  const who = organization(LIMIT, 0, id)
  assert.equal(await paused.ask(id, LIMIT, 170), 170)
  paused.pause()
  server.cli('FLUSHALL')
  await until('the others are granted anew', async () => {
    await other.admit(who)
    return other.admitted === 900
  })
  const later = paused.ask(id, LIMIT, 400)
  paused.resume()
  let all = 170 + (await later)
  const key = `{test}:use:hour:${AT - (AT % HOUR)}:${id}`
  await until('it has reported', () => Number(server.cli('HGET', key, 'n')) >= 900 + 170)
  await until('all is used', async () => {
    all += await paused.ask(id, LIMIT, 20)
    return code(await other.admit(who)) === 'rate_limit_exceeded'
  })
  all += other.admitted
  assert(all <= LIMIT && all > LIMIT - 100, `${all} of ${LIMIT}`)
  await paused.end()
  await other.close()
})

test('a process that was paused alone goes on with what it held', async () => {
  const paused = await startTold()
  const id = newId()
  assert.equal(await paused.ask(id, 1_000, 1), 1)
  const key = `{test}:use:hour:${AT - (AT % HOUR)}:${id}`
  const reserved = server.cli('HGET', key, 'n')
  paused.pause()
  await pause(QUICK.usageSettleMs + 100)
  const later = paused.ask(id, 1_000, 40)
  paused.resume()
  assert.equal(await later, 40)
  const more = Number(server.cli('HGET', key, 'n')) - Number(reserved)
  assert(more <= 1, `they were of the block that it held, filled up by ${more}`)
  await paused.end()
})

test('access counts in Redis where it is given that, and knows what all processes have used', async (context) => {
  const [other] = (await start(1)) as [SharingProcess]
  const [{ reservations }] = (await start(1)) as [SharingProcess]
  const dataDir = newFolder()
  const access = await Access.open({ dataDir, numberOf: () => 1, now: () => AT, limits: QUICK, reservations })
  assert(!isFault(access))
  context.after(() => access.close())
  const key = await access.createDemoKey()
  assert(!isFault(key))
  const caller = access.gate.identify(undefined, key.secret, AT)
  assert(!isRefusal(caller))
  const { id, plan } = caller.organization
  const none = { hour: 0, month: 0 }
  assert.deepEqual(await access.used(id, { hour: 9, month: 9 }), none, 'the store does not count')
  for (let n = 0; n < 3; n++) assert.equal(code(await access.gate.admit(caller, 'rest', AT)), 'admitted')
  const limits = organization(plan.hourlyLimit || 1_000, plan.monthlyQuota || 9_000, id)
  assert.equal(code(await other.admit(limits)), 'admitted')
  await until('what the other one does not use is given back', async () => {
    const { hour } = await access.used(id, none)
    return hour === (plan.hourlyLimit === 0 ? 1 : 4)
  })
  assert.deepEqual(access.problems(), [])
  server.freeze()
  try {
    await until('it is no longer ready', () => access.problems().length > 0)
    assert.match(access.problems()[0]!, /^requests cannot be counted: nothing can be reserved in Redis/)
  } finally {
    server.thaw()
  }
})

/** Ways in which Redis is disturbed. Some lose what was stored, or go back to what was stored before. */
const FAULTS: Readonly<Record<string, () => Promise<void>>> = {
  pause: async () => {
    server.freeze()
    await pause(30)
  },
  empty: async () => {
    server.cli('FLUSHALL')
  },
  stop: async () => {
    await server.stop()
  },
  kill: async () => {
    await server.kill9()
  },
  older: async () => {
    // The next start finds what was there now.
    server.cli('SAVE')
    await pause(20)
    await server.kill9()
  },
}

const mend = async (fault: string): Promise<void> => {
  if (fault === 'pause') server.thaw()
  else if (fault !== 'empty') await server.start()
}

test('Redis paused, emptied, stopped, killed and set back: nothing is let through, and it recovers alone', async (t) => {
  const rounds = Number(process.env.ODDSWIRE_TEST_ROUNDS ?? 25)
  const random = new Random(SEED)
  const limits = { ...QUICK, usageIdleMs: 10_000 }
  const all = await start(3, limits, 50)
  let slowestMs = 0
  const counts: Record<string, number> = {}
  for (let round = 0; round < rounds; round++) {
    const where = `seed ${SEED}, round ${round}`
    const limit = random.int(20, 300)
    const who = organization(limit, 0, newId())
    const wasAdmitted = admittedBy(all)
    const admitted = (): number => admittedBy(all) - wasAdmitted
    const ask = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) {
        const started = performance.now()
        const result = code(await random.pick(all).admit(who, AT + n))
        counts[result] = (counts[result] ?? 0) + 1
        if (result === 'service_unavailable') slowestMs = Math.max(slowestMs, performance.now() - started)
        assert(admitted() <= limit, `${where}: ${admitted()} of ${limit}`)
      }
    }
    await ask(random.int(0, limit))
    const fault = random.pick(Object.keys(FAULTS))
    const [, asked] = await Promise.all([FAULTS[fault]!(), ask(10)])
    assert.equal(asked, undefined)
    await ask(random.int(0, 4))
    await mend(fault)
    // Another organization shows when blocks are granted again.
    const probe = newId()
    for (const one of all) {
      await until(`${where}: it recovers from ${fault}`, async () => {
        const result = code(await one.admit(organization(100, 0, probe)))
        if (result === 'admitted') one.admitted--
        return result === 'admitted'
      })
    }
    await ask(2 * limit)
  }
  t.diagnostic(`seed ${SEED}: ${rounds} rounds, ${JSON.stringify(counts)}, slowest 503 ${slowestMs.toFixed(1)} ms`)
  assert(slowestMs < 5_000, `${slowestMs} ms`)
  await closeAll(all)
})
