// Watches targets that are not answered: suspects them in time, even if their next poll is far away, and warns when
// more requests are configured than allowed.

import { requestsNeeded, staleAtOf, suspectStale } from './poll-entry.ts'
import type { PollLimits } from './poll-limits.ts'
import type { PollSchedule } from './poll-schedule.ts'
import type { Problems } from './problems.ts'

/** The longest time between two looks. */
const WATCH_MS = 1_000

/** A look that is late by more than this: the process itself was paused. */
const PAUSE_MS_MIN = 1_000

/** After a pause of the process no target becomes stale for so long: the answers that are due have to be read first. */
const UNREAD_MS = 1_000

/** The warning is re-armed when the requests needed fall below this share of those allowed. */
const PACE_MET_SHARE = 0.9

/** Problems that belong to no target. */
const PACE = 'pace'
const LATE = 'late'

export class PollWatch {
  private readonly schedule: PollSchedule
  private readonly limits: PollLimits
  private readonly problems: Problems
  /** When the next look is due, epoch ms. */
  private lookAt = Number.POSITIVE_INFINITY
  private unreadUntil = 0

  constructor(schedule: PollSchedule, limits: PollLimits, problems: Problems) {
    this.schedule = schedule
    this.limits = limits
    this.problems = problems
  }

  /** Suspects targets that had no good answer for too long. @returns when to look again, epoch ms */
  look(nowAt: number): number {
    const { schedule, limits, problems } = this
    if (nowAt - this.lookAt > PAUSE_MS_MIN) this.unreadUntil = nowAt + UNREAD_MS
    let againAt = nowAt + WATCH_MS
    let isLate = false
    for (const entry of schedule.entries.values()) {
      const { target } = entry
      isLate ||= schedule.behindMs(entry, nowAt) > target.intervalMs(nowAt)
      if (entry.isStale || target.stale === undefined) continue
      const staleAt = Math.max(staleAtOf(entry, limits, nowAt), this.unreadUntil)
      if (staleAt > nowAt) {
        againAt = Math.min(againAt, staleAt)
        continue
      }
      if (entry.failures === 0) {
        const age = Math.round((nowAt - entry.okAt) / 1_000)
        problems.logOnce(LATE, LATE, `${target.key}: not answered for ${age} s: its quotes are suspect`)
        isLate = true
      }
      suspectStale(entry, nowAt)
    }
    if (!isLate) problems.well(LATE)
    this.watchPace(nowAt)
    this.lookAt = againAt
    return againAt
  }

  /** Warns that intervals cannot be kept, before they are missed. */
  private watchPace(nowAt: number): void {
    const { schedule, limits, problems } = this
    const { requestsPerSecond } = limits
    const needed = requestsNeeded(schedule.entries.values(), nowAt)
    if (needed > requestsPerSecond) {
      const urls = `${schedule.entries.size} URLs need ${needed.toFixed(1)} requests a second`
      problems.logOnce(PACE, PACE, `${urls}, ${requestsPerSecond} are allowed: they are polled later than configured`)
    } else if (needed <= PACE_MET_SHARE * requestsPerSecond) problems.well(PACE)
  }
}
