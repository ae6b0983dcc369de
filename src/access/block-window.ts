// The hour or the month of one organization, as one process sees it: what it may admit without asking.
//
//   0        used         refillAt      allowed = min(limit, reserved)      limit
//   |---------|--------------|------------------|-----------------------------|
//      used    available      available, next     not reserved yet
//                             block requested
//
// Where several processes share a window, `reserved` is what all of them have reserved, and `used` is that without what
// this one has reserved and not used: blocks of others count as used.

import { elapsedMs } from '../clock.ts'
import type { Refusal } from '../domain/refusal.ts'
import { exhausted, type WindowKind, type WindowUse, windowEnd, windowStart } from './ledger.ts'

/** A block that is requested for a window. */
export interface Want {
  /** Id of the organization. */
  readonly organization: string
  readonly kind: WindowKind
  /** Epoch ms. */
  readonly start: number
  readonly limit: number
  /** 0: only how much is reserved is asked. */
  readonly amount: number
}

/** What was recorded: requests reserved before this block, and its size (less than requested near the limit). */
export interface Grant {
  readonly before: number
  readonly granted: number
}

/** Of a window that is asked for rarely. At most two blocks are reserved and unused: 100 requests, and 10 % of a small limit. */
const leastBlockOf = (limit: number): number => Math.min(50, Math.max(1, Math.ceil(limit / 20)))

/** Of a window that is asked for often: two blocks are 1 % of the limit. */
const mostBlockOf = (limit: number): number => Math.max(leastBlockOf(limit), Math.floor(limit / 200))

/**
 * A block that was used up sooner is followed by one twice as large, one that lasted 16 times as long by one half as large.
 * So a window is recorded a few times a second, however many requests there are.
 */
const BLOCK_MS = 250
const LONG_BLOCK_MS = 16 * BLOCK_MS

/** Of what is left of a shared window a process holds this part at most, so that it starves no other near its end. */
export const SHARE_HELD = 1 / 8

export class BlockWindow {
  readonly kind: WindowKind
  start = 0
  end = 0
  limit = 0
  used = 0
  reserved = 0
  allowed = 0
  refillAt = Number.POSITIVE_INFINITY
  refusal: Refusal | undefined
  private readonly isShared: boolean
  /**
   * The limit has changed: others may have reserved more than is known here, so nothing is admitted before an answer. One that
   * has changed and changed back between two requests is not noticed: what is held was granted under it, and may be used.
   */
  private isStale = false
  /** Whether the last answer that is known, or under way, is to what was asked since then. */
  private isAsked = false
  /** When a shared window that is used up is asked about again: others may have given back. Epoch ms. */
  private againAt = 0
  /** Requests of the next block, if the limit allows so many. */
  private size = 0
  /** When a block was asked for, elapsed ms. */
  private askedMs = Number.NEGATIVE_INFINITY

  constructor(kind: WindowKind, isShared: boolean) {
    this.kind = kind
    this.isShared = isShared
  }

  /** Requests that may be admitted without asking. */
  get held(): number {
    return this.reserved - this.used
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
      this.isStale = false
      this.againAt = 0
    } else {
      this.isStale = this.isShared
      this.isAsked = false
    }
    if (limit !== this.limit) this.refusal = exhausted(this.kind, limit)
    this.limit = limit
    this.mark()
  }

  want(organization: string): Want {
    const { kind, start, limit } = this
    this.fit()
    this.isAsked = true
    const amount = Math.max(1, 2 * this.block()) - this.held
    return { organization, kind, start, limit, amount: Math.max(0, amount) }
  }

  /** Adds a block that was recorded; a block of an earlier window came too late and is lost with that window. */
  grant(start: number, { before, granted }: Grant): void {
    if (start !== this.start) return
    // Reserved by others, by an earlier run, or by a commit whose answer was lost: counted as used, never given again.
    // In a shared window others also give back; what this process alone has counted only grows.
    if (before > this.reserved || this.isShared) {
      this.used = Math.max(0, before - this.held)
      this.reserved = before
    }
    this.reserved += granted
    // An answer that was under way when the limit changed does not say what others have reserved since.
    if (this.isAsked) this.isStale = false
    this.mark()
  }

  /** Asks about a shared window that is used up, once in a while. */
  askAgain(now: number, everyMs: number): void {
    if (!this.isShared || this.used < this.limit || now < this.againAt) return
    this.againAt = now + everyMs
    this.wantNews()
  }

  /** The next command asks what others have reserved. */
  wantNews(): void {
    this.refillAt = Number.NEGATIVE_INFINITY
  }

  /** Gives up what it holds. @returns how much that is */
  giveBack(): number {
    const { held } = this
    this.reserved = this.used
    this.mark()
    return held
  }

  /** Makes blocks as large as the rate of requests demands. */
  private fit(): void {
    const nowMs = elapsedMs()
    const tookMs = nowMs - this.askedMs
    this.askedMs = nowMs
    if (tookMs < BLOCK_MS) this.size *= 2
    else if (tookMs > LONG_BLOCK_MS) this.size /= 2
    this.size = Math.min(mostBlockOf(this.limit), Math.max(leastBlockOf(this.limit), Math.floor(this.size)))
  }

  private block(): number {
    const block = Math.min(mostBlockOf(this.limit), Math.max(leastBlockOf(this.limit), this.size))
    if (!this.isShared) return block
    return Math.min(block, Math.max(0, Math.floor(((this.limit - this.reserved) * SHARE_HELD) / 2)))
  }

  private mark(): void {
    this.allowed = this.isStale ? this.used : Math.min(this.limit, this.reserved)
    if (this.isStale) this.refillAt = Number.NEGATIVE_INFINITY
    else this.refillAt = this.reserved < this.limit ? this.allowed - this.block() : Number.POSITIVE_INFINITY
  }
}

/** @param window undefined: the organization has made no request since the start */
export const useOf = (window: BlockWindow | undefined, kind: WindowKind, limit: number, now: number): WindowUse => {
  const isCounted = window !== undefined && window.reserved > 0
  return { kind, limit, used: isCounted ? Math.min(window.used, limit) : undefined, endsAt: windowEnd(kind, now) }
}
