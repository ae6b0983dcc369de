// The columns of books and markets; those of quotes are in quotes.ts. Number 0 is "none" everywhere.
//
//   book         1      2      3    …          market     1      2      3    …
//   event      [ u32                ]          event    [ u32                ]
//   bookmaker  [ u16                ]          type     [ u8                 ]
//   transport  [ u8                 ]          line     [ f64                ]   -Infinity: none
//   head       [ u32                ]          quotes   [ u32                ]   how many quotes it holds
//   quotes     [ u32                ]          how many it holds, closed ones included
//   producer   [ u32                ]          the producer and the sighting (catalogue) that last set its quotes
//   sighting   [ u32                ]
//   after      [ u32                ]          next book of the same producer
//   before     [ u32                ]          the one before it
//   done       [ u32                ]          which of the producer's statements have reached it (producers.ts)
//   endedAt    [ f64                ]          when its newest bet stop or complete list was observed; 0: never
//   endedTo    [ u8                 ]          the status that it gave the quotes it did not name
//   endedBy    [ u16                ]          the source of that; those of other sources are in endings.ts
//   (free: next free one in head)              (free: next free one in quotes)
//
// A book is at least one quote and so is a market, so quotesMax of each is always enough. All is allocated at once; the
// system commits pages when they are first written, so that an empty board costs little.

import { memoryOf } from '../domain/memory.ts'
import { type Column, type ImageReader, type ImageWriter, tooLarge } from '../domain/image.ts'

const HEADROOM = 1 // for number 0

/** Columns of `booksMax` books. */
export const allocateBooks = (booksMax: number) => {
  const length = booksMax + HEADROOM
  return {
    event: new Uint32Array(memoryOf(4 * length)),
    bookmaker: new Uint16Array(memoryOf(2 * length)),
    transport: new Uint8Array(memoryOf(length)),
    head: new Uint32Array(memoryOf(4 * length)),
    quotes: new Uint32Array(memoryOf(4 * length)),
    producer: new Uint32Array(memoryOf(4 * length)),
    sighting: new Uint32Array(memoryOf(4 * length)),
    after: new Uint32Array(memoryOf(4 * length)),
    before: new Uint32Array(memoryOf(4 * length)),
    done: new Uint32Array(memoryOf(4 * length)),
    endedAt: new Float64Array(memoryOf(8 * length)),
    endedTo: new Uint8Array(memoryOf(length)),
    endedBy: new Uint16Array(memoryOf(2 * length)),
  }
}

/** Columns of `marketsMax` markets. */
export const allocateMarkets = (marketsMax: number) => {
  const length = marketsMax + HEADROOM
  return {
    event: new Uint32Array(memoryOf(4 * length)),
    type: new Uint8Array(memoryOf(length)),
    line: new Float64Array(memoryOf(8 * length)),
    quotes: new Uint32Array(memoryOf(4 * length)),
  }
}

/** Saves the first rows of columns, number 0 included. */
export const saveColumns = (
  image: ImageWriter,
  name: string,
  columns: Readonly<Record<string, Column>>,
  used: number,
): void => {
  for (const [of, column] of Object.entries(columns)) image.column(`${name} ${of}`, column.subarray(0, used + HEADROOM))
}

export const loadColumns = (image: ImageReader, name: string, columns: Readonly<Record<string, Column>>): void => {
  for (const [of, column] of Object.entries(columns)) {
    const used = image.lengthOf(`${name} ${of}`) - HEADROOM
    // There are as many rows as the board may hold quotes. A row that was used once keeps its number.
    if (used + HEADROOM > column.length) throw tooLarge(`${used} ${name}, free ones included,`, 'quotes-max', used)
    image.column(`${name} ${of}`, column)
  }
}

export type BookColumns = ReturnType<typeof allocateBooks>
export type MarketColumns = ReturnType<typeof allocateMarkets>

/** A book in the column of endings without a bet stop, or a complete list. Nothing is observed that early. */
export const NEVER_ENDED = 0

/** A market without a line in the line column: sorts before every line. */
export const NO_LINE = Number.NEGATIVE_INFINITY
