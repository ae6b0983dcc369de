// Why a store is not served until an operator accepts it, and the messages about it.

import { type Fault, fault } from './fault.ts'
import type { Loss } from './loss.ts'
import { fileIdOf } from './store-file.ts'

/** Reasons not to serve a store until it is accepted: what was stored in it last, or since, may be missing. */
export type StoreFault = 'log lost' | 'restored' | 'damaged'

export const logLostFault = (path: string): Fault =>
  fault(
    `${path} was in use and its log (${path}-wal) is missing or damaged: what was recorded last, revocations too, is missing; ` +
      'put the log back, restore a backup, or continue without it by --accept-store (docs/operations.md 8)',
  )

/** Whether the store that a server lost is in its place again, as far as the files show. */
export const isPutBack = ({ remedy, store }: Loss, path: string): boolean =>
  (remedy === 'put back' || remedy === 'restart') && fileIdOf(path) === store

export const lossFault = ({ path, what }: Loss): Fault =>
  fault(
    `${path} was ${what} while the last server had the store open: what was stored, revocations too, may be missing; ` +
      'put the same file back, restore a backup, or continue with what there is by --accept-store (docs/operations.md 8)',
  )

export const unacceptedFault = (path: string, why: StoreFault, backupAt: number | null): Fault => {
  const what = {
    restored: `is a backup of ${new Date(backupAt ?? 0).toISOString()}: keys that were revoked since then are valid in it`,
    'log lost': 'was opened without its log: keys that were revoked just before may be valid in it',
    damaged: 'was replaced or damaged while a server had it open: keys that were revoked may be valid in it',
  }[why]
  return fault(`${path} ${what}; revoke them again, then start once with --accept-store (docs/operations.md 8)`)
}
