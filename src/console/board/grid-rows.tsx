// Rows of the grid, with the columns that are drawn.

import type { Signal } from '@preact/signals'
import { textPieces } from '../../domain/safe-text.ts'
import { lineText, marketName, outcomeName } from '../wording.ts'
import { Name } from '../widgets.tsx'
import type { Market, Row } from './board-state.ts'
import type { CellPainter } from './cells.ts'
import type { Place } from './grid-moves.ts'
import { hasOverround } from './overround.ts'

/** Columns that are drawn, out of all. */
export interface Drawn {
  readonly painter: CellPainter
  /** How many come before. */
  readonly from: number
  readonly books: readonly string[]
  /** How many come after. */
  readonly after: number
}

/** Of the element of a cell, for what names it. */
export const placeId = ({ line, column }: Place): string => `cell-${line}-${column}`

/** Columns of labels and best prices come before those of bookmakers; ARIA counts from 1. */
const FIRST_BOOK = 3

const Gap = ({ columns }: { readonly columns: number }) =>
  columns === 0 ? null : <td class="gap" colSpan={columns} aria-hidden="true" />

/** Rows that are not drawn. */
export const Spacer = ({ lines }: { readonly lines: number }) =>
  lines === 0 ? null : (
    <tr class="spacer" aria-hidden="true" style={{ '--lines': lines }}>
      <td />
    </tr>
  )

const HEALTH_NOTES: Readonly<Record<string, string>> = { starting: 'starting', late: 'late', down: 'down' }

export const GridHead = ({
  drawn: { books, from, after },
  names,
  health,
}: {
  readonly drawn: Drawn
  readonly names: Signal<ReadonlyMap<string, string>>
  readonly health: Signal<ReadonlyMap<string, string>>
}) => (
  <thead>
    <tr aria-rowindex={1}>
      <th scope="col" class="corner" aria-colindex={1}>
        Market
      </th>
      <th scope="col" class="best-column" aria-colindex={2}>
        Best
      </th>
      <Gap columns={from} />
      {books.map((bookmaker, place) => {
        const state = health.value.get(bookmaker) ?? 'live'
        const note = HEALTH_NOTES[state] ?? ''
        return (
          <th
            scope="col"
            key={bookmaker}
            class={`book ${state}`}
            title={note === '' ? bookmaker : `${bookmaker}: its source is ${note}`}
            aria-colindex={FIRST_BOOK + from + place}
          >
            <span class="book-name">
              <Name text={names.value.get(bookmaker) ?? bookmaker.replaceAll('_', ' ')} />
            </span>
            {note === '' ? null : <span class="health">{note}</span>}
          </th>
        )
      })}
      <Gap columns={after} />
    </tr>
  </thead>
)

export const HeadRow = ({
  market,
  line,
  drawn: { painter, books, from, after },
}: {
  readonly market: Market
  readonly line: number
  readonly drawn: Drawn
}) => {
  const isSummed = hasOverround(market.type)
  return (
    <tr class="market" aria-rowindex={line + 2}>
      <th scope="row" aria-colindex={1}>
        <div class="market-label">
          <span class="market-name">{marketName(market.type)}</span>
          {market.line === null ? null : <span class="line"> {lineText(market.type, market.line)}</span>}
        </div>
      </th>
      <td class="best-column" title={isSummed ? 'Overround of the best prices' : undefined} aria-colindex={2}>
        {isSummed ? <span class="overround" ref={(element) => painter.putBest(market, element)} /> : null}
      </td>
      <Gap columns={from} />
      {books.map((bookmaker, place) => (
        <td key={bookmaker} aria-colindex={FIRST_BOOK + from + place}>
          {isSummed ? (
            <span class="overround" ref={(element) => painter.putOverround(market, bookmaker, element)} />
          ) : null}
        </td>
      ))}
      <Gap columns={after} />
    </tr>
  )
}

export const OutcomeRow = ({
  row,
  line,
  drawn: { painter, books, from, after },
}: {
  readonly row: Row
  readonly line: number
  readonly drawn: Drawn
}) => (
  <tr aria-rowindex={line + 2}>
    <th scope="row" aria-colindex={1}>
      {textPieces(row.outcome).some(({ isMark }) => isMark) ? (
        <Name text={row.outcome} />
      ) : (
        <bdi>{outcomeName(row.outcome)}</bdi>
      )}
    </th>
    <td class="best-column" aria-colindex={2}>
      <span class="best-price" ref={(element) => painter.putBestPrice(row, element)} />
    </td>
    <Gap columns={from} />
    {books.map((bookmaker, place) => {
      const cell = row.cells.get(bookmaker)
      const column = from + place
      return cell === undefined ? (
        <td key={bookmaker} aria-colindex={FIRST_BOOK + column} />
      ) : (
        <td
          key={bookmaker}
          id={placeId({ line, column })}
          class="cell"
          tabIndex={-1}
          aria-colindex={FIRST_BOOK + column}
          ref={(element) => painter.putCell(cell, element)}
        >
          <div>
            <span class="odds" />
            <span class="cause" />
          </div>
        </td>
      )
    })}
    <Gap columns={after} />
  </tr>
)
