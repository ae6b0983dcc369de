// What commands print of lists: a table and a summary on a terminal, else one JSON object a line.

export type Cell = string | number | boolean | null | readonly string[]

/** One line of a list; `id` comes first. */
export type Row = { readonly id: string } & Readonly<Record<string, Cell>>

/** The same as people read it: the keys are the headings, and all rows have the same. */
export type TableRow = Readonly<Record<string, Cell>>

/** For `--help` of commands that print lists. */
export const LIST_HELP = 'A table on a terminal, else one JSON object a line; --json: JSON on a terminal, too.'

/** Where the terminal does not say how wide it is. */
const USUAL_WIDTH = 80

/** No column becomes narrower than this, so that what is in it can still be guessed. */
const LEAST_WIDTH = 8

const GAP = '  '

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/

const textOf = (cell: Cell | undefined): string => {
  if (cell === null || cell === undefined) return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  const text = Array.isArray(cell) ? cell.join(',') : String(cell)
  // Texts of sources may hold what would move the cursor or colour the terminal.
  return (text || '-').replace(TIME, '$1 $2Z').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

const NARROW = /^[\u0020-\u02ff]*$/
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u

/** Columns of a terminal: none for an accent that is a character of its own, two for letters of East Asia. */
const widthOf = (text: string): number => {
  if (NARROW.test(text)) return text.length
  let width = 0
  for (const letter of text) width += /\p{M}/u.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1
  return width
}

/** At most `width` columns wide. */
const clipped = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let shown = ''
  let left = width - 1
  for (const letter of text) {
    left -= widthOf(letter)
    if (left < 0) break
    shown += letter
  }
  return `${shown}…`
}

const padded = (text: string, width: number, isNumber = false): string => {
  const shown = clipped(text, width)
  const blanks = ' '.repeat(width - widthOf(shown))
  return isNumber ? blanks + shown : shown + blanks
}

/** Makes the widest columns narrower until all fit, or none may become narrower. */
const narrowed = (widths: readonly number[], leasts: readonly number[], width: number): number[] => {
  const fit = [...widths]
  let excess = fit.reduce((sum, each) => sum + each, GAP.length * (fit.length - 1)) - width
  for (; excess > 0; excess--) {
    const widest = Math.max(...fit.filter((each, column) => each > leasts[column]!))
    const column = fit.findIndex((each, at) => each === widest && each > leasts[at]!)
    if (column === -1) break
    fit[column]! -= 1
  }
  return fit
}

/** The widths of the columns; undefined where they do not fit. The first one names the row, and is the last to be short. */
const fitted = (widths: readonly number[], width: number): number[] | undefined => {
  const leasts = widths.map(() => LEAST_WIDTH)
  const fit = narrowed(narrowed(widths, leasts.with(0, Math.max(LEAST_WIDTH, width >> 1)), width), leasts, width)
  return fit.reduce((sum, each) => sum + each, GAP.length * (fit.length - 1)) <= width ? fit : undefined
}

const isNumbers = (cells: readonly Cell[]): boolean =>
  cells.every((cell) => cell === null || typeof cell === 'number') && cells.some((cell) => cell !== null)

/** Where a terminal is too narrow for the columns: a line for each cell, and an empty one between rows. */
const recordsOf = (names: readonly string[], rows: readonly (readonly string[])[], width: number): string[] => {
  const nameWidth = Math.min(Math.max(...names.map(widthOf)), Math.max(1, (width >> 1) - GAP.length))
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.map((text, column) => clipped(`${padded(names[column]!, nameWidth)}${GAP}${text}`, width)),
  ])
}

/** The lines of a table, with the headings above; numbers are aligned to the right. None is wider than `width`. */
export const tableOf = (rows: readonly TableRow[], width: number): string[] => {
  const names = Object.keys(rows[0] ?? {})
  if (names.length === 0) return ['']
  const cells = rows.map((row) => names.map((name) => textOf(row[name])))
  const lines = [names, ...cells]
  const widths = fitted(
    names.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column]!)))),
    width,
  )
  if (widths === undefined) return recordsOf(names, cells, width)
  const numbers = names.map((name) => isNumbers(rows.map((row) => row[name] ?? null)))
  return lines.map((line) =>
    line
      .map((text, column) => padded(text, widths[column]!, numbers[column]!))
      .join(GAP)
      .trimEnd(),
  )
}

/** Text in lines of at most `width` columns, broken at blanks; a longer word has a line, or several, of its own. */
export const wrapped = (text: string, width: number): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of textOf(text).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const letter of word) {
      if (line !== '' && widthOf(line + letter) > width) {
        lines.push(line)
        line = ''
      }
      line += letter
    }
  }
  return [...lines, line]
}

/** Rows of which the last cell is a text for people: it is wrapped beside the others, never shortened. */
export const textRowsOf = (rows: readonly (readonly string[])[], width: number): string[] => {
  const heads = (rows[0] ?? []).slice(0, -1).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]!))))
  const indent = heads.reduce((sum, each) => sum + each + GAP.length, 0)
  const left = Math.max(LEAST_WIDTH, width - indent)
  return rows.flatMap((row) =>
    wrapped(row.at(-1)!, left).map((line, at) =>
      `${heads.map((head, column) => padded(at === 0 ? row[column]! : '', head) + GAP).join('')}${line}`.trimEnd(),
    ),
  )
}

/** How many columns the terminal has. */
export const terminalWidth = (): number => process.stdout.columns || USUAL_WIDTH

/** Whether lists are printed for people. @param json `--json` was given */
export const isForPeople = (json: boolean): boolean => process.stdout.isTTY && !json

export interface Printing {
  /** JSON on a terminal, too. */
  readonly json?: boolean
  /** The table, where it has other columns than the JSON. */
  readonly table?: readonly TableRow[] | undefined
  /** Lines below the table. */
  readonly summary?: readonly string[]
}

/** Prints a list. */
export const printRows = (rows: readonly Row[], { json = false, table = rows, summary = [] }: Printing = {}): void => {
  const lines = isForPeople(json)
    ? [
        ...(table.length === 0 ? [] : [...tableOf(table, terminalWidth()), '']),
        ...(summary.length === 0 ? [countOf(table.length, 'row')] : summary),
      ]
    : rows.map((row) => JSON.stringify(row))
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

/** `1 source`, `2 sources`. */
export const countOf = (count: number, what: string): string =>
  `${count === 0 ? 'no' : count} ${what}${count === 1 ? '' : 's'}`

/** `3 live, 1 down`: how many there are of each, in this order; none are left out. */
export const tally = (words: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ')
}
