import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { Board } from '../../src/board/board.ts'
import { ImageFault, UnfitImage } from '../../src/domain/image.ts'
import { Engine } from '../../src/engine/engine.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { CheckpointReader, CheckpointWriter } from '../../src/log/checkpoint.ts'
import { ChecksumWriter } from '../../src/log/checksum.ts'
import { DISK, type Disk, type DiskError, type ReadDisk } from '../../src/log/disk.ts'
import { FORMAT } from '../../src/log/part-format.ts'
import { type Carry, ImageTwins } from '../image-twins.ts'
import { Random, SEED } from '../random.ts'
import { RandomInputs } from '../random-inputs.ts'
import { WORLD_START } from '../random-observations.ts'

const folder = mkdtempSync(join(tmpdir(), 'checkpoint-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const newPath = (): string => join(folder, `${++files}.checkpoint`)

const HEADER = { epoch: 'abc', position: 7, at: WORLD_START, seq: 12, rules: 1 }

const VALUES: readonly unknown[] = [
  undefined,
  null,
  -0,
  0,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
  0.1,
  5e-324,
  Number.MAX_VALUE,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 60,
  true,
  'Łódź \u{1f3be}',
  'half \ud83c of a pair',
  '',
  'x'.repeat(70_000),
  [[-0, [undefined, { a: -0, b: [], c: 'a\udc00' }]], {}, [null]],
  Array.from({ length: 70_000 }, (_, n) => n / 3),
]

const COLUMNS = [
  Uint8Array.of(1, 255),
  Uint16Array.of(65_535),
  Uint32Array.of(2 ** 32 - 1, 0, 7),
  Int32Array.of(-1, 2 ** 31 - 1),
  Float64Array.of(-0, Number.NEGATIVE_INFINITY, 0.1),
  new Float64Array(0),
]

/** A small file with a part of each kind. */
const writeSmall = (): string => {
  const path = newPath()
  const writer = new CheckpointWriter(path, HEADER)
  writer.value('value', { text: 'Ł', list: [1, null] })
  for (const column of COLUMNS) writer.column('column', column)
  writer.derived('derived', Uint32Array.of(1, 2, 3))
  writer.derived('other', Uint32Array.of(4, 5))
  writer.finish()
  return path
}

const readSmall = (path: string): void => {
  const reader = new CheckpointReader(path)
  try {
    assert.deepEqual(reader.header, HEADER)
    assert.deepEqual(reader.value('value'), { text: 'Ł', list: [1, null] })
    for (const column of COLUMNS) {
      const into = new (column.constructor as typeof Uint8Array)(column.length + 1)
      assert.equal(reader.lengthOf('column'), column.length)
      assert.equal(reader.column('column', into), column.length)
      assert.deepEqual(into.slice(0, column.length), column)
    }
    const derived = new Uint32Array(3)
    assert.equal(reader.derived('derived', derived), true)
    assert.deepEqual([...derived], [1, 2, 3])
    assert.equal(reader.derived('other', derived), false)
    assert.deepEqual([...derived], [1, 2, 3])
    reader.end()
  } finally {
    reader.close()
  }
}

const checkAll = (path: string): void => {
  const reader = new CheckpointReader(path)
  try {
    reader.checkRest()
  } finally {
    reader.close()
  }
}

/** Reads both as a load and as a check do: each must fail, with the file and an offset. */
const assertFound = (octets: Uint8Array, what: string): void => {
  const path = join(folder, 'changed.checkpoint')
  writeFileSync(path, octets)
  for (const read of [readSmall, checkAll]) {
    assert.throws(
      () => read(path),
      (error) => error instanceof ImageFault && new RegExp(`^${path}, offset \\d+: `).test(error.message),
      what,
    )
  }
}

test('a checkpoint gives back what was written', () => {
  const path = writeSmall()
  readSmall(path)
  checkAll(path)
  assert(!existsSync(`${path}.part`))
})

test('values are exact', () => {
  const path = newPath()
  const writer = new CheckpointWriter(path, {})
  for (const value of VALUES) writer.value('value', value)
  writer.finish()
  const reader = new CheckpointReader(path)
  for (const value of VALUES) assert.deepStrictEqual(reader.value('value'), value)
  reader.end()
  reader.close()
})

test('a changed bit, or octet, is found wherever it is', () => {
  const octets = readFileSync(writeSmall())
  for (let place = 0; place < octets.length; place++) {
    for (const bits of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
      const changed = Buffer.from(octets)
      changed[place]! ^= bits
      assertFound(changed, `octet ${place} ^ ${bits}`)
    }
  }
})

test('a file that is cut off, or continued, is found', () => {
  const octets = readFileSync(writeSmall())
  for (let length = 0; length < octets.length; length++) assertFound(octets.subarray(0, length), `${length} octets`)
  assertFound(Buffer.concat([octets, Buffer.alloc(1)]), 'an octet more')
  assertFound(Buffer.concat([octets, octets]), 'twice')
  // Parts that are whole, but not all there: without the third part, for example.
  const twoParts = newPath()
  const writer = new CheckpointWriter(twoParts, HEADER)
  writer.value('value', { text: 'Ł', list: [1, null] })
  writer.finish()
  assert.throws(() => readSmall(twoParts), /has the end where "column" was expected/)
})

test('a newer format is refused in words for the operator', () => {
  const path = writeSmall()
  const octets = readFileSync(path)
  octets.writeUInt32LE(FORMAT + 1, 8)
  const end = 16 + octets.readUInt32LE(12)
  octets.writeUInt32LE(crc32(octets.subarray(0, end)), end)
  writeFileSync(path, octets)
  assert.throws(
    () => new CheckpointReader(path),
    (error) =>
      error instanceof UnfitImage &&
      new RegExp(`format ${FORMAT + 1}, and .* up to ${FORMAT}: start the version`).test(error.message),
  )
})

/** A part that is read by several requests, and one that is read at once. */
const LARGE = Uint32Array.from({ length: 3_000_000 }, (_, n) => Math.imul(n, 0x9e37_79b1))

const writeLarge = (): string => {
  const path = newPath()
  const writer = new CheckpointWriter(path, HEADER)
  writer.column('large', LARGE)
  writer.column('small', LARGE.subarray(0, 9))
  writer.derived('derived', LARGE.subarray(7))
  writer.finish()
  return path
}

type Read = (
  fd: number,
  into: Uint8Array,
  at: number,
  length: number,
  from: number,
  done: (error: DiskError | null, count: number) => void,
) => void

/** The form of it that is called. */
const reading = (read: Read): Disk['read'] => read as Disk['read']

/** Reads such a file as a start does. @param settles reads at once what was requested */
const readLarge = async (path: string, disk: ReadDisk, settles = false): Promise<void> => {
  const reader = new CheckpointReader(path, disk)
  const large = new Uint32Array(LARGE.length + 1)
  const small = new Uint32Array(9)
  const derived = new Uint32Array(LARGE.length - 7)
  try {
    assert.equal(reader.fill('large', large), LARGE.length)
    assert.equal(reader.fill('small', small), 9)
    assert.equal(reader.derived('derived', derived), true)
    reader.end()
    if (settles) {
      reader.settle()
      assert.equal(Buffer.compare(Buffer.from(derived.buffer), Buffer.from(LARGE.buffer, 28)), 0)
    }
  } finally {
    await reader.finish()
  }
  assert.equal(Buffer.compare(Buffer.from(large.buffer, 0, LARGE.byteLength), Buffer.from(LARGE.buffer)), 0)
  assert.deepEqual(small, LARGE.slice(0, 9))
  assert.equal(Buffer.compare(Buffer.from(derived.buffer), Buffer.from(LARGE.buffer, 28)), 0)
}

test('large parts are read by requests, whatever the disk gives at once', async () => {
  const random = new Random(SEED)
  const path = writeLarge()
  let requests = 0
  const short: ReadDisk = {
    ...DISK,
    read: reading((fd, into, at, length, from, done) => {
      requests++
      DISK.read(fd, into, at, random.int(1, length), from, done)
    }),
  }
  await readLarge(path, DISK)
  await readLarge(path, DISK, true)
  await readLarge(path, short)
  assert(requests > 6, `${requests}`)
  await readLarge(path, { ...DISK, read: undefined })
})

test('what is damaged in a large part, missing or unreadable is a fault once all requests have ended', async () => {
  const random = new Random(SEED)
  const path = writeLarge()
  const octets = readFileSync(path)
  for (let round = 0; round < 12; round++) {
    const changed = Buffer.from(octets)
    const place = random.int(4_096, octets.length - 4_096)
    changed[place] = changed[place]! ^ (1 << random.int(0, 7))
    writeFileSync(path, changed)
    for (const settles of [false, true]) {
      await assert.rejects(readLarge(path, DISK, settles), /offset \d+: .* is damaged/, `seed ${SEED}, octet ${place}`)
    }
  }
  writeFileSync(path, octets)
  let underWay = 0
  let isClosed = false
  const failing: ReadDisk = {
    ...DISK,
    closeSync: (fd) => {
      assert.equal(underWay, 0, 'closed under a request')
      isClosed = true
      DISK.closeSync(fd)
    },
    read: reading((fd, into, at, length, from, done) => {
      underWay++
      const isBad = from > 5_000_000 && from < 10_000_000
      DISK.read(fd, into, at, length, from, (error, count) => {
        underWay--
        done(isBad ? Object.assign(new Error('bad sector'), { code: 'EIO', syscall: 'read' }) : error, count)
      })
    }),
  }
  await assert.rejects(readLarge(path, failing), { code: 'EIO' })
  assert.equal(isClosed, true)
  writeFileSync(path, octets.subarray(0, 9_000_000))
  await assert.rejects(readLarge(path, DISK), /cut off/)
})

test('a part that is not as expected is refused', () => {
  const path = newPath()
  const writer = new CheckpointWriter(path, {})
  writer.column('column', Uint32Array.of(1, 2))
  writer.finish()
  const reader = new CheckpointReader(path)
  assert.throws(() => reader.value('other'), /has "column" where "other" was expected/)
  assert.throws(() => reader.value('column'), /"column" is Uint32Array, not a value/)
  assert.throws(() => reader.column('column', new Float64Array(2)), /"column" is Uint32Array, not Float64Array/)
  assert.throws(() => reader.derived('column', new Uint32Array(2)), /"column" is Uint32Array, not derived Uint32Array/)
  assert.throws(() => reader.column('column', new Uint32Array(1)), /"column" has 2 entries, and only 1 fit/)
  assert.throws(() => reader.end(), /has "column" where the end was expected/)
  assert.equal(reader.column('column', new Uint32Array(3)), 2)
  assert.throws(() => reader.column('column', new Uint32Array(3)), /has the end where "column" was expected/)
  reader.end()
  reader.close()
})

test('a file that was not finished does not appear, and the one before stays', () => {
  const path = writeSmall()
  const before = readFileSync(path)
  const writer = new CheckpointWriter(path, HEADER)
  writer.value('value', 1)
  assert(readFileSync(path).equals(before))
  writer.abandon()
  assert(!existsSync(`${path}.part`))
  assert(readFileSync(path).equals(before))
})

test('a checksum depends on names, kinds, lengths and contents, and not on what is derived', () => {
  const sumOf = (write: (writer: ChecksumWriter) => void): string => {
    const writer = new ChecksumWriter()
    write(writer)
    return writer.digest()
  }
  const sums = [
    sumOf((writer) => writer.value('a', 1)),
    sumOf((writer) => writer.value('b', 1)),
    sumOf((writer) => writer.value('a', -0)),
    sumOf((writer) => writer.column('a', Uint8Array.of(1))),
    sumOf((writer) => writer.column('a', Uint8Array.of(1, 0, 0, 0))),
    sumOf((writer) => writer.column('a', Uint32Array.of(1))),
    sumOf((writer) => {
      writer.column('a', Uint8Array.of(1))
      writer.column('a', Uint8Array.of(0, 0, 0))
    }),
  ]
  assert.equal(new Set(sums).size, sums.length)
  for (const sum of sums) assert.match(sum, /^[0-9a-f]{32}$/)
  const withDerived = sumOf((writer) => {
    writer.value('a', 1)
    writer.derived()
  })
  assert.equal(withDerived, sums[0])
})

const throughFile: Carry = (save, load) => {
  const path = newPath()
  const writer = new CheckpointWriter(path, HEADER)
  save(writer)
  writer.finish()
  checkAll(path)
  const reader = new CheckpointReader(path)
  load(reader)
  reader.end()
  reader.close()
  rmSync(path)
}

test('an engine that was saved to a file and loaded goes on as if it had not been', () => {
  const random = new Random(SEED)
  const options = { quotesMax: 600, skewMsMax: 5_000, bookmakersMax: 50, wheelVisitsMax: 64, walkVisitsMax: 30 }
  const twins = new ImageTwins(() => new Engine({ ...options, matcher: new NameMatcher() }, WORLD_START))
  const inputs = new RandomInputs(random)
  let nowAt = WORLD_START
  for (let step = 0; step < 200; step++) {
    const at = `seed ${SEED}, step ${step}`
    nowAt += random.chance(0.98) ? random.int(0, 4_000) : random.int(0, 7 * 3_600_000)
    twins.apply({ at: nowAt, inputs: Array.from({ length: random.int(0, 6) }, () => inputs.next(nowAt)) }, at)
    if (random.chance(0.05)) twins.restart(at, throughFile)
  }
  twins.restart(`seed ${SEED}`, throughFile)
  const path = newPath()
  const writer = new CheckpointWriter(path, HEADER)
  twins.whole.board.save(writer)
  writer.finish()
  const reader = new CheckpointReader(path)
  const slots = twins.whole.board['slotsUsed']
  assert.throws(
    () => new Board({ ...options, quotesMax: slots - 1 }, nowAt).load(reader),
    new RegExp(`--quotes-max must be at least ${slots}$`),
  )
  reader.close()
})
