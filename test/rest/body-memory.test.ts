// Memory of large bodies is used again, and nobody gets other octets than those that he asked for.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { BodyMemory } from '../../src/rest/body-memory.ts'
import { okReply, type Reply } from '../../src/rest/reply.ts'
import { BodyPace, PACED_BYTES } from '../../src/server/body-pace.ts'
import { Random, SEED } from '../random.ts'
import { FakeResponse } from '../server/fake-response.ts'
import { bookmaker, LiveRoom } from '../stomp/memory-carrier.ts'
import { newExchange, newRest } from './exchanges.ts'

const ROUNDS = 600
const EVENTS = 3
const LINES = 120
/** Of one body, in an iteration. */
const BYTES_NOW = 2 * PACED_BYTES

let room: LiveRoom | undefined

afterEach(() => room?.close())

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('whoever reads while prices change gets the body that he asked for, in memory that is used again', async () => {
  const random = new Random(SEED)
  room = new LiveRoom({ bookmakers: [bookmaker('a')] })
  const rest = newRest(room)
  const customers = [room.addCustomer('one'), room.addCustomer('another', ['a', 'b'])]
  const pace = new BodyPace(BYTES_NOW)
  const handed = { bytesNow: 0, ended: 0 }
  const tell = (n: number, lines: number): void => {
    const prices = Array.from({ length: lines }, (_, line) => ({
      ...{ type: 'total_goals' as const, line: line + 0.5, outcome: random.pick(['over', 'under']) },
      ...{
        odds: 1 + random.int(1, 90_000) / 100,
        status: random.chance(0.99) ? ('open' as const) : ('closed' as const),
      },
    }))
    room!.tell('a', n, prices, { transport: 'rest' })
    room!.turn()
  }
  for (let n = 1; n <= EVENTS; n++) {
    tell(n, LINES)
    tell(n, LINES)
  }
  const ids = Array.from({ length: EVENTS }, (_, n) => room!.engine.reader.eventAt(n + 1)!.event.id)
  const asked: { readonly res: FakeResponse; readonly body: Buffer }[] = []
  const memories = new WeakSet<ArrayBufferLike>()
  const sent = new Set<Buffer>()
  let again = 0
  let largest = 0
  for (let round = 0; round < ROUNDS; round++) {
    const where = `seed ${SEED}, round ${round}`
    handed.bytesNow = 0
    // A market more or less moves what is behind it, prices alone do not.
    if (random.chance(0.7)) tell(random.int(1, EVENTS), random.pick([1, 5, LINES]))
    for (let left = random.int(0, 2); left > 0; left--) {
      const exchange = newExchange(random.pick(customers).secret, `/events/${random.pick(ids)}/odds`, '')
      assert.equal(rest.answer(exchange, room.nowAt), undefined)
      assert.equal(exchange.head.status, 200, where)
      const { reply } = exchange
      largest = Math.max(largest, reply.body.length)
      const res = new FakeResponse(handed, random.int(1, 2 * reply.body.length))
      asked.push({ res, body: Buffer.from(reply.body) })
      // Another view of memory that was there before.
      if (!sent.has(reply.body) && memories.has(reply.body.buffer)) again++
      sent.add(reply.body)
      memories.add(reply.body.buffer)
      pace.send(res.asResponse, reply, random.chance(0.05))
    }
    for (const { res } of asked) {
      if (random.chance(0.02) && !res.isOver) res.abort()
      else if (random.chance(0.3)) res.read()
    }
    await nextIteration()
    // Those who do not read hold what they have asked for: a few of them at most.
    for (const { res } of asked.filter(({ res }) => !res.isOver).slice(0, -6)) res.abort()
  }
  while (asked.some(({ res }) => !res.isOver)) {
    for (const { res } of asked) res.read()
    await nextIteration()
  }
  for (const [n, { res, body }] of asked.entries()) {
    const got = Buffer.concat(res.pieces)
    assert(got.equals(body.subarray(0, res.got)), `seed ${SEED}, answer ${n}`)
  }
  assert(largest > PACED_BYTES, `seed ${SEED}: ${largest} octets`)
  assert(again > ROUNDS / 50, `seed ${SEED}: memory was used again ${again} times`)
})

const replyOf = (octets: number, memory?: ArrayBuffer): Reply => okReply(Buffer.alloc(octets), '"tag"', memory)

test('memory is free when no answer waits with it, once, and up to a bound', async () => {
  const octets = 100_000
  const room = replyOf(octets).body.buffer.byteLength
  const memory = new BodyMemory(2.5 * room)
  const [held, waits, sent] = [replyOf(octets), replyOf(octets), replyOf(octets)]
  held.isHeld = true
  waits.waiting = 2
  for (const reply of [held, waits, sent, replyOf(100)]) memory.replace(reply)
  assert.equal(memory.bytes, 0)
  // An answer that a promise continues holds it until then.
  const continued = replyOf(octets)
  memory.replace(continued)
  continued.isHeld = true
  await nextIteration()
  assert.equal(memory.bytes, room)
  waits.waiting = 0
  waits.onSent!()
  waits.onSent!()
  assert.equal(memory.bytes, 2 * room)
  memory.replace(replyOf(octets))
  await nextIteration()
  assert.equal(memory.bytes, 2 * room)
  // Neither too little nor twice as much.
  assert.equal(memory.take(room + 1), undefined)
  assert.equal(memory.take(room / 2), undefined)
  const taken = [memory.take(octets), memory.take(octets)]
  assert.equal(new Set(taken).size, 2)
  assert(!taken.includes(undefined))
  assert.deepEqual([memory.take(octets), memory.bytes], [undefined, 0])
  assert.equal(replyOf(octets, taken[0]).body.buffer, taken[0])
})
