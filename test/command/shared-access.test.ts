// Processes with a real Redis: what a command changes at one holds in all of them when it returns.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { newFolder } from '../access/folder.ts'
import { redisMissing, type RedisServer, startRedis } from '../redis-server.ts'
import { MAIN } from '../service.ts'
import { ServiceProcess } from './process.ts'

const FLAGS = ['--peer-host', '127.0.0.1', '--peer-port', '0']

/** Processes of one service: those that it starts, and later ones, are stopped before their Redis. */
const newService = async (context: TestContext) => {
  const redis: RedisServer = await startRedis()
  const started: ServiceProcess[] = []
  context.after(async () => {
    await Promise.all(started.map((process) => process.stop()))
    await redis.remove()
  })
  return {
    redis,
    start: (dataDir: string): ServiceProcess => {
      const process = new ServiceProcess(dataDir, newFolder(), '--redis-url', redis.url, ...FLAGS)
      started.push(process)
      return process
    },
  }
}

/** Runs a command. @returns what it prints, once it has ended well */
const run = async (dataDir: string, ...args: readonly string[]): Promise<string> => {
  const child = spawn(process.execPath, [MAIN, ...args, '--data-dir', dataDir], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number]
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

/** The status of a request. The client ends the connection: a port whose server has ended some is not free for a minute. */
const statusAt = async (service: ServiceProcess, key: string): Promise<number> => {
  const { http } = await service.ports()
  const socket = connect(http, '127.0.0.1')
  socket.write(`GET /api/v1/sports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  const [octets] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(octets.toString())?.[1])
}

test('what a command changes at one process holds in all when it returns', {
  skip: redisMissing(),
}, async (context) => {
  // All begin at once, on nothing: the store of one becomes that of all.
  const { start } = await newService(context)
  const folders = [newFolder(), newFolder(), newFolder()] as const
  const [a, b, c] = folders
  const processes = folders.map(start)
  for (const process of processes) await process.ready()
  const statuses = (key: string): Promise<number[]> => Promise.all(processes.map((process) => statusAt(process, key)))
  await run(a, 'org', 'create', 'acme', '--plan', 'desk', '--bookmakers', '*')
  const key = await run(b, 'key', 'create', '--org', 'acme')
  assert.deepEqual(await statuses(key), [200, 200, 200])
  await run(c, 'key', 'revoke', key)
  assert.deepEqual(await statuses(key), [401, 401, 401])
  // One that begins later, and one that begins again.
  const other = await run(a, 'key', 'create', '--org', 'acme')
  const late = start(newFolder())
  await late.ready()
  assert.deepEqual([await statusAt(late, other), await statusAt(late, key)], [200, 401])
  await processes[1]!.stop()
  await run(a, 'key', 'revoke', other)
  const again = start(b)
  await again.ready()
  assert.equal(await statusAt(again, other), 401)
  const audit = (folder: string): Promise<string> => run(folder, 'audit', 'list', '--json')
  assert.equal(await audit(b), await audit(a))
  assert.equal(await audit(c), await audit(a))
})

test('a process that was stopped, and was not waited for, accepts no revoked key when it goes on', {
  skip: redisMissing(),
}, async (context) => {
  const { start } = await newService(context)
  const [a, b] = [newFolder(), newFolder()]
  const [one, two] = [start(a), start(b)]
  await one.ready()
  await two.ready()
  await run(a, 'org', 'create', 'acme', '--plan', 'desk')
  for (let round = 0; round < 3; round++) {
    const key = await run(a, 'key', 'create', '--org', 'acme')
    assert.equal(await statusAt(two, key), 200)
    two.child.kill('SIGSTOP')
    await run(a, 'key', 'revoke', key)
    // Some wait in the socket when it goes on, others come at once.
    const waiting = Array.from({ length: 20 }, () => statusAt(two, key))
    two.child.kill('SIGCONT')
    const statuses = await Promise.all(waiting)
    while (statuses.at(-1) !== 401) statuses.push(await statusAt(two, key))
    assert(!statuses.includes(200), statuses.join())
  }
})

test('a process that is killed, and a Redis that comes back empty, cost no change of access rights', {
  skip: redisMissing(),
}, async (context) => {
  const { redis, start } = await newService(context)
  const [a, b] = [newFolder(), newFolder()]
  const one = start(a)
  const two = start(b)
  await one.ready()
  await two.ready()
  await run(a, 'org', 'create', 'acme', '--plan', 'desk')
  const keys = [await run(a, 'key', 'create', '--org', 'acme'), await run(b, 'key', 'create', '--org', 'acme')]
  // While changes are under way.
  const creating = Promise.all(['x', 'y', 'z'].map((name) => run(a, 'org', 'create', name, '--plan', 'desk')))
  two.child.kill('SIGKILL')
  await two.exited
  await creating
  await run(a, 'key', 'revoke', keys[0]!)
  const again = start(b)
  await again.ready()
  assert.deepEqual([await statusAt(again, keys[0]!), await statusAt(again, keys[1]!)], [401, 200])
  assert.equal(await run(b, 'audit', 'list', '--json'), await run(a, 'audit', 'list', '--json'))
  // Each begins again within itself, and the store goes on.
  redis.cli('FLUSHALL')
  for (const process of [one, again]) {
    await process.until('it begins again', () => process.logged('the log that is shared is another one').length > 0)
    await process.until('it is ready again', () => process.logged('ready').length > 1)
  }
  assert.deepEqual([await statusAt(one, keys[0]!), await statusAt(again, keys[0]!)], [401, 401])
  await run(b, 'key', 'revoke', keys[1]!)
  assert.deepEqual([await statusAt(one, keys[1]!), await statusAt(again, keys[1]!)], [401, 401])
  assert.equal(await run(b, 'audit', 'list', '--json'), await run(a, 'audit', 'list', '--json'))
})
