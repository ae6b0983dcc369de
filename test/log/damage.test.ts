// Truncated and damaged files: never a wrong turn, the good ones are served, and the fault names file and offset.

import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { DISK } from '../../src/log/disk.ts'
import { checkLog } from '../../src/log/inspect.ts'
import { Random, SEED } from '../random.ts'
import { JsonDecoder, JsonEncoder, turnOf } from './json-turns.ts'
import {
  abandon,
  appendTo,
  checkTurns,
  filesOf,
  MemoryWitness,
  newFolder,
  open,
  type Opened,
  readAll,
  writeCheckpoint,
} from './log-folder.ts'

/** Where each record of a segment begins, the end included. */
const recordsOf = (path: string): number[] => {
  const bytes = readFileSync(path)
  const offsets = [20 + bytes.readUInt32LE(12)]
  while (offsets.at(-1)! < bytes.length) {
    offsets.push(offsets.at(-1)! + 16 + (bytes.readUInt32LE(offsets.at(-1)!) & 0x7fff_ffff))
  }
  assert.equal(offsets.at(-1), bytes.length)
  return offsets
}

/** Some thousand logs: in memory, where there is such a file system. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

interface Made {
  readonly folder: string
  readonly witness: MemoryWitness
  readonly epoch: string
  readonly paths: readonly string[]
}

/** A log that was killed, or closed, with some segments. */
const make = async (last: number, perSegment: number, isClosed = false): Promise<Made> => {
  const folder = newFolder(MEMORY)
  const witness = new MemoryWitness()
  const { log } = await open({ folder, witness, encoder: new JsonEncoder(perSegment) })
  await appendTo(log, last)
  if (isClosed) await log.close()
  else await abandon(log)
  return { folder, witness, epoch: log.epoch, paths: filesOf(folder) }
}

/** The times of files are not the subject here (backup.test.ts); tests change them. */
const LENIENT = { fileMsMax: 3_600_000, fsync: 'off' } as const

/** Writes into the files themselves, which stay the same files, and puts everything back afterwards. */
const withDamage = async (
  { folder, witness }: Made,
  damage: () => void,
  check: (opened: Opened, again: Opened) => void,
): Promise<void> => {
  const saved = new Map(filesOf(folder).map((path) => [path, readFileSync(path)]))
  const { value } = witness
  damage()
  const opened = await open({ folder, witness, encoder: new JsonEncoder(3), ...LENIENT })
  checkTurns(opened.turns)
  // It goes on, and what was damaged is no longer in the way.
  await appendTo(opened.log, opened.log.position + 2)
  await abandon(opened.log)
  const again = await open({ folder, witness, ...LENIENT })
  checkTurns(again.turns)
  check(opened, again)
  await abandon(again.log)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!saved.has(path)) rmSync(path, { recursive: true })
  }
  for (const [path, bytes] of saved) writeFileSync(path, bytes)
  witness.value = value
}

const flip = (path: string, offset: number, by: number): void => {
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.from([readFileSync(path)[offset]! ^ by]), 0, 1, offset)
}

test('a log that is truncated at any octet of its last records', async () => {
  const made = await make(6, 100)
  const path = made.paths[0]!
  const offsets = recordsOf(path)
  // As far as the witness knows, which is written seldom.
  made.witness.value = { epoch: made.epoch, position: 2 }
  for (let length = offsets.at(-1)!; length >= offsets[2]!; length--) {
    await withDamage(
      made,
      () => truncateSync(path, length),
      (opened, again) => {
        const turns = offsets.findLastIndex((offset) => offset <= length)
        assert.equal(opened.turns.length, turns, `${length}`)
        assert.equal(opened.newEpoch, undefined, `${length}`)
        assert.deepEqual(opened.faults, [])
        assert.equal(again.turns.length, turns + 2)
        assert.equal(again.newEpoch, undefined)
      },
    )
  }
  // What the witness has seen is missing.
  await withDamage(
    made,
    () => truncateSync(path, offsets[1]!),
    (opened, again) => {
      assert.equal(opened.turns.length, 1)
      assert.match(opened.newEpoch ?? 'none', /^the log ends at turn 1, and was at 2 before$/)
      assert.equal(again.newEpoch, undefined)
      assert.equal(again.log.epoch, opened.log.epoch)
    },
  )
})

for (const isClosed of [true, false]) {
  test(`a log in which any octet was changed (${isClosed ? 'closed' : 'killed'})`, async () => {
    const made = await make(4, 2, isClosed)
    assert.equal(made.paths.length, 2)
    for (const [place, path] of made.paths.entries()) {
      const offsets = recordsOf(path)
      const size = offsets.at(-1)!
      for (let offset = 0; offset < size; offset++) {
        // A line for each octet of records, some for the header.
        if (offset < offsets[0]! && offset % 16 !== 3) continue
        await withDamage(
          made,
          () => flip(path, offset, 1 << (offset % 8)),
          (opened, again) => {
            const about = `${path} at ${offset}`
            const good = Math.max(
              0,
              offsets.findLastIndex((begin) => begin <= offset),
            )
            const turns = 2 * place + Math.min(good, 2)
            assert.equal(opened.turns.length, turns, about)
            assert.match(opened.newEpoch ?? 'none', /^the log is damaged$/, about)
            assert.ok(opened.log.epoch > made.epoch)
            const [fault, ...more] = opened.faults
            assert.deepEqual(more, [])
            assert.equal(fault!.file, path)
            assert.equal(fault!.offset, offset < offsets[0]! ? 0 : offsets[good], about)
            assert.match(fault!.message, /: check the disk and the memory; `oddswire log check` reads all of the log$/)
            // Nothing is deleted.
            const aside = join(made.folder, `damaged-${opened.log.epoch}`)
            assert.deepEqual(filesOf(aside, '').length, place === 0 ? 2 : 1)
            assert.equal(again.newEpoch, undefined, about)
            assert.equal(again.log.epoch, opened.log.epoch)
            assert.equal(again.turns.length, turns + 2)
            assert.deepEqual(again.faults, [])
          },
        )
      }
    }
  })
}

test('random octets that are changed in a larger log', async () => {
  const random = new Random(SEED)
  const made = await make(300, 40)
  for (let round = 0; round < 60; round++) {
    const hits: string[] = []
    await withDamage(
      made,
      () => {
        for (let count = random.int(1, 5); count > 0; count--) {
          const path = made.paths[random.int(0, made.paths.length - 1)]!
          const offset = random.int(0, readFileSync(path).length - 1)
          hits.push(`${path} at ${offset}`)
          flip(path, offset, random.int(1, 255))
        }
      },
      (opened) => {
        const about = `seed ${SEED}, round ${round}: ${hits.join()}`
        assert.ok(opened.turns.length < 300, about)
        assert.match(opened.newEpoch ?? 'none', /^the log is damaged$/, about)
        assert.ok(
          opened.faults.some(
            ({ file, offset }) => hits.some((hit) => hit.startsWith(`${file} `)) && offset !== undefined,
          ),
          about,
        )
      },
    )
  }
})

test('a missing segment ends the good turns', async () => {
  const made = await make(30, 10)
  await withDamage(
    made,
    () => rmSync(made.paths[1]!),
    (opened) => {
      assert.equal(opened.turns.length, 10)
      assert.equal(opened.newEpoch, 'the log is damaged')
      assert.match(opened.faults[0]!.message, /0021\.seg: turns 11 to 20 are missing before this file: /)
    },
  )
  await withDamage(
    made,
    () => rmSync(made.paths[0]!),
    (opened) => {
      assert.equal(opened.turns.length, 0)
      assert.match(opened.faults[0]!.message, /0011\.seg: turns 1 to 10 are missing before this file: /)
    },
  )
  // The last one: nothing shows it but the witness.
  made.witness.value = { epoch: made.epoch, position: 21 }
  await withDamage(
    made,
    () => rmSync(made.paths[2]!),
    (opened) => assert.match(opened.newEpoch ?? 'none', /^the log ends at turn 20, and was at 21 before$/),
  )
})

test('damage before the checkpoint loses nothing; in what is read for it, the checkpoint is used', async () => {
  const made = await make(30, 10)
  const turns = Array.from({ length: 15 }, (_, place) => turnOf(place + 1))
  writeCheckpoint(made.folder, turns)
  await withDamage(
    made,
    () => flip(made.paths[0]!, 3, 1),
    (opened) => {
      assert.equal(opened.newEpoch, undefined)
      assert.equal(opened.turns.length, 30)
      assert.match(opened.faults[0]!.message, /0001\.seg at offset 0: it does not begin as a segment does/)
    },
  )
  writeCheckpoint(made.folder, turns)
  await withDamage(
    made,
    () => flip(made.paths[1]!, recordsOf(made.paths[1]!)[2]! + 20, 1),
    (opened) => {
      assert.equal(opened.newEpoch, 'the log is damaged')
      assert.equal(opened.turns.length, 15)
    },
  )
})

/** As if the machine had started again since. */
const rebootSince = (path: string): void => {
  const bytes = readFileSync(path)
  const end = 16 + bytes.readUInt32LE(12)
  const header = JSON.parse(bytes.toString('utf8', 16, end)) as { boot: string }
  bytes.write(
    header.boot.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    bytes.indexOf(header.boot),
  )
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end)
  writeFileSync(path, bytes)
}

test('after another start of the machine the epoch goes on if the log was synced, or closed', async () => {
  for (const fsync of ['always', 'interval', 'off'] as const) {
    for (const isClosed of [true, false]) {
      const folder = newFolder(MEMORY)
      const witness = new MemoryWitness()
      const { log } = await open({ folder, witness, fsync })
      await appendTo(log, 5)
      if (isClosed) await log.close()
      else await abandon(log)
      rebootSince(filesOf(folder)[0]!)
      const opened = await open({ folder, witness, ...LENIENT })
      assert.equal(opened.turns.length, 5)
      const goesOn = isClosed || fsync === 'always'
      assert.equal(opened.newEpoch, goesOn ? undefined : 'the machine has started again, and the log was not closed')
      await abandon(opened.log)
    }
  }
})

test('zeros at the end, as after a power failure, are no damage', async () => {
  const made = await make(10, 100)
  const path = made.paths[0]!
  const end = recordsOf(path).at(-1)!
  await withDamage(
    made,
    () => truncateSync(path, end + 5_000),
    (opened) => {
      assert.equal(opened.turns.length, 10)
      assert.equal(opened.newEpoch, undefined)
    },
  )
})

test('check finds each changed octet, and says what to do', async () => {
  const made = await make(12, 4)
  const check = async (): Promise<string[]> =>
    (
      await checkLog(
        DISK,
        made.folder,
        () => new JsonDecoder(),
        async () => undefined,
      )
    ).faults.map(({ message }) => message)
  assert.deepEqual(await check(), [])
  for (const path of made.paths) {
    for (let offset = 0; offset < recordsOf(path).at(-1)!; offset += 7) {
      flip(path, offset, 4)
      const found = await check()
      assert.ok(found.length > 0 && found[0]!.includes(`${path} at offset `), `${path} at ${offset}: ${found.join()}`)
      flip(path, offset, 4)
    }
  }
  assert.deepEqual(await check(), [])
  cpSync(made.paths[0]!, `${made.folder}/0000000000000099.seg`)
  assert.match((await check())[0]!, /0099\.seg at offset 0: it has the name of another segment: /)
})

test('a log that goes on after damage can be read from the good turns on', async () => {
  const made = await make(20, 100)
  flip(made.paths[0]!, recordsOf(made.paths[0]!)[12]! + 17, 1)
  const { log } = await open({ folder: made.folder, witness: made.witness })
  await appendTo(log, 20)
  assert.deepEqual(
    await readAll(log, 5),
    Array.from({ length: 16 }, (_, place) => turnOf(place + 5)),
  )
  await log.close()
})

test('damage after damage that was reported before is reported with its own file', async () => {
  const made = await make(20, 100)
  flip(made.paths[0]!, recordsOf(made.paths[0]!)[12]! + 17, 1)
  const { witness } = made
  const { log } = await open({ folder: made.folder, witness, ...LENIENT })
  await appendTo(log, 20)
  await abandon(log)
  // The first segment still ends in what was damaged before; the next one cannot be read.
  flip(filesOf(made.folder)[1]!, 30, 1)
  const { faults, turns, log: next } = await open({ folder: made.folder, witness, ...LENIENT })
  assert.equal(turns.length, 12)
  assert.deepEqual(
    faults.map(({ message }) => /\d+\.seg at offset \d+: the \w+/.exec(message)![0]),
    ['0000000000000013.seg at offset 0: the checksum'],
  )
  await abandon(next)
  // The same with turns that are missing before it: both are reported.
  truncateSync(made.paths[0]!, recordsOf(made.paths[0]!)[5]!)
  flip(filesOf(made.folder)[1]!, 30, 1)
  const last = await open({ folder: made.folder, witness, ...LENIENT })
  assert.equal(last.turns.length, 5)
  assert.equal(last.faults.length, 2)
  await abandon(last.log)
})
