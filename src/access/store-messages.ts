// Messages between main and the store thread.
//
//   main ──tasks: reserve, release, import-coverage …──▶ thread ──done, failed──▶ main
//   a command writes the store · the thread notices ──changed──▶ main applies ──applied──▶ the thread records it
//   and the command, which waits for that record, returns.
//
// A thread that ends is replaced: the new one resumes after the last change that main has applied.

import type { Bookmaker, Verification, VerificationPolicy, VerificationRequest } from '../domain/coverage.ts'
import type { Decision } from '../domain/event-identity.ts'
import type { Changes } from './accounts.ts'
import type { Want } from './block-window.ts'
import type { CoverageRemoval } from './coverage-records.ts'
import type { PortalTask } from './portal-tasks.ts'
import type { Leftover } from './reserving-ledger.ts'
import type { FileId } from './store-file.ts'
import type { AuditRow } from './tables.ts'

/** Changes up to an audit row: of accounts, and of what else commands may change. */
export interface StoreChanges extends Changes {
  /** All that hold; null: none was touched. */
  readonly decisions: readonly Decision[] | null
  /** Removals of coverage that are announced and not due; null: none was touched. */
  readonly removals: readonly CoverageRemoval[] | null
  /** New verification requests, each sent once. */
  readonly requests: readonly VerificationRequest[]
  /** What was done since the last changes, oldest first; none in those of the start. */
  readonly done: readonly AuditRow[]
  /** Emails of users whose sessions have ended, because they were changed or removed, or have a new password. */
  readonly users: readonly string[]
}

/** Requests of main. Each is answered with `done` or `failed` under its number, in order. */
export type Task =
  | { readonly task: 'reserve'; readonly wants: readonly Want[] }
  | { readonly task: 'release'; readonly leftovers: readonly Leftover[] }
  | { readonly task: 'import-coverage'; readonly bookmakers: readonly Bookmaker[]; readonly at: number }
  | { readonly task: 'demo-key'; readonly at: number }
  | { readonly task: 'remove-due'; readonly at: number }
  | {
      readonly task: 'record-verification'
      readonly run: Verification
      readonly policy: VerificationPolicy
      readonly request: number | null
      readonly at: number
    }
  | { readonly task: 'finish-request'; readonly id: number; readonly detail: string }
  | { readonly task: 'last-verifications' }
  | { readonly task: 'portal'; readonly work: PortalTask }
  | { readonly task: 'close' }

export type ToThread =
  | (Task & { readonly number: number })
  /** Main has applied all changes up to this audit row. */
  | { readonly task: 'applied'; readonly auditId: number }

export type FromThread =
  /** What main does not have yet: everything, or what has changed since the last thread. */
  | { readonly kind: 'opened'; readonly changes: StoreChanges | undefined; readonly store: FileId }
  | { readonly kind: 'refused'; readonly outage: Outage }
  | { readonly kind: 'changed'; readonly changes: StoreChanges }
  | { readonly kind: 'done'; readonly number: number; readonly result: unknown }
  | { readonly kind: 'health'; readonly health: StoreHealth }
  | { readonly kind: 'failed'; readonly number: number; readonly message: string; readonly busy: boolean }

/** Why access rights cannot be checked. */
export interface Outage {
  readonly reason: string
  /**
   * The store is lost: its files are deleted, replaced or damaged. It does not recover by itself; otherwise it is only
   * unreachable for a while.
   */
  readonly isLost: boolean
}

/** What is wrong, as the thread sees it; undefined: nothing. */
export interface StoreHealth {
  /** The open files are no longer those of the data folder: nothing in them is valid. */
  readonly misplaced: Outage | undefined
  /** Nothing can be recorded. */
  readonly unwritable: string | undefined
}

export interface ThreadData {
  readonly dataDir: string
  readonly at: number
  /** Identifies this run of the server. */
  readonly run: string
  /** Whether to serve the store although something in it may be missing. */
  readonly accepts: boolean
  /** The lock of the data folder. */
  readonly lockId: FileId | undefined
  /** What the previous thread had open, and the last audit row that main has applied; undefined: this is the first. */
  readonly resumes: { readonly store: FileId; readonly auditId: number } | undefined
  /** Counters: successful polls, failed polls since the last successful one, and all polls. */
  readonly pulse: Int32Array
}

/** Places of the counters in {@link ThreadData.pulse}. */
export const PULSE = { beats: 0, failures: 1, polls: 2 } as const
