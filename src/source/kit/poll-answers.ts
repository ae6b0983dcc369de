// What an answer means: the connector gets what it can use; after a failure the target, the source or its host pauses.

import type { ConnectorContext } from './connector.ts'
import type { HttpAnswer, HttpFault } from './http-client.ts'
import { type Entry, suspectStale } from './poll-entry.ts'
import { type PollLimits, staleMsOf } from './poll-limits.ts'
import type { PollSchedule } from './poll-schedule.ts'
import type { PollTarget } from './poll-target.ts'
import type { Problems } from './problems.ts'
import { backOffMs, jittered, type Pace } from './rate.ts'
import { shown } from './text.ts'
import { saidIn, type Verdict, verdictOf, WORDS } from './verdict.ts'

export interface PollAnswersParts {
  readonly context: ConnectorContext
  readonly limits: PollLimits
  readonly schedule: PollSchedule
  readonly problems: Problems
  /** Of the host. */
  readonly pace: Pace
  /** Gets every answer before it is judged. */
  readonly onAnswer: (target: PollTarget, answer: HttpAnswer) => void
}

/** Refused credentials in a row, usually of several URLs, after which the whole source pauses. */
const REFUSALS_MAX = 3

const isFault = (answer: HttpAnswer | HttpFault): answer is HttpFault => 'fault' in answer

export class PollAnswers {
  /** A target has had a good answer. */
  hasAnswered = false
  notModified = 0
  failures = 0
  lastStatus: number | null = null
  private readonly parts: PollAnswersParts
  private failuresInRow = 0
  private refusalsInRow = 0

  constructor(parts: PollAnswersParts) {
    this.parts = parts
  }

  /** Processes an answer and schedules the next poll. Resolves to the problem; undefined: none. */
  async process(entry: Entry, answer: HttpAnswer | HttpFault): Promise<string | undefined> {
    const { okAt } = entry
    try {
      return await this.judge(entry, answer)
    } catch (error) {
      // It is unknown what became of it.
      entry.validators = null
      entry.okAt = okAt
      return this.pauseAlone(entry, 'thrown', `${entry.target.key}: ${(error as Error).message}`)
    }
  }

  private async judge(entry: Entry, answer: HttpAnswer | HttpFault): Promise<string | undefined> {
    const { context, problems, onAnswer } = this.parts
    const { target } = entry
    const receivedAt = context.now()
    if (isFault(answer)) return this.fail(entry, 'failed', `${target.key}: ${answer.fault}`, null)
    this.lastStatus = answer.status
    onAnswer(target, answer)
    // Its quotes have our times: without this nobody would know that the clock is behind.
    context.ahead?.(Date.parse(answer.header('date') ?? ''))
    const verdict = verdictOf(answer)
    if (verdict === 'ok') {
      const result = await target.read(answer.text, receivedAt, () => this.hear(entry, receivedAt))
      if (typeof result === 'string') return this.misread(entry, result)
      entry.validators = result && !entry.isRenewed ? answer.validators : null
      return this.succeed(entry, receivedAt)
    }
    if (verdict === 'unchanged') {
      this.notModified++
      entry.okAt = receivedAt
      if ((await target.unchanged?.(receivedAt)) === false) entry.validators = null
      return this.succeed(entry, receivedAt)
    }
    const said = saidIn(answer.text)
    // Cleaned before it is truncated: a partial secret would not be found.
    const quoted = said === undefined ? '' : `: ${shown(problems.clean(said))}`
    const problem = `${target.key}: ${WORDS[verdict]} (status ${answer.status}${quoted})`
    if (verdict === 'gone' && target.gone !== undefined) return this.miss(entry, problem, receivedAt)
    return this.fail(entry, verdict, problem, answer.retryAfterMs)
  }

  /**
   * A good answer is a sign of life before its prices are on the board, which may take seconds: meanwhile neither the
   * target nor the source counts as silent.
   */
  private hear(entry: Entry, receivedAt: number): void {
    const { context, schedule } = this.parts
    entry.okAt = receivedAt
    // Lists are signs of life only if there is nothing else: a source with lists but no prices has a fault.
    if (entry.target.kind === 'prices' || !schedule.hasPrices()) context.alive()
  }

  private succeed(entry: Entry, receivedAt: number): undefined {
    const { context, schedule, problems } = this.parts
    const { target } = entry
    this.hasAnswered = true
    entry.hasAnswered = true
    entry.isSettled = true
    entry.goneAt = null
    entry.failures = 0
    entry.isStale = false
    this.failuresInRow = 0
    this.refusalsInRow = 0
    schedule.putOff(entry)
    entry.plannedAt = entry.nextAt
    this.hear(entry, receivedAt)
    if (problems.well(target.key)) context.log('info', `${target.key}: answers again`)
  }

  /** A 404 is no sign of life: the event may be over, or the host misconfigured. */
  private async miss(entry: Entry, problem: string, receivedAt: number): Promise<string> {
    const { limits, schedule, problems } = this.parts
    const { target } = entry
    entry.goneAt ??= receivedAt
    entry.isSettled = true
    await target.gone!(receivedAt, entry.goneAt)
    if (entry.isDropped) return problem
    // Nothing to log while it may just be over: that is known when the others were polled.
    const isStrange = receivedAt - entry.goneAt >= staleMsOf(target.intervalMs(receivedAt), limits)
    if (isStrange) this.pauseAlone(entry, 'gone', problem)
    else schedule.putOff(entry)
    suspectStale(entry, receivedAt)
    return problems.clean(problem)
  }

  private fail(
    entry: Entry,
    verdict: Exclude<Verdict, 'ok' | 'unchanged'>,
    message: string,
    retryAfterMs: number | null,
  ): string {
    const { context, schedule, problems, pace } = this.parts
    const { now, chance } = context
    const { backOffMsMin, backOffMsMax, refusedMs, retryAfterMsMax } = this.parts.limits
    const nowAt = now()
    this.failures++
    entry.failures++
    const problem = problems.clean(message)
    if (verdict === 'wrong' || verdict === 'gone' || verdict === 'refused') entry.isSettled = true
    if (verdict === 'wrong' || verdict === 'gone') entry.nextAt = nowAt + jittered(refusedMs, 0.5, chance())
    else if (verdict === 'refused') {
      // A target that was answered before is asked again soon; for any other only an operator can fix the credentials.
      const backOffOf = (refusals: number): number =>
        backOffMsMin + backOffMs(refusals, backOffMsMin, refusedMs - backOffMsMin, chance())
      entry.nextAt = nowAt + (entry.hasAnswered ? backOffOf(entry.failures) : jittered(refusedMs, 0.5, chance()))
      // A refused URL says nothing of the others, so they are polled, but with growing pauses when they are refused as
      // well: more requests may cost the account.
      const beyond = ++this.refusalsInRow - Math.min(REFUSALS_MAX, schedule.entries.size)
      if (beyond >= 0) schedule.pause(nowAt + backOffOf(beyond + 1), problem)
    } else {
      this.failuresInRow++
      const pauseMs = backOffMs(this.failuresInRow, backOffMsMin, backOffMsMax, chance())
      if (verdict !== 'slow_down' && retryAfterMs === null) {
        entry.nextAt = nowAt + backOffMs(entry.failures, backOffMsMin, backOffMsMax, chance())
        schedule.pause(nowAt + pauseMs, problem)
      } else {
        // Not earlier than asked for; later when "at once" was asked for repeatedly; with jitter, so that sources that
        // got the same answer at the same time spread out.
        const askedMs = Math.min(retryAfterMs ?? 0, retryAfterMsMax) + Math.round(chance() * backOffMsMin)
        const untilAt = nowAt + Math.max(askedMs, pauseMs)
        schedule.putOff(entry)
        entry.nextAt = Math.max(entry.nextAt, untilAt)
        pace.hold(untilAt)
        schedule.pause(untilAt, problem)
      }
    }
    problems.logOnce(verdict, entry.target.key, problem)
    return problem
  }

  /** An unreadable answer says nothing against the host: only this URL pauses. */
  private misread(entry: Entry, reason: string): string {
    const { account, onMalformed } = this.parts.context
    const { key } = entry.target
    account.malformed++
    entry.isSettled = true
    onMalformed(key, this.parts.problems.clean(reason))
    return this.pauseAlone(entry, 'malformed', `${key}: ${reason}`)
  }

  private pauseAlone(entry: Entry, kind: string, message: string): string {
    const { context, limits, schedule, problems } = this.parts
    const problem = problems.clean(message)
    this.failures++
    entry.failures++
    problems.logOnce(kind, entry.target.key, problem)
    schedule.putOff(entry, 0.5)
    const pauseMs = backOffMs(entry.failures, limits.backOffMsMin, limits.backOffMsMax, context.chance())
    entry.nextAt = Math.max(entry.nextAt, context.now() + pauseMs)
    return problem
  }
}
