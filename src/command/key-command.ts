// oddswire key: the secrets that identify an organization.

import { type Fault, fault, isFault } from '../access/fault.ts'
import { isSecret, type KeyRecord } from '../access/key.ts'
import { CHANNELS, type Scope } from '../access/scope.ts'
import { hasHidden } from '../domain/safe-text.ts'
import { SPORTS } from '../domain/sport.ts'
import { parseDateTime } from '../domain/time.ts'
import { KEY_HELP, readKey } from './secret.ts'
import { type Action, type Given, notesOn, type Outcome, readBookmakers, readWords, runAction } from './action.ts'
import { countOf, tally } from './table.ts'

/** Parses an RFC 3339 time with an offset, in the future. Epoch ms. */
const readExpiry = (value: string, at: number): number | Fault => {
  const instant = parseDateTime(value)
  if (instant === undefined) return fault('--expires must be a date-time of RFC 3339, like 2030-01-31T00:00:00Z')
  return instant.epochMs > at ? instant.epochMs : fault(`--expires ${value} is in the past`)
}

const readScope = ({ channels, bookmakers, sports }: Given['flags']): Scope | Fault => {
  const channelsRead = channels === undefined ? null : readWords('channels', channels, CHANNELS)
  if (isFault(channelsRead)) return channelsRead
  const bookmakersRead = bookmakers === undefined ? '*' : readBookmakers('bookmakers', bookmakers)
  if (isFault(bookmakersRead)) return bookmakersRead
  const sportsRead = sports === undefined ? null : readWords('sports', sports, SPORTS)
  if (isFault(sportsRead)) return sportsRead
  return { channels: channelsRead, bookmakers: bookmakersRead === '*' ? null : bookmakersRead, sports: sportsRead }
}

const readFeedScope = (feed: string): Scope | Fault => {
  const bookmakers = readBookmakers('feed', feed)
  if (isFault(bookmakers)) return bookmakers
  if (bookmakers === '*') return fault('--feed must name the bookmakers that the key feeds; * is not allowed')
  return { channels: null, bookmakers, sports: null }
}

const create: Action = {
  synopsis:
    '--org NAME [--name TEXT] [--channels rest,live] [--bookmakers a,b] [--sports a,b] [--expires RFC3339] [--feed a,b]',
  summary: 'Creates a key; prints its secret, which is shown only now, alone on the last line.',
  details: [
    '',
    '  --org NAME         the organization (name or id)',
    '  --name TEXT        what it is for, as lists show it',
    `  --channels a,b     only these of ${CHANNELS.join(', ')}`,
    '  --bookmakers a,b   only these bookmakers, of those that the organization may see',
    '  --sports a,b       only these sports',
    '  --expires TIME     when it expires, like 2030-01-31T00:00:00Z',
    '  --feed a,b         a feed key: it may only send observations, of these bookmakers',
  ],
  required: ['org'],
  optional: ['name', 'channels', 'bookmakers', 'sports', 'expires', 'feed'],
  act: ({ store, flags, at }): Outcome => {
    const { feed, expires, name = '' } = flags
    if (name.length > 100 || /\p{C}/u.test(name) || (name !== '' && hasHidden(name)))
      return fault('--name must be up to 100 printable characters')
    if (feed !== undefined) {
      const other = ['channels', 'bookmakers', 'sports'].find((flag) => flags[flag] !== undefined)
      if (other !== undefined) return { misused: `--${other} does not go with --feed: a feed key reads nothing` }
    }
    const scope = feed === undefined ? readScope(flags) : readFeedScope(feed)
    if (isFault(scope)) return scope
    const expiresAt = expires === undefined ? null : readExpiry(expires, at)
    if (isFault(expiresAt)) return expiresAt
    const organization = store.accounts.organizationOf(flags.org!)
    if (isFault(organization)) return fault(`--org: ${organization.fault}`)
    const kind = feed === undefined ? 'customer' : 'feed'
    const { id, secret, auditId } = store.accounts.createKey(
      { kind, organization: organization.id, scope, expiresAt, name },
      at,
    )
    const notes = [...notesOn(store, scope.bookmakers), `${id} of ${organization.name}; its secret is shown only now:`]
    return { auditId, result: secret, notes }
  },
}

const statusOf = ({ revokedAt, expiresAt }: KeyRecord, at: number): string =>
  revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= at ? 'expired' : 'active'

const instantOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** For tables. */
const dayOf = (instant: string | null): string | null => instant && instant.slice(0, 10)

const list: Action = {
  synopsis: '[--org NAME]',
  summary: 'Lists all keys, or those of an organization (name or id). Secrets are not stored.',
  lists: true,
  optional: ['org'],
  act: ({ store, flags, at }): Outcome => {
    const organization = flags.org === undefined ? undefined : store.accounts.organizationOf(flags.org)
    if (isFault(organization)) return fault(`--org: ${organization.fault}`)
    const names = new Map(store.accounts.organizations().map(({ id, name }) => [id, name]))
    const rows = store.accounts.keys(organization?.id).map((key) => ({
      id: key.id,
      name: key.name,
      organization: names.get(key.organization)!,
      kind: key.kind,
      status: statusOf(key, at),
      ...key.scope,
      createdAt: instantOf(key.createdAt),
      expiresAt: instantOf(key.expiresAt),
      revokedAt: instantOf(key.revokedAt),
      lastUsedAt: instantOf(key.lastUsedAt),
      createdBy: key.createdBy,
    }))
    const all = countOf(rows.length, 'key')
    return {
      rows,
      table: rows.map(
        ({ id, organization: owner, kind, status, channels, bookmakers, sports, createdAt, expiresAt }) => ({
          ...{
            id,
            organization: owner,
            kind,
            status,
            channels,
            bookmakers,
            sports,
            created: dayOf(createdAt),
            expires: dayOf(expiresAt),
          },
        }),
      ),
      summary:
        rows.length === 0 ? `${all}: oddswire key create makes one` : `${all}: ${tally(rows.map((row) => row.status))}`,
    }
  },
}

const revoke: Action = {
  synopsis: '[KEY_ID_OR_SECRET]',
  summary: 'Revokes a key. When the command returns, every request with it is refused.',
  details: ['', `  KEY_ID_OR_SECRET   ${KEY_HELP}`],
  positionals: ['KEY_ID_OR_SECRET'],
  mayOmit: true,
  act: async ({ store, positionals, at }): Promise<Outcome> => {
    const given = await readKey(positionals[0])
    if (given === undefined) return { misused: 'KEY_ID_OR_SECRET is missing, and ODDSWIRE_KEY is not set' }
    if (isFault(given)) return given
    // Not repeated, because it may be most of a secret.
    if (given.startsWith('odds_') && !isSecret(given)) return fault('KEY_ID_OR_SECRET is incomplete or mistyped')
    const revoked = store.accounts.revokeKey(given, at)
    if (isFault(revoked)) return revoked
    // Names the key where it was not typed here.
    const notes = positionals[0] === undefined || positionals[0] === '-' ? [`revoked: ${revoked.id}`] : []
    return { auditId: revoked.auditId, notes }
  },
}

/** Runs `oddswire key …`. Resolves to the exit code. */
export const run = (argv: readonly string[]): Promise<number> => runAction('key', { create, list, revoke }, argv)
