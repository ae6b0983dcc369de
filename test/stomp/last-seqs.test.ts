// The seq of the last message that a new flow would have carried: against a scan of the whole ring.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { MARKET_TYPES } from '../../src/domain/market.ts'
import type { Flow } from '../../src/stomp/flow.ts'
import { Random, SEED } from '../random.ts'
import { readPoint } from './desk.ts'
import { bookmaker, LiveRoom, type LiveRoomOptions, sighting } from './memory-carrier.ts'

const BOOKS = ['alpha', 'beta', 'gamma']

let room: LiveRoom

afterEach(() => room.close())

const open = (options: LiveRoomOptions = {}): Random => {
  room = new LiveRoom({ bookmakers: BOOKS.map((slug) => bookmaker(slug)), ...options })
  return new Random(SEED)
}

/** Some turns of changes: of five sports, two leagues, a few market types, with notices between. */
const happen = (random: Random, turns: number): void => {
  for (let turn = 0; turn < turns; turn++) {
    for (let count = random.int(1, 4); count > 0; count--) {
      const n = random.int(1, 12)
      const event = sighting(n, {
        sport: n % 2 === 0 ? 'football' : 'tennis',
        leagueKey: `league_${n % 3}`,
        leagueName: `League ${n % 3}`,
        home: random.chance(0.02) ? `Home ${n} FC` : `Home ${n}`,
      })
      const status = random.pick(['open', 'open', 'suspended'] as const)
      const type = random.pick(MARKET_TYPES.slice(0, 3))
      const prices = [{ type, line: null, outcome: 'home', odds: 1 + random.int(1, 30) / 10, status }]
      const slug = random.pick(BOOKS)
      room.observe({ bookmaker: slug, transport: 'live', observedAt: room.nowAt, event, prices, others: 'keep' })
    }
    room.turn()
    room.advance(1)
  }
}

/** By looking through all of the ring, from the end. */
const scanned = (flow: Flow): number => {
  const { ring, renderer } = room.broker
  for (let group = ring.groupsEnd - 1; group >= ring.groupsStart; group--) {
    if (renderer.pickGroup(flow, group)) return renderer.selection.lastSeq
  }
  return ring.floorSeq
}

const DESTINATIONS = [
  '/topic/odds.#',
  '/topic/status.#',
  '/topic/odds.football.#',
  '/topic/status.tennis.*.*',
  '/topic/odds.*.beta.*',
  '/topic/status.football.alpha.*',
  '/topic/events.#',
  '/topic/events.tennis.*',
  '/topic/feeds.*',
]

test('the index gives what a scan of the ring gives, whatever is subscribed to', () => {
  const random = open()
  const customers = [
    room.addCustomer('all'),
    room.addCustomer('one', ['beta']),
    room.addCustomer('two', ['alpha', 'gamma']),
  ]
  let exact = 0
  for (let round = 0; round < 60; round++) {
    happen(random, 20)
    const ids = Array.from({ length: room.engine.reader.eventNumbersEnd }, (_, n) => room.engine.reader.eventAt(n))
      .filter((view) => view !== undefined)
      .map(({ event }) => `/topic/${random.pick(['odds', 'status'])}.${event.sport}.*.${event.id}`)
    const client = room.connect(random.pick(customers))
    for (const [n, destination] of [...DESTINATIONS, ...ids].entries()) {
      const headers: Record<string, string> = { id: `s${n}` }
      if (random.chance(0.3)) headers.types = random.pick(MARKET_TYPES.slice(0, 3))
      if (random.chance(0.2)) headers.leagues = `league_${random.int(0, 4)}`
      const isOfBookmaker = destination.includes('beta') || destination.includes('alpha')
      if (isOfBookmaker && client.session.organizationId !== 'org_all') continue
      client.subscribe(destination, headers)
    }
    assert.equal(client.carrier.ending, 'none', client.take().map(String).join())
    for (const flow of room.broker.openFlows()) {
      const truth = scanned(flow)
      const at = `seed ${SEED}, round ${round}, ${flow.key}`
      assert(flow.lastSeq >= truth || truth === room.broker.ring.floorSeq, `${at}: earlier than the truth`)
      if (!flow.isLastSeqExact) continue
      exact++
      assert.equal(Math.max(flow.lastSeq, room.broker.ring.floorSeq), truth, at)
    }
    client.cut()
    room.sweep()
  }
  assert(exact > 500, `seed ${SEED}: only ${exact} were exact`)
})

test('a point that is no message of a flow does not make a gap for who resumes from an earlier one', () => {
  open()
  const customer = room.addCustomer('all')
  const change = (odds: number, status: 'open' | 'suspended' = 'open'): number => {
    const prices = [{ type: MARKET_TYPES[0]!, line: null, outcome: 'home', odds, status }]
    room.observe({
      bookmaker: 'alpha',
      transport: 'live',
      observedAt: room.nowAt,
      event: sighting(1),
      prices,
      others: 'keep',
    })
    room.turn()
    room.advance(1)
    return room.engine.seq
  }
  const early = change(2)
  // Of these `status` carries nothing.
  const late = [2.1, 2.2].map((odds) => change(odds)).at(-1)!
  const points = [late, early]
  const clients = points.map((seq, n) => {
    const client = room.connect(customer)
    const headers = { id: `s${n}`, quotes: 'numbered', 'from-seq': `${room.engine.epoch}-${seq}` }
    client.subscribe('/topic/status.#', headers)
    return client
  })
  assert.equal([...room.broker.openFlows()].length, 1)
  for (const client of clients) assert.deepEqual(client.messages(), [])
  change(2.2, 'suspended')
  for (const [n, client] of clients.entries()) {
    const [message] = client.messages()
    // Of a message by numbers: how far it is back.
    const prev = readPoint(message!.headers.get('message-id')!).seq - Number(message!.headers.get('prev'))
    assert(prev <= points[n]!, `prev ${prev} tells who has everything up to ${points[n]} that something was missed`)
  }
})
