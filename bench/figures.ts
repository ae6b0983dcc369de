// Figures of the rows that benches print: found by their place, with the rounds they are the median of, and judged by the
// target.

import type { Figure } from './targets.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A line that a bench has printed. */
export type Row = { readonly [name: string]: Json }

/** A figure of one run. */
export interface Measured {
  readonly name: string
  readonly value: number
  /** The ratio of each round. */
  readonly rounds?: readonly number[]
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
  /** The load was at its limit. */
  readonly loadLimited: boolean
  /** Connections were lost: the figure is void. */
  readonly isVoid: boolean
  /** By how much the latest of what was offered was late through the fault of the load, ms. */
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

/** A figure of some rows; undefined where the bench has left it out. */
const measuredOf = (rows: readonly Row[], figure: Figure): Measured | undefined => {
  const { at, ours, other, name, better, goal, unit, beside, of, floor } = figure
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
    ...(Array.isArray(rounds) && { rounds: rounds as readonly number[] }),
    ...(goal !== undefined && { goal, reached: better === 'more' ? value >= goal : value <= goal }),
    ...(unit !== undefined && { unit }),
    ...(beside !== undefined && { beside }),
    ...(oursValue !== undefined && { ours: oursValue }),
    ...(otherValue !== undefined && { other: otherValue }),
    ...(of !== undefined && { of }),
    ...(floor !== undefined && { floor }),
    loadLimited: onTheWay.some((each) => hasTrue(each.loadLimited)),
    isVoid: onTheWay.some((each) => numbersIn(each.lost).some((lost) => lost > 0)),
    lateMs: Math.max(0, ...onTheWay.flatMap((each) => numbersIn(each.lateMs))),
  }
}

export const measuredFigures = (rows: readonly Row[], figures: readonly Figure[]): readonly Measured[] =>
  figures.flatMap((figure) => measuredOf(rows, figure) ?? [])
