// Watches targets that are not answered: suspects them in time, even if their next poll is far away, and warns when
// more requests are configured than allowed.

import { type Entry, requestsNeeded, staleAtOf } from './poll-entry.ts'
import type { PollLimits } from './poll-limits.ts'
import type { Problems } from './problems.ts'

export interface PollWatchParts {
  readonly limits: PollLimits
  readonly entries: ReadonlyMap<string, Entry>
  readonly problems: Problems
  /** Epoch ms. */
  readonly now: () => number
  /** How late a target is polled, ms. */
  readonly behindMs: (entry: Entry, nowAt: number) => number
  /** Suspects the quotes of a target. */
  readonly suspect: (entry: Entry, nowAt: number) => void
}

/** The longest time between two looks. */
const WATCH_MS = 1_000

/** The warning is re-armed when the requests needed fall below this share of those allowed. */
const PACE_MET_SHARE = 0.9

/** Problems that belong to no target. */
const PACE = 'pace'
const LATE = 'late'

export class PollWatch {
  private readonly parts: PollWatchParts

  constructor(parts: PollWatchParts) {
    this.parts = parts
  }

  /** Suspects targets that had no good answer for too long. @returns when to look again, epoch ms */
  look(): number {
    const { entries, limits, problems, now, behindMs, suspect } = this.parts
    let againAt = now() + WATCH_MS
    let isLate = false
    for (const entry of entries.values()) {
      const nowAt = now()
      const { target } = entry
      isLate ||= behindMs(entry, nowAt) > target.intervalMs(nowAt)
      if (entry.isStale || target.stale === null) continue
      const staleAt = staleAtOf(entry, limits, nowAt)
      if (staleAt > nowAt) {
        againAt = Math.min(againAt, staleAt)
        continue
      }
      if (entry.failures === 0) {
        const age = Math.round((nowAt - entry.okAt) / 1_000)
        problems.tellOnce(LATE, LATE, `${target.key}: not answered for ${age} s: what it said is not believed`)
        isLate = true
      }
      suspect(entry, nowAt)
    }
    if (!isLate) problems.well(LATE)
    this.seeToPace(now())
    return againAt
  }

  /** Warns that intervals cannot be kept, before they are missed. */
  private seeToPace(nowAt: number): void {
    const { entries, limits, problems } = this.parts
    const { requestsPerSecond } = limits
    const needed = requestsNeeded(entries.values(), nowAt)
    if (needed > requestsPerSecond) {
      const urls = `${entries.size} URLs need ${needed.toFixed(1)} requests a second`
      problems.tellOnce(PACE, PACE, `${urls}, ${requestsPerSecond} are allowed: they are polled later than configured`)
    } else if (needed <= PACE_MET_SHARE * requestsPerSecond) problems.well(PACE)
  }
}
