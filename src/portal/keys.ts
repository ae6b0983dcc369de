// Keys of an organization: list, create, rotate, revoke; and the key of a page, which is in no list.

import type { Access } from '../access/access.ts'
import type { KeyRecord } from '../access/key.ts'
import { SPORTS } from '../domain/sport.ts'
import { readCount, readInner, readLater, readMembers, readName, readWords, refusalIn } from './body.ts'
import {
  emptyReply,
  isPortalRefusal,
  jsonReply,
  type PortalRefusal,
  type PortalReply,
  timeText,
} from './portal-request.ts'
import { ask, offerOf, type Visit } from './visit.ts'

export interface KeyLimits {
  readonly organizationKeysMax: number
  readonly graceMsMax: number
  readonly portalKeysMax: number
}

type Answer = Promise<PortalReply | PortalRefusal>

const statusOf = ({ revokedAt, expiresAt }: KeyRecord, now: number): 'active' | 'expired' | 'revoked' =>
  revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= now ? 'expired' : 'active'

const keyRow = (key: KeyRecord, now: number) => ({
  id: key.id,
  name: key.name,
  kind: key.kind,
  status: statusOf(key, now),
  scope: key.scope,
  createdAt: timeText(key.createdAt),
  expiresAt: timeText(key.expiresAt),
  revokedAt: timeText(key.revokedAt),
  lastUsedAt: timeText(key.lastUsedAt),
  createdBy: key.createdBy,
})

export class Keys {
  private readonly access: Access
  private readonly limits: KeyLimits

  constructor(access: Access, limits: KeyLimits) {
    this.access = access
    this.limits = limits
  }

  /** `GET keys`. */
  async list({ user: { asker }, organization: { id: organization } }: Visit): Answer {
    // What was used within this minute is to be seen.
    await this.access.collect()
    const keys = await ask(this.access, { kind: 'keys', organization, ...asker, rowsMax: this.limits.portalKeysMax })
    return isPortalRefusal(keys) ? keys : jsonReply({ data: keys.map((key) => keyRow(key, asker.at)) })
  }

  /** `POST keys`. */
  async create({ request, user: { asker }, organization }: Visit): Answer {
    const members = readMembers(request, ['name'], ['expiresAt', 'scope'])
    if (isPortalRefusal(members)) return members
    const name = readName(members.name, 'name')
    const expiresAt = readLater(members.expiresAt, 'expiresAt', asker.at)
    const inner = readInner(members.scope, 'scope', ['channels', 'bookmakers', 'sports'])
    const unread = refusalIn([name, expiresAt, inner])
    if (unread !== undefined) return unread
    const given = inner as Readonly<Record<string, unknown>>
    const offer = offerOf(organization, this.access)
    const scope = {
      channels: readWords(given.channels, 'scope.channels', offer.channels, 'channels'),
      bookmakers: readWords(given.bookmakers, 'scope.bookmakers', offer.bookmakers, 'bookmakers'),
      // Also one that no bookmaker covers yet.
      sports: readWords(given.sports, 'scope.sports', SPORTS, 'sports'),
    }
    const wrong = refusalIn(Object.values(scope))
    if (wrong !== undefined) return wrong
    const created = await ask(this.access, {
      kind: 'create-key',
      ...asker,
      organization: organization.id,
      name: name as string,
      expiresAt: expiresAt as number | null,
      scope: scope as KeyRecord['scope'],
      keysMax: this.limits.organizationKeysMax,
    })
    return this.minted(created, asker.at)
  }

  /** `POST keys/ID/rotate`. */
  async rotate({ request, user: { asker }, organization, id }: Visit): Answer {
    const members = readMembers(request, ['graceSeconds'])
    if (isPortalRefusal(members)) return members
    const { graceMsMax, organizationKeysMax: keysMax } = this.limits
    const graceS = readCount(members.graceSeconds, 'graceSeconds', graceMsMax / 1_000)
    if (typeof graceS !== 'number') return graceS
    const rotated = await ask(this.access, {
      ...{ kind: 'rotate-key', ...asker, organization: organization.id },
      ...{ id, graceMs: graceS * 1_000, keysMax },
    })
    return this.minted(rotated, asker.at)
  }

  private minted(
    minted: { readonly key: KeyRecord; readonly secret: string } | PortalRefusal,
    now: number,
  ): PortalReply | PortalRefusal {
    if (isPortalRefusal(minted)) return minted
    return jsonReply({ key: keyRow(minted.key, now), secret: minted.secret }, { status: 201 })
  }

  /** `DELETE keys/ID`. */
  async revoke({ user: { asker }, organization, id }: Visit): Answer {
    const revoked = await ask(this.access, { kind: 'revoke-key', ...asker, organization: organization.id, id })
    return revoked === true ? emptyReply() : revoked
  }

  /** `POST live-key`. */
  livePage({ user: { asker, expiresAt: endsAt }, organization }: Visit): PortalReply {
    const { session, at } = asker
    const { secret, expiresAt } = this.access.pages.create(organization.id, { session, endsAt }, at)
    return jsonReply({ secret, expiresAt: timeText(expiresAt) }, { status: 201 })
  }
}
