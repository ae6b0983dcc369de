// The benches run from what is in the repository: what else they could measure is left out with a line, and is no failure.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ROOT } from './root.ts'

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-test-'))
after(() => rmSync(folder, { recursive: true }))

// A machine on which nothing is installed but Node and a shell.
symlinkSync(process.execPath, join(folder, 'node'))
symlinkSync('/bin/sh', join(folder, 'sh'))

const run = (bench: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist', 'bench', bench), ...args], {
    encoding: 'utf8',
    env: { PATH: folder, TMPDIR: folder },
    cwd: folder,
  })
  assert.equal(status, 0, stderr)
  assert.ok(!stderr.includes('    at '), stderr)
  return { stdout, lines: stderr.split('\n').filter((line) => line !== '') }
}

test('normalisers are measured on our own fixtures where no recorded payloads are', () => {
  const { stdout, lines } = run('normalise.js', '--rounds', '1', '--data', join(folder, 'nothing'))
  assert.equal(lines.length, 1)
  assert.match(lines[0]!, /^every recorded payload is left out: .* is not here$/)
  const { rows } = JSON.parse(stdout) as { rows: { payload: string }[] }
  const formats = ['the-odds-api', 'kambi', 'pinnacle', 'betfair', 'txline', 'uof', 'observations']
  assert.deepEqual(
    rows.map(({ payload }) => payload.split('/').slice(0, 2).join('/')),
    formats.map((format) => `fixtures/${format}`),
  )
})

test('benches without the programs that load them say so, and end well', () => {
  for (const [bench, missing] of [
    ['http.js', 'gcc'],
    ['live.js', 'gcc'],
    ['connections.js', 'gcc'],
  ] as const) {
    const { stdout, lines } = run(bench)
    assert.equal(stdout, '')
    assert.equal(lines.length, 1, lines.join('\n'))
    assert.match(lines[0]!, new RegExp(`^bench/${bench.slice(0, -3)} is left out: .*\\(${missing}\\)$`))
  }
})

test('what the log costs is measured on few turns, too', () => {
  for (const [bench, ...args] of [
    ['log-codec.js', '--rounds', '1', '--books', '400'],
    ['log-write.js', '--rounds', '1', '--sends', '1000', '--folder', folder],
  ] as const) {
    const { stdout, lines } = run(bench, ...args)
    assert.deepEqual(lines, [], bench)
    assert.equal((JSON.parse(stdout) as { readonly bench: string }).bench, bench.slice(0, -3))
  }
})

test('what one client may ask for is measured on a small board, too', () => {
  const { stdout, lines } = run('budgets.js', '--quotes', '3000')
  assert.deepEqual(lines, [])
  const result = JSON.parse(stdout) as Record<string, { readonly turns?: number }>
  for (const part of ['heldPrices', 'subscribeFlood', 'snapshot', 'snapshotOfFewTypes', 'snapshotMsgpack']) {
    assert(result[part]!.turns! > 0, part)
  }
})

test('shares of sports are measured in a short simulation, and without a recording', () => {
  const { stdout, lines } = run('sports.js', '--seconds', '5', '--data', join(folder, 'nothing'))
  assert.deepEqual(lines.length, 1, lines.join('\n'))
  assert.match(lines[0]!, /^the-odds-api\/snapshot\.csv\.gz is left out: /)
  const { rows } = JSON.parse(stdout) as { rows: { sports: { quotes: number; changes: number }[] }[] }
  const { sports } = rows[0]!
  for (const share of ['quotes', 'changes'] as const) {
    const sum = sports.reduce((all, each) => all + each[share], 0)
    assert(Math.abs(sum - 1) < 0.01, `${share}: ${sum}`)
  }
})

test('the stream is left out where there is no Redis', () => {
  for (const bench of ['stream', 'beats']) {
    const { stdout, lines } = run(`${bench}.js`)
    assert.equal(stdout, '')
    assert.deepEqual(lines, [`bench/${bench} is left out: redis-server is not installed`])
  }
})
