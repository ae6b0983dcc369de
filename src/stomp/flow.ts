// Flows and streams. A flow is what a topic set carries to an audience: one order of messages, one chain of `prev`. A
// stream is a flow as the bytes of one class (docs/live-protocol.md 11): all subscribers that give the same id, version
// and encoding.
//
//   flow ──┬── stream (subscription:sub-0, JSON)       ▒▒▒▒▒▒▒▒▒▒▒▒▒  octets, ever growing; each subscriber is
//          └── stream (subscription:7, MessagePack)    ▒▒▒▒▒▒▒▒▒▒▒▒▒  at one of them: nearly all at the end
//
// Subscribers at the end get each new run as it is: TCP the same Buffer, WebSockets through a room. Runs are kept while
// a subscriber is behind. When it is disconnected, its octet gives the last message that it got.

import type { Audience } from '../domain/audience.ts'
import { Conflation } from './conflation.ts'
import type { Topic } from './destination.ts'
import { copyOf, FrameRun, type MessageForm } from './frame-run.ts'
import type { Bodies, Encoding, MarketTypes } from './message.ts'
import { SparseSet } from './sparse.ts'

/** What a flow carries. Numbers as on the board; null: all. */
export interface FlowFilter {
  readonly topic: Topic
  readonly sportNumber: number | null
  readonly bookmaker: number | null
  readonly eventId: string | null
  readonly types: MarketTypes
  /** League keys; null: all. */
  readonly leagues: ReadonlySet<string> | null
  readonly conflateMs: number
  /** Quotes have numbers, and most updates have nothing else (`odds` and `status` only). */
  readonly isNumbered: boolean
  /** Distinguishes flows of a single subscription from others with the same filter; 0: the flow is shared. */
  readonly privateTo: number
}

/** What subscribers of a class have in common, apart from the flow. */
export interface ClassForm {
  readonly subscription: string
  readonly acknowledges: boolean
  readonly hasAckHeader: boolean
  readonly encoding: Encoding
  /** As server-sent events. */
  readonly isEvent?: boolean
  /** Over WebSocket: as of `Carrier.writeRun`; omitted: 0. */
  readonly bundleBytes?: number
}

/** The frames of a stream in one turn. */
export interface Run {
  /** Until {@link Stream.release} in memory that other runs get afterwards; where a reader is behind, then a copy. */
  bytes: Buffer
  /** Where each frame ends. */
  readonly ends: readonly number[]
  /** Octet of the stream at which it begins. */
  readonly startsAt: number
  /** The message ids, if they have to be acknowledged. */
  readonly ids: readonly string[]
  /** The seq of each message. */
  readonly seqs: readonly number[]
}

/** A reader of a stream's runs. */
export interface StreamReader {
  /** Octet of the stream up to which everything was written to its carrier. Valid only while it is behind. */
  deliveredTo: number
  /** Called with a run that was just added, when it is at the end of the stream. */
  write(run: Run): void
  /** Called with a run that was just added, when it is behind. */
  queue(run: Run): void
  /** Called when octets were published to it. */
  published(bytes: number): void
}

export class Stream {
  readonly flow: Flow
  readonly form: MessageForm
  /** Identifies it among the streams of the flow. */
  readonly key: string
  /** Name of the room of carriers that get the same bytes. */
  readonly room: string
  /** Subscriptions that use it, also those that are not at the end yet. */
  users = 0
  /** Readers at the end of the stream that are written to one by one. */
  readonly direct = new SparseSet<StreamReader>()
  /** Readers at the end of the stream that are published to. */
  readonly published = new SparseSet<StreamReader>()
  /** Readers that are behind, or that have to be written to message by message. */
  readonly behind = new SparseSet<StreamReader>()
  /** Octets so far. */
  end = 0
  /** Seq of the last message in them. */
  endSeq: number
  /** Octets published since the carriers of the room were last checked. */
  publishedBytes = 0
  private readonly run: FrameRun
  private seqs: number[] = []
  private ids: string[] = []
  private readonly epoch: string
  private runs: Run[] = []

  constructor(flow: Flow, form: MessageForm, room: string, epoch: string, key: string) {
    this.flow = flow
    this.endSeq = flow.lastSeq
    this.key = key
    this.form = form
    this.room = room
    this.epoch = epoch
    this.run = new FrameRun(epoch, form)
  }

  get isBinary(): boolean {
    return this.form.encoding === 'msgpack'
  }

  get bundleBytes(): number {
    return this.form.bundleBytes ?? 0
  }

  get hasReaders(): boolean {
    return this.direct.size + this.published.size + this.behind.size > 0
  }

  get hasFrames(): boolean {
    return this.run.size > 0
  }

  add(head: Uint8Array, seq: number, prev: number, body: Uint8Array): void {
    this.run.add(head, seq, -1, prev, 'update', body)
    this.seqs.push(seq)
    if (this.form.acknowledges) this.ids.push(`${this.epoch}-${seq}`)
  }

  /**
   * Ends the run of this turn and passes it to the readers; the caller publishes it to the room. Its bytes are in
   * memory that is reused after {@link release}.
   */
  seal(): Run {
    const { bytes, ends } = this.run.view()
    const run: Run = { bytes, ends, startsAt: this.end, ids: this.ids, seqs: this.seqs }
    this.ids = []
    this.seqs = []
    this.end += bytes.length
    this.endSeq = this.flow.lastSeq
    if (this.behind.size > 0) {
      this.trim()
      this.runs.push(run)
      for (const reader of this.behind) reader.queue(run)
    } else if (this.runs.length > 0) this.runs = []
    for (const reader of this.direct) reader.write(run)
    return run
  }

  /** A reader joins at the end: it starts after all that the flow has carried so far. */
  joined(): void {
    this.endSeq = this.flow.lastSeq
  }

  /** Called when the run is delivered. @param isKept whether a carrier still needs its bytes */
  release(isKept: boolean): void {
    const last = this.runs.at(-1)
    // Who is behind gets a copy: the memory of a run may be longer, and its limits count octets.
    if (last !== undefined && last.startsAt + last.bytes.length === this.end) last.bytes = copyOf(last.bytes)
    this.run.end(isKept)
  }

  /** The run that holds an octet of the stream; undefined: the octet is at the end. */
  runAt(octet: number): Run | undefined {
    const { runs } = this
    let low = 0
    let high = runs.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const run = runs[middle]!
      if (run.startsAt + run.bytes.length <= octet) low = middle + 1
      else high = middle
    }
    return runs[low]
  }

  /** Drops the runs that all readers have got. */
  private trim(): void {
    if (this.runs.length === 0) return
    let least = this.end
    for (const reader of this.behind) if (reader.deliveredTo < least) least = reader.deliveredTo
    let count = 0
    while (count < this.runs.length && this.runs[count]!.startsAt + this.runs[count]!.bytes.length <= least) count++
    if (count > 0) this.runs.splice(0, count)
  }
}

export class Flow {
  readonly key: string
  readonly filter: FlowFilter
  readonly audience: Audience
  readonly streams = new Map<string, Stream>()
  /** Undefined: every message is sent at once. */
  readonly conflation: Conflation | undefined
  /** Seq of the last message. */
  lastSeq: number
  /** Whether `lastSeq` is exact; otherwise it may be too high, until the next message or until readers catch up. */
  isLastSeqExact = true

  constructor(key: string, filter: FlowFilter, audience: Audience, lastSeq: number) {
    this.key = key
    this.filter = filter
    this.audience = audience
    this.lastSeq = lastSeq
    this.conflation = filter.conflateMs === 0 ? undefined : new Conflation(filter.conflateMs)
  }

  /**
   * A subscription has caught up to the end of the log, and has everything up to `seq`: the last message is not after that. That does
   * not make it exact, because `seq` may be of a snapshot or a `from-seq`, between messages, and another subscription may tell of less.
   */
  caughtUp(seq: number): void {
    if (!this.isLastSeqExact) this.lastSeq = Math.min(this.lastSeq, seq)
  }

  get hasReaders(): boolean {
    for (const stream of this.streams.values()) if (stream.hasReaders) return true
    return false
  }

  /** Writes a message into all streams of the flow. */
  write(head: Uint8Array, seq: number, bodies: Bodies, touch: (stream: Stream) => void): void {
    const body = bodies.writer.view()
    for (const stream of this.streams.values()) {
      // Subscriptions that are still catching up find it in the ring.
      if (!stream.hasReaders) continue
      if (!stream.hasFrames) touch(stream)
      stream.add(head, seq, this.lastSeq, body)
    }
    // A held price is older than the messages that have overtaken it.
    this.lastSeq = Math.max(this.lastSeq, seq)
    this.isLastSeqExact = true
  }
}

/** Two subscriptions with the same key share a flow. */
export const flowKey = (filter: FlowFilter, audience: Audience): string =>
  [
    patternKey(filter.topic, filter.sportNumber, filter.bookmaker, filter.eventId),
    filter.types,
    filter.leagues === null ? '*' : [...filter.leagues].sort().join(','),
    filter.conflateMs,
    filter.isNumbered,
    filter.privateTo,
    audience.id,
  ].join(' ')

/** The key of the flows of a pattern. */
export const patternKey = (
  topic: Topic,
  sportNumber: number | null,
  bookmaker: number | null,
  eventId: string | null,
): string => `${topic}.${sportNumber ?? '*'}.${bookmaker ?? '*'}.${eventId ?? '*'}`
