import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Quotes } from '../../src/board/quotes.ts'
import { QuoteIndex } from '../../src/board/quote-index.ts'
import { Random, SEED } from '../random.ts'

test('the index equals a map under random insertions and removals, filled to the brim', () => {
  const random = new Random(SEED)
  const quotesMax = 300
  const quotes = new Quotes(quotesMax)
  const index = new QuoteIndex(quotes)
  const twin = new Map<string, number>()
  const free = Array.from({ length: quotesMax }, (_, n) => n + 1)
  for (let step = 0; step < 50_000; step++) {
    const [market, outcome, book] = [random.int(1, 12), random.int(1, 6), random.int(1, 6)]
    const key = `${market} ${outcome} ${book}`
    const known = twin.get(key) ?? 0
    // Each look inserts what waits: mostly some wait.
    if (random.chance(0.2)) assert.equal(index.find(market, outcome, book), known, `seed ${SEED}, step ${step}`)
    if (known === 0 && free.length > 0) {
      const slot = free.splice(random.int(0, free.length - 1), 1)[0]!
      quotes.setNames(slot, market, outcome, book)
      index.insert(slot)
      twin.set(key, slot)
    } else if (known !== 0 && random.chance(0.2)) {
      index.remove(known)
      twin.delete(key)
      free.push(known)
    }
  }
  for (let market = 1; market <= 12; market++) {
    for (let outcome = 1; outcome <= 6; outcome++) {
      for (let book = 1; book <= 6; book++) {
        assert.equal(index.find(market, outcome, book), twin.get(`${market} ${outcome} ${book}`) ?? 0, `seed ${SEED}`)
      }
    }
  }
})

test('memory that is taken in steps changes nothing, whatever is inserted and removed between them', () => {
  const random = new Random(SEED)
  const quotesMax = 200_000
  const quotes = new Quotes(quotesMax)
  const index = new QuoteIndex(quotes)
  const steps = index.touchSteps()
  const removed = new Set<number>()
  let used = 0
  let taken = 0
  for (; steps.next().done !== true; taken++) {
    for (let n = 0; n < 1_000; n++) {
      quotes.setNames(++used, used, 1, 1)
      index.insert(used)
    }
    const slot = random.int(1, used)
    if (!removed.has(slot)) index.remove(slot)
    removed.add(slot)
  }
  // 4 octets a place, one and a half places a quote, 256 KB a step.
  assert.equal(taken, Math.ceil((quotesMax * 1.5 * 4) / 2 ** 18), `seed ${SEED}`)
  for (let slot = 1; slot <= used; slot++) {
    assert.equal(index.find(slot, 1, 1), removed.has(slot) ? 0 : slot, `seed ${SEED}, slot ${slot}`)
  }
})

test('a board for more than ten million quotes does not take the memory of its index at once', () => {
  assert.equal(new QuoteIndex({ length: 12_000_000 } as Quotes).touchSteps().next().done, true)
})
