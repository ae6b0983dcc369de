// One connection to a broker from its CONNECTED to its end: subscriptions, messages with their bodies, acknowledgements,
// and the watch over its heart-beats. Its end is told once; nothing is thrown.

import type { Client, Headers, IncomingFrame } from '../kit/stompit.d.ts'
import { readError } from './upstream-dial.ts'
import { reasonOf } from '../kit/socket-reasons.ts'

export interface LinkOptions {
  readonly destinations: readonly string[]
  readonly ack: 'client' | 'client-individual'
  /** Messages without an answer that a broker may send; those of RabbitMQ's `prefetch-count`. */
  readonly prefetch: number
  /** More headers of each SUBSCRIBE. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of a body as it comes. */
  readonly bodyBytesMax: number
  readonly heartbeatMs: number
  /** How long the answers to SUBSCRIBE may take. */
  readonly openMsMax: number
  /** How long DISCONNECT waits for its RECEIPT. */
  readonly closeMsMax: number
}

/** A message that waits for its answer: {@link Link.answer}. */
export interface UpstreamMessage {
  readonly headers: Headers
  /** Undefined: it was longer than it may be, and was not kept. */
  readonly body: Buffer | undefined
}

/** How it ended. `refusal`: by an ERROR of the broker. */
export interface LinkEnd {
  readonly end: 'closed' | 'broken' | 'refusal'
  /** Words to follow a colon. */
  readonly reason: string
}

export interface LinkHandlers {
  /** All destinations are subscribed to. */
  readonly onOpen: () => void
  /** Whether one more message can be held; if not, {@link Link.readOn} must be called when it can. */
  readonly hasRoom: () => boolean
  readonly onMessage: (message: UpstreamMessage, link: Link) => void
  /** Bytes have come since it was last asked: a message or a heart-beat. */
  readonly onHeard: () => void
  /** No bytes have come, and by the heart-beat that was agreed, which is longer than the one asked for, none had to yet. */
  readonly onQuiet: () => void
  /** Told once, and nothing after it. */
  readonly onEnd: (end: LinkEnd) => void
}

/** Silence, in heart-beats as agreed, after which a connection counts as broken. */
const HEARTBEATS_MISSED = 2.5
/** How often in a heart-beat it is looked at. */
const LOOKS = 2

const DISCONNECTED = 'end'

/** How often the other side sends something, ms, by its CONNECTED; 0: it has not promised anything. */
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
  /** How often the broker is going to send something, ms; 0: it has not promised anything. */
  readonly beatMs: number
  /** A message that nobody has room for: nothing behind it is read. */
  private waiting: IncomingFrame | undefined
  private bytesSeen = 0
  private quietLooks = 0
  private isClosing = false
  private isOver = false

  /** Subscribes at once. `client`: as {@link dial} gave it, in the same turn. */
  constructor(client: Client, options: LinkOptions, handlers: LinkHandlers) {
    this.client = client
    this.options = options
    this.handlers = handlers
    client.on('error', (error: Error) => this.finish('broken', reasonOf(error)))
    client.on('end', () => this.finish('broken', 'the connection was closed'))
    client.setCommandHandler('ERROR', (frame) => readError(frame, (text) => this.finish('refusal', text)))
    // stompit's own handler hides the headers, and breaks off on a receipt that it does not know.
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

  /** ACK, or NACK for what nobody can read. A link that is over ignores it: the broker sends the message again. */
  answer({ headers }: UpstreamMessage, isReadable: boolean): void {
    if (this.isOver) return
    // STOMP 1.2 has an id of its own for this; the versions before name the message.
    const id: Record<string, string> =
      headers.ack === undefined
        ? { subscription: headers.subscription ?? '', 'message-id': headers['message-id'] ?? '' }
        : { id: headers.ack }
    // RabbitMQ would otherwise put it back at the head of its queue, again and again.
    this.client.sendFrame(isReadable ? 'ACK' : 'NACK', isReadable ? id : { ...id, requeue: 'false' }).end()
  }

  /** Goes on reading, if there is room and it had stopped. */
  readOn(): void {
    if (this.waiting === undefined || this.isOver || !this.handlers.hasRoom()) return
    const frame = this.waiting
    this.waiting = undefined
    this.read(frame)
  }

  /** DISCONNECT: ends as `closed` when all that was answered has come to the broker, or at the latest after a while. */
  close(): void {
    if (this.isOver || this.isClosing) return
    this.isClosing = true
    clearTimeout(this.deadline)
    this.deadline = setTimeout(() => this.finish('closed', 'DISCONNECT was not answered'), this.options.closeMsMax)
    this.client.sendFrame('DISCONNECT', { receipt: DISCONNECTED }).end()
    // The receipt stands behind what we do not take any more.
    if (this.waiting !== undefined) this.drop(this.waiting)
  }

  /** Gives it up: it ends as `broken`. */
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
    else if (this.handlers.hasRoom()) this.read(frame)
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

  /** What fails in a handler ends the connection, and not the process. */
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
      this.handlers.onHeard()
    } else if (this.waiting !== undefined) {
      this.quietLooks = 0 // It is us who do not read.
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
    // Once it is to end, an end of any kind is as good as the one that was asked for.
    this.handlers.onEnd({ end: this.isClosing ? 'closed' : end, reason })
  }
}
