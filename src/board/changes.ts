// The changes of a turn, as values, for the log and the topics. The columns are allocated once and reused, so that a
// change costs no object. A change refers to nothing on the board: its quote may be gone by the end of the turn.
//
//   group      event and book (or a notice) · first seq ──▶ change ──▶ change ──▶ …     in the order of appending
//   group      …
//
// Changes of one book (event, bookmaker, transport) form a group and are numbered by group at the end of the turn: the
// seqs of a group have no gap, and groups follow each other. A message is then exactly the changes from its first seq
// to its last, and any seq is a point from which a reader can resume.

import type { Event, EventView } from '../domain/event.ts'
import type { FeedHealth } from '../domain/feed-health.ts'
import { SparseList } from '../domain/sparse-list.ts'
import type { TransportNumber } from '../domain/transport.ts'
import { invariant } from './invariant.ts'

/** An event was added, removed or changed, for callers that may see one of the bookmakers that quote it live. */
export interface EventNotice {
  /** As it is from now on. */
  readonly event: Event
  readonly sportNumber: number
  /** Ids of events that were merged into this one by then. */
  readonly formerIds: readonly string[]
  /**
   * A former id that leads to the event from now on, or no longer. Nothing else changes, and only subscriptions that
   * name the id are notified.
   */
  readonly formerId?: { readonly id: string; readonly isLeading: boolean } | undefined
  /** Numbers of the bookmakers that quoted it live before, and that do now. */
  readonly before: readonly number[]
  readonly after: readonly number[]
  /** The event as it was before; undefined: the event itself has not changed. */
  readonly was: Event | undefined
  /** Id of the event that it was merged into; its quotes continue there. */
  readonly mergedInto: string | undefined
}

/** An entry of the log that is not a change of a quote. */
export type Notice = EventNotice | FeedHealth

export const isEventNotice = (notice: Notice): notice is EventNotice => 'event' in notice

/** Changes that there is room for at first. */
const FIRST_LENGTH = 1_024

export class Changes {
  /** Seq of the last change before this turn: all that is left between two turns. */
  seqBefore = 0
  length = 0
  // Typed arrays: writing to an array of V8 asks each time whether it holds such values, and whether it has to grow.
  change = new Uint8Array(FIRST_LENGTH)
  /** Why it is suspended, or was; 0: neither. */
  cause = new Uint8Array(FIRST_LENGTH)
  /** Number of the quote, constant while it is on the board. */
  quote = new Uint32Array(FIRST_LENGTH)
  /** Number of the market type, as in the domain table. */
  type = new Uint8Array(FIRST_LENGTH)
  line = new Float64Array(FIRST_LENGTH)
  /** The outcome's label as a JSON string. */
  readonly outcome: Uint8Array[] = []
  odds = new Float64Array(FIRST_LENGTH)
  status = new Uint8Array(FIRST_LENGTH)
  observedAt = new Float64Array(FIRST_LENGTH)
  /** The next change of the same group; -1: none. */
  next = new Int32Array(FIRST_LENGTH)

  groups = 0
  readonly view: (EventView | undefined)[] = []
  /** The event as it was at the group's last change. */
  readonly event: (Event | undefined)[] = []
  readonly book: number[] = []
  readonly bookmaker: number[] = []
  readonly transport: TransportNumber[] = []
  readonly first: number[] = []
  readonly count: number[] = []
  readonly recordedAt: number[] = []
  /** Undefined: a group of quote changes. A notice is a group of its own, without changes, with one seq. */
  readonly notice: (Notice | undefined)[] = []
  private readonly last: number[] = []
  // Group of a book. Valid only where that group names the book, so it needs no clearing.
  private readonly groupOfBook = new SparseList<number>()

  /** Seq of the last change. */
  get seq(): number {
    return this.seqBefore + this.length
  }

  /**
   * Adds a change of a quote to the group of its book.
   * @returns its place in the columns from `change` to `observedAt`, which the caller writes. An object for each change, and
   * for each number with a fraction in it, was a fifth of what is allocated while many quotes arrive: 200 octets a price
   */
  add(view: EventView, book: number, bookmaker: number, transport: TransportNumber, recordedAt: number): number {
    const place = this.newPlace()
    // Nearly always the group of the change before: its columns are at hand, those by book are not.
    const newest = this.groups - 1
    const group = newest >= 0 && this.book[newest] === book ? newest : (this.groupOfBook.get(book) ?? 0)
    // The number of a book may have been reused within the turn, even for another book of the same event.
    if (
      group < this.groups &&
      this.book[group] === book &&
      this.view[group] === view &&
      this.bookmaker[group] === bookmaker &&
      this.transport[group] === transport
    ) {
      this.next[this.last[group]!] = place
      this.last[group] = place
      this.count[group]!++
      this.event[group] = view.event
      this.recordedAt[group] = recordedAt
      return place
    }
    this.groupOfBook.set(book, this.addGroup(view, book, bookmaker, transport, place, recordedAt, undefined))
    return place
  }

  notify(notice: Notice, recordedAt: number): void {
    const place = this.newPlace()
    this.addGroup(undefined, 0, 0, 0, place, recordedAt, notice)
  }

  /** Checks that the seqs of the turn have no gap: each change is in one group. */
  check(): void {
    let changes = 0
    for (let group = 0; group < this.groups; group++) changes += this.count[group]!
    invariant(changes === this.length, 'each change has one seq')
  }

  private newPlace(): number {
    const place = this.length++
    if (place === this.next.length) this.grow()
    this.next[place] = -1
    return place
  }

  private grow(): void {
    this.change = longer(this.change)
    this.cause = longer(this.cause)
    this.quote = longer(this.quote)
    this.type = longer(this.type)
    this.line = longer(this.line)
    this.odds = longer(this.odds)
    this.status = longer(this.status)
    this.observedAt = longer(this.observedAt)
    this.next = longer(this.next)
  }

  private addGroup(
    view: EventView | undefined,
    book: number,
    bookmaker: number,
    transport: TransportNumber,
    place: number,
    recordedAt: number,
    notice: Notice | undefined,
  ): number {
    const group = this.groups++
    this.view[group] = view
    this.event[group] = view?.event
    this.book[group] = book
    this.bookmaker[group] = bookmaker
    this.transport[group] = transport
    this.first[group] = place
    this.last[group] = place
    this.count[group] = 1
    this.recordedAt[group] = recordedAt
    this.notice[group] = notice
    return group
  }

  /** Begins the next turn. */
  clear(): void {
    invariant(Number.isSafeInteger(this.seq), 'seqs are exact')
    this.seqBefore = this.seq
    this.length = 0
    this.groups = 0
  }
}

/** A copy with room for twice as many. */
const longer = <Column extends Uint8Array | Uint32Array | Int32Array | Float64Array>(column: Column): Column => {
  const copy = new (column.constructor as new (length: number) => Column)(2 * column.length)
  copy.set(column)
  return copy
}
