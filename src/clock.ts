// The only reader of the time (docs/architecture.md 3.7).
//
// The time of the service is a time line of its own: it begins at the system's clock, goes on by elapsed time, and never
// goes back. Ages of quotes and windows of quotas are measured on it, so setting the system's clock changes neither.

import { existsSync, readFileSync } from 'node:fs'
import { uptime } from 'node:os'

/** What a clock reads. All in ms. */
export interface Readings {
  /** The system's clock, epoch ms: whoever sets it makes it jump. */
  readonly wall: () => number
  /** Elapsed time, not while the host is suspended. */
  readonly monotonic: () => number
  /** The same, also while the host is suspended. */
  readonly boot: () => number
  /** Names the start of the host; empty: unknown. */
  readonly bootId: () => string
}

/** A moment of the time line, to continue from it: by elapsed time, so that it need not be the last one. */
export interface Mark {
  /** The time of the service, epoch ms. */
  readonly at: number
  readonly bootId: string
  /** Since that start of the host, suspensions included. */
  readonly uptimeMs: number
}

/** What an operator has to know. `apartMs`: how far the system's clock is ahead of ours after that. */
export type ClockEvent =
  | { readonly kind: 'suspended'; readonly ms: number }
  /** The system's clock was set. */
  | { readonly kind: 'stepped'; readonly ms: number; readonly apartMs: number }
  /** Our time went forward to the system's clock, because a sender has confirmed it. */
  | { readonly kind: 'corrected'; readonly ms: number }

/** How a time line was continued. */
export interface Resumed {
  /** The time since the last turn. */
  readonly sinceTurnMs: number
  /** Whether that is the exact elapsed time; if not, it is what the system's clock says. */
  readonly isExact: boolean
  /** How far the system's clock is ahead of ours. */
  readonly apartMs: number
}

/** All readings are compared this often, when the time is read: 10 µs each. */
const CHECK_MS = 100

/**
 * The system's clock alone is looked at this often. A suspension shows in it, too, so that it is noticed by what the
 * process does first; not with each reading, which would double its cost.
 */
const LOOK_MS = 5

/** Readings of one moment that lie further apart than this are not compared: the process was interrupted meanwhile. */
const READ_MS_MAX = 20

/** Shorter suspensions are not noticed: the boot time has a resolution of 10 ms. */
const SUSPENDED_MS_MIN = 250

/** Smaller steps are not reported. */
const STEP_MS_MIN = 1_000

/** Steps in so short a time are reported as one. */
const REPORT_EVERY_MS = 10_000

/**
 * Up to this difference our time follows the system's clock, in either direction: by a step of it no age becomes more
 * wrong than this. Beyond it, it is not known which of the two is right.
 */
export const FOLLOWED_MS_MAX = 120_000

/** How much faster or slower our time goes for that: two minutes take 3 h 20 min. */
const FOLLOW_RATE = 0.01

/** Smaller differences are noise of the readings. */
const NOISE_MS = 10

/** So small a difference does not matter to any sender: half of what the engine accepts as ahead. */
const TOGETHER_MS = 2_500

/** For so long the system's clock must not have been set before our time goes forward to it. */
const STEADY_MS = 2_000

export class Clock {
  /** Suspensions of the host that were noticed. */
  suspensions = 0
  suspendedMs = 0
  /** Corrections by a sender's time. */
  corrections = 0
  private readonly readings: Readings
  private report: ((event: ClockEvent) => void) | undefined
  // Our time is `anchorMs` plus the monotonic time.
  private anchorMs: number
  private last: number
  private lookedMs: number
  private checkedMs: number
  // Of the last comparison, relative to the monotonic time.
  private wallMs: number
  private bootMs: number
  private aheadMs = 0
  private steppedMs = 0
  private isWitnessed = false
  // The system's clock as an operator knows it, relative to the boot time.
  private knownWallMs: number
  private reportedMs = Number.NEGATIVE_INFINITY

  constructor(readings: Readings) {
    this.readings = readings
    const monotonic = readings.monotonic()
    this.wallMs = readings.wall() - monotonic
    this.bootMs = readings.boot() - monotonic
    this.knownWallMs = this.wallMs
    this.anchorMs = this.wallMs
    this.last = Math.floor(this.anchorMs + monotonic)
    this.lookedMs = monotonic
    this.checkedMs = monotonic
  }

  /** Our time, epoch ms (whole). */
  now(): number {
    return this.at(this.readings.monotonic())
  }

  /** Our time at a moment that was read just now, of the monotonic time. */
  at(moment: number): number {
    if (moment - this.lookedMs >= LOOK_MS) this.look(moment)
    const at = Math.floor(this.anchorMs + moment)
    if (at > this.last) this.last = at
    return this.last
  }

  /** How far the system's clock is ahead of ours (negative: behind), ms. */
  driftMs(): number {
    const monotonic = this.readings.monotonic()
    return this.readings.wall() - (this.anchorMs + monotonic)
  }

  /** The same, as of the last comparison; 0 while it is too little to matter. */
  get apartMs(): number {
    return this.aheadMs
  }

  /** Has an operator notified. */
  watch(report: (event: ClockEvent) => void): void {
    this.report = report
  }

  /**
   * A sender's time is ahead of ours and agrees with the system's clock, which is ahead of ours, too: time has passed
   * that we have not counted, as when a virtual machine was paused, or our time was wrong from the start.
   */
  witness(): void {
    this.isWitnessed = true
  }

  mark(): Mark {
    const { boot, bootId } = this.readings
    return { at: this.now(), bootId: bootId(), uptimeMs: boot() }
  }

  /**
   * Continues the time line of a former process from any moment of it, and not before its last turn. To be called before
   * the time is used.
   */
  resume(mark: Mark | undefined, lastTurnAt: number): Resumed {
    const { readings } = this
    const monotonic = readings.monotonic()
    const wall = readings.wall()
    const elapsedMs = mark === undefined ? 0 : readings.boot() - mark.uptimeMs
    // Less than at the mark: a snapshot of the machine was restored.
    const isExact = mark !== undefined && mark.bootId !== '' && mark.bootId === readings.bootId() && elapsedMs >= 0
    const nowAt = Math.max(lastTurnAt, isExact ? mark.at + elapsedMs : wall)
    this.anchorMs = nowAt - monotonic
    this.last = Math.floor(nowAt)
    this.wallMs = wall - monotonic
    this.knownWallMs = this.wallMs - this.suspendedMs
    this.steppedMs = monotonic
    this.note(wall - nowAt)
    return { sinceTurnMs: nowAt - lastTurnAt, isExact, apartMs: wall - nowAt }
  }

  private look(moment: number): void {
    this.lookedMs = moment
    const movedMs = this.readings.wall() - moment - this.wallMs
    if (moment - this.checkedMs >= CHECK_MS || Math.abs(movedMs) > SUSPENDED_MS_MIN) this.check()
  }

  private check(): void {
    const { readings } = this
    const before = readings.monotonic()
    const boot = readings.boot()
    const wall = readings.wall()
    const monotonic = readings.monotonic()
    const passedMs = monotonic - this.checkedMs
    this.checkedMs = monotonic
    if (monotonic - before > READ_MS_MAX) return
    const suspendedMs = this.noteSuspension(boot - monotonic)
    const stepMs = wall - monotonic - this.wallMs - suspendedMs
    this.wallMs = wall - monotonic
    const aheadMs = this.wallMs - this.anchorMs
    this.noteStep(stepMs, aheadMs, monotonic)
    if (this.isWitnessed && aheadMs > TOGETHER_MS && monotonic - this.steppedMs >= STEADY_MS) {
      this.anchorMs += aheadMs
      this.isWitnessed = false
      this.corrections++
      this.note(0)
      this.report?.({ kind: 'corrected', ms: aheadMs })
      return
    }
    if (Math.abs(aheadMs) <= FOLLOWED_MS_MAX && Math.abs(aheadMs) > NOISE_MS) {
      const byMs = passedMs * FOLLOW_RATE
      this.anchorMs += Math.min(byMs, Math.max(-byMs, aheadMs))
    }
    this.note(aheadMs)
  }

  /** That time has passed: our time goes forward by exactly that. */
  private noteSuspension(boot: number): number {
    const ms = boot - this.bootMs
    if (ms < SUSPENDED_MS_MIN) return 0
    this.bootMs = boot
    this.anchorMs += ms
    this.suspensions++
    this.suspendedMs += ms
    this.report?.({ kind: 'suspended', ms })
    return ms
  }

  private noteStep(ms: number, apartMs: number, monotonic: number): void {
    if (Math.abs(ms) >= STEP_MS_MIN) {
      this.steppedMs = monotonic
      this.isWitnessed = false
    }
    const unknownMs = this.wallMs - this.suspendedMs - this.knownWallMs
    if (Math.abs(unknownMs) < STEP_MS_MIN || monotonic - this.reportedMs < REPORT_EVERY_MS) return
    this.report?.({ kind: 'stepped', ms: unknownMs, apartMs })
    this.knownWallMs += unknownMs
    this.reportedMs = monotonic
  }

  /** Constant until the next step, so that times that are translated by it keep their order. */
  private note(aheadMs: number): void {
    if (Math.abs(aheadMs) <= TOGETHER_MS) {
      this.aheadMs = 0
      this.isWitnessed = false
    } else if (Math.abs(aheadMs) <= FOLLOWED_MS_MAX || Math.abs(aheadMs - this.aheadMs) >= STEP_MS_MIN) {
      this.aheadMs = aheadMs
    }
  }
}

// Only Linux distinguishes the two; without this file the boot time is one of whole seconds.
const hasBootTime = process.platform === 'linux' && existsSync('/proc/uptime')

const readBootId = (): string => {
  try {
    return hasBootTime ? readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() : ''
  } catch {
    return ''
  }
}

const clock = new Clock({
  wall: Date.now,
  monotonic: () => performance.now(),
  boot: hasBootTime ? () => uptime() * 1_000 : () => performance.now(),
  bootId: readBootId,
})

/** The clock of this process. */
export const ours: Pick<
  Clock,
  'apartMs' | 'witness' | 'watch' | 'mark' | 'resume' | 'suspensions' | 'suspendedMs' | 'corrections'
> = clock

/** Now, in epoch ms (whole). Never goes back. */
export const now = (): number => clock.now()

/** The epoch ms of a value of {@link elapsedMs} that was read just now: one reading of the clock serves both. */
export const epochMsOf = (momentMs: number): number => clock.at(momentMs)

// The global is an accessor of Node: a call for each reading.
const { performance: timer } = globalThis

/** Monotonic ms with fraction, for durations. */
export const elapsedMs = (): number => timer.now()

/** How far the system's clock is ahead of ours (negative: behind), ms. */
export const driftMs = (): number => clock.driftMs()
