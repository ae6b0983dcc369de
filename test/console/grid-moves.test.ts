import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoardState } from '../../src/console/board/board-state.ts'
import { cellAt, linesOf, move } from '../../src/console/board/grid-moves.ts'
import { isSameWindow, type Scrolled, windowOf } from '../../src/console/board/window.ts'
import { Random, SEED } from '../random.ts'

const SIZE = { width: 800, height: 400, rowHeight: 35.2, columnWidth: 84 }

test('what is seen is drawn, wherever it is scrolled to, and not much more', () => {
  const random = new Random(SEED)
  for (let round = 0; round < 2_000; round++) {
    const rows = random.int(0, 200)
    const columns = random.int(0, 60)
    const scrolled: Scrolled = { left: random.int(0, 5_000), top: random.int(0, 7_000), ...SIZE }
    const drawn = windowOf(scrolled, rows, columns)
    const what = `seed ${SEED}: ${JSON.stringify({ rows, columns, scrolled, drawn })}`
    for (const [range, start, length, size, count] of [
      [drawn.rows, scrolled.top, SIZE.height, SIZE.rowHeight, rows],
      [drawn.columns, scrolled.left, SIZE.width, SIZE.columnWidth, columns],
    ] as const) {
      assert.ok(0 <= range.from && range.from <= range.to && range.to <= count, what)
      assert.ok(range.to - range.from <= length / size + 18, what)
      for (let place = 0; place < count; place++) {
        const isSeen = (place + 1) * size > start && place * size < start + length
        if (isSeen) assert.ok(range.from <= place && place < range.to, `${what}, ${place}`)
      }
    }
  }
})

test('small steps of scrolling draw nothing anew', () => {
  const at = (top: number) => windowOf({ left: 0, top, ...SIZE }, 200, 60)
  let steps = 0
  for (let top = 1; top <= 352; top++) if (!isSameWindow(at(top - 1), at(top))) steps++
  assert.ok(steps <= 6, String(steps))
})

const filled = (): BoardState => {
  const state = new BoardState()
  const quote = (outcome: string) => ({
    ...{ type: 'match_result_1x2', line: null, outcome, odds: 2, status: 'open' as const },
    lastUpdatedAt: '2026-11-20T19:03:11.482Z',
  })
  state.apply({ eventId: '1', bookmaker: 'a', quotes: [quote('home'), quote('away')] }, true, 0)
  state.apply({ eventId: '1', bookmaker: 'b', quotes: [quote('draw')] }, true, 0)
  state.apply({ eventId: '1', bookmaker: 'c', quotes: [quote('home'), quote('draw'), quote('away')] }, true, 0)
  return state
}

test('arrow keys lead over empty places and stop at the edges', () => {
  const { markets, bookmakers } = filled()
  const lines = linesOf(markets)
  assert.equal(lines.length, 4)
  const go = (line: number, column: number, key: string) => move(lines, bookmakers, { line, column }, key)
  assert.deepEqual(go(1, 0, 'ArrowRight'), { line: 1, column: 2 }, 'b has no price for home')
  assert.deepEqual(go(1, 0, 'ArrowDown'), { line: 3, column: 0 })
  assert.equal(go(1, 0, 'ArrowUp'), undefined, 'the head of the market is no price')
  assert.equal(go(1, 2, 'ArrowRight'), undefined)
  assert.deepEqual(go(2, 2, 'Home'), { line: 2, column: 1 })
  assert.deepEqual(go(1, 0, 'End'), { line: 1, column: 2 })
  assert.deepEqual(go(1, 2, 'PageDown'), { line: 3, column: 2 })
  assert.deepEqual(go(3, 2, 'PageUp'), { line: 1, column: 2 })
  assert.equal(cellAt(lines, bookmakers, { line: 2, column: 0 }), undefined)
  assert.equal(cellAt(lines, bookmakers, { line: 2, column: 1 })!.bookmaker, 'b')
})
