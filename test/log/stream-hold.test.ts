// Redis has begun anew: the epoch goes on where all processes are still where the log is, and only there.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { LIMITS } from '../../src/limits.ts'
import type { Heard } from '../../src/log/cluster.ts'
import { beginEpoch, metaOf, type Place } from '../../src/log/stream-join.ts'
import { StreamHold } from '../../src/log/stream-hold.ts'
import { Redis } from '../../src/redis/redis.ts'
import { redisAddressOf } from '../../src/redis/redis-address.ts'
import { type RedisServer, redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'

const skip = redisMissing()
const test = testsWith('redis-server', skip)

let server: RedisServer
let redis: Redis

before(async () => {
  if (skip !== false) return
  server = await startRedis('--appendonly', 'yes')
  const address = redisAddressOf(server.url, 'test')
  assert(typeof address !== 'string')
  redis = new Redis(address, { timeoutMs: LIMITS.streamMsMax })
})

after(async () => {
  redis?.close()
  await server?.remove()
})

const until = async (what: string, is: () => boolean | Promise<boolean>): Promise<void> => {
  for (const ends = Date.now() + 20_000; !(await is()); await pause(5)) assert(Date.now() < ends, `not ${what}`)
}

/** An epoch at turn 7, held; and processes that were there. */
const begin = async (ids: readonly string[]) => {
  await until('connected', () => redis.isConnected)
  server.cli('FLUSHALL')
  const state: Place = { epoch: '', position: 7, chain: 'c7' }
  const meta = await beginEpoch(redis, { own: state, rules: 'r', secret: 's', service: 'v' }, undefined)
  assert(meta !== undefined)
  const own = { ...state, epoch: meta.epoch }
  const heard: Heard = {
    ...{ epoch: meta.epoch, position: 7, isHeld: true, leftBehind: undefined },
    members: [...ids, 'begins'].map((id) => ({
      id,
      applied: 7,
      checkpoint: 0,
      peer: id === 'begins' ? '' : `http://${id}:1`,
      silentMs: 2_000,
      ageMs: 100,
    })),
  }
  const missing: string[] = []
  const holds = ids.map(
    (id) => new StreamHold({ redis, id, place: () => own, onMissing: (reason) => missing.push(reason) }),
  )
  for (const hold of holds) hold.look(heard, true)
  return { own, holds, missing, heard }
}

test('after a restart that has lost nothing the epoch goes on, once all have said that they are there', async () => {
  const { own, holds, missing, heard } = await begin(['a', 'b'])
  await server.kill9()
  await server.start()
  await until('connected again', () => redis.isConnected)
  assert.deepEqual(await metaOf(redis), { ...own, rules: 'r', secret: 's', service: 'v', isHeld: false })
  const now: Heard = { ...heard, isHeld: false, members: [] }
  for (let n = 0; n < 10; n++, await pause(20)) holds[0]!.look(now, true)
  assert.equal((await metaOf(redis))!.isHeld, false)
  await until('held', async () => {
    for (const hold of holds) hold.look(now, true)
    return (await metaOf(redis))!.isHeld
  })
  assert.deepEqual(missing, [])
})

test('where a process is missing, or none was known, another epoch must begin', async () => {
  const { holds, missing, heard } = await begin(['a', 'b'])
  server.cli('HSET', '{test}:meta', 'run', 'another')
  const now: Heard = { ...heard, isHeld: false, members: [] }
  await until('given up', () => {
    holds[0]!.look(now, true)
    return missing.length > 0
  })
  assert.match(missing[0]!, /not all processes say that they are there/)
  assert.equal((await metaOf(redis))!.isHeld, false)
})
