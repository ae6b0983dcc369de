// The examples as users run them: each against a real service that is disconnected, killed and started again.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import * as StompJs from '@stomp/stompjs'
import { WebSocket } from 'ws'
import { endedWithTests } from './children.ts'
import { ROOT } from './root.ts'
import { done, newFolder, type RunningService, startService, writeCoverage } from './service.ts'
import { LIMIT_MS } from './stomp/raw-client.ts'
import { Wire } from './stomp/wire.ts'
import { connectFrame, converse } from './command/process.ts'
import * as clock from '../src/clock.ts'

interface Ports {
  readonly http: number
  readonly stomp: number
}

/** A running example, read line by line. */
class Example {
  readonly ended: Promise<number | null>
  private readonly child: ChildProcess
  private readonly lines: string[] = []
  private next = 0
  private wake: () => void = () => {}

  constructor(file: string, ...args: string[]) {
    this.child = endedWithTests(
      spawn(process.execPath, [join(ROOT, 'examples', file), ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line)
        this.wake()
      })
    }
    this.ended = once(this.child, 'close').then(([code]) => code as number | null)
  }

  /** The next line that fits; what comes before it is passed over. Fails after the usual limit. */
  async line(fits: RegExp): Promise<string> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.wake()
    }, LIMIT_MS)
    try {
      for (;;) {
        while (this.next < this.lines.length) {
          const line = this.lines[this.next++]!
          if (fits.test(line)) return line
        }
        assert(!isLate, `no line ${fits}; the last ones:\n${this.lines.slice(-10).join('\n')}`)
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** All lines so far that fit. */
  all(fits: RegExp): string[] {
    return this.lines.filter((line) => fits.test(line))
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }
}

const portOf = (server: Server): number => (server.address() as { port: number }).port

/**
 * Ports that are free just now. They must be given by number at the first start, too: for one of its own choice
 * uWebSockets.js leaves out SO_REUSEADDR, and what is left of the connections would keep it for a minute.
 */
const freePorts = async (): Promise<Ports> => {
  const servers = [createServer(), createServer()] as const
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const [http, stomp] = servers.map(portOf)
  for (const server of servers) {
    server.close()
    await once(server, 'close')
  }
  return { http: http!, stomp: stomp! }
}

const startOn = (dataDir: string, { http, stomp }: Ports, ...flags: string[]): Promise<RunningService> =>
  startService(
    dataDir,
    ...[...flags, '--log-level', 'error', '--http-port', String(http), '--stomp-port', String(stomp)],
  )

/** Starts a service on ports by number; others where those are in use. */
const startAnywhere = async (
  dataDir: string,
  ...flags: string[]
): Promise<{ readonly service: RunningService; readonly ports: Ports }> => {
  for (let tries = 1; ; tries++) {
    const ports = await freePorts()
    try {
      return { service: await startOn(dataDir, ports, ...flags), ports }
    } catch (error) {
      if (tries === 5 || !String(error).includes('in use')) throw error
    }
  }
}

const CHANGE = /^[^,]+, [a-z_]+, .*: (added|repriced|suspended|reopened|closed|aged_out) at [\d.]+$/
const SNAPSHOT = /^snapshot: [1-9]\d* messages; whole at [a-z0-9]+-\d+$/

const EXAMPLES = [
  {
    file: 'subscribe-stompjs.mjs',
    portOf: ({ http }: Ports) => http,
    at: (port: number) => `ws://127.0.0.1:${port}/stomp`,
  },
  { file: 'subscribe-stompit.mjs', portOf: ({ stomp }: Ports) => stomp, at: (port: number) => `127.0.0.1:${port}` },
  {
    file: 'stream-sse.mjs',
    portOf: ({ http }: Ports) => http,
    at: (port: number) => `http://127.0.0.1:${port}/api/v1/stream`,
    topics: 'topic=odds&sport=football',
  },
] as const

for (const { file, portOf: portFor, at, ...more } of EXAMPLES) {
  const topics = 'topics' in more ? more.topics : '/topic/odds.football.#'
  test(`${file} resumes after a break, says when it cannot, and gives up where another try cannot succeed`, async (t) => {
    const folder = newFolder()
    done(folder.path, 'org', 'create', 'me', '--plan', 'desk')
    const key = done(folder.path, 'key', 'create', '--org', 'me')
    const { service: first, ports } = await startAnywhere(folder.path, '--demo')
    let service = first
    t.after(async () => {
      await service.kill()
      folder.remove()
    })

    // A line that breaks: nothing is lost, and no snapshot is needed.
    const wire = await Wire.to(portFor(ports))
    t.after(() => wire.close())
    const overWire = new Example(file, key, at(wire.port), topics)
    t.after(() => overWire.stop())
    await overWire.line(SNAPSHOT)
    assert.doesNotMatch(await overWire.line(CHANGE), /^\d+,/, 'events are named')
    wire.cut()
    await overWire.line(/^no connection/)
    await overWire.line(/^connected; going on from [a-z0-9]+-\d+$/)
    await overWire.line(CHANGE)
    assert.equal(overWire.all(SNAPSHOT).length, 1)
    assert.deepEqual(overWire.all(/reset/), [])
    await overWire.stop()

    // A service that was killed and started again goes on, too. One that has lost its log cannot.
    const example = new Example(file, key, at(portFor(ports)), topics)
    t.after(() => example.stop())
    assert.equal(await example.line(/^connected/), 'connected; asking for a snapshot')
    await example.line(SNAPSHOT)
    await example.line(CHANGE)
    await service.kill()
    await example.line(/^no connection/)
    service = await startOn(folder.path, ports, '--demo')
    await example.line(/^connected; going on from [a-z0-9]+-\d+$/)
    await example.line(CHANGE)
    assert.equal(example.all(SNAPSHOT).length, 1)
    assert.deepEqual(example.all(/reset/), [])
    await service.kill()
    rmSync(join(folder.path, 'log'), { recursive: true })
    await example.line(/^no connection/)
    service = await startOn(folder.path, ports, '--demo')
    await example.line(/^connected; going on from [a-z0-9]+-\d+$/)
    assert.match(await example.line(/^reset/), /^reset \(epoch\)/)
    await example.line(SNAPSHOT)
    await example.line(CHANGE)
    await example.stop()

    const refused = new Example(file, 'nonsense', at(portFor(ports)))
    await refused.line(/^the server says invalid_api_key/)
    assert.equal(await refused.ended, 1)
    const misused = new Example(file)
    await misused.line(/^usage:/)
    assert.equal(await misused.ended, 2)
  })
}

/** A feed of one event, with prices for its home side. */
const newFeed = (key: string) => {
  let receipt = 0
  return async (port: number, bookmaker: string, odds: number, status = 'open'): Promise<void> => {
    const body = JSON.stringify({
      ...{ transport: 'live', observedAt: new Date(clock.now()).toISOString() },
      event: {
        ...{ sport: 'football', league: { key: 'l', name: 'L' }, home: 'Harbour Town', away: 'Millbrook United' },
        ...{ kickoffAt: '2030-01-01T20:00:00Z', sourceId: bookmaker },
      },
      quotes: [{ type: 'match_result_1x2', outcome: 'home', odds, status }],
    })
    const frame = `SEND\ndestination:/feed/${bookmaker}\nreceipt:${++receipt}\n\n${body}\0`
    const answer = await converse(port, connectFrame(key) + frame, /RECEIPT|ERROR/)
    assert.match(answer, new RegExp(`receipt-id:${receipt}\\b`))
  }
}

/** The script of a page, run with the least of a browser. Returns the lines that it shows, the newest first. */
const openPage = (t: TestContext, file: string, hash: string): readonly { readonly textContent: string }[] => {
  class Client extends StompJs.Client {
    override activate(): void {
      t.after(() => this.deactivate())
      super.activate()
    }
  }
  const page = readFileSync(join(ROOT, 'examples', file), 'utf8')
  const shown: { textContent: string }[] = []
  const list = { prepend: (line: { textContent: string }) => shown.unshift(line), children: [] }
  const document = {
    querySelector: (selector: string) => (selector === '#lines' ? list : { textContent: '' }),
    createElement: () => ({ textContent: '' }),
  }
  runInNewContext(/<script>(.*)<\/script>/s.exec(page)![1]!, {
    ...{ document, location: { hash }, StompJs: { Client }, decodeURIComponent },
    console: { log: () => {} },
  })
  return shown
}

test('numbered.mjs keeps a board by numbers, also over a break and a restart of the service', async (t) => {
  const folder = newFolder()
  const books = ['steady', 'other'] as const
  const coverage = writeCoverage(
    folder.path,
    books.map((slug) => [slug, 'verified_rest_live', true, true] as const),
  )
  done(folder.path, 'coverage', 'import', coverage)
  done(folder.path, 'org', 'create', 'me', '--plan', 'desk')
  const key = done(folder.path, 'key', 'create', '--org', 'me')
  const send = newFeed(done(folder.path, 'key', 'create', '--org', 'me', '--feed', books.join()))
  const { service: first, ports } = await startAnywhere(folder.path)
  let service = first
  t.after(async () => {
    await service.kill()
    folder.remove()
  })
  const wire = await Wire.to(ports.http)
  t.after(() => wire.close())
  await send(ports.stomp, 'steady', 2)
  await send(ports.stomp, 'other', 2.1)
  const example = new Example('numbered.mjs', key, `ws://127.0.0.1:${wire.port}/stomp`)
  t.after(() => example.stop())
  await example.line(/: 2 quotes, 2 open; 0 short updates/)
  await send(ports.stomp, 'other', 2.4)
  await example.line(/: 2 quotes, 2 open; 1 short updates/)
  wire.cut()
  await send(ports.stomp, 'other', 2.4, 'suspended')
  await example.line(/: 2 quotes, 1 open; 1 short updates/)
  // The numbers are those of the log.
  await service.kill()
  service = await startOn(folder.path, ports)
  await send(ports.stomp, 'other', 2.4)
  await send(ports.stomp, 'steady', 2.2)
  await example.line(/: 2 quotes, 2 open;/)
  await send(ports.stomp, 'steady', 2.3, 'suspended')
  await example.line(/: 2 quotes, 1 open; [2-9] short updates/)
  await send(ports.stomp, 'other', 2.3, 'closed')
  await example.line(/: 1 quotes, 0 open;/)
  await example.stop()
})

test('board.mjs keeps the best prices by name, also over a break and where the server has lost its log; so does the page', async (t) => {
  const folder = newFolder()
  const books = ['steady', 'other'] as const
  const coverage = writeCoverage(
    folder.path,
    books.map((slug) => [slug, 'verified_rest_live', true, true] as const),
  )
  done(folder.path, 'coverage', 'import', coverage)
  done(folder.path, 'org', 'create', 'me', '--plan', 'desk')
  const key = done(folder.path, 'key', 'create', '--org', 'me')
  const send = newFeed(done(folder.path, 'key', 'create', '--org', 'me', '--feed', books.join()))
  const { service: first, ports } = await startAnywhere(folder.path)
  let service = first
  t.after(async () => {
    await service.kill()
    folder.remove()
  })
  const wire = await Wire.to(ports.http)
  t.after(() => wire.close())
  await send(ports.stomp, 'steady', 2)
  await send(ports.stomp, 'other', 2.1)
  const example = new Example('board.mjs', key, `ws://127.0.0.1:${wire.port}/stomp`)
  t.after(() => example.stop())
  const best = (text: string): Promise<string> =>
    example.line(new RegExp(`2030-01-01T20:00 Harbour Town v Millbrook United .* '${text}'`))
  await best('2.1 other')
  wire.cut()
  await send(ports.stomp, 'other', 2.4)
  await best('2.4 other')
  globalThis.WebSocket = WebSocket as unknown as typeof globalThis.WebSocket
  const page = openPage(t, 'subscribe.html', `#${key},ws://127.0.0.1:${wire.port}/stomp,/topic/odds.football.%23`)
  const line = 'Harbour Town v Millbrook United, steady, match_result_1x2 - home: repriced at '
  for (let odds = 2.01; !page.some(({ textContent }) => textContent.startsWith(line)); odds += 0.01) {
    await send(ports.stomp, 'steady', odds)
  }
  await send(ports.stomp, 'other', 2.4, 'suspended')
  await best('2\\.\\d+ steady')
  await service.kill()
  rmSync(join(folder.path, 'log'), { recursive: true })
  service = await startOn(folder.path, ports)
  await send(ports.stomp, 'other', 1.9)
  await best('1.9 other')
  await example.stop()
  const refused = new Example('board.mjs', 'nonsense', `ws://127.0.0.1:${wire.port}/stomp`)
  assert.match(await refused.line(/^the server says/), /invalid_api_key: .*incomplete or mistyped/)
  assert.equal(await refused.ended, 1)
})
