// Reads a segment from its beginning, in bounded memory.

import { LIMITS } from '../limits.ts'
import { closeFile, type Disk, openFile, readAt, statOf } from './disk.ts'
import { parseHeader, type ParsedHeader, parseRecord } from './segment.ts'

/**
 * What is read at first, before as much as may be: most segments that tests and simulations read are smaller, and memory that is
 * zeroed and collected for each was half of the time of the tests of damaged logs.
 */
const FIRST_READ_BYTES = 16 * 1024

export interface TurnRecord {
  readonly number: number
  readonly offset: number
  /** Valid until the next ones are read. */
  readonly payload: Buffer
}

export interface SegmentEnd {
  /** `torn`: the last record was not written completely. `damaged`: octets are others than those that were written. */
  readonly kind: 'whole' | 'torn' | 'damaged'
  /** Where the good records end. */
  readonly offset: number
  /** What is wrong there. */
  readonly what: string
  /** Number of the last good turn; one less than the first of the segment if there is none. */
  readonly last: number
  readonly isClosed: boolean
  /** The last time that is noted in it, by the clock of the system; 0: none. */
  readonly wallMs: number
  readonly bytes: number
}

export const readHeader = async (disk: Disk, path: string): Promise<ParsedHeader> => {
  const fd = await openFile(disk, path, 'r')
  try {
    const bytes = Buffer.alloc(LIMITS.logHeaderBytesMax)
    return parseHeader(bytes.subarray(0, await readAt(disk, fd, bytes, 0, bytes.length, 0)))
  } finally {
    await closeFile(disk, fd)
  }
}

/** Whether a file has only zeros from an offset on, as after a power failure. */
const isZeroFrom = async (disk: Disk, fd: number, offset: number): Promise<boolean> => {
  let bytes = Buffer.allocUnsafe(FIRST_READ_BYTES)
  for (let at = offset; ; ) {
    const read = await readAt(disk, fd, bytes, 0, bytes.length, at)
    if (read === 0) return true
    if (bytes.subarray(0, read).some((octet) => octet !== 0)) return false
    at += read
    if (bytes.length < LIMITS.logReadBytes) bytes = Buffer.allocUnsafe(LIMITS.logReadBytes)
  }
}

/**
 * The turns of a segment with a good header, a list at a time.
 * @param headerLength octets of the header
 * @param first number of the first turn
 */
export async function* readSegment(
  disk: Disk,
  path: string,
  headerLength: number,
  first: number,
): AsyncGenerator<readonly TurnRecord[], SegmentEnd> {
  const fd = await openFile(disk, path, 'r')
  try {
    // Nothing of it is looked at but what was read.
    let buffer = Buffer.allocUnsafe(FIRST_READ_BYTES)
    let filled = 0
    // Of the file: where the buffer begins.
    let begin = headerLength
    let last = first - 1
    let isClosed = false
    let wallMs = 0
    for (;;) {
      const read = await readAt(disk, fd, buffer, filled, buffer.length - filled, begin + filled)
      filled += read
      const records: TurnRecord[] = []
      const bytes = buffer.subarray(0, filled)
      let offset = 0
      const ended = (kind: SegmentEnd['kind'], what: string, size: number): SegmentEnd => ({
        kind,
        what,
        offset: begin + offset,
        last,
        isClosed: isClosed && kind === 'whole',
        wallMs,
        bytes: size,
      })
      let needs = 0
      while (needs === 0) {
        const record = parseRecord(bytes, offset, last)
        if (record.kind === 'incomplete') needs = record.needs
        else if (record.kind === 'damaged') {
          if (records.length > 0) yield records
          const size = Number((await statOf(disk, fd)).size)
          const isZero = await isZeroFrom(disk, fd, begin + offset)
          return ended(isZero ? 'torn' : 'damaged', isZero ? 'only zeros follow' : record.what, size)
        } else {
          if (isClosed) {
            if (records.length > 0) yield records
            return ended('damaged', 'a record follows the end of the segment', begin + filled)
          }
          if (record.kind === 'turn') {
            last = record.number
            records.push({ number: last, offset: begin + offset, payload: record.payload })
          } else {
            wallMs = record.wallMs
            isClosed = record.kind === 'close'
          }
          offset += record.length
        }
      }
      if (records.length > 0) yield records
      if (read === 0) {
        return ended(offset === filled ? 'whole' : 'torn', 'the last record is incomplete', begin + filled)
      }
      const rest = filled - offset
      // There is more, perhaps, than the first read.
      const length = Math.max(needs, filled === buffer.length ? LIMITS.logReadBytes : 0)
      const larger = length > buffer.length ? Buffer.allocUnsafe(length) : undefined
      buffer.copy(larger ?? buffer, 0, offset, filled)
      buffer = larger ?? buffer
      begin += offset
      filled = rest
    }
  } finally {
    await closeFile(disk, fd)
  }
}

/** Reads a segment for its end alone. */
export const endOf = async (disk: Disk, path: string, headerLength: number, first: number): Promise<SegmentEnd> => {
  const records = readSegment(disk, path, headerLength, first)
  for (;;) {
    const next = await records.next()
    if (next.done === true) return next.value
  }
}
