import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Board } from '../../src/board/board.ts'
import type { BoardLimits } from '../../src/board/capacity.ts'
import { type Column, ImageFault } from '../../src/domain/image.ts'
import { Engine, type EngineOptions } from '../../src/engine/engine.ts'
import { imageOf, ImageTwins } from '../image-twins.ts'
import { assertSameImage, MemoryImage } from '../memory-image.ts'
import { slotsInUse } from './invariants.ts'
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
  // So many that it was never near its bound: between two of its parts a board that comes back does not know that it was.
  const { board } = filled({ quotesMax: 20_000 })
  const larger = loaded(boardImage(board), { quotesMax: 40_000, bookmakerShare: 0.5 })
  const slots = board['slotsUsed']
  const exact = loaded(boardImage(larger), { quotesMax: slots })
  const back = loaded(boardImage(exact), { quotesMax: 20_000 })
  assertSameImage(boardImage(back), boardImage(board), `seed ${SEED}`)
  for (let slot = 1; slot <= slots; slot++) {
    const { quotes } = exact
    if (quotes.statusOf(slot) === 0) continue
    assert.equal(exact.find(quotes.marketOf(slot), quotes.outcomeOf(slot), quotes.bookOf(slot)), slot)
  }
})

/**
 * An image as earlier versions have saved it, with each quote by itself in the wheel. Format 1 of checkpoints: a column
 * for each field of quotes; format 2: rows.
 */
const oldImage = (board: Board, format: 1 | 2): MemoryImage => {
  const used = board['slotsUsed'] + 1
  const { quotes } = board
  const each = <T extends Column>(type: new (length: number) => T, read: (slot: number) => number): T =>
    new type(used).map((_, slot) => read(slot)) as T
  const timer = new Uint32Array(used)
  // As good as any: all in the first bucket.
  let head = 0
  for (let slot = 1; slot < used; slot++) {
    if (quotes.bookOf(slot) === 0) continue
    timer[slot] = head
    head = slot
  }
  const old = new MemoryImage()
  for (const { name, kind, content } of boardImage(board).parts) {
    if (name === 'board') {
      const { layout: _layout, ...numbers } = unpack(content as Buffer) as Record<string, unknown>
      old.value('board', format === 1 ? numbers : { layout: 1, ...numbers })
    } else if (name === 'quotes rows' && format === 1) {
      old.column(
        'quotes market',
        each(Uint32Array, (slot) => quotes.marketOf(slot)),
      )
      old.column(
        'quotes outcome',
        each(Uint32Array, (slot) => quotes.outcomeOf(slot)),
      )
      // A free row kept its book.
      old.column(
        'quotes book',
        each(Uint32Array, (slot) => quotes.bookOf(slot) || 7),
      )
      old.column(
        'quotes status',
        each(Uint8Array, (slot) => quotes.statusOf(slot)),
      )
      old.column(
        'quotes odds',
        each(Float64Array, (slot) => quotes.oddsOf(slot)),
      )
      old.column(
        'quotes observedAt',
        each(Float64Array, (slot) => quotes.observedAtOf(slot)),
      )
      old.column(
        'quotes next',
        each(Uint32Array, (slot) => quotes.nextOf(slot)),
      )
      old.column(
        'quotes previous',
        each(Uint32Array, (slot) => quotes.previousOf(slot)),
      )
      old.column('quotes timer', timer)
    } else if (name === 'quotes rows') {
      old.parts.push({ name, kind, content })
      old.column('quotes timer', timer)
    } else if (name === 'index' && format === 1) old.derived('index', new Uint32Array(2 * quotes.length).fill(1))
    else if (name === 'wheel') {
      const [tick, , quietUntil] = unpack(content as Buffer) as [number, number, number]
      old.value('wheel', [tick, 0, null, quietUntil])
      old.column('wheel heads', Uint32Array.of(tick % 2 ** 20, head))
    } else if (!name.startsWith('wheel ') && !(name === 'quotes exact' && format === 1)) {
      old.parts.push({ name, kind, content })
    }
  }
  return old
}

/** Without the wheel: a block may be filed by an earlier time than it must be, and another one than after a restart. */
const withoutWheel = (image: MemoryImage): MemoryImage => {
  const others = new MemoryImage()
  others.parts.push(...image.parts.filter(({ name }) => !name.startsWith('wheel')))
  return others
}

for (const format of [1, 2] as const) {
  test(`an image of earlier versions (format ${format}) is read`, () => {
    const { board, lastTurnAt } = filled()
    const { quotesMax } = board
    const back = loaded(oldImage(board, format), { quotesMax })
    assertSameImage(withoutWheel(boardImage(back)), withoutWheel(boardImage(board)), `seed ${SEED}`)
    for (let round = 0; round < 3; round++) assert.equal(back.checksum(round), board.checksum(round))
    assert.deepEqual(slotsInUse(back, lastTurnAt), slotsInUse(board, lastTurnAt), `seed ${SEED}`)
    assert.equal(back.quietUntil, board.quietUntil)
    for (let slot = 1; slot <= board['slotsUsed']; slot++) {
      const { quotes } = back
      if (quotes.statusOf(slot) === 0) continue
      assert.equal(back.find(quotes.marketOf(slot), quotes.outcomeOf(slot), quotes.bookOf(slot)), slot)
    }
    const small = { quotesMax: board['slotsUsed'] - 1 }
    assert.throws(() => loaded(oldImage(board, format), small), /quotes-max must be at least/)
  })
}

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
