// The rows of all alias tables as the matcher compares names, for the build: to fold them takes 100 ms, for which a start, or
// the first event of a sport, would wait.

import { SPORTS } from '../domain/sport.ts'
import { nationAliases, type Row, sportAliases } from './aliases.ts'
import { collegeAliases } from './aliases-colleges.ts'
import { folded } from './words.ts'

const textOf = (aliases: Iterable<Row>): string => {
  const names = new Map<string, string>()
  for (const row of aliases) {
    const [name, means] = row.map(folded) as [string, string]
    if (name !== means) names.set(name, means)
  }
  return Array.from(names, (pair) => pair.join('\t')).join('\n')
}

/** Of nations, of colleges and of each sport: a line for each alias, with what it means behind a tab, both folded. */
export const aliasTexts = (): Readonly<Record<string, string>> => ({
  nations: textOf(nationAliases()),
  colleges: textOf(collegeAliases()),
  ...Object.fromEntries(SPORTS.map((sport) => [sport, textOf(sportAliases(sport))])),
})
