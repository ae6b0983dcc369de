// The grid of one event, as the messages of topic `odds` have said it. A plain store: messages are applied as they come,
// and what has changed is asked for once per frame.

import { MARKET_TYPE_NUMBER, outcomeSortKey } from '../../domain/market.ts'
import { hasOverround, overround } from './overround.ts'
import { BOARD_POINTS_MAX, PricePath } from './price-path.ts'

/** A quote of a message (docs/live-protocol.md 4). */
export interface QuoteMessage {
  readonly type: string
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
  readonly status: 'open' | 'suspended' | 'closed'
  readonly change?: string
  readonly cause?: string
  readonly lastUpdatedAt: string
}

export interface OddsMessage {
  readonly eventId: string
  readonly bookmaker: string
  readonly quotes: readonly QuoteMessage[]
}

/** Quotes of one event that are kept. A market list with every player is a fifth of it. */
export const CELLS_MAX = 20_000

export interface Market {
  readonly key: string
  readonly type: string
  readonly line: number | null
  /** In natural order. */
  rows: Row[]
  /** Overround by bookmaker, of those that price the whole market; and that of the best prices. */
  readonly overrounds: Map<string, number>
  bestOverround: number | undefined
  isDirty: boolean
}

export interface Row {
  readonly market: Market
  readonly outcome: string
  readonly cells: Map<string, Cell>
  /** The highest open odds; 0: none. */
  best: number
}

export interface Cell {
  readonly row: Row
  readonly bookmaker: string
  readonly path: PricePath
  odds: number
  /** `gone`: closed, aged out, or not confirmed since a reset. */
  status: 'open' | 'suspended' | 'gone'
  /** Why it is suspended, or gone; empty: not said, as in a snapshot. */
  cause: string
  /** Ms since the page was opened, where it is gone. */
  goneAt: number
  /** RFC 3339. */
  lastUpdatedAt: string
  /** Of the last change of its price: 1 up, -1 down, 0 none. */
  direction: -1 | 0 | 1
  /** It was suspended since it was last drawn. */
  hasStopped: boolean
  isBest: boolean
  isDirty: boolean
}

/** What changed since the last frame. */
export interface Changed {
  readonly cells: readonly Cell[]
  readonly markets: readonly Market[]
}

export class BoardState {
  /** In the order of {@link MARKET_TYPE_NUMBER}, then by line. */
  markets: Market[] = []
  /** Sorted by slug. */
  bookmakers: string[] = []
  /** Increases when markets, rows, bookmakers or cells come or go. */
  structure = 0
  /** Changes that were applied, and quotes that were left out because of {@link CELLS_MAX}. */
  changes = 0
  leftOut = 0
  private readonly byKey = new Map<string, Market>()
  private readonly columns = new Set<string>()
  private cells = 0
  private readonly points = { left: BOARD_POINTS_MAX }
  /** Cells that may be removed. */
  private gone = 0
  private dirtyCells: Cell[] = []
  private dirtyMarkets: Market[] = []

  /** @param at ms since the page was opened */
  apply({ bookmaker, quotes }: OddsMessage, isSnapshot: boolean, at: number): void {
    for (const quote of quotes) {
      const isGone = quote.status === 'closed' || quote.change === 'aged_out'
      const cell = this.cellOf(bookmaker, quote, !isGone)
      if (cell === undefined) continue
      this.changes++
      const status = isGone ? 'gone' : quote.status === 'open' ? 'open' : 'suspended'
      if (quote.odds !== cell.odds || status !== cell.status) cell.path.push(at, quote.odds, status === 'open')
      // Prices that nobody can take have no direction.
      const isCompared = cell.status !== 'gone' && status === 'open' && !isSnapshot
      cell.direction = isCompared ? (Math.sign(quote.odds - cell.odds) as -1 | 0 | 1) : 0
      if (isGone) {
        this.gone++
        cell.goneAt = at
      }
      if (status === 'suspended' && cell.status !== 'suspended' && !isSnapshot) cell.hasStopped = true
      cell.odds = quote.odds
      cell.cause = causeOf(cell, quote, status)
      cell.status = status
      cell.lastUpdatedAt = quote.lastUpdatedAt
      this.note(cell)
    }
  }

  /** What it held is void (kind `reset`, or a new snapshot). Paths stay: they are what this page has seen. */
  void(): void {
    for (const market of this.markets) {
      for (const row of market.rows) {
        for (const cell of row.cells.values()) {
          cell.status = 'gone'
          cell.cause = ''
          cell.direction = 0
          cell.hasStopped = false
          this.gone++
          this.note(cell)
        }
      }
    }
  }

  /**
   * Removes what nobody prices any more. To be called when a snapshot is whole, and now and then.
   * @param until ms since the page was opened: what is gone for a shorter time stays, to be seen as such
   */
  prune(until = Number.POSITIVE_INFINITY): void {
    if (this.gone === 0) return
    this.gone = 0
    const before = this.cells
    const kept = new Set<string>()
    this.cells = 0
    this.markets = this.markets.filter((market) => {
      market.rows = market.rows.filter((row) => {
        for (const [bookmaker, cell] of row.cells) {
          if (cell.status === 'gone' && cell.goneAt <= until) {
            cell.path.end()
            row.cells.delete(bookmaker)
            continue
          }
          kept.add(bookmaker)
          if (cell.status === 'gone') this.gone++
        }
        this.cells += row.cells.size
        return row.cells.size > 0
      })
      if (market.rows.length === 0) this.byKey.delete(market.key)
      return market.rows.length > 0
    })
    if (this.cells === before) return
    this.columns.clear()
    for (const bookmaker of kept) this.columns.add(bookmaker)
    this.bookmakers = [...kept].sort()
    this.structure++
  }

  /** The cell in the place of one that may have been removed meanwhile. */
  nowOf({ row, bookmaker }: Cell): Cell | undefined {
    return this.byKey
      .get(row.market.key)
      ?.rows.find(({ outcome }) => outcome === row.outcome)
      ?.cells.get(bookmaker)
  }

  /** What changed since the last call, with best prices and overrounds up to date. */
  takeChanged(): Changed {
    const markets = this.dirtyMarkets
    this.dirtyMarkets = []
    for (const market of markets) {
      market.isDirty = false
      for (const row of market.rows) this.findBest(row)
      this.sumUp(market)
    }
    const cells = this.dirtyCells
    this.dirtyCells = []
    for (const cell of cells) cell.isDirty = false
    return { cells, markets }
  }

  private note(cell: Cell): void {
    this.noteCell(cell)
    const { market } = cell.row
    if (market.isDirty) return
    market.isDirty = true
    this.dirtyMarkets.push(market)
  }

  private noteCell(cell: Cell): void {
    if (cell.isDirty) return
    cell.isDirty = true
    this.dirtyCells.push(cell)
  }

  private findBest(row: Row): void {
    let best = 0
    for (const { status, odds } of row.cells.values()) if (status === 'open' && odds > best) best = odds
    row.best = best
    for (const cell of row.cells.values()) {
      const isBest = cell.status === 'open' && cell.odds === best
      if (isBest === cell.isBest) continue
      cell.isBest = isBest
      this.noteCell(cell)
    }
  }

  private sumUp(market: Market): void {
    if (!hasOverround(market.type)) return
    const rows = new Map(market.rows.map((row) => [row.outcome, row]))
    market.overrounds.clear()
    for (const bookmaker of this.bookmakers) {
      const sum = overround(market.type, (outcome) => {
        const cell = rows.get(outcome)?.cells.get(bookmaker)
        return cell?.status === 'open' ? cell.odds : undefined
      })
      if (sum !== undefined) market.overrounds.set(bookmaker, sum)
    }
    market.bestOverround = overround(market.type, (outcome) => rows.get(outcome)?.best || undefined)
  }

  private cellOf(bookmaker: string, quote: QuoteMessage, mayCreate: boolean): Cell | undefined {
    const key = `${quote.type} ${quote.line ?? ''}`
    const market = this.byKey.get(key)
    const row = market?.rows.find(({ outcome }) => outcome === quote.outcome)
    const known = row?.cells.get(bookmaker)
    if (known !== undefined || !mayCreate) return known
    if (this.cells >= CELLS_MAX) {
      this.leftOut++
      return undefined
    }
    return this.newCell(bookmaker, row ?? this.newRow(market ?? this.newMarket(key, quote), quote.outcome))
  }

  private newCell(bookmaker: string, row: Row): Cell {
    const cell: Cell = {
      row,
      bookmaker,
      path: new PricePath(this.points),
      odds: 0,
      status: 'gone',
      cause: '',
      goneAt: 0,
      lastUpdatedAt: '',
      direction: 0,
      hasStopped: false,
      isBest: false,
      isDirty: false,
    }
    row.cells.set(bookmaker, cell)
    this.cells++
    this.structure++
    if (!this.columns.has(bookmaker)) {
      this.columns.add(bookmaker)
      this.bookmakers = [...this.columns].sort()
    }
    return cell
  }

  private newRow(market: Market, outcome: string): Row {
    const row: Row = { market, outcome, cells: new Map(), best: 0 }
    market.rows.push(row)
    market.rows.sort((a, b) => (outcomeSortKey(a.outcome) < outcomeSortKey(b.outcome) ? -1 : 1))
    this.structure++
    return row
  }

  private newMarket(key: string, { type, line }: QuoteMessage): Market {
    const market: Market = {
      key,
      type,
      line,
      rows: [],
      overrounds: new Map(),
      bestOverround: undefined,
      isDirty: false,
    }
    this.byKey.set(key, market)
    this.markets.push(market)
    this.markets.sort((a, b) => placeOf(a) - placeOf(b) || (a.line ?? 0) - (b.line ?? 0))
    this.structure++
    return market
  }
}

/** A type that this page does not know yet comes last. */
const placeOf = ({ type }: Market): number => MARKET_TYPE_NUMBER.get(type) ?? MARKET_TYPE_NUMBER.size

const causeOf = (cell: Cell, { change, cause }: QuoteMessage, status: Cell['status']): string => {
  if (status === 'open') return ''
  if (status === 'gone') return change === 'aged_out' ? 'aged_out' : 'closed'
  return cause ?? (cell.status === 'suspended' ? cell.cause : '')
}
