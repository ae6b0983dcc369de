import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER, Wheel } from '../../src/board/wheel.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'
import { slotsOf } from './invariants.ts'

const START = 1_790_000_000_000
const DAY_MS = 86_400_000

test('the wheel equals a sorted list of deadlines, re-observed lazily, over days', () => {
  const random = new Random(SEED)
  const slotsMax = 500
  let wheel = new Wheel(slotsMax + 1, START)
  const dueAt = new Map<number, number>()
  let nowAt = START
  const deadlineOf = (from: number, end: number): number => {
    let firstAt = NEVER
    for (let slot = from; slot < end; slot++) firstAt = Math.min(firstAt, dueAt.get(slot) ?? NEVER)
    return firstAt
  }
  const restart = (): void => {
    const image = new MemoryImage()
    wheel.save(image, slotsMax)
    wheel = new Wheel(slotsMax + 1, 0)
    wheel.load(image.read())
  }
  let slot = 1
  for (let step = 0; step < 8_000; step++) {
    const at = `seed ${SEED}, step ${step}`
    // Near the last one, mostly: in the same block.
    slot = random.chance(0.3) ? random.int(1, slotsMax) : Math.max(1, Math.min(slotsMax, slot + random.int(-8, 8)))
    const deadline = nowAt + (random.chance(0.5) ? DAY_MS + random.int(-50, 5_000) : random.int(-10, 400))
    // The neighbours of one observation, mostly with one deadline, come one after another.
    const neighbours = random.chance(0.3) ? random.int(1, 20) : 1
    for (let each = slot; each < slot + neighbours && each <= slotsMax; each++) {
      const eachDueAt = random.chance(0.8) ? deadline : deadline + random.int(-300, 300)
      if (!dueAt.has(each)) wheel.file(each, eachDueAt)
      // A re-observation only ever moves a deadline on, and never touches the wheel.
      dueAt.set(each, Math.max(eachDueAt, dueAt.get(each) ?? 0))
    }
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
          assert(dueAt.get(visited)! <= nowAt, `${at}: slot ${visited} is not due`)
          gone.push(visited)
          dueAt.delete(visited)
          return NEVER
        },
        deadlineOf,
      )
    ) {
      if (random.chance(0.1)) nowAt += random.int(0, 300)
      if (random.chance(0.3)) restart()
      // In the middle of a pass, also of one over buckets that were jumped over.
      if (random.chance(0.002)) slotsOf(wheel, deadlineOf, nowAt)
    }
    for (const [slot, due] of dueAt) assert(due > nowAt, `${at}: slot ${slot} is due`)
    for (const slot of expected) assert(gone.includes(slot), `${at}: slot ${slot} was due`)
    assert(wheel.quietUntil > nowAt, `${at}: once all is done it is quiet for a moment`)
    if (step % 500 === 0) restart()
    if (step % 100 === 0) assert.deepEqual([...slotsOf(wheel, deadlineOf, nowAt)].sort(), [...dueAt.keys()].sort(), at)
  }
})

test('an advance visits no more than it is allowed to, but for the rest of a block', () => {
  const wheel = new Wheel(1001, START)
  for (let slot = 1; slot <= 1000; slot++) wheel.file(slot, START + 50)
  let visits = 0
  const visit = () => {
    visits++
    return NEVER
  }
  const isDone = wheel.advance(START + 60, 100, visit, () => START + 50)
  assert.equal(isDone, false)
  assert(visits >= 80 && visits <= 116, `${visits} slots`)
})
