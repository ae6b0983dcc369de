// Figures of the rows that benches print: found by their place, with the rounds they are the median of, and judged by the
// target.

import type { Figure } from './targets.ts'
import { shown } from './text-table.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A line that a bench has printed. */
export type Row = { readonly [name: string]: Json }

/** A figure of one run. */
export interface Measured {
  readonly name: string
  readonly value: number
  /** The ratio of each round. */
  readonly rounds?: readonly number[]
  /** Least and most of the rounds: the noise of the figure within its run. Left out: it has one round. */
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

/** Of the rounds of a ratio, or beside the median of what was measured in rounds. */
const spanOf = (rounds: Json | undefined, { min, max }: Row): readonly [number, number] | undefined => {
  if (Array.isArray(rounds)) {
    const ratios = rounds as readonly number[]
    return ratios.length > 1 ? [Math.min(...ratios), Math.max(...ratios)] : undefined
  }
  return typeof min === 'number' && typeof max === 'number' && min < max ? [min, max] : undefined
}

/** A figure of some rows; undefined where the bench has left it out. */
const measuredOf = (rows: readonly Row[], figure: Figure, isJudged: boolean): Measured | undefined => {
  const { at, ours, other, name, better, unit, beside, of, floor } = figure
  const goal = isJudged ? figure.goal : undefined
  const way = findWay(rows, at)
  const value = way?.at(-1)
  if (way === undefined || typeof value !== 'number') return undefined
  const holder = way.at(-2) as Row
  const rounds = holder[`${at.slice(at.lastIndexOf('.') + 1)}Rounds`]
  const span = spanOf(rounds, at.endsWith('.median') ? holder : {})
  const oursValue = numberAt(rows, ours)
  const otherValue = numberAt(rows, other)
  const onTheWay = way.filter(isObject)
  return {
    name,
    value,
    better,
    ...(Array.isArray(rounds) && { rounds: rounds as readonly number[] }),
    ...(span !== undefined && { span }),
    ...(goal !== undefined && { goal, reached: better === 'more' ? value >= goal : value <= goal }),
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

/** Figures of the rows of some programs. @param isJudged whether they have goals */
export const measuredFigures = (
  rows: readonly Row[],
  figures: readonly Figure[],
  isJudged = true,
): readonly Measured[] => figures.flatMap((figure) => measuredOf(rows, figure, isJudged) ?? [])

/** What a figure should reach. */
export const goalOf = ({ goal, better, unit }: Measured): string =>
  goal === undefined ? '' : `${better === 'more' ? '≥' : '≤'} ${shown(goal, unit)}`

/** Medians of two runs that differ by less agree, whatever their rounds say. */
const AGREED = 0.05

/** The noise of a figure: half of the widest span of rounds that a run of it had, as a share of its value. */
export const noiseOf = (runs: readonly Measured[]): number | undefined => {
  const shares = runs.flatMap(({ span, value }) => (span === undefined ? [] : [(span[1] - span[0]) / 2 / value]))
  return shares.length === 0 ? undefined : Math.max(...shares)
}

/** Whether runs agree within their noise: of each two, the spans of their rounds overlap, or the values hardly differ. */
export const agree = (runs: readonly Measured[]): boolean => {
  const spans = runs.map(({ span, value }) => span ?? ([value, value] as const))
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= AGREED * Math.max(a, b)
  return runs.every((one, n) =>
    runs.slice(n + 1).every((other, m) => {
      const [ours, others] = [spans[n]!, spans[n + 1 + m]!]
      return isNear(one.value, other.value) || (ours[0] <= others[1] && others[0] <= ours[1])
    }),
  )
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
