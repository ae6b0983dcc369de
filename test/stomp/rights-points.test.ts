// What a point of the log means, with REST and the live channel of the real service: rights change between the point and
// the first live connection of a key.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { get, list } from '../service.ts'
import { CARRIERS, type Carrier, RawClient } from './raw-client.ts'
import type { ServerFrame } from './strict-frames.ts'
import { type Fixture, HOME, World } from './world.ts'

let world: World

before(async () => {
  world = await World.start()
})

after(() => world?.stop())

interface Books {
  readonly one: Fixture
  readonly two: Fixture
}

/** An event that two bookmakers quote, each with a price of 2. */
const twoBooks = async (): Promise<Books> => {
  const one = await world.event(world.book())
  const two = one.at(world.book())
  await one.observe([{ ...HOME, odds: 2 }])
  await two.observe([{ ...HOME, odds: 2 }])
  return { one, two }
}

/** The cursor of a REST answer about an event, and the bookmakers that it shows. */
const look = async (key: string, { one }: Books): Promise<{ readonly cursor: string; readonly shown: string[] }> => {
  const answer = await get(world.service, `/events/${one.id}/odds?transport=live`, key)
  const books = new Set<string>()
  for (const market of list(answer.body.data?.markets)) {
    for (const { slug } of list(market.bookmakers)) books.add(String(slug))
  }
  return { cursor: answer.headers.get('x-odds-seq')!, shown: [...books].sort() }
}

/** What a desk gets that resumes from a cursor: up to a snapshot's end, or to a price that comes after it. */
const resume = async (carrier: Carrier, key: string, books: Books, cursor: string): Promise<readonly ServerFrame[]> => {
  const client = await RawClient.open(world.endpoint, carrier, '1.2')
  try {
    await client.connect({ passcode: key })
    await client.frame('SUBSCRIBE', {
      id: 'sub',
      destination: `/topic/odds.football.*.${books.one.id}`,
      'from-seq': cursor,
    })
    const first = await client.barrier()
    await books.one.observe([{ ...HOME, odds: 2.5 }])
    const isLast = (frame: ServerFrame): boolean =>
      frame.headers.get('kind') === 'update' && String(frame.body).includes('2.5')
    return [...first, ...(await client.until(isLast))]
  } finally {
    client.destroy()
    await books.one.observe([{ ...HOME, odds: 2 }])
  }
}

const resetOf = (frames: readonly ServerFrame[]): string | undefined => {
  const reset = frames.find((frame) => frame.headers.get('kind') === 'reset')
  return reset && JSON.parse(String(reset.body)).reason
}

const booksOf = (frames: readonly ServerFrame[]): string[] =>
  [
    ...new Set(
      frames
        .filter((frame) => frame.headers.get('kind') === 'snapshot')
        .map((frame) => String(JSON.parse(String(frame.body)).bookmaker)),
    ),
  ].sort()

for (const carrier of CARRIERS) {
  test(`an entitlement that was widened after a cursor of REST: the desk gets all that REST shows (${carrier})`, async () => {
    const books = await twoBooks()
    const { name, key } = await world.keyOfNewOrganization('desk', '--bookmakers', books.one.book)
    const { cursor, shown } = await look(key, books)
    assert.deepEqual(shown, [books.one.book])
    await world.command('org', 'set', name, '--bookmakers', `${books.one.book},${books.two.book}`)
    const frames = await resume(carrier, key, books, cursor)
    assert.equal(resetOf(frames), 'audience')
    assert.deepEqual(booksOf(frames), (await look(key, books)).shown)
  })

  test(`one that was narrowed: the desk keeps nothing that REST no longer shows (${carrier})`, async () => {
    const books = await twoBooks()
    const both = `${books.one.book},${books.two.book}`
    const { name, key } = await world.keyOfNewOrganization('desk', '--bookmakers', both)
    const { cursor } = await look(key, books)
    await world.command('org', 'set', name, '--bookmakers', books.one.book)
    const frames = await resume(carrier, key, books, cursor)
    assert.equal(resetOf(frames), 'audience')
    assert.deepEqual(booksOf(frames), [books.one.book])
  })

  test(`a new key with another scope and a cursor of the old one is reset, revoked or not (${carrier})`, async () => {
    for (const isRevoked of [false, true]) {
      const books = await twoBooks()
      const both = `${books.one.book},${books.two.book}`
      const { name } = await world.keyOfNewOrganization('desk', '--bookmakers', both)
      const old = await world.command('key', 'create', '--org', name, '--bookmakers', books.one.book)
      const { cursor } = await look(old, books)
      const next = await world.command('key', 'create', '--org', name)
      if (isRevoked) await world.command('key', 'revoke', old)
      const frames = await resume(carrier, next, books, cursor)
      assert.equal(resetOf(frames), 'audience', isRevoked ? 'revoked' : 'not revoked')
      assert.deepEqual(booksOf(frames), [books.one.book, books.two.book].sort())
    }
  })

  test(`a new key with the same rights resumes from a cursor of the old one (${carrier})`, async () => {
    const books = await twoBooks()
    const { name, key } = await world.keyOfNewOrganization('desk', '--bookmakers', books.one.book)
    const { cursor } = await look(key, books)
    const next = await world.command('key', 'create', '--org', name)
    await world.command('key', 'revoke', key)
    assert.equal(resetOf(await resume(carrier, next, books, cursor)), undefined)
  })

  test(`changes of other organizations, of limits and of what it never saw reset no desk (${carrier})`, async () => {
    const books = await twoBooks()
    const { name, key } = await world.keyOfNewOrganization('desk', '--bookmakers', books.one.book)
    const { cursor } = await look(key, books)
    const other = await world.keyOfNewOrganization('desk', '--bookmakers', books.two.book)
    await world.command('org', 'set', other.name, '--bookmakers', books.one.book)
    await world.command('org', 'set', name, '--plan', 'pro')
    await world.command('plan', 'set', 'pro', '--hourly', '10001')
    await world.cover(books.two.book, 'verified_rest_only', true, false)
    assert.equal(resetOf(await resume(carrier, key, books, cursor)), undefined)
    await world.cover(books.two.book, 'verified_rest_live', true, true)
  })

  test(`coverage that changes after a cursor of REST (${carrier})`, async () => {
    const books = await twoBooks()
    const { key } = await world.keyOfNewOrganization('desk', '--bookmakers', `${books.one.book},${books.two.book}`)
    const { cursor } = await look(key, books)
    await world.cover(books.two.book, 'verified_rest_only', true, false)
    const frames = await resume(carrier, key, books, cursor)
    assert.equal(resetOf(frames), 'audience')
    assert.deepEqual(booksOf(frames), [books.one.book])
  })
}
