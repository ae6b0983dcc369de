// Loaded before the program: at SIGUSR2, it prints what of the process must not grow, as one line of JSON.

import { readdirSync, readlinkSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const FOLDER = '/proc/self/fd'

export interface MemoryReport {
  /** Octets of all buffers that are in use, shared ones included. */
  readonly buffers: number
  /** Where the open descriptors lead. */
  readonly descriptors: readonly string[]
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const report = (): void => {
  collect()
  const descriptors = readdirSync(FOLDER).flatMap((name) => {
    try {
      return [readlinkSync(`${FOLDER}/${name}`)]
    } catch {
      // That of the folder itself.
      return []
    }
  })
  process.stdout.write(`${JSON.stringify({ buffers: process.memoryUsage().arrayBuffers, descriptors })}\n`)
}

if (isMainThread) process.on('SIGUSR2', report)
