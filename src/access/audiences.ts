// Audiences: entitlement ∩ scope ∩ coverage, computed once and shared by all callers with the same result.

import { createHash } from 'node:crypto'
import { type Audience, audienceText, type BookmakerSet } from '../domain/audience.ts'
import { SPORTS } from '../domain/sport.ts'
import { TRANSPORTS } from '../domain/transport.ts'
import type { Entitlement } from './organization.ts'
import { addBookmaker, type Registry } from './registry.ts'
import type { Scope } from './scope.ts'

/** Each use of a key after a change of rights writes the text to the log. Usual ones have some 20 to 200 characters. */
const TEXT_LENGTH_MAX = 512

const shortText = (text: string): string =>
  text.length <= TEXT_LENGTH_MAX ? text : createHash('sha256').update(text).digest('base64url')

/**
 * Interns audiences: while an audience is in use, the same sets give the same object. Ids are never reused, so that a
 * reply cached for an id cannot be shown to others.
 */
export class Audiences {
  private readonly registry: Registry
  // Weak, because every change of coverage creates new audiences, and nothing reports when the old ones are unused.
  private readonly known = new Map<string, WeakRef<Audience>>()
  private readonly collected = new FinalizationRegistry<string>((text) => {
    if (this.known.get(text)?.deref() === undefined) this.known.delete(text)
  })
  private idNext = 1

  constructor(registry: Registry) {
    this.registry = registry
  }

  /** Audiences in use (and those not yet collected). */
  get count(): number {
    return this.known.size
  }

  /** The audience of an entitlement narrowed by a scope's bookmakers and sports; its channels do not matter here. */
  audienceOf(entitlement: Entitlement, scope: Scope): Audience {
    const visible = this.visibleSet(entitlement, scope)
    const texts: string[] = []
    const shared = new Map<string, BookmakerSet>()
    for (let place = 0; place < TRANSPORTS.length * SPORTS.length; place++) {
      const sport = SPORTS[place % SPORTS.length]!
      const inScope = scope.sports === null || scope.sports.includes(sport)
      const set = inScope ? intersect(visible, this.registry.eligible[place]!) : NO_BOOKMAKERS
      const text = set.join()
      texts.push(text)
      if (!shared.has(text)) shared.set(text, set)
    }
    return this.intern(texts, shared)
  }

  /** The audience that sees every registered bookmaker everywhere, regardless of coverage. */
  wholeAudience(): Audience {
    const { registry } = this
    const all = new Uint32Array(registry.eligible[0]!.length)
    for (const { slug } of registry.bookmakers) addBookmaker(all, registry.numberOf(slug)!)
    // 0 is no bookmaker's number: it means one too many to be distinguished.
    all[0]! &= ~1
    const text = all.join()
    const texts = Array.from({ length: TRANSPORTS.length * SPORTS.length }, () => text)
    return this.intern(texts, new Map([[text, all]]))
  }

  /** @param texts texts of the sets, in order. @param sets the sets by their texts */
  private intern(texts: readonly string[], sets: ReadonlyMap<string, BookmakerSet>): Audience {
    const text = texts.join('|')
    const known = this.known.get(text)?.deref()
    if (known !== undefined) return known
    const inOrder = texts.map((each) => sets.get(each)!)
    const audience: Audience = { id: this.idNext++, text: shortText(audienceText(inOrder)), sets: inOrder }
    this.known.set(text, new WeakRef(audience))
    this.collected.register(audience, text)
    return audience
  }

  private visibleSet(entitlement: Entitlement, scope: Scope): BookmakerSet {
    const { registry } = this
    const visible = new Uint32Array(registry.eligible[0]!.length)
    const listed = entitlement === '*' ? scope.bookmakers : entitlement
    if (listed === null) return visible.fill(0xffff_ffff)
    for (const slug of listed) {
      if (scope.bookmakers !== null && !scope.bookmakers.includes(slug)) continue
      const number = registry.numberOf(slug)
      if (number !== undefined) addBookmaker(visible, number)
    }
    return visible
  }
}

const NO_BOOKMAKERS: BookmakerSet = new Uint32Array(0)

/** Without empty words at the end: adding bookmakers outside of a set does not change it. */
const intersect = (a: BookmakerSet, b: BookmakerSet): BookmakerSet => {
  let length = Math.min(a.length, b.length)
  while (length > 0 && (a[length - 1]! & b[length - 1]!) === 0) length -= 1
  return Uint32Array.from({ length }, (_, word) => a[word]! & b[word]!)
}
