// Reads large parts of a checkpoint on a thread, into shared memory, and sums them up there: reading, summing up and the first
// touch of the memory are half of what loading a large board takes, and the event loop builds the other half meanwhile.

import { Worker } from 'node:worker_threads'
import { THREAD_LIMITS } from '../domain/memory.ts'
import type { PartRead } from './disk.ts'
import type { PartAnswer, PartOrder } from './part-order.ts'

export class PartReader implements PartRead {
  private thread: Worker | undefined
  private asked = 0
  private readonly waiting = new Map<number, (sum: number | undefined) => void>()
  private isOver = false

  read(file: number, into: Uint8Array, start: number): Promise<number | undefined> {
    if (this.isOver) return Promise.resolve(undefined)
    const thread = (this.thread ??= this.begin())
    const number = ++this.asked
    return new Promise((resolve) => {
      this.waiting.set(number, resolve)
      thread.postMessage({ number, file, into, start } satisfies PartOrder)
    })
  }

  close(): void {
    this.lost()
    void this.thread?.terminate()
  }

  /** With the first part: there are boards without any. */
  private begin(): Worker {
    const thread = new Worker(new URL('./part-reader-thread.js', import.meta.url), {
      execArgv: [],
      resourceLimits: THREAD_LIMITS,
    })
    thread.on('message', ({ number, sum }: PartAnswer) => {
      this.waiting.get(number)?.(sum)
      this.waiting.delete(number)
    })
    thread.on('error', () => this.lost())
    thread.on('exit', () => this.lost())
    return thread
  }

  private lost(): void {
    this.isOver = true
    for (const resolve of this.waiting.values()) resolve(undefined)
    this.waiting.clear()
  }
}
