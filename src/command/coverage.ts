// oddswire coverage: the bookmakers, and what is verified for each of them.

import { readFileSync } from 'node:fs'
import { fault, messageOf } from '../access/fault.ts'
import { parseCoverage } from '../domain/coverage.ts'
import { type Action, type Outcome, runAction } from './action.ts'

const load: Action = {
  synopsis: 'FILE',
  summary: 'Adds or replaces the bookmakers of a coverage file, each with its whole coverage; others stay.',
  positionals: ['FILE'],
  act: ({ store, positionals, at }): Outcome => {
    const path = positionals[0]!
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch (error) {
      return fault(`${path} cannot be read (${messageOf(error)})`)
    }
    const bookmakers = parseCoverage(text)
    if ('message' in bookmakers) return fault(`${path} was not imported: ${bookmakers.field} ${bookmakers.message}`)
    const { auditId } = store.importCoverage(bookmakers, at)
    return { auditId, notes: [`${bookmakers.length} bookmakers imported`] }
  },
}

const list: Action = {
  synopsis: '',
  summary: 'Lists the coverage of every bookmaker and sport; * stands for all sports that are not named.',
  act: ({ store }): Outcome => ({
    rows: store.bookmakers().flatMap(({ slug, displayName, region, countries, sourceMode, customerNote, coverage }) =>
      coverage.map(({ sport, status, restAvailable, liveAvailable, lastVerifiedAt }) => ({
        id: `${slug}:${sport}`,
        bookmaker: slug,
        sport,
        status,
        restAvailable,
        liveAvailable,
        lastVerifiedAt,
        displayName,
        region,
        countries,
        sourceMode,
        customerNote,
      })),
    ),
  }),
}

/** Runs `oddswire coverage …`. Resolves to the exit code. */
export const run = (argv: readonly string[]): Promise<number> => runAction('coverage', { import: load, list }, argv)
