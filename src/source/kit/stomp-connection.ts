// One connection to the feed destinations of a running engine, over stompit (docs/live-protocol.md 1, 7): SENDs out,
// receipts and refusals in. stompit reports the end in many ways; here it is one value, reported once. Nothing is
// thrown.

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { reasonOf } from './socket-reasons.ts'
import { stompit } from './stompit.ts'
import type { Client, IncomingFrame } from './stompit-types.d.ts'
import { logLine } from './text.ts'

export interface Endpoint {
  /** Name or address; IPv6 without brackets. */
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

/** The text of an endpoint: `stomp://HOST:PORT`, `stomp+ssl://HOST:PORT`. */
export const endpointText = ({ host, port, tls }: Endpoint): string =>
  `${tls ? 'stomp+ssl' : 'stomp'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`

const DEFAULT_PORT = 61_613

/**
 * Reads `stomp://HOST:PORT` and `stomp+ssl://HOST:PORT`; undefined where it is neither. The other parts of a URL are
 * refused: they would have no effect, or be a secret in the wrong place.
 */
export const endpointOf = (text: string): Endpoint | undefined => {
  const match = /^stomp(\+ssl)?:\/\/(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+))(?::(\d{1,5}))?\/?$/i.exec(text)
  if (match === null) return undefined
  const [, tls, address, name] = match
  const port = Number(match[4] ?? DEFAULT_PORT)
  return port >= 1 && port <= 65_535 ? { host: (address ?? name)!, port, tls: tls !== undefined } : undefined
}

/** How a connection ended. */
export type ConnectionEnd =
  /** As requested. */
  | { readonly end: 'closed' }
  /** A new connection may work. `reason`: words to follow a colon. */
  | { readonly end: 'broken'; readonly reason: string }
  /** By an ERROR frame; `receipt`: of the frame that it is about, where it names one. */
  | { readonly end: 'error'; readonly code: string; readonly message: string; readonly receipt: string | undefined }

/** Content of a MESSAGE of `/topic/refusals` (docs/live-protocol.md 7.4). */
export interface FarRefusal {
  /** Of the SEND. */
  readonly receipt: string
  readonly code: string
  readonly message: string
  readonly field: string | undefined
}

export interface ConnectionOptions {
  readonly endpoint: Endpoint
  /** The secret of a feed key. Never part of a message. */
  readonly key: string
  /** How long opening may take: address, socket, TLS, CONNECTED, the RECEIPT of the SUBSCRIBE. */
  readonly openMsMax: number
  /** How long DISCONNECT waits for its RECEIPT. */
  readonly closeMsMax: number
}

export interface ConnectionHandlers {
  /** Refusals are subscribed to: {@link Connection.send} may be called. */
  readonly onOpen: () => void
  /** @param refused the code, where the frame was refused (`refused` header of the RECEIPT) */
  readonly onReceipt: (receipt: string, refused: string | undefined) => void
  /** May come before or after the RECEIPT. */
  readonly onRefusal: (refusal: FarRefusal) => void
  /** Called once, as the last callback. */
  readonly onEnd: (end: ConnectionEnd) => void
}

/**
 * Heart-beats both ways, ms (docs/live-protocol.md 1.4): sent at half the interval; 2.5 intervals of silence are
 * tolerated.
 */
const HEART_BEAT_MS = 10_000

const REFUSALS = '/topic/refusals'

// Receipts of our own; those of SENDs are the caller's, which are numbers.
const SUBSCRIBED = 'refusals'
const DISCONNECTED = 'end'

/** Fields of a JSON object; none of any other value. */
const fieldsOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

/** Runs from its construction to its end. */
export class Connection {
  private readonly options: ConnectionOptions
  private readonly handlers: ConnectionHandlers
  private readonly client: Client
  private deadline: NodeJS.Timeout
  /** From the ERROR frame; its body may still be missing when the socket is already closed. */
  private error: { readonly code: string; readonly receipt: string | undefined } | undefined
  private isClosing = false
  private isOver = false

  constructor(options: ConnectionOptions, handlers: ConnectionHandlers) {
    this.options = options
    this.handlers = handlers
    const { host, port, tls } = options.endpoint
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket: Socket = tls ? connectTls({ host, port, ...name }) : connectTcp({ host, port })
    // stompit writes a frame in three pieces: with Nagle's algorithm the last one would wait for an acknowledgement.
    socket.setNoDelay(true)
    // Not stompit.connect(): its handler of ERROR throws on `text/plain`, and must be replaced right after CONNECT.
    this.client = new (stompit().Client)(socket, {
      heartbeat: [HEART_BEAT_MS, HEART_BEAT_MS],
      heartbeatOutputMargin: HEART_BEAT_MS / 2,
      heartbeatDelayMargin: 1.5 * HEART_BEAT_MS,
    })
    this.client.on('error', (error: NodeJS.ErrnoException) => this.fail(error))
    this.client.on('end', () => this.finish({ end: 'broken', reason: 'the connection was closed' }))
    this.client.on('connect', () => this.subscribe())
    socket.once(tls ? 'secureConnect' : 'connect', () => this.connect())
    this.deadline = setTimeout(
      () => this.finish({ end: 'broken', reason: `no answer within ${options.openMsMax / 1000} s` }),
      options.openMsMax,
    )
  }

  /** Sends an observation's bytes. Ignored by a connection that is over. */
  send(destination: string, receipt: number, body: Buffer): void {
    if (this.isOver) return
    const headers = { destination, 'content-type': 'application/json', 'content-length': body.length, receipt }
    const frame = this.client.sendFrame('SEND', headers)
    frame.write(body)
    frame.end()
  }

  /** DISCONNECT: ends as `closed`, whatever the other side answers. */
  close(): void {
    if (this.isOver || this.isClosing) return
    this.isClosing = true
    clearTimeout(this.deadline)
    this.deadline = setTimeout(() => this.finish({ end: 'closed' }), this.options.closeMsMax)
    this.client.sendFrame('DISCONNECT', { receipt: DISCONNECTED }).end()
  }

  /** Ends now; calls `onEnd`. */
  end(end: ConnectionEnd): void {
    this.finish(end)
  }

  private connect(): void {
    const { endpoint, key } = this.options
    this.client.connect({ host: endpoint.host, passcode: key })
    this.client.setCommandHandler('ERROR', (frame) => this.onError(frame))
  }

  private subscribe(): void {
    this.client.setCommandHandler('ERROR', (frame) => this.onError(frame))
    // stompit's own handler hides the headers, and fails on a receipt that it does not know.
    this.client.setCommandHandler('RECEIPT', (frame) => this.client.readEmptyBody(frame, () => this.onReceipt(frame)))
    this.client.subscribe({ destination: REFUSALS, id: SUBSCRIBED, receipt: SUBSCRIBED }, (_error, message) => {
      message?.readString('utf8', (_unread, text) => this.onRefusal(text))
    })
  }

  private onReceipt({ headers }: IncomingFrame): void {
    if (this.isOver) return
    const receipt = headers['receipt-id'] ?? ''
    if (receipt === SUBSCRIBED) {
      clearTimeout(this.deadline)
      this.handlers.onOpen()
    } else if (receipt === DISCONNECTED) this.finish({ end: 'closed' })
    else this.handlers.onReceipt(receipt, headers.refused === undefined ? undefined : this.clean(headers.refused))
  }

  private onRefusal(text: string): void {
    if (this.isOver) return
    const { receipt, code, message, field } = fieldsOf(text)
    const about = textOf(receipt)
    if (about === undefined) return
    this.handlers.onRefusal({
      receipt: about,
      code: this.clean(textOf(code) ?? 'refused'),
      message: this.clean(textOf(message) ?? 'no reason given'),
      field: textOf(field) === undefined ? undefined : this.clean(textOf(field)!),
    })
  }

  private onError(frame: IncomingFrame): void {
    this.error = { code: this.clean(frame.headers.message ?? 'ERROR'), receipt: frame.headers['receipt-id'] }
    frame.readString('utf8', (_unread, text) => this.finishRefused(text))
  }

  private finishRefused(body: string): void {
    const { code, receipt } = this.error!
    // A body like that of a REST error, else a text (docs/live-protocol.md 8.4).
    const { error, message } = fieldsOf(body)
    const said = textOf((error as { readonly message?: unknown } | undefined)?.message) ?? textOf(message)
    this.finish({ end: 'error', code, message: this.clean(said ?? (body.startsWith('{') ? '' : body)), receipt })
  }

  private fail(error: NodeJS.ErrnoException): void {
    if (this.error !== undefined) this.finishRefused('')
    else this.finish({ end: 'broken', reason: this.clean(reasonOf(error)) })
  }

  private finish(end: ConnectionEnd): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.deadline)
    this.client.destroy()
    // Once everything is done, any end counts as the requested one.
    this.handlers.onEnd(this.isClosing ? { end: 'closed' } : end)
  }

  private clean(text: string): string {
    return logLine(text, [this.options.key], '(the key)')
  }
}
