// Aliases of names, to look up: the shipped ones of a sport over those of nations, and an operator's over both. A table is
// made when its sport is first seen, or in the background: a start does not wait for all of them.

import type { Alias } from '../domain/event-identity.ts'
import { slugOf } from '../domain/slug.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import { nationAliases, OF_NATIONS, type Row, sportAliases } from './aliases.ts'
import { NATION_SPELLINGS } from './nations.ts'
import { folded, type Word } from './words.ts'

/** In a table: a name of the table below is no alias here. */
const NONE = ''

/** Names and what they mean, both as {@link folded} slugs. */
class Rows {
  readonly names = new Map<string, string>()
  /** First words of the names. */
  readonly openings = new Set<string>()

  add(name: string, means: string): void {
    this.names.set(name, means)
    this.openings.add(name.split('_', 1)[0]!)
  }
}

/** Rows over another table. */
export class AliasTable {
  private readonly below: AliasTable | undefined
  private readonly names: ReadonlyMap<string, string>
  /** Of the tables below too: it is asked of every name. */
  private readonly openings: ReadonlySet<string>

  constructor(below: AliasTable | undefined, { names, openings }: Rows) {
    this.below = below
    this.names = names
    this.openings = below === undefined ? openings : new Set([...below.openings, ...openings])
  }

  get(name: string): string | undefined {
    const means = this.names.get(name)
    if (means !== undefined) return means === NONE ? undefined : means
    return this.below?.get(name)
  }

  /** Whether a name may begin with a word; what is looked up is mostly no alias. */
  opens({ spelling, text }: Word): boolean {
    return this.openings.has(spelling) || (text !== spelling && this.openings.has(text))
  }
}

/** The rows of aliases, made by and by. */
class PendingRows {
  private readonly rows = new Rows()
  private readonly aliases: Iterator<Row>
  private isDone = false

  constructor(aliases: Iterator<Row>) {
    this.aliases = aliases
  }

  /** Makes so many of them. @returns whether these are all */
  make(aliasesMax: number): boolean {
    for (let count = 0; count < aliasesMax && !this.isDone; count++) {
      const next = this.aliases.next()
      if (next.done === true) this.isDone = true
      else {
        const [name, means] = [folded(next.value[0]), folded(next.value[1])]
        if (name !== means) this.rows.add(name, means)
      }
    }
    return this.isDone
  }

  all(): Rows {
    this.make(Number.POSITIVE_INFINITY)
    return this.rows
  }
}

const nationRows = new PendingRows(nationAliases())
const sportRows = new Map(SPORTS.map((sport) => [sport, new PendingRows(sportAliases(sport))]))

const EMPTY = new AliasTable(undefined, new Rows())

const nationSpellings = new Rows()
for (const [name, means] of NATION_SPELLINGS) nationSpellings.add(name, means)
const NATIONS = new AliasTable(undefined, nationSpellings)

/** Nations in other languages, for sports of national teams. */
export const nationTable = (sport: Sport): AliasTable => (OF_NATIONS.includes(sport) ? NATIONS : EMPTY)

const nations = new Map<AliasTable, AliasTable>()
const tables = new Map<Sport, AliasTable>()

const nationsOver = (below: AliasTable): AliasTable => {
  let table = nations.get(below)
  if (table === undefined) {
    table = new AliasTable(below, nationRows.all())
    nations.set(below, table)
  }
  return table
}

/** What is shipped for a sport; made once. */
export const shippedTable = (sport: Sport): AliasTable => {
  let table = tables.get(sport)
  if (table === undefined) {
    const below = nationsOver(nationTable(sport))
    const rows = sportRows.get(sport)!.all()
    table = rows.names.size === 0 ? below : new AliasTable(below, rows)
    tables.set(sport, table)
  }
  return table
}

/** Less than a millisecond, before the compiler has seen it too. */
const MADE_A_STEP = 50

/** Makes all rows, some aliases at each step, so that the first event of a sport does not wait for them. */
export function* makeTables(): Generator<undefined, void> {
  for (const pending of [nationRows, ...sportRows.values()]) while (!pending.make(MADE_A_STEP)) yield
}

/** @param extra takes precedence over the table; a later one over an earlier one */
export const withAliases = (table: AliasTable, extra: readonly Alias[]): AliasTable => {
  const added = new Rows()
  for (const alias of extra) {
    const name = folded(slugOf(alias.name))
    const means = folded(slugOf(alias.means))
    if (name === '' || means === '' || name === means) continue
    added.add(name, means)
    // The target may have been an alias of this very name.
    if ((added.names.get(means) ?? table.get(means)) === name) added.add(means, NONE)
  }
  return new AliasTable(table, added)
}
