// Large bodies on their way to the system. A megabyte takes 1 ms or more, so that a thousand readers of one large event
// would keep the event loop from feeds for a quarter of a second. In one iteration only so many octets are
// handed over; whoever comes after that waits for the next ones, in order. What waits is the body of the cache, not a copy,
// and each connection waits once at most: the library ends one that sends another request meanwhile.

import type { HttpResponse } from 'uWebSockets.js'
import type { Reply } from '../rest/reply.ts'

/** The part of a response that is used. */
export type BodyResponse = Pick<HttpResponse, 'cork' | 'onAborted' | 'onWritable' | 'end' | 'tryEnd'>

interface Waiting {
  readonly res: BodyResponse
  readonly body: Buffer
  readonly from: number
  readonly closes: boolean
}

/** Bodies that are shorter are handed over at once. */
export const PACED_BYTES = 16 * 1024

export class BodyPace {
  private readonly bytesMax: number
  // In order.
  private readonly queue = new Set<Waiting>()
  // Octets in this iteration.
  private bytesNow = 0
  private isScheduled = false

  /** @param bytesMax octets in one iteration of the event loop, but for the end of a body */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Answers that wait. */
  get waiting(): number {
    return this.queue.size
  }

  /**
   * Sends a body, behind its head, now or later: then the reply is held.
   * @param closes whether the connection ends behind it
   */
  send(res: BodyResponse, reply: Pick<Reply, 'body' | 'isHeld'>, closes: boolean): void {
    const entry: Waiting = { res, body: reply.body, from: 0, closes }
    if (reply.body.length >= PACED_BYTES && !this.hasRoom) this.wait(entry)
    else if (this.handOver(entry)) return
    else res.onAborted(() => {})
    reply.isHeld = true
  }

  private get hasRoom(): boolean {
    return this.queue.size === 0 && this.bytesNow < this.bytesMax
  }

  private wait(entry: Waiting): void {
    this.queue.add(entry)
    entry.res.onAborted(() => this.queue.delete(entry))
    // Room in the socket is of no use before it is its turn.
    entry.res.onWritable(() => true)
    this.schedule()
  }

  /** @returns whether all is done */
  private handOver({ res, body, from, closes }: Waiting): boolean {
    // Small ones are not counted, as the end of an iteration that has one would cost more than they do.
    if (body.length >= PACED_BYTES) {
      this.bytesNow += body.length - from
      this.schedule()
    }
    if (closes) {
      res.end(body, true)
      return true
    }
    const [, isDone] = res.tryEnd(from === 0 ? body : body.subarray(from), body.length)
    if (!isDone) {
      res.onWritable((offset) => {
        const rest: Waiting = { res, body, from: offset, closes }
        if (this.hasRoom) return this.handOver(rest)
        this.wait(rest)
        return true
      })
    }
    return isDone
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.bytesNow = 0
      this.handOverNext()
    })
  }

  private handOverNext(): void {
    for (const entry of this.queue) {
      if (this.bytesNow >= this.bytesMax) return
      this.queue.delete(entry)
      entry.res.cork(() => this.handOver(entry))
    }
  }
}
