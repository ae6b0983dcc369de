// Random inputs over a small world: observations of random-observations.ts with labels that come and go, sources that
// name the same matches differently, some with swapped sides, statements of producers, decisions and suspensions.

import type { Decision, EventDecision } from '../src/domain/event-identity.ts'
import type { Input } from '../src/domain/input.ts'
import type { EventSighting, Observation } from '../src/domain/observation.ts'
import type { Doubt } from '../src/domain/quote.ts'
import type { Random } from './random.ts'
import { randomObservation, WORLD_START } from './random-observations.ts'

const HOUR_MS = 3_600_000
const SOURCES = 4
const MATCHES = 12
const CLUBS = ['Zürich', 'Real Łomża', 'Borussia Nord', 'FC Quill', 'Ostra \ud800 City', '東京 Ravens', 'Man Delta']
const ENDINGS = ['United', 'Utd', 'Union', '', 'FC', 'II']
const DOUBTS: readonly Doubt[] = ['source_down', 'gap', 'clock']

export class RandomInputs {
  private readonly random: Random
  private readonly spelled = new Map<string, EventSighting>()
  private decisions: Decision[] = []

  constructor(random: Random) {
    this.random = random
  }

  next(nowAt: number): Input {
    const { random } = this
    const kind = random.int(0, 99)
    if (kind < 68) {
      const doubt = random.chance(0.03) ? random.pick(DOUBTS) : undefined
      return { kind: 'observe', observation: this.observation(nowAt), producer: this.producer(), doubt }
    }
    if (kind < 74) {
      return { kind: 'commit', observations: Array.from({ length: random.int(1, 3) }, () => this.observation(nowAt)) }
    }
    if (kind < 80) return { kind: 'suspect', producer: this.producer(), doubt: random.pick(DOUBTS) }
    if (kind < 85) return { kind: 'confirm', producer: this.producer(), at: nowAt - random.int(-8_000, 9_000) }
    if (kind < 88) return { kind: 'end', producer: this.producer(), at: nowAt - random.int(0, 9_000) }
    if (kind < 91) {
      return { kind: 'leave', producer: this.producer(), doubt: random.chance(0.5) ? random.pick(DOUBTS) : undefined }
    }
    if (kind < 93) {
      const health = { state: random.pick(['live', 'late', 'down'] as const), since: nowAt, behindMs: random.int(0, 9) }
      return { kind: 'health', health: { bookmaker: `book_${random.int(0, 45)}`, ...health } }
    }
    if (kind < 94) return { kind: 'bookmakers', slugs: [`book_${random.int(0, 60)}`] }
    this.decideOtherwise()
    return { kind: 'decide', decisions: [...this.decisions] }
  }

  private producer(): string {
    const { random } = this
    if (random.chance(0.1)) return ''
    const source = `s${random.int(0, SOURCES - 1)}`
    return random.chance(0.2) ? source : `${source} part ${random.int(0, 3)}`
  }

  private observation(nowAt: number): Observation {
    const { random } = this
    const observation = randomObservation(random, nowAt)
    const prices = observation.prices.map((price) => {
      if (price.type !== 'outright' || random.chance(0.2)) return price
      return { ...price, outcome: random.chance(0.1) ? `Łuk ${random.int(0, 9)}` : `runner ${random.int(0, 300)}` }
    })
    const few = { ...observation, prices, bookmaker: `book_${random.int(0, random.chance(0.7) ? 3 : 39)}` }
    return random.chance(0.4)
      ? few
      : { ...few, event: this.sighting(`s${random.int(0, SOURCES - 1)}:${random.int(0, MATCHES - 1)}`) }
  }

  private sighting(key: string): EventSighting {
    const known = this.spelled.get(key)
    const sighting = known === undefined || this.random.chance(0.04) ? this.spell(key) : known
    this.spelled.set(key, sighting)
    return sighting
  }

  private spell(key: string): EventSighting {
    const { random } = this
    const match = Number(key.slice(key.indexOf(':') + 1))
    const name = (place: number): string => {
      const club = CLUBS[(match + place) % CLUBS.length]!
      return random.chance(0.03) ? `${club} ${'x'.repeat(200)}` : `${club} ${random.pick(ENDINGS)}`.trim()
    }
    const [home, away] = [name(0), random.chance(0.02) ? '' : name(1 + (match % 3))]
    const isSwapped = random.chance(0.15)
    return {
      sport: match % 5 === 0 ? 'tennis' : 'football',
      leagueKey: random.pick(['l', 'l', 'm', 'unknown']),
      leagueName: random.pick(['L', 'Liga']),
      home: isSwapped ? away : home,
      away: isSwapped ? home : away,
      kickoffAt: WORLD_START + match * 2 * HOUR_MS + random.pick([0, 0, 0, 1]) * (HOUR_MS / 6),
      sourceKey: key,
    }
  }

  private decideOtherwise(): void {
    const { random } = this
    if (this.decisions.length > 0 && random.chance(0.35)) {
      this.decisions.splice(random.int(0, this.decisions.length - 1), 1)
      return
    }
    const keys = [...this.spelled.keys()]
    if (keys.length < 2 || random.chance(0.2)) {
      const event = random.chance(0.3) ? null : String(random.int(0, 9))
      this.decisions.push({ kind: 'suspend', bookmaker: `book_${random.int(0, 5)}`, event })
      return
    }
    this.decisions.push(this.decision(random.pick(keys), random.pick(keys)))
  }

  private decision(a: string, b: string): EventDecision {
    const { random } = this
    const [one, two] = [this.spelled.get(a)!, this.spelled.get(b)!]
    if (random.chance(0.25)) return { kind: 'alias', sport: null, name: one.home, means: two.home || 'Alpha' }
    if (a === b || random.chance(0.4)) return { kind: 'split', keys: [a, `${b}${a === b ? 'x' : ''}`] }
    return { kind: 'merge', keys: [a, b], swapped: random.chance(0.4) }
  }
}
