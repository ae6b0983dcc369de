// The loop of an HTTP source: each URL of a schedule is polled again after its interval, at the host's pace. The connector
// knows what to poll and what the answers mean.

import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connector, ConnectorContext } from './connector.ts'
import { type HttpAnswer, HttpClient, type SourceAccess } from './http-client.ts'
import { PollAnswers } from './poll-answers.ts'
import { type Entry, someOfEach } from './poll-entry.ts'
import type { PollLimits } from './poll-limits.ts'
import { PollSchedule } from './poll-schedule.ts'
import type { Hold, PollTarget } from './poll-target.ts'
import { PollWatch } from './poll-watch.ts'
import { Problems } from './problems.ts'
import { backOffMs, type Pace, type Paces } from './rate.ts'

export interface PollerOptions {
  readonly access: SourceAccess
  readonly limits: PollLimits
  readonly origin: string
  /** Texts that must not be logged: keys, passwords. */
  readonly secrets: readonly string[]
}

/** The longest timer: schedules and holds are checked again after it. */
const SLEEP_MS_MAX = 60_000

/** Polls from {@link Poller.start} to {@link Poller.stop}. A connector extends it with its targets. */
export class Poller implements Connector {
  protected readonly context: ConnectorContext
  private readonly limits: PollLimits
  private readonly client: HttpClient
  private readonly pace: Pace
  private readonly schedule: PollSchedule
  private readonly answers: PollAnswers
  private readonly ending = new AbortController()
  private readonly sleepers = new Set<() => void>()
  protected readonly problems: Problems
  private readonly watcher: PollWatch
  private workers: Promise<void>[] = []
  private polls = 0
  private lastPollAt: number | null = null

  constructor({ access, limits, origin, secrets }: PollerOptions, context: ConnectorContext, paces: Paces) {
    this.context = context
    this.limits = limits
    this.client = new HttpClient(access, limits, limits.concurrency, context.now)
    setMaxListeners(limits.concurrency + 2, this.ending.signal) // one for each request under way, one for the watch
    this.problems = new Problems((message) => context.log('warn', message), secrets)
    const { problems } = this
    const { now, chance } = context
    const pace = paces.of(`${origin} ${access.proxy ?? ''}`, limits, now())
    const schedule = new PollSchedule({ limits, pace, now, chance, holdOf: (...of) => this.holdOf(...of) })
    const onAnswer: Poller['onAnswer'] = (...of) => this.onAnswer(...of)
    this.answers = new PollAnswers({ context, limits, schedule, problems, pace, onAnswer })
    this.watcher = new PollWatch(schedule, limits, problems)
    this.schedule = schedule
    this.pace = pace
  }

  start(): void {
    this.workers = Array.from({ length: this.limits.concurrency }, (_, index) =>
      this.keepOn(`worker ${index + 1}`, () => this.work()),
    )
    this.workers.push(this.keepOn('watch', () => this.watch()))
  }

  /** Adds a target, or replaces the one with its key and keeps its schedule. */
  put(target: PollTarget): void {
    const known = this.schedule.entries.get(target.key)
    if (known !== undefined) known.target = target
    else {
      this.schedule.add(target)
      this.wake()
    }
  }

  has(key: string): boolean {
    return this.schedule.entries.has(key)
  }

  /** Whether a target has had no good answer for too long, or since the source was down; true if it is not polled. */
  protected isStale(key: string): boolean {
    return this.schedule.entries.get(key)?.isStale ?? true
  }

  /** Makes the next request of a target unconditional: its last answer means something else now. */
  protected renew(key: string): void {
    const entry = this.schedule.entries.get(key)
    if (entry === undefined) return
    entry.validators = null
    entry.isRenewed = true // an answer may be on its way
  }

  /** Removes a target. An answer that is on its way is ignored. */
  drop(key: string): void {
    const { entries } = this.schedule
    const entry = entries.get(key)
    if (entry === undefined) return
    entry.isDropped = true
    entries.delete(key)
    this.problems.well(key)
    this.settle(entry.waiters.splice(0), 'is not polled any more')
  }

  /** Aborts what is under way. Resolves when nothing is open. */
  async stop(): Promise<void> {
    this.ending.abort()
    for (const { waiters } of this.schedule.entries.values()) this.settle(waiters.splice(0), 'was stopped')
    this.wake()
    await Promise.all(this.workers)
    this.pace.leave(this.limits)
    await this.client.close()
  }

  /**
   * Whether the first round is done: one target has had a good answer, and the outcome of every other one is known. A
   * target that fails counts as known when its quotes would be stale.
   */
  hasDelivered(): boolean {
    return this.answers.hasAnswered && this.schedule.isRoundDone(this.context.now())
  }

  /**
   * Polls all lists, then some price URLs of each group, at once and unconditionally. Pace and holds are kept. Resolves
   * when the answers are on the board; to a sentence when no price URL was available.
   */
  async refresh(): Promise<string | undefined> {
    const { limits, context, schedule } = this
    const untilAt = context.now() + limits.refreshMsMax
    const some = (kind: PollTarget['kind'], perGroup: number): Entry[] =>
      someOfEach(kind, schedule.entries.values(), perGroup)
    const lists = await this.pollNow(some('list', Number.POSITIVE_INFINITY), untilAt)
    const prices = await this.pollNow(some('prices', limits.refreshesPerGroup), untilAt)
    if (prices.includes(undefined)) return undefined
    const problem = [...prices, ...lists].find((one) => one !== undefined) ?? 'has nothing to poll now'
    return `${context.name} ${problem}`
  }

  facts(): Readonly<Record<string, string | number | null>> {
    const { polls, lastPollAt, schedule } = this
    const { notModified, failures, lastStatus } = this.answers
    const nowAt = this.context.now()
    let nextPollAt: number | null = null
    let behindMs = 0
    if (this.isRunning()) {
      for (const entry of schedule.entries.values()) {
        const dueAt = schedule.dueAt(entry)
        if (nextPollAt === null || dueAt < nextPollAt) nextPollAt = dueAt
        behindMs = Math.max(behindMs, schedule.behindMs(entry, nowAt))
      }
    }
    return { urls: schedule.entries.size, polls, notModified, failures, lastStatus, lastPollAt, nextPollAt, behindMs }
  }

  /** What is wrong with any of its targets, even if the others work; null: nothing. */
  trouble(): string | null {
    return this.problems.text
  }

  suspended(): void {
    for (const entry of this.schedule.entries.values()) if (entry.target.kind === 'prices') entry.isStale = true
  }

  /** Also when intervals have become shorter: no target waits for longer than an interval from now. */
  resume(): void {
    this.schedule.hasten()
    this.wake()
  }

  /** Gets every answer before it is judged. */
  protected onAnswer(_target: PollTarget, _answer: HttpAnswer): void {}

  /** Holds a target back until a time, epoch ms, with the reason; undefined: it may be polled. */
  protected holdOf(_target: PollTarget, _nowAt: number): Hold | undefined {
    return undefined
  }

  // --- the loop ---

  private isRunning(): boolean {
    return !this.ending.signal.aborted
  }

  /** Repeats a step. A step that throws is logged and repeated after a pause, so the process continues. */
  private async keepOn(key: string, step: () => Promise<void>): Promise<void> {
    const { backOffMsMin, backOffMsMax } = this.limits
    let faults = 0
    while (this.isRunning()) {
      try {
        await step()
        if (faults > 0) this.problems.well(key)
        faults = 0
      } catch (error) {
        faults++
        this.problems.logOnce(key, key, `${key}: ${(error as Error).message}`)
        await this.sleep(backOffMsMin + backOffMs(faults, backOffMsMin, backOffMsMax, this.context.chance()))
      }
    }
  }

  private async work(): Promise<void> {
    const { now } = this.context
    const nowAt = now()
    const next = this.schedule.next(nowAt)
    if (next === undefined || next.dueAt > nowAt) {
      return this.sleep(next === undefined ? SLEEP_MS_MAX : next.dueAt - nowAt)
    }
    const { entry } = next
    entry.isInFlight = true
    try {
      const goAt = this.pace.reserve(nowAt)
      for (let leftMs = goAt - nowAt; leftMs > 0 && this.isRunning(); leftMs = goAt - now()) await this.sleep(leftMs)
      // The source may have asked for a pause meanwhile.
      if (this.isRunning() && !entry.isDropped && this.schedule.dueAt(entry) <= now()) await this.poll(entry)
    } finally {
      entry.isInFlight = false
    }
  }

  private async poll(entry: Entry): Promise<void> {
    const waiters = entry.waiters.splice(0)
    this.polls++
    this.lastPollAt = this.context.now()
    // A refresh needs fresh prices, so the request is unconditional.
    const validators = waiters.length > 0 ? null : entry.validators
    entry.isRenewed = false
    const answer = await this.client.get(entry.target.url, validators, this.ending.signal)
    if (!this.isRunning()) return this.settle(waiters, 'was stopped')
    if (entry.isDropped) return this.settle(waiters, 'is not polled any more')
    this.settle(waiters, await this.answers.process(entry, answer))
    if (this.isRunning()) this.wake()
  }

  private async watch(): Promise<void> {
    const { now } = this.context
    const againAt = this.watcher.look(now())
    const leftMs = Math.max(1, againAt - now())
    await pause(leftMs, undefined, { signal: this.ending.signal }).catch(() => {})
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.sleepers.delete(done)
        resolve()
      }
      const timer = setTimeout(done, Math.min(ms, SLEEP_MS_MAX))
      this.sleepers.add(done)
    })
  }

  private wake(): void {
    for (const done of [...this.sleepers]) done()
  }

  // --- refreshing ---

  private async pollNow(entries: readonly Entry[], untilAt: number): Promise<(string | undefined)[]> {
    const polled = Promise.all(entries.map((entry) => this.polledNow(entry, untilAt)))
    this.wake()
    return polled
  }

  private async polledNow(entry: Entry, untilAt: number): Promise<string | undefined> {
    const obstacle = this.isRunning() ? this.schedule.obstacle(entry, untilAt) : 'was stopped'
    if (obstacle !== undefined) return obstacle
    return new Promise((resolve) => {
      const waiter = (problem: string | undefined): void => {
        clearTimeout(timer)
        resolve(problem)
      }
      const timer = setTimeout(() => {
        entry.waiters = entry.waiters.filter((one) => one !== waiter)
        resolve(`${entry.target.key} was not answered in time`)
      }, untilAt - this.context.now())
      entry.waiters.push(waiter)
    })
  }

  private settle(waiters: readonly ((problem: string | undefined) => void)[], problem: string | undefined): void {
    for (const waiter of waiters) waiter(problem)
  }
}
