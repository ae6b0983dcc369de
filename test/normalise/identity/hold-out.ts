// Spellings and look-alikes that measure event identity (fixtures/identity/hold-out.json says how they were made).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sport } from '../../../src/domain/sport.ts'
import { ROOT } from '../../root.ts'

/** A spelling, and a name of The Odds API. */
export type Pair = readonly [spelling: string, name: string]

export type Pairs = Readonly<Partial<Record<Sport, readonly Pair[]>>>

interface HoldOut {
  readonly official: Pairs
  readonly shortened: Pairs
  readonly others: Pairs
}

export const HOLD_OUT = JSON.parse(readFileSync(join(ROOT, 'fixtures', 'identity', 'hold-out.json'), 'utf8')) as HoldOut

export const pairsOf = (pairs: Pairs): { sport: Sport; spelling: string; name: string }[] =>
  (Object.entries(pairs) as [Sport, readonly Pair[]][]).flatMap(([sport, rows]) =>
    rows.map(([spelling, name]) => ({ sport, spelling, name })),
  )
