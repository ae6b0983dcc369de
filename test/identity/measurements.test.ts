// The measurements of docs/identity.md 8 on the recordings, and those on spellings that the alias table was not written from.

import assert from 'node:assert/strict'
import { before, type TestContext } from 'node:test'
import type { EventSighting } from '../../src/domain/observation.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { FOOTBALL_DATA_NAMES } from '../feeds/replay-football-data.ts'
import { testsWith } from '../root.ts'
import { HOLD_OUTS, type HoldOut, type Pairs, pairsOf } from './hold-out.ts'
import { footballDataPairings, kambiPairings, type Pairing, skip, snapshotEvents } from './snapshot.ts'

const recorded = testsWith('recorded payloads', skip)

const MINUTE_MS = 60_000

const nobody = (): boolean => false

let events: EventSighting[] = []
before(() => {
  if (skip === false) events = snapshotEvents()
})

const filled = (known: readonly EventSighting[], shippedAliases: boolean): NameMatcher => {
  const matcher = new NameMatcher({ shippedAliases })
  for (const [place, sighting] of known.entries()) matcher.add(place + 1, sighting.sourceKey!, sighting)
  return matcher
}

for (const aliases of [true, false]) {
  const how = aliases ? 'with' : 'without'

  recorded(`no two events of one source merge or are reported, ${how} aliases`, () => {
    assert.equal(events.length, 903)
    const matcher = filled(events, aliases)
    for (const [place, seen] of events.entries()) {
      assert.equal(
        matcher.match(seen, (event) => event === place + 1),
        undefined,
        `${seen.home} v ${seen.away}`,
      )
    }
  })

  // Right ones of 32, by how late the kickoff is in minutes, with the league and without.
  const expected: readonly [lateMinutes: number, withLeague: number, without: number][] = aliases
    ? [
        [0, 32, 32],
        [14, 32, 32],
        [30, 32, 32],
        [170, 32, 32],
        [200, 0, 0],
      ]
    : [
        [0, 28, 26],
        [14, 28, 26],
        [200, 0, 0],
      ]

  recorded(`events of the snapshot are found under football-data's spelling, ${how} aliases`, () => {
    const spelt = new Map(footballDataPairings().map(({ home }) => [FOOTBALL_DATA_NAMES[home] ?? home, home]))
    const both = events.filter(
      ({ leagueKey, home, away }) => LEAGUES_OF_FOOTBALL_DATA.has(leagueKey) && spelt.has(home) && spelt.has(away),
    )
    assert.equal(both.length, 32)
    const matcher = filled(events, aliases)
    for (const [lateMinutes, withLeague, without] of expected) {
      const right = { withLeague: 0, without: 0 }
      for (const event of both) {
        for (const how of ['withLeague', 'without'] as const) {
          const match = matcher.match(
            {
              ...event,
              home: spelt.get(event.home)!,
              away: spelt.get(event.away)!,
              leagueKey: how === 'without' ? 'unknown' : event.leagueKey,
              kickoffAt: event.kickoffAt + lateMinutes * MINUTE_MS,
              sourceKey: 'other:1',
            },
            nobody,
          )
          if (match?.kind !== 'same') continue
          assert.equal(events[match.event - 1], event, 'no other event')
          right[how]++
        }
      }
      assert.deepEqual(right, { withLeague, without }, `${lateMinutes} min late`)
    }
  })

  recorded(`matches of other seasons merge with no others when all start at once, ${how} aliases`, () => {
    const football = events.filter(({ sport }) => sport === 'football')
    assert.equal(football.length, 618)
    const kickoffAt = football[0]!.kickoffAt
    const matcher = filled(
      football.map((event) => ({ ...event, kickoffAt })),
      aliases,
    )
    const merged = (pairings: readonly Pairing[]): string[] =>
      pairings.flatMap(({ home, away, leagueKey }) => {
        const seen = { sport: 'football', leagueName: '', home, away, leagueKey, kickoffAt, sourceKey: 'x:1' } as const
        const match = matcher.match(seen, nobody)
        if (match?.kind !== 'same') return []
        const event = football[match.event - 1]!
        return [`${home} v ${away} = ${event.home} v ${event.away}`]
      })
    const footballData = footballDataPairings()
    assert.equal(footballData.length, 999)
    const right = footballData.filter(({ home, away }) =>
      football.some(
        (event) =>
          event.home === (FOOTBALL_DATA_NAMES[home] ?? home) && event.away === (FOOTBALL_DATA_NAMES[away] ?? away),
      ),
    )
    assert.equal(right.length, 38)
    const found = merged(footballData)
    assert.equal(found.length, aliases ? 38 : 34)
    for (const line of found) {
      const [seen, event] = line.split(' = ')
      const names = seen!.split(' v ').map((name) => FOOTBALL_DATA_NAMES[name] ?? name)
      assert.equal(names.join(' v '), event)
    }
    assert.equal(kambiPairings().length, 354)
    assert.deepEqual(merged(kambiPairings()).sort(), [
      'Angers v Paris SG = Angers v Paris Saint Germain',
      'Arsenal v Newcastle United = Arsenal v Newcastle United',
      'Birmingham v Preston North End = Birmingham City v Preston North End',
      'England v Croatia = England v Croatia',
      'RB Leipzig v 1. FC Union Berlin = RB Leipzig v Union Berlin',
    ])
  })

  recorded(`the hold-outs, ${how} aliases`, (context) => {
    const matcher = filled(events, aliases)
    const all = { asked: 0, merged: 0 }
    for (const [list, holdOut] of HOLD_OUTS) {
      const tell = (what: string, measured: Measured): void => report(context, `${list} list, ${what}`, measured)
      const official = measure(matcher, holdOut.official, LATE_MINUTES)
      const shortened = measure(matcher, holdOut.shortened, LATE_MINUTES)
      // Another side in the place of the one that is meant, against the same opponent: within 15 minutes, where a
      // compatible name is enough, and later, where it is not. Two clubs do not play the same opponent at one time.
      const near = measure(matcher, holdOut.others, LATE_MINUTES)
      const later = measure(matcher, holdOut.others, [60])
      const strangers = measureStrangers(matcher, holdOut)
      tell('official', official)
      tell('shortened', shortened)
      tell('look-alikes, same opponent, at most 10 min late', near)
      tell('look-alikes, same opponent, 60 min late', later)
      tell('look-alikes, another opponent', strangers)
      for (const { wrong } of [official, shortened, near, later, strangers]) assert.equal(wrong, 0)
      assert.equal(strangers.merged, 0)
      for (const { asked, merged } of [official, shortened]) {
        all.asked += asked
        all.merged += merged
      }
      // What is measured today; it must not get worse.
      assert.ok(near.merged / near.asked <= (list === 'first' ? 0.065 : 0.16))
      assert.ok(later.merged / later.asked <= (list === 'first' ? 0.004 : 0.035))
      if (aliases) assert.ok((official.merged + shortened.merged) / (official.asked + shortened.asked) >= 0.97)
    }
    report(context, 'all lists, official and shortened', { ...all, wrong: 0 })
    assert.ok(all.merged / all.asked >= (aliases ? 0.98 : 0.86))
  })
}

const LEAGUES_OF_FOOTBALL_DATA: ReadonlySet<string> = new Set([
  'england_premier_league',
  'england_championship',
  'spain_la_liga',
  'spain_segunda_division',
  'england_fa_cup',
  'spain_copa_del_rey',
])

const LATE_MINUTES = [0, 10]

interface Measured {
  asked: number
  /** With the event of the name that is meant. */
  merged: number
  /** With another event. */
  wrong: number
  readonly missed: Set<string>
}

type Counts = Pick<Measured, 'asked' | 'merged' | 'wrong'>

const report = (context: TestContext, what: string, { asked, merged, wrong }: Counts): void =>
  context.diagnostic(`${what}: ${merged} of ${asked} merged (${((100 * merged) / asked).toFixed(2)} %), ${wrong} wrong`)

/** Each event of each name, with the spelling in its place, in the league and without one. */
const measure = (matcher: NameMatcher, pairs: Pairs, lateMinutes: readonly number[]): Measured => {
  const measured: Measured = { asked: 0, merged: 0, wrong: 0, missed: new Set() }
  for (const { sport, spelling, name } of pairsOf(pairs)) {
    for (const [place, event] of events.entries()) {
      if (event.sport !== sport || (event.home !== name && event.away !== name)) continue
      const sides = event.home === name ? { home: spelling } : { away: spelling }
      for (const minutes of lateMinutes) {
        for (const leagueKey of [event.leagueKey, 'unknown']) {
          const kickoffAt = event.kickoffAt + minutes * MINUTE_MS
          const match = matcher.match({ ...event, ...sides, leagueKey, kickoffAt, sourceKey: 'other:1' }, nobody)
          measured.asked++
          if (match?.kind !== 'same') measured.missed.add(spelling)
          else if (match.event === place + 1) measured.merged++
          else measured.wrong++
        }
      }
    }
  }
  return measured
}

/** Look-alikes, and spellings, at the kickoff of an event of the name, against each other side of its league. */
const measureStrangers = (matcher: NameMatcher, holdOut: HoldOut): Measured => {
  const measured: Measured = { asked: 0, merged: 0, wrong: 0, missed: new Set() }
  const isPlayed = new Set(events.map(({ home, away }) => `${home} v ${away}`))
  const lists = [holdOut.others, holdOut.official, holdOut.shortened].flatMap((pairs) => pairsOf(pairs))
  for (const { sport, spelling, name } of lists) {
    const event = events.find((one) => one.sport === sport && (one.home === name || one.away === name))!
    const sides = events.filter(({ leagueKey }) => leagueKey === event.leagueKey).map(({ away }) => away)
    for (const away of new Set(sides)) {
      if (away === event.home || away === event.away || isPlayed.has(`${name} v ${away}`)) continue
      const match = matcher.match({ ...event, home: spelling, away, sourceKey: 'other:1' }, nobody)
      measured.asked++
      if (match?.kind !== 'same') continue
      // A look-alike that is a side of the snapshot itself may play that match.
      const found = events[match.event - 1]!
      if (found.home === name || found.away === name) measured.merged++
    }
  }
  return measured
}
