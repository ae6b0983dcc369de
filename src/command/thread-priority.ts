// Threads that must not keep the event loop from its core. Where the service has one core, or all are busy, the system
// shares it: while V8 marks and compiles beside the event loop, or a checkpoint is made, a message waits for slices of
// several milliseconds. With 20 000 SENDs a second to 50 subscribers on one core that is the tail: p99 33 ms, and 11 ms
// with the threads of V8 at this priority; 22 ms where they have it from the start, since the code is compiled late then
// (the load of P7, medians of four rounds).

import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * As `nice`: a tenth of the weight of the event loop each. Where that never sleeps, its code is still compiled, or it would stay
 * slow; and checkpoints go on, or the log would grow without end.
 */
const BACKGROUND_NICE = 10

/** What is called often from the start is compiled by then, ms. */
const WARM_MS = 5_000

/** Node begins these before any other thread: one for delayed tasks, and four workers (`--v8-pool-size`). */
const V8_THREADS = 5

/** Above all numbers of threads (proc(5), `pid_max`). */
const NUMBER_END = 2 ** 22

/**
 * The threads of V8 among those of a process: the first that it began. Numbers ascend, and begin anew at the end.
 * @param pid number of its first thread, which is the event loop's
 */
export const threadsOfV8 = (pid: number, threads: readonly number[]): readonly number[] =>
  threads
    .filter((thread) => thread !== pid)
    .map((thread) => (thread > pid ? thread : thread + NUMBER_END))
    .sort((a, b) => a - b)
    .slice(0, V8_THREADS)
    .map((thread) => thread % NUMBER_END)

// Elsewhere `nice` is of a whole process (setpriority(2): on Linux, of a thread).
const isOfThreads = process.platform === 'linux'

/** @param thread 0: the one that calls */
const lower = (thread: number): void => {
  if (getPriority(thread) < BACKGROUND_NICE) setPriority(thread, BACKGROUND_NICE)
}

/** Lets the event loop go before V8's own threads, for the rest of the process. Without effect where that is not possible. */
export const yieldV8 = (): void => {
  if (!isOfThreads) return
  try {
    const threads = readdirSync('/proc/self/task').map(Number)
    for (const thread of threadsOfV8(process.pid, threads)) lower(thread)
  } catch {
    // They share the core as before.
  }
}

/** {@link yieldV8}, when the process has run for a while. */
export const yieldV8Soon = (): void => {
  setTimeout(yieldV8, WARM_MS).unref()
}

/**
 * How V8 collects what is young, for the rest of the process.
 *
 * Each thread looks through its young objects by itself. V8 would wake its own threads for that, some ten times a second under
 * load; hardly any young object is left then, so that there is nothing to share: a SEND of ten prices, all threads together,
 * took 1.2 times as long.
 *
 * All objects begin young. V8 would make those old from the start whose like have outlived a look, as turns do that wait for a
 * write. An object that is old, though nobody needs it any more, keeps all that it refers to until what is old is looked
 * through: half of all that a SEND had made grew old so, and a SEND took 1.07 to 1.1 times as long. (Pairs of rounds in two
 * processes.)
 */
export const collectAlone = (): void => {
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/** In percent: what is old is looked through again when it has doubled. */
const OLD_GROWTH = 100

/**
 * Lets what is old double before V8 looks through all of it, for the rest of the process: its objects, and the octets of buffers.
 * V8's own measure is between a tenth, or 8 MB, where it grows slowly, and three times as much.
 *
 * Of a service under load some megabytes a second grow old, most of which was in use when what is young was collected. V8 looked
 * through 60 MB of objects once a second and more often for that: collecting took 11 % of the CPU time of a SEND over TCP, and 4
 * so. A SEND takes 0.91 of what it took (medians of 96 windows of 90 ms in turn, of three processes), and 0.92 with 50; but with
 * that V8 collected more often than by its own measure where REST gives many large pages of an event list that changes, and not so with 100.
 */
export const collectOldSeldom = (): void => setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH}`)

/**
 * Makes a function that collects what is young of this thread, at once: for work that makes much that stays, in steps.
 * V8 has no other interface for it than the function that its flag gives to new contexts. One of these takes some
 * milliseconds: it is made at the start, not when the function is first needed.
 */
export const newCollectYoung = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void
  setFlagsFromString('--no-expose-gc')
  return () => collect({ type: 'minor' })
}

/** Lets all others go before the thread that calls it. */
export const yieldThread = (): void => {
  if (!isOfThreads) return
  try {
    lower(0)
  } catch {
    // As above.
  }
}
