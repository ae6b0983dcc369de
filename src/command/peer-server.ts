// What a process gives other processes of the service that begin: its newest checkpoint, as a file. They know its address and
// the secret by Redis: whoever may read that may read this.

import { timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

/** A file, and the turn that it is of. */
export interface PeerFile {
  readonly path: string
  readonly turn: number
  /** Whether it is removed when it was sent. */
  readonly isTemporary?: boolean
}

export interface PeerServerOptions {
  readonly host: string
  readonly port: number
  readonly secret: string
  /** By path: makes or finds a file; undefined: there is none. */
  readonly files: Readonly<Record<string, () => Promise<PeerFile | undefined>>>
  /** Files that are sent at the same time. */
  readonly sendsMax: number
}

/** Says of which turn a file is. */
export const TURN_HEADER = 'x-oddswire-turn'

const isEqual = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

export class PeerServer {
  readonly url: string
  private readonly server: Server
  private readonly options: PeerServerOptions
  private sends = 0

  /** @returns why it cannot listen, where it cannot */
  static async listen(options: PeerServerOptions): Promise<PeerServer | string> {
    const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 })
    const failed = await new Promise<string | undefined>((resolve) => {
      server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      server.listen(options.port, options.host, () => resolve(undefined))
    })
    return failed ?? new PeerServer(server, options)
  }

  private constructor(server: Server, options: PeerServerOptions) {
    this.server = server
    this.options = options
    const { port, address } = server.address() as AddressInfo
    this.url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`
    server.on('error', () => {})
    server.on('request', (request, response) => {
      this.answer(request, response).catch(() => response.destroy())
    })
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { secret, files, sendsMax } = this.options
    const end = (status: number, text: string): void => {
      response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' }).end(`${text}\n`)
    }
    if (!isEqual(request.headers.authorization ?? '', `Bearer ${secret}`)) return end(401, 'the secret is another one')
    const make = files[request.url ?? '']
    if (make === undefined) return end(404, `there is ${Object.keys(files).join(', ')}`)
    if (request.method !== 'GET') return end(405, 'only GET')
    if (this.sends >= sendsMax) return end(503, 'busy with others')
    this.sends++
    let file: PeerFile | undefined
    try {
      file = await make()
      if (file === undefined) return end(503, 'nothing is there yet')
      const { size } = await stat(file.path)
      response.writeHead(200, { 'Content-Length': size, [TURN_HEADER]: String(file.turn), Connection: 'close' })
      await pipeline(createReadStream(file.path), response)
    } finally {
      if (file?.isTemporary === true) await rm(file.path, { force: true })
      this.sends--
    }
  }
}
