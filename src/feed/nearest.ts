// "Did you mean": the known word that is most like one that is not known.

/** Letters and digits only: `the_odds_api` and `TheOddsApi` are the same. */
const bare = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Longer words are not compared: what is typed by mistake is short. */
const LENGTH_MAX = 64

/** Edits from one word to the other, two letters in the wrong order counted as one (optimal string alignment). */
const editsBetween = (a: string, b: string): number => {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      next[column] = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        next[column] = Math.min(next[column]!, before[column - 2]! + 1)
      }
    }
    before = last
    last = next
  }
  return last[b.length]!
}

/** The word that was probably meant; undefined: none is near. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > LENGTH_MAX) return undefined
  const given = bare(word)
  let found: string | undefined
  let fewest = 1 + Math.max(1, Math.floor(given.length / 3))
  for (const each of known) {
    const candidate = bare(each)
    // `interval` for `intervalSeconds`, `oddsapi` for `the-odds-api`.
    const isPart = given.length >= 4 && (candidate.includes(given) || given.includes(candidate))
    const edits =
      given === candidate ? 0 : Math.min(isPart ? 1.5 : Number.POSITIVE_INFINITY, editsBetween(given, candidate))
    if (edits >= fewest) continue
    fewest = edits
    found = each
  }
  return found
}

/** `; did you mean "WORD"?`, or nothing. */
export const didYouMean = (word: string, known: readonly string[]): string => {
  const meant = nearest(word, known)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}
