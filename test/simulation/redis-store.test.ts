// The simulated Redis and a real one get the same random commands and scripts, and must answer the same.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { APPEND, BEAT, BEAT_FULL, BEGIN, HOLD, LEAVE, STAND, WHERE } from '../../src/log/stream-scripts.ts'
import { Redis, type Reply } from '../../src/redis/redis.ts'
import { redisAddressOf } from '../../src/redis/redis-address.ts'
import { Random, SEED } from '../random.ts'
import { type RedisServer, redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { type Argument, asText, RedisStore } from './redis-store.ts'

const skip = redisMissing()
const test = testsWith('redis-server', skip)

let server: RedisServer
let redis: Redis

before(async () => {
  if (skip !== false) return
  server = await startRedis()
  const address = redisAddressOf(server.url, 'test')
  assert(typeof address !== 'string')
  redis = new Redis(address, { timeoutMs: 20_000 })
  while (!redis.isConnected) await pause(5)
})

after(async () => {
  redis?.close()
  await server?.remove()
})

/** The history of the real one. */
const runOf = (): string => /master_replid:(\w+)/.exec(server.cli('INFO', 'replication'))![1]!

/** The first words of a refusal: Redis adds where in the script it was. */
const errorOf = (error: unknown): string => (error as Error).message.split(' ').slice(0, 4).join(' ')

const answerOf = async (ask: () => Reply | Promise<Reply>): Promise<Reply | string> => {
  try {
    return await ask()
  } catch (error) {
    return errorOf(error)
  }
}

/** Times are those of different clocks: of each only the place is compared. Fields of a hash have no order. */
const comparable = (name: string, reply: Reply): unknown => {
  const withoutTime = (list: Reply): unknown => {
    const texts = (list as readonly Reply[]).map(String)
    const pairs = Array.from({ length: texts.length >> 1 }, (_, n) => [
      texts[2 * n],
      texts[2 * n + 1]!.replace(/^\d+ /, ''),
    ])
    return pairs.toSorted(([a], [b]) => (a! < b! ? -1 : 1))
  }
  if (!Array.isArray(reply)) return reply
  const list = reply as readonly Reply[]
  if (name === BEAT.name || name === BEAT_FULL.name) return [list.slice(1, 4), withoutTime(list[4]!), list.slice(5)]
  if (name === STAND.name) return withoutTime(list[1]!)
  return name === 'HGETALL' ? withoutTime(list) : reply
}

const EPOCHS = ['', 'e1', 'e2', 'e3']
const PROCESSES = ['p1', 'p2', 'p3']

const scriptOf = (random: Random, at: { position: number; epoch: string; chain: string; n: Map<string, number> }) => {
  const process = random.pick(PROCESSES)
  switch (random.int(0, 11)) {
    case 0: {
      const args = [random.chance(0.7) ? at.epoch : random.pick(EPOCHS), random.pick(EPOCHS.slice(1)), at.position]
      return {
        script: BEGIN,
        keys: ['meta', 'log'],
        args: [
          ...args,
          `chain${at.position}`,
          'rules',
          'secret',
          at.position + random.int(-1, 1),
          random.int(0, 1),
          'service',
        ],
      }
    }
    case 1:
    case 2: {
      const args = [process, JSON.stringify({ applied: random.int(0, 99) }), random.pick([0, 60_000])]
      const keys = ['members', 'leader', 'meta', `producer:${process}`]
      return { script: random.pick([BEAT, BEAT_FULL]), keys, args }
    }
    case 3:
      return { script: LEAVE, keys: ['members', 'leader', `producer:${process}`], args: [process] }
    case 10:
      return { script: WHERE, keys: ['meta'], args: [] }
    case 11: {
      const chain = random.chance(0.8) ? at.chain : 'another'
      return { script: HOLD, keys: ['meta', 'holders'], args: [at.epoch, at.position - random.int(0, 1), chain] }
    }
    case 4:
      return { script: STAND, keys: ['candidates'], args: [process, random.int(0, 40)] }
    default: {
      const n = (at.n.get(process) ?? 0) + random.pick([0, 1, 1, 1, 1, 2])
      const octets = Buffer.from(Array.from({ length: random.int(1, 40) }, () => random.int(0, 255)))
      const args = [random.chance(0.9) ? at.epoch : random.pick(EPOCHS), process, n, octets]
      return { script: APPEND, keys: ['meta', 'log', `producer:${process}`], args }
    }
  }
}

const commandOf = (random: Random, key: (name: string) => string): [string, ...Argument[]] => {
  const from = random.int(0, 30)
  switch (random.int(0, 10)) {
    case 0:
      return ['XRANGE', key('log'), `${from}-0`, `${from + random.int(0, 5)}-0`]
    case 1:
      return ['XRANGE', key('log'), '-', '+', 'COUNT', random.int(1, 9)]
    case 2:
      return ['XTRIM', key('log'), 'MINID', `${random.int(0, 12)}-0`]
    case 3:
      return ['XLEN', key('log')]
    case 4:
      return ['HDEL', key(random.pick(['candidates', 'members'])), random.pick(PROCESSES)]
    case 5:
      return ['DEL', key(random.pick(['candidates', 'leader', 'log']))]
    case 6:
      return ['GET', key(random.pick(['leader', `producer:${random.pick(PROCESSES)}`, 'meta']))]
    case 7:
      return ['HMGET', key(random.pick(['meta', 'leader'])), 'epoch', 'position', 'chain', 'none']
    case 8:
      // As after a restart.
      return random.chance(0.5) ? ['HSET', key('meta'), 'run', 'another'] : ['HSET', key('members'), 'x', '0 1']
    case 9:
      return ['HGETALL', key(random.pick(['meta', 'candidates']))]
    default:
      return ['XREAD', 'COUNT', random.int(1, 9), 'STREAMS', key('log'), `${from}-0`]
  }
}

test('the simulated Redis answers as the real one', async (t) => {
  t.diagnostic(`seed ${SEED}`)
  const random = new Random(SEED)
  const kinds = new Map<string, number>()
  for (let run = 0; run < 12; run++) {
    server.cli('CONFIG', 'SET', 'maxmemory', '0')
    server.cli('FLUSHALL')
    const store = new RedisStore(runOf())
    const at = { position: 0, epoch: '', chain: '', n: new Map<string, number>() }
    for (let step = 0; step < 250; step++) {
      if (random.chance(0.03)) {
        store.isFull = !store.isFull
        server.cli('CONFIG', 'SET', 'maxmemory', store.isFull ? '1' : '0')
      }
      const nowAt = Date.now()
      let name: string
      let actual: Reply
      let expected: Reply
      if (random.chance(0.7)) {
        const { script, keys, args } = scriptOf(random, at)
        name = script.name
        expected = await answerOf(() => redis.run(script, keys, args))
        const full = keys.map((each) => redis.key(each))
        actual = asText(await answerOf(() => store.run(nowAt, name, full, args)))
        if (name === APPEND.name && Array.isArray(expected)) at.n.set(String(args[1]), Number(args[2]))
        if (name === LEAVE.name) at.n.delete(String(args[0]))
      } else {
        const [command, ...args] = commandOf(random, (each) => redis.key(each))
        name = command
        expected = await answerOf(() => redis.callBuffer(command, ...args))
        actual = await answerOf(() =>
          command === 'XREAD'
            ? store.after(nowAt, String(args[3]), String(args[4]), Number(args[1]))
            : store.execute(nowAt, command, ...args),
        )
      }
      const fields = ['epoch', 'position', 'chain']
      const [epoch, position, chain] = (await redis.call('HMGET', redis.key('meta'), ...fields)) as readonly Reply[]
      at.chain = String(chain ?? '')
      at.epoch = String(epoch ?? '')
      at.position = Number(position ?? 0)
      const kind =
        typeof expected === 'string' && /^[A-Z]{3,}/.test(expected) ? `${name} ${expected.split(' ')[0]}` : name
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      assert.deepEqual(
        comparable(name, actual),
        comparable(name, expected),
        `seed ${SEED}, run ${run}, step ${step}: ${name}`,
      )
    }
  }
  for (const kind of [
    'oddswireAppend',
    'oddswireAppend FENCED',
    'oddswireAppend UNHELD',
    'oddswireAppend GAP',
    'oddswireAppend OOM',
    'XREAD',
  ]) {
    assert((kinds.get(kind) ?? 0) > 0, `${kind}: ${JSON.stringify([...kinds])}`)
  }
})

test('keys of the simulated Redis expire as those of the real one', async () => {
  // The random commands may have ended with a full memory.
  server.cli('CONFIG', 'SET', 'maxmemory', '0')
  server.cli('FLUSHALL')
  const store = new RedisStore(runOf())
  const keys = ['members', 'leader', 'meta', 'producer:p']
  const leaderOf = (reply: Reply): string => String((reply as readonly Reply[])[1])
  const beatBoth = async (process: string, nowAt: number): Promise<string> => {
    // Long enough for a busy machine to ask twice within it.
    const args = [process, '{}', 3_000]
    const real = leaderOf(await redis.run(BEAT, keys, args))
    assert.equal(leaderOf(asText(store.run(nowAt, BEAT.name, keys, args))), real)
    return real
  }
  assert.equal(await beatBoth('p1', 1_000), 'p1')
  assert.equal(await beatBoth('p2', 1_001), 'p1')
  while ((await redis.call('GET', redis.key('leader'))) !== null) await pause(5)
  assert.equal(await beatBoth('p2', 4_002), 'p2')
})
