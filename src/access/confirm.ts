// Confirm: how a command waits until its changes hold in the running server.

import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, fault } from './fault.ts'
import { holderOf } from './holder.ts'
import { lossOf } from './loss.ts'
import { reasonOf } from './store-file.ts'
import { isHeld } from './file-lock.ts'
import type { Store } from './store.ts'

const LOOK_MS = 5

/**
 * Resolves when a running server has applied everything up to an audit row, or when no server runs: one that starts
 * later acquires the lock before it reads, and so reads what was written. The fault says that the change is stored, but
 * not confirmed by the server within `deadlineMs`. `elapsedMs` is any monotonic clock.
 */
export const confirm = async (
  store: Store,
  dataDir: string,
  auditId: number,
  deadlineMs: number,
  elapsedMs: () => number,
): Promise<Fault | undefined> => {
  const startedMs = elapsedMs()
  while (store.appliedAuditId() < auditId && isHeld(dataDir)) {
    const loss = lossOf(dataDir)
    if (loss !== undefined) {
      return fault(`not confirmed, and perhaps not stored: ${reasonOf(loss)}; repeat the command after that`)
    }
    if (elapsedMs() - startedMs >= deadlineMs) {
      const pid = holderOf(dataDir)?.pid
      return fault(
        `stored, but the running server (process ${pid ?? 'unknown'}) has not confirmed it within ` +
          `${deadlineMs / 1000} s; see its log, then repeat the command, or restart the server`,
      )
    }
    await pause(LOOK_MS)
  }
  return undefined
}
