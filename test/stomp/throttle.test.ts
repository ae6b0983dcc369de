// The throttle of keys whose sessions end with an ERROR again and again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../src/limits.ts'
import { Throttle } from '../../src/stomp/throttle.ts'
import { bookmaker, type Customer, LiveRoom, type MemoryClient } from './memory-carrier.ts'
import { shownFrame } from './strict-frames.ts'

const START = 1_000_000

/** A session of a key that ends with this code at once. */
const end = (throttle: Throttle, nowAt: number, code: Parameters<Throttle['ended']>[1], keyId = 'key'): void => {
  throttle.opened(keyId)
  throttle.ended(keyId, code, nowAt)
}

test('a key may end so many sessions with an ERROR, and one more; then it waits, each time twice as long', () => {
  const throttle = new Throttle(LIMITS)
  // The session itself is one that the key has at the same time.
  const allowed = LIMITS.errorSessionsMax + 1
  for (let n = 0; n < allowed; n++) end(throttle, START, 'slow_consumer')
  assert.equal(throttle.waitMs('key', START), 0)
  end(throttle, START, 'slow_consumer')
  assert.equal(throttle.waitMs('key', START), LIMITS.throttleMs)
  assert.equal(throttle.waitMs('other', START), 0)
  assert.equal(throttle.waitingKeys(START), 1)
  let nowAt = START
  for (let waitMs: number = LIMITS.throttleMs; ; waitMs = Math.min(2 * waitMs, LIMITS.throttleMsMax)) {
    assert.equal(throttle.waitMs('key', nowAt), waitMs)
    nowAt += waitMs
    assert.equal(throttle.waitMs('key', nowAt), 0)
    if (waitMs === LIMITS.throttleMsMax) break
    end(throttle, nowAt, 'slow_consumer')
  }
  // The longest stays the longest.
  end(throttle, nowAt, 'slow_consumer')
  assert.equal(throttle.waitMs('key', nowAt), LIMITS.throttleMsMax)
  // After a window without an error everything is forgotten.
  nowAt += LIMITS.throttleMsMax + LIMITS.errorWindowMs
  end(throttle, nowAt, 'slow_consumer')
  assert.equal(throttle.waitMs('key', nowAt), 0)
})

test('what says nothing against the client is not counted, and neither are sessions that end in order', () => {
  const throttle = new Throttle(LIMITS)
  for (let n = 0; n < 200; n++) {
    for (const code of ['server_shutdown', 'service_unavailable', 'invalid_api_key', 'live_not_enabled'] as const) {
      end(throttle, START, code)
    }
    end(throttle, START, undefined)
  }
  assert.equal(throttle.waitMs('key', START), 0)
})

test('errors that come seldom enough never add up', () => {
  const throttle = new Throttle(LIMITS)
  const everyMs = LIMITS.errorWindowMs / LIMITS.errorSessionsMax
  for (let n = 0; n < 1_000; n++) {
    end(throttle, START + n * everyMs, 'validation_failed')
    assert.equal(throttle.waitMs('key', START + n * everyMs), 0)
  }
})

test('one fault that ends all sessions of a key does not throttle it', () => {
  const throttle = new Throttle(LIMITS)
  for (let n = 0; n < 500; n++) throttle.opened('key')
  for (let n = 0; n < 500; n++) throttle.ended('key', 'slow_consumer', START)
  assert.equal(throttle.waitMs('key', START), 0)
})

/** Connects with a key and does what ends the session with an ERROR. */
const repeat = (room: LiveRoom, customer: Customer): void => {
  const client = room.connect(customer)
  client.send('SUBSCRIBE', { id: '1', destination: '/topic/nothing' })
  const [frame] = client.take()
  assert.equal(frame?.headers.get('message'), 'not_found', frame && shownFrame(frame))
}

const connectWith = (room: LiveRoom, { secret }: Customer): MemoryClient => {
  const client = room.open()
  client.send('CONNECT', { 'accept-version': '1.2', passcode: secret })
  return client
}

test('a key that repeats an error is refused with retry-after, others are not, and it gets in again after it', (t) => {
  const { errorSessionsMax } = LIMITS
  const room = new LiveRoom({ bookmakers: [bookmaker('alpha')], limits: { errorSessionsMax } })
  t.after(() => room.close())
  const looping = room.addCustomer('looping')
  const calm = room.addCustomer('calm')
  for (let n = 0; n < errorSessionsMax + 2; n++) repeat(room, looping)
  const refused = connectWith(room, looping)
  const [frame] = refused.take()
  assert.equal(frame?.command, 'ERROR')
  assert.equal(frame?.headers.get('message'), 'rate_limit_exceeded')
  assert.equal(frame?.headers.get('retry-after'), String(LIMITS.throttleMs / 1000))
  assert.equal(refused.carrier.ending, 'fault')
  assert.equal(room.broker.throttle.refused, 1)
  room.connect(calm)
  // To be refused is no error that is counted.
  for (let n = 0; n < 100; n++) connectWith(room, looping)
  room.advance(LIMITS.throttleMs)
  room.connect(looping)
})

test('a shutdown of the service throttles no key', (t) => {
  const room = new LiveRoom({ limits: { errorSessionsMax: 1 } })
  t.after(() => room.close())
  const desk = room.addCustomer('desk')
  const clients = Array.from({ length: 10 }, () => room.connect(desk))
  for (const client of clients) client.session.shutDown()
  for (const client of clients) assert.equal(client.take().at(-1)?.headers.get('message'), 'server_shutdown')
  assert.equal(room.broker.throttle.waitMs(desk.keyId, room.nowAt), 0)
})
