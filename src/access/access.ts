// Access: the parts of this folder, wired for a server.

import { randomBytes } from 'node:crypto'
import type { Bookmaker, Verification, VerificationPolicy, VerificationRequest } from '../domain/coverage.ts'
import type { Decision } from '../domain/event-identity.ts'
import type { StoreInput, StoreMark } from '../domain/input.ts'
import type { Durations } from '../durations.ts'
import { Accounts } from './accounts.ts'
import { auditLines, refusalLines } from './audit-lines.ts'
import type { CoverageRemoval } from './coverage-records.ts'
import { type Fault, isFault } from './fault.ts'
import { Gate } from './gate.ts'
import type { AdminAddress } from './holder.ts'
import { acquire, type Lock } from './lock.ts'
import { type WindowKind, windowStart } from './ledger.ts'
import type { Organization, OrganizationRecord } from './organization.ts'
import { type PageKeyLimits, PageKeys } from './page-keys.ts'
import type { Plan } from './plan.ts'
import type { PortalResults, PortalTask } from './portal-tasks.ts'
import { Registry } from './registry.ts'
import { ReservingLedger, type SharedReservations } from './reserving-ledger.ts'
import type { MintedKey } from './account-records.ts'
import { type SharedStoreOptions, StoreClient } from './store-client.ts'
import type { StoreChanges } from './store-messages.ts'
import { hashOfToken, LINK_MS, newToken } from './token.ts'
import { Traffic, type TrafficLimits } from './traffic.ts'
import type { LastVerification, VerificationEffect } from './verification-records.ts'

/** Interval of the checks for removals of coverage that are due: they fall due at the start of a day. */
const DUE_MS = 60_000

/** The users of `serve --demo`. */
const DEMO_EMAILS = { owner: 'demo@localhost', operator: 'operator@localhost' } as const

/** Interval in which it is recorded what customers have asked for. */
const COLLECT_MS = 60_000

export interface AccessOptions {
  readonly dataDir: string
  /** The number of a bookmaker's slug: always the same one, from 1 on. */
  readonly numberOf: (slug: string) => number
  /** Gives bookmakers that have no number theirs; resolves when they have them. Until then nobody sees them. */
  readonly addBookmakers?: (slugs: readonly string[]) => Promise<void>
  /** The data folder, if it is acquired already: it is freed when this process stops serving. */
  readonly lock?: Lock
  readonly now: () => number
  /** Where requests are counted that several processes serve; left out: in the store. Whoever gives it closes it. */
  readonly reservations?: SharedReservations | undefined
  readonly limits: {
    /** Raw credentials remembered, so that they are hashed once. */
    readonly credentialsMax: number
    /** How long the store may need to grant a block of requests before the answer is 503. */
    readonly ledgerDeadlineMs: number
    /** The same with {@link AccessOptions.reservations}. */
    readonly sharedLedgerDeadlineMs: number
    /** See SharedTerms of the ledger. */
    readonly usageIdleMs: number
    readonly usageWindowsMax: number
  } & TrafficLimits &
    PageKeyLimits
  /** Signs keys of pages: the same in all processes of the service. Left out: one that ends with this process. */
  readonly pageSecret?: Uint8Array | undefined
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
  /** Called with a line for what commands and users of the portal change, and for refused requests, each minute and when somebody looks. */
  readonly onAudit?: (line: string) => void
  /** Set where several processes share the store: its changes go through their log. */
  readonly shared?: SharedAccess | undefined
  /** Called with the reason why due removals of coverage could not be carried out; they are tried again. */
  readonly onRemovalFault?: (fault: Fault) => void
}

/** What the access of several processes needs of their log. */
export interface SharedAccess extends SharedStoreOptions {
  /** Whether this process does what only one has to do: removals of coverage that are due. */
  readonly isLeader: () => boolean
}

export class Access {
  readonly gate: Gate
  readonly registry: Registry
  /** What customers have asked for. */
  readonly traffic: Traffic
  /** Keys with which pages of the portal read prices. */
  readonly pages: PageKeys
  private readonly accounts: Accounts
  private readonly client: StoreClient
  private readonly ledger: ReservingLedger
  private readonly lock: Lock
  private readonly now: () => number
  private readonly shared: SharedAccess | undefined
  private readonly announced: { current: readonly CoverageRemoval[] }
  private readonly reservations: SharedReservations | undefined
  private readonly onAudit: (line: string) => void
  private readonly dueTimer: NodeJS.Timeout
  private isClosed = false
  private collectTimer: NodeJS.Timeout | undefined
  private collecting: Promise<void> | undefined

  private constructor(
    gate: Gate,
    registry: Registry,
    accounts: Accounts,
    client: StoreClient,
    ledger: ReservingLedger,
    lock: Lock,
    now: () => number,
    onRemovalFault: (fault: Fault) => void,
    kept: {
      readonly traffic: Traffic
      readonly pages: PageKeys
      readonly announced: { current: readonly CoverageRemoval[] }
      readonly onAudit: (line: string) => void
      readonly reservations: SharedReservations | undefined
      readonly shared: SharedAccess | undefined
    },
  ) {
    this.reservations = kept.reservations
    this.shared = kept.shared
    this.announced = kept.announced
    this.traffic = kept.traffic
    this.pages = kept.pages
    this.onAudit = kept.onAudit
    this.gate = gate
    this.registry = registry
    this.accounts = accounts
    this.client = client
    this.ledger = ledger
    this.lock = lock
    this.now = now
    this.dueTimer = setInterval(() => {
      if (this.shared?.isLeader() === false) return
      void this.removeDue().then((failed) => failed && onRemovalFault(failed))
    }, DUE_MS).unref()
    this.collectLater()
  }

  /** Makes this process the server of a data folder. A fault says what is wrong with the folder and what to do. */
  static async open(options: AccessOptions): Promise<Access | Fault> {
    const { dataDir, numberOf, now, limits, reservations, onRefuseAll, onDecisions, onVerificationRequest } = options
    // Before anything is read: a command that finds the folder free can then rely on us to read what it has written.
    const lock = options.lock ?? acquire(dataDir, now())
    if (isFault(lock)) return lock
    let client: StoreClient | undefined
    const ledger = new ReservingLedger({
      reserve: (wants) => (reservations ?? client!).reserve(wants),
      release: (leftovers) => (reservations ?? client!).release(leftovers),
      deadlineMs: reservations === undefined ? limits.ledgerDeadlineMs : limits.sharedLedgerDeadlineMs,
      shared: reservations && {
        accountsMax: limits.usageWindowsMax >> 1,
        idleMs: limits.usageIdleMs,
        isCounted: () => reservations.isCounted(),
      },
    })
    reservations?.onLost(() => ledger.lose())
    const registry = new Registry(numberOf)
    const accounts = new Accounts()
    const pages = new PageKeys({
      accounts,
      limits,
      secret: options.pageSecret ?? randomBytes(32),
      onEnded: (keys) => gate.dropUnlisted(keys),
    })
    const gate = new Gate({ accounts, registry, ledger, pages, credentialsMax: limits.credentialsMax })
    const announced: { current: readonly CoverageRemoval[] } = { current: [] }
    const traffic = new Traffic(limits, () => gate.uses(), now())
    const apply = (changes: StoreChanges, isFirst: boolean): Promise<void> | undefined => {
      gate.apply(changes)
      pages.update(changes.sessions)
      if (changes.removals !== null) announced.current = changes.removals
      for (const line of auditLines(changes.done)) options.onAudit?.(line)
      for (const { id, revokedAt } of changes.keys) if (!isFirst && revokedAt !== null) options.onRevoked?.(id)
      const verify = (): void => {
        for (const request of changes.requests) {
          if (onVerificationRequest !== undefined) onVerificationRequest(request)
          else void client?.finishRequest(request.id, 'this server verifies nothing: no sources are configured')
        }
      }
      // The input that has made the change has brought decisions and bookmakers to the engine.
      if (options.shared !== undefined) return void verify()
      const decided = changes.decisions === null ? undefined : onDecisions?.(changes.decisions)
      const unnumbered = changes.bookmakers === null ? [] : registry.unnumbered()
      const numbered = unnumbered.length === 0 ? undefined : options.addBookmakers?.(unnumbered)
      verify()
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
      shared: options.shared,
    })
    if (isFault(opened)) {
      lock.release()
      return opened
    }
    client = opened
    const onRemovalFault = options.onRemovalFault ?? (() => {})
    const kept = {
      ...{ traffic, pages, announced, onAudit: options.onAudit ?? (() => {}), reservations },
      shared: options.shared,
    }
    return new Access(gate, registry, accounts, client, ledger, lock, now, onRemovalFault, kept)
  }

  /** Why requests should not be sent here now, one line each; none: they are welcome. */
  problems(): readonly string[] {
    const { blindBecause, unwritableBecause } = this.client
    const uncounted = this.reservations?.problem()
    return [
      ...(blindBecause === undefined ? [] : [`access rights cannot be checked: ${blindBecause}`]),
      ...(unwritableBecause === undefined ? [] : [`requests cannot be counted: ${unwritableBecause}`]),
      ...(uncounted === undefined ? [] : [`requests cannot be counted: ${uncounted}`]),
    ]
  }

  /**
   * Makes the store that of the log that several processes share. Call it when the engine has applied all that was in the
   * log, and {@link makeStore} is called for what follows; nobody may be served before, and no change of the store is made.
   * @param begins whether the log begins with this process: then an earlier history of the store does not count
   * @returns why not: the store needs a copy of that of another process (see store-copy.ts)
   */
  join(begins: boolean): Promise<Fault | undefined> {
    return this.client.join(begins)
  }

  /**
   * The engine has accepted a change of the store. It is made, and holds here, when this resolves; no other turn may be
   * applied before. Never rejects: where it cannot be made, all requests are refused.
   */
  async makeStore(input: StoreInput): Promise<void> {
    await this.client.make(input)
    // Bookmakers that are not new to the store.
    if (input.statements.length === 0 && input.bookmakers.length > 0) this.gate.renumber()
  }

  /** Copies the store as it is now, for another process that shares it, into a file that does not exist yet. */
  copyStore(file: string): Promise<StoreMark | Fault> {
    return this.client.copy(file)
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

  /** What the portal asks of the store; see portal-tasks.ts. All changes that it made hold when this resolves. */
  portal<T extends PortalTask['kind']>(
    work: Extract<PortalTask, { readonly kind: T }>,
  ): Promise<PortalResults[T] | Fault> {
    return this.client.portal(work)
  }

  /** Records what customers have asked for until now. Without an answer of the store it is kept for the next time. */
  collect(): Promise<void> {
    this.collecting ??= this.record().finally(() => {
      this.collecting = undefined
    })
    return this.collecting
  }

  private async record(): Promise<void> {
    const at = this.now()
    this.reportRefused()
    const collected = this.traffic.collect(at)
    this.traffic.forget(this.gate.forgetUses())
    if (collected.keys.length + collected.traffic.length === 0) return
    const failed = await this.client.portal({ kind: 'note-use', ...collected, at })
    if (failed !== undefined) this.traffic.putBack(collected)
  }

  private reportRefused(): void {
    const counts = this.traffic.refusedSince().map(({ organization, ...counted }) => ({
      ...counted,
      organization: this.organizationOf(organization)?.name ?? organization,
    }))
    for (const line of refusalLines(counts)) this.onAudit(line)
  }

  /** At the end of each minute, so that requests are counted in their hour. */
  private collectLater(): void {
    this.collectTimer = setTimeout(
      () =>
        void this.collect().then(() => {
          if (!this.isClosed) this.collectLater()
        }),
      COLLECT_MS - (this.now() % COLLECT_MS),
    ).unref()
  }

  /**
   * Requests that an organization has used in its current windows.
   * @param reserved those that the store has, for windows that this process has not counted in
   */
  async used(id: string, reserved: Readonly<Record<WindowKind, number>>): Promise<Record<WindowKind, number>> {
    const used = { ...reserved }
    const organization = this.organizationOf(id)
    if (organization === undefined) return used
    const now = this.now()
    const starts = { hour: windowStart('hour', now), month: windowStart('month', now) }
    const byAll = await this.reservations?.reservedOf(id, starts)
    if (byAll !== undefined) {
      // What other processes hold counts as used, here as for a request.
      const held = this.ledger.held(id, now)
      return { hour: Math.max(0, byAll.hour - held.hour), month: Math.max(0, byAll.month - held.month) }
    }
    for (const window of this.ledger.prospect(organization, 'rest', now).windows) {
      used[window.kind] = window.used ?? used[window.kind]
    }
    return used
  }

  /** By id; undefined: there is none. */
  organizationOf(id: string): Organization | undefined {
    return this.accounts.hasOrganization(id) ? this.accounts.organizationOf(id) : undefined
  }

  /** All organizations, by name. */
  organizations(): readonly OrganizationRecord[] {
    return this.accounts.allOrganizations()
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

  /** A link of a user of the organization `demo` that needs no password, in place of an earlier one. */
  async createDemoLink(role: keyof typeof DEMO_EMAILS): Promise<Fault | { readonly token: string }> {
    const token = newToken()
    const at = this.now()
    const work = {
      kind: 'demo-link',
      email: DEMO_EMAILS[role],
      role,
      hash: hashOfToken(token),
      expiresAt: at + LINK_MS,
      at,
    } as const
    return (await this.client.portal(work)) ?? { token }
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
   * Writes the ports in use, whether they use TLS, the address of the admin port, and the public URL, into `server.json` of the data
   * folder, for people and programs.
   */
  announce(ports: Readonly<Record<string, number>>, tls?: boolean, admin?: AdminAddress, publicUrl?: string): void {
    this.lock.announce(ports, tls, admin, publicUrl)
  }

  /**
   * Gives unused reservations back and frees the folder. Call it when no more requests come; where the store is shared,
   * call {@link collect} before the log ends.
   */
  async close(): Promise<void> {
    clearInterval(this.dueTimer)
    this.isClosed = true
    clearTimeout(this.collectTimer)
    // Where the log takes changes of the store, it is over by now.
    if (this.shared === undefined) await this.collect()
    await this.ledger.close()
    await this.client.close()
    this.lock.release()
  }
}
