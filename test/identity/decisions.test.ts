// What people decide about events, in every order in which it can meet the board: before the first sighting (a restart),
// between, after; chains, contradictions, turns, and what becomes of books, ids and names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decisions } from '../../src/identity/decisions.ts'
import type { EventDecision } from '../../src/domain/event-identity.ts'
import type { MarketType } from '../../src/domain/market.ts'
import type { Price } from '../../src/domain/observation.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { Random, SEED } from '../random.ts'
import { merge, price, type Seen, split, World } from './world.ts'
import { checkCatalogue, checkInvariants } from '../board/invariants.ts'

/** All orders of some things. */
const ordersOf = <T>(things: readonly T[]): T[][] =>
  things.length === 0
    ? [[]]
    : things.flatMap((thing, place) => ordersOf(things.toSpliced(place, 1)).map((rest) => [thing, ...rest]))

/** Every order in which keys can be seen, and every moment at which the decisions can be made. */
const inEveryOrder = (
  keys: readonly string[],
  decisions: EventDecision[],
  check: (world: World, at: string) => void,
  names: Readonly<Record<string, Seen>> | undefined = undefined,
  moments: readonly number[] = Array.from({ length: keys.length + 1 }, (_, n) => n),
): void => {
  for (const order of ordersOf(keys)) {
    for (const decideAfter of moments) {
      const world = new World(100, names && new NameMatcher())
      for (const [place, key] of order.entries()) {
        if (place === decideAfter) world.decide(...decisions)
        world.see(key, names?.[key])
      }
      if (decideAfter === keys.length) world.decide(...decisions)
      check(world, `${order.join()} decided after ${decideAfter}`)
    }
  }
}

test('partners are found through others, with the turns added up', () => {
  const decisions = new Decisions()
  decisions.replace([merge('a:1', 'b:1', true), merge('b:1', 'c:1', true), merge('c:1', 'd:1', true)])
  assert.deepEqual(decisions.partnersOf('a:1'), [
    { key: 'b:1', swapped: true },
    { key: 'c:1', swapped: false },
    { key: 'd:1', swapped: true },
  ])
  assert.deepEqual(decisions.partnersOf('z:1'), [])
  decisions.replace([merge('a:1', 'b:1'), split('b:1', 'a:1')])
  assert.deepEqual(decisions.partnersOf('a:1'), [])
  assert.deepEqual([...decisions.apartFrom('a:1')!], ['b:1'])
})

const CHAIN = [merge('a:1', 'b:1', true), merge('c:1', 'b:1'), merge('c:1', 'd:1', true)]
const LINKS = ['a:1', 'b:1', 'c:1', 'd:1']

const isChained = (world: World, at: string): void => {
  assert.deepEqual(world.parts(), ['a:1 B:1 C:1 d:1'], at)
  const [a, b, c, d] = world.quotes('a:1').map((quote) => quote.split(' ')[2])
  assert.deepEqual([a === b, b === c, a === d], [false, true, true], at)
}

test('a chain of merges makes one event, swapped as the links say, before the first sighting and after the last', () => {
  inEveryOrder(LINKS, CHAIN, isChained, undefined, [0, 1, 4])
})

test('a chain holds when its links are known only in part', () => {
  inEveryOrder(LINKS, CHAIN, isChained, undefined, [2, 3])
})

test('of decisions about one pair the latest holds, whichever way its keys stand', () => {
  const cases: [EventDecision[], string[]][] = [
    [
      [merge('a:1', 'b:1'), split('b:1', 'a:1')],
      ['a:1', 'b:1'],
    ],
    [[split('a:1', 'b:1'), merge('b:1', 'a:1')], ['a:1 b:1']],
    [[merge('a:1', 'b:1'), merge('b:1', 'a:1', true)], ['a:1 B:1']],
    [[merge('a:1', 'b:1', true), merge('a:1', 'b:1')], ['a:1 b:1']],
  ]
  for (const [decisions, parts] of cases) {
    inEveryOrder(['a:1', 'b:1'], decisions, (world, at) => assert.deepEqual(world.parts(), parts, at))
  }
})

test('who is said to be apart is never together, whatever chain would join them', () => {
  inEveryOrder(['a:1', 'b:1', 'c:1'], [merge('a:1', 'b:1'), merge('b:1', 'c:1'), split('a:1', 'c:1')], (world, at) => {
    assert.notEqual(world.idOf('a:1'), world.idOf('c:1'), at)
  })
})

test('who is split off from merged events leaves them merged', () => {
  const world = new World()
  for (const key of ['k:1', 'a:1', 'b:1']) world.see(key)
  world.decide(merge('k:1', 'b:1'), merge('a:1', 'b:1'), merge('k:1', 'a:1'))
  assert.deepEqual(world.parts(), ['a:1 b:1 k:1'])
  // What `event split EVENT k:1` decides; the merges of the same pairs no longer hold.
  world.decide(merge('a:1', 'b:1'), split('a:1', 'k:1'), split('b:1', 'k:1'))
  assert.deepEqual(world.parts(), ['a:1 b:1', 'k:1'])
})

const shuffled = <T>(things: readonly T[], random: Random): T[] =>
  things
    .map((thing) => ({ thing, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ thing }) => thing)

/** All that matters of a set of decisions: every two keys that are one event, and which are swapped against each other. */
const pictureOf = (world: World, keys: readonly string[]): string => {
  const known = keys.map((key) => world.engine.sightings.find(key))
  return known
    .flatMap((a, n) => known.slice(n + 1).map((b) => (a?.record === b?.record ? `${a?.swapped === b?.swapped}` : '-')))
    .join(' ')
}

test('random decisions: who is apart is apart, doing it again changes nothing, and a restart brings the same', () => {
  const keys = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1']
  for (let run = 0; run < 100; run++) {
    const random = new Random(SEED + run)
    const world = new World(200)
    for (const key of keys) world.see(key)
    let made: EventDecision[] = []
    for (let step = 0; step < 7; step++) {
      const [a, b] = shuffled(keys, random) as [string, string]
      made = made.filter((decision) => !('keys' in decision && decision.keys.includes(a) && decision.keys.includes(b)))
      if (random.chance(0.2)) made = made.filter(() => random.chance(0.7))
      else made.push(random.chance(0.6) ? merge(a, b, random.chance(0.3)) : split(a, b))
      assert.equal(world.decide(...made), 0)
      const text = `seed ${SEED}, run ${run}, step ${step}: ${JSON.stringify(made)}`
      for (const decision of made) {
        if (decision.kind !== 'split') continue
        const [one, other] = decision.keys
        assert.notEqual(world.idOf(one), world.idOf(other), `${text}: ${one} and ${other} are apart`)
      }
      const before = pictureOf(world, keys)
      const { seq } = world.engine
      // Without a turn: that would tell of books that are late, too.
      world.engine.decide(made, world.nowAt)
      assert.equal(world.engine.seq, seq, `${text}: nothing is told twice`)
      assert.equal(pictureOf(world, keys), before, text)
      const restarted = new World(200)
      const seen = shuffled(keys, random)
      const decideAfter = random.int(0, 5)
      for (const [place, key] of seen.entries()) {
        if (place === decideAfter) restarted.decide(...made)
        restarted.see(key)
      }
      if (decideAfter === 5) restarted.decide(...made)
      assert.equal(pictureOf(restarted, keys), before, `${text}, seen as ${seen.join()}, decided after ${decideAfter}`)
    }
  }
})

test('a split holds whichever way the merges stand that it cuts', () => {
  for (const first of [merge('a:1', 'b:1'), merge('b:1', 'a:1')]) {
    for (const second of [merge('b:1', 'c:1'), merge('c:1', 'b:1')]) {
      for (const cut of [split('a:1', 'c:1'), split('c:1', 'a:1')]) {
        const world = new World()
        for (const key of ['a:1', 'b:1', 'c:1']) world.see(key)
        world.decide(first, second)
        world.decide(first, second, cut)
        assert.deepEqual(world.parts(), ['a:1', 'b:1 c:1'], 'the later merge holds')
      }
    }
  }
})

test('a merge takes nobody along who is said to be apart, though the rule had made them one', () => {
  const alike = { home: 'Harbour Town', away: 'Kestrel Rovers' }
  for (const [keys, decided] of [
    [['a:1', 'x:1', 'y:1', 'b:1'], merge('a:1', 'b:1')],
    [['a:1', 'x:1', 'y:1', 'b:1'], merge('b:1', 'a:1')],
    [['x:1', 'y:1', 'a:1', 'b:1'], merge('b:1', 'a:1')],
  ] as const) {
    const world = new World(100, new NameMatcher())
    for (const key of keys) world.see(key, key === 'b:1' ? {} : alike)
    world.decide(split('x:1', 'b:1'), split('y:1', 'b:1'), decided)
    assert.deepEqual(world.parts(), ['a:1 b:1', 'x:1 y:1'], 'and those who go stay one')
  }
})

test('events that the rule had made of several sources are the same again when their merge is taken back', () => {
  const [north, oak] = [
    { home: 'Northfield Rovers', away: 'Kestrel Vale' },
    { home: 'Oakham Town', away: 'Sandpiper Union' },
  ]
  const [one, two] = [
    ['a:1', 'b:1'],
    ['c:1', 'd:1', 'e:1'],
  ]
  const all = one!.flatMap((a) => two!.map((b): [string, string] => [a, b]))
  const cases: EventDecision[][] = [
    all.map(([a, b]) => merge(a, b)),
    all.map(([a, b]) => merge(b, a)),
    [merge('a:1', 'c:1')],
    [merge('c:1', 'a:1')],
    [merge('d:1', 'b:1')],
    [merge('d:1', 'b:1', true)],
  ]
  for (const decisions of cases) {
    const world = new World(100, new NameMatcher())
    for (const key of one!) world.see(key, north)
    for (const key of two!) world.see(key, oak)
    const parts = ['a:1 b:1', 'c:1 d:1 e:1']
    assert.deepEqual(world.parts(), parts)
    const ids = [world.idOf('a:1'), world.idOf('c:1')]
    world.decide(...decisions)
    assert.equal(world.parts().length, 1)
    world.decide()
    assert.deepEqual(world.parts(), parts, JSON.stringify(decisions))
    assert.deepEqual([world.idOf('a:1'), world.idOf('c:1')], ids, `${JSON.stringify(decisions)}: the ids`)
  }
})

test('two ids of one source that only a decision brought together part when it is taken back, whatever they are called', () => {
  const world = new World(100, new NameMatcher())
  for (const key of ['a:1', 'c:1']) world.see(key, { home: 'Northfield Rovers', away: 'Kestrel Vale' })
  for (const key of ['x:1', 'c:3']) world.see(key, { home: 'Oakham Town', away: 'Sandpiper Union' })
  world.decide(merge('a:1', 'x:1'))
  assert.deepEqual(world.parts(), ['a:1 c:1 c:3 x:1'])
  world.see('x:1', { home: 'Pillar City', away: 'Quincy Star' })
  world.decide()
  assert.deepEqual(world.parts(), ['a:1 c:1', 'c:3', 'x:1'])
})

test('a turn that is corrected for one pair is settled once, and all decisions hold', () => {
  const world = new World(100, new NameMatcher())
  for (const key of ['a:1', 'b:1']) world.see(key, { home: 'Northfield Rovers', away: 'Kestrel Vale' })
  world.see('g:1')
  const wrong = [merge('a:1', 'g:1'), merge('b:1', 'g:1')]
  world.decide(...wrong)
  assert.deepEqual(world.parts(), ['a:1 b:1 g:1'])
  const corrected = [wrong[1]!, merge('a:1', 'g:1', true)]
  world.decide(...corrected)
  assert.deepEqual(world.parts(), ['a:1 B:1 G:1'])
  const { seq } = world.engine
  world.decide(...corrected, split('x:1', 'y:1'))
  assert.equal(world.engine.seq, seq)
  world.decide(...corrected, merge('a:1', 'b:1'))
  assert.deepEqual(world.parts(), ['a:1 b:1 G:1'], 'the latest word holds')
})

test('ids and names stay in order through merges, splits and turns of what is spelt alike', () => {
  const world = new World(100, new NameMatcher())
  for (const key of ['a:1', 'b:1']) world.see(key, { home: 'Northfield Rovers', away: 'Kestrel Vale' })
  const id = world.idOf('a:1')
  for (const decisions of [[], [merge('a:1', 'b:1')], [merge('a:1', 'b:1', true)], [split('a:1', 'b:1')], []]) {
    world.decide(...decisions)
    world.see('a:1', { home: 'Northfield Rovers FC', away: 'Kestrel Vale' })
    world.decide(...decisions)
    world.see('a:1', { home: 'Northfield Rovers', away: 'Kestrel Vale' })
    assert.equal(world.idOf('a:1'), id)
  }
  world.nowAt += 25 * 3_600_000
  while (!world.engine.turn(world.nowAt));
  checkInvariants(world.engine)
  assert.equal(world.engine.board.catalogue.eventCount, 0)
})

test('several events that a name makes one by its meaning are one', () => {
  const world = new World(100, new NameMatcher())
  for (const key of ['a:1', 'b:1', 'c:1']) world.see(key, { home: `Xanadu ${key[0]}`, away: 'Kestrel Rovers' })
  assert.equal(world.parts().length, 3)
  const named = ['a', 'b', 'c'].map(
    (letter): EventDecision => ({ kind: 'alias', sport: null, name: `Xanadu ${letter}`, means: 'Harbour Town' }),
  )
  world.decide(...named)
  assert.deepEqual(world.parts(), ['a:1 b:1 c:1'])
})

test('keys that nobody knows, and events of different sports, are left as they are', () => {
  const world = new World()
  world.see('a:1')
  const before = world.engine.seq
  assert.equal(world.decide(merge('a:1', 'x:9'), split('y:8', 'a:1'), merge('x:9', 'y:9')), 0)
  assert.equal(world.engine.seq, before, 'nothing is told')
  for (const decideFirst of [false, true]) {
    const mixed = new World()
    if (decideFirst) mixed.decide(merge('a:1', 'b:1'))
    mixed.see('a:1')
    mixed.see('b:1', { sport: 'tennis' })
    if (!decideFirst) mixed.decide(merge('a:1', 'b:1'))
    assert.deepEqual(mixed.parts(), ['a:1', 'b:1'], `decided first: ${decideFirst}`)
  }
})

test('what is decided anew as it was changes nothing', () => {
  const world = new World()
  for (const key of ['a:1', 'b:1', 'c:1', 'd:1']) world.see(key)
  const decisions = [merge('a:1', 'b:1', true), merge('b:1', 'c:1'), split('a:1', 'd:1')]
  world.decide(...decisions)
  const { seq } = world.engine
  world.decide(...decisions)
  world.decide(...decisions.map((decision) => structuredClone(decision)))
  assert.equal(world.engine.seq, seq)
})

test('lines and labels turn with a merge, and back when it is taken back', () => {
  const prices = [
    price('home', 1.9, { type: 'spread', line: -1.5 }),
    price('over', 1.8, { type: 'total_goals', line: 2.5 }),
    price('2-1', 9, { type: 'correct_score' }),
    price('home/draw', 15, { type: 'halftime_fulltime' }),
    price('first:home', 7, { type: 'goalscorer' }),
  ]
  const own = [
    'b -1.5 home 1.9 open',
    'b  2-1 9 open',
    'b  first:home 7 open',
    'b  home/draw 15 open',
    'b 2.5 over 1.8 open',
  ]
  const swapped = [
    'b 1.5 away 1.9 open',
    'b  1-2 9 open',
    'b  first:home 7 open',
    'b  away/draw 15 open',
    'b 2.5 over 1.8 open',
  ]
  const world = new World()
  world.see('a:1', { prices: [] })
  world.see('a:1')
  world.see('b:1', { bookmaker: 'b', prices })
  const ofB = (): string[] => world.quotes('b:1').filter((quote) => quote.startsWith('b '))
  assert.deepEqual(ofB(), own.toSorted())
  world.decide(merge('a:1', 'b:1', true))
  assert.deepEqual(ofB(), swapped.toSorted())
  world.see('b:1', { bookmaker: 'b', prices: [price('away', 2.2, { type: 'spread', line: -1.5 })] })
  assert.ok(ofB().includes('b 1.5 home 2.2 open'), 'what comes later is swapped, too')
  world.decide()
  assert.deepEqual(world.parts(), ['a:1', 'b:1'])
  assert.deepEqual(ofB(), [...own, 'b -1.5 away 2.2 open'].sort())
})

test('of a book that both events have the newest quotes stand, closed ones too', () => {
  const world = new World()
  const types: MarketType[] = ['btts', 'odd_even', 'first_to_score']
  const labels = ['yes', 'odd', 'home'] as const
  const all = (odds: number): Price[] => types.map((type, n) => price(labels[n]!, odds, { type }))
  world.see('a:1', { bookmaker: 'x', prices: all(2) })
  world.see('b:1', { bookmaker: 'x', prices: all(3) })
  world.see('b:1', { bookmaker: 'x', prices: [price('odd', 3, { type: 'odd_even', status: 'suspended' })] })
  world.see('a:1', { bookmaker: 'x', prices: [price('home', 4, { type: 'first_to_score' })] })
  world.decide(merge('a:1', 'b:1'))
  assert.deepEqual(world.quotes('a:1'), ['x  home 4 open', 'x  odd 3 suspended', 'x  yes 3 open'])
})

test('a quote that is closed is not opened again by a merge', () => {
  const world = new World()
  world.see('a:1', { bookmaker: 'x' })
  world.see('b:1', { bookmaker: 'x' })
  world.see('b:1', { bookmaker: 'x', prices: [price('home', 2, { status: 'closed' })] })
  world.decide(merge('a:1', 'b:1'))
  assert.deepEqual(world.quotes('a:1'), [], 'the newest word of the bookmaker is that it is closed')
})

test('a late price does not open what was closed before a merge, a split, or both', () => {
  const world = new World()
  world.see('a:1')
  const [book, prices] = ['b', [price('home', 2), price('away', 9)]]
  world.see('b:1', { bookmaker: book, prices })
  const lateAt = world.nowAt + 500
  world.see('b:1', { bookmaker: book, prices: [price('home', 2, { status: 'closed' })] })
  for (const decisions of [[merge('a:1', 'b:1')], [], [merge('a:1', 'b:1', true)], []]) {
    world.decide(...decisions)
    world.see('b:1', { bookmaker: book, prices: [price('home', 3)], at: lateAt })
    const shown = world.quotes('b:1').filter((quote) => quote.startsWith('b '))
    assert.deepEqual(shown, [
      decisions.length > 0 && world.parts()[0] === 'a:1 B:1' ? 'b  home 9 open' : 'b  away 9 open',
    ])
  }
  checkInvariants(world.engine)
  world.see('b:1', { bookmaker: book, prices: [price('home', 4)] })
  assert.deepEqual(world.quotes('b:1'), ['b  away 9 open', 'b  home 4 open'], 'a newer one does')
})

test('of two keys that share a book, each takes along what it spoke of last', () => {
  const world = new World()
  world.see('a:1', { bookmaker: 'x' })
  world.decide(merge('a:1', 'b:1'))
  world.see('b:1', { bookmaker: 'x', prices: [price('away', 3)] })
  world.see('a:1', { bookmaker: 'y' })
  world.decide(split('a:1', 'b:1'))
  assert.deepEqual(world.quotes('b:1'), ['x  away 3 open'])
  assert.deepEqual(world.quotes('a:1'), ['x  home 2 open', 'y  home 2 open'])
})

test('a turn that is decided later turns, also where the keys share a book', () => {
  for (const last of ['a:1', 'b:1']) {
    const world = new World()
    world.decide(merge('a:1', 'b:1'))
    world.see('a:1', { bookmaker: 'x' })
    world.see('b:1', { bookmaker: 'x' })
    world.see(last, { bookmaker: 'x' })
    world.decide(merge('a:1', 'b:1', true))
    world.see('a:1', { bookmaker: 'x' })
    world.see('b:1', { bookmaker: 'x' })
    assert.deepEqual(world.parts(), ['a:1 B:1'], last)
  }
})

test('a full board undoes nothing: what has no room is not moved, and is said', () => {
  const world = new World(4)
  world.see('a:1', { prices: [price('home', 2), price('away', 2)] })
  world.see('b:1')
  assert.equal(world.decide(merge('a:1', 'b:1')), 0, 'there is room for one')
  const full = new World(3)
  full.see('a:1', { prices: [price('home', 2), price('away', 2)] })
  full.see('b:1')
  assert.equal(full.decide(merge('a:1', 'b:1')), 1)
  assert.deepEqual(full.parts(), ['a:1', 'b:1'])
  assert.deepEqual(full.quotes('b:1'), ['book_b  home 2 open'])
})

test('a split on a full board loses no quote', () => {
  const world = new World(2)
  world.decide(merge('a:1', 'b:1'))
  world.see('a:1')
  world.see('b:1')
  const left = world.decide(split('a:1', 'b:1'))
  assert.deepEqual([...world.engine.board.counts], [0, 2], `left undone: ${left}`)
})

test('a merge that is taken back leaves the other links of its chain', () => {
  const world = new World()
  for (const key of ['a:1', 'b:1', 'c:1']) world.see(key)
  world.decide(merge('a:1', 'b:1'), merge('b:1', 'c:1'))
  world.decide(merge('b:1', 'c:1'))
  assert.deepEqual(world.parts(), ['a:1', 'b:1 c:1'])
})

test('sightings that the rule made one stay one when another is split off, first or second', () => {
  const world = new World(100, new NameMatcher())
  for (const key of ['k:1', 'a:1', 'b:1']) world.see(key, { home: 'Harbour Town', away: 'Kestrel Rovers' })
  assert.deepEqual(world.parts(), ['a:1 b:1 k:1'])
  world.decide(split('k:1', 'a:1'), split('k:1', 'b:1'))
  assert.deepEqual(world.parts(), ['a:1 b:1', 'k:1'])
})

test('a merged event answers to the ids that it had', () => {
  const world = new World()
  for (const key of ['a:1', 'b:1', 'c:1']) world.see(key)
  const ids = ['a:1', 'b:1', 'c:1'].map((key) => world.idOf(key)!)
  world.decide(merge('b:1', 'c:1'))
  world.decide(merge('b:1', 'c:1'), merge('a:1', 'b:1'))
  for (const id of ids) assert.equal(world.engine.reader.eventOf(id)?.event.id, ids[0])
})

test('after a restart an event answers to the ids that it had, whoever comes first', () => {
  const names: Readonly<Record<string, { home: string; away: string }>> = {
    'a:1': { home: 'Northfield Rovers', away: 'Kestrel Vale' },
    'b:1': { home: 'Northfield Rovers FC', away: 'Kestrel Vale' },
    'g:1': { home: 'Oakham Town', away: 'Sandpiper Union' },
    't:1': { home: 'Vale of Kestrels', away: 'Northfield' },
  }
  const decisions = [merge('a:1', 'g:1'), merge('b:1', 'g:1'), merge('a:1', 't:1', true)]
  const ids = Object.keys(names).map((key) => {
    const alone = new World()
    alone.see(key, names[key])
    return alone.idOf(key)!
  })
  inEveryOrder(
    Object.keys(names),
    decisions,
    (world, at) => {
      const id = world.idOf('a:1')
      for (const each of ids) assert.equal(world.engine.reader.eventOf(each)?.event.id, id, at)
      world.decide()
      const [a, , g, t] = Object.keys(names)
      for (const [place, key] of [
        [2, g!],
        [3, t!],
      ] as const) {
        assert.equal(world.engine.reader.eventOf(ids[place]!)?.event.id, world.idOf(key), `${at}, taken back`)
        assert.notEqual(world.idOf(key), world.idOf(a!))
      }
      world.nowAt += 25 * 3_600_000
      while (!world.engine.turn(world.nowAt));
      checkCatalogue(world.engine.board)
      for (const each of ids) assert.equal(world.engine.reader.eventOf(each), undefined, 'ids go with their event')
    },
    names,
  )
})

test('an event that was merged by mistake has its id back', () => {
  const world = new World()
  world.see('a:1')
  world.see('b:1')
  const id = world.idOf('b:1')
  world.decide(merge('a:1', 'b:1'))
  world.decide()
  assert.equal(world.idOf('b:1'), id)
  assert.equal(
    world.engine.reader.eventOf(id!)?.event.homeTeam,
    'b:1 home',
    'a stored id answers for what it stood for',
  )
})

test('a swapped source that is left with an event renames it unswapped', () => {
  const world = new World()
  world.see('a:1')
  world.decide(merge('b:1', 'a:1', true))
  world.see('b:1')
  // The one that brought the event goes.
  world.decide(split('b:1', 'a:1'))
  world.see('b:1', { home: 'b:1 home FC' })
  const known = world.engine.sightings.knownEvent('b:1')!
  const { swapped } = known.sightings[0]!
  assert.ok(swapped)
  assert.equal(swapped ? known.event.awayTeam : known.event.homeTeam, 'b:1 home FC')
})

test('a conflict that is settled by a split is no conflict any more', () => {
  const world = new World(100, new NameMatcher())
  world.see('a:1', { home: 'Harbour Town', away: 'Kestrel Rovers' })
  world.see('b:1', { home: 'Kestrel Rovers', away: 'Harbour Town' })
  assert.deepEqual(
    world.engine.sightings.conflicts().map(({ reason }) => reason),
    ['turned'],
  )
  world.decide(split('a:1', 'b:1'))
  assert.deepEqual(world.engine.sightings.conflicts(), [])
  world.decide()
  assert.equal(world.engine.sightings.conflicts().length, 1, 'taken back, it is in doubt again')
  world.decide(merge('a:1', 'b:1', true))
  assert.deepEqual(world.engine.sightings.conflicts(), [])
})

test('what a source without ids says of an event goes where the event went', () => {
  const world = new World()
  world.see('a:1')
  world.see('b:1')
  const spelled = { home: 'b:1 home', away: 'b:1 away', sourceKey: null, bookmaker: 'n' }
  world.see('n', spelled)
  world.decide(merge('a:1', 'b:1'))
  world.see('n', spelled)
  assert.equal(world.engine.board.catalogue.eventCount, 1)
})

test('a name that means another joins what stands there already', () => {
  const world = new World(100, new NameMatcher())
  world.see('a:1', { home: 'Harbour Town', away: 'Kestrel Rovers' })
  world.see('b:1', { home: 'Xanadu Nine', away: 'Kestrel Rovers' })
  assert.deepEqual(world.parts(), ['a:1', 'b:1'])
  world.decide({ kind: 'alias', sport: 'tennis', name: 'Xanadu Nine', means: 'Harbour Town' })
  assert.deepEqual(world.parts(), ['a:1', 'b:1'], 'in another sport it means nothing')
  world.decide({ kind: 'alias', sport: null, name: 'xanadu nine', means: 'Harbour Town' })
  assert.deepEqual(world.parts(), ['a:1 b:1'])
  assert.deepEqual(world.quotes('a:1'), ['book_a  home 2 open', 'book_b  home 2 open'])
})
