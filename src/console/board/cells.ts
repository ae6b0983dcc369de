// The cells of the grid, drawn by hand: once per frame, those that changed and no others. Preact draws the structure.

import { elapsedMs } from '../browser-clock.ts'
import { visibleText } from '../safe-text.ts'
import { causeOf, oddsText, outcomeName, percent } from '../wording.ts'
import type { BoardState, Cell, Market, Row } from './board-state.ts'

/** How long a change is marked. */
const FLASH_MS = 700

interface Flash {
  readonly element: HTMLElement
  readonly until: number
}

/** Elements of a grid by what they show; made anew with its structure. */
export class CellPainter {
  readonly cells = new Map<Cell, HTMLElement>()
  readonly overrounds = new Map<Market, Map<string, HTMLElement>>()
  readonly bests = new Map<Market, HTMLElement>()
  readonly bestPrices = new Map<Row, HTMLElement>()
  private flashes: Flash[] = []
  private readonly flashingUntil = new WeakMap<HTMLElement, number>()

  forget(): void {
    this.cells.clear()
    this.overrounds.clear()
    this.bests.clear()
    this.bestPrices.clear()
  }

  /** Draws everything, without marks of change. */
  drawAll(state: BoardState): void {
    for (const [cell, element] of this.cells) drawCell(cell, element)
    for (const market of state.markets) this.drawMarket(market)
  }

  /** @returns how many cells were drawn */
  draw(state: BoardState): number {
    const { cells, markets } = state.takeChanged()
    const at = elapsedMs()
    for (const cell of cells) {
      const element = this.cells.get(cell)
      if (element === undefined) continue
      drawCell(cell, element)
      if (cell.direction !== 0) this.flash(element, cell.direction > 0 ? 'up' : 'down', at)
      else if (cell.status === 'suspended' && cell.changes > 0) this.flash(element, 'stop', at)
      cell.direction = 0
    }
    for (const market of markets) this.drawMarket(market)
    this.endFlashes(at)
    return cells.length
  }

  private drawMarket(market: Market): void {
    for (const row of market.rows) {
      const element = this.bestPrices.get(row)
      if (element !== undefined) setText(element, row.best === 0 ? '' : oddsText(row.best))
    }
    for (const [bookmaker, element] of this.overrounds.get(market) ?? []) {
      const share = market.overrounds.get(bookmaker)
      setText(element, share === undefined ? '' : percent(share))
    }
    const best = this.bests.get(market)
    if (best === undefined) return
    const share = market.bestOverround
    setText(best, share === undefined ? '' : percent(share))
    best.classList.toggle('under', share !== undefined && share < 0)
  }

  private flash(element: HTMLElement, kind: 'up' | 'down' | 'stop', at: number): void {
    element.dataset['flash'] = kind
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
  if (node === null) element.textContent = text
  else if (node.nodeValue !== text) node.nodeValue = text
}

// A cell holds an element of fixed size, so that nothing outside is laid out anew, and in it the odds and the mark of a
// suspension.
const drawCell = (cell: Cell, element: HTMLElement): void => {
  const inner = element.firstElementChild!
  const odds = inner.firstElementChild as HTMLElement
  const mark = inner.lastElementChild as HTMLElement
  const { status } = cell
  const [short, sentence] = status === 'suspended' ? causeOf(cell.cause) : ['', '']
  setText(odds, status === 'gone' ? '' : oddsText(cell.odds))
  setText(mark, short)
  element.className = status === 'suspended' ? 'cell suspended' : cell.isBest ? 'cell best' : 'cell'
  element.title = sentence
}

/** What a cell says to those who do not see it. */
export const cellLabel = (cell: Cell, bookmakerName: string): string => {
  const what = `${outcomeName(visibleText(cell.row.outcome))} at ${visibleText(bookmakerName)}`
  if (cell.status === 'gone') return `${what}: no price`
  const price = oddsText(cell.odds)
  return cell.status === 'suspended' ? `${what}: ${price}, ${causeOf(cell.cause)[1]}` : `${what}: ${price}`
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
