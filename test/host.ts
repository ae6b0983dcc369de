// A host whose clocks are set by hand.

import assert from 'node:assert/strict'
import { Clock, type ClockEvent } from '../src/clock.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const START = Date.UTC(2026, 10, 22, 12)

/** A host whose clock can be set, and that can be suspended. */
export class Host {
  wall = START
  monotonic = 5_000.25
  boot = 90_000
  id = 'a'
  // What one reading takes: an interrupted process reads its clocks far apart.
  readMs = 0
  readonly events: ClockEvent[] = []

  newClock(): Clock {
    const clock = new Clock({
      wall: () => this.wall,
      monotonic: () => (this.monotonic += this.readMs),
      boot: () => this.boot,
      bootId: () => this.id,
    })
    clock.watch((event) => this.events.push(event))
    return clock
  }

  /** Time passes; the clock is read as often as the turns do. */
  run(clock: Clock, ms: number, everyMs = 100): void {
    let last = clock.now()
    for (let leftMs = ms; leftMs > 0; leftMs -= everyMs) {
      this.pass(Math.min(leftMs, everyMs))
      const now = clock.now()
      assert.ok(now >= last, 'it never goes back')
      last = now
    }
  }

  pass(ms: number): void {
    this.wall += ms
    this.monotonic += ms
    this.boot += ms
  }

  suspend(ms: number): void {
    this.wall += ms
    this.boot += ms
  }
}
