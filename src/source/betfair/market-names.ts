// Names of markets: the stream gives its runners and events by ids only, and the exchange's catalogue
// (listMarketCatalogue of the Betting API) has the names. It is asked for a batch at a time, beside the stream.

import type { MarketNames } from './betfair-market.ts'
import { isPassing, post } from './https-post.ts'
import { isRecord } from '../../domain/record.ts'

export interface CatalogueOptions {
  /** `https://api.betfair.com/exchange/betting/rest/v1.0/listMarketCatalogue/`, or of another country. */
  readonly url: string
  readonly appKey: string
  readonly token: string
  /** Certificates (PEM) to trust instead of the public authorities. */
  readonly ca: string | undefined
  readonly openMsMax: number
  readonly signal: AbortSignal
}

export interface CatalogueFault {
  readonly fault: string
  /** The token is no longer accepted. */
  readonly isSessionOver: boolean
}

/** Markets of one request. The answer may have 1,000 (with the data that is asked for), but a shorter one is enough. */
export const MARKETS_A_REQUEST = 100

const ANSWER_BYTES_MAX = 8 * 1024 * 1024

const readNames = (market: unknown): readonly [marketId: string, names: MarketNames] | undefined => {
  if (!isRecord(market) || typeof market.marketId !== 'string' || !isRecord(market.event)) return undefined
  const { name } = market.event
  if (typeof name !== 'string' || !Array.isArray(market.runners)) return undefined
  const runners = new Map<number, string>()
  for (const runner of market.runners) {
    if (!isRecord(runner)) continue
    const { selectionId, runnerName } = runner
    if (typeof selectionId === 'number' && typeof runnerName === 'string') runners.set(selectionId, runnerName)
  }
  return [market.marketId, { eventName: name, runners }]
}

/** Asks for names; markets that the catalogue does not have (closed ones) are missing from the answer. */
export const askNames = async (
  marketIds: readonly string[],
  options: CatalogueOptions,
): Promise<ReadonlyMap<string, MarketNames> | CatalogueFault> => {
  const { url, appKey, token, ca, openMsMax, signal } = options
  const answer = await post({
    url,
    headers: { 'X-Application': appKey, 'X-Authentication': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      filter: { marketIds },
      marketProjection: ['EVENT', 'RUNNER_DESCRIPTION'],
      maxResults: marketIds.length,
    }),
    ca,
    certificate: null,
    openMsMax,
    answerBytesMax: ANSWER_BYTES_MAX,
    signal,
  })
  const failed = (fault: string, isSessionOver = false): CatalogueFault => ({
    fault: `names of markets are not available: ${fault}`,
    isSessionOver,
  })
  if ('fault' in answer) return failed(answer.fault)
  const { statusCode, body } = answer
  if (statusCode !== 200) {
    const isSessionOver = !isPassing(statusCode) && /"(?:INVALID_SESSION_INFORMATION|NO_SESSION)"/.test(body)
    return failed(isSessionOver ? 'the session has expired' : `HTTP ${statusCode}`, isSessionOver)
  }
  try {
    const markets: unknown = JSON.parse(body)
    if (!Array.isArray(markets)) return failed('the answer is no list')
    return new Map(markets.map(readNames).filter((named) => named !== undefined))
  } catch {
    return failed('the answer is not JSON')
  }
}
