// football-data.co.uk (docs/feeds.md 10; its notes.txt): CSV, one row a match, results first, then a column for each
// price of a book. Closing prices are observed at kickoff; the time of the others is unknown. Files of a division and
// of a country name some columns differently; files from before 2019 have no times.

import type { MarketType } from '../../domain/market.ts'
import type { EventSighting, Observation, Price } from '../../domain/observation.ts'
import type { UnmappedReason } from '../kit/account.ts'
import { parseBritishTime, parseDateOnly } from './british-time.ts'
import { splitCsvLine } from '../kit/csv.ts'
import { leagueKeyOf } from '../kit/league.ts'
import type { FormatFault, Normaliser, NormaliserOptions } from '../kit/normaliser.ts'
import { slugOf } from '../../domain/slug.ts'
import { decimalOf, isCleanText, shown } from '../kit/text.ts'

const SOURCE = 'football-data'

/** By the first letters of its columns. */
const BOOKS: ReadonlyMap<string, string> = new Map([
  ['B365', 'bet365'],
  ['BW', 'bwin'],
  ['IW', 'interwetten'],
  ['PS', 'pinnacle'],
  ['P', 'pinnacle'],
  ['WH', 'williamhill'],
  ['VC', 'betvictor'],
  ['1XB', 'onexbet'],
  ['BF', 'betfair_sb_uk'],
  ['BFE', 'betfair_ex_uk'],
  ['BFD', 'betfred_uk'],
  ['BMGM', 'betmgm'],
  ['BV', 'betvictor'],
  ['CL', 'coral'],
  ['LB', 'ladbrokes_uk'],
  ['PP', 'paddypower'],
  ['SKB', 'skybet'],
])

/** Aggregates over all books; `Bb` ones in files before 2019. */
const AGGREGATES: ReadonlySet<string> = new Set(['Max', 'Avg', 'BbMx', 'BbAv'])

/** Key and name of a division; the keys are the same as those from The Odds API. */
const DIVISIONS: ReadonlyMap<string, readonly [key: string, name: string]> = new Map([
  ['E0', ['england_premier_league', 'England Premier League']],
  ['E1', ['england_championship', 'England Championship']],
  ['E2', ['england_league_one', 'England League One']],
  ['E3', ['england_league_two', 'England League Two']],
  ['EC', ['england_national_league', 'England National League']],
  ['SC0', ['scotland_premiership', 'Scotland Premiership']],
  ['SC1', ['scotland_championship', 'Scotland Championship']],
  ['SC2', ['scotland_league_one', 'Scotland League One']],
  ['SC3', ['scotland_league_two', 'Scotland League Two']],
  ['D1', ['germany_bundesliga', 'Germany Bundesliga']],
  ['D2', ['germany_2_bundesliga', 'Germany 2. Bundesliga']],
  ['SP1', ['spain_la_liga', 'Spain La Liga']],
  ['SP2', ['spain_segunda_division', 'Spain Segunda División']],
  ['I1', ['italy_serie_a', 'Italy Serie A']],
  ['I2', ['italy_serie_b', 'Italy Serie B']],
  ['F1', ['france_ligue_1', 'France Ligue 1']],
  ['F2', ['france_ligue_2', 'France Ligue 2']],
  ['N1', ['netherlands_eredivisie', 'Netherlands Eredivisie']],
  ['B1', ['belgium_first_div', 'Belgium First Division']],
  ['P1', ['portugal_primeira_liga', 'Portugal Primeira Liga']],
  ['T1', ['turkey_super_league', 'Turkey Super League']],
  ['G1', ['greece_super_league', 'Greece Super League']],
])

/** The same for the countries and leagues of country files that The Odds API words otherwise, by their slug. */
const COUNTRY_LEAGUES: ReadonlyMap<string, string> = new Map([
  ['argentina_liga_profesional', 'argentina_primera_division'],
  ['brazil_serie_a', 'brazil_campeonato'],
  ['china_super_league', 'china_superleague'],
  ['ireland_premier_division', 'league_of_ireland'],
  ['japan_j1_league', 'japan_j_league'],
])

interface Outcome {
  readonly type: MarketType
  readonly label: string
  readonly line: number | null | 'handicap'
}

/** Outcome of a price, by the last letters of its column. */
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['H', { type: 'match_result_1x2', label: 'home', line: null }],
  ['D', { type: 'match_result_1x2', label: 'draw', line: null }],
  ['A', { type: 'match_result_1x2', label: 'away', line: null }],
  ['>2.5', { type: 'total_goals', label: 'over', line: 2.5 }],
  ['<2.5', { type: 'total_goals', label: 'under', line: 2.5 }],
  ['AHH', { type: 'spread', label: 'home', line: 'handicap' }],
  ['AHA', { type: 'spread', label: 'away', line: 'handicap' }],
])

// Results, statistics and lines end in none of these, or are too short; `BbAH` counts books, the others are lines.
const ODDS_COLUMN = /^([A-Za-z0-9]+?)(AHH|AHA|H|D|A|[<>]2\.5)$/
const NO_ODDS: ReadonlySet<string> = new Set(['BbAH', 'GBAH', 'LBAH', 'B365AH'])

/** A letter that no slug has. */
const BEYOND_LATIN = /(?!\p{Script=Latin})\p{L}/u

/** What a file must name of a match, with the column's names: some files of a country have another one. */
const MATCH_COLUMNS = {
  date: ['Date'],
  home: ['HomeTeam', 'Home', 'HT'],
  away: ['AwayTeam', 'Away', 'AT'],
} as const
/** A file has the first, or the others. */
const LEAGUE_COLUMNS = ['Div', 'Country', 'League'] as const
const TIME_COLUMN = 'Time'
const HANDICAP_COLUMN = 'AHCh'

/** A column of prices. */
interface OddsColumn {
  readonly at: number
  readonly name: string
  readonly outcome: Outcome
  /** Undefined where `reason` says why it is not mapped. */
  readonly bookmaker: string | undefined
  readonly reason: UnmappedReason | undefined
}

/** Places of columns; -1: none. */
interface Columns {
  readonly names: readonly string[]
  /** Up to the last one that has a name. */
  readonly count: number
  readonly date: number
  readonly time: number
  readonly home: number
  readonly away: number
  /** Those that together name the league. */
  readonly league: readonly number[]
  readonly handicap: number
  readonly odds: readonly OddsColumn[]
}

const isBook = (letters: string): boolean => BOOKS.has(letters) || AGGREGATES.has(letters)

const oddsColumn = (name: string, at: number): OddsColumn | undefined => {
  const [, letters, what] = ODDS_COLUMN.exec(name) ?? []
  if (letters === undefined || NO_ODDS.has(name)) return undefined
  const outcome = OUTCOMES.get(what!)!
  // The C of VC is part of the book: VCH is no closing price of a book V.
  const isClosing = !isBook(letters) && letters.length > 1 && letters.endsWith('C')
  const book = isClosing ? letters.slice(0, -1) : letters
  const bookmaker = BOOKS.get(book)
  let reason: UnmappedReason | undefined
  if (AGGREGATES.has(book)) reason = 'aggregate'
  else if (!isClosing) reason = 'no_timestamp'
  else if (bookmaker === undefined) reason = 'market' // of an unknown bookmaker
  return { at, name, outcome, bookmaker: reason === undefined ? bookmaker : undefined, reason }
}

/** The columns that a header names, or in words those that it lacks. */
const columnsOf = (names: readonly string[]): Columns | string => {
  const placeOf = (column: keyof typeof MATCH_COLUMNS): number =>
    MATCH_COLUMNS[column].map((name) => names.indexOf(name)).find((at) => at !== -1) ?? -1
  const match = { date: placeOf('date'), home: placeOf('home'), away: placeOf('away') }
  const [division, country, league] = LEAGUE_COLUMNS.map((name) => names.indexOf(name))
  const leagueAt = division !== -1 ? [division!] : [country!, league!]
  const missing = Object.entries(MATCH_COLUMNS)
    .filter(([column]) => match[column as keyof typeof MATCH_COLUMNS] === -1)
    .map(([, either]) => either.join(' or '))
  if (leagueAt.includes(-1)) missing.unshift('Div, or Country and League')
  if (missing.length > 0) return missing.join('; ')
  return {
    names,
    count: names.findLastIndex((name) => name !== '') + 1,
    ...match,
    time: names.indexOf(TIME_COLUMN),
    league: leagueAt,
    handicap: names.indexOf(HANDICAP_COLUMN),
    odds: names.map(oddsColumn).filter((column) => column !== undefined),
  }
}

class Sheet implements Normaliser {
  private readonly options: NormaliserOptions
  private columns: Columns | undefined

  constructor(options: NormaliserOptions) {
    this.options = options
  }

  read(line: string, lineNumber: number): Observation[] | FormatFault {
    const fields = splitCsvLine(line)
    if (this.columns === undefined) return this.readHeader(fields)
    const result = fields === undefined ? 'has a quote out of place' : this.readRow(fields, this.columns)
    if (typeof result !== 'string') return result
    this.options.account.malformed++
    this.options.onMalformed(`line ${lineNumber}`, result)
    return []
  }

  end(): Observation[] | FormatFault {
    return this.columns === undefined ? { fault: 'is empty: it must begin with a line of column names' } : []
  }

  private readHeader(names: readonly string[] = []): Observation[] | FormatFault {
    const columns = columnsOf(names)
    if (typeof columns === 'string') {
      return { fault: `cannot be read as football-data.co.uk: its first line does not name ${columns}` }
    }
    this.columns = columns
    return []
  }

  /** The observations of a match, one for each bookmaker; or why the row cannot be read. */
  private readRow(fields: readonly string[], columns: Columns): Observation[] | string {
    const { names, odds } = columns
    if (fields.every((field) => field === '')) return [] // spreadsheets end in rows of commas
    // They also leave commas behind the last column, of some lines; a value there has no column.
    if (fields.length < columns.count || fields.slice(names.length).some((field) => field !== '')) {
      return `has ${fields.length} columns, not ${columns.count}`
    }
    for (const at of [...columns.league, columns.home, columns.away]) {
      const text = fields[at]!
      const { textLengthMax } = this.options.limits
      if (!isCleanText(text, textLengthMax)) {
        return `${names[at]} has control characters or more than ${textLengthMax}: ${shown(text)}`
      }
      const isTeam = !columns.league.includes(at)
      // The slug distinguishes the matches of a day: teams with empty slugs would all be the same.
      if (isTeam && text.trim() !== '' && (slugOf(text) === '' || BEYOND_LATIN.test(text))) {
        return `${names[at]} is not in Latin letters and digits: ${shown(text)}`
      }
    }
    const date = fields[columns.date]!
    const isDated = columns.time === -1
    const time = isDated ? '' : fields[columns.time]!
    const kickoffAt = isDated ? parseDateOnly(date) : parseBritishTime(date, time)
    if (kickoffAt === undefined && date !== '' && (isDated || time !== '')) {
      return isDated
        ? `Date is not dd/mm/yyyy: ${shown(date)}`
        : `Date and Time are not dd/mm/yyyy and hh:mm: ${shown(`${date} ${time}`)}`
    }
    const handicap = columns.handicap === -1 ? null : decimalOf(fields[columns.handicap]!)
    if (handicap === undefined) return `${HANDICAP_COLUMN} is not a number: ${shown(fields[columns.handicap]!)}`
    const values: (number | null)[] = []
    for (const { at, name } of odds) {
      const value = decimalOf(fields[at]!)
      if (value === undefined) return `${name} is not a number: ${shown(fields[at]!)}`
      values.push(value)
    }

    const { account } = this.options
    account.read += odds.length
    account.sport = 'football'
    const event = this.sight(fields, columns, kickoffAt)
    if (event === undefined) {
      for (const { name } of odds) account.count(name, 'event')
      return []
    }
    const books = new Map<string, Price[]>()
    for (let index = 0; index < odds.length; index++) {
      const column = odds[index]!
      const price = this.price(column, values[index]!, handicap)
      if (price === undefined) continue
      if (isDated) account.dated++
      const bookmaker = column.bookmaker! // of many: a configured bookmaker cannot replace all
      const prices = books.get(bookmaker)
      if (prices === undefined) books.set(bookmaker, [price])
      else prices.push(price)
    }
    const transport = this.options.transport ?? 'rest'
    return Array.from(
      books,
      ([bookmaker, prices]): Observation => ({
        bookmaker,
        transport,
        observedAt: event.kickoffAt,
        event,
        prices,
        others: 'keep',
      }),
    )
  }

  /** The match; undefined where teams or kickoff are missing. */
  private sight(fields: readonly string[], columns: Columns, kickoffAt: number | undefined): EventSighting | undefined {
    const home = fields[columns.home]!
    const away = fields[columns.away]!
    // A division, or a country and a league.
    const words = columns.league
      .map((at) => fields[at]!.trim())
      .join(' ')
      .trim()
    if (kickoffAt === undefined || home.trim() === '' || away.trim() === '' || home === away) return undefined
    const [leagueKey, leagueName] = DIVISIONS.get(words) ?? [
      COUNTRY_LEAGUES.get(slugOf(words)) ?? leagueKeyOf(words, 'football'),
      words,
    ]
    const competition = columns.league.length === 1 ? words : slugOf(words)
    const day = new Date(kickoffAt).toISOString().slice(0, 10)
    return {
      sport: 'football',
      leagueKey,
      leagueName: leagueName === '' ? leagueKey : leagueName,
      home,
      away,
      kickoffAt,
      sourceKey: `${SOURCE}:${competition}:${day}:${slugOf(home)}:${slugOf(away)}`,
    }
  }

  /** Counts a price under its fate; undefined unless it becomes a quote. */
  private price(
    { name, outcome, reason }: OddsColumn,
    odds: number | null,
    handicap: number | null,
  ): Price | undefined {
    const { account } = this.options
    const { type, label } = outcome
    const line = outcome.line === 'handicap' ? handicap : outcome.line
    if (reason !== undefined) account.count(name, reason)
    else if (outcome.line === 'handicap' && line === null)
      account.count(name, 'outcome') // without a line it has no market
    else if (odds === null) account.count(name, 'no_price')
    else if (odds <= 1) account.count(name, 'bad_price')
    else {
      account.count(name, type)
      return { type, line: line === null ? null : line + 0, outcome: label, odds, status: 'open' }
    }
    return undefined
  }
}

/**
 * The format `football-data`: a header, then one line a match. The matches of a file without the column `Time` are
 * dated: their kickoff is at 12:00 UTC of the day.
 */
export const footballDataNormaliser = (options: NormaliserOptions): Normaliser => new Sheet(options)
