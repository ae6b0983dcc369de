// Simulated time: this module replaces the clock and the timers of the process. Import it before anything of the product:
// src/clock.ts reads the time when it is loaded.
//
// Nothing happens by itself. `run` calls what is due, in the order of its time, and after each call waits until no promise
// has anything left to do.

import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import promises from 'node:timers/promises'

const realSetImmediate = globalThis.setImmediate
const realMicrotask = globalThis.queueMicrotask

/** When each run begins, epoch ms: an hour ends five minutes later. */
export const SIM_START = 1_790_002_500_000

/** A process of several: what it waits for is its own. */
export interface Owner {
  readonly name: string
}

interface Due {
  atMs: number
  order: number
  /** Undefined: the only process, or the world outside. */
  readonly owner: Owner | undefined
  readonly call: () => void
  /** Of an interval; undefined: it is called once. */
  everyMs: number | undefined
  isOver: boolean
}

/** The parts of a timer that the product uses. */
class Timer {
  readonly due: Due

  constructor(due: Due) {
    this.due = due
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }
}

/** Iterations of the event loop without a moment passing, after which it is busy for ever. */
const ROUNDS_MAX = 100_000

export class SimulatedTime {
  /** Since the start of the run, ms; with a fraction. */
  nowMs = 0
  /** How far the clock of the system is ahead of the time. */
  stepMs = 0
  private heap: Due[] = []
  private immediates: Due[] = []
  private order = 0
  private isTouched = false
  /** Processes that do nothing until a time. */
  private readonly paused = new Map<Owner, number>()
  private readonly owners = new AsyncLocalStorage<Owner>()

  /** All of it begins again. */
  reset(): void {
    this.nowMs = 0
    this.stepMs = 0
    this.heap = []
    this.immediates = []
    this.order = 0
    this.isTouched = false
    this.paused.clear()
  }

  /** The process has ended: nothing that it waits for happens. @param owner of several, this one */
  endProcess(owner?: Owner): void {
    const stays = (due: Due): boolean => this.kept.has(due) || (owner !== undefined && due.owner !== owner)
    this.heap = this.heap.filter(stays).toSorted((a, b) => (isBefore(a, b) ? -1 : 1))
    this.immediates = this.immediates.filter(stays)
    if (owner !== undefined) this.paused.delete(owner)
  }

  /** Does what a process does: what it waits for after that is its own, also behind promises. */
  as<T>(owner: Owner, act: () => T): T {
    return this.owners.run(owner, act)
  }

  /** Like SIGSTOP: what is due of a process meanwhile comes late. */
  pause(owner: Owner, ms: number): void {
    this.paused.set(owner, Math.max(this.nowMs + ms, this.paused.get(owner) ?? 0))
  }

  isPaused(owner: Owner): boolean {
    return (this.paused.get(owner) ?? 0) > this.nowMs
  }

  /** What a process still waits for: shown, each once. */
  left(owner: Owner): string[] {
    const dues = [...this.heap, ...this.immediates].filter((due) => due.owner === owner && !due.isOver)
    return [...new Set(dues.map(({ call, everyMs }) => `${everyMs ?? 'once'} ${call}`))]
  }

  private readonly kept = new WeakSet<Due>()

  get wallMs(): number {
    return SIM_START + this.nowMs + this.stepMs
  }

  /** A promise may have something to do. */
  touch(): void {
    this.isTouched = true
  }

  after(ms: number, call: () => void, everyMs?: number, owner = this.owners.getStore()): Due {
    const due = { atMs: this.nowMs + Math.max(ms, 0), order: this.order++, owner, call, everyMs, isOver: false }
    this.push(due)
    return due
  }

  /** Of the world outside of the process: it happens although the process ends. */
  outside(ms: number, call: () => void): void {
    this.kept.add(this.owners.exit(() => this.after(ms, call)))
  }

  soon(call: () => void): Due {
    const owner = this.owners.getStore()
    const due = { atMs: this.nowMs, order: this.order++, owner, call, everyMs: undefined, isOver: false }
    this.immediates.push(due)
    return due
  }

  /** Calls all that is due until a time. */
  async run(untilMs: number, until?: () => boolean): Promise<void> {
    await this.drain()
    let rounds = 0
    for (;;) {
      if (until?.() === true) return
      if (this.immediates.length > 0) {
        if (++rounds > ROUNDS_MAX) throw new Error(`the event loop is busy for ever: ${this.immediates[0]!.call}`)
        // Those that are added meanwhile belong to the next iteration of the event loop.
        const round = this.immediates
        this.immediates = []
        for (const due of round) {
          if (due.isOver || this.waits(due)) continue
          due.isOver = true
          this.call(due)
          await this.drain()
        }
        continue
      }
      rounds = 0
      const first = this.heap[0]
      if (first === undefined || first.atMs > untilMs) break
      this.pop()
      if (first.isOver || this.waits(first)) continue
      this.nowMs = Math.max(this.nowMs, first.atMs)
      if (first.everyMs === undefined) first.isOver = true
      else {
        first.atMs = this.nowMs + first.everyMs
        this.push(first)
      }
      this.call(first)
      await this.drain()
    }
    this.nowMs = Math.max(this.nowMs, untilMs)
  }

  private call({ owner, call }: Due): void {
    if (owner === undefined) call()
    else this.owners.run(owner, call)
  }

  /** Whether its process is paused: then it comes behind all that was due before. */
  private waits(due: Due): boolean {
    const untilMs = due.owner === undefined ? undefined : this.paused.get(due.owner)
    if (untilMs === undefined || untilMs <= Math.max(due.atMs, this.nowMs)) return false
    due.atMs = untilMs
    due.order = this.order++
    this.push(due)
    return true
  }

  private async drain(): Promise<void> {
    while (this.isTouched) {
      this.isTouched = false
      await new Promise<void>((resolve) => realSetImmediate(resolve))
    }
  }

  private push(due: Due): void {
    const { heap } = this
    let place = heap.length
    heap.push(due)
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isBefore(due, heap[parent]!)) break
      heap[place] = heap[parent]!
      place = parent
    }
    heap[place] = due
  }

  private pop(): void {
    const { heap } = this
    const last = heap.pop()!
    if (heap.length === 0) return
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[place] = heap[child]!
      place = child
    }
    heap[place] = last
  }
}

const isBefore = (a: Due, b: Due): boolean => (a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs)

export const TIME = new SimulatedTime()

const clear = (timer: Timer | undefined): void => {
  if (timer instanceof Timer) timer.due.isOver = true
}

const touched =
  (call: (...args: unknown[]) => void, args: unknown[]): (() => void) =>
  () => {
    TIME.touch()
    call(...args)
  }

Object.assign(globalThis, {
  setTimeout: (call: () => void, ms = 1, ...args: unknown[]) =>
    new Timer(TIME.after(Math.max(ms, 1), touched(call, args))),
  setInterval: (call: () => void, ms = 1, ...args: unknown[]) =>
    new Timer(
      TIME.after(Math.max(ms, 1), args.length === 0 ? call : () => call.apply(undefined, args as []), Math.max(ms, 1)),
    ),
  setImmediate: (call: () => void, ...args: unknown[]) => new Timer(TIME.soon(touched(call, args))),
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: clear,
  queueMicrotask: (call: () => void) => {
    TIME.touch()
    realMicrotask(call)
  },
})
performance.now = () => TIME.nowMs
Date.now = () => TIME.wallMs

Object.assign(promises, {
  setTimeout: (ms: number, value: unknown) =>
    new Promise((resolve) => {
      TIME.after(ms, () => {
        TIME.touch()
        resolve(value)
      })
    }),
  setImmediate: (value: unknown) =>
    new Promise((resolve) => {
      TIME.soon(() => {
        TIME.touch()
        resolve(value)
      })
    }),
})
// The host is never suspended.
os.uptime = () => TIME.nowMs / 1_000
syncBuiltinESMExports()
