import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isFault } from '../../src/access/fault.ts'
import { holderOf } from '../../src/access/holder.ts'
import { acquire } from '../../src/access/lock.ts'
import { isHeld } from '../../src/access/file-lock.ts'
import { lockPath } from '../../src/access/store-file.ts'
import { endedWithTests } from '../children.ts'
import { newFolder } from './folder.ts'

/** Another process that holds a folder until it is killed. */
const holder = async (dataDir: string): Promise<ChildProcess> => {
  const child = endedWithTests(
    spawn(process.execPath, [fileURLToPath(new URL('./lock.child.js', import.meta.url)), dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  await once(child.stdout!, 'data')
  return child
}

test('a second process is refused by the pid of the first; a kill leaves no lock', async () => {
  const dataDir = newFolder()
  const child = await holder(dataDir)
  const refused = acquire(dataDir, 0)
  assert.ok(isFault(refused))
  assert.match(refused.fault, new RegExp(`${dataDir} is in use by process ${child.pid}.*--data-dir`))
  assert.equal(isHeld(dataDir), true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(isHeld(dataDir), false)
  const lock = acquire(dataDir, 0)
  assert.ok(!isFault(lock))
  lock.release()
})

test('in one process, too: held, reported, and released', () => {
  const dataDir = join(newFolder(), 'a', 'b')
  assert.equal(isHeld(dataDir), false)
  const lock = acquire(dataDir, 5)
  assert.ok(!isFault(lock))
  assert.equal(isHeld(dataDir), true)
  assert.ok(isFault(acquire(dataDir, 0)))
  lock.announce({ http: 8080 })
  assert.deepEqual(holderOf(dataDir), { pid: process.pid, startedAt: 5, ports: { http: 8080 } })
  // Looking at a lock must not let go of it (the system's locks belong to the process, not to the file handle).
  assert.equal(isHeld(dataDir), true)
  lock.release()
  assert.equal(isHeld(dataDir), false)
  assert.equal(existsSync(join(dataDir, 'server.json')), false)
})

test('a server that has lost its lock leaves what another server says of itself', async () => {
  const dataDir = newFolder()
  const lock = acquire(dataDir, 0)
  assert.ok(!isFault(lock))
  rmSync(lockPath(dataDir))
  const child = await holder(dataDir)
  lock.release()
  assert.equal(holderOf(dataDir)?.pid, child.pid)
  child.kill('SIGKILL')
  await once(child, 'exit')
})

test('a folder that cannot be made or written is refused in one line', () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  const folderAsLock = newFolder()
  mkdirSync(join(folderAsLock, 'lock.db'))
  for (const dataDir of ['', '/proc/oddswire/data', file, join(file, 'data'), folderAsLock]) {
    const refused = acquire(dataDir, 0)
    assert.ok(isFault(refused), dataDir)
    assert.match(refused.fault, /^[^\n]+--data-dir$/)
  }
})
