// The cells of the grid, drawn by hand: once per frame, those that changed and no others. Preact draws the structure.

import { elapsedMs } from '../browser-clock.ts'
import { visibleText } from '../../domain/safe-text.ts'
import { causeOf, lineText, marketName, oddsText, outcomeName, percent } from '../wording.ts'
import type { BoardState, Cell, Market, Row } from './board-state.ts'

/** How long a change is marked. */
const FLASH_MS = 700

interface Flash {
  readonly element: HTMLElement
  readonly until: number
}

/** Elements of a grid by what they show: only those that stand in the page. */
export class CellPainter {
  private readonly cells = new Map<Cell, HTMLElement>()
  private readonly cellOfElement = new WeakMap<Element, Cell>()
  private readonly overrounds = new Map<Market, Map<string, HTMLElement>>()
  private readonly bests = new Map<Market, HTMLElement>()
  private readonly bestPrices = new Map<Row, HTMLElement>()
  private active: Cell | undefined
  private flashes: Flash[] = []
  private readonly flashingUntil = new WeakMap<HTMLElement, number>()

  /** Each of these takes an element that has come, or null for one that goes, and draws it. */
  putCell(cell: Cell, element: HTMLElement | null): void {
    if (element === null) {
      this.cells.delete(cell)
      return
    }
    this.cells.set(cell, element)
    this.cellOfElement.set(element, cell)
    if (cell === this.active) element.dataset['active'] = ''
    else delete element.dataset['active']
    drawCell(cell, element)
  }

  putOverround(market: Market, bookmaker: string, element: HTMLElement | null): void {
    let elements = this.overrounds.get(market)
    if (element === null) {
      elements?.delete(bookmaker)
      if (elements?.size === 0) this.overrounds.delete(market)
      return
    }
    if (elements === undefined) {
      elements = new Map()
      this.overrounds.set(market, elements)
    }
    elements.set(bookmaker, element)
    drawShare(element, market.overrounds.get(bookmaker))
  }

  putBest(market: Market, element: HTMLElement | null): void {
    if (element === null) this.bests.delete(market)
    else {
      this.bests.set(market, element)
      drawShare(element, market.bestOverround)
    }
  }

  putBestPrice(row: Row, element: HTMLElement | null): void {
    if (element === null) this.bestPrices.delete(row)
    else {
      this.bestPrices.set(row, element)
      drawBestPrice(row, element)
    }
  }

  cellAt(element: Element): Cell | undefined {
    return this.cellOfElement.get(element)
  }

  /** Marks the cell that the keyboard is at. */
  activate(cell: Cell | undefined): void {
    if (this.active !== undefined) delete this.cells.get(this.active)?.dataset['active']
    this.active = cell
    if (cell === undefined) return
    const element = this.cells.get(cell)
    if (element !== undefined) element.dataset['active'] = ''
  }

  /** Draws what has changed. */
  draw(state: BoardState): void {
    const { cells, markets } = state.takeChanged()
    const at = elapsedMs()
    for (const cell of cells) {
      const element = this.cells.get(cell)
      if (element !== undefined) {
        drawCell(cell, element)
        if (cell.hasStopped) this.flash(element, 'stop', at)
        else if (cell.direction !== 0) this.flash(element, cell.direction > 0 ? 'up' : 'down', at)
      }
      cell.direction = 0
      cell.hasStopped = false
    }
    for (const market of markets) this.drawMarket(market)
    this.endFlashes(at)
  }

  private drawMarket(market: Market): void {
    for (const row of market.rows) {
      const element = this.bestPrices.get(row)
      if (element !== undefined) drawBestPrice(row, element)
    }
    for (const [bookmaker, element] of this.overrounds.get(market) ?? []) {
      drawShare(element, market.overrounds.get(bookmaker))
    }
    const best = this.bests.get(market)
    if (best !== undefined) drawShare(best, market.bestOverround)
  }

  private flash(element: HTMLElement, kind: 'up' | 'down' | 'stop', at: number): void {
    if (element.dataset['flash'] !== kind) element.dataset['flash'] = kind
    const until = at + FLASH_MS
    this.flashingUntil.set(element, until)
    this.flashes.push({ element, until })
  }

  private endFlashes(at: number): void {
    let ended = 0
    for (const { element, until } of this.flashes) {
      if (until > at) break
      ended++
      // It has changed again since.
      if (this.flashingUntil.get(element) === until) delete element.dataset['flash']
    }
    if (ended > 0) this.flashes = this.flashes.slice(ended)
  }
}

const setText = (element: HTMLElement, text: string): void => {
  const node = element.firstChild
  if (node === null) {
    if (text !== '') element.textContent = text
  } else if (node.nodeValue !== text) node.nodeValue = text
}

const drawShare = (element: HTMLElement, share: number | undefined): void => {
  setText(element, share === undefined ? '' : percent(share))
  const isUnder = share !== undefined && share < 0
  if (element.classList.contains('under') !== isUnder) element.classList.toggle('under', isUnder)
}

const drawBestPrice = (row: Row, element: HTMLElement): void =>
  setText(element, row.best === 0 ? '' : oddsText(row.best))

const classOf = ({ status, cause, isBest }: Cell): string =>
  status === 'suspended'
    ? 'cell suspended'
    : status === 'gone'
      ? cause === ''
        ? 'cell'
        : 'cell gone'
      : isBest
        ? 'cell best'
        : 'cell'

// A cell holds an element of fixed size, so that nothing outside moves, and in it the odds and the mark of a suspension.
// What is the same is not written: each write costs style and layout.
const drawCell = (cell: Cell, element: HTMLElement): void => {
  const inner = element.firstElementChild!
  const { status, cause } = cell
  const [mark, sentence] = status === 'open' || (status === 'gone' && cause === '') ? ['', ''] : causeOf(cause)
  setText(inner.firstElementChild as HTMLElement, status === 'gone' && cause === '' ? '' : oddsText(cell.odds))
  setText(inner.lastElementChild as HTMLElement, mark)
  const className = classOf(cell)
  if (element.className !== className) element.className = className
  if (element.title !== sentence) element.title = sentence
}

/** What a cell says to those who do not see it. */
export const cellLabel = (cell: Cell, bookmakerName: string): string => {
  const { market, outcome } = cell.row
  const line = lineText(market.type, market.line)
  const where = `${marketName(market.type)}${line === '' ? '' : ` ${line}`}, ${outcomeName(visibleText(outcome))}`
  const what = `${where}, ${visibleText(bookmakerName)}`
  if (cell.status === 'gone') return `${what}: no price`
  const price = oddsText(cell.odds)
  if (cell.status === 'suspended') return `${what}: ${price}, ${causeOf(cell.cause)[1]}`
  return `${what}: ${price}${cell.isBest ? ', best price' : ''}`
}

/** Calls back in the next frame, and so on, until the returned function is called. */
export const everyFrame = (draw: () => void): (() => void) => {
  let handle = 0
  const step = (): void => {
    draw()
    handle = requestAnimationFrame(step)
  }
  handle = requestAnimationFrame(step)
  return () => cancelAnimationFrame(handle)
}
