// What the passes of a run say together: one value, and how far it may be off.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agree, type Measured, measuredFigures, type Row } from '../../bench/figures.ts'
import { ratio, spread } from '../../bench/report.ts'
import type { Figure } from '../../bench/targets.ts'
import { SeededRandom } from '../../src/source/simulator/random.ts'

const figure = (at: string, more: Partial<Figure> = {}): Figure => ({ name: 'a figure', at, better: 'more', ...more })

const pooled = (passes: readonly Row[], of: Figure): Measured =>
  measuredFigures(
    passes.map((row) => [row]),
    [of],
  )[0]!

/** A ratio of a process that had these rounds. */
const pass = (...rounds: number[]): Row => ratio('byCpu', rounds, [1])

test('the rounds of all passes make the value; its noise is the width of what the passes gave', () => {
  const { value, rounds, span } = pooled(
    [pass(0.8, 0.81, 0.82), pass(0.9, 0.91, 0.92), pass(1, 1.01, 1.02)],
    figure('byCpu'),
  )
  assert.equal(value, 0.91)
  assert.equal(rounds!.length, 9)
  assert.deepEqual(span, [0.71, 1.11])
})

test('two passes say less of what differs between them', () => {
  assert.deepEqual(pooled([pass(0.9), pass(1)], figure('byCpu')).span, [0.75, 1.15])
})

test('of one pass, what equal runs differed by is its noise, unless its rounds differ more', () => {
  const of = figure('byCpu', { betweenRuns: 0.2 })
  assert.deepEqual(pooled([pass(0.99, 1, 1.01)], of).span, [0.8, 1.2])
  assert.deepEqual(pooled([pass(1)], of).span, [0.8, 1.2])
  assert.deepEqual(pooled([pass(0.5, 1, 1.5)], of).span, [0.5, 1.5])
  assert.deepEqual(pooled([pass(1), pass(1), pass(1)], of).span, [0.975, 1.02])
  const worst = figure('max', { isWorst: true, better: 'less', betweenRuns: 0.4 })
  assert.deepEqual(pooled([{ max: 5, maxRounds: [4.5, 5] }], worst).span, [3, 7])
})

test('one that went astray does not widen what many rounds leave open, and calm ones say no more than three percent', () => {
  const calm = [0.99, 0.991, 0.992, 0.993, 0.994, 0.995, 0.996, 0.997]
  const [least, most] = pooled([pass(...calm, 3)], figure('byCpu')).span!
  assert(most - least < 0.06, `${least} to ${most}`)
  assert(most - least > 0.04, `${least} to ${most}`)
  assert.deepEqual(pooled([pass(0.5, 1, 1.5)], figure('byCpu')).span, [0.5, 1.5])
})

test('a median has its rounds beside it, a single value none and no noise', () => {
  const { value, span } = pooled([{ ns: spread([80, 100, 120]) }], figure('ns.median'))
  assert.deepEqual([value, span], [100, [80, 120]])
  const single = pooled([{ mb: 70 }], figure('mb'))
  assert.deepEqual([single.value, single.rounds, single.span], [70, undefined, undefined])
  assert.deepEqual(pooled([{ mb: 70 }, { mb: 72 }, { mb: 71 }], figure('mb')).span, [69, 73])
})

test('of a worst case the worst counts, and the width of all is its noise', () => {
  const row = (...maxRounds: number[]): Row => ({ max: Math.max(...maxRounds), maxRounds })
  const { value, span, reached } = pooled(
    [row(4, 9, 5), row(12)],
    figure('max', { isWorst: true, better: 'less', goal: 5 }),
  )
  assert.deepEqual([value, span, reached], [12, [4, 20], false])
})

test('what only some processes have is of those, and what makes one of them doubtful does so for all', () => {
  const rows: Row[] = [{ other: 1 }, { mb: 70, loadLimited: true, lateMs: 3 }, { mb: 74, lost: 2 }]
  const { value, loadLimited, isVoid, lateMs } = pooled(rows, figure('mb'))
  assert.deepEqual([value, loadLimited, isVoid, lateMs], [72, true, true, 3])
})

test('equal runs agree, whether their rounds or their processes differ more; others do not', () => {
  const seed = 11
  const random = new SeededRandom(seed)
  const normal = (): number => Array.from({ length: 12 }, () => random.next()).reduce((sum, value) => sum + value, -6)
  const run = (level: number, between: number, within: number): Measured => {
    const passes = Array.from({ length: 3 }, () => {
      const process = level * (1 + between * normal())
      return pass(...Array.from({ length: 2 }, () => process * (1 + within * normal())))
    })
    return pooled(passes, figure('byCpu'))
  }
  const runs = 1_000
  for (const [between, within] of [
    [0.1, 0.02],
    [0.02, 0.1],
    [0.07, 0.07],
  ] as const) {
    const agreed = (level: number): number =>
      Array.from({ length: runs }, () =>
        agree([run(1, between, within), run(1, between, within), run(level, between, within)]),
      ).filter(Boolean).length
    assert(agreed(1) > 0.93 * runs, `seed ${seed}: ${between}, ${within}`)
    assert(agreed(2.5) < 0.05 * runs, `seed ${seed}: ${between}, ${within}`)
  }
})
