// Similarity of two spellings: the ratio of Ratcliff and Obershelp, and whether one is short for the other
// (docs/identity.md 3).

/** From this ratio on two spellings count as one name. */
const RATIO_MIN = 0.88

// Rounding error of a product of decimals.
const ROUNDING = 1e-9

// The work grows with the square of the length; no team's name is longer.
const LENGTH_MAX = 64

/** A word of fewer letters abbreviates too many others. */
const BEGINNING_LETTERS = 3

const runs = new Uint8Array(LENGTH_MAX + 1)

/** Characters of the longest common run, and of those left and right of it, recursively; of equal runs the first. */
const matchingCharacters = (
  a: string,
  aStart: number,
  aEnd: number,
  b: string,
  bStart: number,
  bEnd: number,
): number => {
  if (aStart >= aEnd || bStart >= bEnd) return 0
  let length = 0
  let aRunEnd = 0
  let bRunEnd = 0
  runs.fill(0, 0, bEnd - bStart + 1)
  for (let i = aStart; i < aEnd; i++) {
    const code = a.charCodeAt(i)
    // From the right, so that the cell of the row before is still intact.
    for (let j = bEnd - 1; j >= bStart; j--) {
      const place = j - bStart
      const run = b.charCodeAt(j) === code ? runs[place]! + 1 : 0
      runs[place + 1] = run
      if (run > length || (run === length && run > 0 && i + 1 === aRunEnd)) {
        length = run
        aRunEnd = i + 1
        bRunEnd = j + 1
      }
    }
  }
  if (length === 0) return 0
  return (
    length +
    matchingCharacters(a, aStart, aRunEnd - length, b, bStart, bRunEnd - length) +
    matchingCharacters(a, aRunEnd, aEnd, b, bRunEnd, bEnd)
  )
}

/**
 * Ratio of Ratcliff and Obershelp: 2 x matching characters / all characters, 0 to 1. Which characters match can depend
 * on the order of the two spellings; here it does not, because whether two events are one must not depend on the order
 * of arrival.
 * @param a up to 64 characters, as `b`
 */
export const similarityOf = (a: string, b: string): number => {
  if (a === b) return 1
  const [first, second] = a < b ? [a, b] : [b, a]
  return (2 * matchingCharacters(first, 0, first.length, second, 0, second.length)) / (a.length + b.length)
}

const counts = new Int8Array(128)

/** Characters that both have, in any place: an upper bound of those that match. */
const commonCharacters = (a: string, b: string): number => {
  let common = 0
  for (let i = 0; i < a.length; i++) counts[a.charCodeAt(i) & 127]!++
  for (let i = 0; i < b.length; i++) if (counts[b.charCodeAt(i) & 127]!-- > 0) common++
  counts.fill(0)
  return common
}

/** A bit for each letter that a spelling has. */
export const lettersOf = (spelling: string): number => {
  let letters = 0
  for (let i = 0; i < spelling.length; i++) letters |= 1 << (spelling.charCodeAt(i) & 31)
  return letters
}

const bitCount = (bits: number): number => {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}

/**
 * Whether two spellings can be similar, without the spellings themselves: a letter that only one of them has matches
 * nothing. True for few pairs.
 * @param aLetters {@link lettersOf} the one, `aLength` long
 */
export const mayBeSimilar = (aLetters: number, aLength: number, bLetters: number, bLength: number): boolean =>
  bitCount(aLetters ^ bLetters) <= (1 - RATIO_MIN) * (aLength + bLength) + ROUNDING

/** Whether two spellings are similar. Too long ones are not. */
export const isSimilar = (a: string, b: string): boolean => {
  if (a.length > LENGTH_MAX || b.length > LENGTH_MAX) return false
  const needed = (RATIO_MIN * (a.length + b.length)) / 2 - ROUNDING
  if (Math.min(a.length, b.length) < needed || commonCharacters(a, b) < needed) return false
  return similarityOf(a, b) >= RATIO_MIN
}

/** What a word shares with a short form of it: the first letters, or all of a shorter word. */
export const beginningOf = (word: string): string => word.slice(0, BEGINNING_LETTERS)

const standsFor = (short: string, word: string): boolean =>
  short === word || (short.length >= BEGINNING_LETTERS && word.startsWith(short))

/** Whether every word of `short` is a short form of a word of `long`, in order: "Man United", "Newcastle". */
const abbreviates = (short: readonly string[], long: readonly string[]): boolean => {
  let place = 0
  for (const word of short) {
    while (place < long.length && !standsFor(word, long[place]!)) place++
    if (place === long.length) return false
    place++
  }
  return true
}

/** Whether one of two names is a short form of the other; with equal numbers of words, either may be. */
export const isShortForm = (a: readonly string[], b: readonly string[]): boolean => {
  if (a.length < b.length) return abbreviates(a, b)
  return abbreviates(b, a) || (a.length === b.length && abbreviates(a, b))
}

/**
 * Whether one of two names can be short for the other: then its words begin as some of the other's do.
 * @param a a bit for the first letter of each word of the one
 */
export const mayBeShortForm = (a: number, b: number): boolean => (a & b) === a || (a & b) === b
