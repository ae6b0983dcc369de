// The format of a segment: a header, then records. Numbers are little-endian.
//
//   header   magic (8), format u32, length u32, JSON of that length, crc32 u32 of all before it
//   record   length u32, number u32, head u32, crc32 u32, payload
//
// The number of a record is the low half of its turn's. `head` is a function of length and number, so that a damaged
// length is not mistaken for a record that was not written completely. The crc32 begins with `head` and covers the
// payload. The highest bit of the length marks a record of the log itself, about the turns before it: the time, or that
// the segment was closed.

import { crc32 } from 'node:zlib'
import { LIMITS } from '../limits.ts'

export const SEGMENT_FORMAT = 1

const MAGIC = 'oddslog\n'
const FIXED_BYTES = MAGIC.length + 8

export const RECORD_BYTES = 16

const CONTROL = 0x8000_0000
const MARK = 1
const CLOSE = 2
const CONTROL_BYTES = 9

export interface SegmentHeader {
  readonly epoch: string
  /** The rules by which its turns were applied; a text of the caller. */
  readonly rules: string
  /** Number of its first turn. */
  readonly first: number
  /** No turn of it is older; epoch ms. */
  readonly at: number
  /** The boot of the machine in which it was written. */
  readonly boot: string
  readonly fsync: string
  /** Of the file itself: a copy has others. '0': the file system does not keep it. */
  readonly inode: string
  readonly device: string
  readonly birth: string
  /** Epoch ms by the clock of the system. */
  readonly created: number
}

const FIELDS: Readonly<Record<keyof SegmentHeader, 'string' | 'number'>> = {
  epoch: 'string',
  rules: 'string',
  first: 'number',
  at: 'number',
  boot: 'string',
  fsync: 'string',
  inode: 'string',
  device: 'string',
  birth: 'string',
  created: 'number',
}

export const headerBytes = (header: SegmentHeader): Buffer => {
  const json = Buffer.from(JSON.stringify(header))
  const bytes = Buffer.alloc(FIXED_BYTES + json.length + 4)
  bytes.write(MAGIC, 'latin1')
  bytes.writeUInt32LE(SEGMENT_FORMAT, 8)
  bytes.writeUInt32LE(json.length, 12)
  json.copy(bytes, FIXED_BYTES)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
  if (bytes.length > LIMITS.logHeaderBytesMax) throw new RangeError('the text of the rules is too long for the log')
  return bytes
}

export type ParsedHeader =
  | { readonly kind: 'header'; readonly header: SegmentHeader; readonly length: number }
  | { readonly kind: 'newer'; readonly format: number }
  | { readonly kind: 'damaged'; readonly what: string }

const damaged = (what: string): ParsedHeader => ({ kind: 'damaged', what })

/** @param bytes the beginning of the file */
export const parseHeader = (bytes: Buffer): ParsedHeader => {
  if (bytes.length < FIXED_BYTES + 4) return damaged('the header is incomplete')
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return damaged('it does not begin as a segment does')
  const end = FIXED_BYTES + bytes.readUInt32LE(12)
  if (end + 4 > Math.min(bytes.length, LIMITS.logHeaderBytesMax)) return damaged('the header is incomplete')
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return damaged('the checksum of the header is wrong')
  // The layout up to here is that of all formats.
  const format = bytes.readUInt32LE(8)
  if (format > SEGMENT_FORMAT) return { kind: 'newer', format }
  const header = JSON.parse(bytes.toString('utf8', FIXED_BYTES, end)) as SegmentHeader
  const bad = Object.entries(FIELDS).find(([name, type]) => typeof header[name as keyof SegmentHeader] !== type)
  return bad === undefined ? { kind: 'header', header, length: end + 4 } : damaged(`the header has no ${bad[0]}`)
}

/** For a fixed number another length gives another head, and the other way round. */
const headOf = (length: number, number: number): number => {
  let head = Math.imul(length ^ 0x9e37_79b9, 0x85eb_ca6b)
  head = Math.imul((head ^ (head >>> 13)) + ((number % 2 ** 32) | 0), 0xc2b2_ae35)
  head = Math.imul(head ^ (head >>> 16) ^ Math.floor(number / 2 ** 32), 0x27d4_eb2f)
  return (head ^ (head >>> 15)) >>> 0
}

const put = (bytes: Buffer, offset: number, length: number, number: number, payload: Uint8Array): void => {
  const head = headOf(length, number)
  bytes.writeUInt32LE(length, offset)
  bytes.writeUInt32LE(number % 2 ** 32, offset + 4)
  bytes.writeUInt32LE(head, offset + 8)
  bytes.writeUInt32LE(crc32(payload, head), offset + 12)
  bytes.set(payload, offset + RECORD_BYTES)
}

/** Writes the record of a turn. There must be room. */
export const putTurn = (bytes: Buffer, offset: number, number: number, payload: Uint8Array): void =>
  put(bytes, offset, payload.length, number, payload)

const control = (kind: number, last: number, wallMs: number): Buffer => {
  const payload = Buffer.alloc(CONTROL_BYTES)
  payload.writeUInt8(kind)
  payload.writeDoubleLE(wallMs, 1)
  const bytes = Buffer.alloc(RECORD_BYTES + CONTROL_BYTES)
  put(bytes, 0, (CONTROL | CONTROL_BYTES) >>> 0, last, payload)
  return bytes
}

/** The time by the clock of the system, before turns are written. @param last number of the turn before it */
export const markBytes = (last: number, wallMs: number): Buffer => control(MARK, last, wallMs)

/** The segment was closed: everything before this is durable. */
export const closeBytes = (last: number, wallMs: number): Buffer => control(CLOSE, last, wallMs)

export type ParsedRecord =
  | { readonly kind: 'turn'; readonly number: number; readonly payload: Buffer; readonly length: number }
  | { readonly kind: 'mark' | 'close'; readonly wallMs: number; readonly length: number }
  /** More octets are needed: as many as this, from its beginning. */
  | { readonly kind: 'incomplete'; readonly needs: number }
  /** @property length of the record, if it can be trusted */
  | { readonly kind: 'damaged'; readonly what: string; readonly length: number | undefined }

/** @param last number of the turn before it */
export const parseRecord = (bytes: Buffer, offset: number, last: number): ParsedRecord => {
  const available = bytes.length - offset
  if (available < RECORD_BYTES) return { kind: 'incomplete', needs: RECORD_BYTES }
  const field = bytes.readUInt32LE(offset)
  const isControl = field >= CONTROL
  const size = isControl ? field - CONTROL : field
  const number = isControl ? last : last + 1
  const head = bytes.readUInt32LE(offset + 8)
  if (size > LIMITS.logRecordBytesMax || size === 0 || headOf(field, number) !== head) {
    return { kind: 'damaged', what: 'the head of a record is wrong', length: undefined }
  }
  const length = RECORD_BYTES + size
  if (bytes.readUInt32LE(offset + 4) !== number % 2 ** 32) {
    return { kind: 'damaged', what: 'the number of a record is wrong', length }
  }
  if (available < length) return { kind: 'incomplete', needs: length }
  const payload = bytes.subarray(offset + RECORD_BYTES, offset + length)
  if (crc32(payload, head) !== bytes.readUInt32LE(offset + 12)) {
    return { kind: 'damaged', what: 'the checksum of a record is wrong', length }
  }
  if (!isControl) return { kind: 'turn', number, payload, length }
  const kind = payload.readUInt8()
  if (size !== CONTROL_BYTES || (kind !== MARK && kind !== CLOSE)) {
    return { kind: 'damaged', what: 'a record is of an unknown kind', length }
  }
  return { kind: kind === MARK ? 'mark' : 'close', wallMs: payload.readDoubleLE(1), length }
}
