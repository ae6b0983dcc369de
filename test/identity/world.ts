// A small board for tests of event identity: source keys say something, people decide, and parts tell who is one.

import type { EventDecision } from '../../src/domain/event-identity.ts'
import type { Price } from '../../src/domain/observation.ts'
import type { Sport } from '../../src/domain/sport.ts'
import type { FedTransport } from '../../src/domain/transport.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { NameMatcher } from '../../src/identity/matcher.ts'
import { WORLD_START } from '../random-observations.ts'
import { sameSighting } from '../same-sighting.ts'
import { checkCatalogue } from '../board/invariants.ts'

export const merge = (a: string, b: string, swapped = false): EventDecision => ({
  kind: 'merge',
  keys: [a, b],
  swapped,
})
export const split = (a: string, b: string): EventDecision => ({ kind: 'split', keys: [a, b] })

export const price = (outcome: string, odds: number, over: Partial<Price> = {}): Price => ({
  type: 'match_result_1x2',
  line: null,
  outcome,
  odds,
  status: 'open',
  ...over,
})

export interface Seen {
  readonly bookmaker?: string
  readonly prices?: readonly Price[]
  readonly home?: string
  readonly away?: string
  readonly sport?: Sport
  readonly leagueName?: string
  readonly at?: number
  readonly sourceKey?: string | null
  readonly kickoffAt?: number
  readonly transport?: FedTransport
}

export class World {
  readonly engine: Engine
  nowAt = WORLD_START

  constructor(quotesMax = 100, matcher?: NameMatcher) {
    const options = {
      skewMsMax: 5_000,
      bookmakersMax: 100,
      wheelVisitsMax: 100,
    }
    this.engine = new Engine({ ...options, quotesMax, ...(matcher === undefined ? {} : { matcher }) }, WORLD_START)
  }

  /** A source key says something of its event: by default in names and a book of its own. */
  see(key: string, seen: Seen = {}): void {
    this.nowAt += 1_000
    const { bookmaker = `book_${key[0]}`, prices = [price('home', 2)], sport = 'football', at = this.nowAt } = seen
    this.engine.observe(
      {
        bookmaker,
        transport: seen.transport ?? 'live',
        observedAt: at,
        event: sameSighting({
          sport,
          leagueKey: 'l',
          leagueName: seen.leagueName ?? 'L',
          home: seen.home ?? `${key} home`,
          away: seen.away ?? `${key} away`,
          kickoffAt: seen.kickoffAt ?? WORLD_START,
          sourceKey: seen.sourceKey === undefined ? key : seen.sourceKey,
        }),
        prices,
        others: 'keep',
      },
      this.nowAt,
    )
    this.turn()
  }

  decide(...decisions: EventDecision[]): number {
    this.nowAt += 1_000
    const left = this.engine.decide(decisions, this.nowAt)
    this.turn()
    return left
  }

  /** Keys of each event; those that are swapped against the first of them, in capitals. */
  parts(): string[] {
    const parts: string[] = []
    this.engine.reader.visitEvents(undefined, undefined, 0, ({ event }) => {
      const { sightings } = this.engine.sightings.knownEvent(event.id)!
      const [first, ...rest] = sightings.toSorted((a, b) => (a.key < b.key ? -1 : 1))
      if (first !== undefined) {
        const others = rest.map(({ key, swapped }) => (swapped === first.swapped ? key : key.toUpperCase()))
        parts.push([first.key, ...others].join(' '))
      }
      return true
    })
    return parts.sort()
  }

  idOf(key: string): string | undefined {
    return this.engine.sightings.knownEvent(key)?.event.id
  }

  /** What stands in the live books of the event that a key is of: `book type line outcome odds status`. */
  quotes(idOrKey: string): string[] {
    const known = this.engine.sightings.knownEvent(idOrKey)
    if (known === undefined) return []
    const { reader } = this.engine
    const view = reader.eventOf(known.event.id)!
    return reader
      .liveBookmakers(view)
      .flatMap((bookmaker) => {
        const quotes: string[] = []
        reader.visitLiveBook(view, bookmaker, this.nowAt, (type, line, outcome, odds, status) => {
          const label = JSON.parse(Buffer.from(outcome).toString())
          const words = [reader.bookmakerSlug(bookmaker), Number.isFinite(line) ? line : '', label, odds]
          if (type >= 0) quotes.push([...words, ['', 'open', 'suspended'][status]].join(' '))
        })
        return quotes
      })
      .sort()
  }

  /** A row for each event: keys, names, hours until kickoff. */
  events(): string[] {
    const rows: string[] = []
    this.engine.reader.visitEvents(undefined, undefined, 0, ({ event: { id, homeTeam, awayTeam, kickoffAt } }) => {
      const keys = this.engine.sightings.knownEvent(id)!.sightings.map(({ key }) => key)
      rows.push(`${keys.sort().join(' ')}: ${homeTeam} v ${awayTeam} +${(kickoffAt - WORLD_START) / 3_600_000} h`)
      return true
    })
    return rows.sort()
  }

  private turn(): void {
    while (!this.engine.turn(this.nowAt));
    // The whole board is looked at in the test of random decisions; here it would take most of the time.
    checkCatalogue(this.engine.board)
  }
}
