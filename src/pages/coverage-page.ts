// What is verified, at `/docs/coverage`: bookmakers and sports that coverage shows to customers, and nothing else of it.

import { type Bookmaker, type Coverage, coverageOf, isEligible } from '../domain/coverage.ts'
import { visibleText } from '../domain/safe-text.ts'
import { type Sport, SPORT_NAMES, SPORTS } from '../domain/sport.ts'
import { type Transport, TRANSPORTS } from '../domain/transport.ts'
import { escape, frame, type Site } from './frame.ts'

/** The registered bookmakers, by slug; `version` changes with them. */
export interface CoverageTerms {
  readonly version: number
  readonly bookmakers: readonly Bookmaker[]
}

/** Sports of a bookmaker with the same coverage. */
interface Group {
  readonly sports: Sport[]
  readonly coverage: Coverage
  readonly transports: readonly Transport[]
}

const groupsOf = (bookmaker: Bookmaker): readonly Group[] => {
  const groups = new Map<string, Group>()
  for (const sport of SPORTS) {
    const coverage = coverageOf(bookmaker, sport)
    const transports = TRANSPORTS.filter((transport) => isEligible(coverage, transport))
    if (coverage === undefined || transports.length === 0) continue
    const id = [coverage.status, coverage.lastVerifiedAt, ...transports].join()
    const group = groups.get(id) ?? { sports: [], coverage, transports }
    groups.set(id, group)
    group.sports.push(sport)
  }
  return [...groups.values()]
}

const sportsText = (sports: readonly Sport[]): string =>
  sports.length === SPORTS.length ? 'all sports' : sports.map((sport) => SPORT_NAMES[sport]).join(', ')

const rowsOf = (bookmaker: Bookmaker): string => {
  const groups = groupsOf(bookmaker)
  return groups
    .map(({ sports, coverage: { status, lastVerifiedAt }, transports }, place) => {
      const head = `<th scope="rowgroup" rowspan="${groups.length}"><bdi>${escape(visibleText(bookmaker.displayName))}</bdi> <code>${escape(bookmaker.slug)}</code></th>\n`
      return `<tr>${place === 0 ? head : ''}<td>${sportsText(sports)}</td>
<td>${transports.map((transport) => `<code>${transport}</code>`).join(' ')}</td>
<td><code>${status}</code></td><td class="nowrap">${lastVerifiedAt ?? 'not yet'}</td></tr>`
    })
    .join('\n')
}

/** Written again where coverage has changed. */
export const newCoveragePage = (site: Site, coverage: () => CoverageTerms): (() => string) => {
  let written = ''
  let ofVersion = -1
  return () => {
    const { version, bookmakers } = coverage()
    if (version !== ofVersion) written = coveragePage(site, bookmakers)
    ofVersion = version
    return written
  }
}

const coveragePage = (site: Site, bookmakers: readonly Bookmaker[]): string => {
  const shown = bookmakers.filter((bookmaker) => groupsOf(bookmaker).length > 0)
  const table = `<div class="scroll" tabindex="0" role="region" aria-label="Table">
<table>
<thead><tr><th scope="col">Bookmaker</th><th scope="col">Sports</th><th scope="col">Transports</th>
<th scope="col">Status</th><th scope="col">Last verified</th></tr></thead>
${shown.map((bookmaker) => `<tbody>\n${rowsOf(bookmaker)}\n</tbody>`).join('\n')}
</table>
</div>`
  return frame(
    'coverage',
    site,
    `<h1>Coverage</h1>
<p>${shown.length} bookmakers, and the sports in which keys can see them. <code>rest</code> and
<code>live</code> are product channels: a bookmaker may be on one of them only. What your key sees of it depends on your
organization and on the key; <a href="../status">how the sources are just now</a> is the status page.</p>
${shown.length === 0 ? '<p class="notice">Nothing is shown yet.</p>' : table}
<h2>What verified means</h2>
<p>The prices of the bookmaker were fetched from the source, recorded, and read back through REST; every price was equal.
The date is that of the last run that passed. A bookmaker that fails repeatedly leaves this list until an operator has
looked at it. Removals are announced 90 days ahead.</p>`,
  )
}
