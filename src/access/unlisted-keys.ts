// Keys that live in memory only: the pages of the portal read prices with them. Each belongs to a session of the portal,
// and ends with it.

import type { Gate } from './gate.ts'
import { hashOf, type KeyRecord, mintId, mintSecret } from './key.ts'
import { UNRESTRICTED } from './scope.ts'

export interface UnlistedLimits {
  readonly liveKeyMs: number
  /** Of a session, and of all; the oldest ends for one more. */
  readonly liveKeysMax: number
  readonly liveKeysTotalMax: number
}

interface Held {
  readonly key: KeyRecord
  readonly email: string
  readonly session: string
}

export class UnlistedKeys {
  private readonly gate: Gate
  private readonly limits: UnlistedLimits
  /** Oldest first. */
  private held: readonly Held[] = []

  constructor(gate: Gate, limits: UnlistedLimits) {
    this.gate = gate
    this.limits = limits
  }

  /**
   * A customer key of an organization (by id).
   * @param session what it ends with: the hash of its token, or the user (by email); `endsAt`: when the session ends at the
   *   latest, epoch ms
   */
  create(
    organization: string,
    { email, session, endsAt = Number.POSITIVE_INFINITY }: Omit<Held, 'key'> & { readonly endsAt?: number },
    now: number,
  ): { readonly secret: string; readonly expiresAt: number } {
    const { liveKeyMs, liveKeysMax, liveKeysTotalMax } = this.limits
    const own = this.held.filter((held) => held.session === session)
    const surplus = new Set([
      ...own.slice(0, Math.max(0, own.length - liveKeysMax + 1)),
      ...this.held.slice(0, Math.max(0, this.held.length - liveKeysTotalMax + 1)),
    ])
    this.drop((held) => surplus.has(held) || held.key.expiresAt! <= now)
    const secret = mintSecret('customer')
    const expiresAt = Math.min(now + liveKeyMs, endsAt)
    const key: KeyRecord = {
      ...{ id: mintId('key'), hash: hashOf(secret), kind: 'customer', organization, scope: UNRESTRICTED },
      ...{ createdAt: now, expiresAt, revokedAt: null, name: '', createdBy: email, lastUsedAt: null },
    }
    this.gate.addUnlisted(key)
    this.held = [...this.held, { key, email, session }]
    return { secret, expiresAt }
  }

  /** Ends those of a session. */
  endSession(session: string): void {
    this.drop((held) => held.session === session)
  }

  /** Ends those of users, by email. */
  endUsers(emails: readonly string[]): void {
    if (emails.length > 0) this.drop(({ email }) => emails.includes(email))
  }

  private drop(isOver: (held: Held) => boolean): void {
    const over = this.held.filter(isOver)
    if (over.length === 0) return
    this.held = this.held.filter((held) => !isOver(held))
    this.gate.dropUnlisted(over.map(({ key }) => key))
  }
}
