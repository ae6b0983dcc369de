// Large bodies on their way to the system. A megabyte takes 1 ms or more, so that a thousand readers of one large event
// would keep the event loop from feeds for a quarter of a second. In one iteration only so many octets are
// handed over; whoever comes after that waits for the next ones, in order. What waits is the body of the cache, not a copy,
// and each connection waits once at most: the library ends one that sends another request meanwhile.

import type { HttpResponse } from 'uWebSockets.js'
import type { Reply } from '../rest/reply.ts'
import { endWith } from './listener.ts'

/** The part of a response that is used. */
export type BodyResponse = Pick<HttpResponse, 'cork' | 'onAborted' | 'onWritable' | 'end' | 'tryEnd'>

/** An answer that is not sent yet. */
interface Waiting {
  readonly res: BodyResponse
  readonly reply: PacedReply
  readonly body: Buffer
  readonly closes: boolean
  /** Octets of it that are sent. */
  from: number
  /** Whether it counts in its reply. */
  isCounted: boolean
}

/** The part of a reply that is used. */
export type PacedReply = Pick<Reply, 'body' | 'waiting' | 'onSent'>

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
   * Sends a body, behind its head, now or later: until then it counts in {@link Reply.waiting}.
   * @param closes whether the connection ends behind it
   */
  send(res: BodyResponse, reply: PacedReply, closes: boolean): void {
    const entry: Waiting = { res, reply, body: reply.body, closes, from: 0, isCounted: false }
    const waits = reply.body.length >= PACED_BYTES && !this.hasRoom
    if (!waits && this.handOver(entry)) return
    entry.isCounted = true
    reply.waiting++
    res.onAborted(() => {
      this.queue.delete(entry)
      this.sent(entry)
    })
    if (waits) this.wait(entry)
  }

  /** All of it, or nobody wants it any more. */
  private sent(entry: Waiting): void {
    if (!entry.isCounted) return
    entry.isCounted = false
    const { reply } = entry
    if (--reply.waiting === 0) reply.onSent?.()
  }

  private get hasRoom(): boolean {
    return this.queue.size === 0 && this.bytesNow < this.bytesMax
  }

  private wait(entry: Waiting): void {
    this.queue.add(entry)
    // Room in the socket is of no use before it is its turn.
    entry.res.onWritable(() => true)
    this.schedule()
  }

  /** @returns whether all is done */
  private handOver(entry: Waiting): boolean {
    const { res, body, from, closes } = entry
    // Small ones are not counted, as the end of an iteration that has one would cost more than they do.
    if (body.length >= PACED_BYTES) {
      this.bytesNow += body.length - from
      this.schedule()
    }
    if (closes) {
      // Whoever counts already has a handler.
      if (entry.isCounted) res.end(body, true)
      else endWith(res, body, true)
      this.sent(entry)
      return true
    }
    const [, isDone] = res.tryEnd(from === 0 ? body : body.subarray(from), body.length)
    if (isDone) this.sent(entry)
    else {
      res.onWritable((offset) => {
        entry.from = offset
        if (this.hasRoom) return this.handOver(entry)
        this.wait(entry)
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
