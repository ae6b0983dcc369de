// Reads turns from segments, from a number on.

import type { Turn } from '../domain/input.ts'
import type { Disk } from './disk.ts'
import { LogFault } from './log-fault.ts'
import { readHeader, readSegment } from './segment-reader.ts'

export interface Decoder {
  begin(): void
  decode(record: Uint8Array): Turn
}

export interface KeptSegment {
  readonly path: string
  /** Number of its first turn. */
  readonly first: number
  /** No turn of it is older; epoch ms. */
  readonly at: number
  bytes: number
}

/** @param to number of the last turn to be read; Infinity: as far as turns are written */
export async function* readTurns(
  disk: Disk,
  segments: readonly KeptSegment[],
  newDecoder: () => Decoder,
  from: number,
  to: number,
): AsyncGenerator<Turn> {
  if (from > to) return
  const begin = segments.findLastIndex(({ first }) => first <= from)
  if (begin < 0) {
    throw new LogFault(
      undefined,
      undefined,
      `turn ${from} is not kept any more`,
      `read from ${segments[0]?.first ?? to + 1} on`,
    )
  }
  const decoder = newDecoder()
  for (let place = begin; place < segments.length; place++) {
    const { path, first } = segments[place]!
    // What follows in the segment is replaced by the next one.
    const last = Math.min((segments[place + 1]?.first ?? Number.POSITIVE_INFINITY) - 1, to)
    if (last < first) continue
    const header = await readHeader(disk, path)
    if (header.kind !== 'header') throw LogFault.ofHeader(path, header)
    decoder.begin()
    const records = readSegment(disk, path, header.length, first)
    let next = await records.next()
    let number = first - 1
    for (; next.done !== true && number < last; next = await records.next()) {
      for (const record of next.value) {
        if (record.number > last) break
        const turn = LogFault.around(path, record.offset, () => decoder.decode(record.payload))
        number = record.number
        if (number >= from) yield turn
      }
    }
    if (next.done === true) {
      const isOpen = last === Number.POSITIVE_INFINITY && next.value.kind !== 'damaged'
      if (number < last && !isOpen) throw LogFault.ofDamage(path, next.value.offset, next.value.what)
    } else await records.return(next.value as never)
  }
}
