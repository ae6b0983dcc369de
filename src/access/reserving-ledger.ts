// The ledger of one process: requests are reserved in blocks (block-window.ts), and a block is recorded, on disk or where
// several processes share it, before its first request is admitted. So a crash never gives a request for free; it costs
// what was reserved and not yet used.

import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises'
import type { Refusal } from '../domain/refusal.ts'
import type { Transport } from '../domain/transport.ts'
import { BlockWindow, type Grant, useOf, type Want } from './block-window.ts'
import {
  type Admission,
  type Ledger,
  NO_LIMIT,
  type Prospect,
  UNLIMITED,
  unavailable,
  type WindowKind,
  windowStart,
} from './ledger.ts'
import type { Organization } from './organization.ts'

/** Nothing was recorded. Busy: another process holds the store, and a retry is worthwhile. */
export interface ReserveFailure {
  readonly failed: string
  readonly busy: boolean
}

/** Records all requested blocks in one transaction, or none. Grants are in the order of the wants. */
export type Reserve = (wants: readonly Want[]) => Promise<readonly Grant[] | ReserveFailure>

/** Reservations of a window that were not used. */
export interface Leftover {
  readonly organization: string
  readonly kind: WindowKind
  readonly start: number
  readonly amount: number
}

export interface ReservingLedgerOptions {
  readonly reserve: Reserve
  readonly release: (leftovers: readonly Leftover[]) => Promise<void>
  /** How long a request waits for a block before it is refused with 503. */
  readonly deadlineMs: number
  /** Left out: no other process takes from the same windows. */
  readonly shared?: SharedTerms | undefined
}

export interface SharedTerms {
  /** Organizations whose blocks are requested together at most. */
  readonly accountsMax: number
  /**
   * After so long without a request an organization's unused blocks are given back, so that other processes can use
   * them; and so often it is asked what others have used, also where a window is used up.
   */
  readonly idleMs: number
  /** See {@link SharedReservations.isCounted}. */
  readonly isCounted: () => boolean
}

/** Where several processes record what they reserve. */
export interface SharedReservations {
  readonly reserve: Reserve
  /** Reservations that cannot be given back are lost, as after a crash. */
  readonly release: (leftovers: readonly Leftover[]) => Promise<void>
  /** What all processes have reserved of the windows that begin then; undefined: it is not known now. */
  reservedOf(
    organization: string,
    starts: Readonly<Record<WindowKind, number>>,
  ): Promise<Readonly<Record<WindowKind, number>> | undefined>
  /** Whether what was granted is certain to be counted still. Where it is not, it must be asked before more is used. */
  isCounted(): boolean
  /** @param lose gives up what is held, and says what that is: it is counted no longer. In place of an earlier one. */
  onLost(lose: () => readonly Leftover[]): void
  /** Why nothing can be reserved; undefined: it can. */
  problem(): string | undefined
}

/** Requests that may wait for blocks at the same time, so that a slow disk does not fill the memory. */
const PARKED_MAX = 50_000

/** Pause after a failure, so that a broken store is not asked in a tight loop. */
const RETRY_MS = 20

const STORE_DOWN = unavailable('Requests cannot be counted just now; try again in a moment')
const CLOSED = unavailable('The service is shutting down')

export class ReservingLedger implements Ledger {
  private readonly options: ReservingLedgerOptions
  private readonly accounts = new Map<string, Account>()
  /** Accounts that need a block and are not in the current batch. */
  private asking: Account[] = []
  private refilling: Promise<void> | undefined
  private parkedCount = 0
  private closed = false
  private readonly idleTimer: NodeJS.Timeout | undefined
  private releasing: Promise<unknown> | undefined

  constructor(options: ReservingLedgerOptions) {
    this.options = options
    const { shared } = options
    if (shared !== undefined) this.idleTimer = setInterval(() => this.settleWithOthers(), shared.idleMs).unref()
  }

  admit(organization: Organization, transport: Transport, now: number): Admission | Promise<Admission> {
    const { hourlyLimit, monthlyQuota } = organization.plan
    const hourly = hourlyLimit !== 0
    const monthly = monthlyQuota !== 0 && transport === 'rest'
    if (!hourly && !monthly) return UNLIMITED
    if (this.closed) return CLOSED
    const account = this.accountOf(organization.id)
    const { hour, month } = account
    if (hourly) hour.follow(now, hourlyLimit)
    if (monthly) month.follow(now, monthlyQuota)
    // Requests are admitted in order of arrival.
    const waits = account.parked.size > 0 || !this.isCounted()
    const admission = waits ? account.refuse(hourly, monthly, now) : account.count(hourly, monthly, now)
    if (admission === undefined) return this.park(account, hourly, monthly, now)
    if (admission.refusal !== undefined && this.options.shared !== undefined) {
      if (hourly) hour.askAgain(now, this.options.shared.idleMs)
      if (monthly) month.askAgain(now, this.options.shared.idleMs)
    }
    if (hour.used >= hour.refillAt || month.used >= month.refillAt) this.ask(account)
    return admission
  }

  prospect(organization: Organization, transport: Transport, now: number): Prospect {
    const { hourlyLimit, monthlyQuota } = organization.plan
    const hourly = hourlyLimit !== 0
    const monthly = monthlyQuota !== 0 && transport === 'rest'
    if (!hourly && !monthly) return NO_LIMIT
    const account = this.accounts.get(organization.id)
    if (hourly) account?.hour.follow(now, hourlyLimit)
    if (monthly) account?.month.follow(now, monthlyQuota)
    const windows = [
      ...(hourly ? [useOf(account?.hour, 'hour', hourlyLimit, now)] : []),
      ...(monthly ? [useOf(account?.month, 'month', monthlyQuota, now)] : []),
    ]
    return { refusal: this.closed ? CLOSED.refusal : account?.refuse(hourly, monthly, now)?.refusal, windows }
  }

  /** What this process has reserved of the windows of now, and not used. */
  held(organization: string, now: number): Record<WindowKind, number> {
    const account = this.accounts.get(organization)
    const of = (kind: WindowKind): number =>
      account !== undefined && account[kind].start === windowStart(kind, now) ? account[kind].held : 0
    return { hour: of('hour'), month: of('month') }
  }

  /** Gives up what it holds. @returns what that is */
  lose(): Leftover[] {
    return [...this.accounts.values()].flatMap((account) => account.giveBack())
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.idleTimer)
    for (const account of this.accounts.values()) account.giveUp(CLOSED)
    // Blocks of the current batch are given back, too.
    await this.refilling
    await this.releasing
    const leftovers = [...this.accounts.values()].flatMap((account) => account.leftovers())
    if (leftovers.length > 0) await this.options.release(leftovers)
  }

  private isCounted(): boolean {
    return this.options.shared?.isCounted() ?? true
  }

  private accountOf(organization: string): Account {
    let account = this.accounts.get(organization)
    if (account === undefined) {
      account = new Account(organization, this.options.shared !== undefined)
      this.accounts.set(organization, account)
    }
    return account
  }

  private park(account: Account, hourly: boolean, monthly: boolean, now: number): Admission | Promise<Admission> {
    if (this.parkedCount >= PARKED_MAX) return STORE_DOWN
    this.parkedCount += 1
    this.ask(account)
    return new Promise((resolve) => {
      const settle = (admission: Admission): void => {
        clearTimeout(timer)
        account.parked.delete(parked)
        this.parkedCount -= 1
        resolve(admission)
      }
      const timer = setTimeout(settle, this.options.deadlineMs, STORE_DOWN)
      const parked: Parked = { hourly, monthly, now, settle }
      account.parked.add(parked)
    })
  }

  private ask(account: Account): void {
    if (account.asking) return
    account.asking = true
    this.asking.push(account)
    this.refilling ??= this.refill()
  }

  /** Gives back what is not used, and asks what others have used, so that what is left is never told too late. */
  private settleWithOthers(): void {
    const leftovers: Leftover[] = []
    for (const account of this.accounts.values()) {
      if (account.isIdle()) leftovers.push(...account.giveBack())
      else if (account.wantsNews()) this.ask(account)
    }
    if (leftovers.length === 0) return
    const released = this.options.release(leftovers)
    this.releasing = Promise.all([this.releasing, released])
  }

  /** One batch after another, each with all accounts that asked meanwhile: a slower disk gets larger batches. */
  private async refill(): Promise<void> {
    while (this.asking.length > 0 && !this.closed) {
      // All accounts that ask in this iteration of the event loop join the batch.
      await nextIteration()
      const batch = this.asking.splice(0, this.options.shared?.accountsMax ?? this.asking.length)
      if (!this.isCounted()) for (const account of batch) account.wantNews()
      const wanting = batch.flatMap((account) => account.wanting())
      const grants = await this.options.reserve(wanting.map(([, want]) => want))
      if ('failed' in grants) {
        // A busy store is tried again, until each request's deadline.
        if (grants.busy) this.asking.unshift(...batch)
        else for (const account of batch) account.giveUp(STORE_DOWN)
        await pause(RETRY_MS)
        continue
      }
      for (const [place, [window, want]] of wanting.entries()) window.grant(want.start, grants[place]!)
      if (!this.isCounted()) {
        // The answer has become old here, as when this process was paused.
        this.asking.unshift(...batch)
        await pause(RETRY_MS)
        continue
      }
      for (const account of batch) {
        account.asking = false
        if (!account.drainParked()) this.ask(account)
      }
    }
    this.refilling = undefined
  }
}

/** A request that waits for a block, in the order of its set. */
interface Parked {
  readonly hourly: boolean
  readonly monthly: boolean
  readonly now: number
  readonly settle: (admission: Admission) => void
}

class Account {
  readonly hour: BlockWindow
  readonly month: BlockWindow
  readonly parked = new Set<Parked>()
  /** In the next batch, or in the current one. */
  asking = false
  private admitted = 0
  private admittedBefore = 0
  private readonly organization: string
  /** Reused, so that admitting allocates nothing. */
  private readonly admission: { -readonly [Key in keyof Admission]: Admission[Key] } = { ...UNLIMITED }

  constructor(organization: string, isShared: boolean) {
    this.organization = organization
    this.hour = new BlockWindow('hour', isShared)
    this.month = new BlockWindow('month', isShared)
  }

  /** Counts a request against the windows that apply; undefined where it must wait for a block. */
  count(hourly: boolean, monthly: boolean, now: number): Admission | undefined {
    const { hour, month } = this
    if ((hourly && hour.used >= hour.allowed) || (monthly && month.used >= month.allowed)) {
      return this.refuse(hourly, monthly, now)
    }
    this.admitted++
    if (hourly) hour.used += 1
    if (monthly) month.used += 1
    const fewer = !hourly || (monthly && month.limit - month.used < hour.limit - hour.used) ? month : hour
    return this.report(fewer, undefined, 0)
  }

  /** The refusal of the first window that is used up; undefined: none is. */
  refuse(hourly: boolean, monthly: boolean, now: number): Admission | undefined {
    const { hour, month } = this
    const over = hourly && hour.used >= hour.limit ? hour : monthly && month.used >= month.limit ? month : undefined
    return over && this.report(over, over.refusal, Math.max(1, Math.ceil((over.end - now) / 1000)))
  }

  /** Answers waiting requests in order, as far as the blocks reach. Returns whether all are answered. */
  drainParked(): boolean {
    for (const { hourly, monthly, now, settle } of this.parked) {
      const admission = this.count(hourly, monthly, now)
      if (admission === undefined) return false
      settle({ ...admission })
    }
    return true
  }

  /** Stops asking, and gives all waiting requests this answer. */
  giveUp(admission: Admission): void {
    this.asking = false
    for (const { settle } of this.parked) settle(admission)
  }

  wanting(): [BlockWindow, Want][] {
    return [this.hour, this.month]
      .filter((window) => window.used >= window.refillAt)
      .map((window) => [window, window.want(this.organization)])
  }

  /** What it holds. */
  leftovers(): Leftover[] {
    return [this.hour, this.month]
      .filter((window) => window.held > 0)
      .map(({ kind, start, held }) => ({ organization: this.organization, kind, start, amount: held }))
  }

  giveBack(): Leftover[] {
    const leftovers = this.leftovers()
    for (const window of [this.hour, this.month]) window.giveBack()
    return leftovers
  }

  /** Makes the windows that it uses be asked about. @returns whether there are any */
  wantsNews(): boolean {
    return !this.asking && this.wantNews()
  }

  /** Also where it asks already. */
  wantNews(): boolean {
    const used = [this.hour, this.month].filter(({ reserved }) => reserved > 0)
    for (const window of used) window.wantNews()
    return used.length > 0
  }

  /** Whether nothing has been admitted since the last time that this was asked, and nothing is under way. */
  isIdle(): boolean {
    const isIdle = this.admitted === this.admittedBefore && !this.asking && this.parked.size === 0
    this.admittedBefore = this.admitted
    return isIdle
  }

  private report(window: BlockWindow, refusal: Refusal | undefined, retryAfterS: number): Admission {
    const { admission } = this
    admission.refusal = refusal
    admission.limit = window.limit
    admission.remaining = Math.max(0, window.limit - window.used)
    admission.resetAt = window.end / 1000
    admission.retryAfterS = retryAfterS
    return admission
  }
}
