// The price path of one quote since the page was opened, as a line and as its last points.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { elapsedMs } from '../browser-clock.ts'
import { urlOf } from '../place.ts'
import { causeOf, duration, lineText, marketName, oddsText, outcomeName } from '../wording.ts'
import { Name } from '../widgets.tsx'
import type { BoardState, Cell } from './board-state.ts'
import type { PathPoint } from './price-path.ts'

const WIDTH = 320
const HEIGHT = 96
const EDGE = 6
const REDRAW_MS = 250
const LAST_POINTS = 8

interface Stretch {
  readonly path: string
  readonly isOpen: boolean
}

/** The page that says why this price is shown, or is not. */
export const explainUrl = (event: string, fields: Readonly<Record<string, string>>): string =>
  urlOf(`explain?${new URLSearchParams({ event, transport: 'live', ...fields }).toString()}`)

const fieldsOf = ({ bookmaker, row: { market, outcome } }: Cell): Readonly<Record<string, string>> => ({
  bookmaker,
  market: market.type,
  line: market.line === null ? 'none' : String(market.line),
  outcome,
})

/** Steps, because a price holds until the next one; stretches without an open price are drawn differently. */
export const stretches = (points: readonly PathPoint[], until: number): readonly Stretch[] => {
  if (points.length === 0) return []
  const start = points[0]!.at
  const span = Math.max(1, until - start)
  const odds = points.map((point) => point.odds)
  const low = Math.min(...odds)
  const high = Math.max(...odds)
  const range = high - low
  const x = (at: number): string => (EDGE + ((at - start) / span) * (WIDTH - 2 * EDGE)).toFixed(1)
  const y = (price: number): string =>
    (range === 0 ? HEIGHT / 2 : HEIGHT - EDGE - ((price - low) / range) * (HEIGHT - 2 * EDGE)).toFixed(1)
  return points.map((point, place) => {
    const next = points[place + 1]
    const rise = next === undefined ? '' : `V${y(next.odds)}`
    return { path: `M${x(point.at)} ${y(point.odds)}H${x(next?.at ?? until)}${rise}`, isOpen: point.isOpen }
  })
}

export const PathPanel = ({
  state,
  cell: chosen,
  event,
  isLive,
  names,
  onClose,
}: {
  readonly state: BoardState
  readonly cell: Cell
  /** Its id. */
  readonly event: string
  /** Whether the page shows the present. */
  readonly isLive: boolean
  readonly names: Signal<ReadonlyMap<string, string>>
  readonly onClose: () => void
}) => {
  const until = useSignal(elapsedMs())
  useEffect(() => {
    // What is not known has no line.
    if (!isLive) return
    const timer = setInterval(() => {
      until.value = elapsedMs()
    }, REDRAW_MS)
    return () => clearInterval(timer)
  }, [chosen, isLive])
  // A price may have left the board, and have come again.
  const cell = state.nowOf(chosen) ?? chosen
  const points = cell.path.points()
  const { market } = cell.row
  const odds = points.map((point) => point.odds)
  return (
    <aside
      class="path-panel"
      aria-label="Price path"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose()
      }}
    >
      <header>
        <h2>
          <Name text={names.value.get(cell.bookmaker) ?? cell.bookmaker.replaceAll('_', ' ')} />
        </h2>
        <button type="button" class="small" onClick={onClose}>
          Close
        </button>
      </header>
      <p>
        {marketName(market.type)} {lineText(market.type, market.line)} · <bdi>{outcomeName(cell.row.outcome)}</bdi>
      </p>
      <p class="now">
        <strong class={isLive && cell.status === 'open' ? '' : cell.status === 'suspended' ? 'struck' : 'soft'}>
          {cell.status === 'gone' ? 'no price' : oddsText(cell.odds)}
        </strong>{' '}
        <span class="soft">
          {isLive ? '' : 'not live '}
          {cell.status === 'open' ? (cell.isBest ? 'best price' : '') : cell.cause === '' ? '' : causeOf(cell.cause)[1]}
        </span>
      </p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${points.length} prices since the page was opened`}
      >
        {stretches(points, until.value).map(({ path, isOpen }) => (
          <path d={path} class={isOpen ? 'open' : 'shut'} />
        ))}
      </svg>
      <p class="soft range">
        <span>low {odds.length === 0 ? '–' : oddsText(Math.min(...odds))}</span>
        <span>{points.length === 0 ? '' : `last ${duration(until.value - points[0]!.at)}`}</span>
        <span>high {odds.length === 0 ? '–' : oddsText(Math.max(...odds))}</span>
      </p>
      <ol class="points">
        {points
          .slice(-LAST_POINTS)
          .reverse()
          .map((point) => (
            <li>
              <span class={point.isOpen ? '' : 'struck'}>{oddsText(point.odds)}</span>
              <span class="soft">{duration(until.value - point.at)} ago</span>
            </li>
          ))}
      </ol>
      <p>
        <a href={explainUrl(event, fieldsOf(cell))}>What the rules say about it</a>
      </p>
    </aside>
  )
}
