// Waiting for what a client library reports by callbacks.

import { EventEmitter, once } from 'node:events'
import { LIMIT_MS } from './raw-client.ts'

/** Resolves when the callback is called; fails after the usual limit. */
export const called = <Value>(
  start: (done: (value: Value) => void, fail: (error: Error) => void) => void,
): Promise<Value> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not called within ${LIMIT_MS} ms`)), LIMIT_MS)
    start(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })

/** A line of things that happen, to wait for. */
export class Happened<Value> {
  private readonly values: Value[] = []
  private readonly events = new EventEmitter()

  add(value: Value): void {
    this.values.push(value)
    this.events.emit('added')
  }

  async next(): Promise<Value> {
    while (this.values.length === 0) await once(this.events, 'added', { signal: AbortSignal.timeout(LIMIT_MS) })
    return this.values.shift()!
  }

  get waiting(): number {
    return this.values.length
  }
}
