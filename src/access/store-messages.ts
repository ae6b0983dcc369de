// What main and the store thread tell each other.
//
//   main ──reserve, release, import-coverage, demo-key──▶ thread ──done, failed──▶ main
//   a command writes the store · the thread notices ──changed──▶ main applies ──applied──▶ the thread records it
//   and the command, which waits for that record, returns.

import type { Bookmaker } from '../domain/coverage.ts'
import type { Changes } from './accounts.ts'
import type { Leftover, Want } from './reserving-ledger.ts'

/** What main asks for. Each is answered with `done` or `failed` under its number, in order. */
export type Task =
  | { readonly task: 'reserve'; readonly wants: readonly Want[] }
  | { readonly task: 'release'; readonly leftovers: readonly Leftover[] }
  | { readonly task: 'import-coverage'; readonly bookmakers: readonly Bookmaker[]; readonly at: number }
  | { readonly task: 'demo-key'; readonly at: number }
  | { readonly task: 'close' }

export type ToThread =
  | (Task & { readonly number: number })
  /** Main has taken over all changes up to this audit row. */
  | { readonly task: 'applied'; readonly auditId: number }

export type FromThread =
  | { readonly kind: 'opened'; readonly everything: Changes }
  | { readonly kind: 'refused'; readonly fault: string }
  | { readonly kind: 'changed'; readonly changes: Changes }
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
