// Settling which events are one: what people have decided takes effect on what is on the board already.

import type { Alias, EventDecision } from '../domain/event-identity.ts'
import type { Board } from './board.ts'
import type { EventRecord, KnownSighting } from './catalogue.ts'
import type { PairDecision } from './decisions.ts'
import type { Recorder } from './recorder.ts'

const sameOf = (decision: PairDecision): string => [decision.kind, ...decision.keys].join('\n')

export class Settlement {
  private readonly board: Board
  private readonly recorder: Recorder

  constructor(board: Board, recorder: Recorder) {
    this.board = board
    this.recorder = recorder
  }

  /**
   * Takes all decisions over, and makes the board what it would be had they always held.
   * @returns what is not done, because the board has no room to move the quotes: so many merges and splits
   */
  settle(decisions: readonly EventDecision[], nowAt: number): number {
    const { sightings } = this.board
    const before = sightings.decidedPairs
    sightings.decide(decisions)
    const kept = new Set(sightings.decidedPairs.map(sameOf))
    const undone = before.filter((was) => !kept.has(sameOf(was)))
    let left = 0
    for (const { kind, keys } of undone) {
      const [a, b] = keys.map((key) => sightings.find(key))
      if (a === undefined || b === undefined) continue
      // Other decisions may still bind them.
      const isBound = sightings.groupOf(b).includes(a)
      if (kind === 'merge' && a.record === b.record && !isBound && !this.split(b, nowAt)) left++
      if (!this.matchAnew(b.record, nowAt)) left++
    }
    left += this.settleAnew(nowAt)
    const aliases: readonly Alias[] = decisions.filter((decision) => decision.kind === 'alias')
    for (const record of sightings.setAliases(aliases)) if (!this.matchAnew(record, nowAt)) left++
    return left
  }

  /** Makes the board what the decisions say, as far as it is not: after they, or who they speak of, have come. */
  settleAnew(nowAt: number): number {
    const { sightings } = this.board
    sightings.isUnsettled = false
    let left = 0
    // Splits first: what is apart by then stands in the way of no merge.
    const pairs = sightings.decidedPairs.toSorted((a, b) => Number(a.kind === 'merge') - Number(b.kind === 'merge'))
    for (const decision of pairs) {
      const [a, b] = decision.keys.map((key) => sightings.find(key))
      if (a === undefined || b === undefined || a.record.sportNumber !== b.record.sportNumber) continue
      const isOne = a.record === b.record
      if (sightings.isApart(a.record, b.key)) {
        // Who is apart from more of the others goes; they may have been made one by the rule, and stay so.
        const goes = sightings.countApart(a) > sightings.countApart(b) ? a : b
        if (isOne && !this.split(goes, nowAt)) left++
        continue
      }
      if (decision.kind !== 'merge') continue
      // One of them may be known as turned against its event already.
      const isTurned = (a.turned !== b.turned) !== decision.turned
      if (isOne && !isTurned) continue
      if (isOne && !this.split(b, nowAt, true)) left++
      // Who is left without a book is forgotten; the decision holds when it is seen again.
      if (sightings.find(a.key) !== a || sightings.find(b.key) !== b || a.record === b.record) continue
      const turned = isOne ? decision.turned !== a.turned : isTurned
      if (!this.merge(b.record, a.record, turned, nowAt)) left++
    }
    return left
  }

  /** Asks the rule again about an event that is there. Returns whether what it says is done. */
  private matchAnew(record: EventRecord, nowAt: number): boolean {
    // It may have been merged a moment ago.
    if (this.board.catalogue.recordOf(record.number) !== record) return true
    const into = this.board.sightings.matchAnew(record)
    return into === undefined || this.merge(record, into, false, nowAt)
  }

  /** Makes two events one; `from` ends. Returns whether there was room to move its quotes. */
  private merge(from: EventRecord, into: EventRecord, isTurned: boolean, nowAt: number): boolean {
    const { board, recorder } = this
    if (board.roomLeft < quotesOf(board, from.books)) return false
    recorder.onBeforeChange?.(from)
    recorder.onBeforeChange?.(into)
    recorder.tellEvent(from, from.event, into.event.id, nowAt)
    for (const book of [...from.books]) recorder.moveBook(book, into, isTurned, nowAt)
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
    const { board, recorder } = this
    const { sightings } = board
    const { record: from, turned } = known
    const [, ...group] = isAlone ? [known] : sightings.groupOf(known)
    const bound = group.filter((other) => !sightings.areApart(known.key, other.key))
    const numbers = new Set([known, ...bound].map(({ number }) => number))
    const own = from.books.filter((book) => [...numbers].some((number) => board.speakers.mayBeOfSighting(book, number)))
    if (board.roomLeft < quotesOf(board, own)) return false
    recorder.onBeforeChange?.(from)
    const into = sightings.splitOff(known)
    for (const other of bound) sightings.move(other, into, turned)
    for (const book of own) recorder.moveBook(book, into, turned, nowAt, numbers)
    for (const record of [from, into]) if (record.books.length === 0) board.removeEvent(record)
    return true
  }
}

const quotesOf = ({ catalogue, quotes }: Board, books: readonly number[]): number => {
  let count = 0
  for (const book of books) for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.next[slot]!) count++
  return count
}
