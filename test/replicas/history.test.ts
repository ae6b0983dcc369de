// The history notices what must not be: each of its checks is tried with what it is there for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Violations } from '../faults/fault.ts'
import { oddsOf } from '../faults/record.ts'
import type { ServerFrame } from '../stomp/strict-frames.ts'
import { History } from './history.ts'

const frame = (id: string, bookmaker: string, number: number, status = 'open'): ServerFrame => ({
  command: 'MESSAGE',
  headers: new Map([
    ['message-id', id],
    ['destination', `/topic/odds.football.${bookmaker}.7`],
  ]),
  body: Buffer.from(JSON.stringify({ seq: id, eventId: '7', bookmaker, quotes: [{ odds: oddsOf(number), status }] })),
  isBinary: false,
})

const begin = () => {
  const violations = new Violations()
  const history = new History(['a', 'b'], 1, violations)
  for (const [book] of history.books) book!.sent = 100
  history.sawSnapshot('e1', 10)
  return { history, violations, book: history.books[0]![0]! }
}

test('what is right is not objected to', () => {
  const { history, violations, book } = begin()
  for (const who of ['x', 'y']) history.sawMessage(who, frame('e1-11', 'a', 1))
  history.sawMessage('x', frame('e1-12', 'b', 2))
  history.confirmed(book, 1)
  for (const process of ['A', 'B']) {
    history.sawRest(
      process,
      0,
      'e1-12',
      'same',
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
    )
    history.checkBoard(
      process,
      0,
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
    )
  }
  history.compare()
  history.checkReceipts()
  assert.equal(history.compared, 2)
  assert.deepEqual(violations.lines, [])
})

test('what is confirmed once more may be in a snapshot already; what is after the snapshot is not', () => {
  const { history, violations, book } = begin()
  history.sawInSnapshot(frame('e2-20.1', 'a', 3))
  history.sawSnapshot('e2', 20)
  for (const number of [2, 3]) history.confirmed(book, number)
  assert(history.isSeen)
  history.confirmed(book, 4)
  assert(!history.isSeen)
  history.checkReceipts()
  assert.equal(violations.lines.length, 1)
})

test('a seq with other bytes is noticed, and a price that goes back', () => {
  const { history, violations } = begin()
  history.sawMessage('x', frame('e1-11', 'a', 3))
  history.sawMessage('y', frame('e1-11', 'a', 4))
  history.sawMessage('x', frame('e1-12', 'a', 2))
  assert.match(violations.lines[0]!, /e1-11 has other bytes/)
  assert.match(violations.lines[1]!, /goes from 3/)
  assert.equal(violations.count, 2)
  // Another epoch has seqs of its own.
  history.sawMessage('y', frame('e2-11', 'a', 4))
  assert.equal(violations.count, 2)
})

test('answers of REST that differ are noticed, from each other and from the stream', () => {
  const { history, violations } = begin()
  history.sawMessage('x', frame('e1-11', 'a', 1))
  history.sawMessage('x', frame('e1-12', 'b', 2))
  const shown = new Map([
    ['a', 1],
    ['b', 2],
  ])
  history.sawRest('A', 0, 'e1-12', 'one', shown)
  history.sawRest('B', 0, 'e1-12', 'other', shown)
  history.sawRest('B', 0, 'e1-12', 'one', new Map([['a', 1]]))
  // Beyond the stream: later.
  history.sawRest('B', 0, 'e1-13', 'more', shown)
  history.compare()
  assert.match(violations.lines[0]!, /event 0 after e1-12: A .* one and B .* other/)
  assert.match(violations.lines[1]!, /REST shows undefined of b\/0 at e1-12, the stream says 2/)
  assert.equal(violations.count, 2)
})

test('what was confirmed and is nowhere is noticed', () => {
  const { history, violations, book } = begin()
  history.confirmed(book, 5)
  history.checkReceipts()
  history.checkBoard('A', 0, new Map([['a', 4]]))
  assert.match(violations.lines[0]!, /5 confirmed, and never in the stream/)
  assert.match(violations.lines[1]!, /shows 4, 5 was confirmed/)
})
