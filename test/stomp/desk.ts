// A desk: what a customer's program knows from the messages of one subscription, and whether they keep what
// docs/live-protocol.md 3 and 4 promise: order, the chain of `prev`, snapshots that are whole, changes that follow from what
// was known.

import assert from 'node:assert/strict'
import { unpack } from 'msgpackr'
import { type Json, list } from '../json.ts'
import { changeText } from '../naive-engine.ts'
import { NumberTable } from './number-table.ts'
import { type ServerFrame, shownFrame } from './strict-frames.ts'

export interface DeskOptions {
  /** As in the SUBSCRIBE. */
  readonly destination: string
  /** `conflate-ms`: prices may come late, and message ids need not grow. */
  readonly conflates?: boolean
  /** Events may come into its filter and leave it: a change need not follow from what is known. */
  readonly isPartial?: boolean
  /** Its snapshot may show some events as they are later, and the replay leads to them (docs/live-protocol.md 6.6). */
  readonly rolls?: boolean
  /** `quotes:numbered`; `isBinary`: as MessagePack; `now`: its clock, epoch ms. */
  readonly numbered?: { readonly isBinary: boolean; readonly now: () => number } | undefined
  /** Named when something is wrong. */
  readonly name?: string
}

export interface KnownQuote {
  readonly odds: number
  readonly status: string
}

/** A change that a desk has got. */
export interface ToldChange {
  /** As {@link changeText} writes it. */
  readonly text: string
  readonly change: string
  /** Seq of the message. */
  readonly seq: number
}

export interface Point {
  readonly epoch: string
  readonly seq: number
  /** Number of a snapshot's part; undefined: a resume point. */
  readonly part: number | undefined
}

/** Reads a message id, `EPOCH-SEQ` or `EPOCH-SEQ.N`. */
export const readPoint = (text: string): Point => {
  const match = /^([0-9a-z]+)-(\d+)(?:\.(\d+))?$/.exec(text)
  assert(match !== null, `no message id: ${text}`)
  const [, epoch, seq, part] = match
  return { epoch: epoch!, seq: Number(seq), part: part === undefined ? undefined : Number(part) }
}

/** The body of a message, whatever its encoding. */
export const bodyOf = (frame: ServerFrame): Json =>
  (frame.headers.get('content-type') === 'application/msgpack'
    ? unpack(frame.body)
    : JSON.parse(frame.body.toString('utf8'))) as Json

/** The name of a quote on transport live. */
export const quoteName = (
  eventId: string,
  bookmaker: string,
  type: string,
  line: number | null,
  outcome: string,
): string => [eventId, bookmaker, type, line ?? 'none', outcome].join(' ')

type Phase =
  // Changes, and nothing known of before.
  | 'changes'
  // A snapshot begins, or continues.
  | 'snapshot'
  // The state is whole.
  | 'state'

export class Desk {
  readonly options: DeskOptions
  /** What it knows to be open or suspended, by {@link quoteName}. Whole in phase `state` of topic `odds`. */
  readonly quotes = new Map<string, KnownQuote>()
  /** The events it knows, by id (topic `events`). */
  readonly events = new Map<string, Json>()
  /** Changes received since the last {@link takeTold}. */
  private told: ToldChange[] = []
  phase: Phase = 'changes'
  /** It has everything up to this seq; undefined: it has no point to resume from. */
  seq: number | undefined
  epoch: string | undefined
  /** It gets only the latest price of each quote (`on-slow:conflate`): ids need not grow, and some are no points. */
  isDegraded = false
  /** Reasons of resets so far. */
  readonly resets: string[] = []
  /** Messages of each kind so far. */
  readonly counts = { update: 0, short: 0, snapshot: 0, 'snapshot-end': 0, reset: 0, degraded: 0, restored: 0 }
  /** What its numbers name. */
  readonly numbers: NumberTable | undefined
  private readonly topic: string
  // The greatest seq of any message, while it is degraded.
  private seenSeq = 0
  // Seq of the last update, where nothing came between that breaks the chain.
  private chainSeq: number | undefined
  private parts = 0
  // Number of the next one: a second snapshot of one moment continues the numbers.
  private partNext = 1
  private partSeq: number | undefined
  private readonly partKeys = new Set<string>()

  constructor(options: DeskOptions) {
    this.options = options
    const { numbered } = options
    if (numbered !== undefined) this.numbers = new NumberTable(numbered.isBinary, numbered.now)
    this.topic = /^\/topic\/([a-z]+)/.exec(options.destination)![1]!
  }

  /** The SUBSCRIBE asks for a snapshot: nothing is known until it is there. */
  awaitSnapshot(): void {
    this.forget()
    this.phase = 'snapshot'
  }

  /** The SUBSCRIBE asks for changes alone, from now on; `seq`: of the log, where it is known. */
  awaitChanges(epoch?: string, seq?: number): void {
    this.forget()
    this.phase = 'changes'
    this.epoch = epoch
    this.seq = seq
  }

  /** The SUBSCRIBE resumes from a point up to which it has everything. */
  goOn(seq = this.seq): void {
    assert(seq !== undefined, 'a desk without a point cannot resume')
    this.seq = seq
    this.seenSeq = 0
    this.isDegraded = false
    this.chainSeq = undefined
  }

  /** The headers of a SUBSCRIBE by which it resumes, or begins. */
  get resumeHeaders(): Record<string, string> {
    return this.seq === undefined ? { snapshot: 'true' } : { 'from-seq': `${this.epoch}-${this.seq}` }
  }

  /** What it may see has changed without a reset: the next `prev` means nothing. */
  breakChain(): void {
    this.chainSeq = undefined
    if (this.phase === 'changes') this.seq = undefined
  }

  /** The changes received since the last call. */
  takeTold(): readonly ToldChange[] {
    const { told } = this
    this.told = []
    return told
  }

  /** A change need not follow from what is known. */
  private get isLoose(): boolean {
    return this.options.isPartial === true || this.options.rolls === true
  }

  /** Reads a MESSAGE. Throws if it is not as promised. */
  apply(frame: ServerFrame): void {
    const kind = frame.headers.get('kind') ?? (this.numbers === undefined ? 'none' : 'update')
    try {
      switch (kind) {
        case 'update':
          return this.applyUpdate(frame)
        case 'snapshot':
          return this.applySnapshot(frame)
        case 'snapshot-end':
          return this.applySnapshotEnd(frame)
        case 'reset':
          return this.applyReset(frame)
        case 'degraded':
        case 'restored':
          return this.applyDegraded(frame, kind)
        default:
          assert.fail(`kind ${kind} on ${this.options.destination}`)
      }
    } catch (error) {
      if (error instanceof Error) {
        const { name = 'desk', destination } = this.options
        const where = `${name} (${destination}, phase ${this.phase}, has ${this.seq})`
        error.message = `${where}: ${error.message}\n${shownFrame(frame)}`
      }
      throw error
    }
  }

  private forget(): void {
    this.quotes.clear()
    this.numbers?.clear()
    this.events.clear()
    this.seq = undefined
    this.seenSeq = 0
    this.isDegraded = false
    this.chainSeq = undefined
    this.parts = 0
    this.partNext = 1
    this.partSeq = undefined
    this.partKeys.clear()
  }

  /** The seq in a message's id, which the body repeats. */
  private pointOf(frame: ServerFrame, body: Json): Point {
    const point = readPoint(frame.headers.get('message-id')!)
    assert.equal(String(body.seq), `${point.epoch}-${point.seq}`, 'the seq of id and body')
    if (this.phase !== 'snapshot' && this.epoch !== undefined) assert.equal(point.epoch, this.epoch, 'another log')
    return point
  }

  private applyUpdate(frame: ServerFrame): void {
    assert.notEqual(this.phase, 'snapshot', 'an update in the middle of a snapshot')
    const isShort = !frame.headers.has('kind')
    const body = isShort ? this.numbers!.read(frame) : bodyOf(frame)
    if (!isShort) this.numbers?.note(body)
    const { epoch, seq, part } = this.pointOf(frame, body)
    assert(part === undefined || this.isDegraded, 'an update is a resume point')
    const prevText = frame.headers.get('prev') ?? assert.fail('no prev')
    const prev = readPoint(isShort ? `${epoch}-${seq - Number(prevText)}` : prevText)
    assert.equal(prev.epoch, epoch)
    const isInOrder = !this.options.conflates && !this.isDegraded
    assert(prev.seq < seq || !isInOrder, `prev ${prev.seq} is not before ${seq}`)
    const known = this.seq === undefined ? undefined : Math.max(this.seq, this.seenSeq)
    assert(known === undefined || prev.seq <= known, `prev ${prev.seq} says that something was missed`)
    if (isInOrder) {
      assert(this.seq === undefined || seq > this.seq, `${seq} came twice, or late`)
      assert(
        this.chainSeq === undefined || prev.seq === this.chainSeq,
        `prev ${prev.seq}, but the message before was ${this.chainSeq}`,
      )
    }
    this.epoch = epoch
    if (this.topic === 'events') this.applyEvent(frame, body)
    else this.applyChanges(frame, body, seq)
    this.chainSeq = seq
    this.seenSeq = Math.max(this.seenSeq, seq)
    // A client that resumed from another one would miss prices that are not delivered yet.
    if (part === undefined) this.seq = Math.max(seq, this.seq ?? prev.seq)
    this.counts.update++
    if (isShort) this.counts.short++
  }

  private applyChanges(frame: ServerFrame, body: Json, seq: number): void {
    this.checkSubject(frame, body)
    const quotes = list(body.quotes)
    assert(quotes.length > 0, 'a message about nothing')
    for (const quote of quotes) {
      const { type, line, outcome, odds, status, change, cause, lastUpdatedAt } = fieldsOf(quote)
      assert(change !== undefined, 'no change')
      const name = quoteName(String(body.eventId), String(body.bookmaker), type, line, outcome)
      this.checkChange(change, name, odds, status)
      if (change === 'closed' || change === 'aged_out') this.quotes.delete(name)
      else this.quotes.set(name, { odds, status })
      const text = changeText(
        change,
        String(body.eventId),
        String(body.bookmaker),
        'live',
        type,
        line,
        outcome,
        odds,
        status,
        lastUpdatedAt,
        cause ?? '',
      )
      this.told.push({ text, change, seq })
    }
  }

  /** Whether a change follows from what is known: if not, something was missed or came twice. */
  private checkChange(change: string, name: string, odds: number, status: string): void {
    if (this.topic === 'status') {
      const more = this.numbers === undefined ? [] : ['added', 'aged_out']
      assert(['suspended', 'reopened', 'closed', ...more].includes(change), `${change} on /topic/status`)
      return
    }
    const status0 = { suspended: 'suspended', reopened: 'open', closed: 'closed' }[change]
    assert(status0 === undefined || status === status0, `${change} with status ${status}`)
    if (this.phase !== 'state' || this.options.conflates || this.isDegraded || this.isLoose) return
    const known = this.quotes.get(name)
    const shown = `${change} of ${name}, known as ${JSON.stringify(known)}`
    switch (change) {
      case 'added':
        return assert(known === undefined, shown)
      case 'repriced':
        return assert(known !== undefined && known.status === status && known.odds !== odds, shown)
      case 'suspended':
        return assert.equal(known?.status, 'open', shown)
      case 'reopened':
        return assert.equal(known?.status, 'suspended', shown)
      case 'closed':
        return assert(known !== undefined, shown)
      case 'aged_out':
        // A quote whose day is over is in no snapshot, though the board may not have ended it yet.
        return assert(known === undefined || (known.status === status && known.odds === odds), shown)
      default:
        assert.fail(`no such change: ${change}`)
    }
  }

  private applyEvent(frame: ServerFrame, body: Json): void {
    const id = String(body.id)
    assert.equal(frame.headers.get('destination'), `/topic/events.${body.sport}.${id}`)
    const change = String(body.change)
    const isKnown = this.events.has(id)
    if (this.phase === 'state' && !this.options.isPartial)
      assert.equal(isKnown, change !== 'appeared', `event ${id}: ${change}`)
    if (change === 'gone') this.events.delete(id)
    else this.events.set(id, body)
  }

  private applySnapshot(frame: ServerFrame): void {
    const body = bodyOf(frame)
    const { epoch, seq, part } = this.pointOf(frame, body)
    assert.equal(this.phase, 'snapshot', 'a part of a snapshot that was not requested')
    assert.equal(frame.headers.get('prev'), undefined)
    assert.equal(part, this.partNext++, 'parts of a snapshot are numbered')
    this.parts++
    assert(this.partSeq === undefined || seq === this.partSeq, 'a snapshot has one seq')
    this.partSeq = seq
    this.epoch = epoch
    this.counts.snapshot++
    if (this.topic === 'events') {
      const id = String(body.id)
      assert(!this.events.has(id), `event ${id} occurs twice in a snapshot`)
      this.events.set(id, body)
      return
    }
    this.checkSubject(frame, body)
    this.numbers?.note(body)
    const key = `${body.eventId} ${body.bookmaker}`
    assert(this.options.rolls === true || !this.partKeys.has(key), `${key} occurs twice in a snapshot`)
    this.partKeys.add(key)
    const quotes = list(body.quotes)
    assert(quotes.length > 0, 'a part of a snapshot without quotes')
    for (const quote of quotes) {
      const { type, line, outcome, odds, status, change } = fieldsOf(quote)
      assert.equal(change, undefined, 'a change in a snapshot')
      assert(status === 'open' || status === 'suspended', `${status} in a snapshot`)
      const name = quoteName(String(body.eventId), String(body.bookmaker), type, line, outcome)
      assert(this.options.rolls === true || !this.quotes.has(name), `${name} occurs twice in a snapshot`)
      this.quotes.set(name, { odds, status })
    }
  }

  private applySnapshotEnd(frame: ServerFrame): void {
    const body = bodyOf(frame)
    const { epoch, seq, part } = this.pointOf(frame, body)
    assert.equal(this.phase, 'snapshot', 'the end of a snapshot that was not requested')
    assert.equal(frame.headers.get('destination'), this.options.destination)
    assert.equal(part, undefined, 'the end of a snapshot is a resume point')
    assert.equal(Number(body.messages), this.parts, 'parts of the snapshot')
    assert(this.partSeq === undefined || seq === this.partSeq, 'a snapshot has one seq')
    this.phase = 'state'
    this.epoch = epoch
    this.seq = seq
    this.chainSeq = undefined
    this.counts['snapshot-end']++
  }

  private applyReset(frame: ServerFrame): void {
    const body = bodyOf(frame)
    const { epoch, part } = readPoint(frame.headers.get('message-id')!)
    assert.equal(frame.headers.get('destination'), this.options.destination)
    assert(part !== undefined, 'a reset is no resume point')
    this.resets.push(String(body.reason))
    this.isDegraded = false
    this.awaitSnapshot()
    this.partNext = part + 1
    this.epoch = epoch
    this.counts.reset++
  }

  private applyDegraded(frame: ServerFrame, kind: 'degraded' | 'restored'): void {
    const body = bodyOf(frame)
    const { seq, part } = this.pointOf(frame, body)
    assert.equal(frame.headers.get('destination'), this.options.destination)
    assert.equal(frame.headers.get('prev'), undefined)
    assert(kind === 'degraded' || this.isDegraded, 'restored without being degraded')
    // Without a state it knows no point yet, only where it began.
    const isNew = this.seq === undefined || seq > this.seq || (this.phase === 'changes' && seq === this.seq)
    assert(part !== undefined || isNew, `${seq} is no new point`)
    assert(part === undefined || this.seq === undefined || seq <= this.seq, `${seq} is a point`)
    this.isDegraded = kind === 'degraded'
    if (part === undefined) this.seq = seq
    this.seenSeq = Math.max(this.seenSeq, seq)
    this.chainSeq = undefined
    this.counts[kind]++
  }

  private checkSubject(frame: ServerFrame, body: Json): void {
    const { sport, bookmaker, eventId } = body
    if (!frame.headers.has('kind')) return assert.equal(frame.headers.get('destination'), `/${this.topic[0]}`)
    assert.equal(frame.headers.get('destination'), `/topic/${this.topic}.${sport}.${bookmaker}.${eventId}`)
  }
}

interface QuoteFields {
  readonly type: string
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
  readonly status: string
  readonly change: string | undefined
  readonly cause: string | undefined
  /** Epoch ms. */
  readonly lastUpdatedAt: number
}

const fieldsOf = (quote: Json): QuoteFields => {
  const fields = quote as unknown as QuoteFields & { readonly lastUpdatedAt: string }
  return { ...fields, lastUpdatedAt: Date.parse(fields.lastUpdatedAt) }
}
