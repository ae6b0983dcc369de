// Connections to the Redis that several processes share. The only importer of its client: what is not answered in time
// fails, and nothing is queued while there is no connection, so that nobody waits for what may never come.

import { createRequire } from 'node:module'
import type { Redis as Client } from 'ioredis'
import type { RedisAddress } from './redis-address.ts'
import { reasonOf, toldOf } from './redis-faults.ts'
import { mendStringPrototype } from './string-prototype.ts'

/** Loaded where there is a Redis: a start of a service without one takes 40 ms less. */
const clientClass = (): typeof Client => {
  const { Redis } = createRequire(import.meta.url)('ioredis') as { readonly Redis: typeof Client }
  // It extends String.
  mendStringPrototype()
  return Redis
}

/** A Lua script: Redis runs it whole, with nothing else in between. */
export interface Script {
  /** A name of its own. */
  readonly name: string
  /** How many keys it takes; undefined: as many as are given. */
  readonly keys: number | undefined
  readonly lua: string
}

/** What Redis answers: texts, octets, numbers, null, and lists of these. */
export type Reply = string | Buffer | number | null | readonly Reply[]

export interface RedisTerms {
  /** How long a command may take before it fails, ms; undefined: for ever (for commands that block). */
  readonly timeoutMs?: number
  /** Called when a connection is there, and when it has gone. */
  readonly onState?: (isThere: boolean) => void
  /** Called with the reason why there is no connection, again and again. */
  readonly onFault?: (reason: string) => void
}

/** A refusal by a script or by Redis: the first word of its message says which. */
export const refusalOf = (error: unknown): string =>
  /^[A-Z]+(?=\s|$)/.exec(error instanceof Error ? error.message : '')?.[0] ?? ''

/** Refusals after which another server may have become the one that writes: the connection is made anew. */
const RECONNECTS = ['READONLY', 'LOADING', 'MASTERDOWN']

/** Of SELECT. */
const OTHER_DATABASE = /DB index is out of range|'select' command/

/** The longest pause before the next attempt to connect, ms. */
const RETRY_MS_MAX = 500
const CONNECT_MS_MAX = 1_000
/** A connection is given up that says nothing for so long to a command, ms: more than any of them waits. */
const SILENT_MS_MAX = 2_500

/** What the log, leases and limits need of a Redis. */
export type RedisPort = Pick<Redis, 'call' | 'callBuffer' | 'run' | 'key' | 'isConnected' | 'close'>

export class Redis {
  private readonly client: Client
  private readonly prefix: string
  private readonly defined = new Set<string>()
  private readonly shown: string
  private isThere = false
  /** Why there is no connection; undefined: none has failed. */
  private fault: string | undefined

  /** Connects in the background, for as long as it takes, and again after each loss. */
  constructor(address: RedisAddress, { timeoutMs, onState, onFault }: RedisTerms = {}) {
    // The client goes on in another database where it may not use the one that it was given.
    let isElsewhere = false
    this.client = new (clientClass())({
      ...address.options,
      // Lists stay lists in it: maps of the newer one would be flattened, and differently for each command.
      protocol: 2,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // A command that was sent when the connection broke fails: whoever sent it knows whether it may be repeated.
      autoResendUnfulfilledCommands: false,
      connectTimeout: CONNECT_MS_MAX,
      // Attempts are counted since it was connected, also to a database that it was not given.
      retryStrategy: (attempt: number) => (isElsewhere ? RETRY_MS_MAX : Math.min(20 * attempt, RETRY_MS_MAX)),
      sentinelRetryStrategy: (attempt: number) => Math.min(20 * attempt, RETRY_MS_MAX),
      reconnectOnError: (error: Error) => RECONNECTS.includes(refusalOf(error)),
      ...(timeoutMs === undefined ? {} : { commandTimeout: timeoutMs }),
      // A server that has gone without a word ends no connection: another one may have its place.
      socketTimeout: SILENT_MS_MAX,
    })
    this.refuseWithoutInfo()
    this.prefix = `{${address.prefix}}`
    this.shown = address.shown
    // Its state says the same; without a listener the error would end the process.
    this.client.on('error', ({ message }: Error) => {
      // The connection that ends says less than what ended it.
      if (message === 'Connection is closed.') return
      this.fault = reasonOf(message, address.options.tls !== undefined)
      if (OTHER_DATABASE.test(message)) isElsewhere = true
      onFault?.(this.fault)
    })
    const become = (isThere: boolean): void => {
      if (isThere === this.isThere) return
      this.isThere = isThere
      onState?.(isThere)
    }
    this.client.on('connect', () => {
      isElsewhere = false
    })
    this.client.on('ready', () => {
      if (isElsewhere) {
        this.client.disconnect(true)
        return
      }
      this.fault = undefined
      become(true)
    })
    this.client.on('close', () => {
      this.fault ??= this.isThere ? 'the connection was lost' : 'it ends the connection'
      become(false)
    })
  }

  /** Whether there is a connection. */
  get isConnected(): boolean {
    return this.isThere
  }

  /** The name of a key. All keys of a service have one hash tag: a cluster keeps them in one place, for scripts. */
  key(name: string): string {
    return `${this.prefix}:${name}`
  }

  /** Rejects with what Redis says, and when the time is over: then it may have been carried out, or not. */
  call(command: string, ...args: readonly (string | number | Buffer)[]): Promise<Reply> {
    return this.told(this.client.call(command, ...(args as (string | number | Buffer)[])) as Promise<Reply>)
  }

  /** The same; texts of the answer are octets. */
  callBuffer(command: string, ...args: readonly (string | number | Buffer)[]): Promise<Reply> {
    return this.told(this.client.callBuffer(command, ...(args as (string | number | Buffer)[])) as Promise<Reply>)
  }

  /** Runs a script; see {@link call}. @param keys names, without the prefix */
  run(script: Script, keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<Reply> {
    const { name, lua } = script
    if (!this.defined.has(name)) {
      this.client.defineCommand(name, { lua, ...(script.keys === undefined ? {} : { numberOfKeys: script.keys }) })
      this.defined.add(name)
    }
    const command = (this.client as unknown as Record<string, (...all: unknown[]) => Promise<Reply>>)[name]!
    const count = script.keys === undefined ? [keys.length] : []
    return this.told(command.call(this.client, ...count, ...keys.map((key) => this.key(key)), ...args))
  }

  /** Where it fails for what an operator has to mend, the message says what. */
  private told(reply: Promise<Reply>): Promise<Reply> {
    return reply.catch((error: unknown) => {
      const waits = this.client.status === 'connect' ? 'it does not answer' : 'there is no connection yet'
      throw toldOf(error, this.shown, this.fault ?? waits)
    })
  }

  /**
   * The client asks INFO of each connection. It takes NOPERM for an answer: it writes a warning to the console and goes on,
   * and the scripts, which need INFO, fail later without naming it. Any other error ends the connection with that reason.
   */
  private refuseWithoutInfo(): void {
    type Told = (error: Error | null | undefined, text?: string) => void
    const { client } = this
    const ask = client.info.bind(client) as (told: Told) => Promise<string>
    const info = (told: Told): Promise<string> =>
      ask((error, text) => told(error ? new Error(error.message.replace(/^NOPERM /, '')) : null, text))
    client.info = info as Client['info']
  }

  /** Ends the connection; commands that wait fail. */
  close(): void {
    this.client.disconnect()
  }
}
