// Processes that may not answer: one of another service, one that Redis has left behind, and one that hears nothing of it.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { afterEach } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { newFolder } from '../access/folder.ts'
import { redisMissing, type RedisServer, startRedis } from '../redis-server.ts'
import { Proxy } from '../replicas/proxy.ts'
import { testsWith } from '../root.ts'
import { MAIN } from '../service.ts'
import { converse, ServiceProcess } from './process.ts'

const test = testsWith('redis-server', redisMissing())

/** What the test that runs has started: it ends with it, as a service that does nothing still takes 5 % of a processor. */
const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

const newRedis = async (...options: readonly string[]): Promise<RedisServer> => {
  const redis = await startRedis(...options)
  ending.push(() => redis.remove())
  return redis
}

const start = (dataDir: string, url: string, ...args: string[]): ServiceProcess => {
  const process = new ServiceProcess(dataDir, newFolder(), '--redis-url', url, ...args)
  ending.push(() => process.stop())
  return process
}

/** Beside this process, which has the proxy. */
const command = async (dataDir: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, '--data-dir', dataDir])
  return stdout.trim().split('\n').at(-1)!
}

const newKey = async (dataDir: string): Promise<string> => {
  await command(dataDir, 'org', 'create', 'acme', '--plan', 'desk')
  return command(dataDir, 'key', 'create', '--org', 'acme')
}

/** The status of a request, and the point of the log that the answer has. */
const ask = async (service: ServiceProcess, key: string): Promise<readonly [status: number, seq: string | null]> => {
  const { http } = await service.ports()
  const response = await fetch(`http://127.0.0.1:${http}/api/v1/sports`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.arrayBuffer()
  return [response.status, response.headers.get('x-odds-seq')]
}

test('nothing of another service reaches this one, whatever becomes of Redis meanwhile', async () => {
  const [redis, elsewhere] = [await newRedis('--appendonly', 'yes'), await newRedis()]
  const [ours, theirs] = [newFolder(), newFolder()]
  const [here, stray] = [start(ours, redis.url), start(theirs, elsewhere.url)]
  await Promise.all([here.ready(), stray.ready()])
  const [key, strayKey] = [await newKey(ours), await newKey(theirs)]
  await stray.stop()
  const joins = async (): Promise<void> => {
    const again = start(theirs, redis.url)
    assert.equal(await again.exited, 1)
    assert.match(again.complaint, /the data folder is of another service than the log in Redis.*nothing was changed/)
  }
  // While Redis is as it was; where it begins anew while nobody says that the log is whole; and where it is empty.
  await joins()
  here.child.kill('SIGSTOP')
  await redis.kill9()
  await redis.start()
  const early = joins()
  await early
  here.child.kill('SIGCONT')
  await here.until('it answers', async () => (await ask(here, key))[0] === 200)
  const emptied = joins()
  redis.cli('FLUSHALL')
  await emptied
  await here.until('it answers again', async () => (await ask(here, key).catch(() => [0]))[0] === 200)
  assert.equal((await ask(here, strayKey))[0], 401)
  // It is what it was.
  const alone = start(theirs, elsewhere.url)
  await alone.ready()
  assert.equal((await ask(alone, strayKey))[0], 200)
})

test('who is left with a former master answers nobody, and is in another epoch than the others', async () => {
  const master = await newRedis()
  const replica = await newRedis('--replicaof', '127.0.0.1', String(master.port))
  const proxy = await Proxy.listen(master.port)
  ending.push(() => proxy.close())
  const folders = [newFolder(), newFolder(), newFolder()] as const
  const left = start(folders[0], master.url)
  await left.ready()
  const others = folders.slice(1).map((folder) => start(folder, `redis://127.0.0.1:${proxy.port}`))
  for (const other of others) await other.ready()
  const key = await newKey(folders[1])
  await left.until('Redis has a replica', () => master.cli('HGET', '{oddswire}:meta', 'replicas') === '1')
  await left.until('the replica has all', () => replica.cli('HGET', '{oddswire}:meta', 'replicas') === '1')
  assert.equal((await ask(left, key))[0], 200)
  const former = master.cli('HGET', '{oddswire}:meta', 'epoch')
  // It is paused for so long that the others would not wait for it by its signs of life alone.
  left.child.kill('SIGSTOP')
  replica.cli('REPLICAOF', 'NO', 'ONE')
  proxy.target = replica.port
  proxy.cut()
  await left.until('another epoch has begun', () => {
    const epoch = replica.cli('HGET', '{oddswire}:meta', 'epoch')
    return epoch !== '' && epoch !== former
  })
  for (const other of others)
    await other.until('it is ready again', async () => (await other.admin('/readyz')).status === 200)
  left.child.kill('SIGCONT')
  await command(folders[1], 'key', 'revoke', key)
  const statuses = new Set<number>()
  for (let n = 0; n < 40; n++, await pause(50)) statuses.add((await ask(left, key))[0])
  assert.deepEqual([...statuses], [503])
  assert.match((await left.admin('/readyz')).text, /Redis has lost its replicas, and other processes are silent/)
  // It is led to the others.
  const joined = start(newFolder(), `redis://127.0.0.1:${proxy.port}`)
  await joined.ready()
  assert.equal((await ask(joined, key))[0], 401)
})

test('who hears nothing of Redis lets nobody connect, feeds neither: their keys may be revoked', async () => {
  const redis = await newRedis()
  const proxy = await Proxy.listen(redis.port)
  ending.push(() => proxy.close())
  const folders = [newFolder(), newFolder()] as const
  const here = start(folders[0], redis.url)
  await here.ready()
  const apart = start(folders[1], `redis://127.0.0.1:${proxy.port}`)
  await apart.ready()
  await command(folders[0], 'org', 'create', 'acme', '--plan', 'desk')
  const key = await command(folders[0], 'key', 'create', '--org', 'acme', '--feed', 'alpha')
  const { stomp } = await apart.ports()
  const frames = `CONNECT\naccept-version:1.2\nhost:x\npasscode:${key}\n\n\0`
  const connects = (): Promise<string> => converse(stomp, frames, /CONNECTED|ERROR/)
  assert.match(await connects(), /^CONNECTED/)
  proxy.isSilent = true
  await command(folders[0], 'key', 'revoke', key)
  for (let n = 0; n < 20; n++, await pause(50)) assert.match(await connects(), /^ERROR\n[^]*service_unavailable/)
  proxy.isSilent = false
  proxy.cut()
  await apart.until('it knows', async () => {
    const answer = await connects()
    assert.match(answer, /^ERROR/)
    return answer.includes('invalid_api_key')
  })
})

test('SIGTERM ends a process that runs a source while there is no Redis', async () => {
  const redis = await newRedis()
  const service = start(newFolder(), redis.url, '--demo')
  await service.ready()
  await redis.kill9()
  await service.until('it waits for Redis', () => service.logged('Redis does not accept turns').length > 0)
  assert.equal(await service.stop(), 0)
})
