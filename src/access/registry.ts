// Registry: the bookmakers and their verified coverage.

import type { BookmakerSet } from '../domain/audience.ts'
import { type Bookmaker, coverageOf, isEligible } from '../domain/coverage.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import { TRANSPORTS } from '../domain/transport.ts'

export class Registry {
  /** Sorted by slug. */
  bookmakers: readonly Bookmaker[] = []
  /** Incremented by every change. */
  version = 0
  /** Bookmakers eligible per transport and sport (docs/architecture.md 7.5), indexed as the sets of an audience. */
  eligible: readonly BookmakerSet[] = eligibleSets([], () => 0)
  private bySlug: ReadonlyMap<string, Bookmaker> = new Map()
  private readonly intern: (slug: string) => number

  /** `numberOf` gives a slug its number, always the same one, from 1 on; 0: it has none, so that no caller sees it. */
  constructor(numberOf: (slug: string) => number) {
    this.intern = numberOf
  }

  bookmakerOf(slug: string): Bookmaker | undefined {
    return this.bySlug.get(slug)
  }

  /** Number of a registered bookmaker; undefined for any other slug, for which no number is used. */
  numberOf(slug: string): number | undefined {
    return this.bySlug.has(slug) ? this.intern(slug) || undefined : undefined
  }

  /** Registered bookmakers without a number. */
  unnumbered(): string[] {
    return this.bookmakers.map(({ slug }) => slug).filter((slug) => this.intern(slug) === 0)
  }

  /** Whether a bookmaker is eligible for any transport in a sport. */
  isCovered(slug: string, sport: Sport): boolean {
    const bookmaker = this.bySlug.get(slug)
    if (bookmaker === undefined) return false
    const coverage = coverageOf(bookmaker, sport)
    return TRANSPORTS.some((transport) => isEligible(coverage, transport))
  }

  /** Replaces the whole registry. */
  replace(bookmakers: readonly Bookmaker[]): void {
    this.bookmakers = bookmakers.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    this.bySlug = new Map(this.bookmakers.map((bookmaker) => [bookmaker.slug, bookmaker]))
    this.eligible = eligibleSets(this.bookmakers, this.intern)
    this.version += 1
  }
}

const eligibleSets = (bookmakers: readonly Bookmaker[], numberOf: (slug: string) => number): BookmakerSet[] => {
  const numbers = bookmakers.map((bookmaker) => numberOf(bookmaker.slug))
  const words = (Math.max(0, ...numbers) >>> 5) + 1
  return TRANSPORTS.flatMap((transport) =>
    SPORTS.map((sport) => {
      const set = new Uint32Array(words)
      for (const [place, bookmaker] of bookmakers.entries()) {
        // 0: one bookmaker too many to be distinguished; no caller sees it.
        if (numbers[place] !== 0 && isEligible(coverageOf(bookmaker, sport), transport))
          addBookmaker(set, numbers[place]!)
      }
      return set
    }),
  )
}

export const addBookmaker = (set: BookmakerSet, bookmaker: number): void => {
  set[bookmaker >>> 5]! |= 1 << (bookmaker & 31)
}
