// GET /sports (docs/architecture.md 7): sports with at least one entitled, eligible bookmaker.

import type { Registry } from '../access/registry.ts'
import { type Audience, bookmakersOf, hasBookmaker } from '../domain/audience.ts'
import { type Bookmaker, coverageOf } from '../domain/coverage.ts'
import { SPORT_NAMES, SPORTS, type Sport } from '../domain/sport.ts'
import { TRANSPORT_NUMBER, type Transport } from '../domain/transport.ts'
import type { JsonWriter } from '../json-writer.ts'
import { writePage } from './page-json.ts'
import type { Query } from './target.ts'

const COMMA = 0x2c

/** The registered bookmakers that an audience sees in a sport, by slug. */
export const bookmakersSeen = (
  registry: Registry,
  audience: Audience,
  transport: Transport,
  sportNumber: number,
): Bookmaker[] => {
  const seen = bookmakersOf(audience, TRANSPORT_NUMBER[transport], sportNumber)
  return registry.bookmakers.filter((bookmaker) => hasBookmaker(seen, registry.numberOf(bookmaker.slug) ?? 0))
}

const entryOf = (sport: Sport, transport: Transport, bookmakers: readonly Bookmaker[]) => ({
  slug: sport,
  name: SPORT_NAMES[sport],
  coverage: {
    transport,
    bookmakerCount: bookmakers.length,
    bookmakers: bookmakers.map((bookmaker) => {
      const coverage = coverageOf(bookmaker, sport)!
      return {
        slug: bookmaker.slug,
        displayName: bookmaker.displayName,
        coverageStatus: coverage.status,
        restAvailable: coverage.restAvailable,
        liveAvailable: coverage.liveAvailable,
        lastVerifiedAt: coverage.lastVerifiedAt,
      }
    }),
  },
})

export const writeSports = (writer: JsonWriter, registry: Registry, audience: Audience, query: Query): void => {
  const entries = SPORTS.map((sport, number) => ({
    sport,
    bookmakers: bookmakersSeen(registry, audience, query.transport, number),
  })).filter(({ bookmakers }) => bookmakers.length > 0)
  writePage(writer, entries.length, query, undefined, () => {
    for (const [place, entry] of entries.slice(query.offset, query.offset + query.limit).entries()) {
      if (place > 0) writer.char(COMMA)
      writer.json(entryOf(entry.sport, query.transport, entry.bookmakers))
    }
  })
}
