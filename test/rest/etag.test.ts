// An ETag identifies bytes and nothing else: it neither moves with what its audience does not see, nor depends on the
// process that rendered them.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import type { Access } from '../../src/access/access.ts'
import * as clock from '../../src/clock.ts'
import { etagOf } from '../../src/rest/reply.ts'
import { LIMITS } from '../../src/limits.ts'
import { Rest } from '../../src/rest/rest.ts'
import { done, get, newFolder, startService, writeCoverage } from '../service.ts'
import { bookmaker, type Customer, LiveRoom, price } from '../stomp/memory-carrier.ts'
import { newExchange } from './exchanges.ts'

let room: LiveRoom
let rest: Rest

const newRoom = (): void => {
  room = new LiveRoom({ bookmakers: ['a', 'b', 'c'].map((slug) => bookmaker(slug)) })
  rest = new Rest({
    engine: room.engine,
    // Nothing else of it is asked here.
    access: { gate: room.gate, registry: room.registry } as unknown as Access,
    publicUrl: 'http://localhost',
    documentUrl: '',
    targetsMax: 500,
    limits: LIMITS,
    cacheBytesMax: 1_000_000,
    pages: {},
    now: () => room.nowAt,
    onFault: (error) => {
      throw error
    },
  })
}

afterEach(() => room?.close())

interface Answered {
  readonly status: number
  readonly etag: string
  readonly body: Buffer
  readonly text: string
}

const ask = (customer: Customer, path: string, ifNoneMatch?: string): Answered => {
  const exchange = newExchange(customer.secret, path, '', { ifNoneMatch })
  assert.equal(rest.answer(exchange, room.nowAt), undefined)
  const { body, etag } = exchange.reply
  return { status: exchange.head.status, etag, body, text: body.toString() }
}

const observe = (slug: string, n: number, ...prices: ReturnType<typeof price>[]): void => {
  room.tell(slug, n, prices, { transport: 'rest' })
  room.turn()
}

const oddsPath = (): string => {
  const ids: string[] = []
  room.engine.reader.visitEvents(undefined, undefined, 0, ({ event }) => ids.push(event.id) > 0)
  assert.equal(ids.length, 1)
  return `/events/${ids[0]}/odds`
}

test('what an audience does not see changes neither its ETags nor its bytes, and 304 continues', () => {
  newRoom()
  const onlyA = room.addCustomer('only_a', ['a'])
  const both = room.addCustomer('both', ['a', 'b'])
  observe('a', 1, price('home', 2))
  observe('b', 1, price('home', 2.1))
  const paths = [oddsPath(), '/events', '/sports', '/bookmakers']
  const before = paths.map((path) => ask(onlyA, path))
  const beforeBoth = ask(both, paths[0]!)
  const unmoved = (why: string): void => {
    room.turn()
    for (const [place, path] of paths.entries()) {
      const now = ask(onlyA, path)
      assert.equal(now.text, before[place]!.text, `${why}: ${path}`)
      assert.equal(now.etag, before[place]!.etag, `${why}: ${path}`)
      // Not rendered into another Buffer, either.
      assert.equal(now.body, before[place]!.body, `${why}: ${path}`)
      assert.equal(ask(onlyA, path, before[place]!.etag).status, 304, `${why}: ${path}`)
    }
  }
  room.advance(1_000)
  observe('b', 1, price('home', 2.2))
  unmoved('a price')
  const repriced = ask(both, paths[0]!, beforeBoth.etag)
  assert.equal(repriced.status, 200, 'who sees it gets it')
  assert.notEqual(repriced.etag, beforeBoth.etag)
  room.advance(1_000)
  observe('b', 1, price('home', null, 'suspended'))
  unmoved('a suspension')
  observe('b', 1, price('home', 2.2), price('away', 4))
  unmoved('an outcome more')
  observe('c', 1, price('home', 9))
  unmoved('a bookmaker more')
  observe('b', 2, price('home', 5))
  unmoved('an event of others')
  room.setBookmakers(['a', 'b', 'c', 'd'].map((slug) => bookmaker(slug)))
  unmoved('coverage of others')
  room.setBookmakers([bookmaker('a'), bookmaker('b', { status: 'source_limited' })])
  unmoved('coverage of others ends')
  room.advance(1_000)
  observe('a', 1, price('home', 2.5))
  room.turn()
  for (const path of paths.slice(0, 1)) assert.equal(ask(onlyA, path, before[0]!.etag).status, 200, 'its own moves it')
})

test('an ETag is of the bytes, and of nothing that is the same by chance', () => {
  newRoom()
  const customer = room.addCustomer('one')
  observe('a', 1, price('home', 2))
  const path = oddsPath()
  const first = ask(customer, path)
  const list = ask(customer, '/events')
  assert.equal(list.etag, etagOf(list.body))
  const seenAt = room.nowAt + 1_000
  room.advance(1_000)
  observe('a', 1, price('home', 3))
  const second = ask(customer, path)
  assert.notEqual(second.etag, first.etag)
  // A quote that ages out is gone from the bytes, so the tag is another one, too.
  observe('b', 1, price('home', 4))
  const third = ask(customer, path)
  room.jump(seenAt + 24 * 3_600_000 - room.nowAt - 1)
  assert.equal(ask(customer, path, third.etag).status, 304)
  room.jump(1)
  const fourth = ask(customer, path, third.etag)
  assert.notEqual(fourth.text, third.text)
  assert.notEqual(fourth.etag, third.etag)
})

test('equal bytes have equal ETags whatever the process has been through before', () => {
  const answers = [0, 1].map((run) => {
    newRoom()
    if (run === 1) {
      for (let n = 0; n < 50; n++) room.addCustomer(`other_${n}`, ['b'])
      for (let n = 10; n < 60; n++) observe('b', n, price('home', 2))
      room.turn()
    }
    const customer = room.addCustomer('only_a', ['a'])
    observe('a', 1, price('home', 2), price('away', 3))
    room.turn()
    let id = ''
    room.engine.reader.visitEvents(undefined, undefined, 0, ({ event }) => {
      if (event.homeTeam === 'Home 1') id = event.id
      return true
    })
    const found = [`/events/${id}/odds`, '/events', '/sports', '/bookmakers'].map((path) => {
      const { etag, text, status } = ask(customer, path)
      assert.equal(status, 200)
      return [etag, text]
    })
    room.close()
    return found
  })
  assert.deepEqual(answers[0], answers[1])
})

test('two processes with the same content give the same ETags, and a 304 for the ETag of the other', async () => {
  const observedAt = new Date(clock.now() - 60_000).toISOString()
  const kickoffAt = new Date(clock.now() + 3_600_000).toISOString()
  const folders = [newFolder(), newFolder()]
  const services = await Promise.all(
    folders.map(async ({ path }, place) => {
      const books = place === 0 ? ['a', 'b'] : ['b', 'a', 'b']
      const lines = books.map((slug) =>
        JSON.stringify({
          bookmaker: slug,
          transport: 'both',
          observedAt,
          event: { sport: 'football', league: { key: 'l', name: 'L' }, home: 'H', away: 'A', kickoffAt },
          quotes: [{ type: 'match_winner', outcome: 'home', odds: 2 }],
        }),
      )
      const recording = join(path, 'observations.jsonl')
      writeFileSync(recording, lines.join('\n'))
      const coverage = writeCoverage(
        path,
        ['a', 'b'].map((slug) => [slug, 'verified_rest_live', true, true] as const),
      )
      const flags = ['--coverage', coverage, '--replay', recording, '--format', 'observations', '--log-level', 'error']
      done(path, 'org', 'create', 'one', '--plan', 'desk')
      const key = done(path, 'key', 'create', '--org', 'one')
      return { key, service: await startService(path, ...flags) }
    }),
  )
  try {
    const [one, other] = services as [(typeof services)[0], (typeof services)[0]]
    const events = await get(one.service, '/events', one.key)
    const id = (events.body.data as unknown as { id: string }[])[0]!.id
    for (const path of [
      '/events',
      '/sports',
      '/bookmakers',
      `/events/${id}/odds`,
      `/events/${id}/odds?transport=live`,
    ]) {
      const mine = await get(one.service, path, one.key)
      const theirs = await get(other.service, path, other.key)
      assert.equal(mine.status, 200, path)
      assert.equal(mine.text, theirs.text, path)
      assert.equal(mine.headers.get('etag'), theirs.headers.get('etag'), path)
      const again = await get(other.service, path, other.key, { 'if-none-match': mine.headers.get('etag')! })
      assert.equal(again.status, 304, path)
    }
  } finally {
    for (const { service } of services) await service.stop()
    for (const folder of folders) folder.remove()
  }
})
