// Keys of pages: with one of them a page of the portal reads prices. They are in no store: a key says itself whose it is and
// until when, signed with a secret that all processes of a service have, so that it works in each of them.
//
//   odds_page_ organization(12) session(32) expiry(7) signature(43) _ checksum(6)
//
// It is valid while its session is there, as this process's copy of the store has it. The same session gets the same key for
// a part of an hour: so few are valid at once that none has to be remembered for being ended.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Accounts } from './accounts.ts'
import { base62, hashOf, type KeyRecord, keyIdOf, numberOf62, PAGE_KEY, text62, withChecksum } from './key.ts'
import { UNRESTRICTED } from './scope.ts'
import type { UserSessions } from './user-records.ts'

export interface PageKeyLimits {
  readonly liveKeyMs: number
  /** Of a session for an organization. */
  readonly liveKeysMax: number
  /** That are in use in this process: the oldest ends here for one more. */
  readonly liveKeysTotalMax: number
}

export interface PageKeyParts {
  readonly accounts: Accounts
  readonly limits: PageKeyLimits
  /** Of all processes of the service, and of nobody else. */
  readonly secret: Uint8Array
  /** Called with keys that were in use here, and have ended. */
  readonly onEnded: (keys: readonly KeyRecord[]) => void
}

/** A session as keys name it: 128 bits of the SHA-256 of its token. */
const referenceOf = (session: string): string => session.slice(0, 32)

interface Held {
  readonly key: KeyRecord
  readonly reference: string
}

export class PageKeys {
  private readonly parts: PageKeyParts
  /** Sessions that are there, by email; and whose they are. */
  private readonly byEmail = new Map<string, readonly string[]>()
  private readonly emails = new Map<string, string>()
  /** Keys that are in use here, the oldest first. */
  private held: readonly Held[] = []

  constructor(parts: PageKeyParts) {
    this.parts = parts
  }

  /**
   * A customer key of an organization (by id).
   * @param session what it ends with: SHA-256 of its token
   * @param endsAt when the session ends at the latest, epoch ms
   */
  create(
    organization: string,
    { session, endsAt }: { readonly session: string; readonly endsAt: number },
    now: number,
  ): { readonly secret: string; readonly expiresAt: number } {
    const { liveKeyMs, liveKeysMax } = this.parts.limits
    const partMs = Math.ceil(liveKeyMs / liveKeysMax)
    const expiresAt = Math.min(now - (now % partMs) + liveKeyMs, endsAt)
    const said = `odds_page_${organization.slice('org_'.length)}${referenceOf(session)}${text62(expiresAt, 7)}`
    return { secret: withChecksum(said + this.signatureOf(said)), expiresAt }
  }

  /**
   * The key with a secret that nobody here has used yet; `undefined`: it is no key of a page, is not ours, or its session has
   * ended. Costs a signature, and nothing where the secret does not say that it is such a key.
   */
  keyOf(secret: string, now: number): KeyRecord | undefined {
    const match = PAGE_KEY.exec(secret)
    if (match === null) return undefined
    const parts = match.slice(1) as [string, string, string, string, string]
    const [said, organizationText, reference, expiry, signature] = parts
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(this.signatureOf(said)))) return undefined
    const email = this.emails.get(reference)
    const organization = `org_${organizationText}`
    if (email === undefined || !this.parts.accounts.hasOrganization(organization)) return undefined
    const expiresAt = numberOf62(expiry)
    const key: KeyRecord = {
      ...{ id: keyIdOf(secret), hash: hashOf(secret), kind: 'customer', organization, scope: UNRESTRICTED },
      ...{ createdAt: expiresAt - this.parts.limits.liveKeyMs, expiresAt, revokedAt: null },
      ...{ name: '', createdBy: email, lastUsedAt: null },
    }
    if (now < expiresAt) this.hold({ key, reference }, now)
    return key
  }

  /** Users have these sessions now, and no others. */
  update(users: readonly UserSessions[]): void {
    const ended = new Set<string>()
    for (const { email, sessions } of users) {
      const references = sessions.map(referenceOf)
      const left = new Set(references)
      for (const reference of this.byEmail.get(email) ?? []) if (!left.has(reference)) ended.add(reference)
      if (references.length === 0) this.byEmail.delete(email)
      else this.byEmail.set(email, references)
      for (const reference of references) this.emails.set(reference, email)
    }
    for (const reference of ended) this.emails.delete(reference)
    this.drop(new Set(this.held.filter(({ reference }) => ended.has(reference))))
  }

  private hold(held: Held, now: number): void {
    const { accounts, limits } = this.parts
    this.held = [...this.held, held]
    accounts.add(held.key)
    const surplus = this.held.slice(0, Math.max(0, this.held.length - limits.liveKeysTotalMax))
    const over = new Set([...surplus, ...this.held.filter(({ key }) => key.expiresAt! <= now)])
    // Later: this is in the midst of a request.
    if (over.size > 0) queueMicrotask(() => this.drop(over))
  }

  private drop(over: ReadonlySet<Held>): void {
    const ended = this.held.filter((held) => over.has(held))
    if (ended.length === 0) return
    this.held = this.held.filter((held) => !over.has(held))
    this.parts.onEnded(ended.map(({ key }) => key))
  }

  private signatureOf(said: string): string {
    return base62(createHmac('sha256', this.parts.secret).update(said).digest(), 43)
  }
}
