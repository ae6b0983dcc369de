// Event identity (bench/README.md): lookups among many events, against a Map by slugged names and kickoff (the ceiling:
// it finds what is spelt the same and nothing else) and a scan of the kickoff window by edit distance (the peer).
//
//   node dist/bench/identity.js [--events 50000] [--rounds 7]

import { parseArgs } from 'node:util'
import type { EventSighting } from '../src/domain/observation.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { NameMatcher } from '../src/identity/matcher.ts'
import { slugOf } from '../src/domain/slug.ts'
import { machine, print, rounded, spread } from './report.ts'

const START = 1_790_000_000_000
const SEED = 17
const LOOKUPS = 50_000
// The peer is slower by orders of magnitude.
const PEER_LOOKUPS = 300
const WARM_UP_ROUNDS = 2
const MINUTE_MS = 60_000
const DAYS = 7
const SPORTS = ['football', 'football', 'football', 'basketball', 'ice_hockey', 'baseball', 'tennis'] as const
const KINDS = ['United', 'City', 'Rovers', 'Athletic', 'Town', 'Wanderers', 'Sporting', 'Real', 'Dinamo', 'Atlético']
const SYLLABLES = 'ba ber bor cal dor fen gar hol kas lan lin mar mon nor pal ros sal tor ul ver vil wes yor zan'.split(
  ' ',
)

const { values: flags } = parseArgs({
  options: { events: { type: 'string', default: '50000' }, rounds: { type: 'string', default: '7' } },
})

const eventsMax = Number(flags.events)
const random = new SeededRandom(SEED)

const townOf = (): string => {
  const name = Array.from({ length: 2 + Math.floor(random.next() * 2) }, () => random.pick(SYLLABLES)).join('')
  return `${name[0]!.toUpperCase()}${name.slice(1)}`
}

const TEAMS = Array.from({ length: 8_000 }, () => {
  const town = townOf()
  return random.next() < 0.7 ? `${town} ${random.pick(KINDS)}` : town
})

/** Kickoffs stand on the hour and half hour, most of them in the evening of a weekend, as agendas have it. */
const kickoff = (): number => {
  const isRush = random.next() < 0.3
  const slot = isRush ? 30 + Math.floor(random.next() * 10) : Math.floor(random.next() * DAYS * 48)
  return START + slot * 30 * MINUTE_MS
}

const EVENTS: readonly EventSighting[] = Array.from({ length: eventsMax }, (_, event) => {
  const league = Math.floor(random.next() * 300)
  return {
    sport: random.pick(SPORTS),
    leagueKey: `league_${league}`,
    leagueName: `League ${league}`,
    home: random.pick(TEAMS),
    away: random.pick(TEAMS),
    kickoffAt: kickoff(),
    sourceKey: `known:${event}`,
  }
})

const respelt = (name: string): string => {
  const kind = random.next()
  if (kind < 0.4) return name
  if (kind < 0.6) return `${name} FC`
  if (kind < 0.7) return name.replace(' United', ' Utd').toUpperCase()
  if (kind < 0.8) return name.split(' ')[0]!
  if (kind < 0.9) return `${name.slice(0, -1)}`
  return `${name} II`
}

/** What another source sends: three in four of known events, in its spelling, the others of unknown events. */
const SEEN: readonly EventSighting[] = Array.from({ length: LOOKUPS }, (_, lookup) => {
  const known = random.pick(EVENTS)
  const isKnown = random.next() < 0.75
  return {
    ...known,
    home: isKnown ? respelt(known.home) : `${townOf()} ${random.pick(KINDS)}`,
    away: isKnown ? respelt(known.away) : `${townOf()} ${random.pick(KINDS)}`,
    leagueKey: random.next() < 0.5 ? known.leagueKey : 'unknown',
    kickoffAt: known.kickoffAt + (random.next() < 0.2 ? 10 * MINUTE_MS : 0),
    sourceKey: `other:${lookup}`,
  }
})

const nobody = (): boolean => false

/** Lookups a second, by the clock and of the processor's time, and how many of them found one event. */
interface Round {
  readonly perSecond: number
  readonly perCpuSecond: number
  readonly found: number
}

const timed = (lookups: readonly EventSighting[], find: (seen: EventSighting) => boolean): Round => {
  const cpuBefore = process.cpuUsage()
  const startedAt = process.hrtime.bigint()
  let found = 0
  for (const seen of lookups) if (find(seen)) found++
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9
  const { user, system } = process.cpuUsage(cpuBefore)
  return { perSecond: lookups.length / seconds, perCpuSecond: (lookups.length * 1e6) / (user + system), found }
}

/** As in payloads: strings of their own, none of them seen before. */
const received = (sightings: readonly EventSighting[]): EventSighting[] =>
  JSON.parse(JSON.stringify(sightings)) as EventSighting[]

const ceiling = (): ((seen: EventSighting) => boolean) => {
  const keyOf = ({ sport, home, away, kickoffAt }: EventSighting): string =>
    `${sport} ${kickoffAt} ${slugOf(home)} ${slugOf(away)}`
  const events = new Map(EVENTS.map((event, number) => [keyOf(event), number]))
  return (seen) => events.has(keyOf(seen))
}

const distanceOf = (a: string, b: string): number => {
  const row = Array.from({ length: b.length + 1 }, (_, place) => place)
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0]!
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const above = row[j]!
      row[j] = Math.min(above + 1, row[j - 1]! + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1))
      diagonal = above
    }
  }
  return row[b.length]!
}

const peer = (): ((seen: EventSighting) => boolean) => {
  const events = EVENTS.map((event) => ({ ...event, homeSlug: slugOf(event.home), awaySlug: slugOf(event.away) }))
  const isNear = (a: string, b: string): boolean => distanceOf(a, b) <= 0.2 * Math.max(a.length, b.length)
  return (seen) => {
    const [home, away] = [slugOf(seen.home), slugOf(seen.away)]
    let found = 0
    for (const event of events) {
      if (event.sport !== seen.sport || Math.abs(event.kickoffAt - seen.kickoffAt) > 180 * MINUTE_MS) continue
      if (isNear(event.homeSlug, home) && isNear(event.awaySlug, away)) found++
    }
    return found === 1
  }
}

const matcher = new NameMatcher()
const memoryBefore = process.memoryUsage.rss()
const addedIn = timed(EVENTS, (event) => {
  matcher.add(Number(event.sourceKey!.slice('known:'.length)), event.sourceKey!, event)
  return true
})
const bytesPerEvent = (process.memoryUsage.rss() - memoryBefore) / eventsMax
const kinds: Record<string, number> = {}
const find = (seen: EventSighting): boolean => matcher.match(seen, nobody)?.kind === 'same'
const findCeiling = ceiling()
const findPeer = peer()

for (const seen of SEEN) {
  const kind = matcher.match(seen, nobody)?.kind ?? 'none'
  kinds[kind] = (kinds[kind] ?? 0) + 1
}

/** Spellings that no lookup has had before. */
const fresh = (round: number): EventSighting[] =>
  received(
    SEEN.map((seen) => ({ ...seen, home: `${seen.home} ${1_000 + round}`, away: `${seen.away} ${1_000 + round}` })),
  )

const rates = { match: [] as number[], ceiling: [] as number[], peer: [] as number[] }
const cpuRates: number[] = []
const freshRates: number[] = []
const freshCpuRates: number[] = []
let peerFound = 0
let ceilingFound = 0
const rounds = Number(flags.rounds)
for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
  const results = {
    match: timed(received(SEEN), find),
    ceiling: timed(received(SEEN), findCeiling),
    peer: timed(received(SEEN.slice(0, PEER_LOOKUPS)), findPeer),
  }
  const fresher = timed(fresh(round + WARM_UP_ROUNDS), find)
  peerFound = results.peer.found
  ceilingFound = results.ceiling.found
  if (round < 0) continue
  for (const [name, { perSecond }] of Object.entries(results)) rates[name as keyof typeof rates].push(perSecond)
  cpuRates.push(results.match.perCpuSecond)
  freshRates.push(fresher.perSecond)
  freshCpuRates.push(fresher.perCpuSecond)
}

const ratio = (to: 'ceiling' | 'peer') => spread(rates.match.map((rate, round) => rate / rates[to][round]!))

print({
  bench: 'identity',
  machine: machine(),
  events: eventsMax,
  lookups: LOOKUPS,
  kinds,
  lookupsPerSecond: spread(rates.match),
  lookupsPerCpuSecond: spread(cpuRates),
  lookupsPerSecondOfNewSpellings: spread(freshRates),
  lookupsPerCpuSecondOfNewSpellings: spread(freshCpuRates),
  addsPerSecond: rounded(addedIn.perSecond),
  bytesPerEvent: rounded(bytesPerEvent),
  ceiling: { lookupsPerSecond: spread(rates.ceiling), found: ceilingFound },
  peer: { lookupsPerSecond: spread(rates.peer), found: peerFound, lookups: PEER_LOOKUPS },
  toCeiling: ratio('ceiling'),
  toPeer: ratio('peer'),
})
