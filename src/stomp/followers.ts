// Followers: subscriptions that are served from the log, one after the other, in the time of their session.
//
// A session may subscribe to one destination many times, and each subscription gets every message. The first of them are
// written to while a turn is published, like those of everybody; the others would make the turn as long as one client
// likes. They follow the log instead, as a subscription does that catches up, and so cost nobody else anything.

import type { ReplayRing } from './replay-ring.ts'
import type { Subscription } from './subscription.ts'

export class Followers {
  private readonly ring: ReplayRing
  private readonly all = new Set<Subscription>()
  // Those that are still to be served in the round at hand, in their order.
  private readonly round = new Set<Subscription>()
  private roundAt = 0
  // Where the log ended when the round began; what came later is for the next round at the latest.
  private seq = 0

  constructor(ring: ReplayRing) {
    this.ring = ring
  }

  /** Takes one in, or has one served that waited for something else than the log. */
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

  /** Whether the log has something that a follower may have to get. */
  get isBehind(): boolean {
    return this.all.size > 0 && (this.round.size > 0 || this.seq < this.ring.lastSeq)
  }

  /** How long the round at hand has been going on, ms; 0: none is. */
  lateMs(nowAt: number): number {
    return this.round.size > 0 ? nowAt - this.roundAt : 0
  }

  /** This process was paused: that the round takes long says nothing about the client. */
  excuse(nowAt: number): void {
    this.roundAt = nowAt
  }

  /**
   * Serves each follower once, going on where the last call ended.
   * @param serve hands out what one has to get, as far as there is time and room for it
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
      if (subscription.isHungry) return
      round.delete(subscription)
    }
  }
}
