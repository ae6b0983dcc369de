// Scheduling of sessions. Their work has no natural end: a chunk of many frames, a snapshot, held prices. A pass of the
// event loop has a few milliseconds for all customers together, as much for all feeds, and a session gets a small share
// of it; the rest waits for the next pass, behind the others. Between two passes the sockets are read and REST is
// answered.

import { OldestKeys } from '../domain/oldest-keys.ts'

/** Work that can be interrupted. */
export interface Worker {
  /** A feed: prices and bet stops do not wait behind subscriptions; feeds have as much time in a pass as all others. */
  readonly isFeed: boolean
  /**
   * Works until there is no more to do, or `isOver()` says that its share is used up.
   * @returns whether there is more that could be done, given time
   */
  work(isOver: () => boolean): boolean
}

export interface PassLimits {
  /** How long one session is served before others are, ms. */
  readonly shareMsMax: number
  /** How long customers, and separately feeds, are served in one pass of the event loop, ms. */
  readonly passMsMax: number
}

export class Passes {
  readonly counts = {
    /** Times that a session had more to do than its share allowed. */
    deferred: 0,
  }
  private readonly limits: PassLimits
  private readonly elapsedMs: () => number
  private readonly feeds = newLane()
  private readonly others = newLane()
  /** How long customers were served in the last pass that has ended, and since the one before it, ms. */
  customersMs = 0
  private isScheduled = false
  private overAt = 0
  private first: (() => void) | undefined
  // The last pass began with it.
  private wasFirst = false
  private readonly isOver = (): boolean => this.elapsedMs() >= this.overAt

  /** @param elapsedMs monotonic, with fraction */
  constructor(limits: PassLimits, elapsedMs: () => number) {
    this.limits = limits
    this.elapsedMs = elapsedMs
  }

  /** Workers that wait. */
  get waiting(): number {
    return this.feeds.queue.size + this.others.queue.size
  }

  /** Serves a worker at once, as far as its share of this pass allows; what is left waits for the next pass. */
  serve(worker: Worker): void {
    // It must not overtake those that wait.
    const lane = this.laneOf(worker)
    if (lane.queue.size > 0 || lane.spentMs >= this.limits.passMsMax) this.ask(worker)
    else this.serveShare(worker, lane)
  }

  /** Queues a worker for the next pass. */
  ask(worker: Worker): void {
    this.laneOf(worker).queue.add(worker)
    this.schedule()
  }

  /** Work that cannot be interrupted: the next pass, or the one after it, begins with it, in the time of all workers. */
  askFirst(work: () => void): void {
    this.first = work
    this.schedule()
  }

  /** Whether the time that workers like this one have in this iteration of the event loop is used up. */
  isSpent(worker: Worker): boolean {
    return this.laneOf(worker).spentMs >= this.limits.passMsMax
  }

  forget(worker: Worker): void {
    this.feeds.queue.delete(worker)
    this.others.queue.delete(worker)
  }

  private laneOf(worker: Worker): Lane {
    return worker.isFeed ? this.feeds : this.others
  }

  private serveShare(worker: Worker, lane: Lane): void {
    const startedAt = this.elapsedMs()
    const outerOverAt = this.overAt
    this.overAt = startedAt + Math.min(this.limits.shareMsMax, this.limits.passMsMax - lane.spentMs)
    const hasMore = worker.work(this.isOver)
    this.overAt = outerOverAt
    lane.spentMs += this.elapsedMs() - startedAt
    this.schedule()
    if (!hasMore) return
    this.counts.deferred++
    // CONNECT may have made the session a feed.
    this.laneOf(worker).queue.add(worker)
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.pass()
    })
  }

  /**
   * Ends a pass: serves each waiting worker once, until the time of the pass is spent. What was served at once, since the sockets
   * were read, is of the same iteration of the event loop, and of the same time.
   */
  pass(): void {
    const spentMs = this.doFirst()
    this.feeds.spentMs += spentMs
    this.others.spentMs += spentMs
    this.serveLane(this.feeds)
    this.serveLane(this.others)
    this.customersMs = Math.min(this.others.spentMs - spentMs, this.limits.passMsMax)
    this.feeds.spentMs = 0
    this.others.spentMs = 0
    if (this.waiting > 0) this.schedule()
  }

  private doFirst(): number {
    const { first, wasFirst } = this
    this.wasFirst = false
    if (first === undefined) return 0
    // Not in two passes in a row: whoever asks for it again and again must not keep the workers from being served.
    if (wasFirst) {
      this.schedule()
      return 0
    }
    this.wasFirst = true
    this.first = undefined
    const startedAt = this.elapsedMs()
    first()
    return this.elapsedMs() - startedAt
  }

  /** Serves each worker that waits now once, until the time is spent: one that asks again waits for the next pass. */
  private serveLane(lane: Lane): void {
    const { queue, oldest } = lane
    for (let left = queue.size; left > 0 && lane.spentMs < this.limits.passMsMax; left--) {
      const worker = oldest.next()
      if (worker === undefined) break
      queue.delete(worker)
      this.serveShare(worker, lane)
    }
    if (queue.size === 0) oldest.release()
  }
}

/** Waiting workers, and the time that they have used in the current pass. */
interface Lane {
  readonly queue: Set<Worker>
  readonly oldest: OldestKeys<Worker>
  spentMs: number
}

const newLane = (): Lane => {
  const queue = new Set<Worker>()
  return { queue, oldest: new OldestKeys(queue), spentMs: 0 }
}
