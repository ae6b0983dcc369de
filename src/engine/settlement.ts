// Settling which events are one: what people have decided takes effect on what is on the board already.

import type { Alias, EventDecision } from '../domain/event-identity.ts'
import type { TransportNumber } from '../domain/transport.ts'
import type { Board } from '../board/board.ts'
import type { EventRecord, KnownSighting } from '../board/catalogue.ts'
import type { PairDecision, Partner } from '../board/decisions.ts'
import type { Recorder } from './recorder.ts'
import type { Transitions } from './transitions.ts'

const sameOf = (decision: PairDecision): string => [decision.kind, ...decision.keys].join('\n')

export class Settlement {
  private readonly board: Board
  private readonly recorder: Recorder
  private readonly transitions: Transitions

  constructor(board: Board, recorder: Recorder, transitions: Transitions) {
    this.board = board
    this.recorder = recorder
    this.transitions = transitions
  }

  /**
   * Takes all decisions over, and makes the board what it would be had they always held.
   * @returns what is not done, because the board has no room to move the quotes: so many merges and splits
   */
  settle(decisions: readonly EventDecision[], nowAt: number): number {
    const { sightings } = this.board
    const before = sightings.decidedPairs
    const events = [...sightings.decidedEvents()]
    sightings.decide(decisions)
    // Who is said to go goes, and the others stay where they are.
    let left = this.partDecided(nowAt)
    for (const members of events) left += this.takeBack(members, nowAt)
    const holding = new Set(sightings.decidedPairs.map(sameOf))
    for (const was of before) {
      // Whom it kept apart may be one by the rule.
      const known = was.kind === 'merge' || holding.has(sameOf(was)) ? undefined : sightings.find(was.keys[1])
      if (known !== undefined) sightings.loose.add(known.record)
    }
    left += this.settleAnew(nowAt)
    const aliases: readonly Alias[] = decisions.filter((decision) => decision.kind === 'alias')
    for (const record of sightings.setAliases(aliases)) sightings.loose.add(record)
    return left + this.matchLoose(nowAt)
  }

  /** Makes the board what the decisions say, and then the rule, as far as it is not: after who they speak of has come. */
  settleAnew(nowAt: number): number {
    const { sightings } = this.board
    let left = 0
    if (sightings.lacksDecision) {
      sightings.lacksDecision = false
      // What is apart by then stands in the way of no merge.
      left += this.partDecided(nowAt)
      for (const members of sightings.decidedEvents()) left += this.join(members, nowAt)
    }
    return left + this.matchLoose(nowAt)
  }

  /** Splits what is said to be apart. Returns how many splits have no room. */
  private partDecided(nowAt: number): number {
    const { sightings } = this.board
    let left = 0
    for (const { kind, keys } of sightings.decidedPairs) {
      const [a, b] = keys.map((key) => sightings.find(key))
      if (kind !== 'split' || a === undefined || b === undefined || a.record !== b.record) continue
      // Who is apart from more of the others goes; they may have been made one by the rule, and stay so.
      if (!this.split(sightings.countApart(a) > sightings.countApart(b) ? a : b, nowAt)) left++
    }
    return left
  }

  /** Makes one event of those that decisions bind, with whoever the rule has made one with them. */
  private join(members: readonly Partner[], nowAt: number): number {
    const { sightings } = this.board
    let left = 0
    // Events of different sports are never one.
    const firsts = new Map<number, { readonly known: KnownSighting; readonly turned: boolean }>()
    for (const { key, turned } of members) {
      const known = sightings.find(key)
      if (known === undefined) continue
      const first = firsts.get(known.record.sportNumber)
      if (first === undefined || !sightings.isKnown(first.known))
        firsts.set(known.record.sportNumber, { known, turned })
      else if (!this.bind(first.known, known, first.turned !== turned, nowAt)) left++
    }
    return left
  }

  /** Makes two sightings of one event, turned against each other or not. Returns whether there was room. */
  private bind(a: KnownSighting, b: KnownSighting, turned: boolean, nowAt: number): boolean {
    const { sightings } = this.board
    if (a.record === b.record) {
      if ((a.turned !== b.turned) === turned) return true
      if (!this.split(b, nowAt, true)) return false
    } else if (!this.clearOut(a, b, nowAt)) return false
    // Who is left without a book is forgotten; the decision holds when it is seen again.
    if (!sightings.isKnown(a) || !sightings.isKnown(b)) return true
    return this.merge(b.record, a.record, (a.turned !== b.turned) !== turned, nowAt)
  }

  /**
   * Two events are to be one: whoever is there by the rule alone, and must not share an event with someone of the other,
   * goes. Returns whether there was room.
   */
  private clearOut(a: KnownSighting, b: KnownSighting, nowAt: number): boolean {
    const { sightings } = this.board
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

  /** Takes apart what decisions had made one event and no longer do. Returns how many splits have no room. */
  private takeBack(members: readonly Partner[], nowAt: number): number {
    const { sightings } = this.board
    if (sightings.isDecidedEvent(members)) return 0
    const known = members.map(({ key }) => sightings.find(key)).filter((each) => each !== undefined)
    let left = 0
    for (const record of new Set(known.map((each) => each.record))) {
      // Whose names the event bears stays.
      const [first, ...others] = record.sightings.filter((each) => known.includes(each))
      for (const other of others) if (!this.part(first!, other, nowAt)) left++
      left += this.partSources(record, nowAt)
    }
    return left
  }

  /**
   * Two of one source may be left of an event where nothing but who is gone was between them; the rule would not have them
   * one. Returns how many splits have no room.
   */
  private partSources(record: EventRecord, nowAt: number): number {
    const { sightings } = this.board
    let left = 0
    for (const known of [...record.sightings]) {
      const first = record.sightings.find(({ source }) => source === known.source)
      if (first === undefined || sightings.groupOf(known).includes(first)) continue
      if (known.record === record && !this.split(known, nowAt)) left++
    }
    return left
  }

  /** A sighting goes, with whoever the rule makes one with it, unless decisions bind it. Returns whether there was room. */
  private part(a: KnownSighting, b: KnownSighting, nowAt: number): boolean {
    const { sightings } = this.board
    const { record: from } = a
    if (from !== b.record || sightings.groupOf(b).includes(a)) return true
    if (!this.split(b, nowAt)) return false
    // The rule itself may say that they are one.
    if (!sightings.isKnown(a) || !sightings.isKnown(b) || sightings.isAlike(a, b.record)) return true
    const staying = new Set(sightings.groupOf(a))
    for (const each of [...from.sightings]) {
      // They may all be one by the rule, but for what is in between: it would bring the other back to them.
      const goes = each.record === from && !staying.has(each) && sightings.isAlike(each, b.record)
      if (goes && !this.split(each, nowAt)) return false
    }
    return true
  }

  /**
   * Asks the rule again about the events that may be others by now, one after the other as if they came in this order.
   * Returns how many merges have no room.
   */
  private matchLoose(nowAt: number): number {
    const { catalogue, sightings } = this.board
    let left = 0
    for (const record of sightings.loose) {
      sightings.loose.delete(record)
      // It may have been merged a moment ago.
      if (catalogue.recordOf(record.number) !== record) continue
      const into = sightings.matchAnew(record)
      if (into === undefined) continue
      // What a feed brings about by what it calls its events is not to give it more than its share, or a longer book.
      const mayMerge = this.isWithinShares(record.books) && this.fitBooks(record, into)
      if (!mayMerge || !this.merge(record, into, false, nowAt)) left++
    }
    return left
  }

  /** Whether bookmakers may hold twice what they have in books: a slot that is left stays theirs until it ages out. */
  private isWithinShares(books: readonly number[]): boolean {
    const { catalogue, room } = this.board
    const { bookmaker } = catalogue.books
    return books.every((book) => {
      const own = books.filter((other) => bookmaker[other] === bookmaker[book])
      return quotesOf(this.board, own) <= room.quotes.shareLeft(bookmaker[book]!)
    })
  }

  /** Whether no book of two events would be too long if they were one. */
  private fitBooks(from: EventRecord, into: EventRecord): boolean {
    const { catalogue, room } = this.board
    const { bookmaker, transport, quotes } = catalogue.books
    return from.books.every((book) => {
      const there = catalogue.findBook(into, bookmaker[book]!, transport[book] as TransportNumber)
      return there === 0 || quotes[book]! + quotes[there]! <= room.bookQuotesMax
    })
  }

  /** Makes two events one; `from` ends. Returns whether there was room to move its quotes. */
  private merge(from: EventRecord, into: EventRecord, isTurned: boolean, nowAt: number): boolean {
    const { board, recorder, transitions } = this
    if (board.roomLeft < quotesOf(board, from.books)) return false
    transitions.onBeforeChange?.(from)
    transitions.onBeforeChange?.(into)
    transitions.tellEvent(from, from.event, into.event.id, nowAt)
    for (const book of [...from.books]) recorder.moveBook(book, into, isTurned, nowAt)
    board.endings.move(from, into, (...book) => board.catalogue.findBook(into, ...book))
    board.sightings.moveAll(from, into, isTurned)
    board.catalogue.replaceEvent(from, into, isTurned)
    return true
  }

  /**
   * Gives a source's event a place of its own, with those that decisions bind to it, and with the quotes that they were the
   * last to speak of. Returns whether there was room to move them.
   * @param isAlone whether those that are bound to it stay
   */
  private split(known: KnownSighting, nowAt: number, isAlone = false): boolean {
    const { board, recorder, transitions } = this
    const { sightings } = board
    // It may have been left without a quote, and forgotten, a moment ago.
    if (!sightings.isKnown(known)) return true
    const { record: from, turned } = known
    const [, ...bound] = isAlone ? [known] : sightings.groupOf(known)
    const numbers = new Set([known, ...bound].map(({ number }) => number))
    const own = from.books.filter((book) => [...numbers].some((number) => board.speakers.mayBeOfSighting(book, number)))
    if (board.roomLeft < quotesOf(board, own)) return false
    transitions.onBeforeChange?.(from)
    const into = sightings.splitOff(known, bound)
    for (const book of own) recorder.moveBook(book, into, turned, nowAt, numbers)
    board.endings.move(from, into, (...book) => board.catalogue.findBook(into, ...book), numbers)
    sightings.loose.add(into)
    sightings.takeNames(from, (record, change) => transitions.refresh(record, change, nowAt))
    for (const record of [from, into]) if (record.books.length === 0) board.removeEvent(record)
    return this.partSources(from, nowAt) === 0
  }
}

const quotesOf = ({ catalogue, quotes }: Board, books: readonly number[]): number => {
  let count = 0
  for (const book of books) for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.next[slot]!) count++
  return count
}
