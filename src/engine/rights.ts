// What each key could see at which seq of the log: a client that resumes from a point of the log may have seen more or
// less there than it may see now, and a replay cannot correct that.
//
//   key      ├── audience 1 ──┤    ├── audience 2 ──▶      from its first use to the next change of its rights;
//   seq  ────┴────────────────┴────┴────────────────▶      between them it was unused: no point is from there
//
// A point names no key. It is attributed to the key that gives it, if that key was in use at the point. If it was not,
// or was first used there, the point may come from any key of the organization: an old key that was replaced, say. It
// may also come from a key that was in use at the point and is no longer valid.

import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { OldestKeys } from '../domain/oldest-keys.ts'

interface Right {
  /** As text: equal texts, equal audiences. */
  readonly audience: string
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

/** All of it as plain values: texts once, Infinity as -1. */
interface Plain {
  readonly forgottenSeq: number
  readonly audiences: readonly string[]
  readonly organizations: readonly (readonly [id: string, changedSeq: number, keys: readonly PlainKey[]])[]
  /** Keys, the least recently used one first. */
  readonly byUse: readonly string[]
}

/** `rights`: number of the audience, first seq and last seq of each. */
type PlainKey = readonly [id: string, rights: readonly number[]]

/** Rights kept of a key; its older points are answered with a reset. */
const RIGHTS_KEPT = 16
/** Keys kept of an organization: a SUBSCRIBE may have to check them all. */
const KEYS_KEPT_EACH = 1_000
/** Keys kept in total. Beyond that, the least recently used one is dropped. */
const KEYS_KEPT = 10_000

export class Rights {
  private readonly organizations = new Map<string, Keys>()
  // Organizations by key, the least recently used key first.
  private readonly byUse = new Map<string, string>()
  private readonly oldest = new OldestKeys(this.byUse)
  // Up to this seq, keys that are not kept may have been in use.
  private forgottenSeq = -1

  /**
   * A key is used, for the first time or for the first time since rights have changed.
   * @param audience what it may see, as text
   * @param seq of the log then
   */
  use(key: string, organization: string, audience: string, seq: number): void {
    const keys = this.keysOf(organization)
    const rights = keys.rights.get(key) ?? []
    keys.rights.set(key, rights)
    this.byUse.delete(key)
    this.byUse.set(key, organization)
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
    if (this.byUse.size > KEYS_KEPT) this.forgetKey(this.oldest.next()!, seq)
  }

  /**
   * Rights may have changed at a seq.
   * @param organizations null: of all
   * @param isStart a process continues this log: the one before it may have ended before it wrote that a key was used
   */
  change(organizations: readonly string[] | null, seq: number, isStart = false): void {
    if (isStart) this.forgottenSeq = Math.max(this.forgottenSeq, seq)
    for (const id of organizations ?? this.organizations.keys()) {
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
    key: string,
    organization: string,
    seq: number,
    isValid: (key: string) => boolean,
  ): readonly string[] | undefined {
    const audiences = new Set<string>()
    const keys = this.organizations.get(organization)
    let isOwn = false
    for (const { audience, fromSeq } of rightsAt(keys?.rights.get(key), seq)) {
      audiences.add(audience)
      // With nothing logged since its first use, the point may as well come from a key before it.
      if (fromSeq < seq) isOwn = true
    }
    if (!isOwn && seq <= this.forgottenSeq) return undefined
    for (const [other, rights] of keys?.rights ?? []) {
      if (other === key || (isOwn && isValid(other))) continue
      for (const { audience } of rightsAt(rights, seq)) audiences.add(audience)
    }
    return audiences.size === 0 ? undefined : [...audiences]
  }

  private keysOf(organization: string): Keys {
    const known = this.organizations.get(organization)
    if (known !== undefined) return known
    const keys: Keys = { rights: new Map(), changedSeq: -1 }
    this.organizations.set(organization, keys)
    return keys
  }

  private forgetKey(key: string, seq: number): void {
    const organization = this.byUse.get(key)!
    const { rights } = this.organizations.get(organization)!
    this.forgetUntil(rights.get(key)!.at(-1)!.untilSeq, seq)
    rights.delete(key)
    this.byUse.delete(key)
    if (rights.size === 0) this.organizations.delete(organization)
  }

  private forgetUntil(untilSeq: number, seq: number): void {
    this.forgottenSeq = Math.max(this.forgottenSeq, Math.min(untilSeq, seq))
  }

  // --- images

  save(image: ImageWriter): void {
    image.value('rights', this.plain())
  }

  load(image: ImageReader): void {
    this.become(image.value('rights') as Plain)
  }

  /** One that continues independently. */
  copy(): Rights {
    const copy = new Rights()
    copy.become(this.plain())
    return copy
  }

  private plain(): Plain {
    const numbers = new Map<string, number>()
    const numberOf = (audience: string): number => {
      const known = numbers.get(audience)
      if (known !== undefined) return known
      numbers.set(audience, numbers.size)
      return numbers.size - 1
    }
    const plainKey = ([key, rights]: [string, Right[]]): PlainKey => [
      key,
      rights.flatMap(({ audience, fromSeq, untilSeq }) => [
        numberOf(audience),
        fromSeq,
        untilSeq === Number.POSITIVE_INFINITY ? -1 : untilSeq,
      ]),
    ]
    const organizations = [...this.organizations].map(
      ([id, { changedSeq, rights }]) => [id, changedSeq, [...rights].map(plainKey)] as const,
    )
    const { forgottenSeq, byUse } = this
    return { forgottenSeq, audiences: [...numbers.keys()], organizations, byUse: [...byUse.keys()] }
  }

  private become({ forgottenSeq, audiences, organizations, byUse }: Plain): void {
    this.forgottenSeq = forgottenSeq
    this.organizations.clear()
    this.byUse.clear()
    const organizationOf = new Map<string, string>()
    for (const [id, changedSeq, keys] of organizations) {
      const rights = new Map<string, Right[]>()
      for (const [key, values] of keys) {
        const list: Right[] = []
        for (let n = 0; n < values.length; n += 3) {
          const untilSeq = values[n + 2] === -1 ? Number.POSITIVE_INFINITY : values[n + 2]!
          list.push({ audience: audiences[values[n]!]!, fromSeq: values[n + 1]!, untilSeq })
        }
        rights.set(key, list)
        organizationOf.set(key, id)
      }
      this.organizations.set(id, { rights, changedSeq })
    }
    for (const key of byUse) this.byUse.set(key, organizationOf.get(key)!)
  }
}

/** The rights of a key at a seq: two, if they changed at that seq. */
const rightsAt = (rights: readonly Right[] | undefined, seq: number): readonly Right[] =>
  rights?.filter(({ fromSeq, untilSeq }) => fromSeq <= seq && seq <= untilSeq) ?? []
