// Transitions: the only place that writes the statuses of quotes. Visible changes are appended to the changes of the
// turn, with notices of what else changes.

import type { Board } from '../board/board.ts'
import { Changes, type Notice } from '../board/changes.ts'
import type { EventRecord } from '../board/event-record.ts'
import { invariant } from '../board/invariant.ts'
import type { Statement } from '../board/producers.ts'
import type { Holds } from './holds.ts'
import { causeOf, HELD, LOST, SAID, shownOf, SUSPECT } from '../board/status.ts'
import type { Event, EventView } from '../domain/event.ts'
import { CHANGE, type ChangeNumber, FRESHNESS_MS, QUOTE_STATUS } from '../domain/quote.ts'
import { TRANSPORT_NUMBER, type TransportNumber } from '../domain/transport.ts'

const { open: OPEN, suspended: SUSPENDED, closed: CLOSED } = QUOTE_STATUS

export class Transitions {
  readonly changes = new Changes()
  /** Changes since the start, by number of the change. */
  readonly changeCounts: number[] = [0, 0, 0, 0, 0, 0, 0]
  /** Called before the live quotes, the live books or the names of an event change. */
  onBeforeChange: ((view: EventView) => void) | undefined
  /** Called with the id of an event that leads to another event, or to none, from now on: by a merge or a split. */
  onIdMoved: ((id: string) => void) | undefined
  private readonly board: Board
  private readonly holds: Holds

  constructor(board: Board, holds: Holds) {
    this.board = board
    this.holds = holds
  }

  /** A quote whose 24 hours are over, found before the wheel reached it: it has aged out, whatever comes next. */
  retire(slot: number, nowAt: number): void {
    if (this.board.quotes.statusOf(slot) === CLOSED) return
    this.append(CHANGE.aged_out, slot, nowAt)
    this.setStatus(slot, CLOSED, nowAt, true)
  }

  /** Whether a status that is given to a quote that has it already changes nothing: without suspensions by operators. */
  isSettled(before: number, given: number): boolean {
    return before === given && this.holds.isNone
  }

  /**
   * Writes the status of a quote on the board, and appends the visible change. Nothing else writes it.
   * @param given the bit of an operator's suspension is added here
   * @param isRetired whether the change was appended already
   * @returns whether a change was appended
   */
  setStatus(slot: number, given: number, nowAt: number, isRetired = false): boolean {
    const { board } = this
    const { quotes, catalogue } = board
    const before = quotes.statusOf(slot)
    const status = given === CLOSED ? CLOSED : given | this.holds.bitOf(quotes.bookOf(slot))
    if (status === before) return false
    invariant((status & SAID) !== 0, 'a quote in use has a status')
    quotes.setStatus(slot, status)
    const book = quotes.bookOf(slot)
    const record = catalogue.eventOfBook(book)
    const transport = catalogue.books.transport[book] as TransportNumber
    catalogue.reshape(record, transport)
    if (before === OPEN) board.noteLeft(slot)
    if (status === OPEN) {
      catalogue.setOpen(record, quotes.marketOf(slot), transport, catalogue.books.bookmaker[book]!, true)
    }
    const change = isRetired ? 0 : changeOf(before, status)
    if (change === 0) return false
    this.append(change, slot, nowAt, change === CHANGE.suspended ? status : change === CHANGE.reopened ? before : 0)
    return true
  }

  /**
   * @param suspended the status that gives the cause of a suspension or reopening; 0 for every other change
   * @param odds those of the quote, where they are known
   */
  append(
    change: ChangeNumber,
    slot: number,
    nowAt: number,
    suspended = 0,
    odds = this.board.quotes.oddsOf(slot),
  ): void {
    const { changes } = this
    const { quotes, catalogue, outcomes } = this.board
    const book = quotes.bookOf(slot)
    const market = quotes.marketOf(slot)
    this.changeCounts[change]!++
    const { bookmaker, transport } = catalogue.books
    const view = catalogue.eventOfBook(book)
    const place = changes.add(view, book, bookmaker[book]!, transport[book] as TransportNumber, nowAt)
    changes.change[place] = change
    changes.cause[place] = suspended === 0 ? 0 : causeOf(suspended)
    changes.quote[place] = slot
    changes.type[place] = catalogue.markets.type[market]!
    changes.line[place] = catalogue.markets.line[market]!
    changes.outcome[place] = outcomes.jsonOf(quotes.outcomeOf(slot))
    changes.odds[place] = odds
    changes.status[place] = shownOf(quotes.statusOf(slot))
    changes.observedAt[place] = quotes.observedAtOf(slot)
  }

  /** Appends that a quote has aged out; the board removes it. */
  ageOut(slot: number, nowAt: number): void {
    const { quotes, catalogue } = this.board
    const book = quotes.bookOf(slot)
    if (catalogue.books.transport[book] === TRANSPORT_NUMBER.live) this.onBeforeChange?.(catalogue.eventOfBook(book))
    this.leave(slot, nowAt)
  }

  /** Appends that a quote leaves the board, and its book with the last quote; the caller removes them. */
  leave(slot: number, nowAt: number): void {
    const { quotes, catalogue } = this.board
    const { bookmaker, transport, quotes: held } = catalogue.books
    const book = quotes.bookOf(slot)
    // A closed quote has ended already.
    if (quotes.statusOf(slot) !== CLOSED) this.append(CHANGE.aged_out, slot, nowAt)
    if (held[book] !== 1 || transport[book] !== TRANSPORT_NUMBER.live) return
    this.notifyBook(catalogue.eventOfBook(book), bookmaker[book]!, false, nowAt)
  }

  /**
   * Applies a statement to the quotes of one book that it is about.
   * @param isMeant whether the statement is about a quote
   * @returns how many quotes were visited
   */
  apply(book: number, statement: Statement, isMeant: (slot: number) => boolean, nowAt: number): number {
    const { quotes, catalogue } = this.board
    const { madeAt, endedAt, confirmedAt, doubt } = statement
    const record = catalogue.eventOfBook(book)
    const transport = catalogue.books.transport[book] as TransportNumber
    const held = this.holds.bitOf(book)
    let isChanged = false
    let visits = 0
    for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.nextOf(slot), visits++) {
      const before = quotes.statusOf(slot)
      const seenAt = quotes.observedAtOf(slot)
      if (before === CLOSED || seenAt + FRESHNESS_MS <= madeAt || !isMeant(slot)) continue
      let status = (before & ~HELD) | held
      // A lost observation cannot be confirmed: the board does not have it.
      let validAt = (status & LOST) === 0 ? confirmedAt : undefined
      if (endedAt !== undefined) {
        status = CLOSED
        validAt = Math.max(endedAt, validAt ?? endedAt)
      } else {
        if (validAt !== undefined) status &= ~SUSPECT
        status |= (status & SUSPECT) === 0 ? doubt : doubt & LOST
      }
      if (status === before && (validAt === undefined || validAt <= seenAt)) continue
      if (!isChanged && transport === TRANSPORT_NUMBER.live) this.onBeforeChange?.(record)
      isChanged = true
      quotes.setObservedAt(slot, Math.max(seenAt, validAt ?? 0))
      this.setStatus(slot, status, nowAt)
    }
    invariant(visits === catalogue.books.quotes[book], 'a walk visits each quote of a book once')
    if (!isChanged) return visits
    this.board.refreshOpen()
    catalogue.touch(record, transport)
    return visits
  }

  /** Brings the next books up to date with the suspensions by operators. Returns whether all are. */
  walkHolds(visitsMax: number, nowAt: number): boolean {
    return this.holds.walk(visitsMax, (book) => this.holdBook(book, nowAt))
  }

  /** Appends notices of the former ids that have moved; an operator may have suspended an event by such an id. */
  notifyIdMoves(nowAt: number): void {
    const { idMoves } = this.board.catalogue.names
    if (idMoves.length === 0) return
    for (const { record, id, isLeading } of idMoves.splice(0)) {
      this.onIdMoved?.(id)
      this.notifyFormerId(record, id, isLeading, nowAt)
      if (this.holds.isActive) for (const book of this.board.catalogue.booksOf(record)) this.holdBook(book, nowAt)
    }
  }

  private holdBook(book: number, nowAt: number): number {
    return this.apply(book, { madeAt: nowAt, doubt: 0 }, () => true, nowAt)
  }

  /** Appends a notice that an event is renamed, rescheduled, or merged into another. */
  notifyEvent(record: EventRecord, was: Event, mergedInto: string | undefined, nowAt: number): void {
    const bookmakers = this.board.catalogue.bookmakersOf(record, TRANSPORT_NUMBER.live)
    if (bookmakers.length === 0) return
    const { event, sportNumber } = record
    const formerIds = idsNow(record)
    this.notify({ event, sportNumber, formerIds, before: bookmakers, after: bookmakers, was, mergedInto }, nowAt)
  }

  /** Appends a notice that a former id leads to an event, or no longer. */
  private notifyFormerId(record: EventRecord, id: string, isLeading: boolean, nowAt: number): void {
    const bookmakers = this.board.catalogue.bookmakersOf(record, TRANSPORT_NUMBER.live)
    // Without a live book there is no notice: the first live book gives the event with its former ids.
    if (bookmakers.length === 0) return
    const { event, sportNumber } = record
    const of = { event, sportNumber, formerIds: [id], formerId: { id, isLeading } }
    this.notify({ ...of, before: bookmakers, after: bookmakers, was: undefined, mergedInto: undefined }, nowAt)
  }

  /** Renames or reschedules an event (see {@link Catalogue.renameEvent}), and appends a notice. */
  rename(record: EventRecord, next: Event, key: string, nowAt: number): void {
    this.onBeforeChange?.(record)
    const was = record.event
    this.board.catalogue.renameEvent(record, next, key)
    this.notifyEvent(record, was, undefined, nowAt)
  }

  /** Appends a notice. */
  notify(notice: Notice, nowAt: number): void {
    this.changes.notify(notice, nowAt)
  }

  /** Appends a notice that a bookmaker has begun (or ended) to quote an event live. */
  notifyBook(record: EventRecord, bookmaker: number, isNew: boolean, nowAt: number): void {
    const { event, sportNumber } = record
    const formerIds = idsNow(record)
    const others = otherNumbers(this.board.catalogue.bookmakersOf(record, TRANSPORT_NUMBER.live), bookmaker)
    const all = others.concat(bookmaker)
    const [before, after] = isNew ? [others, all] : [all, others]
    this.notify({ event, sportNumber, formerIds, before, after, was: undefined, mergedInto: undefined }, nowAt)
  }
}

const NO_IDS: readonly string[] = []
const NO_NUMBERS: readonly number[] = []

/** All but one, in a list of exact length: the ring keeps it, and one that grew has sixteen places to spare. */
const otherNumbers = (numbers: readonly number[], number: number): readonly number[] => {
  const others = numbers.filter((each) => each !== number)
  return others.length === 0 ? NO_NUMBERS : others.slice()
}

/** The current former ids of an event, copied: a notice says what holds when it is made. */
const idsNow = ({ formerIds }: EventRecord): readonly string[] => (formerIds.length === 0 ? NO_IDS : [...formerIds])

/** The visible change by a new status; 0: none. A closed quote that is seen again is a new one. */
const changeOf = (before: number, after: number): ChangeNumber | 0 => {
  const shown = shownOf(after)
  const isNew = before === 0 || before === CLOSED
  if (shown === shownOf(before)) return 0
  if (shown === CLOSED) return isNew ? 0 : CHANGE.closed
  if (isNew) return CHANGE.added
  return shown === SUSPENDED ? CHANGE.suspended : CHANGE.reopened
}
