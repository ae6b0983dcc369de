// Settling which events are one: what people have decided takes effect on what is on the board already.

import type { Alias, EventDecision } from '../domain/event-identity.ts'
import type { Board } from './board.ts'
import type { EventRecord, KnownSighting } from './catalogue.ts'
import type { Recorder } from './recorder.ts'

type PairDecision = Exclude<EventDecision, { readonly kind: 'alias' }>

const isPair = (decision: EventDecision): decision is PairDecision => decision.kind !== 'alias'

const sameOf = (decision: PairDecision): string => [decision.kind, ...decision.keys].join('\n')

export class Settlement {
  private readonly board: Board
  private readonly recorder: Recorder
  private decisions: readonly EventDecision[] = []

  constructor(board: Board, recorder: Recorder) {
    this.board = board
    this.recorder = recorder
  }

  /**
   * Takes all decisions over, and makes the board what it would be had they always held.
   * @returns merges that are not done, because the board has no room to move the quotes
   */
  settle(decisions: readonly EventDecision[], nowAt: number): number {
    const { catalogue } = this.board
    const undone = this.decisions
      .filter(isPair)
      .filter((was) => !decisions.some((is) => isPair(is) && sameOf(is) === sameOf(was)))
    this.decisions = decisions
    catalogue.decide(decisions)
    let left = 0
    for (const { kind, keys } of undone) {
      const [a, b] = keys.map((key) => catalogue.sightingOf(key))
      if (a === undefined || b === undefined) continue
      if (kind === 'merge' && a.record === b.record) this.split(b, nowAt)
      if (!this.matchAnew(b.record, nowAt)) left++
    }
    // Splits first: what is apart by then stands in the way of no merge.
    const pairs = decisions.filter(isPair).toSorted((a, b) => Number(a.kind === 'merge') - Number(b.kind === 'merge'))
    for (const decision of pairs) {
      const [a, b] = decision.keys.map((key) => catalogue.sightingOf(key))
      if (a === undefined || b === undefined || a.record.sportNumber !== b.record.sportNumber) continue
      const isOne = a.record === b.record
      if (catalogue.isApart(a.record, b.key)) {
        if (isOne) this.split(b, nowAt)
        continue
      }
      if (decision.kind !== 'merge') continue
      // One of them may be known as turned against its event already.
      const isTurned = (a.turned !== b.turned) !== decision.turned
      if (isOne && isTurned) this.split(b, nowAt)
      // Who is left without a book is forgotten; the decision holds when it is seen again.
      if (catalogue.sightingOf(a.key) !== a || catalogue.sightingOf(b.key) !== b) continue
      if (
        a.record !== b.record &&
        !this.merge(b.record, a.record, isOne ? decision.turned !== a.turned : isTurned, nowAt)
      )
        left++
    }
    const aliases: readonly Alias[] = decisions.filter((decision) => decision.kind === 'alias')
    for (const record of catalogue.setAliases(aliases)) if (!this.matchAnew(record, nowAt)) left++
    return left
  }

  /** Asks the rule again about an event that is there. Returns whether what it says is done. */
  private matchAnew(record: EventRecord, nowAt: number): boolean {
    // It may have been merged a moment ago.
    if (this.board.catalogue.recordOf(record.number) !== record) return true
    const into = this.board.catalogue.matchAnew(record)
    return into === undefined || this.merge(record, into, false, nowAt)
  }

  /** Makes two events one; `from` ends. Returns whether there was room to move its quotes. */
  private merge(from: EventRecord, into: EventRecord, isTurned: boolean, nowAt: number): boolean {
    const { board, recorder } = this
    if (board.roomLeft < quotesOf(board, from)) return false
    recorder.onBeforeChange?.(from)
    recorder.onBeforeChange?.(into)
    recorder.tellEvent(from, from.event, into.event.id, nowAt)
    for (const book of [...from.books]) recorder.moveBook(book, into, isTurned, nowAt)
    board.catalogue.moveSightings(from, into, isTurned)
    board.catalogue.removeEvent(from, into)
    return true
  }

  /** Gives a source's event a place of its own, with the books that the source was the last to speak of. */
  private split(known: KnownSighting, nowAt: number): void {
    const { board, recorder } = this
    const { catalogue } = board
    const { record: from, turned } = known
    recorder.onBeforeChange?.(from)
    const own = from.books.filter((book) => catalogue.books.sighting[book] === known.number)
    const into = catalogue.splitOff(known)
    for (const book of own) recorder.moveBook(book, into, turned, nowAt)
    for (const record of [from, into]) if (record.books.length === 0) catalogue.removeEvent(record)
  }
}

const quotesOf = ({ catalogue, quotes }: Board, { books }: EventRecord): number => {
  let count = 0
  for (const book of books) for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.next[slot]!) count++
  return count
}
