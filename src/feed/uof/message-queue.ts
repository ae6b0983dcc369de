// The AMQP side of the feed: a queue of our own on the exchange, consumed with a bounded number of messages on their way.
// A connection that breaks is replaced; what was sent meanwhile is lost with the queue, and a recovery brings it back.

import type { Duplex } from 'node:stream'
import { type Channel, type ChannelModel, connect, type ConsumeMessage } from 'amqplib'

export interface MessageQueueOptions {
  /** `amqps://TOKEN@HOST/VHOST`; `heartbeat` (seconds) is set where the URL does not. */
  readonly url: string
  readonly exchange: string
  /** Messages taken that are not dealt with yet. */
  readonly prefetch: number
  /** Silence put up with while a connection is being opened. */
  readonly openMsMax: number
  /** Pause before the first new try; it doubles from try to try. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
  readonly chance: () => number
  /** Messages come from now on. */
  readonly onOpen: () => void
  /** Resolves when the message is dealt with. Messages are handed over in order, without waiting for the one before. */
  readonly onMessage: (content: Buffer) => Promise<void>
  /** @param pauseMs until the next try */
  readonly onBroken: (reason: string, pauseMs: number) => void
}

const HEARTBEAT_SECONDS = 10

const withHeartbeat = (url: string): string => {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS))
  return parsed.toString()
}

/** What must not stand in a log: the user is the token. */
const secretsOf = (url: string): string[] => {
  const { username, password } = new URL(url)
  return [username, password].map(decodeURIComponent).filter((text) => text !== '')
}

export class MessageQueue {
  private readonly options: MessageQueueOptions
  private readonly run: Promise<void>
  private model: ChannelModel | undefined
  private tries = 0
  private wake: () => void = () => {}
  private isStopping = false
  /** Whether messages come. */
  isOpen = false

  constructor(options: MessageQueueOptions) {
    this.options = options
    this.run = this.runOn()
  }

  /** Resolves when the connection is gone. */
  async stop(): Promise<void> {
    this.isStopping = true
    this.wake()
    const { model } = this
    void model?.close().catch(() => {})
    // Closing asks the broker, who may be gone without a word; the package has no other way to give up.
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

  /** One connection, from its opening to its end; resolves to why it ended. */
  private async session(): Promise<string> {
    const { url, openMsMax } = this.options
    let reason = 'the connection was closed'
    const note = (error: Error): void => {
      reason = error.message
    }
    try {
      const model = await connect(withHeartbeat(url), { timeout: openMsMax, noDelay: true, keepAlive: true })
      this.model = model
      model.on('error', note)
      const closed = new Promise<void>((resolve) => model.once('close', () => resolve()))
      if (this.isStopping) await model.close()
      else {
        try {
          await this.consume(model, note)
        } catch (error) {
          note(error as Error)
          await model.close().catch(() => {})
        }
      }
      await closed
    } catch (error) {
      note(error as Error)
    }
    this.model = undefined
    return secretsOf(url).reduce((text, secret) => text.replaceAll(secret, '(the token)'), reason)
  }

  private async consume(model: ChannelModel, note: (error: Error) => void): Promise<void> {
    const { exchange, prefetch, onOpen } = this.options
    const channel = await model.createChannel()
    const end = (): void => void model.close().catch(() => {})
    channel.on('error', note)
    channel.on('close', end)
    await channel.prefetch(prefetch)
    // The broker names the queue: nobody may declare others there.
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
    await channel.bindQueue(queue, exchange, '#')
    this.isOpen = true
    this.tries = 0
    // Before the first message: what comes is after whatever was lost.
    onOpen()
    await channel.consume(queue, (message) => {
      if (message === null) {
        note(new Error('the broker has deleted the queue'))
        end()
      } else void this.deal(channel, message)
    })
  }

  private async deal(channel: Channel, message: ConsumeMessage): Promise<void> {
    await this.options.onMessage(message.content)
    try {
      channel.ack(message)
    } catch {
      // The channel is closed; the message went with its queue.
    }
  }
}
