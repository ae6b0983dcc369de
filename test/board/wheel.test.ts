import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Wheel } from '../../src/board/wheel.ts'
import { Random, SEED } from '../random.ts'
import { slotsOf } from './invariants.ts'

const START = 1_790_000_000_000
const DAY_MS = 86_400_000

test('the wheel equals a sorted list of deadlines, re-observed lazily, over days', () => {
  const random = new Random(SEED)
  const slotsMax = 500
  const wheel = new Wheel(new Uint32Array(slotsMax + 1), START)
  const dueAt = new Map<number, number>()
  let nowAt = START
  for (let step = 0; step < 20_000; step++) {
    const at = `seed ${SEED}, step ${step}`
    const slot = random.int(1, slotsMax)
    const deadline = nowAt + (random.chance(0.5) ? DAY_MS + random.int(-50, 5_000) : random.int(-10, 400))
    if (!dueAt.has(slot)) wheel.file(slot, deadline)
    // A re-observation only ever moves a deadline on, and never touches the wheel.
    dueAt.set(slot, Math.max(deadline, dueAt.get(slot) ?? 0))
    nowAt += random.chance(0.97) ? random.int(0, 150) : random.int(0, random.pick([5_000, DAY_MS, 3 * DAY_MS]))
    const expected = [...dueAt].filter(([, due]) => due <= nowAt).map(([due]) => due)
    const isQuiet = nowAt < wheel.quietUntil
    if (isQuiet) assert.deepEqual(expected, [], `${at}: quiet means that nothing is due`)
    const gone: number[] = []
    const visitsMax = random.int(1, 2_000)
    while (
      !wheel.advance(
        nowAt,
        visitsMax,
        (visited) => {
          const due = dueAt.get(visited)!
          if (due > nowAt) return due
          gone.push(visited)
          dueAt.delete(visited)
          return 0
        },
        (slot) => dueAt.get(slot)!,
      )
    );
    assert.deepEqual(gone.sort(), expected.sort(), at)
    assert(wheel.quietUntil > nowAt, `${at}: once all is done it is quiet for a moment`)
    if (step % 500 === 0) assert.deepEqual([...slotsOf(wheel)].sort(), [...dueAt.keys()].sort(), at)
  }
})

test('an advance visits no more than it is allowed to', () => {
  const wheel = new Wheel(new Uint32Array(1001), START)
  for (let slot = 1; slot <= 1000; slot++) wheel.file(slot, START + 50)
  let visits = 0
  const visit = () => {
    visits++
    return 0
  }
  const isDone = wheel.advance(START + 60, 100, visit, () => START + 50)
  assert.equal(isDone, false)
  assert.equal(visits, 100)
})
