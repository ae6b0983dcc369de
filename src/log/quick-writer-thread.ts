// The thread of a QuickWriter: see there.

import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { ASKED, DONE, END, FD, LATE, LENGTH, type QuickMemory, WRITTEN } from './quick-memory.ts'

const { numbers, position, octets } = workerData as QuickMemory

parentPort!.postMessage(0)
let last = 0
for (;;) {
  Atomics.wait(numbers, ASKED, last)
  const asked = Atomics.load(numbers, ASKED)
  if (asked === END) break
  if (asked === last) continue
  last = asked
  let written = -1
  try {
    written = writeSync(numbers[FD]!, octets, 0, numbers[LENGTH]!, position[0]!)
  } catch {
    // Whoever asked writes again, in another way, and reports what that gives.
  }
  numbers[WRITTEN] = written
  Atomics.store(numbers, DONE, asked)
  Atomics.notify(numbers, DONE)
  if (Atomics.load(numbers, LATE) === asked) parentPort!.postMessage(asked)
}
// Of this thread alone.
process.exit()
