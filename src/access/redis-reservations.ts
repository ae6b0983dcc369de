// Reservations of several processes, in Redis (usage-scripts.ts): exact over all of them. What Redis forgets, because it
// was emptied, restarted from an older state or replaced, is reported again by the processes that know it, before
// anything else is granted. A command that Redis carries out too late has no effect, and a late answer is still used.
//
// What a process holds counts while Redis cannot have granted it to others, that is until a life (usage-scripts.ts) which
// could have begun since Redis was heard has settled. A process that was silent for longer, since it was paused or cut off,
// asks first; in another life it gives up what it held, and reports what it knows without that.

import { randomBytes } from 'node:crypto'
import { elapsedMs } from '../clock.ts'
import { Durations } from '../durations.ts'
import type { RedisAddress } from '../redis/redis-address.ts'
import { Redis, type Reply, type Script } from '../redis/redis.ts'
import { type Grant, SHARE_HELD, type Want } from './block-window.ts'
import { messageOf } from './fault.ts'
import { type WindowKind, WINDOW_KINDS, windowEnd } from './ledger.ts'
import type { Leftover, ReserveFailure, SharedReservations } from './reserving-ledger.ts'
import { LOOK, RELEASE, REPORT, RESERVE } from './usage-scripts.ts'

export interface RedisReservationsLimits {
  /** How long Redis may take for a command before it is without effect. Requests are refused long before. */
  readonly usageCallMsMax: number
  /** Interval in which it is looked whether Redis still knows what it knew. */
  readonly usageLookMs: number
  /** How long nothing is granted after Redis has forgotten: all processes report meanwhile. */
  readonly usageSettleMs: number
  /** Windows of one command. */
  readonly usageWindowsMax: number
}

export interface RedisReservationsOptions {
  readonly address: RedisAddress
  /** The time of the service, epoch ms. */
  readonly now: () => number
  readonly limits: RedisReservationsLimits
}

const HOUR_MS = 3_600_000

/** How long a window is kept after its end: once a clock was wrong, the windows before must not be forgotten. */
const KEPT_MS: Readonly<Record<WindowKind, number>> = { hour: 48 * HOUR_MS, month: 62 * 24 * HOUR_MS }

const LIFE_KEY = 'use:life'

const keyOf = (organization: string, kind: WindowKind, start: number): string => `use:${kind}:${start}:${organization}`

/** What is known to be reserved of a window. */
interface Known {
  readonly reserved: number
  readonly kind: WindowKind
  /** Epoch ms. */
  readonly end: number
}

type Word = 'here' | 'reported' | 'granted' | 'released' | 'late' | 'life' | 'settles'

interface Answer {
  readonly word: Word
  readonly life: string
  /** How long the life still settles, ms. */
  readonly settlesMs: number
  readonly numbers: readonly number[]
}

function* chunksOf<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}

export class RedisReservations implements SharedReservations {
  /** How long answers to {@link reserve} took. */
  readonly durations = new Durations()
  private readonly redis: Redis
  private readonly now: () => number
  private readonly limits: RedisReservationsLimits
  private readonly name = randomBytes(9).toString('base64url')
  /** By name of key: of the windows that have not ended. At most two an organization. */
  private readonly known = new Map<string, Known>()
  private readonly timer: NodeJS.Timeout
  /** The life in which all that is known was reported; empty: none yet. */
  private life = ''
  private lives = 0
  /** When the last command was sent that Redis has answered in {@link life}; by {@link now}. */
  private heardAt = Number.NEGATIVE_INFINITY
  private lose: () => readonly Leftover[] = () => []
  /** How often what was held had to be given up. */
  private losses = 0
  /** How far Redis' clock is ahead of the elapsed time of this process, at least; undefined: it never answered. */
  private aheadMs: number | undefined
  private settledMs = 0
  private trouble: string | undefined = 'Redis has not answered yet'
  private looking: Promise<void> | undefined
  private isClosed = false

  /** Connects in the background. Close it after the ledgers that use it. */
  constructor({ address, now, limits }: RedisReservationsOptions) {
    this.now = now
    this.limits = limits
    this.redis = new Redis(address, {
      timeoutMs: limits.usageCallMsMax,
      onState: (isThere) => {
        if (isThere) void this.look()
        else this.trouble = 'Redis cannot be reached'
      },
    })
    this.timer = setInterval(() => void this.look(), limits.usageLookMs).unref()
  }

  problem(): string | undefined {
    if (this.trouble !== undefined) return this.trouble
    const settlesMs = this.settledMs - elapsedMs()
    if (settlesMs <= 0) return undefined
    return `Redis was emptied, restarted or replaced: what was used is gathered for ${Math.ceil(settlesMs)} ms`
  }

  isCounted(): boolean {
    return this.now() - this.heardAt <= this.limits.usageSettleMs - this.limits.usageLookMs
  }

  onLost(lose: () => readonly Leftover[]): void {
    this.lose = lose
  }

  async reserve(wants: readonly Want[]): Promise<readonly Grant[] | ReserveFailure> {
    // Without having reported, only how it is refused would be learnt.
    if (this.life === '') await this.look()
    if (this.life === '') return { failed: this.trouble ?? 'Redis does not answer', busy: false }
    const startedMs = elapsedMs()
    const grants: Grant[] = []
    try {
      // One command each; more than one is not expected, since the ledger asks for no more at once.
      for (const chunk of chunksOf(wants, this.limits.usageWindowsMax)) {
        const failure = await this.reserveChunk(chunk, grants)
        if (failure !== undefined) return failure
      }
    } catch (error) {
      return { failed: messageOf(error), busy: false }
    }
    this.durations.add(elapsedMs() - startedMs)
    return grants
  }

  private async reserveChunk(wants: readonly Want[], grants: Grant[]): Promise<ReserveFailure | undefined> {
    const keys = wants.map(({ organization, kind, start }) => keyOf(organization, kind, start))
    const args = wants.flatMap(({ kind, start, limit, amount }) => [
      ...[amount, limit, SHARE_HELD],
      this.keepMs(kind, windowEnd(kind, start)),
    ])
    const { word, life, numbers } = await this.run(RESERVE, keys, args)
    if (word === 'granted' && life === this.life) {
      for (const [place, { kind, start }] of wants.entries()) {
        const grant = { before: numbers[2 * place]!, granted: numbers[2 * place + 1]! }
        const known = { reserved: grant.before + grant.granted, kind, end: windowEnd(kind, start) }
        this.known.set(keys[place]!, known)
        grants.push(grant)
      }
      return undefined
    }
    if (word === 'life') await this.look()
    return { failed: this.problem() ?? `Redis was asked too late (${word})`, busy: word !== 'settles' }
  }

  async release(leftovers: readonly Leftover[]): Promise<void> {
    const { losses } = this
    for (const chunk of chunksOf(leftovers, this.limits.usageWindowsMax)) {
      // It was held in a life that has ended: others may have got it since.
      if (this.losses !== losses) return
      try {
        const { word } = await this.releaseChunk(chunk)
        // What was given to Redis before it forgot must be known there first. Never after a failure: it may have had
        // its effect, and twice would give requests for free.
        if (word === 'life') {
          await this.look()
          if (this.losses === losses) await this.releaseChunk(chunk)
        }
      } catch {
        // Lost, as after a crash.
      }
    }
  }

  private async releaseChunk(leftovers: readonly Leftover[]): Promise<Answer> {
    const keys = leftovers.map(({ organization, kind, start }) => keyOf(organization, kind, start))
    const amounts = leftovers.map(({ amount }) => amount)
    const answer = await this.run(RELEASE, keys, amounts)
    if (answer.word !== 'released') return answer
    for (const [place, key] of keys.entries()) {
      const known = this.known.get(key)
      if (known !== undefined) this.known.set(key, { ...known, reserved: answer.numbers[place]! })
    }
    return answer
  }

  async reservedOf(
    organization: string,
    starts: Readonly<Record<WindowKind, number>>,
  ): Promise<Readonly<Record<WindowKind, number>> | undefined> {
    if (this.problem() !== undefined) return undefined
    try {
      const keys = WINDOW_KINDS.map((kind) => this.redis.key(keyOf(organization, kind, starts[kind])))
      const [hour, month] = await Promise.all(keys.map((key) => this.redis.call('HGET', key, 'n')))
      return { hour: Number(hour ?? 0), month: Number(month ?? 0) }
    } catch {
      return undefined
    }
  }

  /** Ends the connection. What is known is forgotten. */
  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
    this.redis.close()
  }

  private keepMs(kind: WindowKind, end: number): number {
    return Math.max(0, end - this.now()) + KEPT_MS[kind]
  }

  /** Which life it is; reports what is known where it is another one. */
  private look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined
    })
    return this.looking
  }

  private async lookNow(): Promise<void> {
    if (!this.redis.isConnected || this.isClosed) return
    try {
      const askedAt = this.now()
      const { word, life, settlesMs } = await this.run(LOOK, [], [])
      if (word !== 'here' || life === this.life) return
      // After a silence also where it settles: another life may have settled in between.
      let isLate = settlesMs === 0 || !this.isCounted()
      if (isLate) this.giveUp()
      const now = this.now()
      for (const [key, { end }] of this.known) if (end < now) this.known.delete(key)
      // Also without anything to report: then the life is known.
      for (const chunk of chunksOf([...this.known], this.limits.usageWindowsMax)) {
        const args = chunk.flatMap(([, { reserved, kind, end }]) => [reserved, this.keepMs(kind, end)])
        const answer = await this.run(
          REPORT,
          chunk.map(([key]) => key),
          args,
          life,
        )
        if (answer.word !== 'reported') return
        isLate ||= answer.settlesMs === 0
      }
      if (isLate) this.giveUp()
      this.life = life
      this.heardAt = askedAt
    } catch {
      // `run` has noted why; the next look tries again.
    }
  }

  /** What is held counts no longer: it is neither used nor given back. */
  private giveUp(): void {
    this.losses++
    for (const { organization, kind, start, amount } of this.lose()) {
      const key = keyOf(organization, kind, start)
      const known = this.known.get(key)
      if (known !== undefined) this.known.set(key, { ...known, reserved: Math.max(0, known.reserved - amount) })
    }
  }

  /** @param life in which it is to have an effect */
  private async run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
    life = this.life,
  ): Promise<Answer> {
    const { usageCallMsMax, usageSettleMs } = this.limits
    const until = this.aheadMs === undefined ? 0 : Math.floor(elapsedMs() + this.aheadMs + usageCallMsMax)
    const begins = `${this.name}-${this.lives++}`
    const askedAt = this.now()
    let reply: readonly Reply[]
    try {
      const all = [begins, usageSettleMs, until, life, ...args]
      reply = (await this.redis.run(script, [LIFE_KEY, ...keys], all)) as readonly Reply[]
    } catch (error) {
      this.trouble = `nothing can be reserved in Redis (${messageOf(error)})`
      throw error
    }
    this.trouble = undefined
    const [word, at, current, settlesMs, ...numbers] = reply
    const nowMs = elapsedMs()
    this.aheadMs = Number(at) - nowMs
    this.settledMs = nowMs + Number(settlesMs)
    // In another life only once all is reported.
    if (String(current) === this.life) this.heardAt = askedAt
    return { word: word as Word, life: String(current), settlesMs: Number(settlesMs), numbers: numbers.map(Number) }
  }
}
