// Prints which line of the contract is tested in which version over which carrier, as a Markdown table.

import { COMBINATIONS, ELSEWHERE, LINES } from './conformance-lines.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const rows = [
  row(['LIVE', 'line', 'cases', ...COMBINATIONS]),
  row(['---', '---', '--:', ...COMBINATIONS.map(() => ':-:')]),
  ...LINES.map(({ section, line, cases, combinations }) =>
    row([section, cell(line), String(cases), ...COMBINATIONS.map((each) => (combinations.has(each) ? '✓' : ''))]),
  ),
  ...ELSEWHERE.map(([line, where]) => row(['', `${cell(line)} (${where})`, '', ...COMBINATIONS.map(() => '')])),
]

process.stdout.write(`${rows.join('\n')}\n`)
