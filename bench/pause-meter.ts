// Loaded into the service before its own code (--import): how long its event loop was busy between two ticks of a timer of
// 1 ms, by the clock, and by the CPU time of its thread, which other processes of the machine do not disturb.

import { closeSync, openSync, readSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'

const TICK_MS = 1
/** The longest ones that are listed. */
const LISTED = 6

type Quantiles = Readonly<Record<'p50' | 'p90' | 'p99' | 'p999' | 'max', number>>

/** What a meter answers when it is asked; it begins anew then. */
export interface Pauses {
  readonly ticks: number
  readonly cpuMs: Quantiles
  readonly wallMs: Quantiles
  /** How many were longer than 5 ms of CPU time. */
  readonly over5: number
  /** The longest: CPU time, by the clock, of which garbage collection, and when, ms since the meter began. */
  readonly longest: readonly (readonly [cpuMs: number, wallMs: number, gcMs: number, atMs: number])[]
}

// The first thread of this process: ns on a core, ns waited for one, times it ran.
const file = openSync('/proc/self/schedstat', 'r')
const text = Buffer.alloc(64)
const threadNs = (): number => {
  // The system adds up the time of a thread that runs when that is asked for (getrusage), else every 4 ms.
  process.cpuUsage()
  const size = readSync(file, text, 0, text.length, 0)
  return Number(text.toString('latin1', 0, text.indexOf(0x20) === -1 ? size : text.indexOf(0x20)))
}

let cpu: number[] = []
let wall: number[] = []
let gaps: [cpuMs: number, wallMs: number, gcMs: number, atMs: number][] = []
let collections: { from: number; to: number }[] = []
let beganMs = performance.now()
let lastMs = beganMs
let lastNs = threadNs()

const round = (value: number): number => Math.round(value * 100) / 100

const tick = setInterval(() => {
  const ns = threadNs()
  const ms = performance.now()
  const cpuMs = (ns - lastNs) / 1e6
  const wallMs = ms - lastMs
  cpu.push(cpuMs)
  wall.push(wallMs)
  if (cpuMs > 2 || wallMs > 20) gaps.push([cpuMs, wallMs, lastMs, ms])
  lastMs = ms
  lastNs = ns
}, TICK_MS)
tick.unref()

new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    collections.push({ from: startTime, to: startTime + duration })
  }
}).observe({ entryTypes: ['gc'] })

const quantiles = (values: readonly number[]): Quantiles => {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) }
}

const collected = (from: number, to: number): number =>
  collections.reduce((sum, gc) => sum + Math.max(0, Math.min(to, gc.to) - Math.max(from, gc.from)), 0)

const report = (): Pauses => ({
  ticks: cpu.length,
  cpuMs: quantiles(cpu),
  wallMs: quantiles(wall),
  over5: cpu.filter((ms) => ms > 5).length,
  longest: gaps
    .toSorted((a, b) => b[0] - a[0])
    .slice(0, LISTED)
    .map(([cpuMs, wallMs, from, to]) => [
      round(cpuMs),
      round(wallMs),
      round(collected(from, to)),
      Math.round(from - beganMs),
    ]),
})

process.on('message', () => {
  // The observer of collections is called a little later.
  setTimeout(() => {
    process.send!(report())
    cpu = []
    wall = []
    gaps = []
    collections = []
    beganMs = lastMs = performance.now()
    lastNs = threadNs()
  }, 20)
})
process.channel?.unref()
process.on('exit', () => closeSync(file))
