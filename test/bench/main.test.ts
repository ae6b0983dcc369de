// The program that runs the benches: what it takes, and that every target and program of its table is there.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Run } from '../../bench/run.ts'
import { OTHERS, TARGETS } from '../../bench/targets.ts'
import { ROOT } from '../root.ts'

const folder = mkdtempSync(join(tmpdir(), 'oddswire-benches-'))
after(() => rmSync(folder, { recursive: true }))

const bench = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'dist/bench/main.js'), ...args], { encoding: 'utf8' })

test('P1 to P12 are there, each with figures and programs', () => {
  assert.deepEqual(
    TARGETS.map(({ id }) => id),
    Array.from({ length: 12 }, (_, n) => `P${n + 1}`),
  )
  for (const { id, figures, ...forms } of TARGETS) {
    assert(
      figures.some(({ goal }) => goal !== undefined),
      `${id} has no goal`,
    )
    const names = figures.map(({ name, beside, unit }) => [name, beside, unit].join())
    assert.equal(new Set(names).size, names.length, `${id}: two figures of one name`)
    for (const words of [...forms.full, ...(forms.short ?? []), ...forms.smoke]) {
      assert(existsSync(join(ROOT, 'bench', `${words[0]}.ts`)), `${id}: ${words[0]}`)
    }
  }
})

test('every bench can be reached', () => {
  const reached = new Set(
    [...TARGETS, ...OTHERS].flatMap(({ full, smoke }) => [...full, ...smoke].map(([name]) => name)),
  )
  const isBench = (name: string): boolean =>
    /^print\(|\n *print\(\{/.test(readFileSync(join(ROOT, 'bench', name), 'utf8'))
  const missing = readdirSync(join(ROOT, 'bench'))
    .filter((name) => name.endsWith('.ts') && isBench(name))
    .map((name) => name.slice(0, -3))
    .filter((name) => !reached.has(name))
  // Parts of P9 and P10, and the model, which measures nothing.
  assert.deepEqual(missing, ['fill-board', 'load-checkpoint', 'scale'])
})

test('what the program takes is named, what it does not take is refused', () => {
  for (const id of ['P1', 'P12', 'stream']) assert.match(bench('--list').stdout, new RegExp(`^${id} `, 'm'))
  assert.match(bench('--help').stdout, /npm run bench -- p4/)
  for (const [args, why] of [
    [['p13'], /^"p13" is no bench; --list names them$/m],
    [['--fast'], /--fast/],
    [['p8', '--store'], /^--store needs --short, and all targets$/m],
  ] as const) {
    const { status, stderr } = bench(...args)
    assert.equal(status, 2)
    assert.match(stderr, why)
  }
})

test('a target is run alone: a table, and JSON with its rows', () => {
  const file = join(folder, 'p8.json')
  const { status, stdout, stderr } = bench('p8', '--short', '--json', file)
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^P8 +a quote +[\d.]+ B$/m)
  const run = JSON.parse(readFileSync(file, 'utf8')) as Run
  assert.deepEqual(
    run.targets.map(({ id, rows }) => [id, rows.map((row) => row.bench)]),
    [['P8', ['board']]],
  )
  assert.equal(run.form, 'short')
  assert(run.machine.cores > 0 && run.commit !== '' && run.versions.fastify !== '')
})

test('programs are run in their smallest form, those of two targets once', () => {
  const { status, stdout, stderr } = bench('p5', 'p8', 'sports', '--smoke')
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^2 of 2 programs run$/m)
})
