// What the replays of the recordings have in common: where the payloads lie, how they are read, and what a quote is that
// they must lead to.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { splitCsvLine } from '../../src/source/kit/csv.ts'
import { DATA } from '../root.ts'

/** A quote that a payload must lead to. */
export interface Expected {
  /** `SOURCE:ID` of the event. */
  readonly key: string
  readonly bookmaker: string
  readonly type: string
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
  /** Epoch ms; of two sources of one quote the newer one counts. */
  readonly at: number
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000

export const FILES = {
  snapshot: ['the-odds-api', 'snapshot.csv.gz'],
  kambiPage: ['kambi', 'unibet-type2.json.gz'],
  kambiEvent: ['kambi', 'betoffers.json.gz'],
  straight: ['pinnacle', 'straight.json.gz'],
  betfair: ['betfair-stream', '1.166811431.jsonl.gz'],
  uofBefore: ['uof', 'odds_change.xml'],
  uofLive: ['uof', 'feed_odds_change.xml'],
} as const

export const SEASONS = ['E0_2324', 'E0_2425', 'SP1_2324'] as const

export const FIXTURES = ['17588223', '17588229', '17588234', '17588235', '17588240'] as const

export const pathOf = (parts: readonly string[]): string => join(DATA, ...parts)

export const seasonPath = (season: string): string => pathOf(['football-data', `${season}.csv.gz`])

export const fixturePath = (id: string): string => pathOf(['txline', `${id}.odds.json.gz`])

/** Why there is nothing to replay; false: there is. */
export const recordingsMissing = (): string | false =>
  [...Object.values(FILES).map(pathOf), ...SEASONS.map(seasonPath), ...FIXTURES.map(fixturePath)].every((path) =>
    existsSync(path),
  )
    ? false
    : 'the recorded payloads are not on this machine'

export const read = (path: string): string => {
  const bytes = readFileSync(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').replace(/^\ufeff/, '')
}

export const timeText = (at: number): string => new Date(at).toISOString()

export const columnsOf = (line: string): readonly string[] => {
  const columns = splitCsvLine(line)
  if (columns === undefined) throw new Error(`not a line of CSV: ${line}`)
  return columns
}

export const linesOf = (text: string): string[] => text.trim().split(/\r?\n/)

export const groupBy = <Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
