// Resuming with the real service: desks whose connections break 1 000 times, in the middle of frames too, end where
// their uninterrupted twin is, and have got everything once. After a kill of the server they begin again, and
// get the reason.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'
import { Random, SEED } from '../random.ts'
import { done, get, list, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { Desk } from './desk.ts'
import { CARRIERS, type Carrier, RawClient } from './raw-client.ts'
import { IllFormed } from './strict-frames.ts'

const ALL = '/topic/odds.*.*.*'
const BOOKS = ['alpha', 'beta']
const EVENTS = 20
const CUTS = 1_000
const DESKS = 10

const folder = newFolder()
/** What has to be closed, whatever became of the tests. */
const opened: { close(): void }[] = []
let service: RunningService
let deskKey: string
let feedKey: string

before(async () => {
  const coverage = writeCoverage(
    folder.path,
    BOOKS.map((slug) => [slug, 'verified_rest_live', true, true] as const),
  )
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  deskKey = done(folder.path, 'key', 'create', '--org', 'desk')
  feedKey = done(folder.path, 'key', 'create', '--org', 'desk', '--feed', BOOKS.join())
  service = await startService(folder.path, '--coverage', coverage, '--log-level', 'warn')
})

after(async () => {
  for (const each of opened) each.close()
  await service?.stop()
  folder.remove()
})

/** A proxy between a client and the service that breaks the connection after so many octets to the client. */
class Scissors {
  /** Of the next connection. */
  octets = Number.POSITIVE_INFINITY
  private readonly server: Server
  private readonly sockets = new Set<Socket>()

  static async open(portBehind: () => number): Promise<Scissors> {
    const scissors = new Scissors(portBehind)
    scissors.server.listen(0, '127.0.0.1')
    await once(scissors.server, 'listening')
    return scissors
  }

  private constructor(portBehind: () => number) {
    this.server = createServer((client) => {
      let left = this.octets
      const behind = createConnection(portBehind(), '127.0.0.1')
      for (const socket of [client, behind]) {
        this.sockets.add(socket)
        socket.setNoDelay(true)
        // A reset; `close` follows.
        socket.on('error', () => {})
        socket.on('close', () => {
          this.sockets.delete(socket)
          client.destroy()
          behind.destroy()
        })
      }
      client.on('data', (bytes) => behind.write(bytes))
      behind.on('data', (bytes) => {
        const part = bytes.subarray(0, left)
        left -= part.length
        client.write(part, () => {
          if (left === 0) client.destroy()
        })
      })
    })
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.server.close()
  }
}

/** A feed that sends random prices, and waits for each RECEIPT. */
class Feed {
  told = 0
  private readonly client: RawClient
  private readonly random: Random

  constructor(client: RawClient, random: Random) {
    this.client = client
    this.random = random
  }

  static async open(random: Random): Promise<Feed> {
    const client = await RawClient.open({ stomp: service.stompPort, http: service.port }, 'tcp', '1.2')
    await client.connect({ passcode: feedKey })
    const feed = new Feed(client, random)
    opened.push(feed)
    return feed
  }

  /** Sends `count` observations; resolves when all are on the board. */
  async tell(count: number): Promise<void> {
    const { random } = this
    for (let n = 0; n < count; n++) {
      const quotes = ['home', 'draw', 'away']
        .filter(() => random.chance(0.7))
        .map((outcome) => ({
          type: 'match_result_1x2',
          outcome,
          odds: 1 + random.int(1, 900) / 100,
          status: random.chance(0.85) ? 'open' : random.pick(['suspended', 'closed']),
        }))
      await this.send(random.int(1, EVENTS), random.pick(BOOKS), quotes, n === count - 1)
    }
  }

  /** Sends one price that no other observation has, as the last one. */
  async tellLast(): Promise<void> {
    await this.send(1, BOOKS[0]!, [{ type: 'odd_even', outcome: 'odd', odds: 7.77 }], true)
  }

  async send(n: number, book: string, quotes: readonly object[], confirms: boolean): Promise<void> {
    this.told++
    const body = JSON.stringify({
      transport: 'live',
      observedAt: new Date(clock.now()).toISOString(),
      event: {
        sport: 'football',
        league: { key: 'league', name: 'League' },
        home: `Home ${n}`,
        away: `Away ${n}`,
        kickoffAt: '2030-01-01T12:00:00.000Z',
      },
      quotes,
    })
    if (confirms) await this.client.request('SEND', { destination: `/feed/${book}` }, body)
    else await this.client.frame('SEND', { destination: `/feed/${book}` }, body)
  }

  close(): void {
    this.client.destroy()
  }
}

/** A desk that connects again whenever its connection breaks. */
class Resumer {
  readonly desk: Desk
  /** Bodies of updates by message id, in the order in which they came. */
  readonly updates = new Map<string, string>()
  cuts = 0
  readonly carrier: Carrier
  private awaited: { readonly isTrue: () => boolean; readonly resolve: () => void } | undefined
  private readonly scissors: { readonly [Name in Carrier]: Scissors }

  constructor(carrier: Carrier, scissors: { readonly [Name in Carrier]: Scissors }, name: string) {
    this.carrier = carrier
    this.scissors = scissors
    this.desk = new Desk({ destination: ALL, name })
  }

  static async open(carrier: Carrier, name: string): Promise<Resumer> {
    const tcp = await Scissors.open(() => service.stompPort)
    const websocket = await Scissors.open(() => service.port)
    const resumer = new Resumer(carrier, { tcp, websocket }, name)
    opened.push(resumer)
    return resumer
  }

  get has(): boolean {
    return [...this.desk.quotes.keys()].some((name) => name.endsWith('odd_even none odd'))
  }

  /** Resolves when a message that {@link run} reads makes this true. */
  until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.awaited = { isTrue, resolve }
    })
  }

  /** Connects, resumes, and reads until the connection breaks or `isDone`. */
  async run(octets: number, isDone: () => boolean): Promise<void> {
    this.scissors[this.carrier].octets = octets
    const { tcp, websocket } = this.scissors
    let client: RawClient | undefined
    const { desk } = this
    try {
      client = await RawClient.open({ stomp: tcp.port, http: websocket.port }, this.carrier, '1.2')
      await client.connect({ passcode: deskKey })
      if (desk.seq === undefined) desk.awaitSnapshot()
      else desk.goOn()
      await client.frame('SUBSCRIBE', { id: 'sub-0', destination: ALL, ...desk.resumeHeaders })
      while (!isDone()) {
        const frame = await client.next()
        if (frame.command !== 'MESSAGE') throw new assert.AssertionError({ message: `${frame.command} came` })
        desk.apply(frame)
        if (this.awaited?.isTrue() === true) this.awaited.resolve()
        if (frame.headers.get('kind') !== 'update') continue
        const id = frame.headers.get('message-id')!
        assert(!this.updates.has(id), `${id} came twice`)
        this.updates.set(id, frame.body.toString('utf8'))
      }
    } catch (error) {
      // The broken connection itself; a fault of frames or their order fails the test.
      if (error instanceof IllFormed || error instanceof assert.AssertionError) throw error
      this.cuts++
    } finally {
      client?.destroy()
    }
  }

  close(): void {
    for (const each of Object.values(this.scissors)) each.close()
  }
}

/** Open quotes on REST, as `name odds`. */
const openOnRest = async (): Promise<string[]> => {
  const open: string[] = []
  const { body } = await get(service, '/events?transport=live&limit=500', deskKey)
  for (const { id } of list(body.data)) {
    const odds = await get(service, `/events/${id}/odds?transport=live`, deskKey)
    for (const market of list(odds.body.data!.markets)) {
      for (const { slug, outcomes } of list(market.bookmakers)) {
        for (const { outcome, odds: value } of list(outcomes)) {
          open.push(`${id} ${slug} ${market.type} ${market.line ?? 'none'} ${outcome} ${value}`)
        }
      }
    }
  }
  return open.sort()
}

const openOf = ({ quotes }: Desk): string[] =>
  [...quotes]
    .filter(([, { status }]) => status === 'open')
    .map(([name, { odds }]) => `${name} ${odds}`)
    .sort()

test(`desks that are disconnected ${CUTS} times end where their uninterrupted twin is, with everything once`, {
  timeout: 120_000,
}, async () => {
  const random = new Random(SEED)
  const feed = await Feed.open(random)
  await feed.tell(100)
  const twin = await Resumer.open('tcp', 'twin')
  const resumers = await Promise.all(
    Array.from({ length: DESKS }, (_, n) => Resumer.open(CARRIERS[n % 2]!, `desk ${n}`)),
  )
  // All begin with the same snapshot.
  const isWhole = (resumer: Resumer) => (): boolean => resumer.desk.phase === 'state'
  await Promise.all(resumers.map((resumer) => resumer.run(Number.POSITIVE_INFINITY, isWhole(resumer))))
  const twinRun = twin.run(Number.POSITIVE_INFINITY, () => twin.has)
  await twin.until(isWhole(twin))
  let left = CUTS
  const cutting = Promise.all(
    resumers.map(async (resumer) => {
      while (left > 0) {
        left--
        const octets = random.chance(0.2) ? random.int(1, 400) : random.int(400, 8_000)
        await resumer.run(octets, () => false)
      }
    }),
  )
  let isCut = false
  cutting.then(
    () => {
      isCut = true
    },
    () => {
      isCut = true
    },
  )
  while (!isCut) {
    await feed.tell(20)
    await pause(random.int(0, 20))
  }
  await cutting
  await feed.tellLast()
  await twinRun
  for (const resumer of resumers) await resumer.run(Number.POSITIVE_INFINITY, () => resumer.has)
  assert.equal(
    resumers.reduce((sum, { cuts }) => sum + cuts, 0),
    CUTS,
  )
  const rest = await openOnRest()
  assert.deepEqual(openOf(twin.desk), rest, `seed ${SEED}: the twin and REST`)
  const told = [...twin.updates]
  assert(told.length > 500, `${told.length} messages`)
  for (const [n, { desk, updates, carrier }] of resumers.entries()) {
    const at = `seed ${SEED}: desk ${n} on ${carrier}`
    assert.deepEqual(desk.resets, [], at)
    assert.deepEqual([...updates], told, `${at}: what it got`)
    assert.deepEqual([...desk.quotes].sort(), [...twin.desk.quotes].sort(), `${at}: what it knows`)
  }
})

test('when the log is gone, a point of it gives reset epoch, and the new state', {
  timeout: 60_000,
}, async () => {
  const random = new Random(SEED)
  const resumers = await Promise.all(CARRIERS.map((carrier) => Resumer.open(carrier, carrier)))
  for (const resumer of resumers) await resumer.run(Number.POSITIVE_INFINITY, () => resumer.desk.phase === 'state')
  const epochs = resumers.map(({ desk }) => desk.epoch)
  const runs = resumers.map((resumer) => resumer.run(Number.POSITIVE_INFINITY, () => false))
  await service.kill()
  await Promise.all(runs)
  rmSync(join(folder.path, 'log'), { recursive: true })
  service = await startService(folder.path, '--log-level', 'warn')
  const feed = await Feed.open(random)
  await feed.tell(30)
  await feed.tellLast()
  for (const [n, resumer] of resumers.entries()) {
    const { desk } = resumer
    assert.equal(desk.epoch, epochs[n])
    await resumer.run(Number.POSITIVE_INFINITY, () => desk.resets.length > 0 && desk.phase === 'state')
    assert.deepEqual(desk.resets, ['epoch'])
    assert.notEqual(desk.epoch, epochs[n])
    assert.deepEqual(openOf(desk), await openOnRest())
  }
})
