// The room as a server has it: a real store, its thread, and commands that write beside it.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { Access, type AccessOptions } from '../../src/access/access.ts'
import { confirm } from '../../src/access/confirm.ts'
import { isFault } from '../../src/access/fault.ts'
import type { Caller } from '../../src/access/gate.ts'
import type { Admission } from '../../src/access/ledger.ts'
import { acquire } from '../../src/access/lock.ts'
import { BUILT_IN_PLANS } from '../../src/access/plan.ts'
import { UNRESTRICTED } from '../../src/access/scope.ts'
import { Store } from '../../src/access/store.ts'
import { LIMITS } from '../../src/limits.ts'
import * as clock from '../../src/clock.ts'
import { isEmptySet } from '../../src/domain/audience.ts'
import { type Bookmaker, parseCoverage, type VerificationRequest } from '../../src/domain/coverage.ts'
import type { Decision, EventDecision } from '../../src/domain/event-identity.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { MAIN } from '../service.ts'
import { newFolder } from './folder.ts'

// Fixed, so that no window ends while a test runs.
const AT = Date.UTC(2026, 10, 20, 12, 30)

const openStore = (dataDir: string): Store => {
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(store))
  return store
}

const openAccess = async (
  context: TestContext,
  dataDir: string,
  onRefuseAll?: (reason: string | undefined) => void,
  more: Partial<AccessOptions> = {},
): Promise<Access> => {
  const limits = { ...LIMITS, credentialsMax: 1_000, ledgerDeadlineMs: 3_000 }
  const numbers = new Map<string, number>()
  const numberOf = (slug: string): number => numbers.get(slug) ?? numbers.set(slug, numbers.size + 1).size
  const told = onRefuseAll ?? ((): void => {})
  const access = await Access.open({ dataDir, numberOf, now: () => AT, limits, onRefuseAll: told, ...more })
  assert.ok(!isFault(access), isFault(access) ? access.fault : '')
  context.after(() => access.close())
  return access
}

const newKey = (store: Store, plan: string, name = plan): { readonly id: string; readonly secret: string } => {
  const organization = store.accounts.createOrganization({ name, plan, entitlement: '*' }, AT)
  assert.ok(!isFault(organization), isFault(organization) ? organization.fault : '')
  return store.accounts.createKey(
    { kind: 'customer', organization: organization.id, scope: UNRESTRICTED, expiresAt: null },
    AT,
  )
}

const confirmed = async (store: Store, dataDir: string, auditId = store.lastAuditId()): Promise<void> => {
  assert.equal(await confirm(store, dataDir, auditId, 30_000, clock.elapsedMs), undefined)
}

const callerOf = (access: Access, secret: string): Caller => {
  const caller = access.gate.identify(undefined, secret, AT)
  assert.ok(!isRefusal(caller), JSON.stringify(caller))
  return caller
}

const admit = async (access: Access, secret: string): Promise<Admission> => ({
  ...(await access.gate.admit(callerOf(access, secret), 'rest', AT)),
})

const code = (admission: Admission): string => admission.refusal?.refused ?? 'admitted'

/** Waits for what must come sooner or later, however loaded the machine is. */
const until = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  const startedMs = clock.elapsedMs()
  while (!(await condition())) {
    assert.ok(clock.elapsedMs() - startedMs < 30_000, `in vain: ${what}`)
    await pause(5)
  }
}

test('what commands write holds in the running server before they return', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  const before = newKey(store, 'starter')
  const access = await openAccess(context, dataDir)
  callerOf(access, before.secret)

  const { secret } = newKey(store, 'pro')
  await confirmed(store, dataDir)
  assert.equal(callerOf(access, secret).organization.plan.name, 'pro')
  assert.ok(callerOf(access, secret).audience.sets.every(isEmptySet))

  store.accounts.setPlan('pro', { liveEnabled: false }, AT)
  store.accounts.setOrganization('starter', { plan: 'pro', entitlement: ['a'] }, AT)
  const bookmaker = {
    slug: 'a',
    displayName: 'A',
    region: '',
    countries: [],
    sourceMode: 'direct',
    customerNote: '',
    coverage: [{ sports: ['*'], status: 'verified_rest_live', restAvailable: true, liveAvailable: true }],
  }
  const bookmakers = parseCoverage(JSON.stringify({ bookmakers: [bookmaker] }))
  assert.ok(Array.isArray(bookmakers))
  const { version } = access.registry
  await confirmed(store, dataDir, store.coverage.import(bookmakers, AT).auditId)
  const caller = callerOf(access, secret)
  assert.equal(access.gate.permit(caller, { transport: 'live' })?.refused, 'live_not_enabled')
  assert.equal(access.registry.bookmakers[0]?.displayName, 'A')
  assert.ok(access.registry.isCovered('a', 'golf') && !access.registry.isCovered('b', 'golf'))
  assert.ok(access.registry.version > version)
  assert.ok(!caller.audience.sets.some(isEmptySet))
  assert.equal(callerOf(access, before.secret).audience, caller.audience, 'a, by another way')

  store.accounts.revokeKey(secret, AT)
  await confirmed(store, dataDir)
  assert.ok(isRefusal(access.gate.identify(undefined, secret, AT)))
  assert.deepEqual(
    access.plans().map(({ name }) => name),
    ['desk', 'pro', 'starter'],
  )
})

test('without a server a command waits for nothing; a server that does not answer is named', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  await confirmed(store, dataDir)
  await openAccess(context, dataDir)
  const fault = await confirm(store, dataDir, store.lastAuditId() + 1, 20, clock.elapsedMs)
  assert.match(fault!.fault, new RegExp(`stored, but the running server \\(process ${process.pid}\\)`))
})

test('a data folder has one server at a time', async (context) => {
  const dataDir = newFolder()
  const access = await openAccess(context, dataDir)
  const limits = { ...LIMITS, credentialsMax: 1, ledgerDeadlineMs: 1 }
  const second = await Access.open({ dataDir, numberOf: () => 1, now: () => AT, limits })
  assert.ok(isFault(second))
  assert.match(second.fault, new RegExp(`in use by process ${process.pid}`))
  await access.close()
  const third = await Access.open({ dataDir, numberOf: () => 1, now: () => AT, limits })
  assert.ok(!isFault(third))
  await third.close()
})

test('a store that cannot be opened is a fault, and leaves no lock', async () => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  store.close()
  const database = new Database(join(dataDir, 'oddswire.db'))
  const version = database.pragma('user_version', { simple: true })
  database.pragma('user_version = 99')
  const limits = { ...LIMITS, credentialsMax: 1, ledgerDeadlineMs: 1 }
  const fault = await Access.open({ dataDir, numberOf: () => 1, now: () => AT, limits })
  assert.ok(isFault(fault))
  assert.match(fault.fault, /version 99/)
  database.pragma(`user_version = ${version}`)
  database.close()
  const access = await Access.open({ dataDir, numberOf: () => 1, now: () => AT, limits })
  assert.ok(!isFault(access), 'the lock was let go')
  await access.close()
})

test('it is closed, although the log never takes the bookmakers of the coverage', { timeout: 60_000 }, async () => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  const { secret } = newKey(store, 'desk')
  const bookmakers = ['one', 'two'].map((slug) => ({
    ...{ slug, displayName: slug, region: 'EU', countries: [], sourceMode: 'direct', customerNote: '' },
    coverage: [{ sports: ['*'], status: 'verified_rest_live', restAvailable: true, liveAvailable: true }],
  }))
  const parsed = parseCoverage(JSON.stringify({ bookmakers }))
  assert.ok(Array.isArray(parsed), JSON.stringify(parsed))
  store.coverage.import(parsed, AT)
  store.close()
  const limits = { ...LIMITS, credentialsMax: 1, ledgerDeadlineMs: 1_000 }
  const options = { dataDir, now: () => AT, limits, numberOf: (slug: string) => (slug === 'one' ? 1 : 0) }
  const added: (readonly string[])[] = []
  const access = await Access.open({
    ...options,
    addBookmakers: (slugs) => {
      added.push(slugs)
      return new Promise(() => {})
    },
  })
  assert.ok(!isFault(access))
  await admit(access, secret)
  await access.close()
  assert.deepEqual(added, [['two']])
})

test('demo keys and imported coverage hold when their promise resolves', async (context) => {
  const access = await openAccess(context, newFolder())
  const key = await access.createDemoKey()
  assert.ok(!isFault(key))
  const caller = callerOf(access, key.secret)
  assert.equal(caller.organization.name, 'demo')
  assert.equal(caller.expiresAt, AT + 24 * 3_600_000)
  assert.equal(await access.importCoverage([]), undefined)
})

test('a revoked key is refused everywhere once oddswire key revoke has returned', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  const keys = Array.from({ length: 10 }, (_, n) => newKey(store, n % 2 === 0 ? 'desk' : 'pro', `org ${n}`))
  store.close()
  const access = await openAccess(context, dataDir)
  for (const [n, { id, secret }] of keys.slice(0, 4).entries()) {
    let returned = false
    let stop = false
    let acceptedBefore = 0
    let acceptedAfter = 0
    const loop = async (): Promise<void> => {
      while (!stop) {
        const caller = access.gate.identify(n < 2 ? `Bearer ${secret}` : undefined, secret, AT)
        if (!isRefusal(caller)) {
          if (returned) acceptedAfter += 1
          else acceptedBefore += 1
        }
        await nextIteration()
      }
    }
    const loops = Array.from({ length: 1_000 }, loop)
    const command = [MAIN, 'key', 'revoke', n % 2 === 0 ? id : secret, '--data-dir', dataDir]
    const child = spawn(process.execPath, command, { stdio: 'inherit' })
    const [exitCode] = await once(child, 'exit')
    returned = true
    assert.equal(exitCode, 0)
    for (let n = 0; n < 100; n++) await nextIteration()
    stop = true
    await Promise.all(loops)
    assert.ok(acceptedBefore > 0)
    assert.equal(acceptedAfter, 0)
  }
  callerOf(access, keys[4]!.secret)
})

test('a store that another process locks: 503 once the block is spent, unlimited continues, and it recovers', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  store.accounts.setPlan('small', { hourlyLimit: 400, monthlyQuota: 1_000 }, AT)
  const limited = newKey(store, 'small')
  const unlimited = newKey(store, 'desk')
  store.close()
  const access = await openAccess(context, dataDir)
  assert.equal(code(await admit(access, limited.secret)), 'admitted')
  const other = new Database(join(dataDir, 'oddswire.db'))
  other.exec('BEGIN IMMEDIATE')
  let admitted = 1
  let refused = await admit(access, limited.secret)
  for (; refused.refusal === undefined; admitted++) refused = await admit(access, limited.secret)
  assert.equal(code(refused), 'service_unavailable')
  assert.ok(admitted <= 101, `${admitted} without a record`)
  assert.equal(code(await admit(access, unlimited.secret)), 'admitted')
  other.exec('ROLLBACK')
  other.close()
  await until('recovery', async () => code(await admit(access, limited.secret)) === 'admitted')
  admitted += 1
  for (; (await admit(access, limited.secret)).refusal === undefined; ) admitted += 1
  assert.equal(admitted, 400, 'what was refused did not count')
})

test('when changes can no longer be seen, all requests are 503; and answered again when they can', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  const { secret } = newKey(store, 'desk')
  store.close()
  const reasons: (string | undefined)[] = []
  const access = await openAccess(context, dataDir, (reason) => reasons.push(reason))
  const other = new Database(join(dataDir, 'oddswire.db'))
  other.exec('ALTER TABLE audit RENAME TO gone')
  await until('503', async () => code(await admit(access, secret)) === 'service_unavailable')
  assert.equal(access.gate.refusesAll, true)
  other.exec('ALTER TABLE gone RENAME TO audit')
  other.close()
  await until('recovery', async () => code(await admit(access, secret)) === 'admitted')
  assert.deepEqual(reasons, ['the store cannot be read', undefined])
})

/** Ends the store thread, as running out of memory does. */
const endThread = async (access: Access): Promise<void> => {
  const { worker } = (access as unknown as { client: { worker: Worker } }).client
  await worker.terminate()
}

test('when the store thread ends, all requests are 503 until another one has replaced it', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  const limited = newKey(store, 'pro')
  const unlimited = newKey(store, 'desk')
  store.close()
  const reasons: (string | undefined)[] = []
  const access = await openAccess(context, dataDir, (reason) => reasons.push(reason))
  const isUp = (): boolean => access.storeHealth.isUp
  for (let round = 1; round <= 2; round++) {
    await endThread(access)
    for (const { secret } of [limited, unlimited]) {
      assert.equal(code(await admit(access, secret)), 'service_unavailable')
    }
    assert.deepEqual(access.problems(), ['access rights cannot be checked: the store thread has ended'])
    assert.equal(isUp(), false)
    await until('another thread', isUp)
    assert.deepEqual(access.problems(), [])
    assert.ok(access.storeHealth.restarts >= round)
    for (const { secret } of [limited, unlimited]) assert.equal(code(await admit(access, secret)), 'admitted')
  }
  assert.deepEqual(reasons, ['the store thread has ended', undefined, 'the store thread has ended', undefined])
})

test('a revocation made while there is no store thread holds before any request is admitted again', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  const keys = Array.from({ length: 5 }, (_, n) => newKey(store, 'desk', `org ${n}`))
  let secret = keys[0]!.secret
  const letIn: boolean[] = []
  const access: Access = await openAccess(context, dataDir, (reason) => {
    if (reason === undefined) letIn.push(!isRefusal(access.gate.identify(undefined, secret, AT)))
  })
  for (const key of keys) {
    secret = key.secret
    callerOf(access, secret)
    await endThread(access)
    assert.equal(access.storeHealth.isUp, false)
    const revoked = store.accounts.revokeKey(key.id, AT)
    assert.ok(!isFault(revoked))
    const waiting = confirm(store, dataDir, revoked.auditId, 30_000, clock.elapsedMs)
    // The command must not return before the revocation holds.
    assert.equal(await waiting, undefined)
    assert.equal(access.storeHealth.isUp, true)
    assert.ok(isRefusal(access.gate.identify(undefined, secret, AT)))
  }
  assert.deepEqual(
    letIn,
    keys.map(() => false),
  )
})

test('while there is no store thread, a command that revokes does not return as if it held', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  const { id } = newKey(store, 'desk')
  const access = await openAccess(context, dataDir)
  await endThread(access)
  // The next thread finds no store where it was.
  const path = join(dataDir, 'oddswire.db')
  renameSync(path, `${path}.away`)
  const revoked = store.accounts.revokeKey(id, AT)
  assert.ok(!isFault(revoked))
  const fault = await confirm(store, dataDir, revoked.auditId, 50, clock.elapsedMs)
  assert.match(fault!.fault, /stored, but the running server .* has not confirmed it/)
  await until('a thread that found nothing', () => access.problems()[0]!.includes('was deleted or replaced'))
  renameSync(`${path}.away`, path)
  await confirmed(store, dataDir, revoked.auditId)
  assert.deepEqual(access.problems(), [])
})

test('a store thread that ends costs at most 100 requests of a window, and gives none', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  const limit = 2_000
  store.accounts.setPlan('small', { hourlyLimit: limit, monthlyQuota: 0 }, AT)
  const { secret } = newKey(store, 'small')
  store.close()
  const access = await openAccess(context, dataDir, undefined, {
    limits: { ...LIMITS, credentialsMax: 100, ledgerDeadlineMs: 30_000 },
  })
  let admitted = 0
  const admitSome = async (count: number): Promise<string> => {
    for (let n = 0; n < count; n++) {
      const answer = code(await admit(access, secret))
      if (answer !== 'admitted') return answer
      admitted += 1
    }
    return 'admitted'
  }
  const ends = 4
  for (let round = 0; round < ends; round++) {
    // Requests that wait for a block as the thread ends: some get it from the next one.
    const waiting = Promise.all(Array.from({ length: 150 }, () => admitSome(1)))
    await endThread(access)
    await waiting
    await until('another thread', () => access.storeHealth.isUp)
    assert.equal(await admitSome(20), 'admitted')
  }
  assert.equal(await admitSome(limit), 'rate_limit_exceeded')
  assert.ok(admitted <= limit && admitted >= limit - ends * 100, `${admitted} of ${limit}`)
})

test('a server that ends while there is no store thread leaves a store that the next one opens', async (context) => {
  const dataDir = newFolder()
  const access = await openAccess(context, dataDir)
  await endThread(access)
  await access.close()
  const next = await openAccess(context, dataDir)
  await next.close()
})

for (const name of ['oddswire.db', 'oddswire.db-wal', 'lock.db']) {
  test(`when ${name} is deleted or replaced, all requests are 503 until it is back`, async (context) => {
    const dataDir = newFolder()
    const store = openStore(dataDir)
    const limited = newKey(store, 'pro')
    const unlimited = newKey(store, 'desk')
    store.close()
    const reasons: (string | undefined)[] = []
    const access = await openAccess(context, dataDir, (reason) => reasons.push(reason))
    assert.equal(code(await admit(access, limited.secret)), 'admitted')
    const path = join(dataDir, name)
    for (const isReplaced of [false, true]) {
      renameSync(path, `${path}.away`)
      if (isReplaced) copyFileSync(`${path}.away`, path)
      await until('503', () => !access.storeHealth.isUp)
      for (const { secret } of [limited, unlimited]) {
        assert.equal(code(await admit(access, secret)), 'service_unavailable')
      }
      assert.match(access.problems()[0]!, new RegExp(`${path} was (deleted|replaced) while the server runs`))
      renameSync(`${path}.away`, path)
      await until('recovery', () => access.storeHealth.isUp)
      assert.equal(code(await admit(access, limited.secret)), 'admitted')
    }
    assert.equal(reasons.length, 4)
  })
}

test('what is deleted or replaced is lost until it is back; a thread that is replaced is not', async (context) => {
  const dataDir = newFolder()
  const { gate, storeHealth } = await openAccess(context, dataDir)
  assert.ok(storeHealth.isUp)
  for (const name of ['oddswire.db', 'lock.db']) {
    const path = join(dataDir, name)
    renameSync(path, `${path}.away`)
    await until('the loss', () => gate.isStoreLost)
    renameSync(`${path}.away`, path)
    await until('recovery', () => !gate.refusesAll)
    assert.equal(gate.isStoreLost, false)
  }
})

test('an outage that turns out to be a loss is reported once, and a loss at last', async (context) => {
  const dataDir = newFolder()
  const reasons: (string | undefined)[] = []
  const access = await openAccess(context, dataDir, (reason) => reasons.push(reason))
  await endThread(access)
  assert.deepEqual([access.gate.refusesAll, access.gate.isStoreLost], [true, false])
  const path = join(dataDir, 'oddswire.db')
  renameSync(path, `${path}.away`)
  await until('the loss', () => access.gate.isStoreLost)
  renameSync(`${path}.away`, path)
  await until('recovery', () => !access.gate.refusesAll)
  assert.deepEqual(reasons, ['the store thread has ended', undefined])
})

test('a store that another server uses is not written to, whatever becomes of the thread', async (context) => {
  const dataDir = newFolder()
  openStore(dataDir).close()
  const access = await openAccess(context, dataDir)
  const marked = openStore(dataDir)
  context.after(() => marked.close())
  await until('the mark', () => marked.state().usedBy !== null)
  rmSync(join(dataDir, 'lock.db'))
  await until('the loss', () => access.gate.isStoreLost)
  const lock = acquire(dataDir, AT)
  assert.ok(!isFault(lock))
  const other = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT, serves: true })
  assert.ok(!isFault(other))
  context.after(() => other.close())
  other.beginUse('the other')
  const before = marked.dataVersion()
  await endThread(access)
  await until('the refusal of another thread', () => access.problems()[0]!.includes('lock.db was deleted or replaced'))
  assert.ok(access.storeHealth.restarts > 0 && access.gate.isStoreLost)
  await access.close()
  assert.equal(marked.dataVersion(), before, 'nothing was written')
  assert.equal(other.state().usedBy, 'the other')
  lock.release()
})

test('no block is granted from a file that is no longer the store', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  store.accounts.setPlan('small', { hourlyLimit: 4_000, monthlyQuota: 0 }, AT)
  const { secret } = newKey(store, 'small')
  store.close()
  const access = await openAccess(context, dataDir)
  assert.equal(code(await admit(access, secret)), 'admitted')
  const path = join(dataDir, 'oddswire.db')
  renameSync(path, `${path}.away`)
  // What is at hand was recorded before; whether a look at the files or the ledger comes first does not matter.
  let admitted = 1
  for (; admitted < 500 && (await admit(access, secret)).refusal === undefined; ) admitted += 1
  assert.ok(admitted <= 100, `${admitted} admitted`)
  renameSync(`${path}.away`, path)
})

test('a store that cannot be written: one reason when it begins, one end, without a request; not ready in between', async (context) => {
  const dataDir = newFolder()
  openStore(dataDir).close()
  const reasons: (string | undefined)[] = []
  const access = await openAccess(context, dataDir, undefined, { onUnwritable: (reason) => reasons.push(reason) })
  const other = new Database(join(dataDir, 'oddswire.db'))
  for (let round = 0; round < 2; round++) {
    other.exec('BEGIN EXCLUSIVE')
    await until('the problem', () => !access.storeHealth.isWritable)
    assert.deepEqual(access.problems(), ['requests cannot be counted: another process keeps the database locked'])
    assert.equal(access.storeHealth.isUp, true, 'rights are read all the same')
    other.exec('ROLLBACK')
    await until('its end', () => access.storeHealth.isWritable)
    assert.deepEqual(access.problems(), [])
  }
  other.close()
  const locked = 'another process keeps the database locked'
  assert.deepEqual(reasons, [locked, undefined, locked, undefined])
})

test('keys that are revoked while the server runs are named', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  const [before, after] = [newKey(store, 'desk', 'before'), newKey(store, 'desk', 'after')]
  store.accounts.revokeKey(before.id, AT)
  const named: string[] = []
  await openAccess(context, dataDir, undefined, { onRevoked: (keyId) => named.push(keyId) })
  store.accounts.revokeKey(after.id, AT)
  await confirmed(store, dataDir)
  assert.deepEqual(named, [after.id])
})

test('every built-in plan admits as it says', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  const keys = BUILT_IN_PLANS.map((plan) => ({ plan, ...newKey(store, plan.name) }))
  store.close()
  const access = await openAccess(context, dataDir)
  for (const { plan, secret } of keys) {
    const admission = await admit(access, secret)
    assert.deepEqual([code(admission), admission.limit], ['admitted', plan.hourlyLimit])
  }
})

const split = (...keys: [string, string]): EventDecision => ({ kind: 'split', keys })

test('decisions about events are applied at the start, and while the server runs before the command returns', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  const first = store.decisions.add([split('a:1', 'b:1')], AT)
  const told: (readonly Decision[])[] = []
  await openAccess(context, dataDir, undefined, { onDecisions: (decisions) => void told.push(decisions) })
  assert.deepEqual(told, [[split('a:1', 'b:1')]], 'all, at the start')
  const merge: EventDecision = { kind: 'merge', keys: ['b:1', 'a:1'], swapped: true }
  await confirmed(store, dataDir, store.decisions.add([merge], AT).auditId)
  assert.deepEqual(told.at(-1), [merge], 'the later decision about the same keys')
  newKey(store, 'pro')
  await confirmed(store, dataDir)
  assert.equal(told.length, 2, 'what changes no decision reports none')
  const undone = store.decisions.remove(first.id + 1, AT)
  assert.ok(!isFault(undone))
  await confirmed(store, dataDir, undone.auditId)
  assert.deepEqual(told.at(-1), [split('a:1', 'b:1')], 'the earlier one holds again')
})

test('decisions that are applied in several turns are reported when all of them have been', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  const pending: (() => void)[] = []
  let isFirst = true
  const onDecisions = (): Promise<void> | undefined => {
    if (isFirst) return void (isFirst = false)
    return new Promise((resolve) => pending.push(resolve))
  }
  await openAccess(context, dataDir, undefined, { onDecisions })
  const { auditId } = store.decisions.add([split('a:1', 'b:1')], AT)
  const done = confirmed(store, dataDir, auditId)
  while (pending.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  // A later change does not overtake it.
  newKey(store, 'pro')
  const seen = new Promise((resolve) => setTimeout(() => resolve('waiting'), 300))
  assert.equal(await Promise.race([done.then(() => 'done'), seen]), 'waiting')
  assert(store.appliedAuditId() < auditId)
  pending[0]!()
  await done
  await confirmed(store, dataDir)
})

const book = (slug: string): Bookmaker => ({
  slug,
  displayName: slug,
  region: '',
  countries: [],
  sourceMode: 'direct',
  customerNote: '',
  coverage: [
    { sport: '*', status: 'verified_rest_only', restAvailable: true, liveAvailable: false, lastVerifiedAt: null },
  ],
})

const POLICY = { everyHours: 24, failuresMax: 1, onFailure: 'source_limited' } as const

test('a request for a verification reaches the server, and what it records reaches the command that waits', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  store.coverage.import([book('a')], AT)
  const requests: VerificationRequest[] = []
  const access: Access = await openAccess(context, dataDir, undefined, {
    onVerificationRequest: (request) => requests.push(request),
  })
  const { id } = store.verification.request({ bookmaker: 'a', sport: 'tennis' }, AT)
  await until('the request', () => requests.length > 0)
  assert.deepEqual(requests, [{ id, bookmaker: 'a', sport: 'tennis' }])
  assert.equal(store.verification.requestOf(id)?.status, 'pending')
  const channels = [{ transport: 'rest', outcome: 'passed', quotes: 3, detail: '3 prices equal' }] as const
  const run = { bookmaker: 'a', sport: 'tennis', channels } as const
  assert.deepEqual(await access.recordVerification(run, POLICY, id), { outcome: 'passed', fellTo: null })
  const verified = access.registry
    .bookmakerOf('a')!
    .coverage.map(({ sport, lastVerifiedAt }) => [sport, lastVerifiedAt])
  assert.deepEqual(verified, [
    ['*', null],
    ['tennis', '2026-11-20'],
  ])
  assert.equal(await access.finishVerificationRequest(id), undefined)
  assert.equal(store.verification.requestOf(id)?.status, 'done')
  assert.deepEqual(store.verification.runsOf(id, 0)[0]?.channels, channels)
  assert.deepEqual(await access.lastVerifications(), [{ bookmaker: 'a', sport: 'tennis', at: AT }])
})

test('without sources a request is finished at once; one that a server has left lapses with the next', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  const left = store.verification.request({ bookmaker: null, sport: null }, AT)
  await openAccess(context, dataDir)
  assert.equal(store.verification.requestOf(left.id)?.status, 'lapsed')
  const { id } = store.verification.request({ bookmaker: null, sport: null }, AT)
  await until('the answer', () => store.verification.requestOf(id)?.status === 'done')
  assert.match(store.verification.requestOf(id)!.detail, /no sources/)
})

test('a removal that falls due is carried out at the start, and while the server runs', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  store.coverage.import([book('a'), book('b')], AT)
  for (const slug of ['a', 'b']) {
    const effectiveAt = Date.UTC(2027, 5, slug === 'a' ? 1 : 2)
    const removed = store.coverage.remove(slug, '*', { effectiveAt, isNow: false, reason: 'gone' }, AT)
    assert.ok(!isFault(removed), isFault(removed) ? removed.fault : '')
  }
  let now = Date.UTC(2027, 5, 1)
  const access = await openAccess(context, dataDir, undefined, { now: () => now })
  const covered = (): string[] =>
    access.registry.bookmakers.filter(({ coverage }) => coverage.length > 0).map(({ slug }) => slug)
  assert.deepEqual(covered(), ['b'])
  now = Date.UTC(2027, 5, 2) - 1
  assert.equal(await access.removeDue(), undefined)
  assert.deepEqual(covered(), ['b'])
  now += 1
  assert.equal(await access.removeDue(), undefined)
  assert.deepEqual(covered(), [])
})

test('announced removals are known from the start, when they are announced, and until they are carried out', async (context) => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  context.after(() => store.close())
  store.coverage.import([book('a'), book('b')], AT)
  const effectiveAt = Date.UTC(2027, 5, 1)
  const announce = (slug: string): void => {
    const removed = store.coverage.remove(slug, '*', { effectiveAt, isNow: false, reason: 'gone' }, AT)
    assert.ok(!isFault(removed), isFault(removed) ? removed.fault : '')
  }
  announce('a')
  let now = AT
  const access = await openAccess(context, dataDir, undefined, { now: () => now })
  const known = (): number[] => ['a', 'b', 'c'].map((slug) => access.removalsOf(slug).length)
  assert.deepEqual(known(), [1, 0, 0])
  announce('b')
  await confirmed(store, dataDir)
  assert.deepEqual(known(), [1, 1, 0])
  assert.equal(access.removalsOf('b')[0]?.effectiveAt, effectiveAt)
  store.coverage.import([book('b')], AT)
  await confirmed(store, dataDir)
  assert.deepEqual(known(), [1, 0, 0], 'an import withdraws it')
  now = effectiveAt
  assert.equal(await access.removeDue(), undefined)
  assert.deepEqual(known(), [0, 0, 0])
})

test('the internal key reads what coverage hides, and is worth nothing in the next process', async (context) => {
  const dataDir = newFolder()
  const first = await openAccess(context, dataDir)
  const [bookmaker] = [book('a')]
  const coverage = [{ ...bookmaker!.coverage[0]!, status: 'source_limited' }] as const
  assert.equal(await first.importCoverage([{ ...bookmaker!, coverage }]), undefined)
  const secret = first.internalKey()
  assert.ok(!callerOf(first, secret).audience.sets.some(isEmptySet))
  const demo = await first.createDemoKey()
  assert.ok(!isFault(demo))
  assert.ok(callerOf(first, demo.secret).audience.sets.every(isEmptySet), 'for customers it is hidden')
  await first.close()
  const second = await openAccess(context, dataDir)
  const refused = second.gate.identify(undefined, secret, AT)
  assert.ok(isRefusal(refused))
  assert.equal(refused.refused, 'invalid_api_key')
  const store = openStore(dataDir)
  context.after(() => store.close())
  assert.equal(store.accounts.keyOf(secret), undefined)
})
