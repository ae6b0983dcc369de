// Aliases of names, to look up: the shipped ones of a sport over those of nations, and an operator's over both. A table is
// made when its sport is first seen, or in the background: a start does not wait for all of them.

import type { Alias } from '../domain/event-identity.ts'
import { slugOf } from '../domain/slug.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import { citiesOf, nationAliases, OF_NATIONS, type Row, sportAliases } from './aliases.ts'
import { collegeAliases } from './aliases-colleges.ts'
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

const collegesOf = (names: ReadonlyMap<string, string>, except: ReadonlySet<string>): Map<string, string> => {
  const colleges = new Map(Array.from(names.values(), (college) => [college, college]))
  for (const name of except) if (names.has(name)) colleges.set(name, names.get(name)!)
  return colleges
}

/** Rows over another table. */
export class AliasTable {
  private readonly below: AliasTable | undefined
  private readonly names: ReadonlyMap<string, string>
  private readonly except: ReadonlySet<string> | undefined
  /** The college that a name is of, whether it is written out, or is hidden by a city. */
  readonly colleges: ReadonlyMap<string, string> | undefined
  /** Of the tables below too: it is asked of every name. */
  private readonly openings: ReadonlySet<string>

  /** @param except names that are no aliases here; only of a table of colleges */
  constructor(below: AliasTable | undefined, { names, openings }: Rows, except?: ReadonlySet<string>) {
    this.below = below
    this.names = names
    this.except = except
    this.colleges = except === undefined ? below?.colleges : collegesOf(names, except)
    this.openings = below === undefined ? openings : new Set([...below.openings, ...openings])
  }

  get(name: string): string | undefined {
    const means = this.names.get(name)
    if (means !== undefined && this.except?.has(name) !== true) return means === NONE ? undefined : means
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
const collegeRows = new PendingRows(collegeAliases())
const sportRows = new Map(SPORTS.map((sport) => [sport, new PendingRows(sportAliases(sport))]))

const EMPTY = new AliasTable(undefined, new Rows())

const nationSpellings = new Rows()
for (const [name, means] of NATION_SPELLINGS) nationSpellings.add(name, means)
const NATIONS = new AliasTable(undefined, nationSpellings)

/** Nations in other languages, for sports of national teams. */
export const nationTable = (sport: Sport): AliasTable => (OF_NATIONS.includes(sport) ? NATIONS : EMPTY)

/** Sports in which sources list colleges beside professional teams without naming the league. */
const OF_COLLEGES: ReadonlySet<Sport> = new Set(['basketball', 'american_football', 'baseball'])

/** Which names of US colleges a table has. */
export type Colleges =
  /** Those that are no city of a professional team. */
  | 'some'
  /** All, before the professional teams. */
  | 'all'
  | 'none'

const nations = new Map<AliasTable, AliasTable>()
const tables = {
  some: new Map<Sport, AliasTable>(),
  all: new Map<Sport, AliasTable>(),
  none: new Map<Sport, AliasTable>(),
}

const nationsOver = (below: AliasTable): AliasTable => {
  let table = nations.get(below)
  if (table === undefined) {
    table = new AliasTable(below, nationRows.all())
    nations.set(below, table)
  }
  return table
}

const NO_NAMES: ReadonlySet<string> = new Set()

const makeTable = (sport: Sport, colleges: Colleges): AliasTable => {
  if (colleges === 'all') return new AliasTable(shippedTable(sport, 'none'), collegeRows.all(), NO_NAMES)
  let table = nationsOver(nationTable(sport))
  if (colleges === 'some') {
    if (!OF_COLLEGES.has(sport)) return shippedTable(sport, 'none')
    table = new AliasTable(table, collegeRows.all(), new Set(Array.from(citiesOf(sport), folded)))
  }
  const rows = sportRows.get(sport)!.all()
  return rows.names.size === 0 ? table : new AliasTable(table, rows)
}

/** What is shipped for a sport; made once. */
export const shippedTable = (sport: Sport, colleges: Colleges): AliasTable => {
  let table = tables[colleges].get(sport)
  if (table === undefined) {
    table = makeTable(sport, colleges)
    tables[colleges].set(sport, table)
  }
  return table
}

/** Less than a millisecond, before the compiler has seen it too. */
const MADE_A_STEP = 50

/** Makes all rows, some aliases at each step, so that the first event of a sport does not wait for them. */
export function* makeTables(): Generator<undefined, void> {
  for (const pending of [nationRows, ...sportRows.values(), collegeRows]) while (!pending.make(MADE_A_STEP)) yield
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
