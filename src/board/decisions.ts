// What people have decided about events, ready to be asked by source key.

import type { EventDecision } from '../domain/event-identity.ts'

/** Another key of the same event. */
export interface Partner {
  readonly key: string
  /** Whether one of the two names home and away the other way round. */
  readonly turned: boolean
}

const NONE: readonly Partner[] = []

const pairOf = ([a, b]: readonly [string, string]): string => (a < b ? `${a}\n${b}` : `${b}\n${a}`)

/** A decision about two keys. */
export type PairDecision = Exclude<EventDecision, { readonly kind: 'alias' }>

export class Decisions {
  /** Those that hold: of two about one pair the later one. */
  pairs: readonly PairDecision[] = []
  private same = new Map<string, Partner[]>()
  private apart = new Map<string, Set<string>>()

  /** Takes all that has been decided; of two decisions about one pair the later one holds. */
  replace(decisions: readonly EventDecision[]): void {
    const byPair = new Map<string, PairDecision>()
    for (const decision of decisions) if (decision.kind !== 'alias') byPair.set(pairOf(decision.keys), decision)
    this.pairs = [...byPair.values()]
    this.same = new Map()
    this.apart = new Map()
    for (const decision of this.pairs) {
      const [a, b] = decision.keys
      for (const [key, other] of [
        [a, b],
        [b, a],
      ] as const) {
        if (decision.kind === 'merge') {
          this.same.set(key, [...(this.same.get(key) ?? NONE), { key: other, turned: decision.turned }])
        } else this.apart.set(key, (this.apart.get(key) ?? new Set()).add(other))
      }
    }
  }

  /** All keys that are of the same event as this one, by one decision or by several in a row; nearest first. */
  partnersOf(key: string): readonly Partner[] {
    if (!this.same.has(key)) return NONE
    const turnedOf = new Map<string, boolean>([[key, false]])
    for (const [met, turned] of turnedOf) {
      for (const partner of this.same.get(met) ?? NONE) {
        if (!turnedOf.has(partner.key)) turnedOf.set(partner.key, turned !== partner.turned)
      }
    }
    turnedOf.delete(key)
    return Array.from(turnedOf, ([each, turned]) => ({ key: each, turned }))
  }

  /** The keys that this one must not share an event with; undefined: none. */
  apartFrom(key: string): ReadonlySet<string> | undefined {
    return this.apart.get(key)
  }
}
