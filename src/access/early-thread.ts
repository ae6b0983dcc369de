// The store's thread, begun before anything else of a start: Node needs 100 ms for a thread, and 60 to load its code, while the
// event loop loads the program and reads the log. An empty service is ready in 501 ms so, in 585 without, and in 568 where
// the thread begins with the log (medians of 14 rounds). It touches no file before it is told what to open.

import { Worker } from 'node:worker_threads'
import { THREAD_LIMITS } from '../domain/memory.ts'
import type { ThreadData } from './store-messages.ts'

let early: Worker | undefined

/** @param data undefined: it is told later */
const begin = (data: ThreadData | undefined): Worker =>
  // The compiler does not rewrite this name: it is the name of the compiled file.
  // Closing a descriptor of a database releases all locks that the process has on that file, those of the
  // replacement thread included (fcntl(2)): so Node must not close what a thread leaves open.
  new Worker(new URL('./store-thread.js', import.meta.url), {
    workerData: data,
    trackUnmanagedFds: false,
    resourceLimits: THREAD_LIMITS,
  })

/** Begins the first store thread of this process. It ends with the process, also where no store is opened. */
export const beginEarly = (): void => {
  try {
    const worker = begin(undefined)
    worker.unref()
    early = worker
    // The store is opened by another thread then, and says why that ends.
    worker.on('error', () => {})
    worker.once('exit', () => {
      if (worker === early) early = undefined
    })
  } catch {
    // As above.
  }
}

/** A thread that opens a store: the early one, or a new one. */
export const beginThread = (data: ThreadData): Worker => {
  const worker = early
  early = undefined
  if (worker === undefined) return begin(data)
  worker.ref()
  worker.postMessage(data)
  return worker
}
