// Disks that are full, fail, lie about syncs, or do not answer: nothing is reported written that is not, and the log
// recovers without a restart.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DISK, type Disk, type DiskError, type QuickWrite } from '../../src/log/disk.ts'
import type { FileLog } from '../../src/log/file-log.ts'
import { Random, SEED } from '../random.ts'
import { JsonEncoder, turnOf } from './json-turns.ts'
import { abandon, appendTo, checkTurns, filesOf, MemoryWitness, newFolder, open, readAll, until } from './log-folder.ts'

type Operation = 'open' | 'writev' | 'fdatasync' | 'fsync' | 'rename'

/** The real disk, in which operations fail or wait as a test demands. */
const faultyDisk = (before: (operation: Operation, go: (code?: string) => void) => void): Disk => {
  const wrap =
    (operation: Operation) =>
    (...args: unknown[]): void => {
      const done = args.at(-1) as (error: DiskError | null) => void
      before(operation, (code) => {
        if (code === undefined) (DISK[operation] as (...all: unknown[]) => void)(...args)
        else {
          const error: DiskError = Object.assign(new Error(`${code}: injected`), { code, syscall: operation })
          setImmediate(() => done(error))
        }
      })
    }
  const operations = ['open', 'writev', 'fdatasync', 'fsync', 'rename'] as const
  const quick: QuickWrite = {
    idle: undefined,
    close: () => {},
    write: (fd, bytes, from) => {
      let written = -1
      before('writev', (code) => {
        if (code === undefined) written = DISK.writeSync(fd, bytes, 0, bytes.length, from)
      })
      return written
    },
  }
  const wrapped = Object.fromEntries(operations.map((operation) => [operation, wrap(operation)]))
  return { ...DISK, ...wrapped, quick } as Disk
}

/** Appends a turn, and says whether it was reported written. */
const appendOne = (log: FileLog): { isWritten: boolean } => {
  const result = { isWritten: false }
  log.append(turnOf(log.position + 1), () => (result.isWritten = true))
  return result
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

for (const fsync of ['always', 'interval', 'off'] as const) {
  for (const [operation, code, said] of [
    ['writev', 'ENOSPC', /^the log cannot be written \(ENOSPC at writev of \S+\.seg\): the disk is full: free space/],
    ['writev', 'EIO', /^the log cannot be written \(EIO at \w+ of \S+\): check the disk \(dmesg\): EIO: injected/],
  ] as const) {
    test(`${code} at ${operation} (${fsync})`, async () => {
      const folder = newFolder()
      const witness = new MemoryWitness()
      let fails = false
      const disk = faultyDisk((each, go) => go(fails && each === operation ? code : undefined))
      const { log } = await open({ folder, witness, fsync, disk })
      const told: (string | undefined)[] = []
      log.onTrouble((trouble) => told.push(trouble))
      await appendTo(log, 5)
      fails = true
      const result = appendOne(log)
      await until('there is trouble', () => log.trouble !== undefined)
      assert.match(log.trouble!, said)
      appendOne(log)
      await until('it was tried again', () => log.counters.faults >= 3)
      assert.equal(result.isWritten, false)
      assert.equal(log.written, 5)
      fails = false
      await until('it is written', () => log.written === 7)
      assert.ok(result.isWritten)
      assert.equal(log.trouble, undefined)
      assert.equal(told.at(-1), undefined)
      checkTurns(await readAll(log, 1))
      await abandon(log)
      const again = await open({ folder, witness })
      assert.equal(again.newEpoch, undefined)
      assert.equal(again.turns.length, 7)
      checkTurns(again.turns)
      await again.log.close()
    })
  }
}

for (const fsync of ['always', 'interval'] as const) {
  test(`after a failed sync all that was not synced is written to another file (${fsync})`, async () => {
    const folder = newFolder()
    const witness = new MemoryWitness()
    let failures = 0
    const disk = faultyDisk((operation, go) => go(operation === 'fdatasync' && failures-- > 0 ? 'EIO' : undefined))
    const { log } = await open({ folder, witness, fsync, disk, fsyncEveryMs: 1 })
    await appendTo(log, 5)
    await until('it is synced', () => fsync === 'always' || log.counters.syncs > 0)
    await later(20)
    const before = filesOf(folder).length
    failures = 3
    const result = appendOne(log)
    await until('the sync has failed', () => log.counters.syncFaults > 0)
    if (fsync === 'always') assert.equal(result.isWritten, false)
    await until('there is another file', () => filesOf(folder).length > before)
    await until('it is written', () => log.written === 6 && log.trouble === undefined)
    assert.ok(result.isWritten)
    // The first file is never used again.
    assert.match(filesOf(folder).at(-1)!, /0006\.seg$/)
    await appendTo(log, 10)
    checkTurns(await readAll(log, 1))
    assert.equal((await readAll(log, 1)).length, 10)
    await abandon(log)
    // Whatever has become of its pages.
    const again = await open({ folder, witness })
    assert.equal(again.newEpoch, undefined)
    checkTurns(again.turns)
    assert.equal(again.turns.length, 10)
    await again.log.close()
  })
}

test('a write that does not return is reported, and is over when it returns', async () => {
  let release: (() => void) | undefined
  let holds = false
  const disk = faultyDisk((operation, go) => {
    if (holds && operation === 'writev') release = () => go()
    else go()
  })
  const { log } = await open({ folder: newFolder(), disk, slowMsMax: 50, fsync: 'off' })
  await appendTo(log, 1)
  holds = true
  const result = appendOne(log)
  await until('it is reported', () => log.trouble !== undefined)
  assert.match(log.trouble!, /^the disk of the log has not finished a write of \S+\.seg within 50 ms: check it/)
  assert.equal(result.isWritten, false)
  holds = false
  release!()
  await until('it is over', () => result.isWritten && log.trouble === undefined)
  await log.close()
})

test('a sync in the background that does not return is reported; what may be unsafe is bounded', async () => {
  let release: (() => void) | undefined
  let holds = false
  const disk = faultyDisk((operation, go) => {
    if (holds && operation === 'fdatasync') release = () => go()
    else go()
  })
  const { log } = await open({ folder: newFolder(), disk, slowMsMax: 50, unsafeTurnsMax: 20, fsyncEveryMs: 1 })
  await appendTo(log, 1)
  holds = true
  await until('it is full', () => {
    if (!log.isFull) appendOne(log)
    return log.isFull && log.trouble !== undefined
  })
  assert.match(log.trouble!, /has not finished a fdatasync of/)
  await until('all is written', () => log.written === log.position)
  assert.ok(log.isFull, 'written, but not safe')
  holds = false
  release!()
  await until('there is room', () => !log.isFull && log.trouble === undefined)
  await log.close()
})

test('a random disk: every turn is there, once, in order', async () => {
  const random = new Random(SEED)
  for (const fsync of ['always', 'interval', 'off'] as const) {
    const folder = newFolder()
    const witness = new MemoryWitness()
    let share = 0.3
    const disk = faultyDisk((operation, go) => {
      if (random.chance(share) && operation !== 'open') go(['ENOSPC', 'EIO', 'EDQUOT'][random.int(0, 2)])
      else if (random.chance(0.2)) setTimeout(go, random.int(0, 10))
      else go()
    })
    share = 0
    const { log } = await open({ folder, witness, fsync, disk, fsyncEveryMs: 1, encoder: new JsonEncoder(9) })
    share = 0.3
    const written: number[] = []
    for (let number = 1; number <= 200; number++) {
      log.append(turnOf(number), () => written.push(number))
      if (random.chance(0.3)) await later(random.int(0, 3))
      if (number % 50 === 0) share = 0.3 - share
    }
    share = 0
    await until(`all is written (seed ${SEED})`, () => written.length === 200)
    assert.deepEqual(
      written,
      Array.from({ length: 200 }, (_, place) => place + 1),
    )
    checkTurns(await readAll(log, 1))
    await abandon(log)
    const again = await open({ folder, witness })
    assert.equal(again.newEpoch, undefined, `seed ${SEED}, ${fsync}`)
    assert.equal(again.turns.length, 200)
    checkTurns(again.turns)
    await again.log.close()
  }
})

test('a full disk: nothing is reported written, until there is space', async (context) => {
  const folder = newFolder()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', folder])
  if (mounted.status !== 0) return context.skip('needs the right to mount a tmpfs')
  context.after(() => spawnSync('umount', ['-l', folder]))
  for (const fsync of ['always', 'interval', 'off'] as const) {
    const log = join(folder, `log-${fsync}`)
    const witness = new MemoryWitness()
    const opened = await open({ folder: log, witness, fsync, encoder: new JsonEncoder(50) })
    await appendTo(opened.log, 20, 1_000)
    const ballast = join(folder, 'ballast')
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(ballast, Buffer.alloc(bavail * bsize))
    let written = 0
    for (let count = 0; count < 60; count++) {
      opened.log.append(turnOf(opened.log.position + 1, 1_000), () => written++)
      await later(1)
    }
    await until('there is trouble', () => opened.log.trouble !== undefined)
    assert.match(opened.log.trouble!, /ENOSPC .*: the disk is full: free space on it; it is tried again$/)
    const before = written
    assert.ok(before < 60)
    await until('it was tried again', () => opened.log.counters.faults >= 3)
    assert.equal(written, before)
    rmSync(ballast)
    await until('it is written', () => written === 60 && opened.log.trouble === undefined)
    await abandon(opened.log)
    const again = await open({ folder: log, witness, fsync })
    assert.equal(again.newEpoch, undefined)
    assert.equal(again.turns.length, 80)
    checkTurns(again.turns, 1_000)
    await again.log.close()
    rmSync(log, { recursive: true })
  }
})

test('a disk that is full when the log is closed', async () => {
  let fails = false
  const disk = faultyDisk((operation, go) => go(fails && operation === 'writev' ? 'ENOSPC' : undefined))
  const folder = newFolder()
  const witness = new MemoryWitness()
  const { log } = await open({ folder, witness, disk })
  await appendTo(log, 3)
  fails = true
  assert.equal(await log.close(), false)
  const again = await open({ folder, witness })
  assert.equal(again.turns.length, 3)
  await again.log.close()
})

test('a pause of the process is not held against the disk', async () => {
  const stopped = new Int32Array(new SharedArrayBuffer(4))
  let pauses = 0
  // As SIGSTOP does, between the beginning of a sync and its end: the disk works on.
  const disk = faultyDisk((operation, go) => {
    go()
    if (operation !== 'fdatasync' || pauses === 3) return
    pauses++
    Atomics.wait(stopped, 0, 0, 1_000)
  })
  const { log } = await open({ folder: newFolder(), disk, slowMsMax: 200, fsync: 'interval', fsyncEveryMs: 1 })
  const told: (string | undefined)[] = []
  log.onTrouble((trouble) => told.push(trouble))
  await until('it was stopped', () => {
    if (log.written === log.position) appendOne(log)
    return pauses === 3
  })
  assert.ok(await log.close())
  assert.deepEqual(told, [])
})
