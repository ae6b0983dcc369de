// Aliases of names, to look up: the shipped ones of a sport over those of nations, and an operator's over both. A table is
// made when its sport is first seen, or before that, in steps.

import { readFileSync } from 'node:fs'
import type { Alias } from '../domain/event-identity.ts'
import { slugOf } from '../domain/slug.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import { citiesOf, OF_NATIONS } from './aliases.ts'
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
    const end = name.indexOf('_')
    this.openings.add(end === -1 ? name : name.slice(0, end))
  }
}

const collegesOf = (names: ReadonlyMap<string, string>, except: ReadonlySet<string>): Map<string, string> => {
  const colleges = new Map(Array.from(names.values(), (college) => [college, college]))
  for (const name of except) if (names.has(name)) colleges.set(name, names.get(name)!)
  return colleges
}

/** Rows over another table. */
export class AliasTable {
  /** Without what an operator has added: it stays when that changes. */
  readonly shipped: AliasTable
  private readonly below: AliasTable | undefined
  private readonly names: ReadonlyMap<string, string>
  private readonly except: ReadonlySet<string> | undefined
  /** The college that a name is of, whether it is written out, or is hidden by a city. */
  readonly colleges: ReadonlyMap<string, string> | undefined
  /** Of the tables below too, unless the rows are an operator's: it is asked of every name. */
  private readonly openings: ReadonlySet<string>

  /**
   * @param except names that are no aliases here; only of a table of colleges
   * @param isAdded the rows are an operator's
   */
  constructor(
    below: AliasTable | undefined,
    { names, openings }: Rows,
    except?: ReadonlySet<string>,
    isAdded: boolean = false,
  ) {
    this.shipped = isAdded ? below! : this
    this.below = below
    this.names = names
    this.except = except
    this.colleges = except === undefined ? below?.colleges : collegesOf(names, except)
    this.openings = below === undefined || isAdded ? openings : new Set([...below.openings, ...openings])
  }

  get(name: string): string | undefined {
    const means = this.names.get(name)
    if (means !== undefined && this.except?.has(name) !== true) return means === NONE ? undefined : means
    return this.below?.get(name)
  }

  /** Whether a name may begin with a word; what is looked up is mostly no alias. */
  opens({ spelling, text }: Pick<Word, 'spelling' | 'text'>): boolean {
    if (this.openings.has(spelling) || (text !== spelling && this.openings.has(text))) return true
    return this.shipped !== this && this.shipped.opens({ spelling, text })
  }
}

const ALIASES = new URL('../identity/aliases.json', import.meta.url)

/** By table, as the build has made them (alias-rows.ts); each is split when it is first needed. */
const texts = JSON.parse(readFileSync(ALIASES, 'utf8')) as Readonly<Record<string, string>>

/** Lines of a step: 3 000, as colleges have, take 4 to 10 ms in a process that has just started. */
const STEP_LINES = 256

function* split(text: string, rows: Rows): Generator<undefined, void> {
  for (const [number, line] of text.split('\n').entries()) {
    const end = line.indexOf('\t')
    if (end !== -1) rows.add(line.slice(0, end), line.slice(end + 1))
    if (number % STEP_LINES === STEP_LINES - 1) yield
  }
}

type Table = Sport | 'nations' | 'colleges'

const splits = new Map<Table, { readonly rows: Rows; readonly steps: Generator<undefined, void> }>()

const splitOf = (table: Table) => {
  let known = splits.get(table)
  if (known === undefined) {
    const rows = new Rows()
    known = { rows, steps: split(texts[table]!, rows) }
    splits.set(table, known)
  }
  return known
}

/** All rows of a table; what is not split yet is now. */
const rowsOf = (table: Table): Rows => {
  const { rows, steps } = splitOf(table)
  while (steps.next().done !== true);
  return rows
}

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
    table = new AliasTable(below, rowsOf('nations'))
    nations.set(below, table)
  }
  return table
}

const NO_NAMES: ReadonlySet<string> = new Set()

const makeTable = (sport: Sport, colleges: Colleges): AliasTable => {
  if (colleges === 'all') return new AliasTable(shippedTable(sport, 'none'), rowsOf('colleges'), NO_NAMES)
  let table = nationsOver(nationTable(sport))
  if (colleges === 'some') {
    if (!OF_COLLEGES.has(sport)) return shippedTable(sport, 'none')
    table = new AliasTable(table, rowsOf('colleges'), new Set(Array.from(citiesOf(sport), folded)))
  }
  const rows = rowsOf(sport)
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

/**
 * Makes all tables, in steps of a millisecond or less: whatever is first seen of a sport would wait for its tables else,
 * 12 ms of basketball, and 4 of football.
 */
export function* tableSteps(): Generator<undefined, void> {
  for (const table of ['nations', 'colleges', ...SPORTS] as const) yield* splitOf(table).steps
  for (const sport of SPORTS) {
    for (const colleges of ['none', 'some', 'all'] as const) {
      shippedTable(sport, colleges)
      yield
    }
  }
}

/** An operator's alias as the matcher compares names. */
export interface AliasRow {
  /** Null: all. */
  readonly sport: Sport | null
  readonly name: string
  readonly means: string
}

/** Without those that say nothing. */
export const aliasRows = (aliases: readonly Alias[]): readonly AliasRow[] =>
  aliases
    .map(({ sport, name, means }) => ({ sport, name: folded(slugOf(name)), means: folded(slugOf(means)) }))
    .filter(({ name, means }) => name !== '' && means !== '' && name !== means)

/** @param extra takes precedence over the table; a later one over an earlier one */
export const withAliases = (table: AliasTable, extra: readonly AliasRow[]): AliasTable => {
  const added = new Rows()
  for (const { name, means } of extra) {
    added.add(name, means)
    // The target may have been an alias of this very name.
    if ((added.names.get(means) ?? table.get(means)) === name) added.add(means, NONE)
  }
  return new AliasTable(table, added, undefined, true)
}
