// Slugs: the words of a name as a label or key can carry them (docs/feeds.md 2.4).

// Letters that Unicode does not decompose into a letter and an accent.
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['ø', 'o'],
  ['æ', 'ae'],
  ['ß', 'ss'],
  ['đ', 'd'],
  ['ł', 'l'],
  ['ı', 'i'],
  ['þ', 'th'],
])

const BEYOND_ASCII = /[^ -~]/
const APOSTROPHES = /['’‘ʼ`´]/g

const plainLetters = (lower: string): string =>
  lower
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/[øæßđłıþ]/g, (letter) => LETTERS.get(letter)!)

/**
 * Slug of a name: accents stripped, lower case, `&` is the word "and", apostrophes dropped, every other run of
 * characters one `_`, none at the ends. Empty when the name has no Latin letter and no digit.
 */
export const slugOf = (name: string): string => {
  const lower = name.toLowerCase()
  const letters = BEYOND_ASCII.test(lower) ? plainLetters(lower) : lower
  return letters
    .replaceAll('&', ' and ')
    .replace(APOSTROPHES, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}

/**
 * Slug of a player; the parts of "Last, First" are exchanged first (split at the last comma: "Silva, Jr., Paulo" is not
 * a first name).
 */
export const playerSlugOf = (name: string): string => {
  const comma = name.lastIndexOf(',')
  return slugOf(comma === -1 ? name : `${name.slice(comma + 1)} ${name.slice(0, comma)}`)
}
