// The store is made to fail for real: the process may write no more, or the disk is full.

import assert from 'node:assert/strict'
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isFault } from '../../src/access/fault.ts'
import { UNRESTRICTED } from '../../src/access/scope.ts'
import { Store } from '../../src/access/store.ts'
import { elapsedMs } from '../../src/clock.ts'
import { newFolder } from './folder.ts'

const LIMIT = 4_000

const start = async (context: TestContext, dataDir: string): Promise<ChildProcess> => {
  const store = Store.open(dataDir, { waitMs: 0, busyMs: 0, at: 0 })
  assert.ok(!isFault(store))
  store.accounts.setPlan('small', { hourlyLimit: LIMIT, monthlyQuota: 0 }, 0)
  const organization = store.accounts.createOrganization({ name: 'acme', plan: 'small', entitlement: '*' }, 0)
  assert.ok(!isFault(organization))
  const key = { kind: 'customer', organization: organization.id, scope: UNRESTRICTED, expiresAt: null } as const
  const { secret } = store.accounts.createKey(key, 0)
  store.close()
  const child = fork(fileURLToPath(new URL('./full-disk.child.js', import.meta.url)), [dataDir, secret])
  context.after(() => child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

const admit = async (child: ChildProcess, count: number): Promise<Record<string, number>> => {
  child.send(count)
  const [codes] = await once(child, 'message')
  return codes
}

interface Told {
  readonly problems: readonly string[]
  readonly told: readonly (string | null)[]
}

/** Waits for what must be reported sooner or later. */
const told = async (child: ChildProcess, condition: (told: Told) => boolean): Promise<Told> => {
  const startedMs = elapsedMs()
  for (;;) {
    child.send('problems')
    const [answer] = (await once(child, 'message')) as [Told]
    if (condition(answer)) return answer
    assert.ok(elapsedMs() - startedMs < 30_000, `in vain: ${JSON.stringify(answer)}`)
    await pause(20)
  }
}

/** Fails, recovers without a restart, and in the end has admitted exactly the limit. */
const failAndRecover = async (child: ChildProcess, fail: () => void, recover: () => void): Promise<void> => {
  let admitted = 0
  const tryOut = async (count: number): Promise<Record<string, number>> => {
    const codes = await admit(child, count)
    admitted += codes.admitted ?? 0
    return codes
  }
  assert.deepEqual(await tryOut(10), { admitted: 10 })
  for (let round = 0; round < 2; round++) {
    fail()
    // Before any request has met it, and once only.
    const { problems } = await told(child, (each) => each.problems.length > 0)
    assert.match(problems.join(), /^requests cannot be counted: /)
    const failing = await tryOut(150)
    assert.ok((failing.service_unavailable ?? 0) >= 50, JSON.stringify(failing))
    assert.deepEqual(Object.keys(failing).toSorted(), ['admitted', 'service_unavailable'])
    assert.deepEqual(await tryOut(20), { service_unavailable: 20 })
    recover()
    const startedMs = elapsedMs()
    while ((await tryOut(1)).admitted === undefined) assert.ok(elapsedMs() - startedMs < 30_000, 'no recovery')
    const after = await told(child, (each) => each.problems.length === 0)
    assert.deepEqual(
      after.told.map((reason) => reason === null),
      Array.from({ length: 2 * (round + 1) }, (_, place) => place % 2 === 1),
      JSON.stringify(after.told),
    )
  }
  const rest = await tryOut(LIMIT)
  assert.equal(rest.service_unavailable, undefined, JSON.stringify(rest))
  assert.equal(admitted, LIMIT, 'nothing was given for free, and what was refused did not count')
}

test('a process that may write no more answers 503 once the block is spent, and recovers', async (context) => {
  if (spawnSync('prlimit', ['--version']).status !== 0) return context.skip('needs prlimit (Debian: util-linux)')
  const child = await start(context, newFolder())
  const limitTo = (bytes: string): void => {
    assert.equal(spawnSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`]).status, 0)
  }
  await failAndRecover(
    child,
    () => limitTo('0'),
    () => limitTo('unlimited'),
  )
})

test('a full disk answers 503 once the block is spent, and space recovers it', async (context) => {
  const folder = newFolder()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', folder])
  if (mounted.status !== 0) return context.skip('needs the right to mount a tmpfs')
  context.after(() => spawnSync('umount', ['-l', folder]))
  const child = await start(context, folder)
  const ballast = join(folder, 'ballast')
  const fill = (): void => {
    for (let bytes = 1024 * 1024; bytes >= 1; bytes >>= 1) {
      try {
        for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' })
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
      }
    }
  }
  await failAndRecover(child, fill, () => rmSync(ballast))
})
