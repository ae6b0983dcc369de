// The pagination envelope (docs/architecture.md 7.7).

import { type JsonWriter, piece } from '../json-writer.ts'
import type { Query } from './target.ts'

const TOTAL = piece('{"meta":{"total":')
const LIMIT = piece(',"limit":')
const OFFSET = piece(',"offset":')
const TRANSPORT = piece(',"transport":')
const SPORT = piece(',"sport":')
const DATA = piece('},"data":[')
const END = piece(']}')

/** Writes the envelope around the output of `writeEntries`. `sport`: the resolved one, if the query has one. */
export const writePage = (
  writer: JsonWriter,
  total: number,
  query: Query,
  sport: string | undefined,
  writeEntries: () => void,
): void => {
  writer.raw(TOTAL)
  writer.number(total)
  writer.raw(LIMIT)
  writer.number(query.limit)
  writer.raw(OFFSET)
  writer.number(query.offset)
  writer.raw(TRANSPORT)
  writer.string(query.transport)
  if (sport !== undefined) {
    writer.raw(SPORT)
    writer.string(sport)
  }
  writer.raw(DATA)
  writeEntries()
  writer.raw(END)
}
