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
