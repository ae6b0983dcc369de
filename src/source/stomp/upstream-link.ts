// One connection to a broker from its CONNECTED to its end: subscriptions, messages with their bodies,
// acknowledgements, and the watch over its heart-beats. Its end is reported once; nothing is thrown.

import type { Client, Headers, IncomingFrame } from '../kit/stompit-types.d.ts'
import { readError } from './upstream-dial.ts'
import { reasonOf } from '../kit/socket-reasons.ts'

export interface LinkOptions {
  readonly destinations: readonly string[]
  readonly ack: 'client' | 'client-individual'
  /** Unacknowledged messages that a broker may send; RabbitMQ's `prefetch-count`. */
  readonly prefetch: number
  /** Additional headers of each SUBSCRIBE. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of a body as received. */
  readonly bodyBytesMax: number
  readonly heartbeatMs: number
  /** Time limit of the answers to SUBSCRIBE. */
  readonly openMsMax: number
  /** How long DISCONNECT waits for its RECEIPT. */
  readonly closeMsMax: number
}

/** A message that waits for {@link Link.answer}. */
export interface UpstreamMessage {
  readonly headers: Headers
  /** Undefined: it was too long, and was dropped. */
  readonly body: Buffer | undefined
}

/** How the link ended. `refusal`: by an ERROR of the broker. */
export interface LinkEnd {
  readonly end: 'closed' | 'broken' | 'refusal'
  /** Words to follow a colon. */
  readonly reason: string
}

export interface LinkHandlers {
  /** All destinations are subscribed to. */
  readonly onOpen: () => void
  /** Whether one more message fits; if not, call {@link Link.readOn} when one does. */
  readonly fits: () => boolean
  readonly onMessage: (message: UpstreamMessage, link: Link) => void
  /** Bytes have arrived since the last look: a message or a heart-beat. */
  readonly onAlive: () => void
  /** No bytes have arrived, but none were due: the agreed heart-beat is longer than the requested one. */
  readonly onQuiet: () => void
  /** Called once, as the last callback. */
  readonly onEnd: (end: LinkEnd) => void
}

/** Silence, in heart-beats as agreed, after which a connection counts as broken. */
const HEARTBEATS_MISSED = 2.5
/** Looks in the interval of a requested heart-beat. */
const LOOKS = 2

const DISCONNECTED = 'end'

/** How often the other side will send something, ms, by its CONNECTED; 0: it has promised nothing. */
const agreedMs = (header: string | undefined, wantMs: number): number => {
  const sendMs = Number(/^\s*(\d+)\s*,\s*\d+\s*$/.exec(header ?? '')?.[1] ?? 0)
  return sendMs === 0 || wantMs === 0 ? 0 : Math.max(sendMs, wantMs)
}

export class Link {
  private readonly client: Client
  private readonly options: LinkOptions
  private readonly handlers: LinkHandlers
  private readonly unanswered: Set<string>
  private deadline: NodeJS.Timeout
  private readonly watch: NodeJS.Timeout | undefined
  /** How often the broker will send something, ms; 0: it has promised nothing. */
  readonly beatMs: number
  /** A message that does not fit: nothing after it is read. */
  private waiting: IncomingFrame | undefined
  private bytesSeen = 0
  private quietLooks = 0
  private isClosing = false
  private isOver = false

  /** Subscribes at once. `client`: from {@link dial}, in the same iteration of the event loop. */
  constructor(client: Client, options: LinkOptions, handlers: LinkHandlers) {
    this.client = client
    this.options = options
    this.handlers = handlers
    client.on('error', (error: Error) => this.finish('broken', reasonOf(error)))
    client.on('end', () => this.finish('broken', 'the connection was closed'))
    client.setCommandHandler('ERROR', (frame) => readError(frame, (text) => this.finish('refusal', text)))
    // stompit's own handler hides the headers, and fails on a receipt that it does not know.
    client.setCommandHandler('RECEIPT', (frame) => client.readEmptyBody(frame, () => this.onReceipt(frame)))
    this.deadline = setTimeout(
      () => this.finish('broken', `SUBSCRIBE was not answered within ${options.openMsMax / 1000} s`),
      options.openMsMax,
    )
    const { heartbeatMs } = options
    this.beatMs = agreedMs(client.headers?.['heart-beat'], heartbeatMs)
    if (this.beatMs > 0) this.watch = setInterval(() => this.guard(() => this.look()), heartbeatMs / LOOKS)
    this.unanswered = new Set(options.destinations.map((_destination, index) => String(index)))
    options.destinations.forEach((destination, index) => this.subscribe(destination, String(index)))
  }

  /**
   * ACK, or NACK for a message that cannot be read. Ignored by a link that is over: the broker sends the message again.
   */
  answer({ headers }: UpstreamMessage, isReadable: boolean): void {
    if (this.isOver) return
    // STOMP 1.2 has an id of its own for this; earlier versions name the message.
    const id: Record<string, string> =
      headers.ack === undefined
        ? { subscription: headers.subscription ?? '', 'message-id': headers['message-id'] ?? '' }
        : { id: headers.ack }
    // Otherwise RabbitMQ would repeatedly put it back at the head of its queue.
    this.client.sendFrame(isReadable ? 'ACK' : 'NACK', isReadable ? id : { ...id, requeue: 'false' }).end()
  }

  /** Resumes reading, if a message waits and fits. */
  readOn(): void {
    if (this.waiting === undefined || this.isOver || !this.handlers.fits()) return
    const frame = this.waiting
    this.waiting = undefined
    this.read(frame)
  }

  /** DISCONNECT: ends as `closed` when all acknowledgements have reached the broker, or after `closeMsMax`. */
  close(): void {
    if (this.isOver || this.isClosing) return
    this.isClosing = true
    clearTimeout(this.deadline)
    this.deadline = setTimeout(() => this.finish('closed', 'DISCONNECT was not answered'), this.options.closeMsMax)
    this.client.sendFrame('DISCONNECT', { receipt: DISCONNECTED }).end()
    // The receipt comes after messages that are no longer accepted.
    if (this.waiting !== undefined) this.drop(this.waiting)
  }

  /** Aborts the link: it ends as `broken`. */
  fail(reason: string): void {
    this.finish('broken', reason)
  }

  private subscribe(destination: string, id: string): void {
    const { ack, prefetch, headers } = this.options
    this.client.subscribe(
      { 'prefetch-count': String(prefetch), ...headers, destination, id, ack, receipt: id },
      (_error, frame) => frame !== undefined && this.onFrame(frame),
    )
  }

  private onReceipt({ headers }: IncomingFrame): void {
    const receipt = headers['receipt-id'] ?? ''
    if (receipt === DISCONNECTED) return this.finish('closed', 'as asked')
    if (!this.unanswered.delete(receipt) || this.unanswered.size > 0 || this.isOver || this.isClosing) return
    clearTimeout(this.deadline)
    this.guard(() => this.handlers.onOpen())
  }

  private onFrame(frame: IncomingFrame): void {
    if (this.isClosing || this.isOver) this.drop(frame)
    else if (this.handlers.fits()) this.read(frame)
    else this.waiting = frame
  }

  private drop(frame: IncomingFrame): void {
    frame.resume()
  }

  private read(frame: IncomingFrame): void {
    const { bodyBytesMax } = this.options
    let parts: Buffer[] = []
    let length = 0
    frame.on('data', (part: Buffer) => {
      length += part.length
      if (length <= bodyBytesMax) parts.push(part)
      else parts = []
    })
    frame.on('end', () => {
      if (this.isOver || this.isClosing) return
      const body = length <= bodyBytesMax ? Buffer.concat(parts) : undefined
      this.guard(() => this.handlers.onMessage({ headers: frame.headers, body }, this))
    })
  }

  /** An error in a handler ends the connection, and not the process. */
  private guard(handle: () => void): void {
    try {
      handle()
    } catch (error) {
      this.fail(String(error))
    }
  }

  private look(): void {
    const { beatMs } = this
    const { heartbeatMs } = this.options
    const { bytesRead } = this.client.getTransportSocket()
    if (bytesRead !== this.bytesSeen) {
      this.bytesSeen = bytesRead
      this.quietLooks = 0
      this.handlers.onAlive()
    } else if (this.waiting !== undefined) {
      this.quietLooks = 0 // we do not read
    } else if (++this.quietLooks >= (HEARTBEATS_MISSED * LOOKS * beatMs) / heartbeatMs) {
      this.finish('broken', `no heart-beat within ${(HEARTBEATS_MISSED * beatMs) / 1000} s`)
    } else if (beatMs > heartbeatMs) this.handlers.onQuiet()
  }

  private finish(end: LinkEnd['end'], reason: string): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.deadline)
    clearInterval(this.watch)
    this.waiting = undefined
    this.client.destroy()
    // After `close()` any end counts as the requested one.
    this.handlers.onEnd({ end: this.isClosing ? 'closed' : end, reason })
  }
}
