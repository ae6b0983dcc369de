// A store that several processes share: each makes the changes of one log in its order.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { type Fault, isFault } from '../../src/access/fault.ts'
import { UNRESTRICTED } from '../../src/access/scope.ts'
import { Store } from '../../src/access/store.ts'
import { copyStore, installStore, replacedPath } from '../../src/access/store-copy.ts'
import { hashOfToken } from '../../src/access/token.ts'
import { Random, SEED } from '../random.ts'
import { newFolder } from './folder.ts'
import { AT, type Process, until, World } from './replicated-world.ts'

const newWorld = (context: TestContext): World => {
  const world = new World(new Random(SEED))
  context.after(() => world.stop())
  return world
}

/** One that founds the log, and others with copies of its store. */
const newService = async (
  context: TestContext,
  count: number,
): Promise<{ readonly world: World; readonly processes: Process[] }> => {
  const world = newWorld(context)
  const first = await world.start()
  assert.equal(first.joined, undefined)
  const processes = [first]
  while (processes.length < count) processes.push(await startBeside(world, first))
  return { world, processes }
}

/** A process with an empty folder, which takes state and store over from another one. */
const startBeside = async (world: World, peer: Process): Promise<Process> => {
  const dataDir = newFolder()
  const file = join(dataDir, 'copy')
  const checkpoint = peer.checkpoint()
  const mark = await peer.access.copyStore(file)
  assert.ok(!isFault(mark), isFault(mark) ? mark.fault : '')
  assert.equal(installStore(dataDir, file), undefined)
  const process = await world.start({ dataDir, checkpoint })
  assert.equal(process.joined, undefined)
  return process
}

const assertEqual = async (world: World): Promise<void> => {
  await world.settled()
  const [first, ...others] = world.processes
  const expected = first!.content()
  for (const other of others) assert.deepEqual(other.content(), expected, `ODDSWIRE_TEST_SEED=${SEED}`)
}

const TERMS = { idleMs: 3_600_000, msMax: 86_400_000, sessionsMax: 50 }

/** Logs an operator in. @returns what its tasks need */
const logIn = async ({ access }: Process, name: string) => {
  const link = await access.createDemoLink('operator')
  assert.ok(!isFault(link), JSON.stringify(link))
  const session = `session of ${name}`
  const next = { hash: session, replaces: null, terms: TERMS }
  const begun = await access.portal({ kind: 'use-link', hash: hashOfToken(link.token), password: null, next, at: AT })
  assert.ok(begun !== undefined && !isFault(begun), JSON.stringify(begun))
  return { session, terms: TERMS, at: AT }
}

test('a change holds in all processes when it is done, and a revoked key is refused by each', async (context) => {
  const { world, processes } = await newService(context, 3)
  const [a, b, c] = processes as [Process, Process, Process]
  const operator = await logIn(a, 'ada')
  // A session holds in every process.
  const made = await b.access.portal({
    ...{ kind: 'create-organization', name: 'acme', plan: 'pro', entitlement: '*', organizationsMax: 10, ...operator },
  })
  assert.ok(!isFault(made) && 'id' in made, JSON.stringify(made))
  const { id: organization } = made
  const created = await c.access.portal({
    ...{ kind: 'create-key', organization, name: 'k', scope: UNRESTRICTED, expiresAt: null, keysMax: 9, ...operator },
  })
  assert.ok(!isFault(created) && 'secret' in created, JSON.stringify(created))
  assert.deepEqual(
    processes.map((process) => process.admits(created.secret)),
    [true, true, true],
  )
  const command = await b.command({
    call: 'accounts.createKey',
    args: [{ kind: 'customer', organization, scope: UNRESTRICTED, expiresAt: null }, AT],
  })
  const key = command.result as { readonly id: string; readonly secret: string }
  assert.ok(
    processes.every((process) => process.admits(key.secret)),
    JSON.stringify(command),
  )
  const revoked = await a.command({ call: 'accounts.revokeKey', args: [key.id, AT] })
  assert.ok(
    processes.every((process) => !process.admits(key.secret)),
    JSON.stringify(revoked),
  )
  const alsoRevoked = await b.access.portal({ kind: 'revoke-key', id: created.key.id, organization, ...operator })
  assert.equal(alsoRevoked, true)
  assert.ok(processes.every((process) => !process.admits(created.secret)))
  // A revocation that is repeated changes nothing.
  const entries = world.entries.length
  assert.ok('auditId' in ((await a.command({ call: 'accounts.revokeKey', args: [key.id, AT] })).result as object))
  assert.equal(world.entries.length, entries)
  await assertEqual(world)
})

for (const [by, revoke] of [
  ['a command', (process: Process, id: string) => process.command({ call: 'accounts.revokeKey', args: [id, AT] })],
  [
    'the portal',
    (process: Process, id: string, organization: string, operator: Awaited<ReturnType<typeof logIn>>) =>
      process.access.portal({ kind: 'revoke-key', id, organization, ...operator }),
  ],
] as const) {
  test(`a key that is revoked already, but not yet in all processes: ${by} waits for these`, async (context) => {
    const { world, processes } = await newService(context, 3)
    const [a, b, c] = processes as [Process, Process, Process]
    const operator = await logIn(a, 'ada')
    const made = await a.command({
      call: 'accounts.createOrganization',
      args: [{ name: 'o', plan: 'pro', entitlement: '*' }, AT],
    })
    const { id: organization } = made.result as { readonly id: string }
    const terms = { kind: 'customer', organization, scope: UNRESTRICTED, expiresAt: null }
    const { id } = (await a.command({ call: 'accounts.createKey', args: [terms, AT] })).result as {
      readonly id: string
    }
    c.isPaused = true
    const first = a.command({ call: 'accounts.revokeKey', args: [id, AT] })
    await until('the second process has revoked it', () => isRevoked(b, id))
    const second = revoke(b, id, organization, operator)
    let isAnswered = false
    void second.then(() => (isAnswered = true))
    // The command asks its server; the portal's task has been done for long.
    if (by === 'a command') await until('it asks, or is done', () => isAnswered || b.proposals() > 0)
    else for (let look = 0; look < 300 && !isAnswered; look++) await pause(1)
    c.isPaused = false
    await second
    assert.ok(isRevoked(c, id))
    await first
    await assertEqual(world)
  })
}

test('decisions and numbers of bookmakers come with the change', async (context) => {
  const { world, processes } = await newService(context, 2)
  const coverage = [
    { sport: 'golf', status: 'verified_rest_live', restAvailable: true, liveAvailable: true, lastVerifiedAt: null },
  ] as const
  const bookmaker = (slug: string) => ({
    ...{
      slug,
      displayName: slug,
      region: '',
      countries: [],
      sourceMode: 'direct' as const,
      customerNote: '',
      coverage,
    },
  })
  const imported = await processes[1]!.access.importCoverage([bookmaker('b'), bookmaker('a')])
  assert.equal(imported, undefined)
  await world.settled()
  for (const { access, engine } of processes) {
    assert.deepEqual([access.registry.numberOf('b'), access.registry.numberOf('a')], [1, 2])
    assert.ok(access.registry.eligible.some((set) => set[0] === 0b110))
    assert.equal(engine.board.bookmakers.size, 2)
  }
  // Every process imports the same at its start.
  const { length } = world.entries
  assert.equal(await processes[0]!.access.importCoverage([bookmaker('b'), bookmaker('a')]), undefined)
  assert.equal(world.entries.length, length)
  const suspended = await processes[0]!.command({
    call: 'decisions.add',
    args: [[{ kind: 'suspend', bookmaker: 'b', event: null }], AT],
  })
  assert.equal(suspended.error, undefined)
  for (const { engine } of processes) {
    const view = { id: '1' } as never
    assert.notEqual(engine.heldBy(1, view), undefined)
    assert.equal(engine.heldBy(2, view), undefined)
  }
  await assertEqual(world)
})

test('random changes from all sides at once: nothing is lost or done twice, and all stores are equal', async (context) => {
  const { world, processes } = await newService(context, 3)
  const random = new Random(SEED)
  const operator = await logIn(processes[0]!, 'ada')
  const expected = {
    organizations: new Set<string>(),
    keys: new Set<string>(),
    requests: 0,
    revoked: new Set<string>(),
  }
  const organizationOf = async (process: Process, name: string, isCommand: boolean): Promise<void> => {
    const made = isCommand
      ? (
          await process.command({
            call: 'accounts.createOrganization',
            args: [{ name, plan: 'pro', entitlement: '*' }, AT],
          })
        ).result
      : await process.access.portal({
          ...{ kind: 'create-organization', name, plan: 'pro', entitlement: '*', organizationsMax: 1_000, ...operator },
        })
    assert.ok(made !== null && typeof made === 'object' && 'id' in made, JSON.stringify(made))
    expected.organizations.add(made.id as string)
  }
  const step = async (process: Process, name: string): Promise<void> => {
    const [kind, organization] = [random.int(0, 9), random.pick([...expected.organizations])]
    if (kind < 2) return await organizationOf(process, name, kind === 0)
    if (kind < 4) {
      const args = [{ kind: 'customer', organization, scope: UNRESTRICTED, expiresAt: null, name }, AT]
      const made = await process.command({ call: 'accounts.createKey', args })
      expected.keys.add((made.result as { id: string }).id)
      return
    }
    if (kind < 6) {
      const scope = UNRESTRICTED
      const made = await process.access.portal({
        ...{ kind: 'create-key', organization, name, scope, expiresAt: null, keysMax: 1_000, ...operator },
      })
      assert.ok(!isFault(made) && 'key' in made, JSON.stringify(made))
      expected.keys.add(made.key.id)
      return
    }
    if (kind < 7 && expected.keys.size > 0) {
      const id = random.pick([...expected.keys])
      const revoked = await process.command({ call: 'accounts.revokeKey', args: [id, AT + 1] })
      assert.equal(revoked.error, undefined)
      expected.revoked.add(id)
      for (const other of processes) assert.ok(isRevoked(other, id))
      return
    }
    if (kind < 8) {
      const set = await process.access.portal({
        kind: 'set-plan',
        name: 'desk',
        fields: { hourlyLimit: random.int(1, 9) },
        ...operator,
      })
      assert.equal(set, true)
      return
    }
    if (kind < 9) {
      const decided = await process.access.portal({
        ...{
          kind: 'decide',
          decisions: [{ kind: 'suspend', bookmaker: `b${random.int(1, 3)}`, event: null }],
          ...operator,
        },
      })
      assert.equal(decided, true)
      return
    }
    const traffic = [{ organization, hour: AT, code: '', count: random.int(1, 5) }]
    expected.requests += traffic[0]!.count
    const note = () => process.access.portal({ kind: 'note-use', keys: [], traffic, at: AT })
    let noted = await note()
    // On a loaded machine another process may hold the store for longer than this one waits: then nothing was noted.
    for (let again = 0; again < 20 && isFault(noted) && noted.fault.includes('locked'); again++) noted = await note()
    assert.equal(noted, undefined)
  }
  await organizationOf(processes[0]!, 'first', false)
  const side = async (process: Process, name: string): Promise<void> => {
    for (let n = 0; n < 12; n++) await step(process, `${name} ${n}`)
  }
  await Promise.all(processes.flatMap((process, place) => ['x', 'y'].map((each) => side(process, `${place} ${each}`))))
  await assertEqual(world)
  const store = Store.open(processes[1]!.dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(store))
  try {
    const organizations = store.accounts.organizations().filter(({ name }) => name !== 'demo')
    assert.deepEqual(new Set(organizations.map(({ id }) => id)), expected.organizations)
    const keys = store.accounts.keys()
    assert.deepEqual(new Set(keys.map(({ id }) => id)), expected.keys)
    assert.deepEqual(new Set(keys.filter(({ revokedAt }) => revokedAt !== null).map(({ id }) => id)), expected.revoked)
    const counted = organizations
      .flatMap(({ id }) => store.traffic.of(id, 0))
      .reduce((sum, { count }) => sum + count, 0)
    assert.equal(counted, expected.requests)
    const audit = store.audit().map(({ what }) => what)
    assert.equal(audit.filter((what) => what === 'key create').length, expected.keys.size)
    assert.equal(audit.filter((what) => what === 'key revoke').length, expected.revoked.size)
  } finally {
    store.close()
  }
})

const isRevoked = ({ access }: Process, id: string): boolean => 'refused' in access.gate.callerOf(id, AT)

const addOrganization = async (process: Process, name: string): Promise<void> => {
  const made = await process.command({
    call: 'accounts.createOrganization',
    args: [{ name, plan: 'pro', entitlement: '*' }, AT],
  })
  const isMade = 'id' in ((made.result ?? {}) as object) && made.error === undefined && made.unconfirmed === undefined
  assert.ok(isMade, `${JSON.stringify(made)}, ODDSWIRE_TEST_SEED=${SEED}`)
}

test('a process goes on from an older state and a newer store, and from an older store and a newer state', async (context) => {
  const { world, processes } = await newService(context, 2)
  const [a, b] = processes as [Process, Process]
  await addOrganization(a, 'one')
  const older = b.checkpoint()
  const file = join(newFolder(), 'copy')
  assert.ok(!isFault(await b.access.copyStore(file)))
  await addOrganization(b, 'two')
  await addOrganization(b, 'three')
  await b.stop()
  await addOrganization(a, 'four')
  // The store has made what the engine applies again.
  const again = await world.start({ dataDir: b.dataDir, checkpoint: older })
  assert.equal(again.joined, undefined)
  await addOrganization(again, 'five')
  await assertEqual(world)
  // The store lacks what the engine has applied, as far as the log is read again.
  await again.stop()
  assert.equal(installStore(b.dataDir, file, { replaces: true }), undefined)
  const older2 = await world.start({ dataDir: b.dataDir, checkpoint: older })
  assert.equal(older2.joined, undefined)
  await addOrganization(older2, 'six')
  await assertEqual(world)
  // A process that has ended between a turn and its change of the store, and a state that was saved between.
  const before = join(newFolder(), 'copy')
  assert.ok(!isFault(await older2.access.copyStore(before)))
  await addOrganization(a, 'seven')
  await world.settled()
  const newer = older2.checkpoint()
  await older2.stop()
  assert.equal(installStore(b.dataDir, before, { replaces: true }), undefined)
  const last = await world.start({ dataDir: b.dataDir, checkpoint: newer })
  assert.equal(last.joined, undefined)
  await assertEqual(world)
  // An empty folder.
  await startBeside(world, last)
  await addOrganization(a, 'eight')
  await assertEqual(world)
})

test('a store that has missed a change, or has others, is refused with all requests, and a copy repairs it', async (context) => {
  const { world, processes } = await newService(context, 2)
  const [a, b] = processes as [Process, Process]
  const file = join(newFolder(), 'copy')
  assert.ok(!isFault(await b.access.copyStore(file)))
  const key = await a.access.createDemoKey()
  assert.ok(!isFault(key))
  await addOrganization(a, 'one')
  await world.settled()
  const checkpoint = b.checkpoint()
  await b.stop()
  assert.equal(installStore(b.dataDir, file, { replaces: true }), undefined)
  const behind = await world.start({ dataDir: b.dataDir, checkpoint, forgets: true })
  assert.match(behind.joined?.fault ?? '', /has missed changes of access rights \(it has made \d+ of \d+\)/)
  assert.equal(behind.missed, behind.joined?.fault)
  assert.ok(a.admits(key.secret) && !behind.admits(key.secret))
  await behind.stop()
  // A store of its own: another one than that of the log.
  const stranger = await world.start({ dataDir: newFolder(), checkpoint: a.checkpoint() })
  assert.match(stranger.joined?.fault ?? '', /missed changes|another history/)
  await stranger.stop()
  await startBeside(world, a)
  await assertEqual(world)
})

test('of two stores that begin a log at once, the first is that of the log, and the other one is refused', async (context) => {
  const world = newWorld(context)
  const both = await Promise.all([world.start(), world.start()])
  await world.settled()
  const [refused, ...others] = both.filter(({ joined }) => joined !== undefined)
  assert.ok(refused !== undefined && others.length === 0)
  assert.match(refused.missed ?? '', /another history/)
})

test('a store that is ahead of a log that has lost its end stays that of the log', async (context) => {
  const { world, processes } = await newService(context, 2)
  const [a, b] = processes as [Process, Process]
  await addOrganization(a, 'one')
  await world.settled()
  const [early, lost] = [a.checkpoint(), world.entries.length]
  await addOrganization(a, 'two')
  await world.settled()
  await a.stop()
  await b.stop()
  world.entries.length = lost
  // Both have made a change that is no longer in the log.
  const again = [
    await world.start({ dataDir: a.dataDir, checkpoint: early }),
    await world.start({ dataDir: b.dataDir, checkpoint: early }),
  ]
  assert.deepEqual(
    again.map(({ joined }) => joined),
    [undefined, undefined],
  )
  await addOrganization(again[1]!, 'three')
  await assertEqual(world)
  assert.ok(again.every(({ access }) => access.organizations().some(({ name }) => name === 'two')))
})

test('without its server a shared store is changed by no command, until a server uses it alone', async (context) => {
  const { processes } = await newService(context, 1)
  const [a] = processes as [Process]
  await addOrganization(a, 'one')
  const { dataDir } = a
  await a.stop()
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(store))
  context.after(() => store.close())
  const create = (name: string) => store.accounts.createOrganization({ name, plan: 'pro', entitlement: '*' }, AT)
  assert.throws(
    () => create('two'),
    /is shared with other processes, and no server runs with it: start it with --redis-url/,
  )
  assert.equal(store.accounts.organizations().length, 1)
  store.shared.end()
  assert.ok('id' in create('two'))
})

test('while the log takes nothing, changes fail, and what is only read is answered', async (context) => {
  const { world, processes } = await newService(context, 1)
  const [a] = processes as [Process]
  const operator = await logIn(a, 'ada')
  world.isAway = true
  const set = a.access.portal({ kind: 'set-plan', name: 'desk', fields: { hourlyLimit: 7 }, ...operator })
  // The use of a session is noted once a minute.
  const later = { ...operator, at: AT + 120_000 }
  const audit = await a.access.portal({ kind: 'audit', organization: null, rowsMax: 5, ...later })
  assert.ok(Array.isArray(audit))
  const failed = await set
  assert.ok(isFault(failed))
  assert.match(failed.fault, /the log has not taken it in time, and may take it later: look whether it holds/)
  world.isAway = false
  await world.settled()
})

test('a copy is made of a shared store only, and replaces no other store unless it may', async (context) => {
  const { processes } = await newService(context, 1)
  const [a] = processes as [Process]
  const file = join(newFolder(), 'copy')
  const mark = await a.access.copyStore(file)
  assert.ok(!isFault(mark) && mark.proposal === a.engine.storeMark.proposal)
  assert.match(((await a.access.copyStore(file)) as Fault).fault, /exists/)
  const dataDir = newFolder()
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(store))
  store.close()
  await assert.rejects(copyStore(dataDir, join(newFolder(), 'copy')), /is not shared with other processes/)
  assert.match(installStore(dataDir, file)?.fault ?? '', /there is a store in .* already/)
  assert.equal(installStore(dataDir, file, { replaces: true }), undefined)
  assert.deepEqual([existsSync(file), existsSync(replacedPath(dataDir))], [false, true])
  const [other, next] = [newFolder(), join(newFolder(), 'copy')]
  assert.ok(!isFault(await a.access.copyStore(next)))
  const fresh = Store.open(other, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(fresh))
  fresh.close()
  assert.equal(installStore(other, next, { replaces: true, keeps: false }), undefined)
  assert.equal(existsSync(replacedPath(other)), false)
  assert.match(installStore(newFolder(), replacedPath(dataDir))?.fault ?? '', /is shared|unable|is not one|cannot/)
})

test('a store thread that ends in between costs no change of a command, and doubles none', async (context) => {
  const { world, processes } = await newService(context, 2)
  const random = new Random(SEED)
  // While no thread has the store open, a command that opens it finds no log.
  for (const { dataDir } of processes) {
    const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
    assert.ok(!isFault(store))
    context.after(() => store.close())
  }
  const names: string[] = []
  const end = async ({ access }: Process): Promise<void> => {
    for (let n = random.int(1, 60); n > 0; n--) await pause(2)
    const { worker } = (access as unknown as { client: { worker: Worker | undefined } }).client
    await worker?.terminate()
  }
  for (let n = 0; n < 5; n++) {
    // While both have changes under way.
    const ended = end(random.pick(processes))
    for (const place of processes.keys()) names.push(`of ${place} ${n}`, `of ${place} ${n} more`)
    await Promise.all(
      processes.map(async (process, place) => {
        await addOrganization(process, `of ${place} ${n}`)
        await addOrganization(process, `of ${place} ${n} more`)
      }),
    )
    await ended
  }
  await until('the threads are back', () => processes.every(({ access }) => access.problems().length === 0))
  await assertEqual(world)
  for (const { access } of processes) {
    assert.deepEqual(
      access.organizations().map(({ name }) => name),
      names.toSorted(),
    )
  }
})
