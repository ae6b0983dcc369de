// WebSocket messages with several frames, for subscriptions that ask for them (docs/live-protocol.md 3.1).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocketRooms } from '../../src/stomp/websocket-rooms.ts'
import { WebSocketCarrier } from '../../src/stomp/websocket.ts'
import { Random, SEED } from '../random.ts'
import { RawClient } from './raw-client.ts'
import { HOME, World } from './world.ts'

const NUL = 0

test('frames of any lengths are cut into messages that are whole, in their order, and no longer than is allowed', () => {
  const random = new Random(SEED)
  for (let round = 0; round < 2_000; round++) {
    const frames = Array.from({ length: random.int(1, 12) }, (_, n) =>
      Buffer.from(`MESSAGE\nn:${n}\n\n${'x'.repeat(random.int(0, random.chance(0.1) ? 400 : 60))}\0\n`),
    )
    const bytes = Buffer.concat(frames)
    let end = 0
    const ends = frames.map(({ length }) => (end += length))
    const bundleBytes = random.pick([0, 1, 80, 200, 10_000])
    const from = random.int(0, frames.length - 1)
    const to = random.int(from + 1, frames.length)
    const messages: Buffer[] = []
    const keep = (message: Buffer): number => messages.push(message)
    if (from === 0 && to === frames.length && random.chance(0.5)) {
      const publish = (_topic: string, message: Buffer): boolean => keep(message) > 0
      new WebSocketRooms({ publish }).publish('room', bytes, ends, false, bundleBytes)
    } else {
      const socket = {
        ...{ send: keep, getBufferedAmount: () => 0, subscribe: () => true, unsubscribe: () => true },
        ...{ cork: (write: () => void) => write(), end: () => {}, close: () => {} },
      }
      const carrier = new WebSocketCarrier(
        socket,
        { flush: () => {} },
        1_000,
        () => {},
        () => false,
      )
      carrier.writeRun(bytes, ends, from, to, false, bundleBytes)
    }
    const expected = bytes.subarray(from === 0 ? 0 : ends[from - 1]!, ends[to - 1])
    const about = `seed ${SEED}: round ${round}`
    const joined = Buffer.concat(messages.flatMap((message) => [message, Buffer.from('\n')]))
    assert.deepEqual(joined, expected, about)
    for (const message of messages) {
      assert.equal(message.at(-1), NUL, about)
      const count = message.toString().split('MESSAGE').length - 1
      assert(count === 1 || message.length <= bundleBytes, `${about}: ${message.length} of ${bundleBytes}`)
      if (bundleBytes <= 1) assert.equal(count, 1, about)
    }
    if (bundleBytes === 10_000) assert.equal(messages.length, 1, about)
  }
})

test('a WebSocket that asks for bundles gets what one without gets, in fewer messages; another value is refused', async () => {
  const world = await World.start()
  try {
    const book = world.book()
    const events = await Promise.all(Array.from({ length: 12 }, () => world.event(book)))
    for (const event of events) await event.observe([{ ...HOME, odds: 2 }])
    const open = async (frames: string, encoding: string) => {
      const client = await RawClient.open(world.endpoint, 'websocket', '1.2')
      client.reader.takesBundles = frames === 'bundled'
      await client.connect({ passcode: world.deskKey })
      let messages = 0
      client.webSocket!.on('message', (data: Buffer) => (messages += data.length > 1 ? 1 : 0))
      const headers = { id: 'a', snapshot: 'true', frames, 'content-type': encoding }
      await client.subscribe(`/topic/odds.football.${book}.*`, headers)
      const snapshot = await client.until((frame) => frame.headers.get('kind') === 'snapshot-end')
      return { client, snapshot, messages: () => messages }
    }
    for (const encoding of ['application/json', 'application/msgpack']) {
      const single = await open('single', encoding)
      const bundled = await open('bundled', encoding)
      // Each is of its own moment.
      const idsOf = ({ snapshot }: typeof single) => snapshot.map(({ headers }) => headers.get('message-id'))
      assert.deepEqual(idsOf(bundled), idsOf(single))
      // A busy machine makes a snapshot in several shares, each of which ends a bundle.
      assert(bundled.messages() < single.messages(), `${bundled.messages()} and ${single.messages()}`)
      for (const event of events) await event.observe([{ ...HOME, odds: 2 + Math.random() }])
      const [one, other] = [await single.client.several(12), await bundled.client.several(12)]
      assert.deepEqual(
        other.map(({ body }) => body),
        one.map(({ body }) => body),
      )
      for (const { client } of [single, bundled]) client.destroy()
    }
    const client = await RawClient.open(world.endpoint, 'tcp', '1.2')
    await client.connect({ passcode: world.deskKey })
    await client.frame('SUBSCRIBE', { id: 'b', destination: '/topic/odds.#', frames: 'all' })
    const refused = await client.refused('validation_failed')
    assert.match(refused.body.toString(), /frames must be one of single, bundled/)
    client.destroy()
  } finally {
    await world.stop()
  }
})
