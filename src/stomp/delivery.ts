// Delivery: writes what a turn has added to streams to the carriers of their subscribers, one write per session and one
// publication per room; sessions that are not at the end of their streams are served when the turn has ended.

import type { EventView } from '../domain/event.ts'
import type { Engine } from '../engine/engine.ts'
import type { Rooms } from './carrier.ts'
import type { Topic } from './destination.ts'
import type { Flow, Stream } from './flow.ts'
import type { HeldPrice } from './message.ts'
import type { Passes, Worker } from './passes.ts'
import type { Renderer } from './renderer.ts'
import type { Subscription } from './subscription.ts'
import { includesEvent } from './visibility.ts'

/** The part of a session that delivery uses. */
export interface Recipient extends Worker {
  readonly isConnected: boolean
  /** Whether it is being served: then it is not woken. */
  readonly isWorking: boolean
  readonly subscriptions: { idsMoved(moved: ReadonlySet<string>, seqBefore: number): void }
  /** Something begins that the next tick has to look at. */
  stir(): void
  /** Ends the session if its backlog is over its budget. */
  checkBudget(): void
}

export interface DeliveryCounts {
  /** Messages to subscribers. */
  readonly messages: Record<Topic, number>
  /** Octets of these. */
  bytes: number
}

/** Keeps several runs of a turn until it ends. */
export interface Postbox {
  /** Writes them. */
  flushRuns(): void
}

/** A message of one price; prices that share a message need less. */
const BYTES_A_PRICE = 330
/** The minimum of held prices that a step may release, and the maximum of quotes that it examines. */
const RELEASED_MIN = 16
const RELEASE_VISITS = 2_048

export class Delivery {
  /** Sessions that have followers: they are served after each turn. */
  readonly following = new Set<Recipient>()
  /** Set when a carrier still holds what was written to it. */
  keepsRuns = false
  private readonly engine: Engine
  private readonly renderer: Renderer
  private readonly passes: Passes
  private readonly socketBytesMax: number
  private readonly counts: DeliveryCounts
  private rooms: Rooms | undefined
  // Streams with frames of the current turn.
  private readonly touched: Stream[] = []
  private readonly posting: Postbox[] = []
  // Sessions for which this turn has something to deliver.
  private readonly wokenNow = new Set<Recipient>()
  private isPublishing = false

  constructor(engine: Engine, renderer: Renderer, passes: Passes, socketBytesMax: number, counts: DeliveryCounts) {
    this.engine = engine
    this.renderer = renderer
    this.passes = passes
    this.socketBytesMax = socketBytesMax
    this.counts = counts
  }

  /** Sets what publishes to rooms of carriers; without it, each carrier is written to. */
  useRooms(rooms: Rooms): void {
    this.rooms = rooms
  }

  /** Publishes a turn. @param writeAll writes its messages into streams */
  publish(writeAll: () => void): void {
    this.isPublishing = true
    try {
      writeAll()
      this.deliver()
      for (const recipient of this.following) this.wokenNow.add(recipient)
    } finally {
      this.isPublishing = false
    }
  }

  /** Writes the current body into the streams of a flow. */
  write(flow: Flow, head: Uint8Array, seq: number): void {
    flow.write(head, seq, this.renderer.bodies, this.touch)
  }

  private readonly touch = (stream: Stream): void => {
    this.touched.push(stream)
  }

  /** Registers a session that keeps its runs until all of the turn are there. */
  post(postbox: Postbox): void {
    this.posting.push(postbox)
  }

  private deliver(): void {
    const { touched, posting, counts } = this
    for (const stream of touched) {
      const run = stream.seal()
      const readers = stream.direct.size + stream.published.size + stream.behind.size
      counts.messages[stream.flow.filter.topic] += run.ends.length * readers
      counts.bytes += run.bytes.length * readers
      if (stream.published.size > 0) {
        this.rooms!.publish(stream.room, run.bytes, run.ends, stream.isBinary, stream.bundleBytes)
        stream.publishedBytes += run.bytes.length
        if (stream.publishedBytes >= this.socketBytesMax) {
          for (const reader of stream.published) reader.published(stream.publishedBytes)
          stream.publishedBytes = 0
        }
      }
    }
    // Nearly always the system accepts all at once, and the memory of the runs is free again.
    for (const postbox of posting) postbox.flushRuns()
    for (const stream of touched) stream.release(this.keepsRuns)
    this.keepsRuns = false
    touched.length = 0
    posting.length = 0
  }

  /** A session has something to deliver: it is served at once, or, while a turn is published, after it. */
  wake(recipient: Recipient): void {
    if (this.isPublishing) this.wokenNow.add(recipient)
    else if (!recipient.isWorking) this.passes.serve(recipient)
  }

  /** Serves the sessions for which the turn has something to deliver. */
  serveWoken(): void {
    if (this.wokenNow.size === 0) return
    const recipients = [...this.wokenNow]
    this.wokenNow.clear()
    for (const recipient of recipients) {
      recipient.checkBudget()
      if (recipient.isConnected && !recipient.isWorking) this.passes.serve(recipient)
    }
  }

  forget(recipient: Recipient): void {
    this.following.delete(recipient)
    this.wokenNow.delete(recipient)
  }

  /**
   * Writes held prices that are due into the stream of their subscription, one message per book.
   * @returns their octets, approximately
   */
  release(subscription: Subscription, nowAt: number): number {
    const { flow } = subscription.stream
    const { conflation, filter } = flow
    if (conflation === undefined || !flow.hasReaders) return 0
    const pricesMax = Math.max(RELEASED_MIN, Math.floor(this.socketBytesMax / BYTES_A_PRICE))
    const due = conflation.removeDue(nowAt, pricesMax, RELEASE_VISITS).sort((a, b) => a.seq - b.seq)
    const books = new Map<EventView, Map<number, HeldPrice[]>>()
    for (const moment of due) {
      const quote = this.engine.reader.quoteAt(moment.quote, nowAt)
      if (quote === undefined || !includesEvent(filter, quote.view.event, quote.view)) continue
      let ofEvent = books.get(quote.view)
      if (ofEvent === undefined) books.set(quote.view, (ofEvent = new Map()))
      const together = ofEvent.get(quote.bookmaker)
      if (together === undefined) ofEvent.set(quote.bookmaker, [{ quote, moment }])
      else together.push({ quote, moment })
    }
    const { bodies } = this.renderer
    const before = subscription.stream.end
    for (const [view, ofEvent] of books) {
      for (const [bookmaker, together] of ofEvent) {
        const subject = bodies.subjectOf(view, bookmaker)
        const newest = newestOf(together)
        this.write(flow, this.renderer.held(flow, together, newest, subject, nowAt), newest.seq)
      }
    }
    // This wakes only the session that is being served.
    this.deliver()
    subscription.isReleaseDue = conflation.isDue(nowAt)
    const octets = subscription.stream.end - before
    return octets > 0 || !subscription.isReleaseDue ? octets : 1
  }
}

/** The newest seq and times of held prices. */
const newestOf = (prices: readonly HeldPrice[]): HeldPrice['moment'] => {
  const newest = { ...prices[0]!.moment }
  for (const { moment } of prices) {
    newest.seq = Math.max(newest.seq, moment.seq)
    newest.observedAt = Math.max(newest.observedAt, moment.observedAt)
    newest.recordedAt = Math.max(newest.recordedAt, moment.recordedAt)
  }
  return newest
}
