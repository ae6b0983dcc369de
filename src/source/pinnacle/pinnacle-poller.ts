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
      // Prices that arrived before the first names: the source does not repeat unchanged ones.
      let early: { readonly text: string; readonly at: number } | undefined
      let hasNames = false
      this.put({
        key: `${name} matchups`,
        url: urlOf(baseUrl, matchups),
        kind: 'list',
        group: name,
        intervalMs: () => matchupsIntervalMs,
        // A matchup that is missing says nothing about its markets.
        read: async (text, receivedAt) => {
          const result = await reading.read(producer, text, receivedAt, false)
          if (typeof result === 'string') return result
          hasNames = true
          if (early !== undefined) await reading.read(producer, early.text, early.at, isComplete)
          early = undefined
          return result
        },
      })
      this.put({
        key: `${name} straight`,
        url: urlOf(baseUrl, straight),
        kind: 'prices',
        group: name,
        intervalMs: () => straightIntervalMs,
        read: async (text, receivedAt) => {
          const result = await reading.read(producer, text, receivedAt, isComplete)
          early = typeof result !== 'string' && !hasNames ? { text, at: receivedAt } : undefined
          return result
        },
        unchanged: async (receivedAt) => {
          await reading.confirm(producer, receivedAt)
          return true
        },
        stale: () => producer.suspect('gap'),
      })
    }
    this.start()
  }

  override facts(): Readonly<Record<string, string | number | null>> {
    return { ...super.facts(), groups: this.groups }
  }
}
