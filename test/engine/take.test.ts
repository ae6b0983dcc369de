// A source that one run after the other takes: only the last one is heard, in the order of the log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Board } from '../../src/board/board.ts'
import { shownOf } from '../../src/board/status.ts'
import { producerName, runOfProducer, runText, sourceOfProducer } from '../../src/domain/feed-source.ts'
import type { Input } from '../../src/domain/input.ts'
import { QUOTE_STATUSES } from '../../src/domain/quote.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { Engine } from '../../src/engine/engine.ts'
import { applyTurn } from '../../src/engine/inputs.ts'
import { MemoryImage } from '../memory-image.ts'

const T0 = 1_790_000_000_000

const OPTIONS = { quotesMax: 100, skewMsMax: 5_000, bookmakersMax: 10, wheelVisitsMax: 100 }

const observationOf = (bookmaker: string, ms: number): Observation => ({
  bookmaker,
  transport: 'live',
  observedAt: T0 + ms,
  event: {
    ...{ sport: 'golf', leagueKey: 'l', leagueName: 'L', home: 'Open', away: '', kickoffAt: T0 },
    sourceKey: 's:1',
  },
  prices: [{ type: 'outright', line: null, outcome: 'a', odds: 2, status: 'open' }],
  others: 'keep',
})

const observe = (producer: string, bookmaker: string, ms: number): Input => ({
  ...{ kind: 'observe', observation: observationOf(bookmaker, ms), producer, doubt: undefined },
})

const take = (source: string, run: number): Input => ({ kind: 'take', source, run })

class Log {
  readonly engine = new Engine(OPTIONS, T0)
  private ms = 0

  /** Applies inputs. Returns the field of each refusal; undefined: applied. */
  say(...inputs: Input[]): (string | undefined)[] {
    const fields: (string | undefined)[] = []
    applyTurn(this.engine, { at: T0 + ++this.ms, inputs }, (_, place, refusal) => {
      fields[place] = refusal?.field
    })
    return fields
  }

  /** Statuses by bookmaker. */
  shown(): Record<string, string> {
    return shownBy(this.engine)
  }
}

const shownBy = ({ board: { bookmakers, catalogue, quotes } }: Engine): Record<string, string> => {
  const shown: Record<string, string> = {}
  for (let book = 1; book <= catalogue['booksUsed']; book++) {
    const slot = catalogue.isBook(book) ? catalogue.books.head[book]! : 0
    if (slot === 0) continue
    shown[bookmakers.textOf(catalogue.books.bookmaker[book]!)] = QUOTE_STATUSES[shownOf(quotes.statusOf(slot)) - 1]!
  }
  return shown
}

const [OLD, NEW] = [producerName('s', 'page 1', 7, 1), producerName('s', 'page 1', 8, 1)]

test('the name of a producer has its source and its run', () => {
  assert.deepEqual([sourceOfProducer(NEW), runOfProducer(NEW), runText(8)], ['s', '8', '8'])
  assert.equal(runOfProducer(producerName('s', 'a.b c', T0, 12)), runText(T0))
  for (const name of ['', 's', 's part', 's.t']) assert.equal(runOfProducer(name), '', name)
})

test('a run that takes a source makes suspect what was said of it, and what is still said by others does not count', () => {
  const log = new Log()
  const other = producerName('t', 'page', 1, 1)
  assert.deepEqual(log.say(take('s', 7), observe(OLD, 'a', 0), observe(OLD, 'b', 0), observe(other, 'c', 0)), [
    ...[undefined, undefined, undefined, undefined],
  ])
  assert.deepEqual(log.shown(), { a: 'open', b: 'open', c: 'open' })
  assert.deepEqual(log.say(take('s', 8)), [undefined])
  assert.deepEqual(log.shown(), { a: 'suspended', b: 'suspended', c: 'open' })
  assert.deepEqual(
    log.say(
      observe(OLD, 'a', 5),
      { kind: 'confirm', producer: OLD, at: T0 + 5 },
      { kind: 'end', producer: OLD, at: T0 + 5 },
      observe(producerName('s', 'page 2', 7, 9), 'd', 5),
      observe(NEW, 'b', 5),
      observe('', 'e', 5),
      observe(other, 'c', 5),
    ),
    ['producer', 'producer', 'producer', 'producer', undefined, undefined, undefined],
  )
  assert.deepEqual(log.shown(), { a: 'suspended', b: 'open', c: 'open', e: 'open' })
  log.say(observe(NEW, 'a', 6))
  assert.equal(log.shown().a, 'open')
})

test('of runs the later one counts, whichever is told last; and a run is told once', () => {
  const log = new Log()
  assert.deepEqual(log.say(take('s', 8), observe(NEW, 'a', 0), take('s', 7), take('s', 8)), [
    ...[undefined, undefined, 'run', 'run'],
  ])
  assert.deepEqual([log.shown(), log.engine.runOf('s'), log.engine.runOf('t')], [{ a: 'open' }, 8, 0])
})

test('producers of a former run are gone when they have no quotes, and those of a source without runs are all heard', () => {
  const log = new Log()
  const plain = producerName('t', 'page', 3, 1)
  log.say(take('s', 7), observe(OLD, 'a', 0), observe(plain, 'b', 0), take('s', 8), observe(NEW, 'a', 1))
  const names = () => [...log.engine.producers()].map(({ name }) => name).sort()
  assert.deepEqual(names(), [NEW, plain].sort())
  assert.deepEqual(log.say({ kind: 'confirm', producer: plain, at: T0 + 2 }), [undefined])
  for (let n = 0; n < 5; n++) log.say(observe(producerName('s', 'late', 7, n), 'c', n))
  assert.deepEqual(names(), [NEW, plain].sort(), 'who is not heard leaves no trace')
})

test('an image has the runs', () => {
  const log = new Log()
  const reloaded = (): Board => {
    const image = new MemoryImage()
    log.engine.board.save(image)
    const board = new Board(OPTIONS, T0)
    board.load(image.read())
    return board
  }
  log.say(observe(OLD, 'a', 0))
  assert.equal(reloaded().producers.runOf('s'), 0)
  log.say(take('s', 8), observe(NEW, 'b', 1))
  const { producers } = reloaded()
  assert.deepEqual([producers.runOf('s'), producers.isHeard(OLD), producers.isHeard(NEW)], [8, false, true])
})
