// Database and log that do not belong together are not served, whatever has become of either.

import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { isFault } from '../../src/access/fault.ts'
import { acquire } from '../../src/access/lock.ts'
import { UNRESTRICTED } from '../../src/access/scope.ts'
import { Store, type StoreOptions } from '../../src/access/store.ts'
import { forgetLoss, lossOf, prepareLoss, recordLoss, unknownLoss } from '../../src/access/loss.ts'
import {
  type FileFault,
  FileWatch,
  fileIdOf,
  inspect,
  isLogIntact,
  lockPath,
  reasonOf,
  storePath,
} from '../../src/access/store-file.ts'
import { newFolder } from './folder.ts'

const AT = Date.UTC(2026, 10, 20, 12)

const tryOpen = (dataDir: string, options: Partial<StoreOptions> = {}) =>
  Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT, ...options })

const open = (context: TestContext, dataDir: string, options: Partial<StoreOptions> = {}): Store => {
  const store = tryOpen(dataDir, options)
  assert.ok(!isFault(store), isFault(store) ? store.fault : '')
  context.after(() => store.close())
  return store
}

const refused = (opened: Store | { readonly fault: string }, message: RegExp): void => {
  assert.ok(isFault(opened), 'it was opened')
  assert.match(opened.fault, message)
  assert.doesNotMatch(opened.fault, /\n/)
}

const files = (dataDir: string): Readonly<Record<'store' | 'log' | 'index', string>> => ({
  store: storePath(dataDir),
  log: `${storePath(dataDir)}-wal`,
  index: `${storePath(dataDir)}-shm`,
})

/** A store as a server has it in use, with a key in its log. The files of a server that was killed are copies of these. */
const inUse = (context: TestContext): { readonly dataDir: string; readonly store: Store; readonly keyId: string } => {
  const dataDir = newFolder()
  const store = open(context, dataDir, { serves: true })
  const organization = store.accounts.createOrganization({ name: 'acme', plan: 'desk', entitlement: '*' }, AT)
  assert.ok(!isFault(organization))
  const key = { kind: 'customer', organization: organization.id, scope: UNRESTRICTED, expiresAt: null } as const
  const { id } = store.accounts.createKey(key, AT)
  assert.equal(store.beginUse('run'), true)
  store.accounts.revokeKey(id, AT)
  return { dataDir, store, keyId: id }
}

const copyTo = (dataDir: string, names: readonly ('store' | 'log')[]): string => {
  const folder = newFolder()
  for (const name of names) copyFileSync(files(dataDir)[name], files(folder)[name])
  return folder
}

/** False where it throws. */
const isTrue = (condition: () => boolean): boolean => {
  try {
    return condition()
  } catch {
    return false
  }
}

const isRevoked = (store: Store, keyId: string): boolean => store.accounts.keyOf(keyId)!.revokedAt !== null

test('a database that was copied without its log is opened only where that is accepted', (context) => {
  const { dataDir, keyId } = inUse(context)
  const folder = copyTo(dataDir, ['store'])
  const message = /was in use and its log \(.*-wal\) is missing.*--accept-store/
  for (const serves of [true, false]) refused(tryOpen(folder, { serves }), message)
  assert.equal(existsSync(files(folder).log), false, 'it was not even opened')

  const command = open(context, folder, { accepts: true })
  assert.equal(isRevoked(command, keyId), false, 'the revocation was in the log')
  assert.equal(command.state().suspectBecause, 'log lost')
  command.accounts.revokeKey(keyId, AT)
  refused(tryOpen(folder, { serves: true }), /was opened without its log.*--accept-store/)
  const { generation } = command.state()
  const server = open(context, folder, { serves: true, accepts: true })
  assert.equal(server.state().suspectBecause, null)
  assert.notEqual(server.state().generation, generation)
  assert.equal(server.audit().at(-1)?.what, 'store accept')
  assert.equal(isRevoked(server, keyId), true)
})

test('a log that was deleted while its store was in use is missed at the next start', (context) => {
  const { dataDir } = inUse(context)
  const folder = copyTo(dataDir, ['store', 'log'])
  rmSync(files(folder).log)
  refused(tryOpen(folder, { serves: true }), /its log .* is missing/)
})

test('a store that was killed with its log is whole, for commands and for the next server', (context) => {
  const { dataDir, keyId } = inUse(context)
  const folder = copyTo(dataDir, ['store', 'log'])
  const command = tryOpen(folder)
  assert.ok(!isFault(command))
  assert.equal(isRevoked(command, keyId), true)
  assert.equal(command.state().usedBy, null, 'it is not in use any more')
  command.close()
  assert.equal(existsSync(files(folder).log), false, 'the last one to close it deletes the log')
  const server = open(context, folder, { serves: true })
  assert.equal(isRevoked(server, keyId), true)

  const other = copyTo(dataDir, ['store', 'log'])
  assert.equal(isRevoked(open(context, other, { serves: true }), keyId), true)
})

test('a command that ends after the server was killed, or beside its next start, leaves the log to it', (context) => {
  const { dataDir, keyId } = inUse(context)
  for (const wasKilled of [true, false]) {
    const folder = copyTo(dataDir, ['store', 'log'])
    const lock = acquire(folder, AT)
    assert.ok(!isFault(lock))
    const command = tryOpen(folder)
    assert.ok(!isFault(command))
    command.accounts.createOrganization({ name: 'later', plan: 'desk', entitlement: '*' }, AT)
    if (wasKilled) lock.release()
    command.close()
    assert.equal(existsSync(files(folder).log), true)
    const server = open(context, folder, { serves: true })
    assert.equal(isRevoked(server, keyId), true)
    assert.deepEqual(
      server.accounts.organizations().map(({ name }) => name),
      ['acme', 'later'],
    )
    if (!wasKilled) lock.release()
  }
})

test('a start that is refused leaves the log of a killed server, and is refused for the same reason again', (context) => {
  const { dataDir, keyId } = inUse(context)
  const other = new Database(files(dataDir).store)
  other.exec(`UPDATE state SET doubt = 'restored', backupAt = 1`)
  other.close()
  const folder = copyTo(dataDir, ['store', 'log'])
  for (let tries = 0; tries < 2; tries++) {
    const refusal = tryOpen(folder, { serves: true })
    refused(refusal, /backup.*--accept-store/)
    assert.equal(existsSync(files(folder).log), true)
  }
  assert.equal(isRevoked(open(context, folder, { serves: true, accepts: true }), keyId), true)
})

test('a log that SQLite would consider empty is lost', (context) => {
  const { dataDir } = inUse(context)
  for (const damage of [
    (log: string) => truncateSync(log),
    (log: string) => truncateSync(log, 31),
    (log: string) => writeFileSync(log, Buffer.alloc(statSync(log).size)),
    // A header whose checksum is wrong.
    (log: string) => writeFileSync(log, readFileSync(log).fill(1, 12, 13)),
  ]) {
    const folder = copyTo(dataDir, ['store', 'log'])
    damage(files(folder).log)
    const bytes = readFileSync(files(folder).log)
    for (const serves of [true, false]) refused(tryOpen(folder, { serves }), /its log .* is missing/)
    assert.deepEqual(readFileSync(files(folder).log), bytes, 'it was not even opened')
  }
})

test('a log whose frames were written over is lost, as far as its index shows', (context) => {
  const { dataDir, store, keyId } = inUse(context)
  // More than is read at a time.
  const organization = store.accounts.organizations()[0]!.id
  const key = { kind: 'customer', organization, scope: UNRESTRICTED, expiresAt: null } as const
  for (let n = 0; n < 90; n++) store.accounts.createKey(key, AT)
  assert.equal(isLogIntact(dataDir), true)
  const { size } = statSync(files(dataDir).log)
  assert.ok(size > 256 * 4120)
  const copy = (): string => {
    const folder = copyTo(dataDir, ['store', 'log'])
    copyFileSync(files(dataDir).index, files(folder).index)
    return folder
  }
  const whole = copy()
  assert.equal(isLogIntact(whole), true)
  const server = open(context, whole, { serves: true })
  assert.equal(isRevoked(server, keyId), true)
  assert.equal(server.accounts.keys().length, 91)
  for (const damage of [
    (bytes: Buffer) => bytes.fill(0, 32 + 4120 * 10, 32 + 4120 * 11),
    (bytes: Buffer) => bytes.fill(0x5a, size - 100),
    (bytes: Buffer) => bytes.fill((bytes[5_000]! + 1) % 256, 5_000, 5_001),
    (bytes: Buffer) => bytes.subarray(0, size - 4120),
  ]) {
    const folder = copy()
    writeFileSync(files(folder).log, damage(readFileSync(files(folder).log)))
    assert.equal(isLogIntact(folder), false)
    for (const serves of [true, false]) refused(tryOpen(folder, { serves }), /its log .* is missing or damaged/)
    // An index that says nothing of this log is no reason to refuse it.
    rmSync(files(folder).index)
    assert.equal(isLogIntact(folder), true)
  }
})

test('a store that is abandoned is neither checkpointed nor deleted', (context) => {
  const { dataDir, store, keyId } = inUse(context)
  assert.equal(store.isSound(1), true)
  const before = [files(dataDir).store, files(dataDir).log].map((path) => readFileSync(path))
  store.abandon()
  assert.deepEqual(
    [files(dataDir).store, files(dataDir).log].map((path) => readFileSync(path)),
    before,
  )
  assert.equal(isRevoked(open(context, dataDir, { serves: true }), keyId), true)
})

test('a store that is damaged in its file is not sound, whatever the process remembers of it', (context) => {
  const { dataDir, store } = inUse(context)
  const bytes = readFileSync(files(dataDir).store)
  writeFileSync(files(dataDir).store, bytes.fill(0x5a, 4096))
  assert.ok(!isTrue(() => store.isSound(1)))
  store.abandon()
})

test('content that is older than what was read before is not sound', (context) => {
  const { dataDir, store } = inUse(context)
  const last = store.lastAuditId()
  assert.equal(store.isSound(last), true)
  assert.equal(store.isSound(last + 1), false)
  const watch = new FileWatch(dataDir, undefined)
  assert.equal(watch.fault(true, true), undefined)
  const bytes = readFileSync(files(dataDir).store)
  truncateSync(files(dataDir).store)
  assert.match(reasonOf(watch.fault(true, true)!), /oddswire\.db was truncated/)
  writeFileSync(files(dataDir).store, bytes, { flag: 'r+' })
  assert.match(
    reasonOf(watch.fault(true, true)!),
    /oddswire\.db was truncated/,
    'what was written in between is not known',
  )
  store.abandon()
})

test('a page that is damaged after it was checked is found by the next check', (context) => {
  const { store, dataDir } = inUse(context)
  assert.equal(store.isSound(1), true)
  const { size } = statSync(files(dataDir).store)
  const database = openSync(files(dataDir).store, 'r+')
  writeSync(database, Buffer.alloc(4096), 0, 4096, size - 4096)
  // The descriptor stays open: see the locks of SQLite.
  assert.ok(!isTrue(() => store.isSound(1)))
  store.abandon()
})

test('a clean end leaves a database that is whole alone', (context) => {
  const { dataDir, store, keyId } = inUse(context)
  store.endUse('another run')
  assert.equal(store.state().usedBy, 'run', 'only the run itself ends its use')
  store.endUse('run')
  store.close()
  const folder = copyTo(dataDir, ['store'])
  assert.equal(isRevoked(open(context, folder, { serves: true }), keyId), true)
})

test('commands leave the mark of a server that runs', (context) => {
  const { dataDir, store } = inUse(context)
  const lock = acquire(dataDir, AT)
  assert.ok(!isFault(lock))
  open(context, dataDir)
  assert.equal(store.state().usedBy, 'run')
  // SQLite would begin a second log beside the one that the server continues to write.
  rmSync(files(dataDir).log)
  refused(tryOpen(dataDir, { accepts: true }), /log .* was deleted or damaged while the server runs: stop the server/)
  lock.release()
})

test('the process that ends without closing marks the store as closed, and no other file', (context) => {
  const { dataDir, store } = inUse(context)
  const lock = acquire(dataDir, AT)
  assert.ok(!isFault(lock))
  const ours = { store: fileIdOf(storePath(dataDir))!, lock: fileIdOf(lockPath(dataDir)) }
  Store.endUseOf(dataDir, 'another run', ours)
  Store.endUseOf(dataDir, 'run', { ...ours, store: 'another file' })
  Store.endUseOf(dataDir, 'run', { ...ours, lock: 'another file' })
  assert.equal(store.state().usedBy, 'run')
  Store.endUseOf(dataDir, 'run', ours)
  assert.equal(store.state().usedBy, null)
  Store.endUseOf(newFolder(), 'run', ours)
  lock.release()
})

test('a store is not opened again where its file or its lock is another one', (context) => {
  const { dataDir, store } = inUse(context)
  const lock = acquire(dataDir, AT)
  assert.ok(!isFault(lock))
  const resumes = { store: fileIdOf(storePath(dataDir))!, lock: fileIdOf(lockPath(dataDir)) }
  const again = tryOpen(dataDir, { serves: true, resumes })
  assert.ok(!isFault(again))
  again.abandon()
  for (const path of [storePath(dataDir), lockPath(dataDir)]) {
    renameSync(path, `${path}.away`)
    const message = new RegExp(`${path} was deleted or replaced while the server runs`)
    for (const isThere of [false, true]) {
      if (isThere) copyFileSync(`${path}.away`, path)
      const refusal = tryOpen(dataDir, { serves: true, resumes })
      refused(refusal, message)
      assert.equal(isFault(refusal) && 'lost' in refusal && refusal.lost, 'misplaced')
    }
    renameSync(`${path}.away`, path)
  }
  lock.release()
  store.endUse('run')
})

test('a server whose lock was deleted is still one: commands leave its mark', async (context) => {
  const { dataDir, store } = inUse(context)
  const child = fork(fileURLToPath(new URL('./lock.child.js', import.meta.url)), [dataDir, storePath(dataDir)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  await once(child.stdout!, 'data')
  rmSync(lockPath(dataDir))
  open(context, dataDir)
  assert.equal(store.state().usedBy, 'run')
  child.kill('SIGKILL')
  await once(child, 'exit')
  open(context, dataDir)
  assert.equal(store.state().usedBy, null, 'it is not in use any more')
})

test('a log without its database is no new store', (context) => {
  const { dataDir } = inUse(context)
  const folder = copyTo(dataDir, ['log'])
  const message = /oddswire\.db is missing or empty, but its log .* exists/
  for (const options of [{ serves: true }, {}, { accepts: true }]) refused(tryOpen(folder, options), message)
  writeFileSync(files(folder).store, '')
  refused(tryOpen(folder), message)
  assert.ok(existsSync(files(folder).log), 'SQLite would have deleted it')
})

test('a backup knows that it is one; it is whole, sees commands, and is served once it is accepted', async (context) => {
  const { dataDir, keyId, store } = inUse(context)
  const other = new Database(files(dataDir).store)
  context.after(() => other.close())
  const folder = newFolder()
  const file = files(folder).store
  writeFileSync(file, '')
  const progress: number[] = []
  let written = 0
  await store.backup(file, AT, (done) => {
    progress.push(done)
    // Another connection, as commands are: without a snapshot that is held the copying would begin again.
    other.exec('UPDATE state SET tries = tries + 1')
    written++
  })
  assert.ok(written > 0 && progress.every((done) => done >= 0 && done <= 1))
  assert.equal(store.state().usedBy, 'run', 'the store itself is as it was')
  const found = inspect(folder)
  assert.deepEqual(found, { isLogLost: false, isBackup: true })
  const message =
    /is a backup of 2026-11-20T12:00:00\.000Z: keys that were revoked since then are valid in it.*--accept-store/
  refused(tryOpen(folder, { serves: true }), message)
  const command = open(context, folder)
  assert.equal(isRevoked(command, keyId), true)
  assert.deepEqual(
    { ...command.state(), generation: '' },
    { generation: '', usedBy: null, suspectBecause: 'restored', backupAt: AT },
  )
  refused(tryOpen(folder, { serves: true }), message)
  const server = open(context, folder, { serves: true, accepts: true })
  assert.deepEqual([server.state().suspectBecause, server.state().backupAt], [null, null])
  assert.notEqual(server.state().generation, store.state().generation)
})

test('a backup beside the log of another database is refused: SQLite would apply that log to it', async (context) => {
  const { dataDir, store } = inUse(context)
  const folder = copyTo(dataDir, ['store', 'log'])
  const file = join(newFolder(), 'backup')
  writeFileSync(file, '')
  await store.backup(file, AT, () => {})
  copyFileSync(file, files(folder).store)
  for (const options of [{ serves: true, accepts: true }, {}]) {
    refused(tryOpen(folder, options), /is a backup, and the log beside it .* belongs to another database: remove/)
  }
  rmSync(files(folder).log)
  open(context, folder, { serves: true, accepts: true })
})

test('what is open is missed as soon as it is moved, deleted, replaced or written over', (context) => {
  const { dataDir, store } = inUse(context)
  const lock = acquire(dataDir, AT)
  assert.ok(!isFault(lock))
  const watch = new FileWatch(dataDir, fileIdOf(lockPath(dataDir)))
  assert.equal(watch.fault(true, true), undefined)
  for (const path of [files(dataDir).store, files(dataDir).log, files(dataDir).index, lockPath(dataDir)]) {
    renameSync(path, `${path}.away`)
    assert.match(reasonOf(watch.fault(true, true)!), new RegExp(`${path} was deleted while the server runs`))
    copyFileSync(`${path}.away`, path)
    assert.match(reasonOf(watch.fault(true, true)!), new RegExp(`${path} was replaced while the server runs`))
    renameSync(`${path}.away`, path)
    assert.equal(watch.fault(true, true), undefined, 'the same file is back')
  }
  const folder = newFolder()
  open(context, folder)
  // In place: the file keeps its identity.
  const before = copyTo(dataDir, ['store'])
  copyFileSync(files(folder).store, files(dataDir).store)
  assert.equal(fileIdOf(files(dataDir).store), watch.storeId)
  assert.match(reasonOf(watch.fault(true, true)!), /was truncated/, 'it is smaller')
  assert.equal(watch.fault(false, true), undefined, 'before the mark is in the header nothing is known of it')
  copyFileSync(files(before).store, files(dataDir).store)
  lock.release()
  store.endUse('run')
})

test('what is truncated or written over in place is missed, and stays so', (context) => {
  for (const which of ['store', 'log'] as const) {
    for (const [what, damage] of [
      ['truncated', (path: string) => truncateSync(path, 2_048)],
      ['written over', (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size), { flag: 'r+' })],
    ] as const) {
      const { dataDir, store } = inUse(context)
      const path = files(dataDir)[which]
      const watch = new FileWatch(dataDir, undefined)
      assert.equal(watch.fault(true, true), undefined)
      const bytes = readFileSync(path)
      damage(path)
      const message = new RegExp(`${path} was ${what} while the server runs`)
      assert.match(reasonOf(watch.fault(true, true)!), message)
      writeFileSync(path, bytes, { flag: 'r+' })
      // Only restoring the file writes over the mark.
      if (which === 'log' || what === 'truncated') {
        assert.match(reasonOf(watch.fault(true, true)!), message)
        assert.match(
          reasonOf(new FileWatch(dataDir, undefined, watch).fault(true, false)!),
          message,
          'also opened again',
        )
      }
      store.abandon()
    }
  }
})

test('a glance shows each change of the files, and nothing else', async (context) => {
  const { dataDir, store } = inUse(context)
  const lock = acquire(dataDir, AT)
  assert.ok(!isFault(lock))
  context.after(() => lock.release())
  const watch = new FileWatch(dataDir, fileIdOf(lockPath(dataDir)))
  const shown = () => watch.glance()
  /** Later than a tick of the system's clock. */
  const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))
  const changes = async (what: string, change: () => void): Promise<void> => {
    await tick()
    const before = shown()
    assert.notEqual(before, undefined, what)
    // Neither looking nor reading is a change.
    watch.fault(true, true)
    store.dataVersion()
    store.isSound(0)
    assert.equal(shown(), before, what)
    change()
    assert.notEqual(shown(), before, what)
  }
  await changes('a commit of another process', () => {
    const command = new Database(files(dataDir).store)
    command.exec('UPDATE state SET tries = tries + 1')
    command.close()
  })
  await changes('a commit of ours', () => store.tryWriting())
  for (const path of [files(dataDir).store, files(dataDir).log, files(dataDir).index, lockPath(dataDir)]) {
    await changes(`${path} is moved`, () => renameSync(path, `${path}.away`))
    const missing = shown()
    copyFileSync(`${path}.away`, path)
    assert.notEqual(shown(), missing, `${path} is replaced`)
    renameSync(`${path}.away`, path)
  }
  const { log, index } = files(dataDir)
  for (const path of [files(dataDir).store, log]) {
    const bytes = readFileSync(path)
    await changes(`${path} is written over`, () => writeFileSync(path, bytes, { flag: 'r+' }))
  }
  await changes('the log is longer', () => truncateSync(log, statSync(log).size + 1))
  const header = readFileSync(index)
  await changes('the index is written over', () => writeFileSync(index, header.fill(1, 8, 9), { flag: 'r+' }))
  store.abandon()
})

test('a log that another tool has emptied by a checkpoint is no damage, while it is open and after a kill', (context) => {
  const { dataDir, store, keyId } = inUse(context)
  const watch = new FileWatch(dataDir, undefined)
  assert.equal(watch.fault(true, true), undefined)
  const tool = new Database(files(dataDir).store)
  assert.deepEqual(tool.pragma('wal_checkpoint(TRUNCATE)'), [{ busy: 0, log: 0, checkpointed: 0 }])
  tool.close()
  assert.equal(statSync(files(dataDir).log).size, 0)
  assert.equal(watch.fault(true, true), undefined)
  assert.equal(isLogIntact(dataDir), true)
  // As a kill leaves them.
  const killed = newFolder()
  for (const which of ['store', 'log', 'index'] as const) copyFileSync(files(dataDir)[which], files(killed)[which])
  assert.equal(isRevoked(open(context, killed), keyId), true)
  store.tryWriting()
  assert.equal(watch.fault(true, true), undefined, 'the log is restarted')
  assert.equal(isLogIntact(dataDir), true)
  truncateSync(files(dataDir).log)
  assert.match(reasonOf(watch.fault(true, true)!), /-wal was truncated while the server runs/)
  store.abandon()
})

test('an older index of the log that is written over it is missed', (context) => {
  const { dataDir, store } = inUse(context)
  const watch = new FileWatch(dataDir, undefined)
  assert.equal(watch.fault(true, true), undefined)
  const bytes = readFileSync(files(dataDir).index)
  store.tryWriting()
  assert.equal(watch.fault(true, true), undefined)
  writeFileSync(files(dataDir).index, bytes, { flag: 'r+' })
  assert.match(reasonOf(watch.fault(true, true)!), /-shm was written over while the server runs/)
  store.abandon()
})

test('an index of another log than the one that is there is missed', (context) => {
  const { dataDir, store } = inUse(context)
  const watch = new FileWatch(dataDir, undefined)
  assert.equal(watch.fault(true, true), undefined)
  const bytes = readFileSync(files(dataDir).index)
  const tool = new Database(files(dataDir).store)
  tool.pragma('wal_checkpoint(RESTART)')
  tool.close()
  store.tryWriting()
  assert.equal(watch.fault(true, true), undefined)
  writeFileSync(files(dataDir).index, bytes, { flag: 'r+' })
  assert.match(reasonOf(watch.fault(true, true)!), /-(shm was written over|wal was truncated) while the server runs/)
  store.abandon()
})

test('an emptied log that is restarted has salts of its own, and that is no damage', (context) => {
  const { dataDir, store } = inUse(context)
  const watch = new FileWatch(dataDir, undefined)
  for (let round = 0; round < 20; round++) {
    assert.equal(watch.fault(true, true), undefined)
    const tool = new Database(files(dataDir).store)
    tool.pragma('wal_checkpoint(TRUNCATE)')
    tool.close()
    const command = new Database(files(dataDir).store)
    command.exec('UPDATE state SET tries = tries + 1')
    command.close()
    assert.equal(watch.fault(true, true), undefined, `round ${round}`)
    assert.equal(isLogIntact(dataDir), true)
  }
  store.abandon()
})

test('a loss is recorded on a full disk, and what cannot be read of it is a loss', (context) => {
  const { dataDir, store } = inUse(context)
  prepareLoss(dataDir, unknownLoss(files(dataDir).store, 'lost'))
  const path = join(dataDir, 'store-loss.json')
  // Nothing can be written under this name.
  mkdirSync(`${path}.new`)
  lose(dataDir, store)
  assert.equal(lossOf(dataDir)?.what, 'lost')
  for (const text of ['null', '{}', '5', '[]', '', '{"path":"', '{"path":"a","what":"b","remedy":"put back"}']) {
    writeFileSync(path, text)
    assert.match(lossOf(dataDir)!.what, /^damaged/, text)
  }
  forgetLoss(dataDir)
  mkdirSync(path)
  assert.match(lossOf(dataDir)!.what, /^damaged/)
  forgetLoss(dataDir)
  assert.equal(lossOf(dataDir), undefined)
  store.abandon()
})

/** What a server that has the store open writes down when it loses it. */
const lose = (dataDir: string, store: Store, remedy: FileFault['remedy'] = 'put back'): void =>
  recordLoss(dataDir, {
    path: files(dataDir).store,
    what: 'replaced',
    remedy,
    store: fileIdOf(files(dataDir).store)!,
    generation: store.state().generation,
    auditId: store.lastAuditId(),
  })

test('an older store in the place of the one that a server lost is opened only where that is accepted', (context) => {
  const { dataDir, store, keyId } = inUse(context)
  const older = newFolder()
  copyFileSync(files(dataDir).store, files(older).store)
  lose(dataDir, store)
  store.endUse('run')
  store.close()
  // What is put back is whole.
  const whole = open(context, dataDir)
  assert.equal(isRevoked(whole, keyId), true)
  assert.equal(lossOf(dataDir), undefined)
  lose(dataDir, whole)
  whole.close()
  const own = `${files(dataDir).store}.own`
  renameSync(files(dataDir).store, own)
  copyFileSync(files(older).store, files(dataDir).store)
  const replaced = /oddswire\.db was replaced while the last server had the store open.*--accept-store/
  for (const serves of [false, true]) refused(tryOpen(dataDir, { serves }), replaced)
  assert.equal(existsSync(files(dataDir).log), false, 'it was not even opened')
  renameSync(own, files(dataDir).store)
  assert.equal(isRevoked(open(context, dataDir, { serves: true }), keyId), true)
})

test('a store that was lost is accepted once, and by a server', (context) => {
  const { dataDir, store } = inUse(context)
  lose(dataDir, store, 'none')
  const { generation } = store.state()
  store.endUse('run')
  store.close()
  for (const serves of [false, true]) refused(tryOpen(dataDir, { serves }), /was replaced while the last server/)
  const command = open(context, dataDir, { accepts: true })
  assert.equal(command.state().suspectBecause, 'damaged')
  command.close()
  refused(tryOpen(dataDir, { serves: true }), /was replaced or damaged while a server had it open/)
  const accepted = open(context, dataDir, { serves: true, accepts: true })
  assert.equal(accepted.state().suspectBecause, null)
  assert.notEqual(accepted.state().generation, generation)
  accepted.close()
  open(context, dataDir, { serves: true })
})

test('content that is older than what a server lost is in doubt, though the file is the same', (context) => {
  const { dataDir, store } = inUse(context)
  const auditId = store.lastAuditId() + 1
  recordLoss(dataDir, {
    path: '',
    what: 'replaced',
    remedy: 'put back',
    store: fileIdOf(files(dataDir).store)!,
    generation: store.state().generation,
    auditId,
  })
  store.endUse('run')
  store.close()
  refused(tryOpen(dataDir, { serves: true }), /was replaced or damaged while a server had it open/)
})

test('a page that is damaged while no server runs is found at the start', (context) => {
  const { dataDir, store } = inUse(context)
  store.endUse('run')
  store.close()
  const file = openSync(files(dataDir).store, 'r+')
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, 5 * 4096)
  refused(tryOpen(dataDir, { serves: true }), /is damaged/)
})

test('files of earlier versions become private when they are opened', (context) => {
  const dataDir = newFolder()
  const store = tryOpen(dataDir)
  assert.ok(!isFault(store))
  store.close()
  chmodSync(files(dataDir).store, 0o644)
  open(context, dataDir)
  for (const path of [files(dataDir).store, files(dataDir).log]) assert.equal(statSync(path).mode & 0o777, 0o600)
})
