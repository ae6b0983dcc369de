// The events of the catalogue in an image: numbers in columns, each text once.

import { GrowingColumn, loadTexts, readColumn, saveTexts, TextTable } from '../domain/image-columns.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { EventSighting } from '../domain/observation.ts'
import { SPORT_NUMBER, SPORTS } from '../domain/sport.ts'
import type { EventRecord, KnownSighting } from './event-record.ts'

// Columns of events. Of texts: the number of the text. `nameless`: the place + 1 of the sighting that the nameless one
// equals, 0: it is saved by itself.
const RECORD_TEXTS = ['league', 'leagueName', 'home', 'away', 'identity'] as const
const RECORD_COUNTS = ['markets', 'books', 'sightings', 'formerIds', 'formerIdentities', 'nameless'] as const
const RECORD_WIDTH = 2 + RECORD_TEXTS.length + RECORD_COUNTS.length
// The fields of a spelling: sport, league, name of the league, home, away, key (0: none, else the text's number + 1).
const SPELLING_WIDTH = 6

const isSame = (a: EventSighting, b: EventSighting): boolean =>
  a === b ||
  (a.sport === b.sport &&
    a.leagueKey === b.leagueKey &&
    a.leagueName === b.leagueName &&
    a.home === b.home &&
    a.away === b.away &&
    a.kickoffAt === b.kickoffAt &&
    a.sourceKey === b.sourceKey)

/** @param records by number, with gaps */
export const saveRecords = (image: ImageWriter, records: readonly (EventRecord | undefined)[]): void => {
  const table = new TextTable()
  const rows = new GrowingColumn(Uint32Array)
  const times = new GrowingColumn(Float64Array)
  const lists = new GrowingColumn(Uint32Array)
  const known = new GrowingColumn(Uint32Array)
  const spellings = new GrowingColumn(Uint32Array)
  const pushTexts = (texts: readonly string[]): void => {
    for (const text of texts) lists.push(table.add(text))
  }
  // Keys and identities are unique, so they are not looked up.
  const pushSpelling = (
    { sport, leagueKey, leagueName, home, away, kickoffAt, sourceKey }: EventSighting,
    key: string,
    keyNumber: number,
  ): void => {
    spellings.push(SPORT_NUMBER.get(sport)!)
    for (const text of [leagueKey, leagueName, home, away]) spellings.push(table.numberOf(text))
    if (sourceKey === null) spellings.push(0)
    else spellings.push((sourceKey === key ? keyNumber : table.add(sourceKey)) + 1)
    times.push(kickoffAt)
  }
  for (const record of records) {
    if (record === undefined) continue
    const { event, sightings, nameless, markets, books, formerIds, formerIdentities, identity } = record
    rows.push(record.number)
    rows.push(record.sportNumber)
    for (const text of [event.leagueKey, event.leagueName, event.homeTeam, event.awayTeam])
      rows.push(table.numberOf(text))
    // As a text of its own: quicker to read than to put together, and one string in memory.
    rows.push(table.add(identity))
    for (const list of [markets, books, sightings, formerIds, formerIdentities]) rows.push(list.length)
    // By value: whether they are one object depends on the caller.
    const same = sightings.findIndex(({ sighting }) => isSame(sighting, nameless.sighting)) + 1
    rows.push(same)
    times.push(record.idNumber)
    times.push(event.kickoffAt)
    times.push(nameless.spelledAt)
    if (same === 0) pushSpelling(nameless.sighting, '', 0)
    for (const number of markets) lists.push(number)
    for (const number of books) lists.push(number)
    pushTexts(formerIds)
    pushTexts(formerIdentities)
    for (const { key, source, number, spelledAt, swapped, sighting } of sightings) {
      const keyNumber = table.add(key)
      known.push(keyNumber)
      known.push(table.numberOf(source) * 2 + (swapped ? 1 : 0))
      times.push(number)
      times.push(spelledAt)
      pushSpelling(sighting, key, keyNumber)
    }
  }
  saveTexts(image, 'events texts', table.texts)
  rows.save(image, 'events rows')
  times.save(image, 'events times')
  lists.save(image, 'events lists')
  known.save(image, 'events sightings')
  spellings.save(image, 'events spellings')
}

/**
 * Reads what {@link saveRecords} has saved into `records`.
 * @param nextVersion a version that no other event has: versions are keys of the caches of one process
 */
export const loadRecords = (
  image: ImageReader,
  records: (EventRecord | undefined)[],
  nextVersion: () => number,
): void => {
  const texts = loadTexts(image, 'events texts')
  const rows = readColumn(image, 'events rows', Uint32Array)
  const times = readColumn(image, 'events times', Float64Array)
  const lists = readColumn(image, 'events lists', Uint32Array)
  const known = readColumn(image, 'events sightings', Uint32Array)
  const spellings = readColumn(image, 'events spellings', Uint32Array)
  let [time, listed, knownPlace, spelled] = [0, 0, 0, 0]
  const readSpelling = (): EventSighting => {
    const place = spelled
    spelled += SPELLING_WIDTH
    const key = spellings[place + 5]!
    return {
      sport: SPORTS[spellings[place]!]!,
      leagueKey: texts[spellings[place + 1]!]!,
      leagueName: texts[spellings[place + 2]!]!,
      home: texts[spellings[place + 3]!]!,
      away: texts[spellings[place + 4]!]!,
      kickoffAt: times[time++]!,
      sourceKey: key === 0 ? null : texts[key - 1]!,
    }
  }
  const scratch: number[] = []
  const readList = (count: number): number[] => {
    if (count === 0) return []
    for (let n = 0; n < count; n++) scratch[n] = lists[listed++]!
    // A slice has exactly this length: an array that grew by pushing has seventeen places.
    return scratch.slice(0, count)
  }
  const readTexts = (count: number): string[] => (count === 0 ? [] : readList(count).map((text) => texts[text]!))
  for (let row = 0; row < rows.length; row += RECORD_WIDTH) {
    const number = rows[row]!
    const sportNumber = rows[row + 1]!
    const same = rows[row + 12]!
    const idNumber = times[time++]!
    const kickoffAt = times[time++]!
    const nameless = {
      key: '',
      source: '',
      number: 0,
      sighting: undefined as unknown as EventSighting,
      spelledAt: times[time++]!,
      swapped: false,
    } as unknown as KnownSighting
    if (same === 0) nameless.sighting = readSpelling()
    const event = {
      id: String(idNumber),
      sport: SPORTS[sportNumber]!,
      leagueKey: texts[rows[row + 2]!]!,
      leagueName: texts[rows[row + 3]!]!,
      homeTeam: texts[rows[row + 4]!]!,
      awayTeam: texts[rows[row + 5]!]!,
      kickoffAt,
    }
    const record: EventRecord = {
      number,
      idNumber,
      event,
      sportNumber,
      markets: readList(rows[row + 7]!),
      books: readList(rows[row + 8]!),
      versions: [nextVersion(), nextVersion()],
      shapes: [nextVersion(), nextVersion()],
      sightings: [],
      nameless,
      identity: texts[rows[row + 6]!]!,
      formerIds: readTexts(rows[row + 10]!),
      formerIdentities: readTexts(rows[row + 11]!),
    }
    nameless.record = record
    for (let count = rows[row + 9]!; count > 0; count--) {
      const source = known[knownPlace + 1]!
      const sighting: KnownSighting = {
        key: texts[known[knownPlace]!]!,
        source: texts[source >>> 1]!,
        number: times[time++]!,
        record,
        spelledAt: times[time++]!,
        sighting: readSpelling(),
        swapped: (source & 1) === 1,
      }
      knownPlace += 2
      if (record.sightings.length === 0) record.sightings = [sighting]
      else record.sightings.push(sighting)
    }
    if (same !== 0) nameless.sighting = record.sightings[same - 1]!.sighting
    records[number] = record
  }
}
