// Which rows and columns of a grid are drawn: those that are seen and some around them. A page pays for each cell that
// stands in it with every frame, seen or not.

/** From and to (exclusive). */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Drawn beyond what is seen. Ranges begin and end at multiples of it, so that few steps of scrolling draw anew. */
const SPARE = 4

const rangeOf = (start: number, length: number, size: number, count: number): Range => {
  const first = Math.floor(start / size / SPARE) * SPARE - SPARE
  const last = Math.ceil((start + length) / size / SPARE) * SPARE + SPARE
  const to = Math.min(count, Math.max(0, last))
  return { from: Math.max(0, Math.min(first, to)), to }
}

export interface Window {
  readonly rows: Range
  readonly columns: Range
}

export interface Scrolled {
  /** Of what scrolls, in pixels. */
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly rowHeight: number
  readonly columnWidth: number
}

/** @param rows how many there are @param columns the same */
export const windowOf = (
  { left, top, width, height, rowHeight, columnWidth }: Scrolled,
  rows: number,
  columns: number,
): Window => ({
  rows: rangeOf(top, height, rowHeight, rows),
  columns: rangeOf(left, width, columnWidth, columns),
})

export const isSameWindow = (a: Window, b: Window): boolean =>
  a.rows.from === b.rows.from &&
  a.rows.to === b.rows.to &&
  a.columns.from === b.columns.from &&
  a.columns.to === b.columns.to
