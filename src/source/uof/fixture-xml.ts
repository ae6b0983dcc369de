// The fixture of an event in the form of Sportradar's API: `fixtures_fixture` > `fixture` with its `tournament` (which
// has `sport` and `category`) and its `competitors`.

import { SaxesParser, type SaxesTagPlain } from 'saxes'
import type { Fixture } from '../../domain/observation.ts'
import { parseDateTime } from '../../domain/time.ts'
import { leagueKeyOf } from '../kit/league.ts'
import { sportOfUof } from '../kit/sport-words.ts'
import { isCleanText, shown } from '../kit/text.ts'

/** `other_sport`: a sport that is not supported. */
export type FixtureAnswer = Fixture | 'other_sport' | { readonly fault: string }

type Attributes = Readonly<Record<string, string | undefined>>

/** The elements of which the first one is used, and their paths. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ['fixture', 'fixtures_fixture/fixture'],
  ['tournament', 'fixtures_fixture/fixture/tournament'],
  ['sport', 'fixtures_fixture/fixture/tournament/sport'],
  ['category', 'fixtures_fixture/fixture/tournament/category'],
  ['competitor', 'fixtures_fixture/fixture/competitors/competitor'],
])

/** Reads the answer of the API. */
export const readFixture = (xml: string, textLengthMax: number): FixtureAnswer => {
  const parser = new SaxesParser()
  const path: string[] = []
  const found = new Map<string, Attributes>()
  let fault: string | undefined
  const refuse = (reason: string): void => {
    fault ??= reason
  }
  parser.on('error', (error) => refuse(`is not XML: ${error.message}`))
  parser.on('doctype', () => refuse('must not have a DTD'))
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    path.push(name)
    if (PATHS.get(name) !== path.join('/')) return
    const { qualifier } = attributes as Attributes
    const key = name === 'competitor' ? (qualifier ?? '') : name
    if (!found.has(key)) found.set(key, attributes)
  })
  parser.on('closetag', () => path.pop())
  parser.write(xml).close()
  if (fault !== undefined) return { fault }

  const sportId = found.get('sport')?.id
  if (sportId === undefined) return { fault: 'names no sport' }
  const sport = sportOfUof(sportId)
  if (sport === undefined) return 'other_sport'
  const { scheduled, start_time: startTime } = found.get('fixture')!
  const kickoff = scheduled ?? startTime
  const kickoffAt = kickoff === undefined ? undefined : parseDateTime(kickoff)?.epochMs
  if (kickoffAt === undefined) return { fault: `has no kickoff: ${shown(kickoff ?? '')}` }
  const home = found.get('home')?.name ?? ''
  const away = found.get('away')?.name ?? ''
  if (home.trim() === '' || away.trim() === '' || home === away) return { fault: 'names no two sides' }
  const tournament = found.get('tournament')?.name ?? ''
  const category = found.get('category')
  for (const text of [home, away, tournament, category?.name ?? '']) {
    if (!isCleanText(text, textLengthMax)) return { fault: `has a name that cannot be shown: ${shown(text)}` }
  }
  // A category with a country code is a country; others, like "International Clubs", add nothing to the name.
  const country = category?.country_code === undefined ? '' : (category.name ?? '')
  const leagueKey = leagueKeyOf(`${country} ${tournament}`, sport)
  return { sport, leagueKey, leagueName: tournament.trim() === '' ? leagueKey : tournament, home, away, kickoffAt }
}
