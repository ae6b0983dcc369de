// Events of the recordings, for the measurements of event identity. Nothing of them is in the repository.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { EventSighting } from '../../src/domain/observation.ts'
import { splitCsvLine } from '../../src/source/kit/csv.ts'
import { leagueKeyOf } from '../../src/source/kit/league.ts'
import { sportOfTheOddsApi } from '../../src/source/kit/sport-words.ts'
import { DATA } from '../root.ts'

const SNAPSHOT = join(DATA, 'the-odds-api', 'snapshot.csv.gz')
const KAMBI = join(DATA, 'kambi', 'unibet-type2.json.gz')
const FOOTBALL_DATA = ['E0_2324', 'E0_2425', 'SP1_2324'].map((name) => join(DATA, 'football-data', `${name}.csv.gz`))

export const skip = [SNAPSHOT, KAMBI, ...FOOTBALL_DATA].every((path) => existsSync(path))
  ? false
  : 'the recorded payloads are not on this machine'

const textOf = (path: string): string => gunzipSync(readFileSync(path)).toString('utf8')

const columnsOf = (line: string): readonly string[] => {
  const columns = splitCsvLine(line)
  if (columns === undefined) throw new Error(`not a line of CSV: ${line}`)
  return columns
}

/** The events with two sides of the recorded snapshot of The Odds API. */
export const snapshotEvents = (): EventSighting[] => {
  const events = new Map<string, EventSighting>()
  for (const line of textOf(SNAPSHOT).trim().split('\n').slice(1)) {
    if (events.has(line.slice(0, line.indexOf(',')))) continue
    const [id, sportKey, leagueName, kickoff, home, away] = columnsOf(line)
    const sport = sportOfTheOddsApi(/^[^_]*/.exec(sportKey!)![0])
    if (sport === undefined || away === '') continue
    const leagueKey = leagueKeyOf(sportKey!.slice(sportKey!.indexOf('_') + 1), sport)
    const kickoffAt = Date.parse(kickoff!)
    events.set(id!, {
      ...{ sport, leagueKey, leagueName: leagueName!, home: home!, away: away!, kickoffAt },
      sourceKey: `the-odds-api:${id}`,
    })
  }
  return [...events.values()]
}

/** Sides and league of a match in another book's spelling. */
export interface Pairing {
  readonly home: string
  readonly away: string
  readonly leagueKey: string
}

/** The matches of three seasons, as football-data spells their clubs. */
export const footballDataPairings = (): Pairing[] =>
  FOOTBALL_DATA.flatMap((path) => {
    const leagueKey = path.includes('SP1') ? 'spain_la_liga' : 'england_premier_league'
    const [header, ...lines] = textOf(path)
      .replace(/^\ufeff/, '')
      .trim()
      .split(/\r?\n/)
    const names = columnsOf(header!)
    const [home, away] = [names.indexOf('HomeTeam'), names.indexOf('AwayTeam')]
    return lines.map((line) => {
      const columns = columnsOf(line)
      return { home: columns[home]!, away: columns[away]!, leagueKey }
    })
  })

interface KambiEvent {
  readonly homeName: string
  readonly awayName: string
  readonly path: readonly { readonly termKey: string }[]
}

/** The matches of a recorded page of Kambi. */
export const kambiPairings = (): Pairing[] => {
  const { events } = JSON.parse(textOf(KAMBI)) as { readonly events: readonly KambiEvent[] }
  return events.map(({ homeName, awayName, path }) => ({
    home: homeName,
    away: awayName,
    leagueKey: leagueKeyOf(
      path
        .slice(1)
        .map(({ termKey }) => termKey)
        .join('/'),
      'football',
    ),
  }))
}
