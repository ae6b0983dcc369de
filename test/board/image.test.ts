import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Board } from '../../src/board/board.ts'
import type { BoardLimits } from '../../src/board/capacity.ts'
import { ImageFault } from '../../src/domain/image.ts'
import { Engine, type EngineOptions } from '../../src/engine/engine.ts'
import { imageOf, ImageTwins } from '../image-twins.ts'
import { assertSameImage, MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'
import { unpack } from '../../src/log/part-format.ts'
import { RandomInputs } from '../random-inputs.ts'
import { WORLD_START } from '../random-observations.ts'

const HOUR_MS = 3_600_000

const live = (random: Random, options: Partial<EngineOptions>, steps: number, place: string): ImageTwins => {
  const all = { quotesMax: 900, skewMsMax: 5_000, bookmakersMax: 50, wheelVisitsMax: 64, ...options }
  const twins = new ImageTwins(() => new Engine(all, WORLD_START))
  const inputs = new RandomInputs(random)
  let nowAt = WORLD_START
  for (let step = 0; step < steps; step++) {
    const at = `${place}, step ${step}`
    nowAt += random.chance(0.98) ? random.int(0, 4_000) : random.int(0, 7 * HOUR_MS)
    twins.apply({ at: nowAt, inputs: Array.from({ length: random.int(0, 6) }, () => inputs.next(nowAt)) }, at)
    if (random.chance(0.03)) twins.restart(at)
    else if (random.chance(0.02)) twins.compare(at)
  }
  twins.restart(`${place}, at the end`)
  return twins
}

const WORLDS: readonly [name: string, options: Partial<EngineOptions>][] = [
  ['a roomy board', { quotesMax: 5_000 }],
  ['a full board', { quotesMax: 150, eventsMax: 12, labelsMax: 60, walkVisitsMax: 7 }],
  [
    'shares, long books and few source ids',
    { bookmakerShare: 0.2, bookQuotesMax: 12, sourceIdsPerEvent: 0.01, walkVisitsMax: 20 },
  ],
]

for (const [name, options] of WORLDS) {
  test(`a board that was saved and loaded goes on as if it had not been: ${name}`, () => {
    for (let run = 0; run < 2; run++) live(new Random(SEED + run), options, 400, `seed ${SEED}, run ${run}`)
  })
}

/** A board with something of everything, after days of inputs. */
const filled = (options: Partial<EngineOptions> = {}): Engine =>
  live(new Random(SEED), options, 500, `seed ${SEED}`).restarted

const loaded = (image: MemoryImage, limits: BoardLimits): Board => {
  const board = new Board(limits, WORLD_START)
  board.load(image.read())
  image.checkRead()
  return board
}

const boardImage = (board: Board): MemoryImage => {
  const image = new MemoryImage()
  board.save(image)
  return image
}

test('a board with other limits loads what fits, and gives it back', () => {
  const { board } = filled()
  const larger = loaded(boardImage(board), { quotesMax: 2_000, bookmakerShare: 0.5 })
  const slots = board['slotsUsed']
  const exact = loaded(boardImage(larger), { quotesMax: slots })
  const back = loaded(boardImage(exact), { quotesMax: 900 })
  assertSameImage(boardImage(back), boardImage(board), `seed ${SEED}`)
  for (let slot = 1; slot <= slots; slot++) {
    const { quotes } = exact
    if (quotes.statusOf(slot) === 0) continue
    assert.equal(exact.find(quotes.marketOf(slot), quotes.outcomeOf(slot), quotes.bookOf(slot)), slot)
  }
})

/** An image as versions that write format 1 of checkpoints have saved it: a column for each field of quotes. */
const oldImage = (board: Board): MemoryImage => {
  const used = board['slotsUsed'] + 1
  const names = ['market', 'outcome', 'book', 'status', 'odds', 'observedAt', 'next', 'previous', 'timer']
  const columns = board.quotes.columns(0, used)
  const old = new MemoryImage()
  for (const { name, kind, content } of boardImage(board).parts) {
    if (name === 'board') {
      const { layout: _layout, ...numbers } = unpack(content as Buffer) as Record<string, unknown>
      old.value('board', numbers)
    } else if (name === 'quotes rows') {
      for (const [place, column] of columns.entries()) old.column(`quotes ${names[place]!}`, column)
    } else if (name === 'index') old.derived('index', new Uint32Array(2 * board.quotes.length).fill(1))
    else if (!name.startsWith('quotes ')) old.parts.push({ name, kind, content })
  }
  return old
}

test('an image of earlier versions, with a column for each field of quotes, is read', () => {
  const { board } = filled()
  const { quotesMax } = board
  const back = loaded(oldImage(board), { quotesMax })
  assertSameImage(boardImage(back), boardImage(board), `seed ${SEED}`)
  for (let round = 0; round < 3; round++) assert.equal(back.checksum(round), board.checksum(round))
  for (let slot = 1; slot <= board['slotsUsed']; slot++) {
    const { quotes } = back
    if (quotes.statusOf(slot) === 0) continue
    assert.equal(back.find(quotes.marketOf(slot), quotes.outcomeOf(slot), quotes.bookOf(slot)), slot)
  }
  assert.throws(() => loaded(oldImage(board), { quotesMax: board['slotsUsed'] - 1 }), /quotes-max must be at least/)
})

test('limits that are too small are refused, with the setting and the number needed', () => {
  const { board } = filled()
  const { events, labels, sourceIds, endings, quotes } = board.capacity
  const eventsNeeded = Math.max(events.held, endings.held)
  const enough = { quotesMax: 900, eventsMax: Math.max(eventsNeeded, sourceIds.held), labelsMax: labels.held }
  loaded(boardImage(board), enough)
  const refused = (limits: Partial<BoardLimits>, setting: string, needed: number): void => {
    assert.throws(
      () => loaded(boardImage(board), { ...enough, ...limits }),
      (error) => error instanceof ImageFault && error.message.endsWith(`--${setting} must be at least ${needed}`),
      `${setting} ${needed}, seed ${SEED}`,
    )
  }
  refused({ quotesMax: board['slotsUsed'] - 1 }, 'quotes-max', board['slotsUsed'])
  refused({ quotesMax: quotes.held - 1 }, 'quotes-max', quotes.held)
  refused({ labelsMax: labels.held - 1 }, 'labels-max', labels.held)
  refused({ eventsMax: events.held - 1 }, 'events-max', events.held)
  const sourceIdsPerEvent = (sourceIds.held - 1) / enough.eventsMax
  refused({ sourceIdsPerEvent }, 'events-max', Math.ceil(sourceIds.held / sourceIdsPerEvent))
})

test('an empty board, and one that was loaded, are saved as they are', () => {
  const engine = new Engine({ quotesMax: 10, skewMsMax: 0, bookmakersMax: 1, wheelVisitsMax: 1 }, WORLD_START)
  const image = imageOf(engine)
  const board = loaded(boardImage(engine.board), { quotesMax: 10 })
  assertSameImage(boardImage(board), boardImage(engine.board), 'empty')
  assert(image.parts.length > 10)
})
