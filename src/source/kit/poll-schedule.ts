// When each target of a poller is due: after its interval, and not before a hold or a pause ends.

import type { ConnectorContext } from './connector.ts'
import { type Entry, newEntry } from './poll-entry.ts'
import type { PollLimits } from './poll-limits.ts'
import type { Hold, PollTarget } from './poll-target.ts'
import { jittered, type Pace } from './rate.ts'

export interface PollScheduleParts extends Pick<ConnectorContext, 'now' | 'chance'> {
  readonly limits: PollLimits
  /** Of the host. */
  readonly pace: Pace
  /** Holds a target back until a time, epoch ms, with the reason; undefined: it may be polled. */
  readonly holdOf: (target: PollTarget, nowAt: number) => Hold | undefined
}

/** A target that is held for longer is not part of the first round. */
const HELD_MS = 60_000

/** First polls are spread over this time, or over their interval where it is shorter. */
const START_MS = 1_000

/** When a target is due, without holds and pauses. */
const dueAtOf = ({ waiters, nextAt }: Entry): number => (waiters.length > 0 ? 0 : nextAt)

export class PollSchedule {
  readonly entries = new Map<string, Entry>()
  private readonly parts: PollScheduleParts
  private pausedUntil = 0
  private pausedBecause = ''

  constructor(parts: PollScheduleParts) {
    this.parts = parts
  }

  add(target: PollTarget): void {
    const { chance, now } = this.parts
    const nowAt = now()
    const nextAt = nowAt + chance() * Math.min(START_MS, target.intervalMs(nowAt))
    this.entries.set(target.key, newEntry(target, nowAt, nextAt))
  }

  dueAt(entry: Entry): number {
    return this.freeAt(entry, dueAtOf(entry))
  }

  /** How late a target is polled, ms, without holds and pauses. */
  behindMs(entry: Entry, nowAt: number): number {
    return Math.max(0, nowAt - this.freeAt(entry, entry.nextAt))
  }

  /** The next target: of those due the one with the best score, else the one due first. */
  next(nowAt: number): { readonly entry: Entry; readonly dueAt: number } | undefined {
    let best: Entry | undefined
    let bestAt = Number.POSITIVE_INFINITY
    let bestScore = Number.NEGATIVE_INFINITY
    for (const entry of this.entries.values()) {
      if (entry.isInFlight) continue
      const dueAt = this.dueAt(entry)
      // A pause of the source makes all of them due at its end: the one that has waited longest goes first, else the
      // first in the schedule would be polled every time.
      const score = nowAt >= dueAt ? (nowAt - dueAtOf(entry) + 1) * (entry.target.priority ?? 1) : nowAt - dueAt
      if (score <= bestScore) continue
      best = entry
      bestAt = dueAt
      bestScore = score
    }
    return best === undefined ? undefined : { entry: best, dueAt: bestAt }
  }

  /** Whether the outcome of every target is known, except of those that are held back. */
  isRoundDone(nowAt: number): boolean {
    for (const entry of this.entries.values()) {
      if (entry.isSettled || entry.isStale) continue
      if (this.heldUntil(entry, nowAt) - nowAt < HELD_MS) return false
    }
    return true
  }

  /** Why a target is not polled before a time, epoch ms; undefined: it may be. */
  obstacle({ target }: Entry, untilAt: number): string | undefined {
    const hold = this.parts.holdOf(target, this.parts.now())
    if (hold !== undefined && hold.untilAt > untilAt) return hold.reason
    if (this.pausedUntil > untilAt) return this.pausedBecause
    return this.parts.pace.quietUntil > untilAt ? 'its host asks for fewer requests' : undefined
  }

  hasPrices(): boolean {
    for (const { target } of this.entries.values()) if (target.kind === 'prices') return true
    return false
  }

  /** Schedules the next poll of a target an interval from now. */
  putOff(entry: Entry, jitter = this.parts.limits.jitter): void {
    const { now, chance } = this.parts
    const nowAt = now()
    entry.nextAt = nowAt + jittered(entry.target.intervalMs(nowAt), jitter, chance())
  }

  /** No target is polled before a time, epoch ms. */
  pause(untilAt: number, because: string): void {
    if (untilAt < this.pausedUntil) return
    this.pausedUntil = untilAt
    this.pausedBecause = because
  }

  /** Intervals have become shorter, or pauses are over: no target waits for longer than an interval from now. */
  hasten(): void {
    const nowAt = this.parts.now()
    for (const entry of this.entries.values()) {
      entry.nextAt = Math.min(entry.nextAt, nowAt + entry.target.intervalMs(nowAt))
    }
  }

  /** When a target that is due at a time may be polled. */
  private freeAt(entry: Entry, dueAt: number): number {
    const { now, pace } = this.parts
    return Math.max(dueAt, this.heldUntil(entry, now()), this.pausedUntil, pace.quietUntil)
  }

  private heldUntil({ target }: Entry, nowAt: number): number {
    return this.parts.holdOf(target, nowAt)?.untilAt ?? 0
  }
}
