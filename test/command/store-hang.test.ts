// A store thread that waits in the system and does not return: seen from outside.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'
import { done, get, newFolder, type RunningService, startService } from '../service.ts'

const until = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  const startedMs = clock.elapsedMs()
  while (!(await condition())) {
    assert.ok(clock.elapsedMs() - startedMs < 90_000, `in vain: ${what}`)
    await pause(20)
  }
}

const admin = async (service: RunningService, path: string): Promise<string> =>
  (await fetch(`${service.admin}${path}`)).text()

const restarts = async (service: RunningService): Promise<number> =>
  Number(/^oddswire_store_restarts_total (\d+)$/m.exec(await admin(service, '/metrics'))?.[1])

const folder = newFolder()
const fifo = join(folder.path, 'fifo')
const canHang = spawnSync('mkfifo', [fifo]).status === 0

/** Starts a service whose threads hang at SIGUSR2, and has them return. */
const hanging = async (dataDir: string) => {
  const options = process.env.NODE_OPTIONS
  process.env.NODE_OPTIONS = `--import ${new URL('./hang-threads.js', import.meta.url).href}`
  process.env.HANG_FIFO = fifo
  let service: RunningService
  try {
    service = await startService(dataDir)
  } finally {
    if (options === undefined) delete process.env.NODE_OPTIONS
    else process.env.NODE_OPTIONS = options
    delete process.env.HANG_FIFO
  }
  // Throws while nothing waits at the other end.
  const release = (): boolean => {
    try {
      closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK))
      return true
    } catch {
      return false
    }
  }
  return { service, release }
}

test('a store thread that hangs is replaced, and its return does no harm', {
  skip: !canHang && 'mkfifo(1) is not here',
}, async () => {
  const dataDir = join(folder.path, 'replaced')
  done(dataDir, 'plan', 'set', 'small', '--hourly', '400', '--monthly', '0')
  done(dataDir, 'org', 'create', 'acme', '--plan', 'small')
  const key = done(dataDir, 'key', 'create', '--org', 'acme')
  const { service, release } = await hanging(dataDir)
  try {
    const status = async (): Promise<number> => (await get(service, '/sports', key)).status
    let admitted = 0
    const admit = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) if ((await status()) === 200) admitted++
    }
    await admit(10)
    service.process.kill('SIGUSR2')
    await until('not ready', async () => (await admin(service, '/readyz')).includes('the store cannot be read'))
    await until('another thread', async () => (await restarts(service)) >= 1)
    await until('readiness', async () => (await admin(service, '/readyz')) === 'ready\n')
    await admit(10)
    assert.equal(admitted, 20)
    const other = done(dataDir, 'key', 'create', '--org', 'acme')
    done(dataDir, 'key', 'revoke', other)
    assert.equal((await get(service, '/sports', other)).status, 401)
    assert.ok(release(), 'the first thread hangs yet')
    await admit(450)
    assert.ok(admitted <= 400 && admitted >= 360, `${admitted} of 400: a thread that ends costs 40`)
    assert.equal(await restarts(service), 1)
    assert.equal(service.stderr().split('all requests are refused with 503').length, 2, service.stderr())
  } finally {
    release()
    assert.equal(await service.stop(), 0)
  }
})

test('a service whose store thread hangs stops, and the next one finds all that was stored', {
  skip: !canHang && 'mkfifo(1) is not here',
}, async () => {
  const dataDir = join(folder.path, 'stopped')
  done(dataDir, 'org', 'create', 'acme', '--plan', 'desk')
  const key = done(dataDir, 'key', 'create', '--org', 'acme')
  const { service, release } = await hanging(dataDir)
  const revoked = done(dataDir, 'key', 'create', '--org', 'acme')
  done(dataDir, 'key', 'revoke', revoked)
  service.process.kill('SIGUSR2')
  await until('not ready', async () => (await admin(service, '/readyz')).includes('the store cannot be read'))
  const exited = service.stop()
  await until('the end', () => service.stderr().includes('stopped'))
  assert.ok(release(), 'only the thread keeps the process')
  assert.equal(await exited, 0)
  const next = await startService(dataDir)
  try {
    assert.equal((await get(next, '/sports', key)).status, 200)
    assert.equal((await get(next, '/sports', revoked)).status, 401)
  } finally {
    await next.stop()
    folder.remove()
  }
})
