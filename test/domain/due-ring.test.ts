import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueRing, Filed } from '../../src/domain/due-ring.ts'
import { Random, SEED } from '../random.ts'

const START = 1_790_000_000_000
const TICK_MS = 100
const TICKS = 16

class Item extends Filed {
  readonly name: number

  constructor(name: number) {
    super()
    this.name = name
  }
}

/** The same with a list of ticks: whatever is filed is in it once. */
class NaiveRing {
  tick = 0
  readonly filed = new Map<Item, number>()

  private tickOf(at: number): number {
    return Math.floor((at - START) / TICK_MS)
  }

  file(item: Item, dueAt: number): void {
    const tick = Math.min(Math.max(this.tickOf(dueAt), this.tick + 1), this.tick + TICKS)
    this.filed.set(item, Math.min(tick, this.filed.get(item) ?? tick))
  }

  begin(nowAt: number): void {
    this.tick = Math.max(this.tickOf(nowAt), this.tick + 1)
  }

  get due(): Item[] {
    return [...this.filed].filter(([, tick]) => tick <= this.tick).map(([item]) => item)
  }
}

const namesOf = (items: readonly Item[]): number[] => items.map(({ name }) => name).sort((a, b) => a - b)

test(`a round takes what is due, each once and none too late, whatever time does (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const ring = new DueRing<Item>(TICK_MS, TICKS, START)
  const naive = new NaiveRing()
  const items = Array.from({ length: 60 }, (_, name) => new Item(name))
  // By when each was asked for, since it was last taken.
  const dueAt = new Map<Item, number>()
  let nowAt = START
  for (let step = 0; step < 30_000; step++) {
    const at = `step ${step}`
    const item = random.pick(items)
    const chance = random.next()
    if (chance < 0.5) {
      const span = random.pick([50, 300, 2_000, 20_000])
      const due = random.chance(0.05) ? Number.POSITIVE_INFINITY : nowAt + random.int(-100, span)
      ring.file(item, due)
      naive.file(item, due)
      dueAt.set(item, Math.min(due, dueAt.get(item) ?? due))
    } else if (chance < 0.55) {
      ring.forget(item)
      naive.filed.delete(item)
      dueAt.delete(item)
    } else if (chance < 0.7) {
      nowAt += random.pick([100, 100, 99, 101, 30, 250, 5_000, -300])
      ring.begin(nowAt)
      naive.begin(nowAt)
      assert.equal(ring.at, nowAt)
      const inRound = new Set(naive.due)
      for (const [each, due] of dueAt) assert(due > nowAt || inRound.has(each), `${at}: what is due is in the round`)
    } else {
      // Some of the round: the rest waits, and may be added to, or forgotten.
      const isAll = random.chance(0.6)
      const { due } = naive
      assert.equal(ring.isInRound, due.length > 0, at)
      const taken: Item[] = []
      for (let left = isAll ? Infinity : 2; left > 0; left--) {
        const next = ring.next()
        if (next === undefined) break
        taken.push(next)
        naive.filed.delete(next)
      }
      if (isAll) assert.deepEqual(namesOf(taken), namesOf(due), at)
      else assert(taken.length === Math.min(2, due.length) && taken.every((each) => due.includes(each)), at)
      for (const each of taken) dueAt.delete(each)
    }
  }
  // Whatever was filed is there once, and nothing else.
  ring.begin(nowAt + 1_000_000)
  const left: Item[] = []
  for (let next = ring.next(); next !== undefined; next = ring.next()) left.push(next)
  assert.deepEqual(namesOf(left), namesOf([...naive.filed.keys()]))
})
