// Aliases of names, to look up: the shipped ones of a sport over those of nations, and an operator's over both. A table is
// made when its sport is first seen: a start does not wait for all of them.

import type { Alias } from '../domain/event-identity.ts'
import { slugOf } from '../domain/slug.ts'
import type { Sport } from '../domain/sport.ts'
import { nationAliases, OF_NATIONS, sportAliases } from './aliases.ts'
import { NATION_SPELLINGS } from './nations.ts'
import { folded, type Word } from './words.ts'

/** In a table: a name of the table below is no alias here. */
const NONE = ''

/** Names and what they mean, both as {@link folded} slugs, over another table. */
export class AliasTable {
  private readonly below: AliasTable | undefined
  private readonly names: Map<string, string>
  /** First words of the names. */
  private readonly openings = new Set<string>()

  constructor(below: AliasTable | undefined, rows: Iterable<readonly [name: string, means: string]>) {
    this.below = below
    this.names = new Map(rows)
    for (const name of this.names.keys()) this.openings.add(name.split('_', 1)[0]!)
  }

  get(name: string): string | undefined {
    const means = this.names.get(name)
    if (means !== undefined) return means === NONE ? undefined : means
    return this.below?.get(name)
  }

  /** Whether a name may begin with a word; what is looked up is mostly no alias. */
  opens(word: Word): boolean {
    const { spelling, text } = word
    if (this.openings.has(spelling) || (text !== spelling && this.openings.has(text))) return true
    return this.below?.opens(word) === true
  }
}

const foldedRows = (rows: readonly (readonly [string, string])[]): [name: string, means: string][] =>
  rows.map(([name, means]): [string, string] => [folded(name), folded(means)]).filter(([name, means]) => name !== means)

const EMPTY = new AliasTable(undefined, [])

let spellings: AliasTable | undefined

/** Nations in other languages, for sports of national teams. */
export const nationTable = (sport: Sport): AliasTable =>
  OF_NATIONS.includes(sport) ? (spellings ??= new AliasTable(undefined, NATION_SPELLINGS)) : EMPTY

let nationRows: [string, string][] | undefined
const nations = new Map<AliasTable, AliasTable>()
const tables = new Map<Sport, AliasTable>()

const nationsOver = (below: AliasTable): AliasTable => {
  let table = nations.get(below)
  if (table === undefined) {
    nationRows ??= foldedRows(nationAliases())
    table = new AliasTable(below, nationRows)
    nations.set(below, table)
  }
  return table
}

/** What is shipped for a sport; made once. */
export const shippedTable = (sport: Sport): AliasTable => {
  let table = tables.get(sport)
  if (table === undefined) {
    const below = nationsOver(nationTable(sport))
    const rows = foldedRows(sportAliases(sport))
    table = rows.length === 0 ? below : new AliasTable(below, rows)
    tables.set(sport, table)
  }
  return table
}

/** @param extra takes precedence over the table; a later one over an earlier one */
export const withAliases = (table: AliasTable, extra: readonly Alias[]): AliasTable => {
  const added = new Map<string, string>()
  for (const alias of extra) {
    const name = folded(slugOf(alias.name))
    const means = folded(slugOf(alias.means))
    if (name === '' || means === '' || name === means) continue
    added.set(name, means)
    // The target may have been an alias of this very name.
    if ((added.get(means) ?? table.get(means)) === name) added.set(means, NONE)
  }
  return new AliasTable(table, added)
}
