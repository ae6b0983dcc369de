// The examples as users run them: each against a real service that is disconnected, killed and started again.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { endedWithTests } from './children.ts'
import { ROOT } from './root.ts'
import { done, newFolder, type RunningService, startService } from './service.ts'
import { LIMIT_MS } from './stomp/raw-client.ts'
import { Wire } from './stomp/wire.ts'

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

const startOn = (dataDir: string, { http, stomp }: Ports): Promise<RunningService> =>
  startService(
    dataDir,
    ...['--demo', '--log-level', 'error', '--http-port', String(http), '--stomp-port', String(stomp)],
  )

/** Starts a service on ports by number; others where those are in use. */
const startAnywhere = async (dataDir: string): Promise<{ readonly service: RunningService; readonly ports: Ports }> => {
  for (let tries = 1; ; tries++) {
    const ports = await freePorts()
    try {
      return { service: await startOn(dataDir, ports), ports }
    } catch (error) {
      if (tries === 5 || !String(error).includes('in use')) throw error
    }
  }
}

const CHANGE = /: (added|repriced|suspended|reopened|closed|aged_out) at [\d.]+$/
const SNAPSHOT = /^snapshot: [1-9]\d* messages; whole at [a-z0-9]+-\d+$/

const EXAMPLES = [
  {
    file: 'subscribe-stompjs.mjs',
    portOf: ({ http }: Ports) => http,
    at: (port: number) => `ws://127.0.0.1:${port}/stomp`,
  },
  { file: 'subscribe-stompit.mjs', portOf: ({ stomp }: Ports) => stomp, at: (port: number) => `127.0.0.1:${port}` },
] as const

for (const { file, portOf: portFor, at } of EXAMPLES) {
  test(`${file} resumes after a break, says when it cannot, and gives up where another try cannot succeed`, async (t) => {
    const folder = newFolder()
    done(folder.path, 'org', 'create', 'me', '--plan', 'desk')
    const key = done(folder.path, 'key', 'create', '--org', 'me')
    const { service: first, ports } = await startAnywhere(folder.path)
    let service = first
    t.after(async () => {
      await service.kill()
      folder.remove()
    })

    // A line that breaks: nothing is lost, and no snapshot is needed.
    const wire = await Wire.to(portFor(ports))
    t.after(() => wire.close())
    const overWire = new Example(file, key, at(wire.port), '/topic/odds.football.#')
    t.after(() => overWire.stop())
    await overWire.line(SNAPSHOT)
    await overWire.line(CHANGE)
    wire.cut()
    await overWire.line(/^no connection/)
    await overWire.line(/^connected; going on from [a-z0-9]+-\d+$/)
    await overWire.line(CHANGE)
    assert.equal(overWire.all(SNAPSHOT).length, 1)
    assert.deepEqual(overWire.all(/reset/), [])
    await overWire.stop()

    // A service that was killed and started again goes on, too. One that has lost its log cannot.
    const example = new Example(file, key, at(portFor(ports)), '/topic/odds.football.#')
    t.after(() => example.stop())
    assert.equal(await example.line(/^connected/), 'connected; asking for a snapshot')
    await example.line(SNAPSHOT)
    await example.line(CHANGE)
    await service.kill()
    await example.line(/^no connection/)
    service = await startOn(folder.path, ports)
    await example.line(/^connected; going on from [a-z0-9]+-\d+$/)
    await example.line(CHANGE)
    assert.equal(example.all(SNAPSHOT).length, 1)
    assert.deepEqual(example.all(/reset/), [])
    await service.kill()
    rmSync(join(folder.path, 'log'), { recursive: true })
    await example.line(/^no connection/)
    service = await startOn(folder.path, ports)
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
