import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HashTable } from '../../src/domain/hash-table.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'

test('the table equals a list of pairs, where hashes are shared and fall into one shard', () => {
  const random = new Random(SEED)
  let table = new HashTable()
  let twin: { hash: number; number: number }[] = []
  // Of one shard and its neighbours in it, and of any.
  const hashes = Array.from({ length: 120 }, (_, n) => (n % 2 === 0 ? n >>> 2 : random.int(0, 2 ** 32 - 1)))
  for (let step = 0; step < 30_000; step++) {
    const at = `seed ${SEED}, step ${step}`
    const hash = random.pick(hashes)
    const number = random.int(1, 5)
    const known = twin.findIndex((each) => each.hash === hash && each.number === number)
    const chance = step % 6_000 < 3_000 ? 0.6 : 0.2
    if (known === -1 && random.chance(chance)) {
      table.add(hash, number)
      twin.push({ hash, number })
    } else if (known === -1 || random.chance(0.5)) {
      assert.equal(table.remove(hash, number), known !== -1, at)
      if (known !== -1) twin.splice(known, 1)
    } else if (!twin.some((each) => each.hash === hash && each.number === number + 10)) {
      table.replace(hash, number, number + 10)
      twin[known] = { hash, number: number + 10 }
    }
    assert.equal(table.size, twin.length, at)
    const asked = random.pick(hashes)
    const meant = random.int(1, 15)
    const isThere = twin.some((each) => each.hash === asked && each.number === meant)
    assert.equal(
      table.find(asked, (each) => each === meant),
      isThere ? meant : 0,
      at,
    )
    if (!random.chance(0.002)) continue
    if (random.chance(0.1)) {
      table.clear()
      twin = []
    }
    const image = new MemoryImage()
    table.save(image, 'numbers')
    const { seed } = table
    table = new HashTable()
    table.load(image.read(), 'numbers')
    image.checkRead()
    assert.equal(table.seed, seed, at)
    HashTable.skip(image.read(), 'numbers')
    image.checkRead()
  }
})
