// Requests over time, answered and refused, as bars.

import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { UsageBucket } from '../portal-data.ts'
import { count, shortDay, minute } from '../wording.ts'

const HEIGHT = 240

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const columns = (buckets: readonly UsageBucket[]): uPlot.AlignedData => [
  buckets.map(({ start }) => Date.parse(start) / 1_000),
  buckets.map(({ requests }) => (requests === 0 ? null : requests)),
  // Of nothing no line is drawn.
  buckets.map(({ refused }) => (refused === 0 ? null : refused)),
]

export const UsagePlot = ({
  buckets,
  unit,
}: {
  readonly buckets: readonly UsageBucket[]
  readonly unit: 'hours' | 'days'
}) => {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  useEffect(() => {
    const element = place.current!
    const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } }
    const bars = uPlot.paths.bars!({ size: [0.7, 60] })
    const shown = (at: number): string => {
      const text = new Date(at * 1_000).toISOString()
      return unit === 'hours' ? minute(text) : shortDay(text)
    }
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), 'UTC'),
        cursor: { drag: { x: false, y: false } },
        legend: { live: true },
        series: [
          { label: unit === 'hours' ? 'Hour' : 'Day', value: (_, at) => (at === null ? '–' : shown(at)) },
          {
            label: 'Requests',
            stroke: colour('--accent'),
            fill: colour('--accent'),
            paths: bars,
            points: { show: false },
            value: (_, value, __, place) => (place === null ? '–' : count(value ?? 0)),
          },
          {
            label: 'Refused',
            stroke: colour('--bad'),
            fill: colour('--bad'),
            paths: bars,
            points: { show: false },
            value: (_, value, __, place) => (place === null ? '–' : count(value ?? 0)),
          },
        ],
        axes: [
          { ...axis, values: (_, splits) => splits.map(shown), space: 70 },
          { ...axis, size: 60, values: (_, splits) => splits.map((value) => (value % 1 === 0 ? count(value) : '')) },
        ],
        scales: { y: { range: (_, __, most) => [0, Math.max(4, (most ?? 0) * 1.1)] } },
      },
      columns(buckets),
      element,
    )
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [])
  useEffect(() => plot.current?.setData(columns(buckets)), [buckets])
  const total = buckets.reduce((sum, { requests }) => sum + requests, 0)
  const refused = buckets.reduce((sum, bucket) => sum + bucket.refused, 0)
  return (
    <figure>
      <div
        ref={place}
        class="plot"
        role="img"
        aria-label={`${count(total)} requests, ${count(refused)} of them refused`}
      />
      <figcaption class="soft">
        {count(total)} requests in the {buckets.length} {unit} shown, {count(refused)} of them refused.
      </figcaption>
    </figure>
  )
}
