// Readiness: when customers are answered, and what the service waits for until then. After a start without
// a log the board is empty: a customer that is answered then reads of every event that it is no longer offered.

import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../clock.ts'

/**
 *   loading ──▶ waiting ──▶ serving      waiting: sources run, and feed keys may connect. Serving continues while the
 *                                        service stops: requests under way are answered.
 */
type Phase = 'loading' | 'waiting' | 'serving'

/** Interval of the checks whether sources have delivered. */
const LOOK_MS = 20

export class Readiness {
  private readonly undelivered: () => readonly string[]
  private readonly isHeld: () => boolean
  private phase: Phase = 'loading'
  private isStopping = false

  /**
   * @param undelivered names of the sources that customers have to wait for
   * @param isHeld whether they have to wait for the numbers of bookmakers. An audience holds numbers: to a desk that came
   *   before, each bookmaker would be a change of its rights
   */
  constructor(undelivered: () => readonly string[], isHeld: () => boolean) {
    this.undelivered = undelivered
    this.isHeld = isHeld
  }

  /** Whether the start has loaded its data: sources and feed keys may then add to it. */
  get isLoaded(): boolean {
    return this.phase !== 'loading'
  }

  /** Whether customers are answered. */
  get isServing(): boolean {
    return this.phase === 'serving'
  }

  /** Why the service is not ready, a line each; none: it is ready. */
  reasons(): readonly string[] {
    if (this.isStopping) return ['the service is stopping']
    if (this.phase === 'loading') return ['the service is loading']
    const left = this.look().map((name) => `source ${name} has not delivered yet`)
    if (this.phase === 'waiting' && this.isHeld()) left.push('bookmakers of the coverage are not in the log yet')
    return left
  }

  /**
   * Waits for the sources; then customers are answered.
   * @param msMax after it they are answered in any case
   * @returns names of the sources that have not delivered by then
   */
  async serve(msMax: number, signal: AbortSignal): Promise<readonly string[]> {
    this.phase = 'waiting'
    const endMs = clock.elapsedMs() + msMax
    let left = this.look()
    while (!this.isServing && clock.elapsedMs() < endMs && !signal.aborted) {
      await pause(Math.max(1, Math.min(LOOK_MS, endMs - clock.elapsedMs())), undefined, { signal }).catch(() => {})
      left = this.look()
    }
    if (!signal.aborted) this.phase = 'serving'
    return left
  }

  /** From now on the service is no longer ready. */
  stop(): void {
    this.isStopping = true
  }

  /** Serves if there is nothing left to wait for, so that `/readyz` and the answers to customers always agree. */
  private look(): readonly string[] {
    if (this.phase === 'serving') return []
    const left = this.undelivered()
    if (left.length === 0 && !this.isHeld()) this.phase = 'serving'
    return left
  }
}
