// oddswire user: who may log in to the portal.

import { type Fault, fault, isFault } from '../access/fault.ts'
import { hashOfToken, LINK_MS, linkUrl, newToken } from '../access/token.ts'
import { normaliseEmail, type Role, ROLES } from '../access/user-records.ts'
import { type Action, type Given, noSuchValue, type Outcome, runAction } from './action.ts'
import { countOf } from './table.ts'

const ROLE_HELP = [
  '  --role ROLE   member: sees all of the organization; owner: manages its keys, too; operator: everything of all',
]

const readEmail = (given: string): string | Fault =>
  normaliseEmail(given) ?? fault('EMAIL must be an address like ada@example.com')

const readRole = (given: string): Role | Fault =>
  ROLES.find((role) => role === given) ?? noSuchValue('role', given, ROLES)

/** Makes a link, and prints it. */
const withLink = ({ store, publicUrl, at }: Given, email: string, notes: readonly string[]): Outcome => {
  const token = newToken()
  const expiresAt = at + LINK_MS
  const written = store.users.putLink(email, { hash: hashOfToken(token), needsPassword: true, expiresAt }, at)
  if (isFault(written)) return written
  return {
    auditId: written.auditId,
    result: linkUrl(publicUrl, token),
    notes: [...notes, 'the link works once, within 24 hours, and sets the password; give it to nobody else:'],
  }
}

const create: Action = {
  synopsis: 'EMAIL --org NAME --role operator|owner|member',
  summary: 'Creates a user of the portal; prints a one-time link to log in with, alone on the last line.',
  details: ['', '  --org NAME    the organization (name or id)', ...ROLE_HELP],
  positionals: ['EMAIL'],
  required: ['org', 'role'],
  act: (given): Outcome => {
    const { store, flags, positionals, at } = given
    const email = readEmail(positionals[0]!)
    if (isFault(email)) return email
    const role = readRole(flags.role!)
    if (isFault(role)) return role
    const organization = store.accounts.organizationOf(flags.org!)
    if (isFault(organization)) return fault(`--org: ${organization.fault}`)
    const created = store.users.create({ email, role, organization: organization.id }, at)
    if (isFault(created)) return created
    return withLink(given, email, [`${email} is ${role} of ${organization.name}`])
  },
}

const link: Action = {
  synopsis: 'EMAIL',
  summary: 'Prints a new one-time link for a user, which sets a new password; an earlier link ends.',
  positionals: ['EMAIL'],
  act: (given): Outcome => {
    const email = readEmail(given.positionals[0]!)
    return isFault(email) ? email : withLink(given, email, [])
  },
}

const set: Action = {
  synopsis: 'EMAIL [--role operator|owner|member] [--org NAME]',
  summary: 'Changes a user. When the command returns, all sessions of the user have ended.',
  details: ['', '  --org NAME    the organization (name or id)', ...ROLE_HELP],
  positionals: ['EMAIL'],
  optional: ['role', 'org'],
  act: ({ store, flags, positionals, at }): Outcome => {
    const email = readEmail(positionals[0]!)
    if (isFault(email)) return email
    if (flags.role === undefined && flags.org === undefined) return { misused: 'nothing to set: give --role or --org' }
    const role = flags.role === undefined ? undefined : readRole(flags.role)
    if (isFault(role)) return role
    const organization = flags.org === undefined ? undefined : store.accounts.organizationOf(flags.org)
    if (isFault(organization)) return fault(`--org: ${organization.fault}`)
    const fields = {
      ...(role === undefined ? {} : { role }),
      ...(organization === undefined ? {} : { organization: organization.id }),
    }
    const written = store.users.set(email, fields, at)
    return isFault(written) ? written : { auditId: written.auditId }
  },
}

const remove: Action = {
  synopsis: 'EMAIL',
  summary: 'Removes a user. When the command returns, all sessions of the user have ended. Keys stay.',
  positionals: ['EMAIL'],
  act: ({ store, positionals, at }): Outcome => {
    const email = readEmail(positionals[0]!)
    if (isFault(email)) return email
    const written = store.users.remove(email, at)
    return isFault(written) ? written : { auditId: written.auditId }
  },
}

const list: Action = {
  synopsis: '',
  summary: 'Lists all users.',
  lists: true,
  act: ({ store }): Outcome => {
    const names = new Map(store.accounts.organizations().map(({ id, name }) => [id, name]))
    const rows = store.users.all().map(({ id, email, role, organization, password, createdAt }) => ({
      ...{ id, email, role, organization: names.get(organization)!, password: password !== null },
      createdAt: new Date(createdAt).toISOString(),
    }))
    return { rows, summary: countOf(rows.length, 'user') }
  },
}

/** Runs `oddswire user …`. Resolves to the exit code. */
export const run = (argv: readonly string[]): Promise<number> =>
  runAction('user', { create, list, link, set, remove }, argv)
