// What each key could see at which seq of the log: a client that resumes from a point of the log may have seen more or
// less there than it may see now, and a replay cannot correct that.
//
//   key      ├── audience 1 ──┤    ├── audience 2 ──▶      from its first use to the next change of its rights;
//   seq  ────┴────────────────┴────┴────────────────▶      between them it was unused: no point is from there
//
// A point names no key. It is attributed to the key that gives it, if that key was in use at the point. If it was not,
// or was first used there, the point may come from any key of the organization: an old key that was replaced, say. It
// may also come from a key that was in use at the point and is no longer valid.

import type { Caller } from '../access/gate.ts'
import type { Audience } from '../domain/audience.ts'

interface Right {
  readonly audience: Audience
  /** Seq of the log when the key was first used with it. */
  readonly fromSeq: number
  /** Seq of the log when rights of its organization changed; Infinity: they have not. */
  untilSeq: number
}

interface Keys {
  readonly rights: Map<string, Right[]>
  /** Seq of the last change of rights. */
  changedSeq: number
}

/** Rights kept of a key; its older points are answered with a reset. */
const RIGHTS_KEPT = 16
/** Keys kept of an organization: a SUBSCRIBE may have to check them all. */
const KEYS_KEPT_EACH = 1_000
/** Keys kept in total. Beyond that, the least recently used one is dropped. */
const KEYS_KEPT = 10_000

export class RightsLog {
  private readonly organizations = new Map<string, Keys>()
  // Organizations by key, the least recently used key first.
  private readonly byUse = new Map<string, string>()
  // Up to this seq, keys that are no longer kept may have been in use.
  private forgottenSeq = -1

  /** A key is used, for the first time or for the first time since rights have changed. @param seq of the log now */
  note({ keyId, audience, organization }: Caller, seq: number): void {
    const keys = this.keysOf(organization.id)
    const rights = keys.rights.get(keyId) ?? []
    keys.rights.set(keyId, rights)
    this.byUse.delete(keyId)
    this.byUse.set(keyId, organization.id)
    const last = rights.at(-1)
    if (last !== undefined && last.audience === audience && last.untilSeq >= keys.changedSeq) {
      // The change did not affect this key.
      last.untilSeq = Number.POSITIVE_INFINITY
      return
    }
    if (last !== undefined) last.untilSeq = Math.min(last.untilSeq, seq)
    rights.push({ audience, fromSeq: seq, untilSeq: Number.POSITIVE_INFINITY })
    if (rights.length > RIGHTS_KEPT) this.forgetUntil(rights.shift()!.untilSeq, seq)
    if (keys.rights.size > KEYS_KEPT_EACH) this.forgetKey(keys.rights.keys().next().value!, seq)
    if (this.byUse.size > KEYS_KEPT) this.forgetKey(this.byUse.keys().next().value!, seq)
  }

  /** Rights may have changed at a seq, of these organizations or of all. */
  change(concerned: ReadonlySet<string> | 'all', seq: number): void {
    for (const id of concerned === 'all' ? this.organizations.keys() : concerned) {
      const keys = this.organizations.get(id)
      if (keys === undefined) continue
      keys.changedSeq = seq
      for (const rights of keys.rights.values()) {
        const last = rights.at(-1)!
        last.untilSeq = Math.min(last.untilSeq, seq)
      }
    }
  }

  /**
   * What a caller that gives a point of the log may have seen there, with its key or with another one.
   * @param isValid whether a key can still be used
   * @returns undefined: unknown
   */
  audiencesAt(
    { keyId, organization }: Caller,
    seq: number,
    isValid: (keyId: string) => boolean,
  ): readonly Audience[] | undefined {
    const audiences = new Set<Audience>()
    const keys = this.keysOf(organization.id)
    let isOwn = false
    for (const { audience, fromSeq } of rightsAt(keys.rights.get(keyId), seq)) {
      audiences.add(audience)
      // With nothing logged since its first use, the point may as well come from a key before it.
      if (fromSeq < seq) isOwn = true
    }
    if (!isOwn && seq <= this.forgottenSeq) return undefined
    for (const [other, rights] of keys.rights) {
      if (other === keyId || (isOwn && isValid(other))) continue
      for (const { audience } of rightsAt(rights, seq)) audiences.add(audience)
    }
    return audiences.size === 0 ? undefined : [...audiences]
  }

  private keysOf(organizationId: string): Keys {
    const known = this.organizations.get(organizationId)
    if (known !== undefined) return known
    const keys: Keys = { rights: new Map(), changedSeq: -1 }
    this.organizations.set(organizationId, keys)
    return keys
  }

  private forgetKey(keyId: string, seq: number): void {
    const organizationId = this.byUse.get(keyId)!
    const { rights } = this.organizations.get(organizationId)!
    this.forgetUntil(rights.get(keyId)!.at(-1)!.untilSeq, seq)
    rights.delete(keyId)
    this.byUse.delete(keyId)
    if (rights.size === 0) this.organizations.delete(organizationId)
  }

  private forgetUntil(untilSeq: number, seq: number): void {
    this.forgottenSeq = Math.max(this.forgottenSeq, Math.min(untilSeq, seq))
  }
}

/** The rights of a key at a seq: two, if they changed at that seq. */
const rightsAt = (rights: readonly Right[] | undefined, seq: number): readonly Right[] =>
  rights?.filter(({ fromSeq, untilSeq }) => fromSeq <= seq && seq <= untilSeq) ?? []
