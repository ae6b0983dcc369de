// Coverage as lists of rows: the result of an import or a removal, and how two lists differ.

import type { Coverage, Loss } from '../domain/coverage.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'

const REMOVED = { status: 'disabled_until_review', restAvailable: false, liveAvailable: false } as const

/** Coverage without a sport, or without any (`*`). A sport that `*` would still cover is disabled by name. */
export const without = (rows: readonly Coverage[], sport: Sport | '*'): readonly Coverage[] => {
  if (sport === '*') return []
  const others = rows.filter((row) => row.sport !== sport)
  const { lastVerifiedAt = null } = rows.find((row) => row.sport === sport) ?? {}
  return others.some((row) => row.sport === '*') ? [...others, { ...REMOVED, sport, lastVerifiedAt }] : others
}

/** Result of an import. `last`: the rows of the previous import, if repeating them is to change nothing. */
export const merged = (
  before: readonly Coverage[],
  given: readonly Coverage[],
  last: readonly Coverage[] | undefined,
): Coverage[] => {
  const sports = new Set([...given, ...(last === undefined ? [] : [...before, ...last])].map((row) => row.sport))
  return [...sports].flatMap((sport): Coverage[] => {
    const [ours, theirs, base] = [before, given, last ?? []].map((rows) => rows.find((row) => row.sport === sport))
    const isNews = last === undefined || !isSame(theirs === undefined ? [] : [theirs], base === undefined ? [] : [base])
    const chosen = isNews ? theirs : ours
    if (chosen === undefined) return []
    return [{ ...chosen, lastVerifiedAt: chosen.lastVerifiedAt ?? ours?.lastVerifiedAt ?? null }]
  })
}

/** Whether two rows are equal in a sport. */
export const isSameRow = (a: Coverage, b: Coverage): boolean =>
  a.status === b.status &&
  a.restAvailable === b.restAvailable &&
  a.liveAvailable === b.liveAvailable &&
  a.lastVerifiedAt === b.lastVerifiedAt

export const isSame = (a: readonly Coverage[], b: readonly Coverage[]): boolean =>
  a.length === b.length && a.every((row) => b.some((other) => other.sport === row.sport && isSameRow(row, other)))

/** `football, tennis on rest; golf on rest and live`. */
export const lossesText = (losses: readonly Loss[]): string =>
  losses
    .map(
      ({ sports, transports }) =>
        `${sports.length === SPORTS.length ? 'all sports' : sports.join(', ')} on ${transports.join(' and ')}`,
    )
    .join('; ')

/** The UTC date of an instant (epoch ms), `YYYY-MM-DD`. */
export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
