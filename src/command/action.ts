// Actions: what commands like `org create` do to the store, and what they print.

import { confirm } from '../access/confirm.ts'
import { type Fault, fault, isFault } from '../access/fault.ts'
import { isHeld } from '../access/file-lock.ts'
import { holderOf } from '../access/holder.ts'
import { prepareFolder } from '../access/lock.ts'
import { adviceOn } from '../access/database-faults.ts'
import { NotShared } from '../access/sharing.ts'
import { Store } from '../access/store.ts'
import type { StoreFault } from '../access/store-faults.ts'
import { hasStore } from '../access/store-file.ts'
import * as clock from '../clock.ts'
import type { Settings } from '../config.ts'
import { isBookmakerSlug } from '../domain/coverage.ts'
import { didYouMean } from '../feed/nearest.ts'
import { parseFlags, refused, unknownWord, usage } from './arguments.ts'
import { LIST_HELP, printRows, type Row, type TableRow } from './table.ts'

/** One action of a command like `org` on the store. */
export interface Action {
  /** Arguments and flags as help shows them. */
  readonly synopsis: string
  readonly summary: string
  /** Lines that explain the flags. */
  readonly details?: readonly string[]
  readonly positionals?: readonly string[]
  /** Whether the last of them may be left out. */
  readonly mayOmit?: boolean
  /** Flags, all with a value. */
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  /** Flags without a value: where one is given, its value is `true`. */
  readonly switches?: readonly string[]
  /** Whether it prints a list. */
  readonly lists?: boolean
  /** Whether it may create a store; elsewhere that would hide that the data folder is missing. */
  readonly creates?: boolean
  readonly act: (given: Given) => Outcome | Promise<Outcome>
}

export interface Given {
  readonly store: Store
  readonly dataDir: string
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly positionals: readonly string[]
  /** Where customers reach the service, as far as it is known here. */
  readonly publicUrl: string
  /** Now, epoch ms. */
  readonly at: number
}

export interface Done {
  /** Audit row that a running server must have applied before the command returns. */
  readonly auditId?: number
  /** Printed alone on stdout. */
  readonly result?: string
  /** For people, on stderr. */
  readonly notes?: readonly string[]
  readonly rows?: readonly Row[]
  /** The rows as people read them; omitted: as they are. */
  readonly table?: readonly TableRow[]
  /** What the list says as a whole; for people, below it. */
  readonly summary?: string
  /** What failed, although all that is available is printed: exit code 1. */
  readonly failed?: string
}

/** An invalid command line. */
export interface Misused {
  readonly misused: string
}

export type Outcome = Done | Fault | Misused

/** How long a command waits for the running server. */
const CONFIRM_MS = 10_000

/** Every action accepts it: without it a store that has lost its log is not opened. */
const ACCEPT = 'accept-store'

const SUSPECT_NOTES: Readonly<Record<StoreFault, string>> = {
  restored:
    'note: this store is a backup that no server has accepted yet; keys that were revoked after it was made are valid in it',
  'log lost': 'note: this store was opened without its log; keys that were revoked just before may be valid in it',
  damaged:
    'note: this store was replaced or damaged while a server had it open; keys that were revoked may be valid in it',
}

/** How long an action waits for another process that is writing the store. */
export const BUSY_MS = 5_000

/** What the running server has announced; else as configured for a server that starts here. */
const publicUrlOf = ({ publicUrl, dataDir, httpPort, tlsCert }: Settings): string => {
  if (publicUrl !== '') return publicUrl
  const running = isHeld(dataDir) ? holderOf(dataDir) : undefined
  return running?.publicUrl ?? `${tlsCert === '' ? 'http' : 'https'}://localhost:${httpPort}`
}

/** Runs one action: `oddswire COMMAND ACTION …`; without a command: `oddswire ACTION …`. Resolves to the exit code. */
export const runAction = async (
  command: string,
  actions: Readonly<Record<string, Action>>,
  argv: readonly string[],
): Promise<number> => {
  const [name = '', ...rest] = argv
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) return withoutAction(command, actions, name)
  const help = [
    ['oddswire', command, name, action.synopsis, action.lists === true ? '[--json]' : '']
      .filter((word) => word !== '')
      .join(' '),
    '',
    action.summary,
    ...(action.lists === true ? [LIST_HELP] : []),
    ...(action.details ?? []),
  ]
  const { required = [], optional = [], switches = [], positionals = [], mayOmit = false } = action
  const types: Record<string, { readonly type: 'string' | 'boolean' }> = {}
  for (const flag of [...required, ...optional]) types[flag] = { type: 'string' }
  for (const flag of [...switches, ACCEPT, ...(action.lists === true ? ['json'] : [])])
    types[flag] = { type: 'boolean' }
  const parsed = parseFlags(rest, help.join('\n'), types, { settings: ['data-dir'], positionals, mayOmit })
  if (typeof parsed === 'number') return parsed
  const { settings } = parsed
  const flags: Record<string, string | undefined> = {}
  for (const [flag, value] of Object.entries(parsed.flags)) if (value !== undefined) flags[flag] = String(value)
  const missing = required.find((flag) => flags[flag] === undefined)
  if (missing !== undefined) return usage(`--${missing} is missing`, help.join('\n'))
  const { dataDir } = settings
  const at = clock.now()
  if (action.creates !== true && dataDir !== '' && !hasStore(dataDir)) {
    return refused(
      `there is no store in ${dataDir}: name its folder with --data-dir, or make one with oddswire serve or org create`,
    )
  }
  const unprepared = prepareFolder(dataDir)
  if (unprepared !== undefined) return refused(unprepared.fault)
  const store = Store.open(dataDir, { waitMs: BUSY_MS, busyMs: BUSY_MS, at, accepts: flags[ACCEPT] === 'true' })
  if (isFault(store)) return refused(store.fault)
  try {
    const { suspectBecause } = store.state()
    if (suspectBecause !== null) process.stderr.write(`${SUSPECT_NOTES[suspectBecause]}\n`)
    const publicUrl = publicUrlOf(settings)
    const outcome = await action.act({ store, dataDir, flags, positionals: parsed.positionals, publicUrl, at })
    if (isFault(outcome)) return refused(outcome.fault)
    if ('misused' in outcome) return usage(outcome.misused, help.join('\n'))
    const { auditId, result, notes = [], rows, table, summary, failed } = outcome
    const unconfirmed =
      store.sharing.unconfirmed !== undefined
        ? fault(store.sharing.unconfirmed)
        : auditId === undefined
          ? undefined
          : await confirm(store, dataDir, auditId, CONFIRM_MS, clock.elapsedMs)
    for (const note of notes) process.stderr.write(`${note}\n`)
    if (rows !== undefined) {
      printRows(rows, { json: flags.json === 'true', table, summary: summary === undefined ? [] : [summary] })
    }
    // Also when unconfirmed: a secret that is stored and not shown would be lost.
    if (result !== undefined) process.stdout.write(`${result}\n`)
    if (unconfirmed !== undefined) return refused(unconfirmed.fault)
    return failed === undefined ? 0 : refused(failed)
  } catch (error) {
    if (error instanceof NotShared) return refused(error.message)
    const advice = adviceOn(error)
    if (advice === undefined) throw error
    return refused(advice)
  } finally {
    store.close()
  }
}

const withoutAction = (command: string, actions: Readonly<Record<string, Action>>, name: string): number => {
  const lines = Object.entries(actions).map(
    ([each, { synopsis, summary }]) => [`${each} ${synopsis}`.trimEnd(), summary] as const,
  )
  if (name === '--help' || name === '-h' || name === 'help') {
    const head = [`oddswire ${command} ${Object.keys(actions).join('|')} …`, '']
    const tail = ['', `oddswire ${command} ${lines[0]![0].split(' ', 1)[0]} --help for more.`]
    process.stdout.write(
      `${[...head, ...lines.flatMap(([left, right]) => [`  ${left}`, `      ${right}`]), ...tail].join('\n')}\n`,
    )
    return 0
  }
  return usage(
    unknownWord(`${command} needs an action`, `${command} has no action "${name}"`, name, Object.keys(actions)),
    `oddswire ${command} ${Object.keys(actions).join('|')} …`,
  )
}

/** Reads `a,b` as bookmaker slugs, `*` as itself. */
export const readBookmakers = (flag: string, value: string): '*' | string[] | Fault => {
  if (value === '*') return '*'
  const slugs = value.split(',')
  const wrong = slugs.find((slug) => !isBookmakerSlug(slug))
  if (wrong !== undefined) {
    return fault(`--${flag} must be * or slugs with commas between (lower-case letters, digits, _ . -), not "${wrong}"`)
  }
  return [...new Set(slugs)]
}

/** Refuses the value of a flag, and names those that it has. */
export const noSuchValue = (flag: string, value: string, words: readonly string[]): Fault =>
  fault(`--${flag} has no value "${value}"; use one of ${words.join(', ')}${didYouMean(value, words)}`)

/** Reads `a,b` as words of a table. */
export const readWords = <Word extends string>(flag: string, value: string, words: readonly Word[]): Word[] | Fault => {
  const given = value.split(',') as Word[]
  const wrong = given.find((word) => !words.includes(word))
  return wrong === undefined ? [...new Set(given)] : noSuchValue(flag, wrong, words)
}

/** Reports slugs without coverage: a typo there would only show as missing data. */
export const notesOn = (store: Store, slugs: '*' | readonly string[] | null): string[] => {
  if (slugs === null || slugs === '*') return []
  const known = new Set(store.coverage.bookmakers().map(({ slug }) => slug))
  const unknown = slugs.filter((slug) => !known.has(slug))
  return unknown.length === 0 ? [] : [`note: not in coverage, so not shown to customers: ${unknown.join(', ')}`]
}
