// The history of the live channel across a restart: saved and loaded in the middle of a random life, it continues as the
// one that was never saved, in its image and in every octet that a replay sends.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Audience } from '../../src/domain/audience.ts'
import type { EventDecision } from '../../src/domain/event-identity.ts'
import { MARKET_TYPES } from '../../src/domain/market.ts'
import { SPORTS } from '../../src/domain/sport.ts'
import { TRANSPORTS } from '../../src/domain/transport.ts'
import { CatchUp, PartNumbers } from '../../src/stomp/catch-up.ts'
import type { Topic } from '../../src/stomp/destination.ts'
import { Flow, type FlowFilter } from '../../src/stomp/flow.ts'
import { LiveHistory } from '../../src/stomp/live-history.ts'
import { ALL_TYPES } from '../../src/stomp/message.ts'
import { Renderer } from '../../src/stomp/renderer.ts'
import type { RingLimits } from '../../src/stomp/replay-ring.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'
import { bookmaker, LiveRoom, sighting } from './memory-carrier.ts'

const BOOKS = ['alpha', 'beta', 'gamma']
const SPORT_NAMES = ['football', 'tennis', 'golf'] as const
const HOUR_MS = 3_600_000
const BYTES_PER_CHANGE = 100
const never = (): boolean => false

let room: LiveRoom

afterEach(() => room.close())

const keyOf = (n: number): string => `source${n}:${n}`

/** Observations, renamed and merged events, health, and days that pass. */
class Life {
  readonly random: Random
  private decisions: EventDecision[] = []
  private readonly histories: LiveHistory[] = []
  /** Ids that events have had. */
  readonly ids = new Set<string>()

  constructor(random: Random, limits: RingLimits) {
    this.random = random
    room = new LiveRoom({ bookmakers: BOOKS.map((slug) => bookmaker(slug)), limits })
    this.join(room.history)
  }

  /** A history that gets the turns of the room from now on. */
  join(history: LiveHistory): void {
    this.histories.push(history)
    room.engine.onIdMoved = (id) => {
      this.ids.add(id)
      for (const each of this.histories) each.idMoved(id)
    }
  }

  turn(): void {
    const { random } = this
    for (let count = random.int(0, 5); count > 0; count--) this.happen()
    room.turn()
    const { reader } = room.engine
    for (let number = 1; number < reader.eventNumbersEnd; number++) {
      const view = reader.eventAt(number)
      if (view !== undefined) this.ids.add(view.event.id)
    }
    if (random.chance(0.01)) room.jump(random.int(1, 26) * HOUR_MS)
    room.advance(random.int(0, 5))
  }

  private happen(): void {
    const { random } = this
    const n = random.int(1, 14)
    const at = random.next()
    if (at < 0.03) this.decide(n, random.int(1, 14))
    else if (at < 0.05) {
      const health = { bookmaker: random.pick(BOOKS), state: 'late' as const, since: room.nowAt, behindMs: 7 }
      room.turns.add({ kind: 'health', health })
    } else {
      const event = sighting(n, {
        sport: SPORT_NAMES[n % SPORT_NAMES.length]!,
        leagueKey: `league_${random.chance(0.02) ? 9 : n % 3}`,
        home: random.chance(0.03) ? `Home ${n} FC` : `Home ${n}`,
        away: n === 5 ? 'A lone surrogate: \ud800' : `Away ${n}`,
        sourceKey: keyOf(n),
      })
      const status = random.pick(['open', 'open', 'suspended', 'closed'] as const)
      const type = random.pick(MARKET_TYPES.slice(0, 3))
      const outcome = random.chance(0.9) ? 'home' : `ä"${'x'.repeat(random.int(0, 60))}`
      const odds = 1 + random.int(1, 30) / 10
      const transport = random.pick(['live', 'live', 'both', 'rest'] as const)
      const prices = Array.from({ length: random.int(0, 3) }, (_, place) => {
        return { type, line: null, outcome: place === 0 ? outcome : `${place}`, odds, status }
      })
      room.observe({ bookmaker: random.pick(BOOKS), transport, observedAt: room.nowAt, event, prices, others: 'keep' })
    }
  }

  private decide(a: number, b: number): void {
    const { random } = this
    const keys = [keyOf(a), keyOf(b)] as const
    if (random.chance(0.3)) this.decisions = this.decisions.filter(() => random.chance(0.5))
    else if (a % SPORT_NAMES.length === b % SPORT_NAMES.length && a !== b) {
      this.decisions = [...this.decisions, { kind: 'merge', keys, swapped: random.chance(0.3) }]
    }
    room.turns.add({ kind: 'decide', decisions: this.decisions })
  }

  filter(): FlowFilter {
    const { random } = this
    const topic = random.pick(['odds', 'status', 'events', 'feeds'] as const satisfies readonly Topic[])
    const hasEvent = topic !== 'feeds' && this.ids.size > 0 && random.chance(0.4)
    return {
      topic,
      sportNumber: random.chance(0.3) ? SPORTS.indexOf(random.pick(SPORT_NAMES)) : null,
      bookmaker: random.chance(0.3) ? random.int(1, 3) : null,
      eventId: hasEvent ? random.pick([...this.ids]) : null,
      types: random.chance(0.3) ? 1 << random.int(0, 2) : ALL_TYPES,
      leagues: random.chance(0.2) ? new Set([`league_${random.int(0, 3)}`]) : null,
      conflateMs: topic === 'odds' && random.chance(0.2) ? 50 : 0,
      isNumbered: (topic === 'odds' || topic === 'status') && random.chance(0.3),
      privateTo: 0,
    }
  }

  audience(): Audience {
    const bits = this.random.chance(0.5) ? 0b1110 : this.random.int(1, 7) << 1
    return {
      id: bits,
      text: String(bits),
      sets: Array.from({ length: TRANSPORTS.length * SPORTS.length }, () => Uint32Array.of(bits)),
    }
  }
}

const assertSame = (actual: LiveHistory, expected: MemoryImage, at: string): void => {
  const image = MemoryImage.of(actual)
  if (!image.equals(expected)) assert.deepEqual(image.parts, expected.parts, at)
}

const renderers = new WeakMap<LiveHistory, Renderer>()

const rendererOf = (history: LiveHistory): Renderer => {
  const renderer = renderers.get(history) ?? new Renderer(room.engine, history.ring)
  renderers.set(history, renderer)
  return renderer
}

/** By looking through all of the ring, from the end. */
const scanned = ({ ring }: LiveHistory, renderer: Renderer, flow: Flow): number | undefined => {
  for (let group = ring.groupsEnd - 1; group >= ring.groupsStart; group--) {
    if (renderer.pickGroup(flow, group)) return renderer.selection.lastSeq
  }
  return undefined
}

/** All that a subscription gets that resumes after a seq, and where it ends. @param isPlain by visiting each group */
const replay = (
  history: LiveHistory,
  filter: FlowFilter,
  audience: Audience,
  seq: number,
  keepsState: boolean,
  isPlain = false,
) => {
  const renderer = rendererOf(history)
  const flow = new Flow('flow', filter, audience, history.ring.floorSeq)
  history.lastSeqs.setFor(flow, renderer)
  const first = { lastSeq: flow.lastSeq, isExact: flow.isLastSeqExact }
  const last = scanned(history, renderer, flow)
  const catchUp = new CatchUp({
    renderer,
    eventIds: keepsState ? history.eventIds : undefined,
    chains: isPlain ? undefined : history.chains,
    flow,
    form: { subscription: 'sub', acknowledges: false, ackNumber: undefined, encoding: 'json' },
    destination: '/topic/odds.#',
    start: { afterSeq: seq },
    partNumbers: new PartNumbers(),
    heldLateMsMax: 5_000,
  })
  let progress = catchUp.step(1e9, room.nowAt, never)
  for (let steps = 0; progress === 'more' && steps < 100; steps++) progress = catchUp.step(1e9, room.nowAt, never)
  return { first, last, progress, frames: catchUp.run.detach().bytes.toString() }
}

/** Compares a history that was loaded with the one of the room. */
const compare = (life: Life, loaded: LiveHistory, at: string, times: number, hasSameLimits = true): number => {
  const { random } = life
  let octets = 0
  for (let time = 0; time < times; time++) {
    const asked = life.filter()
    // The prices that conflation may have held may be older than what a smaller ring holds.
    const filter = hasSameLimits ? asked : { ...asked, conflateMs: 0 }
    const audience = life.audience()
    const seq = random.int(loaded.ring.floorSeq, loaded.ring.lastSeq)
    const keepsState = random.chance(0.5)
    const [expected, actual] = [room.history, loaded].map((each) => replay(each, filter, audience, seq, keepsState))
    const plain = replay(loaded, filter, audience, seq, keepsState, true)
    assert.deepEqual([actual!.progress, actual!.frames], [plain.progress, plain.frames], `${at}: without chains`)
    const of = `${at}, after ${seq}, ${JSON.stringify(filter)}`
    if (hasSameLimits) assert.deepEqual(actual!.first, expected!.first, of)
    else {
      const least = Math.min(expected!.first.lastSeq, expected!.last ?? 0)
      assert(actual!.first.lastSeq >= least, `${of}: ${actual!.first.lastSeq} is earlier than ${least}`)
    }
    assert.deepEqual([actual!.progress, actual!.frames], [expected!.progress, expected!.frames], of)
    octets += expected!.frames.length
  }
  return octets
}

const eventsOf = ({ ring }: LiveHistory): number => {
  const held = new Set<unknown>()
  for (let group = ring.groupsStart; group < ring.groupsEnd; group++) held.add(ring.viewOf(group))
  return held.size
}

const limitsOf = (random: Random): RingLimits => ({
  replayBytesMax: 2 ** random.int(4, 11) * BYTES_PER_CHANGE,
  replayTextBytesMax: random.pick([20_000, 2 ** 30]),
  replayMsMax: random.pick([200, 60_000, 100 * HOUR_MS]),
})

test('a history that was saved and loaded continues as one that was not', () => {
  const random = new Random(SEED)
  let octets = 0
  for (let world = 0; world < 25; world++) {
    const limits = limitsOf(random)
    const life = new Life(random, limits)
    for (let turn = random.int(0, 600); turn > 0; turn--) life.turn()
    let loaded: LiveHistory | undefined
    for (let restart = 0; restart < 3; restart++) {
      const at = `seed ${SEED}, world ${world} (${JSON.stringify(limits)}), restart ${restart}`
      const image = MemoryImage.of(room.history)
      if (loaded !== undefined) assertSame(loaded, image, at)
      loaded = new LiveHistory(room.engine, limits)
      const reader = image.reader()
      loaded.load(reader, random.int(1, 200))
      reader.checkRead()
      life.join(loaded)
      if (random.chance(0.5)) assertSame(loaded, image, `${at}: loaded`)
      // Turns come while it is not complete.
      while (loaded.build(() => true)) if (random.chance(0.2)) life.turn()
      assertSame(loaded, MemoryImage.of(room.history), `${at}: loaded`)
      octets += compare(life, loaded, `${at}: loaded`, 20)
      let eventsMax = eventsOf(loaded)
      for (let step = 0; step < 10; step++) {
        for (let turn = random.int(0, 30); turn > 0; turn--) {
          life.turn()
          eventsMax = Math.max(eventsMax, eventsOf(loaded))
        }
        assertSame(loaded, MemoryImage.of(room.history), `${at}, step ${step}`)
        octets += compare(life, loaded, `${at}, step ${step}`, 5)
      }
      // Events that the ring has dropped are forgotten when others come: there may be as many as it has held at once.
      const { size } = loaded.chains
      assert(size <= 2 * eventsMax + 20, `${at}: ${size} chains of ${eventsMax} events`)
    }
    if (world < 24) room.close()
  }
  assert(octets > 200_000, `seed ${SEED}: only ${octets} octets were compared`)
})

test('with smaller limits, the newest groups that fit are loaded, and replays from where they begin are the same', () => {
  const random = new Random(SEED)
  let dropped = 0
  for (let world = 0; world < 15; world++) {
    const limits = { ...limitsOf(random), replayBytesMax: 2_048 * BYTES_PER_CHANGE, replayMsMax: 100 * HOUR_MS }
    const life = new Life(random, limits)
    for (let turn = random.int(0, 400); turn > 0; turn--) life.turn()
    const at = `seed ${SEED}, world ${world}`
    const loaded = new LiveHistory(room.engine, {
      ...limits,
      replayBytesMax: 2 ** random.int(0, 10) * BYTES_PER_CHANGE,
      replayTextBytesMax: random.pick([limits.replayTextBytesMax, 10_000]),
    })
    const reader = MemoryImage.of(room.history).reader()
    loaded.load(reader, random.int(1, 200))
    reader.checkRead()
    life.join(loaded)
    while (loaded.build(() => true)) if (random.chance(0.2)) life.turn()
    assert(loaded.ring.size <= loaded.ring.capacity, at)
    assert(loaded.ring.floorSeq >= room.history.ring.floorSeq, at)
    assert.equal(loaded.ring.lastSeq, room.history.ring.lastSeq, at)
    if (loaded.ring.floorSeq > room.history.ring.floorSeq) dropped++
    compare(life, loaded, `${at}: loaded`, 30, false)
    for (let turn = 0; turn < 100; turn++) {
      life.turn()
      compare(life, loaded, `${at}, turn ${turn}`, 1, false)
    }
    if (world < 14) room.close()
  }
  assert(dropped > 3, `seed ${SEED}: only ${dropped} had to drop something`)
})

test('an event that is on the board is the same object after loading, one that is gone is one object for all groups', () => {
  const limits = { replayBytesMax: 1_024 * BYTES_PER_CHANGE, replayTextBytesMax: 2 ** 30, replayMsMax: 100 * HOUR_MS }
  const random = new Random(SEED)
  const life = new Life(random, limits)
  for (let turn = 0; turn < 30; turn++) life.turn()
  room.jump(25 * HOUR_MS)
  room.turn()
  for (let turn = 0; turn < 5; turn++) life.turn()
  const loaded = new LiveHistory(room.engine, limits)
  const reader = MemoryImage.of(room.history).reader()
  loaded.load(reader)
  reader.checkRead()
  loaded.build(() => false)
  const gone = new Map<unknown, unknown>()
  const { ring } = room.history
  for (let group = ring.groupsStart, other = loaded.ring.groupsStart; group < ring.groupsEnd; group++, other++) {
    if (ring.noticeOf(group) !== undefined) continue
    const [view, after] = [ring.viewOf(group), loaded.ring.viewOf(other)]
    if (room.engine.board.catalogue.recordOf(view.number) === view) assert.equal(after, view)
    else {
      assert.equal(gone.get(view) ?? after, after)
      gone.set(view, after)
      assert.equal(after.event.id, view.event.id)
    }
  }
  assert(gone.size > 2, `seed ${SEED}: ${gone.size} events are gone`)
  assert.equal(new Set(gone.values()).size, gone.size)
  assert.equal(loaded.ring.floorSeq, ring.floorSeq)
})
