// Reading a segment: little at first, then more at once; wherever a record is cut by that.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DISK } from '../../src/log/disk.ts'
import { putTurn, RECORD_BYTES } from '../../src/log/segment.ts'
import { readSegment, type SegmentEnd } from '../../src/log/segment-reader.ts'
import { LIMITS } from '../../src/limits.ts'

const folder = mkdtempSync(join(tmpdir(), 'oddswire-reader-'))
after(() => rmSync(folder, { recursive: true }))

const HEADER_BYTES = 100

/** Turns from 1 on with payloads of these lengths, each of another octet. */
const recordsOf = (lengths: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(lengths.reduce((sum, length) => sum + RECORD_BYTES + length, HEADER_BYTES))
  let offset = HEADER_BYTES
  for (const [place, length] of lengths.entries()) {
    putTurn(bytes, offset, place + 1, Buffer.alloc(length, place + 1))
    offset += RECORD_BYTES + length
  }
  return bytes
}

/** The lengths of the payloads, and how it ends. */
const read = async (bytes: Buffer): Promise<readonly [lengths: number[], end: SegmentEnd]> => {
  const path = join(folder, 'segment')
  writeFileSync(path, bytes)
  const lengths: number[] = []
  const records = readSegment(DISK, path, HEADER_BYTES, 1)
  for (;;) {
    const next = await records.next()
    if (next.done === true) return [lengths, next.value]
    for (const { number, payload } of next.value) {
      assert.equal(number, lengths.push(payload.length))
      assert.ok(payload.equals(Buffer.alloc(payload.length, number)), `the octets of turn ${number}`)
    }
  }
}

for (const edge of [16 * 1024, LIMITS.logReadBytes]) {
  test(`records about octet ${edge}, one by one over the edge`, async () => {
    const before = Array.from({ length: Math.ceil(edge / 100_000) }, () => Math.floor(edge / 20))
    const used = before.reduce((sum, length) => sum + RECORD_BYTES + length, RECORD_BYTES)
    for (let over = -2 * RECORD_BYTES - 2; over <= RECORD_BYTES + 2; over++) {
      const lengths = [...before, edge - used + over, 3, 5, 2 * edge, 7]
      const bytes = recordsOf(lengths)
      const [whole, end] = await read(bytes)
      assert.deepEqual(whole, lengths, `${over}`)
      assert.deepEqual([end.kind, end.offset, end.last], ['whole', bytes.length, lengths.length], `${over}`)
      const [short, torn] = await read(bytes.subarray(0, -8))
      assert.deepEqual(short, lengths.slice(0, -1), `${over}`)
      assert.deepEqual([torn.kind, torn.offset], ['torn', bytes.length - RECORD_BYTES - 7], `${over}`)
    }
  })

  test(`zeros up to octet ${edge} after the last record, and what is not zero there`, async () => {
    const bytes = recordsOf([10, 20])
    for (const more of [edge - 1, edge, edge + 1]) {
      const zeros = Buffer.concat([bytes, Buffer.alloc(more)])
      assert.equal((await read(zeros))[1].kind, 'torn', `${more}`)
      zeros[zeros.length - 1] = 1
      const [lengths, { kind, offset }] = await read(zeros)
      assert.deepEqual([lengths, kind, offset], [[10, 20], 'damaged', bytes.length], `${more}`)
    }
  })
}
