// Parts of a checkpoint that a thread reads are the same as without it, and so is what is said of a damaged one.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { partsOf } from '../../src/command/log-recovery.ts'
import { memoryOf } from '../../src/domain/memory.ts'
import { CheckpointReader, CheckpointWriter } from '../../src/log/checkpoint.ts'
import { DISK, type ReadDisk } from '../../src/log/disk.ts'
import { PartReader } from '../../src/log/part-reader.ts'
import { SeededRandom } from '../../src/source/simulator/random.ts'

const COLUMNS = 4

const load = async (path: string, disk: ReadDisk, room: number): Promise<Float64Array[] | string> => {
  const columns = Array.from({ length: COLUMNS }, () => new Float64Array(memoryOf(8 * room)))
  const reader = new CheckpointReader(path, disk)
  try {
    for (const [n, column] of columns.entries()) {
      if (n % 2 === 0) reader.fill(`column ${n}`, column)
      else assert.equal(reader.derived(`column ${n}`, column), true)
    }
    reader.end()
  } catch (error) {
    await reader.finish().catch(() => {})
    return (error as Error).message
  }
  return reader.finish().then(
    () => columns,
    (error: Error) => error.message,
  )
}

test('a thread reads what the event loop reads, of whole checkpoints and of damaged ones', async () => {
  const seed = Date.now() % 2 ** 31
  const random = new SeededRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-'))
  const parts = new PartReader()
  try {
    for (let round = 0; round < 12; round++) {
      const path = join(folder, `${round}.ckpt`)
      // Some of them below the size from which on parts are filled, and memory is shared.
      const room = 100_000 + Math.floor(random.next() * 400_000)
      const writer = new CheckpointWriter(path, { round })
      for (let n = 0; n < COLUMNS; n++) {
        const column = Float64Array.from({ length: room }, () => random.next())
        if (n % 2 === 0) writer.column(`column ${n}`, column.subarray(0, room - Math.floor(random.next() * 1_000)))
        else writer.derived(`column ${n}`, column)
      }
      writer.finish()
      if (round % 2 === 1) {
        const octets = readFileSync(path)
        const place = Math.floor(random.next() * octets.length)
        octets[place]! ^= 1 << Math.floor(random.next() * 8)
        writeFileSync(path, round % 4 === 1 ? octets : octets.subarray(0, place))
      }
      const plain = await load(path, { ...DISK, read: undefined }, room).catch(String)
      const byThread = await load(path, { ...DISK, parts }, room).catch(String)
      assert.equal(typeof plain, round % 2 === 1 ? 'string' : 'object', `seed ${seed}, round ${round}`)
      assert.deepEqual(byThread, plain, `seed ${seed}, round ${round}`)
    }
    parts.close()
    const path = join(folder, '0.ckpt')
    assert.equal(typeof (await load(path, { ...DISK, parts }, 500_000).catch(String)), 'string', 'of other lengths')
  } finally {
    parts.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('without the thread the same is read all the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-'))
  const parts = new PartReader()
  parts.close()
  try {
    const path = join(folder, 'a.ckpt')
    const writer = new CheckpointWriter(path, {})
    const column = Float64Array.from({ length: 200_000 }, (_, n) => n)
    for (let n = 0; n < COLUMNS; n++) {
      if (n % 2 === 0) writer.column(`column ${n}`, column)
      else writer.derived(`column ${n}`, column)
    }
    writer.finish()
    assert.deepEqual(await load(path, { ...DISK, parts }, column.length), [column, column, column, column])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a start reads its checkpoint from the disk that has the thread', async () => {
  const { disk, newState } = partsOf({
    ...{ dataDir: tmpdir(), fsync: 'always', fsyncEveryMs: 1_000, warmUp: false },
    ...{ quotesMax: 1_000, eventsMax: 100, labelsMax: 100, bookmakerShare: 1 },
  })
  assert(disk.parts !== undefined)
  disk.parts.close()
  const asked = new Error('it was asked')
  const state = newState(0, {
    ...disk,
    openSync: () => {
      throw asked
    },
  })
  await assert.rejects(state.load('a checkpoint', 1), asked)
})
