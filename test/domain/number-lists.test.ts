import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NumberLists } from '../../src/domain/number-lists.ts'
import { Random, SEED } from '../random.ts'

test('lists equal arrays under random insertions and removals, and their memory is used again', () => {
  const random = new Random(SEED)
  const lists = new NumberLists(16)
  const twins: { list: number; numbers: number[] }[] = Array.from({ length: 50 }, () => ({ list: 0, numbers: [] }))
  let most = 0
  for (let step = 0; step < 100_000; step++) {
    const at = `seed ${SEED}, step ${step}`
    const twin = random.pick(twins)
    const number = random.int(1, 100)
    // In waves: they grow, and are emptied again.
    const isGrowing = random.chance(step % 20_000 < 10_000 ? 0.6 : 0.35)
    if (isGrowing) {
      const place = random.int(0, twin.numbers.length)
      twin.numbers.splice(place, 0, number)
      twin.list = lists.insert(twin.list, place, number)
    } else {
      const place = twin.numbers.indexOf(number)
      const left = lists.remove(twin.list, number)
      assert.equal(left === undefined, place === -1, at)
      if (left !== undefined) {
        twin.numbers.splice(place, 1)
        twin.list = left
      }
    }
    if (random.chance(0.001)) {
      const column = Uint32Array.from({ length: 60 }, () => random.int(1, 100))
      const [from, to] = [random.int(0, 30), random.int(30, 60)]
      while (twin.numbers.length > 0) twin.list = lists.remove(twin.list, twin.numbers.pop()!)!
      twin.numbers = [...column.subarray(from, to)]
      twin.list = lists.add(column, from, to)
    }
    assert.equal(twin.list === 0, twin.numbers.length === 0, at)
    const any = random.pick(twins)
    assert.deepEqual(lists.numbersOf(any.list), any.numbers, at)
    assert.equal(lists.lengthOf(any.list), any.numbers.length, at)
    if (any.numbers.length > 0) assert.equal(lists.at(any.list, any.numbers.length - 1), any.numbers.at(-1), at)
    most = Math.max(
      most,
      twins.reduce((sum, { numbers }) => sum + numbers.length, 0),
    )
  }
  for (const twin of twins) assert.deepEqual(lists.numbersOf(twin.list), twin.numbers, `seed ${SEED}`)
  // Blocks are not joined: in the worst case each class has had its own.
  assert(lists['end'] < most * 12, `seed ${SEED}: ${lists['end']} words for ${most} numbers`)
})
