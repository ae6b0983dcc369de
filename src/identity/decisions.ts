// Decisions about events, indexed by source key.

import type { EventDecision } from '../domain/event-identity.ts'

/** Another key of the same event. */
export interface Partner {
  readonly key: string
  /** Whether the two have swapped sides. */
  readonly swapped: boolean
}

const pairOf = ([a, b]: readonly [string, string]): string => (a < b ? `${a}\n${b}` : `${b}\n${a}`)

/** A decision about two keys. */
export type PairDecision = Exclude<EventDecision, { readonly kind: 'alias' }>

/** Keys of one event, with whether each has swapped sides against the first one. */
type Group = Map<string, boolean>

export class Decisions {
  /** Those in effect, oldest first: of two about one pair the later one. */
  pairs: readonly PairDecision[] = []
  private groups = new Map<string, Group>()
  private apart = new Map<string, Set<string>>()

  /**
   * Replaces all decisions, oldest first; of two decisions about one pair the later one holds. Contradictions are
   * resolved here, for all keys, seen or not, so that the result cannot depend on the order of arrival: a split holds
   * against any chain of merges, and of two merges that contradict each other the later one holds.
   */
  replace(decisions: readonly EventDecision[]): void {
    const byPair = new Map<string, PairDecision>()
    for (const decision of decisions) {
      if (decision.kind === 'alias') continue
      const pair = pairOf(decision.keys)
      // Reinserted, it is the last.
      byPair.delete(pair)
      byPair.set(pair, decision)
    }
    this.pairs = [...byPair.values()]
    this.groups = new Map()
    this.apart = new Map()
    for (const { kind, keys } of this.pairs) if (kind === 'split') this.part(...keys)
    for (const decision of this.pairs.toReversed()) if (decision.kind === 'merge') this.join(decision)
  }

  /** The keys of each event that decisions make, with whether they have swapped sides against the first one. */
  *events(): Iterable<readonly Partner[]> {
    for (const [key, group] of this.groups) {
      const [first] = group.keys()
      if (key === first && group.size > 1) yield Array.from(group, ([each, swapped]) => ({ key: each, swapped }))
    }
  }

  /** All other keys of the same event, by one decision or by a chain of them. */
  partnersOf(key: string): readonly Partner[] {
    const group = this.groups.get(key)
    if (group === undefined) return []
    const isSwapped = group.get(key)
    const all = Array.from(group, ([each, swapped]) => ({ key: each, swapped: swapped !== isSwapped }))
    return all.filter((partner) => partner.key !== key)
  }

  /** Whether these keys are of one event, alone or with others. */
  isEvent([first, ...others]: readonly Partner[]): boolean {
    const group = this.groups.get(first!.key)
    return others.every(({ key }) => group?.has(key) === true)
  }

  /** The keys that this one must not share an event with; undefined: none. */
  apartFrom(key: string): ReadonlySet<string> | undefined {
    return this.apart.get(key)
  }

  private part(a: string, b: string): void {
    this.apart.set(a, (this.apart.get(a) ?? new Set()).add(b))
    this.apart.set(b, (this.apart.get(b) ?? new Set()).add(a))
  }

  /** Joins two groups, unless they are one or a split separates a key of the one from a key of the other. */
  private join({ keys: [a, b], swapped }: Extract<PairDecision, { readonly kind: 'merge' }>): void {
    const [one, two] = [this.groupOf(a), this.groupOf(b)]
    if (one === two) return
    for (const key of two.keys()) for (const other of this.apart.get(key) ?? []) if (one.has(other)) return
    const isSwapped = (one.get(a) !== two.get(b)) !== swapped
    for (const [key, isKeySwapped] of two) {
      one.set(key, isKeySwapped !== isSwapped)
      this.groups.set(key, one)
    }
  }

  private groupOf(key: string): Group {
    const group = this.groups.get(key) ?? new Map([[key, false]])
    this.groups.set(key, group)
    return group
  }
}
