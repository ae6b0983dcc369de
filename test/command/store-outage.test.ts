// The store of a running server goes away, and its thread ends: seen from outside.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'
import { LIMITS } from '../../src/limits.ts'
import { command, done, get, newFolder, startService } from '../service.ts'
import { CARRIERS, RawClient } from '../stomp/raw-client.ts'
import { World } from '../stomp/world.ts'

const hook = new URL('./end-threads.js', import.meta.url).href
const world = await World.start({ environment: { NODE_OPTIONS: `--import ${hook}` } })
const { service } = world

after(() => world.stop())

const until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
  const startedMs = clock.elapsedMs()
  while (!(await condition())) {
    assert.ok(clock.elapsedMs() - startedMs < 120_000, `in vain: ${what}`)
    await pause(20)
  }
}

const admin = async (path: string): Promise<string> => (await fetch(`${service.admin}${path}`)).text()

const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await admin('/metrics'))?.[1])

const statusOf = async (): Promise<number> => (await get(service, '/sports', world.deskKey)).status

const logged = (text: string): number => service.stderr().split(text).length - 1

const BEGINS = 'all requests are refused with 503'
const ENDS = 'the store works again'

test('the store thread ends: the process continues, another thread replaces it, and all of it is reported', async () => {
  assert.equal(await metric('oddswire_store_up'), 1)
  for (let round = 1; round <= 3; round++) {
    service.process.kill('SIGUSR2')
    await until('another thread', async () => (await metric('oddswire_store_restarts_total')) >= round)
    await until('readiness', async () => (await admin('/readyz')) === 'ready\n')
    await until('answers', async () => (await statusOf()) === 200)
    assert.deepEqual([logged(BEGINS), logged(ENDS)], [round, round], service.stderr())
  }
  const key = await world.key()
  await world.command('key', 'revoke', key)
  assert.equal((await get(service, '/sports', key)).status, 401)
})

for (const name of ['oddswire.db', 'lock.db'])
  test(`${name} is deleted: all is refused, live sessions end at once, readiness says why, until it is back`, async () => {
    const [begins, ends] = [logged(BEGINS), logged(ENDS)]
    const event = await world.event(world.book())
    const clients = await Promise.all(
      CARRIERS.map(async (carrier) => {
        const client = await RawClient.open(world.endpoint, carrier, '1.2')
        await client.connect({ passcode: world.deskKey })
        await client.subscribe(event.topic())
        return client
      }),
    )
    const path = join(service.dataDir, name)
    renameSync(path, `${path}.away`)
    await until('503', async () => (await statusOf()) === 503)
    const readiness = await fetch(`${service.admin}/readyz`)
    assert.equal(readiness.status, 503)
    assert.match(await readiness.text(), /^not ready\n- access rights cannot be checked: .*\w+\.db was deleted.*\n$/)
    assert.equal(await metric('oddswire_store_up'), 0)
    const refused = await RawClient.open(world.endpoint, 'tcp', '1.2')
    await refused.frame('CONNECT', { 'accept-version': '1.2', passcode: world.deskKey })
    await refused.refused('service_unavailable')
    for (const client of clients) {
      // Within a tick, not after the longest time of an outage.
      const error = await client.refused('service_unavailable', LIMITS.rightsUnknownMsMax - 1_000)
      assert.match(error.headers.get('resume-from')!, /^\w+-\d+$/)
      client.destroy()
    }
    renameSync(`${path}.away`, path)
    await until('readiness', async () => (await admin('/readyz')) === 'ready\n')
    assert.equal(await statusOf(), 200)
    assert.deepEqual([logged(BEGINS), logged(ENDS)], [begins + 1, ends + 1], service.stderr())
  })

const PAGE = 4096

/** Noise in place of what is between two places of a file. */
const writeOver = (path: string, from: number, to: number): void => {
  const file = openSync(path, 'r+')
  writeSync(file, randomBytes(to - from), 0, to - from, from)
  closeSync(file)
}

/** A service of its own, whose store is damaged while it runs. */
const damaged = async (damage: (path: string) => void, message: RegExp) => {
  const folder = newFolder()
  const dataDir = join(folder.path, 'data')
  done(dataDir, 'org', 'create', 'acme', '--plan', 'pro')
  const key = done(dataDir, 'key', 'create', '--org', 'acme')
  const own = await startService(dataDir)
  try {
    assert.equal((await get(own, '/sports', key)).status, 200)
    const path = join(dataDir, 'oddswire.db')
    // Damage that comes as we write ourselves is found by the check of the next minute.
    await until('nothing is written', async () => Date.now() - statSync(`${path}-wal`).ctimeMs > 500)
    damage(path)
    await until('503', async () => (await get(own, '/sports', key)).status === 503)
    assert.match(await (await fetch(`${own.admin}/readyz`)).text(), message)
  } catch (error) {
    await own.stop()
    throw error
  }
  return { folder, dataDir, key, own }
}

test('the index of the log is deleted: all is refused, commands too, and a restart is enough', async () => {
  const { folder, dataDir, key, own } = await damaged(
    (path) => rmSync(`${path}-shm`),
    /oddswire\.db-shm was deleted while the server runs: stop the server and start it again/,
  )
  try {
    const revoked = command(dataDir, 'key', 'revoke', key)
    assert.match(revoked.stderr, /oddswire\.db-shm was deleted while the server runs/)
  } finally {
    await own.stop()
  }
  done(dataDir, 'key', 'revoke', key)
  const again = await startService(dataDir)
  try {
    assert.equal((await get(again, '/sports', key)).status, 401)
  } finally {
    await again.stop()
    folder.remove()
  }
})

for (const [what, damage, message] of [
  ['log is truncated', (path: string) => truncateSync(`${path}-wal`), /-wal was truncated while the server runs/],
  [
    'database is damaged where nothing reads',
    (path: string) => writeOver(path, 5 * PAGE, statSync(path).size),
    /oddswire\.db was damaged .*while/,
  ],
  [
    'log is damaged where nothing reads',
    (path: string) => writeOver(`${path}-wal`, 500, PAGE),
    /oddswire\.db-wal was damaged while the server runs/,
  ],
  [
    'log is written over',
    (path: string) => writeFileSync(`${path}-wal`, Buffer.alloc(statSync(`${path}-wal`).size), { flag: 'r+' }),
    /-wal was written over while the server runs/,
  ],
  ['database is truncated', (path: string) => truncateSync(path, 8192), /oddswire\.db was truncated while the server/],
] as const) {
  test(`the ${what}: all is refused, and a clean end leaves the files as they are`, async () => {
    const { folder, dataDir, own } = await damaged(damage, message)
    const sizes = (): number[] => ['', '-wal'].map((end) => statSync(join(dataDir, `oddswire.db${end}`)).size)
    const before = sizes()
    await own.stop()
    assert.deepEqual(sizes(), before)
    folder.remove()
  })
}

test('the lock is deleted: no second server starts, and a revocation is refused', async () => {
  const { folder, dataDir, key, own } = await damaged(
    (path) => rmSync(join(path, '..', 'lock.db')),
    /lock\.db was deleted while the server runs/,
  )
  try {
    const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']
    const second = command(dataDir, 'serve', ...ports)
    assert.equal(second.code, 1)
    assert.match(second.stderr, new RegExp(`is in use by process ${own.process.pid}`))
    assert.match(command(dataDir, 'key', 'revoke', key).stderr, /lock\.db was deleted while the server runs/)
  } finally {
    await own.stop()
    folder.remove()
  }
})

for (const end of ['stop', 'kill'] as const)
  test(`an older store is put over the running one, ${end}: the next server refuses it, and accepts its own again`, async () => {
    const folder = newFolder()
    const dataDir = join(folder.path, 'data')
    done(dataDir, 'org', 'create', 'acme', '--plan', 'desk')
    const [key, other] = [1, 2].map(() => done(dataDir, 'key', 'create', '--org', 'acme')) as [string, string]
    const path = join(dataDir, 'oddswire.db')
    const older = join(folder.path, 'older.db')
    copyFileSync(path, older)
    const own = await startService(dataDir)
    try {
      done(dataDir, 'key', 'revoke', key)
      linkSync(path, `${path}.own`)
      renameSync(older, path)
      await until('503', async () => (await get(own, '/sports', other)).status === 503)
    } finally {
      await own[end]()
    }
    const refused = command(dataDir, 'serve', '--http-port', '0', '--stomp-port', '0', '--admin-port', '0')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /oddswire\.db was replaced while the last server had the store open.*--accept-store/)
    assert.match(command(dataDir, 'key', 'list').stderr, /was replaced while the last server had the store open/)
    renameSync(`${path}.own`, path)
    const again = await startService(dataDir)
    try {
      assert.equal((await get(again, '/sports', key)).status, 401)
    } finally {
      await again.stop()
      folder.remove()
    }
  })
