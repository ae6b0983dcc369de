// Connections, TLS and plain secrets as the command line has them.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { connectionLimitsOf, descriptorLimit } from '../../src/command/connection-limits.ts'
import { readSettings, type Settings } from '../../src/config.ts'
import { LIMITS } from '../../src/limits.ts'
import { isLoopback } from '../../src/domain/loopback.ts'
import { parseFeeds } from '../../src/feed/feeds-file.ts'
import { plainSecrets } from '../../src/feed/plain-secrets.ts'
import { endedWithTests } from '../children.ts'
import { certificate, hasOpenssl, until } from '../listeners.ts'
import { command, done, MAIN, newFolder, startService } from '../service.ts'

const folder = newFolder()
after(() => folder.remove())

const settingsOf = (flags: Record<string, string>): Settings => {
  const settings = readSettings(flags, {})
  assert('host' in settings, JSON.stringify(settings))
  return settings
}

test('connections stay below the limit of file descriptors, and a setting that asks for more is reported', () => {
  const { limits, warning } = connectionLimitsOf(settingsOf({}), 20_000)
  assert.equal(limits.connectionsMax, 20_000 - LIMITS.reservedDescriptors)
  assert.equal(limits.httpConnectionsMax, limits.connectionsMax * 0.75)
  assert.equal(warning, undefined)
  assert.equal(connectionLimitsOf(settingsOf({}), 100).limits.connectionsMax, 75)
  assert.equal(connectionLimitsOf(settingsOf({ 'connections-max': '75' }), 100).warning, undefined)
  const asked = connectionLimitsOf(settingsOf({ 'connections-max': '76' }), 100)
  assert.equal(asked.limits.connectionsMax, 75)
  assert.match(asked.warning!, /--connections-max 76 .* at most 75 .*ulimit -n/)
  assert(descriptorLimit() > 0)
})

test('what WebSockets without a key may hold together is bounded, and an address has its share of it', () => {
  const { limits } = connectionLimitsOf(settingsOf({}), 20_000)
  assert.equal(limits.unconnectedWebSocketsMax, 20)
  assert.equal(limits.addressUnconnectedWebSocketsMax, 10)
  const shared = connectionLimitsOf(settingsOf({ 'unconnected-max': '10', 'address-unconnected-max': '10' }), 20_000)
  assert.equal(shared.limits.addressUnconnectedWebSocketsMax, 20)
})

test('settings of connections and of the admin port', () => {
  const settings = settingsOf({ 'admin-hosts': 'a.internal, b.internal' })
  assert.deepEqual(settings.adminHosts, ['a.internal', 'b.internal'])
  assert.equal(settings.adminTls, false)
  assert.deepEqual(readSettings({ 'admin-tls': 'true' }, {}), {
    setting: '--admin-tls',
    message: 'needs --tls-cert and --tls-key',
  })
  assert('message' in readSettings({ 'admin-host': '' }, {}))
  assert('message' in readSettings({ 'unconnected-max': '0' }, {}))
  assert('message' in readSettings({ 'connections-max': '-1' }, {}))
})

test('a host is the loopback, however it is written', () => {
  for (const host of [
    'localhost',
    'LOCALHOST.',
    '127.0.0.1',
    '127.1.2.3',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ]) {
    assert(isLoopback(host), host)
  }
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost.example', '127.0.0.1.example', '2001:db8::1', '1', '']) {
    assert(!isLoopback(host), host)
  }
})

const FEEDS = {
  proxies: { worker_proxy: 'http://user:word@proxy.example:3128' },
  sources: [
    {
      name: 'a',
      kind: 'kambi',
      baseUrl: 'http://kambi.example/offering/v2018/',
      operator: 'x',
      pages: [{ path: 'x', size: 1, pagesMax: 1 }],
      credential: { header: 'X-Key', value: '$KEY' },
    },
    {
      name: 'b',
      kind: 'pinnacle',
      baseUrl: 'http://pinnacle.example/0.1/',
      groups: [{ name: 'x', matchups: 'x', straight: 'x' }],
      sourceMode: 'worker_proxy',
    },
    { name: 'c', kind: 'the-odds-api', baseUrl: 'http://odds.example/', apiKey: '$KEY', sports: [{ key: 'x' }] },
    { name: 'd', kind: 'betfair', appKey: '$KEY', session: '$KEY', catalogueUrl: 'http://betfair.example/' },
    { name: 'e', kind: 'uof', amqpUrl: '$AMQP', apiUrl: 'http://uof.example', apiToken: '$KEY' },
    {
      name: 'f',
      kind: 'stomp',
      addresses: ['stomp+ssl://a.example', 'stomp://b.example:61613', 'stomp://localhost'],
      passcode: '$KEY',
      destinations: ['/queue/odds'],
    },
  ],
}

const SECRETS: Readonly<Record<string, string>> = { KEY: 'secret', AMQP: 'amqp://token@uof.example/v' }

test('a configuration that sends secrets in the clear is warned of, field by field', () => {
  const file = parseFeeds(JSON.stringify(FEEDS))
  assert('sources' in file, JSON.stringify(file))
  const fields = plainSecrets(file, (name) => SECRETS[name]).map((line) => line.split(' ').slice(1, 3).join(' '))
  assert.deepEqual(fields, [
    'a: baseUrl',
    'b: proxy',
    'c: baseUrl',
    'd: catalogueUrl',
    'e: amqpUrl',
    'e: apiUrl',
    'f: addresses[1]',
  ])
  const text = JSON.stringify(FEEDS).replaceAll(/(http|stomp):\/\/([\w:]+@)?[a-z]+\.example/g, '$1://$2localhost')
  const local = parseFeeds(text)
  assert('sources' in local, JSON.stringify(local))
  assert.deepEqual(
    plainSecrets(local, () => 'amqps://token@uof.example/v'),
    [],
  )
})

test('serve warns of a secret that would cross a network in the clear', async () => {
  const file = join(folder.path, 'feeds.json')
  const source = {
    name: 'upstream',
    kind: 'stomp',
    addresses: ['stomp://192.0.2.1:61613'],
    passcode: '$ODDSWIRE_TEST_PASSCODE',
    destinations: ['/queue/odds'],
  }
  writeFileSync(file, JSON.stringify({ sources: [source] }))
  process.env.ODDSWIRE_TEST_PASSCODE = 'word'
  try {
    const data = newFolder()
    const service = await startService(data.path, '--feeds', file, '--host', '0.0.0.0')
    assert.match(service.stderr(), /source upstream: addresses\[0\] is not encrypted, so that passcode can be read/)
    assert.match(service.stderr(), /keys sent to 0\.0\.0\.0 can be read on the way: set --tls-cert and --tls-key/)
    assert(!service.stderr().includes('"word"'))
    assert.equal(await service.stop(), 0)
    data.remove()
  } finally {
    delete process.env.ODDSWIRE_TEST_PASSCODE
  }
})

test('feed check warns on stderr, and feed send of an address that is not encrypted', async () => {
  const file = join(folder.path, 'plain.json')
  writeFileSync(file, JSON.stringify({ sources: [{ ...FEEDS.sources[2], apiKey: '$ODDSWIRE_TEST_API_KEY' }] }))
  process.env.ODDSWIRE_TEST_API_KEY = 'word'
  const checked = await ran('feed', 'check', '--feeds', file)
  delete process.env.ODDSWIRE_TEST_API_KEY
  assert.equal(checked.code, 0, checked.stderr)
  assert.match(checked.stderr, /warning: source c: baseUrl is not encrypted/)
  const key = done(newOrganization(), 'key', 'create', '--org', 'me', '--feed', 'a')
  const args = ['feed', 'send', '/nowhere', '--format', 'observations', '--key', key]
  const far = await ran(...args, '--to', 'stomp://192.0.2.1:61613')
  assert.match(far.stderr, /warning: --to is not encrypted/)
  assert(!far.stderr.includes(key))
  assert(!/warning/.test((await ran(...args, '--to', 'stomp://127.0.0.1:61613')).stderr))
  assert(!/warning/.test((await ran(...args, '--to', 'stomp+ssl://192.0.2.1:61613')).stderr))
})

const newOrganization = (): string => {
  done(folder.path, 'org', 'create', 'me', '--plan', 'desk')
  return folder.path
}

/** Runs a command that has no data folder. */
const ran = (...args: string[]): Promise<{ readonly code: number | null; readonly stderr: string }> =>
  new Promise((resolve) => {
    const child = endedWithTests(spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] }))
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.once('close', (code) => resolve({ code, stderr }))
  })

const tls = hasOpenssl ? certificate(folder.path, 'serve')! : undefined

test('with a certificate the admin port stays plain, unless --admin-tls says otherwise', {
  skip: tls === undefined,
}, async () => {
  const flags = ['--tls-cert', tls!.certFile, '--tls-key', tls!.keyFile]
  for (const more of [[], ['--admin-tls', 'true']]) {
    const data = newFolder()
    const service = await startService(data.path, ...flags, ...more)
    const { port } = new URL(service.admin)
    if (more.length === 0) assert.equal((await fetch(`${service.admin}/livez`)).status, 200)
    else await assert.rejects(fetch(`http://127.0.0.1:${port}/livez`))
    // It finds its way by server.json.
    assert.equal(command(data.path, 'feed', 'status').code, 0)
    // Handshakes that never begin do not keep it.
    const silent = connect(JSON.parse(service.stdout().split('\n')[0]!).stomp, '127.0.0.1')
    silent.on('error', () => {})
    await new Promise((resolve) => silent.once('connect', resolve))
    assert.equal(await service.stop(), 0)
    silent.destroy()
    data.remove()
  }
})

test('the admin port on another address, as commands find it', async () => {
  const data = newFolder()
  const service = await startService(data.path, '--admin-host', '0.0.0.0', '--admin-hosts', 'ops.internal')
  assert.equal(command(data.path, 'feed', 'status').code, 0)
  assert.equal((await fetch(`${service.admin}/livez`)).status, 200)
  assert.equal(await service.stop(), 0)
  data.remove()
})

/** Starts the service with a limit of file descriptors of its own. */
const startLimited = async (
  dataDir: string,
  descriptors: number,
): Promise<{ readonly child: ChildProcess; readonly http: number; readonly stomp: number; readonly admin: number }> => {
  const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']
  const line = `ulimit -n ${descriptors} && exec "$@"`
  const args = ['-c', line, 'sh', process.execPath, MAIN, 'serve', '--data-dir', dataDir, ...ports]
  const child = endedWithTests(spawn('sh', args, { stdio: ['ignore', 'pipe', 'ignore'] }))
  const ready = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', resolve)
    child.once('exit', () => reject(new Error('the service did not start')))
  })
  return { child, ...JSON.parse(ready) }
}

test('more connections than there are file descriptors: the admin port and commands go on', async () => {
  const data = newFolder()
  const { child, http, stomp, admin } = await startLimited(data.path, 400)
  const sockets = [stomp, http].flatMap((port) => Array.from({ length: 350 }, () => connect(port, '127.0.0.1')))
  let closed = 0
  for (const socket of sockets) {
    socket.on('error', () => {})
    socket.on('data', () => {})
    socket.once('close', () => closed++)
  }
  await until('the end of what is too many', () => closed >= 700 - 300)
  const text = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text()
  assert.match(text, /^oddswire_connections_max 300$/m)
  assert.match(text, /^oddswire_connections_refused_total\{kind="tcp",limit="connections"\} [1-9]/m)
  assert.match(text, /^oddswire_connections\{kind="websocket"\} 0$/m)
  assert.match(text, /^oddswire_connections_unconnected\{kind="tcp"\} \d+$/m)
  assert.match(text, /^oddswire_websocket_places_max 20$/m)
  done(data.path, 'org', 'create', 'later', '--plan', 'desk')
  for (const socket of sockets) socket.destroy()
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  assert.equal(await exited, 0)
  data.remove()
})
