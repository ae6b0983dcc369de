// What must hold of event identity whatever the names are. The index is compared with asking for each event alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventSighting } from '../../src/domain/observation.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { Random, SEED } from '../random.ts'

const START = Date.UTC(2026, 10, 21, 15)
const MINUTE_MS = 60_000
const EVENTS = 60
const ROUNDS = 150

const WORDS = 'real sporting atletico union dinamo nord sud leone leon leonesa viktoria viktorio red star city united'
const ENDINGS = ['', '', '', ' FC', ' II', ' U21', ' 04', ' 17', ' (W)', ' (ARG)']
const SPORTS = ['football', 'football', 'basketball', 'tennis', 'combat_sport'] as const
const LEAGUES = ['unknown', 'unknown', 'north', 'south', 'women']

const nobody = (): boolean => false

const spelling = (random: Random): string => {
  const words = WORDS.split(' ')
  const name = Array.from({ length: random.int(1, 3) }, () => random.pick(words)).join(' ')
  const shortened = random.chance(0.2) ? name.slice(0, Math.max(3, name.length - random.int(1, 4))) : name
  return `${shortened}${random.pick(ENDINGS)}`
}

const sightingsOf = (random: Random): EventSighting[] => {
  const names = Array.from({ length: 12 }, () => spelling(random))
  return Array.from({ length: EVENTS }, (_, place) => ({
    sport: random.pick(SPORTS),
    leagueKey: random.pick(LEAGUES),
    leagueName: '',
    home: random.pick(names),
    away: random.pick(names),
    kickoffAt: START + random.int(0, 40) * 5 * MINUTE_MS,
    sourceKey: `s:${place}`,
  }))
}

const filled = (sightings: readonly EventSighting[], order: readonly number[]): NameMatcher => {
  const matcher = new NameMatcher()
  for (const place of order) matcher.add(place + 1, sightings[place]!.sourceKey!, sightings[place]!)
  return matcher
}

const shuffled = (random: Random, places: readonly number[]): number[] => {
  const order = [...places]
  for (let place = order.length - 1; place > 0; place--) {
    const other = random.int(0, place)
    ;[order[place], order[other]] = [order[other]!, order[place]!]
  }
  return order
}

/** What one event alone gives: a level, a reason, or nothing. */
const alone = (known: EventSighting, seen: EventSighting): string | undefined => {
  const match = filled([known], [0]).match(seen, nobody)
  return match?.kind === 'same' ? match.level : match?.kind
}

const all = Array.from({ length: EVENTS }, (_, place) => place)

test('each of two sightings says the same of the other', () => {
  const random = new Random(SEED)
  const counts = new Map<string | undefined, number>()
  for (let round = 0; round < ROUNDS; round++) {
    const sightings = sightingsOf(random)
    for (let pair = 0; pair < EVENTS; pair++) {
      const a = random.pick(sightings)
      const other = random.pick(sightings)
      // Two at random hardly ever share a side.
      const b = random.chance(0.5)
        ? other
        : { ...other, sport: a.sport, [random.pick(['home', 'away'] as const)]: a.home }
      const verdict = alone(a, b)
      assert.equal(alone(b, a), verdict, `seed ${SEED}: ${JSON.stringify([a, b])}`)
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
    }
  }
  for (const verdict of ['A', 'B', 'alike', 'turned', undefined]) {
    assert.ok((counts.get(verdict) ?? 0) > 0, `seed ${SEED}: never ${verdict}`)
  }
})

test('among many events each is judged as it is alone, and never an excluded one', () => {
  const random = new Random(SEED)
  const kinds = new Set<string | undefined>()
  for (let round = 0; round < ROUNDS; round++) {
    const sightings = sightingsOf(random)
    const seen = random.pick(sightings)
    // By chance alone, one of two events hardly ever is a twin.
    const place = random.int(0, EVENTS - 1)
    if (random.chance(0.2)) sightings[place] = { ...seen, sourceKey: `s:${place}` }
    const matcher = filled(sightings, all)
    const excluded = new Set(all.filter(() => random.chance(0.4)).map((place) => place + 1))
    const verdicts = sightings.map((known, place) => (excluded.has(place + 1) ? undefined : alone(known, seen)))
    const eventsOf = (isIt: (verdict: string) => boolean): number[] =>
      verdicts.flatMap((verdict, place) => (verdict !== undefined && isIt(verdict) ? [place + 1] : []))
    const same = eventsOf((verdict) => verdict.length === 1)
    const swapped = eventsOf((verdict) => verdict === 'turned')
    const alike = eventsOf((verdict) => verdict === 'alike')
    const match = matcher.match(seen, (event) => excluded.has(event))
    const message = `seed ${SEED}, round ${round}: ${JSON.stringify(seen)}`
    kinds.add(match?.kind)
    if (same.length === 1) {
      assert.deepEqual(match, { kind: 'same', event: same[0], level: verdicts[same[0]! - 1] }, message)
    } else {
      const [kind, events] =
        same.length > 1 ? ['ambiguous', same] : swapped.length > 0 ? ['turned', swapped] : ['alike', alike]
      if (events.length === 0) assert.equal(match, undefined, message)
      else assert.deepEqual(match, { kind, events: nearest(events as number[], sightings, seen) }, message)
    }
  }
  for (const kind of ['alike', 'ambiguous', 'same', undefined])
    assert.ok(kinds.has(kind), `seed ${SEED}: never ${kind}`)
})

const REPORTED = 16

const nearest = (events: number[], sightings: readonly EventSighting[], seen: EventSighting): number[] => {
  const distance = (event: number): number => Math.abs(sightings[event - 1]!.kickoffAt - seen.kickoffAt)
  return events.sort((a, b) => distance(a) - distance(b) || a - b).slice(0, REPORTED)
}

test('the order of adding makes no difference, and what is removed is as if it had never been there', () => {
  const random = new Random(SEED)
  let found = 0
  for (let round = 0; round < ROUNDS; round++) {
    const sightings = sightingsOf(random)
    const kept = all.filter(() => random.chance(0.5))
    const matcher = filled(sightings, shuffled(random, all))
    for (const place of shuffled(random, all)) {
      if (!kept.includes(place)) matcher.remove(place + 1, sightings[place]!.sourceKey!)
    }
    assert.equal(matcher.size, kept.length)
    const other = filled(sightings, kept)
    for (const seen of sightings) {
      const match = matcher.match(seen, nobody)
      assert.deepEqual(match, other.match(seen, nobody), `seed ${SEED}, round ${round}: ${JSON.stringify(seen)}`)
      if (match !== undefined) found++
    }
  }
  assert.ok(found > 0, `seed ${SEED}: nothing was ever found`)
})
