// The grid of an event: markets down, bookmakers across. Drawn by Preact when rows or columns come and go or are scrolled
// to, and cell by cell otherwise (cells.ts).

import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { elapsedMs } from '../browser-clock.ts'
import type { BoardState, Cell } from './board-state.ts'
import { CellPainter, cellLabel, everyFrame } from './cells.ts'
import { cellAt, isMove, linesOf, move, type Place } from './grid-moves.ts'
import { type Drawn, GridHead, HeadRow, OutcomeRow, placeId, Spacer } from './grid-rows.tsx'
import { isSameWindow, type Scrolled, type Window, windowOf } from './window.ts'

/** How long what has ended is shown as such. */
const GONE_MS = 10_000
const PRUNE_EVERY_MS = 2_000

export interface GridProps {
  readonly state: BoardState
  /** Whether its snapshot is. */
  readonly isWhole: Signal<boolean>
  /** Names, and the health of sources, by bookmaker. */
  readonly names: Signal<ReadonlyMap<string, string>>
  readonly health: Signal<ReadonlyMap<string, string>>
  readonly chosen: Signal<Cell | undefined>
  /** Called once per frame. */
  readonly onFrame: () => void
}

/** Of a page whose text has the usual size; measured as soon as there is something to measure. */
const USUAL: Scrolled = { left: 0, top: 0, width: 1_200, height: 700, rowHeight: 35, columnWidth: 84 }

export const Grid = ({ state, isWhole, names, health, chosen, onFrame }: GridProps) => {
  const painter = useMemo(() => new CellPainter(), [state])
  const structure = useSignal(state.structure)
  const scrolled = useRef<HTMLDivElement>(null)
  const seen = useSignal<Window>(windowOf(USUAL, 0, 0))
  const active = useSignal<Place>({ line: -1, column: -1 })
  const drawnStructure = structure.value
  const lines = useMemo(() => linesOf(state.markets), [state, drawnStructure])
  const { bookmakers } = state

  const look = (): void => {
    const box = scrolled.current
    if (box === null) return
    const next = windowOf(measured(box), lines.length, bookmakers.length)
    if (!isSameWindow(next, seen.peek())) seen.value = next
  }

  useLayoutEffect(() => {
    look()
    const observer = new ResizeObserver(look)
    observer.observe(scrolled.current!)
    return () => observer.disconnect()
  }, [lines])

  useEffect(() => {
    const stop = everyFrame(() => {
      if (state.structure !== structure.peek()) structure.value = state.structure
      painter.draw(state)
      onFrame()
    })
    const timer = setInterval(() => state.prune(elapsedMs() - GONE_MS), PRUNE_EVERY_MS)
    return () => {
      stop()
      clearInterval(timer)
    }
  }, [state])

  useSignalEffect(() => painter.activate(cellAt(lines, bookmakers, active.value)))

  /** Makes the cell of an event the active one. */
  const enter = ({ target }: Event): Cell | undefined => {
    const element = (target as HTMLElement).closest<HTMLElement>('td.cell')
    const cell = element === null ? undefined : painter.cellAt(element)
    if (cell === undefined) return undefined
    const line = lines.findIndex(({ row }) => row === cell.row)
    active.value = { line, column: bookmakers.indexOf(cell.bookmaker) }
    return cell
  }

  const choose = (event: Event): void => {
    const cell = enter(event)
    if (cell !== undefined) chosen.value = cell
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event
    if (key === 'Enter' || key === ' ') {
      chosen.value = cellAt(lines, bookmakers, active.peek())
      event.preventDefault()
    } else if (key === 'Escape') {
      chosen.value = undefined
    } else if (isMove(key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      const next = move(lines, bookmakers, active.peek(), key)
      if (next === undefined) return
      active.value = next
      reveal(scrolled.current!, next)
      look()
    }
  }

  /** The grid keeps the focus, as cells may go. The keyboard enters at the first one. */
  const onFocusIn = (event: FocusEvent): void => {
    const table = event.currentTarget as HTMLElement
    if (event.target !== table) {
      enter(event)
      table.focus({ preventScroll: true })
    } else if (cellAt(lines, bookmakers, active.peek()) === undefined) {
      const line = lines.findIndex(({ row }) => row !== undefined)
      active.value = move(lines, bookmakers, { line, column: -1 }, 'ArrowRight') ?? active.peek()
    }
  }

  const { rows, columns } = seen.value
  const drawn: Drawn = {
    painter,
    from: columns.from,
    books: bookmakers.slice(columns.from, columns.to),
    after: Math.max(0, bookmakers.length - columns.to),
  }
  const activeCell = cellAt(lines, bookmakers, active.value)
  return (
    <div class="grid-scroll" ref={scrolled} onScroll={look}>
      <table
        class="grid"
        style={{ '--books': bookmakers.length }}
        role="grid"
        aria-label="Odds"
        aria-readonly="true"
        aria-rowcount={lines.length + 1}
        aria-colcount={bookmakers.length + 2}
        aria-activedescendant={activeCell === undefined ? undefined : placeId(active.value)}
        tabIndex={0}
        onFocusIn={onFocusIn}
        onClick={choose}
        onKeyDown={onKeyDown}
      >
        <colgroup>
          <col class="label-column" />
          <col span={bookmakers.length + 1} />
        </colgroup>
        <GridHead drawn={drawn} names={names} health={health} />
        <tbody>
          <Spacer lines={rows.from} />
          {lines
            .slice(rows.from, rows.to)
            .map(({ market, row }, place) =>
              row === undefined ? (
                <HeadRow key={market.key} market={market} line={rows.from + place} drawn={drawn} />
              ) : (
                <OutcomeRow key={`${market.key} ${row.outcome}`} row={row} line={rows.from + place} drawn={drawn} />
              ),
            )}
          <Spacer lines={Math.max(0, lines.length - rows.to)} />
        </tbody>
      </table>
      {lines.length > 0 ? null : (
        <p class="empty" role="status">
          {isWhole.value ? 'No bookmaker has a price for it now.' : 'Loading the prices…'}
        </p>
      )}
      <p class="hidden" role="status">
        {activeCell === undefined
          ? ''
          : cellLabel(activeCell, names.value.get(activeCell.bookmaker) ?? activeCell.bookmaker)}
      </p>
    </div>
  )
}

const measured = (box: HTMLElement): Scrolled => {
  const row = box.querySelector('tbody tr:not(.spacer)')
  const column = box.querySelector('thead .best-column')
  return {
    left: box.scrollLeft,
    top: box.scrollTop,
    width: box.clientWidth,
    height: Math.max(box.clientHeight, USUAL.height),
    rowHeight: row?.getBoundingClientRect().height ?? USUAL.rowHeight,
    columnWidth: column?.getBoundingClientRect().width ?? USUAL.columnWidth,
  }
}

/** Scrolls as little as it takes. What is pinned to the edges covers cells. */
const reveal = (box: HTMLElement, { line, column }: Place): void => {
  const { rowHeight, columnWidth, left, top } = measured(box)
  const head = box.querySelector('thead')!.getBoundingClientRect().height
  const pinned = [...box.querySelectorAll('thead th')].filter(
    (each) => getComputedStyle(each).left === '0px' || each.classList.contains('best-column'),
  )
  const covered = pinned.reduce((sum, each) => sum + each.getBoundingClientRect().width, 0)
  const y = line * rowHeight
  const x = column * columnWidth
  const roomBelow = box.clientHeight - head - rowHeight
  const roomRight = box.clientWidth - covered - columnWidth
  box.scrollTo({
    top: y < top + rowHeight ? y - rowHeight : y > top + roomBelow ? y - roomBelow : top,
    left: x < left ? x : x > left + roomRight ? x - roomRight : left,
  })
}
