// docs/live-protocol.md 10: the two public clients as referees, each used as its users use it.

import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { Client as StompJs, type IFrame, type IMessage, Versions } from '@stomp/stompjs'
import { unpack } from 'msgpackr'
import { WebSocket } from 'ws'
import { endedWithTests } from '../children.ts'
import { called, Happened } from './happened.ts'
import { RawClient } from './raw-client.ts'
import { Wire } from './wire.ts'
import { AWAY, type Fixture, HOME, World } from './world.ts'

// stompjs finds it there, as in a browser.
Object.assign(globalThis, { WebSocket })

/** The part of stompit that these tests use; it has no types of its own. */
interface StompitMessage {
  readonly headers: Readonly<Record<string, string>>
  readString(encoding: string, callback: (error: Error | null, body: string) => void): void
}

interface StompitSubscription {
  unsubscribe(): void
}

interface StompitClient extends EventEmitter {
  readonly headers: Readonly<Record<string, string>>
  subscribe(
    headers: Record<string, string>,
    listener: (error: Error | null, message: StompitMessage) => void,
  ): StompitSubscription
  sendString(headers: Record<string, string>, body: string, options: { onReceipt: () => void }): void
  sendFrame(command: string, headers: Record<string, string>, options?: { onReceipt: () => void }): { end(): void }
  begin(): {
    send(headers: Record<string, string>, options?: { onReceipt: () => void }): { end(body: string): void }
    commit(options: { onReceipt: () => void }): void
    abort(options: { onReceipt: () => void }): void
  }
  ack(message: StompitMessage): void
  nack(message: StompitMessage): void
  disconnect(callback: (error: Error | null) => void): void
}

interface StompitOptions {
  readonly host: string
  readonly port: number
  readonly connectHeaders: Readonly<Record<string, string>>
}

type Reconnect = () => void

interface Stompit {
  connect(options: StompitOptions, callback: (error: Error | null, client: StompitClient) => void): void
  readonly ConnectFailover: new (
    servers: readonly StompitOptions[],
    options: { initialReconnectDelay: number },
  ) => {
    connect(callback: (error: Error | null, client: StompitClient, reconnect: Reconnect) => void): { abort(): void }
  }
}

const stompit = createRequire(import.meta.url)('stompit') as Stompit

let world: World

before(async () => {
  world = await World.start()
})

after(async () => {
  await world?.stop()
})

/** Waits until so many seconds have passed on the service's own clock. */
const seconds = async (count: number): Promise<void> => {
  const client = await RawClient.open(world.endpoint, 'tcp', '1.2')
  await client.connect({ passcode: world.deskKey })
  await client.subscribe('/topic/lag')
  await client.several(count)
  client.destroy()
}

const oddsIn = (body: string): number[] =>
  (JSON.parse(body) as { quotes: { odds: number }[] }).quotes.map((quote) => quote.odds)

/** The number of the price `home` in the part of a numbered snapshot. */
const homeNumberIn = (body: unknown): number =>
  (body as { quotes: { number: number; outcome: string }[] }).quotes.find(({ outcome }) => outcome === 'home')!.number

const observationText = (event: Fixture, odds: number): string => JSON.stringify(event.observation([{ ...HOME, odds }]))

describe('stompit 1.0.0 over TCP', { concurrency: true }, () => {
  const options = (key: string, headers: Record<string, string> = {}, port = world.endpoint.stomp): StompitOptions => ({
    host: '127.0.0.1',
    port,
    connectHeaders: { host: '/', login: 'desk', passcode: key, ...headers },
  })

  const connect = (key: string, headers?: Record<string, string>): Promise<StompitClient> =>
    called((done, fail) =>
      stompit.connect(options(key, headers), (error, client) => (error === null ? done(client) : fail(error))),
    )

  const textOf = (message: StompitMessage): Promise<string> =>
    called((done, fail) => message.readString('utf-8', (error, body) => (error === null ? done(body) : fail(error))))

  /** Subscribes; every message is read, as it must be. Resolves when the subscription was accepted. */
  const subscribe = async (client: StompitClient, headers: Record<string, string>) => {
    const messages = new Happened<{ message: StompitMessage; body: string }>()
    const subscription = client.subscribe(headers, (error, message) => {
      if (error !== null) return
      void textOf(message).then((body) => messages.add({ message, body }))
    })
    // stompit asks for no receipt with SUBSCRIBE; that of the next frame says as much.
    await called<void>((done) =>
      client.sendFrame('BEGIN', { transaction: 'subscribed' }, { onReceipt: () => done() }).end(),
    )
    return { messages, subscription }
  }

  const disconnect = (client: StompitClient): Promise<void> =>
    called((done, fail) => client.disconnect((error) => (error === null ? done() : fail(error))))

  for (const version of ['1.0', '1.1', '1.2', '1.0,1.1,1.2']) {
    it(`subscribes, reads, acknowledges and disconnects in ${version}`, async () => {
      const event = await world.event(world.book())
      const client = await connect(world.deskKey, { 'accept-version': version })
      assert.equal(client.headers.version, version.slice(-3))
      const { messages } = await subscribe(client, {
        destination: event.topic(),
        ack: 'client-individual',
        snapshot: 'true',
      })
      const snapshot = await messages.next()
      assert.equal(snapshot.message.headers.kind, 'snapshot')
      client.ack(snapshot.message)
      const end = await messages.next()
      assert.equal(end.message.headers.kind, 'snapshot-end')
      client.ack(end.message)
      await event.observe([{ ...HOME, odds: 2.5 }])
      const update = await messages.next()
      assert.deepEqual(oddsIn(update.body), [2.5])
      if (version === '1.0') client.ack(update.message)
      else client.nack(update.message)
      await disconnect(client)
    })
  }

  it('reads numbered quotes, which have neither content-length nor content-type', async () => {
    const event = await world.event(world.book())
    await event.observe([{ ...HOME, odds: 2.5 }])
    const client = await connect(world.deskKey)
    const { messages } = await subscribe(client, { destination: event.topic(), snapshot: 'true', quotes: 'numbered' })
    const number = homeNumberIn(JSON.parse((await messages.next()).body))
    assert.equal((await messages.next()).message.headers.kind, 'snapshot-end')
    for (const odds of [2.6, 2.7, 2.8]) {
      await event.observe([{ ...HOME, odds }])
      const { message, body: text } = await messages.next()
      assert.equal(message.headers['content-length'], undefined)
      assert.deepEqual((JSON.parse(text) as unknown[])[2], [number, odds * 1000])
    }
    await disconnect(client)
  })

  it('sends observations, with receipts and in transactions', async () => {
    const event = await world.event(world.book())
    const feeder = await connect(world.feedKey)
    // stompit writes the receipt into the headers that it is given: each frame has its own.
    const headers = { destination: `/feed/${event.book}` }
    await called<void>((done) =>
      feeder.sendString({ ...headers }, observationText(event, 2.5), { onReceipt: () => done() }),
    )
    assert.equal((await world.oddsOnRest(event.id, event.book, 'live')).get('match_result_1x2 null home'), 2.5)
    const taken = feeder.begin()
    taken.send({ ...headers }).end(observationText(event, 3))
    taken.send({ ...headers }).end(observationText(event, 3.5))
    await called<void>((done) => taken.commit({ onReceipt: () => done() }))
    const dropped = feeder.begin()
    dropped.send({ ...headers }).end(observationText(event, 4))
    await called<void>((done) => dropped.abort({ onReceipt: () => done() }))
    assert.equal((await world.oddsOnRest(event.id, event.book, 'live')).get('match_result_1x2 null home'), 3.5)
    await disconnect(feeder)
  })

  it('keeps its heart-beats', async () => {
    const client = await connect(world.deskKey, { 'heart-beat': '1000,1000' })
    const failed = new Happened<Error>()
    client.on('error', (error: Error) => failed.add(error))
    await seconds(5)
    assert.equal(failed.waiting, 0)
    await disconnect(client)
  })

  it('unsubscribes in the middle of a stream and lives on', async () => {
    const event = await world.event(world.book())
    const client = await connect(world.deskKey)
    const failed = new Happened<Error>()
    client.on('error', (error: Error) => failed.add(error))
    const { messages, subscription } = await subscribe(client, { destination: event.topic() })
    const sends = Array.from({ length: 300 }, (_, place) => event.observe([{ ...HOME, odds: 2 + place }]))
    await messages.next()
    subscription.unsubscribe()
    await Promise.all(sends)
    await called<void>((done) => client.sendFrame('BEGIN', { transaction: 'end' }, { onReceipt: () => done() }).end())
    assert.equal(failed.waiting, 0)
    await disconnect(client)
  })

  const REFUSALS: readonly (readonly [what: string, command: string, headers: Record<string, string>])[] = [
    ['an unknown destination', 'SUBSCRIBE', { id: 'a', destination: '/nowhere' }],
    ['an unknown command', 'NONSENSE', {}],
    ['a missing header', 'BEGIN', {}],
    ['a limit', 'BEGIN', { transaction: 'a', x: 'x'.repeat(9_000) }],
    ['a role', 'SEND', { destination: '/feed/x' }],
  ]

  for (const [what, command, headers] of REFUSALS) {
    it(`survives the ERROR of ${what}`, async () => {
      const client = await connect(world.deskKey)
      const { message, isFrame } = await called<{ message: string; isFrame: boolean }>((done) => {
        // Asked at once: the socket reports the same error afterwards, in another form.
        client.on('error', (error: Error & { isApplicationError(): boolean }) =>
          done({ message: error.message, isFrame: error.isApplicationError() }),
        )
        client.sendFrame(command, { ...headers }).end()
      })
      assert.notEqual(message, '')
      assert(isFrame, `${message} is no ERROR frame`)
    })
  }

  it('gets the reason why it was refused', async () => {
    await assert.rejects(connect('wrong'), /invalid_api_key/)
    await assert.rejects(connect(await world.key('--channels', 'rest')), /api_key_scope_denied/)
  })

  it('reconnects with ConnectFailover and resumes from its last message-id', async () => {
    const event = await world.event(world.book())
    const wire = await Wire.to(world.endpoint.stomp)
    const failover = new stompit.ConnectFailover([options(world.deskKey, {}, wire.port)], { initialReconnectDelay: 1 })
    const messages = new Happened<number>()
    const sessions = new Happened<StompitClient>()
    let last: string | undefined
    const connecting = failover.connect((error, client, reconnect) => {
      if (error !== null) throw error
      client.on('error', () => reconnect())
      const resume: Record<string, string> = last === undefined ? {} : { 'from-seq': last }
      client.subscribe({ destination: event.topic(), ...resume }, (fault, message) => {
        if (fault !== null) return
        last = message.headers['message-id']!
        void textOf(message).then((body) => {
          for (const odds of oddsIn(body)) messages.add(odds)
        })
      })
      client.sendFrame('BEGIN', { transaction: 'subscribed' }, { onReceipt: () => sessions.add(client) }).end()
    })
    await sessions.next()
    const got: number[] = []
    let odds = 2
    for (let round = 0; round < 3; round++) {
      await event.observe([{ ...HOME, odds: odds++ }])
      got.push(await messages.next())
      wire.cut()
      await event.observe([{ ...HOME, odds: odds++ }])
      await sessions.next()
      got.push(await messages.next())
    }
    assert.deepEqual(got, [2, 3, 4, 5, 6, 7])
    // Else it tries again and again.
    connecting.abort()
    wire.close()
  })
})

/** Programs of Debian's libraries: each prints the bodies of its messages in hexadecimal. */
const PROGRAMS = [
  {
    name: 'stomp.py',
    command: '/usr/bin/python3',
    probe: 'import stomp',
    program: `
import stomp, sys, threading
class Desk(stomp.ConnectionListener):
    def on_message(self, frame):
        body = frame.body if isinstance(frame.body, bytes) else frame.body.encode()
        print(frame.headers.get("kind", "short"), body.hex(), flush=True)
port, key, destination, *more = sys.argv[1:]
connection = stomp.Connection12([("127.0.0.1", int(port))], auto_decode=False)
connection.set_listener("desk", Desk())
connection.connect(passcode=key, wait=True)
headers = {"snapshot": "true", "quotes": "numbered", **({"content-type": more[0]} if more else {})}
connection.subscribe(destination, id="0", headers=headers)
threading.Event().wait()
`,
  },
  {
    name: 'stomp (Ruby)',
    command: 'ruby',
    probe: 'require "stomp"',
    program: `
require "stomp"
port, key, destination, type = ARGV
headers = { "accept-version" => "1.2", "host" => "localhost" }
client = Stomp::Connection.open("desk", key, "127.0.0.1", port.to_i, false, 1, headers)
wanted = { "id" => "0", "snapshot" => "true", "quotes" => "numbered" }
wanted["content-type"] = type if type
client.subscribe(destination, wanted)
while (message = client.receive)
  puts "#{message.headers["kind"] || "short"} #{message.body.unpack1("H*")}"
  $stdout.flush
end
`,
  },
] as const

describe('numbered quotes in other languages', { concurrency: true }, () => {
  for (const { name, command, probe, program } of PROGRAMS) {
    const isEval = command === 'ruby' ? '-e' : '-c'
    const isHere = spawnSync(command, [isEval, probe], { stdio: 'ignore' }).status === 0
    for (const type of ['application/json', 'application/msgpack']) {
      it(`${name} reads them as ${type}`, { skip: isHere ? false : `${name} is not installed` }, async () => {
        const event = await world.event(world.book())
        await event.observe([{ ...HOME, odds: 2.5 }])
        const args = [isEval, program, String(world.endpoint.stomp), world.deskKey, event.topic(), type]
        const child = endedWithTests(spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
        const lines = new Happened<string>()
        createInterface({ input: child.stdout! }).on('line', (line) => lines.add(line))
        const read = async (kind: string): Promise<unknown> => {
          const [got, hex] = (await lines.next()).split(' ')
          assert.equal(got, kind)
          const body = Buffer.from(hex!, 'hex')
          return type === 'application/json' ? JSON.parse(body.toString()) : unpack(body)
        }
        const number = homeNumberIn(await read('snapshot'))
        await read('snapshot-end')
        // 2.56 has a NUL in MessagePack.
        for (const odds of [2.56, 2.7, 2.8]) {
          await event.observe([{ ...HOME, odds }])
          assert.deepEqual(((await read('short')) as unknown[])[2], [number, odds * 1000])
        }
        child.kill()
      })
    }
  }
})

describe('@stomp/stompjs 7 over WebSocket', { concurrency: true }, () => {
  interface Session {
    readonly client: StompJs
    readonly connected: Happened<IFrame>
    readonly errors: Happened<IFrame>
    readonly closes: Happened<{ code: number }>
    readonly lost: Happened<void>
    readonly beats: Happened<void>
  }

  const start = (key: string, config: ConstructorParameters<typeof StompJs>[0] = {}): Session => {
    const connected = new Happened<IFrame>()
    const errors = new Happened<IFrame>()
    const closes = new Happened<{ code: number }>()
    const lost = new Happened<void>()
    const beats = new Happened<void>()
    const client = new StompJs({
      brokerURL: `ws://127.0.0.1:${world.endpoint.http}/stomp`,
      connectHeaders: { login: 'desk', passcode: key },
      reconnectDelay: 0,
      onConnect: (frame: IFrame) => connected.add(frame),
      onStompError: (frame: IFrame) => errors.add(frame),
      onWebSocketClose: (event: { code: number }) => closes.add(event),
      onHeartbeatLost: () => lost.add(),
      onHeartbeatReceived: () => beats.add(),
      ...config,
    })
    client.activate()
    return { client, connected, errors, closes, lost, beats }
  }

  const receiptFor = (client: StompJs, act: (headers: { receipt: string }) => void): Promise<void> =>
    called((done) => {
      const receipt = `r-${receiptFor.count++}`
      client.watchForReceipt(receipt, () => done())
      act({ receipt })
    })
  receiptFor.count = 0

  const subscribe = async (client: StompJs, destination: string, headers: Record<string, string> = {}) => {
    const messages = new Happened<IMessage>()
    let unsubscribe: (headers: { receipt: string }) => void = () => {}
    await receiptFor(client, (receipt) => {
      const subscription = client.subscribe(destination, (message) => messages.add(message), { ...headers, ...receipt })
      unsubscribe = (ending) => subscription.unsubscribe({ ...ending })
    })
    return { messages, unsubscribe }
  }

  for (const type of ['application/json', 'application/msgpack']) {
    it(`reads numbered quotes as ${type}`, async () => {
      const event = await world.event(world.book())
      await event.observe([{ ...HOME, odds: 2.5 }])
      const { client, connected } = start(world.deskKey)
      await connected.next()
      const headers = { snapshot: 'true', quotes: 'numbered', 'content-type': type }
      const { messages } = await subscribe(client, event.topic(), headers)
      const read = ({ body, binaryBody }: IMessage): unknown =>
        type === 'application/json' ? JSON.parse(body) : unpack(binaryBody)
      const number = homeNumberIn(read(await messages.next()))
      assert.equal((await messages.next()).headers.kind, 'snapshot-end')
      // 2.56 has a NUL in MessagePack.
      for (const odds of [2.56, 2.7, 2.8]) {
        await event.observe([{ ...HOME, odds }])
        assert.deepEqual((read(await messages.next()) as unknown[])[2], [number, odds * 1000])
      }
      await client.deactivate()
    })
  }

  for (const version of ['1.2', '1.1', '1.0']) {
    it(`subscribes, reads, acknowledges and disconnects in ${version}`, async () => {
      const event = await world.event(world.book())
      const versions = version === '1.2' ? Versions.default : new Versions([version])
      const { client, connected, errors } = start(world.deskKey, { stompVersions: versions })
      const frame = await connected.next()
      assert.equal(frame.headers.version, version)
      assert.equal(client.connectedVersion, version)
      const { messages, unsubscribe } = await subscribe(client, event.topic(), {
        ack: 'client-individual',
        snapshot: 'true',
      })
      const snapshot = await messages.next()
      assert.equal(snapshot.headers.kind, 'snapshot')
      snapshot.ack()
      ;(await messages.next()).ack()
      await event.observe([{ ...HOME, odds: 2.5 }])
      const update = await messages.next()
      assert.deepEqual(oddsIn(update.body), [2.5])
      if (version === '1.0') update.ack()
      else update.nack()
      await receiptFor(client, unsubscribe)
      await event.observe([{ ...AWAY, odds: 9 }])
      await client.deactivate()
      assert.equal(messages.waiting, 0)
      assert.equal(errors.waiting, 0)
    })
  }

  for (const [what, config] of [
    ['whole', {}],
    ['split', { splitLargeFrames: true, maxWebSocketChunkSize: 4_096 }],
    ['as binary messages', { forceBinaryWSFrames: true }],
  ] as const) {
    it(`sends large frames ${what}, with receipts and in transactions`, async () => {
      const event = await world.event(world.book())
      const { client, connected, errors } = start(world.feedKey, config)
      await connected.next()
      const destination = `/feed/${event.book}`
      const large = (odds: number): string => observationText(event, odds).padEnd(200_000, ' ')
      await receiptFor(client, (headers) => client.publish({ destination, body: large(2.5), headers }))
      assert.equal((await world.oddsOnRest(event.id, event.book, 'live')).get('match_result_1x2 null home'), 2.5)
      const taken = client.begin()
      client.publish({ destination, body: large(3), headers: { transaction: taken.id } })
      taken.commit()
      const dropped = client.begin()
      client.publish({ destination, body: large(4), headers: { transaction: dropped.id } })
      dropped.abort()
      const body = JSON.stringify(event.observation([{ ...AWAY, odds: 9 }]))
      await receiptFor(client, (headers) => client.publish({ destination, body, headers }))
      assert.equal((await world.oddsOnRest(event.id, event.book, 'live')).get('match_result_1x2 null home'), 3)
      await client.deactivate()
      assert.equal(errors.waiting, 0)
    })
  }

  it('keeps its heart-beats', async () => {
    const { client, connected, lost, beats, closes } = start(world.deskKey, {
      heartbeatIncoming: 1_000,
      heartbeatOutgoing: 1_000,
    })
    await connected.next()
    for (let beat = 0; beat < 8; beat++) await beats.next()
    assert.equal(lost.waiting, 0)
    assert.equal(closes.waiting, 0)
    await client.deactivate()
  })

  it('is closed after an ERROR, which it does not do itself', async () => {
    const { client, connected, errors, closes } = start(world.deskKey)
    await connected.next()
    client.subscribe('/nowhere', () => {})
    const error = await errors.next()
    assert.equal(error.headers.message, 'not_found')
    assert.equal((JSON.parse(error.body) as { error: { code: string } }).error.code, 'not_found')
    assert.equal((await closes.next()).code, 1002)
    await client.deactivate()
  })

  it('gets the reason why it was refused', async () => {
    const { client, errors, closes } = start('wrong')
    assert.equal((await errors.next()).headers.message, 'invalid_api_key')
    await closes.next()
    await client.deactivate()
  })

  it('reconnects and resumes from its last message-id', async () => {
    const event = await world.event(world.book())
    const wire = await Wire.to(world.endpoint.http)
    const messages = new Happened<number>()
    const subscribed = new Happened<void>()
    let last: string | undefined
    const { client } = start(world.deskKey, {
      brokerURL: `ws://127.0.0.1:${wire.port}/stomp`,
      reconnectDelay: 1,
      onConnect: () => {
        const resume: Record<string, string> = last === undefined ? {} : { 'from-seq': last }
        const receipt = `subscribed-${last}`
        client.watchForReceipt(receipt, () => subscribed.add())
        const take = (message: IMessage): void => {
          last = message.headers['message-id']!
          for (const odds of oddsIn(message.body)) messages.add(odds)
        }
        client.subscribe(event.topic(), take, { id: 'stays', receipt, ...resume })
      },
    })
    await subscribed.next()
    const got: number[] = []
    let odds = 2
    for (let round = 0; round < 3; round++) {
      await event.observe([{ ...HOME, odds: odds++ }])
      got.push(await messages.next())
      wire.cut()
      await event.observe([{ ...HOME, odds: odds++ }])
      await subscribed.next()
      got.push(await messages.next())
    }
    assert.deepEqual(got, [2, 3, 4, 5, 6, 7])
    await client.deactivate()
    wire.close()
  })
})
