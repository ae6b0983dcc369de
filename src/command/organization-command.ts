// oddswire org: organizations, their plan and the bookmakers that they may see.

import { fault, isFault } from '../access/fault.ts'
import { isOrganizationName } from '../access/organization.ts'
import { type Action, notesOn, type Outcome, readBookmakers, runAction } from './action.ts'
import { countOf } from './table.ts'

const DETAILS = [
  '',
  '  --plan PLAN          see oddswire plan list',
  '  --bookmakers a,b|*   the bookmakers that it may see; * for all, also future ones (default of a new one: *)',
]

const create: Action = {
  creates: true,
  synopsis: 'NAME --plan PLAN [--bookmakers a,b|*]',
  summary: 'Creates an organization; prints its id alone on the last line.',
  details: DETAILS,
  positionals: ['NAME'],
  required: ['plan'],
  optional: ['bookmakers'],
  act: ({ store, flags, positionals, at }): Outcome => {
    const name = positionals[0]!
    if (!isOrganizationName(name)) {
      return fault('NAME must be 1 to 100 printable characters, and not begin with org_ (ids do) or -')
    }
    const entitlement = readBookmakers('bookmakers', flags.bookmakers ?? '*')
    if (isFault(entitlement)) return entitlement
    const created = store.accounts.createOrganization({ name, plan: flags.plan!, entitlement }, at)
    if (isFault(created)) return created
    return { auditId: created.auditId, result: created.id, notes: notesOn(store, entitlement) }
  },
}

const set: Action = {
  synopsis: 'NAME [--plan PLAN] [--bookmakers a,b|*]',
  summary: 'Changes an organization (NAME or id).',
  details: DETAILS,
  positionals: ['NAME'],
  optional: ['plan', 'bookmakers'],
  act: ({ store, flags, positionals, at }): Outcome => {
    const { plan, bookmakers } = flags
    if (plan === undefined && bookmakers === undefined)
      return { misused: 'nothing to set: give --plan or --bookmakers' }
    const entitlement = bookmakers === undefined ? undefined : readBookmakers('bookmakers', bookmakers)
    if (isFault(entitlement)) return entitlement
    const written = store.accounts.setOrganization(positionals[0]!, { plan, entitlement }, at)
    if (isFault(written)) return written
    return { auditId: written.auditId, notes: notesOn(store, entitlement ?? null) }
  },
}

const list: Action = {
  synopsis: '',
  summary: 'Lists all organizations.',
  lists: true,
  act: ({ store }): Outcome => {
    const rows = store.accounts
      .organizations()
      .map(({ id, name, plan, entitlement }) => ({ id, name, plan, bookmakers: entitlement }))
    return { rows, summary: countOf(rows.length, 'organization') }
  },
}

/** Runs `oddswire org …`. Resolves to the exit code. */
export const run = (argv: readonly string[]): Promise<number> => runAction('org', { create, set, list }, argv)
