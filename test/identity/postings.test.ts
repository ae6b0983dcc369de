import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Postings } from '../../src/identity/postings.ts'
import { Random, SEED } from '../random.ts'

test('values of a key are visited in the order of kickoff, whatever was added and removed', () => {
  const random = new Random(SEED)
  const postings = new Postings()
  const twin = new Map<number, { kickoffAt: number; value: number }[]>()
  let visited = 0
  for (let round = 0; round < 30_000; round++) {
    // Lists of a few values and of hundreds.
    const key = random.chance(0.3) ? 0 : random.int(1, 200)
    const known = twin.get(key) ?? []
    twin.set(key, known)
    if (known.length > 0 && random.chance(0.3)) {
      const [{ kickoffAt, value }] = known.splice(random.int(0, known.length - 1), 1) as [(typeof known)[0]]
      postings.remove(key, kickoffAt, value)
    } else {
      const added = { kickoffAt: 1_790_000_000_000 + random.int(0, 50), value: round }
      known.push(added)
      postings.add(key, added.kickoffAt, added.value)
    }
    const [fromAt, toAt] = [random.int(-5, 55), random.int(-5, 55)].map((at) => 1_790_000_000_000 + at) as [
      number,
      number,
    ]
    const max = random.int(1, 40)
    const found: { kickoffAt: number; value: number }[] = []
    const isAll = postings.visit(key, fromAt, toAt, max, (value, kickoffAt) => found.push({ kickoffAt, value }))
    const expected = known.filter(({ kickoffAt }) => kickoffAt >= fromAt && kickoffAt <= toAt)
    const said = `seed ${SEED}, round ${round}`
    assert.equal(isAll, expected.length <= max, said)
    assert.equal(found.length, Math.min(max, expected.length), said)
    for (const each of found)
      assert.ok(
        expected.some(({ value, kickoffAt }) => value === each.value && kickoffAt === each.kickoffAt),
        said,
      )
    assert.equal(new Set(found.map(({ value }) => value)).size, found.length, said)
    assert.ok(
      found.every(({ kickoffAt }, place) => place === 0 || found[place - 1]!.kickoffAt <= kickoffAt),
      said,
    )
    visited += found.length
  }
  assert.ok(visited > 10_000, `seed ${SEED}: only ${visited} were visited`)
})
