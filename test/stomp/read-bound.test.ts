// How much is read in a turn, of all sessions together.

import assert from 'node:assert/strict'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { test } from 'node:test'
import type { Carrier } from '../../src/stomp/carrier.ts'
import { ReadBound, type Reader } from '../../src/stomp/read-bound.ts'

class FakeTurns {
  ended = 0
  isFull = false
  onEnd = (): void => {}
  private readonly listeners: (() => void)[] = []

  end(): void {
    if (this.isFull) return
    this.ended++
    this.onEnd()
  }

  onRoom(listener: () => void): void {
    this.listeners.push(listener)
  }

  makeRoom(): void {
    this.isFull = false
    for (const listener of this.listeners) listener()
  }
}

const LONG = true

const newWorld = () => {
  const turns = new FakeTurns()
  const bound = new ReadBound(turns, 100)
  const happened: string[] = []
  const readerOf = (name: string): Reader & { isConnected: boolean } => ({
    carrier: { pauseReading: () => happened.push(`${name} paused`) } as unknown as Carrier,
    isConnected: true,
    readOn: () => happened.push(`${name} reads`),
  })
  return { turns, bound, happened, readerOf }
}

test('the session that reaches the bound ends the turn, and is paused until the next iteration', async () => {
  const { turns, bound, happened, readerOf } = newWorld()
  const [one, two] = [readerOf('one'), readerOf('two')]
  bound.note(one, 99, false)
  assert.deepEqual([turns.ended, happened], [0, []])
  bound.note(two, 1, false)
  assert.deepEqual([turns.ended, happened, bound.isPaused(two), bound.isPaused(one)], [1, ['two paused'], true, false])
  await nextIteration()
  assert.deepEqual(happened, ['two paused', 'two reads'])
  assert.equal(bound.isPaused(two), false)
})

test('where reading has taken long the turn ends in an iteration of its own', async () => {
  const { turns, bound, happened, readerOf } = newWorld()
  const [one, two] = [readerOf('one'), readerOf('two')]
  bound.note(one, 99, LONG)
  assert.deepEqual([turns.ended, happened], [0, []])
  bound.note(two, 1, LONG)
  assert.deepEqual([turns.ended, happened, bound.isPaused(two), bound.isPaused(one)], [0, ['two paused'], true, false])
  await nextIteration()
  assert.deepEqual([turns.ended, happened], [0, ['two paused']])
  await nextIteration()
  assert.deepEqual([turns.ended, happened], [1, ['two paused', 'two reads']])
  assert.equal(bound.isPaused(two), false)
})

test('a session that sends beyond the bound ends the turn at once', async () => {
  const { turns, bound, happened, readerOf } = newWorld()
  bound.note(readerOf('one'), 100, LONG)
  assert.equal(turns.ended, 0)
  bound.note(readerOf('two'), 1, LONG)
  assert.equal(turns.ended, 1)
  bound.note(readerOf('three'), 99, LONG)
  assert.equal(turns.ended, 1)
  await nextIteration()
  await nextIteration()
  assert.deepEqual(happened, ['one paused', 'two paused', 'one reads', 'two reads'])
})

test('octets count for one turn, whoever ends it', () => {
  const { turns, bound, happened, readerOf } = newWorld()
  const one = readerOf('one')
  bound.note(one, 99, LONG)
  turns.end()
  bound.note(one, 99, LONG)
  assert.deepEqual(happened, [])
  bound.note(one, 1, LONG)
  assert.deepEqual(happened, ['one paused'])
})

test('a session that the end of the turn ends is not paused: its carrier reads to the end', () => {
  const { turns, bound, happened, readerOf } = newWorld()
  const one = readerOf('one')
  turns.onEnd = () => (one.isConnected = false)
  bound.note(one, 100, false)
  assert.deepEqual([happened, bound.isPaused(one)], [[], false])
})

test('a session that has ended is not paused, however long reading has taken', () => {
  const { turns, bound, happened, readerOf } = newWorld()
  const one = readerOf('one')
  one.isConnected = false
  bound.note(one, 100, LONG)
  assert.deepEqual([turns.ended, happened, bound.isPaused(one)], [1, [], false])
})

test('while the log is full all that send are paused, and read on when there is room', async () => {
  const { turns, bound, happened, readerOf } = newWorld()
  turns.isFull = true
  bound.note(readerOf('one'), 100, LONG)
  bound.note(readerOf('two'), 1, LONG)
  await nextIteration()
  assert.deepEqual(happened, ['one paused', 'two paused'])
  turns.makeRoom()
  assert.deepEqual(happened, ['one paused', 'two paused', 'one reads', 'two reads'])
})

test('a session that has ended is forgotten', async () => {
  const { bound, happened, readerOf } = newWorld()
  const one = readerOf('one')
  bound.note(one, 100, LONG)
  bound.forget(one)
  await nextIteration()
  assert.deepEqual(happened, ['one paused'])
})
