// What main and the store thread tell each other.
//
//   main ──tasks: reserve, release, import-coverage …──▶ thread ──done, failed──▶ main
//   a command writes the store · the thread notices ──changed──▶ main applies ──applied──▶ the thread records it
//   and the command, which waits for that record, returns.

import type { Bookmaker, Verification, VerificationPolicy, VerificationRequest } from '../domain/coverage.ts'
import type { EventDecision } from '../domain/event-identity.ts'
import type { Changes } from './accounts.ts'
import type { Leftover, Want } from './reserving-ledger.ts'

/** What was touched up to an audit row: accounts, and what else commands may change. */
export interface StoreChanges extends Changes {
  /** All that hold; null where none was touched. */
  readonly decisions: readonly EventDecision[] | null
  /** Verifications just asked for, each told once. */
  readonly requests: readonly VerificationRequest[]
}

/** What main asks for. Each is answered with `done` or `failed` under its number, in order. */
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
  | { readonly task: 'close' }

export type ToThread =
  | (Task & { readonly number: number })
  /** Main has taken over all changes up to this audit row. */
  | { readonly task: 'applied'; readonly auditId: number }

export type FromThread =
  | { readonly kind: 'opened'; readonly everything: StoreChanges }
  | { readonly kind: 'refused'; readonly fault: string }
  | { readonly kind: 'changed'; readonly changes: StoreChanges }
  | { readonly kind: 'done'; readonly number: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly number: number; readonly message: string; readonly busy: boolean }

export interface ThreadData {
  readonly dataDir: string
  readonly at: number
  /** Two counters: polls that went well, and polls that failed since the last that went well. */
  readonly pulse: Int32Array
}

/** Where the counters stand in {@link ThreadData.pulse}. */
export const PULSE = { beats: 0, failures: 1 } as const
