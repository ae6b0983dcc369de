// The events that the key sees, as topic `events` says: by sport and league, in the order of their kickoff.

import { SPORTS } from '../../domain/sport.ts'

export interface EventMessage {
  readonly change?: string
  readonly id: string
  readonly sport: string
  readonly leagueKey: string
  readonly leagueName: string
  readonly homeTeam: string
  readonly awayTeam: string
  /** RFC 3339. */
  readonly kickoffAt: string
  readonly marketCount: number
  /** With `changed`: the id of the event that it was found to be. */
  readonly mergedInto?: string | null
}

export interface League {
  readonly key: string
  readonly name: string
  readonly events: readonly EventMessage[]
}

/** Events that are kept; of a busy Saturday of all sports these are twice as many as there are. */
export const EVENTS_MAX = 50_000

/** Former ids that are remembered. */
const MOVED_MAX = 1_000

const byKickoff = (a: EventMessage, b: EventMessage): number =>
  a.kickoffAt < b.kickoffAt ? -1 : a.kickoffAt > b.kickoffAt ? 1 : a.id < b.id ? -1 : 1

export class EventList {
  readonly events = new Map<string, EventMessage>()
  /** Increases with every change. */
  version = 0
  leftOut = 0
  /** Events that were found to be another one. */
  private readonly moved = new Map<string, string>()

  /** The event that an id leads to. */
  find(id: string): EventMessage | undefined {
    return this.events.get(id) ?? this.events.get(this.moved.get(id) ?? '')
  }

  void(): void {
    this.events.clear()
    this.version++
  }

  take(event: EventMessage): void {
    this.version++
    if (event.mergedInto !== undefined && event.mergedInto !== null) {
      this.events.delete(event.id)
      if (this.moved.size < MOVED_MAX) this.moved.set(event.id, event.mergedInto)
    } else if (event.change === 'gone') this.events.delete(event.id)
    else if (this.events.size < EVENTS_MAX || this.events.has(event.id)) this.events.set(event.id, event)
    else this.leftOut++
  }

  /** Sports with their number of events, in the order of the service. */
  sports(): (readonly [sport: string, events: number])[] {
    const counts = new Map<string, number>(SPORTS.map((sport) => [sport, 0]))
    for (const { sport } of this.events.values()) counts.set(sport, (counts.get(sport) ?? 0) + 1)
    return [...counts].filter(([, count]) => count > 0)
  }

  /** The event that began last, or begins next: its prices change most. @param now RFC 3339 */
  liveliest(sport: string, now: string): EventMessage | undefined {
    const events = [...this.events.values()].filter((event) => event.sport === sport).sort(byKickoff)
    return events.findLast(({ kickoffAt }) => kickoffAt <= now) ?? events[0]
  }

  /** Leagues of a sport, the one with the next kickoff first. @param words every one must be in a name; any case */
  leagues(sport: string, words: string): League[] {
    const wanted = words
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const found = [...this.events.values()]
      .filter((event) => {
        if (event.sport !== sport) return false
        const names = `${event.homeTeam} ${event.awayTeam} ${event.leagueName}`.toLowerCase()
        return wanted.every((word) => names.includes(word))
      })
      .sort(byKickoff)
    const leagues = new Map<string, EventMessage[]>()
    for (const event of found) {
      const events = leagues.get(event.leagueKey)
      if (events === undefined) leagues.set(event.leagueKey, [event])
      else events.push(event)
    }
    return [...leagues].map(([key, events]) => ({ key, name: events[0]!.leagueName, events }))
  }
}
