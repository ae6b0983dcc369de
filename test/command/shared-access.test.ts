// Processes with a real Redis: what a command changes at one holds in all of them when it returns.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { replacedPath } from '../../src/access/store-copy.ts'
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
  // Nobody has anything to lose yet.
  for (const [place, process] of processes.entries()) {
    const said = process.logged().map(({ msg }) => msg)
    assert.deepEqual(
      said.filter((msg) => /missed changes|another history|former store/.test(msg)),
      [],
    )
    assert.equal(existsSync(replacedPath(folders[place]!)), false)
  }
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

test('a store that was prepared is not given up for that of a process that began first', {
  skip: redisMissing(),
}, async (context) => {
  const { redis, start } = await newService(context)
  const [prepared, empty] = [newFolder(), newFolder()]
  await run(prepared, 'org', 'create', 'acme', '--plan', 'desk')
  const key = await run(prepared, 'key', 'create', '--org', 'acme')
  const first = start(empty)
  await first.ready()
  // Each time: what it has seen of the others makes no difference to the next start.
  for (let tries = 0; tries < 2; tries++) {
    const refused = start(prepared)
    assert.equal(await refused.exited, 1)
    assert.match(
      refused.everything,
      /data folder has a store of its own .* nothing was changed.*start this process first/s,
    )
    assert.equal(existsSync(replacedPath(prepared)), false)
  }
  await first.stop()
  redis.cli('FLUSHALL')
  const again = start(prepared)
  await again.ready()
  const joined = start(newFolder())
  await joined.ready()
  assert.deepEqual([await statusAt(again, key), await statusAt(joined, key)], [200, 200])
  // It is a store of this service now: others may have begun the service without it.
  await again.stop()
  const back = start(prepared)
  await back.ready()
  assert.equal(await statusAt(back, key), 200)
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

/** What the portal of a process answers. */
const portalAt = async (
  service: ServiceProcess,
  method: string,
  path: string,
  { body, cookie = '', csrf = '' }: { body?: object; cookie?: string; csrf?: string } = {},
): Promise<{ readonly status: number; readonly cookie: string; readonly body: Readonly<Record<string, unknown>> }> => {
  const response = await fetch(`http://127.0.0.1:${(await service.ports()).http}/portal/api/${path}`, {
    method,
    headers: { cookie, 'x-csrf-token': csrf, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
    body: text === '' ? {} : JSON.parse(text),
  }
}

test('the key of a page works in every process, and ends with its session in all of them; so do failed logins count', {
  skip: redisMissing(),
}, async (context) => {
  const { redis, start } = await newService(context)
  const folders = [newFolder(), newFolder(), newFolder()] as const
  const processes = folders.map(start) as [ServiceProcess, ServiceProcess, ServiceProcess]
  for (const process of processes) await process.ready()
  const [a, b, c] = processes
  const statuses = (key: string): Promise<number[]> => Promise.all(processes.map((process) => statusAt(process, key)))
  await run(folders[0], 'org', 'create', 'acme', '--plan', 'desk', '--bookmakers', '*')
  const email = 'ada@example.com'
  const link = await run(folders[1], 'user', 'create', email, '--org', 'acme', '--role', 'owner')
  const password = 'correct horse battery'
  const used = await portalAt(a, 'POST', 'link', { body: { token: link.split('link=')[1], password } })
  assert.equal(used.status, 200, JSON.stringify(used.body))
  const browserOf = ({ cookie, body }: typeof used) => ({ cookie, csrf: String(body.csrf) })
  const browser = browserOf(used)
  const keyAt = async (process: ServiceProcess, asker = browser): Promise<string> => {
    const made = await portalAt(process, 'POST', 'live-key', asker)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return String(made.body.secret)
  }
  const key = await keyAt(a)
  assert.deepEqual(await statuses(key), [200, 200, 200])
  assert.deepEqual(await statuses(await keyAt(c)), [200, 200, 200])
  // Also in one that begins again.
  await c.stop()
  const again = start(folders[2])
  await again.ready()
  processes[2] = again
  assert.deepEqual(await statuses(key), [200, 200, 200])
  // A session that lives with it ends, too.
  const stream = await fetch(`http://127.0.0.1:${(await b.ports()).http}/api/v1/stream?topic=odds`, {
    headers: { 'x-api-key': key },
  })
  assert.equal(stream.status, 200)
  // From now on the process that it has not reached must know of the end all the same.
  const other = await portalAt(b, 'POST', 'session', { body: { email, password } })
  assert.equal(other.status, 200, JSON.stringify(other.body))
  const second = await keyAt(b, browserOf(other))
  assert.equal((await portalAt(again, 'DELETE', 'session', browser)).status, 204)
  assert.deepEqual(await statuses(key), [401, 401, 401])
  assert.match(await stream.text(), /invalid_api_key/)
  await run(folders[1], 'user', 'remove', email)
  assert.deepEqual(await statuses(second), [401, 401, 401])
  // Whoever guesses at all of them has as many guesses as at one: five without a pause.
  const guess = async (process: ServiceProcess): Promise<number> => {
    const body = { email: 'bob@example.com', password: 'a wrong password' }
    return (await portalAt(process, 'POST', 'session', { body })).status
  }
  for (let n = 0; n < 5; n++) assert.equal(await guess(processes[n % 3]!), 401)
  const [failed, ...more] = redis.cli('KEYS', '{oddswire}:fail:email:*').split('\n') as [string]
  assert.deepEqual(more, [])
  const [count, at, until] = redis.cli('HMGET', failed, 'count', 'at', 'until').split('\n').map(Number)
  assert.deepEqual([count, until! - at!], [5, 1_000])
  // A pause that a slow machine does not miss.
  redis.cli('HSET', failed, 'until', String(at! + 3_600_000))
  for (const process of processes) assert.equal(await guess(process), 429)
  const said = [...processes, c].map((process) => JSON.stringify(process.logged()) + process.stdout).join('')
  const kept = redis.cli('XRANGE', '{oddswire}:log', '-', '+')
  for (const each of [key, second]) {
    assert.ok(!said.includes(each) && !kept.includes(each))
    // The signature, which nobody else can make.
    assert.ok(!said.includes(each.slice(-50, -7)) && !kept.includes(each.slice(-50, -7)))
  }
})

test('a user of Redis that may not write, or not ask INFO, is told what it lacks; the start goes on once it has it', {
  skip: redisMissing(),
}, async (context) => {
  const redis = await startRedis()
  const started: ServiceProcess[] = []
  context.after(async () => {
    await Promise.all(started.map((process) => process.stop()))
    await redis.remove()
  })
  const start = (url: string): ServiceProcess => {
    const process = new ServiceProcess(newFolder(), newFolder(), '--redis-url', url, ...FLAGS)
    started.push(process)
    return process
  }
  const may = ['resetkeys', '~{oddswire}:*', '+@read', '+@scripting', '+@connection', '-@dangerous']
  const rest = ['+@write', '-@dangerous', '+info', '+time', '+wait']
  const users = {
    reader: { rules: [...may, '+info', '+time', '+wait'], lacks: /NOPERM its user lacks .*: SET, DEL, .*XADD/ },
    uninformed: { rules: [...may, '+@write', '-@dangerous', '+time', '+wait'], lacks: /no permissions .*'info'/ },
  }
  await start(redis.url).ready()
  for (const [user, { rules, lacks }] of Object.entries(users)) {
    assert.equal(redis.cli('ACL', 'SETUSER', user, 'on', '>secret', ...rules), 'OK')
    const process = start(redis.url.replace('//', `//${user}:secret@`))
    const waits = await process.until('it says why it waits', () => process.logged('the start waits for Redis: ')[0])
    assert.match(waits.msg, lacks)
    assert.match(waits.msg, /docs\/operations\.md 14 \(ACL SETUSER\)/)
    assert.equal(process.complaint, '')
    assert(!process.everything.includes('Skipping the ready check'), process.everything)
    assert.equal(redis.cli('ACL', 'SETUSER', user, ...rest), 'OK')
    await process.ready()
  }
})
