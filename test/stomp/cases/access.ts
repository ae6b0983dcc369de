// docs/live-protocol.md 2.2 and 2.3: wildcards, and what each key may do.

import assert from 'node:assert/strict'
import { SPORTS } from '../../../src/domain/sport.ts'
import { type Case, holds, NEWEST, ONCE, quotesOf } from '../conformance.ts'
import { jsonOf, shownFrame } from '../strict-frames.ts'
import { AWAY, HOME, LIVE_BETA, OVER, REST_ONLY } from '../world.ts'
import { subscribeRefused } from './topics.ts'

const WILDCARDS = "A segment may be `*`; a last `#` stands for any rest (RabbitMQ's convention)."
const ELIGIBLE = 'Only live-transport quotes of live-eligible bookmakers are there.'
const NARROWED = 'Wildcards are narrowed to the audience silently'
const FORBIDDEN = 'an explicit bookmaker that is not entitled is ERROR `forbidden`'
const DENIED = "a bookmaker or sport outside the key's scope `api_key_scope_denied`"
const NOT_FOUND = 'an unknown destination `not_found`.'
const ROLES = "A customer's SEND and a feed key's SUBSCRIBE (other than lag and refusals): `forbidden`"
const OUTSIDE = 'SEND to a bookmaker outside the feed key: `api_key_scope_denied`.'

/** Patterns that fit an event, by the parts of its topic. */
const FITTING: readonly ((book: string, id: string) => string)[] = [
  (book, id) => `odds.football.${book}.${id}`,
  (book) => `odds.football.${book}.*`,
  (book, id) => `odds.*.${book}.${id}`,
  (_, id) => `odds.football.*.${id}`,
  (_, id) => `odds.*.*.${id}`,
  (book) => `odds.*.${book}.*`,
  (book) => `odds.football.${book}.#`,
  (book, id) => `odds.football.${book}.${id}.#`,
  (book) => `odds.*.${book}.#`,
  () => 'odds.football.#',
  () => 'odds.#',
  () => 'odds.*.*.*',
]

const OTHERS: readonly ((book: string, id: string, other: string) => string)[] = [
  (_, __, other) => `odds.football.${other}.*`,
  (book, id) => `odds.tennis.${book}.${id}`,
  (book) => `odds.football.${book}.1`,
  (book) => `odds.tennis.${book}.#`,
  (book, id) => `status.football.${book}.${id}`,
]

const EXPLICIT_ROLES: readonly string[] = ['/topic/odds.#', '/topic/status.*.*.*', '/topic/events.#', '/topic/feeds.*']

export const ACCESS: readonly Case[] = [
  holds(
    WILDCARDS,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      for (const [place, pattern] of FITTING.entries()) {
        await client.subscribe(`/topic/${pattern(event.book, event.id)}`, { id: `fits-${place}` })
      }
      for (const [place, pattern] of OTHERS.entries()) {
        await client.subscribe(`/topic/${pattern(event.book, event.id, at.world.book())}`, { id: `other-${place}` })
      }
      await event.observe([{ ...HOME, odds: 2.5 }])
      const got = new Set<string>()
      while (got.size < FITTING.length) {
        const message = await client.next('MESSAGE')
        // Wide patterns see the events of other tests, too.
        if (message.headers.get('destination') !== event.topic()) continue
        assert.deepEqual(quotesOf(message), ['home added 2.5 open'])
        const id = message.headers.get('subscription')!
        assert(!got.has(id), `${id} twice`)
        assert.match(id, /^fits/)
        got.add(id)
      }
      await event.observe([{ ...AWAY, odds: 9 }])
      const more = await client.until((frame) => frame.headers.get('subscription') === `fits-${FITTING.length - 1}`)
      assert.deepEqual(
        more.filter((frame) => frame.headers.get('subscription')!.startsWith('other')).map(shownFrame),
        [],
      )
    },
    NEWEST,
  ),
  holds(
    WILDCARDS,
    async (at) => {
      const client = await at.desk()
      await client.subscribe(`/topic/odds.*.${at.book}.#`)
      // Events that were unknown at SUBSCRIBE.
      for (const sport of ['football', 'tennis'] as const) {
        const event = await at.event(sport)
        const message = await client.next('MESSAGE')
        assert.equal(message.headers.get('destination'), event.topic())
      }
    },
    { what: 'events that appear later' },
  ),
  holds(
    WILDCARDS,
    async (at) => {
      const client = await at.desk()
      for (const sport of SPORTS) await client.subscribe(`/topic/odds.${sport}.${at.book}.*`, { id: sport })
      for (const sport of SPORTS) {
        const event = await at.event(sport)
        const message = await client.next('MESSAGE')
        assert.equal(message.headers.get('destination'), event.topic())
        assert.equal(message.headers.get('subscription'), sport)
      }
    },
    { ...ONCE, what: 'every sport' },
  ),
  holds(
    ELIGIBLE,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(`/topic/odds.football.*.${event.id}`)
      await event.observe([{ ...HOME, odds: 2 }], { transport: 'rest' })
      await event.at(REST_ONLY).observe([{ ...HOME, odds: 2.1 }], { transport: 'both' })
      await event.at(LIVE_BETA).observe([{ ...HOME, odds: 2.2 }])
      await event.observe([{ ...AWAY, odds: 3 }], { transport: 'both' })
      await event.observe([{ ...OVER, odds: 4 }])
      const messages = [await client.next('MESSAGE')]
      while (messages.flatMap(quotesOf).length < 2) messages.push(await client.next('MESSAGE'))
      assert.deepEqual(messages.flatMap(quotesOf), ['away added 3 open', 'over added 4 open'])
      assert(messages.every((frame) => String(jsonOf(frame).bookmaker) === event.book))
    },
    NEWEST,
  ),
  ...[REST_ONLY, LIVE_BETA].map((book) =>
    holds(
      ELIGIBLE,
      async (at) => {
        const event = await at.event()
        const client = await at.desk()
        // Whether it is refused or stays silent: it gets nothing.
        await client.frame('SUBSCRIBE', { id: 'hidden', destination: `/topic/odds.football.${book}.#`, receipt: 'r' })
        if ((await client.next()).command === 'ERROR') return
        await client.subscribe(event.topic(), { id: 'seen' })
        await event.at(book).observe([{ ...HOME, odds: 2 }], { transport: 'both' })
        await event.observe([{ ...HOME, odds: 3 }])
        const message = await client.next('MESSAGE')
        assert.equal(message.headers.get('subscription'), 'seen')
        await client.request('UNSUBSCRIBE', { id: 'hidden' })
        await client.subscribe(`/topic/odds.football.${book}.#`, { id: 'again', snapshot: 'true' })
        assert.equal((await client.next('MESSAGE')).headers.get('kind'), 'snapshot-end')
      },
      { ...NEWEST, what: `explicitly ${book}` },
    ),
  ),
  holds(
    NARROWED,
    async (at) => {
      const event = await at.event()
      const other = event.at(at.world.book())
      const { key } = await at.world.keyOfNewOrganization('desk', '--bookmakers', event.book)
      const narrowKey = await at.world.key('--bookmakers', event.book, '--sports', 'football')
      for (const client of [await at.desk({}, key), await at.desk({}, narrowKey)]) {
        await client.subscribe(`/topic/odds.*.*.${event.id}`, { snapshot: 'true' })
        const snapshot = await client.until((frame) => frame.headers.get('kind') === 'snapshot-end')
        assert.deepEqual(
          snapshot.slice(0, -1).map((frame) => String(jsonOf(frame).bookmaker)),
          [event.book],
        )
        await other.observe([{ ...HOME, odds: 2 }])
        await event.observe([{ ...AWAY, odds: 3 }])
        assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['away added 3 open'])
        await event.observe([{ ...AWAY, status: 'closed' }])
        await client.next('MESSAGE')
      }
    },
    NEWEST,
  ),
  holds(
    NARROWED,
    async (at) => {
      const narrow = await at.desk({}, await at.world.key('--sports', 'tennis'))
      await narrow.subscribe(`/topic/odds.*.${at.book}.#`)
      await at.event('football')
      const tennis = await at.event('tennis')
      assert.equal((await narrow.next('MESSAGE')).headers.get('destination'), tennis.topic())
    },
    { ...NEWEST, what: 'sports' },
  ),
  ...(['odds', 'status'] as const).map((kind) =>
    holds(
      FORBIDDEN,
      async (at) => {
        const { key } = await at.world.keyOfNewOrganization('desk', '--bookmakers', at.book)
        await subscribeRefused(at, key, `/topic/${kind}.football.${at.world.book()}.*`, 'forbidden')
        const client = await at.desk({}, key)
        await client.subscribe(`/topic/${kind}.football.${at.book}.*`)
      },
      { ...NEWEST, what: kind },
    ),
  ),
  holds(
    FORBIDDEN,
    async (at) => {
      const { key } = await at.world.keyOfNewOrganization('desk', '--bookmakers', at.book)
      await subscribeRefused(at, key, `/topic/feeds.${at.world.book()}`, 'forbidden')
    },
    { ...NEWEST, what: 'feeds' },
  ),
  holds(
    DENIED,
    async (at) => {
      const key = await at.world.key('--bookmakers', at.book, '--sports', 'football')
      await subscribeRefused(at, key, `/topic/odds.football.${at.world.book()}.*`, 'api_key_scope_denied')
      await subscribeRefused(at, key, `/topic/status.tennis.${at.book}.*`, 'api_key_scope_denied')
      await subscribeRefused(at, key, '/topic/events.tennis.*', 'api_key_scope_denied')
    },
    NEWEST,
  ),
  ...[
    '/topic/nothing',
    '/topic/odds',
    '/topic/odds.',
    '/topic/odds.chess.*.*',
    '/topic/odds.football',
    '/topic/odds.#.football',
    '/topic/odds.football.*.*.*',
    '/topic/odds.foot*.*.*',
    '/topic/Odds.football.*.*',
    '/topic/lag.x',
    '/topic/',
    '/queue/odds.football.*.*',
    'topic/lag',
    '/',
  ].map((destination) =>
    holds(
      NOT_FOUND,
      async (at) => {
        const client = await at.desk()
        await client.frame('SUBSCRIBE', { id: 'a', destination })
        await client.refused('not_found')
      },
      { ...ONCE, what: JSON.stringify(destination) },
    ),
  ),
  ...['/queue/x', '/feed', 'feed/a', 'x'].map((destination) =>
    holds(
      NOT_FOUND,
      async (at) => {
        const feeder = await at.feeder()
        await feeder.frame('SEND', { destination }, '{}')
        await feeder.refused('not_found')
      },
      { ...ONCE, what: `SEND to ${destination}` },
    ),
  ),
  holds(
    ROLES,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      const body = JSON.stringify(event.observation([{ ...HOME, odds: 2.5 }]))
      await client.frame('SEND', { destination: `/feed/${event.book}`, receipt: 'r' }, body)
      const error = await client.refused('forbidden')
      assert.equal(error.headers.get('receipt-id'), 'r')
      const odds = await at.world.oddsOnRest(event.id, event.book, 'live')
      assert.equal(odds.get('match_result_1x2 null home'), undefined)
    },
    { what: "a customer's SEND" },
  ),
  ...EXPLICIT_ROLES.map((destination) =>
    holds(ROLES, (at) => subscribeRefused(at, at.world.feedKey, destination, 'forbidden'), {
      ...NEWEST,
      what: `a feed key's SUBSCRIBE to ${destination}`,
    }),
  ),
  holds(OUTSIDE, async (at) => {
    const key = await at.world.key('--feed', at.book)
    const event = await at.event()
    const other = event.at(at.world.book())
    const feeder = await at.desk({}, key)
    const body = JSON.stringify(event.observation([{ ...HOME, odds: 2.5 }]))
    await feeder.request('SEND', { destination: `/feed/${event.book}` }, body)
    await feeder.frame('SEND', { destination: `/feed/${other.book}` }, body)
    await feeder.refused('api_key_scope_denied')
    assert.equal((await at.world.oddsOnRest(event.id, other.book, 'live')).size, 0)
  }),
]
