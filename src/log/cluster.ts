// The processes that share a log: each gives a sign of life, and learns who else is there, who leads, and where the log is.
// What was heard is worth nothing after a while: then this process does not know what the others have decided.

import { elapsedMs } from '../clock.ts'
import { LIMITS } from '../limits.ts'
import { type RedisPort, refusalOf, type Reply } from '../redis/redis.ts'
import { BEAT, BEAT_FULL, LEAVE } from './stream-scripts.ts'

/** What a process says of itself. */
export interface MemberFacts {
  /** Number of the last turn that it has applied and published. */
  readonly applied: number
  /** Turn of its newest checkpoint. */
  readonly checkpoint: number
  /** Where other processes ask it, as in `http://10.0.0.5:7070`; empty: nowhere. */
  readonly peer: string
  /** How long it goes on without a word of Redis, ms. */
  readonly silentMs: number
}

export interface Member extends MemberFacts {
  readonly id: string
  /** How long ago it was heard, ms, by the clock of Redis. */
  readonly ageMs: number
}

/** What Redis said last. */
export interface Heard {
  readonly members: readonly Member[]
  readonly epoch: string
  readonly position: number
  /** Whether the epoch is of this run of Redis: until then nothing is appended. */
  readonly isHeld: boolean
  readonly leftBehind: LeftBehind | undefined
}

/**
 * Redis has lost its replicas, and processes have become silent: it may be a former master, and they go on at the new one.
 * `wait`: nobody may be answered here, as what they decide is not heard. `over`: that has lasted for so long that they are
 * taken for gone, and another epoch must begin.
 */
export type LeftBehind = 'wait' | 'over'

export interface ClusterOptions {
  readonly redis: RedisPort
  readonly id: string
  readonly facts: () => MemberFacts
  /**
   * Called with what Redis says, each time, with the turn that this process had applied when it asked, and for how long nothing
   * had been heard, ms.
   */
  readonly onHeard: (heard: Heard, applied: number, silentMs: number) => void
  /** Called with why Redis cannot be written to, and with undefined where it can. */
  readonly onWritable: (trouble: string | undefined) => void
  /** The clock of this process, epoch ms: it is compared with that of Redis. */
  readonly now: () => number
}

/**
 * Redis is there and cannot write: nobody can tell it anything that this process would miss, unless another one has become the
 * master.
 */
const HEARD_ALL_THE_SAME = ['MISCONF', 'OOM']

/** Of a list of Redis: texts. */
export const pairsOf = (reply: Reply | undefined): [string, string][] => {
  const list = Array.isArray(reply) ? (reply as readonly Reply[]) : []
  return Array.from({ length: list.length >> 1 }, (_, place) => [String(list[2 * place]), String(list[2 * place + 1])])
}

/** A time and what follows it. */
export const timedOf = (text: string): [at: number, rest: string] => {
  const space = text.indexOf(' ')
  return [Number(text.slice(0, space)), text.slice(space + 1)]
}

export class Cluster {
  readonly id: string
  /** How far the clock of this process is ahead of that of Redis, ms; undefined: not known. */
  skewMs: number | undefined
  private readonly options: ClusterOptions
  private readonly timer: NodeJS.Timeout
  private heardMs = Number.NEGATIVE_INFINITY
  private leadsUntilMs = Number.NEGATIVE_INFINITY
  private wants = true
  private beating: Promise<Heard | undefined> | undefined
  private last: Heard = { members: [], epoch: '', position: 0, isHeld: true, leftBehind: undefined }
  private hadReplicas = false

  constructor(options: ClusterOptions) {
    this.options = options
    this.id = options.id
    this.timer = setInterval(() => void this.beat(), LIMITS.beatMs)
  }

  /** Whether this process does what only one may do. It ends by our own clock before anybody else can lead. */
  get isLeader(): boolean {
    return elapsedMs() < this.leadsUntilMs
  }

  /** For how long nothing was heard of Redis, ms. */
  get silentMs(): number {
    return elapsedMs() - this.heardMs
  }

  /** Whether nothing counts as heard of a Redis that may be a former master. */
  get isLeftBehind(): boolean {
    return this.last.leftBehind === 'wait'
  }

  /** The members as heard last, this process included. */
  get members(): readonly Member[] {
    return this.last.members
  }

  /** @param wants whether it leads when nobody does */
  lead(wants: boolean): void {
    this.wants = wants
  }

  /** Gives a sign of life now. @returns what Redis says; undefined: nothing */
  async beat(): Promise<Heard | undefined> {
    // One that is under way may have told older facts.
    while (this.beating !== undefined) await this.beating
    this.beating = this.ask()
    try {
      return await this.beating
    } finally {
      this.beating = undefined
    }
  }

  /** Says that this process goes. */
  async leave(): Promise<void> {
    clearInterval(this.timer)
    this.leadsUntilMs = Number.NEGATIVE_INFINITY
    await this.beating
    await this.options.redis.run(LEAVE, ['members', 'leader', `producer:${this.id}`], [this.id]).catch(() => undefined)
  }

  /** Ends without a word: for a process that may not say anything any more. */
  end(): void {
    clearInterval(this.timer)
    this.leadsUntilMs = Number.NEGATIVE_INFINITY
  }

  private async ask(): Promise<Heard | undefined> {
    const { id, facts, onHeard, now } = this.options
    const sentMs = elapsedMs()
    const sentAt = now()
    const own = facts()
    let reply: readonly Reply[]
    try {
      reply = await this.tell(own)
    } catch (error) {
      if (HEARD_ALL_THE_SAME.includes(refusalOf(error))) {
        // It does not say where the log is: after a silence that is needed.
        if (this.silentMs < own.silentMs && !this.hadReplicas) this.heardMs = sentMs
        this.options.onWritable((error as Error).message)
      } else if (refusalOf(error) === 'NOREPLICAS') this.options.onWritable((error as Error).message)
      return undefined
    }
    const [time, leader, epoch, position, members, held, had, here] = reply
    const redisAt = Number(time)
    this.skewMs = Math.round((sentAt + now()) / 2 - redisAt)
    const { silentMs } = this
    this.hadReplicas = had === 1
    this.leadsUntilMs = leader === id ? sentMs + LIMITS.leaderMs - LIMITS.leaderSpareMs : Number.NEGATIVE_INFINITY
    const all = pairsOf(members).map(([member, text]): Member => {
      const [at, json] = timedOf(text)
      return { ...(JSON.parse(json) as MemberFacts), id: member, ageMs: redisAt - at }
    })
    const silent = all.filter((each) => each.id !== id && each.peer !== '' && each.ageMs >= own.silentMs)
    const isLeft = this.hadReplicas && Number(here) === 0 && silent.length > 0
    const leftBehind = silent.some(({ ageMs }) => ageMs < LIMITS.leftBehindMs) ? 'wait' : 'over'
    this.last = {
      ...{ epoch: String(epoch), position: Number(position), isHeld: held === 1, members: all },
      leftBehind: isLeft ? leftBehind : undefined,
    }
    // What this process could have missed is as old as the silence of the others.
    this.heardMs = this.isLeftBehind ? Math.min(this.heardMs, sentMs - own.silentMs) : sentMs
    onHeard(this.last, own.applied, silentMs)
    return this.last
  }

  private async tell(own: MemberFacts): Promise<readonly Reply[]> {
    const { redis, id, onWritable } = this.options
    const keys = ['members', 'leader', 'meta', `producer:${id}`]
    const args = [id, JSON.stringify(own), this.wants ? LIMITS.leaderMs : 0]
    try {
      const reply = (await redis.run(BEAT, keys, args)) as readonly Reply[]
      onWritable(undefined)
      return reply
    } catch (error) {
      if (refusalOf(error) !== 'OOM') throw error
      onWritable((error as Error).message)
      return (await redis.run(BEAT_FULL, keys, args)) as readonly Reply[]
    }
  }
}
