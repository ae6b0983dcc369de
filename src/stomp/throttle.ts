// The throttle: a key whose sessions repeatedly end with an ERROR has to wait before its next CONNECT is accepted. A
// client in such a loop (ERROR, reconnect, snapshot) costs a snapshot each time.
//
//   errors of a key, decaying at a constant rate ──over the allowance──▶ it waits 1 s, then 2 s, 4 s … up to a maximum
//
// Many desks may share one key, so that one fault of their network ends many sessions at once: the allowance grows by
// the most sessions that the key has had at the same time.

import { OldestKeys } from '../domain/oldest-keys.ts'
import type { ErrorCode } from './session-fault.ts'

export interface ThrottleLimits {
  /** Sessions of one key that may end with an ERROR within `errorWindowMs`, plus one for each session that it has. */
  readonly errorSessionsMax: number
  readonly errorWindowMs: number
  /** The first wait of a key that has exceeded it; each further one is twice as long … */
  readonly throttleMs: number
  /** … up to this. */
  readonly throttleMsMax: number
}

/** Keys kept. Each has had a session; beyond that, the oldest entry is dropped. */
const KEYS_KEPT = 10_000

/**
 * ERRORs that are not the client's fault: the service ends or cannot do what was asked, or the rights of the key have
 * changed (then the next CONNECT is refused).
 */
const NOT_COUNTED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'server_shutdown',
  'service_unavailable',
  'missing_api_key',
  'invalid_api_key',
  'live_not_enabled',
  'rate_limit_exceeded',
])

interface Entry {
  /** Sessions now. */
  sessions: number
  /** The most sessions since the errors were last 0. */
  sessionsMost: number
  /** Errors that have not decayed, as of `at`. */
  errors: number
  at: number
  /** Waits in a row. */
  waits: number
  waitsUntil: number
}

export class Throttle {
  /** CONNECTs that were refused because their key has to wait. */
  refused = 0
  private readonly limits: ThrottleLimits
  private readonly entries = new Map<string, Entry>()
  private readonly oldest = new OldestKeys(this.entries)

  constructor(limits: ThrottleLimits) {
    this.limits = limits
  }

  /** Keys that have to wait. */
  waitingKeys(nowAt: number): number {
    let count = 0
    for (const { waitsUntil } of this.entries.values()) if (nowAt < waitsUntil) count++
    return count
  }

  /** How long a key has to wait before it may connect, ms; 0: it may. */
  waitMs(keyId: string, nowAt: number): number {
    return Math.max(0, (this.entries.get(keyId)?.waitsUntil ?? 0) - nowAt)
  }

  /** A session of a key has begun. */
  opened(keyId: string): void {
    const entry = this.entryOf(keyId)
    entry.sessions++
    entry.sessionsMost = Math.max(entry.sessionsMost, entry.sessions)
  }

  /** A session of a key has ended. @param code of the ERROR, if it ended with one */
  ended(keyId: string, code: ErrorCode | undefined, nowAt: number): void {
    const entry = this.entries.get(keyId)
    if (entry === undefined) return
    if (code !== undefined && !NOT_COUNTED.has(code)) this.countError(entry, nowAt)
    entry.sessions = Math.max(0, entry.sessions - 1)
    this.forgetErrors(entry, nowAt)
    if (entry.sessions === 0 && entry.errors === 0 && entry.waitsUntil <= nowAt) this.entries.delete(keyId)
  }

  private countError(entry: Entry, nowAt: number): void {
    const { throttleMs, throttleMsMax } = this.limits
    this.forgetErrors(entry, nowAt)
    entry.errors++
    const allowed = this.allowed(entry)
    // Sessions that were open when the wait began may end with an ERROR, too: that is the same fault.
    if (entry.errors <= allowed || nowAt < entry.waitsUntil) return
    entry.waitsUntil = nowAt + Math.min(throttleMsMax, throttleMs * 2 ** Math.min(entry.waits, 30))
    entry.waits++
    // The wait does not reset the errors: another error after it causes the next wait.
    entry.errors = allowed
    entry.at = entry.waitsUntil
  }

  private allowed({ sessionsMost }: Entry): number {
    return this.limits.errorSessionsMax + sessionsMost
  }

  /** Errors decay at the rate of the whole allowance per window. */
  private forgetErrors(entry: Entry, nowAt: number): void {
    if (nowAt <= entry.at) return
    const forgotten = ((nowAt - entry.at) * this.allowed(entry)) / this.limits.errorWindowMs
    entry.errors = Math.max(0, entry.errors - forgotten)
    entry.at = nowAt
    if (entry.errors > 0) return
    entry.waits = 0
    entry.sessionsMost = entry.sessions
  }

  private entryOf(keyId: string): Entry {
    const known = this.entries.get(keyId)
    if (known !== undefined) return known
    const entry: Entry = { sessions: 0, sessionsMost: 0, errors: 0, at: 0, waits: 0, waitsUntil: 0 }
    this.entries.set(keyId, entry)
    if (this.entries.size > KEYS_KEPT) this.entries.delete(this.oldest.next()!)
    return entry
  }
}
