// Clock steps, suspensions and wrong clocks at the start, as the board sees them: quotes expire by elapsed time, and
// senders are heard again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_PRODUCER } from '../../src/domain/feed-source.ts'
import type { SourceTerms } from '../../src/domain/feed-source.ts'
import type { Refusal } from '../../src/domain/refusal.ts'
import { Engine } from '../../src/engine/engine.ts'
import { Turns } from '../../src/engine/turns.ts'
import { FeedClock } from '../../src/feed/feed-clock.ts'
import { SenderTimes } from '../../src/feed/sender-times.ts'
import { LIMITS } from '../../src/limits.ts'
import { Host, HOUR, MINUTE, SECOND, START } from '../host.ts'

const DAY = 24 * HOUR
const SLUG = 'bookie'

/** The service's parts that have to do with the time, on a host whose clock may be wrong at the start. */
class World {
  readonly host = new Host()
  readonly translated: [string, number][] = []
  readonly tooOld: number[] = []
  readonly aged: string[] = []
  readonly clock
  readonly engine: Engine
  readonly turns: Turns
  readonly times: SenderTimes
  readonly feedClock = new FeedClock(LIMITS)
  /** By the clock of the host, which may be wrong. */
  private trueAheadMs: number

  constructor(wrongMs = 0) {
    this.trueAheadMs = -wrongMs
    this.host.wall += wrongMs
    this.clock = this.host.newClock()
    this.engine = new Engine({ ...LIMITS, quotesMax: 1_000 }, this.clock.now())
    this.turns = new Turns(this.engine, LIMITS, () => this.clock.now())
    this.times = new SenderTimes({
      clock: this.clock,
      skewMsMax: LIMITS.skewMsMax,
      sendersMax: 2,
      onTranslated: (...args) => this.translated.push(args),
      onTooOld: (ms) => this.tooOld.push(ms),
    })
    this.turns.byOurClock = (input, nowAt) => this.times.byOurClock(input, nowAt)
  }

  /** The true time. */
  get trueAt(): number {
    return this.host.wall + this.trueAheadMs
  }

  /** The host's clock is set by so much. */
  step(ms: number): void {
    this.host.wall += ms
    this.trueAheadMs -= ms
  }

  run(ms: number, everyMs?: number): void {
    this.host.run(this.clock, ms, everyMs)
    this.turns.run()
  }

  /** Sends an observation; returns the refusal. */
  send(event: string, observedAt = this.trueAt, producer = NO_PRODUCER, odds = 2): Refusal | undefined {
    let refused: Refusal | undefined
    const observation = {
      bookmaker: SLUG,
      transport: 'rest' as const,
      observedAt,
      event: {
        sport: 'golf' as const,
        leagueKey: 'l',
        leagueName: 'L',
        home: event,
        away: '',
        kickoffAt: START,
        sourceKey: `s:${event}`,
      },
      prices: [{ type: 'outright' as const, line: null, outcome: 'o', odds, status: 'open' as const }],
      others: 'keep' as const,
    }
    this.turns.add({ kind: 'observe', observation, producer, doubt: undefined }, (refusal) => {
      refused = refusal
    })
    this.turns.end()
    return refused
  }

  /** Sends one event a second. Returns after how long it was on the board; undefined: it never was. */
  sendUntilHeard(event: string, msMax: number, producer = NO_PRODUCER): number | undefined {
    for (let ms = 0; ms <= msMax; ms += SECOND) {
      if (this.send(event, this.trueAt, producer) === undefined && this.has(event)) return ms
      this.run(SECOND)
    }
    return undefined
  }

  has(event: string): boolean {
    for (let n = 0; n < 10_000 && !this.turns.run(); n++);
    let found = false
    this.engine.reader.visitEvents(undefined, undefined, 0, ({ event: { homeTeam } }) => {
      found ||= homeTeam === event
      return true
    })
    return found
  }

  /** Asserts that a quote that was recorded `ageMs` ago expires by elapsed time, 24 h after it. */
  expires(event: string, ageMs: number): void {
    this.run(DAY - ageMs - SECOND, MINUTE)
    assert.ok(this.has(event), 'not early')
    this.run(2 * SECOND)
    assert.ok(!this.has(event), 'not late')
  }
}

for (const hours of [1, -1, 25, -25]) {
  test(`a step of ${hours} h while sources have the right time changes nothing for them, nor for the board`, () => {
    const world = new World()
    assert.equal(world.send('a'), undefined)
    world.run(MINUTE)
    world.step(hours * HOUR)
    for (let n = 0; n < 60; n++) {
      assert.equal(world.send('b'), undefined)
      assert.ok(world.has('b'))
      world.run(SECOND)
    }
    assert.equal(world.clock.corrections, 0)
    assert.equal(world.times.translated, 0)
    world.step(-hours * HOUR)
    world.run(MINUTE)
    assert.equal(world.send('b'), undefined)
    world.expires('a', 3 * MINUTE)
    assert.ok(world.has('b'))
  })

  test(`quotes of polled sources, with our own times, expire by elapsed time after a step of ${hours} h`, () => {
    const world = new World()
    world.send('a', world.clock.now())
    world.step(hours * HOUR)
    world.run(12_000)
    world.send('b', world.clock.now())
    world.expires('a', 12_000)
    world.run(12 * SECOND)
    assert.ok(!world.has('b'), 'not late')
  })
}

for (const hours of [1, 25]) {
  test(`a start ${hours} h behind: times are refused until the clock is set, and heard 3 s later at most`, () => {
    const world = new World(-hours * HOUR)
    assert.equal(world.send('a')?.field, 'observedAt')
    assert.equal(world.sendUntilHeard('a', MINUTE), undefined)
    world.step(hours * HOUR)
    const ms = world.sendUntilHeard('a', MINUTE)
    assert.ok(ms !== undefined && ms <= 3 * SECOND, `${ms}`)
    assert.equal(world.clock.corrections, 1)
    world.expires('a', 0)
  })

  test(`a start ${hours} h ahead: once the clock is set, times are translated within 12 s, and expire by elapsed time`, () => {
    const world = new World(hours * HOUR)
    world.run(MINUTE)
    // A polled source, with our own times.
    world.send('polled', world.clock.now(), 'polls part')
    world.step(-hours * HOUR)
    for (let n = 0; n <= 12; n++) {
      world.send('a')
      world.send('polled', world.clock.now(), 'polls part')
      world.run(SECOND)
    }
    assert.deepEqual(world.translated, [[SLUG, hours * HOUR]])
    assert.ok(world.has('a'))
    assert.equal(world.send('a'), undefined)
    const sent = world.times.translated
    assert.ok(sent > 0)
    assert.ok(world.has('polled'))
    world.expires('a', 0)
    assert.ok(!world.has('polled'), 'by elapsed time, a second before')
    assert.equal(world.times.translated, sent)
  })
}

test('a sender that is translated keeps its order, and an observation ahead of its clock is refused', () => {
  const world = new World(25 * HOUR)
  world.step(-25 * HOUR)
  assert.notEqual(world.sendUntilHeard('a', 20 * SECOND), undefined)
  const at = world.trueAt
  world.send('b', at, NO_PRODUCER, 3)
  world.send('b', at - 10, NO_PRODUCER, 4)
  assert.equal(world.engine.counts.older, 1, 'the older one is ignored')
  assert.equal(world.send('c', world.trueAt + LIMITS.skewMsMax + 1)?.field, 'observedAt')
  assert.equal(world.send('c', world.trueAt + LIMITS.skewMsMax), undefined)
})

test('a sender that repeats old times is not taken for one that goes with a wrong clock', () => {
  const world = new World()
  world.run(MINUTE)
  const old = world.trueAt - HOUR
  world.step(-HOUR)
  for (let n = 0; n < 120; n++) {
    world.send('a', old)
    world.run(SECOND)
  }
  assert.deepEqual(world.translated, [])
  // Nor one of which some times are as old as the step is large, and others are new.
  for (let n = 0; n < 60; n++) {
    world.send('b', world.trueAt - HOUR)
    world.send('c')
    world.run(SECOND)
  }
  assert.deepEqual(world.translated, [])
})

test('translation ends with the next step', () => {
  const world = new World(25 * HOUR)
  world.step(-25 * HOUR)
  assert.notEqual(world.sendUntilHeard('a', 20 * SECOND), undefined)
  world.step(25 * HOUR)
  world.run(SECOND)
  // This sender is wrong, too.
  assert.equal(world.send('b', world.host.wall), undefined)
  assert.ok(world.has('b'))
})

test('so many senders are told apart; the times of others stay as they are', () => {
  const world = new World(25 * HOUR)
  world.step(-25 * HOUR)
  for (let n = 0; n <= 12; n++) {
    for (const source of ['one', 'two', 'three']) world.send(source, world.trueAt, `${source} part`)
    world.run(SECOND)
  }
  assert.deepEqual(
    world.translated.map(([sender]) => sender),
    ['one', 'two'],
  )
  assert.ok(world.has('two'))
  assert.ok(!world.has('three'))
})

test('confirmations and ends of a translated source go with its observations', () => {
  const world = new World(25 * HOUR)
  world.step(-25 * HOUR)
  assert.notEqual(world.sendUntilHeard('a', 20 * SECOND, 'betting part'), undefined)
  world.run(12 * HOUR, MINUTE)
  world.turns.add({ kind: 'confirm', producer: 'betting part', at: world.trueAt })
  world.run(100)
  world.expires('a', 0)
})

test('a witness is only who is ahead of us and not ahead of the clock of the host', () => {
  const world = new World()
  world.step(HOUR)
  for (let n = 0; n < 30; n++) {
    assert.equal(world.send('a', world.host.wall + LIMITS.skewMsMax + 1)?.field, 'observedAt')
    world.run(SECOND)
  }
  assert.equal(world.clock.corrections, 0)
})

test('all times of sources ahead of both clocks: the service is not ready, and says what to do, until one is right', () => {
  const world = new World(-HOUR)
  const now = (): number => world.clock.now()
  for (let n = 0; n < 29; n++) {
    world.send('a', world.trueAt, 'betting part')
    world.run(SECOND)
  }
  assert.deepEqual(world.times.problems(now()), [])
  for (let n = 0; n < 5; n++) {
    world.send('a', world.trueAt, 'betting part')
    world.run(SECOND)
  }
  assert.match(world.times.problems(now()).join(), /ahead of the clock, by 3600 s: set the clock of this host/)
  world.send('a', now(), 'betting part')
  assert.deepEqual(world.times.problems(now()), [])
})

test('a SEND ahead of the clock does not make the service not ready', () => {
  const world = new World(-HOUR)
  for (let n = 0; n < 60; n++) {
    world.send('a')
    world.run(SECOND)
  }
  assert.deepEqual(world.times.problems(world.clock.now()), [])
})

test('times of sources that are all too old are reported once', () => {
  const world = new World(25 * HOUR)
  for (let n = 0; n < 60; n++) {
    world.send('a', world.trueAt, 'betting part')
    world.run(SECOND)
  }
  assert.deepEqual(world.tooOld, [25 * HOUR])
})

const TERMS: SourceTerms = {
  name: 'betting',
  lateMs: 11_000,
  downMs: 20_000,
  suspendMs: 0,
  behindMsMax: 30_000,
} as SourceTerms

for (const [what, ms] of [
  ['10 min', 10 * MINUTE],
  ['30 h', 30 * HOUR],
] as const) {
  test(`a host that was suspended for ${what}: the first look finds its sources down, and quotes have aged by it`, () => {
    const world = new World()
    const { feedClock, clock } = world
    clock.watch(({ kind }) => kind === 'suspended' && feedClock.wake())
    const number = feedClock.addSource(TERMS, clock.now())
    world.send('a')
    feedClock.beat(number, clock.now())
    feedClock.look(clock.now())
    assert.equal(feedClock.sourceHealth(number).state, 'live')
    world.host.suspend(ms)
    world.host.pass(5)
    const { suspended } = feedClock.look(clock.now())
    assert.deepEqual(suspended, [number])
    assert.equal(feedClock.sourceHealth(number).state, 'down')
    if (ms < DAY) world.expires('a', ms)
    else assert.ok(!world.has('a'))
  })
}

test('a step leaves sources live, in both directions', () => {
  for (const hours of [1, -1, 25, -25]) {
    const world = new World()
    const { feedClock, clock } = world
    const number = feedClock.addSource(TERMS, clock.now())
    feedClock.beat(number, clock.now())
    world.step(hours * HOUR)
    world.run(SECOND)
    feedClock.look(clock.now())
    assert.equal(feedClock.sourceHealth(number).state, 'live')
  }
})

test('a virtual machine that was paused: its clock is set, a sender confirms it, and quotes have aged by the pause', () => {
  const world = new World()
  world.send('a')
  // No clock of the machine went on; the time did.
  world.run(SECOND)
  world.host.wall += 10 * HOUR
  assert.equal(world.send('b')?.field, 'observedAt')
  assert.notEqual(world.sendUntilHeard('b', 5 * SECOND), undefined)
  world.run(14 * HOUR, MINUTE)
  assert.ok(!world.has('a'))
  assert.ok(world.has('b'))
})
