// Polls Pinnacle (docs/feeds.md 7, 14): two calls for each league or sport, matchups and straight markets.

import { pinnacleNormaliser } from './pinnacle-normaliser.ts'
import type { ConnectorContext } from '../kit/connector.ts'
import { secretsOf, type SourceAccess } from '../kit/http-client.ts'
import { urlOf } from '../kit/path-template.ts'
import type { PollLimits } from '../kit/poll-limits.ts'
import { Poller } from '../kit/poller.ts'
import { Paces } from '../kit/rate.ts'
import { Reading, type ReadingOptions } from '../kit/reading.ts'

export interface PinnacleOptions extends ReadingOptions {
  readonly access: SourceAccess
  readonly limits: PollLimits
  /** `https://HOST/0.1/`. */
  readonly baseUrl: string
  readonly groups: readonly PinnacleGroup[]
  /** Names, leagues and kickoffs rarely change. */
  readonly matchupsIntervalMs: number
  readonly straightIntervalMs: number
}

/** A league or a sport. */
export interface PinnacleGroup {
  /** Unique, for messages. */
  readonly name: string
  /** Path below the base: `leagues/2117/matchups`. */
  readonly matchups: string
  /** `leagues/2117/markets/straight`. */
  readonly straight: string
  /** Whether a market that is missing from an answer is over; false for a path that omits some. */
  readonly isComplete: boolean
}

export class PinnaclePoller extends Poller {
  private readonly groups: number

  /** @param paces of all sources of the process: two may poll the same host */
  constructor(options: PinnacleOptions, context: ConnectorContext, paces: Paces = new Paces()) {
    const { access, limits, baseUrl, groups, matchupsIntervalMs, straightIntervalMs } = options
    super({ access, limits, origin: new URL(baseUrl).origin, secrets: secretsOf(access) }, context, paces)
    this.groups = groups.length
    for (const { name, matchups, straight, isComplete } of groups) {
      const reading = new Reading(pinnacleNormaliser, options, context, (text) => this.problems.clean(text))
      const producer = context.producer(name)
      const [names, prices] = [`${name} matchups`, `${name} straight`]
      // A price needs both answers: whether betting is on hold is in matchups, and prices that matchups name later are
      // of an earlier answer.
      const doubtBy = (key: string) => () => (this.isStale(key) ? 'gap' : undefined)
      const stale = (): void => producer.suspect('gap')
      this.put({
        key: names,
        url: urlOf(baseUrl, matchups),
        kind: 'list',
        group: name,
        // Until it is answered again no price of the group is open.
        intervalMs: () => (this.isStale(names) ? Math.min(straightIntervalMs, matchupsIntervalMs) : matchupsIntervalMs),
        // A matchup that is missing says nothing about its markets.
        read: async (text, receivedAt) => {
          const result = await reading.read(producer, text, receivedAt, false, undefined, doubtBy(prices))
          // Prices that could not be mapped, or were on hold, may be open now, and a 304 would not repeat them.
          if (typeof result !== 'string') this.renew(prices)
          return result
        },
        stale,
      })
      this.put({
        key: prices,
        url: urlOf(baseUrl, straight),
        kind: 'prices',
        group: name,
        intervalMs: () => straightIntervalMs,
        read: (text, receivedAt, onReadable) =>
          reading.read(producer, text, receivedAt, isComplete, onReadable, doubtBy(names)),
        unchanged: async (receivedAt) => {
          await reading.confirm(producer, receivedAt, doubtBy(names))
          return true
        },
        stale,
      })
    }
    this.start()
  }

  override facts(): Readonly<Record<string, string | number | null>> {
    return { ...super.facts(), groups: this.groups }
  }
}
