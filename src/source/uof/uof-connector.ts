// Connects to Sportradar's Unified Odds Feed (docs/feeds.md 9, 14): messages over AMQP, fixtures and recoveries over HTTP.
// All that changes what we know runs in one line, one after the other: messages, and what timers and answers of the API lead
// to.

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
  /** What messages of events without fixture may hold: messages, markets and outcomes together. */
  readonly heldMax: number
  /** Quotes and markets remembered. */
  readonly knownMax: number
  /** How far a product's clock may be ahead of ours: as much as the engine takes. */
  readonly aheadMsMax: number
  /** Opening a connection, and closing one. */
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
  /** Whose prices they are; null: the supplier's name stands for it. */
  readonly bookmaker: string | null
  readonly transport: FedTransport | null
  /** Those to follow, by number and by name in the paths of the API: `{id: 1, name: 'liveodds'}`. */
  readonly products: readonly { readonly id: number; readonly name: string }[]
  /** Silence of a product after which its quotes are suspended; 20 s by Sportradar's word. */
  readonly aliveMsMax: number
  readonly limits: UofLimits
}

/** How often a product's silence is looked at, in parts of the silence that is put up with. */
const CHECKS = 8
const CHECK_MS_MAX = 1_000

// Numbers of recoveries are not to be those of the last run, and have to fit into 31 bits.
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
   * Events of which messages were dropped, as there was no room for them, and the products that had sent them. All of them
   * wait for their fixture.
   */
  private readonly dropped = new Map<string, Set<Product>>()
  /** Whose quotes the messages of a product are: from each recovery of all that it has on, another producer's. */
  private readonly producers = new Map<Product, Producer>()
  private readonly confirmedAt = new Map<Product, number>()
  private readonly queue: MessageQueue
  private readonly checks: NodeJS.Timeout
  private line: Promise<void> = Promise.resolve()
  private requestId: number
  private ignored = 0
  /** Something of ours went wrong; nobody knows what was recorded. */
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
      // A recovery is not to wait for fixtures.
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
   * A recovery of each product since its last `alive` brings what is new, and shows that the way there and back is open;
   * what is not new is then stated again. Full recoveries are rationed by the source.
   */
  async refresh(): Promise<string | undefined> {
    const faults = await Promise.all(Array.from(this.products.values(), (product) => this.refreshProduct(product)))
    return faults.find((fault) => fault !== undefined)
  }

  /** What a product said before a gap waits until the gap is closed. */
  resume(): void {
    for (const product of this.products.values()) {
      this.later(() => (product.isWhole ? this.confirm(product) : undefined))
    }
  }

  /** Every product has sent all that it has, and the events of it have their fixtures. */
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

  /** What it has said so far and does not list in the recovery of all is gone. */
  private begin(product: Product): Promise<void> {
    const { id, name } = product.options
    const before = this.producers.get(product)!
    this.producers.set(product, this.context.producer(name))
    this.normaliser.suspendProduct(id)
    return before.leave()
  }

  private confirm(product: Product): Promise<void> {
    // In the product's own time: by ours the next of its messages might look older than this.
    return this.producers.get(product)!.confirm(this.normaliser.confirmAt(product.options.id))
  }

  private nextRequestId(): number {
    this.requestId = (this.requestId + 1) % REQUEST_IDS
    return this.requestId
  }

  /** Does something after all that is in the line. Where it fails, what comes after it in the line is done all the same. */
  private inTurn(work: () => Promise<void> | void): Promise<void> {
    const done = this.line.then(() => (this.isStopped ? undefined : work()))
    this.line = done.catch(() => {
      this.isAmiss = true
    })
    return done
  }

  /** The same, for what nobody waits for: where it fails, what stands is not known, as after a gap. */
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
    // It is alive, even if we have not come to it yet.
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
        // Of others it is asked for when there is something to say of them.
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
    // What follows from not being subscribed is the product's to say.
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
    // What waits since before all was listed, and was not listed, is another producer's.
    if (recovered === 'changes') this.held.doubt(product.options.id, false)
    await this.confirm(product)
  }

  // --- fixtures ---

  private hold(product: Product, message: UofMessage): void {
    const { eventId } = message
    const isWanted = this.fixtures.want(eventId)
    if (isWanted && this.held.hold(message, this.producers.get(product)!)) return
    // Without fixture its outcomes are counted and go nowhere.
    this.normaliser.apply(message)
    if (!isWanted) return
    // Once it is there the event is asked for.
    if (this.dropped.size === 0) this.context.tell('warn', 'too many messages wait for fixtures; new ones are dropped')
    this.dropped.set(eventId, (this.dropped.get(eventId) ?? new Set()).add(product))
  }

  private async release(eventId: string): Promise<void> {
    for (const { message, producer, isDoubted } of this.held.release(eventId)) {
      const product = this.products.get(message.product)!
      // It may have fallen silent meanwhile.
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
