// Followers: subscriptions that are served from the log, one after the other, in the time of their session.
//
// A session may subscribe to one destination many times, and each subscription gets every message. The first of them
// are written to while a turn is published. The others would let one client make the turn arbitrarily long: they follow
// the log instead, like a subscription that catches up, and do not delay other sessions.

import type { ReplayRing } from './replay-ring.ts'
import { SparseSet } from './sparse.ts'
import type { Subscription } from './subscription.ts'

export class Followers {
  private readonly ring: ReplayRing
  private readonly all = new SparseSet<Subscription>()
  // Those that are still to be served in the current round, in order.
  private readonly round = new SparseSet<Subscription>()
  private roundAt = 0
  // End of the log when the round began; later changes are delivered in the next round at the latest.
  private seq = 0

  constructor(ring: ReplayRing) {
    this.ring = ring
  }

  /** Adds a follower, or queues one that waited for acknowledgements. */
  add(subscription: Subscription, nowAt: number): void {
    this.all.add(subscription)
    if (this.round.size === 0) this.roundAt = nowAt
    this.round.add(subscription)
  }

  delete(subscription: Subscription): void {
    this.all.delete(subscription)
    this.round.delete(subscription)
  }

  clear(): void {
    this.all.clear()
    this.round.clear()
  }

  get size(): number {
    return this.all.size
  }

  /** Whether the log may have something for a follower. */
  get isBehind(): boolean {
    return this.all.size > 0 && (this.round.size > 0 || this.seq < this.ring.lastSeq)
  }

  /** How long the current round has lasted, ms; 0: there is none. */
  lateMs(nowAt: number): number {
    return this.round.size > 0 ? nowAt - this.roundAt : 0
  }

  /** This process was paused: a long round is not the client's fault. */
  excuse(nowAt: number): void {
    this.roundAt = nowAt
  }

  /**
   * Serves each follower once, continuing where the last call ended.
   * @param serve delivers what a follower is due, as far as time and its carrier allow
   */
  serve(nowAt: number, serve: (subscription: Subscription) => void): void {
    const { all, round, ring } = this
    if (round.size === 0) {
      if (this.seq === ring.lastSeq) return
      for (const subscription of all) round.add(subscription)
      this.roundAt = nowAt
      this.seq = ring.lastSeq
    }
    for (const subscription of round) {
      serve(subscription)
      if (subscription.hasPending) return
      round.delete(subscription)
    }
  }
}
