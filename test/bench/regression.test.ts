// What counts as a regression: a median that moved by more than the noise of both sides explains.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Measured, measuredFigures, type Row } from '../../bench/figures.ts'
import { compare, FLOOR, nameOf, noiseOf, storedFigures, storedOfOne } from '../../bench/regression.ts'
import { ratio } from '../../bench/report.ts'
import type { Figure } from '../../bench/targets.ts'
import { SeededRandom } from '../../src/source/simulator/random.ts'

const figure = (rounds: readonly number[], more: Partial<Measured> = {}): Measured => ({
  name: 'by CPU',
  beside: 'a ceiling',
  value: rounds.toSorted((a, b) => a - b)[rounds.length >>> 1]!,
  rounds,
  better: 'more',
  loadLimited: false,
  isVoid: false,
  lateShare: 0,
  lateMs: 0,
  ...more,
})

const targets = (...figures: Measured[]) => [{ id: 'P1', figures }]

/** The comparison of one figure with some stored runs of it. */
const compared = (now: Measured, ...before: Measured[]) => {
  const stored = storedFigures(before.map((each) => targets(each)))
  const [comparison] = compare('P1', [now], stored)
  return comparison
}

const CALM = [0.9, 0.901, 0.902, 0.899, 0.9]

test('a change within the floor is none, one beyond it is', () => {
  const by = (share: number) => compared(figure(CALM.map((value) => value * (1 + share))), figure(CALM))!
  assert.equal(by(0).tolerance, FLOOR)
  assert.equal(by(-FLOOR + 0.005).isWorse, false)
  assert.equal(by(-FLOOR - 0.005).isWorse, true)
  assert.equal(by(1).isWorse, false)
})

test('of a figure that should be small, more is worse', () => {
  const less = (rounds: readonly number[]) => figure(rounds, { better: 'less' })
  assert.equal(compared(less([2, 2, 2, 2, 2]), less([1, 1, 1, 1, 1]))!.isWorse, true)
  assert.equal(compared(less([1, 1, 1, 1, 1]), less([2, 2, 2, 2, 2]))!.isWorse, false)
})

test('the noise of either side widens the tolerance, and one round that went astray does not', () => {
  const noisy = [0.7, 0.8, 0.9, 1, 1.1]
  assert(compared(figure(CALM), figure(noisy))!.tolerance > 0.2)
  assert(compared(figure(noisy), figure(CALM))!.tolerance > 0.2)
  assert.equal(compared(figure([0.1, ...CALM.slice(1)]), figure(CALM))!.tolerance, FLOOR)
})

test('the noise from run to run is in what is stored', () => {
  const runs = [0.8, 0.9, 1].map((level) => figure(CALM.map((value) => value * level)))
  const stored = storedFigures(runs.map((each) => targets(each)))[nameOf('P1', runs[0]!)]!
  assert.equal(stored.runs, 3)
  assert(stored.noise > 0.1, String(stored.noise))
  assert(noiseOf(CALM) < 0.01)
})

test('one run in the place of stored ones is as noisy as those were from run to run', () => {
  const row = storedFigures([0.8, 0.9, 1].map((level) => targets(figure(CALM.map((value) => value * level)))))
  const name = nameOf('P1', figure(CALM))
  const noise = (run: Measured): number => storedOfOne(targets(run), row)[name]!.noise
  assert.equal(noise(figure(CALM)), row[name]!.noise)
  assert(noise(figure([0.1, 0.5, 0.9, 1.3, 1.7])) > row[name]!.noise)
  assert.equal(storedOfOne(targets(figure(CALM)), {})[name]!.noise, storedFigures([targets(figure(CALM))])[name]!.noise)
})

test('equal programs are seldom called worse, one that is far slower always is', () => {
  const seed = 5
  const random = new SeededRandom(seed)
  // Of a normal distribution, near enough: the sum of twelve.
  const normal = (): number => Array.from({ length: 12 }, () => random.next()).reduce((sum, value) => sum + value, -6)
  /** Rounds of a run: as noisy among themselves as runs are. */
  const draw = (level: number): Measured => {
    const run = level * (1 + 0.05 * normal())
    return figure(Array.from({ length: 5 }, () => run * (1 + 0.05 * normal())))
  }
  let alarms = 0
  const runs = 1_000
  for (let run = 0; run < runs; run++) {
    const before = [draw(1), draw(1), draw(1)]
    if (compared(draw(1), ...before)!.isWorse) alarms++
    assert.equal(compared(draw(0.3), ...before)!.isWorse, true, `seed ${seed}, run ${run}`)
  }
  assert(alarms < runs / 10, `${alarms} of ${runs}`)
})

test('fewer than five rounds are not compared, but a figure with a floor is', () => {
  assert.equal(compared(figure(CALM.slice(1)), figure(CALM.slice(1))), undefined)
  const { rounds: _, ...memory } = figure([56], { better: 'less', floor: 0.05 })
  assert.equal(compared({ ...memory, value: 60 }, memory)!.isWorse, true)
  assert.equal(compared({ ...memory, value: 57 }, memory)!.isWorse, false)
})

test('a figure that is not stored, or that is void, is not compared', () => {
  assert.deepEqual(compare('P1', [figure(CALM)], {}), [])
  const half = figure(CALM.map((value) => value / 2))
  assert.equal(compared(half, figure(CALM))!.isWorse, true)
  assert.equal(compared({ ...half, isVoid: true }, figure(CALM)), undefined)
  assert.equal(compared(half, { ...figure(CALM), isVoid: true }), undefined)
})

const ROWS: readonly Row[] = [
  { bench: 'other' },
  {
    bench: 'live',
    results: [
      { id: 'P7', rate: 1, to: { p50: 7 } },
      {
        id: 'P7',
        rate: 2,
        to: ratio('p50', [2, 4, 6], [4, 4, 4]),
        lost: { oddswire: 0, peer: 3 },
        lateMs: { oddswire: 1.5, peer: 0.2 },
        loadLimited: { oddswire: false, peer: true },
      },
    ],
    sizes: [{ n: 1 }, { n: 2 }],
  },
]

const read = (at: string, more: Partial<Figure> = {}): Measured | undefined =>
  measuredFigures([ROWS], [{ name: 'a figure', at, better: 'less', ...more }])[0]

test('a figure is found by its place, with its rounds and what makes it doubtful', () => {
  const found = read('results[id=P7][rate=2].to.p50', { goal: 1, other: 'sizes[last].n' })!
  assert.equal(found.value, 1)
  assert.deepEqual(found.rounds, [0.5, 1, 1.5])
  assert.equal(found.reached, true)
  assert.equal(found.other, 2)
  assert.deepEqual([found.isVoid, found.loadLimited, found.lateMs], [true, true, 1.5])
  assert.deepEqual([read('results[id=P7].to.p50')!.value, read('results[id=P7].to.p50')!.isVoid], [7, false])
})

test('a place where nothing is gives no figure', () => {
  for (const at of ['nothing', 'results[id=P8].to', 'results.to', 'bench.p50', 'sizes[last].n.m', 'bench']) {
    assert.equal(read(at), undefined, at)
  }
})
