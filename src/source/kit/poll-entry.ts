// A target in the schedule of a poller: when it is due, and when what it said last can no longer be believed.

import type { Validators } from './http-client.ts'
import { type PollLimits, staleMsOf } from './poll-limits.ts'
import type { PollTarget } from './poll-target.ts'

export interface Entry {
  target: PollTarget
  /** When it is due, epoch ms. */
  nextAt: number
  /** When it was due by its interval alone, whatever pauses it has had since. */
  plannedAt: number
  /** When its last good answer came; at first: when it came itself. */
  okAt: number
  /** It was answered well once. */
  hasAnswered: boolean
  /** Since when it is not there; null: it is. */
  goneAt: number | null
  /** In a row. */
  failures: number
  validators: Validators | null
  isInFlight: boolean
  isDropped: boolean
  /** What it said is suspected. */
  isStale: boolean
  /** It was answered once, so that it is known what it has, or that another try would not help. */
  isSettled: boolean
  /** Refreshes that want it polled now. */
  waiters: ((problem: string | undefined) => void)[]
}

/** @param nextAt when it is polled first, epoch ms */
export const newEntry = (target: PollTarget, nowAt: number, nextAt: number): Entry => ({
  target,
  nextAt,
  plannedAt: nextAt,
  okAt: nowAt,
  hasAnswered: false,
  goneAt: null,
  failures: 0,
  validators: null,
  isInFlight: false,
  isDropped: false,
  isStale: false,
  isSettled: false,
  waiters: [],
})

/**
 * When what a target said last is not believed any more, epoch ms, whether it fails or has no turn. An interval that has
 * become shorter since, at kickoff, leaves one of its own to the poll that was planned by the longer one.
 */
export const staleAtOf = ({ target, okAt, plannedAt }: Entry, limits: PollLimits, nowAt: number): number => {
  const intervalMs = target.intervalMs(nowAt)
  return Math.max(okAt + staleMsOf(intervalMs, limits), plannedAt + intervalMs)
}

/** Requests a second that targets need for all of them to keep their intervals. */
export const requestsNeeded = (entries: Iterable<Entry>, nowAt: number): number => {
  let needed = 0
  for (const { target } of entries) needed += 1_000 / target.intervalMs(nowAt)
  return needed
}

/** Those of a kind, so many of each group. */
export const someOfEach = (kind: PollTarget['kind'], entries: Iterable<Entry>, perGroup: number): Entry[] => {
  const counts = new Map<string, number>()
  const some: Entry[] = []
  for (const entry of entries) {
    const { group } = entry.target
    const count = counts.get(group) ?? 0
    if (entry.target.kind !== kind || count >= perGroup) continue
    counts.set(group, count + 1)
    some.push(entry)
  }
  return some
}
