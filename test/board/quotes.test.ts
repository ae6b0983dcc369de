import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Quotes } from '../../src/board/quotes.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'

const FIELDS = ['market', 'outcome', 'book', 'status', 'odds', 'observedAt', 'next', 'previous'] as const

type Twin = Record<(typeof FIELDS)[number], number>

const NONE: Twin = { market: 0, outcome: 0, book: 0, status: 0, odds: 0, observedAt: 0, next: 0, previous: 0 }

/** As sources give them: with few digits, with as many as a double has, at the ends of what a row holds, and beyond. */
const oddsOf = (random: Random): number => {
  const places = random.int(0, 6)
  if (places === 6) return 1 + random.int(1, 2 ** 30) / 2 ** random.int(0, 40)
  if (places === 5) return random.pick([429_496.7294, 429_496.7295, 429_496.7296, 1e6, 1e300, 0, 2 ** 32, 1.0001])
  return Number((1 + random.int(0, 10 ** 7) / 10 ** places).toFixed(places))
}

const timeOf = (random: Random): number =>
  random.pick([
    random.int(1_700_000_000_000, 1_900_000_000_000),
    random.int(-5, 5),
    random.pick([2 ** 32, 2 ** 40, 2 ** 53 - 1, -(2 ** 45)]) + random.int(-2, 0),
  ])

test('rows equal plain objects, whatever is written to them, and after an image', () => {
  const random = new Random(SEED)
  const quotesMax = 50
  let quotes = new Quotes(quotesMax)
  const twins = Array.from({ length: quotesMax + 1 }, () => ({ ...NONE }))
  const u32 = (): number => random.int(0, 2 ** 32 - 1)
  for (let step = 0; step < 30_000; step++) {
    const slot = random.int(1, quotesMax)
    const twin = twins[slot]!
    switch (random.int(0, 7)) {
      case 0:
        Object.assign(twin, { market: u32(), outcome: u32(), book: u32() })
        quotes.setNames(slot, twin.market, twin.outcome, twin.book)
        break
      case 1:
        quotes.setStatus(slot, (twin.status = random.int(0, 255)))
        break
      case 2:
        quotes.setOdds(slot, (twin.odds = oddsOf(random)))
        break
      case 3:
        quotes.setObservedAt(slot, (twin.observedAt = timeOf(random)))
        break
      case 4:
        quotes.setNext(slot, (twin.next = u32()))
        break
      case 5:
        quotes.setPrevious(slot, (twin.previous = u32()))
        break
      case 6:
        quotes.setBook(slot, (twin.book = u32()))
        break
      default:
        quotes.setMarket(slot, (twin.market = u32()))
    }
    if (step % 1_000 === 999) {
      const image = new MemoryImage()
      quotes.save(image, quotesMax)
      quotes = new Quotes(quotesMax + random.int(0, 3))
      quotes.load(image.read())
      image.checkRead()
    }
    for (const each of [slot, random.int(1, quotesMax)]) {
      const { market, outcome, book } = twins[each]!
      const read: Twin = {
        market: quotes.marketOf(each),
        outcome: quotes.outcomeOf(each),
        book: quotes.bookOf(each),
        status: quotes.statusOf(each),
        odds: quotes.oddsOf(each),
        observedAt: quotes.observedAtOf(each),
        next: quotes.nextOf(each),
        previous: quotes.previousOf(each),
      }
      assert.deepEqual(read, twins[each], `seed ${SEED}, step ${step}`)
      assert(quotes.is(each, market, outcome, book) && !quotes.is(each, market, outcome, book ^ 1))
    }
  }
  const [rows, exact] = quotes.columns(1, quotesMax + 1)
  assert.equal(rows!.length, 8 * quotesMax)
  assert.equal(exact!.length, quotesMax)
})
