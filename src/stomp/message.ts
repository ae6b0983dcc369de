// The bodies of MESSAGEs (docs/live-protocol.md 4), written as bytes from the ring, the board or a held price: all
// subscribers of a topic share them.

import { NO_LINE } from '../board/columns.ts'
import type { EventView } from '../domain/event.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import {
  CAUSES,
  type CauseNumber,
  CHANGE,
  CHANGES,
  type ChangeNumber,
  QUOTE_STATUSES,
  type QuoteStatusNumber,
} from '../domain/quote.ts'
import type { CurrentQuote, Reader } from '../board/reader.ts'
import { JsonWriter, piece, putTime, TIME_BYTES } from '../json-writer.ts'
import type { ReplayRing } from './replay-ring.ts'

export const ENCODINGS = { json: 'application/json', msgpack: 'application/msgpack' } as const

export type Encoding = keyof typeof ENCODINGS

export const KINDS = ['update', 'snapshot', 'snapshot-end', 'reset', 'lag', 'refusal', 'degraded', 'restored'] as const

export type Kind = (typeof KINDS)[number]

/** Changes that the topic `status` carries. */
const TRANSITIONS = (1 << CHANGE.suspended) | (1 << CHANGE.reopened) | (1 << CHANGE.closed)

/** The changes that a topic carries, as bits. With numbers, `status` carries those that begin and end a quote, too. */
export const changesOf = ({ topic, isNumbered }: { readonly topic: string; readonly isNumbered: boolean }): number =>
  topic !== 'status' ? -1 : isNumbered ? ~(1 << CHANGE.repriced) : TRANSITIONS

/** Whether the topic `status` carries a change. */
export const isTransition = (change: ChangeNumber): boolean => (TRANSITIONS & (1 << change)) !== 0

/** A set of market types as bits; -1: all. */
export type MarketTypes = number

export const ALL_TYPES: MarketTypes = -1

const QUOTE_COMMA = piece('",')
const NO_TIME = '"'.padEnd(TIME_BYTES - 1) + '"'
const OBSERVED = ',"observedAt":'
const RECORDED = ',"recordedAt":'
const QUOTES_END = piece(']}')
const NUMBER = piece('{"number":')
const TYPE_LINES = MARKET_TYPES.map((type) => piece(`{"type":"${type}","line":`))
const NULL = piece('null')
const OUTCOME = piece(',"outcome":')
const ODDS = piece(',"odds":')
const COMMA = 0x2c

/** The end of a quote: its time, a brace, and the comma before the next one. */
const TAIL_END_BYTES = TIME_BYTES + 2
const CAUSES_END = CAUSES.length + 1
const TAILS_PER_STATUS = (CHANGES.length + 1) * CAUSES_END

const named = (name: string, value: string): string => (value === '' ? '' : `"${name}":"${value}",`)

/** The part of a quote after its odds, by status, change and cause (0: none), with space for the time. */
const tailsOfQuotes = (): Uint8Array[] =>
  ['', ...QUOTE_STATUSES].flatMap((status) =>
    ['', ...CHANGES].flatMap((change) =>
      ['', ...CAUSES].map((cause) => {
        const words = `${named('change', change)}${named('cause', cause)}`
        return piece(`,"status":"${status}",${words}"lastUpdatedAt":${NO_TIME}},`)
      }),
    ),
  )

/** Changes picked from a group of the ring. */
export interface Selection {
  /** Numbers of the changes in the ring, in order; only the first `count` are valid. */
  readonly changes: number[]
  count: number
  /** Seq of the last of them. */
  lastSeq: number
  /** The newest of their observations, epoch ms. */
  observedAt: number
}

export const newSelection = (): Selection => ({ changes: [], count: 0, lastSeq: 0, observedAt: 0 })

/** A price that conflation has held: the current quote, and when the price was recorded and observed. */
export interface HeldPrice {
  readonly quote: CurrentQuote
  readonly moment: {
    /** Number of the quote. */
    readonly quote: number
    readonly seq: number
    readonly recordedAt: number
    readonly observedAt: number
  }
}

/** What all messages about an event and a bookmaker share. */
export interface Subject {
  /** `","eventId":…,"sport":…,"bookmaker":…`: with the end of the seq before them. */
  readonly members: Uint8Array
  /** A frame up to its message-id, by topic. */
  readonly status: Uint8Array
  readonly odds: Uint8Array
}

/** The frame of a destination up to its message-id. */
export const headOf = (destination: string): Uint8Array => piece(`MESSAGE\ndestination:${destination}\nmessage-id:`)

/** The part of a quote before its odds. */
interface QuoteHead {
  readonly type: number
  readonly line: number
  readonly outcome: Uint8Array
  readonly bytes: Uint8Array
  /** The same without the brace. */
  readonly members: Uint8Array
}

const HEADS_KEPT = 4_096
const QUOTE_STATUSES_END = QUOTE_STATUSES.length + 1

/** Writes the bodies of messages. One body at a time: it is valid until the next one is begun. */
export class Bodies {
  readonly writer = new JsonWriter(64 * 1024)
  private readonly opening: Uint8Array
  private readonly reader: Reader
  // `,"observedAt":…,"recordedAt":…,"quotes":[`: messages of a turn share the second time, and often the first. In pieces
  // that are written anew for each message all of it took 0.4 us instead of 0.15.
  private readonly times = piece(`${OBSERVED}${NO_TIME}${RECORDED}${NO_TIME},"quotes":[`)
  private timesObservedAt = Number.NaN
  private timesRecordedAt = Number.NaN
  private readonly subjects = new WeakMap<EventView, (Subject | undefined)[]>()
  // A quote is written as two cached pieces with the odds between them, because copying a long piece costs as little as
  // a short one: quotes of a book have the same tail, as they were observed at the same time, and the heads recur.
  private readonly scratch = new JsonWriter(256)
  private readonly heads: (QuoteHead | undefined)[] = Array.from({ length: HEADS_KEPT }, () => undefined)
  private readonly tails = tailsOfQuotes()
  private readonly tailTimes = new Float64Array(QUOTE_STATUSES_END * TAILS_PER_STATUS).fill(Number.NaN)

  constructor(epoch: string, reader: Reader) {
    this.opening = piece(`{"seq":"${epoch}-`)
    this.reader = reader
  }

  subjectOf(view: EventView, bookmaker: number): Subject {
    let byBookmaker = this.subjects.get(view)
    if (byBookmaker === undefined) {
      byBookmaker = []
      this.subjects.set(view, byBookmaker)
    }
    let subject = byBookmaker[bookmaker]
    if (subject === undefined) {
      const { id, sport } = view.event
      const slug = this.reader.bookmakerSlug(bookmaker)
      subject = {
        members: piece(`","eventId":"${id}","sport":"${sport}","bookmaker":"${slug}"`),
        status: headOf(`/topic/status.${sport}.${slug}.${id}`),
        odds: headOf(`/topic/odds.${sport}.${slug}.${id}`),
      }
      byBookmaker[bookmaker] = subject
    }
    return subject
  }

  /** Begins a body about quotes: all up to the first of them. */
  beginQuotes(subject: Subject, seq: number, observedAt: number, recordedAt: number): void {
    const { writer, times } = this
    if (this.timesObservedAt !== observedAt) {
      this.timesObservedAt = observedAt
      putTime(times, OBSERVED.length, observedAt)
    }
    if (this.timesRecordedAt !== recordedAt) {
      this.timesRecordedAt = recordedAt
      putTime(times, OBSERVED.length + TIME_BYTES + RECORDED.length, recordedAt)
    }
    this.begin(seq)
    writer.raw(subject.members)
    writer.raw(times)
  }

  /**
   * @param change 0 in a snapshot
   * @param number of the quote; 0: it is not shown
   */
  quote(
    type: number,
    line: number,
    outcome: Uint8Array,
    odds: number,
    status: QuoteStatusNumber,
    change: ChangeNumber | 0,
    cause: CauseNumber | 0,
    observedAt: number,
    number: number,
  ): void {
    const { writer } = this
    const head = this.headOf(type, line, outcome)
    const tail = this.tailOf(status, change * CAUSES_END + cause, observedAt)
    if (number === 0) {
      writer.around(head.bytes, odds, tail)
      return
    }
    writer.raw(NUMBER)
    writer.integer(number)
    writer.char(COMMA)
    writer.around(head.members, odds, tail)
  }

  endQuotes(): void {
    this.writer.dropComma()
    this.writer.raw(QUOTES_END)
  }

  /** A quote up to its odds. */
  private headOf(type: number, line: number, outcome: Uint8Array): QuoteHead {
    // A hash that rarely collides within a book; of two heads that collide, the last one is kept.
    const mixed =
      type * 0x9e3 + Math.floor(line === NO_LINE ? 0 : line * 4) * 0x85 + outcome.length * 7 + outcome[1]! * 0x1f
    const place = (mixed + outcome[outcome.length - 2]!) & (HEADS_KEPT - 1)
    const kept = this.heads[place]
    if (kept !== undefined && kept.outcome === outcome && kept.type === type && kept.line === line) return kept
    return (this.heads[place] = this.newHead(type, line, outcome))
  }

  private newHead(type: number, line: number, outcome: Uint8Array): QuoteHead {
    const { scratch } = this
    scratch.raw(TYPE_LINES[type]!)
    if (line === NO_LINE) scratch.raw(NULL)
    else scratch.number(line)
    scratch.raw(OUTCOME)
    scratch.raw(outcome)
    scratch.raw(ODDS)
    const bytes = scratch.detach()
    return { type, line, outcome, bytes, members: bytes.subarray(1) }
  }

  /** The part of a quote after its odds. @param change with its cause */
  private tailOf(status: QuoteStatusNumber, change: number, observedAt: number): Uint8Array {
    const place = status * TAILS_PER_STATUS + change
    const tail = this.tails[place]!
    if (this.tailTimes[place] !== observedAt) {
      this.tailTimes[place] = observedAt
      putTime(tail, tail.length - TAIL_END_BYTES, observedAt)
    }
    return tail
  }

  /** The body of an update from a group of the ring. @param isNumbered whether it shows the numbers of the quotes */
  update(ring: ReplayRing, group: number, selection: Selection, subject: Subject, isNumbered: boolean): void {
    this.beginQuotes(subject, selection.lastSeq, selection.observedAt, ring.recordedAtOf(group))
    for (let n = 0; n < selection.count; n++) {
      const at = selection.changes[n]!
      this.quote(
        ring.typeAt(at),
        ring.lineAt(at),
        ring.outcomeAt(at),
        ring.oddsAt(at),
        ring.statusAt(at),
        ring.changeAt(at),
        ring.causeAt(at),
        ring.observedAtAt(at),
        isNumbered ? ring.quoteAt(at) : 0,
      )
    }
    this.endQuotes()
  }

  /** The body of an update with held prices of one (event, bookmaker). */
  held(prices: readonly HeldPrice[], newest: HeldPrice['moment'], subject: Subject, isNumbered: boolean): void {
    this.beginQuotes(subject, newest.seq, newest.observedAt, newest.recordedAt)
    for (const { quote, moment } of prices) {
      const { type, line, outcome, odds, status } = quote
      const number = isNumbered ? moment.quote : 0
      this.quote(type, line, outcome, odds, status, CHANGE.repriced, 0, moment.observedAt, number)
    }
    this.endQuotes()
  }

  /** The body of any other message: its seq, then the members of an object. */
  object(seq: number, members: object): void {
    this.begin(seq)
    this.writer.raw(QUOTE_COMMA)
    // `begin` has written the brace.
    this.writer.raw(Buffer.from(JSON.stringify(members).slice(1)))
  }

  /** The body of a message without a seq: the object as it is. */
  plain(members: object): void {
    this.writer.clear()
    this.writer.json(members)
  }

  /** All up to the quote behind the seq. */
  private begin(seq: number): void {
    const { writer } = this
    writer.clear()
    writer.raw(this.opening)
    writer.integer(seq)
  }
}

/** Changes of the ring that are picked in any case. */
export interface Repeated {
  has(change: number): boolean
}

/** No change of the ring. */
export const NONE: Repeated = { has: () => false }

/**
 * Picks the changes of a group that a topic carries.
 * @param carried the changes that it carries, see {@link changesOf}
 * @param afterSeq changes up to this seq are left out
 * @param repeated changes of the ring that are picked in any case
 */
export const select = (
  ring: ReplayRing,
  group: number,
  carried: number,
  types: MarketTypes,
  afterSeq: number,
  repeated: Repeated,
  selection: Selection,
): void => {
  selection.count = 0
  selection.observedAt = 0
  const first = ring.firstChangeOf(group)
  const end = ring.endOf(group)
  const firstSeq = ring.firstSeqOf(group)
  for (let at = first; at < end; at++) {
    const seq = firstSeq + (at - first)
    const change = ring.changeAt(at)
    if (seq <= afterSeq && !repeated.has(at)) continue
    if ((carried & (1 << change)) === 0) continue
    if (types !== ALL_TYPES && (types & (1 << ring.typeAt(at))) === 0) continue
    pick(ring, at, seq, selection)
  }
}

/** Adds a change to a selection. */
export const pick = (ring: ReplayRing, at: number, seq: number, selection: Selection): void => {
  selection.changes[selection.count++] = at
  selection.lastSeq = seq
  const observedAt = ring.observedAtAt(at)
  if (observedAt > selection.observedAt) selection.observedAt = observedAt
}
