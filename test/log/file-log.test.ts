import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { LogFault } from '../../src/log/log-fault.ts'
import type { FsyncMode } from '../../src/log/segment-writer.ts'
import { DISK, type Disk } from '../../src/log/disk.ts'
import { elapsedMs } from '../../src/clock.ts'
import { LIMITS } from '../../src/limits.ts'
import { AT, JsonEncoder, turnOf } from './json-turns.ts'
import {
  abandon,
  appendTo,
  checkTurns,
  filesOf,
  MemoryWitness,
  newFolder,
  open,
  readAll,
  tryOpen,
  until,
  writeCheckpoint,
} from './log-folder.ts'

const HOUR_MS = 3_600_000

for (const fsync of ['always', 'interval', 'off'] as const satisfies FsyncMode[]) {
  test(`turns are written in order, and are there again (${fsync})`, async () => {
    const folder = newFolder()
    const witness = new MemoryWitness()
    const first = await open({ folder, witness, fsync })
    assert.equal(first.newEpoch, 'the log is new')
    assert.deepEqual(witness.value, { epoch: first.log.epoch, position: 0 })
    const written: number[] = []
    for (let number = 1; number <= 100; number++) {
      first.log.append(turnOf(number), () => written.push(number))
      assert.deepEqual(written, [], 'nothing is reported written before it is')
    }
    await until('all are written', () => written.length === 100)
    assert.deepEqual(
      written,
      Array.from({ length: 100 }, (_, place) => place + 1),
    )
    assert.deepEqual(
      await readAll(first.log, 90),
      Array.from({ length: 11 }, (_, place) => turnOf(90 + place)),
    )
    await abandon(first.log)
    for (let round = 1; round <= 3; round++) {
      const next = await open({ folder, witness, fsync })
      assert.equal(next.newEpoch, undefined)
      assert.equal(next.log.epoch, first.log.epoch)
      assert.equal(next.turns.length, 99 + round)
      checkTurns(next.turns)
      await appendTo(next.log, 100 + round)
      assert.equal((await readAll(next.log, 1)).length, 100 + round)
      if (round === 1) assert.equal(await next.log.close(), true)
      else await abandon(next.log)
    }
  })
}

test('what waits is written together, and buffers are used again', async () => {
  const { log } = await open({ folder: newFolder(), fsync: 'always' })
  await until('the segment exists', () => log.counters.writes === 1)
  for (let round = 0; round < 20; round++) {
    await appendTo(log, log.position + 50)
  }
  const { writes, appends } = log.counters
  assert.equal(appends, 1_000)
  assert.ok(writes <= 1 + 20 * 2, `${writes} writes`)
  checkTurns(await readAll(log, 1))
  await log.close()
})

for (const fsync of ['interval', 'off'] as const) {
  test(`a turn is written within the call, unless the disk is slow (${fsync})`, async () => {
    let isSlow = false
    let ended: () => void = () => {}
    const quick = {
      idle: undefined as Promise<void> | undefined,
      close: () => {},
      write: (fd: number, bytes: Uint8Array, from: number): number | undefined => {
        if (!isSlow) return DISK.writeSync(fd, bytes, 0, bytes.length, from)
        const copy = Buffer.from(bytes)
        quick.idle = new Promise((resolve) => {
          ended = () => {
            DISK.writeSync(fd, copy, 0, copy.length, from)
            quick.idle = undefined
            resolve()
          }
        })
        return undefined
      },
    }
    const { log } = await open({ folder: newFolder(), fsync, fsyncEveryMs: 1e6, disk: { ...DISK, quick } })
    await appendTo(log, 1)
    for (let n = 0; n < 100; n++) {
      log.append(turnOf(log.position + 1), () => undefined)
      assert.equal(log.written, log.position)
    }
    assert(log.counters.writes > 90)
    isSlow = true
    for (let n = 0; n < 10; n++) log.append(turnOf(log.position + 1), () => undefined)
    // Nothing else is written while a write is under way.
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(log.written, log.position - 10)
    ended()
    await until('it is written', () => log.written === log.position)
    checkTurns(await readAll(log, 1))
    await log.close()
  })
}

test('turns are written within the call beside a sync that takes long, until that is trouble', async () => {
  const waiting: (() => void)[] = []
  let isHeld = false
  const disk: Disk = {
    ...DISK,
    fdatasync: ((fd: number, done: (error: Error | null) => void) => {
      if (isHeld) waiting.push(() => DISK.fdatasync(fd, done))
      else DISK.fdatasync(fd, done)
    }) as typeof DISK.fdatasync,
    quick: {
      idle: undefined,
      close: () => {},
      write: (fd, bytes, from) => DISK.writeSync(fd, bytes, 0, bytes.length, from),
    },
  }
  const { log } = await open({ folder: newFolder(), fsync: 'interval', fsyncEveryMs: 1, slowMsMax: 200, disk })
  await appendTo(log, 1)
  isHeld = true
  log.append(turnOf(2), () => undefined)
  await until('a sync is under way', () => waiting.length > 0)
  const beganMs = elapsedMs()
  await until('it takes long', () => elapsedMs() - beganMs > 5 * LIMITS.logNowMsMax)
  for (let n = 0; n < 10; n++) {
    log.append(turnOf(log.position + 1), () => undefined)
    assert.equal(log.written, log.position)
  }
  await until('it is trouble', () => log.trouble !== undefined)
  log.append(turnOf(log.position + 1), () => undefined)
  assert.equal(log.written, log.position - 1)
  isHeld = false
  for (const go of waiting) go()
  await until('all is written', () => log.written === log.position && log.trouble === undefined)
  checkTurns(await readAll(log, 1))
  await log.close()
})

test('segments end with the hour of turns, with the encoder, with their size, and for a checkpoint', async () => {
  const folder = newFolder()
  const { log } = await open({ folder, encoder: new JsonEncoder(10), segmentBytesMax: 2_000 })
  const firsts = (): number[] => filesOf(folder).map((path) => Number(path.slice(-20, -4)))
  await appendTo(log, 20)
  await appendTo(log, 25)
  assert.deepEqual(firsts(), [1, 11, 21])
  assert.equal(log.rotate(), 25)
  assert.equal(log.rotate(), 25)
  await appendTo(log, 26)
  assert.deepEqual(firsts(), [1, 11, 21, 26])
  const next = { ...turnOf(27), at: AT + HOUR_MS }
  log.append(next, () => undefined)
  log.append({ ...turnOf(28), at: AT + HOUR_MS + 1 }, () => undefined)
  await until('it is written', () => log.written === 28)
  assert.deepEqual(firsts(), [1, 11, 21, 26, 27])
  log.append(turnOf(29, 3_000), () => undefined)
  log.append(turnOf(30), () => undefined)
  await until('it is written', () => log.written === 30)
  assert.deepEqual(firsts(), [1, 11, 21, 26, 27, 29, 30])
  assert.equal((await readAll(log, 27))[0]!.at, AT + HOUR_MS)
  assert.equal((await readAll(log, 31)).length, 0)
  await log.close()
  const again = await open({
    folder,
    witness: { read: () => ({ epoch: log.epoch, position: 30 }), write: () => undefined },
  })
  assert.equal(again.newEpoch, undefined)
  assert.equal(again.turns.length, 30)
  await again.log.close()
})

test('segments that follow each other quickly are synced, and closed, in order', async () => {
  const { log } = await open({ folder: newFolder(), encoder: new JsonEncoder(3), fsyncEveryMs: 0 })
  for (let round = 0; round < 200; round++) await appendTo(log, log.position + 1 + (round % 5))
  checkTurns(await readAll(log, 1))
  assert.equal(await log.close(), true)
  const { syncFaults, faults, syncs } = log.counters
  assert.deepEqual({ syncFaults, faults }, { syncFaults: 0, faults: 0 })
  assert.ok(syncs > 100)
})

test('a turn that does not fit changes nothing', async () => {
  const folder = newFolder()
  const witness = new MemoryWitness()
  const { log } = await open({ folder, witness })
  await appendTo(log, 3)
  assert.throws(() => log.append(turnOf(4, 33 * 2 ** 20), () => undefined), /does not fit a record/)
  assert.equal(log.position, 3)
  await appendTo(log, 5)
  assert.equal(await log.close(), true)
  assert.throws(() => log.append(turnOf(6), () => undefined), /closed/)
  const again = await open({ folder, witness })
  assert.equal(again.turns.length, 5)
  checkTurns(again.turns)
})

test('it is full at its bound of turns and of octets, and says when there is room', async () => {
  for (const bound of [{ unsafeTurnsMax: 10 }, { unsafeBytesMax: 10 * 120 }]) {
    const { log } = await open({ folder: newFolder(), ...bound })
    let rooms = 0
    log.onRoom(() => rooms++)
    while (!log.isFull) log.append(turnOf(log.position + 1), () => undefined)
    assert.ok(log.position === 10 || bound.unsafeTurnsMax === undefined, `full at ${log.position}`)
    assert.ok(log.position >= 8 && log.position <= 12)
    await until('there is room', () => rooms === 1)
    assert.equal(log.isFull, false)
    for (let count = 0; count < 7; count++) log.append(turnOf(log.position + 1), () => undefined)
    assert.equal(log.isFull, false)
    await log.close()
    assert.equal(rooms, 1)
  }
})

test('a newer format is refused with one line, and nothing is changed', async () => {
  const folder = newFolder()
  const { log } = await open({ folder })
  await appendTo(log, 3)
  await log.close()
  const { writeFileSync } = await import('node:fs')
  const { crc32 } = await import('node:zlib')
  const [path] = filesOf(folder)
  const bytes = readFileSync(path!)
  const end = 16 + bytes.readUInt32LE(12)
  bytes.writeUInt32LE(2, 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end)
  writeFileSync(path!, bytes)
  const fault = await tryOpen({ folder })
  assert.ok(fault instanceof LogFault)
  assert.equal(
    fault.message,
    `${path}: it has format 2, and this version of oddswire reads formats up to 1: ` +
      'start the version that has written it, or move the folder of the log away',
  )
  assert.deepEqual(filesOf(folder, ''), [path])
})

test('a checkpoint and the turns after it; a damaged one is replaced by the one before', async () => {
  const folder = newFolder()
  const witness = new MemoryWitness()
  const first = await open({ folder, witness })
  await appendTo(first.log, 10)
  writeCheckpoint(folder, await readAll(first.log, 1))
  first.log.rotate()
  await appendTo(first.log, 20)
  const newest = writeCheckpoint(folder, await readAll(first.log, 1))
  await appendTo(first.log, 25)
  await abandon(first.log)
  const second = await open({ folder, witness })
  assert.equal(second.checkpoint, 20)
  checkTurns(second.turns)
  assert.equal(second.turns.length, 25)
  await abandon(second.log)
  const { truncateSync } = await import('node:fs')
  truncateSync(newest, 100)
  const third = await open({ folder, witness })
  assert.equal(third.checkpoint, 10)
  assert.equal(third.newEpoch, undefined)
  assert.equal(third.turns.length, 25)
  checkTurns(third.turns)
  assert.deepEqual(
    third.faults.map(({ file }) => file),
    [newest],
  )
  assert.deepEqual(filesOf(`${folder}/damaged-files`, '').length, 1)
  await third.log.close()
})

test('other rules begin an epoch, unless all turns are in a checkpoint', async () => {
  const folder = newFolder()
  const witness = new MemoryWitness()
  const first = await open({ folder, witness })
  await appendTo(first.log, 10)
  writeCheckpoint(folder, await readAll(first.log, 1))
  await first.log.close()
  const second = await open({ folder, witness, rules: 'rules 2' })
  assert.equal(second.newEpoch, undefined)
  assert.equal(second.rulesChanged, false)
  await appendTo(second.log, 12)
  await abandon(second.log)
  const third = await open({ folder, witness, rules: 'rules 3' })
  assert.equal(third.rulesChanged, true)
  assert.match(third.newEpoch ?? '', /by other rules$/)
  assert.equal(third.turns.length, 12)
  assert.ok(third.log.epoch > first.log.epoch)
  await third.log.close()
})

test('turns are trimmed by segment, and what a restart needs is kept', async () => {
  const folder = newFolder()
  const { log } = await open({ folder, encoder: new JsonEncoder(10) })
  await appendTo(log, 45)
  const segments = (): number => filesOf(folder).length
  log.trim(45)
  await readAll(log, 1)
  assert.equal(segments(), 5, 'there is no checkpoint')
  writeCheckpoint(folder, (await readAll(log, 1)).slice(0, 35))
  log.trim(21)
  await until('two are deleted', () => segments() === 3)
  log.trim(45)
  await until('one is deleted', () => segments() === 2)
  await assert.rejects(readAll(log, 30), /turn 30 is not kept any more: read from 31 on/)
  assert.equal((await readAll(log, 31)).length, 15)
  await log.close()
})

test('retention keeps two checkpoints and the newest turns, then less as the bound of octets demands', async () => {
  const folder = newFolder()
  const witness = new MemoryWitness()
  const { log } = await open({ folder, witness, encoder: new JsonEncoder(10) })
  await appendTo(log, 100)
  const turns = await readAll(log, 1)
  for (const last of [20, 40, 60]) writeCheckpoint(folder, turns.slice(0, last))
  const [small, middle, large] = filesOf(folder, '.ckpt').map((path) => statSync(path).size)
  const numbers = (ending: string): number[] =>
    filesOf(folder, ending).map((path) => Number(path.slice(-ending.length - 16, -ending.length)))
  const everything = log.bytesOnDisk
  assert.equal(
    everything,
    filesOf(folder).reduce((sum, path) => sum + statSync(path).size, 0),
  )
  // Readers need all.
  assert.deepEqual(await log.retain({ bytesMax: 1e9, keepFromAt: 0 }), {
    bytes: everything + middle! + large!,
    checkpointBytes: middle! + large!,
    isOver: false,
  })
  assert.ok(small! > 0)
  assert.deepEqual(numbers('.ckpt'), [40, 60])
  assert.equal(numbers('.seg').length, 10)
  // Readers need those from 25 on; the older checkpoint those from 41 on.
  await log.retain({ bytesMax: 1e9, keepFromAt: AT + 25 })
  assert.deepEqual(numbers('.seg'), [21, 31, 41, 51, 61, 71, 81, 91])
  // One octet too much.
  await log.retain({ bytesMax: log.bytesOnDisk, keepFromAt: AT + 25 })
  assert.equal(numbers('.seg').length, 8)
  await log.retain({ bytesMax: log.bytesOnDisk - 1, keepFromAt: AT + 25 })
  assert.deepEqual(numbers('.seg'), [31, 41, 51, 61, 71, 81, 91])
  // The older checkpoint leaves with the segments that follow it.
  const kept = await log.retain({ bytesMax: 1, keepFromAt: 0 })
  assert.equal(kept.isOver, true)
  assert.deepEqual(numbers('.ckpt'), [60])
  assert.deepEqual(numbers('.seg'), [61, 71, 81, 91])
  assert.equal(log.bytesOnDisk, kept.bytes)
  await log.close()
  const again = await open({ folder, witness })
  assert.equal(again.newEpoch, undefined)
  assert.deepEqual(again.turns, turns)
  await again.log.close()
})

test('the first segment of a process is durable in every mode, the others as the mode says', async () => {
  // If a power failure loses the turns that follow a log that was closed, its name shows that there were some.
  for (const fsync of ['off', 'interval'] as const) {
    const folder = newFolder()
    const { log } = await open({ folder, fsync, fsyncEveryMs: 100_000 })
    await appendTo(log, 1)
    assert.equal(log.counters.syncs, 1, fsync)
    await log.close()
  }
})

test('a write that is tried again has the same octets', async () => {
  // Otherwise a process that ends in the middle of it leaves a mixture, which looks like damage.
  const folder = newFolder()
  const tries: Buffer[] = []
  let isFull = false
  const disk: Disk = {
    ...DISK,
    writev: ((
      fd: number,
      buffers: readonly Uint8Array[],
      position: number,
      done: (error: Error | null, n?: number) => void,
    ) => {
      if (!isFull) return DISK.writev(fd, buffers, position, done)
      tries.push(Buffer.concat(buffers))
      setImmediate(() => done(Object.assign(new Error('full'), { code: 'ENOSPC' })))
    }) as typeof DISK.writev,
    quick: {
      idle: undefined,
      close: () => {},
      write: (fd, bytes, from) => (isFull ? -1 : DISK.writeSync(fd, bytes, 0, bytes.length, from)),
    },
  }
  const { log } = await open({ folder, disk })
  await appendTo(log, 1)
  // Until the time is to be noted again.
  const beganMs = elapsedMs()
  await until('a mark is due', () => elapsedMs() - beganMs > LIMITS.logMarkMs)
  isFull = true
  log.append(turnOf(2), () => undefined)
  await until('it was tried three times', () => tries.length >= 3)
  for (const each of tries) assert.deepEqual(each, tries[0])
  isFull = false
  await until('it is written', () => log.written === 2)
  await log.close()
})

test('a log that is closed takes no turn, and says so', async () => {
  const { log } = await open({ folder: newFolder() })
  await appendTo(log, 3)
  await log.close()
  assert(log.isFull)
})
