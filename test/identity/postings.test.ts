import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Postings } from '../../src/identity/postings.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'
import { listsOf } from './posting-lists.ts'

const START = 1_790_000_000_000

const keysOf = (lists: ReadonlyMap<number, unknown>): number[] => [...lists.keys()].sort((a, b) => a - b)

test('outlines of a key are visited in the order of kickoff, whatever was added, removed, saved and loaded', () => {
  const random = new Random(SEED)
  const outlines = { kickoffs: new Float64Array(500) }
  let postings = new Postings(outlines, 0)
  const keys = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), ...Array.from({ length: 300 }, () => random.int(0, 2 ** 32) | 0)]
  let twin = new Map<number, number[]>()
  let visited = 0
  const compare = (a: number, b: number): number => outlines.kickoffs[a]! - outlines.kickoffs[b]! || a - b
  for (let outline = 0; outline < 500; outline++) outlines.kickoffs[outline] = START + random.int(0, 50)
  for (let round = 0; round < 40_000; round++) {
    const at = `seed ${SEED}, round ${round}`
    // Lists of one or a few outlines and of hundreds; in waves, so that they are emptied again.
    const key = random.chance(0.3) ? 0 : random.pick(keys)
    const known = twin.get(key) ?? []
    const outline = random.int(0, 499)
    if (random.chance(round % 8_000 < 4_000 ? 0.3 : 0.7)) {
      const removed = known.length > 0 && random.chance(0.8) ? random.pick(known) : outline
      postings.remove(key, removed)
      twin.set(
        key,
        known.filter((each) => each !== removed),
      )
    } else if (!known.includes(outline)) {
      postings.add(key, outline)
      twin.set(key, [...known, outline].sort(compare))
    }
    if (twin.get(key)?.length === 0) twin.delete(key)
    const [from, to] = [random.int(-5, 55), random.int(-5, 55)]
    const max = random.int(0, 40)
    const found: number[] = []
    const asked = random.chance(0.5) ? key : random.pick(keys)
    const isAll = postings.visit(asked, START + from, START + to, max, (each, kickoffAt) => {
      assert.equal(kickoffAt, outlines.kickoffs[each], at)
      found.push(each)
    })
    const expected = (twin.get(asked) ?? []).filter((each) => {
      const kickoffAt = outlines.kickoffs[each]! - START
      return kickoffAt >= from && kickoffAt <= to
    })
    assert.equal(isAll, expected.length <= max, at)
    assert.deepEqual(found, expected.slice(0, max), at)
    visited += found.length
    if (!random.chance(0.005)) continue
    const lists = listsOf(postings)
    assert.deepEqual(keysOf(lists), keysOf(twin), at)
    for (const [each, list] of lists) assert.deepEqual(list, twin.get(each), at)
    if (random.chance(0.05)) {
      postings.clear()
      twin = new Map()
    }
    const image = new MemoryImage()
    postings.save(image, 'names')
    postings = new Postings(outlines, random.int(0, 100))
    postings.load(image.read(), 'names')
    image.checkRead()
    Postings.skip(image.read(), 'names', false)
    image.checkRead()
  }
  assert.ok(visited > 10_000, `seed ${SEED}: only ${visited} were visited`)
})
