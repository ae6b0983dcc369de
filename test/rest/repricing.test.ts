// Bodies into which new prices are written, against a twin that renders each answer from nothing: after every turn the same
// octets, tags and 304s, while prices, statuses, rights, names and time move. What somebody holds stays as it was.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Decision } from '../../src/domain/event-identity.ts'
import type { Price } from '../../src/domain/observation.ts'
import { FRESHNESS_MS } from '../../src/domain/quote.ts'
import { Compressor } from '../../src/rest/compressor.ts'
import type { Exchange } from '../../src/rest/exchange.ts'
import type { Rest } from '../../src/rest/rest.ts'
import { newExchange, newRest } from './exchanges.ts'
import { Random, SEED } from '../random.ts'
import { WORLD_START } from '../random-observations.ts'
import { bookmaker, type Customer, LiveRoom, sighting } from '../stomp/memory-carrier.ts'

const STEPS = 6_000
const SLUGS = ['a', 'b', 'c', 'd']
const EVENTS = 3

let room: LiveRoom

afterEach(() => room?.close())

const ask = (
  rest: Rest,
  customer: Customer,
  path: string,
  rawQuery: string,
  more: Partial<Exchange> = {},
): Exchange => {
  const exchange = newExchange(customer.secret, path, rawQuery, more)
  assert.equal(rest.answer(exchange, room.nowAt), undefined)
  return exchange
}

/** Prices of a book, of all widths, some of them suspended, closed or unchanged. */
const pricesOf = (random: Random): Price[] => {
  const odds = (): number =>
    random.pick([
      2,
      1.5,
      1.25,
      10,
      10.5,
      1.001,
      101.25,
      1_000_000,
      1 + random.next() * 20,
      1 + random.int(1, 900) / 100,
    ])
  const status = () => (random.chance(0.95) ? 'open' : random.pick(['suspended', 'closed'] as const))
  const of = (type: Price['type'], line: number | null, outcomes: readonly string[]): Price[] =>
    outcomes
      .filter(() => random.chance(0.9))
      .map((outcome) => ({ type, line, outcome, odds: odds(), status: status() }))
  return [
    ...of('match_result_1x2', null, ['home', 'draw', 'away']),
    ...(random.chance(0.8) ? of('total_goals', 2.5, ['over', 'under']) : []),
    ...(random.chance(0.05) ? of('total_goals', 3.5, ['over', 'under']) : []),
  ]
}

test('a body with new prices has the octets and the tag of one that is rendered', () => {
  const random = new Random(SEED)
  room = new LiveRoom({ bookmakers: SLUGS.map((slug) => bookmaker(slug)) })
  const compressing: (() => void)[] = []
  const rest = newRest(room, {
    compressor: new Compressor({
      bytesMin: 200,
      bytesMax: 100_000,
      rest: 0,
      elapsedMs: () => 0,
      compress: (body, done) => compressing.push(() => done(gzipSync(body, { level: 1 }))),
    }),
  })
  const customers = [room.addCustomer('all'), room.addCustomer('some', ['a', 'c']), room.addCustomer('one', ['b'])]
  // Answers that are not sent yet, as they have to arrive.
  let held: { readonly body: Buffer; readonly was: string; readonly head: Buffer; readonly headWas: string }[] = []
  const checkHeld = (where: string): void => {
    for (const { body, was, head, headWas } of held) {
      assert.equal(body.toString(), was, where)
      // The seq at the moment of sending is written into it.
      assert.equal(head.toString('latin1').replace(/X-Odds-Seq: .*/, ''), headWas, where)
    }
    held = []
  }
  const ids = (): string[] => {
    const all: string[] = []
    room.engine.reader.visitEvents(
      undefined,
      undefined,
      Number.NEGATIVE_INFINITY,
      ({ event }) => all.push(event.id) > 0,
    )
    return all
  }
  let gzipped = 0
  const compare = (where: string): void => {
    checkHeld(where)
    // Each answer is rendered: nothing fits into its cache.
    const twin = newRest(room, { cacheBytesMax: 1 })
    for (const id of ids()) {
      const path = `/events/${id}/odds`
      const customer = random.pick(customers)
      const rawQuery = random.pick(['', '', 'bookmaker=a,b'])
      const { reply, head } = ask(rest, customer, path, rawQuery)
      const naive = ask(twin, customer, path, rawQuery)
      assert.equal(reply.body.toString(), naive.reply.body.toString(), `${where}: ${path}`)
      assert.equal(head.block.toString('latin1'), naive.head.block.toString('latin1'), `${where}: ${path}`)
      if (head.status !== 200) continue
      const [body, etag] = [reply.body.toString(), reply.etag]
      const cached = ask(rest, customer, path, rawQuery, { ifNoneMatch: etag })
      assert.equal(cached.head.status, 304, where)
      assert(cached.head.block.includes(`\r\nETag: ${etag}\r\n`), where)
      if (random.chance(0.3)) {
        const asGzip = ask(rest, customer, path, rawQuery, { acceptEncoding: 'gzip' })
        const isGzip = asGzip.head.block.includes('Content-Encoding: gzip')
        if (isGzip) gzipped++
        assert.equal((isGzip ? gunzipSync(asGzip.reply.body) : asGzip.reply.body).toString(), body, where)
      }
      // At random it is still being compressed when the next prices come.
      if (random.chance(0.5)) compressing.pop()?.()
      if (random.chance(0.1)) {
        reply.isHeld = true
        const headWas = head.block.toString('latin1').replace(/X-Odds-Seq: .*/, '')
        held.push({ body: reply.body, was: body, head: head.block, headWas })
      }
    }
  }
  for (let step = 0; step < STEPS; step++) {
    const where = `seed ${SEED}, step ${step}`
    const kind = random.int(0, 999)
    if (kind === 0) {
      room.jump(random.int(1, FRESHNESS_MS))
      compare(`${where}, the wheel is late`)
    }
    if (kind === 1) room.setEntitlement(customers[1]!, random.pick([['a'], ['a', 'c'], ['b', 'd']]))
    else if (kind === 2) {
      const named = (slug: string) => ({ ...bookmaker(slug), displayName: `${slug} ${random.int(0, 3)}` })
      room.setBookmakers(SLUGS.filter(() => random.chance(0.9)).map(named))
    } else if (kind === 3) {
      for (const slug of SLUGS) room.tell(slug, 1, [], { transport: 'rest', others: 'suspended' })
    } else if (kind < 14) {
      // The event of the one source is that of the other, or no longer, or suspended by an operator.
      const keys = [`source:${random.int(1, EVENTS)}`, `other:${random.int(1, EVENTS)}`] as const
      const decisions: Decision[] = []
      if (random.chance(0.6)) decisions.push({ kind: 'merge', keys, swapped: random.chance(0.5) })
      else if (random.chance(0.5)) decisions.push({ kind: 'split', keys })
      if (random.chance(0.2)) decisions.push({ kind: 'suspend', bookmaker: random.pick(SLUGS), event: null })
      room.turns.add({ kind: 'decide', decisions })
    }
    room.advance(random.pick([0, 1, 500, 61_000]))
    for (let count = random.int(0, 2); count > 0; count--) {
      const others = random.chance(0.02) ? random.pick(['suspended', 'closed'] as const) : 'keep'
      const n = random.int(1, EVENTS)
      const isOther = random.chance(0.2)
      const kickoffAt = WORLD_START + 3_600_000 + (random.chance(0.01) ? 60_000 : 0)
      const event = isOther
        ? sighting(n, { home: `Other ${n}`, away: `Others ${n}`, kickoffAt, sourceKey: `other:${n}` })
        : sighting(n, { kickoffAt })
      room.tell(random.pick(SLUGS), n, pricesOf(random), { transport: 'rest', others, event })
    }
    room.turn()
    compare(where)
  }
  const { hits, repriced, misses } = rest.cacheCounts
  assert(repriced > STEPS / 4 && misses > STEPS / 50 && hits > 0 && gzipped > STEPS / 100, `seed ${SEED}`)
  // What the cache believes to hold is what it holds, but for the odds that have become longer in their places.
  assert(rest.cachedBytes > 0 && rest.cachedBytes < 10_000_000)
})
