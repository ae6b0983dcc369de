// Polls Cloudbet (docs/feeds.md 14, 16): one URL a competition, which has all its live and upcoming events.

import type { ConnectorContext } from '../kit/connector.ts'
import { secretsOf, type SourceAccess } from '../kit/http-client.ts'
import { urlOf } from '../kit/path-template.ts'
import type { PollLimits } from '../kit/poll-limits.ts'
import { Poller } from '../kit/poller.ts'
import { Paces } from '../kit/rate.ts'
import { Reading, type ReadingOptions } from '../kit/reading.ts'
import { cloudbetNormaliser } from './cloudbet-normaliser.ts'

export interface CloudbetOptions extends ReadingOptions {
  readonly access: SourceAccess
  readonly limits: PollLimits
  /** `https://sports-api.cloudbet.com/pub/v2/odds/`. */
  readonly baseUrl: string
  readonly competitions: readonly CloudbetCompetition[]
}

export interface CloudbetCompetition {
  /** Cloudbet's key, unique: `soccer-england-premier-league`. */
  readonly key: string
  /** Market keys that are asked for: without any, the answer may have no markets at all. */
  readonly markets: readonly string[]
  readonly intervalMs: number
  /** While one of its events is live. */
  readonly liveIntervalMs: number
}

/** Found without parsing the large answer a second time. */
const LIVE = /"status"\s*:\s*"TRADING_LIVE"/

export class CloudbetPoller extends Poller {
  private readonly competitions: number

  /** @param paces of all sources of the process: two may poll the same host */
  constructor(options: CloudbetOptions, context: ConnectorContext, paces: Paces = new Paces()) {
    const { access, limits, baseUrl, competitions } = options
    super({ access, limits, origin: new URL(baseUrl).origin, secrets: secretsOf(access) }, context, paces)
    this.competitions = competitions.length
    for (const { key, markets, intervalMs, liveIntervalMs } of competitions) {
      const url = urlOf(baseUrl, 'competitions/{key}', { key })
      for (const market of markets) url.searchParams.append('markets', market)
      const reading = new Reading(cloudbetNormaliser, options, context, (text) => this.problems.clean(text))
      const producer = context.producer(key)
      let isLive = false
      this.put({
        key,
        url,
        kind: 'prices',
        group: key,
        intervalMs: () => (isLive ? liveIntervalMs : intervalMs),
        read: async (text, receivedAt, onReadable) => {
          const result = await reading.read(producer, text, receivedAt, true, onReadable)
          if (typeof result !== 'string') isLive = LIVE.test(text)
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
    return { ...super.facts(), competitions: this.competitions }
  }
}
