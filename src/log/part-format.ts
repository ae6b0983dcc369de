// The format of a checkpoint file (little-endian):
//
//   magic      8 octets   "oddswire"
//   format     u32        FORMAT
//   length     u32        of the header, in octets
//   header                JSON in UTF-8
//   check      u32        CRC-32 of all before
//   part …                any number
//   end                   a part of its own kind without a name: the number of parts before it, as f64
//
// A part:
//
//   kind       u8         KINDS
//   name       u8         length of the name, in octets
//   zero       u16
//   payload    u32        CRC-32 of the payload
//   length     f64        of the payload, in octets: exact up to 2^53
//   name                  in Latin-1
//   check      u32        CRC-32 of the part so far, without the payload
//   payload
//
// The payload of a value is MessagePack; that of a column is its numbers.

import { crc32 } from 'node:zlib'
// Not 'msgpackr', which looks for a native part: that reads long texts faster, and a start 20 ms slower.
import { addExtension, Packr } from 'msgpackr/pack'
import type { Column } from '../domain/image.ts'

export const MAGIC = Buffer.from('oddswire', 'latin1')
/**
 * 5: the lists of the index of names are in it (identity/postings.ts); 4: tables that lead to events (board/event-names.ts,
 * identity/source-keys.ts); 3: the wheel holds blocks of quotes; 2: each quote by itself; 1: a column of each field of quotes
 * instead of a row (board/quotes.ts). All are read.
 */
export const FORMAT = 5
/** Octets of the file before the header, and of a part before its name. */
export const PREFIX_LENGTH = MAGIC.length + 8
export const PART_LENGTH = 16
/** Octets of a CRC-32. */
export const CHECK_LENGTH = 4

export const VALUE = 0
export const END = 255
/** Added to the kind of a column that follows from others. */
export const DERIVED = 64

const TYPES = [Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array]

/** 1 to 5: the types of columns. */
export const kindOf = (values: Column): number => {
  const place = TYPES.findIndex((type) => values instanceof type)
  return place + 1
}

/** What a kind is, in words, and the length of one entry in octets; undefined: no such kind. */
export const describe = (kind: number): { readonly text: string; readonly width: number } | undefined => {
  if (kind === VALUE) return { text: 'a value', width: 1 }
  if (kind === END) return { text: 'the end', width: 1 }
  const type = TYPES[(kind & ~DERIVED) - 1]
  if (type === undefined) return undefined
  return { text: `${kind >= DERIVED ? 'derived ' : ''}${type.name}`, width: type.BYTES_PER_ELEMENT }
}

/** The memory of a column, as octets. */
export const octetsOf = (values: Column): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

// A single call takes at most 2 GB.
const CHECKED_MAX = 1 << 30

/** The CRC-32 of octets. */
export const checkOf = (octets: Uint8Array): number => {
  let sum = 0
  for (let place = 0; place < octets.length; place += CHECKED_MAX) {
    sum = crc32(octets.subarray(place, place + CHECKED_MAX), sum)
  }
  return sum
}

/** The octets of a part before its payload. */
export const partHead = (kind: number, name: string, length: number, payloadCheck: number): Buffer => {
  const head = Buffer.alloc(PART_LENGTH + name.length + CHECK_LENGTH)
  head.writeUInt8(kind, 0)
  head.writeUInt8(name.length, 1)
  head.writeUInt32LE(payloadCheck, 4)
  head.writeDoubleLE(length, 8)
  head.write(name, PART_LENGTH, 'latin1')
  head.writeUInt32LE(crc32(head.subarray(0, -CHECK_LENGTH)), head.length - CHECK_LENGTH)
  return head
}

// The packer would write -0 as 0, and replace surrogates without a partner.
class NegativeZero {}
class IllFormed {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
const NEGATIVE_ZERO = new NegativeZero()
const NO_OCTETS = Buffer.alloc(0)
const LONE_SURROGATE = /\p{Surrogate}/u
addExtension({ Class: NegativeZero, type: 1, pack: () => NO_OCTETS, unpack: () => -0 })
addExtension({
  Class: IllFormed,
  type: 2,
  pack: ({ text }: IllFormed) => Buffer.from(text, 'utf16le'),
  unpack: (octets: Uint8Array) => Buffer.from(octets).toString('utf16le'),
})

const packr = new Packr({ useRecords: false, mapsAsObjects: true, variableMapSize: true, copyBuffers: true })

const isChanged = (value: unknown): boolean => !Object.is(packable(value), value)

/** A value that can be packed exactly: nearly always the same one. */
const packable = (value: unknown): unknown => {
  if (typeof value === 'number') return Object.is(value, -0) ? NEGATIVE_ZERO : value
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? new IllFormed(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.some(isChanged) ? value.map(packable) : value
  if (!Object.values(value).some(isChanged)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, packable(each)]))
}

/** @param value its keys are names of fields: not `__proto__`, not `toJSON` */
export const pack = (value: unknown): Buffer => packr.pack(packable(value))

/** Throws where the octets are not a value. */
export const unpack = (octets: Buffer): unknown => packr.unpack(octets)
