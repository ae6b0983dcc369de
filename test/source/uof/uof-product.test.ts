// When a product of the feed is believed, and when it is asked for a recovery.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { Product, type ProductLimits } from '../../../src/source/uof/uof-product.ts'
import type { ApiFault } from '../../../src/source/uof/sports-api.ts'

const LIMITS: ProductLimits = {
  aliveMsMax: 1_000,
  gapMsMax: 20,
  recoveryMsMax: 60_000,
  afterMsMax: 60_000,
  pauseMsMin: 1,
  pauseMsMax: 4,
}

const products: Product[] = []

afterEach(() => {
  for (const product of products.splice(0)) product.stop()
})

/** A product with all that it does, and a clock that stands. */
const watched = (limits: Partial<ProductLimits> = {}) => {
  const clock = { now: 10_000 }
  const asked: { readonly id: number; readonly afterAt: number | null }[] = []
  const told: string[] = []
  const answers: (ApiFault | Error)[] = []
  let doubts = 0
  let wake = (): void => {}
  const product = new Product({
    id: 1,
    name: 'liveodds',
    limits: { ...LIMITS, ...limits },
    now: () => clock.now,
    chance: () => 0.5,
    log: (level, message) => {
      told.push(`${level} ${message}`)
      wake()
    },
    nextRequestId: () => asked.length + 1,
    ask: (id, afterAt) => {
      asked.push({ id, afterAt })
      wake()
      const answer = answers.shift()
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
    onSuspect: () => {
      doubts++
      wake()
    },
    onAll: () => told.push('all'),
  })
  products.push(product)
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      wake = () => {
        if (isSo()) resolve()
      }
      wake()
    })
  const alive = (isSubscribed = true): void => product.onAlive(clock.now, isSubscribed)
  const complete = () => product.onSnapshotComplete(asked.at(-1)!.id)
  /** Up, and seen alive since. */
  const bringUp = (): void => {
    product.onOpen()
    alive()
    complete()
    alive()
  }
  return { product, clock, asked, told, answers, until, alive, complete, bringUp, doubts: () => doubts }
}

test('a connection that is back at once: a recovery without waiting for alive, and nobody is troubled', () => {
  const { product, clock, asked, told, bringUp, complete, doubts } = watched({ gapMsMax: 60_000 })
  bringUp()
  const before = doubts()
  clock.now += 600
  product.onBroken()
  assert.deepEqual([product.state, product.isWhole], ['up', false])
  product.onOpen()
  assert.deepEqual(asked.at(-1), { id: 2, afterAt: 10_000 })
  assert.equal(complete(), 'changes')
  assert.equal(product.isWhole, true)
  assert.equal(doubts(), before)
  assert.ok(!told.join().includes('warn'))
})

test('a gap that is not closed soon: what was said is in doubt until the recovery is complete', async () => {
  const { product, clock, asked, told, bringUp, complete, until, doubts } = watched()
  bringUp()
  const before = doubts()
  clock.now += 600
  product.onBroken()
  product.onOpen()
  await until(() => doubts() === before + 1)
  assert.equal(product.state, 'down')
  assert.ok(told.includes('warn product liveodds is down: the connection broke; its quotes are suspended'))
  assert.equal(asked.length, 2, 'the recovery goes on')
  assert.equal(complete(), 'changes')
  assert.equal(product.isWhole, true)
})

test('a connection that stays away: in doubt before the silence is over', async () => {
  const { product, bringUp, until, doubts } = watched()
  bringUp()
  const before = doubts()
  product.onBroken()
  product.onBroken()
  await until(() => doubts() === before + 1)
  assert.equal(product.state, 'down')
})

test('a recovery that is refused after a gap: in doubt at once; one that nothing was lost before changes nothing', async () => {
  const { product, clock, answers, told, bringUp, complete, until, doubts } = watched({ gapMsMax: 60_000 })
  bringUp()
  const before = doubts()
  const refused: ApiFault = { fault: 'forbidden', isFinal: false }
  answers.push(refused)
  assert.match((await product.refresh()) ?? '', /forbidden/)
  assert.deepEqual([product.state, doubts()], ['up', before])
  complete()
  clock.now += 600
  answers.push(refused, refused)
  product.onBroken()
  product.onOpen()
  await until(() => doubts() === before + 1)
  assert.equal(product.state, 'down')
  await until(() => answers.length === 0)
  complete()
  assert.equal(product.state, 'up')
  assert.match(told.join('\n'), /is down: messages were lost, and no recovery restored them/)
})

test('a connection that breaks again and again asks for no recovery each time, and the grace goes on', async () => {
  const { product, clock, asked, alive, bringUp, until, doubts } = watched()
  bringUp()
  const before = doubts()
  for (let time = 0; time < 3; time++) {
    clock.now += 300
    product.onBroken()
    product.onOpen()
  }
  assert.equal(asked.length, 2)
  await until(() => doubts() === before + 1)
  alive()
  assert.deepEqual(asked.at(-1), { id: 3, afterAt: 10_000 })
})

test('nothing is asked for while there is no connection; of a product that is down alive begins it', async () => {
  const { product, clock, asked, alive, bringUp } = watched()
  bringUp()
  clock.now += 600
  product.onBroken()
  // It had come before.
  alive()
  assert.equal(asked.length, 1)
  assert.match((await product.refresh()) ?? '', /the connection broke/)
  product.onDown()
  product.onOpen()
  assert.equal(asked.length, 1)
  alive()
  assert.equal(asked.length, 2)
})

test('what it says during a recovery is in doubt, too, when the connection breaks', () => {
  const { product, alive, doubts } = watched()
  product.onOpen()
  alive()
  const before = doubts()
  product.onBroken()
  assert.equal(doubts(), before, 'it has said nothing')
  product.onOpen()
  alive()
  product.stated()
  product.onBroken()
  assert.equal(doubts(), before + 2, 'a recovery of all, and what it said')
})

test('a recovery of all it has, of one that is up: it is down until it has listed it', () => {
  const { product, clock, asked, bringUp, complete } = watched({ afterMsMax: 100, gapMsMax: 60_000 })
  bringUp()
  clock.now += 600
  product.onBroken()
  product.onOpen()
  assert.equal(asked.at(-1)!.afterAt, null)
  assert.equal(product.state, 'down')
  assert.equal(complete(), 'all')
  assert.equal(product.state, 'up')
})
