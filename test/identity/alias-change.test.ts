// A change of aliases reads anew only what it can concern: compared with a matcher that has had those aliases from the start.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alias } from '../../src/domain/event-identity.ts'
import type { EventSighting } from '../../src/domain/observation.ts'
import { SPORTS, type Sport } from '../../src/domain/sport.ts'
import { changeOf } from '../../src/identity/alias-change.ts'
import { WORDS } from '../../src/identity/aliases-words.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import type { Name } from '../../src/identity/names.ts'
import type { Postings } from '../../src/identity/postings.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'
import { listsOf } from './posting-lists.ts'
import { spellingsOf } from './spellings.ts'

const START = Date.UTC(2026, 10, 21, 15)
const EVENTS = 80
const RUNS = 5
const CHANGES = 40
/** Fields of an outline (outlines.ts). */
const OUTLINE_WIDTH = 17

const SPORTS_HERE: readonly Sport[] = ['football', 'basketball', 'tennis', 'table_tennis', 'esports', 'ice_hockey']
const WORDS_HERE =
  'real leone nord sud wolves pack den zurich praha prague st houston texas milan ac fc de 04 u 21 b'.split(' ')
const ENDINGS = [
  ' X (Aб)',
  ' XA',
  ' X',
  '',
  '',
  '',
  ...[' FC', ' II', ' U21', ' U 21', ' Women', ' C', ' 04', ' (W)', ' (ARG)', ' (Res)', ' C Women'],
]
const SHIPPED = 'Wolves|Man Utd|Spurs|Inter|Houston|Bayern|Texas|LA|Germany|Alemania|PSG'.split('|')

const nameOf = (random: Random): string => {
  if (random.chance(0.25)) return random.pick(SHIPPED) + random.pick(ENDINGS)
  const words = Array.from({ length: random.int(1, 3) }, () => random.pick(WORDS_HERE))
  return `${random.chance(0.1) ? 'FC ' : ''}${words.join(' ')}${random.pick(ENDINGS)}`
}

const sideOf = (random: Random, names: readonly string[]): string =>
  random.chance(0.3)
    ? `${random.pick(names)} ${random.pick(['/', '&', 'and'])} ${random.pick(names)}`
    : random.pick(names)

/** Names mostly out of those of the events; some lead to others that are added, or are given up again. */
const changed = (random: Random, aliases: readonly Alias[], names: readonly string[]): readonly Alias[] => {
  const next = [...aliases]
  const place = random.int(0, Math.max(0, next.length - 1))
  if (next.length > 0 && random.chance(0.3)) next.splice(place, 1)
  if (next.length > 1 && random.chance(0.1)) next.push(...next.splice(place, 1))
  if (random.chance(0.05)) next.length = 0
  while (random.chance(0.6)) {
    const pick = (): string => (random.chance(0.7) ? random.pick(names) : nameOf(random))
    const known = next.length > 0 && random.chance(0.3) ? random.pick(next) : undefined
    const alias = { name: pick(), means: known === undefined ? pick() : random.pick([known.name, known.means]) }
    next.splice(random.int(0, next.length), 0, {
      ...alias,
      sport: random.chance(0.3) ? null : random.pick(SPORTS_HERE),
    })
  }
  return next
}

const shownName = (name: Name): unknown => ({
  ...name,
  table: undefined,
  sortedWords: undefined,
  college: name.college,
})

/** All that a matcher knows of its entries, whatever the numbers of their outlines are. */
const shown = (matcher: NameMatcher): unknown => {
  const entries = matcher['allEntries']()
  const outlines = matcher['outlines']
  const spellings = new Map(
    entries.map(({ event, entry }) => [entry.outline, `${event} ${JSON.stringify(entry.sighting)}`]),
  )
  const lists = (postings: Postings): unknown =>
    Array.from(listsOf(postings), ([key, list]) => {
      const shownList = list.map(
        (outline) => `${outlines.kickoffs[outline]} ${spellings.get(outline) ?? `no entry has ${outline}`}`,
      )
      return [key, shownList.sort()] as const
    }).sort(([a], [b]) => a - b)
  return {
    entries: entries
      .map(({ event, entry }) => {
        const { outline, keys, sighting } = entry
        if (outline === undefined) return [event, sighting, keys]
        const row = [...outlines['places'].subarray(outline * OUTLINE_WIDTH, (outline + 1) * OUTLINE_WIDTH)]
        const names = [outlines.homeOf(outline), outlines.awayOf(outline)]
        return [event, sighting, keys, row, ...names.map(shownName)]
      })
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    byName: lists(matcher['byName']),
    byBeginnings: lists(matcher['byBeginnings']),
  }
}

const meaningsOf = (matcher: NameMatcher): Map<string, string> =>
  new Map(matcher['allEntries']().map(({ event, entry }) => [`${event} ${entry.keys[0]}`, matcher['meaningOf'](entry)]))

const restarted = (matcher: NameMatcher, sightings: ReadonlyMap<string, EventSighting>): NameMatcher => {
  const keys = [...sightings.keys()]
  const image = new MemoryImage()
  matcher.save(image, (key) => keys.indexOf(key))
  const loaded = new NameMatcher()
  const reader = image.reader()
  loaded.load(reader, spellingsOf(keys, [...sightings.values()]))
  reader.checkRead()
  return loaded
}

test('names are those of a matcher that has had the aliases from the start', () => {
  const seen = { changed: 0, unchanged: 0, all: 0, restarts: 0 }
  for (let run = 0; run < RUNS; run++) {
    const random = new Random(SEED + run)
    const names = Array.from({ length: 30 }, () => nameOf(random))
    const sightings = new Map<string, EventSighting>()
    for (let event = 1; event <= EVENTS; event++) {
      sightings.set(`s:${event}`, {
        sport: random.pick(SPORTS_HERE),
        leagueKey: random.pick(['unknown', 'ncaa', 'nba', 'north']),
        leagueName: random.pick(['', 'NCAA', 'Women']),
        home: sideOf(random, names),
        away: sideOf(random, names),
        kickoffAt: START + random.int(0, 40) * 300_000,
        sourceKey: `s:${event}`,
      })
    }
    const eventOf = (key: string): number => (Number(key.slice(2)) % 60) + 1
    const filled = (aliases: readonly Alias[]): NameMatcher => {
      const matcher = new NameMatcher()
      matcher.setAliases(aliases)
      for (const [key, sighting] of sightings) matcher.add(eventOf(key), key, sighting)
      return matcher
    }
    // Others than those that are here take and leave numbers of outlines.
    const gone = new Map<string, EventSighting>()
    const move = (matcher: NameMatcher): void => {
      const [from, to] = random.chance(0.5) ? [sightings, gone] : [gone, sightings]
      if (from.size === 0) return
      const [key, sighting] = random.pick([...from])
      from.delete(key)
      to.set(key, sighting)
      if (to === gone) matcher.remove(eventOf(key), key)
      else matcher.add(eventOf(key), key, sighting)
    }
    let matcher = filled([])
    let aliases: readonly Alias[] = []
    let expected = filled(aliases)
    for (let change = 0; change < CHANGES; change++) {
      const at = `seed ${SEED + run}, change ${change}`
      while (random.chance(0.7)) move(matcher)
      expected = filled(aliases)
      const next = changed(random, aliases, names)
      const concerned = matcher['entriesOf'](changeOf(aliases, next))
      if (concerned === undefined) seen.all++
      else {
        seen.changed += concerned.length
        seen.unchanged += matcher['allEntries']().length - concerned.length
      }
      const before = meaningsOf(expected)
      const events = matcher.setAliases(next)
      expected = filled(next)
      const others = Array.from(meaningsOf(expected)).filter(([key, meaning]) => before.get(key) !== meaning)
      assert.deepEqual(
        events,
        [...new Set(others.map(([key]) => Number.parseInt(key)))].sort((a, b) => a - b),
        `${at}: events that have changed`,
      )
      assert.deepEqual(shown(matcher), shown(expected), `${at}: ${JSON.stringify([aliases, next])}`)
      aliases = next
      if (random.chance(0.2)) {
        matcher = restarted(matcher, sightings)
        seen.restarts++
      }
    }
  }
  assert(
    seen.changed > 0 && seen.unchanged > seen.changed && seen.restarts > 0,
    `seed ${SEED}: ${JSON.stringify(seen)}`,
  )
})

test('what an alias of two of a name meant may mean the name again when that one is withdrawn', () => {
  const football = { sport: 'football', leagueKey: 'epl', leagueName: '', kickoffAt: START, sourceKey: 's:1' } as const
  const matcher = new NameMatcher()
  matcher.add(1, 's:1', { ...football, home: 'Man Utd', away: 'Chelsea' })
  const aliases: readonly Alias[] = [
    { name: 'Manchester United', means: 'Man Utd', sport: null },
    { name: 'Manchester United', means: 'Foo Bar', sport: 'football' },
  ]
  assert.deepEqual(matcher.setAliases(aliases), [1], 'it is no alias of what means it')
  assert.deepEqual(matcher.setAliases(aliases.slice(1)), [1], 'it is a shipped alias again, of what means another')
  const seen = { ...football, home: 'Foo Bar', away: 'Chelsea', sourceKey: 'b:1' }
  assert.equal(matcher.match(seen, () => false)?.kind, 'same')
})

test('what a list of aliases has in common with the next one is no change', () => {
  const alias = (name: string, means: string, sport: Sport | null = 'football'): Alias => ({ name, means, sport })
  const [a, b, c] = [alias('A One', 'B Two'), alias('C Three', 'D Four', null), alias('E Five', 'C Three')]
  const { slugs, sports } = changeOf([a, c], [a, b, c])
  assert.deepEqual([...slugs], ['c_three', 'd_four'])
  assert.deepEqual([...sports], [...SPORTS])
  assert.equal(changeOf([a, b], [alias('A. One', 'B TWO'), b]).slugs.size, 0)
  assert.deepEqual([...changeOf([a], []).sports], ['football'])
})

test('words of aliases are in their compared form', () => {
  for (const text of WORDS.values()) assert.equal(WORDS.get(text) ?? text, text)
})
