// The upstream connector against a scripted broker: what a real one does seldom, or never.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { FORMATS } from '../../../src/source/formats.ts'
import type { UpstreamOptions } from '../../../src/source/stomp/upstream-options.ts'
import { certificate } from '../betfair/exchange.ts'
import { type Frame, type ListenOptions, type Peer, type Script, ScriptedBroker } from '../kit/scripted-broker.ts'
import { wireObservation } from '../../../src/source/observations/observations.ts'
import { ROOT } from '../../root.ts'
import { bodyOf, local, observation, T0, World } from './world.ts'

const uncaught: unknown[] = []
process.on('uncaughtException', (error) => uncaught.push(error))
process.on('unhandledRejection', (error) => uncaught.push(error))
after(() => assert.deepEqual(uncaught, []))

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

const listen = async (script?: Script, options: ListenOptions = {}): Promise<ScriptedBroker> => {
  const broker = await ScriptedBroker.listen(script, options)
  ending.push(() => broker.close())
  return broker
}

const start = (broker: ScriptedBroker, changed: Partial<UpstreamOptions> = {}): World => {
  const world = new World({ endpoints: [local(broker.port)], destinations: ['/queue/odds'], ...changed })
  ending.push(() => world.broker.stop())
  return world
}

const message = (
  peer: Peer,
  number: number,
  headers: Readonly<Record<string, string>> = {},
  body = bodyOf(number),
): void =>
  peer.send(
    'MESSAGE',
    {
      destination: '/queue/odds',
      subscription: '0',
      'message-id': `m-${number}`,
      ack: `a-${number}`,
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
    body,
  )

/** Sends messages `from` to `to` to whoever subscribes. */
const sending =
  (from: number, to: number): Script =>
  (frame, peer) => {
    if (frame.command !== 'SUBSCRIBE') return false
    peer.receipt(frame)
    for (let number = from; number <= to; number++) message(peer, number)
    return true
  }

const answers = (broker: ScriptedBroker): string[] =>
  broker.frames
    .filter(({ command }) => command.endsWith('ACK'))
    .map(({ command, headers }) => `${command} ${headers.id}`)

const commands = (frames: readonly Frame[]): string[] => frames.map(({ command }) => command)

test('it says who it is, what it wants and how fast, and answers after the take', async () => {
  const broker = await listen(sending(1, 2))
  const world = start(broker, { vhost: '/odds', headers: { 'x-queue-type': 'quorum' }, prefetch: 7 })
  const open = world.close()
  await world.untilFact('held', (held) => held === 2)
  assert.deepEqual(answers(broker), [])
  assert.equal(world.broker.hasDelivered(), false)
  open()
  await broker.until(() => answers(broker).length === 2)
  assert.equal(world.broker.hasDelivered(), true)
  assert.deepEqual(answers(broker), ['ACK a-1', 'ACK a-2'])
  await world.broker.stop()
  assert.deepEqual(commands(broker.frames), ['CONNECT', 'SUBSCRIBE', 'ACK', 'ACK', 'DISCONNECT'])
  const [connect, subscribe] = broker.frames
  assert.equal(connect!.headers.host, '/odds')
  assert.equal(connect!.headers.login, 'guest')
  assert.equal(connect!.headers['heart-beat'], '10000,10000')
  assert.deepEqual(subscribe!.headers, {
    'prefetch-count': '7',
    'x-queue-type': 'quorum',
    destination: '/queue/odds',
    id: '0',
    ack: 'client-individual',
    receipt: '0',
  })
})

test('a broker before STOMP 1.2 gets its own headers of an answer', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command === 'CONNECT') peer.send('CONNECTED', { version: '1.1' })
    else if (frame.command === 'SUBSCRIBE') {
      peer.receipt(frame)
      const body = bodyOf(1)
      const headers = {
        destination: '/queue/odds',
        subscription: '0',
        'message-id': 'm-1',
        'content-length': body.length,
      }
      peer.send('MESSAGE', headers, body)
    } else return false
    return true
  })
  start(broker)
  await broker.until(() => broker.frames.some(({ command }) => command === 'ACK'))
  const { headers } = broker.frames.find(({ command }) => command === 'ACK')!
  assert.deepEqual(headers, { subscription: '0', 'message-id': 'm-1' })
})

test('a broker that minds no prefetch is not read any further, and its silence then is no death', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'CONNECT') return sending(1, 500)(frame, peer, broker)
    peer.send('CONNECTED', { version: '1.2', 'heart-beat': '20,20' })
    return true
  })
  const world = start(broker, { prefetch: 3, heartbeatMs: 20 })
  const open = world.close()
  await world.untilFact('held', (held) => held === 3)
  const beats = (): number => broker.sockets.values().next().value?.bytesRead ?? 0
  const before = beats()
  // Our own heart-beats tell the time: many times the silence that a broker is granted.
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (beats() < before + 20) return
      clearInterval(look)
      resolve()
    }, 5)
  })
  assert.equal(world.broker.facts().held, 3)
  assert.deepEqual([broker.connections, world.told], [1, []])
  open()
  await broker.until(() => answers(broker).length === 500)
  assert.deepEqual(
    world.counts(1, 500).filter((count) => count !== 1),
    [],
  )
})

test('bodies that are long are held in less number', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command === 'CONNECT') peer.send('CONNECTED', { version: '1.2', 'heart-beat': '20,20' })
    else if (frame.command === 'SUBSCRIBE') {
      peer.receipt(frame)
      for (let number = 1; number <= 20; number++) message(peer, number, {}, bodyOf(number).padEnd(9_000))
    } else return false
    return true
  })
  const limits = { heldBytesMax: 50_000 } as UpstreamOptions['limits']
  const world = start(broker, { prefetch: 20, heartbeatMs: 20, limits })
  const open = world.close()
  // One more that may have 20 000 bytes must fit.
  await world.untilFact('held', (held) => held === 4)
  const beats = (): number => broker.sockets.values().next().value?.bytesRead ?? 0
  const before = beats()
  await world.untilFact('held', () => beats() > before + 5)
  assert.equal(world.broker.facts().held, 4)
  open()
  await broker.until(() => answers(broker).length === 20)
  assert.equal(world.taken.length, 20)
})

test('what is not on the board at the stop is not answered', async () => {
  const broker = await listen(sending(1, 5))
  const world = start(broker)
  const open = world.close()
  await world.untilFact('held', (held) => held === 5)
  world.board.isClosed = true
  const stopped = world.broker.stop()
  open()
  await stopped
  assert.deepEqual(answers(broker), [])
  assert.deepEqual(world.taken, [])
})

test('what fails in taking a message is told, and the message comes again', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'SUBSCRIBE') return false
    peer.receipt(frame)
    message(peer, 1, { ack: `of-${peer.number}` })
    return true
  })
  const world = start(broker)
  world.failure = new RangeError('out of range')
  await broker.until(() => answers(broker).length > 0)
  assert.deepEqual(answers(broker), ['ACK of-2'])
  assert.deepEqual(world.taken, [1])
  assert.equal(world.told.length, 1)
  assert.match(world.told[0]!, /was lost: processing a message failed: RangeError: out of range$/)
})

/** An observation of another event. */
const other = (number: number, event: string, ms = 0): string =>
  JSON.stringify(
    wireObservation({
      ...observation(number),
      observedAt: T0 + number + ms,
      event: { ...observation(number).event, home: `Home ${event}`, sourceKey: `northbet:${event}` },
    }),
  )

test('what was fed from destinations that keep nothing for us is suspended when the connection is lost', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'SUBSCRIBE') return false
    peer.receipt(frame)
    if (peer.number > 1) {
      message(peer, 9)
      return true
    }
    message(peer, 2)
    message(peer, 3, {}, other(3, 'a'))
    message(peer, 5, {}, other(5, 'b'))
    return true
  })
  const world = start(broker, { durable: false })
  await broker.until(() => answers(broker).length === 3)
  assert.deepEqual(world.board.shown(), ['open', 'open', 'open'])
  const open = world.close()
  for (const socket of broker.sockets) socket.destroy()
  await broker.until(() => broker.connections === 2)
  await world.untilFact('held', (held) => held === 1)
  assert.deepEqual(world.board.shown(), ['suspended', 'suspended', 'suspended'])
  open()
  await broker.until(() => answers(broker).length === 4)
  assert.deepEqual(world.board.shown(), ['open', 'suspended', 'suspended'], 'what is spoken of is as it says')
  for (const socket of broker.sockets) socket.destroy()
  await broker.until(() => broker.connections === 3)
  assert.deepEqual(world.board.statements, ['suspect messages gap', 'suspect messages gap'])
})

test('what came by a connection that is lost is not taken after what it fed was suspended', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'SUBSCRIBE') return false
    peer.receipt(frame)
    if (peer.number === 1) for (const number of [1, 2, 3]) message(peer, number)
    return true
  })
  const world = start(broker, { durable: false })
  const open = world.close()
  await world.untilFact('held', (held) => held === 3)
  for (const socket of broker.sockets) socket.destroy()
  await broker.until(() => broker.connections === 2)
  open()
  await world.until(() => world.board.statements.length > 0)
  assert.deepEqual([world.taken, world.board.shown()], [[1], ['suspended']])
})

test('where the destinations keep what comes nothing is suspended', async () => {
  const broker = await listen(sending(1, 1))
  const world = start(broker)
  await broker.until(() => answers(broker).length === 1)
  for (const socket of broker.sockets) socket.destroy()
  await broker.until(() => answers(broker).length === 2)
  assert.deepEqual(world.board.statements, [])
})

test('malformed messages get an ACK or, where it is asked for, a NACK that does not bring them back', async () => {
  for (const onMalformed of ['ack', 'nack'] as const) {
    const broker = await listen((frame, peer) => {
      if (frame.command !== 'SUBSCRIBE') return false
      peer.receipt(frame)
      message(peer, 1, {}, 'nothing')
      message(peer, 2)
      return true
    })
    start(broker, { onMalformed })
    await broker.until(() => answers(broker).length === 2)
    assert.deepEqual(answers(broker), [onMalformed === 'ack' ? 'ACK a-1' : 'NACK a-1', 'ACK a-2'])
    const nack = broker.frames.find(({ command }) => command === 'NACK')
    assert.equal(nack?.headers.requeue, onMalformed === 'nack' ? 'false' : undefined)
  }
})

test('what came by a connection that is gone is not answered on the next one', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'SUBSCRIBE') return false
    peer.receipt(frame)
    if (peer.number === 1) for (const number of [1, 2, 3]) message(peer, number)
    else message(peer, 1, { ack: 'again-1', redelivered: 'true' })
    return true
  })
  const world = start(broker)
  const open = world.close()
  await world.untilFact('held', (held) => held === 3)
  for (const socket of broker.sockets) socket.destroy()
  await world.untilFact('held', (held) => held === 1)
  open()
  await broker.until(() => answers(broker).length > 0)
  assert.deepEqual(answers(broker), ['ACK again-1'])
  assert.deepEqual(world.taken, [1, 1])
  assert.equal(world.broker.facts().redelivered, 1)
})

test('a body of another format is a piece of that format', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'SUBSCRIBE') return false
    peer.receipt(frame)
    message(peer, 1, {}, '[{"id":1}]')
    message(peer, 2, {}, '{')
    return true
  })
  const world = start(broker, { format: FORMATS['the-odds-api'] })
  await broker.until(() => answers(broker).length === 2)
  assert.equal(world.malformed.length, 2)
  assert.match(world.malformed[0]!, /^message 1 \[0\]/)
  assert.match(world.malformed[1]!, /^message 2 /)
  assert.equal(world.broker.facts().unreadable, 2)
})

test('messages in American odds are refused, or converted where the configuration says so', async () => {
  const american = readFileSync(join(ROOT, 'fixtures', 'the-odds-api', 'american.json'), 'utf8')
  for (const [facts, quotes] of [
    [{}, 0],
    [{ oddsFormat: 'american' }, 8],
  ] as const) {
    const broker = await listen((frame, peer) => {
      if (frame.command !== 'SUBSCRIBE') return false
      peer.receipt(frame)
      message(peer, 1, {}, american)
      return true
    })
    const world = start(broker, { format: FORMATS['the-odds-api'], facts })
    await broker.until(() => answers(broker).length === 1)
    assert.equal(world.account.totals().mapped, quotes)
    assert.equal(world.broker.facts().unreadable, quotes === 0 ? 1 : 0)
    if (quotes === 0) assert.match(world.malformed[0]!, /^message 1 holds American odds/)
  }
})

test('a broker whose messages name no teams is told once, with what to give', async () => {
  const lines = readFileSync(join(ROOT, 'fixtures', 'betfair', 'unnamed.jsonl'), 'utf8')
    .trim()
    .split('\n')
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'SUBSCRIBE') return false
    peer.receipt(frame)
    for (const [index, line] of lines.entries()) message(peer, index + 1, {}, line)
    return true
  })
  const world = start(broker, { format: FORMATS.betfair, prefetch: lines.length })
  await broker.until(() => answers(broker).length === lines.length)
  const told = world.told.filter((line) => line.includes('does not name'))
  assert.equal(told.length, 1)
  assert.match(told[0]!, /--fixtures FILE \(fixtures of a file or stomp source\)/)
  assert.match(
    world.broker.trouble()!,
    /^does not name 2 events .*--fixtures FILE/,
    'in the status as long as it is so',
  )
})

test('heart-beats count as signs of life of the source only where the configuration says so', async () => {
  const beating: Script = (frame, peer) => {
    if (frame.command !== 'CONNECT') return false
    peer.send('CONNECTED', { version: '1.2', 'heart-beat': '20,20' })
    const beat = setInterval(() => peer.socket.write('\n'), 20)
    peer.socket.on('close', () => clearInterval(beat))
    return true
  }
  const quiet = start(await listen(beating), { heartbeatMs: 20 })
  const healthy = start(await listen(beating), { heartbeatMs: 20, quietIsHealthy: true })
  await healthy.until(() => healthy.heard > 5)
  assert.equal(quiet.broker.facts().state, 'open')
  assert.equal(quiet.heard, 0)
})

test('a longer heart-beat than was asked for is told, and as quiet as was agreed is healthy', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'CONNECT') return false
    peer.send('CONNECTED', { version: '1.2', 'heart-beat': '500,0' })
    return true
  })
  const world = start(broker, { quietIsHealthy: true, heartbeatMs: 20 })
  await world.until(() => world.heard > 20)
  assert.equal(broker.connections, 1)
  await broker.until(() => broker.connections === 2)
  assert.deepEqual(
    world.told.map((line) => line.replace(/stomp:\S+/, 'ADDRESS')),
    [
      'warn the broker agrees to a heart-beat every 0.5 s, and not every 0.02 s as requested: its silence is noticed later; ' +
        'set heartbeatSeconds to 0.5',
      'warn ADDRESS was lost: no heart-beat within 1.25 s',
    ],
  )
})

test('a broker without heart-beats is told once, and is not healthy by being quiet', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.command !== 'CONNECT') return false
    peer.send('CONNECTED', { version: '1.2', 'heart-beat': '0,0' })
    return true
  })
  const world = start(broker, { quietIsHealthy: true })
  await world.untilFact('state', (state) => state === 'open')
  for (const socket of broker.sockets) socket.destroy()
  await broker.until(() => broker.connections === 2)
  await world.untilFact('state', (state) => state === 'open')
  assert.equal(world.heard, 0)
  assert.deepEqual(
    world.told.filter((line) => line.includes('heart-beats')),
    [
      'warn the broker agrees to no heart-beats: a quiet one cannot be distinguished from a dead one, and counts as dead; ' +
        'make it send some, or set quietIsHealthy to false, and then nothing is suspended however long it is quiet',
    ],
  )
})

test('addresses are tried in their order, and problems of each are told once', async () => {
  const gone = await listen()
  const { port } = gone
  await gone.close()
  ending.splice(0)
  const refusing = await listen((frame, peer) => {
    if (frame.command !== 'CONNECT') return false
    peer.send('ERROR', { message: 'no', 'content-type': 'text/plain', 'content-length': 8 }, 'not you\n')
    peer.socket.end()
    return true
  })
  const good = await listen(sending(1, 1))
  const world = start(good, { endpoints: [local(port), local(refusing.port), local(good.port)] })
  await world.until(() => world.taken.length === 1)
  assert.equal(world.broker.facts().address, `stomp://127.0.0.1:${good.port}`)
  assert.equal(world.told.length, 2)
  assert.match(world.told[0]!, /cannot be reached: .*ECONNREFUSED/)
  assert.match(world.told[1]!, /refuses us: no: not you$/)
  for (const socket of good.sockets) socket.destroy()
  await good.until(() => good.connections === 2)
  assert.equal(refusing.connections, 2)
})

test('over TLS only a certificate that is trusted will do', {
  skip: certificate === undefined && 'openssl is not installed',
}, async () => {
  const broker = await listen(sending(1, 1), { tls: certificate! })
  const endpoints = [local(broker.port, true)]
  const trusting = start(broker, { endpoints, caFile: certificate!.file })
  await trusting.until(() => trusting.taken.length === 1)
  const careful = start(broker, { endpoints })
  await careful.until(() => careful.told.length > 0)
  assert.match(careful.told[0]!, /cannot be reached: .*self-signed/)
})

test('it stops wherever it is, and a refresh is declined in words', async () => {
  const silent =
    (command: string): Script =>
    (frame) =>
      frame.command === command
  for (const command of ['CONNECT', 'SUBSCRIBE', 'DISCONNECT']) {
    const broker = await listen(silent(command))
    const world = start(broker, { limits: { closeMsMax: 20 } as UpstreamOptions['limits'] })
    const waited = command === 'DISCONNECT' ? 'SUBSCRIBE' : command
    await broker.until(() => broker.frames.some((frame) => frame.command === waited))
    await world.broker.stop()
    assert.equal(world.broker.facts().state, 'stopped')
    await broker.until(() => broker.sockets.size === 0)
    assert.match((await world.broker.refresh()) ?? '', /has no current state/)
  }
})
