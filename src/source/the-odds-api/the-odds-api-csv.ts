// Recordings of The Odds API in CSV (docs/feeds.md 5): one row an outcome, the rows of an event one after the other.
// They become the same rows as the JSON answers, and are mapped by the same code.

import { isBookmakerSlug } from '../../domain/coverage.ts'
import type { Observation } from '../../domain/observation.ts'
import { parseDateTime } from '../../domain/time.ts'
import { splitCsvLine } from '../kit/csv.ts'
import type { Examiner, FormatFault, Normaliser, NormaliserOptions, SourceFacts } from '../kit/normaliser.ts'
import { mayBeAmerican, OddsFormatJudge } from '../kit/odds-format.ts'
import { decimalOf, isCleanText, shown } from '../kit/text.ts'
import {
  americanBookIn,
  isAlwaysJudged,
  type JudgedOutcome,
  type RefusedOutcome,
  type SourceEvent,
  type SourceOutcome,
  mapEvent,
  decidesDraw,
} from './the-odds-api-mapping.ts'

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

/** Columns that a recorder may have added to mark American odds: the parameter names of the request. */
const ODDS_FORMAT_COLUMNS = ['odds_format', 'oddsFormat'] as const

/** Columns that a recorder may have added to name the player of a prop: the member of the answer. */
const DESCRIPTION_COLUMNS = ['description', 'outcome_description'] as const

type Columns = Readonly<Record<Column, number>> & {
  /** Undefined: the recording has no such column. */
  readonly oddsFormat: number | undefined
  readonly description: number | undefined
  readonly count: number
}
type RawEvent = Readonly<Record<(typeof EVENT_COLUMNS)[number], string>>

/** The columns that a header names, or those that it lacks. */
const columnsOf = (names: readonly string[]): Columns | readonly Column[] => {
  const missing = COLUMNS.filter((column) => !names.includes(column))
  if (missing.length > 0) return missing
  const places = Object.fromEntries(COLUMNS.map((column) => [column, names.indexOf(column)])) as Record<Column, number>
  const firstOf = (columns: readonly string[]): number | undefined =>
    columns.map((column) => names.indexOf(column)).find((at) => at !== -1)
  const [oddsFormat, description] = [firstOf(ODDS_FORMAT_COLUMNS), firstOf(DESCRIPTION_COLUMNS)]
  return { ...places, oddsFormat, description, count: names.length }
}

const isMissing = (columns: Columns | readonly Column[]): columns is readonly Column[] => Array.isArray(columns)

/** American odds are often written with their sign: +138. */
const priceOf = (text: string): number | null | undefined => decimalOf(text.replace(/^\+(?=\d{3})/, ''))

// Longshots of one event that are held until all of its rows are known; the largest event recorded has 2,005 rows.
const LONGSHOTS_MAX = 4_096

/** Judges the format of the odds of rows. The price counts even if the rest of its row cannot be read. */
class RowJudge {
  readonly judge: OddsFormatJudge
  // The longshots of the current event, by bookmaker and market.
  private event: string | undefined
  private readonly markets = new Map<string, { readonly lineNumber: number; readonly outcomes: JudgedOutcome[] }>()
  private raw: Readonly<Record<'sportKey' | 'home' | 'away', string>> = { sportKey: '', home: '', away: '' }
  private held = 0

  constructor(facts: SourceFacts) {
    this.judge = new OddsFormatJudge(facts.oddsFormat ?? null)
  }

  read(fields: readonly string[], columns: Columns, lineNumber: number): void {
    const { judge } = this
    if (fields.length !== columns.count) return
    if (columns.oddsFormat !== undefined) {
      judge.say(fields[columns.oddsFormat], () => `line ${lineNumber}, ${ODDS_FORMAT_COLUMNS[0]}`)
    }
    const event = `${fields[columns.event_id]}\n${fields[columns.snapshot_time]}`
    if (event !== this.event) {
      this.endEvent()
      this.event = event
    }
    const priceText = fields[columns.price]!
    const price = priceOf(priceText)
    if (typeof price !== 'number') return
    if (priceText.startsWith('+')) judge.signed(price, () => `line ${lineNumber}, price`)
    if (!judge.isKnown(price)) judge.price(price, () => `line ${lineNumber}, price`)
    const name = fields[columns.outcome_name]!
    if (!judge.asksMarkets || this.held >= LONGSHOTS_MAX || !(mayBeAmerican(price) || isAlwaysJudged(name))) return
    this.held++
    const key = `${fields[columns.bookmaker_key]}\n${fields[columns.market]}`
    const market = this.markets.get(key) ?? { lineNumber, outcomes: [] }
    this.markets.set(key, market)
    const point = decimalOf(fields[columns.point]!)
    market.outcomes.push({ name, price, point })
    const [sportKey, home, away] = [columns.sport_key, columns.home_team, columns.away_team].map((at) => fields[at]!)
    this.raw = { sportKey: sportKey!, home: home!, away: away! }
  }

  /** Called after the last row of an event. */
  endEvent(): void {
    if (this.held === 0) return
    const { judge, markets, raw } = this
    for (const [key, { lineNumber, outcomes }] of markets) {
      if (!judge.asksMarkets) break
      const [bookmaker, market] = key.split('\n')
      const prices = outcomes.length < 2 ? undefined : americanBookIn(raw, market, outcomes)
      if (prices !== undefined) {
        judge.americanBook(prices, () => `line ${lineNumber}, ${shown(market!)} of ${shown(bookmaker!)},`)
      }
    }
    markets.clear()
    this.held = 0
  }
}

/** Judges the odds of a whole recording: the row that proves their format may be its last. */
class CsvExaminer implements Examiner {
  private readonly rows: RowJudge
  private columns: Columns | undefined
  private isOver = false

  constructor(facts: SourceFacts) {
    this.rows = new RowJudge(facts)
  }

  read(line: string, lineNumber: number): void {
    if (this.isOver) return
    const fields = splitCsvLine(line)
    if (this.columns !== undefined) {
      if (fields !== undefined) this.rows.read(fields, this.columns, lineNumber)
      return
    }
    const columns = columnsOf(fields ?? [])
    // The normaliser reports a faulty header.
    if (isMissing(columns)) this.isOver = true
    else this.columns = columns
  }

  end(): FormatFault | undefined {
    this.rows.endEvent()
    const fault = this.rows.judge.verdict
    return fault === undefined ? undefined : { fault }
  }
}

export const theOddsApiCsvExaminer = (facts: SourceFacts): Examiner => new CsvExaminer(facts)

// Rows held until their event is complete, in multiples of `pricesMax`; the largest event recorded has 2,005.
const HELD_FACTOR = 10

/** Epoch ms; null where there is none, undefined when it is no time. */
const timeOf = (text: string): number | null | undefined => (text === '' ? null : parseDateTime(text)?.epochMs)

/** The format `the-odds-api-csv`: a header, then one line an outcome. */
class CsvNormaliser implements Normaliser {
  private readonly options: NormaliserOptions
  private readonly heldMax: number
  // A file was examined as a whole before; elsewhere only the rows so far are judged.
  private readonly rows: RowJudge
  private columns: Columns | undefined
  // Outcomes of the current event: a draw row may be its last, and decides about the ones before.
  private event: SourceEvent | undefined
  private raw: RawEvent | undefined
  private held: SourceOutcome[] = []
  private refused: RefusedOutcome[] = []

  constructor(options: NormaliserOptions) {
    this.options = options
    this.heldMax = options.limits.pricesMax * HELD_FACTOR
    this.rows = new RowJudge(options.facts)
  }

  read(line: string, lineNumber: number): Observation[] | FormatFault {
    const fields = splitCsvLine(line)
    if (this.columns === undefined) return this.readHeader(fields)
    if (fields !== undefined) this.rows.read(fields, this.columns, lineNumber)
    const { refusal } = this.rows.judge
    if (refusal !== undefined) return this.refuse(refusal)
    const complete: Observation[] = []
    const fault = fields === undefined ? 'has a quote out of place' : this.readRow(fields, this.columns, complete)
    if (fault !== undefined) {
      this.options.account.malformed++
      this.options.onMalformed(`line ${lineNumber}`, fault)
    }
    return complete
  }

  end(): Observation[] | FormatFault {
    if (this.columns === undefined) return { fault: 'is empty: it must begin with a line of column names' }
    this.rows.endEvent()
    const fault = this.rows.judge.verdict
    return fault === undefined ? this.flush() : this.refuse(fault)
  }

  /** Nothing of the recording may be published: what was held back has no price that can be used. */
  private refuse(fault: string): FormatFault {
    this.options.account.sport = null
    for (const { market } of this.held) this.options.account.count(market, 'bad_price')
    this.held = []
    this.refused = []
    return { fault }
  }

  private readHeader(names: readonly string[] = []): Observation[] | FormatFault {
    const columns = columnsOf(names)
    if (isMissing(columns)) {
      return { fault: `is not a recording of The Odds API: its first line must name the columns ${columns.join(', ')}` }
    }
    this.columns = columns
    return []
  }

  /**
   * Reads a row; if it begins another event, the event before is added to `complete`.
   * @returns why it cannot be read
   */
  private readRow(fields: readonly string[], columns: Columns, complete: Observation[]): string | undefined {
    if (fields.length !== columns.count) return `has ${fields.length} columns, not ${columns.count}`
    if (
      this.held.length + this.refused.length >= this.heldMax ||
      EVENT_COLUMNS.some((column) => fields[columns[column]] !== this.raw?.[column])
    ) {
      const raw = Object.fromEntries(EVENT_COLUMNS.map((column) => [column, fields[columns[column]]!])) as RawEvent
      const event = this.readEvent(raw)
      if (typeof event === 'string') return event
      for (const observation of this.flush()) complete.push(observation)
      this.raw = raw
      this.event = event
    }
    const bookmaker = fields[columns.bookmaker_key]!
    if (!isBookmakerSlug(bookmaker)) return `bookmaker_key is not a bookmaker slug: ${shown(bookmaker)}`
    const market = fields[columns.market]!
    if (!this.isText(market)) return this.badText('market', market)
    const outcome = this.readOutcome(fields, columns)
    if (typeof outcome !== 'string') {
      this.held.push({ bookmaker, market, ...outcome })
      this.options.account.read++
      return undefined
    }
    const refused = { bookmaker, market, name: fields[columns.outcome_name]! }
    if (decidesDraw(refused)) this.refused.push(refused)
    return outcome
  }

  private readOutcome(
    fields: readonly string[],
    columns: Columns,
  ): Omit<SourceOutcome, 'bookmaker' | 'market'> | string {
    const name = fields[columns.outcome_name]!
    if (!this.isText(name)) return this.badText('outcome_name', name)
    const description = columns.description === undefined ? '' : fields[columns.description]!
    if (!this.isText(description)) return this.badText('description', description)
    const price = priceOf(fields[columns.price]!)
    if (price === undefined) return `price is not a number: ${shown(fields[columns.price]!)}`
    const point = decimalOf(fields[columns.point]!)
    if (point === undefined) return `point is not a number: ${shown(fields[columns.point]!)}`
    const timeColumn = fields[columns.last_update] === '' ? 'snapshot_time' : 'last_update'
    const observedAt = timeOf(fields[columns[timeColumn]]!)
    if (observedAt === undefined)
      return `${timeColumn} is not an RFC 3339 date-time: ${shown(fields[columns[timeColumn]]!)}`
    return { name, description, price, point, observedAt }
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
    const { event, held: outcomes, refused } = this
    this.held = []
    this.refused = []
    return event === undefined ? [] : mapEvent(event, { outcomes, refused }, this.rows.judge.format, this.options)
  }
}

export const theOddsApiCsvNormaliser = (options: NormaliserOptions): Normaliser => new CsvNormaliser(options)
