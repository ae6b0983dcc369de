// The Odds API (docs/feeds.md 5): the v4 answer in JSON, events > bookmakers > markets > outcomes.

import { isBookmakerSlug } from '../../domain/coverage.ts'
import type { Observation } from '../../domain/observation.ts'
import { isRecord } from '../../domain/record.ts'
import { parseDateTime } from '../../domain/time.ts'
import type { Normaliser, NormaliserOptions } from '../kit/normaliser.ts'
import { mayBeAmerican, type OddsFormat, OddsFormatJudge } from '../kit/odds-format.ts'
import { parseJson } from '../kit/json.ts'
import { isCleanText } from '../kit/text.ts'
import {
  americanBookIn,
  type JudgedOutcome,
  type RefusedOutcome,
  type SourceEvent,
  type SourceOutcome,
  type SourceOutcomes,
  mapEvent,
  decidesDraw,
} from './the-odds-api-mapping.ts'

/** The place of a part (`[3].bookmakers[0]`); formatted only where it is reported. */
type Place = string | (() => string)

const placeText = (place: Place): string => (typeof place === 'string' ? place : place())

const NONE: readonly unknown[] = []

/** Reads the parts of an answer; unreadable ones are reported with their place and skipped. */
class AnswerReader {
  private readonly options: NormaliserOptions
  private lastTime: unknown
  private lastAt = 0

  constructor(options: NormaliserOptions) {
    this.options = options
  }

  event(value: unknown, place: string): SourceEvent | undefined {
    if (!isRecord(value)) return this.malformed(place, 'must be an object')
    const id = this.text(value.id, place, 'id')
    if (id === undefined) return undefined
    if (id.trim() === '') return this.malformed(`${place}.id`, 'must not be empty')
    const sportKey = this.text(value.sport_key, place, 'sport_key')
    if (sportKey === undefined) return undefined
    const sportTitle = this.text(value.sport_title, place, 'sport_title')
    if (sportTitle === undefined) return undefined
    const home = this.text(value.home_team, place, 'home_team')
    if (home === undefined) return undefined
    const away = this.text(value.away_team, place, 'away_team')
    if (away === undefined) return undefined
    const kickoffAt = this.time(value.commence_time, place, 'commence_time')
    if (kickoffAt === undefined) return undefined
    return { id, sportKey, sportTitle, home, away, kickoffAt }
  }

  outcomes(event: Record<string, unknown>, eventPlace: string): SourceOutcomes {
    const outcomes: SourceOutcome[] = []
    const refused: RefusedOutcome[] = []
    const bookmakers = this.array(event.bookmakers, eventPlace, 'bookmakers')
    for (let at = 0; at < bookmakers.length; at++) {
      const bookmaker = this.record(bookmakers, at, eventPlace, 'bookmakers')
      if (bookmaker === undefined) continue
      const place = (): string => `${eventPlace}.bookmakers[${at}]`
      const slug = bookmaker.key
      if (typeof slug !== 'string' || !isBookmakerSlug(slug)) {
        this.malformed(`${place()}.key`, 'must be a bookmaker slug')
        continue
      }
      const bookmakerAt = this.time(bookmaker.last_update, place, 'last_update')
      if (bookmakerAt !== undefined) this.markets(bookmaker, slug, bookmakerAt, place, { outcomes, refused })
    }
    this.options.account.read += outcomes.length
    return { outcomes, refused }
  }

  private markets(
    bookmaker: Record<string, unknown>,
    slug: string,
    bookmakerAt: number | null,
    bookmakerPlace: Place,
    { outcomes, refused }: { readonly outcomes: SourceOutcome[]; readonly refused: RefusedOutcome[] },
  ): void {
    const markets = this.array(bookmaker.markets, bookmakerPlace, 'markets')
    for (let at = 0; at < markets.length; at++) {
      const market = this.record(markets, at, bookmakerPlace, 'markets')
      if (market === undefined) continue
      const place = (): string => `${placeText(bookmakerPlace)}.markets[${at}]`
      const key = this.text(market.key, place, 'key')
      if (key === undefined) continue
      const marketAt = this.time(market.last_update, place, 'last_update')
      if (marketAt === undefined) continue
      const observedAt = marketAt ?? bookmakerAt
      const list = this.array(market.outcomes, place, 'outcomes')
      for (let number = 0; number < list.length; number++) {
        const outcome = this.record(list, number, place, 'outcomes')
        const outcomePlace = (): string => `${place()}.outcomes[${number}]`
        const name = outcome === undefined ? undefined : this.text(outcome.name, outcomePlace, 'name')
        const price = name === undefined ? undefined : this.number(outcome!.price, outcomePlace, 'price')
        const point = price === undefined ? undefined : this.number(outcome!.point, outcomePlace, 'point')
        const description =
          point === undefined ? undefined : this.text(outcome!.description, outcomePlace, 'description')
        if (name !== undefined && price !== undefined && point !== undefined && description !== undefined) {
          outcomes.push({ bookmaker: slug, market: key, name, description, price, point, observedAt })
          continue
        }
        const said = outcome?.name
        const gone = { bookmaker: slug, market: key, name: typeof said === 'string' ? said : undefined }
        if (decidesDraw(gone)) refused.push(gone)
      }
    }
  }

  private malformed(place: string, reason: string): undefined {
    this.options.account.malformed++
    this.options.onMalformed(place, reason)
    return undefined
  }

  /** The entries of an array; none where there is no array. */
  private array(value: unknown, place: Place, field: string): readonly unknown[] {
    if (Array.isArray(value)) return value
    if (value !== undefined && value !== null) this.malformed(`${placeText(place)}.${field}`, 'must be an array')
    return NONE
  }

  private record(values: readonly unknown[], at: number, place: Place, field: string) {
    const value = values[at]
    return isRecord(value) ? value : this.malformed(`${placeText(place)}.${field}[${at}]`, 'must be an object')
  }

  /** A text; '' where there is none. */
  private text(value: unknown, place: Place, field: string): string | undefined {
    if (value === undefined || value === null) return ''
    if (typeof value !== 'string') return this.malformed(`${placeText(place)}.${field}`, 'must be a text')
    const { textLengthMax } = this.options.limits
    if (isCleanText(value, textLengthMax)) return value
    return this.malformed(
      `${placeText(place)}.${field}`,
      `must have at most ${textLengthMax} characters, none a control character`,
    )
  }

  /** Epoch ms; null where there is none. */
  private time(value: unknown, place: Place, field: string): number | null | undefined {
    if (value === undefined || value === null) return null
    // A market mostly has the time of its bookmaker.
    if (value === this.lastTime) return this.lastAt
    const at = typeof value === 'string' ? parseDateTime(value)?.epochMs : undefined
    if (at === undefined) return this.malformed(`${placeText(place)}.${field}`, 'must be an RFC 3339 date-time')
    this.lastTime = value
    this.lastAt = at
    return at
  }

  /** A number; null where there is none. */
  private number(value: unknown, place: Place, field: string): number | null | undefined {
    if (value === undefined || value === null) return null
    if (typeof value === 'number' && Number.isFinite(value)) return value
    return this.malformed(`${placeText(place)}.${field}`, 'must be a number')
  }
}

/**
 * Normalises an answer of The Odds API that has been parsed already: the array of `/odds`, or the one event of
 * `/events/{id}/odds`. Lazily, event by event.
 */
function* normaliseTheOddsApi(answer: unknown, format: OddsFormat, options: NormaliserOptions): Generator<Observation> {
  const reader = new AnswerReader(options)
  const events: unknown[] = Array.isArray(answer) ? answer : [answer]
  for (const [index, value] of events.entries()) {
    const place = Array.isArray(answer) ? `[${index}]` : 'event'
    const event = reader.event(value, place)
    if (event === undefined) continue
    yield* mapEvent(event, reader.outcomes(value as Record<string, unknown>, place), format, options)
  }
}

const listOf = (value: unknown, member: string): readonly unknown[] => {
  const list = isRecord(value) ? value[member] : undefined
  return Array.isArray(list) ? list : NONE
}

/** The format of all prices of an answer, readable or not, mapped or not. */
const judgeAnswer = (answer: unknown, judge: OddsFormatJudge): void => {
  const events: readonly unknown[] = Array.isArray(answer) ? answer : [answer]
  for (let at = 0; at < events.length; at++) {
    const event = events[at]
    const eventPlace = (): string => (Array.isArray(answer) ? `[${at}]` : 'event')
    if (isRecord(event)) judge.say(event.odds_format ?? event.oddsFormat, () => `${eventPlace()}.odds_format`)
    const bookmakers = listOf(event, 'bookmakers')
    for (let book = 0; book < bookmakers.length; book++) {
      const markets = listOf(bookmakers[book], 'markets')
      for (let market = 0; market < markets.length; market++) {
        const outcomes = listOf(markets[market], 'outcomes')
        let longshots = 0
        for (let number = 0; number < outcomes.length; number++) {
          const outcome = outcomes[number]
          const price = isRecord(outcome) ? outcome.price : undefined
          if (typeof price !== 'number' || judge.isKnown(price)) continue
          const place = `.bookmakers[${book}].markets[${market}].outcomes[${number}].price`
          judge.price(price, () => `${eventPlace()}${place}`)
          if (mayBeAmerican(price)) longshots++
        }
        if (longshots > 1 && judge.asksMarkets) {
          const { sport_key: sportKey, home_team: home, away_team: away } = event as Record<string, unknown>
          const { key } = markets[market] as Record<string, unknown>
          const listed = outcomes.filter((outcome) => isRecord(outcome)) as unknown as JudgedOutcome[]
          const prices = americanBookIn({ sportKey, home, away }, key, listed)
          const place = (): string => `${eventPlace()}.bookmakers[${book}].markets[${market}]`
          if (prices !== undefined) judge.americanBook(prices, place)
        }
      }
    }
  }
}

/**
 * The format `the-odds-api`: one document, the v4 answer. It does not name the format of its odds, unless a recorder
 * has added `odds_format` to its events: so all its prices are judged first.
 */
export const theOddsApiNormaliser = (options: NormaliserOptions): Normaliser => ({
  read: (text) => {
    const json = parseJson(text)
    if ('fault' in json) return json
    const { value: answer } = json
    if (Array.isArray(answer) || (isRecord(answer) && 'bookmakers' in answer)) {
      const judge = new OddsFormatJudge(options.facts.oddsFormat ?? null)
      judgeAnswer(answer, judge)
      const fault = judge.verdict
      return fault === undefined ? normaliseTheOddsApi(answer, judge.format, options) : { fault }
    }
    // An error of the API, {"message": …, "error_code": …}, ends here too.
    return { fault: 'is not an answer of The Odds API: it must be an array of events, or one event' }
  },
  end: () => [],
})
