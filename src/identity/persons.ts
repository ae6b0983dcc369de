// Sides that are persons, and pairs of them (docs/identity.md 3).

import { isInitialledPerson } from './abbreviations.ts'
import type { Sport } from '../domain/sport.ts'

/** A person's "B." or "II" is a part of the name. */
const OF_PERSONS: ReadonlySet<Sport> = new Set<Sport>([
  'tennis',
  'table_tennis',
  'darts',
  'snooker',
  'badminton',
  'combat_sport',
  'golf',
  'motorsport',
  'cycling',
  'winter_sport',
])

export const isOfPersons = (sport: Sport): boolean => OF_PERSONS.has(sport)

/**
 * Sources name the league by tour, place, round or not at all, and starts move by hours; but no two play each other twice
 * within the window. Neither separates them here.
 */
export const isFree = (sport: Sport): boolean => sport === 'combat_sport' || sport === 'tennis'

const BETWEEN_PARTNERS = /\s*[/&+]\s*|\s+and\s+/
const SIGNS_OF_TWO = ['/', '&', '+', ' and ']
const IN_BRACKETS = /\([^()]*\)/g
const LETTER = /\p{L}/u

/** The two of a doubles side, "Krawietz K / Puetz T"; undefined for one person. */
export const partnersOf = (spelling: string): readonly [string, string] | undefined => {
  // Most are one person, and are not searched by an expression.
  if (!SIGNS_OF_TWO.some((sign) => spelling.includes(sign))) return undefined
  const partners = spelling.replace(IN_BRACKETS, '').split(BETWEEN_PARTNERS)
  return partners.length === 2 && partners.every((each) => LETTER.test(each))
    ? (partners as [string, string])
    : undefined
}

/** One letter is an initial. */
const SURNAME_LETTERS = 2

type Words = readonly string[]

/** Doubles are often listed by surnames, of one word or more: two of them at once are distinctive, one is not. */
const isSurname = (short: Words, long: Words): boolean => {
  if (short.length === 1) return long.length > 1 && short[0]!.length >= SURNAME_LETTERS && long.includes(short[0]!)
  const start = long.length - short.length
  return start > 0 && short.every((word, place) => word === long[start + place])
}

const isSamePerson = (a: Words, b: Words): boolean =>
  (a.length === b.length && a.every((word) => b.includes(word))) ||
  isInitialledPerson(a, b) ||
  isInitialledPerson(b, a) ||
  isSurname(a, b) ||
  isSurname(b, a)

/** Whether two pairs can be one, in either order. */
export const isSamePair = ([a, b]: readonly Words[], [c, d]: readonly Words[]): boolean =>
  (isSamePerson(a!, c!) && isSamePerson(b!, d!)) || (isSamePerson(a!, d!) && isSamePerson(b!, c!))
