// Users of the portal in the store, with their one-time links and sessions. Tokens are kept as hashes only: whoever reads
// the store can use none of them.

import { hasHidden } from '../domain/safe-text.ts'
import { isBusy, isDiskFault, isDuplicate } from './database-faults.ts'
import { broken, type Fault } from './fault.ts'
import { mintId } from './key.ts'
import type { Tables, Written } from './tables.ts'

/** Operators may do everything; owners manage the keys of their organization; members read. */
export const ROLES = ['operator', 'owner', 'member'] as const

export type Role = (typeof ROLES)[number]

export interface UserRecord {
  readonly id: string
  /** Normalised, see {@link normaliseEmail}. */
  readonly email: string
  readonly role: Role
  /** Id of the organization. */
  readonly organization: string
  /** See portal/passwords.ts; null: none is set yet. */
  readonly password: string | null
  /** Epoch ms. */
  readonly createdAt: number
}

/** Who is logged in. */
export interface SessionRecord {
  readonly email: string
  readonly role: Role
  readonly organization: { readonly id: string; readonly name: string }
  /** Epoch ms, unless it is idle for long before. */
  readonly expiresAt: number
}

/** The sessions of a user. */
export interface UserSessions {
  readonly email: string
  /** SHA-256 of their tokens. */
  readonly sessions: readonly string[]
}

/** A link that can be used. */
export interface LinkRecord {
  readonly user: string
  /** Whether its use sets a password. */
  readonly needsPassword: boolean
}

export interface SessionTerms {
  /** It ends when it was not used for so long, ms. */
  readonly idleMs: number
  /** It ends so long after the login, ms. */
  readonly msMax: number
  /** Sessions of a user at the same time; the oldest ends for one more. */
  readonly sessionsMax: number
}

/** How often the use of a session is written, ms. */
const USE_MS = 60_000

/**
 * An email as users are known by it: NFC, lower case, without surrounding space; undefined: it is none. Most services
 * ignore the case of the local part, and two users that differ only in it would be a trap.
 */
export const normaliseEmail = (text: string): string | undefined => {
  const email = text.normalize('NFC').trim().toLowerCase()
  return email.length <= 254 &&
    /^[^\s@\p{C}\p{Z}"<>]{1,64}@[^\s@\p{C}\p{Z}"<>]{1,253}$/u.test(email) &&
    !hasHidden(email)
    ? email
    : undefined
}

type SessionRow = Omit<SessionRecord, 'organization'> & {
  readonly user: string
  readonly usedAt: number
  readonly organizationId: string
  readonly organizationName: string
}

export class UserRecords {
  private readonly tables: Tables

  constructor(tables: Tables) {
    this.tables = tables
  }

  all(): UserRecord[] {
    return this.tables.all('SELECT * FROM users ORDER BY email')
  }

  /** Of an organization (by id), by email. */
  of(organization: string): UserRecord[] {
    return this.tables.all('SELECT * FROM users WHERE organization = ? ORDER BY email', [organization])
  }

  userWithId(id: string): UserRecord | undefined {
    return this.tables.get('SELECT * FROM users WHERE id = ?', [id])
  }

  userOf(email: string): UserRecord | undefined {
    return this.tables.get('SELECT * FROM users WHERE email = ?', [email])
  }

  /** Creates a user of an organization (by id). */
  create(
    { email, role, organization }: Pick<UserRecord, 'email' | 'role' | 'organization'>,
    at: number,
  ): (Written & { readonly id: string }) | Fault {
    return this.tables.write(() => {
      const id = mintId('user')
      try {
        this.tables.run('INSERT INTO users VALUES (?, ?, ?, ?, NULL, ?)', [id, email, role, organization, at])
      } catch (error) {
        if (!isDuplicate(error)) throw error
        return broken(
          'user is new',
          `there is a user ${email} already; oddswire user link makes a new link, user set changes the role`,
        )
      }
      return { id, ...this.tables.note(at, 'user create', email, { role, organization }, organization) }
    })
  }

  /** Changes a user, and ends the sessions. */
  set(email: string, fields: { readonly role?: Role; readonly organization?: string }, at: number): Written | Fault {
    return this.tables.write(() => {
      const user = this.userOf(email)
      if (user === undefined) return missing(email)
      const { role = user.role, organization = user.organization } = fields
      this.tables.run('UPDATE users SET role = ?, organization = ? WHERE id = ?', [role, organization, user.id])
      this.endAll(user.id)
      // Those of the former organization read that the user has left.
      if (organization !== user.organization) {
        this.tables.note(at, 'user set', email, { role, organization }, user.organization)
      }
      return this.tables.note(at, 'user set', email, { role, organization }, organization)
    })
  }

  /** Removes a user with link and sessions. */
  remove(email: string, at: number): Written | Fault {
    return this.tables.write(() => {
      const user = this.userOf(email)
      if (user === undefined) return missing(email)
      this.tables.run('DELETE FROM users WHERE id = ?', [user.id])
      return this.tables.note(at, 'user remove', email, {}, user.organization)
    })
  }

  // --- links

  /**
   * Makes a link for a user, in place of an earlier one.
   * @param hash SHA-256 of its token
   */
  putLink(
    email: string,
    {
      hash,
      needsPassword,
      expiresAt,
    }: { readonly hash: string; readonly needsPassword: boolean; readonly expiresAt: number },
    at: number,
  ): Written | Fault {
    return this.tables.write(() => {
      const user = this.userOf(email)
      if (user === undefined) return missing(email)
      this.tables.run('DELETE FROM links WHERE user = ? OR expiresAt <= ?', [user.id, at])
      this.tables.run('INSERT INTO links VALUES (?, ?, ?, ?)', [hash, user.id, Number(needsPassword), expiresAt])
      return this.tables.note(at, 'user link', email, { expiresAt }, user.organization)
    })
  }

  linkOf(hash: string, at: number): LinkRecord | undefined {
    const row = this.tables.get<{ user: string; needsPassword: number }>(
      'SELECT user, needsPassword FROM links WHERE hash = ? AND expiresAt > ?',
      [hash, at],
    )
    return row && { user: row.user, needsPassword: row.needsPassword === 1 }
  }

  /**
   * Uses a link up, and begins a session. Where it sets a password, all other sessions of the user end.
   * @param password null: none is set
   * @returns undefined: the link is unknown, used or expired, or needs a password
   */
  useLink(hash: string, password: string | null, session: NewSession, at: number): SessionRecord | undefined {
    return this.tables.write(() => {
      const link = this.linkOf(hash, at)
      if (link === undefined || (link.needsPassword && password === null)) return undefined
      const { email, organization } = this.tables.get<UserRecord>('SELECT * FROM users WHERE id = ?', [link.user])!
      this.tables.run('DELETE FROM links WHERE hash = ?', [hash])
      return this.tables.as(email, () => {
        if (password !== null) {
          this.tables.run('UPDATE users SET password = ? WHERE id = ?', [password, link.user])
          this.endAll(link.user)
          this.tables.note(at, 'user password', email, {}, organization)
        }
        return this.insertSession(link.user, email, organization, session, at)
      })
    })
  }

  // --- sessions

  /**
   * Begins a session of a user who has shown the password.
   * @param password as it was read; a user with another one since gets none
   */
  begin(email: string, password: string, session: NewSession, at: number): SessionRecord | undefined {
    return this.tables.write(() => {
      const user = this.userOf(email)
      if (user === undefined || user.password !== password) return undefined
      return this.tables.as(email, () => this.insertSession(user.id, email, user.organization, session, at))
    })
  }

  /** Who is logged in with a session; undefined: nobody. Notes the use now and then. */
  sessionOf(hash: string, { idleMs }: Pick<SessionTerms, 'idleMs'>, at: number): SessionRecord | undefined {
    const row = this.tables.get<SessionRow>(
      `SELECT user, email, role, usedAt, expiresAt, o.id AS organizationId, o.name AS organizationName
         FROM sessions JOIN users u ON u.id = user JOIN organizations o ON o.id = u.organization
         WHERE hash = ? AND expiresAt > ? AND usedAt > ?`,
      [hash, at, at - idleMs],
    )
    if (row === undefined) return undefined
    if (at - row.usedAt >= USE_MS) this.noteUse(hash, at)
    const { email, role, expiresAt, organizationId: id, organizationName: name } = row
    return { email, role, organization: { id, name }, expiresAt }
  }

  /** A disk that is full must not keep the operator from looking; the session then ends sooner, not later. */
  private noteUse(hash: string, at: number): void {
    try {
      this.tables.runSoftly('UPDATE sessions SET usedAt = ? WHERE hash = ?', [at, hash])
    } catch (error) {
      if (!isBusy(error) && !isDiskFault(error)) throw error
    }
  }

  /** Ends a session, as its user does. */
  logOut(hash: string, at: number): void {
    this.tables.write(() => {
      const user = this.tables.get<Pick<UserRecord, 'email' | 'organization'>>(
        'SELECT email, organization FROM sessions JOIN users u ON u.id = user WHERE hash = ?',
        [hash],
      )
      if (user === undefined) return
      const { email, organization } = user
      this.end(hash)
      this.tables.as(email, () => this.tables.note(at, 'user logout', email, {}, organization))
    })
  }

  /** The sessions of all users who have some. */
  sessions(): UserSessions[] {
    const rows = this.tables.all<{ readonly email: string }>(
      'SELECT DISTINCT email FROM sessions JOIN users u ON u.id = user',
    )
    return rows.map(({ email }) => this.sessionsOf(email))
  }

  /** None where there is no such user. */
  sessionsOf(email: string): UserSessions {
    const rows = this.tables.all<{ readonly hash: string }>(
      'SELECT hash FROM sessions JOIN users u ON u.id = user WHERE email = ?',
      [email],
    )
    return { email, sessions: rows.map(({ hash }) => hash) }
  }

  private end(hash: string): void {
    this.tables.run('DELETE FROM sessions WHERE hash = ?', [hash])
  }

  private endAll(user: string): void {
    this.tables.run('DELETE FROM sessions WHERE user = ?', [user])
  }

  private insertSession(
    user: string,
    email: string,
    organization: string,
    { hash, replaces, terms }: NewSession,
    at: number,
  ): SessionRecord {
    // Of the same user, mostly: that it has ended goes without saying then.
    if (replaces !== null && !this.sessionsOf(email).sessions.includes(replaces)) this.logOut(replaces, at)
    else if (replaces !== null) this.end(replaces)
    // Nobody has to learn of these: keys that were made with them have expired before.
    const old = this.tables.all<{ readonly hash: string }>(
      'SELECT hash FROM sessions WHERE expiresAt <= ? OR usedAt <= ?',
      [at, at - terms.idleMs],
    )
    for (const each of old) this.end(each.hash)
    const surplus = this.tables.all<{ readonly hash: string }>(
      `SELECT hash FROM sessions WHERE user = ? AND hash NOT IN
         (SELECT hash FROM sessions WHERE user = ? ORDER BY createdAt DESC, hash LIMIT ?)`,
      [user, user, terms.sessionsMax - 1],
    )
    for (const each of surplus) this.end(each.hash)
    this.tables.run('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)', [hash, user, at, at, at + terms.msMax])
    this.tables.note(at, 'user login', email, {}, organization)
    return this.sessionOf(hash, terms, at)!
  }
}

/** A session that begins. */
export interface NewSession {
  /** SHA-256 of its token. */
  readonly hash: string
  /** SHA-256 of the token that the browser had; null: none. That session ends. */
  readonly replaces: string | null
  readonly terms: SessionTerms
}

const missing = (email: string): Fault =>
  broken('user exists', `there is no user ${email}; oddswire user list shows them all`)
