import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ELSEWHERE, FeedClock } from '../../src/feed/feed-clock.ts'
import type { BookmakerHealth, FeedState } from '../../src/domain/feed-health.ts'
import { NO_SOURCE, type SourceTerms } from '../../src/domain/feed-source.ts'

const T0 = 1_790_000_000_000
const NEVER = Number.POSITIVE_INFINITY

const terms = (over: Partial<SourceTerms> = {}): SourceTerms => ({
  name: 's',
  lateMs: 1_000,
  downMs: 3_000,
  suspendMs: 2_000,
  behindMsMax: NEVER,
  ...over,
})

/** A clock that is looked at, with what it told: `bookmaker state@since`, and `suspend SOURCE`. */
const newClock = () => {
  const clock = new FeedClock({ feedLateMs: 10_000, feedDownMs: 60_000 })
  const reported = new Map<string, BookmakerHealth>()
  const look = (ms: number): string[] => {
    const { healths, suspended } = clock.look(T0 + ms)
    for (const health of healths) reported.set(health.bookmaker, health)
    return [
      ...suspended.map((source) => `suspend ${source}`),
      ...healths.map(({ bookmaker, state, since }) => `${bookmaker} ${state}@${since - T0}`),
    ]
  }
  return { clock, look, reported }
}

test('a source is starting, live, late, down, suspended and live again, each to the millisecond and told once', () => {
  const { clock, look, reported } = newClock()
  const source = clock.addSource(terms(), T0)
  assert.equal(source, 1, 'numbers begin at 1: 0 is nobody')
  clock.expect('7', source, T0)
  assert.equal(reported.get('7'), undefined, 'not told yet')
  const steps: [number, string[], boolean?][] = [
    [0, ['7 starting@0']],
    [500, ['7 live@500'], true],
    [1_499, []],
    [1_749, ['7 late@1749']],
    [3_499, []],
    [3_749, ['suspend', '7 down@3749']],
    [5_748, []],
  ]
  for (const [ms, expected, isHeard] of steps) {
    if (isHeard === true) clock.beat(source, T0 + ms)
    assert.deepEqual(
      look(ms),
      expected.filter((each) => each !== 'suspend'),
      `${ms} ms`,
    )
  }
  assert.deepEqual(clock.sourceHealth(source), {
    state: 'down',
    since: T0 + 3_749,
    heardAt: T0 + 500,
    suspendedAt: null,
  })
  assert.deepEqual(look(5_998), [`suspend ${source}`], 'its own limit after it went down')
  assert.equal(clock.sourceHealth(source).suspendedAt, T0 + 5_998)
  assert.deepEqual(look(60_000), [], 'once')
  clock.beat(source, T0 + 60_100)
  assert.deepEqual(look(60_100), ['7 live@60100'], 'what is back does not wait for the next look')
  assert.equal(clock.sourceHealth(source).suspendedAt, null)
  assert.deepEqual(look(63_100), ['7 down@63100'])
  assert.deepEqual(look(65_100), [`suspend ${source}`], 'and again, when it is down again')
})

test('the limits are met at the very millisecond', () => {
  for (const [ms, state] of [
    [999, 'live'],
    [1_000, 'late'],
    [2_999, 'late'],
    [3_000, 'down'],
  ] as const) {
    const { clock, look } = newClock()
    const source = clock.addSource(terms(), T0)
    clock.beat(source, T0)
    look(ms)
    assert.equal(clock.sourceHealth(source).state, state, `${ms} ms`)
  }
})

test('a source that is never heard is starting for as long as it may be silent, then down', () => {
  const { clock, look } = newClock()
  const source = clock.addSource(terms({ suspendMs: 0 }), T0)
  clock.expect('7', source, T0)
  assert.deepEqual(look(0), ['7 starting@0'])
  assert.deepEqual(look(2_999), [])
  assert.deepEqual(look(3_249), ['suspend 1', '7 down@3249'])
  assert.deepEqual(look(9_000), [])
  assert.equal(clock.sourceHealth(source).heardAt, null)
})

test('signs of life without a word keep a source live: heart-beats, answers that nothing is new', () => {
  const { clock, look } = newClock()
  const source = clock.addSource(terms(), T0)
  clock.hear('7', T0, T0, source)
  clock.beat(source, T0)
  assert.deepEqual(look(0), ['7 live@0'])
  for (let ms = 900; ms < 3_600_000; ms += 900) {
    clock.beat(source, T0 + ms)
    assert.deepEqual(look(ms), [])
  }
})

test('an observation alone is no sign of life of a configured source', () => {
  const { clock, look, reported } = newClock()
  const source = clock.addSource(terms(), T0)
  clock.beat(source, T0)
  for (let ms = 0; ms <= 3_000; ms += 500) {
    clock.hear('7', T0 + ms, T0 + ms, source)
    look(ms)
  }
  assert.equal(reported.get('7')?.state, 'down')
})

test('what one that is down says all the same is suspended: after a second at first, then a second after it began again', () => {
  const { clock, look } = newClock()
  const source = clock.addSource(terms({ suspendMs: 500 }), T0)
  clock.beat(source, T0)
  look(0)
  const suspensions: number[] = []
  for (let ms = 100; ms <= 8_000; ms += 100) {
    clock.hear('7', T0 + ms, T0 + ms, source)
    if (look(ms).includes('suspend 1')) suspensions.push(ms)
  }
  // Down at 3 000 at the earliest, due at 3 500, and not looked at more often than four times a second.
  assert.ok(suspensions[0]! >= 3_500 && suspensions[0]! <= 4_750, `${suspensions}`)
  assert.ok(suspensions.length >= 3)
  for (const [n, ms] of suspensions.entries()) {
    if (n > 0) assert.ok(ms - suspensions[n - 1]! >= 1_000 && ms - suspensions[n - 1]! <= 1_500, `${suspensions}`)
  }
  assert.ok(clock.beat(source, T0 + 8_100), 'what stands has to be said anew')
  assert.ok(!clock.beat(source, T0 + 8_200))
})

test('a bookmaker whose prices come old is late while its source is live, and only that one', () => {
  const { clock, look, reported } = newClock()
  const source = clock.addSource(terms({ behindMsMax: 500, lateMs: 60_000, downMs: 90_000 }), T0)
  clock.beat(source, T0)
  clock.hear('7', T0 - 500, T0, source)
  clock.hear('8', T0 - 499, T0, source)
  assert.deepEqual(look(0), ['7 late@0', '8 live@0'])
  assert.equal(reported.get('7')?.behindMs, 500)
  assert.equal(clock.sourceHealth(source).state, 'live')
  clock.hear('7', T0 + 10, T0 + 10, source)
  assert.deepEqual(look(10), ['7 live@10'], 'at once')
  clock.hear('8', T0 - 5_000, T0 + 20, source)
  assert.deepEqual(look(260), ['8 late@260'], 'at the next look')
  clock.hear('8', T0 + 9_000, T0 + 300, source)
  assert.deepEqual(look(300), ['8 live@300'])
  assert.equal(reported.get('8')?.behindMs, 0, 'a clock that runs ahead is not behind')
})

test('of two sources that feed one bookmaker the one that spoke last says how it is', () => {
  const { clock, look } = newClock()
  const [one, two] = [clock.addSource(terms(), T0), clock.addSource(terms({ lateMs: 50_000, downMs: 60_000 }), T0)]
  clock.hear('7', T0, T0, one)
  clock.beat(one, T0)
  clock.beat(two, T0)
  assert.deepEqual(look(0), ['7 live@0'])
  assert.deepEqual(look(1_000), ['7 late@1000'])
  clock.hear('7', T0 + 1_100, T0 + 1_100, two)
  assert.deepEqual(look(1_100), ['7 live@1100'])
  assert.deepEqual(look(5_100), [], 'the other one is down, and not asked')
  assert.equal(clock.sourceHealth(one).state, 'down')
})

test('a source without an end to its silence is down, and nothing of it is suspended', () => {
  const { clock, look } = newClock()
  const source = clock.addSource(terms({ suspendMs: null }), T0)
  clock.hear('7', T0, T0, source)
  clock.beat(source, T0)
  look(0)
  assert.deepEqual(look(3_000), ['7 down@3000'])
  assert.deepEqual(look(10_000_000), [])
  assert.equal(clock.sourceHealth(source).suspendedAt, null)
})

test('a bookmaker that no configured source feeds goes by its observations and the common limits', () => {
  const { clock, look, reported } = newClock()
  clock.hear('3', T0, T0, NO_SOURCE)
  assert.deepEqual(look(0), ['3 live@0'])
  assert.deepEqual(look(9_999), [])
  assert.deepEqual(look(10_249), ['3 late@10249'])
  assert.deepEqual(look(59_999), [])
  assert.deepEqual(look(60_249), ['3 down@60249'])
  clock.hear('3', T0 + 50_300, T0 + 60_300, NO_SOURCE)
  assert.deepEqual(look(60_300), ['3 late@60300'], 'old news')
  assert.equal(reported.get('4'), undefined)
})

test('a bookmaker that was heard of before is not starting because a source is to feed it, too', () => {
  const { clock, look } = newClock()
  clock.hear('3', T0, T0, NO_SOURCE)
  look(0)
  clock.expect('3', clock.addSource(terms(), T0), T0)
  assert.deepEqual(look(10), [])
})

test('a source that ends leaves its bookmakers down, and has its number again under its name', () => {
  const { clock, look } = newClock()
  const [one, two] = [clock.addSource(terms(), T0), clock.addSource(terms({ name: 't' }), T0)]
  for (const [bookmaker, source] of [
    ['7', one],
    ['8', two],
  ] as const) {
    clock.hear(bookmaker, T0, T0, source)
    clock.beat(source, T0)
  }
  assert.deepEqual(look(0), ['7 live@0', '8 live@0'])
  clock.endSource(one, T0 + 100)
  clock.beat(two, T0 + 100)
  assert.deepEqual(look(100), ['7 down@100'])
  assert.equal(clock.addSource(terms({ name: 'u' }), T0 + 200), 3, 'of another name')
  // Whatever its terms say of silence: there is nobody left to suspend.
  clock.beat(two, T0 + 10_000)
  assert.deepEqual(look(10_000), [])
  assert.equal(clock.addSource(terms({ lateMs: 50_000, downMs: 60_000 }), T0 + 10_000), one)
  assert.deepEqual(look(10_000), ['7 starting@10000'])
  clock.beat(one, T0 + 10_100)
  clock.beat(two, T0 + 10_100)
  assert.deepEqual(look(10_100), ['7 live@10100'])
})

test('a bookmaker that another source is configured for is starting, when the one that fed it has ended', () => {
  const { clock, look } = newClock()
  const one = clock.addSource(terms(), T0)
  clock.hear('7', T0, T0, one)
  clock.beat(one, T0)
  assert.deepEqual(look(0), ['7 live@0'])
  const two = clock.addSource(terms({ name: 't' }), T0 + 100)
  clock.expect('7', two, T0 + 100)
  assert.deepEqual(look(100), [], 'the first one still feeds it')
  clock.endSource(one, T0 + 200)
  assert.deepEqual(look(200), ['7 down@200'])
  clock.expect('7', two, T0 + 300)
  assert.deepEqual(look(300), ['7 starting@300'])
})

test('after a pause of the process a source is not found worse before what it has said meanwhile could be read', () => {
  const clock = new FeedClock({ feedLateMs: 10_000, feedDownMs: 60_000, pauseMsMin: 1_000 })
  const look = (ms: number): string[] => {
    const { healths, suspended } = clock.look(T0 + ms)
    return [
      ...suspended.map((source) => `suspend ${source}`),
      ...healths.map(({ bookmaker, state }) => `${bookmaker} ${state}`),
    ]
  }
  const well = clock.addSource(terms({ name: 'well' }), T0)
  const dead = clock.addSource(terms({ name: 'dead' }), T0)
  clock.expect('1', well, T0)
  clock.expect('2', dead, T0)
  for (const source of [well, dead]) clock.beat(source, T0)
  // Of no configured source.
  clock.hear('3', T0, T0, NO_SOURCE)
  assert.deepEqual(look(0), ['1 live', '2 live', '3 live'])
  assert.deepEqual(look(90_000), [], 'paused for 90 s')
  clock.beat(well, T0 + 90_001)
  clock.hear('3', T0 + 90_001, T0 + 90_001, NO_SOURCE)
  const lookOn = (from: number, to: number): string[] => {
    const all: string[] = []
    for (let ms = from; ms < to; ms += 100) {
      clock.beat(well, T0 + ms)
      clock.hear('3', T0 + ms, T0 + ms, NO_SOURCE)
      all.push(...look(ms))
    }
    return all
  }
  assert.deepEqual(lookOn(90_100, 91_000), [])
  assert.deepEqual(lookOn(91_000, 91_500), ['2 down'], 'the one that is still silent is')
  assert.deepEqual(lookOn(91_500, 94_000), [`suspend ${dead}`], 'and its own limit after that suspended')
})

/** A clock of a process among others: `leads` and `said` are what it knows of them. */
const newSharedClock = (leads: boolean) => {
  const world = { leads, said: new Map<string, FeedState>() }
  const clock = new FeedClock(
    { feedLateMs: 10_000, feedDownMs: 60_000 },
    { isLeader: () => world.leads, stateOf: (bookmaker) => world.said.get(bookmaker) },
  )
  const look = (ms: number): string[] => {
    const { healths, suspended } = clock.look(T0 + ms)
    for (const { bookmaker, state } of healths) world.said.set(bookmaker, state)
    return [
      ...suspended.map((source) => `suspend ${source}`),
      ...healths.map((each) => `${each.bookmaker} ${each.state}`),
    ]
  }
  return { clock, look, world }
}

test('of several processes the leader says how a bookmaker without a configured source is', () => {
  const { clock, look, world } = newSharedClock(false)
  clock.hear('3', T0, T0, NO_SOURCE)
  for (const ms of [0, 250, 10_250, 60_250]) assert.deepEqual(look(ms), [], 'another one says so')
  world.leads = true
  assert.deepEqual(look(60_500), ['3 down'], 'nobody has said it')
})

test('a new leader goes on from what the log last said', () => {
  const { clock, look, world } = newSharedClock(false)
  clock.hear('3', T0, T0, NO_SOURCE)
  clock.hear('4', T0, T0, NO_SOURCE)
  look(0)
  world.said.set('3', 'live').set('4', 'live')
  clock.hear('3', T0 + 9_000, T0 + 9_000, NO_SOURCE)
  world.leads = true
  assert.deepEqual(look(9_250), [], 'it is as it was')
  assert.deepEqual(look(10_250), ['4 late'], 'it has heard what the former leader has heard')
  // Another one leads for a while.
  world.leads = false
  clock.hear('4', T0 + 11_000, T0 + 11_000, NO_SOURCE)
  assert.deepEqual(look(11_000), [])
  world.said.set('4', 'live')
  world.leads = true
  assert.deepEqual(look(11_250), [])
  assert.deepEqual(look(60_250 + 11_000), ['3 down', '4 down'])
})

test('a source that another process runs is not judged, nor its bookmakers; one that begins here is starting', () => {
  const { clock, look, world } = newSharedClock(true)
  const source = clock.standBy(terms({ suspendMs: 0 }), T0)
  clock.hear('7', T0, T0, source)
  clock.hear('8', T0, T0, ELSEWHERE)
  world.said.set('7', 'live').set('8', 'live')
  for (const ms of [0, 5_000, 100_000]) assert.deepEqual(look(ms), [])
  assert.equal(clock.addSource(terms({ suspendMs: 0 }), T0 + 100_000), source, 'it keeps its number')
  assert.deepEqual(look(100_000), ['7 starting'])
  clock.beat(source, T0 + 100_100)
  assert.deepEqual(look(100_100), ['7 live'])
  clock.leaveSource(source)
  assert.deepEqual(look(200_000), [], 'neither suspended nor down: whoever runs it now says so')
  clock.addSource(terms(), T0 + 200_000)
  clock.beat(source, T0 + 200_000)
  assert.deepEqual(look(200_250), [], 'it was live, and is')
  clock.expect('8', source, T0 + 200_250)
  assert.deepEqual(look(200_500), [], 'it is fed from here now, and live')
  assert.deepEqual(look(201_250), ['7 late', '8 late'])
})

test('a bookmaker that a configured source of another process and a feed key feed goes by who spoke last', () => {
  const { clock, look } = newSharedClock(true)
  clock.hear('7', T0, T0, NO_SOURCE)
  assert.deepEqual(look(0), ['7 live'])
  clock.hear('7', T0 + 9_000, T0 + 9_000, ELSEWHERE)
  assert.deepEqual(look(30_000), [])
  clock.hear('7', T0 + 31_000, T0 + 31_000, NO_SOURCE)
  assert.deepEqual(look(41_000), ['7 late'])
})
