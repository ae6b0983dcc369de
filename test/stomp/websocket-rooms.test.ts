// Rooms of WebSockets, which get no more in an iteration of the event loop than the library writes at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { WebSocketRooms } from '../../src/stomp/websocket-rooms.ts'
import { Random, SEED } from '../random.ts'

/** How long frames wait for more, ms (docs/live-protocol.md). */
const HELD_MS_MAX = 2

const GATHERED = { messages: 4, bytes: 1_000 }
const NAMES = ['one', 'two', 'three']

interface Published {
  readonly text: string
  readonly isBinary: boolean
}

/** Rooms, and what was published to them. */
class Publisher {
  readonly published = new Map<string, Published[]>(NAMES.map((name) => [name, []]))
  readonly rooms = new WebSocketRooms(
    {
      publish: (name, message, isBinary) => {
        this.published.get(name)!.push({ text: message.toString(), isBinary })
        return true
      },
    },
    GATHERED,
  )
}

/** A run of frames, in memory that is overwritten when it was published. */
const publish = (rooms: WebSocketRooms, name: string, texts: readonly string[], isBinary: boolean): void => {
  const bytes = Buffer.from(texts.map((text) => `${text}\0\n`).join(''))
  let end = 0
  const ends = texts.map((text) => (end += text.length + 2))
  rooms.publish(name, bytes, ends, isBinary, 0)
  bytes.fill('?')
}

test('each room gets all messages in their order, whatever is published and flushed when', async () => {
  const random = new Random(SEED)
  const { rooms, published } = new Publisher()
  const expected = new Map<string, Published[]>(NAMES.map((name) => [name, []]))
  const isBinary = new Map(NAMES.map((name) => [name, name === 'two']))
  let number = 0
  for (let round = 0; round < 3_000; round++) {
    const about = `seed ${SEED}: round ${round}`
    const name = random.pick(NAMES)
    const texts = Array.from({ length: random.int(1, 10) }, () =>
      `${++number} `.padEnd(random.pick([10, 100, 240, 300, 1_200]), 'x'),
    )
    publish(rooms, name, texts, isBinary.get(name)!)
    for (const text of texts) expected.get(name)!.push({ text: `${text}\0`, isBinary: isBinary.get(name)! })
    if (random.chance(0.2)) {
      rooms.flush()
      for (const each of NAMES) assert.equal(published.get(each)!.length, expected.get(each)!.length, about)
      assert(!rooms.isFull, about)
    }
    if (random.chance(0.5)) await nextIteration()
    for (const each of NAMES) {
      const got = published.get(each)!
      assert.deepEqual(got.slice(-20), expected.get(each)!.slice(0, got.length).slice(-20), about)
    }
  }
  while (rooms.isFull) await nextIteration()
  await nextIteration()
  assert.deepEqual(published, expected, `seed ${SEED}`)
})

test('an iteration publishes what is written at once; less waits for what comes until the next one', async () => {
  const { rooms, published } = new Publisher()
  const got = (): number => published.get('one')!.length
  const texts = (count: number, bytes: number): string[] => Array.from({ length: count }, () => 'x'.repeat(bytes))
  publish(rooms, 'one', texts(10, 50), false)
  assert.deepEqual([got(), rooms.isFull], [4, true])
  await nextIteration()
  assert.deepEqual([got(), rooms.isFull], [8, false])
  // The two that are left, and two of these.
  publish(rooms, 'one', texts(4, 50), false)
  assert.equal(got(), 8)
  await nextIteration()
  assert.deepEqual([got(), rooms.isFull], [12, false])
  await nextIteration()
  assert.equal(got(), 14)
  // By their octets, with two before each: three are 984, and there must be fewer than 1 000.
  await nextIteration()
  await nextIteration()
  publish(rooms, 'one', texts(4, 323), false)
  assert.equal(got(), 17)
  await nextIteration()
  assert.equal(got(), 18)
  // Longer than what is written at once.
  await nextIteration()
  await nextIteration()
  publish(rooms, 'one', texts(2, 5_000), false)
  assert.deepEqual([got(), rooms.isFull], [19, true])
  await nextIteration()
  assert.deepEqual([got(), rooms.isFull], [20, false])
})

test('what is added to a room that is full does not wait any longer, nor what is beyond a megabyte', () => {
  const { rooms, published } = new Publisher()
  const long = 'x'.repeat(800)
  publish(rooms, 'one', [long, long, long], false)
  assert.equal(published.get('one')!.length, 1)
  publish(rooms, 'one', [long, long], false)
  assert.equal(published.get('one')!.length, 3)
  publish(
    rooms,
    'two',
    Array.from({ length: 2_000 }, () => long),
    true,
  )
  assert.equal(published.get('two')!.length, 2_000)
  assert.equal(published.get('one')!.length, 5)
})

/** The frames of messages, which an LF separates in a bundle. */
const framesOf = (messages: readonly Published[]): string[] => messages.flatMap(({ text }) => text.split('\0\n'))

const publishBundled = (rooms: WebSocketRooms, name: string, texts: readonly string[]): void => {
  const bytes = Buffer.from(texts.map((text) => `${text}\0\n`).join(''))
  let end = 0
  const ends = texts.map((text) => (end += text.length + 2))
  rooms.publish(name, bytes, ends, false, 500)
  bytes.fill('?')
  ends.fill(0)
}

test('bundles wait for what is underway: each room gets all frames in their order', async () => {
  const random = new Random(SEED)
  const { rooms, published } = new Publisher()
  let isMoreDue = false
  rooms.isMoreDue = () => isMoreDue
  const expected = new Map<string, string[]>(NAMES.map((name) => [name, []]))
  let number = 0
  for (let round = 0; round < 3_000; round++) {
    const about = `seed ${SEED}: round ${round}`
    isMoreDue = random.chance(0.5)
    const name = random.pick(NAMES)
    const texts = Array.from({ length: random.int(1, 8) }, () =>
      `${++number} `.padEnd(random.pick([10, 60, 200, 600]), 'x'),
    )
    // A room has one form.
    if (name === 'two') publish(rooms, name, texts, false)
    else publishBundled(rooms, name, texts)
    expected.get(name)!.push(...texts)
    if (random.chance(0.1)) {
      rooms.flush()
      for (const each of NAMES) assert.equal(countOf(published.get(each)!), expected.get(each)!.length, about)
    }
    if (random.chance(0.5)) await nextIteration()
  }
  rooms.flush()
  for (const each of NAMES) {
    const got = framesOf(published.get(each)!).map((frame) => frame.replace('\0', ''))
    assert.deepEqual(got, expected.get(each)!, `seed ${SEED}: ${each}`)
  }
})

const countOf = (messages: readonly Published[]): number => framesOf(messages).length

test('a bundle waits until the sockets were looked at, while more is due for a moment, and never beyond its length', async (t) => {
  // On a busy machine three iterations take longer than frames are held.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { rooms, published } = new Publisher()
  let isMoreDue = false
  rooms.isMoreDue = () => isMoreDue
  const bundles = (): number[] => published.get('one')!.map((each) => framesOf([each]).length)
  const text = 'x'.repeat(98)
  publishBundled(rooms, 'one', [text])
  assert.deepEqual(bundles(), [])
  await nextIteration()
  await nextIteration()
  await nextIteration()
  assert.deepEqual(bundles(), [1])
  // More is due, and comes.
  isMoreDue = true
  publishBundled(rooms, 'one', [text])
  for (let n = 0; n < 3; n++) await nextIteration()
  assert.deepEqual(bundles(), [1])
  publishBundled(rooms, 'one', [text, text])
  assert.deepEqual(bundles(), [1])
  publishBundled(rooms, 'one', [text, text])
  assert.deepEqual(bundles(), [1, 5], 'a bundle is full')
  // It does not come: a timer ends the wait.
  publishBundled(rooms, 'one', [text])
  for (let n = 0; n < 3; n++) await nextIteration()
  assert.deepEqual(bundles(), [1, 5])
  t.mock.timers.tick(HELD_MS_MAX)
  assert.deepEqual(bundles(), [1, 5, 1])
})

test('what is beyond a megabyte is not held', () => {
  const { rooms, published } = new Publisher()
  rooms.isMoreDue = () => true
  const names = Array.from({ length: 4_000 }, (_, number) => `room ${number}`)
  for (const name of names) published.set(name, [])
  for (const name of names) publishBundled(rooms, name, ['x'.repeat(398)])
  const held = names.filter((name) => published.get(name)!.length === 0).length
  assert(held > 2_500 && held * 400 <= 1024 * 1024, `${held} rooms`)
  rooms.flush()
  assert(names.every((name) => published.get(name)!.length === 1))
})
