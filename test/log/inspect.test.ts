import assert from 'node:assert/strict'
import { appendFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { DISK } from '../../src/log/disk.ts'
import { checkLog, type DumpedTurn, dumpLog, type LogCheck, statLog } from '../../src/log/inspect.ts'
import { JsonDecoder, JsonEncoder, turnOf } from './json-turns.ts'
import { appendTo, filesOf, MemoryWitness, newFolder, open, readAll, writeCheckpoint } from './log-folder.ts'

const newDecoder = (): JsonDecoder => new JsonDecoder()

const check = (folder: string): Promise<LogCheck> =>
  checkLog(DISK, folder, newDecoder, async (path) => (path.includes('12') ? undefined : 'it is not one'))

const dump = async (folder: string, from: number): Promise<DumpedTurn[]> => {
  const turns: DumpedTurn[] = []
  for await (const turn of dumpLog(DISK, folder, newDecoder, from)) turns.push(turn)
  return turns
}

test('stat, check and dump of a log, while it is written and after it was closed', async () => {
  const folder = newFolder()
  const witness = new MemoryWitness()
  const { log } = await open({ folder, witness, encoder: new JsonEncoder(10) })
  await appendTo(log, 25)
  writeCheckpoint(folder, (await readAll(log, 1)).slice(0, 12))
  const stat = await statLog(DISK, folder)
  assert.deepEqual(
    stat.segments.map(({ header, last, isClosed }) => [header.first, last, isClosed]),
    [
      [1, 10, true],
      [11, 20, true],
      [21, 25, false],
    ],
  )
  assert.deepEqual(stat.epochs, [log.epoch])
  assert.deepEqual(stat.turns, 25)
  assert.deepEqual(
    stat.checkpoints.map(({ turn }) => turn),
    [12],
  )
  assert.equal(stat.bytes, log.bytesOnDisk + stat.checkpoints[0]!.bytes)
  const last = filesOf(folder).at(-1)!
  // As if the server were writing it.
  appendFileSync(last, Buffer.from([40, 0, 0, 0, 26, 0, 0]))
  const { faults, notes, ...counts } = await check(folder)
  assert.deepEqual(faults, [])
  assert.equal(notes.length, 1)
  assert.match(notes[0]!, /0021\.seg at offset \d+: the last record is being written, or was interrupted$/)
  assert.deepEqual(counts, { files: 4, turns: 25, bytes: stat.bytes + 7 })
  const dumped = await dump(folder, 18)
  assert.deepEqual(
    dumped,
    Array.from({ length: 8 }, (_, place) => ({
      number: place + 18,
      turn: turnOf(place + 18),
      file: basename(filesOf(folder)[place < 3 ? 1 : 2]!),
    })),
  )
  assert.equal((await dump(folder, 0)).length, 25)
  assert.deepEqual(await dump(folder, 26), [])
  await log.close()
  assert.equal((await statLog(DISK, folder)).segments.at(-1)!.isClosed, true)
})

test('check names checkpoints that cannot be used, and turns that are missing', async () => {
  const folder = newFolder()
  const { log } = await open({ folder, encoder: new JsonEncoder(10) })
  await appendTo(log, 30)
  const checkpoint = writeCheckpoint(folder, (await readAll(log, 1)).slice(0, 8))
  await log.close()
  assert.deepEqual(
    (await check(folder)).faults.map(({ file, what }) => [file, what]),
    [[checkpoint, 'it is not one']],
  )
  rmSync(checkpoint)
  const [first, second] = filesOf(folder)
  rmSync(second!)
  assert.match((await check(folder)).faults[0]!.message, /0001\.seg at offset \d+: turns 11 to 20 are missing: /)
  rmSync(first!)
  assert.match(
    (await check(folder)).faults[0]!.message,
    /0021\.seg: turns 1 to 20 are in no checkpoint and no segment: /,
  )
})

test('an empty folder', async () => {
  const folder = newFolder()
  assert.deepEqual((await statLog(DISK, folder)).segments, [])
  assert.deepEqual((await check(folder)).faults, [])
  assert.deepEqual(await dump(folder, 1), [])
})
