// What a point of the log means: with the log of rights alone, and with REST and the live channel of the real service,
// where rights change between the point and the first live connection of a key.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller } from '../../src/access/gate.ts'
import type { Audience } from '../../src/domain/audience.ts'
import { RightsLog } from '../../src/stomp/rights-log.ts'
import { get, list } from '../service.ts'
import { CARRIERS, type Carrier, RawClient } from './raw-client.ts'
import type { ServerFrame } from './strict-frames.ts'
import { type Fixture, HOME, World } from './world.ts'

const audience = (id: number): Audience => ({ id, sets: [] })
const [A, B, C] = [audience(1), audience(2), audience(3)] as const

const caller = (keyId: string, seen: Audience, organization = 'org'): Caller =>
  ({ keyId, audience: seen, organization: { id: organization } }) as Caller

const ALL_VALID = (): boolean => true

test('a key that was in use at a point saw then what it could see then', () => {
  const log = new RightsLog()
  log.note(caller('k', A), 10)
  log.change(new Set(['org']), 20)
  log.note(caller('k', B), 25)
  const at = (seq: number): readonly number[] | undefined =>
    log.audiencesAt(caller('k', B), seq, ALL_VALID)?.map(({ id }) => id)
  assert.deepEqual(at(9), undefined, 'not in use')
  assert.deepEqual(at(10), [1])
  assert.deepEqual(at(20), [1])
  assert.deepEqual(at(21), undefined, 'not in use after the change')
  assert.deepEqual(at(25), [2])
  assert.deepEqual(at(1_000), [2])
})

test('changes that do not concern a key leave its points as they are', () => {
  const log = new RightsLog()
  log.note(caller('k', A), 10)
  log.change(new Set(['other']), 20)
  log.change('all', 30)
  log.note(caller('k', A), 40)
  for (const seq of [11, 20, 30, 35, 50]) {
    assert.deepEqual(log.audiencesAt(caller('k', A), seq, ALL_VALID), [A], String(seq))
  }
})

test('a point from before the key was used is that of any key of its organization, and of no other', () => {
  const log = new RightsLog()
  log.note(caller('old', A), 10)
  log.note(caller('foreign', C, 'elsewhere'), 10)
  log.change(new Set(['org']), 20)
  log.note(caller('old', A), 21)
  log.note(caller('new', B), 30)
  const at = (seq: number): readonly Audience[] | undefined => log.audiencesAt(caller('new', B), seq, ALL_VALID)
  assert.deepEqual(at(15), [A])
  assert.deepEqual(at(30), [B, A], 'nothing has happened since: it may be of either')
  assert.deepEqual(at(31), [B], 'its own')
  assert.deepEqual(at(5), undefined)
  // The old one is revoked: its points are used by the new one.
  assert.deepEqual(
    log.audiencesAt(caller('new', B), 31, (keyId) => keyId !== 'old'),
    [B, A],
  )
})

test('past the bounds nothing is known, and nothing is guessed', () => {
  const log = new RightsLog()
  log.note(caller('first', A), 10)
  log.note(caller('second', B), 10)
  for (let n = 0; n < 10_000; n++) log.note(caller(`k${n}`, A, `org${n % 20}`), 50)
  assert.deepEqual(log.audiencesAt(caller('third', B), 20, ALL_VALID), undefined)
  assert.deepEqual(log.audiencesAt(caller('k9999', A, 'org19'), 60, ALL_VALID), [A])
  const many = new RightsLog()
  for (let n = 0; n < 100; n++) {
    many.note(caller('k', n % 2 === 0 ? A : B), n * 10)
    many.change(new Set(['org']), n * 10 + 5)
  }
  assert.deepEqual(many.audiencesAt(caller('k', A), 1, ALL_VALID), undefined)
  assert.deepEqual(many.audiencesAt(caller('k', A), 981, ALL_VALID), [A])
})

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
