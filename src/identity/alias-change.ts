// Which names another list of an operator's aliases can concern: only those are read anew.

import type { Alias } from '../domain/event-identity.ts'
import { SPORTS, type Sport } from '../domain/sport.ts'
import { type AliasRow, aliasRows } from './alias-table.ts'

export interface AliasChange {
  /**
   * Folded slugs that may have another meaning. A name that looks up none of them, at once or as what it means, is read as before.
   * What an alias means is among them: it is no alias of that name while it stands ({@link withAliases}).
   */
  readonly slugs: ReadonlySet<string>
  readonly sports: ReadonlySet<Sport>
}

const isSame = (a: AliasRow | undefined, b: AliasRow | undefined): boolean =>
  a?.sport === b?.sport && a?.name === b?.name && a?.means === b?.means

/** What lies between the rows that both lists begin with and those that both end with: a later one takes precedence. */
const between = (before: readonly AliasRow[], after: readonly AliasRow[]): readonly AliasRow[] => {
  const shorter = Math.min(before.length, after.length)
  let [first, last] = [0, 0]
  while (first < shorter && isSame(before[first], after[first])) first++
  while (last < shorter - first && isSame(before.at(-1 - last), after.at(-1 - last))) last++
  return [before, after].flatMap((rows) => rows.slice(first, rows.length - last))
}

/** Between two lists, of which a later alias takes precedence over an earlier one. */
export const changeOf = (before: readonly Alias[], after: readonly Alias[]): AliasChange => {
  const rows = between(aliasRows(before), aliasRows(after))
  const isOfAll = rows.some(({ sport }) => sport === null)
  return {
    slugs: new Set(rows.flatMap(({ name, means }) => [name, means])),
    sports: new Set(isOfAll ? SPORTS : rows.flatMap(({ sport }) => sport ?? [])),
  }
}
