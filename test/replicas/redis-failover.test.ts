// A replica takes the place of Redis: by hand behind a proxy, and by a Sentinel; the former master comes back as a replica.

import assert from 'node:assert/strict'
import { afterEach } from 'node:test'
import { redisMissing, type RedisServer, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { Proxy } from './proxy.ts'
import { type Sentinel, startSentinel } from './sentinel.ts'
import { withRig } from './with-rig.ts'

const test = testsWith('redis-server', redisMissing())

const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

const replicaOf = async ({ port }: RedisServer): Promise<RedisServer> => {
  const replica = await startRedis('--replicaof', '127.0.0.1', String(port))
  ending.push(() => replica.remove())
  return replica
}

const isInSync = (replica: RedisServer): boolean => /master_link_status:up/.test(replica.cli('INFO', 'replication'))

test('by hand, behind a proxy, there and back: what was published stays, in this epoch or another one', () => {
  let proxy: Proxy | undefined
  let replica: RedisServer | undefined
  const urlOf = async (redis: RedisServer): Promise<string> => {
    replica = await replicaOf(redis)
    proxy = await Proxy.listen(redis.port)
    ending.push(() => proxy!.close())
    return `redis://127.0.0.1:${proxy.port}`
  }
  return withRig({ urlOf, rate: 0 }, { epochs: 3 }, async (rig, redis) => {
    await rig.until('the replica is in sync', () => isInSync(replica!))
    await rig.receipts(100)
    replica!.cli('REPLICAOF', 'NO', 'ONE')
    proxy!.target = replica!.port
    proxy!.cut()
    await rig.receipts(200)
    redis.cli('REPLICAOF', '127.0.0.1', String(replica!.port))
    await rig.until('the former master is in sync', () => isInSync(redis))
    redis.cli('REPLICAOF', 'NO', 'ONE')
    proxy!.target = redis.port
    proxy!.cut()
    await rig.receipts(200)
  })
})

test('one process stays with the former master: it is not in the epoch of the others', () => {
  const all: Proxy[] = []
  let replica: RedisServer | undefined
  const urlOf = async (redis: RedisServer): Promise<string> => {
    replica = await replicaOf(redis)
    for (let n = 0; n < 2; n++) all.push(await Proxy.listen(redis.port))
    ending.push(() => Promise.all(all.map((proxy) => proxy.close())))
    return `redis://127.0.0.1:${all[0]!.port}`
  }
  const urlFor = (place: number): string => `redis://127.0.0.1:${all[place === 2 ? 1 : 0]!.port}`
  // What only the former master had is lost when it becomes a replica.
  return withRig({ urlOf, urlFor, processes: 3 }, { epochs: 2 }, async (rig, redis) => {
    await rig.until('the replica is in sync', () => isInSync(replica!))
    replica!.cli('REPLICAOF', 'NO', 'ONE')
    all[0]!.target = replica!.port
    all[0]!.cut()
    await rig.until('another epoch has begun', () => rig.epochs.length === 2)
    await rig.receipts(100)
    rig.history.forgive()
    all[1]!.target = replica!.port
    all[1]!.cut()
    redis.cli('REPLICAOF', '127.0.0.1', String(replica!.port))
    await rig.until('it is in the epoch of the others', async () => {
      const seqs = await Promise.all(
        rig.up.map(({ server }) => rig.rest.bytes(server, '/sports').catch(() => undefined)),
      )
      return seqs.every((each) => each?.seq.includes(rig.history.epoch) === true)
    })
    rig.history.forgive()
    await rig.receipts(100)
  })
})

test('by a Sentinel, while the former master hangs, and when it comes back', () => {
  let replica: RedisServer | undefined
  let sentinel: Sentinel | undefined
  const urlOf = async (redis: RedisServer): Promise<string> => {
    replica = await replicaOf(redis)
    sentinel = await startSentinel(redis.port)
    ending.push(() => sentinel!.remove())
    return sentinel.url
  }
  return withRig({ urlOf }, { epochs: 2 }, async (rig, redis) => {
    await rig.until('the Sentinel knows the replica', () => isInSync(replica!) && sentinel!.replicas() === 1)
    redis.freeze()
    await rig.until('the replica is the master', () => sentinel!.master() === replica!.port)
    await rig.receipts(200)
    redis.thaw()
    await rig.until('the former master is a replica', () => /role:slave/.test(redis.cli('INFO', 'replication')))
    await rig.receipts(200)
    assert.equal(sentinel!.master(), replica!.port)
  })
})
