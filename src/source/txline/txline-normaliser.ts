// TxLINE (docs/feeds.md 11): a document with the rows of a fixture, {InRunning, Pct, Prices, Ts}, each the full-match
// 1X2 at one time. It is a consensus without margin, not the offer of a bookmaker, and it has no status.

import type { EventSighting, Fixture, Observation, Price } from '../../domain/observation.ts'
import { isRecord } from '../../domain/record.ts'
import { isEpochMs } from '../../domain/time.ts'
import type { Normaliser, NormaliserOptions } from '../kit/normaliser.ts'
import { parseJson } from '../kit/json.ts'
import { isCleanText } from '../kit/text.ts'
import { TXLINE_FIXTURES } from './txline-fixtures.ts'

const SOURCE = 'txline'

/** Order of `Prices`: part1, draw, part2. */
const LABELS = ['home', 'draw', 'away'] as const

const FULL_MATCH_1X2 = '1X2_PARTICIPANT_RESULT'

const PRICE_SCALE = 1_000

const isGiven = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * The market of a row that is not the full-match 1X2: shortened recordings name no market; the documented record does,
 * and its 1X2 of a half differs by the period alone.
 */
const otherMarketOf = ({
  SuperOddsType: type,
  MarketPeriod: period,
  MarketParameters: line,
}: Row): string | undefined => {
  if ((type === undefined || type === FULL_MATCH_1X2) && !isGiven(period) && !isGiven(line)) return undefined
  return [type ?? FULL_MATCH_1X2, period, line].filter(isGiven).join(' ')
}

interface Row extends Record<string, unknown> {
  readonly Prices: readonly (number | null)[]
  readonly Ts: number
}

/** Why a row cannot be read. */
const faultOf = (row: unknown): string | undefined => {
  if (!isRecord(row)) return 'must be an object'
  if (!isEpochMs(row.Ts)) return 'must have a time in ms, before the year 10000, as Ts'
  const { Prices: prices } = row
  if (!Array.isArray(prices)) return 'must have an array of Prices'
  for (const price of prices as unknown[]) {
    if (price !== null && typeof price !== 'number') return 'must have numbers as Prices'
  }
  return undefined
}

class RowsReader {
  private readonly options: NormaliserOptions
  private readonly fileFixtureId: string
  private fixtureId = ''
  private event: EventSighting | undefined

  constructor(options: NormaliserOptions) {
    this.options = options
    this.fileFixtureId = /^\d+/.exec(options.facts.fileName())?.[0] ?? ''
  }

  *observations(rows: readonly unknown[]): Generator<Observation> {
    const { account, facts, transport: fed, onMalformed } = this.options
    const bookmaker = facts.bookmaker ?? SOURCE
    const transport = fed ?? 'rest'
    for (let index = 0; index < rows.length; index++) {
      const fault = faultOf(rows[index]) ?? this.switchTo((rows[index] as Row).FixtureId)
      if (fault !== undefined) {
        account.malformed++
        onMalformed(`[${index}]`, fault)
        continue
      }
      const row = rows[index] as Row
      const prices = this.prices(row)
      if (this.event === undefined || prices.length === 0) continue
      yield { bookmaker, transport, observedAt: row.Ts, event: this.event, prices, others: 'keep' }
    }
  }

  /** Moves to the event of a row, which is mostly that of the row before. Returns why it cannot be read. */
  private switchTo(id: unknown): string | undefined {
    const fixtureId = id === undefined || id === null ? this.fileFixtureId : String(id as string | number)
    if (fixtureId === this.fixtureId) return undefined
    const isId = id === undefined || id === null || typeof id === 'number' || typeof id === 'string'
    if (!isId || !isCleanText(fixtureId, this.options.limits.textLengthMax))
      return 'must have a text or number as FixtureId'
    this.fixtureId = fixtureId
    const fixture: Fixture | undefined = this.options.facts.fixtureOf(fixtureId) ?? TXLINE_FIXTURES.get(fixtureId)
    this.event = fixture === undefined ? undefined : { ...fixture, sourceKey: `${SOURCE}:${fixtureId}` }
    const { missingNames } = this.options.account
    if (fixture === undefined) missingNames.miss('event', fixtureId === '' ? 'no id' : fixtureId)
    return undefined
  }

  private prices(row: Row): Price[] {
    const { account } = this.options
    const { Prices: values } = row
    account.read += values.length
    account.sport = 'football'
    const other = otherMarketOf(row)
    const market = other ?? '1X2'
    if (this.event === undefined) account.count(market, 'event', values.length)
    else if (other !== undefined || values.length !== LABELS.length) account.count(market, 'market', values.length)
    else {
      const prices: Price[] = []
      for (let place = 0; place < LABELS.length; place++) {
        const value = values[place]!
        if (value === null || value === 0) account.count(market, 'no_price')
        else if (value <= PRICE_SCALE || !Number.isFinite(value)) account.count(market, 'bad_price')
        else {
          const odds = value / PRICE_SCALE
          prices.push({ type: 'match_result_1x2', line: null, outcome: LABELS[place]!, odds, status: 'open' })
        }
      }
      if (prices.length > 0) account.count(market, 'match_result_1x2', prices.length)
      return prices
    }
    return []
  }
}

/**
 * The format `txline`: one document, the array of a fixture's rows, or one row. The fixture is the row's own `FixtureId`,
 * else the leading digits of the file's name; without names for it every outcome is `event`.
 */
export const txlineNormaliser = (options: NormaliserOptions): Normaliser => ({
  read: (text) => {
    const json = parseJson(text)
    if ('fault' in json) return json
    const { value: rows } = json
    if (Array.isArray(rows)) return new RowsReader(options).observations(rows)
    if (isRecord(rows) && 'Prices' in rows) return new RowsReader(options).observations([rows])
    return { fault: 'is no list of TxLINE: it must be an array of rows, or one row' }
  },
  end: () => [],
})
