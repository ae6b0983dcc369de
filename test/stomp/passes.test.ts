// Scheduling of sessions: shares, passes, and that no worker is forgotten.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Passes, type Worker } from '../../src/stomp/passes.ts'
import { Random, SEED } from '../random.ts'

/** Work of so many pieces, each of which lasts a while on the clock of the test. */
class Pieces implements Worker {
  readonly name: string
  readonly isFeed: boolean
  left: number
  private readonly bench: Bench
  private readonly pieceMs: number

  constructor(bench: Bench, name: string, left: number, pieceMs = 0.25, isFeed = false) {
    this.bench = bench
    this.isFeed = isFeed
    this.name = name
    this.left = left
    this.pieceMs = pieceMs
  }

  work(isOver: () => boolean): boolean {
    this.bench.served.push(this.name)
    do {
      this.bench.atMs += this.pieceMs
      this.left--
    } while (this.left > 0 && !isOver())
    return this.left > 0
  }
}

class Bench {
  atMs = 0
  readonly served: string[] = []
  readonly passes: Passes

  constructor() {
    this.passes = new Passes({ shareMsMax: 1, passMsMax: 3 }, () => this.atMs)
  }
}

const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a worker is served at once for its share, and for one share a pass after that', async () => {
  const bench = new Bench()
  const worker = new Pieces(bench, 'a', 10)
  bench.passes.serve(worker)
  assert.equal(worker.left, 6)
  assert.equal(bench.passes.counts.deferred, 1)
  await nextPass()
  assert.equal(worker.left, 2)
  await nextPass()
  assert.equal(worker.left, 0)
  assert.equal(bench.passes.waiting, 0)
})

test('all together get no more than the time of a pass; the others wait for the next one, in their order', async () => {
  const bench = new Bench()
  const workers = Array.from({ length: 7 }, (_, n) => new Pieces(bench, `w${n}`, 4))
  for (const worker of workers) bench.passes.serve(worker)
  assert.deepEqual(bench.served, ['w0', 'w1', 'w2'])
  assert.equal(bench.passes.waiting, 4)
  await nextPass()
  assert.deepEqual(bench.served.slice(3), [], 'what was served at once is of the time of this pass')
  await nextPass()
  assert.deepEqual(bench.served.slice(3), ['w3', 'w4', 'w5'])
  await nextPass()
  assert.deepEqual(bench.served.slice(6), ['w6'])
  assert(workers.every(({ left }) => left === 0))
})

test('a feed does not wait behind customers, and keeps no customer from its time', async () => {
  const bench = new Bench()
  const customers = Array.from({ length: 100 }, (_, n) => new Pieces(bench, `c${n}`, 4))
  for (const customer of customers) bench.passes.serve(customer)
  const feed = new Pieces(bench, 'feed', 10, 0.25, true)
  bench.passes.serve(feed)
  assert.deepEqual(bench.served, ['c0', 'c1', 'c2', 'feed'], 'at once, though the time of customers is spent')
  await nextPass()
  assert.deepEqual(bench.served.slice(4), ['feed'])
  await nextPass()
  assert.deepEqual(bench.served.slice(5), ['feed', 'c3', 'c4', 'c5'])
})

test('it tells how long customers were served in the last pass, at most their time, and not what others took', async () => {
  const bench = new Bench()
  bench.passes.serve(new Pieces(bench, 'feed', 2, 0.25, true))
  bench.passes.serve(new Pieces(bench, 'customer', 2, 0.25))
  bench.passes.askFirst(() => (bench.atMs += 1))
  await nextPass()
  assert.equal(bench.passes.customersMs, 0.5)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) bench.passes.serve(new Pieces(bench, name, 10, 0.75))
  await nextPass()
  assert.equal(bench.passes.customersMs, 3)
  bench.passes.serve(new Pieces(bench, 'feed', 1, 0.25, true))
  for (let pass = 0; pass < 100; pass++) await nextPass()
  assert.equal(bench.passes.customersMs, 0)
})

test('a worker that comes while others wait is served after them', async () => {
  const bench = new Bench()
  const waiting = Array.from({ length: 4 }, (_, n) => new Pieces(bench, `w${n}`, 1))
  for (const worker of waiting) bench.passes.ask(worker)
  bench.passes.serve(new Pieces(bench, 'late', 1))
  assert.deepEqual(bench.served, [])
  await nextPass()
  assert.deepEqual(bench.served, ['w0', 'w1', 'w2', 'w3', 'late'])
})

test('a worker that asks again while others wait is served after them', async () => {
  const bench = new Bench()
  const greedy = new Pieces(bench, 'greedy', 1_000)
  bench.passes.serve(greedy)
  const others = Array.from({ length: 4 }, (_, n) => new Pieces(bench, `o${n}`, 1))
  for (const other of others) bench.passes.ask(other)
  bench.passes.serve(greedy)
  await nextPass()
  assert.deepEqual(bench.served.slice(0, 6), ['greedy', 'greedy', 'o0', 'o1', 'o2', 'o3'])
})

test('a worker that is forgotten is not served', async () => {
  const bench = new Bench()
  const worker = new Pieces(bench, 'a', 10)
  bench.passes.ask(worker)
  bench.passes.forget(worker)
  await nextPass()
  assert.deepEqual(bench.served, [])
})

test('any work is done in the end, and no pass serves a worker twice', async () => {
  const random = new Random(SEED)
  const bench = new Bench()
  const workers = Array.from({ length: 200 }, (_, n) => new Pieces(bench, `w${n}`, random.int(1, 40), random.next()))
  for (const worker of workers) {
    if (random.chance(0.5)) bench.passes.serve(worker)
    else bench.passes.ask(worker)
    if (random.chance(0.05)) await nextPass()
  }
  for (let pass = 0; bench.passes.waiting > 0; pass++) {
    assert(pass < 20_000, `seed ${SEED}: never done`)
    const before = bench.served.length
    const startedAt = bench.atMs
    await nextPass()
    const served = bench.served.slice(before)
    assert.equal(new Set(served).size, served.length, `seed ${SEED}: twice in a pass`)
    // The last of them may begin just before the end, and each finishes the piece at which it is.
    assert(bench.atMs - startedAt <= 3 + 1 + 2, `seed ${SEED}: a pass of ${bench.atMs - startedAt} ms`)
  }
  assert(
    workers.every(({ left }) => left <= 0),
    `seed ${SEED}`,
  )
})

test('what cannot be interrupted begins the next pass, once, and its time is that of the others', async () => {
  const bench = new Bench()
  const workers = Array.from({ length: 5 }, (_, n) => new Pieces(bench, `w${n}`, 4))
  for (const worker of workers) bench.passes.ask(worker)
  bench.passes.askFirst(() => {
    bench.served.push('first')
    bench.atMs += 2.5
  })
  await nextPass()
  // Half a millisecond is left.
  assert.deepEqual(bench.served, ['first', 'w0'])
  await nextPass()
  assert.deepEqual(bench.served.slice(2), ['w1', 'w2', 'w3'])
  await nextPass()
  assert.deepEqual(bench.served.slice(5), ['w4', 'w0'])
  assert(workers.every(({ left }) => left === 0))
})

test('what begins passes does not keep the workers from being served, however often it is asked for', async () => {
  const bench = new Bench()
  const ask = (): void =>
    bench.passes.askFirst(() => {
      bench.served.push('first')
      bench.atMs += 9
    })
  const worker = new Pieces(bench, 'a', 12)
  for (let pass = 0; pass < 4; pass++) {
    ask()
    bench.passes.ask(worker)
    await nextPass()
  }
  assert.deepEqual(bench.served, ['first', 'a', 'first', 'a'])
  await nextPass()
  await nextPass()
  assert.deepEqual(bench.served.slice(4), ['first', 'a'])
  assert.equal(bench.passes.waiting, 0)
})
