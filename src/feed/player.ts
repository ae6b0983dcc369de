// Plays a recording in its own time.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Observation } from '../domain/observation.ts'
import { rebaseShiftMs, shifted } from './replay.ts'

export interface PlayerOptions {
  /** The clock, epoch ms. */
  readonly now: () => number
  /** Whether `observedAt` becomes the time at which an observation is due. */
  readonly rebase: boolean
}

/** The longest timer of Node, ms. */
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Plays observations in the time of their recording: holds each until it is due, and returns it with the times that it
 * is to be sent with. The first one is due at once.
 */
export class Player {
  /** By how much the first observation was moved, ms; undefined before it. */
  firstShiftMs: number | undefined
  private firstAt = 0
  private startAt = 0
  private kickoffShiftMs = 0
  private readonly speed: number
  private readonly options: PlayerOptions
  private readonly signal: AbortSignal

  constructor(speed: number, options: PlayerOptions, signal: AbortSignal) {
    this.speed = speed
    this.options = options
    this.signal = signal
  }

  /** Resolves when the observation is due; to undefined when the signal came before. */
  async play(observation: Observation): Promise<Observation | undefined> {
    const { now, rebase } = this.options
    const { observedAt } = observation
    if (this.firstShiftMs === undefined) {
      this.startAt = now()
      this.firstAt = observedAt
      this.firstShiftMs = rebase ? this.startAt - observedAt : 0
      this.kickoffShiftMs = rebase ? rebaseShiftMs(observedAt, this.startAt) : 0
    }
    const dueAt = this.startAt + (observedAt - this.firstAt) / this.speed
    for (let waitMs = dueAt - now(); waitMs > 0; waitMs = dueAt - now()) {
      // Whole ms, rounded up: timers truncate fractions, and the loop would spin for the last one.
      await sleep(Math.min(Math.ceil(waitMs), TIMER_MS_MAX), undefined, { signal: this.signal }).catch(() => {})
      if (this.signal.aborted) return undefined
    }
    return rebase ? shifted(observation, Math.floor(dueAt) - observedAt, this.kickoffShiftMs) : observation
  }
}
