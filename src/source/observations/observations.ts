// Our own format (docs/live-protocol.md 7): one observation as a JSON object; the body of a SEND, and a line of an
// `observations` file. Strict: skipping a misspelt `status` would leave a price open. So an unknown field is refused
// like a wrong one, and one fault refuses the whole observation.

import { isUtf8 } from 'node:buffer'
import { isBookmakerSlug } from '../../domain/coverage.ts'
import { MARKET_TYPE_NUMBER, MARKET_TYPES, type MarketType } from '../../domain/market.ts'
import type { EventSighting, Observation, Others, Price } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { type Refusal, isRefusal, refuse } from '../../domain/refusal.ts'
import type { FedTransport } from '../../domain/transport.ts'
import { parseDateTime } from '../../domain/time.ts'
import type { Normaliser, NormaliserLimits, NormaliserOptions } from '../kit/normaliser.ts'
import { parseJson } from '../kit/json.ts'
import { shown } from '../kit/text.ts'
import { type Field, fieldsUnder } from './observation-fields.ts'

/** A JSON object; its fields may have any value. */
type Json = { readonly [name: string]: unknown }

/** `field`: its place in the observation, as in `quotes[2].odds`. */
const fault = (field: string, allowed: string): Refusal => refuse('validation_failed', `${field} ${allowed}`, field)

const objectOf = (value: unknown, field: string, names: ReadonlySet<string>, within: string): Json | Refusal => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fault(field, 'must be an object')
  for (const name of Object.keys(value)) {
    if (!names.has(name)) {
      const place = `${within}${/^\w{1,40}$/.test(name) ? name : shown(name)}`
      return fault(place, `is not known: ${field} has ${[...names].join(', ')}`)
    }
  }
  return value as Json
}

const timeOf = (value: unknown): number | undefined =>
  typeof value === 'string' ? parseDateTime(value)?.epochMs : undefined

const A_TIME = 'must be an RFC 3339 date-time with an offset'

/** Reads the `event` of an observation of `bookmaker` from parsed JSON; refusals as in {@link readObservation}. */
export const readEvent = (value: unknown, bookmaker: string, limits: NormaliserLimits): EventSighting | Refusal => {
  const { event, league } = fieldsUnder(limits)
  const fields = objectOf(value, 'event', event.names, 'event.')
  if (isRefusal(fields)) return fields
  const { sport, home, away, sourceId = null } = fields
  if (!event.sport.holds(sport)) return fault('event.sport', event.sport.allowed)
  const named = objectOf(fields.league, 'event.league', league.names, 'event.league.')
  if (isRefusal(named)) return named
  const { key: leagueKey, name: leagueName } = named
  if (!league.key.holds(leagueKey)) return fault('event.league.key', league.key.allowed)
  if (!league.name.holds(leagueName)) return fault('event.league.name', league.name.allowed)
  if (!event.home.holds(home)) return fault('event.home', event.home.allowed)
  if (!event.away.holds(away)) return fault('event.away', event.away.allowed)
  if (away === home) return fault('event.away', 'must differ from event.home')
  const kickoffAt = timeOf(fields.kickoffAt)
  if (kickoffAt === undefined) return fault('event.kickoffAt', A_TIME)
  if (!event.sourceId.holds(sourceId)) return fault('event.sourceId', event.sourceId.allowed)
  const sourceKey = sourceId === null ? null : `${bookmaker}:${sourceId}`
  return { sport, leagueKey, leagueName, home, away, kickoffAt, sourceKey }
}

/** Reads one of the `quotes` from parsed JSON; `place` is its name in a refusal (`quotes[2]`). */
export const readPrice = (value: unknown, place: string, limits: NormaliserLimits): Price | Refusal => {
  const { quote } = fieldsUnder(limits)
  const fields = objectOf(value, place, quote.names, `${place}.`)
  if (isRefusal(fields)) return fields
  const { type, line = null, outcome, odds = null, status = 'open' } = fields
  if (!quote.type.holds(type)) return fault(`${place}.type`, quote.type.allowed)
  if (!quote.line.holds(line)) return fault(`${place}.line`, quote.line.allowed)
  if (!quote.outcome.holds(outcome)) return fault(`${place}.outcome`, quote.outcome.allowed)
  if (!quote.status.holds(status)) return fault(`${place}.status`, quote.status.allowed)
  if (odds === null && status === 'open') {
    return fault(`${place}.odds`, `${quote.odds.allowed} where the status is open`)
  }
  if (!quote.odds.holds(odds)) return fault(`${place}.odds`, quote.odds.allowed)
  // Our own text of the type: V8 compares that by its place alone.
  const ownType = MARKET_TYPES[MARKET_TYPE_NUMBER.get(type)!]!
  return { type: ownType, line: line === null ? null : line + 0, outcome, odds, status } // -0 is 0
}

/** The identity of a price within an observation. */
export const keyOf = ({ type, line, outcome }: Pick<Price, 'type' | 'line' | 'outcome'>): string =>
  `${type} ${line} ${outcome}`

const readPrices = (value: unknown, limits: NormaliserLimits): Price[] | Refusal => {
  if (!Array.isArray(value) || value.length > limits.pricesMax) {
    return fault('quotes', `must be an array of at most ${limits.pricesMax} quotes`)
  }
  const prices: Price[] = []
  const places = new Map<string, number>()
  for (let index = 0; index < value.length; index++) {
    const price = readPrice(value[index], `quotes[${index}]`, limits)
    if ('refused' in price) return price
    const key = keyOf(price)
    const before = places.get(key)
    if (before !== undefined) return fault(`quotes[${index}]`, `repeats quotes[${before}]: one type, line and outcome`)
    places.set(key, index)
    prices.push(price)
  }
  return prices
}

const readOthers = (complete: unknown, others: unknown, field: Field<Others>): Others | Refusal => {
  if (typeof complete !== 'boolean') return fault('complete', 'must be true or false')
  if (others !== undefined && !field.holds(others)) return fault('others', field.allowed)
  if (!complete) return others ?? 'keep'
  if (others !== undefined && others !== 'closed') {
    return fault('others', 'must be closed or left out where complete is true')
  }
  return 'closed'
}

/**
 * Reads one observation from parsed JSON (docs/live-protocol.md 7).
 * @param bookmaker of its destination or file; null where the observation must name its `bookmaker` itself. An
 * observation that names another one is refused.
 * @returns a refusal `validation_failed` that names the field and what is allowed there
 */
export const readObservation = (
  value: unknown,
  bookmaker: string | null,
  limits: NormaliserLimits,
): Observation | Refusal => {
  const { observation } = fieldsUnder(limits)
  const fields = objectOf(value, 'observation', observation.names, '')
  if (isRefusal(fields)) return fields
  const { bookmaker: named = bookmaker, transport, complete = false } = fields
  if (typeof named !== 'string' || !isBookmakerSlug(named)) {
    return fault('bookmaker', 'must be lower-case letters, digits, _ . - (64 at most)')
  }
  if (bookmaker !== null && named !== bookmaker) return fault('bookmaker', `must be ${bookmaker} or left out here`)
  if (!observation.transport.holds(transport)) return fault('transport', observation.transport.allowed)
  const observedAt = timeOf(fields.observedAt)
  if (observedAt === undefined) return fault('observedAt', A_TIME)
  const event = readEvent(fields.event, named, limits)
  if (isRefusal(event)) return event
  const prices = readPrices(fields.quotes, limits)
  if (isRefusal(prices)) return prices
  const others = readOthers(complete, fields.others, observation.others)
  if (typeof others !== 'string') return others
  return { bookmaker: named, transport, observedAt, event, prices, others }
}

/**
 * Reads one observation from its text: the body of a SEND, or a line of a file. Parameters as in {@link
 * readObservation}.
 */
export const parseObservation = (
  text: string,
  bookmaker: string | null,
  limits: NormaliserLimits,
): Observation | Refusal => {
  const json = parseJson(text)
  return 'fault' in json ? fault('observation', json.fault) : readObservation(json.value, bookmaker, limits)
}

/**
 * The same from the bytes of the text. Bytes that are not UTF-8 are refused: read as U+FFFD they would record a name
 * that the source never wrote.
 */
export const parseObservationBytes = (
  bytes: Buffer,
  bookmaker: string | null,
  limits: NormaliserLimits,
): Observation | Refusal =>
  isUtf8(bytes) ? parseObservation(bytes.toString('utf8'), bookmaker, limits) : fault('observation', 'is not UTF-8')

/** An observation in our own format, ready for `JSON.stringify`. */
export interface WireObservation {
  readonly bookmaker: string
  readonly transport: FedTransport
  readonly observedAt: string
  readonly event: {
    readonly sport: string
    readonly league: { readonly key: string; readonly name: string }
    readonly home: string
    readonly away: string
    readonly kickoffAt: string
    readonly sourceId: string | null
  }
  readonly quotes: readonly {
    readonly type: MarketType
    readonly line: number | null
    readonly outcome: string
    readonly odds: number | null
    readonly status: QuoteStatus
  }[]
  readonly others: Others
}

/**
 * Writes an observation in our own format, which {@link readObservation} reads as the same observation, with two
 * exceptions. A `sourceKey` of another source than the bookmaker itself is written whole, as the bookmaker's own id: so
 * ids of different sources cannot be confused. Of a price given twice only the later one is written, the one that would
 * win.
 */
export const wireObservation = (observation: Observation): WireObservation => {
  const { bookmaker, transport, observedAt, event, prices, others } = observation
  const own = `${bookmaker}:`
  const { sourceKey } = event
  const latest = new Map(prices.map((price) => [keyOf(price), price]))
  return {
    bookmaker,
    transport,
    observedAt: new Date(observedAt).toISOString(),
    event: {
      sport: event.sport,
      league: { key: event.leagueKey, name: event.leagueName },
      home: event.home,
      away: event.away,
      kickoffAt: new Date(event.kickoffAt).toISOString(),
      sourceId: sourceKey?.startsWith(own) ? sourceKey.slice(own.length) : sourceKey,
    },
    quotes: Array.from(latest.values(), ({ type, line, outcome, odds, status }) => ({
      type,
      line,
      outcome,
      odds,
      status,
    })),
    others,
  }
}

/** The format `observations`: one observation a line, each with its `bookmaker`. */
export const observationsNormaliser = (options: NormaliserOptions): Normaliser => ({
  read: (line, lineNumber) => {
    const { account, limits, transport } = options
    const observation = parseObservation(line, null, limits)
    if (isRefusal(observation)) {
      account.malformed++
      options.onMalformed(`line ${lineNumber}`, observation.message)
      return []
    }
    account.read += observation.prices.length
    account.sport = observation.event.sport
    for (const { type } of observation.prices) account.count(type, type)
    return [transport === null ? observation : { ...observation, transport }]
  },
  end: () => [],
})
