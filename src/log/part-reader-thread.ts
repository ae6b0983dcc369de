// The thread of a PartReader: see there.

import { readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import type { PartAnswer, PartOrder } from './part-order.ts'

/** Octets that are read and summed up at once: they stay in the processor's cache. */
const BLOCK = 1 << 18

const read = ({ file, into, start }: PartOrder): number | undefined => {
  let sum = 0
  for (let done = 0; done < into.length; ) {
    const size = readSync(file, into, done, Math.min(into.length - done, BLOCK), start + done)
    if (size === 0) return undefined
    sum = crc32(into.subarray(done, done + size), sum)
    done += size
  }
  return sum
}

parentPort!.on('message', (order: PartOrder) => {
  let sum: number | undefined
  try {
    sum = read(order)
  } catch {
    // Whoever asked reads it again, and reports what that gives.
  }
  parentPort!.postMessage({ number: order.number, sum } satisfies PartAnswer)
})
