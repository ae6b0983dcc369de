// Reads of the pages: each asks the store, and its answer is built in the event loop. A few of a user at a time, in order
// of arrival, so that whoever asks for much delays only the own pages.

import { type PortalRefusal, type PortalReply, tooOften } from './portal-request.ts'
import { VisitRate } from './visit-rate.ts'

export interface ReadLimits {
  /** Reads of a user within a window. */
  readonly portalReadsMax: number
  readonly portalReadWindowMs: number
  /** At the same time, and that wait for it. */
  readonly portalReadsAtOnceMax: number
  readonly portalReadsWaitingMax: number
}

type Reply = PortalReply | PortalRefusal

interface Lane {
  running: number
  readonly waiting: (() => void)[]
}

export class Reads {
  private readonly limits: ReadLimits
  private readonly rate: VisitRate
  /** By user (email), while it reads. */
  private readonly lanes = new Map<string, Lane>()

  constructor(limits: ReadLimits) {
    this.limits = limits
    this.rate = new VisitRate(limits.portalReadsMax, limits.portalReadWindowMs)
  }

  /** Reads when it is the user's turn. */
  async read(user: string, now: number, answer: () => Reply | Promise<Reply>): Promise<Reply> {
    const waitMs = this.rate.waitMs(user, now)
    if (waitMs > 0) return tooOften('asks', waitMs)
    const lane = this.lanes.get(user) ?? { running: 0, waiting: [] }
    this.lanes.set(user, lane)
    if (lane.running < this.limits.portalReadsAtOnceMax) lane.running++
    else if (lane.waiting.length >= this.limits.portalReadsWaitingMax) return tooOften('asks', 1_000)
    // The place passes to the next one.
    else await new Promise<void>((resolve) => lane.waiting.push(resolve))
    try {
      return await answer()
    } finally {
      // Others are served between two of one user.
      setImmediate(() => this.leave(user, lane))
    }
  }

  private leave(user: string, lane: Lane): void {
    const next = lane.waiting.shift()
    if (next !== undefined) next()
    else if (--lane.running === 0) this.lanes.delete(user)
  }
}
