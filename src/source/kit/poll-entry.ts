// A target in the schedule of a poller: when it is due, and when it becomes stale.

import type { Validators } from './http-client.ts'
import { type PollLimits, staleMsOf } from './poll-limits.ts'
import type { PollTarget } from './poll-target.ts'

export interface Entry {
  target: PollTarget
  /** When it is due, epoch ms. */
  nextAt: number
  /** When it was due by its interval alone, without later pauses. */
  plannedAt: number
  /** Time of its last good answer; at first the time when it was added. */
  okAt: number
  /** It has had a good answer. */
  hasAnswered: boolean
  /** Since when its URL is missing; null: it exists. */
  goneAt: number | null
  /** Failures in a row. */
  failures: number
  validators: Validators | null
  /** Since its last request it is known that a 304 would not be enough: the next one is unconditional. */
  isRenewed: boolean
  isInFlight: boolean
  isDropped: boolean
  /** Its quotes are suspect. */
  isStale: boolean
  /** It was answered once: it is known what it has, or that another try would not help. */
  isSettled: boolean
  /** Refreshes that wait for it to be polled now. */
  waiters: ((problem: string | undefined) => void)[]
}

/** @param nextAt time of its first poll, epoch ms */
export const newEntry = (target: PollTarget, nowAt: number, nextAt: number): Entry => ({
  target,
  nextAt,
  plannedAt: nextAt,
  okAt: nowAt,
  hasAnswered: false,
  goneAt: null,
  failures: 0,
  validators: null,
  isRenewed: false,
  isInFlight: false,
  isDropped: false,
  isStale: false,
  isSettled: false,
  waiters: [],
})

/**
 * When the last answer of a target becomes stale, epoch ms, whether the target fails or is not polled. An interval that
 * became shorter, at kickoff, leaves one interval to the poll that was planned with the longer one.
 */
export const staleAtOf = ({ target, okAt, plannedAt }: Entry, limits: PollLimits, nowAt: number): number => {
  const intervalMs = target.intervalMs(nowAt)
  return Math.max(okAt + staleMsOf(intervalMs, limits), plannedAt + intervalMs)
}

/** Suspects the quotes of a target, once. */
export const suspectStale = (entry: Entry, nowAt: number): void => {
  const { stale } = entry.target
  if (entry.isStale || stale === undefined) return
  entry.isStale = true
  stale(nowAt)
}

/** Requests a second that all targets need to keep their intervals. */
export const requestsNeeded = (entries: Iterable<Entry>, nowAt: number): number => {
  let needed = 0
  for (const { target } of entries) needed += 1_000 / target.intervalMs(nowAt)
  return needed
}

/** Up to `perGroup` entries of a kind from each group. */
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
