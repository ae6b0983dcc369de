// Access: the room as a server wires it.

import type { Bookmaker } from '../domain/coverage.ts'
import { Accounts } from './accounts.ts'
import { type Fault, isFault } from './fault.ts'
import { Gate } from './gate.ts'
import { acquire, type Lock } from './lock.ts'
import type { Plan } from './plan.ts'
import { Registry } from './registry.ts'
import { ReservingLedger } from './reserving-ledger.ts'
import type { MintedKey } from './store.ts'
import { StoreClient } from './store-client.ts'

export interface AccessOptions {
  readonly dataDir: string
  /** The number of a bookmaker's slug: always the same one, from 1 on. */
  readonly numberOf: (slug: string) => number
  readonly now: () => number
  readonly limits: {
    /** Raw credentials remembered. */
    readonly credentialsMax: number
    /** What the store may take to grant a block of requests before the answer is 503. */
    readonly ledgerDeadlineMs: number
  }
  /** Told when all requests begin to be refused with 503 (with the reason), and when that ends (undefined). */
  readonly onRefuseAll?: (reason: string | undefined) => void
}

export class Access {
  readonly gate: Gate
  readonly registry: Registry
  private readonly accounts: Accounts
  private readonly client: StoreClient
  private readonly ledger: ReservingLedger
  private readonly lock: Lock
  private readonly now: () => number

  private constructor(
    gate: Gate,
    registry: Registry,
    accounts: Accounts,
    client: StoreClient,
    ledger: ReservingLedger,
    lock: Lock,
    now: () => number,
  ) {
    this.gate = gate
    this.registry = registry
    this.accounts = accounts
    this.client = client
    this.ledger = ledger
    this.lock = lock
    this.now = now
  }

  /** Makes this process the server of a data folder. A fault says what is wrong with the folder and what to do. */
  static async open(options: AccessOptions): Promise<Access | Fault> {
    const { dataDir, numberOf, now, limits, onRefuseAll } = options
    // Before anything is read: a command that finds the folder free is then sure that we read what it has written.
    const lock = acquire(dataDir, now())
    if (isFault(lock)) return lock
    let client: StoreClient | undefined
    const ledger = new ReservingLedger({
      reserve: (wants) => client!.reserve(wants),
      release: (leftovers) => client!.release(leftovers),
      deadlineMs: limits.ledgerDeadlineMs,
    })
    const registry = new Registry(numberOf)
    const accounts = new Accounts()
    const gate = new Gate({ accounts, registry, ledger, credentialsMax: limits.credentialsMax })
    const opened = await StoreClient.open({
      dataDir,
      at: now(),
      apply: (changes) => gate.apply(changes),
      onBlind: (reason) => {
        gate.refuseAll(reason && 'Access rights cannot be checked just now; try again in a moment')
        onRefuseAll?.(reason)
      },
    })
    if (isFault(opened)) {
      lock.release()
      return opened
    }
    client = opened
    return new Access(gate, registry, accounts, client, ledger, lock, now)
  }

  /** All plans, by name. */
  plans(): readonly Plan[] {
    return this.accounts.allPlans()
  }

  /** Adds or replaces bookmakers with their coverage, for good. It holds when this resolves. */
  importCoverage(bookmakers: readonly Bookmaker[]): Promise<Fault | undefined> {
    return this.client.importCoverage(bookmakers, this.now())
  }

  /** A new customer key of the organization `demo` that expires after a day. It holds when this resolves. */
  createDemoKey(): Promise<MintedKey | Fault> {
    return this.client.createDemoKey(this.now())
  }

  /** Writes the ports that were taken into `server.json` of the data folder, for people and programs to find. */
  announce(ports: Readonly<Record<string, number>>): void {
    this.lock.announce(ports)
  }

  /** Gives unused reservations back and frees the folder. Call it when no more requests come. */
  async close(): Promise<void> {
    await this.ledger.close()
    await this.client.close()
    this.lock.release()
  }
}
