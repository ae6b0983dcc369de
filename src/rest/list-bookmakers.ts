// GET /bookmakers (docs/architecture.md 7): entitled, eligible bookmakers of a sport, by slug.

import type { Registry } from '../access/registry.ts'
import type { Audience } from '../domain/audience.ts'
import { type Bookmaker, coverageOf } from '../domain/coverage.ts'
import type { Sport } from '../domain/sport.ts'
import type { JsonWriter } from '../json-writer.ts'
import { bookmakersSeen } from './list-sports.ts'
import { writePage } from './page-json.ts'
import type { Query } from './target.ts'

const COMMA = 0x2c

const entryOf = (bookmaker: Bookmaker, sport: Sport) => {
  const coverage = coverageOf(bookmaker, sport)!
  return {
    slug: bookmaker.slug,
    displayName: bookmaker.displayName,
    coverage: {
      region: bookmaker.region,
      countries: bookmaker.countries,
      restAvailable: coverage.restAvailable,
      liveAvailable: coverage.liveAvailable,
      coverageStatus: coverage.status,
      sourceMode: bookmaker.sourceMode,
      lastVerifiedAt: coverage.lastVerifiedAt,
      customerNote: bookmaker.customerNote,
    },
  }
}

export const writeBookmakers = (writer: JsonWriter, registry: Registry, audience: Audience, query: Query): void => {
  const bookmakers = bookmakersSeen(registry, audience, query.transport, query.sportNumber!)
  writePage(writer, bookmakers.length, query, query.sport, () => {
    for (const [place, bookmaker] of bookmakers.slice(query.offset, query.offset + query.limit).entries()) {
      if (place > 0) writer.char(COMMA)
      writer.json(entryOf(bookmaker, query.sport!))
    }
  })
}
