// Tables for people: aligned columns on a terminal, and Markdown.

import { rounded } from './report.ts'

/** Lines of columns as wide as their widest cell; the last one is not padded. */
export const alignedTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** A number in three digits, with its unit; ratios have none. Thousands stand apart from 10 000 on. */
export const shown = (value: number, unit?: string): string => {
  const number = rounded(value)
  const text = number >= 10_000 ? String(number).replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ' ') : String(number)
  return unit === undefined ? text : `${text} ${unit}`
}
