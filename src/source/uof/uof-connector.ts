// Connects to Sportradar's Unified Odds Feed (docs/feeds.md 9, 14): messages over AMQP, fixtures and recoveries over
// HTTP. All that changes the state runs in one serial queue: messages, timers, and answers of the API.

import { isUtf8 } from 'node:buffer'
import type { Observation } from '../../domain/observation.ts'
import { isFormatFault, NOTHING_KNOWN } from '../kit/normaliser.ts'
import { readUofMessages, type UofMessage } from './uof-message.ts'
import { type UofNormaliser, uofNormaliser } from './uof-normaliser.ts'
import type { Connector, ConnectorContext, Producer, SuspectCause } from '../kit/connector.ts'
import { Fixtures } from './uof-fixtures.ts'
import { HeldMessages } from './held-messages.ts'
import { MessageQueue } from './message-queue.ts'
import { Product } from './uof-product.ts'
import { asFault, SportsApi } from './sports-api.ts'
import type { UofConnectorOptions } from './uof-options.ts'

/** Checks of a product's silence within `aliveMsMax`. */
const CHECKS = 8
const CHECK_MS_MAX = 1_000

// Numbers of recoveries must differ from those of the last run, and fit into 31 bits.
const REQUEST_IDS = 2 ** 31

export class UofConnector implements Connector {
  private readonly options: UofConnectorOptions
  private readonly context: ConnectorContext
  private readonly api: SportsApi
  private readonly fixtures: Fixtures
  private readonly normaliser: UofNormaliser
  private readonly products: ReadonlyMap<number, Product>
  private readonly held: HeldMessages
  /**
   * Events whose messages were dropped because they did not fit, and the products that sent them. All of them wait for
   * their fixture.
   */
  private readonly dropped = new Map<string, Set<Product>>()
  /** The current producer of each product: a full recovery starts a new one. */
  private readonly producers = new Map<Product, Producer>()
  private readonly confirmedAt = new Map<Product, number>()
  private readonly queue: MessageQueue
  private readonly checks: NodeJS.Timeout
  private serial: Promise<void> = Promise.resolve()
  private requestId: number
  private ignored = 0
  /** A task failed: it is unknown what was recorded. */
  private isAmiss = false
  private isStopped = false

  constructor(options: UofConnectorOptions, context: ConnectorContext) {
    const { limits, aliveMsMax } = options
    const { now, chance, log } = context
    this.options = options
    this.context = context
    this.requestId = Math.floor(now()) % REQUEST_IDS
    this.api = new SportsApi({
      url: options.apiUrl,
      token: options.apiToken,
      requestMsMax: limits.requestMsMax,
      bodyBytesMax: limits.answerBytesMax,
      // A recovery must not wait for fixtures.
      connectionsMax: limits.parallelMax + options.products.length,
    })
    this.fixtures = new Fixtures({
      limits,
      ask: (eventId) => this.api.fixture(eventId),
      now,
      chance,
      log,
      onKnown: (eventId) => this.later(() => this.release(eventId)),
    })
    this.normaliser = uofNormaliser({
      account: context.account,
      facts: {
        ...NOTHING_KNOWN,
        bookmaker: options.bookmaker,
        fixtureOf: (eventId) => this.fixtures.get(eventId),
        receivedAt: now,
      },
      isOtherSport: (eventId) => this.fixtures.isOtherSport(eventId),
      transport: options.transport,
      limits,
      knownMax: limits.knownMax,
      aheadMsMax: limits.aheadMsMax,
      onMalformed: context.onMalformed,
    })
    this.products = new Map(options.products.map((product) => [product.id, this.follow(product)]))
    this.held = new HeldMessages(limits.heldMax)
    this.queue = new MessageQueue({
      ...limits,
      url: options.amqpUrl,
      exchange: options.exchange,
      chance,
      onOpen: () => this.onOpen(),
      onMessage: (content) => this.onMessage(content),
      onBroken: (reason, pauseMs) => this.onBroken(reason, pauseMs),
    })
    this.checks = setInterval(
      () => {
        for (const product of this.products.values()) product.check()
      },
      Math.min(CHECK_MS_MAX, aliveMsMax / CHECKS),
    )
  }

  async stop(): Promise<void> {
    this.isStopped = true
    clearInterval(this.checks)
    this.fixtures.stop()
    for (const product of this.products.values()) product.stop()
    await Promise.all([this.queue.stop(), this.api.stop()])
    await this.serial
  }

  /**
   * A recovery of each product since its last `alive` sends what is new, and proves that the way there and back works;
   * the rest is then stated again. The source rations full recoveries.
   */
  async refresh(): Promise<string | undefined> {
    const faults = await Promise.all(Array.from(this.products.values(), (product) => this.refreshProduct(product)))
    return faults.find((fault) => fault !== undefined)
  }

  /** Confirms the products that have missed nothing; the others wait until their gap is closed. */
  resume(): void {
    for (const product of this.products.values()) {
      this.later(() => (product.isWhole ? this.confirm(product) : undefined))
    }
  }

  /** Whether every product has once sent all that it has, and no message waits for a fixture. */
  hasDelivered(): boolean {
    for (const { state } of this.products.values()) if (state === 'starting') return false
    return this.held.count === 0
  }

  facts(): Readonly<Record<string, string | number | boolean | null>> {
    const products = Array.from(this.products.values(), ({ options, state }) => [`product.${options.name}`, state])
    return {
      isConnected: this.queue.isOpen,
      ...Object.fromEntries(products),
      recoveries: Array.from(this.products.values()).reduce((sum, { recoveries }) => sum + recoveries, 0),
      known: this.normaliser.size,
      held: this.held.count,
      dropped: this.dropped.size,
      fixtures: this.fixtures.size,
      withoutFixture: this.fixtures.absent,
      leftOut: this.fixtures.leftOut,
      ofOtherProducts: this.ignored,
    }
  }

  private follow({ id, name }: { readonly id: number; readonly name: string }): Product {
    const { now, chance, log } = this.context
    const product: Product = new Product({
      id,
      name,
      limits: { ...this.options.limits, aliveMsMax: this.options.aliveMsMax },
      now,
      chance,
      log,
      nextRequestId: () => this.nextRequestId(),
      ask: (requestId, afterAt) => this.api.recover(name, requestId, afterAt),
      onSuspect: (cause) => this.later(() => this.suspect(product, cause)),
      onAll: () => this.later(() => this.begin(product)),
    })
    this.producers.set(product, this.context.producer(name))
    return product
  }

  private suspect(product: Product, cause: SuspectCause): void {
    this.held.mark(product.options.id, true)
    this.producers.get(product)!.suspect(cause)
  }

  /** Starts a full recovery: earlier quotes that it does not list are gone. */
  private begin(product: Product): Promise<void> {
    const { id, name } = product.options
    const before = this.producers.get(product)!
    this.producers.set(product, this.context.producer(name))
    this.normaliser.suspendProduct(id)
    return before.leave('gap')
  }

  private confirm(product: Product): Promise<void> {
    // In the product's own time: with ours the next of its messages might look older than this.
    return this.producers.get(product)!.confirm(this.normaliser.confirmAt(product.options.id))
  }

  private nextRequestId(): number {
    this.requestId = (this.requestId + 1) % REQUEST_IDS
    return this.requestId
  }

  /** Runs a task after all that is queued. A task that fails does not stop those after it. */
  private queued(work: () => Promise<void> | void): Promise<void> {
    const done = this.serial.then(() => (this.isStopped ? undefined : work()))
    this.serial = done.catch(() => {
      this.isAmiss = true
    })
    return done
  }

  /** The same without a caller that waits: after a failure the state is unknown, as after a gap. */
  private later(work: () => Promise<void> | void): void {
    this.queued(work).catch((error: Error) => this.queue.reset(error))
  }

  private async observe(producer: Producer, observations: readonly Observation[], cause?: SuspectCause): Promise<void> {
    if (observations.length > 0) await producer.observe(observations, cause)
  }

  // --- messages ---

  private onOpen(): void {
    this.context.log('info', 'messages arrive')
    if (this.isAmiss) for (const product of this.products.values()) product.forget()
    this.isAmiss = false
    for (const product of this.products.values()) product.onOpen()
  }

  private onBroken(reason: string, pauseMs: number): void {
    this.context.log('warn', `no messages: ${reason}; trying again in ${Math.round(pauseMs)} ms`)
    for (const product of this.products.values()) product.onBroken()
  }

  private onMessage(content: Buffer): Promise<void> {
    const { messageBytesMax } = this.options.limits
    if (content.length > messageBytesMax) return this.refuse('message', `is longer than ${messageBytesMax} bytes`)
    if (!isUtf8(content)) return this.refuse('message', 'is not UTF-8')
    const messages = this.read(content.toString('utf8'))
    // It is alive, even if its queued messages are not processed yet.
    for (const { kind, product } of messages) if (kind === 'alive') this.products.get(product)?.alive()
    return this.queued(async () => {
      for (const message of messages) await this.deal(message)
    })
  }

  private read(text: string): readonly UofMessage[] {
    try {
      const read = readUofMessages(text, 1, this.options.limits, (place, reason) => void this.refuse(place, reason))
      if (!isFormatFault(read)) return [...read]
      void this.refuse('message', read.fault)
    } catch (error) {
      void this.refuse('message', `cannot be read: ${(error as Error).message}`)
    }
    return []
  }

  private refuse(place: string, reason: string): Promise<void> {
    this.context.account.malformed++
    this.context.onMalformed(place, reason)
    return Promise.resolve()
  }

  private async deal(message: UofMessage): Promise<void> {
    const product = this.products.get(message.product)
    if (product === undefined) {
      this.ignored++
      return
    }
    const { kind, eventId } = message
    switch (kind) {
      case 'alive':
        return this.dealAlive(product, message)
      case 'snapshot_complete':
        return this.dealSnapshot(product, message)
      case 'product_down':
        product.onDown()
        return
      case 'fixture_change':
        // Other fixtures are requested when there are prices for them.
        if (this.normaliser.knows(eventId) || this.fixtures.isKnown(eventId)) this.fixtures.renew(eventId)
        return
      case 'odds_change':
        product.stated()
        if (!this.held.has(eventId) && (this.normaliser.knows(eventId) || this.fixtures.isKnown(eventId))) break
        this.hold(product, message)
        return
      default:
        if (!this.held.has(eventId)) break
        this.hold(product, message)
        return
    }
    return this.observe(this.producers.get(product)!, this.normaliser.apply(message))
  }

  private async dealAlive(product: Product, message: UofMessage): Promise<void> {
    const { sentAt } = message
    this.context.alive()
    this.context.ahead?.(sentAt)
    // The product handles the loss of the subscription.
    this.normaliser.apply({ ...message, isSubscribed: true })
    product.onAlive(sentAt, message.isSubscribed)
    if (!product.isWhole) return
    const confirmedAt = this.confirmedAt.get(product) ?? sentAt
    this.confirmedAt.set(product, confirmedAt)
    if (sentAt - confirmedAt < this.options.limits.confirmMs) return
    this.confirmedAt.set(product, sentAt)
    await this.confirm(product)
  }

  private async dealSnapshot(product: Product, message: UofMessage): Promise<void> {
    this.normaliser.apply(message)
    const recovered = product.onSnapshotComplete(message.requestId)
    if (recovered === undefined) return
    // After a full recovery the messages from before it belong to the former producer, and stay suspect.
    if (recovered === 'changes') this.held.mark(product.options.id, false)
    await this.confirm(product)
  }

  // --- fixtures ---

  private hold(product: Product, message: UofMessage): void {
    const { eventId } = message
    const isWanted = this.fixtures.want(eventId)
    if (isWanted && this.held.hold(message, this.producers.get(product)!)) return
    // Without fixture its outcomes are counted and not published.
    this.normaliser.apply(message)
    if (!isWanted) return
    // When the fixture is known the event is recovered.
    if (this.dropped.size === 0) this.context.log('warn', 'too many messages wait for fixtures; new ones are dropped')
    this.dropped.set(eventId, (this.dropped.get(eventId) ?? new Set()).add(product))
  }

  private async release(eventId: string): Promise<void> {
    for (const { message, producer, isSuspect } of this.held.release(eventId)) {
      const product = this.products.get(message.product)!
      // The product may have become silent meanwhile.
      if (!isSuspect) product.stated()
      await this.observe(producer, this.normaliser.apply(message), isSuspect ? 'gap' : undefined)
      if (producer !== this.producers.get(product)) this.normaliser.suspendProduct(message.product, eventId)
    }
    const products = this.dropped.get(eventId) ?? []
    this.dropped.delete(eventId)
    for (const { options } of products) void this.recoverEvent(options.name, eventId)
  }

  /** Never rejects. */
  private async recoverEvent(product: string, eventId: string): Promise<void> {
    if (this.fixtures.get(eventId) === undefined) return
    const fault = await this.api.recoverEvent(product, eventId, this.nextRequestId()).catch(asFault)
    if (fault !== undefined && !this.isStopped) this.context.log('warn', `${eventId} stays incomplete: ${fault.fault}`)
  }

  private async refreshProduct(product: Product): Promise<string | undefined> {
    const fault = await product.refresh()
    if (fault !== undefined) return fault
    const { id } = product.options
    return this.queued(() => this.observe(this.producers.get(product)!, this.normaliser.current(id))).then(
      () => undefined,
      (error: Error) => error.message,
    )
  }
}
