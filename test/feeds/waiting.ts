// Waiting in tests that watch several processes: for a condition, looked at now and then, with what it is that is waited for.

import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'

const LOOK_MS = 50
/** More than the longest pause of a source that has failed several times: it is drawn at random, up to 300 s. */
const WAIT_MS_MAX = 360_000

/**
 * Resolves to the first answer that is not undefined or false.
 * @param told more to say where it never comes
 */
export const until = async <Value>(
  what: string,
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  told: () => unknown = () => '',
  msMax = WAIT_MS_MAX,
): Promise<Value> => {
  const endMs = clock.elapsedMs() + msMax
  for (;;) {
    const value = await look()
    if (value !== undefined && value !== false) return value
    if (clock.elapsedMs() > endMs) {
      const more = told()
      throw new Error(`not within ${msMax} ms: ${what} ${typeof more === 'string' ? more : JSON.stringify(more)}`)
    }
    await pause(LOOK_MS)
  }
}
