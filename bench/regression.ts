// The stored rows of the last landed commit, one for each kind of processor, and what has become worse since. A median is
// compared with the stored one, or with that of an earlier build; the tolerance comes from the noise of both.

import { median, rounded } from './report.ts'
import type { Measured } from './figures.ts'

/** Rounds that a ratio must have to be compared. */
export const ROUNDS_MIN = 5
/** The least change that is called one: from process to process code is compiled and placed otherwise. */
export const FLOOR = 0.05
/** So many standard deviations of the difference of two medians are its tolerance. */
const DEVIATIONS = 3

/** A figure as it is stored: the median of all rounds, and the standard deviation of the median of a run, as a share of it. */
export interface Stored {
  readonly median: number
  readonly noise: number
  readonly runs: number
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

/** Of a normal distribution: the standard deviation of the median of n values is so many times their middle half, by √n. */
const MEDIAN_BY_MIDDLE_HALF = 0.93

/** Standard deviation of the median of some rounds, as a share of it, from their middle half: a round that went astray does not count. */
export const noiseOf = (rounds: readonly number[]): number => {
  const sorted = rounds.toSorted((a, b) => a - b)
  const at = (share: number): number => {
    const place = share * (sorted.length - 1)
    const below = sorted[Math.floor(place)]!
    return below + (sorted[Math.ceil(place)]! - below) * (place - Math.floor(place))
  }
  return (MEDIAN_BY_MIDDLE_HALF * (at(0.75) - at(0.25))) / Math.sqrt(rounds.length) / median(rounds)
}

/** The same from the medians of some runs: from run to run more changes than from round to round. */
const noiseOfRuns = (medians: readonly number[]): number => {
  if (medians.length < 2) return 0
  const mean = medians.reduce((sum, value) => sum + value, 0) / medians.length
  const squares = medians.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Math.sqrt(squares / (medians.length - 1)) / mean
}

/** The name of a figure among those of all targets. */
export const nameOf = (id: string, { name, beside }: Measured): string =>
  beside === undefined ? `${id} ${name}` : `${id} ${name}, to ${beside}`

/** Ratios with enough rounds, and what has a floor of its own: of other figures a machine says too much. */
const isCompared = ({ rounds = [], floor, unit, isVoid }: Measured): boolean =>
  !isVoid && (rounds.length === 0 ? floor !== undefined : unit === undefined && rounds.length >= ROUNDS_MIN)

const roundsOf = ({ rounds, value }: Measured): readonly number[] => rounds ?? [value]

const storedOf = (runs: readonly Measured[]): Stored => {
  const rounds = runs.map(roundsOf)
  return {
    median: rounded(median(rounds.flat())),
    noise: rounded(Math.max(noiseOfRuns(rounds.map(median)), median(rounds.map(noiseOf)))),
    runs: runs.length,
  }
}

type Targets = readonly { readonly id: string; readonly figures: readonly Measured[] }[]

/** What is stored of some runs. */
export const storedFigures = (runs: readonly Targets[]): StoredRow['figures'] => {
  const values = new Map<string, readonly Measured[]>()
  for (const { id, figures } of runs.flat()) {
    for (const figure of figures.filter(isCompared)) {
      const name = nameOf(id, figure)
      values.set(name, [...(values.get(name) ?? []), figure])
    }
  }
  return Object.fromEntries(Array.from(values, ([name, each]) => [name, storedOf(each)]))
}

/** One run in the place of stored ones: from run to run a figure changes as those did. */
export const storedOfOne = (run: Targets, row: StoredRow['figures']): StoredRow['figures'] =>
  Object.fromEntries(
    Object.entries(storedFigures([run])).map(([name, figure]) => [
      name,
      { ...figure, noise: Math.max(figure.noise, row[name]?.noise ?? 0) },
    ]),
  )

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
    const rounds = roundsOf(figure)
    const now = median(rounds)
    const tolerance = Math.max(figure.floor ?? FLOOR, DEVIATIONS * Math.hypot(before.noise, noiseOf(rounds)))
    const change = figure.better === 'more' ? now / before.median - 1 : before.median / now - 1
    return { name, before: before.median, now, change, tolerance, isWorse: change < -tolerance }
  })
