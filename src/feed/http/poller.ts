// The loop of an HTTP source: a schedule of URLs, each polled again after its interval, at the host's pace, with pauses
// when the source asks for them or fails. What a source has to poll, and what its answers mean, its connector knows.

import { setMaxListeners } from 'node:events'
import { shown } from '../../normalise/text.ts'
import type { ConnectorContext } from '../connector.ts'
import { type HttpAnswer, HttpClient, type HttpFault, type SourceAccess, type Validators } from './http-client.ts'
import type { PollLimits } from './poll-limits.ts'
import type { Hold, PollTarget } from './poll-target.ts'
import { backOffMs, jittered, type Pace, type Paces } from './rate.ts'
import { saidIn, type Verdict, verdictOf, WORDS } from './verdict.ts'

export interface PollerOptions {
  readonly access: SourceAccess
  readonly limits: PollLimits
  /** Origin of the URLs. */
  readonly origin: string
  /** Texts that must not be told: keys, passwords. */
  readonly secrets: readonly string[]
  /** Sees every answer before it is judged. */
  readonly onAnswer?: (target: PollTarget, answer: HttpAnswer) => void
  /** Keeps a target from being polled before a time, epoch ms, and says why; undefined: nothing is against it. */
  readonly holdOf?: (target: PollTarget, nowAt: number) => Hold | undefined
}

interface Entry {
  target: PollTarget
  /** Epoch ms. */
  nextAt: number
  /** When it was last answered well; at first: when it came. */
  okAt: number
  failures: number
  validators: Validators | null
  isInFlight: boolean
  isDropped: boolean
  isStale: boolean
  /** Refreshes that want it polled now. */
  waiters: ((problem: string | undefined) => void)[]
}

/** No timer is set for longer: schedules and holds are looked at again. */
const SLEEP_MS_MAX = 60_000

/** First polls are spread over this much, or their interval where it is shorter. */
const START_MS = 1_000

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
  /** Problems that were told, by kind, with the target that had them: told again only when it was well in between. */
  private readonly told = new Map<string, string>()
  private workers: Promise<void>[] = []
  private heldUntil = 0
  private heldBecause = ''
  private failuresInRow = 0
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
    setMaxListeners(limits.concurrency + 1, this.ending.signal) // one for each request under way
    this.pace = paces.of(`${origin} ${access.proxy ?? ''}`, limits)
  }

  start(): void {
    const { limits } = this.options
    this.workers = Array.from({ length: limits.concurrency }, () => this.work())
  }

  /** Adds a target, or replaces the one of its key: the schedule goes on. */
  put(target: PollTarget): void {
    const { chance, now } = this.context
    const known = this.entries.get(target.key)
    if (known !== undefined) known.target = target
    else {
      const nowAt = now()
      const nextAt = nowAt + chance() * Math.min(START_MS, target.intervalMs(nowAt))
      this.entries.set(target.key, {
        target,
        nextAt,
        okAt: nowAt,
        failures: 0,
        validators: null,
        isInFlight: false,
        isDropped: false,
        isStale: false,
        waiters: [],
      })
      this.wake()
    }
  }

  has(key: string): boolean {
    return this.entries.has(key)
  }

  /** Polls a target no longer. An answer that is on its way is not taken. */
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
    await this.client?.close()
  }

  /**
   * Polls all lists, then some price URLs of each group, whatever their turn, and unconditionally. Pace and holds are kept.
   * Resolves when what was got is on the board; to a sentence when no price URL could be had.
   */
  async refresh(): Promise<string | undefined> {
    const { limits } = this.options
    const untilAt = this.context.now() + limits.refreshMsMax
    const lists = await this.pollNow(this.chosen('list', Number.POSITIVE_INFINITY), untilAt)
    const prices = await this.pollNow(this.chosen('prices', limits.refreshesPerGroup), untilAt)
    if (prices.includes(undefined)) return undefined
    const problem = [...prices, ...lists].find((one) => one !== undefined) ?? 'has nothing to poll now'
    return `${this.context.name} ${problem}`
  }

  facts(): Readonly<Record<string, string | number | null>> {
    const { polls, notModified, failures, lastStatus, lastPollAt } = this
    let nextPollAt: number | null = null
    if (this.isRunning()) {
      for (const entry of this.entries.values()) {
        const dueAt = this.dueAt(entry)
        if (nextPollAt === null || dueAt < nextPollAt) nextPollAt = dueAt
      }
    }
    return { urls: this.entries.size, polls, notModified, failures, lastStatus, lastPollAt, nextPollAt }
  }

  /** A text without what must not be told. */
  clean(text: string): string {
    let clean = text
    for (const secret of this.options.secrets) if (secret !== '') clean = clean.replaceAll(secret, '(secret)')
    return clean
  }

  /** Intervals have become shorter: nobody waits for longer than they now are. */
  hasten(): void {
    const nowAt = this.context.now()
    for (const entry of this.entries.values()) {
      entry.nextAt = Math.min(entry.nextAt, nowAt + entry.target.intervalMs(nowAt))
    }
    this.wake()
  }

  /** Tells a problem, unless it was told already of this kind. @param key of the target that has it */
  tellOnce(kind: string, key: string, message: string): void {
    if (this.told.has(kind)) return
    this.told.set(kind, key)
    this.context.tell('warn', this.clean(message))
  }

  /** Forgets the problems told of a key: the next one is told again. @returns whether there were any */
  well(key: string): boolean {
    let hadAny = false
    for (const [kind, teller] of this.told) {
      if (teller === key) hadAny = this.told.delete(kind) || hadAny
    }
    return hadAny
  }

  // --- the schedule ---

  private isRunning(): boolean {
    return this.client !== undefined && !this.ending.signal.aborted
  }

  private dueAt(entry: Entry): number {
    const { holdOf } = this.options
    const turnAt = entry.waiters.length > 0 ? 0 : entry.nextAt
    const untilAt = holdOf?.(entry.target, this.context.now())?.untilAt ?? 0
    return Math.max(turnAt, untilAt, this.heldUntil, this.pace.quietUntil)
  }

  /** The target that goes next: of those due the one most late, else the one due first. */
  private next(nowAt: number): { readonly entry: Entry; readonly dueAt: number } | undefined {
    let best: Entry | undefined
    let bestAt = Number.POSITIVE_INFINITY
    let bestScore = Number.NEGATIVE_INFINITY
    for (const entry of this.entries.values()) {
      if (entry.isInFlight) continue
      const dueAt = this.dueAt(entry)
      const lateMs = nowAt - dueAt
      const score = lateMs >= 0 ? (lateMs + 1) * entry.target.priority : lateMs
      if (score <= bestScore) continue
      best = entry
      bestAt = dueAt
      bestScore = score
    }
    return best === undefined ? undefined : { entry: best, dueAt: bestAt }
  }

  private async work(): Promise<void> {
    while (this.isRunning()) {
      const nowAt = this.context.now()
      const next = this.next(nowAt)
      if (next === undefined || next.dueAt > nowAt) {
        await this.sleep(next === undefined ? SLEEP_MS_MAX : next.dueAt - nowAt)
        continue
      }
      const { entry } = next
      entry.isInFlight = true
      const goAt = this.pace.reserve(nowAt)
      for (let leftMs = goAt - nowAt; leftMs > 0 && this.isRunning(); leftMs = goAt - this.context.now()) {
        await this.sleep(leftMs)
      }
      // The source may have asked for quiet meanwhile.
      if (this.isRunning() && !entry.isDropped && this.dueAt(entry) <= this.context.now()) await this.poll(entry)
      entry.isInFlight = false
    }
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
    // Whoever waits wants prices that were just fetched, not word that the old ones stand.
    const validators = waiters.length > 0 ? null : entry.validators
    const answer = await this.client!.get(entry.target.url, validators, this.ending.signal)
    if (!this.isRunning()) return this.settle(waiters, 'was stopped')
    if (entry.isDropped) return this.settle(waiters, 'is not polled any more')
    this.settle(waiters, await this.judge(entry, answer))
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
      const problem = await target.take(answer.text, receivedAt)
      if (problem !== undefined) return this.misread(entry, problem)
      entry.validators = answer.validators
      return this.succeed(entry)
    }
    if (verdict === 'unchanged') {
      this.notModified++
      await target.stands(receivedAt)
      return this.succeed(entry)
    }
    if (verdict === 'gone' && target.gone !== null) {
      this.drop(target.key)
      await target.gone(receivedAt)
      this.hear(target)
      return `${target.key} is not there any more`
    }
    const said = saidIn(answer.text)
    // Cleaned before it is cut: half a secret would not be found any more.
    const quoted = said === undefined ? '' : `: ${shown(this.clean(said))}`
    const why = `${WORDS[verdict]} (status ${answer.status}${quoted})`
    return this.fail(entry, verdict, `${target.key}: ${why}`, answer.retryAfterMs)
  }

  private succeed(entry: Entry): undefined {
    const { now, chance, tell } = this.context
    const nowAt = now()
    const { target } = entry
    entry.okAt = nowAt
    entry.failures = 0
    entry.isStale = false
    this.failuresInRow = 0
    entry.nextAt = nowAt + jittered(target.intervalMs(nowAt), this.options.limits.jitter, chance())
    this.hear(target)
    if (this.well(target.key)) tell('info', `${target.key}: answers again`)
  }

  /** Lists are signs of life only where there is nothing else: who gives lists but no prices is not well. */
  private hear(target: PollTarget): void {
    if (target.kind === 'prices' || !this.hasPrices()) this.context.hear()
  }

  private hasPrices(): boolean {
    for (const { target } of this.entries.values()) if (target.kind === 'prices') return true
    return false
  }

  private async fail(
    entry: Entry,
    verdict: Exclude<Verdict, 'taken' | 'unchanged'>,
    message: string,
    retryAfterMs: number | null,
  ): Promise<string> {
    const { now, chance } = this.context
    const { backOffMsMin, backOffMsMax, refusedMs, retryAfterMsMax } = this.options.limits
    const nowAt = now()
    this.failures++
    entry.failures++
    const problem = this.clean(message)
    if (verdict === 'wrong' || verdict === 'gone') entry.nextAt = nowAt + jittered(refusedMs, 0.5, chance())
    else if (verdict === 'refused') {
      this.hold(nowAt + jittered(refusedMs, 0.5, chance()), problem)
    } else if (retryAfterMs !== null) {
      // Not a moment earlier; and not all of those who were told the same at the same moment.
      const pauseMs = Math.min(retryAfterMs, retryAfterMsMax) + Math.round(chance() * backOffMsMin)
      this.pace.hold(nowAt + pauseMs)
      this.hold(nowAt + pauseMs, problem)
    } else {
      this.failuresInRow++
      entry.nextAt = nowAt + backOffMs(entry.failures, backOffMsMin, backOffMsMax, chance())
      this.hold(nowAt + backOffMs(this.failuresInRow, backOffMsMin, backOffMsMax, chance()), problem)
    }
    this.tellOnce(verdict, entry.target.key, problem)
    await this.letGo(entry, nowAt)
    return problem
  }

  /** An answer that cannot be read says nothing against the host: only this URL pauses. */
  private async misread(entry: Entry, reason: string): Promise<string> {
    const { account, onMalformed, now, chance } = this.context
    const { backOffMsMin, backOffMsMax } = this.options.limits
    const { key } = entry.target
    const problem = this.clean(`${key}: ${reason}`)
    const nowAt = now()
    this.failures++
    entry.failures++
    account.malformed++
    onMalformed(key, this.clean(reason))
    this.tellOnce('malformed', key, problem)
    const pauseMs = backOffMs(entry.failures, backOffMsMin, backOffMsMax, chance())
    entry.nextAt = nowAt + Math.max(pauseMs, jittered(entry.target.intervalMs(nowAt), 0.5, chance()))
    await this.letGo(entry, nowAt)
    return problem
  }

  private async letGo(entry: Entry, nowAt: number): Promise<void> {
    const { staleMs } = this.options.limits
    if (staleMs === null || entry.isStale || nowAt - entry.okAt < staleMs || entry.target.stale === null) return
    entry.isStale = true
    entry.validators = null // The next answer must bring everything back.
    await entry.target.stale(nowAt)
  }

  private hold(untilAt: number, because: string): void {
    if (untilAt < this.heldUntil) return
    this.heldUntil = untilAt
    this.heldBecause = because
  }

  // --- refreshing ---

  private chosen(kind: PollTarget['kind'], perGroup: number): Entry[] {
    const counts = new Map<string, number>()
    const chosen: Entry[] = []
    for (const entry of this.entries.values()) {
      const { group } = entry.target
      const count = counts.get(group) ?? 0
      if (entry.target.kind !== kind || count >= perGroup) continue
      counts.set(group, count + 1)
      chosen.push(entry)
    }
    return chosen
  }

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
