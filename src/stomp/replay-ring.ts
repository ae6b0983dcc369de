// The replay ring: the live changes of the last turns, as values, bounded in bytes and time. The messages of a turn,
// and those of a replay, are rendered from here by the same code.
//
//   groups    … [ event · book · first seq · recorded at ] …      one for each (event, bookmaker) and turn, or a notice
//   changes   … [ change and cause · quote · type · line · outcome · odds · status · observed at ] …
//
// Both are addressed by numbers that only grow; the index is the number's low bits. A group's changes have the numbers
// from `firstChange` on, in the order of their seqs. Changes of transport rest have seqs, but are not stored here.

import type { Catalogue } from '../board/catalogue.ts'
import { type Changes, isEventNotice, type Notice } from '../board/changes.ts'
import type { OutcomeLabels } from '../board/outcome-labels.ts'
import type { Event, EventView } from '../domain/event.ts'
import type { Column, ImageReader, ImageWriter } from '../domain/image.ts'
import { memoryOf } from '../domain/memory.ts'
import { type CauseNumber, CHANGE, type ChangeNumber, type QuoteStatusNumber } from '../domain/quote.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import { Pieces } from './pieces.ts'
import { columnOf, type LoadedTexts, loadRingTexts, RingTexts } from './ring-texts.ts'

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

const GROUP_COLUMNS = ['bookmaker', 'firstSeq', 'recordedAt', 'weight'] as const
const CHANGE_COLUMNS = ['change', 'status', 'type', 'quote', 'line', 'odds', 'observedAt'] as const

/** What was loaded, and is not built yet: the numbers of groups and changes, by place. */
interface Loaded {
  readonly texts: LoadedTexts
  readonly count: Uint32Array
  readonly view: Uint32Array
  readonly event: Uint32Array
  readonly outcome: Uint32Array
  /** The first place that has fitted, of groups and of changes. */
  readonly start: number
  readonly changesStart: number
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
  // Of the columns' kind from the start (not small integers): else V8 makes all code that uses a ring anew when the first
  // group is dropped, 36 functions, and they are slow until then.
  private changesStart = Number.NaN
  private changesEnd = 0
  /** All live changes after this seq are here. */
  floorSeq = Number.NaN
  /** Seq of the last change of a group that did not fit into the ring in its own turn; 0: there was none. */
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
  private readonly outcome = new Pieces<Uint8Array>()

  private readonly view = new Pieces<EventView>()
  private readonly event = new Pieces<Event>()
  private readonly notice = new Pieces<Notice>()
  private readonly book: Uint32Array
  private readonly bookmaker: Uint16Array
  private readonly firstSeq: Float64Array
  private readonly firstChange: Float64Array
  private readonly recordedAt: Float64Array
  private readonly weight: Uint32Array
  private loaded: Loaded | undefined

  /** @param seq of the log so far: what came before cannot be replayed */
  constructor(limits: RingLimits, seq: number) {
    const capacity = 2 ** Math.min(30, Math.floor(Math.log2(Math.max(1, limits.replayBytesMax / BYTES_PER_CHANGE))))
    this.capacity = capacity
    this.mask = capacity - 1
    this.msMax = limits.replayMsMax
    this.textBytesMax = limits.replayTextBytesMax
    this.changesStart = 0
    this.floorSeq = seq
    this.lastSeq = seq
    this.change = new Uint8Array(memoryOf(capacity))
    this.status = new Uint8Array(memoryOf(capacity))
    this.type = new Uint8Array(memoryOf(capacity))
    this.quote = new Uint32Array(memoryOf(4 * capacity))
    this.line = new Float64Array(memoryOf(8 * capacity))
    this.odds = new Float64Array(memoryOf(8 * capacity))
    this.observedAt = new Float64Array(memoryOf(8 * capacity))
    this.book = new Uint32Array(memoryOf(4 * capacity))
    this.bookmaker = new Uint16Array(memoryOf(2 * capacity))
    this.firstSeq = new Float64Array(memoryOf(8 * capacity))
    this.firstChange = new Float64Array(memoryOf(8 * capacity))
    this.recordedAt = new Float64Array(memoryOf(8 * capacity))
    this.weight = new Uint32Array(memoryOf(4 * capacity))
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
    if (this.groupsStart > start) this.overrunSeq = this.floorSeq
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
    this.view.set(place, changes.view[group])
    this.event.set(place, changes.event[group])
    this.notice.set(place, notice)
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
      this.outcome.set(to, label)
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
    this.view.set(place, undefined)
    this.event.set(place, undefined)
    this.notice.set(place, undefined)
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

  /**
   * How far a reader is that has everything up to `afterSeq` and waits for the change `nextSeq`: at the end of the log before
   * the group of that; at `afterSeq`, if the group is not held.
   */
  seqBefore(nextSeq: number, afterSeq: number): number {
    if (nextSeq <= this.floorSeq) return afterSeq
    return Math.max(afterSeq, this.firstSeqOf(this.groupAfter(nextSeq - 1)) - 1)
  }

  // --- groups

  viewOf(group: number): EventView {
    return this.view.get(group & this.mask)!
  }

  /** The event as it was at the end of the group. */
  eventOf(group: number): Event {
    return this.event.get(group & this.mask)!
  }

  noticeOf(group: number): Notice | undefined {
    return this.notice.get(group & this.mask)
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
    return this.outcome.get(number & this.mask)!
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

  // --- images

  /** Saves what is held. Numbers of groups, changes and books are not part of it: they are of this process only. */
  save(image: ImageWriter, catalogue: Catalogue): void {
    const { groupsStart, groupsEnd, changesStart, changesEnd } = this
    const texts = new RingTexts(catalogue)
    const count = new Uint32Array(groupsEnd - groupsStart)
    const view = new Uint32Array(count.length)
    const event = new Uint32Array(count.length)
    for (let group = groupsStart, n = 0; group < groupsEnd; group++, n++) {
      const notice = this.noticeOf(group)
      if (notice !== undefined) {
        texts.addNotice(notice)
        continue
      }
      count[n] = this.endOf(group) - this.firstChangeOf(group)
      view[n] = texts.numberOfView(this.viewOf(group))
      event[n] = texts.numberOfEvent(this.eventOf(group))
    }
    const outcome = new Uint32Array(changesEnd - changesStart)
    for (let at = changesStart, n = 0; at < changesEnd; at++, n++) outcome[n] = texts.numberOfLabel(this.outcomeAt(at))
    image.value('ring', [this.floorSeq, this.overrunSeq, this.lastSeq])
    texts.save(image)
    image.column('ring.count', count)
    image.column('ring.view', view)
    image.column('ring.event', event)
    image.column('ring.outcome', outcome)
    for (const name of GROUP_COLUMNS) image.column(`ring.${name}`, inOrder(this[name], groupsStart, groupsEnd))
    for (const name of CHANGE_COLUMNS) image.column(`ring.${name}`, inOrder(this[name], changesStart, changesEnd))
  }

  /**
   * Replaces what is held by what was saved. If the limits were larger then, the newest groups that fit are kept. What
   * groups refer to follows with {@link build}: there may be a million of them, and a start does not wait.
   */
  load(image: ImageReader, catalogue: Catalogue, labels: OutcomeLabels): void {
    const [floorSeq, overrunSeq, lastSeq] = image.value('ring') as [number, number, number]
    const texts = loadRingTexts(image, catalogue, labels)
    const count = columnOf(image, 'ring.count')
    const view = columnOf(image, 'ring.view')
    const event = columnOf(image, 'ring.event')
    const outcome = columnOf(image, 'ring.outcome')
    let start = count.length
    let changes = 0
    while (start > 0 && count.length - start < this.capacity && changes + count[start - 1]! <= this.capacity) {
      changes += count[--start]!
    }
    const groups = count.length - start
    for (const name of GROUP_COLUMNS) loadNewest(image, `ring.${name}`, this[name], groups, 'column')
    for (const name of CHANGE_COLUMNS) loadNewest(image, `ring.${name}`, this[name], changes, 'fill')
    for (const list of [this.view, this.event, this.notice, this.outcome]) list.clear()
    this.groupsStart = this.changesStart = this.textBytes = 0
    this.groupsEnd = groups
    this.changesEnd = changes
    for (let group = 0, at = 0; group < groups; group++) {
      this.book[group] = 0
      this.firstChange[group] = at
      this.textBytes += this.weight[group]!
      at += count[start + group]!
    }
    this.overrunSeq = overrunSeq
    this.lastSeq = lastSeq
    this.floorSeq = start === 0 ? floorSeq : groups === 0 ? lastSeq : this.firstSeqOf(0) - 1
    while (this.textBytes > this.textBytesMax && this.groupsEnd - this.groupsStart > 1) this.dropGroup()
    this.loaded = { texts, count, view, event, outcome, start, changesStart: outcome.length - changes }
  }

  /**
   * Builds what the groups refer to, so many groups or changes at each step. Until its end, only the columns of what was
   * loaded may be read; it may be dropped, and turns may be appended.
   */
  *build(step: number): Generator<undefined, void> {
    if (this.loaded === undefined) return
    const { texts, count, view, event, outcome, start, changesStart } = this.loaded
    this.loaded = undefined
    const notices = texts.notices()
    for (let n = 0; n < count.length; n++) {
      if (n % step === 0) yield
      const notice = count[n] === 0 ? notices.next().value! : undefined
      const group = n - start
      // It did not fit, or was dropped since, and another one may have its place.
      if (group < this.groupsStart) continue
      this.view.set(group, notice === undefined ? texts.views[view[n]!] : undefined)
      this.event.set(group, notice === undefined ? texts.events[event[n]!] : undefined)
      this.notice.set(group, notice)
    }
    for (let n = changesStart; n < outcome.length; n++) {
      if (n % step === 0) yield
      const at = n - changesStart
      if (at >= this.changesStart) this.outcome.set(at, texts.labels[outcome[n]!]!)
    }
  }
}

/** The places of numbers, which only grow, in their order. */
const inOrder = (column: Column, from: number, to: number): Column => {
  const count = to - from
  const place = from & (column.length - 1)
  const atEnd = column.length - place
  if (count <= atEnd) return column.subarray(place, place + count)
  const joined = column.slice(0, count)
  joined.set(column.subarray(place))
  joined.set(column.subarray(0, count - atEnd), atEnd)
  return joined
}

/** Fills the first places of a column with the last `count` of those that were saved. */
const loadNewest = (image: ImageReader, name: string, into: Column, count: number, load: 'column' | 'fill'): void => {
  const saved = image.lengthOf(name)
  if (saved === count) {
    image[load](name, into)
    return
  }
  const all = newColumn(into, saved)
  image.column(name, all)
  into.set(all.subarray(saved - count))
}

/** A column of the same kind. */
const newColumn = (like: Column, length: number): Column => {
  if (like instanceof Uint8Array) return new Uint8Array(length)
  if (like instanceof Uint16Array) return new Uint16Array(length)
  return like instanceof Uint32Array ? new Uint32Array(length) : new Float64Array(length)
}
