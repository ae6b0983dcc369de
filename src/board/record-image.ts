// The events of the catalogue in an image: numbers in columns, each text once.

import type { Event } from '../domain/event.ts'
import { GrowingColumn, LoadedTexts, readColumn, saveTexts, TextTable } from '../domain/image-columns.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { EventSighting } from '../domain/observation.ts'
import { SPORT_NUMBER, SPORTS } from '../domain/sport.ts'
import { EventRecord } from './event-record.ts'
import { LoadedSightings, SIGHTING_TIMES, SPELLING_WIDTH } from './loaded-sightings.ts'
import type { NumberLists } from '../domain/number-lists.ts'

// Columns of events. Of texts: the number of the text; of the identity the number + 1, or 0 where it is that of the names.
// `nameless`: of earlier versions, which saved a sighting of sources without an id, and its time. It is the first one; 0: there
// is none, and a spelling follows, which is that of the names.
const RECORD_TEXTS = ['league', 'leagueName', 'home', 'away', 'identity'] as const
const RECORD_COUNTS = ['markets', 'books', 'sightings', 'formerIds', 'formerIdentities', 'nameless'] as const
const RECORD_WIDTH = 2 + RECORD_TEXTS.length + RECORD_COUNTS.length
/** Per event: the number of its id, its kickoff, and one of earlier versions. */
const RECORD_TIMES = 3

/** @param records by number, with gaps */
export const saveRecords = (
  image: ImageWriter,
  records: readonly (EventRecord | undefined)[],
  numbers: NumberLists,
): void => {
  const table = new TextTable()
  const rows = new GrowingColumn(Uint32Array)
  const times = new GrowingColumn(Float64Array)
  const lists = new GrowingColumn(Uint32Array)
  const known = new GrowingColumn(Uint32Array)
  const spellings = new GrowingColumn(Uint32Array)
  const pushTexts = (texts: readonly string[]): void => {
    for (const text of texts) lists.push(table.add(text))
  }
  const pushNumbers = (list: number): void => {
    const { words } = numbers
    for (let place = list + 1, end = place + words[list]!; place < end; place++) lists.push(words[place]!)
  }
  // Keys and identities are unique, so they are not looked up. Nor are the names of the event, where the spelling has them.
  const pushSpelling = (
    { sport, leagueKey, leagueName, home, away, kickoffAt, sourceKey }: EventSighting,
    event: Event,
    texts: readonly number[],
    key: string,
    keyNumber: number,
  ): void => {
    spellings.push(SPORT_NUMBER.get(sport)!)
    spellings.push(leagueKey === event.leagueKey ? texts[0]! : table.numberOf(leagueKey))
    spellings.push(leagueName === event.leagueName ? texts[1]! : table.numberOf(leagueName))
    spellings.push(home === event.homeTeam ? texts[2]! : table.numberOf(home))
    spellings.push(away === event.awayTeam ? texts[3]! : table.numberOf(away))
    if (sourceKey === null) spellings.push(0)
    else spellings.push((sourceKey === key ? keyNumber : table.add(sourceKey)) + 1)
    times.push(kickoffAt)
  }
  for (const record of records) {
    if (record === undefined) continue
    const { event, markets, books, sightings, formerIds, formerIdentities, ownIdentity } = record
    rows.push(record.number)
    rows.push(record.sportNumber)
    const texts = [event.leagueKey, event.leagueName, event.homeTeam, event.awayTeam].map((text) =>
      table.numberOf(text),
    )
    for (const number of texts) rows.push(number)
    rows.push(ownIdentity === undefined ? 0 : table.add(ownIdentity) + 1)
    rows.push(numbers.lengthOf(markets))
    rows.push(numbers.lengthOf(books))
    for (const list of [sightings, formerIds, formerIdentities]) rows.push(list.length)
    rows.push(Math.min(sightings.length, 1))
    times.push(record.idNumber)
    times.push(event.kickoffAt)
    times.push(0)
    if (sightings.length === 0) pushSpelling(record.nameless.sighting, event, texts, '', 0)
    pushNumbers(markets)
    pushNumbers(books)
    pushTexts(formerIds)
    pushTexts(formerIdentities)
    for (const { key, source, number, spelledAt, swapped, sighting } of sightings) {
      const keyNumber = table.add(key)
      known.push(keyNumber)
      known.push(table.numberOf(source) * 2 + (swapped ? 1 : 0))
      times.push(number)
      times.push(spelledAt)
      pushSpelling(sighting, event, texts, key, keyNumber)
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
 * @param hasIdentities whether it was saved by an earlier version: with all identities, by their numbers
 * @returns the sightings
 */
export const loadRecords = (
  image: ImageReader,
  records: (EventRecord | undefined)[],
  numbers: NumberLists,
  hasIdentities: boolean,
): LoadedSightings => {
  const texts = new LoadedTexts(image, 'events texts')
  const rows = readColumn(image, 'events rows', Uint32Array)
  const times = readColumn(image, 'events times', Float64Array)
  const lists = readColumn(image, 'events lists', Uint32Array)
  const known = readColumn(image, 'events sightings', Uint32Array)
  const spellings = readColumn(image, 'events spellings', Uint32Array)
  const loaded = new LoadedSightings({ texts, times, known, spellings }, records.length)
  let [time, listed, spelled] = [0, 0, 0]
  const readTexts = (count: number): string[] => Array.from({ length: count }, () => texts.at(lists[listed++]!)!)
  for (let row = 0; row < rows.length; row += RECORD_WIDTH) {
    const number = rows[row]!
    const sportNumber = rows[row + 1]!
    const event = {
      id: String(times[time]!),
      sport: SPORTS[sportNumber]!,
      leagueKey: texts.at(rows[row + 2]!)!,
      leagueName: texts.at(rows[row + 3]!)!,
      homeTeam: texts.at(rows[row + 4]!)!,
      awayTeam: texts.at(rows[row + 5]!)!,
      kickoffAt: times[time + 1]!,
    }
    time += RECORD_TIMES
    if (rows[row + 12] === 0) {
      // A spelling that is that of the names.
      spelled += SPELLING_WIDTH
      time++
    }
    const record = new EventRecord(number, event, sportNumber, undefined)
    const identity = hasIdentities ? texts.at(rows[row + 6]!) : texts.at(rows[row + 6]! - 1)
    if (identity !== undefined && (!hasIdentities || identity !== record.identity)) record.ownIdentity = identity
    record.markets = numbers.add(lists, listed, (listed += rows[row + 7]!))
    record.books = numbers.add(lists, listed, (listed += rows[row + 8]!))
    if (rows[row + 10] !== 0) record.formerIds = readTexts(rows[row + 10]!)
    if (rows[row + 11] !== 0) record.formerIdentities = readTexts(rows[row + 11]!)
    const count = rows[row + 9]!
    if (count > 0) {
      loaded.add(number, count, time, spelled)
      record.sightings = loaded
    }
    time += SIGHTING_TIMES * count
    spelled += SPELLING_WIDTH * count
    records[number] = record
  }
  return loaded
}
