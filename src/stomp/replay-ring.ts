// The replay ring: the live changes of the last turns, as values, bounded in bytes and time. The messages of a turn,
// and those of a replay, are rendered from here by the same code.
//
//   groups    … [ event · book · first seq · recorded at ] …      one for each (event, bookmaker) and turn, or a notice
//   changes   … [ change and cause · quote · type · line · outcome · odds · status · observed at ] …
//
// Both are addressed by numbers that only grow; the index is the number's low bits. A group's changes have the numbers
// from `firstChange` on, in the order of their seqs. Changes of transport rest have seqs, but are not stored here.

import { type Changes, isEventNotice, type Notice } from '../board/changes.ts'
import type { Event, EventView } from '../domain/event.ts'
import { type CauseNumber, CHANGE, type ChangeNumber, type QuoteStatusNumber } from '../domain/quote.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'

// A change with the columns of its own group, which is the worst case.
const BYTES_PER_CHANGE = 100

// A change and its cause are one octet.
const CAUSE_SHIFT = 3
const CHANGE_MASK = 2 ** CAUSE_SHIFT - 1

/** A label up to this length, as JSON, is not counted: most labels are short, and shared. */
const SHORT_LABEL_BYTES = 40
/** What a longer one costs in addition to its octets. */
const LABEL_BYTES = 112
/** What an event costs without its names, with what is cached to render its messages: measured with one quote. */
const EVENT_BYTES = 2_048
/** Names are kept in several spellings, and a character may cost two octets. */
const NAME_FACTOR = 8
/** What is kept of an event for each of its bookmakers. */
const BOOKMAKER_BYTES = 512

const nameBytes = ({ leagueName, leagueKey, homeTeam, awayTeam }: Event): number =>
  NAME_FACTOR * (leagueName.length + leagueKey.length + homeTeam.length + awayTeam.length)

/** What only the ring holds after a notice: an event that has ended, or its former names. */
const weightOf = (notice: Notice): number => {
  if (!isEventNotice(notice)) return 0
  const { event, was, before, after } = notice
  const wasBytes = was === undefined ? 0 : nameBytes(was)
  return after.length > 0 ? wasBytes : wasBytes + EVENT_BYTES + nameBytes(event) + BOOKMAKER_BYTES * before.length
}

export interface RingLimits {
  readonly replayBytesMax: number
  /** Octets of events and labels that are no longer on the board. */
  readonly replayTextBytesMax: number
  readonly replayMsMax: number
}

export class ReplayRing {
  readonly capacity: number
  private readonly mask: number
  private readonly msMax: number
  private readonly textBytesMax: number
  /** Octets of texts that may be held by the ring only. */
  textBytes = 0
  /** Groups `groupsStart` (inclusive) to `groupsEnd` (exclusive) are here. */
  groupsStart = 0
  groupsEnd = 0
  private changesStart = 0
  private changesEnd = 0
  /** All live changes after this seq are here. */
  floorSeq: number
  /** Seq of the last change of a group that was too large for the ring; 0: there was none. */
  overrunSeq = 0
  /** Seq of the last change of the log, of either transport. */
  lastSeq: number

  private readonly change: Uint8Array
  private readonly status: Uint8Array
  private readonly type: Uint8Array
  private readonly quote: Uint32Array
  private readonly line: Float64Array
  private readonly odds: Float64Array
  private readonly observedAt: Float64Array
  private readonly outcome: Uint8Array[] = []

  private readonly view: (EventView | undefined)[] = []
  private readonly event: (Event | undefined)[] = []
  private readonly notice: (Notice | undefined)[] = []
  private readonly book: Uint32Array
  private readonly bookmaker: Uint16Array
  private readonly firstSeq: Float64Array
  private readonly firstChange: Float64Array
  private readonly recordedAt: Float64Array
  private readonly weight: Uint32Array

  /** @param seq of the log so far: what came before cannot be replayed */
  constructor(limits: RingLimits, seq: number) {
    const capacity = 2 ** Math.min(30, Math.floor(Math.log2(Math.max(1, limits.replayBytesMax / BYTES_PER_CHANGE))))
    this.capacity = capacity
    this.mask = capacity - 1
    this.msMax = limits.replayMsMax
    this.textBytesMax = limits.replayTextBytesMax
    this.floorSeq = seq
    this.lastSeq = seq
    this.change = new Uint8Array(capacity)
    this.status = new Uint8Array(capacity)
    this.type = new Uint8Array(capacity)
    this.quote = new Uint32Array(capacity)
    this.line = new Float64Array(capacity)
    this.odds = new Float64Array(capacity)
    this.observedAt = new Float64Array(capacity)
    this.book = new Uint32Array(capacity)
    this.bookmaker = new Uint16Array(capacity)
    this.firstSeq = new Float64Array(capacity)
    this.firstChange = new Float64Array(capacity)
    this.recordedAt = new Float64Array(capacity)
    this.weight = new Uint32Array(capacity)
  }

  /** Changes and notices held. */
  get size(): number {
    return Math.max(this.changesEnd - this.changesStart, this.groupsEnd - this.groupsStart)
  }

  /** When the oldest group was recorded, epoch ms; undefined: there is none. */
  get oldestAt(): number | undefined {
    return this.groupsStart === this.groupsEnd ? undefined : this.recordedAtOf(this.groupsStart)
  }

  /** Appends the live groups of a turn. They are the groups from the returned number on. */
  append(changes: Changes, nowAt: number): number {
    this.forget(nowAt)
    const start = this.groupsEnd
    let seq = changes.seqBefore + 1
    for (let group = 0; group < changes.groups; group++) {
      const count = changes.count[group]!
      const notice = changes.notice[group]
      if (notice !== undefined || changes.transport[group] === TRANSPORT_NUMBER.live) {
        this.appendGroup(changes, group, seq, notice)
      }
      seq += count
    }
    this.lastSeq = seq - 1
    return Math.max(start, this.groupsStart)
  }

  private appendGroup(changes: Changes, group: number, seq: number, notice: Notice | undefined): void {
    if (changes.count[group]! > this.capacity) {
      // More than the ring can hold: no resume from before it is possible.
      while (this.groupsStart < this.groupsEnd) this.dropGroup()
      this.floorSeq = seq + changes.count[group]! - 1
      this.overrunSeq = this.floorSeq
      return
    }
    if (this.groupsEnd - this.groupsStart === this.capacity) this.dropGroup()
    const place = this.groupsEnd & this.mask
    this.view[place] = changes.view[group]
    this.event[place] = changes.event[group]
    this.notice[place] = notice
    this.book[place] = changes.book[group]!
    this.bookmaker[place] = changes.bookmaker[group]!
    this.firstSeq[place] = seq
    this.firstChange[place] = this.changesEnd
    this.recordedAt[place] = changes.recordedAt[group]!
    this.weight[place] = 0
    this.groupsEnd++
    if (notice !== undefined) {
      this.weigh(place, weightOf(notice))
      return
    }
    let labelBytes = 0
    for (let from = changes.first[group]!; from !== -1; from = changes.next[from]!) {
      while (this.changesEnd - this.changesStart >= this.capacity) this.dropGroup()
      const to = this.changesEnd++ & this.mask
      this.change[to] = changes.change[from]! | (changes.cause[from]! << CAUSE_SHIFT)
      this.status[to] = changes.status[from]!
      this.type[to] = changes.type[from]!
      this.quote[to] = changes.quote[from]!
      this.line[to] = changes.line[from]!
      this.odds[to] = changes.odds[from]!
      this.observedAt[to] = changes.observedAt[from]!
      const label = changes.outcome[from]!
      this.outcome[to] = label
      if (label.length > SHORT_LABEL_BYTES && changes.change[from] === CHANGE.added)
        labelBytes += LABEL_BYTES + label.length
    }
    if (labelBytes > 0) this.weigh(place, labelBytes)
  }

  /** Counts the texts of the last group; over the limit, the oldest groups are dropped. */
  private weigh(place: number, bytes: number): void {
    this.weight[place] = bytes
    this.textBytes += bytes
    while (this.textBytes > this.textBytesMax && this.groupsEnd - this.groupsStart > 1) this.dropGroup()
  }

  /** Drops the groups that are too old. */
  private forget(nowAt: number): void {
    while (this.groupsStart < this.groupsEnd && this.recordedAtOf(this.groupsStart) < nowAt - this.msMax) {
      this.dropGroup()
    }
  }

  private dropGroup(): void {
    const group = this.groupsStart
    this.floorSeq = this.lastSeqOf(group)
    this.groupsStart++
    this.changesStart = this.groupsStart === this.groupsEnd ? this.changesEnd : this.firstChangeOf(this.groupsStart)
    const place = group & this.mask
    this.textBytes -= this.weight[place]!
    this.view[place] = undefined
    this.event[place] = undefined
    this.notice[place] = undefined
  }

  /** The first group that holds anything after a seq; `groupsEnd` where there is none. */
  groupAfter(seq: number): number {
    let low = this.groupsStart
    let high = this.groupsEnd
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.lastSeqOf(middle) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  // --- groups

  viewOf(group: number): EventView {
    return this.view[group & this.mask]!
  }

  /** The event as it was at the end of the group. */
  eventOf(group: number): Event {
    return this.event[group & this.mask]!
  }

  noticeOf(group: number): Notice | undefined {
    return this.notice[group & this.mask]
  }

  /** Number of the book, valid in the turn in which the group was appended. */
  bookOf(group: number): number {
    return this.book[group & this.mask]!
  }

  bookmakerOf(group: number): number {
    return this.bookmaker[group & this.mask]!
  }

  recordedAtOf(group: number): number {
    return this.recordedAt[group & this.mask]!
  }

  firstSeqOf(group: number): number {
    return this.firstSeq[group & this.mask]!
  }

  lastSeqOf(group: number): number {
    const changes = this.endOf(group) - this.firstChangeOf(group)
    return this.firstSeqOf(group) + Math.max(1, changes) - 1
  }

  /** The numbers of a group's changes: from this one … */
  firstChangeOf(group: number): number {
    return this.firstChange[group & this.mask]!
  }

  /** … to this one, exclusive. */
  endOf(group: number): number {
    return group + 1 === this.groupsEnd ? this.changesEnd : this.firstChangeOf(group + 1)
  }

  // --- changes

  changeAt(number: number): ChangeNumber {
    return (this.change[number & this.mask]! & CHANGE_MASK) as ChangeNumber
  }

  /** Why the quote is suspended, or was; 0: the change is not about that. */
  causeAt(number: number): CauseNumber | 0 {
    return (this.change[number & this.mask]! >> CAUSE_SHIFT) as CauseNumber | 0
  }

  quoteAt(number: number): number {
    return this.quote[number & this.mask]!
  }

  typeAt(number: number): number {
    return this.type[number & this.mask]!
  }

  lineAt(number: number): number {
    return this.line[number & this.mask]!
  }

  outcomeAt(number: number): Uint8Array {
    return this.outcome[number & this.mask]!
  }

  oddsAt(number: number): number {
    return this.odds[number & this.mask]!
  }

  statusAt(number: number): QuoteStatusNumber {
    return this.status[number & this.mask] as QuoteStatusNumber
  }

  observedAtAt(number: number): number {
    return this.observedAt[number & this.mask]!
  }
}
