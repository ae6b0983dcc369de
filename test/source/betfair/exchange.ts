// An exchange for tests: speaks the stream's protocol over TLS, and plays a script of market changes to whoever is
// subscribed. What is played while nobody is there is missed, and repeated to who comes back with a clock.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server, type TLSSocket } from 'node:tls'

export interface Certificate {
  readonly key: string
  readonly cert: string
  /** Of the certificate, PEM. */
  readonly file: string
}

const folder = mkdtempSync(join(tmpdir(), 'oddswire-exchange-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const makeCertificate = (): Certificate | undefined => {
  const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  try {
    execFileSync('openssl', [...args, ...name, '-keyout', keyFile, '-out', file], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8'), file }
}

/** Made for this run; undefined where openssl is not installed. */
export const certificate = makeCertificate()

export type Json = Readonly<Record<string, unknown>>

interface Runner {
  readonly id: number
  readonly atb?: readonly (readonly [price: number, size: number])[]
}

export interface MarketChange {
  readonly id: string
  readonly img?: boolean
  readonly marketDefinition?: Json
  readonly rc?: readonly Runner[]
}

/** One message of the script. */
export interface Change {
  readonly pt: number
  readonly mc: readonly MarketChange[]
}

/** One connection, as a test sees it. */
export interface Client {
  readonly socket: TLSSocket
  /** From 1. */
  readonly number: number
  /** What it has sent, in its order. */
  readonly requests: Json[]
  isSubscribed: boolean
  send(message: Json | string): void
}

export interface ExchangeOptions {
  readonly changes: readonly Change[]
  readonly port?: number
  /** Sees each request first; true: it has dealt with it. */
  readonly script?: (request: Json, client: Client, exchange: Exchange) => boolean | void
}

export class Exchange {
  readonly clients: Client[] = []
  /** How much of the script has been played. */
  played = 0
  private readonly options: ExchangeOptions
  private readonly server: Server
  private waiters: { readonly isSo: () => boolean; readonly resolve: () => void }[] = []

  static async listen(options: ExchangeOptions): Promise<Exchange> {
    const exchange = new Exchange(options)
    await new Promise<void>((resolve) => exchange.server.listen(options.port ?? 0, '127.0.0.1', resolve))
    return exchange
  }

  private constructor(options: ExchangeOptions) {
    this.options = options
    const { key, cert } = certificate!
    this.server = createServer({ key, cert }, (socket) => this.accept(socket))
    this.server.on('tlsClientError', () => {}) // Those who do not trust us.
  }

  get port(): number {
    return (this.server.address() as { readonly port: number }).port
  }

  get newest(): Client | undefined {
    return this.clients.at(-1)
  }

  /** Requests of one kind, of all connections. */
  requests(op: string): Json[] {
    return this.clients.flatMap(({ requests }) => requests.filter((request) => request.op === op))
  }

  /** Plays the next changes of the script. */
  play(count: number): void {
    for (let end = Math.min(this.options.changes.length, this.played + count); this.played < end; this.played++) {
      for (const client of this.clients) if (client.isSubscribed) client.send(this.messageAt(this.played))
    }
  }

  /** Ends all connections without a word. */
  break(): void {
    for (const client of this.clients) {
      client.isSubscribed = false
      client.socket.destroy()
    }
  }

  /** Plays one more change, of which only the first half comes: then the line is dead. */
  breakMidLine(): void {
    const line = JSON.stringify(this.messageAt(this.played++))
    for (const client of this.clients) {
      if (client.isSubscribed) client.socket.write(line.slice(0, line.length / 2), () => client.socket.destroy())
      client.isSubscribed = false
    }
  }

  heartbeat(fields: Json = {}): void {
    const pt = this.options.changes[Math.max(0, this.played - 1)]!.pt
    for (const client of this.clients) {
      if (client.isSubscribed) {
        client.send({ op: 'mcm', id: 2, ct: 'HEARTBEAT', clk: this.clockAt(this.played), pt, ...fields })
      }
    }
  }

  /** Resolves as soon as it is so; looked at whenever something has come. */
  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => this.waiters.push({ isSo, resolve }))
  }

  look(): void {
    this.waiters = this.waiters.filter(({ isSo, resolve }) => {
      if (!isSo()) return true
      resolve()
      return false
    })
  }

  /** Stops listening and breaks every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    for (const { socket } of this.clients) socket.destroy()
    await closed
  }

  /** All markets as they stand, for who comes without a clock. */
  image(): Json {
    const markets = new Map<
      string,
      { definition: Json | undefined; readonly ladders: Map<number, Map<number, number>> }
    >()
    for (const { mc } of this.options.changes.slice(0, this.played)) {
      for (const { id, img, marketDefinition, rc } of mc) {
        const market = markets.get(id) ?? { definition: undefined, ladders: new Map<number, Map<number, number>>() }
        markets.set(id, market)
        if (img === true) market.ladders.clear()
        market.definition = marketDefinition ?? market.definition
        for (const runner of rc ?? []) {
          const ladder = market.ladders.get(runner.id) ?? new Map<number, number>()
          market.ladders.set(runner.id, ladder)
          for (const [price, size] of runner.atb ?? []) {
            if (size === 0) ladder.delete(price)
            else ladder.set(price, size)
          }
        }
      }
    }
    const mc = Array.from(markets, ([id, { definition, ladders }]) => ({
      id,
      img: true,
      marketDefinition: definition,
      rc: Array.from(ladders, ([runner, ladder]) => ({ id: runner, atb: [...ladder] })),
    }))
    const { pt } = this.options.changes[Math.max(0, this.played - 1)]!
    return {
      op: 'mcm',
      id: 2,
      ct: 'SUB_IMAGE',
      initialClk: 'first',
      clk: this.clockAt(this.played),
      pt,
      heartbeatMs: null,
      mc,
    }
  }

  private clockAt(played: number): string {
    return `after-${played}`
  }

  private messageAt(place: number): Json {
    const { pt, mc } = this.options.changes[place]!
    return { op: 'mcm', id: 2, clk: this.clockAt(place + 1), pt, mc }
  }

  private accept(socket: TLSSocket): void {
    const send: Client['send'] = (message) => {
      socket.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\r\n`)
    }
    const client: Client = { socket, number: this.clients.length + 1, requests: [], isSubscribed: false, send }
    this.clients.push(client)
    socket.on('error', () => {}) // The other side may break off as it likes.
    socket.on('close', () => {
      client.isSubscribed = false
      this.look()
    })
    let held = ''
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      const lines = (held + text).split('\r\n')
      held = lines.pop()!
      for (const line of lines) this.answer(JSON.parse(line) as Json, client)
      this.look()
    })
    send({ op: 'connection', connectionId: `c-${client.number}` })
    this.look()
  }

  private answer(request: Json, client: Client): void {
    client.requests.push(request)
    if (this.options.script?.(request, client, this) === true) return
    const { op, id } = request
    client.send({ op: 'status', id, statusCode: 'SUCCESS', connectionClosed: false })
    if (op !== 'marketSubscription') return
    client.isSubscribed = true
    if (typeof request.clk === 'string') this.resume(client, Number(request.clk.replace('after-', '')))
    else client.send(this.image())
  }

  /** What was missed, in segments. */
  private resume(client: Client, from: number): void {
    if (from === this.played) {
      const { pt } = this.options.changes[Math.max(0, from - 1)]!
      client.send({ op: 'mcm', id: 2, ct: 'RESUB_DELTA', clk: this.clockAt(from), pt })
      return
    }
    for (let place = from; place < this.played; place++) {
      const isFirst = place === from
      const isLast = place === this.played - 1
      const segmentType = isFirst && isLast ? {} : { segmentType: isFirst ? 'SEG_START' : isLast ? 'SEG_END' : 'SEG' }
      client.send({ ...this.messageAt(place), ct: 'RESUB_DELTA', ...segmentType })
    }
  }
}
