// Local stand-ins for tests of pollers: a source that answers as a test says, a proxy that writes down what it is asked, and
// the other side of a connector, which takes what it gives.

import { execFileSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  request as forward,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observation } from '../../../src/domain/observation.ts'
import type { ConnectorContext } from '../../../src/source/kit/connector.ts'
import type { SourceAccess } from '../../../src/source/kit/http-client.ts'
import { POLL_LIMITS, type PollLimits } from '../../../src/source/kit/poll-limits.ts'
import { now } from '../../../src/clock.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { Random, SEED } from '../../random.ts'
import { SaidBoard } from './said-board.ts'

const LIMIT_MS = 10_000

/** What has happened; whoever waits for a condition looks again at each change. */
const changes = new EventEmitter().setMaxListeners(100)

/** Resolves when something is so; fails when that takes too long. */
export const until = async (isSo: () => boolean, what: string): Promise<void> => {
  const signal = AbortSignal.timeout(LIMIT_MS)
  while (!isSo()) {
    try {
      await once(changes, 'change', { signal })
    } catch {
      throw new Error(`not within ${LIMIT_MS} ms: ${what} (seed ${SEED})`)
    }
  }
}

/** Something has changed that somebody may wait for. */
export const changed = (): void => {
  changes.emit('change')
}

export interface Seen {
  /** From 1. */
  readonly number: number
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Epoch ms. */
  readonly at: number
}

export type Script = (seen: Seen, response: ServerResponse) => void

/** Answers a body. */
export const say = (
  response: ServerResponse,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** A server on the loopback; all that it was asked is in `seen`. */
export class ScriptedSource {
  readonly seen: Seen[] = []
  script: Script
  private readonly server: ReturnType<typeof createServer>
  private readonly scheme: string

  constructor(script: Script, tls?: { readonly cert: string; readonly key: string }) {
    this.script = script
    const listener: RequestListener = (request, response) => {
      const seen = { number: this.seen.length + 1, url: request.url ?? '', headers: request.headers, at: now() }
      this.seen.push(seen)
      this.script(seen, response)
      changed()
    }
    this.scheme = tls === undefined ? 'http' : 'https'
    this.server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return this
  }

  get origin(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  urlsOf(start: string): string[] {
    return this.seen.map(({ url }) => url).filter((url) => url.startsWith(start))
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }
}

/** A proxy for both: `GET http://…` and CONNECT. `asked` has the request lines and what came as Proxy-Authorization. */
export class ScriptedProxy {
  readonly asked: { readonly line: string; readonly authorization: string | undefined }[] = []
  private readonly server = createServer()
  private readonly sockets = new Set<{ destroy(): void }>()

  /** @param authorization that is asked for; without it the answer is 407 */
  constructor(authorization?: string) {
    this.server.on('request', (request, response) => {
      const given = request.headers['proxy-authorization']
      this.asked.push({ line: `${request.method} ${request.url}`, authorization: given })
      if (authorization !== undefined && given !== authorization) {
        response.writeHead(407).end()
        return
      }
      const { 'proxy-authorization': _ours, ...headers } = request.headers
      const far = forward(request.url!, { headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      far.on('error', () => response.writeHead(502).end())
      far.end()
    })
    this.server.on('connect', (request, socket) => {
      const given = request.headers['proxy-authorization']
      this.asked.push({ line: `CONNECT ${request.url}`, authorization: given })
      socket.on('error', () => {})
      if (authorization !== undefined && given !== authorization) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
        return
      }
      const { hostname, port } = new URL(`tcp://${request.url}`)
      const far = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        socket.pipe(far).pipe(socket)
      })
      far.on('error', () => socket.destroy())
      socket.on('close', () => far.destroy())
      this.sockets.add(far).add(socket)
    })
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return this
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }
}

/** A certificate for the loopback; undefined where openssl is not installed. */
export const certificate = (): { readonly cert: string; readonly key: string } | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-http-'))
  const cert = join(folder, 'cert.pem')
  const key = join(folder, 'key.pem')
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', ...curve, '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject],
      {
        stdio: 'ignore',
      },
    )
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const DIRECT: SourceAccess = { mode: 'direct', proxy: null, credential: null, authorities: null }

/** Limits for tests: everything that waits waits shortly. */
export const QUICK: PollLimits = {
  ...POLL_LIMITS,
  requestsPerSecond: 1_000,
  burst: 10,
  backOffMsMin: 2,
  backOffMsMax: 20,
  refusedMs: 60_000,
  refreshMsMax: 5_000,
  staleMsMin: 60_000,
}

/** Stands in for the supervisor. */
export class Desk implements ConnectorContext {
  readonly name = 'source'
  readonly account = new Account()
  readonly board = new SaidBoard(changed)
  readonly observations: readonly Observation[] = this.board.observations
  readonly producer = this.board.producer
  readonly told: string[] = []
  readonly malformed: string[] = []
  heard = 0
  /** How far its clock is ahead: a jump is a pause of the process. */
  aheadMs = 0
  readonly now = (): number => now() + this.aheadMs
  private readonly random = new Random(SEED)

  readonly chance = (): number => this.random.next()

  readonly alive = (): void => {
    this.heard++
    changed()
  }

  /** Times that may be ahead. */
  readonly dates: number[] = []

  readonly ahead = (at: number): void => {
    if (!Number.isNaN(at)) this.dates.push(at)
  }

  readonly log = (level: 'info' | 'warn', message: string): void => {
    this.told.push(`${level} ${message}`)
    changed()
  }

  readonly onMalformed = (place: string, reason: string): void => {
    this.malformed.push(`${place} ${reason}`)
    changed()
  }
}
