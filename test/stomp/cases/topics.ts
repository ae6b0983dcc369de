// docs/live-protocol.md 2.1: what each topic carries.

import assert from 'node:assert/strict'
import type { Json } from '../../service.ts'
import { type At, type Case, holds, NEWEST, ONCE, quotesOf } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { jsonOf, type ServerFrame, shownFrame } from '../strict-frames.ts'
import { AWAY, type Fixture, HOME, timeText } from '../world.ts'

const DAY_MS = 24 * 3_600_000

const STATUS =
  '| `/topic/status.{sport}.{bookmaker}.{eventId}` | status transitions: `suspended`, `reopened`, `closed` |'
const ODDS = '| `/topic/odds.{sport}.{bookmaker}.{eventId}` | every change: also `added`, `repriced`, `aged_out` |'
const EVENTS =
  "| `/topic/events.{sport}.{eventId}` | the event itself (fields of the spec's Event): appeared, changed (kickoff, names, merged into another), gone |"
const FEEDS =
  '| `/topic/feeds.{bookmaker}` | the health of its source: `live`, `late`, `down`, since when, how far behind |'
const LAG = "| `/topic/lag` | this session's own lag |"
const FEED = '| `/feed/{bookmaker}` | SEND only, feed keys only: observations in |'
const REFUSALS = '| `/topic/refusals` | feed keys only, see 3a |'

/** The changes of one outcome, in four steps. */
const liveThrough = async (event: Fixture): Promise<void> => {
  await event.observe([{ ...HOME, odds: 2 }])
  await event.observe([{ ...HOME, odds: 2.1 }])
  await event.observe([{ ...HOME, odds: 2.1, status: 'suspended' }])
  await event.observe([{ ...HOME, odds: 2.1 }])
  await event.observe([{ ...HOME, status: 'closed' }])
}

/** Quotes of MESSAGEs until so many have come. */
const quotesUntil = async (client: RawClient, count: number): Promise<string[]> => {
  const quotes: string[] = []
  while (quotes.length < count) quotes.push(...quotesOf(await client.next('MESSAGE')))
  return quotes
}

/** A SUBSCRIBE with this key that must end the session with an ERROR of this code. */
export const subscribeRefused = async (at: At, key: string, destination: string, code: string): Promise<void> => {
  const client = await at.desk({}, key)
  await client.frame('SUBSCRIBE', { id: 'a', destination, receipt: 'r' })
  const error = await client.refused(code)
  assert.equal(error.headers.get('receipt-id'), 'r')
}

/** The words of a change of an event or a feed, wherever the frame says them. */
const saysAny = (frame: ServerFrame, words: readonly string[]): string | undefined => {
  const body = jsonOf(frame) as unknown as Record<string, unknown>
  const said = [frame.headers.get('kind'), ...Object.values(body)]
  return words.find((word) => said.includes(word))
}

const EVENT_FIELDS = ['id', 'sport', 'leagueKey', 'leagueName', 'homeTeam', 'awayTeam', 'kickoffAt', 'marketCount']

const eventOf = (frame: ServerFrame): Json => {
  const body = jsonOf(frame)
  return 'event' in body ? body.event! : body
}

/** Messages of a subscription until one is about an event. */
const eventMessage = async (client: RawClient, id: string, word: string): Promise<ServerFrame> => {
  const frames = await client.until((frame) => String(eventOf(frame).id) === id && saysAny(frame, [word]) === word)
  return frames.at(-1)!
}

export const TOPICS: readonly Case[] = [
  holds(STATUS, async (at) => {
    const event = await at.event()
    const client = await at.desk()
    await client.subscribe(event.topic('status'))
    await liveThrough(event)
    assert.deepEqual(await quotesUntil(client, 3), [
      'home suspended 2.1 suspended',
      'home reopened 2.1 open',
      'home closed 2.1 closed',
    ])
  }),
  holds(ODDS, async (at) => {
    const event = await at.event()
    const client = await at.desk()
    await client.subscribe(event.topic())
    await liveThrough(event)
    assert.deepEqual(await quotesUntil(client, 5), [
      'home added 2 open',
      'home repriced 2.1 open',
      'home suspended 2.1 suspended',
      'home reopened 2.1 open',
      'home closed 2.1 closed',
    ])
  }),
  holds(
    ODDS,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { id: 'odds' })
      await client.subscribe(event.topic('status'), { id: 'status' })
      await event.observe([{ ...HOME, odds: 2 }], { observedAt: timeText(DAY_MS - 2_000) })
      await event.observe([{ ...AWAY, odds: 3, status: 'suspended' }], { observedAt: timeText(DAY_MS - 2_000) })
      const messages: ServerFrame[] = []
      const gone = (): string[] => messages.flatMap(quotesOf).filter((quote) => quote.includes('aged_out'))
      while (gone().length < 2) messages.push(await client.next('MESSAGE'))
      assert.deepEqual(gone().sort(), ['away aged_out 3 suspended', 'home aged_out 2 open'])
      assert(messages.every((frame) => frame.headers.get('subscription') === 'odds'))
    },
    { ...NEWEST, what: 'aged_out' },
  ),
  holds(
    EVENTS,
    async (at) => {
      const client = await at.desk()
      await client.subscribe('/topic/events.darts.*')
      const event = await at.event('darts')
      const appeared = await eventMessage(client, event.id, 'appeared')
      assert.equal(appeared.headers.get('destination'), `/topic/events.darts.${event.id}`)
      const fields = eventOf(appeared)
      for (const field of EVENT_FIELDS) assert(field in fields, `${field} is missing: ${shownFrame(appeared)}`)
      assert.equal(String(fields.homeTeam), event.sighting.home)
      assert.equal(String(fields.leagueKey), event.sighting.league.key)
      assert.equal(String(fields.kickoffAt), event.sighting.kickoffAt)
    },
    { ...NEWEST, what: 'appeared' },
  ),
  holds(
    EVENTS,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(`/topic/events.football.${event.id}`)
      const kickoffAt = timeText(-7_200_000)
      const later = { ...event.sighting, kickoffAt, home: `${event.sighting.home} renamed` }
      await event.observe([{ ...HOME, odds: 2 }], { event: later })
      const frames = await client.until((frame) => String(eventOf(frame).kickoffAt) === kickoffAt)
      assert.equal(saysAny(frames.at(-1)!, ['changed']), 'changed', shownFrame(frames.at(-1)!))
      assert.equal(String(eventOf(frames.at(-1)!).homeTeam), later.home)
    },
    { ...NEWEST, what: 'changed' },
  ),
  holds(
    EVENTS,
    async (at) => {
      const client = await at.desk()
      await client.subscribe('/topic/events.golf.#')
      const sighting = at.world.sighting('golf')
      const observedAt = timeText(DAY_MS - 2_500)
      const quotes = [{ ...HOME, odds: 2 }]
      await at.world.observe(at.book, { transport: 'live', observedAt, event: sighting, quotes })
      const id = await at.world.eventId(sighting)
      await eventMessage(client, id, 'gone')
    },
    { ...NEWEST, what: 'gone' },
  ),
  holds(
    EVENTS,
    async (at) => {
      const { key } = await at.world.keyOfNewOrganization('desk', '--bookmakers', at.book)
      const client = await at.desk({}, key)
      await client.subscribe('/topic/events.cricket.*')
      const hidden = await at.world.event(at.world.book(), 'cricket')
      const seen = await at.event('cricket')
      const first = await client.next('MESSAGE')
      assert.equal(String(eventOf(first).id), seen.id, 'an event that only others price')
      assert.equal(saysAny(first, ['appeared']), 'appeared')
      await hidden.at(at.book).observe([{ ...HOME, odds: 2 }])
      await eventMessage(client, hidden.id, 'appeared')
    },
    { ...ONCE, what: 'as the audience sees it' },
  ),
  holds(
    EVENTS,
    async (at) => {
      const sport = at.carrier === 'tcp' ? 'rugby' : 'snooker'
      const from = await at.world.restSeq()
      const event = await at.event(sport)
      const fresh = await at.desk()
      await fresh.subscribe(`/topic/events.${sport}.*`, { snapshot: 'true' })
      const state = await fresh.until((frame) => frame.headers.get('kind') === 'snapshot-end')
      const own = state.filter((frame) => String(eventOf(frame).id) === event.id)
      assert.deepEqual(
        own.map((frame) => frame.headers.get('kind')),
        ['snapshot'],
      )
      const resumed = await at.desk()
      await resumed.subscribe(`/topic/events.${sport}.*`, { 'from-seq': from })
      await eventMessage(resumed, event.id, 'appeared')
    },
    { ...NEWEST, what: 'snapshot and from-seq' },
  ),
  holds(
    FEEDS,
    async (at) => {
      const key = await at.world.key('--feed', at.book)
      const client = await at.desk()
      await client.subscribe(`/topic/feeds.${at.book}`)
      const feeder = await at.desk({}, key)
      const body = JSON.stringify({
        ...{ transport: 'live', observedAt: timeText(), event: at.world.sighting() },
        quotes: [{ ...HOME, odds: 2 }],
      })
      await feeder.request('SEND', { destination: `/feed/${at.book}` }, body)
      const live = (await client.until((frame) => saysAny(frame, ['live']) === 'live')).at(-1)!
      assert.equal(live.headers.get('destination'), `/topic/feeds.${at.book}`)
      assert.equal(String(jsonOf(live).bookmaker), at.book, shownFrame(live))
      assert.match(JSON.stringify(jsonOf(live)), /since/i, shownFrame(live))
      assert.match(JSON.stringify(jsonOf(live)), /behind/i, shownFrame(live))
      const later = await at.desk()
      await later.subscribe('/topic/feeds.*', { snapshot: 'true' })
      const states = await later.until((frame) => frame.headers.get('kind') === 'snapshot-end')
      const own = states.filter((frame) => frame.headers.get('destination') === `/topic/feeds.${at.book}`)
      assert.deepEqual(
        own.map((frame) => saysAny(frame, ['live', 'late', 'down'])),
        ['live'],
      )
      feeder.destroy()
      // A source of which nothing comes is not live for long.
      await client.until((frame) => saysAny(frame, ['late', 'down']) !== undefined, 60_000)
    },
    ONCE,
  ),
  holds(
    FEEDS,
    async (at) => {
      const client = await at.desk()
      await client.subscribe(`/topic/feeds.${at.book}`)
      const feeder = await at.desk({}, await at.world.key('--feed', at.book))
      await at.event()
      await client.until((frame) => saysAny(frame, ['live']) === 'live')
      feeder.destroy()
      await client.until((frame) => saysAny(frame, ['down']) === 'down', 300_000)
    },
    { ...ONCE, what: 'down', isLong: 'waits for minutes' },
  ),
  holds(LAG, async (at) => {
    const client = await at.desk()
    await client.subscribe('/topic/lag')
    const feeder = await at.feeder()
    await feeder.subscribe('/topic/lag')
    for (const session of [client, feeder]) {
      const lag = await session.next('MESSAGE')
      assert.equal(lag.headers.get('destination'), '/topic/lag')
      assert.equal(lag.headers.get('kind'), 'lag')
    }
  }),
  holds(
    FEED,
    async (at) => {
      const client = await at.desk()
      await client.frame('SUBSCRIBE', { id: 'a', destination: `/feed/${at.book}` })
      const { error } = await client.error()
      assert.match(error.headers.get('message')!, /^(forbidden|not_found)$/)
    },
    { ...NEWEST, what: 'SUBSCRIBE by a customer' },
  ),
  holds(FEED, (at) => subscribeRefused(at, at.world.feedKey, `/feed/${at.book}`, 'forbidden'), {
    ...NEWEST,
    what: 'SUBSCRIBE by a feed',
  }),
  holds(FEED, async (at) => {
    const event = await at.event()
    const feeder = await at.feeder()
    const body = JSON.stringify(event.observation([{ ...HOME, odds: 2.5 }]))
    await feeder.request('SEND', { destination: `/feed/${event.book}` }, body)
    assert.equal((await at.world.oddsOnRest(event.id, event.book, 'live')).get('match_result_1x2 null home'), 2.5)
  }),
  holds(REFUSALS, (at) => subscribeRefused(at, at.world.deskKey, '/topic/refusals', 'forbidden')),
]
