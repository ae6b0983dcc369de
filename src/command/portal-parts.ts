// What the portal shows of the running service: its health, for operators, and the public status page.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Access } from '../access/access.ts'
import * as clock from '../clock.ts'
import { SPORTS } from '../domain/sport.ts'
import type { Engine } from '../engine/engine.ts'
import type { FileLog } from '../log/file-log.ts'
import type { StatusRow } from '../portal/portal.ts'
import type { Broker } from '../stomp/broker.ts'
import type { Build } from './build.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { LogSpace } from './log-space.ts'

export interface HealthParts {
  readonly access: Access
  readonly engine: Engine
  readonly broker: Broker
  readonly log: FileLog
  readonly checkpoints: Checkpoints
  readonly space: LogSpace
  /** Reasons why the service is not ready. */
  readonly notReady: () => readonly string[]
  readonly build: Build
}

/** Interval in which the delay of the event loop is measured, and over which it is shown. */
const RESOLUTION_MS = 10
const SHOWN_MS = 60_000

/** Delay of the event loop in the last minute or two, ms. */
const newLoopDelay = (): (() => object) => {
  const [older, newer] = [
    monitorEventLoopDelay({ resolution: RESOLUTION_MS }),
    monitorEventLoopDelay({ resolution: RESOLUTION_MS }),
  ]
  const both = [older, newer]
  for (const histogram of both) histogram.enable()
  setInterval(() => {
    // The one that is shown was reset a minute ago.
    both.reverse()
    both[1]!.reset()
  }, SHOWN_MS).unref()
  // The histogram holds whole intervals; the delay is what exceeds the interval.
  const msOf = (ns: number): number => Math.max(0, Math.round(ns / 1e4) / 100 - RESOLUTION_MS)
  return () => {
    const [histogram] = both
    if (histogram === undefined || histogram.count === 0) return { p50Ms: 0, p99Ms: 0, maxMs: 0 }
    return {
      p50Ms: msOf(histogram.percentile(50)),
      p99Ms: msOf(histogram.percentile(99)),
      maxMs: msOf(histogram.max),
    }
  }
}

/** State of the process, its store, its log and the live channel. Octets, milliseconds, seconds, as the names say. */
export const newHealth = (parts: HealthParts): (() => object) => {
  const { access, engine, broker, log, checkpoints, space, notReady, build } = parts
  const loopDelay = newLoopDelay()
  return () => {
    const reasons = notReady()
    const { rss, heapUsed } = process.memoryUsage()
    return {
      at: new Date(clock.now()).toISOString(),
      version: build.version,
      revision: build.revision,
      uptimeSeconds: Math.round(process.uptime()),
      ready: reasons.length === 0,
      reasons,
      eventLoop: loopDelay(),
      memory: { residentBytes: rss, heapUsedBytes: heapUsed },
      store: access.storeHealth,
      log: {
        position: log.position,
        unwrittenTurns: log.position - log.written,
        trouble: log.trouble ?? null,
        diskBytes: log.bytesOnDisk,
        freeBytes: space.freeBytes ?? null,
        turnsSinceCheckpoint: log.position - checkpoints.position,
      },
      board: {
        quotesMax: engine.board.quotesMax,
        events: engine.board.catalogue.eventCount,
        held: Object.fromEntries(engine.board.capacity.all.map(({ kind, held, max }) => [kind, held / max])),
      },
      live: {
        sessions: broker.sessionCount,
        behind: broker.behindCount,
        subscriptions: broker.subscriptionCount,
        degraded: broker.degradedCount,
      },
    }
  }
}

/** How long the public status is kept: it needs no login. */
const STATUS_MS = 1_000

/** The bookmakers that coverage shows to customers, with the health of their sources. */
export const newStatus = (engine: Engine, access: Access): (() => readonly StatusRow[]) => {
  let rows: readonly StatusRow[] = []
  let until = 0
  return () => {
    const nowMs = clock.elapsedMs()
    if (nowMs < until) return rows
    until = nowMs + STATUS_MS
    const { registry } = access
    rows = registry.bookmakers
      .filter(({ slug }) => SPORTS.some((sport) => registry.isCovered(slug, sport)))
      .map(({ slug, displayName }) => {
        const health = engine.reader.healthOf(engine.reader.bookmakerNumber(slug))
        const { state = 'unknown', behindMs = null } = health ?? {}
        // Of a source that is silent the last delay says nothing about now.
        return { slug, displayName, state, delayMs: state === 'live' || state === 'late' ? behindMs : null }
      })
    return rows
  }
}
