import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventTable } from '../../src/board/event-table.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'

test('the table equals a map under random insertions and removals, grows, and is saved and loaded', () => {
  const random = new Random(SEED)
  let table = new EventTable()
  const twin = new Map<string, number>()
  for (let step = 0; step < 50_000; step++) {
    const at = `seed ${SEED}, step ${step}`
    // In waves: it grows, and is nearly emptied again.
    const most = step % 10_000 < 5_000 ? 2_000 : 50
    const text = `${random.int(1, most)}`.padStart(random.int(4, 6), 'text ')
    const known = twin.get(text) ?? 0
    const isOf = (number: number): boolean => twin.get(text) === number
    assert.equal(table.find(text, isOf), known, at)
    if (known === 0 && twin.size < most) {
      const number = random.int(1, 1_000)
      table.add(text, number)
      twin.set(text, number)
    } else if (known !== 0 && random.chance(0.6)) {
      table.remove(text, known)
      twin.delete(text)
    }
    assert.equal(table.size, twin.size, at)
    if (!random.chance(0.001)) continue
    const image = new MemoryImage()
    table.save(image, 'texts')
    table = new EventTable()
    table.load(image.read(), 'texts')
    image.checkRead()
    assert.equal(table.size, twin.size, at)
  }
})
