// The ledger of one process: requests are reserved in blocks, and a block is on disk before its first request is
// admitted. So a crash never gives a request for free; it costs what was reserved and not yet used.
//
//   0        used         refillAt      allowed = min(limit, reserved)      limit
//   |---------|--------------|------------------|-----------------------------|
//      used    available      available, next     not reserved yet
//                             block requested

import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises'
import type { Refusal } from '../domain/refusal.ts'
import type { Transport } from '../domain/transport.ts'
import {
  type Admission,
  exhausted,
  type Ledger,
  NO_LIMIT,
  type Prospect,
  UNLIMITED,
  unavailable,
  type WindowKind,
  type WindowUse,
  windowEnd,
  windowStart,
} from './ledger.ts'
import type { Organization } from './organization.ts'

/** A block that is requested for a window. */
export interface Want {
  /** Id of the organization. */
  readonly organization: string
  readonly kind: WindowKind
  /** Epoch ms. */
  readonly start: number
  readonly limit: number
  readonly amount: number
}

/** What was recorded: requests reserved before this block, and its size (less than requested near the limit). */
export interface Grant {
  readonly before: number
  readonly granted: number
}

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
}

/** At most two blocks are reserved and unused: a crash costs 100 requests of a window, and 10 % of a small one. */
const blockOf = (limit: number): number => Math.min(50, Math.max(1, Math.ceil(limit / 20)))

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

  constructor(options: ReservingLedgerOptions) {
    this.options = options
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
    const waits = account.parked.size > 0
    const admission = waits ? account.refuse(hourly, monthly, now) : account.count(hourly, monthly, now)
    if (admission === undefined) return this.park(account, hourly, monthly, now)
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

  async close(): Promise<void> {
    this.closed = true
    for (const account of this.accounts.values()) account.giveUp(CLOSED)
    // Blocks of the current batch are given back, too.
    await this.refilling
    const leftovers = [...this.accounts.values()].flatMap((account) => account.leftovers())
    if (leftovers.length > 0) await this.options.release(leftovers)
  }

  private accountOf(organization: string): Account {
    let account = this.accounts.get(organization)
    if (account === undefined) {
      account = new Account(organization)
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

  /** One batch after another, each with all accounts that asked meanwhile: a slower disk gets larger batches. */
  private async refill(): Promise<void> {
    while (this.asking.length > 0 && !this.closed) {
      // All accounts that ask in this iteration of the event loop join the batch.
      await nextIteration()
      const batch = this.asking
      this.asking = []
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
  readonly hour = new Window('hour')
  readonly month = new Window('month')
  readonly parked = new Set<Parked>()
  /** In the next batch, or in the current one. */
  asking = false
  private readonly organization: string
  /** Reused, so that admitting allocates nothing. */
  private readonly admission: { -readonly [Key in keyof Admission]: Admission[Key] } = { ...UNLIMITED }

  constructor(organization: string) {
    this.organization = organization
  }

  /** Counts a request against the windows that apply; undefined where it must wait for a block. */
  count(hourly: boolean, monthly: boolean, now: number): Admission | undefined {
    const { hour, month } = this
    if ((hourly && hour.used >= hour.allowed) || (monthly && month.used >= month.allowed)) {
      return this.refuse(hourly, monthly, now)
    }
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

  wanting(): [Window, Want][] {
    return [this.hour, this.month]
      .filter((window) => window.used >= window.refillAt)
      .map((window) => [window, window.want(this.organization)])
  }

  leftovers(): Leftover[] {
    return [this.hour, this.month]
      .filter((window) => window.reserved > window.used)
      .map(({ kind, start, reserved, used }) => ({
        organization: this.organization,
        kind,
        start,
        amount: reserved - used,
      }))
  }

  private report(window: Window, refusal: Refusal | undefined, retryAfterS: number): Admission {
    const { admission } = this
    admission.refusal = refusal
    admission.limit = window.limit
    admission.remaining = Math.max(0, window.limit - window.used)
    admission.resetAt = window.end / 1000
    admission.retryAfterS = retryAfterS
    return admission
  }
}

/** @param window undefined: the organization has made no request since the start */
const useOf = (window: Window | undefined, kind: WindowKind, limit: number, now: number): WindowUse => {
  const isCounted = window !== undefined && window.reserved > 0
  return { kind, limit, used: isCounted ? Math.min(window.used, limit) : undefined, endsAt: windowEnd(kind, now) }
}

/** The hour or the month of one organization. See the picture above. */
class Window {
  readonly kind: WindowKind
  start = 0
  end = 0
  limit = 0
  used = 0
  reserved = 0
  allowed = 0
  refillAt = Number.POSITIVE_INFINITY
  refusal: Refusal | undefined

  constructor(kind: WindowKind) {
    this.kind = kind
  }

  /** The window of now, with the limit of now. */
  follow(now: number, limit: number): void {
    if (now >= this.end || this.limit !== limit) this.rollOver(now, limit)
  }

  /** Opens the next window when this one has ended, and applies a limit. A clock that goes back opens nothing. */
  rollOver(now: number, limit: number): void {
    if (now >= this.end) {
      this.start = windowStart(this.kind, now)
      this.end = windowEnd(this.kind, now)
      this.used = 0
      this.reserved = 0
    }
    if (limit !== this.limit) this.refusal = exhausted(this.kind, limit)
    this.limit = limit
    this.mark()
  }

  want(organization: string): Want {
    const { kind, start, limit } = this
    return { organization, kind, start, limit, amount: 2 * blockOf(limit) - (this.reserved - this.used) }
  }

  /** Adds a block that was recorded; a block of an earlier window came too late and is lost with that window. */
  grant(start: number, { before, granted }: Grant): void {
    if (start !== this.start) return
    // Reserved by an earlier run, or by a commit whose answer was lost: counted as used, never given again.
    if (before > this.reserved) {
      this.used += before - this.reserved
      this.reserved = before
    }
    this.reserved += granted
    this.mark()
  }

  private mark(): void {
    this.allowed = Math.min(this.limit, this.reserved)
    this.refillAt = this.reserved < this.limit ? this.allowed - blockOf(this.limit) : Number.POSITIVE_INFINITY
  }
}
