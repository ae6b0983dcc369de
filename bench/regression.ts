// The stored rows of the last landed commit, one for each kind of processor, and what has become worse since. A median is
// compared with the stored one; the tolerance comes from the noise of both.

import { median, rounded } from './report.ts'
import type { Measured } from './figures.ts'

/** Rounds that a ratio must have to be compared. */
export const ROUNDS_MIN = 5
/** The least change that is called one: from process to process code is compiled and placed otherwise. */
export const FLOOR = 0.05
/** Of the noise of both medians: three of their standard deviations, for five rounds. */
const NOISES = 1.7

/** A figure as it is stored: the median of all rounds, and their middle half, as a share of it. */
export interface Stored {
  readonly median: number
  readonly noise: number
  readonly rounds: number
}

export interface StoredRow {
  readonly commit: string
  readonly node: string
  readonly cores: number
  /** Cores that other processes used while it was measured: above some 0.1 the row is not a good one. */
  readonly othersBusy: number
  /** By target and figure. */
  readonly figures: Readonly<Record<string, Stored>>
}

/** bench/last.json: by the name of the processor. */
export type StoredRows = Readonly<Record<string, StoredRow>>

export interface Comparison {
  readonly name: string
  readonly before: number
  readonly now: number
  /** Relative; above 0 it is better than before. */
  readonly change: number
  readonly tolerance: number
  readonly isWorse: boolean
}

/** What the middle half of some values spans, as a share of their median: one value that went astray does not count. */
export const noiseOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => {
    const place = share * (sorted.length - 1)
    const below = sorted[Math.floor(place)]!
    return below + (sorted[Math.ceil(place)]! - below) * (place - Math.floor(place))
  }
  return (at(0.75) - at(0.25)) / median(values)
}

/** The name of a figure among those of all targets. */
export const nameOf = (id: string, { name, beside }: Measured): string =>
  beside === undefined ? `${id} ${name}` : `${id} ${name}, to ${beside}`

const isCompared = ({ rounds, floor }: Measured): boolean =>
  (rounds?.length ?? 0) >= ROUNDS_MIN || (rounds === undefined && floor !== undefined)

const storedOf = (values: readonly number[]): Stored => ({
  median: rounded(median(values)),
  noise: rounded(noiseOf(values)),
  rounds: values.length,
})

type Targets = readonly { readonly id: string; readonly figures: readonly Measured[] }[]

/** What is stored of some runs: the rounds of all of them are one sample, so that the noise from run to run is in it. */
export const storedFigures = (runs: readonly Targets[]): StoredRow['figures'] => {
  const values = new Map<string, number[]>()
  for (const { id, figures } of runs.flat()) {
    for (const figure of figures.filter(isCompared)) {
      const name = nameOf(id, figure)
      values.set(name, [...(values.get(name) ?? []), ...(figure.rounds ?? [figure.value])])
    }
  }
  return Object.fromEntries(Array.from(values, ([name, each]) => [name, storedOf(each)]))
}

/** Compares the figures of a target with those that are stored. What one side has not is not compared. */
export const compare = (
  id: string,
  figures: readonly Measured[],
  stored: StoredRow['figures'],
): readonly Comparison[] =>
  figures.filter(isCompared).flatMap((figure) => {
    const name = nameOf(id, figure)
    const before = stored[name]
    if (before === undefined) return []
    const now = storedOf(figure.rounds ?? [figure.value])
    const tolerance = Math.max(figure.floor ?? FLOOR, NOISES * Math.hypot(before.noise, now.noise))
    const change = figure.better === 'more' ? now.median / before.median - 1 : before.median / now.median - 1
    return { name, before: before.median, now: now.median, change, tolerance, isWorse: change < -tolerance }
  })
