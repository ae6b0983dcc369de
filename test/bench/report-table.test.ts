// From the JSON of runs to tables and plots: two invented runs (runs.json), read by the program as it is started.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SaxesParser } from 'saxes'
import { svgOf } from '../../bench/plot.ts'
import { ROOT } from '../root.ts'

const folder = mkdtempSync(join(tmpdir(), 'oddswire-report-'))
after(() => rmSync(folder, { recursive: true }))

const files = (JSON.parse(readFileSync(join(ROOT, 'test/bench/runs.json'), 'utf8')) as unknown[]).map((run, n) => {
  const file = join(folder, `run-${n}.json`)
  writeFileSync(file, JSON.stringify(run))
  return file
})

const report = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'dist/bench/report-table.js'), ...args], { encoding: 'utf8' })

const written = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** Reads a document as XML; a fault throws. */
const checkXml = (text: string): void => {
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.write(text).close()
}

test('the tables stand between the markers, and nothing else has changed', () => {
  const before = 'before\n\n<!-- benches: begin -->\nfigures of before\n<!-- benches: end -->\n\nbehind\n'
  mkdirSync(join(folder, 'docs'), { recursive: true })
  for (const name of ['README.md', 'docs/benchmarks.md']) writeFileSync(join(folder, name), before)
  // Twice: what was written is replaced.
  for (let pass = 0; pass < 2; pass++) assert.equal(report(...files, '--write', '--into', folder).status, 0)
  const readme = written('README.md')
  assert.match(readme, /^before\n\n<!-- benches: begin -->\n\n\|[^]*\n\n<!-- benches: end -->\n\nbehind\n$/)
  assert(!readme.includes('figures of before'))
  assert.equal(readme.match(/^\| P1 \|/gm)?.length, 1)
  assert(
    readme.includes(
      '| unlimited plan ≥ 0.95: 0.9 · 0.954 × bare uWebSockets.js (8.6 µs)<br>limited plan ≥ 0.85: **0.86 · 0.86** × bare',
    ),
  )
  assert(readme.includes('| p99 at 20 000 requests/s ≤ 4100 µs: 4000 · 4240 µs |'))
  assert(readme.includes('known, 100 k ≥ 12 M/s: **29.4 · 29.4 M/s**'))
  assert(readme.includes('The runs agree within their noise in 5 of 6 figures.'))
  assert.match(readme, /2 runs at 0123456789 on 2 cores of Invented Processor, Node 20\.20\.2/)
  const note = written('docs/benchmarks.md')
  assert.match(
    note,
    /^\| \*\*P1\*\* .*unlimited plan \| 0\.9 · 0\.954 \| ± 4 % \| ≥ 0\.95 \| 1 of 2 \| 9\.5 µs \| bare .*: 8\.6 µs \|  \|$/m,
  )
  // Its rounds are apart, and its medians by 6 %.
  assert.match(note, /4000 µs · 4240 µs \| ± 3 % \|.*\| the runs do not agree/)
  assert.match(note, /\| load at its limit, 2 % of the load late, by up to 3\.2 ms \|$/m)
  assert.match(note, /!\[.*\]\(latency\.svg\)\n!\[.*\]\(growth\.svg\)/)
  for (const line of note.split('\n').filter((each) => each.startsWith('|')))
    assert.equal(line.split(' | ').length, 8, line)
})

test('the plots are SVG, with a line for each series', () => {
  for (const [name, lines, words] of [
    ['latency.svg', 6, ['20 000 SEND/s × 50', 'p99.9', '… a bare relay']],
    ['growth.svg', 6, ['rendered as a message', '10 M', '… bare arrays']],
  ] as const) {
    const svg = written(`docs/${name}`)
    checkXml(svg)
    assert.equal(svg.match(/stroke-width="2"/g)?.length, lines, name)
    for (const word of words) assert(svg.includes(`>${word}<`), `${name}: ${word}`)
    assert(!svg.includes('NaN'), name)
  }
})

test('names in a plot are escaped, and stand apart', () => {
  const svg = svgOf({
    title: '<&>',
    yName: 'µs',
    xTicks: [
      [0, 'a'],
      [1, 'b'],
    ],
    series: [1, 1.01].map((y) => ({
      name: `of ${y}`,
      points: [
        [0, y],
        [1, y],
      ],
    })),
  })
  checkXml(svg)
  assert(svg.includes('&lt;&amp;&gt;'))
  const [first, second] = [...svg.matchAll(/y="([\d.]+)"[^>]*>of /g)].map(([, y]) => Number(y))
  assert(Math.abs(first! - second!) >= 12)
})

test('without --write the tables are printed, without a file nothing is', () => {
  const { status, stdout } = report(files[0]!)
  assert.equal(status, 0)
  assert.match(stdout, /^1 run at /)
  const nothing = report()
  assert.equal(nothing.status, 2)
  assert.match(nothing.stderr, /^name the JSON of one run or more/)
})

test('a file without markers is left as it is, and named', () => {
  writeFileSync(join(folder, 'README.md'), 'no markers\n')
  const { status, stderr } = report(files[0]!, '--write', '--into', folder)
  assert.equal(status, 1)
  assert.match(stderr, /README\.md has no line/)
  assert.equal(written('README.md'), 'no markers\n')
})
