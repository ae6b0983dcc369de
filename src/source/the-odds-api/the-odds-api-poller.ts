// Polls The Odds API (docs/feeds.md 5, 14; the-odds-api.com/liveapi/guides/v4): one URL a sport, paid with credits.

import type { Normaliser } from '../kit/normaliser.ts'
import { theOddsApiNormaliser } from './the-odds-api-normaliser.ts'
import type { ConnectorContext } from '../kit/connector.ts'
import { type CreditLimits, Credits, type Spender } from './credits.ts'
import { type HttpAnswer, secretsOf, type SourceAccess } from '../kit/http-client.ts'
import { urlOf } from '../kit/path-template.ts'
import type { PollLimits } from '../kit/poll-limits.ts'
import type { Hold, PollTarget } from '../kit/poll-target.ts'
import { Poller } from '../kit/poller.ts'
import { Paces } from '../kit/rate.ts'
import { Reading, type ReadingOptions } from '../kit/reading.ts'

export interface TheOddsApiOptions extends ReadingOptions {
  readonly access: SourceAccess
  /** `concurrency` is not used: one request at a time keeps the count of credits exact. */
  readonly limits: PollLimits
  /** `https://api.the-odds-api.com/`. */
  readonly baseUrl: string
  /** The secret. */
  readonly apiKey: string
  /** By the API's keys (`soccer_epl`). */
  readonly sports: readonly {
    readonly key: string
    readonly intervalMs: number
    /** When credits are short: twice the priority is polled twice as often. */
    readonly priority: number
  }[]
  /** `h2h`, `spreads`, `totals`, … */
  readonly markets: readonly string[]
  /** `uk`, `eu`, …; not used if `bookmakers` are given. */
  readonly regions: readonly string[]
  /** The API's keys of the books wanted; empty: all of the regions. Ten of them cost as much as a region. */
  readonly bookmakers: readonly string[]
  readonly credits: CreditLimits
  /** How often the credits are requested, which is free, ms. */
  readonly creditsIntervalMs: number
}

const CREDITS = 'credits'

/** Key of the problem; not the key of a target, whose next good answer would clear it. */
const SHORTAGE = 'shortage'

const BOOKMAKERS_PER_REGION = 10

/** How soon to check again for the first answer about the credits. */
const FIRST_WORD_MS = 1_000

/** A refresh costs credits: one poll of each sport. */
export class TheOddsApiPoller extends Poller {
  private readonly options: TheOddsApiOptions
  private readonly credits: Credits
  private readonly spenders: ReadonlyMap<string, Spender>
  /** Before the first answer the credits are unknown. */
  private isAnswered = false
  private isStretched = false

  /** @param paces of all sources of the process: two may poll the same host */
  constructor(options: TheOddsApiOptions, context: ConnectorContext, paces: Paces = new Paces()) {
    const { access, apiKey, baseUrl, markets, regions, bookmakers, sports } = options
    const secrets = [apiKey, encodeURIComponent(apiKey), ...secretsOf(access)]
    super(
      { access, limits: { ...options.limits, concurrency: 1 }, origin: new URL(baseUrl).origin, secrets },
      context,
      paces,
    )
    this.options = options
    const regionsPaid = bookmakers.length > 0 ? Math.ceil(bookmakers.length / BOOKMAKERS_PER_REGION) : regions.length
    const cost = Math.max(1, markets.length * regionsPaid)
    this.spenders = new Map(sports.map((sport) => [sport.key, { ...sport, cost }]))
    this.credits = new Credits(options.credits, [...this.spenders.values()], context.now())
    this.put(this.creditsTarget())
    const reading = new Reading(theOddsApiNormaliser, options, context, (text) => this.problems.clean(text))
    for (const spender of this.spenders.values()) this.put(this.sportTarget(spender, reading))
    this.start()
  }

  override facts(): Readonly<Record<string, string | number | null>> {
    const { remaining, used, last, resetAt } = this.credits
    return {
      ...super.facts(),
      sports: this.spenders.size,
      credits: remaining,
      creditsUsed: used,
      creditsLast: last,
      creditsReserve: this.options.credits.reserve,
      creditsResetAt: resetAt,
      stretch: Math.round(this.credits.stretch(this.context.now()) * 100) / 100,
    }
  }

  private url(path: string, query: Readonly<Record<string, string>>): URL {
    const url = urlOf(this.options.baseUrl, path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    url.searchParams.set('apiKey', this.options.apiKey)
    return url
  }

  /** The list of sports is free, and its headers report the credits, also those of a new month or a larger plan. */
  private creditsTarget(): PollTarget {
    return {
      key: CREDITS,
      url: this.url('v4/sports', {}),
      kind: 'list',
      group: CREDITS,
      intervalMs: () => this.options.creditsIntervalMs,
      read: async () => true,
    }
  }

  private sportTarget(spender: Spender, reading: Reading<Normaliser>): PollTarget {
    const { markets, regions, bookmakers } = this.options
    const books: Readonly<Record<string, string>> =
      bookmakers.length > 0 ? { bookmakers: bookmakers.join(',') } : { regions: regions.join(',') }
    const { key, priority } = spender
    const producer = this.context.producer(key)
    return {
      key,
      url: this.url(`v4/sports/${encodeURIComponent(key)}/odds`, {
        ...books,
        markets: markets.join(','),
        oddsFormat: 'decimal',
        dateFormat: 'iso',
      }),
      kind: 'prices',
      group: key,
      priority,
      intervalMs: (nowAt) => this.credits.intervalMs(spender, nowAt),
      read: (text, receivedAt, onReadable) => reading.read(producer, text, receivedAt, false, onReadable),
      unchanged: async () => {
        await producer.confirm(0) // its quotes have their own times, and age by them
        return true
      },
    }
  }

  protected override onAnswer({ key }: PollTarget, { status, text, header }: HttpAnswer): void {
    this.isAnswered = true
    const nowAt = this.context.now()
    if (this.credits.read(key, header, nowAt)) this.resume()
    if (status === 401 && text.includes('OUT_OF_USAGE_CREDITS')) this.credits.exhaust()
    const isShort = [...this.spenders.values()].every((spender) => !this.credits.affords(spender, nowAt))
    if (isShort) return this.problems.logOnce(SHORTAGE, SHORTAGE, this.shortage())
    if (this.problems.well(SHORTAGE)) this.context.log('info', `has ${this.credits.remaining} credits: polled again`)
    if (this.credits.remaining !== null) this.stretched(this.credits.stretch(nowAt))
  }

  private stretched(stretch: number): void {
    if (stretch > 1 && !this.isStretched) {
      const times = `up to ${stretch.toFixed(1)} times`
      this.context.log('info', `polls are ${times} further apart than configured, so that the credits last`)
    }
    this.isStretched = stretch > 1
  }

  protected override holdOf({ key }: PollTarget, nowAt: number): Hold | undefined {
    const spender = this.spenders.get(key)
    if (spender === undefined) return undefined
    if (!this.isAnswered) return { untilAt: nowAt + FIRST_WORD_MS, reason: 'its credits are not known yet' }
    if (this.credits.affords(spender, nowAt)) return undefined
    return { untilAt: this.credits.resetAt, reason: this.shortage() }
  }

  private shortage(): string {
    const { remaining, resetAt } = this.credits
    const until = new Date(resetAt).toISOString()
    return `has ${remaining} credits left, of which ${this.options.credits.reserve} are reserved: not polled before ${until}`
  }
}
