// The log that several processes share, on a real Redis: one order, nothing twice, nothing of another history.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Input, Turn } from '../../src/domain/input.ts'
import { LIMITS } from '../../src/limits.ts'
import { beginEpoch, join, type JoinOptions, metaOf, type Place } from '../../src/log/stream-join.ts'
import { type LocalLog, StreamLog } from '../../src/log/stream-log.ts'
import { HOLD } from '../../src/log/stream-scripts.ts'
import { TurnDecoder } from '../../src/log/turn-decoder.ts'
import { TurnEncoder } from '../../src/log/turn-encoder.ts'
import { Redis, type RedisPort, type Reply, type Script } from '../../src/redis/redis.ts'
import { redisAddressOf } from '../../src/redis/redis-address.ts'
import { Random, SEED } from '../random.ts'
import { type RedisServer, redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'

const skip = redisMissing()
const test = testsWith('redis-server', skip)
const AT = Date.UTC(2026, 10, 20)
const EMPTY: Place = { epoch: '', position: 0, chain: '' }

let server: RedisServer

before(async () => {
  if (skip === false) server = await startRedis()
})

after(async () => {
  await server?.remove()
})

const until = async (what: string, is: () => boolean): Promise<void> => {
  for (const ends = Date.now() + 20_000; !is(); await pause(2)) assert(Date.now() < ends, `seed ${SEED}: not ${what}`)
}

const connect = async (): Promise<Redis> => {
  const address = redisAddressOf(server.url, 'test')
  assert(typeof address !== 'string')
  const redis = new Redis(address, { timeoutMs: LIMITS.streamMsMax })
  await until('connected', () => redis.isConnected)
  return redis
}

const confirm = (producer: string): Input => ({ kind: 'confirm', producer, at: AT })

const codec = () => {
  const encoder = new TurnEncoder()
  const decoder = new TurnDecoder()
  return {
    encode: (turn: Turn) => {
      encoder.begin()
      return encoder.encode(turn)
    },
    decode: (octets: Uint8Array) => {
      decoder.begin()
      return decoder.decode(octets)
    },
  }
}

interface Peer {
  readonly log: StreamLog
  /** All turns as they were delivered. */
  readonly turns: Turn[]
  readonly breaks: string[]
  append(producer: string, at?: number): Promise<Turn>
  close(): Promise<void>
}

/** As a process comes to the log that is alone, and has not served. */
const termsOf = (redis: RedisPort, id: string, own: Place, over: Partial<JoinOptions> = {}): JoinOptions => ({
  ...{ redis, id, own, rules: 'r', secret: 's', service: '', hasServed: false },
  mint: () => 'minted',
  look: () => Promise.resolve({ areOthers: false, leftBehind: undefined }),
  onWait: () => {},
  ...over,
})

let peers = 0

/** @param tap what stands between the log and Redis */
const open = async (
  tap: (redis: Redis) => RedisPort = (redis) => redis,
  from?: Place,
  replicas = 0,
  ofLocal: Partial<LocalLog> = {},
): Promise<Peer> => {
  const redis = await connect()
  const reader = new Redis(redisAddressOf(server.url, 'test') as Exclude<ReturnType<typeof redisAddressOf>, string>)
  const turns: Turn[] = []
  const breaks: string[] = []
  const process = `process-${++peers}`
  let place = from
  if (place === undefined) {
    const joined = await join(termsOf(redis, process, EMPTY))
    assert.equal(joined.kind, 'on')
    place = { ...EMPTY, epoch: joined.meta.epoch }
  }
  const local: LocalLog = {
    append: (turn, written) => {
      turns.push(turn)
      written(turn)
    },
    ...{ isFull: false, trouble: undefined },
    onRoom: () => {},
    onTrouble: () => {},
  }
  Object.defineProperties(local, Object.getOwnPropertyDescriptors(ofLocal))
  const log = new StreamLog({
    ...{ redis: tap(redis), reader, local, process, codec: codec(), ...place, lastAt: Number.NEGATIVE_INFINITY },
    replicas,
    onChecksum: () => {},
    onBreak: (reason) => breaks.push(reason),
  })
  log.start()
  return {
    log,
    turns,
    breaks,
    append: (producer, at = AT) => new Promise((resolve) => log.append({ at, inputs: [confirm(producer)] }, resolve)),
    close: async () => {
      await log.close()
      redis.close()
    },
  }
}

const producersOf = ({ turns }: Peer): string[] =>
  turns.map(({ inputs }) => (inputs[0]?.kind === 'confirm' ? inputs[0].producer : ''))

/** Loses answers of appends: Redis has carried them out, and nobody hears it. */
const losing =
  (chance: () => boolean) =>
  (redis: Redis): RedisPort => ({
    key: (name) => redis.key(name),
    call: (...all) => redis.call(...all),
    callBuffer: (...all) => redis.callBuffer(...all),
    close: () => redis.close(),
    get isConnected() {
      return redis.isConnected
    },
    run: async (script: Script, keys, args): Promise<Reply> => {
      const reply = await redis.run(script, keys, args)
      if (chance()) throw new Error('the connection broke')
      return reply
    },
  })

const flush = (): void => {
  assert.equal(server.cli('FLUSHALL'), 'OK')
}

test(`all processes deliver the same turns in the same order, their own ones once (seed ${SEED})`, async () => {
  flush()
  const random = new Random(SEED)
  const first = await open(losing(() => random.chance(0.05)))
  const others = await Promise.all([open(losing(() => random.chance(0.05))), open()])
  const all = [first, ...others]
  const appended: Promise<Turn>[] = []
  for (let n = 0; n < 900; n++) {
    appended.push(all[n % 3]!.append(`${n % 3} ${n}`, AT + random.int(0, 1_000)))
    if (random.chance(0.1)) await pause(random.int(0, 3))
  }
  const own = await Promise.all(appended)
  await until('all delivered everywhere', () => all.every(({ turns }) => turns.length === 900))
  for (const peer of all) assert.deepEqual(peer.turns, first.turns)
  for (const turn of own)
    assert(first.turns.some((each) => each.inputs.at(-1) === turn.inputs.at(-1) || each.at === turn.at))
  const producers = producersOf(first)
  assert.equal(new Set(producers).size, 900)
  for (let n = 0; n < 3; n++) {
    const ofOne = producers.filter((name) => name.startsWith(`${n} `)).map((name) => Number(name.split(' ')[1]))
    assert.deepEqual(
      ofOne,
      [...ofOne].sort((a, b) => a - b),
      'turns of a process keep their order',
    )
  }
  for (const [place, { at }] of first.turns.entries()) assert(at >= (first.turns[place - 1]?.at ?? 0), 'time goes back')
  assert(first.log.counts.repeated > 0)
  for (const peer of all) await peer.close()
})

test('while Redis answers nothing, turns wait; then they are delivered in their order', async () => {
  flush()
  const peer = await open()
  await peer.append('a')
  server.freeze()
  const waiting = ['b', 'c', 'd'].map((name) => peer.append(name))
  await until('in trouble', () => peer.log.trouble !== undefined)
  assert.equal(peer.turns.length, 1)
  server.thaw()
  await Promise.all(waiting)
  assert.deepEqual(producersOf(peer), ['a', 'b', 'c', 'd'])
  await until('out of trouble', () => peer.log.trouble === undefined)
  await peer.close()
})

test('a process of an earlier epoch writes nothing into a later one, and stops', async () => {
  flush()
  const [old, redis] = [await open(), await connect()]
  await old.append('a')
  const meta = (await metaOf(redis))!
  const own = { epoch: meta.epoch, position: meta.position, chain: meta.chain }
  const begun = await beginEpoch(redis, { own, rules: 'r', secret: 's', service: '' }, meta)
  assert(begun !== undefined && begun.epoch !== meta.epoch)
  void old.append('b')
  await until('stopped', () => old.breaks.length === 1)
  assert.deepEqual(producersOf(old), ['a'])
  assert.equal(server.cli('XLEN', '{test}:log'), '0')
  redis.close()
  await old.close()
})

test('a stream that was rewritten is noticed with its next turn', async () => {
  flush()
  const reader = await open()
  await reader.append('a')
  await reader.append('b')
  const redis = await connect()
  const meta = (await metaOf(redis))!
  // As after a failover to a replica that had not got the last turn: the stream goes on, with another turn 2.
  server.cli('XDEL', '{test}:log', '2-0')
  server.cli('XSETID', '{test}:log', '1-0')
  const first = reader.turns[0]!.inputs.at(-1)!
  assert(first.kind === 'link')
  server.cli('HSET', '{test}:meta', 'position', '1', 'chain', first.chain)
  const writer = await open(undefined, { epoch: meta.epoch, position: 1, chain: first.chain })
  await writer.append('another b')
  await writer.append('c')
  await until('noticed', () => reader.breaks.length === 1)
  assert.match(reader.breaks[0]!, /turn 3 of the stream follows on other turns/)
  assert.deepEqual(producersOf(reader), ['a', 'b'])
  redis.close()
  await writer.close()
  await reader.close()
})

test('an emptied stream, and one that is behind, end the log', async () => {
  flush()
  const peer = await open()
  await peer.append('a')
  peer.log.look('', 0, 1)
  assert.deepEqual(peer.breaks, ['the stream is empty'])
  const other = await open()
  await other.append('b')
  other.log.look(other.log.epoch, 1, 1)
  assert.deepEqual(other.breaks, [])
  other.log.look(other.log.epoch, 0, 1)
  assert.match(other.breaks[0]!, /ends at turn 0, and was at/)
  await peer.close()
  await other.close()
})

test('a state that the stream goes on from is joined, any other is not', async () => {
  flush()
  const peer = await open()
  const redis = await connect()
  for (const name of ['a', 'b', 'c']) await peer.append(name)
  const places = peer.turns.map(({ inputs }, place): Place => {
    const link = inputs.at(-1)!
    assert(link.kind === 'link')
    return { epoch: link.epoch, position: place + 1, chain: link.chain }
  })
  const joinAs = (own: Place, rules = 'r', areOthers = false) =>
    join(termsOf(redis, 'x', own, { rules, look: () => Promise.resolve({ areOthers, leftBehind: undefined }) }))
  for (const own of [EMPTY, ...places]) assert.equal((await joinAs(own)).kind, 'on')
  assert.equal((await joinAs({ ...places[1]!, chain: places[0]!.chain })).kind, 'unfit')
  assert.equal((await joinAs(places[1]!, 'other', true)).kind, 'rules')
  assert.deepEqual(await joinAs(places[2]!, 'other'), {
    ...{ kind: 'on', begins: true, isOurs: true },
    meta: { ...places[2]!, rules: 'r', secret: 's', service: 'minted', isHeld: true },
  })
  server.cli('XTRIM', '{test}:log', 'MINID', '3-0')
  assert.equal((await joinAs(places[1]!)).kind, 'on')
  assert.equal((await joinAs(places[0]!)).kind, 'unfit')
  redis.close()
  await peer.close()
})

test('where the stream has lost turns, the process that is furthest begins an epoch', async () => {
  flush()
  const peer = await open()
  for (const name of ['a', 'b', 'c']) await peer.append(name)
  await peer.close()
  const links = peer.turns.map(({ inputs }) => inputs.at(-1)!)
  const placeAt = (position: number): Place => {
    const link = links[position - 1]!
    assert(link.kind === 'link')
    return { epoch: link.epoch, position, chain: link.chain }
  }
  const redis = await connect()
  const joinAs = (id: string, own: Place) => join(termsOf(redis, id, own))
  flush()
  const [far, near] = await Promise.all([joinAs('far', placeAt(3)), joinAs('near', placeAt(2))])
  assert(far.kind === 'on')
  assert.equal(far.meta.position, 3)
  assert.notEqual(far.meta.epoch, placeAt(3).epoch)
  assert.equal(near.kind, 'unfit')
  redis.close()
})

test('two states of logs that were not shared are not taken for one, although they are at the same turn', async () => {
  flush()
  const redis = await connect()
  const joinAs = (id: string) => join(termsOf(redis, id, { epoch: '', position: 2, chain: '' }))
  const kinds = await Promise.all([joinAs('one'), joinAs('other')])
  assert.deepEqual(kinds.map(({ kind }) => kind).toSorted(), ['on', 'unfit'])
  redis.close()
})

test('where Redis has lost what a process has appended, its next turn is not accepted, or ends the log', async () => {
  flush()
  const peer = await open()
  await peer.append('a')
  server.cli('DEL', `{test}:producer:process-${peers}`)
  void peer.append('b')
  await until('noticed', () => peer.breaks.length === 1)
  assert.match(peer.breaks[0]!, /Redis has lost turns of this process/)
  const other = await open()
  await other.append('c')
  // As an older dump would have it.
  server.cli('HSET', '{test}:meta', 'position', '0')
  server.cli('XTRIM', '{test}:log', 'MAXLEN', '0')
  server.cli('XSETID', '{test}:log', '0-0')
  void other.append('d')
  await until('noticed', () => other.breaks.length === 1)
  assert.match(other.breaks[0]!, /the stream has gone back/)
  await peer.close()
  await other.close()
})

test('in another run of Redis nothing is appended before the epoch is held, and a process that starts begins another', async () => {
  flush()
  const peer = await open()
  await peer.append('a')
  // As after a restart.
  server.cli('HSET', '{test}:meta', 'run', 'another')
  const appended = peer.append('b')
  await until('refused', () => /UNHELD/.test(peer.log.trouble ?? ''))
  const redis = await connect()
  assert.equal((await metaOf(redis))!.isHeld, false)
  const { epoch, position, chain } = peer.log.place
  assert.equal(await redis.run(HOLD, ['meta', 'holders'], [epoch, position + 1, chain]), 0)
  assert.equal(await redis.run(HOLD, ['meta', 'holders'], [epoch, position, chain]), 1)
  await appended
  server.cli('HSET', '{test}:meta', 'run', 'another')
  const joined = await join(termsOf(redis, 'x', peer.log.place))
  assert(joined.kind === 'on' && joined.begins)
  redis.close()
  await peer.close()
})

test('a reader goes on once the file log has room again, whoever else has asked', async () => {
  flush()
  const writer = await open()
  await writer.append('a')
  const room: (() => void)[] = []
  const local = { isFull: true }
  const reader = await open(undefined, { ...EMPTY, epoch: writer.log.epoch }, 0, {
    get isFull() {
      return local.isFull
    },
    onRoom: (listener) => void room.push(listener),
  })
  await pause(50)
  assert.equal(reader.log.position, 0)
  local.isFull = false
  for (const listener of room) listener()
  await until('read', () => reader.log.position === 1)
  // One that waits for room ends all the same.
  local.isFull = true
  await writer.append('b')
  await reader.close()
  await writer.close()
})

test('where the stream is in an earlier epoch again, a process of the later one begins an epoch', async () => {
  flush()
  const peer = await open()
  for (const name of ['a', 'b', 'c']) await peer.append(name)
  await peer.close()
  const redis = await connect()
  const joinAs = (id: string, own: Place) => join(termsOf(redis, id, own))
  const { epoch } = (await metaOf(redis))!
  // Redis has been started again from an older state.
  server.cli('HSET', '{test}:meta', 'run', 'another')
  // It had begun from fewer turns.
  const later = (Number.parseInt(epoch, 36) + 1).toString(36)
  const [found, stale] = await Promise.all([
    joinAs('z', { epoch: later, position: 2, chain: 'of the later one' }),
    joinAs('a', { epoch, position: 9, chain: 'of the earlier one' }),
  ])
  assert(found.kind === 'on')
  assert.deepEqual([found.meta.position, found.meta.chain], [2, 'of the later one'])
  assert(![epoch, later].includes(found.meta.epoch))
  assert.equal(stale.kind, 'unfit')
  redis.close()
})

test('a log that is held is never begun anew from a state that does not fit, however late its epoch is', async () => {
  flush()
  const peer = await open()
  for (const name of ['a', 'b', 'c']) await peer.append(name)
  const redis = await connect()
  const meta = (await metaOf(redis))!
  const later = (Number.parseInt(meta.epoch, 36) + 1_000_000).toString(36)
  const own = { epoch: later, position: 9, chain: 'of another service' }
  for (const areOthers of [true, false]) {
    const look = () => Promise.resolve({ areOthers, leftBehind: undefined })
    const joined = await join(termsOf(redis, 'stray', own, { look }))
    assert(joined.kind === 'unfit' && !joined.isBranch)
  }
  // Nor where it was not held, and is by then.
  assert.equal(
    await beginEpoch(redis, { own, rules: 'r', secret: 's', service: '' }, { ...meta, isHeld: false }),
    undefined,
  )
  assert.equal(
    await beginEpoch(redis, { own, rules: 'r', secret: 's', service: '' }, { ...meta, position: 2 }),
    undefined,
  )
  assert.deepEqual(await metaOf(redis), meta)
  redis.close()
  await peer.close()
})

test('a state of another service neither joins a log nor begins one, held or not', async () => {
  flush()
  const peer = await open()
  for (const name of ['a', 'b']) await peer.append(name)
  await peer.close()
  const redis = await connect()
  const meta = (await metaOf(redis))!
  assert.equal(meta.service, 'minted')
  const later = (Number.parseInt(meta.epoch, 36) + 1_000_000).toString(36)
  for (const run of [undefined, 'another']) {
    if (run !== undefined) server.cli('HSET', '{test}:meta', 'run', run)
    for (const own of [{ epoch: later, position: 9, chain: 'x' }, peer.log.place]) {
      const joined = await join(termsOf(redis, 'stray', own, { service: 'other', hasServed: true }))
      assert.equal(joined.kind, 'foreign')
    }
  }
  assert.equal((await metaOf(redis))!.epoch, meta.epoch)
  redis.close()
})

test('where there is no log, who has served goes first, and two services that have not wait for an operator', async () => {
  flush()
  const redis = await connect()
  const said: string[] = []
  const onWait = (reason: string): void => void said.push(reason)
  const early = { epoch: 'aaaaaaaa', position: 5, chain: 'of one' }
  const late = { epoch: 'zzzzzzzz', position: 9, chain: 'of the other' }
  const starting = join(termsOf(redis, 'a', late, { service: 'other', onWait }))
  const waiting = join(termsOf(redis, 'b', early, { service: 'one', onWait }))
  await until('both say so', () => said.length > 30)
  assert.match(said[0]!, /data folders of two services/)
  assert.equal(await metaOf(redis), undefined)
  const served = await join(termsOf(redis, 'c', early, { service: 'one', hasServed: true }))
  assert(served.kind === 'on' && served.isOurs)
  assert.deepEqual([served.meta.service, served.meta.chain], ['one', 'of one'])
  assert.deepEqual([(await starting).kind, (await waiting).kind], ['foreign', 'on'])
  redis.close()
})

test('with a Redis that may be a former master a process waits, and begins another epoch in the end', async () => {
  flush()
  const peer = await open()
  await peer.append('a')
  const redis = await connect()
  let leftBehind: 'wait' | 'over' | undefined = 'wait'
  let looks = 0
  const look = () => {
    if (++looks === 3) leftBehind = 'over'
    return Promise.resolve({ areOthers: true, leftBehind })
  }
  const said: string[] = []
  const joined = await join(termsOf(redis, 'x', peer.log.place, { look, onWait: (reason) => said.push(reason) }))
  assert(joined.kind === 'on' && joined.begins)
  assert.equal(looks, 3)
  assert.match(said[0]!, /it may be a former master/)
  redis.close()
  await peer.close()
})

test('a state that has left the log within its epoch is told from one that is too old', async () => {
  flush()
  const peer = await open()
  for (const name of ['a', 'b', 'c']) await peer.append(name)
  const redis = await connect()
  const { epoch } = peer.log.place
  const branchOf = async (position: number): Promise<boolean> => {
    const joined = await join(termsOf(redis, 'x', { epoch, position, chain: 'elsewhere' }))
    return joined.kind === 'unfit' && joined.isBranch
  }
  for (const position of [1, 3, 4]) assert.equal(await branchOf(position), true, `at ${position}`)
  server.cli('XTRIM', '{test}:log', 'MINID', '3-0')
  assert.equal(await branchOf(1), false)
  redis.close()
  await peer.close()
})

test('a turn that replicas of Redis must have counts once they have it', async () => {
  flush()
  const peer = await open(undefined, undefined, 1)
  const appended = peer.append('a')
  await until('in trouble', () => peer.log.trouble !== undefined)
  assert.match(peer.log.trouble!, /0 replicas of Redis have the last turns, and 1 must/)
  assert.deepEqual([peer.turns, server.cli('XLEN', '{test}:log')], [[], '1'])
  const replica = await startRedis('--replicaof', '127.0.0.1', String(server.port))
  await appended
  await until('out of trouble', () => peer.log.trouble === undefined)
  await replica.remove()
  await peer.close()
})
