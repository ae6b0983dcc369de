// The log that several processes share: one Redis Stream has the order, and each process keeps the turns in a file log of
// its own, under the same numbers, so that checkpoints and restarts are as they are without Redis.
//
//   append ──▶ Redis gives the number ──▶ delivered in order, with the turns of others ──▶ file log ──▶ applied
//
// A turn counts once Redis has accepted it. Each process numbers its own: one that is sent again, because the answer was
// lost, is accepted once. The chain is a digest of all turns so far: a stream that went back and was written anew is
// noticed with the next turn, by everybody.

import { createHash } from 'node:crypto'
import { elapsedMs } from '../clock.ts'
import type { Turn } from '../domain/input.ts'
import { Durations } from '../durations.ts'
import { LIMITS } from '../limits.ts'
import { type RedisPort, refusalOf, type Reply } from '../redis/redis.ts'
import type { Log } from './log.ts'
import { APPEND, FENCED, GAP } from './stream-scripts.ts'

/** The file log that it writes to. */
export type LocalLog = Pick<Log, 'append' | 'isFull' | 'onRoom' | 'trouble' | 'onTrouble'>

/** From turns to octets and back: each for itself, without a dictionary of those before. */
export interface TurnCodec {
  encode(turn: Turn): Uint8Array
  /** Throws where it is no turn. */
  decode(octets: Uint8Array): Turn
}

export interface StreamLogOptions {
  /** For appends; and one that waits for turns. */
  readonly redis: RedisPort
  readonly reader: RedisPort
  readonly local: LocalLog
  /** Replicas of Redis that must have a turn of this process before it counts here. */
  readonly replicas: number
  /** Of this process: never used before. */
  readonly process: string
  readonly codec: TurnCodec
  /** Where this process is: its state is that of all turns up to the position. */
  readonly epoch: string
  readonly position: number
  readonly chain: string
  /** Time of that turn, epoch ms. */
  readonly lastAt: number
  /** Called with the checksums of processes, in the order of the log. */
  readonly onChecksum: (process: string, turn: number, sum: number) => void
  /** Called once where the stream is not the one that this process has applied: it must not go on. */
  readonly onBreak: (reason: string) => void
}

/** A turn of our own. */
interface Own {
  readonly n: number
  readonly turn: Turn
  readonly octets: Buffer
  readonly written: (turn: Turn) => void
  readonly appendedMs: number
  /** As many replicas of Redis have it as must have it. */
  isKept: boolean
}

/** A turn of the stream that is not delivered yet. */
interface Arrived {
  readonly own: Own | undefined
  readonly octets: Uint8Array
  /** The chain with it, by Redis. */
  readonly chain: string
}

export const chainOf = (before: string, octets: Uint8Array): string =>
  createHash('sha1').update(before).update(octets).digest('hex')

export const idOf = (position: number): string => `${position}-0`

/** An entry of the stream. */
export interface Entry {
  readonly position: number
  readonly process: string
  readonly n: number
  readonly chain: string
  readonly octets: Buffer
}

const textOf = (reply: Reply | undefined): string => (Buffer.isBuffer(reply) ? reply.toString() : String(reply))

/** Entries of a reply of XRANGE, or of one stream of XREAD, in octets. */
export const entriesOf = (reply: Reply | undefined): Entry[] =>
  (Array.isArray(reply) ? (reply as readonly (readonly Reply[])[]) : []).map(([id, fields]) => {
    const values = new Map<string, Reply>()
    const list = fields as readonly Reply[]
    for (let place = 0; place + 1 < list.length; place += 2) values.set(textOf(list[place]), list[place + 1]!)
    const octets = values.get('t')
    return {
      position: Number(textOf(id).split('-')[0]),
      process: textOf(values.get('p')),
      n: Number(textOf(values.get('n'))),
      chain: textOf(values.get('c')),
      octets: Buffer.isBuffer(octets) ? octets : Buffer.alloc(0),
    }
  })

export class StreamLog implements Pick<Log, 'append' | 'isFull' | 'onRoom' | 'onForeign' | 'trouble' | 'onTrouble'> {
  readonly epoch: string
  /** Number of the last turn that was delivered. */
  position: number
  /** From append to delivery, of our own turns. */
  readonly durations = new Durations()
  readonly counts = { own: 0, foreign: 0, repeated: 0 }
  private chain: string
  private lastAt: number
  private readonly options: StreamLogOptions
  private n = 0
  /** Sent, and not known to be accepted; by n. */
  private readonly unaccepted = new Map<number, Own>()
  private unacceptedBytes = 0
  /** Accepted, and not delivered. */
  private readonly accepted = new Map<number, Own>()
  private readonly arrived = new Map<number, Arrived>()
  private readonly roomListeners: (() => void)[] = []
  private readonly troubleListeners: ((trouble: string | undefined) => void)[] = []
  private foreign: ((turn: Turn) => void) | undefined
  private own: string | undefined
  private unwritable: string | undefined
  /** Why turns that are in the stream are not kept: it lasts while others are accepted. */
  private tooFew: string | undefined
  private repeating: NodeJS.Timeout | undefined
  private wasFull = false
  private isOver = false
  // Ends the wait of the reader for room in the file log.
  private readOn: (() => void) | undefined
  private reading: Promise<void> | undefined

  constructor(options: StreamLogOptions) {
    this.options = options
    this.epoch = options.epoch
    this.position = options.position
    this.chain = options.chain
    this.lastAt = options.lastAt
    options.local.onRoom(() => {
      this.readOn?.()
      this.hasRoom()
    })
    options.local.onTrouble(() => this.tellTrouble())
  }

  get isFull(): boolean {
    const isFull =
      this.unaccepted.size + this.accepted.size >= LIMITS.streamTurnsMax ||
      this.unacceptedBytes >= LIMITS.streamBytesMax ||
      this.options.local.isFull ||
      this.isOver
    this.wasFull ||= isFull
    return isFull
  }

  get trouble(): string | undefined {
    return this.own ?? this.tooFew ?? this.unwritable ?? this.options.local.trouble
  }

  onRoom(listener: () => void): void {
    this.roomListeners.push(listener)
  }

  onTrouble(listener: (trouble: string | undefined) => void): void {
    this.troubleListeners.push(listener)
  }

  /** In place of an earlier listener. */
  onForeign(listener: (turn: Turn) => void): void {
    this.foreign = listener
  }

  append(turn: Turn, written: (turn: Turn) => void): void {
    if (this.isOver) throw new Error('the log is closed')
    const encoded = this.options.codec.encode(turn)
    if (encoded.length === 0 || encoded.length > LIMITS.logRecordBytesMax / 2) {
      throw new RangeError(`a turn of ${encoded.length} octets does not fit a record of the log`)
    }
    const own: Own = {
      n: ++this.n,
      turn,
      octets: Buffer.from(encoded),
      written,
      appendedMs: elapsedMs(),
      isKept: false,
    }
    this.unaccepted.set(own.n, own)
    this.unacceptedBytes += own.octets.length
    // Turns that may be lost are sent again first.
    if (this.repeating === undefined) void this.send(own)
  }

  /** Begins to read. */
  start(): void {
    this.reading ??= this.read()
  }

  /** Ends it: nothing is delivered after that. */
  async close(): Promise<void> {
    this.isOver = true
    clearTimeout(this.repeating)
    this.options.reader.close()
    this.readOn?.()
    await this.reading
  }

  // --- appending

  private async send(own: Own): Promise<void> {
    const { redis, process } = this.options
    const args = [this.epoch, process, own.n, own.octets]
    let reply: Reply
    try {
      reply = await redis.run(APPEND, ['meta', 'log', `producer:${process}`], args)
    } catch (error) {
      if (this.isOver) return
      if (refusalOf(error) === FENCED) this.break(`another process has begun an epoch (${(error as Error).message})`)
      else this.repeatLater(error)
      return
    }
    if (this.isOver) return
    this.accept(own)
    this.become(undefined)
    if (!Array.isArray(reply)) return
    const [position, chain] = (reply as readonly Reply[]).map(String)
    const place = Number(position)
    if (place <= this.position) {
      // It was not delivered as one of those: the stream has gone back.
      if (this.accepted.has(own.n)) this.break(`the stream has gone back: it has ours as turn ${place} anew`)
      return
    }
    if (this.arrived.has(place)) return
    // Where it is next, it need not be read.
    this.arrived.set(place, { own, octets: own.octets, chain: chain! })
    this.deliver()
  }

  private accept(own: Own): void {
    if (!this.unaccepted.delete(own.n)) return
    this.unacceptedBytes -= own.octets.length
    this.accepted.set(own.n, own)
    if (this.options.replicas === 0) own.isKept = true
    else void this.keep(own)
    this.hasRoom()
  }

  /** Waits until enough replicas of Redis have a turn. */
  private async keep(own: Own): Promise<void> {
    const { redis, replicas } = this.options
    while (!this.isOver) {
      try {
        // WAIT counts from the last write of its own connection, which may be a new one.
        const [, have] = await Promise.all([
          redis.call('INCR', redis.key('waits')),
          redis.call('WAIT', replicas, LIMITS.streamMsMax / 2),
        ])
        if (Number(have) >= replicas) break
        this.noteTooFew(
          `${String(have)} replicas of Redis have the last turns, and ${replicas} must (--redis-replicas)`,
        )
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        this.noteTooFew(`replicas of Redis cannot be waited for (${why})`)
      }
      await new Promise((resolve) => setTimeout(resolve, LIMITS.streamRetryMs))
    }
    own.isKept = true
    if (this.isOver) return
    this.noteTooFew(undefined)
    this.deliver()
  }

  /** Whether turns were accepted is not known, or they were not: all of them are sent again, in their order. */
  private repeatLater(error: unknown): void {
    this.become(`Redis does not accept turns (${error instanceof Error ? error.message : String(error)})`)
    this.repeating ??= setTimeout(() => void this.repeat(), LIMITS.streamRetryMs)
  }

  private async repeat(): Promise<void> {
    const { redis, process } = this.options
    try {
      for (let next = this.first(); next !== undefined && !this.isOver; next = this.first()) {
        this.counts.repeated++
        await redis.run(APPEND, ['meta', 'log', `producer:${process}`], [this.epoch, process, next.n, next.octets])
        this.accept(next)
      }
    } catch (error) {
      if (this.isOver) return
      this.repeating = undefined
      if (refusalOf(error) === FENCED) this.break(`another process has begun an epoch (${(error as Error).message})`)
      // All before it were accepted, and Redis does not know them any more.
      else if (refusalOf(error) === GAP)
        this.break(`Redis has lost turns of this process (${(error as Error).message})`)
      else this.repeatLater(error)
      return
    }
    this.repeating = undefined
    this.become(undefined)
  }

  private first(): Own | undefined {
    return this.unaccepted.values().next().value
  }

  // --- reading

  private async read(): Promise<void> {
    const { reader } = this.options
    const key = reader.key('log')
    let last = this.position
    while (!this.isOver) {
      await this.localRoom()
      last = Math.max(last, this.position)
      let reply: Reply
      try {
        const args = ['COUNT', LIMITS.streamReadMax, 'BLOCK', LIMITS.streamBlockMs, 'STREAMS', key, idOf(last)]
        reply = await reader.callBuffer('XREAD', ...args)
      } catch {
        // Whether Redis is there is asked elsewhere.
        await new Promise((resolve) => setTimeout(resolve, LIMITS.streamRetryMs))
        continue
      }
      if (this.isOver) return
      const [stream] = Array.isArray(reply) ? (reply as readonly (readonly Reply[])[]) : []
      for (const entry of entriesOf(stream?.[1])) {
        if (entry.position !== last + 1) {
          this.break(`turn ${last + 1} is missing in the stream, which goes on with ${entry.position}`)
          return
        }
        last = entry.position
        if (entry.position <= this.position || this.arrived.has(entry.position)) continue
        const own = entry.process === this.options.process ? this.ownOf(entry.n) : undefined
        this.arrived.set(entry.position, { own, octets: entry.octets, chain: entry.chain })
      }
      this.deliver()
    }
  }

  private ownOf(n: number): Own | undefined {
    const own = this.unaccepted.get(n)
    if (own !== undefined) this.accept(own)
    return this.accepted.get(n)
  }

  private localRoom(): Promise<void> | undefined {
    if (!this.options.local.isFull) return undefined
    return new Promise((resolve) => {
      this.readOn = resolve
    })
  }

  /** Delivers what has arrived, as far as nothing is missing. */
  private deliver(): void {
    for (;;) {
      const position = this.position + 1
      const next = this.arrived.get(position)
      if (next === undefined || next.own?.isKept === false || this.isOver) return
      this.arrived.delete(position)
      const { own, octets, chain } = next
      if (chainOf(this.chain, octets) !== chain) {
        this.break(`turn ${position} of the stream follows on other turns than those that were read here`)
        return
      }
      let turn: Turn
      try {
        turn = own?.turn ?? this.options.codec.decode(octets)
      } catch (error) {
        this.break(`turn ${position} of the stream cannot be read (${(error as Error).message})`)
        return
      }
      this.position = position
      this.chain = chain
      this.lastAt = Math.max(this.lastAt, turn.at)
      const link = { kind: 'link', epoch: this.epoch, turn: position, chain: this.chain } as const
      const linked: Turn = { at: this.lastAt, inputs: [...turn.inputs, link] }
      for (const input of turn.inputs) {
        if (input.kind === 'checksum') this.options.onChecksum(input.process, input.turn, input.sum)
      }
      if (own === undefined) this.counts.foreign++
      else {
        this.counts.own++
        this.accepted.delete(own.n)
        this.durations.add(elapsedMs() - own.appendedMs)
      }
      this.options.local.append(linked, own?.written ?? this.written)
      if (own !== undefined) this.hasRoom()
    }
  }

  private readonly written = (turn: Turn): void => this.foreign?.(turn)

  // --- what others are told

  /**
   * Compares where the stream is with what was delivered: called with what Redis says now and then.
   * @param delivered the turn up to which was delivered when Redis was asked: the answer may be older than what came since
   */
  look(epoch: string, position: number, delivered: number): void {
    if (this.isOver) return
    if (epoch !== this.epoch) {
      this.break(epoch === '' ? 'the stream is empty' : `epoch ${epoch} has begun`)
    } else if (position < delivered) {
      this.break(`the stream ends at turn ${position}, and was at ${delivered}`)
    }
  }

  private break(reason: string): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.repeating)
    this.become(`the log that is shared is another one: ${reason}`)
    this.options.onBreak(reason)
  }

  /** Whether Redis can be written to, as signs of life say: it matters also to who appends nothing. */
  noteWritable(trouble: string | undefined): void {
    const unwritable = trouble === undefined ? undefined : `Redis cannot be written to (${trouble})`
    if (unwritable === this.unwritable || this.isOver) return
    this.unwritable = unwritable
    this.tellTrouble()
  }

  /** Where the log is that was delivered. */
  get place(): { readonly epoch: string; readonly position: number; readonly chain: string } {
    const { epoch, position, chain } = this
    return { epoch, position, chain }
  }

  private noteTooFew(trouble: string | undefined): void {
    if (trouble === this.tooFew || this.isOver) return
    this.tooFew = trouble
    this.tellTrouble()
  }

  private become(trouble: string | undefined): void {
    if (trouble === this.own) return
    this.own = trouble
    this.tellTrouble()
  }

  private tellTrouble(): void {
    for (const listener of this.troubleListeners) listener(this.trouble)
  }

  private hasRoom(): void {
    if (!this.wasFull || this.isFull) return
    this.wasFull = false
    for (const listener of this.roomListeners) listener()
  }
}
