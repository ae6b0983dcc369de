// JSON of the operator's port: the state of the sources, and the known events.

import type { EventConflict, KnownEvent } from '../domain/event-identity.ts'
import { isRefusal } from '../domain/refusal.ts'
import type { Engine } from '../engine/engine.ts'
import { answer, type AnswerParts } from '../explain/answer.ts'
import { fieldsOf } from '../explain/question.ts'
import type { SourceStatus } from '../feed/running-source.ts'
import type { Supervisor } from '../feed/supervisor.ts'

const timeText = (epochMs: number | null): string | null => (epochMs === null ? null : new Date(epochMs).toISOString())

/** How old its observations were when they came: of the bookmaker that is latest; null: nothing has come. */
const delayOf = (engine: Engine, { bookmakers }: SourceStatus): number | null =>
  bookmakers.reduce<number | null>((delay, slug) => {
    const health = engine.reader.healthOf(engine.reader.bookmakerNumber(slug))
    return health === undefined ? delay : Math.max(delay ?? 0, health.behindMs)
  }, null)

/** A source as one flat object; times as texts. */
const feedRow = (
  { totals, facts, ...status }: SourceStatus,
  delayMs: number | null,
): Readonly<Record<string, unknown>> => ({
  ...status,
  delayMs,
  since: timeText(status.since),
  heardAt: timeText(status.heardAt),
  suspendedAt: timeText(status.suspendedAt),
  outcomes: { ...totals, unmappedBy: Object.fromEntries(totals.unmappedBy) },
  facts,
})

const eventRow = ({ event, sightings }: KnownEvent): object => ({
  id: event.id,
  sport: event.sport,
  leagueKey: event.leagueKey,
  home: event.homeTeam,
  away: event.awayTeam,
  kickoffAt: timeText(event.kickoffAt),
  sourceKeys: sightings.map(({ key }) => key),
  spellings: sightings.map(({ key, sighting, swapped }) => ({
    key,
    home: sighting.home,
    away: sighting.away,
    leagueKey: sighting.leagueKey,
    kickoffAt: timeText(sighting.kickoffAt),
    // The name of the interface.
    turned: swapped,
  })),
})

const conflictRow = ({ reason, event, others }: EventConflict): object => ({
  id: event.event.id,
  reason,
  event: eventRow(event),
  candidates: others.map(eventRow),
})

/** The sources that are off although they should run, with the reason. */
export const offTexts = ({ off }: Supervisor): string[] =>
  off.map(({ terms, never }) => `source ${terms.name} ${never}`)

/**
 * Answers for the operator's port: `/explain?…`, `/feeds`, `/feeds/NAME/markets`, `/events/conflicts`, `/events/ID` and
 * `/events/SOURCE:ID` (percent-encoded).
 */
export const newAdminPages =
  (engine: Engine, supervisor: Supervisor, explains: AnswerParts) =>
  (path: string, rawQuery: string): object | undefined => {
    if (path === '/explain') {
      const fields = fieldsOf(rawQuery)
      return isRefusal(fields) ? fields : answer(explains, fields)
    }
    if (path === '/feeds') {
      const neverStarted = supervisor.neverStarted.map(({ terms, kind, never, off = null }) => ({
        ...{ name: terms.name, kind, never, off },
      }))
      return { feeds: supervisor.statuses().map((status) => feedRow(status, delayOf(engine, status))), neverStarted }
    }
    const markets = /^\/feeds\/([^/]+)\/markets$/.exec(path)
    if (markets !== null) {
      const rows = supervisor.sourceMarketsOf(decoded(markets[1]!))
      return (
        rows && {
          markets: rows.map(({ sport, sourceMarket, fates }) => ({
            sourceMarket,
            sport,
            ...Object.fromEntries(fates),
          })),
        }
      )
    }
    if (path === '/events/conflicts') return { conflicts: engine.sightings.conflicts().map(conflictRow) }
    const event = /^\/events\/([^/]+)$/.exec(path)
    if (event === null) return undefined
    const known = engine.sightings.knownEvent(decoded(event[1]!))
    return known && eventRow(known)
  }

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
