// The AMQP side of the feed: our own queue on the exchange, consumed with a bounded prefetch. A connection that breaks
// is replaced; what was sent meanwhile is lost with the queue, and a recovery restores it.

import type { Duplex } from 'node:stream'
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib'

export interface MessageQueueOptions {
  /** `amqps://TOKEN@HOST/VHOST`; `heartbeat` (seconds) is set where the URL does not. */
  readonly url: string
  readonly exchange: string
  /** Messages received that are not processed yet. */
  readonly prefetch: number
  /** Longest silence while a connection is being opened. */
  readonly openMsMax: number
  /** Pause before the first new try; it doubles with each try. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
  readonly chance: () => number
  /** Messages arrive from now on. */
  readonly onOpen: () => void
  /**
   * Resolves when the message is processed. Messages are delivered in order, without waiting for the one before. When
   * it rejects, the message is lost, and the connection is replaced as a broken one.
   */
  readonly onMessage: (content: Buffer) => Promise<void>
  /** @param pauseMs pause before the next try */
  readonly onBroken: (reason: string, pauseMs: number) => void
}

const HEARTBEAT_SECONDS = 10

const withHeartbeat = (url: string): string => {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS))
  return parsed.toString()
}

/** A part of a URL with `%XX` decoded; undefined: a wrong `%XX`. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Whether a text is an AMQP URL whose parts can all be decoded: a `%` in the token is written as `%25`. */
export const isAmqpUrl = (text: string): boolean => {
  if (!/^amqps?:\/\//.test(text) || !URL.canParse(text)) return false
  const { username, password, pathname } = new URL(text)
  return [username, password, pathname].every((part) => decoded(part) !== undefined)
}

/** Texts that must not be logged, in every spelling: the user is the token. */
const secretsOf = (url: string): string[] => {
  if (!URL.canParse(url)) return []
  const { username, password } = new URL(url)
  return [username, password].flatMap((text) => [decoded(text) ?? '', text]).filter((text) => text !== '')
}

export class MessageQueue {
  private readonly options: MessageQueueOptions
  private readonly secrets: readonly string[]
  private readonly run: Promise<void>
  private model: ChannelModel | undefined
  private tries = 0
  private wake: () => void = () => {}
  /** Why the connection ended. */
  private reason = ''
  private isStopping = false
  /** Whether messages arrive. */
  isOpen = false

  constructor(options: MessageQueueOptions) {
    this.options = options
    this.secrets = secretsOf(options.url)
    this.run = this.runOn()
  }

  /** Replaces the connection, if there is one, as if it had broken: a message of it was lost. */
  reset(error: Error): void {
    this.note(error)
    void this.model?.close().catch(() => {})
  }

  /** Resolves when the connection is closed. */
  async stop(): Promise<void> {
    this.isStopping = true
    this.wake()
    const { model } = this
    void model?.close().catch(() => {})
    // Closing asks the broker, which may be dead; the package has no other way to abort.
    const stream = (model?.connection as { readonly stream?: Duplex } | undefined)?.stream
    const patience = setTimeout(() => stream?.destroy(), this.options.openMsMax)
    await this.run
    clearTimeout(patience)
  }

  private async runOn(): Promise<void> {
    const { pauseMsMin, pauseMsMax, chance, onBroken } = this.options
    while (!this.isStopping) {
      const reason = await this.session()
      this.isOpen = false
      if (this.isStopping) return
      const pauseMs = Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(this.tries, 20)) * (0.5 + chance() / 2)
      this.tries++
      onBroken(reason, pauseMs)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** One connection, from its opening to its end; resolves to the reason of the end. Never rejects. */
  private async session(): Promise<string> {
    const { url, openMsMax } = this.options
    this.reason = 'the connection was closed'
    try {
      // Loaded here: other services do not need it.
      const { connect } = await import('amqplib')
      const model = await connect(withHeartbeat(url), { timeout: openMsMax, noDelay: true, keepAlive: true })
      this.model = model
      model.on('error', (error: Error) => this.note(error))
      const closed = new Promise<void>((resolve) => model.once('close', () => resolve()))
      if (this.isStopping) await model.close()
      else await this.consume(model).catch((error: Error) => this.reset(error))
      await closed
    } catch (error) {
      this.note(error as Error)
    }
    this.model = undefined
    return this.secrets.reduce((text, secret) => text.replaceAll(secret, '(the token)'), this.reason)
  }

  private note({ message }: Error): void {
    this.reason = message
  }

  private async consume(model: ChannelModel): Promise<void> {
    const { exchange, prefetch, onOpen } = this.options
    const channel = await model.createChannel()
    channel.on('error', (error: Error) => this.note(error))
    channel.on('close', () => void model.close().catch(() => {}))
    await channel.prefetch(prefetch)
    // The broker names the queue: clients may not declare others there.
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
    await channel.bindQueue(queue, exchange, '#')
    this.isOpen = true
    this.tries = 0
    // Before the first message, so that all messages come after the loss.
    onOpen()
    await channel.consume(queue, (message) => {
      if (message === null) this.reset(new Error('the broker has deleted the queue'))
      else void this.deal(channel, message)
    })
  }

  private async deal(channel: Channel, message: ConsumeMessage): Promise<void> {
    try {
      await this.options.onMessage(message.content)
    } catch (error) {
      return this.reset(error as Error)
    }
    try {
      channel.ack(message)
    } catch {
      // The channel is closed; the message went with its queue.
    }
  }
}
