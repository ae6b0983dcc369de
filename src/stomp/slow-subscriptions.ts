// The subscriptions of a session that asked for `on-slow:conflate`: which of them are too far behind, and those that are
// degraded (degraded.ts). They are served in turn.

import type { Channel } from './channel.ts'
import { Degraded } from './degraded.ts'
import { SparseMap, SparseSet } from './sparse.ts'
import type { Subscription, SubscriptionOwner } from './subscription.ts'

export class SlowSubscriptions {
  private readonly channel: Channel
  private readonly owner: SubscriptionOwner
  // All that asked for it.
  private readonly watched = new SparseSet<Subscription>()
  private readonly degraded = new SparseSet<Subscription>()
  // When each was last degraded or restored, and how long it had to keep up before it was.
  private readonly restored = new SparseMap<Subscription, { readonly at: number; readonly ms: number }>()
  // When a replay was first seen under way.
  private readonly replayingAt = new SparseMap<Subscription, number>()
  // End of the log when the degraded ones were last asked whether they are current.
  private seq = 0

  constructor(channel: Channel, owner: SubscriptionOwner) {
    this.channel = channel
    this.owner = owner
  }

  /** Subscriptions that are degraded. */
  get size(): number {
    return this.degraded.size
  }

  /** Whether one of them has something to deliver. */
  get isBehind(): boolean {
    for (const subscription of this.degraded) if (subscription.hasPending) return true
    return false
  }

  /** Whether none can fall too far behind before its session is woken, and none is degraded. */
  get isAtRest(): boolean {
    for (const subscription of this.watched) if (!subscription.isAtRest) return false
    return true
  }

  /** Whether a subscription asked for it. */
  get isWatching(): boolean {
    return this.watched.size > 0
  }

  /** The carrier cannot accept more: the degraded ones do not keep up. */
  blocked(nowAt: number): void {
    for (const { degraded } of this.degraded) degraded!.blocked(nowAt)
  }

  /** Watches a subscription that asked for it. */
  watch(subscription: Subscription): void {
    if (subscription.mayDegrade) this.watched.add(subscription)
  }

  /** Called when a subscription has ended. */
  forget(subscription: Subscription): void {
    this.watched.delete(subscription)
    this.restored.delete(subscription)
    this.leave(subscription)
  }

  /** Called when a subscription is no longer degraded, or no longer replays. */
  leave(subscription: Subscription): void {
    this.degraded.delete(subscription)
    this.replayingAt.delete(subscription)
  }

  clear(): void {
    this.watched.clear()
    this.restored.clear()
    this.degraded.clear()
    this.replayingAt.clear()
  }

  /** @param afterSeq everything up to it was delivered */
  degrade(subscription: Subscription, afterSeq: number): void {
    const { renderer, history, limits, options, counts } = this.channel
    const { request, partNumbers, stream } = subscription
    const { flow, form } = stream
    const degraded = new Degraded({
      renderer,
      chains: history.chains,
      flow,
      form,
      destination: request.destination,
      partNumbers,
      keepsState: request.keepsState,
      // Also where conflation holds prices: they are looked up.
      afterSeq: renderer.ring.seqBefore(subscription.waitingSeq ?? 0, afterSeq),
      lastSeq: subscription.messageSeq,
      nowAt: options.now(),
      memory: this.owner,
      // A group of changes may exceed it.
      bytesMax: limits.conflationBytesMax / 2,
      heldLateMsMax: limits.stalledMsMax,
      everyMs: limits.degradedEveryMs,
      restoreMs: this.restoreMsOf(subscription),
    })
    subscription.degrade(degraded)
    this.replayingAt.delete(subscription)
    this.degraded.add(subscription)
    counts.degraded++
  }

  /** Longer, where it has fallen behind again soon after it was restored: it would change to and fro. */
  private restoreMsOf(subscription: Subscription): number {
    const { limits, options } = this.channel
    const nowAt = options.now()
    const last = this.restored.get(subscription)
    const isAgain = last !== undefined && nowAt - last.at < limits.restoreMsMax
    const ms = isAgain ? Math.min(last.ms * 2, limits.restoreMsMax) : limits.restoreMs
    this.restored.set(subscription, { at: nowAt, ms })
    return ms
  }

  /** Called when a subscription keeps up again. */
  noteRestored(subscription: Subscription): void {
    const last = this.restored.get(subscription)
    if (last !== undefined) this.restored.set(subscription, { at: this.channel.options.now(), ms: last.ms })
  }

  /** Prices may be due, and a subscription may have kept up for long enough. */
  timePassed(): void {
    for (const { degraded } of this.degraded) degraded!.isCurrent = false
  }

  /**
   * Serves each degraded subscription, those first that have waited longest.
   * @param serve returns false where there was no room, or no time, to serve it
   */
  serve(serve: (subscription: Subscription) => boolean): void {
    const { lastSeq } = this.channel.ring
    if (this.seq !== lastSeq) this.timePassed()
    this.seq = lastSeq
    for (const subscription of [...this.degraded]) {
      if (!serve(subscription)) return
      // It may have been restored.
      if (this.degraded.delete(subscription)) this.degraded.add(subscription)
    }
  }

  /** The subscriptions of which octets wait in their streams. */
  withBacklog(): Subscription[] {
    return [...this.watched].filter(({ backlogBytes }) => backlogBytes > 0)
  }

  /**
   * The subscriptions that are too far behind.
   * @param followersLateMs how late the followers of the session are
   * @param isExcused this process was paused: lateness is not the client's fault
   */
  tooFarBehind(nowAt: number, followersLateMs: number, isExcused: boolean): Subscription[] {
    if (this.watched.size === 0) return NO_SUBSCRIPTIONS
    const { degradeBytes, degradeMs } = this.channel.limits
    return [...this.watched].filter((subscription) => {
      if (subscription.degraded !== undefined) return false
      if (subscription.backlogBytes > degradeBytes) return true
      return this.lateMs(subscription, nowAt, followersLateMs) > degradeMs && !isExcused
    })
  }

  private lateMs(subscription: Subscription, nowAt: number, followersLateMs: number): number {
    const { ring } = this.channel
    if (subscription.isFollowing) return followersLateMs
    const { waitingSeq, stream } = subscription
    const conflatedMs = stream.flow.conflation?.lateMs(nowAt) ?? 0
    if (waitingSeq !== undefined) {
      const group = ring.groupAfter(waitingSeq - 1)
      return Math.max(conflatedMs, group < ring.groupsEnd ? nowAt - ring.recordedAtOf(group) : 0)
    }
    // The changes of a single event are few, and where its id led before is known to a catch-up only.
    if (!subscription.isReplaying || stream.flow.filter.eventId !== null) {
      this.replayingAt.delete(subscription)
      return conflatedMs
    }
    const since = this.replayingAt.get(subscription)
    if (since === undefined) this.replayingAt.set(subscription, nowAt)
    return nowAt - (since ?? nowAt)
  }
}

const NO_SUBSCRIPTIONS: Subscription[] = []
