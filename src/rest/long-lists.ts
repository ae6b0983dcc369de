// Long lists of events, which are read in steps (docs/limits.md, `listAtOnceMax`): one step of one list in an iteration of the event
// loop, so that whoever asks for much, or often, keeps nobody waiting.

import type { Caller } from '../access/gate.ts'
import type { Audience } from '../domain/audience.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import { EventList } from './list-events.ts'
import type { Reply } from './reply.ts'
import type { Query, Target } from './target.ts'

export interface ListLimits {
  /** A list that may have more events is read in steps. */
  readonly listAtOnceMax: number
  /** Events of a step. */
  readonly listStepMax: number
  /** Lists that are read in steps, or wait for that: in all, and of an organization. */
  readonly listsWaitingMax: number
  readonly listsPerOrganizationMax: number
}

/** A reply that was read in steps. */
export interface ReadReply {
  readonly reply: Reply
  /** Of the log, before the first step: who resumes from there misses nothing that came between two steps. */
  readonly seq: number
}

/** What a list was read of. */
interface Read {
  readonly version: number
  /** Whether it was the same, and nothing was due, at each step. */
  readonly isSettled: boolean
}

/** Makes the reply of a list that was read. */
export type Finish = (list: EventList, read: Read, nowAt: number) => Reply

interface WaitingList {
  readonly organization: string
  readonly target: Target
  readonly audience: Audience
  readonly list: EventList
  readonly reply: Promise<ReadReply>
}

export class LongLists {
  private readonly engine: Engine
  private readonly limits: ListLimits
  private readonly now: () => number
  private readonly lists: WaitingList[] = []
  private readonly steps = new Steps()

  /** @param now the clock, epoch ms */
  constructor(engine: Engine, limits: ListLimits, now: () => number) {
    this.engine = engine
    this.limits = limits
    this.now = now
  }

  /**
   * Reads a list. Of one that is being read, the next is read once for all that ask meanwhile: it may have passed what has changed since.
   * @returns undefined where too many wait
   */
  read(target: Target, query: Query, caller: Caller, finish: Finish): Promise<ReadReply> | undefined {
    const { lists, limits } = this
    const { audience } = caller
    const same = lists.filter((other) => other.target === target && other.audience === audience)
    const waits = same.find((other) => !other.list.isBegun)
    if (waits !== undefined) return waits.reply
    const organization = caller.organization.id
    const own = lists.filter((other) => other.organization === organization)
    if (lists.length >= limits.listsWaitingMax || own.length >= limits.listsPerOrganizationMax) return undefined
    const list = new EventList(this.engine, audience, query)
    const reply = this.readInSteps(list, query, finish, same[0]?.reply).finally(() => {
      lists.splice(
        lists.findIndex((other) => other.list === list),
        1,
      )
    })
    lists.push({ organization, target, audience, list, reply })
    return reply
  }

  /** @param before begins when this is over */
  private async readInSteps(
    list: EventList,
    query: Query,
    finish: Finish,
    before: Promise<ReadReply> | undefined,
  ): Promise<ReadReply> {
    await before?.catch(() => undefined)
    const { engine, limits } = this
    const versionNow = (): number => engine.reader.listVersion(TRANSPORT_NUMBER[query.transport], query.sportNumber)
    let version = 0
    let seq = 0
    await this.steps.run(() => {
      if (!list.isBegun) {
        version = versionNow()
        seq = engine.seq
      }
      return list.visit(limits.listStepMax, this.now())
    })
    // What has changed meanwhile may be of events that were visited before.
    const isSettled = list.wasSettled && version === versionNow()
    return { reply: finish(list, { version, isSettled }, this.now()), seq }
  }
}

/** Returns whether the work is over. */
type Step = () => boolean

/** Work that is done in steps, in turn. */
class Steps {
  private readonly waiting: { readonly step: Step; done(): void; failed(error: unknown): void }[] = []
  private isScheduled = false

  /** Resolves when `step` has returned true; rejects with what it throws. */
  run(step: Step): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ step, done, failed })
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.next()
      this.schedule()
    })
  }

  private next(): void {
    const first = this.waiting.shift()!
    try {
      if (first.step()) first.done()
      else this.waiting.push(first)
    } catch (error) {
      first.failed(error)
    }
  }
}
