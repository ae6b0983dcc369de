// Writes that the event loop waits for, but never for long. A thread makes the call: the event loop sleeps until it is
// done, for a few milliseconds at most. On one core that costs two switches, some 10 us: a tenth of what a call costs that
// the event loop hears of later. A disk that hangs holds up the thread alone.
//
//   write ──▶ ASKED ──▶ thread: writeSync ──▶ DONE ──▶ returned
//                                    └── later than msMax: LATE ──▶ a message, idle

import { Worker } from 'node:worker_threads'
import { THREAD_LIMITS } from '../domain/memory.ts'
import type { QuickWrite } from './disk.ts'
import { ASKED, DONE, END, FD, LATE, LENGTH, type QuickMemory, WRITTEN } from './quick-memory.ts'

/** Larger writes do not need it: they are rare. */
const OCTETS_MAX = 256 * 1024
const NUMBER_MAX = 2 ** 30

export class QuickWriter implements QuickWrite {
  /** Resolves when the thread has ended a write that was late; undefined: there is none. */
  idle: Promise<void> | undefined
  private readonly msMax: number
  private readonly memory: QuickMemory = {
    numbers: new Int32Array(new SharedArrayBuffer(8 * Int32Array.BYTES_PER_ELEMENT)),
    position: new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)),
    octets: new Uint8Array(new SharedArrayBuffer(OCTETS_MAX)),
  }
  /** Resolves when the thread has ended. */
  readonly ended: Promise<unknown>
  private readonly thread: Worker
  private state: 'starting' | 'ready' | 'ended' = 'starting'
  private asked = 0
  private becameIdle: () => void = () => {}

  /** @param msMax the event loop waits so long */
  constructor(msMax: number) {
    this.msMax = msMax
    this.thread = new Worker(new URL('./quick-writer-thread.js', import.meta.url), {
      workerData: this.memory,
      execArgv: [],
      resourceLimits: THREAD_LIMITS,
    })
    this.thread.on('message', (number: number) => this.answered(number))
    // Without it all is written in the other way.
    this.thread.on('error', () => this.lost())
    this.thread.on('exit', () => this.lost())
    this.ended = new Promise((resolve) => this.thread.on('exit', resolve))
    // After the listeners, which would hold the process.
    this.thread.unref()
  }

  write(fd: number, bytes: Uint8Array, from: number): number | undefined {
    const { numbers, position, octets } = this.memory
    if (this.state !== 'ready' || this.idle !== undefined || bytes.length > OCTETS_MAX) return undefined
    octets.set(bytes)
    numbers[FD] = fd
    numbers[LENGTH] = bytes.length
    position[0] = from
    const before = this.asked
    this.asked = before === NUMBER_MAX ? 1 : before + 1
    Atomics.store(numbers, ASKED, this.asked)
    Atomics.notify(numbers, ASKED)
    Atomics.wait(numbers, DONE, before, this.msMax)
    if (this.isDone) return numbers[WRITTEN]!
    Atomics.store(numbers, LATE, this.asked)
    // It may have been done before it could see that.
    if (this.isDone) return numbers[WRITTEN]!
    this.idle = new Promise((resolve) => (this.becameIdle = resolve))
    // Somebody may wait for that alone.
    this.thread.ref()
    return undefined
  }

  close(): void {
    this.state = 'ended'
    // If the disk hangs, the process ends all the same.
    this.thread.unref()
    Atomics.store(this.memory.numbers, ASKED, END)
    Atomics.notify(this.memory.numbers, ASKED)
  }

  private get isDone(): boolean {
    return Atomics.load(this.memory.numbers, DONE) === this.asked
  }

  /** @param number of a write that was late; 0: the thread has begun */
  private answered(number: number): void {
    if (number === 0) {
      if (this.state === 'starting') this.state = 'ready'
      return
    }
    // One that was just in time is answered too, perhaps while the next one is late: its octets are still in use.
    if (number === this.asked) this.settle()
  }

  private lost(): void {
    this.state = 'ended'
    this.settle()
  }

  private settle(): void {
    this.idle = undefined
    this.thread.unref()
    this.becameIdle()
  }
}
