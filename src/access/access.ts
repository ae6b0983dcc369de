// Access: the parts of this folder, wired for a server.

import type { Bookmaker, Verification, VerificationPolicy, VerificationRequest } from '../domain/coverage.ts'
import type { Decision } from '../domain/event-identity.ts'
import type { Durations } from '../durations.ts'
import { Accounts } from './accounts.ts'
import type { CoverageRemoval } from './coverage-records.ts'
import { type Fault, isFault } from './fault.ts'
import { Gate } from './gate.ts'
import type { AdminAddress } from './holder.ts'
import { acquire, type Lock } from './lock.ts'
import type { Plan } from './plan.ts'
import { Registry } from './registry.ts'
import { ReservingLedger } from './reserving-ledger.ts'
import type { MintedKey } from './account-records.ts'
import { StoreClient } from './store-client.ts'
import type { StoreChanges } from './store-messages.ts'
import type { LastVerification, VerificationEffect } from './verification-records.ts'

/** Interval of the checks for removals of coverage that are due: they fall due at the start of a day. */
const DUE_MS = 60_000

export interface AccessOptions {
  readonly dataDir: string
  /** The number of a bookmaker's slug: always the same one, from 1 on. */
  readonly numberOf: (slug: string) => number
  /** Gives bookmakers that have no number theirs; resolves when they have them. Until then nobody sees them. */
  readonly addBookmakers?: (slugs: readonly string[]) => Promise<void>
  /** The data folder, if it is acquired already: it is freed when this process stops serving. */
  readonly lock?: Lock
  readonly now: () => number
  readonly limits: {
    /** Raw credentials remembered, so that they are hashed once. */
    readonly credentialsMax: number
    /** How long the store may need to grant a block of requests before the answer is 503. */
    readonly ledgerDeadlineMs: number
  }
  /** Called when all requests begin to be refused with 503 (with the reason), and when that ends (undefined). */
  readonly onRefuseAll?: (reason: string | undefined) => void
  /** Called when nothing can be recorded, so that limited plans are refused (with the reason), and when that ends. */
  readonly onUnwritable?: (reason: string | undefined) => void
  /** Called when a key is found to be revoked while this process runs. */
  readonly onRevoked?: (keyId: string) => void
  /** Serves a store although something that was stored in it may be missing: a backup, or one that has lost its log. */
  readonly acceptsStore?: boolean | undefined
  /**
   * Called with all current decisions about events, the later ones last: at the start, before anything is served, and
   * after every change. The command that made it returns when the promise resolves, if there is one.
   */
  readonly onDecisions?: (decisions: readonly Decision[]) => Promise<void> | undefined
  /**
   * Called for a request to verify now. The listener records each run with the request's id, and finishes the request;
   * without a listener it is finished at once, with a sentence.
   */
  readonly onVerificationRequest?: (request: VerificationRequest) => void
  /** Called with the reason why due removals of coverage could not be carried out; they are tried again. */
  readonly onRemovalFault?: (fault: Fault) => void
}

export class Access {
  readonly gate: Gate
  readonly registry: Registry
  private readonly accounts: Accounts
  private readonly client: StoreClient
  private readonly ledger: ReservingLedger
  private readonly lock: Lock
  private readonly now: () => number
  private readonly announced: { current: readonly CoverageRemoval[] }
  private readonly dueTimer: NodeJS.Timeout

  private constructor(
    gate: Gate,
    registry: Registry,
    accounts: Accounts,
    client: StoreClient,
    ledger: ReservingLedger,
    lock: Lock,
    now: () => number,
    announced: { current: readonly CoverageRemoval[] },
    onRemovalFault: (fault: Fault) => void,
  ) {
    this.announced = announced
    this.gate = gate
    this.registry = registry
    this.accounts = accounts
    this.client = client
    this.ledger = ledger
    this.lock = lock
    this.now = now
    this.dueTimer = setInterval(() => {
      void this.removeDue().then((failed) => failed && onRemovalFault(failed))
    }, DUE_MS).unref()
  }

  /** Makes this process the server of a data folder. A fault says what is wrong with the folder and what to do. */
  static async open(options: AccessOptions): Promise<Access | Fault> {
    const { dataDir, numberOf, now, limits, onRefuseAll, onDecisions, onVerificationRequest } = options
    // Before anything is read: a command that finds the folder free can then rely on us to read what it has written.
    const lock = options.lock ?? acquire(dataDir, now())
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
    const announced: { current: readonly CoverageRemoval[] } = { current: [] }
    const apply = (changes: StoreChanges, isFirst: boolean): Promise<void> | undefined => {
      gate.apply(changes)
      if (changes.removals !== null) announced.current = changes.removals
      for (const { id, revokedAt } of changes.keys) if (!isFirst && revokedAt !== null) options.onRevoked?.(id)
      const decided = changes.decisions === null ? undefined : onDecisions?.(changes.decisions)
      const unnumbered = changes.bookmakers === null ? [] : registry.unnumbered()
      const numbered = unnumbered.length === 0 ? undefined : options.addBookmakers?.(unnumbered)
      for (const request of changes.requests) {
        if (onVerificationRequest !== undefined) onVerificationRequest(request)
        else void client?.finishRequest(request.id, 'this server verifies nothing: no sources are configured')
      }
      if (numbered === undefined) return decided
      return Promise.all([decided, numbered.then(() => gate.renumber())]).then(() => {})
    }
    const opened = await StoreClient.open({
      dataDir,
      at: now(),
      accepts: options.acceptsStore === true,
      apply,
      onBlind: (outage) => {
        // One line when it begins and one when it ends, whatever else fails in between.
        const isNews = gate.refusesAll !== (outage !== undefined)
        gate.refuseAll(outage && 'Access rights cannot be checked just now; try again in a moment', outage?.isLost)
        if (isNews) onRefuseAll?.(outage?.reason)
      },
      onUnwritable: (reason) => options.onUnwritable?.(reason),
    })
    if (isFault(opened)) {
      lock.release()
      return opened
    }
    client = opened
    const onRemovalFault = options.onRemovalFault ?? (() => {})
    return new Access(gate, registry, accounts, client, ledger, lock, now, announced, onRemovalFault)
  }

  /** Why requests should not be sent here now, one line each; none: they are welcome. */
  problems(): readonly string[] {
    const { blindBecause, unwritableBecause } = this.client
    return [
      ...(blindBecause === undefined ? [] : [`access rights cannot be checked: ${blindBecause}`]),
      ...(unwritableBecause === undefined ? [] : [`requests cannot be counted: ${unwritableBecause}`]),
    ]
  }

  /** The announced removals of coverage of a bookmaker, by the time at which they take effect. */
  removalsOf(bookmaker: string): readonly CoverageRemoval[] {
    return this.announced.current.filter((removal) => removal.bookmaker === bookmaker)
  }

  /** State of the store, for metrics. */
  get storeHealth(): { readonly isUp: boolean; readonly isWritable: boolean; readonly restarts: number } {
    const { blindBecause, unwritableBecause, restarts } = this.client
    return { isUp: blindBecause === undefined, isWritable: unwritableBecause === undefined, restarts }
  }

  /** How long answers of the store thread took, by kind of task. */
  get storeDurations(): ReadonlyMap<string, Durations> {
    return this.client.durations
  }

  /** All plans, by name. */
  plans(): readonly Plan[] {
    return this.accounts.allPlans()
  }

  /**
   * Adds or replaces bookmakers with their coverage, permanently. It holds when this resolves. Rows that equal those of
   * the last import change nothing, so that later changes by operators and verification stay.
   */
  importCoverage(bookmakers: readonly Bookmaker[]): Promise<Fault | undefined> {
    return this.client.importCoverage(bookmakers, this.now())
  }

  /** A new customer key of the organization `demo` that expires after a day. It holds when this resolves. */
  createDemoKey(): Promise<MintedKey | Fault> {
    return this.client.createDemoKey(this.now())
  }

  /** The secret with which this process reads its own REST: see {@link Gate.internalKey}. */
  internalKey(): string {
    return this.gate.internalKey()
  }

  /**
   * Records the result of a verification, made for a request or (null) on schedule. Its effect on coverage holds when
   * this resolves.
   */
  recordVerification(
    run: Verification,
    policy: VerificationPolicy,
    request: number | null,
  ): Promise<VerificationEffect | Fault> {
    return this.client.recordVerification(run, policy, request, this.now())
  }

  /** Ends a request. `detail` says why nothing, or not all, was verified; else it is empty. */
  finishVerificationRequest(id: number, detail = ''): Promise<Fault | undefined> {
    return this.client.finishRequest(id, detail)
  }

  /** When each bookmaker was last verified in each sport, whatever the result. */
  lastVerifications(): Promise<readonly LastVerification[] | Fault> {
    return this.client.lastVerifications()
  }

  /** Carries out the removals of coverage that are due. Called automatically at the start and once a minute. */
  removeDue(): Promise<Fault | undefined> {
    return this.client.removeDue(this.now())
  }

  /**
   * Writes the ports in use, whether they use TLS, and the address of the admin port, into `server.json` of the data
   * folder, for people and programs.
   */
  announce(ports: Readonly<Record<string, number>>, tls?: boolean, admin?: AdminAddress): void {
    this.lock.announce(ports, tls, admin)
  }

  /** Gives unused reservations back and frees the folder. Call it when no more requests come. */
  async close(): Promise<void> {
    clearInterval(this.dueTimer)
    await this.ledger.close()
    await this.client.close()
    this.lock.release()
  }
}
