// The session of this page: STOMP over WebSocket, connected again after a break, with its subscriptions going on where they
// were.

import { signal } from '@preact/signals'
import { Client, type IMessage, type StompSubscription } from '@stomp/stompjs'
import { TopicReader, type TopicSink } from './topic-reader.ts'

export type ConnectionState = 'connecting' | 'live' | 'broken' | 'refused'

/** As topic `lag` says it. */
export interface Lag {
  readonly queuedBytes: number
  readonly behindMs: number
  readonly mergedPrices: number
}

/** Refusals of a CONNECT that another attempt would not change. */
const FINAL = new Set([
  'invalid_api_key',
  'missing_api_key',
  'live_not_enabled',
  'api_key_scope_denied',
  'forbidden',
  'not_found',
  'validation_failed',
])

const RECONNECT_MS = 1_000

interface Followed {
  readonly destination: string
  readonly headers: Readonly<Record<string, string>>
  readonly reader: TopicReader
  subscription: StompSubscription | undefined
}

export class LiveConnection {
  readonly state = signal<ConnectionState>('connecting')
  /** Why it is refused, for people. */
  readonly fault = signal('')
  readonly lag = signal<Lag | undefined>(undefined)
  /** Breaks of the connection since the page was opened. */
  readonly breaks = signal(0)
  /** How many octets of bodies came, and messages. */
  received = { messages: 0, octets: 0 }
  private readonly client: Client
  private readonly followed = new Set<Followed>()

  /** @param credential asked before each CONNECT: a key for one hour may have to be replaced */
  constructor(url: string, credential: () => Promise<string>) {
    this.client = new Client({
      brokerURL: url,
      reconnectDelay: RECONNECT_MS,
      connectionTimeout: 10_000,
      heartbeatIncoming: 5_000,
      heartbeatOutgoing: 5_000,
      beforeConnect: async (client) => {
        try {
          client.connectHeaders = { passcode: await credential() }
        } catch (error) {
          this.state.value = 'refused'
          this.fault.value = (error as Error).message
          this.stop()
        }
      },
      onConnect: () => {
        this.client.reconnectDelay = RECONNECT_MS
        this.state.value = 'live'
        this.client.subscribe('/topic/lag', ({ body }) => {
          this.lag.value = JSON.parse(body) as Lag
        })
        for (const followed of this.followed) this.subscribe(followed)
      },
      onStompError: ({ headers, body }) => this.refused(headers, body),
      onWebSocketClose: () => this.closed(),
    })
  }

  start(): void {
    this.client.activate()
  }

  stop(): void {
    void this.client.deactivate()
  }

  /** Closes the socket as a network would: for the button that shows how it goes on. */
  cut(): void {
    this.client.forceDisconnect()
  }

  /** Subscribes now and after each break. @returns its reader, and a function that ends it */
  follow(destination: string, headers: Readonly<Record<string, string>>, sink: TopicSink): [TopicReader, () => void] {
    const followed: Followed = { destination, headers, reader: new TopicReader(sink), subscription: undefined }
    this.followed.add(followed)
    if (this.client.connected) this.subscribe(followed)
    return [
      followed.reader,
      () => {
        this.followed.delete(followed)
        if (this.client.connected) followed.subscription?.unsubscribe()
      },
    ]
  }

  private subscribe(followed: Followed): void {
    const { destination, headers, reader } = followed
    const subscription = this.client.subscribe(
      destination,
      (message) => {
        if (followed.subscription !== subscription) return
        this.count(message)
        if (reader.receive(message.headers, message.body)) return
        subscription.unsubscribe()
        this.subscribe(followed)
      },
      { ...headers, ...reader.begin() },
    )
    followed.subscription = subscription
  }

  private count({ body }: IMessage): void {
    this.received.messages++
    this.received.octets += body.length
  }

  private closed(): void {
    this.lag.value = undefined
    if (this.state.value === 'live') {
      this.breaks.value++
      this.state.value = 'broken'
    }
  }

  private refused(headers: Readonly<Record<string, string>>, body: string): void {
    const code = headers['message'] ?? ''
    if (FINAL.has(code)) {
      this.state.value = 'refused'
      this.fault.value = faultText(code, body)
      this.stop()
      return
    }
    // Seconds, where the key has to wait before it may connect again.
    this.client.reconnectDelay = Number(headers['retry-after'] ?? 1) * 1_000
  }
}

const faultText = (code: string, body: string): string => {
  try {
    const { error } = JSON.parse(body) as { error: { message: string } }
    return `${code}: ${error.message}`
  } catch {
    return code
  }
}
