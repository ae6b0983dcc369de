// SIGHUP: the certificate and the sources are reloaded, what has not changed is not touched, and nothing of it ends the
// process.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { Reloads } from '../../src/command/reload.ts'
import { endedWithTests } from '../children.ts'
import { type Peer, ScriptedBroker } from '../source/kit/scripted-broker.ts'
import { command, rowsIn } from '../feeds/command.ts'
import { until } from '../feeds/waiting.ts'
import { done, MAIN, newFolder, writeCoverage } from '../service.ts'
import { ServiceProcess } from './process.ts'

const folder = newFolder()
let key: string

const BOOKS = ['steady', 'gone', 'fresh', 'demo-like'] as const

const kickoffAt = new Date(clock.now() + 7_200_000).toISOString()

const observation = (bookmaker: string, odds: number): string =>
  JSON.stringify({
    ...{ bookmaker, transport: 'both', observedAt: new Date(clock.now()).toISOString() },
    event: {
      ...{ sport: 'football', league: { key: 'l', name: 'L' }, home: `${bookmaker} home`, away: `${bookmaker} away` },
      ...{ kickoffAt, sourceId: '1' },
    },
    quotes: [{ type: 'match_result_1x2', outcome: 'home', odds }],
  })

const filed = (name: string, over: object = {}): object => {
  writeFileSync(join(folder.path, `${name}.jsonl`), observation(name, 2))
  return { name, kind: 'file', path: `${name}.jsonl`, format: 'observations', ...over }
}

/** Exchanges the configuration at once, as a careful operator does. */
const configure = (feeds: string, content: object | string): void => {
  writeFileSync(`${feeds}.new`, typeof content === 'string' ? content : JSON.stringify(content))
  renameSync(`${feeds}.new`, feeds)
}

/** Lines of the log that say what became of a reload: one for each. */
const outcomes = (service: ServiceProcess) => service.logged().filter(({ msg }) => /^(not )?reloaded/.test(msg))

/** SIGHUP; resolves to the line of the log that says what became of it. */
const reload = async (service: ServiceProcess) => {
  const { length } = outcomes(service)
  service.child.kill('SIGHUP')
  return service.until('it has reloaded', () => outcomes(service)[length])
}

/** Prices that a customer sees, by bookmaker. */
const prices = async (service: ServiceProcess): Promise<Record<string, number>> => {
  const { http } = await service.ports()
  const ask = async (path: string): Promise<{ readonly data: unknown }> => {
    const response = await fetch(`http://127.0.0.1:${http}/api/v1${path}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return (await response.json()) as { readonly data: unknown }
  }
  const found: Record<string, number> = {}
  for (const { id } of (await ask('/events')).data as { readonly id: string }[]) {
    const text = JSON.stringify((await ask(`/events/${id}/odds`)).data)
    const bookmaker = BOOKS.find((slug) => text.includes(`"${slug}"`))
    const odds = /"odds":([\d.]+)/.exec(text)?.[1]
    if (bookmaker !== undefined && odds !== undefined) found[bookmaker] = Number(odds)
  }
  return found
}

before(() => {
  const coverage = writeCoverage(
    folder.path,
    BOOKS.map((slug) => [slug, 'verified_rest_live', true, true] as const),
  )
  done(folder.path, 'coverage', 'import', coverage)
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'desk')
})

after(() => folder.remove())

/** An HTTP source that writes down the secret that it is asked with. */
const keyed = async (): Promise<{ readonly server: Server; readonly seen: string[]; readonly origin: string }> => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(String(request.headers['x-secret']))
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, seen, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('SIGHUP restarts only the sources that changed, and a configuration with a fault changes nothing', async () => {
  let peer: Peer | undefined
  const broker = await ScriptedBroker.listen((frame, from) => {
    if (frame.command === 'SUBSCRIBE') peer = from
  })
  const say = (odds: number): void => {
    const body = observation('steady', odds)
    const headers = { destination: '/queue/odds', 'message-id': String(odds), ack: String(odds), subscription: '0' }
    peer!.send('MESSAGE', { ...headers, 'content-length': Buffer.byteLength(body) }, body)
  }
  const { server, seen, origin } = await keyed()
  const steady = {
    ...{
      name: 'steady',
      kind: 'stomp',
      addresses: [`stomp://127.0.0.1:${broker.port}`],
      destinations: ['/queue/odds'],
    },
    heartbeatSeconds: 1,
  }
  const secret = {
    ...{
      name: 'keyed',
      kind: 'pinnacle',
      baseUrl: origin,
      credential: { header: 'X-Secret', value: '$RELOAD_SECRET' },
    },
    groups: [{ name: 'football', matchups: 'matchups', straight: 'straight' }],
    ...{ straightIntervalSeconds: 1, requestsPerSecond: 100 },
  }
  const feeds = join(folder.path, 'oddswire.feeds.json')
  writeFileSync(join(folder.path, '.env'), 'RELOAD_SECRET=one\n')
  configure(feeds, { sources: [filed('gone'), steady, secret] })
  const service = new ServiceProcess(folder.path, folder.path)
  try {
    await service.until('it is subscribed', () => peer)
    say(2)
    await service.ready()
    assert.deepEqual(await prices(service), { gone: 2, steady: 2 })
    const { socket } = peer!

    // A secret, a source less, a source more.
    writeFileSync(join(folder.path, '.env'), 'RELOAD_SECRET=two\n')
    configure(feeds, { sources: [secret, steady, filed('fresh')] })
    const { added, removed, restarted, unchanged, msg } = await reload(service)
    assert.deepEqual(
      { added, removed, restarted, unchanged, msg },
      { added: ['fresh'], removed: ['gone'], restarted: ['keyed'], unchanged: ['steady'], msg: 'reloaded' },
    )
    await service.until('the new source has sent its price', async () => (await prices(service)).fresh === 2)
    assert.deepEqual(await prices(service), { fresh: 2, steady: 2 }, 'the other is no longer updated')
    await service.until('the new secret is used', () => seen.includes('two'))
    assert.equal(seen.lastIndexOf('one') < seen.indexOf('two'), true, 'and the old one no longer')
    assert.deepEqual([broker.connections, peer!.socket === socket, socket.destroyed], [1, true, false])
    say(3)
    await service.until('the connection continues', async () => (await prices(service)).steady === 3)
    const status = await command(folder.path, 'feed', 'status')
    assert.deepEqual(
      rowsIn(status.stdout).map(({ id }) => id),
      ['keyed', 'steady', 'fresh'],
    )

    // Faults: in the file, in a secret, in that there is none.
    const cases: readonly [change: () => void, message: RegExp][] = [
      [() => configure(feeds, '{'), /oddswire\.feeds\.json: file is not JSON/],
      [() => configure(feeds, { sources: [{ ...steady, format: 'xml' }] }), /sources\[0\]\.format must be one of/],
      [
        () => {
          configure(feeds, { sources: [secret] })
          writeFileSync(join(folder.path, '.env'), '')
        },
        /\$RELOAD_SECRET is not set/,
      ],
      [() => renameSync(feeds, `${feeds}.away`), /is missing: to stop all sources/],
    ]
    for (const [change, message] of cases) {
      change()
      const line = await reload(service)
      assert.match(line.msg, /^not reloaded/)
      assert.match(String(line.fault), message)
    }
    assert.equal(service.logged('reloaded').length, 1)
    assert.equal(await service.metric('oddswire_reloads_total{result="refused"}'), String(cases.length))
    assert.equal(await service.metric('oddswire_reloads_total{result="done"}'), '1')
    assert.deepEqual([broker.connections, socket.destroyed], [1, false])
    assert.deepEqual(await prices(service), { fresh: 2, steady: 3 })
    assert.equal((await service.admin('/readyz')).status, 200)

    // Many at once end in the last of what was written.
    const before = service.logged('reloaded').length
    writeFileSync(join(folder.path, '.env'), 'RELOAD_SECRET=three\n')
    configure(feeds, { sources: [secret, steady] })
    for (let n = 0; n < 50; n++) service.child.kill('SIGHUP')
    await service.until('the last secret is used', () => seen.includes('three'))
    await service.until('the last source is gone', async () => (await prices(service)).fresh === undefined)
    assert.ok(service.logged('reloaded').length - before <= 50)
    assert.deepEqual([broker.connections, socket.destroyed], [1, false])
  } finally {
    assert.equal(await service.stop(), 0)
    await broker.close()
    server.closeAllConnections()
    server.close()
  }
})

test('while sources are waited for, SIGHUP exchanges the one that does not deliver', async () => {
  const broker = await ScriptedBroker.listen()
  const feeds = join(folder.path, 'waiting.json')
  const mute = {
    ...{ name: 'mute', kind: 'stomp', addresses: [`stomp://127.0.0.1:${broker.port}`], destinations: ['/queue/odds'] },
  }
  configure(feeds, { sources: [mute, filed('fresh')] })
  const service = new ServiceProcess(folder.path, folder.path, '--feeds', feeds, '--ready-after', '3600')
  try {
    const waiting = 'not ready\n- source mute has not delivered yet\n'
    await service.until('it waits', async () => (await service.admin('/readyz')).text === waiting)
    configure(feeds, { sources: [filed('fresh')] })
    const { removed } = await reload(service)
    assert.deepEqual(removed, ['mute'])
    await service.ready()
    assert.deepEqual(service.logged('ready, though'), [])
  } finally {
    assert.equal(await service.stop(), 0)
    await broker.close()
  }
})

test('SIGHUP while a recording is loaded is put off, and before it ends nothing of it ends the process', async () => {
  const recording = join(folder.path, 'recording.jsonl')
  writeFileSync(recording, Array.from({ length: 50_000 }, () => observation('steady', 2)).join('\n'))
  const feeds = join(folder.path, 'loading.json')
  configure(feeds, { sources: [filed('fresh')] })
  const flags = ['--replay', recording, '--format', 'observations', '--feeds', feeds]
  const service = new ServiceProcess(folder.path, folder.path, ...flags)
  await service.ports()
  assert.match((await service.admin('/readyz')).text, /^not ready\n- the service is loading\n$/)
  for (let n = 0; n < 5; n++) service.child.kill('SIGHUP')
  await service.ready()
  await service.until('it has reloaded', () => service.logged('reloaded').length > 0)
  assert.deepEqual(service.logged('reloaded')[0]!.unchanged, ['fresh'])
  // While it stops it is too late.
  service.child.kill('SIGTERM')
  for (let n = 0; n < 5; n++) service.child.kill('SIGHUP')
  assert.equal(await service.exited, 0)
})

/** What Linux says of a process; empty: it is not there, or this is not Linux. */
const proc = (pid: number, file: 'maps' | 'status'): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

test('SIGHUP does not end a service that starts or stops, from before the libraries are loaded to its exit code', {
  skip: !existsSync('/proc/self/status') && 'this is not Linux',
}, async () => {
  const data = newFolder()
  const service = new ServiceProcess(data.path, data.path)
  const pid = service.child.pid!
  await service.until('SIGHUP is caught', () => {
    const isLoaded = proc(pid, 'maps').includes('/uws_')
    const caught = /^SigCgt:\s+(\w+)/m.exec(proc(pid, 'status'))?.[1] ?? '0'
    const isCaught = (BigInt(`0x${caught}`) & 1n) === 1n
    assert(isCaught || !isLoaded, 'the libraries were loaded before')
    return isCaught
  })
  service.child.kill('SIGHUP')
  await service.ready()
  await service.until('what came during the start is handled', () => service.logged('reloaded').length > 0)
  service.child.kill('SIGTERM')
  let isOver = false
  const exited = service.exited.then((code) => {
    isOver = true
    return code
  })
  while (!isOver) {
    service.child.kill('SIGHUP')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  assert.equal(await exited, 0)
  data.remove()
})

test('SIGHUP with the demo, and without any configuration, is no end either; one that comes later is loaded', async () => {
  const empty = newFolder()
  const service = new ServiceProcess(empty.path, empty.path, '--demo')
  try {
    await service.ready()
    const { msg, added } = await reload(service)
    assert.deepEqual([msg, added], ['reloaded', undefined])
    const status = async (): Promise<unknown[]> =>
      rowsIn((await command(empty.path, 'feed', 'status')).stdout).map(({ id }) => id)
    assert.deepEqual(await status(), ['demo'])
    const feeds = join(empty.path, 'oddswire.feeds.json')
    const source = { name: 'fresh', kind: 'file', path: join(folder.path, 'fresh.jsonl'), format: 'observations' }
    configure(feeds, { sources: [{ ...source, name: 'demo' }] })
    assert.match((await reload(service)).msg, /^not reloaded/)
    assert.match(
      String(service.logged('not reloaded').at(-1)!.fault),
      /sources\[0\]\.name must not be "demo", the source of --demo/,
    )
    configure(feeds, { sources: [source] })
    assert.deepEqual((await reload(service)).added, ['fresh'])
    assert.deepEqual(await status(), ['demo', 'fresh'])
    configure(feeds, { sources: [] })
    assert.deepEqual((await reload(service)).removed, ['fresh'])
    assert.deepEqual(await status(), ['demo'])
  } finally {
    assert.equal(await service.stop(), 0)
    empty.remove()
  }
})

test('a service whose terminal is closed ends as by SIGTERM', {
  skip: spawnSync('script', ['--version']).status !== 0 && 'script(1) is not here',
}, async () => {
  const data = newFolder()
  const ports = '--http-port 0 --stomp-port 0 --admin-port 0'
  const line = `exec "${process.execPath}" "${MAIN}" serve --data-dir "${data.path}" ${ports}`
  const terminal = endedWithTests(spawn('script', ['-qfc', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] }))
  let text = ''
  terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await until(
    'it is ready',
    () => text.includes('{"ready":true'),
    () => text,
  )
  const note = join(data.path, 'server.json')
  const { pid } = JSON.parse(readFileSync(note, 'utf8')) as { readonly pid: number }
  process.kill(pid, 'SIGHUP')
  await until(
    'it has reloaded: the terminal is there',
    () => text.includes('reloaded'),
    () => text,
  )
  terminal.kill('SIGKILL')
  await until('it has ended in order', () => !existsSync(note))
  data.remove()
})

test('reloads run one at a time; those asked for meanwhile are one more', async () => {
  let running = 0
  let runs = 0
  let release = (): void => {}
  const reloads = new Reloads(async () => {
    assert.equal(++running, 1)
    runs++
    await new Promise<void>((resolve) => {
      release = resolve
    })
    running--
  })
  const released = async (): Promise<void> => {
    release()
    for (let n = 0; n < 5; n++) await Promise.resolve()
  }
  reloads.ask()
  reloads.ask()
  assert.equal(runs, 0, 'there is nothing to reload yet')
  reloads.open()
  assert.equal(runs, 1)
  for (let n = 0; n < 10; n++) reloads.ask()
  await released()
  assert.equal(runs, 2)
  await released()
  await reloads.settled()
  assert.equal(runs, 2)
  reloads.ask()
  reloads.ask()
  reloads.close()
  await released()
  await reloads.settled()
  reloads.ask()
  assert.equal(runs, 3)
})
