// The replay ring against a naive twin: a list of all that has happened, truncated at the front.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Changes, type EventNotice } from '../../src/board/changes.ts'
import { NO_LINE } from '../../src/board/columns.ts'
import { jsonBytes } from '../../src/board/outcome-labels.ts'
import type { Event, EventView } from '../../src/domain/event.ts'
import { CHANGE, type ChangeNumber, type QuoteStatusNumber } from '../../src/domain/quote.ts'
import { TRANSPORT_NUMBER, type TransportNumber } from '../../src/domain/transport.ts'
import { ReplayRing } from '../../src/stomp/replay-ring.ts'
import { Random, SEED } from '../random.ts'
import { WORLD_START } from '../random-observations.ts'
import { appendChange, type QuoteChange } from './append-change.ts'

const BYTES_PER_CHANGE = 100

interface NaiveChange {
  readonly seq: number
  readonly text: string
}

interface NaiveGroup {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly recordedAt: number
  readonly eventId: string | undefined
  readonly changes: readonly NaiveChange[]
}

const eventOf = (n: number, version: number): Event => ({
  id: String(n),
  sport: 'football',
  leagueKey: `league_${version}`,
  leagueName: 'League',
  homeTeam: `Home ${n}`,
  awayTeam: `Away ${n}`,
  kickoffAt: WORLD_START,
})

type Record = { -readonly [Key in keyof EventView]: EventView[Key] }

const added = (quote: number, view: EventView, label: string): QuoteChange => ({
  change: CHANGE.added,
  cause: 0,
  quote,
  view,
  book: 3,
  bookmaker: 1,
  transport: TRANSPORT_NUMBER.live,
  type: 0,
  line: NO_LINE,
  outcome: jsonBytes(label),
  odds: 2,
  status: 1,
  observedAt: WORLD_START,
  recordedAt: WORLD_START,
})

const newRecords = (): Record[] =>
  Array.from({ length: 4 }, (_, n) => ({
    number: n + 1,
    event: eventOf(n, 0),
    sportNumber: 0,
    formerIds: [],
    versions: [0, 0],
    shapes: [0, 0],
  }))

/** What the ring says of a group, as the twin would. */
const shown = (ring: ReplayRing, group: number): NaiveGroup => {
  const firstSeq = ring.firstSeqOf(group)
  const changes: NaiveChange[] = []
  for (let at = ring.firstChangeOf(group); at < ring.endOf(group); at++) {
    const text = [
      ring.changeAt(at),
      ring.quoteAt(at),
      ring.typeAt(at),
      ring.lineAt(at),
      Buffer.from(ring.outcomeAt(at)).toString(),
      ring.oddsAt(at),
      ring.statusAt(at),
      ring.observedAtAt(at),
      ring.bookOf(group),
      ring.bookmakerOf(group),
    ].join(' ')
    changes.push({ seq: firstSeq + changes.length, text })
  }
  const notice = ring.noticeOf(group)
  return {
    firstSeq,
    lastSeq: ring.lastSeqOf(group),
    recordedAt: ring.recordedAtOf(group),
    eventId: notice === undefined ? `${ring.eventOf(group).id} ${ring.eventOf(group).leagueKey}` : undefined,
    changes,
  }
}

class Log {
  readonly groups: NaiveGroup[] = []
  readonly random: Random
  readonly changes = new Changes()
  readonly records = newRecords()
  nowAt = WORLD_START

  constructor(random: Random) {
    this.random = random
  }

  /** A turn with some changes of some books; what is live, and notices, are added to the twin's list. */
  turn(most: number): void {
    const { random, changes } = this
    changes.clear()
    const byBook = new Map<string, { book: number; isLive: boolean; texts: string[]; at: number; event: Event }>()
    const order: (string | EventNotice)[] = []
    for (let count = random.int(0, most); count > 0; count--) {
      this.nowAt += random.int(0, 3)
      if (random.chance(0.1)) {
        const record = random.pick(this.records)
        if (random.chance(0.5)) record.event = eventOf(record.number - 1, random.int(0, 9))
        const notice = {
          event: record.event,
          sportNumber: 0,
          formerIds: [],
          before: [],
          after: [1],
          was: undefined,
          mergedInto: undefined,
        }
        changes.notify(notice, this.nowAt)
        order.push(notice)
        byBook.set(`notice ${order.length}`, { book: 0, isLive: true, texts: [], at: this.nowAt, event: record.event })
        order[order.length - 1] = `notice ${order.length}`
        continue
      }
      const n = random.int(0, 3)
      const bookmaker = random.int(1, 3)
      const transport: TransportNumber = random.chance(0.6) ? TRANSPORT_NUMBER.live : TRANSPORT_NUMBER.rest
      const book = 1 + n * 10 + bookmaker * 2 + transport
      const values = {
        change: random.int(1, 6) as ChangeNumber,
        quote: random.int(1, 50),
        type: random.int(0, 5),
        line: random.chance(0.5) ? NO_LINE : random.int(-3, 3) / 2,
        outcome: random.pick(['home', 'ä"', 'under']),
        odds: 1 + random.int(1, 900) / 100,
        status: random.int(1, 3) as QuoteStatusNumber,
        observedAt: this.nowAt - random.int(0, 1_000),
      }
      const { change, quote, type, line, outcome, odds, status, observedAt } = values
      const record = this.records[n]!
      const json = jsonBytes(outcome)
      const of = { view: record, book, bookmaker, transport, recordedAt: this.nowAt }
      appendChange(changes, { ...of, change, cause: 0, quote, type, line, outcome: json, odds, status, observedAt })
      const key = `book ${book}`
      const known = byBook.get(key)
      if (known === undefined) order.push(key)
      const entry = known ?? {
        book,
        isLive: transport === TRANSPORT_NUMBER.live,
        texts: [],
        at: 0,
        event: record.event,
      }
      entry.at = this.nowAt
      entry.event = record.event
      entry.texts.push(
        [change, quote, type, line, JSON.stringify(outcome), odds, status, observedAt, book, bookmaker].join(' '),
      )
      byBook.set(key, entry)
    }
    let seq = changes.seqBefore
    for (const key of order) {
      const { isLive, texts, at, event } = byBook.get(key as string)!
      const firstSeq = seq + 1
      seq += Math.max(1, texts.length)
      if (!isLive) continue
      this.groups.push({
        firstSeq,
        lastSeq: seq,
        recordedAt: at,
        eventId: texts.length === 0 ? undefined : `${event.id} ${event.leagueKey}`,
        changes: texts.map((text, n) => ({ seq: firstSeq + n, text })),
      })
    }
    assert.equal(seq, changes.seq)
  }
}

test('what the ring holds after any seq it vouches for is what has happened since', () => {
  const random = new Random(SEED)
  for (let world = 0; world < 12; world++) {
    const capacity = 2 ** random.int(2, 8)
    const msMax = random.pick([200, 5_000, 1e9])
    const log = new Log(random)
    const ring = new ReplayRing(
      { replayBytesMax: capacity * BYTES_PER_CHANGE, replayMsMax: msMax, replayTextBytesMax: 2 ** 30 },
      0,
    )
    assert.equal(ring.capacity, capacity)
    for (let step = 0; step < 400; step++) {
      const at = `seed ${SEED}, world ${world} (${capacity} changes, ${msMax} ms), step ${step}`
      const before = log.groups.length
      log.turn(random.chance(0.02) ? 3 * capacity : Math.min(30, capacity))
      const first = ring.append(log.changes, log.nowAt)
      assert.equal(ring.lastSeq, log.changes.seq, at)
      assert(ring.size <= capacity, `${at}: bounded`)
      const held = log.groups.filter(({ lastSeq }) => lastSeq > ring.floorSeq)
      const all: NaiveGroup[] = []
      for (let group = ring.groupsStart; group < ring.groupsEnd; group++) all.push(shown(ring, group))
      assert.deepEqual(all, held, at)
      assert.deepEqual(
        all.slice(first - ring.groupsStart),
        log.groups.slice(before).filter((group) => held.includes(group)),
        at,
      )
      for (let look = 0; look < 5; look++) {
        const seq = random.int(Math.min(ring.floorSeq, ring.lastSeq), ring.lastSeq)
        const group = ring.groupAfter(seq)
        const expected = held.findIndex(({ lastSeq }) => lastSeq > seq)
        assert.equal(group, expected === -1 ? ring.groupsEnd : ring.groupsStart + expected, `${at}: after ${seq}`)
      }
      // Within a turn the groups are in the order of their first changes, not of their last.
      const turnMs = 3 * Math.max(30, 3 * capacity)
      assert((ring.oldestAt ?? log.nowAt) >= log.nowAt - msMax - turnMs, `${at}: nothing is too old`)
      if (random.chance(0.05)) log.nowAt += random.int(0, 2 * Math.min(msMax, 10_000))
      // The twin needs no more than what the ring may still hold.
      if (log.groups.length > 5_000) log.groups.splice(0, 2_000)
    }
  }
})

test('the ring vouches for nothing before it began', () => {
  const ring = new ReplayRing(
    { replayBytesMax: 64 * BYTES_PER_CHANGE, replayMsMax: 1_000, replayTextBytesMax: 2 ** 30 },
    77,
  )
  assert.equal(ring.floorSeq, 77)
  assert.equal(ring.lastSeq, 77)
  assert.equal(ring.groupAfter(0), ring.groupsEnd)
  assert.equal(ring.oldestAt, undefined)
  assert.equal(ring.size, 0)
})

test('a group that is larger than the ring leaves nothing behind, and the ring says so', () => {
  const ring = new ReplayRing(
    { replayBytesMax: 4 * BYTES_PER_CHANGE, replayMsMax: 1_000, replayTextBytesMax: 2 ** 30 },
    0,
  )
  const [record] = newRecords()
  const changes = new Changes()
  for (let n = 0; n < 5; n++) {
    appendChange(changes, added(n + 1, record!, 'home'))
  }
  ring.append(changes, WORLD_START)
  assert.equal(ring.groupsStart, ring.groupsEnd)
  assert.equal(ring.floorSeq, 5)
  changes.clear()
  appendChange(changes, added(9, record!, 'home'))
  assert.equal(ring.append(changes, WORLD_START), ring.groupsEnd - 1)
  assert.equal(ring.firstSeqOf(ring.groupsEnd - 1), 6)
})

test('events that have ended count by their texts: a flood of them makes room by what is oldest', () => {
  const textBytesMax = 40_000
  const ring = new ReplayRing(
    { replayBytesMax: 1_024 * BYTES_PER_CHANGE, replayMsMax: 60_000, replayTextBytesMax: textBytesMax },
    0,
  )
  const changes = new Changes()
  const notices = { sportNumber: 0, formerIds: [], was: undefined, mergedInto: undefined }
  for (let n = 1; n <= 100; n++) {
    const event = { ...eventOf(n, 0), homeTeam: 'H'.repeat(200), awayTeam: 'A'.repeat(200) }
    changes.notify({ ...notices, event, before: [], after: [1] }, WORLD_START)
    changes.notify({ ...notices, event, before: [1], after: [] }, WORLD_START)
    ring.append(changes, WORLD_START)
    changes.clear()
    assert(ring.textBytes <= textBytesMax)
    if (n <= 5) assert.equal(ring.groupsStart, 0, 'a few are no reason')
  }
  assert(ring.groupsEnd - ring.groupsStart < 20, `${ring.groupsEnd - ring.groupsStart} groups are held`)
  assert.equal(ring.floorSeq, 200 - (ring.groupsEnd - ring.groupsStart))
  ring.append(changes, WORLD_START + 120_000)
  assert.equal(ring.textBytes, 0, 'the texts of what is too old are released')
})

test('long labels of quotes that are new count, short ones do not', () => {
  const [record] = newRecords()
  for (const [label, isCounted] of [
    ['home', false],
    ['x'.repeat(190), true],
  ] as const) {
    const limits = { replayBytesMax: 4_096 * BYTES_PER_CHANGE, replayMsMax: 60_000, replayTextBytesMax: 30_000 }
    const ring = new ReplayRing(limits, 0)
    const changes = new Changes()
    for (let n = 0; n < 1_000; n++) {
      appendChange(changes, added(n + 1, record!, label))
      ring.append(changes, WORLD_START)
      changes.clear()
    }
    assert.equal(ring.groupsEnd - ring.groupsStart < 200, isCounted, label.slice(0, 8))
  }
})
