// Audience: all callers that see the same bytes.

import { SPORTS } from './sport.ts'
import type { TransportNumber } from './transport.ts'

/** A set of bookmakers as bits: bookmaker n is bit `n & 31` of word `n >> 5`. */
export type BookmakerSet = Uint32Array

/** Entitlement ∩ scope ∩ coverage: the bookmakers that may be seen, per transport and sport. Interned: one object, one set. */
export interface Audience {
  readonly id: number
  /**
   * Equal where the sets are equal, in every process with the same bookmaker numbers: {@link audienceText}, or a hash of
   * it if it is long.
   */
  readonly text: string
  /** Index `transport * SPORTS.length + sport`, both by their numbers. */
  readonly sets: readonly BookmakerSet[]
}

export const bookmakersOf = (
  audience: Pick<Audience, 'sets'>,
  transport: TransportNumber,
  sportNumber: number,
): BookmakerSet => audience.sets[transport * SPORTS.length + sportNumber]!

export const hasBookmaker = (set: BookmakerSet, bookmaker: number): boolean =>
  ((set[bookmaker >>> 5] ?? 0) & (1 << (bookmaker & 31))) !== 0

export const isEmptySet = (set: BookmakerSet): boolean => set.every((word) => word === 0)

/**
 * The sets of an audience as text: the different ones, and which of them each place has, in runs of
 * `NUMBERxLENGTH`. Sports mostly have the same set.
 * @param sets without empty words at the end
 */
export const audienceText = (sets: readonly BookmakerSet[]): string => {
  const numbers = new Map<string, number>()
  const runs: [number: number, length: number][] = []
  for (const set of sets) {
    const text = Array.from(set, (word) => word.toString(36)).join('.')
    if (!numbers.has(text)) numbers.set(text, numbers.size)
    const number = numbers.get(text)!
    const last = runs.at(-1)
    if (last?.[0] === number) last[1]++
    else runs.push([number, 1])
  }
  return `${[...numbers.keys()].join()} ${runs.map(([number, length]) => `${number}x${length}`).join()}`
}

/** The sets of which {@link audienceText} has made a text; undefined for a hash. */
export const setsOfText = (text: string): readonly BookmakerSet[] | undefined => {
  const [sets, runs] = text.split(' ')
  if (runs === undefined) return undefined
  const different = sets!
    .split(',')
    .map((set) => Uint32Array.from(set === '' ? [] : set.split('.'), (word) => Number.parseInt(word, 36)))
  return runs.split(',').flatMap((run) => {
    const [number, length] = run.split('x')
    return Array.from({ length: Number(length) }, () => different[Number(number)]!)
  })
}
