// Applies decisions about which events are the same to the events that are on the board.

import type { Alias, EventDecision } from '../domain/event-identity.ts'
import type { TransportNumber } from '../domain/transport.ts'
import type { Board } from '../board/board.ts'
import type { EventRecord, KnownSighting } from '../board/event-record.ts'
import type { PairDecision, Partner } from '../identity/decisions.ts'
import type { Sightings } from '../identity/sightings.ts'
import type { Recorder } from './recorder.ts'
import type { Transitions } from './transitions.ts'

const sameOf = (decision: PairDecision): string => [decision.kind, ...decision.keys].join('\n')

export class Settlement {
  private readonly board: Board
  private readonly sightings: Sightings
  private readonly recorder: Recorder
  private readonly transitions: Transitions

  constructor(board: Board, sightings: Sightings, recorder: Recorder, transitions: Transitions) {
    this.board = board
    this.sightings = sightings
    this.recorder = recorder
    this.transitions = transitions
  }

  /**
   * Replaces all decisions, and makes the board what it would be if they had always held.
   * @returns how many merges and splits were not done, because the quotes to be moved do not fit on the board
   */
  settle(decisions: readonly EventDecision[], nowAt: number): number {
    const { sightings } = this
    const before = sightings.decisions.pairs
    const events = [...sightings.decisions.events()]
    sightings.decide(decisions)
    // Apply splits first; the other sightings keep their event.
    let left = this.partDecided(nowAt)
    for (const members of events) left += this.undo(members, nowAt)
    const holding = new Set(sightings.decisions.pairs.map(sameOf))
    for (const was of before) {
      // The rule may join events that a withdrawn split kept separate.
      const known = was.kind === 'merge' || holding.has(sameOf(was)) ? undefined : sightings.find(was.keys[1])
      if (known !== undefined) sightings.toRematch.add(known.record)
    }
    left += this.resettle(nowAt)
    const aliases: readonly Alias[] = decisions.filter((decision) => decision.kind === 'alias')
    for (const record of sightings.setAliases(aliases)) sightings.toRematch.add(record)
    return left + this.rematch(nowAt)
  }

  /** Applies pending decisions, then matches pending events. Returns how many merges and splits were not done. */
  resettle(nowAt: number): number {
    const { sightings } = this
    let left = 0
    if (sightings.lacksDecision) {
      sightings.lacksDecision = false
      // Splits first: sightings that are separated cannot block a merge.
      left += this.partDecided(nowAt)
      for (const members of sightings.decisions.events()) left += this.join(members, nowAt)
    }
    return left + this.rematch(nowAt)
  }

  /** Renames the events whose names have changed, and publishes which ids lead elsewhere. */
  publishNames(nowAt: number): void {
    const { renames } = this.sightings
    if (renames.length > 0) {
      for (const { record, next, key } of renames.splice(0)) this.transitions.rename(record, next, key, nowAt)
    }
    this.transitions.notifyIdMoves(nowAt)
  }

  /** Removes the events of which the last book has aged out; another sighting may name the other ones. */
  settleAged(nowAt: number): void {
    const { board, sightings } = this
    for (const record of board.lostBook) {
      if (record.books === 0) sightings.removeEvent(record)
      else sightings.renameByNext(record)
    }
    board.lostBook.clear()
    this.publishNames(nowAt)
  }

  /** Applies splits. Returns how many did not fit on the board. */
  private partDecided(nowAt: number): number {
    const { sightings } = this
    let left = 0
    for (const { kind, keys } of sightings.decisions.pairs) {
      const [a, b] = keys.map((key) => sightings.find(key))
      if (kind !== 'split' || a === undefined || b === undefined || a.record !== b.record) continue
      // Of the two, split off the sighting that more decisions separate from the rest: the rule may have joined the
      // others, and they stay together.
      if (!this.split(sightings.countApart(a) > sightings.countApart(b) ? a : b, nowAt)) left++
    }
    return left
  }

  /** Merges the events of keys that decisions bind, with the sightings that the rule has added to them. */
  private join(members: readonly Partner[], nowAt: number): number {
    const { sightings } = this
    let left = 0
    // Events of different sports are never one.
    const firsts = new Map<number, { readonly known: KnownSighting; readonly swapped: boolean }>()
    for (const { key, swapped } of members) {
      const known = sightings.find(key)
      if (known === undefined) continue
      const first = firsts.get(known.record.sportNumber)
      if (first === undefined || !sightings.isKnown(first.known))
        firsts.set(known.record.sportNumber, { known, swapped })
      else if (!this.bind(first.known, known, first.swapped !== swapped, nowAt)) left++
    }
    return left
  }

  /** Makes two sightings part of one event, with swapped sides or not. Returns whether the quotes fit. */
  private bind(a: KnownSighting, b: KnownSighting, swapped: boolean, nowAt: number): boolean {
    const { sightings } = this
    if (a.record === b.record) {
      if ((a.swapped !== b.swapped) === swapped) return true
      if (!this.split(b, nowAt, true)) return false
    } else if (!this.clearOut(a, b, nowAt)) return false
    // A sighting without a book is forgotten; the decision is applied when it is seen again.
    if (!sightings.isKnown(a) || !sightings.isKnown(b)) return true
    return this.merge(b.record, a.record, (a.swapped !== b.swapped) !== swapped, nowAt)
  }

  /**
   * Two events are to be merged: splits off sightings that are there by the rule only and that a decision separates
   * from one of the other event. Returns whether the quotes fit.
   */
  private clearOut(a: KnownSighting, b: KnownSighting, nowAt: number): boolean {
    const { sightings } = this
    const bound = new Set([...sightings.groupOf(a), ...sightings.groupOf(b)])
    const [one, other] = [a.record, b.record]
    for (const [here, there] of [
      [one, other],
      [other, one],
    ] as const) {
      for (const each of [...here.sightings]) {
        const isInTheWay = each.record === here && !bound.has(each) && sightings.isApart(there, each.key)
        if (isInTheWay && !this.split(each, nowAt)) return false
      }
    }
    return true
  }

  /** Splits an event that decisions had merged and no longer do. Returns how many splits did not fit on the board. */
  private undo(members: readonly Partner[], nowAt: number): number {
    const { sightings } = this
    if (sightings.decisions.isEvent(members)) return 0
    const known = members.map(({ key }) => sightings.find(key)).filter((each) => each !== undefined)
    let left = 0
    for (const record of new Set(known.map((each) => each.record))) {
      // The sighting that names the event stays.
      const [first, ...others] = record.sightings.filter((each) => known.includes(each))
      for (const other of others) if (!this.part(first!, other, nowAt)) left++
      left += this.partSources(record, nowAt)
    }
    return left
  }

  /**
   * After a split, two sightings of one source may be left in an event that only the removed one had joined; the rule
   * would keep them separate. Returns how many splits did not fit on the board.
   */
  private partSources(record: EventRecord, nowAt: number): number {
    const { sightings } = this
    let left = 0
    for (const known of [...record.sightings]) {
      const first = record.sightings.find(({ source }) => source === known.source)
      if (first === undefined || sightings.groupOf(known).includes(first)) continue
      if (known.record === record && !this.split(known, nowAt)) left++
    }
    return left
  }

  /**
   * Splits off `b`, with the sightings that the rule joins with it, unless decisions bind it to `a`. Returns whether
   * the quotes fit.
   */
  private part(a: KnownSighting, b: KnownSighting, nowAt: number): boolean {
    const { sightings } = this
    const { record: from } = a
    if (from !== b.record || sightings.groupOf(b).includes(a)) return true
    if (!this.split(b, nowAt)) return false
    // The rule may join them again.
    if (!sightings.isKnown(a) || !sightings.isKnown(b) || sightings.isAlike(a, b.record)) return true
    const staying = new Set(sightings.groupOf(a))
    for (const each of [...from.sightings]) {
      // Sightings that the rule matches with `b` go, too: the rule would join `b` with them again.
      const goes = each.record === from && !staying.has(each) && sightings.isAlike(each, b.record)
      if (goes && !this.split(each, nowAt)) return false
    }
    return true
  }

  /**
   * Matches the pending events again, one after the other as if they arrived in this order. Returns how many merges did
   * not fit on the board.
   */
  private rematch(nowAt: number): number {
    const { sightings } = this
    const { catalogue } = this.board
    let left = 0
    for (const record of sightings.toRematch) {
      sightings.toRematch.delete(record)
      // It may just have been merged.
      if (catalogue.recordOf(record.number) !== record) continue
      const into = sightings.rematch(record)
      if (into === undefined) continue
      // By renaming its events a source must not get more than its share, or a longer book.
      const mayMerge = this.isWithinShares(catalogue.booksOf(record)) && this.fitBooks(record, into)
      if (!mayMerge || !this.merge(record, into, false, nowAt)) left++
    }
    return left
  }

  /**
   * Whether bookmakers may hold twice their quotes in these books: a slot that a quote has left counts as theirs until
   * it ages out.
   */
  private isWithinShares(books: readonly number[]): boolean {
    const { catalogue, capacity } = this.board
    const { bookmaker } = catalogue.books
    return books.every((book) => {
      const own = books.filter((other) => bookmaker[other] === bookmaker[book])
      return quotesOf(this.board, own) <= capacity.quotes.shareLeft(bookmaker[book]!)
    })
  }

  /** Whether no book would be too long if two events were merged. */
  private fitBooks(from: EventRecord, into: EventRecord): boolean {
    const { catalogue, capacity } = this.board
    const { bookmaker, transport, quotes } = catalogue.books
    return catalogue.booksOf(from).every((book) => {
      const there = catalogue.findBook(into, bookmaker[book]!, transport[book] as TransportNumber)
      return there === 0 || quotes[book]! + quotes[there]! <= capacity.bookQuotesMax
    })
  }

  /** Merges two events; `from` ends. Returns whether its quotes fit. */
  private merge(from: EventRecord, into: EventRecord, isSwapped: boolean, nowAt: number): boolean {
    const { board, sightings, recorder, transitions } = this
    const books = board.catalogue.booksOf(from)
    if (board.capacity.quotes.capacityLeft < quotesOf(board, books)) return false
    transitions.onBeforeChange?.(from)
    transitions.onBeforeChange?.(into)
    transitions.notifyEvent(from, from.event, into.event.id, nowAt)
    for (const book of books) recorder.moveBook(book, into, isSwapped, nowAt)
    board.endings.move(from, into, (...book) => board.catalogue.findBook(into, ...book))
    sightings.moveAll(from, into, isSwapped)
    board.catalogue.replaceEvent(from, into, isSwapped)
    transitions.notifyIdMoves(nowAt)
    return true
  }

  /**
   * Gives a sighting an event of its own, with the sightings that decisions bind to it, and with the quotes that they
   * were the last to set. Returns whether the quotes fit.
   * @param isAlone whether the sightings that are bound to it stay
   */
  private split(known: KnownSighting, nowAt: number, isAlone = false): boolean {
    const { board, sightings, recorder, transitions } = this
    // It may just have lost its last quote and been forgotten.
    if (!sightings.isKnown(known)) return true
    const { record: from, swapped } = known
    const [, ...bound] = isAlone ? [known] : sightings.groupOf(known)
    const numbers = new Set([known, ...bound].map(({ number }) => number))
    const own = board.catalogue
      .booksOf(from)
      .filter((book) => [...numbers].some((number) => board.origins.mayBeOfSighting(book, number)))
    if (board.capacity.quotes.capacityLeft < quotesOf(board, own)) return false
    transitions.onBeforeChange?.(from)
    const into = sightings.splitOff(known, bound)
    transitions.notifyIdMoves(nowAt)
    for (const book of own) recorder.moveBook(book, into, swapped, nowAt, numbers)
    board.endings.move(from, into, (...book) => board.catalogue.findBook(into, ...book), numbers)
    sightings.toRematch.add(into)
    sightings.renameByFirst(from)
    this.publishNames(nowAt)
    for (const record of [from, into]) if (record.books === 0) sightings.removeEvent(record)
    return this.partSources(from, nowAt) === 0
  }
}

const quotesOf = ({ catalogue }: Board, books: readonly number[]): number =>
  books.reduce((sum, book) => sum + catalogue.books.quotes[book]!, 0)
