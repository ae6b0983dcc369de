// The loop of an HTTP source: a schedule of URLs, each polled again after its interval, at the host's pace, with pauses
// when the source asks for them or fails. The connector knows what to poll and what the answers mean.

import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { shown } from './text.ts'
import type { ConnectorContext } from './connector.ts'
import { type HttpAnswer, HttpClient, type HttpFault, type SourceAccess } from './http-client.ts'
import { type Entry, newEntry, someOfEach } from './poll-entry.ts'
import { type PollLimits, staleMsOf } from './poll-limits.ts'
import type { Hold, PollTarget } from './poll-target.ts'
import { PollWatch } from './poll-watch.ts'
import { Problems } from './problems.ts'
import { backOffMs, jittered, type Pace, type Paces } from './rate.ts'
import { saidIn, type Verdict, verdictOf, WORDS } from './verdict.ts'

export interface PollerOptions {
  readonly access: SourceAccess
  readonly limits: PollLimits
  readonly origin: string
  /** Texts that must not be logged: keys, passwords. */
  readonly secrets: readonly string[]
  /** Gets every answer before it is judged. */
  readonly onAnswer?: (target: PollTarget, answer: HttpAnswer) => void
  /** Holds a target back until a time, epoch ms, with the reason; undefined: it may be polled. */
  readonly holdOf?: (target: PollTarget, nowAt: number) => Hold | undefined
}

/** The longest timer: schedules and holds are checked again after it. */
const SLEEP_MS_MAX = 60_000

/** A target that is held for longer is not part of the first round. */
const HELD_MS = 60_000

/** Refused credentials in a row, usually of several URLs, after which the whole source pauses. */
const REFUSALS_MAX = 3

/** First polls are spread over this time, or over their interval where it is shorter. */
const START_MS = 1_000

/** When a target is due, without holds and pauses. */
const turnAtOf = ({ waiters, nextAt }: Entry): number => (waiters.length > 0 ? 0 : nextAt)

const isFault = (answer: HttpAnswer | HttpFault): answer is HttpFault => 'fault' in answer

/** Polls from {@link Poller.start} to {@link Poller.stop}. */
export class Poller {
  private readonly context: ConnectorContext
  private readonly options: PollerOptions
  private readonly client: HttpClient
  private readonly pace: Pace
  private readonly entries = new Map<string, Entry>()
  private readonly ending = new AbortController()
  private readonly sleepers = new Set<() => void>()
  private readonly problems: Problems
  private readonly watcher: PollWatch
  private workers: Promise<void>[] = []
  private heldUntil = 0
  private heldBecause = ''
  /** A target has had a good answer. */
  private hasAnswered = false
  private failuresInRow = 0
  private refusalsInRow = 0
  private polls = 0
  private notModified = 0
  private failures = 0
  private lastStatus: number | null = null
  private lastPollAt: number | null = null

  constructor(options: PollerOptions, context: ConnectorContext, paces: Paces) {
    this.options = options
    this.context = context
    const { access, limits, origin } = options
    this.client = new HttpClient(access, limits, limits.concurrency, context.now)
    setMaxListeners(limits.concurrency + 2, this.ending.signal) // one for each request under way, one for the watch
    this.problems = new Problems((message) => context.tell('warn', message))
    this.watcher = new PollWatch({
      limits,
      entries: this.entries,
      problems: this.problems,
      now: context.now,
      behindMs: (entry, nowAt) => this.behindMs(entry, nowAt),
      suspect: (entry, nowAt) => this.suspect(entry, nowAt),
    })
    this.pace = paces.of(`${origin} ${access.proxy ?? ''}`, limits, context.now())
  }

  start(): void {
    const { concurrency } = this.options.limits
    this.workers = Array.from({ length: concurrency }, (_, index) =>
      this.keepOn(`worker ${index + 1}`, () => this.work()),
    )
    this.workers.push(this.keepOn('watch', () => this.watch()))
  }

  /** Adds a target, or replaces the one with its key and keeps its schedule. */
  put(target: PollTarget): void {
    const { chance, now } = this.context
    const known = this.entries.get(target.key)
    if (known !== undefined) known.target = target
    else {
      const nowAt = now()
      const nextAt = nowAt + chance() * Math.min(START_MS, target.intervalMs(nowAt))
      this.entries.set(target.key, newEntry(target, nowAt, nextAt))
      this.wake()
    }
  }

  has(key: string): boolean {
    return this.entries.has(key)
  }

  /** Removes a target. An answer that is on its way is ignored. */
  drop(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    entry.isDropped = true
    this.entries.delete(key)
    this.well(key)
    this.settle(entry.waiters.splice(0), 'is not polled any more')
  }

  /** Aborts what is under way. Resolves when nothing is open. */
  async stop(): Promise<void> {
    this.ending.abort()
    for (const { waiters } of this.entries.values()) this.settle(waiters.splice(0), 'was stopped')
    this.wake()
    await Promise.all(this.workers)
    this.pace.leave(this.options.limits)
    await this.client.close()
  }

  /**
   * Whether the first round is done: one target has had a good answer, and the outcome of every other one is known. A
   * target that fails counts as known when its quotes would be stale.
   */
  get hasDelivered(): boolean {
    if (!this.hasAnswered) return false
    const nowAt = this.context.now()
    for (const entry of this.entries.values()) {
      if (entry.isSettled || entry.isStale) continue
      // Not part of this round: out of credits.
      const untilAt = this.options.holdOf?.(entry.target, nowAt)?.untilAt ?? 0
      if (untilAt - nowAt < HELD_MS) return false
    }
    return true
  }

  /**
   * Polls all lists, then some price URLs of each group, at once and unconditionally. Pace and holds are kept. Resolves
   * when the answers are on the board; to a sentence when no price URL was available.
   */
  async refresh(): Promise<string | undefined> {
    const { limits } = this.options
    const untilAt = this.context.now() + limits.refreshMsMax
    const lists = await this.pollNow(someOfEach('list', this.entries.values(), Number.POSITIVE_INFINITY), untilAt)
    const prices = await this.pollNow(someOfEach('prices', this.entries.values(), limits.refreshesPerGroup), untilAt)
    if (prices.includes(undefined)) return undefined
    const problem = [...prices, ...lists].find((one) => one !== undefined) ?? 'has nothing to poll now'
    return `${this.context.name} ${problem}`
  }

  facts(): Readonly<Record<string, string | number | null>> {
    const { polls, notModified, failures, lastStatus, lastPollAt } = this
    const nowAt = this.context.now()
    let nextPollAt: number | null = null
    let behindMs = 0
    if (this.isRunning()) {
      for (const entry of this.entries.values()) {
        const dueAt = this.dueAt(entry)
        if (nextPollAt === null || dueAt < nextPollAt) nextPollAt = dueAt
        behindMs = Math.max(behindMs, this.behindMs(entry, nowAt))
      }
    }
    return { urls: this.entries.size, polls, notModified, failures, lastStatus, lastPollAt, nextPollAt, behindMs }
  }

  /** What is wrong with any of its targets, even if the others work; null: nothing. */
  trouble(): string | null {
    return this.problems.text
  }

  /** A text without the secrets. */
  clean(text: string): string {
    let clean = text
    for (const secret of this.options.secrets) if (secret !== '') clean = clean.replaceAll(secret, '(secret)')
    return clean
  }

  /** Intervals have become shorter, or pauses are over: no target waits for longer than an interval from now. */
  hasten(): void {
    const nowAt = this.context.now()
    for (const entry of this.entries.values()) {
      entry.nextAt = Math.min(entry.nextAt, nowAt + entry.target.intervalMs(nowAt))
    }
    this.wake()
  }

  /**
   * Logs a problem, unless one of this kind was logged already.
   * @param key of the target that has it; it stays until that one works, or is dropped
   */
  tellOnce(kind: string, key: string, message: string): void {
    this.problems.tellOnce(kind, key, this.clean(message))
  }

  /** The problems of a key are over: the next one is logged again. @returns whether any was logged */
  well(key: string): boolean {
    return this.problems.well(key)
  }

  // --- the schedule ---

  private isRunning(): boolean {
    return !this.ending.signal.aborted
  }

  private dueAt(entry: Entry): number {
    return this.freeAt(entry, turnAtOf(entry))
  }

  /** When a target that is due at a time may be polled. */
  private freeAt({ target }: Entry, turnAt: number): number {
    const untilAt = this.options.holdOf?.(target, this.context.now())?.untilAt ?? 0
    return Math.max(turnAt, untilAt, this.heldUntil, this.pace.quietUntil)
  }

  /** How late a target is polled, ms, without holds and pauses. */
  private behindMs(entry: Entry, nowAt: number): number {
    return Math.max(0, nowAt - this.freeAt(entry, entry.nextAt))
  }

  /** The next target: of those due the one with the best score, else the one due first. */
  private next(nowAt: number): { readonly entry: Entry; readonly dueAt: number } | undefined {
    let best: Entry | undefined
    let bestAt = Number.POSITIVE_INFINITY
    let bestScore = Number.NEGATIVE_INFINITY
    for (const entry of this.entries.values()) {
      if (entry.isInFlight) continue
      const dueAt = this.dueAt(entry)
      // A pause of the source makes all of them due at its end: the one that has waited longest goes first, else the
      // first in the schedule would be polled every time.
      const score = nowAt >= dueAt ? (nowAt - turnAtOf(entry) + 1) * entry.target.priority : nowAt - dueAt
      if (score <= bestScore) continue
      best = entry
      bestAt = dueAt
      bestScore = score
    }
    return best === undefined ? undefined : { entry: best, dueAt: bestAt }
  }

  /** Repeats a step. A step that throws is logged and repeated after a pause, so the process continues. */
  private async keepOn(key: string, step: () => Promise<void>): Promise<void> {
    const { backOffMsMin, backOffMsMax } = this.options.limits
    let faults = 0
    while (this.isRunning()) {
      try {
        await step()
        if (faults > 0) this.well(key)
        faults = 0
      } catch (error) {
        faults++
        this.tellOnce(key, key, `${key}: ${(error as Error).message}`)
        await this.sleep(backOffMsMin + backOffMs(faults, backOffMsMin, backOffMsMax, this.context.chance()))
      }
    }
  }

  private async work(): Promise<void> {
    const nowAt = this.context.now()
    const next = this.next(nowAt)
    if (next === undefined || next.dueAt > nowAt) {
      return this.sleep(next === undefined ? SLEEP_MS_MAX : next.dueAt - nowAt)
    }
    const { entry } = next
    entry.isInFlight = true
    try {
      const goAt = this.pace.reserve(nowAt)
      for (let leftMs = goAt - nowAt; leftMs > 0 && this.isRunning(); leftMs = goAt - this.context.now()) {
        await this.sleep(leftMs)
      }
      // The source may have asked for a pause meanwhile.
      if (this.isRunning() && !entry.isDropped && this.dueAt(entry) <= this.context.now()) await this.poll(entry)
    } finally {
      entry.isInFlight = false
    }
  }

  private async watch(): Promise<void> {
    const againAt = this.watcher.look()
    const leftMs = Math.max(1, againAt - this.context.now())
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

  // --- one poll ---

  private async poll(entry: Entry): Promise<void> {
    const waiters = entry.waiters.splice(0)
    const { now } = this.context
    this.polls++
    this.lastPollAt = now()
    // A refresh needs fresh prices, so the request is unconditional.
    const validators = waiters.length > 0 ? null : entry.validators
    const answer = await this.client.get(entry.target.url, validators, this.ending.signal)
    if (!this.isRunning()) return this.settle(waiters, 'was stopped')
    if (entry.isDropped) return this.settle(waiters, 'is not polled any more')
    let problem: string | undefined
    try {
      problem = await this.judge(entry, answer)
    } catch (error) {
      entry.validators = null // it is unknown what became of it
      problem = this.pauseAlone(entry, 'thrown', `${entry.target.key}: ${(error as Error).message}`)
    }
    this.settle(waiters, problem)
    if (this.isRunning()) this.wake()
  }

  private async judge(entry: Entry, answer: HttpAnswer | HttpFault): Promise<string | undefined> {
    const { target } = entry
    const receivedAt = this.context.now()
    if (isFault(answer)) return this.fail(entry, 'failed', `${target.key}: ${answer.fault}`, null)
    this.lastStatus = answer.status
    this.options.onAnswer?.(target, answer)
    const verdict = verdictOf(answer)
    if (verdict === 'taken') {
      const taken = await target.take(answer.text, receivedAt)
      if (typeof taken === 'string') return this.misread(entry, taken)
      entry.validators = taken ? answer.validators : null
      return this.succeed(entry, receivedAt)
    }
    if (verdict === 'unchanged') {
      this.notModified++
      if (!(await target.stands(receivedAt))) entry.validators = null
      return this.succeed(entry, receivedAt)
    }
    const said = saidIn(answer.text)
    // Cleaned before it is truncated: a partial secret would not be found.
    const quoted = said === undefined ? '' : `: ${shown(this.clean(said))}`
    const problem = `${target.key}: ${WORDS[verdict]} (status ${answer.status}${quoted})`
    if (verdict === 'gone' && target.gone !== null) return this.miss(entry, problem, receivedAt)
    return this.fail(entry, verdict, problem, answer.retryAfterMs)
  }

  private succeed(entry: Entry, receivedAt: number): undefined {
    const { hear, tell } = this.context
    const { target } = entry
    this.hasAnswered = true
    entry.hasAnswered = true
    entry.isSettled = true
    entry.okAt = receivedAt
    entry.goneAt = null
    entry.failures = 0
    entry.isStale = false
    this.failuresInRow = 0
    this.refusalsInRow = 0
    this.putOff(entry)
    entry.plannedAt = entry.nextAt
    // Lists are signs of life only if there is nothing else: a source with lists but no prices has a fault.
    if (target.kind === 'prices' || !this.hasPrices()) hear()
    if (this.well(target.key)) tell('info', `${target.key}: answers again`)
  }

  private hasPrices(): boolean {
    for (const { target } of this.entries.values()) if (target.kind === 'prices') return true
    return false
  }

  /** A 404 is no sign of life: the event may be over, or the host misconfigured. */
  private async miss(entry: Entry, problem: string, receivedAt: number): Promise<string> {
    const { target } = entry
    entry.goneAt ??= receivedAt
    entry.isSettled = true
    await target.gone!(receivedAt, entry.goneAt)
    if (entry.isDropped) return problem
    // Nothing to log while it may just be over: that is known when the others were polled.
    const isStrange = receivedAt - entry.goneAt >= staleMsOf(target.intervalMs(receivedAt), this.options.limits)
    if (isStrange) this.pauseAlone(entry, 'gone', problem)
    else this.putOff(entry)
    this.suspect(entry, receivedAt)
    return this.clean(problem)
  }

  private fail(
    entry: Entry,
    verdict: Exclude<Verdict, 'taken' | 'unchanged'>,
    message: string,
    retryAfterMs: number | null,
  ): string {
    const { now, chance } = this.context
    const { backOffMsMin, backOffMsMax, refusedMs, retryAfterMsMax } = this.options.limits
    const nowAt = now()
    this.failures++
    entry.failures++
    const problem = this.clean(message)
    if (verdict === 'wrong' || verdict === 'gone' || verdict === 'refused') entry.isSettled = true
    if (verdict === 'wrong' || verdict === 'gone') entry.nextAt = nowAt + jittered(refusedMs, 0.5, chance())
    else if (verdict === 'refused') {
      // A target that was answered before is asked again soon; for any other only an operator can fix the credentials.
      const backOffOf = (refusals: number): number =>
        backOffMsMin + backOffMs(refusals, backOffMsMin, refusedMs - backOffMsMin, chance())
      entry.nextAt = nowAt + (entry.hasAnswered ? backOffOf(entry.failures) : jittered(refusedMs, 0.5, chance()))
      // A refused URL says nothing of the others, so they are polled, but with growing pauses when they are refused as
      // well: more requests may cost the account.
      const beyond = ++this.refusalsInRow - Math.min(REFUSALS_MAX, this.entries.size)
      if (beyond >= 0) this.hold(nowAt + backOffOf(beyond + 1), problem)
    } else {
      this.failuresInRow++
      const pauseMs = backOffMs(this.failuresInRow, backOffMsMin, backOffMsMax, chance())
      if (verdict !== 'slow_down' && retryAfterMs === null) {
        entry.nextAt = nowAt + backOffMs(entry.failures, backOffMsMin, backOffMsMax, chance())
        this.hold(nowAt + pauseMs, problem)
      } else {
        // Not earlier than asked for; later when "at once" was asked for repeatedly; with jitter, so that sources that
        // got the same answer at the same time spread out.
        const askedMs = Math.min(retryAfterMs ?? 0, retryAfterMsMax) + Math.round(chance() * backOffMsMin)
        const untilAt = nowAt + Math.max(askedMs, pauseMs)
        this.putOff(entry)
        entry.nextAt = Math.max(entry.nextAt, untilAt)
        this.pace.hold(untilAt)
        this.hold(untilAt, problem)
      }
    }
    this.tellOnce(verdict, entry.target.key, problem)
    return problem
  }

  /** An unreadable answer says nothing against the host: only this URL pauses. */
  private misread(entry: Entry, reason: string): string {
    const { account, onMalformed } = this.context
    const { key } = entry.target
    account.malformed++
    entry.isSettled = true
    onMalformed(key, this.clean(reason))
    return this.pauseAlone(entry, 'malformed', `${key}: ${reason}`)
  }

  private pauseAlone(entry: Entry, kind: string, message: string): string {
    const { now, chance } = this.context
    const { backOffMsMin, backOffMsMax } = this.options.limits
    const problem = this.clean(message)
    this.failures++
    entry.failures++
    this.tellOnce(kind, entry.target.key, problem)
    this.putOff(entry, 0.5)
    const pauseMs = backOffMs(entry.failures, backOffMsMin, backOffMsMax, chance())
    entry.nextAt = Math.max(entry.nextAt, now() + pauseMs)
    return problem
  }

  /** Schedules its next poll an interval from now. */
  private putOff(entry: Entry, jitter = this.options.limits.jitter): void {
    const { now, chance } = this.context
    const nowAt = now()
    entry.nextAt = nowAt + jittered(entry.target.intervalMs(nowAt), jitter, chance())
  }

  private suspect(entry: Entry, nowAt: number): void {
    const { stale } = entry.target
    if (entry.isStale || stale === null) return
    entry.isStale = true
    stale(nowAt)
  }

  private hold(untilAt: number, because: string): void {
    if (untilAt < this.heldUntil) return
    this.heldUntil = untilAt
    this.heldBecause = because
  }

  // --- refreshing ---

  private async pollNow(entries: readonly Entry[], untilAt: number): Promise<(string | undefined)[]> {
    const polled = Promise.all(entries.map((entry) => this.polledNow(entry, untilAt)))
    this.wake()
    return polled
  }

  private polledNow(entry: Entry, untilAt: number): Promise<string | undefined> {
    const nowAt = this.context.now()
    const hold = this.options.holdOf?.(entry.target, nowAt)
    if (hold !== undefined && hold.untilAt > untilAt) return Promise.resolve(hold.reason)
    if (!this.isRunning()) return Promise.resolve('was stopped')
    if (Math.max(this.heldUntil, this.pace.quietUntil) > untilAt) {
      return Promise.resolve(this.heldUntil > untilAt ? this.heldBecause : 'its host asks for fewer requests')
    }
    return new Promise((resolve) => {
      const waiter = (problem: string | undefined): void => {
        clearTimeout(timer)
        resolve(problem)
      }
      const timer = setTimeout(() => {
        entry.waiters = entry.waiters.filter((one) => one !== waiter)
        resolve(`${entry.target.key} was not answered in time`)
      }, untilAt - nowAt)
      entry.waiters.push(waiter)
    })
  }

  private settle(waiters: readonly ((problem: string | undefined) => void)[], problem: string | undefined): void {
    for (const waiter of waiters) waiter(problem)
  }
}
