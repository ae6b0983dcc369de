// Short forms of several words at once (docs/identity.md 3): "NY Red Bulls", "QPR", "Man C", and of persons "Zverev
// A.". Short forms of one word are in similarity.ts.

/** A shorter beginning is not distinctive by itself. */
const TELLING_LETTERS = 3
const FULL_LETTERS = 4
const INITIALS_MIN = 2
const INITIALS_MAX = 5

/** Whether a word consists of the first letters of as many words from a place on. */
const areInitials = (word: string, words: readonly string[], place: number): boolean => {
  if (word.length < INITIALS_MIN || word.length > INITIALS_MAX || place + word.length > words.length) return false
  for (let i = 0; i < word.length; i++) if (words[place + i]!.charCodeAt(0) !== word.charCodeAt(i)) return false
  return true
}

/**
 * Whether each word of `short`, in order, is the beginning of a word of `long` or the initials of several, with no word
 * of `long` left out. One must be distinctive: a whole word of at least four letters, or at least three letters or
 * initials.
 */
export const isAbbreviated = (short: readonly string[], long: readonly string[]): boolean => {
  if (short.length > long.length) return false
  let place = 0
  let isTelling = false
  for (const word of short) {
    const other = long[place]
    if (other === undefined) return false
    if (other.startsWith(word)) {
      isTelling ||= word.length >= (word === other ? FULL_LETTERS : TELLING_LETTERS)
      place++
    } else if (areInitials(word, long, place)) {
      isTelling ||= word.length >= TELLING_LETTERS
      place += word.length
    } else return false
  }
  return isTelling && place === long.length
}

/**
 * Whether `short` is the person `long` without a second name or surname: "Leylah Fernandez", "Leylah Annie Fernandez".
 * "Annie Fernandez" may be another one.
 */
const hasFewerNames = (short: readonly string[], long: readonly string[]): boolean => {
  if (short[0] !== long[0]) return false
  let place = 0
  for (const word of long) if (word === short[place]) place++
  return place === short.length
}

/**
 * Whether `short` is the person `long` with the first names abbreviated, in either order: "Zverev A.", "Alex Zverev",
 * "J. J. Wolf". All other words must be equal, and the first names must be adjacent: "Garcia C." is not "Carlos Garcia
 * Lopez", who may be another person.
 */
export const isInitialledPerson = (short: readonly string[], long: readonly string[]): boolean => {
  if (short.length < 2 || short.length > long.length) return false
  if (hasFewerNames(short, long)) return true
  let initials: string | undefined
  for (const word of short) {
    if (long.includes(word)) continue
    if (initials !== undefined) return false
    initials = word
  }
  // "M." is no surname.
  if (initials === undefined || !short.some((word) => word !== initials && word.length > 1)) return false
  const first = long.findIndex((word) => !short.includes(word))
  if (first === -1) return false
  const count = long.length - short.length + 1
  for (let place = 0; place < long.length; place++) {
    const isFirstName = place >= first && place < first + count
    if (short.includes(long[place]!) === isFirstName) return false
  }
  // "J. J. Wolf", else "Ka. Pliskova": as many letters as distinguish her from "Kr.".
  if (initials.length === count && count >= INITIALS_MIN && count <= 3) return areInitials(initials, long, first)
  return long[first]!.startsWith(initials) && !isFeminine(long[first]!, initials)
}

/** "Popova", "Novakova", "Juana" are women, "Popov", "Novak", "Juan" are men. */
const isFeminine = (word: string, other: string): boolean =>
  other.length >= TELLING_LETTERS && (word === `${other}a` || word === `${other}ova`)
