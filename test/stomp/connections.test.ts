// How many connections there may be, and how many that have shown no key: the rules, then both ports.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Connections, countedAddress, countedOctets, PlaceQueue } from '../../src/stomp/connections.ts'
import { Random, SEED } from '../random.ts'
import { Listeners, type ListenersOptions, until } from '../listeners.ts'

const LIMITS = {
  connectionsMax: 3,
  httpConnectionsMax: 2,
  unconnectedMax: 3,
  addressUnconnectedMax: 2,
  unconnectedWebSocketsMax: 2,
  addressUnconnectedWebSocketsMax: 1,
}

test('an IPv4 address counts by itself, an IPv6 address by its network of 64 bits', () => {
  assert.equal(countedAddress('192.0.2.1'), '192.0.2.1')
  for (const text of ['::ffff:192.0.2.1', '0:0:0:0:0:ffff:192.0.2.1', '0000:0000:0000:0000:0000:ffff:c000:0201']) {
    assert.equal(countedAddress(text), '192.0.2.1', text)
  }
  for (const text of ['2001:db8::1', '2001:db8:0:0:ffff::', '2001:0db8:0000:0000:0001:0002:0003:0004']) {
    assert.equal(countedAddress(text), '2001:db8:0:0::/64', text)
  }
  assert.equal(countedAddress('::1'), '0:0:0:0::/64')
  assert.equal(countedAddress('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(countedAddress('2001:db8:1:2:3:4:192.0.2.1'), '2001:db8:1:2::/64')
})

test('the octets of an address count as its text', () => {
  const random = new Random(SEED)
  for (let round = 0; round < 2_000; round++) {
    const four = Uint8Array.from({ length: 4 }, () => random.int(0, 255))
    assert.equal(countedOctets(four), countedAddress(four.join('.')))
    const sixteen = Uint8Array.from({ length: 16 }, () => (random.chance(0.5) ? 0 : random.int(0, 255)))
    if (random.chance(0.5)) sixteen.fill(0, 0, 10)
    if (random.chance(0.5)) sixteen.fill(0xff, 10, 12)
    const groups = Array.from({ length: 8 }, (_, n) => ((sixteen[2 * n]! << 8) | sixteen[2 * n + 1]!).toString(16))
    const text = groups.join(':')
    assert.equal(countedOctets(sixteen), countedAddress(text), `ODDSWIRE_TEST_SEED=${SEED}: ${text}`)
  }
})

test('connections: of all kinds, of HTTP, and those that have not sent CONNECT, in total and by address', () => {
  const connections = new Connections(LIMITS)
  assert.equal(connections.opened('http'), undefined)
  assert.equal(connections.opened('http'), undefined)
  assert.equal(connections.opened('http'), 'http_connections')
  connections.closed('http')
  connections.upgraded()
  assert.deepEqual(connections.open, { http: 1, websocket: 1, sse: 0, tcp: 0 })
  // A stream is none of the connections that REST may have.
  const end = connections.streaming()
  assert.deepEqual(connections.open, { http: 0, websocket: 1, sse: 1, tcp: 0 })
  assert.equal(connections.openCount, 2)
  end()
  end()
  assert.equal(connections.open.http, 1)
  assert.equal(connections.opened('tcp'), undefined)
  assert.equal(connections.opened('tcp'), 'connections')
  assert.equal(connections.refused.http.http_connections, 1)
  assert.equal(connections.refused.tcp.connections, 1)

  const first = connections.connecting('tcp', 'a')
  assert.equal(typeof connections.connecting('websocket', 'a'), 'function')
  assert.equal(connections.connecting('tcp', 'a'), 'address_unconnected')
  assert.equal(typeof connections.connecting('tcp', 'b'), 'function')
  assert.equal(connections.connecting('tcp', 'c'), 'unconnected')
  assert(typeof first === 'function')
  first()
  first()
  assert.deepEqual(connections.unconnected, { tcp: 1, websocket: 1 })
  assert(connections.mayLinger('a'))
  const ends = ['a', 'a'].map((address) => connections.lingering(address))
  assert(!connections.mayLinger('a'))
  assert(connections.mayLinger('b'))
  ends.push(connections.lingering('b'))
  assert(!connections.mayLinger('c'))
  for (const end of ends) end()
  assert(connections.mayLinger('a'))
  assert.equal(typeof connections.connecting('tcp', 'a'), 'function')
})

test('places: a request that finds none waits, and addresses are served round-robin', () => {
  const queue = new PlaceQueue(2, 2)
  const started: string[] = []
  const take = (address: string, name: string) => queue.acquire(address, () => started.push(name))
  const leave1 = take('a', 'a1')
  const leave2 = take('a', 'a2')
  take('a', 'a3')
  take('a', 'a4')
  const stop = take('b', 'b1')
  take('b', 'b2')
  assert.deepEqual(started, ['a1', 'a2'])
  assert(queue.hasWaiting)
  leave1()
  leave1()
  assert.deepEqual(started.slice(2), ['a3'])
  stop()
  leave2()
  assert.deepEqual(started.slice(3), ['b2'], 'its turn, of those of b that still wait')
  assert.equal(queue.usedPlaces, 2)
})

test('places: an address has its share, however many others there are', () => {
  const queue = new PlaceQueue(3, 1)
  const started: string[] = []
  const leave = queue.acquire('a', () => started.push('a1'))
  queue.acquire('a', () => started.push('a2'))
  queue.acquire('b', () => started.push('b1'))
  assert.deepEqual(started, ['a1', 'b1'])
  leave()
  assert.deepEqual(started, ['a1', 'b1', 'a2'])
  assert(!queue.hasWaiting)
})

const withListeners = async (options: ListenersOptions, run: (at: Listeners) => Promise<void>): Promise<void> => {
  const at = await Listeners.start(options)
  try {
    await run(at)
  } finally {
    await at.stop()
  }
}

test('TCP: one too many that has not sent CONNECT gets an ERROR; one that has is none of them', () =>
  withListeners({ connections: { unconnectedMax: 2 } }, async (at) => {
    const first = await at.connect(at.stomp.port)
    const second = await at.connect(at.stomp.port)
    await until('two connections', () => at.connections.unconnected.tcp === 2)
    const third = await at.connect(at.stomp.port)
    await third.came('"code":"service_unavailable"')
    assert.match(third.text, /^ERROR\nmessage:service_unavailable\ndetail:.*CONNECT/)
    await third.closed()
    assert.equal(at.connections.refused.tcp.unconnected, 1)
    first.sendConnect(at.key, false)
    await first.came('CONNECTED')
    assert.equal(at.connections.unconnected.tcp, 1)
    const fourth = await at.connect(at.stomp.port)
    fourth.sendConnect(at.key, false)
    await fourth.came('CONNECTED')
    second.socket.destroy()
    await until('no connection without CONNECT', () => at.connections.unconnected.tcp === 0)
    for (const tap of [first, fourth]) tap.socket.destroy()
    await until('no connection', () => at.connections.openCount === 0)
  }))

test('TCP: an address has its share of those that have not sent CONNECT', () =>
  withListeners({ connections: { addressUnconnectedMax: 1 } }, async (at) => {
    await at.connect(at.stomp.port)
    const second = await at.connect(at.stomp.port)
    await second.came('message:rate_limit_exceeded')
    const other = await at.connect(at.stomp.port, '127.0.0.2')
    other.sendConnect(at.key, false)
    await other.came('CONNECTED')
  }))

test('TCP and WebSocket: connections of all kinds together', () =>
  withListeners({ connections: { connectionsMax: 2 } }, async (at) => {
    const first = await at.connect(at.stomp.port)
    const second = await at.upgrade()
    await second.came('101')
    const third = await at.connect(at.stomp.port)
    await third.came('message:service_unavailable')
    await third.closed()
    const fourth = await at.connect(at.http.port)
    await fourth.closed()
    assert.equal(at.connections.refused.http.connections, 1)
    assert.deepEqual(at.connections.open, { http: 0, websocket: 1, sse: 0, tcp: 1 })
    first.socket.destroy()
    second.socket.destroy()
    await until('no connection', () => at.connections.openCount === 0)
    const again = await at.upgrade()
    await again.came('101')
  }))

test('HTTP: connections above its share are ended at once, and STOMP has room', () =>
  withListeners({ connections: { httpConnectionsMax: 2 } }, async (at) => {
    const taps = [await at.connect(at.http.port), await at.connect(at.http.port)]
    await until('two connections', () => at.connections.open.http === 2)
    const third = await at.connect(at.http.port)
    await third.closed()
    assert.equal(at.connections.refused.http.http_connections, 1)
    const live = await at.connect(at.stomp.port)
    live.sendConnect(at.key, false)
    await live.came('CONNECTED')
    taps[0]!.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await taps[0]!.came('200 OK')
  }))

test('WebSocket: the upgrade waits for a place until another has sent CONNECT', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 1 } }, async (at) => {
    const first = await at.upgrade()
    await first.came('101')
    const second = await at.upgrade('127.0.0.2')
    await until('one that waits', () => at.connections.places.hasWaiting)
    assert.equal(second.text, '')
    assert.equal(at.connections.unconnected.websocket, 2)
    first.sendConnect(at.key, true)
    await first.came('CONNECTED')
    await second.came('101')
    second.sendConnect(at.key, true)
    await second.came('CONNECTED')
    assert.equal(at.connections.places.usedPlaces, 0)
    assert.equal(at.connections.unconnected.websocket, 0)
    for (const tap of [first, second]) tap.socket.destroy()
    await until('no connection', () => at.connections.openCount === 0)
  }))

test('WebSocket: an upgrade whose Connection does not name it is refused, and does not wait', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 1 } }, async (at) => {
    for (const connection of ['close', 'Close', 'abcde', 'keep-alive', 'upgraded']) {
      const refused = await at.upgrade('127.0.0.1', '', connection)
      await refused.came('400 Bad Request')
      await refused.came('The header Connection must name upgrade.')
    }
    const holder = await at.upgrade()
    await holder.came('101')
    // They would be closed while they are upgraded: the library looks at the option after the request.
    const waiting = []
    for (const connection of ['close, Upgrade', 'keep-alive, upgrade', 'UPGRADE', 'upgrade,close']) {
      waiting.push(await at.upgrade('127.0.0.1', '', connection))
    }
    const refused = await at.upgrade('127.0.0.1', '', 'close')
    await refused.came('400 Bad Request')
    await until('all wait', () => at.connections.unconnected.websocket === 1 + waiting.length)
    holder.socket.destroy()
    for (const tap of waiting) {
      await tap.came('101')
      tap.sendConnect(at.key, true)
      await tap.came('CONNECTED')
    }
    for (const tap of waiting) tap.socket.destroy()
    await until('no connection', () => at.connections.openCount === 0)
  }))

test('WebSocket: an upgrade with a key does not wait', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 1 } }, async (at) => {
    await (await at.upgrade()).came('101')
    const waiting = await at.upgrade('127.0.0.1', 'Authorization: Bearer nobody\r\n')
    await until('one that waits', () => at.connections.places.hasWaiting)
    const known = await at.upgrade('127.0.0.1', `Authorization: Bearer ${at.key}\r\n`)
    await known.came('101')
    assert.equal(waiting.text, '')
  }))

const bearer = (key: string): string => `Authorization: Bearer ${key}\r\n`

test('WebSocket: an upgrade that names its key, host or origin twice is refused', () =>
  withListeners({}, async (at) => {
    for (const [name, extra] of [
      ['Authorization', bearer(at.key).repeat(2)],
      ['Authorization', `${bearer(at.key)}authorization:\r\n`],
      ['X-Api-Key', `X-Api-Key: ${at.key}\r\nX-API-KEY: ${at.key}\r\n`],
      ['Host', 'Host: elsewhere\r\n'],
      ['Origin', 'Origin: https://a.example\r\nOrigin: https://b.example\r\n'],
    ] as const) {
      const refused = await at.upgrade('127.0.0.1', extra)
      await refused.came('400 Bad Request')
      await refused.came(`The header ${name} is given more than once.`)
    }
    // REST accepts one of each, too.
    await (await at.upgrade('127.0.0.1', `${bearer(at.key)}X-Api-Key: ${at.key}\r\n`)).came('101')
  }))

test('WebSocket: a key without live in the upgrade waits like any other', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 1 } }, async (at) => {
    await (await at.upgrade()).came('101')
    const starter = await at.upgrade('127.0.0.1', bearer(at.keys.starter))
    await until('one that waits', () => at.connections.places.hasWaiting)
    const feed = await at.upgrade('127.0.0.1', bearer(at.keys.feed))
    await feed.came('101')
    assert.equal(starter.text, '')
    assert.equal(at.broker.reservedCount, 1)
    feed.sendConnect(at.keys.feed, true)
    await feed.came('CONNECTED')
    assert.equal(at.broker.reservedCount, 0)
  }))

test('WebSocket: keys in upgrades reserve the live connections of their organization, one more waits', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 1 } }, async (at) => {
    await (await at.upgrade()).came('101')
    const pair = bearer(at.keys.pair)
    const first = await at.upgrade('127.0.0.1', pair)
    const second = await at.upgrade('127.0.0.1', pair)
    for (const tap of [first, second]) await tap.came('101')
    assert.equal(at.broker.reservedCount, 2)
    const third = await at.upgrade('127.0.0.1', pair)
    await until('one that waits', () => at.connections.places.hasWaiting)
    third.socket.destroy()
    await until('none that waits', () => !at.connections.places.hasWaiting)
    // A live connection is no longer reserved, but used.
    first.sendConnect(at.keys.pair, true)
    await first.came('CONNECTED')
    assert.equal(at.broker.reservedCount, 1)
    const fourth = await at.upgrade('127.0.0.1', pair)
    await until('one that waits', () => at.connections.places.hasWaiting)
    await (await at.upgrade('127.0.0.1', bearer(at.key))).came('101')
    assert.equal(fourth.text, '')
    second.socket.destroy()
    await until('one that is given back', () => at.broker.reservedCount === 1)
    await (await at.upgrade('127.0.0.1', pair)).came('101')
    assert.equal(fourth.text, '')
  }))

test('WebSocket: one that has a live connection reserved, and is ended without CONNECT, keeps it while it may hold memory', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 1 }, limits: { connectMsMax: 50 } }, async (at) => {
    const pair = bearer(at.keys.pair)
    const tap = await at.upgrade('127.0.0.1', pair)
    await tap.came('connectMsMax')
    await until('the end of its session', () => at.broker.sessionCount === 0)
    assert.equal(at.broker.reservedCount, 1)
    // What sends a small CONNECT that is refused does not.
    const wrong = await at.upgrade('127.0.0.1', pair)
    await wrong.came('101')
    wrong.sendConnect(at.key, true)
    await wrong.came('invalid_api_key')
    await until('the end of its session', () => at.broker.sessionCount === 0)
    assert.equal(at.broker.reservedCount, 1)
  }))

test('WebSocket: an upgrade with a key is accepted, however many have not sent CONNECT', () =>
  withListeners({ connections: { unconnectedMax: 1 } }, async (at) => {
    await (await at.upgrade('127.0.0.2')).came('101')
    await (await at.upgrade()).came('503 Service Unavailable')
    for (let n = 0; n < 2; n++) await (await at.upgrade('127.0.0.1', bearer(at.key))).came('101')
    assert.equal(at.connections.unconnected.websocket, 1)
    assert.equal(at.broker.reservedCount, 2)
  }))

test('WebSocket: one that waits and goes leaves the queue; one that waits too long gets 503', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 1 }, limits: { upgradeMsMax: 200 } }, async (at) => {
    await (await at.upgrade()).came('101')
    const gone = await at.upgrade()
    await until('one that waits', () => at.connections.places.hasWaiting)
    gone.socket.destroy()
    await until('none that waits', () => !at.connections.places.hasWaiting)
    const patient = await at.upgrade()
    await patient.came('503 Service Unavailable')
    await patient.closed()
    assert.equal(at.connections.refused.websocket.upgrade_timeout, 1)
    await until('one connection', () => at.connections.openCount === 1)
    assert.equal(at.connections.unconnected.websocket, 1)
  }))

test('WebSocket: one too many that has not sent CONNECT gets 503, in total and of an address', () =>
  withListeners({ connections: { unconnectedMax: 2, addressUnconnectedMax: 1 } }, async (at) => {
    await (await at.upgrade()).came('101')
    const second = await at.upgrade()
    await second.came('503 Service Unavailable')
    assert.match(second.text, /Retry-After: 1/)
    await (await at.upgrade('127.0.0.2')).came('101')
    const fourth = await at.upgrade('127.0.0.3')
    await fourth.came('503 Service Unavailable')
    assert.equal(at.connections.refused.websocket.address_unconnected, 1)
    assert.equal(at.connections.refused.websocket.unconnected, 1)
  }))

test('WebSocket: while others wait, one that sends no CONNECT is ended sooner', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 1 }, limits: { crowdedConnectMsMax: 50 } }, async (at) => {
    const first = await at.upgrade()
    await first.came('101')
    const second = await at.upgrade()
    await first.came('crowdedConnectMsMax')
    await second.came('101')
  }))

test('WebSocket: one that is ended and does not close keeps its place, unless its place is needed', () =>
  withListeners({ connections: { unconnectedWebSocketsMax: 4 }, limits: { connectMsMax: 50 } }, async (at) => {
    const { places } = at.connections
    // The library keeps what it holds of them until the client closes.
    const taps = [await at.upgrade(), await at.upgrade()]
    for (const tap of taps) await tap.came('connectMsMax')
    await until('the end of their sessions', () => at.broker.sessionCount === 0)
    assert.equal(places.usedPlaces, 2)
    assert.equal(at.connections.open.websocket, 2)
    const third = await at.upgrade()
    await third.came('connectMsMax')
    await until('the end of its session', () => at.broker.sessionCount === 0)
    assert.equal(places.usedPlaces, 2, 'ended at once: more than half of the places were used')
    // A wrong key is refused in order, and needs no place.
    const wrong = await at.upgrade()
    await wrong.came('101')
    wrong.sendConnect('odds_live_nobody', true)
    await wrong.came('invalid_api_key')
    assert.equal(places.usedPlaces, 2)
  }))

test('WebSocket: one that is ended counts at once as gone, and as many may keep their descriptors', () =>
  withListeners({ connections: { addressUnconnectedMax: 1 }, limits: { connectMsMax: 50 } }, async (at) => {
    // The library keeps the descriptor until the client closes.
    const first = await at.upgrade()
    await first.came('connectMsMax')
    await until('the end of its session', () => at.broker.sessionCount === 0)
    assert.equal(at.connections.unconnected.websocket, 0)
    assert.equal(at.connections.open.websocket, 1)
    const second = await at.upgrade()
    await second.came('connectMsMax')
    await second.closed()
    await until('its descriptor is free', () => at.connections.open.websocket === 1)
    assert.equal(at.connections.unconnected.websocket, 0)
    const other = await at.upgrade('127.0.0.2')
    await other.came('101')
    await until('the end of its session', () => at.broker.sessionCount === 0)
    assert.equal(at.connections.open.websocket, 2)
  }))

test('WebSocket: what is far too large to be answered is counted', () =>
  withListeners({}, async (at) => {
    const tap = await at.upgrade()
    await tap.came('101')
    const head = Buffer.alloc(14)
    head[0] = 0x82
    head[1] = 0xff
    head.writeUInt32BE(4_000_000, 6)
    tap.socket.write(head)
    await tap.closed()
    assert.equal(at.broker.counts.errors.get('limit_exceeded'), 1)
  }))
