// Audience: all callers that see the same bytes.

import { SPORTS } from './sport.ts'
import type { TransportNumber } from './transport.ts'

/** A set of bookmakers as bits: bookmaker n is bit `n & 31` of word `n >> 5`. */
export type BookmakerSet = Uint32Array

/** Entitlement ∩ scope ∩ coverage: the bookmakers that may be seen, per transport and sport. Interned: one object, one set. */
export interface Audience {
  readonly id: number
  /** Index `transport * SPORTS.length + sport`, both by their numbers. */
  readonly sets: readonly BookmakerSet[]
}

export const bookmakersOf = (audience: Audience, transport: TransportNumber, sportNumber: number): BookmakerSet =>
  audience.sets[transport * SPORTS.length + sportNumber]!

export const hasBookmaker = (set: BookmakerSet, bookmaker: number): boolean =>
  ((set[bookmaker >>> 5] ?? 0) & (1 << (bookmaker & 31))) !== 0

export const isEmptySet = (set: BookmakerSet): boolean => set.every((word) => word === 0)
