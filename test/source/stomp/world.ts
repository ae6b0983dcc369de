// A broker as a source and what became of its messages, for tests; who publishes to it; and a line that can be cut or muted.

import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Observation } from '../../../src/domain/observation.ts'
import { FORMATS } from '../../../src/source/formats.ts'
import type { Endpoint } from '../../../src/source/kit/stomp-connection.ts'
import type { Client } from '../../../src/source/kit/stompit-types.d.ts'
import { UpstreamBroker } from '../../../src/source/stomp/upstream-broker.ts'
import type { UpstreamOptions } from '../../../src/source/stomp/upstream-options.ts'
import { dial } from '../../../src/source/stomp/upstream-dial.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { SaidBoard } from '../kit/said-board.ts'
import { wireObservation } from '../../../src/source/observations/observations.ts'

export const T0 = Date.parse('2026-03-08T12:00:00.000Z')

/** Observation number N: the odds are 1 + N/1000. */
export const observation = (number: number): Observation => ({
  bookmaker: 'northbet',
  transport: 'live',
  observedAt: T0 + number,
  event: {
    sport: 'football',
    leagueKey: 'premier_league',
    leagueName: 'Premier League',
    home: 'Harbour Town',
    away: 'Kestrel Rovers',
    kickoffAt: T0 + 3_600_000,
    sourceKey: 'northbet:7',
  },
  prices: [{ type: 'match_result_1x2', line: null, outcome: 'home', odds: 1 + number / 1000, status: 'open' }],
  others: 'keep',
})

export const bodyOf = (number: number): string => JSON.stringify(wireObservation(observation(number)))

export const local = (port: number, tls = false): Endpoint => ({ host: '127.0.0.1', port, tls })

export class World {
  readonly broker: UpstreamBroker
  readonly account = new Account()
  readonly board = new SaidBoard(() => this.look())
  /** Set, the next take fails with it. */
  failure: Error | undefined
  readonly told: string[] = []
  readonly malformed: string[] = []
  heard = 0
  /** Set, nothing is taken until it resolves. */
  gate: Promise<void> | undefined
  private waiters: { readonly isSo: () => boolean; readonly resolve: () => void }[] = []

  constructor(changed: Partial<UpstreamOptions> & Pick<UpstreamOptions, 'endpoints' | 'destinations'>) {
    this.board.onTake = async () => {
      await this.gate
      const { failure } = this
      this.failure = undefined
      if (failure !== undefined) throw failure
    }
    this.broker = new UpstreamBroker(
      {
        login: 'guest',
        passcode: 'guest',
        vhost: '/',
        caFile: null,
        headers: {},
        ack: 'client-individual',
        prefetch: 10,
        format: FORMATS.observations,
        bookmaker: null,
        transport: null,
        complete: false,
        onMalformed: 'ack',
        heartbeatMs: 10_000,
        quietIsHealthy: false,
        durable: true,
        ...changed,
        limits: {
          bodyBytesMax: 20_000,
          heldBytesMax: 1_000_000,
          openMsMax: 20_000,
          closeMsMax: 20_000,
          pauseMsMin: 10,
          pauseMsMax: 200,
          refusedPauseMs: 600_000,
          pricesMax: 1000,
          textLengthMax: 200,
          ...changed.limits,
        },
      },
      {
        name: 'upstream',
        account: this.account,
        now: () => T0,
        chance: () => 0,
        producer: this.board.producer,
        alive: () => {
          this.heard++
          this.look()
        },
        log: (level, message) => {
          this.told.push(`${level} ${message}`)
          this.look()
        },
        onMalformed: (place, reason) => {
          this.malformed.push(`${place} ${reason}`)
          this.look()
        },
      },
    )
  }

  /** Nothing is taken until the function returned is called. */
  close(): () => void {
    let open = (): void => {}
    this.gate = new Promise((resolve) => {
      open = resolve
    })
    return () => {
      this.gate = undefined
      open()
    }
  }

  /** Numbers of the observations, in the order in which they were taken. */
  get taken(): number[] {
    return this.board.observations.map(({ prices }) => Math.round((prices[0]!.odds! - 1) * 1000))
  }

  /** How often each number was taken, `from` to `to`. */
  counts(from: number, to: number): number[] {
    return Array.from({ length: to - from + 1 }, (_, place) => this.taken.filter((one) => one === from + place).length)
  }

  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => this.waiters.push({ isSo, resolve }))
  }

  /** Of what only the facts tell; they are looked at now and then. */
  untilFact(name: string, isSo: (value: unknown) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = setInterval(() => {
        if (!isSo(this.broker.facts()[name])) return
        clearInterval(look)
        resolve()
      }, 5)
    })
  }

  private look(): void {
    this.waiters = this.waiters.filter(({ isSo, resolve }) => {
      if (!isSo()) return true
      resolve()
      return false
    })
  }
}

/** Publishes to a broker, a message at a time: resolved when the broker has it for good. */
export class Publisher {
  private readonly client: Client
  private readonly receipts = new Map<string, () => void>()
  private sent = 0

  static open(port: number): Promise<Publisher> {
    const options = { login: 'guest', passcode: 'guest', vhost: '/', ca: undefined, heartbeatMs: 0, openMsMax: 20_000 }
    return new Promise((resolve, reject) => {
      dial(local(port), options, (error, client) => {
        if (error !== null) reject(error)
        else resolve(new Publisher(client!))
      })
    })
  }

  private constructor(client: Client) {
    this.client = client
    client.setCommandHandler('RECEIPT', (frame) => {
      client.readEmptyBody(frame, () => {
        const receipt = frame.headers['receipt-id'] ?? ''
        this.receipts.get(receipt)?.()
        this.receipts.delete(receipt)
      })
    })
  }

  publish(destination: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const receipt = String(++this.sent)
    const bytes = Buffer.from(body)
    const frame = this.client.sendFrame('SEND', {
      destination,
      receipt,
      persistent: 'true',
      'content-length': bytes.length,
      ...headers,
    })
    frame.write(bytes)
    frame.end()
    return new Promise((resolve) => this.receipts.set(receipt, resolve))
  }

  async publishAll(destination: string, from: number, to: number): Promise<void> {
    const all: Promise<void>[] = []
    for (let number = from; number <= to; number++) all.push(this.publish(destination, bodyOf(number)))
    await Promise.all(all)
  }

  close(): void {
    this.client.destroy()
  }
}

/** A line to a port of the loopback that can be cut, or fall silent. */
export class Relay {
  connections = 0
  private readonly server: Server
  private readonly pairs = new Set<readonly [near: Socket, far: Socket]>()
  /** Near ends that were not told that their far end is gone. */
  private readonly lost = new Set<Socket>()
  private isMute = false

  static async open(port: number): Promise<Relay> {
    const relay = new Relay(port)
    await new Promise<void>((resolve) => relay.server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  private constructor(port: number) {
    this.server = createServer((near) => {
      this.connections++
      const far = connect(port, '127.0.0.1')
      const pair = [near, far] as const
      this.pairs.add(pair)
      for (const [from, to] of [pair, [far, near]] as const) {
        from.on('data', (bytes: Buffer) => this.isMute || to.write(bytes))
        from.on('error', () => {})
        from.on('close', () => {
          this.pairs.delete(pair)
          if (!this.isMute) to.destroy()
          else if (from === far) this.lost.add(near)
        })
      }
    })
  }

  get port(): number {
    return (this.server.address() as { readonly port: number }).port
  }

  cut(): void {
    for (const [near] of this.pairs) near.destroy()
    for (const near of this.lost) near.destroy()
  }

  /** From now on nothing gets through, and nobody is told. */
  mute(): void {
    this.isMute = true
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.isMute = false
    this.cut()
    await closed
  }
}
