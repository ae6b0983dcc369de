// Turns and a log that writes later: nothing is seen before it is written.

import assert from 'node:assert/strict'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { test } from 'node:test'
import { NO_PRODUCER } from '../../src/domain/feed-source.ts'
import type { Input, Settled, Turn } from '../../src/domain/input.ts'
import { Engine } from '../../src/engine/engine.ts'
import { type TurnLog, Turns } from '../../src/engine/turns.ts'

const T0 = 1_790_000_000_000
const LIMITS = {
  turnInputsMax: 2,
  turnPricesMax: 100,
  turnsWaitingMax: 4,
  turnBusyMs: 1,
  turnsMsMax: 1,
  walkEveryMs: 0,
}

/** A log that writes when it is told to, and holds up to `max` turns until then. */
class SlowLog {
  readonly appended: Turn[] = []
  private readonly waiting: (() => void)[] = []
  private readonly listeners: (() => void)[] = []
  private readonly max: number

  constructor(max: number) {
    this.max = max
  }

  get isFull(): boolean {
    return this.waiting.length >= this.max
  }

  onRoom(listener: () => void): void {
    this.listeners.push(listener)
  }

  append(turn: Turn, written: (turn: Turn) => void): void {
    if (turn.inputs.some((input) => input.kind === 'bookmakers')) throw new RangeError('a turn of 33 MB')
    this.appended.push(turn)
    this.waiting.push(() => written(turn))
  }

  write(count = this.waiting.length): void {
    for (const written of this.waiting.splice(0, count)) written()
    for (const listener of this.listeners) listener()
  }
}

const observe = (odds: number, observedAt = T0): Input => ({
  kind: 'observe',
  observation: {
    ...{ bookmaker: 'a', transport: 'both', observedAt, others: 'keep' },
    event: {
      ...{ sport: 'golf', leagueKey: 'l', leagueName: 'L', home: 'Open', away: '', kickoffAt: T0 },
      sourceKey: 's:1',
    },
    prices: [{ type: 'outright', line: null, outcome: 'x', odds, status: 'open' }],
  },
  producer: NO_PRODUCER,
  doubt: undefined,
})

/** @param tookMs how long each turn takes to be published */
const newWorld = (logMax = 8, tookMs = 0) => newWorldOf(new SlowLog(logMax), tookMs)

const newWorldOf = <Kind extends TurnLog>(log: Kind, tookMs: number) => {
  const engine = new Engine({ quotesMax: 100, skewMsMax: 5_000, bookmakersMax: 9, wheelVisitsMax: 1_000 }, T0)
  const clock = { nowAt: T0 }
  let elapsedMs = 0
  const turns = new Turns(
    engine,
    LIMITS,
    () => clock.nowAt,
    log,
    () => elapsedMs,
  )
  const happened: string[] = []
  engine.onTurn(({ length }) => {
    happened.push(`${length} changes`)
    elapsedMs += tookMs
  })
  const settled =
    (name: string): Settled =>
    (refusal) =>
      happened.push(`${name} ${refusal?.refused ?? 'ok'}`)
  const room = { count: 0 }
  turns.onRoom(() => room.count++)
  const published = (): number => happened.filter((line) => line.endsWith(' changes')).length
  return { engine, log, clock, turns, happened, published, settled, room }
}

test('a turn is published and settled when it is written, and not before', async () => {
  const { engine, log, turns, happened, settled } = newWorld()
  turns.add(observe(2), settled('one'))
  turns.settle(() => happened.push('settled'))
  await nextIteration()
  assert.deepEqual([log.appended.length, happened, engine.seq], [1, [], 0])
  log.write()
  // One for each transport, and one for the event.
  assert.deepEqual(happened, ['3 changes', 'one ok', 'settled'])
})

test('turns that follow are appended meanwhile, and published in their order', () => {
  const { log, turns, happened, settled } = newWorld()
  for (const odds of [2, 3, 4, 5, 6]) turns.add(observe(odds), settled(`${odds}`))
  // Two inputs are a turn.
  assert.deepEqual([log.appended.length, happened], [2, []])
  turns.end()
  log.write(1)
  assert.deepEqual(happened, ['5 changes', '2 ok', '3 ok'])
  log.write()
  assert.deepEqual(happened.slice(3), ['4 changes', '4 ok', '5 ok', '2 changes', '6 ok'])
})

test('while the log is full no turn ends, and all that waits is in the next one', async () => {
  const { log, turns, happened, room } = newWorld(1)
  turns.add(observe(2))
  turns.end()
  assert.equal(turns.isFull, true)
  for (const odds of [3, 4, 5, 6, 7]) turns.add(observe(odds))
  turns.end()
  assert.equal(turns.run(), false)
  await nextIteration()
  assert.equal(log.appended.length, 1)
  assert.equal(room.count, 0)
  log.write()
  assert.equal(room.count, 1)
  await nextIteration()
  assert.equal(log.appended[1]!.inputs.length, 5)
  log.write()
  assert.equal(happened.length, 2)
})

test('times of turns never go back, whatever the clock does', () => {
  const { log, turns, clock } = newWorld()
  const times = [5, 3, 7, 6].map((ms) => {
    clock.nowAt = T0 + ms
    turns.add(observe(2))
    turns.end()
    return log.appended.at(-1)!.at - T0
  })
  assert.deepEqual(times, [5, 5, 7, 7])
})

test('a turn that the log refuses is not applied, and its inputs are refused', () => {
  const { engine, log, turns, happened, settled } = newWorld()
  turns.add({ kind: 'bookmakers', slugs: ['b'] }, settled('one'))
  turns.end()
  turns.settle(() => happened.push('settled'))
  assert.deepEqual(happened, ['one service_unavailable', 'settled'])
  assert.equal(engine.board.bookmakers.find('b'), 0)
  turns.add(observe(2), settled('two'))
  turns.end()
  log.write()
  assert.deepEqual(happened.slice(2), ['3 changes', 'two ok'])
})

test('all inputs so far are settled when the turns before a refused one are published, too', () => {
  const { log, turns, happened, settled } = newWorld()
  for (const odds of [2, 3]) {
    turns.add(observe(odds))
    turns.end()
  }
  turns.settle(() => happened.push('both'))
  turns.add({ kind: 'bookmakers', slugs: ['b'] }, settled('one'))
  turns.settle(() => happened.push('all'))
  assert.deepEqual(happened, ['one service_unavailable'])
  log.write(1)
  assert.deepEqual(happened.slice(1), ['3 changes'])
  log.write(1)
  assert.deepEqual(happened.slice(2), ['2 changes', 'both', 'all'])
})

test('who waits for a turn that ends later is told when the log refuses it', async () => {
  const { log, turns, happened, settled } = newWorld(1)
  turns.add(observe(2))
  turns.end()
  turns.add({ kind: 'bookmakers', slugs: ['b'] }, settled('one'))
  turns.settle(() => happened.push('settled'))
  log.write()
  await nextIteration()
  assert.deepEqual(happened, ['3 changes', 'one service_unavailable', 'settled'])
})

test('turns that a listener ends have no time of their own', async () => {
  // Written at once, as the log does with a turn that waits for no other.
  const log = { append: (turn: Turn, written: (turn: Turn) => void) => written(turn), isFull: false, onRoom: () => {} }
  const { turns, published } = newWorldOf(log, LIMITS.turnsMsMax)
  let left = 5
  turns.onEnded(() => {
    if (left-- <= 0) return
    turns.add(observe(3 + left))
    turns.end()
  })
  turns.add(observe(2))
  turns.end()
  assert.equal(published(), 1)
  await nextIteration()
  await nextIteration()
  assert.equal(published(), 2)
})

test('an iteration without inputs appends nothing, unless something is due', () => {
  const { log, turns, clock, engine } = newWorld()
  turns.add(observe(2))
  turns.end()
  log.write()
  while (engine.isDue(clock.nowAt)) {
    turns.run()
    log.write()
  }
  const before = log.appended.length
  for (let n = 0; n < 10; n++) turns.run()
  assert.equal(log.appended.length, before)
  clock.nowAt += 24 * 3_600_000
  for (let n = 0; n < 2_000 && engine.board.counts[0] > 0; n++) {
    turns.run()
    log.write()
  }
  assert.deepEqual(engine.board.counts, [0, 0])
  assert(log.appended.length > before, 'what has changed the board is in the log')
})

test('after a slow write the turns are published in parts, and nothing more is read until they are', async () => {
  const { log, turns, room } = newWorld(99, LIMITS.turnsMsMax / 2)
  const published: number[] = []
  for (let n = 1; n <= 8; n++) {
    turns.add(observe(2 + n / 10, T0 + n), () => published.push(n))
    turns.end()
  }
  log.write()
  room.count = 0
  assert.deepEqual([published, turns.isFull], [[1, 2], true], 'their time is used up, six turns wait')
  await nextIteration()
  // The sockets may have been looked at before the write was noticed, in the iteration that this one ends.
  assert.equal(published.length, 2)
  await nextIteration()
  assert.deepEqual([published.length, turns.isFull, room.count], [4, true, 0])
  await nextIteration()
  await nextIteration()
  assert.deepEqual([published.length, turns.isFull, room.count], [6, false, 1])
  await nextIteration()
  await nextIteration()
  assert.deepEqual(published, [1, 2, 3, 4, 5, 6, 7, 8])
})

test('a turn that takes longer than its time is followed by a look at the sockets, also where it was alone', async () => {
  const { log, turns } = newWorld(8, 3 * LIMITS.turnsMsMax)
  const published: number[] = []
  for (const n of [1, 2]) {
    turns.add(observe(2 + n / 10, T0 + n), () => published.push(n))
    turns.end()
    log.write()
  }
  assert.deepEqual([published, turns.isFull], [[1], false])
  await nextIteration()
  await nextIteration()
  assert.deepEqual(published, [1, 2])
})

test('a turn that would not end in time, by what the last one has taken, waits for the next look at the sockets', async () => {
  const { log, turns } = newWorld(8, 0.4 * LIMITS.turnsMsMax)
  const published: number[] = []
  let added = 0
  for (const inputs of [1, 1, 2, 1]) {
    for (let n = 0; n < inputs; n++) turns.add(observe(2 + ++added / 10, T0 + added), () => published.push(inputs))
    turns.end()
  }
  log.write()
  assert.deepEqual(published, [1, 1], 'the third has as many prices again')
  await nextIteration()
  await nextIteration()
  assert.deepEqual(published, [1, 1, 2, 2, 1])
})

test('turns have as much more time as customers had', () => {
  const { log, turns } = newWorld(8, LIMITS.turnsMsMax)
  turns.customersMs = () => 2 * LIMITS.turnsMsMax
  const published: number[] = []
  for (const n of [1, 2, 3, 4]) {
    turns.add(observe(2 + n / 10, T0 + n), () => published.push(n))
    turns.end()
  }
  log.write()
  assert.deepEqual(published, [1, 2, 3])
})

test('nothing is settled, and no other turn is applied, before the store has made an accepted change', async () => {
  const { log, turns, happened, settled, room } = newWorld()
  const change = (proposal: string, expects: string): Input => ({
    ...{ kind: 'store', proposal, expects, after: expects, version: 1 },
    ...{ statements: [], decisions: null, bookmakers: ['b'], organizations: [] },
  })
  let resolve = (): void => {}
  const promise = new Promise<void>((made) => {
    resolve = made
  })
  turns.onStore = ({ proposal }) => {
    happened.push(`store ${proposal}`)
    return promise
  }
  turns.add(change('p1', ''), settled('p1'))
  turns.add(observe(2), settled('one'))
  turns.add(change('p2', ''), settled('p2'))
  turns.end()
  log.write()
  turns.add(observe(3), settled('two'))
  turns.settle(() => happened.push('published'))
  await nextIteration()
  log.write()
  assert.deepEqual(happened, ['3 changes', 'store p1'])
  assert(turns.isFull && !turns.run())
  const rooms = room.count
  resolve()
  await nextIteration()
  // Own turns that were gathered meanwhile follow.
  while (!happened.includes('published')) {
    log.write()
    await nextIteration()
  }
  assert.deepEqual(happened, [
    ...['3 changes', 'store p1', 'p1 ok', 'one ok'],
    ...['p2 service_unavailable', '2 changes', 'two ok', 'published'],
  ])
  assert(!turns.isFull && room.count > rooms)
})
