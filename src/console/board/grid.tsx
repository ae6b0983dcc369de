// The grid of an event: markets down, bookmakers across. Drawn by Preact when rows or columns come and go, and cell by cell
// otherwise (cells.ts).

import type { Signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { textPieces } from '../safe-text.ts'
import { lineText, marketName, outcomeName } from '../wording.ts'
import { Name } from '../widgets.tsx'
import type { BoardState, Cell, Market, Row } from './board-state.ts'
import { CellPainter, everyFrame } from './cells.ts'
import { hasOverround } from './overround.ts'

export interface GridProps {
  readonly state: BoardState
  /** Makes Preact draw anew: the structure of the state that is on the page. */
  readonly structure: Signal<number>
  readonly nameOf: (bookmaker: string) => string
  /** `live` where its source is well, or not known. */
  readonly healthOf: (bookmaker: string) => string
  readonly chosen: Signal<Cell | undefined>
  /** Cells that were drawn, for the rate. */
  readonly onDrawn: (cells: number) => void
}

export const Grid = ({ state, structure, nameOf, healthOf, chosen, onDrawn }: GridProps) => {
  const painter = useMemo(() => new CellPainter(), [state])
  const table = useRef<HTMLTableElement>(null)
  const drawnStructure = structure.value
  painter.forget()

  useEffect(() => {
    painter.drawAll(state)
    keepOneTabStop(table.current)
  }, [state, drawnStructure])

  useEffect(
    () =>
      everyFrame(() => {
        if (state.structure !== structure.peek()) structure.value = state.structure
        onDrawn(painter.draw(state))
      }),
    [state],
  )

  const choose = (event: Event): void => {
    const element = (event.target as HTMLElement).closest<HTMLElement>('td.cell')
    if (element === null) return
    for (const [cell, known] of painter.cells) if (known === element) chosen.value = cell
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      choose(event)
      return
    }
    if (moveFocus(table.current, event)) event.preventDefault()
  }

  const { bookmakers, markets } = state
  return (
    <div class="grid-scroll">
      <table
        class="grid"
        style={{ '--books': bookmakers.length }}
        role="grid"
        aria-label="Odds"
        ref={table}
        onClick={choose}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr>
            <th scope="col" class="corner">
              Market
            </th>
            <th scope="col" class="best-column">
              Best
            </th>
            {bookmakers.map((bookmaker) => (
              <th scope="col" key={bookmaker} class={`book ${healthOf(bookmaker)}`} title={bookmaker}>
                <Name text={nameOf(bookmaker)} />
              </th>
            ))}
          </tr>
        </thead>
        {markets.map((market) => (
          <MarketRows key={market.key} market={market} bookmakers={bookmakers} painter={painter} />
        ))}
      </table>
    </div>
  )
}

interface MarketProps {
  readonly market: Market
  readonly bookmakers: readonly string[]
  readonly painter: CellPainter
}

const MarketRows = ({ market, bookmakers, painter }: MarketProps) => {
  const overrounds = new Map<string, HTMLElement>()
  painter.overrounds.set(market, overrounds)
  return (
    <tbody>
      <tr class="market">
        <th scope="rowgroup">
          {marketName(market.type)} <span class="line">{lineText(market.type, market.line)}</span>
        </th>
        <td class="best-column" title="Overround of the best prices">
          {hasOverround(market.type) ? (
            <span class="overround" ref={(element) => void (element && painter.bests.set(market, element))} />
          ) : null}
        </td>
        {bookmakers.map((bookmaker) => (
          <td key={bookmaker}>
            <span class="overround" ref={(element) => void (element && overrounds.set(bookmaker, element))} />
          </td>
        ))}
      </tr>
      {market.rows.map((row) => (
        <OutcomeRow key={row.outcome} row={row} bookmakers={bookmakers} painter={painter} />
      ))}
    </tbody>
  )
}

interface RowProps {
  readonly row: Row
  readonly bookmakers: readonly string[]
  readonly painter: CellPainter
}

const OutcomeRow = ({ row, bookmakers, painter }: RowProps) => (
  <tr>
    <th scope="row">
      {textPieces(row.outcome).some(({ isMark }) => isMark) ? (
        <Name text={row.outcome} />
      ) : (
        <bdi>{outcomeName(row.outcome)}</bdi>
      )}
    </th>
    <td class="best-column">
      <span class="best-price" ref={(element) => void (element && painter.bestPrices.set(row, element))} />
    </td>
    {bookmakers.map((bookmaker) => {
      const cell = row.cells.get(bookmaker)
      return cell === undefined ? (
        <td key={bookmaker} />
      ) : (
        <td
          key={bookmaker}
          class="cell"
          tabIndex={-1}
          ref={(element) => void (element && painter.cells.set(cell, element))}
        >
          <div>
            <span class="odds" />
            <span class="cause" />
          </div>
        </td>
      )
    })}
  </tr>
)

/** Tab enters the grid at one cell; arrows move within it. */
const keepOneTabStop = (table: HTMLTableElement | null): void => {
  if (table === null || table.querySelector('td.cell[tabindex="0"]') !== null) return
  table.querySelector<HTMLElement>('td.cell')?.setAttribute('tabindex', '0')
}

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** To the next cell in the direction of the key, over empty ones. @returns whether the key is one of the arrows */
const moveFocus = (table: HTMLTableElement | null, { key }: KeyboardEvent): boolean => {
  const step = STEPS[key]
  const from = document.activeElement as HTMLTableCellElement | null
  const line = from?.closest('tr')
  if (step === undefined || table === null || from === null || line === null || line === undefined) return false
  const [rows, columns] = step
  let row = line.rowIndex
  let column = from.cellIndex
  for (;;) {
    row += rows
    column += columns
    const cells = table.rows[row]?.cells
    if (cells === undefined || column < 0 || column >= table.rows[0]!.cells.length) return true
    const next = cells[column]
    if (next?.classList.contains('cell') !== true) continue
    from.setAttribute('tabindex', '-1')
    next.setAttribute('tabindex', '0')
    next.focus()
    return true
  }
}
