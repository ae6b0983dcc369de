// The whole board, checked: throws where columns, chains, index, wheel, bit sets, maps and counts contradict each other.
// It visits every quote, so that it is for tests only; what production asserts is next to the code.

import assert from 'node:assert/strict'
import { NOBODY } from '../../src/board/producers.ts'
import type { Board } from '../../src/board/board.ts'
import type { EventRecord } from '../../src/board/event-record.ts'
import type { DeadlineOf, Wheel } from '../../src/board/wheel.ts'
import { FRESHNESS_MS, QUOTE_STATUS } from '../../src/domain/quote.ts'
import type { TransportNumber } from '../../src/domain/transport.ts'
import type { Engine } from '../../src/engine/engine.ts'

export const checkInvariants = ({ board, sightings, lastTurnAt }: Engine): void => {
  const listed = checkCatalogue(board)
  checkQuotes(board, lastTurnAt)
  checkProducers(board)
  checkShared(board)
  let endings = 0
  for (const [record, apart] of board.endings['apart']) {
    const isThere = board.catalogue.recordOf(record.number) === record
    assert(isThere && apart.size > 0, `statements about event ${record.event.id} are left`)
    endings += apart.size
  }
  assert.equal(board.capacity.endings.held, endings)
  const known = listed.flatMap((record) => record.sightings)
  for (const each of known) {
    assert.equal(sightings.find(each.key), each)
    assert.equal(board.catalogue.recordOf(each.record.number), each.record, `the event of ${each.key} is gone`)
    assert(each.record.sightings.includes(each), `${each.key} is not a sighting of its event`)
  }
  assert.equal(sightings['bySourceKey'].size, known.length)
  assert.equal(board.capacity.sourceIds.held, known.length)
}

/**
 * Checks that each block is in one bucket, and that no slot is due before its block.
 * @param passTo up to this time the wheel has begun to move. Behind by more than a revolution it jumps; the buckets that it has
 * jumped over are visited last, in the one pass that is left, and until then it is not quiet
 * @returns the slots that are not free
 */
export const slotsOf = (wheel: Wheel, deadlineOf: DeadlineOf, passTo: number): Set<number> => {
  const filed = new Map<number, number>()
  for (const [bucket, head] of wheel['heads'].entries()) {
    let before = 0
    for (let block = head; block !== 0; block = wheel['next'][block]!) {
      assert(!filed.has(block), `block ${block} is in the wheel twice`)
      assert.equal(wheel['buckets'][block], bucket + 1)
      assert.equal(wheel['previous'][block], before)
      filed.set(block, bucket)
      before = block
    }
  }
  const seen = new Set<number>()
  for (let slot = 0; slot < wheel['slotsEnd']; slot++) {
    const dueAt = deadlineOf(slot, slot + 1)
    if (dueAt === Number.POSITIVE_INFINITY) continue
    seen.add(slot)
    const bucket = filed.get((slot >>> 4) + 1)
    assert(bucket !== undefined, `slot ${slot} is not in the wheel`)
    assert(dueAt >= wheel.quietUntil, `slot ${slot} is due while all is quiet`)
    if (bucket === wheel['heads'].length - 1)
      assert(wheel['keptDueAt'] <= dueAt, `slot ${slot} is due before its block`)
    else {
      const ahead = Math.floor(Math.max(dueAt, passTo) / 100) - wheel['tick']
      assert(wheel['aheadOf'](bucket) <= Math.max(ahead, 0), `slot ${slot} is due before its block`)
    }
  }
  return seen
}

/** The slots of a board in its wheel, which is checked; see {@link slotsOf}. */
export const slotsInUse = (board: Board, passTo: number): Set<number> =>
  slotsOf(board['wheel'], (from, end) => board.quotes.firstObservedAt(from, end) + FRESHNESS_MS, passTo)

/** Checks events, markets and books; returns the events in the order of lists. */
export const checkCatalogue = ({ catalogue, bookmakers, capacity }: Board): EventRecord[] => {
  const { names, lists, books, markets } = catalogue
  const listed: EventRecord[] = []
  lists.visit(undefined, undefined, Number.NEGATIVE_INFINITY, (record) => listed.push(record) > 0)
  assert.equal(listed.length, lists.size)
  let ids = 0
  const identities = new Set<string>()
  let marketCount = 0
  let bookCount = 0
  const events = new Map<number, number>()
  for (const record of listed) {
    const { event, formerIds, identity, formerIdentities } = record
    assert.equal(catalogue.recordOf(record.number), record)
    for (const id of [event.id, ...formerIds]) assert.equal(names.eventOf(id), record)
    for (const each of [identity, ...formerIdentities]) identities.add(each)
    assert.equal(names['ownerOf'](identity), record)
    ids += 1 + formerIds.length
    const recordBooks = catalogue.booksOf(record)
    assert(recordBooks.length > 0, `event ${event.id} has no book`)
    for (const market of catalogue.marketsOf(record)) {
      assert.equal(markets.event[market], record.number)
      assert(markets.quotes[market]! > 0, `market ${market} has no quote`)
      assert.equal(catalogue.findMarket(record, markets.type[market]!, markets.line[market]!), market)
      marketCount++
    }
    for (const book of recordBooks) {
      assert.equal(books.event[book], record.number)
      assert(books.head[book] !== 0, `book ${book} has no quote`)
      bookCount++
    }
    for (const bookmaker of new Set(recordBooks.map((book) => books.bookmaker[book]!))) {
      events.set(bookmaker, (events.get(bookmaker) ?? 0) + 1)
    }
  }
  assert.equal(names['byId'].size, ids)
  assert.equal(names['byIdentity'].size, identities.size)
  for (let market = catalogue['freeMarket']; market !== 0; market = markets.quotes[market]!) marketCount++
  assert.equal(marketCount, catalogue['marketsUsed'])
  for (let book = catalogue['freeBook']; book !== 0; book = books.head[book]!) bookCount++
  assert.equal(bookCount, catalogue['booksUsed'])
  assert.equal(capacity.events.held, listed.length)
  for (let bookmaker = 1; bookmaker <= bookmakers.size; bookmaker++) {
    assert.equal(capacity.events.ownOf(bookmaker), events.get(bookmaker) ?? 0, `events of bookmaker ${bookmaker}`)
  }
  return listed
}

const checkQuotes = (board: Board, passTo: number): void => {
  const { quotes, catalogue, capacity } = board
  const { books, markets } = catalogue
  const inWheel = slotsInUse(board, passTo)
  const counts = [0, 0]
  const perMarket = new Map<number, number>()
  const perOutcome = new Map<number, number>()
  const perBook = new Map<number, number>()
  const openBits = new Map<string, boolean>()
  const held = new Map<number, number>()
  const add = (sums: Map<number, number>, number: number): unknown => sums.set(number, (sums.get(number) ?? 0) + 1)
  let used = 0
  for (let slot = 1; slot <= board['slotsUsed']; slot++) {
    const market = quotes.marketOf(slot)
    if (quotes.statusOf(slot) === 0) {
      // Removed early: the slot counts as its bookmaker's until it is due.
      if (inWheel.has(slot)) add(held, market)
      continue
    }
    used++
    const book = quotes.bookOf(slot)
    const bookmaker = books.bookmaker[book]!
    const outcome = quotes.outcomeOf(slot)
    const transport = books.transport[book]!
    assert.equal(board.find(market, outcome, book), slot, `slot ${slot} is not in the index`)
    assert(inWheel.has(slot), `slot ${slot} is not in the wheel`)
    assert.equal(markets.event[market], books.event[book], `slot ${slot} is in two events`)
    counts[transport]!++
    add(held, bookmaker)
    add(perMarket, market)
    add(perOutcome, outcome)
    add(perBook, book)
    const bit = `${market} ${transport} ${bookmaker}`
    openBits.set(bit, (openBits.get(bit) ?? false) || quotes.statusOf(slot) === QUOTE_STATUS.open)
  }
  assert.equal(inWheel.size, used + board['leaving'], 'the wheel holds a free slot')
  assert.deepEqual(counts, [...board.counts])
  let free = 0
  for (let slot = board['freeSlot']; slot !== 0; slot = quotes.nextOf(slot)) free++
  assert.equal(used + free + board['leaving'], board['slotsUsed'])
  assert.equal(capacity.quotes.held, used + board['leaving'])
  for (let bookmaker = 1; bookmaker <= board.bookmakers.size; bookmaker++) {
    assert.equal(capacity.quotes.ownOf(bookmaker), held.get(bookmaker) ?? 0, `quotes of bookmaker ${bookmaker}`)
  }
  assert.equal(capacity.labels.held, board.outcomes.size)
  for (const [market, count] of perMarket) assert.equal(markets.quotes[market], count)
  for (const [outcome, count] of perOutcome) assert.equal(board.outcomes['uses'][outcome], count)
  assert.equal(board.outcomes.size, perOutcome.size)
  for (const [book, count] of perBook) {
    let chained = 0
    for (let slot = books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
      assert.equal(quotes.bookOf(slot), book)
      const after = quotes.nextOf(slot)
      assert(after === 0 || quotes.previousOf(after) === slot, `slot ${slot} is not before ${after}`)
      chained++
    }
    assert.equal(chained, count, `book ${book} has another number of quotes in its chain`)
    assert.equal(books.quotes[book], count, `book ${book} counts another number of quotes`)
    assert(count <= board.longestBook)
  }
  for (const [bit, isOpen] of openBits) {
    const [market, transport, bookmaker] = bit.split(' ').map(Number)
    assert.equal(catalogue.open.has(market!, transport as TransportNumber, bookmaker!), isOpen, `open bit of ${bit}`)
  }
}

/** Queues and columns of producers. */
const checkProducers = ({ catalogue: { books }, producers }: Board): void => {
  for (const producer of producers['byNumber'].values()) {
    let previous = 0
    for (let book = producer.first; book !== 0; book = books.after[book]!) {
      assert.equal(books.producer[book], producer.number, `book ${book} is in the queue of ${producer.name}`)
      assert.equal(books.before[book], previous)
      assert(previous === 0 || books.done[previous]! <= books.done[book]!)
      assert(books.head[book] !== 0, `the empty book ${book} is in a queue`)
      previous = book
    }
    assert.equal(producer.last, previous)
    assert.equal(producers.get(producer.number), producer)
    assert(producer.source !== NOBODY)
  }
}

/** Books that several producers or sightings feed: all their quotes are known, and no others. */
const checkShared = ({ catalogue: { books }, origins, producers, quotes }: Board): void => {
  for (const [book, { own, shares }] of origins['shared']) {
    let count = 0
    const held = new Map<number, number>()
    for (let slot = books.head[book]!; slot !== 0; slot = quotes.nextOf(slot), count++) {
      const producer = own.get(slot)?.producer
      assert(producer !== undefined, `quote ${slot} of the shared book ${book} has no origin`)
      if (producer !== NOBODY) held.set(producer, (held.get(producer) ?? 0) + 1)
    }
    assert.equal(own.size, count, `the shared book ${book} remembers quotes that it has not`)
    for (const [number, quotesHeld] of held) {
      assert.equal(shares.get(number)?.quotes, quotesHeld, `producer ${number} has another share of book ${book}`)
      assert(producers.get(number).shared.has(book), `producer ${number} does not know book ${book}`)
    }
    assert.equal(shares.size, held.size, `book ${book} is shared with a producer that has no quote`)
  }
}
