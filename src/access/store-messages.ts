// Messages between main and the store thread.
//
//   main ──tasks: reserve, release, import-coverage …──▶ thread ──done, failed──▶ main
//   a command writes the store · the thread notices ──changed──▶ main applies ──applied──▶ the thread records it
//   and the command, which waits for that record, returns.
//
// Where several processes share the store, a change goes through the log:
//
//   main ──task──▶ thread rehearses ──propose──▶ main ──▶ log ──▶ main ──make──▶ thread ──changed──▶ main applies, and the
//   turn is settled ──settled──▶ thread ──done──▶ main. A command's proposal is a row of the store that the thread finds.
//
// A thread that ends is replaced: the new one resumes after the last change that main has applied.

import type { Bookmaker, Verification, VerificationPolicy, VerificationRequest } from '../domain/coverage.ts'
import type { Decision } from '../domain/event-identity.ts'
import type { StoreInput, StoreMark } from '../domain/input.ts'
import type { Changes } from './accounts.ts'
import type { Want } from './block-window.ts'
import type { CoverageRemoval } from './coverage-records.ts'
import type { PortalTask } from './portal-tasks.ts'
import type { Verdict } from './proposer.ts'
import type { Draft } from './rehearsal.ts'
import type { Leftover } from './reserving-ledger.ts'
import type { FileId } from './store-file.ts'
import type { AuditRow } from './tables.ts'
import type { UserSessions } from './user-records.ts'

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
  /** The sessions of users who were touched, and in those of the start of all. */
  readonly sessions: readonly UserSessions[]
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
  /** The log has accepted a change: the store makes it. */
  | { readonly task: 'make'; readonly input: StoreInput }
  /** How the store stands to a log. `begins`: the log begins with this store, whatever it says of an earlier one. */
  | { readonly task: 'compare'; readonly mark: StoreMark; readonly begins: boolean }
  /** A copy for another process, into a file that does not exist yet. */
  | { readonly task: 'copy'; readonly file: string }
  | { readonly task: 'close' }

/** It is even with the log; it becomes that of the log by a change; or it can not go on with it. */
export type Standing =
  | { readonly kind: 'even' }
  | { readonly kind: 'adopts'; readonly draft: Draft }
  | { readonly kind: 'missed'; readonly reason: string }

export type ToThread =
  | (Task & { readonly number: number })
  /** Main has applied all changes up to this audit row. */
  | { readonly task: 'applied'; readonly auditId: number }
  | { readonly task: 'settled'; readonly proposal: string; readonly verdict: Verdict }
  /** A command's change holds in all processes. `detail`: why it may not; empty: it does. */
  | { readonly task: 'confirmed'; readonly proposal: string; readonly detail: string }

export type FromThread =
  /** What main does not have yet: everything, or what has changed since the last thread. */
  | { readonly kind: 'opened'; readonly changes: StoreChanges | undefined; readonly store: FileId }
  | { readonly kind: 'refused'; readonly outage: Outage }
  | { readonly kind: 'changed'; readonly changes: StoreChanges }
  /** `isInLog`: the change must be known to hold in all processes before its caller is told. */
  | { readonly kind: 'done'; readonly number: number; readonly result: unknown; readonly isInLog: boolean }
  /** A change for the log, with a name; the answer is `settled`. */
  | { readonly kind: 'propose'; readonly draft: Draft; readonly proposal: string }
  /** A command's change was made here; the answer is `confirmed`. */
  | { readonly kind: 'confirm'; readonly proposal: string }
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
  /** Whether other processes share the store; `missed`: changes of the log that it may not have made. */
  readonly shared: { readonly missed: readonly StoreInput[] } | undefined
  /** Whether no other thread of the process can have the store open: none that hangs was given up. */
  readonly isAlone: boolean
  /** Counters: successful polls, failed polls since the last successful one, and all polls. */
  readonly pulse: Int32Array
}

/** Places of the counters in {@link ThreadData.pulse}. */
export const PULSE = { beats: 0, failures: 1, polls: 2 } as const
