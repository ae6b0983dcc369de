// Connects to Sportradar's Unified Odds Feed (docs/feeds.md 9, 14): messages over AMQP, fixtures and recoveries over
// HTTP. All that changes the state runs in one serial queue: messages, timers, and answers of the API.

import { isUtf8 } from 'node:buffer'
import type { Observation } from '../../domain/observation.ts'
import { SKEW_MS_MAX } from '../../domain/quote.ts'
import type { FedTransport } from '../../domain/transport.ts'
import { isFormatFault, NOTHING_KNOWN, type NormaliserLimits } from '../kit/normaliser.ts'
import { readUofMessages, type UofMessage } from './uof-message.ts'
import { type UofNormaliser, uofNormaliser } from './uof-normaliser.ts'
import type { Connector, ConnectorContext, Producer, ProducerDoubt } from '../kit/connector.ts'
import { type FixtureLimits, Fixtures } from './uof-fixtures.ts'
import { HeldMessages } from './held-messages.ts'
import { MessageQueue } from './message-queue.ts'
import { Product, type ProductLimits } from './uof-product.ts'
import { asFault, SportsApi } from './sports-api.ts'

export interface UofLimits
  extends NormaliserLimits,
    Omit<FixtureLimits, 'textLengthMax'>,
    Omit<ProductLimits, 'aliveMsMax'> {
  readonly messageBytesMax: number
  /** Messages on their way to the board. */
  readonly prefetch: number
  /** Bound of the messages of events without fixture: messages, markets and outcomes together. */
  readonly heldMax: number
  /** Bound of the quotes and markets kept. */
  readonly knownMax: number
  /** How far a product's clock may be ahead of ours: what the engine accepts. */
  readonly aheadMsMax: number
  /** Time limit of opening a connection, and of closing one. */
  readonly openMsMax: number
  readonly requestMsMax: number
  readonly answerBytesMax: number
  /** How often the quotes of a product that is alive are confirmed, so that they do not age out. */
  readonly confirmMs: number
}

export const UOF_LIMITS: UofLimits = {
  pricesMax: 1_000,
  textLengthMax: 200,
  messageBytesMax: 4 * 2 ** 20,
  prefetch: 200,
  heldMax: 1_000_000,
  knownMax: 1_000_000,
  aheadMsMax: SKEW_MS_MAX,
  fixturesMax: 50_000,
  parallelMax: 8,
  absentMs: 600_000,
  openMsMax: 10_000,
  requestMsMax: 30_000,
  answerBytesMax: 2 ** 20,
  gapMsMax: 3_000,
  recoveryMsMax: 900_000,
  afterMsMax: 3 * 3_600_000,
  pauseMsMin: 1_000,
  pauseMsMax: 60_000,
  confirmMs: 3_600_000,
}

export interface UofConnectorOptions {
  /** `amqps://TOKEN@HOST/VHOST` */
  readonly amqpUrl: string
  /** `unifiedfeed` at Sportradar. */
  readonly exchange: string
  /** `https://HOST` */
  readonly apiUrl: string
  readonly apiToken: string
  /** The bookmaker of the prices; null: the supplier's name. */
  readonly bookmaker: string | null
  readonly transport: FedTransport | null
  /** The products to follow, by number and by name in the paths of the API: `{id: 1, name: 'liveodds'}`. */
  readonly products: readonly { readonly id: number; readonly name: string }[]
  /** Silence of a product after which its quotes are suspended; Sportradar says 20 s. */
  readonly aliveMsMax: number
  readonly limits: UofLimits
}

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
  private line: Promise<void> = Promise.resolve()
  private requestId: number
  private ignored = 0
  /** A task failed: it is unknown what was recorded. */
  private isAmiss = false
  private isStopped = false

  constructor(options: UofConnectorOptions, context: ConnectorContext) {
    const { limits, aliveMsMax } = options
    const { now, chance, tell } = context
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
      tell,
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
    await this.line
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
    const { now, chance, tell } = this.context
    const product: Product = new Product({
      id,
      name,
      limits: { ...this.options.limits, aliveMsMax: this.options.aliveMsMax },
      now,
      chance,
      tell,
      nextRequestId: () => this.nextRequestId(),
      ask: (requestId, afterAt) => this.api.recover(name, requestId, afterAt),
      onDoubt: (doubt) => this.later(() => this.suspect(product, doubt)),
      onAll: () => this.later(() => this.begin(product)),
    })
    this.producers.set(product, this.context.producer(name))
    return product
  }

  private suspect(product: Product, doubt: ProducerDoubt): void {
    this.held.doubt(product.options.id, true)
    this.producers.get(product)!.suspect(doubt)
  }

  /** Starts a full recovery: earlier quotes that it does not list are gone. */
  private begin(product: Product): Promise<void> {
    const { id, name } = product.options
    const before = this.producers.get(product)!
    this.producers.set(product, this.context.producer(name))
    this.normaliser.suspendProduct(id)
    return before.leave()
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
  private inTurn(work: () => Promise<void> | void): Promise<void> {
    const done = this.line.then(() => (this.isStopped ? undefined : work()))
    this.line = done.catch(() => {
      this.isAmiss = true
    })
    return done
  }

  /** The same without a caller that waits: after a failure the state is unknown, as after a gap. */
  private later(work: () => Promise<void> | void): void {
    this.inTurn(work).catch((error: Error) => this.queue.reset(error))
  }

  private async take(producer: Producer, observations: readonly Observation[], doubt?: ProducerDoubt): Promise<void> {
    if (observations.length > 0) await producer.take(observations, doubt)
  }

  // --- messages ---

  private onOpen(): void {
    this.context.tell('info', 'messages come')
    if (this.isAmiss) for (const product of this.products.values()) product.forget()
    this.isAmiss = false
    for (const product of this.products.values()) product.onOpen()
  }

  private onBroken(reason: string, pauseMs: number): void {
    this.context.tell('warn', `no messages: ${reason}; trying again in ${Math.round(pauseMs)} ms`)
    for (const product of this.products.values()) product.onBroken()
  }

  private onMessage(content: Buffer): Promise<void> {
    const { messageBytesMax } = this.options.limits
    if (content.length > messageBytesMax) return this.refuse('message', `is longer than ${messageBytesMax} bytes`)
    if (!isUtf8(content)) return this.refuse('message', 'is not UTF-8')
    const messages = this.read(content.toString('utf8'))
    // It is alive, even if its queued messages are not processed yet.
    for (const { kind, product } of messages) if (kind === 'alive') this.products.get(product)?.hear()
    return this.inTurn(async () => {
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
        product.speak()
        if (!this.held.has(eventId) && (this.normaliser.knows(eventId) || this.fixtures.isKnown(eventId))) break
        this.hold(product, message)
        return
      default:
        if (!this.held.has(eventId)) break
        this.hold(product, message)
        return
    }
    return this.take(this.producers.get(product)!, this.normaliser.apply(message))
  }

  private async dealAlive(product: Product, message: UofMessage): Promise<void> {
    const { sentAt } = message
    this.context.hear()
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
    if (recovered === 'changes') this.held.doubt(product.options.id, false)
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
    if (this.dropped.size === 0) this.context.tell('warn', 'too many messages wait for fixtures; new ones are dropped')
    this.dropped.set(eventId, (this.dropped.get(eventId) ?? new Set()).add(product))
  }

  private async release(eventId: string): Promise<void> {
    for (const { message, producer, isDoubted } of this.held.release(eventId)) {
      const product = this.products.get(message.product)!
      // The product may have become silent meanwhile.
      if (!isDoubted) product.speak()
      await this.take(producer, this.normaliser.apply(message), isDoubted ? 'gap' : undefined)
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
    if (fault !== undefined && !this.isStopped) this.context.tell('warn', `${eventId} stays incomplete: ${fault.fault}`)
  }

  private async refreshProduct(product: Product): Promise<string | undefined> {
    const fault = await product.refresh()
    if (fault !== undefined) return fault
    const { id } = product.options
    return this.inTurn(() => this.take(this.producers.get(product)!, this.normaliser.standing(id))).then(
      () => undefined,
      (error: Error) => error.message,
    )
  }
}
