// Where the arrow keys lead in a grid: to the next cell in their direction, over empty places.

import type { Cell, Market, Row } from './board-state.ts'

/** A line of the grid: the head of a market, or one of its outcomes. */
export interface Line {
  readonly market: Market
  readonly row: Row | undefined
}

export interface Place {
  readonly line: number
  readonly column: number
}

export const linesOf = (markets: readonly Market[]): readonly Line[] =>
  markets.flatMap((market) => [{ market, row: undefined }, ...market.rows.map((row) => ({ market, row }))])

const PAGE_LINES = 10

const STEPS: Readonly<Record<string, readonly [lines: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-1, 0],
  PageDown: [1, 0],
  Home: [0, 1],
  End: [0, -1],
}

export const isMove = (key: string): boolean => key in STEPS

export const cellAt = (
  lines: readonly Line[],
  bookmakers: readonly string[],
  { line, column }: Place,
): Cell | undefined => lines[line]?.row?.cells.get(bookmakers[column] ?? '')

/** @returns undefined where there is no cell in that direction */
export const move = (
  lines: readonly Line[],
  bookmakers: readonly string[],
  from: Place,
  key: string,
): Place | undefined => {
  const [down, right] = STEPS[key]!
  let { line, column } = from
  if (key === 'Home') column = -1
  if (key === 'End') column = bookmakers.length
  // A page further, and on from there; where that is beyond the end, back to the last one.
  if (key.startsWith('Page')) {
    line = Math.max(-1, Math.min(lines.length, line + down * PAGE_LINES))
    return next(lines, bookmakers, { line, column }, [down, 0]) ?? next(lines, bookmakers, { line, column }, [-down, 0])
  }
  return next(lines, bookmakers, { line, column }, [down, right])
}

const next = (
  lines: readonly Line[],
  bookmakers: readonly string[],
  from: Place,
  [down, right]: readonly [number, number],
): Place | undefined => {
  let { line, column } = from
  for (;;) {
    line += down
    column += right
    if (line < 0 || line >= lines.length || column < 0 || column >= bookmakers.length) return undefined
    if (cellAt(lines, bookmakers, { line, column }) !== undefined) return { line, column }
  }
}
