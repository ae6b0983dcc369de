// The upstream connector against RabbitMQ with its STOMP plugin: a private one, started, stopped and killed here.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { UpstreamOptions } from '../../../src/source/stomp/upstream-options.ts'
import { type Rabbit, rabbitMissing, startRabbit } from '../../rabbitmq.ts'
import { bodyOf, local, Publisher, Relay, World } from './world.ts'

const skip = rabbitMissing()

let rabbit: Rabbit
before(async () => {
  if (skip === false) rabbit = await startRabbit({ stomp: true })
})
after(() => rabbit?.stop())

const uncaught: unknown[] = []
process.on('uncaughtException', (error) => uncaught.push(error))
process.on('unhandledRejection', (error) => uncaught.push(error))
after(() => assert.deepEqual(uncaught, []))

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

let queues = 0
const newQueue = (): string => `/queue/odds-${++queues}`

const start = (destination: string, changed: Partial<UpstreamOptions> = {}): World => {
  const world = new World({ endpoints: [local(rabbit.stompPort)], destinations: [destination], ...changed })
  ending.push(() => world.broker.stop())
  return world
}

const publisher = async (): Promise<Publisher> => {
  const one = await Publisher.open(rabbit.stompPort)
  ending.push(() => one.close())
  return one
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, place) => from + place)

test('messages are taken in their order and answered: none comes again', { skip }, async () => {
  const queue = newQueue()
  const world = start(queue)
  const feed = await publisher()
  await feed.publishAll(queue, 1, 50)
  await world.until(() => world.heard === 50)
  assert.deepEqual(world.taken, range(1, 50))
  await world.broker.stop()
  assert.equal(world.broker.facts().state, 'stopped')

  const next = start(queue)
  await feed.publish(queue, bodyOf(51))
  await next.until(() => next.taken.length > 0)
  assert.deepEqual(next.taken, [51])
  assert.equal(next.broker.facts().redelivered, 0)
  assert.deepEqual([...world.told, ...next.told], [])
})

test('cumulative acknowledgement works too, from several destinations', { skip }, async () => {
  const [first, second] = [newQueue(), newQueue()]
  const world = start(first, { destinations: [first, second], ack: 'client' })
  const feed = await publisher()
  await Promise.all([feed.publishAll(first, 1, 20), feed.publishAll(second, 21, 40)])
  await world.until(() => world.taken.length === 40)
  assert.deepEqual(
    [...world.taken].sort((a, b) => a - b),
    range(1, 40),
  )
  await world.broker.stop()
  const next = start(first, { destinations: [first, second] })
  await feed.publish(second, bodyOf(41))
  await next.until(() => next.taken.length > 0)
  assert.deepEqual(next.taken, [41])
})

test('what is published while we are down comes when we are back', { skip }, async () => {
  const queue = newQueue()
  const world = start(queue)
  const feed = await publisher()
  await feed.publish(queue, bodyOf(1))
  await world.until(() => world.taken.length === 1)
  await world.broker.stop()
  await feed.publishAll(queue, 2, 30)
  const next = start(queue)
  await next.until(() => next.taken.length === 29)
  assert.deepEqual(next.taken, range(2, 30))
})

test('no more than the prefetch is held while nothing is taken; what was held at the stop comes again', {
  skip,
}, async () => {
  const queue = newQueue()
  const world = start(queue, { prefetch: 4 })
  const open = world.close()
  const feed = await publisher()
  await feed.publishAll(queue, 1, 30)
  await world.untilFact('held', (held) => held === 4)
  const stopped = world.broker.stop()
  open()
  await stopped
  assert.deepEqual(world.taken, [1], 'the one at hand is taken to its end, and answered')
  const next = start(queue)
  await next.until(() => next.taken.length === 29)
  // Those that had been out go back to their place.
  assert.deepEqual(next.taken, range(2, 30))
  // The answer to the first one may have let a fifth one out.
  assert([3, 4].includes(Number(next.broker.facts().redelivered)))
})

test('a line cut between receipt and answer loses nothing: what was not answered comes again', { skip }, async () => {
  const queue = newQueue()
  const relay = await Relay.open(rabbit.stompPort)
  ending.push(() => relay.close())
  const world = start(queue, { endpoints: [local(relay.port)], prefetch: 5 })
  const feed = await publisher()
  await feed.publishAll(queue, 1, 3)
  await world.until(() => world.taken.length === 3)
  const open = world.close()
  await feed.publishAll(queue, 4, 20)
  await world.untilFact('held', (held) => held === 5)
  relay.cut()
  await world.untilFact('connections', (connections) => connections === 2)
  open()
  await world.until(() => world.counts(1, 20).every((count) => count > 0))
  const twice = world.counts(1, 20).filter((count) => count > 1).length
  assert(twice <= 1, `only the one at hand may have been taken twice: ${world.taken.join(' ')}`)
  assert(Number(world.broker.facts().redelivered) >= 4)
  assert.match(world.told.join('\n'), /^warn stomp:\/\/127\.0\.0\.1:\d+ was lost: /)
})

test('a line cut while a topic is listened to may lose something: what was fed is suspended', { skip }, async () => {
  const topic = '/topic/odds'
  const relay = await Relay.open(rabbit.stompPort)
  ending.push(() => relay.close())
  const world = start(topic, { endpoints: [local(relay.port)], durable: false })
  await world.untilFact('state', (state) => state === 'open')
  const feed = await publisher()
  await feed.publish(topic, bodyOf(1))
  await world.until(() => world.taken.length === 1)
  relay.cut()
  await world.until(() => world.board.areAll('suspended', 'northbet:7'))
  await world.untilFact('connections', (connections) => connections === 2)
  await world.untilFact('state', (state) => state === 'open')
  await feed.publish(topic, bodyOf(2))
  await world.until(() => world.taken.length === 2)
  assert.deepEqual(world.board.shown(), ['open'])
  assert.equal(world.board.statements.length, 1)
})

test('a silent line is left for the next address after two and a half heart-beats', { skip }, async () => {
  const queue = newQueue()
  const relay = await Relay.open(rabbit.stompPort)
  ending.push(() => relay.close())
  const endpoints = [local(relay.port), local(rabbit.stompPort)]
  // RabbitMQ counts whole seconds.
  const world = start(queue, { endpoints, heartbeatMs: 1000, quietIsHealthy: true })
  const feed = await publisher()
  await feed.publish(queue, bodyOf(1))
  await world.until(() => world.taken.length === 1)
  const { heard } = world
  await world.until(() => world.heard > heard + 1)
  relay.mute()
  await world.untilFact('address', (address) => address === `stomp://127.0.0.1:${rabbit.stompPort}`)
  await feed.publish(queue, bodyOf(2))
  await world.until(() => world.taken.includes(2))
  assert.match(world.told.join('\n'), /was lost: no heart-beat within 2\.5 s/)
})

test('an address that does not answer at all is left, too', { skip }, async () => {
  const queue = newQueue()
  const relay = await Relay.open(rabbit.stompPort)
  ending.push(() => relay.close())
  relay.mute()
  const limits = { openMsMax: 300 } as UpstreamOptions['limits']
  const world = start(queue, { endpoints: [local(relay.port), local(rabbit.stompPort)], limits })
  const feed = await publisher()
  await feed.publish(queue, bodyOf(1))
  await world.until(() => world.taken.length === 1)
  assert.match(world.told.join('\n'), /cannot be reached: no answer within 0\.3 s/)
})

test('gzip is unpacked; what cannot be read is named, counted, and answered', { skip }, async () => {
  const queue = newQueue()
  const world = start(queue)
  const feed = await publisher()
  await feed.publish(queue, gzipSync(bodyOf(1)), { 'content-encoding': 'gzip' })
  await feed.publish(queue, '{"bookmaker":')
  await feed.publish(queue, bodyOf(2), { 'content-encoding': 'gzip' })
  await feed.publish(queue, gzipSync(`"${'x'.repeat(30_000)}"`), { 'content-encoding': 'gzip' })
  await feed.publish(queue, bodyOf(3), { 'content-encoding': 'br' })
  await feed.publish(queue, Buffer.from([0x22, 0xff, 0x22]))
  await feed.publish(queue, 'y'.repeat(20_001))
  await feed.publish(queue, bodyOf(4))
  await world.until(() => world.taken.includes(4))
  assert.deepEqual(world.taken, [1, 4])
  assert.equal(world.malformed.length, 6)
  assert.match(world.malformed[0]!, /^message 2 observation is not JSON/)
  assert.deepEqual(world.malformed.slice(1), [
    'message 3 is damaged: it cannot be unpacked',
    'message 4 is longer than 20000 bytes, unpacked',
    'message 5 has an unknown content-encoding: "br"',
    'message 6 is not UTF-8',
    'message 7 is longer than 20000 bytes',
  ])
  assert.equal(world.account.malformed, 6)
  assert.equal(world.broker.facts().unreadable, 6)
  await world.broker.stop()
  const next = start(queue)
  await feed.publish(queue, bodyOf(5))
  await next.until(() => next.taken.length > 0)
  assert.equal(next.malformed.length, 0)
})

test('a NACK puts aside what cannot be read, and does not bring it back', { skip }, async () => {
  const queue = newQueue()
  const dead = newQueue()
  const headers = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dead.replace('/queue/', '') }
  const aside = start(dead) // declares the queue
  const world = start(queue, { onMalformed: 'nack', headers })
  await world.untilFact('state', (state) => state === 'open')
  await aside.untilFact('state', (state) => state === 'open')
  const feed = await publisher()
  await feed.publish(queue, 'nothing', headers)
  await feed.publish(queue, bodyOf(2), headers)
  await world.until(() => world.taken.includes(2))
  await aside.until(() => aside.malformed.length > 0)
  assert.equal(world.malformed.length, 1)
  assert.equal(world.broker.facts().redelivered, 0)
})

test('a wrong passcode is told without it, and is not tried again soon', { skip }, async () => {
  const world = start(newQueue(), { passcode: 'not-the-passcode' })
  await world.until(() => world.told.length > 0)
  assert.match(world.told[0]!, /^warn stomp:\/\/127\.0\.0\.1:\d+ refuses us: .*[Aa]ccess refused/)
  assert(!world.told[0]!.includes('not-the-passcode'))
  await world.broker.stop()
  assert.equal(world.told.length, 1)
  assert.equal(world.broker.facts().connections, 0)
})

test('a destination that the broker does not know is told, and is not tried again soon', { skip }, async () => {
  const world = start('/nowhere/odds')
  await world.until(() => world.told.length > 0)
  assert.match(world.told[0]!, /refused: .*/)
  await world.untilFact('state', (state) => state === 'pausing')
  await world.broker.stop()
  assert.equal(world.broker.facts().connections, 1)
})

// These come last: they break the connections of everybody.

test('the broker restarts: everything published before and after is taken', { skip }, async () => {
  const queue = newQueue()
  const world = start(queue)
  const feed = await publisher()
  const open = world.close()
  await feed.publishAll(queue, 1, 25)
  await world.untilFact('held', (held) => held === 10)
  feed.close()
  await rabbit.restart()
  const later = await publisher()
  await later.publishAll(queue, 26, 40)
  open()
  await world.until(() => world.counts(1, 40).every((count) => count > 0))
  assert(world.taken.length <= 41, 'only the one at hand may have been taken twice')
  await world.untilFact('state', (state) => state === 'open')
})

test('the broker is killed: what it had confirmed is taken, also what we had not answered', { skip }, async () => {
  const queue = newQueue()
  const world = start(queue)
  const feed = await publisher()
  const open = world.close()
  await feed.publishAll(queue, 1, 25)
  await world.untilFact('held', (held) => held === 10)
  await rabbit.kill9()
  await world.until(() => world.told.length > 0)
  open()
  await rabbit.restart()
  const later = await publisher()
  await later.publishAll(queue, 26, 40)
  await world.until(() => world.counts(1, 40).every((count) => count > 0))
  assert(world.taken.length <= 41, `only the one at hand may have been taken twice: ${world.taken.join(' ')}`)
  await world.broker.stop()
  const next = start(queue)
  await later.publish(queue, bodyOf(41))
  await next.until(() => next.taken.length > 0)
  assert.deepEqual(next.taken, [41])
})
