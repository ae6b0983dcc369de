// Spellings and look-alikes that measure event identity (each list in fixtures/identity/hold-out says how it was made).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sport } from '../../src/domain/sport.ts'
import { ROOT } from '../root.ts'

/** A spelling, a name of The Odds API, and perhaps where the spelling is from. */
export type Pair = readonly [spelling: string, name: string, from?: string]

export type Pairs = Readonly<Partial<Record<Sport, readonly Pair[]>>>

export interface HoldOut {
  /** As UEFA, leagues and score sites have it. */
  readonly official: Pairs
  /** As tickers and exchanges shorten it, or other languages translate it. */
  readonly shortened: Pairs
  /** Not the one that is named, but easily taken for it. */
  readonly others: Pairs
}

const read = (name: string): HoldOut =>
  JSON.parse(readFileSync(join(ROOT, 'fixtures', 'identity', 'hold-out', `${name}.json`), 'utf8')) as HoldOut

const NAMES = ['first', 'second', 'third', 'drawn'] as const

/** The lists by their names. */
export const HOLD_OUTS: ReadonlyMap<string, HoldOut> = new Map(NAMES.map((name) => [name, read(name)]))

export const pairsOf = (pairs: Pairs): { sport: Sport; spelling: string; name: string }[] =>
  (Object.entries(pairs) as [Sport, readonly Pair[]][]).flatMap(([sport, rows]) =>
    rows.map(([spelling, name]) => ({ sport, spelling, name })),
  )
