import type { Postings } from '../../src/identity/postings.ts'

/** The factor that undoes a multiplication of integers of 32 bits by an odd one, by Newton's iteration. */
const undoing = (factor: number): number => {
  let inverse = factor
  for (let step = 0; step < 5; step++) inverse = Math.imul(inverse, 2 - Math.imul(factor, inverse))
  return inverse
}

const FIRST = undoing(0x9e37_79b1)
const SECOND = undoing(0x85eb_ca6b)

/** What postings have for each key, which only its hash is there of. */
export const listsOf = (postings: Postings): Map<number, number[]> => {
  const { table, lists } = { table: postings['table'], lists: postings['lists'] }
  const found = new Map<number, number[]>()
  for (const { entries } of table['shards']) {
    for (let place = 0; place < entries.length; place += 2) {
      const [posting, hash] = [entries[place]!, entries[place + 1]!]
      if (posting === 0) continue
      const second = Math.imul(hash ^ (hash >>> 13) ^ (hash >>> 26), SECOND)
      const key = Math.imul(second ^ (second >>> 16), FIRST) ^ table.seed
      found.set(key, (posting & 1) === 1 ? [posting >>> 1] : lists.numbersOf(posting >>> 1))
    }
  }
  return found
}
