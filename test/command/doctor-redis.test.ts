// oddswire doctor with --redis-url: what a RECEIPT is worth with the settings of a real Redis, and what to do.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findingsOfRedis, redisFindings, type RedisFacts } from '../../src/command/doctor-redis.ts'
import type { Finding } from '../../src/command/findings.ts'
import { readSettings } from '../../src/config.ts'
import { type RedisServer, redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { MAIN, newFolder } from '../service.ts'

const test = testsWith('redis-server', redisMissing())

const newRedis = async (t: TestContext, ...options: readonly string[]): Promise<RedisServer> => {
  const server = await startRedis(...options)
  t.after(() => server.remove())
  return server
}

const findingsAt = async (url: string, replicas = 0, logBytesMax = '64m'): Promise<readonly Finding[]> => {
  const flags = { 'redis-url': url, 'redis-replicas': String(replicas), 'redis-log-bytes-max': logBytesMax }
  const settings = readSettings(flags, {})
  assert('redisUrl' in settings)
  return redisFindings(settings)
}

const assertIs = (
  findings: readonly Finding[],
  id: string,
  level: Finding['level'],
  found: RegExp,
  advice: RegExp | null,
): void => {
  const finding = findings.find((each) => each.id === id)
  assert(finding !== undefined, `nothing is said of ${id}: ${JSON.stringify(findings)}`)
  assert.equal(finding.level, level, finding.found)
  assert.match(finding.found, found)
  if (advice === null) assert.equal(finding.advice, null)
  else assert.match(finding.advice ?? '', advice)
}

const until = async (holds: () => boolean): Promise<void> => {
  const end = Date.now() + 60_000
  while (!holds()) {
    assert(Date.now() < end, 'it does not come')
    await pause(20)
  }
}

test('without --redis-url nothing is said of Redis', async () => {
  assert.deepEqual(await findingsAt(''), [])
})

test('a Redis that keeps all is fine', async (t) => {
  const server = await newRedis(t, '--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory', '256mb')
  const findings = await findingsAt(server.url)
  assertIs(findings, 'redis', 'fine', /^Redis \d+\.\d+.* at redis:\/\/127\.0\.0\.1:\d+$/, null)
  assertIs(findings, 'redis role', 'fine', /takes writes/, null)
  assertIs(findings, 'redis receipts', 'fine', /on the disk of Redis/, null)
  assertIs(findings, 'redis memory', 'fine', /of 256 MiB used/, null)
  assertIs(findings, 'redis replicas', 'note', /none/, null)
  assertIs(findings, 'redis files', 'fine', /succeeded/, null)
  assertIs(findings, 'redis clock', 'fine', /ms apart/, null)
  assert(findings.some(({ id }) => id === 'redis speed'))
  assert.deepEqual(server.cli('DBSIZE'), '0', 'nothing is written')
})

test('each weak setting is said, with what a RECEIPT is worth', async (t) => {
  const server = await newRedis(t, '--appendonly', 'no')
  const setting = async (name: string, value: string): Promise<readonly Finding[]> => {
    assert.equal(server.cli('CONFIG', 'SET', name, value), 'OK')
    return findingsAt(server.url)
  }
  const first = await findingsAt(server.url)
  assertIs(first, 'redis receipts', 'warning', /lost when Redis ends, and nothing is kept/, /appendonly yes/)
  assertIs(first, 'redis memory', 'warning', /no maxmemory/, /--redis-log-bytes-max/)
  assertIs(await setting('save', '3600 1'), 'redis receipts', 'warning', /only the last dump is kept/, /appendonly yes/)
  await setting('appendonly', 'yes')
  assertIs(await setting('appendfsync', 'everysec'), 'redis receipts', 'warning', /loses up to 2 s/, /always/)
  assertIs(await setting('appendfsync', 'no'), 'redis receipts', 'warning', /loses 30 s/, /always/)
  await setting('appendfsync', 'always')
  const rewriting = await setting('no-appendfsync-on-rewrite', 'yes')
  assertIs(rewriting, 'redis receipts', 'warning', /while the file is rewritten/, /no-appendfsync-on-rewrite no/)
  assertIs(await setting('maxmemory-policy', 'allkeys-lru'), 'redis memory', 'wrong', /drops turns/, /noeviction/)
  await setting('maxmemory-policy', 'noeviction')
  assertIs(await setting('maxmemory', '64mb'), 'redis memory', 'warning', /before the log is trimmed/, /twice/)
  assert.equal(server.cli('CONFIG', 'SET', 'maxmemory', '1200kb'), 'OK')
  assertIs(await findingsAt(server.url, 0, '1m'), 'redis memory', 'warning', /when it is full/, /to more/)
  await setting('maxmemory', '0')
  const lonely = await setting('min-replicas-to-write', '1')
  assertIs(lonely, 'redis replicas', 'wrong', /is 1, and 0 keep up: nothing can be appended/, /start its replicas/)
})

test('replicas: one in the place of its master, one that no RECEIPT waits for, fewer than it waits for', async (t) => {
  const master = await newRedis(t)
  const replica = await newRedis(t)
  assertIs(await findingsAt(master.url, 1), 'redis replicas', 'wrong', /waits for 1 .*has 0/, /--redis-replicas/)
  assert.equal(replica.cli('REPLICAOF', '127.0.0.1', String(master.port)), 'OK')
  await until(() => /connected_slaves:1/.test(master.cli('INFO', 'replication')))
  await until(() => /master_link_status:up/.test(replica.cli('INFO', 'replication')))
  assertIs(
    await findingsAt(replica.url),
    'redis role',
    'wrong',
    new RegExp(`replica of 127\\.0\\.0\\.1:${master.port}`),
    /redis-sentinel/,
  )
  assertIs(await findingsAt(master.url), 'redis replicas', 'warning', /no RECEIPT waits/, /--redis-replicas 1/)
  assertIs(await findingsAt(master.url, 1), 'redis replicas', 'fine', /in 1 of them/, null)
  const alone = await findingsAt(master.url)
  assertIs(alone, 'redis former master', 'warning', /goes on alone after a minute/, /min-replicas-to-write 1/)
  assert.equal(master.cli('CONFIG', 'SET', 'min-replicas-to-write', '1'), 'OK')
  assertIs(await findingsAt(master.url), 'redis former master', 'fine', /takes no writes/, null)
})

test('a dump that has failed', async (t) => {
  const server = await newRedis(t, '--dbfilename', 'taken.rdb', '--save', '3600 1')
  // A dump cannot take the place of a folder.
  mkdirSync(join(server.folder, 'taken.rdb'))
  server.cli('SET', 'x', '1')
  server.cli('BGSAVE')
  await until(() => /rdb_last_bgsave_status:err/.test(server.cli('INFO', 'persistence')))
  assertIs(await findingsAt(server.url), 'redis files', 'wrong', /refuses writes until/, /free space/)
  server.cli('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'no')
  assertIs(await findingsAt(server.url), 'redis files', 'warning', /dump has failed/, /free space/)
})

test('one that is not there, wants a password, or has another address', async (t) => {
  const server = await newRedis(t)
  server.cli('CONFIG', 'SET', 'requirepass', 'secret')
  assertIs(await findingsAt(server.url), 'redis', 'wrong', /cannot be asked \(.*NOAUTH/, /password/)
  assertIs(await findingsAt(server.url.replace('//', '//:no@')), 'redis', 'wrong', /WRONGPASS/, /password/)
  const withPassword = await findingsAt(server.url.replace('//', '//:secret@'))
  assertIs(withPassword, 'redis', 'fine', /at redis:\/\/127/, null)
  await server.stop()
  assertIs(await findingsAt(server.url), 'redis', 'wrong', /ECONNREFUSED/, /--redis-url/)
  assertIs(await findingsAt('http://localhost'), 'redis', 'wrong', /no address/, /give redis:/)
})

test('one whose user may not do what the service does is told of the user, not of the URL', async (t) => {
  const server = await newRedis(t)
  const findingsOf = (user: string): Promise<readonly Finding[]> =>
    findingsAt(server.url.replace('//', `//${user}:secret@`))
  const users: Readonly<Record<string, readonly [rules: readonly string[], found: RegExp]>> = {
    noinfo: [['~*', '+@all', '-info'], /'info'/],
    nolua: [['~*', '+@all', '-eval', '-evalsha'], /'eval'/],
    nostream: [['~*', '+@all', '-@stream', '-wait'], /: XADD, XLEN, XTRIM, XRANGE, XREAD, WAIT \(/],
    others: [['~foo:*', '+@all'], /: GET, SET, .*\{oddswire\}:log/],
  }
  for (const [user, [rules, found]] of Object.entries(users)) {
    assert.equal(server.cli('ACL', 'SETUSER', user, 'on', '>secret', '&*', ...rules), 'OK')
    const [finding] = (await findingsOf(user)).filter(({ level }) => level === 'wrong')
    assert.match(finding!.found, found)
    assert.equal(finding!.id, 'redis permissions')
    // What it advises is enough.
    const advised = new RegExp(`^ACL SETUSER ${user} (.*), and ACL SAVE`).exec(finding!.advice!)![1]!
    assert.equal(server.cli('ACL', 'SETUSER', user, ...advised.split(' ')), 'OK')
    const then = await findingsOf(user)
    assert(then.length > 3 && then.every(({ level }) => level !== 'wrong'), JSON.stringify(then))
  }
})

test('an older Redis is said to be too old, before it is asked to run a script', async (t) => {
  // It says what 6.2 says.
  const old = createServer((socket) => {
    socket.on('data', (data) => {
      for (const command of data.toString().split(/(?=^\*\d+\r\n)/m)) {
        const info = '# Server\r\nredis_version:6.2.6\r\nrun_id:aa\r\nrole:master\r\nloading:0\r\n'
        if (/\r\ninfo\r\n/i.test(command)) socket.write(`$${info.length}\r\n${info}\r\n`)
        else if (/\r\neval/i.test(command)) socket.write("-ERR Error compiling script: unexpected symbol near '#'\r\n")
        else socket.write('+OK\r\n')
      }
    })
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  t.after(() => old.close())
  await new Promise((resolve) => old.once('listening', resolve))
  const { port } = old.address() as AddressInfo
  const findings = await findingsAt(`redis://127.0.0.1:${port}`)
  assertIs(findings, 'redis', 'wrong', /^Redis 6\.2\.6 at /, /install Redis 7/)
  assert.equal(findings.length, 1)
})

test('one that does not tell its settings', async (t) => {
  const server = await newRedis(t, '--rename-command', 'CONFIG', '')
  assertIs(await findingsAt(server.url), 'redis settings', 'note', /does not tell/, null)
})

test('what cannot be brought about here: old versions, clocks apart, a slow network, a failed write', () => {
  const facts: RedisFacts = {
    info: new Map([
      ['redis_version', '6.2.7'],
      ['role', 'master'],
      ['aof_last_write_status', 'err'],
    ]),
    config: undefined,
    scriptMs: 7,
    apartMs: -750,
  }
  const findings = findingsOfRedis(facts, 'redis://host:1', 0, 0)
  assertIs(findings, 'redis', 'wrong', /^Redis 6\.2\.7 at redis:\/\/host:1/, /Redis 7/)
  assertIs(findings, 'redis files', 'wrong', /no RECEIPT is sent/, /disk/)
  assertIs(findings, 'redis speed', 'warning', /^7\.0 ms/, /nearer/)
  assertIs(findings, 'redis clock', 'warning', /750 ms behind/, /NTP/)
  const far = findingsOfRedis({ ...facts, scriptMs: 60, apartMs: 500 }, 'redis://host:1', 0, 0)
  assertIs(far, 'redis speed', 'wrong', /get 503/, /nearer/)
  assertIs(far, 'redis clock', 'fine', /500 ms/, null)
})

test('the command prints them, and what is wrong is its exit code', async (t) => {
  const server = await newRedis(t, '--maxmemory-policy', 'volatile-lru')
  const { path, remove } = newFolder()
  t.after(remove)
  const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']
  const { status, stdout } = spawnSync(process.execPath, [MAIN, 'doctor', '--redis-url', server.url, ...ports], {
    ...{ encoding: 'utf8', cwd: path },
  })
  assert.equal(status, 1, stdout)
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; level: string; do: string })
  assert(rows.some(({ id, level }) => id === 'redis memory' && level === 'wrong'))
  assert(rows.some(({ id }) => id === 'redis receipts'))
})
