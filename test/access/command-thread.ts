// Runs commands on the store of a data folder, as processes of their own do. The work is a call of a record's method.

import { parentPort } from 'node:worker_threads'
import { isFault } from '../../src/access/fault.ts'
import { Store } from '../../src/access/store.ts'

/** A call: `accounts.createKey`, with its arguments. */
export interface CommandWork {
  readonly call: string
  readonly args: readonly unknown[]
}

export interface CommandAnswer {
  readonly result?: unknown
  /** What was thrown. */
  readonly error?: string
  readonly unconfirmed?: string | undefined
}

const perform = (dataDir: string, { call, args }: CommandWork): CommandAnswer => {
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: Date.UTC(2026, 10, 20, 12) })
  if (isFault(store)) return { error: store.fault }
  try {
    const [records, method] = call.split('.') as ['accounts', 'createKey']
    const work = store[records] as unknown as Record<string, (...args: readonly unknown[]) => unknown>
    const result = work[method]!(...args)
    return { result, unconfirmed: store.sharing.unconfirmed }
  } catch (error) {
    return { error: String(error) }
  } finally {
    store.close()
  }
}

parentPort?.on('message', ({ dataDir, work }: { readonly dataDir: string; readonly work: CommandWork }) =>
  parentPort?.postMessage(perform(dataDir, work)),
)
