// Figures of the rows that benches print: found by their place, pooled over the passes of a run, with what they are sure
// to, and judged by the target.

import { median, rounded } from './report.ts'
import type { Figure } from './targets.ts'
import { shown } from './text-table.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A line that a bench has printed. */
export type Row = { readonly [name: string]: Json }

/** A figure of one run. */
export interface Measured {
  readonly name: string
  readonly value: number
  /** What each round gave, of all passes. Left out: it has one. */
  readonly rounds?: readonly number[]
  /** The value, less and more its noise. Left out: it has one round, and nothing is known of other runs. */
  readonly span?: readonly [least: number, most: number]
  readonly better: 'more' | 'less'
  readonly goal?: number
  readonly reached?: boolean
  readonly unit?: string
  readonly beside?: string
  /** What the ratio is made of. */
  readonly ours?: number
  readonly other?: number
  readonly of?: string
  readonly floor?: number
  /** The load used all of its core. */
  readonly loadLimited: boolean
  /** Connections were lost: the figure is void. */
  readonly isVoid: boolean
  /** What share of what was offered was late through the fault of the load, and by how much the latest, ms. */
  readonly lateShare: number
  readonly lateMs: number
}

const isObject = (value: Json | undefined): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The values on the way to a place, the row first; undefined where there is none. A place is names with points between
 * them; of a list `[name=value]`, repeated for more conditions, takes the first that has them all, `[last]` the last.
 */
const walk = (row: Row, place: string): readonly Json[] | undefined => {
  const way: Json[] = [row]
  for (const step of place.split('.')) {
    const [, name, conditions] = /^([^[]+)((?:\[[^\]]+\])*)$/.exec(step)!
    const last = way.at(-1)
    let value = isObject(last) ? last[name!] : undefined
    if (value === undefined) return undefined
    if (conditions !== '') {
      if (!Array.isArray(value)) return undefined
      value = elementOf(value as readonly Json[], conditions!)
      if (value === undefined) return undefined
    }
    way.push(value)
  }
  return way
}

const elementOf = (list: readonly Json[], conditions: string): Json | undefined => {
  if (conditions === '[last]') return list.at(-1)
  const wanted = [...conditions.matchAll(/\[([^=]+)=([^\]]+)\]/g)]
  return list.find((each) => isObject(each) && wanted.every(([, name, value]) => String(each[name!]) === value))
}

const findWay = (rows: readonly Row[], place: string): readonly Json[] | undefined => {
  for (const row of rows) {
    const way = walk(row, place)
    if (way !== undefined) return way
  }
  return undefined
}

const numberAt = (rows: readonly Row[], place: string | undefined): number | undefined => {
  const value = place === undefined ? undefined : findWay(rows, place)?.at(-1)
  return typeof value === 'number' ? value : undefined
}

const numbersIn = (value: Json | undefined): readonly number[] => {
  if (typeof value === 'number') return [value]
  return isObject(value) ? Object.values(value).filter((each) => typeof each === 'number') : []
}

const hasTrue = (value: Json | undefined): boolean =>
  value === true || (isObject(value) && Object.values(value).includes(true))

/** A figure as one process gave it. */
interface Pass extends Omit<Measured, 'rounds'> {
  readonly rounds: readonly number[]
}

/** A figure of the rows of one process; undefined where the bench has left it out. */
const passOf = (rows: readonly Row[], figure: Figure): Pass | undefined => {
  const { at, ours, other, name, better, unit, beside, of, floor } = figure
  const way = findWay(rows, at)
  const value = way?.at(-1)
  if (way === undefined || typeof value !== 'number') return undefined
  const holder = way.at(-2) as Row
  const rounds = holder[`${at.slice(at.lastIndexOf('.') + 1)}Rounds`]
  const oursValue = numberAt(rows, ours)
  const otherValue = numberAt(rows, other)
  const onTheWay = way.filter(isObject)
  return {
    name,
    value,
    better,
    rounds: Array.isArray(rounds) ? rounds.filter((each) => typeof each === 'number') : [value],
    ...(unit !== undefined && { unit }),
    ...(beside !== undefined && { beside }),
    ...(oursValue !== undefined && { ours: oursValue }),
    ...(otherValue !== undefined && { other: otherValue }),
    ...(of !== undefined && { of }),
    ...(floor !== undefined && { floor }),
    loadLimited: onTheWay.some((each) => hasTrue(each.loadLimited)),
    isVoid: onTheWay.some((each) => numbersIn(each.lost).some((lost) => lost > 0)),
    lateShare: Math.max(0, ...onTheWay.flatMap((each) => numbersIn(each.lateShare))),
    lateMs: Math.max(0, ...onTheWay.flatMap((each) => numbersIn(each.lateMs))),
  }
}

/** How surely the interval of {@link medianInterval} has the median that endless rounds would have. */
const COVERAGE = 0.9

/**
 * Between which of some rounds their true median is: so many from either end that it is outside in one of ten cases at most,
 * whatever their distribution. Of fewer than five it is all of them.
 */
const medianInterval = (rounds: readonly number[]): readonly [number, number] => {
  const sorted = rounds.toSorted((a, b) => a - b)
  const count = sorted.length
  let [left, outside, ways] = [0, 0, 1]
  // `outside`: the share of cases in which at most `left` of the rounds are on one side.
  for (; left < count / 2 - 1; left++) {
    outside += ways / 2 ** count
    ways = (ways * (count - left)) / (left + 1)
    if (1 - 2 * (outside + ways / 2 ** count) < COVERAGE) break
  }
  return [sorted[left]!, sorted[count - 1 - left]!]
}

const widthOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values)

/** As a share: from process to process code is compiled and placed otherwise, however calm the rounds were. */
const NOISE_MIN = 0.025

/**
 * By how much a run may be off, either way: by what its rounds leave open, or by what differs from process to process and from
 * minute to minute, which the rounds of a process share. That is the width of what three passes gave, not half of it, since their
 * median is seldom further from the true one; two passes say less, so that they need twice their width. One says nothing of it:
 * what it was in earlier runs is taken then.
 */
const noiseWithin = (passes: readonly Pass[], value: number, betweenRuns: number): number => {
  const [least, most] = medianInterval(passes.flatMap(({ rounds }) => rounds))
  const between =
    passes.length < 2 ? betweenRuns * value : (widthOf(passes.map((pass) => pass.value)) * 2) / (passes.length - 1)
  return Math.max(NOISE_MIN * value, (most - least) / 2, between)
}

/** What the processes of a run gave, as one figure. A figure is the median of all rounds; of a worst case, the worst. */
const pooled = (passes: readonly Pass[], { isWorst = false, goal, better, betweenRuns = 0 }: Figure): Measured => {
  const [{ rounds: _, ...first }] = passes as readonly [Pass]
  const rounds = passes.flatMap((pass) => pass.rounds)
  const value = rounded(isWorst ? Math.max(...rounds) : median(rounds))
  const noise = isWorst ? Math.max(widthOf(rounds), betweenRuns * value) : noiseWithin(passes, value, betweenRuns)
  const middle = (figure: (pass: Pass) => number | undefined): number | undefined => {
    const values = passes.map(figure).filter((each) => each !== undefined)
    return values.length === 0 ? undefined : rounded(median(values))
  }
  const [ours, other] = [middle((pass) => pass.ours), middle((pass) => pass.other)]
  return {
    ...first,
    value,
    ...(rounds.length > 1 && { rounds }),
    ...((rounds.length > 1 || betweenRuns > 0) && {
      span: [rounded(value - noise), rounded(value + noise)] as const,
    }),
    ...(goal !== undefined && { goal, reached: better === 'more' ? value >= goal : value <= goal }),
    ...(ours !== undefined && { ours }),
    ...(other !== undefined && { other }),
    loadLimited: passes.some(({ loadLimited }) => loadLimited),
    isVoid: passes.some(({ isVoid }) => isVoid),
    lateShare: Math.max(...passes.map(({ lateShare }) => lateShare)),
    lateMs: Math.max(...passes.map(({ lateMs }) => lateMs)),
  }
}

/**
 * Figures of some processes.
 * @param processes the rows of each; what several have is pooled
 * @param isJudged whether they have goals
 */
export const measuredFigures = (
  processes: readonly (readonly Row[])[],
  figures: readonly Figure[],
  isJudged = true,
): readonly Measured[] =>
  figures.flatMap((figure) => {
    const passes = processes.flatMap((rows) => passOf(rows, figure) ?? [])
    const { goal: _, ...unjudged } = figure
    return passes.length === 0 ? [] : pooled(passes, isJudged ? figure : unjudged)
  })

/** What a figure should reach. */
export const goalOf = ({ goal, better, unit }: Measured): string =>
  goal === undefined ? '' : `${better === 'more' ? '≥' : '≤'} ${shown(goal, unit)}`

/** The noise of a figure, as a share of its value: that of the run in which it was widest. */
export const shownNoise = (runs: readonly Measured[]): string => {
  const shares = runs.flatMap(({ span, value }) => (span === undefined ? [] : [(span[1] - span[0]) / 2 / value]))
  return shares.length === 0 ? '' : `± ${Math.ceil(Math.max(...shares) * 100)} %`
}

/** Whether runs agree within their noise: of each two, the spans overlap. One that has a single value has the least noise. */
export const agree = (runs: readonly Measured[]): boolean => {
  const spans = runs.map(({ span, value }) => span ?? ([value * (1 - NOISE_MIN), value * (1 + NOISE_MIN)] as const))
  return spans.every((one, n) => spans.slice(n + 1).every((other) => one[0] <= other[1] && other[0] <= one[1]))
}

/** Below this share a load that was late is no news. */
const LATE_SHARE_MIN = 0.001

/** What makes the figures of some runs doubtful. */
export const marksOf = (runs: readonly Measured[]): string => {
  const share = Math.max(...runs.map(({ lateShare }) => lateShare))
  const lateMs = Math.max(...runs.map((run) => run.lateMs))
  return [
    ...(agree(runs) ? [] : ['the runs do not agree']),
    ...(runs.some(({ isVoid }) => isVoid) ? ['VOID: connections lost'] : []),
    ...(runs.some(({ loadLimited }) => loadLimited) ? ['load at its limit'] : []),
    ...(share >= LATE_SHARE_MIN
      ? [`${shown(share * 100, '%')} of the load late, by up to ${shown(lateMs, 'ms')}`]
      : []),
  ].join(', ')
}
