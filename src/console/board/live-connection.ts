// The session of this page: STOMP over WebSocket, connected again after a break, with its subscriptions going on where they
// were.

import { computed, signal } from '@preact/signals'
import { Client, type IFrame, type StompSubscription } from '@stomp/stompjs'
import { elapsedMs, now } from '../browser-clock.ts'
import type { KeyRing } from './board-key.ts'
import { LagMeter, SILENT_MS } from './lag-meter.ts'
import { Pause } from './pause.ts'
import { TopicReader, type TopicSink } from './topic-reader.ts'

/** `resuming`: connected, and what was missed meanwhile is still coming. `silent`: connected, but nothing comes. */
export type ConnectionState = 'connecting' | 'resuming' | 'live' | 'silent' | 'broken' | 'refused'

/** As topic `lag` says it. */
export interface Lag {
  readonly queuedBytes: number
  readonly behindMs: number
  readonly mergedPrices: number
}

/** Refusals that another attempt would not change. */
const FINAL = new Set(['live_not_enabled', 'api_key_scope_denied', 'forbidden', 'not_found', 'validation_failed'])
/** Refusals of the key: where there may be another one, it is tried. */
const OF_KEY = new Set(['invalid_api_key', 'missing_api_key'])

const LOOK_EVERY_MS = 500
/** A connection that is silent for so long is given up, and made anew. */
const GIVE_UP_MS = 6_000
/** A connection that has lasted so long was well. */
const STEADY_MS = 10_000
/** Timers of a longer time are not reliable in browsers. */
const TIMER_MS_MAX = 2 ** 31 - 1

interface Followed {
  readonly destination: string
  readonly headers: Readonly<Record<string, string>>
  readonly reader: TopicReader
  subscription: StompSubscription | undefined
}

export class LiveConnection {
  readonly state = signal<ConnectionState>('connecting')
  /** Whether what the page shows is the present. */
  readonly isCurrent = computed(() => this.state.value === 'live')
  /** Why it is refused, or does not connect, for people. */
  readonly fault = signal('')
  readonly lag = signal<Lag | undefined>(undefined)
  readonly meter = new LagMeter()
  /** Epoch ms: until when what the page shows is known to be true; 0: never was. */
  knownUntil = 0
  private readonly client: Client
  private readonly keys: KeyRing
  private readonly followed = new Set<Followed>()
  private readonly pause = new Pause()
  private isRenewing = false
  /** Infinite: it is not. */
  private liveSince = Number.POSITIVE_INFINITY
  private renewal: ReturnType<typeof setTimeout> | undefined
  private look: ReturnType<typeof setInterval> | undefined

  constructor(url: string, keys: KeyRing) {
    this.keys = keys
    this.client = new Client({
      brokerURL: url,
      // The pause between attempts is ours: the service may name one.
      reconnectDelay: 1,
      connectionTimeout: 10_000,
      heartbeatIncoming: 5_000,
      // The service sends WebSocket pings to who promises none, and a browser answers them while its timers sleep.
      heartbeatOutgoing: 0,
      // A dead connection would take a minute to close.
      discardWebsocketOnCommFailure: true,
      beforeConnect: () => this.prepare(),
      onConnect: () => this.connected(),
      onStompError: ({ headers, body }) => this.refused(headers, body),
      onWebSocketClose: () => this.closed(),
    })
  }

  start(): void {
    this.look = setInterval(this.lookAround, LOOK_EVERY_MS)
    addEventListener('online', this.hurry)
    addEventListener('pageshow', this.lookAround)
    document.addEventListener('visibilitychange', this.lookAround)
    this.client.activate()
  }

  stop(): void {
    clearInterval(this.look)
    clearTimeout(this.renewal)
    removeEventListener('online', this.hurry)
    removeEventListener('pageshow', this.lookAround)
    document.removeEventListener('visibilitychange', this.lookAround)
    this.pause.end()
    void this.client.deactivate({ force: true })
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

  /** Waits where it has to, and gets a key. */
  private async prepare(): Promise<void> {
    for (;;) {
      await this.pause.wait()
      if (!this.client.active) return
      const answer = await this.keys.take()
      if (answer.key !== undefined) {
        this.client.connectHeaders = { passcode: answer.key }
        this.renewAt(answer.endsAt)
        return
      }
      this.fault.value = answer.fault
      if (answer.isFinal) {
        this.giveUp()
        return
      }
      this.pause.lengthen()
    }
  }

  /** Connects anew with another key shortly before this one ends. */
  private renewAt(endsAt: number | undefined): void {
    clearTimeout(this.renewal)
    if (endsAt === undefined) return
    const renew = (): void => {
      this.isRenewing = true
      this.client.forceDisconnect()
    }
    this.renewal = setTimeout(renew, Math.min(TIMER_MS_MAX, Math.max(1_000, endsAt - now())))
  }

  private connected(): void {
    this.fault.value = ''
    this.state.value = 'resuming'
    this.meter.begin(elapsedMs())
    this.client.subscribe('/topic/lag', ({ body }) => {
      this.heard()
      this.lag.value = JSON.parse(body) as Lag
      this.meter.said(this.lag.value.behindMs)
    })
    for (const followed of this.followed) this.subscribe(followed)
    // Replays and snapshots come in the order in which they were asked for: when the last one is whole, they all are.
    const fence = this.client.subscribe(
      '/topic/feeds.#',
      ({ headers }) => {
        this.heard()
        if (headers['kind'] !== 'snapshot-end') return
        fence.unsubscribe()
        this.liveSince = elapsedMs()
        this.state.value = 'live'
        this.heard()
      },
      { snapshot: 'true' },
    )
  }

  private subscribe(followed: Followed): void {
    const { destination, headers, reader } = followed
    const subscription = this.client.subscribe(
      destination,
      (message: IFrame) => {
        if (followed.subscription !== subscription) return
        this.heard()
        if (reader.receive(message.headers, message.body)) return
        subscription.unsubscribe()
        this.subscribe(followed)
      },
      { ...headers, ...reader.begin() },
    )
    followed.subscription = subscription
  }

  private heard(): void {
    this.meter.heard(elapsedMs())
    if (this.state.peek() === 'silent') this.state.value = 'live'
    if (this.state.peek() === 'live') this.knownUntil = now()
  }

  /** Finds silence. The wall clock counts as well: the other one may stand still while the machine sleeps. */
  private readonly lookAround = (): void => {
    const state = this.state.peek()
    if (state !== 'live' && state !== 'silent') return
    const silence = Math.max(this.meter.silence(elapsedMs()), now() - this.knownUntil)
    if (silence > SILENT_MS) this.state.value = 'silent'
    if (silence > GIVE_UP_MS) this.client.forceDisconnect()
  }

  private readonly hurry = (): void => {
    this.pause.reset()
    this.lookAround()
  }

  private closed(): void {
    this.lag.value = undefined
    const state = this.state.peek()
    if (state === 'refused') return
    if (this.isRenewing) {
      this.isRenewing = false
      this.pause.reset()
      this.state.value = 'resuming'
      return
    }
    // One that never lasts is no reason to hurry: several pages may take each other's key.
    if (elapsedMs() - this.liveSince > STEADY_MS) this.pause.reset()
    this.liveSince = Number.POSITIVE_INFINITY
    if (state === 'live' || state === 'silent' || state === 'resuming') {
      this.state.value = 'broken'
    } else if (this.fault.peek() === '') {
      this.fault.value = 'the service does not answer'
    }
    this.pause.lengthen()
  }

  private refused(headers: Readonly<Record<string, string>>, body: string): void {
    const code = headers['message'] ?? ''
    this.fault.value = faultText(code, body)
    if (FINAL.has(code) || (OF_KEY.has(code) && !this.keys.drop())) this.giveUp()
    // Seconds, where the key has to wait before it may connect again.
    else this.pause.atLeast(Number(headers['retry-after'] ?? 0) * 1_000)
  }

  private giveUp(): void {
    this.state.value = 'refused'
    this.stop()
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
