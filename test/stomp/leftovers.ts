// What a test leaves behind in a broker whose clients are all gone: sessions, flows, work that waits, memory, timers.

import assert from 'node:assert/strict'
import type { Broker } from '../../src/stomp/broker.ts'

/** Fails where a broker has something left. Its connections have ended, and {@link Broker.close} was called. */
export const assertNothingLeft = (broker: Broker, timers = 0): void => {
  // Not what is reserved: a WebSocket that was ended keeps its place for a while, as the library may hold memory of it.
  const { sessionCount, behindCount, subscriptionCount, flowCount, passes } = broker
  const { inputBytes, catchUpBytes, conflationBytes } = broker
  const left = { sessionCount, behindCount, subscriptionCount, flowCount, waiting: passes.waiting }
  const all = { ...left, inputBytes, catchUpBytes, conflationBytes, timers }
  const isLeft = Object.entries(all).filter(([, count]) => count !== 0)
  assert.deepEqual(Object.fromEntries(isLeft), {}, 'left after the test')
}

/** Counts the timers of this process that are set, from now until they fire or are cleared. */
export class TimerWatch {
  private readonly running = new Set<unknown>()

  constructor() {
    const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis
    const { running } = this
    const once = (run: () => void, ms?: number): NodeJS.Timeout => {
      const timer = setTimeout(() => {
        running.delete(timer)
        run()
      }, ms)
      running.add(timer)
      return timer
    }
    const often = (run: () => void, ms?: number): NodeJS.Timeout => {
      const timer = setInterval(run, ms)
      running.add(timer)
      return timer
    }
    globalThis.setTimeout = Object.assign(once, { __promisify__: setTimeout.__promisify__ })
    globalThis.setInterval = often
    globalThis.clearTimeout = (timer) => {
      running.delete(timer)
      clearTimeout(timer)
    }
    globalThis.clearInterval = (timer) => {
      running.delete(timer)
      clearInterval(timer)
    }
  }

  get count(): number {
    return this.running.size
  }
}
