// The Odds API (FEEDS 5): the v4 answer in JSON, and recordings of it in CSV, one row an outcome. Both become the same
// rows and are mapped by the same code.

import { isBookmakerSlug } from '../domain/coverage.ts'
import type { MarketType } from '../domain/market.ts'
import type { EventSighting, Observation, Price } from '../domain/observation.ts'
import { isRecord } from '../domain/record.ts'
import { parseDateTime } from '../domain/time.ts'
import { splitCsvLine } from './csv.ts'
import { leagueKeyOf } from './league.ts'
import { handicapTypeOf, homeLine, moneylineTypeOf, totalTypeOf } from './market.ts'
import type { FormatFault, Normaliser, NormaliserOptions } from './normaliser.ts'
import { slugOf } from './slug.ts'
import { sportOfTheOddsApi } from './sport.ts'
import { decimalOf, isCleanText, shown } from './text.ts'

const SOURCE = 'the-odds-api'

type MarketKind = 'moneyline' | 'handicap' | 'total' | 'outright' | 'btts' | 'lay'

/** Every market key that is not here is unmapped. */
const MARKET_KINDS: ReadonlyMap<string, MarketKind> = new Map([
  ['h2h', 'moneyline'],
  ['h2h_3_way', 'moneyline'],
  ['spreads', 'handicap'],
  ['alternate_spreads', 'handicap'],
  ['totals', 'total'],
  ['alternate_totals', 'total'],
  ['outrights', 'outright'],
  ['btts', 'btts'],
  ['h2h_lay', 'lay'],
  ['outrights_lay', 'lay'],
])

const DRAW = 'Draw'

const TOTAL_LABELS: ReadonlyMap<string, string> = new Map([
  ['Over', 'over'],
  ['Under', 'under'],
])

const BTTS_LABELS: ReadonlyMap<string, string> = new Map([
  ['Yes', 'yes'],
  ['No', 'no'],
])

/** An event in the source's words. */
interface SourceEvent {
  readonly id: string
  readonly sportKey: string
  readonly sportTitle: string
  readonly home: string
  readonly away: string
  /** Epoch ms; null when the source gives none. */
  readonly kickoffAt: number | null
}

/** An outcome in the source's words. */
interface SourceOutcome {
  readonly bookmaker: string
  readonly market: string
  readonly name: string
  readonly price: number | null
  readonly point: number | null
  /** Epoch ms; null when the source gives none. */
  readonly observedAt: number | null
}

interface Mapped {
  readonly type: MarketType
  readonly line: number | null
  readonly outcome: string
}

interface Group {
  readonly bookmaker: string
  readonly observedAt: number
  readonly prices: Price[]
}

const sportPrefixOf = (sportKey: string): string => /^[^_]*/.exec(sportKey)![0]

/** The event as observations name it, or the reason why its outcomes cannot be mapped. */
const sightEvent = (event: SourceEvent): EventSighting | 'event' | 'sport' => {
  const { sportKey, kickoffAt } = event
  const isOutright = event.home === '' && event.away === ''
  const home = isOutright ? event.sportTitle : event.home
  // With one name missing, or both sides of one name, nobody can tell what a price is for.
  if (home.trim() === '' || home === event.away || (event.away.trim() === '' && !isOutright)) return 'event'
  if (sportKey === '' || kickoffAt === null) return 'event'
  const prefix = sportPrefixOf(sportKey)
  const sport = sportOfTheOddsApi(prefix)
  if (sport === undefined) return 'sport'
  const leagueKey = leagueKeyOf(sportKey.slice(prefix.length), sport)
  return {
    sport,
    leagueKey,
    leagueName: event.sportTitle.trim() === '' ? leagueKey : event.sportTitle,
    home,
    away: event.away,
    kickoffAt,
    sourceKey: `${SOURCE}:${event.id.trim()}`,
  }
}

const sideOf = (event: SourceEvent, name: string): 'home' | 'away' | undefined => {
  if (name === '') return undefined // an outright event has two empty sides
  return name === event.home ? 'home' : name === event.away ? 'away' : undefined
}

/** Type, line and label of an outcome, or undefined when it has no label. */
const mapOutcome = (
  event: SourceEvent,
  sport: EventSighting['sport'],
  kind: Exclude<MarketKind, 'lay'>,
  outcome: SourceOutcome,
  hasDraw: boolean,
): Mapped | undefined => {
  const { name, point } = outcome
  switch (kind) {
    case 'moneyline': {
      const label = name === DRAW ? 'draw' : sideOf(event, name)
      return label === undefined ? undefined : { type: moneylineTypeOf(sport, hasDraw), line: null, outcome: label }
    }
    case 'handicap': {
      const side = sideOf(event, name)
      if (side === undefined || point === null) return undefined
      return { type: handicapTypeOf(sport), line: homeLine(side, point), outcome: side }
    }
    case 'total': {
      const label = TOTAL_LABELS.get(name)
      return label === undefined || point === null
        ? undefined
        : { type: totalTypeOf(sport), line: point + 0, outcome: label }
    }
    case 'btts': {
      const label = BTTS_LABELS.get(name)
      return label === undefined ? undefined : { type: 'btts', line: null, outcome: label }
    }
    case 'outright': {
      const label = slugOf(name)
      return label === '' ? undefined : { type: 'outright', line: null, outcome: label }
    }
  }
}

/** Which markets of which bookmaker have a draw: whether one is there is judged per event, book and market. */
const listsWithDraw = (outcomes: readonly SourceOutcome[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const lists = new Map<string, Set<string>>()
  for (const { bookmaker, market, name } of outcomes) {
    if (name !== DRAW || MARKET_KINDS.get(market) !== 'moneyline') continue
    const markets = lists.get(bookmaker)
    if (markets === undefined) lists.set(bookmaker, new Set([market]))
    else markets.add(market)
  }
  return lists
}

/** The observations of one event: one for each bookmaker and time, in the order in which they begin. */
class Groups {
  readonly all: Group[] = []
  private readonly ofBookmaker = new Map<string, Group[]>()
  private last: Group | undefined

  of(bookmaker: string, observedAt: number): Group {
    // The rows of a book stand together: most go where the one before went.
    const { last } = this
    if (last !== undefined && last.observedAt === observedAt && last.bookmaker === bookmaker) return last
    let own = this.ofBookmaker.get(bookmaker)
    if (own === undefined) {
      own = []
      this.ofBookmaker.set(bookmaker, own)
    }
    let group = own.find((each) => each.observedAt === observedAt)
    if (group === undefined) {
      group = { bookmaker, observedAt, prices: [] }
      own.push(group)
      this.all.push(group)
    }
    this.last = group
    return group
  }
}

/** Maps all outcomes of one event: one observation for each bookmaker and time, prices in the order of the source. */
const mapEvent = (
  event: SourceEvent,
  outcomes: readonly SourceOutcome[],
  options: NormaliserOptions,
): Observation[] => {
  const { account } = options
  const sighting = sightEvent(event)
  if (typeof sighting === 'string') {
    // A market of another sport is another market to whoever reads the account.
    const sport = sighting === 'sport' ? `${sportPrefixOf(event.sportKey)} ` : ''
    for (const { market } of outcomes) account.count(`${sport}${market}`, sighting)
    return []
  }
  const draws = listsWithDraw(outcomes)
  const groups = new Groups()
  for (const outcome of outcomes) {
    const { bookmaker, market, price, observedAt } = outcome
    const kind = MARKET_KINDS.get(market)
    if (kind === 'lay') {
      account.count(market, 'lay')
      continue
    }
    if (observedAt === null) {
      account.count(market, 'no_timestamp')
      continue
    }
    if (kind === undefined) {
      account.count(market, 'market')
      continue
    }
    const hasDraw = kind === 'moneyline' && (draws.get(bookmaker)?.has(market) ?? false)
    const mapped = mapOutcome(event, sighting.sport, kind, outcome, hasDraw)
    if (mapped === undefined) {
      account.count(market, 'outcome')
      continue
    }
    if (price === null || !(price > 1)) {
      account.count(market, price === null ? 'no_price' : 'bad_price')
      continue
    }
    account.count(market, mapped.type)
    const { type, line, outcome: label } = mapped
    groups.of(bookmaker, observedAt).prices.push({ type, line, outcome: label, odds: price, status: 'open' })
  }
  const transport = options.transport ?? 'rest'
  return groups.all.map(
    ({ bookmaker, observedAt, prices }): Observation => ({
      bookmaker,
      transport,
      observedAt,
      event: sighting,
      prices,
      others: 'keep', // what is missing from an answer means nothing: it ages out
    }),
  )
}

// --- JSON: the v4 answer, events > bookmakers > markets > outcomes ---------------------------------------------------

/** Where a part stands (`[3].bookmakers[0]`); made into a text only where it is told. */
type Place = string | (() => string)

const placeText = (place: Place): string => (typeof place === 'string' ? place : place())

const NONE: readonly unknown[] = []

/** Reads the parts of an answer; what cannot be read is told with its place and skipped. */
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

  outcomes(event: Record<string, unknown>, eventPlace: string): SourceOutcome[] {
    const outcomes: SourceOutcome[] = []
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
      if (bookmakerAt !== undefined) this.markets(bookmaker, slug, bookmakerAt, place, outcomes)
    }
    this.options.account.read += outcomes.length
    return outcomes
  }

  private markets(
    bookmaker: Record<string, unknown>,
    slug: string,
    bookmakerAt: number | null,
    bookmakerPlace: Place,
    outcomes: SourceOutcome[],
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
        if (outcome === undefined) continue
        const outcomePlace = (): string => `${place()}.outcomes[${number}]`
        const name = this.text(outcome.name, outcomePlace, 'name')
        if (name === undefined) continue
        const price = this.number(outcome.price, outcomePlace, 'price')
        if (price === undefined) continue
        const point = this.number(outcome.point, outcomePlace, 'point')
        if (point === undefined) continue
        outcomes.push({ bookmaker: slug, market: key, name, price, point, observedAt })
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
    // A market is as old as its bookmaker, most often.
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
export function* normaliseTheOddsApi(answer: unknown, options: NormaliserOptions): Generator<Observation> {
  const reader = new AnswerReader(options)
  const events: unknown[] = Array.isArray(answer) ? answer : [answer]
  for (const [index, value] of events.entries()) {
    const place = Array.isArray(answer) ? `[${index}]` : 'event'
    const event = reader.event(value, place)
    if (event === undefined) continue
    yield* mapEvent(event, reader.outcomes(value as Record<string, unknown>, place), options)
  }
}

/** The format `the-odds-api`: one document, the v4 answer. */
export const theOddsApiNormaliser = (options: NormaliserOptions): Normaliser => ({
  take: (text) => {
    let answer: unknown
    try {
      answer = JSON.parse(text)
    } catch (error) {
      return { fault: `is not JSON: ${shown((error as Error).message)}` }
    }
    if (Array.isArray(answer) || (isRecord(answer) && 'bookmakers' in answer)) {
      return normaliseTheOddsApi(answer, options)
    }
    // What the API answers instead, {"message": …, "error_code": …}, ends here too.
    return { fault: 'is not an answer of The Odds API: it must be an array of events, or one event' }
  },
  end: () => [],
})

// --- CSV: one row an outcome, the rows of an event one after the other -----------------------------------------------

const COLUMNS = [
  'event_id',
  'sport_key',
  'sport_title',
  'commence_time',
  'home_team',
  'away_team',
  'snapshot_time',
  'bookmaker_key',
  'last_update',
  'market',
  'outcome_name',
  'price',
  'point',
] as const

type Column = (typeof COLUMNS)[number]

const EVENT_COLUMNS = ['event_id', 'sport_key', 'sport_title', 'commence_time', 'home_team', 'away_team'] as const

type Columns = Readonly<Record<Column, number>>
type RawEvent = Readonly<Record<(typeof EVENT_COLUMNS)[number], string>>

// Rows held until their event is complete, in multiples of `pricesMax`; the largest event recorded has 2,005.
const HELD_FACTOR = 10

/** Epoch ms; null where there is none, undefined when it is no time. */
const timeOf = (text: string): number | null | undefined => (text === '' ? null : parseDateTime(text)?.epochMs)

/** The format `the-odds-api-csv`: a header, then one line an outcome. */
class CsvNormaliser implements Normaliser {
  private readonly options: NormaliserOptions
  private readonly heldMax: number
  private columns: Columns | undefined
  private columnCount = 0
  // Outcomes of the event at hand: a draw row may be its last, and decides about the ones before.
  private event: SourceEvent | undefined
  private raw: RawEvent | undefined
  private held: SourceOutcome[] = []

  constructor(options: NormaliserOptions) {
    this.options = options
    this.heldMax = options.limits.pricesMax * HELD_FACTOR
  }

  take(line: string, lineNumber: number): Observation[] | FormatFault {
    const fields = splitCsvLine(line)
    if (this.columns === undefined) return this.readHeader(fields)
    const result = fields === undefined ? 'has a quote out of place' : this.takeRow(fields, this.columns)
    if (typeof result !== 'string') return result
    this.options.account.malformed++
    this.options.onMalformed(`line ${lineNumber}`, result)
    return []
  }

  end(): Observation[] | FormatFault {
    return this.columns === undefined ? { fault: 'is empty: it must begin with a line of column names' } : this.flush()
  }

  private readHeader(names: readonly string[] = []): Observation[] | FormatFault {
    const missing = COLUMNS.filter((column) => !names.includes(column))
    if (missing.length > 0) {
      return { fault: `is not a recording of The Odds API: its first line must name the columns ${missing.join(', ')}` }
    }
    this.columns = Object.fromEntries(COLUMNS.map((column) => [column, names.indexOf(column)])) as Columns
    this.columnCount = names.length
    return []
  }

  /** Takes a row in, and gives out the event before when the row begins another; or says why it cannot be read. */
  private takeRow(fields: readonly string[], columns: Columns): Observation[] | string {
    if (fields.length !== this.columnCount) return `has ${fields.length} columns, not ${this.columnCount}`
    const bookmaker = fields[columns.bookmaker_key]!
    if (!isBookmakerSlug(bookmaker)) return `bookmaker_key is not a bookmaker slug: ${shown(bookmaker)}`
    const market = fields[columns.market]!
    if (!this.isText(market)) return this.badText('market', market)
    const name = fields[columns.outcome_name]!
    if (!this.isText(name)) return this.badText('outcome_name', name)
    const price = decimalOf(fields[columns.price]!)
    if (price === undefined) return `price is not a number: ${shown(fields[columns.price]!)}`
    const point = decimalOf(fields[columns.point]!)
    if (point === undefined) return `point is not a number: ${shown(fields[columns.point]!)}`
    const timeColumn = fields[columns.last_update] === '' ? 'snapshot_time' : 'last_update'
    const observedAt = timeOf(fields[columns[timeColumn]]!)
    if (observedAt === undefined)
      return `${timeColumn} is not an RFC 3339 date-time: ${shown(fields[columns[timeColumn]]!)}`

    let complete: Observation[] = []
    if (
      this.held.length >= this.heldMax ||
      EVENT_COLUMNS.some((column) => fields[columns[column]] !== this.raw?.[column])
    ) {
      const raw = Object.fromEntries(EVENT_COLUMNS.map((column) => [column, fields[columns[column]]!])) as RawEvent
      const event = this.readEvent(raw)
      if (typeof event === 'string') return event
      complete = this.flush()
      this.raw = raw
      this.event = event
    }
    this.held.push({ bookmaker, market, name, price, point, observedAt })
    this.options.account.read++
    return complete
  }

  private readEvent(raw: RawEvent): SourceEvent | string {
    for (const column of EVENT_COLUMNS) if (!this.isText(raw[column])) return this.badText(column, raw[column])
    if (raw.event_id.trim() === '') return 'event_id is empty'
    const kickoffAt = timeOf(raw.commence_time)
    if (kickoffAt === undefined) return `commence_time is not an RFC 3339 date-time: ${shown(raw.commence_time)}`
    const { event_id: id, sport_key: sportKey, sport_title: sportTitle, home_team: home, away_team: away } = raw
    return { id, sportKey, sportTitle, home, away, kickoffAt }
  }

  private isText(text: string): boolean {
    return isCleanText(text, this.options.limits.textLengthMax)
  }

  private badText(column: string, text: string): string {
    const { textLengthMax } = this.options.limits
    return `${column} has control characters or more than ${textLengthMax}: ${shown(text)}`
  }

  private flush(): Observation[] {
    const { event, held } = this
    this.held = []
    return event === undefined ? [] : mapEvent(event, held, this.options)
  }
}

export const theOddsApiCsvNormaliser = (options: NormaliserOptions): Normaliser => new CsvNormaliser(options)
