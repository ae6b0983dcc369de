// Values of the process, of Node and of the build, under the names that dashboards for Prometheus expect. All are read on
// scrape, without a look at each handle: a scrape takes less than a millisecond, also with 20 000 connections.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks'
import { getHeapSpaceStatistics, type HeapSpaceInfo } from 'node:v8'
import { elapsedMs } from '../clock.ts'
import { Durations } from '../durations.ts'
import type { Metrics } from '../metrics.ts'
import type { Build } from './build.ts'
import { descriptorLimit } from './connection-limits.ts'

const US_PER_S = 1e6
const NS_PER_S = 1e9

/** Interval in which the delay of the event loop is measured. */
const RESOLUTION_MS = 10

/** Octets by `/proc/self/status`; none where the system has no such file. */
const memoryOf = (name: string): number[] => {
  try {
    const status = readFileSync('/proc/self/status', 'latin1')
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
    return kilobytes === undefined ? [] : [Number(kilobytes) * 1024]
  } catch {
    return []
  }
}

/** Linux 6.2 and later gives their number as the size of the folder; reading 20 000 names takes 20 ms. */
const openDescriptors = (): number[] => {
  try {
    const { size } = statSync('/proc/self/fd')
    // Reading needs one itself.
    return [size > 0 ? size : readdirSync('/proc/self/fd').length - 1]
  } catch {
    return []
  }
}

const valuesOf = (values: readonly number[]) => values.map((value) => ({ value }))

/** Registers `process_…`, `nodejs_…` and the build. */
export const readOutProcess = (metrics: Metrics, build: Build): void => {
  metrics.readOut('oddswire_build_info', 'The build that runs: always 1.', () => [
    { labels: { version: build.version, revision: build.revision, node_version: process.version }, value: 1 },
  ])
  readOutSystem(metrics)
  readOutEventLoop(metrics)
  readOutHeap(metrics)
  readOutCollections(metrics)
  const [major = '', minor = '', patch = ''] = process.version.slice(1).split('.')
  metrics.readOut('nodejs_version_info', 'Version of Node.js: always 1.', () => [
    { labels: { version: process.version, major, minor, patch }, value: 1 },
  ])
}

const readOutSystem = (metrics: Metrics): void => {
  const cpu = (name: string, help: string, valueOf: (usage: NodeJS.CpuUsage) => number): void =>
    metrics.readOutCounter(name, help, () => [{ value: valueOf(process.cpuUsage()) / US_PER_S }])
  cpu('process_cpu_user_seconds_total', 'User CPU time, of all threads.', ({ user }) => user)
  cpu('process_cpu_system_seconds_total', 'System CPU time, of all threads.', ({ system }) => system)
  cpu('process_cpu_seconds_total', 'User and system CPU time, of all threads.', ({ user, system }) => user + system)
  metrics.readOut(
    'process_start_time_seconds',
    'When the process started, Unix time.',
    () => performance.timeOrigin / 1000,
  )
  metrics.readOut('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  metrics.readOut('process_virtual_memory_bytes', 'Virtual memory.', () => valuesOf(memoryOf('VmSize')))
  metrics.readOut('process_heap_bytes', 'Data segment of the process.', () => valuesOf(memoryOf('VmData')))
  metrics.readOut('process_open_fds', 'Open file descriptors.', () => valuesOf(openDescriptors()))
  const descriptors = descriptorLimit()
  metrics.readOut('process_max_fds', 'File descriptors that may be open.', () => descriptors)
}

const readOutEventLoop = (metrics: Metrics): void => {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  // The histogram holds whole intervals; the lag is what exceeds the interval.
  const lagOf = (ns: number): number => Math.max(0, ns / NS_PER_S - RESOLUTION_MS / 1000)
  let nowS = 0
  let since = { min: 0, max: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0 }
  metrics.readOut('nodejs_eventloop_lag_seconds', 'Lag of the event loop at the scrape before this one.', () => {
    const { count, min, max, mean, stddev } = histogram
    const [p50, p90, p99] = [50, 90, 99].map((share) => lagOf(histogram.percentile(share))) as [number, number, number]
    since =
      count === 0
        ? { min: 0, max: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0 }
        : { min: lagOf(min), max: lagOf(max), mean: lagOf(mean), stddev: stddev / NS_PER_S, p50, p90, p99 }
    histogram.reset()
    const startedMs = elapsedMs()
    setImmediate(() => {
      nowS = (elapsedMs() - startedMs) / 1000
    })
    return nowS
  })
  for (const name of Object.keys(since) as (keyof typeof since)[]) {
    const help = `Lag of the event loop since the last scrape: ${name}.`
    metrics.readOut(`nodejs_eventloop_lag_${name}_seconds`, help, () => since[name])
  }
}

const readOutHeap = (metrics: Metrics): void => {
  const heap = (name: string, help: string, valueOf: (usage: NodeJS.MemoryUsage) => number): void =>
    metrics.readOut(name, help, () => valueOf(process.memoryUsage()))
  heap('nodejs_heap_size_total_bytes', 'Size of the heap of JavaScript.', ({ heapTotal }) => heapTotal)
  heap('nodejs_heap_size_used_bytes', 'Part of it that is used.', ({ heapUsed }) => heapUsed)
  heap('nodejs_external_memory_bytes', 'Memory outside of it that objects hold.', ({ external }) => external)
  const spaces = (name: string, help: string, valueOf: (space: HeapSpaceInfo) => number): void =>
    metrics.readOut(`nodejs_heap_space_size_${name}_bytes`, help, () =>
      getHeapSpaceStatistics().map((space) => ({
        labels: { space: space.space_name.replace(/_space$/, '') },
        value: valueOf(space),
      })),
    )
  spaces('total', 'Size of each space of the heap.', ({ space_size }) => space_size)
  spaces('used', 'Part of each space that is used.', ({ space_used_size }) => space_used_size)
  spaces('available', 'Part of each space that is free.', ({ space_available_size }) => space_available_size)
}

const KINDS: readonly (readonly [kind: number, name: string])[] = [
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]

const readOutCollections = (metrics: Metrics): void => {
  const byKind = new Map(KINDS.map(([kind, name]) => [kind, { labels: { kind: name }, durations: new Durations() }]))
  new PerformanceObserver((list) => {
    // The typings omit the details of an entry.
    const entries = list.getEntries() as (PerformanceEntry & { readonly detail: { readonly kind: number } })[]
    for (const { duration, detail } of entries) byKind.get(detail.kind)?.durations.add(duration)
  }).observe({ entryTypes: ['gc'] })
  metrics.readOutDurations('nodejs_gc_duration_seconds', 'Garbage collections of the main thread, by kind.', () => [
    ...byKind.values(),
  ])
}
