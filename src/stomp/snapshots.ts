// Snapshots in progress: subscriptions that may be in the middle of one, and their memory. Until a snapshot is
// complete, the engine notifies it before an event changes.

import type { EventView } from '../domain/event.ts'
import type { Engine } from '../engine/engine.ts'
import type { LiveLimits } from './session-limits.ts'
import type { Subscription } from './subscription.ts'

export class Snapshots {
  private readonly engine: Engine
  private readonly limits: LiveLimits
  private readonly now: () => number
  private readonly watched = new Set<Subscription>()

  constructor(engine: Engine, limits: LiveLimits, now: () => number) {
    this.engine = engine
    this.limits = limits
    this.now = now
  }

  /** Octets that they hold and that are not written yet. */
  get bytes(): number {
    let bytes = 0
    for (const subscription of this.watched) bytes += subscription.catchUpBytes
    return bytes
  }

  /** Watches a subscription that begins to catch up. */
  watch(subscription: Subscription): void {
    this.watched.add(subscription)
    this.engine.onBeforeChange = this.beforeChange
  }

  unwatch(subscription: Subscription): void {
    if (this.watched.delete(subscription) && this.watched.size === 0) this.engine.onBeforeChange = undefined
  }

  private readonly beforeChange = (view: EventView): void => {
    const nowAt = this.now()
    const { catchUpBytesMax } = this.limits
    for (const subscription of this.watched) {
      const { catchUp } = subscription
      if (catchUp === undefined || catchUp.seq !== undefined) {
        this.unwatch(subscription)
        continue
      }
      catchUp.beforeChange(view, nowAt)
      // One that rolls is given no more to hold; what it holds may be over the limit until it is read.
      if (subscription.catchUpBytes > catchUpBytesMax && !catchUp.isRolling)
        this.overdraw(subscription, 'catchUpBytesMax')
    }
  }

  /** Ends the session of a subscription whose snapshot uses too much memory, unless the snapshot can do with less. */
  private overdraw(subscription: Subscription, limit: 'catchUpBytesMax' | 'catchUpBytesTotalMax'): void {
    if (subscription.mayDegrade && subscription.catchUp?.isRolling === false) {
      subscription.catchUp.roll()
      return
    }
    subscription.catchUp?.abandon()
    this.unwatch(subscription)
    const message = `More than ${this.limits[limit]} octets of snapshots waited to be read while the board changed`
    subscription.owner.overdraw(limit, message)
  }

  /** The snapshots of all sessions share a budget: the largest is ended first. */
  checkTotal(): void {
    let total = this.bytes
    while (total > this.limits.catchUpBytesTotalMax) {
      let most: Subscription | undefined
      for (const subscription of this.watched) {
        if (most === undefined || subscription.catchUpBytes > most.catchUpBytes) most = subscription
      }
      if (most === undefined) return
      total -= most.catchUpBytes
      this.overdraw(most, 'catchUpBytesTotalMax')
    }
  }
}
