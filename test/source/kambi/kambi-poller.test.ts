// The Kambi poller against a local server that answers as Kambi does: lists, events, pages.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { now } from '../../../src/clock.ts'
import type { QuoteStatus } from '../../../src/domain/quote.ts'
import { type KambiOptions, KambiPoller } from '../../../src/source/kambi/kambi-poller.ts'
import { chooseEvents, readEventList } from '../../../src/source/kambi/kambi-events.ts'
import { DATA } from '../../root.ts'
import { Desk, DIRECT, QUICK, say, type Script, ScriptedSource, until } from '../kit/scripted-source.ts'

const HOUR_MS = 3_600_000

const OPTIONS: Omit<KambiOptions, 'baseUrl'> = {
  access: DIRECT,
  limits: QUICK,
  bookmaker: 'northbet',
  transport: null,
  payload: { pricesMax: 1_000, textLengthMax: 200 },
  operator: 'nbuk',
  lists: [{ path: '{operator}/listView/football.json?lang=en_GB', intervalMs: 20 }],
  event: { path: '{operator}/betoffer/event/{id}.json?lang=en_GB', intervalMs: 5, liveIntervalMs: 5 },
  pages: [],
  eventsMax: 100,
  horizonMs: 24 * HOUR_MS,
  afterKickoffMs: 6 * HOUR_MS,
}

interface Stand {
  readonly source: ScriptedSource
  readonly desk: Desk
  readonly poller: KambiPoller
}

const stand = async (context: TestContext, script: Script, options: Partial<KambiOptions> = {}): Promise<Stand> => {
  const source = await new ScriptedSource(script).start()
  const desk = new Desk()
  const poller = new KambiPoller({ ...OPTIONS, baseUrl: `${source.origin}/offering/v2018`, ...options }, desk)
  context.after(async () => {
    await poller.stop()
    await source.stop()
  })
  return { source, desk, poller }
}

const iso = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

const event = (id: number, kickoffAt: number, state = 'NOT_STARTED'): object => ({
  id,
  homeName: `Harbour ${id}`,
  awayName: `Kestrel ${id}`,
  start: iso(kickoffAt),
  state,
  path: [
    { termKey: 'football' },
    { termKey: 'northland' },
    { termKey: 'first_division', englishName: 'First Division' },
  ],
})

const offer = (id: number, eventId: number, odds: readonly number[]): object => ({
  id,
  eventId,
  criterion: { id: 1001159858, englishLabel: 'Full Time' },
  betOfferType: { id: 2 },
  outcomes: odds.map((price, index) => ({
    id: id * 10 + index,
    type: ['OT_ONE', 'OT_CROSS', 'OT_TWO'][index],
    odds: price,
    status: 'OPEN',
  })),
})

const list = (events: readonly object[]): string => JSON.stringify({ events: events.map((one) => ({ event: one })) })

const isList = (url: string): boolean => url.includes('/listView/')
const idIn = (url: string): number => Number(/event\/(\d+)\.json/.exec(url)?.[1])

const KICKOFF = now() + HOUR_MS

test('a list names the events; each is polled by itself, and 304 confirms it as of now', async (context) => {
  const one = await stand(context, ({ url, headers }, response) => {
    if (isList(url))
      say(response, gzipSync(list([event(1, KICKOFF), event(2, KICKOFF)])), { 'content-encoding': 'gzip' })
    else if (headers['if-none-match'] !== undefined) response.writeHead(304).end()
    else {
      const id = idIn(url)
      const body = { betOffers: [offer(id, id, [1_600, 4_200, 5_300])], events: [event(id, KICKOFF)] }
      say(response, JSON.stringify(body), { etag: `"${id}"` })
    }
  })
  const confirmed = (id: number): number =>
    one.desk.board.statements.filter((statement) => statement.startsWith(`confirm event ${id} `)).length
  await until(() => confirmed(1) >= 2 && confirmed(2) >= 2, 'both events, and again')
  const [first] = one.desk.observations
  assert.deepEqual(
    first!.prices.map(({ type, outcome, odds, status }) => `${type} ${outcome} ${odds} ${status}`),
    ['match_result_1x2 home 1.6 open', 'match_result_1x2 draw 4.2 open', 'match_result_1x2 away 5.3 open'],
  )
  const ofFirst = one.desk.board.find(first!.event.sourceKey!)
  assert.deepEqual(new Set(ofFirst.map(({ observedAt }) => observedAt > first!.observedAt)), new Set([true]))
  assert.equal(one.desk.observations.length, 2)
  assert.equal(first!.bookmaker, 'northbet')
  assert.ok(one.source.urlsOf('/offering/v2018/nbuk/listView/football.json?lang=en_GB').length > 0)
  assert.ok(one.source.urlsOf('/offering/v2018/nbuk/betoffer/event/2.json?lang=en_GB').length > 0)
  assert.equal(one.desk.account.read, 6, 'what is confirmed is not counted again')
  assert.deepEqual(one.desk.told, [])
})

test('it has delivered when the events that the list names were answered, or when the list names none', async (context) => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const one = await stand(context, ({ url }, response) => {
    if (isList(url)) say(response, list([event(1, KICKOFF), event(2, KICKOFF)]))
    else if (idIn(url) === 1) sayEvent(response, 1)
    else void released.then(() => sayEvent(response, 2))
  })
  await until(() => ofEvent(one.desk, 1).length >= 2, 'the first event, and again')
  assert.equal(one.poller.hasDelivered(), false)
  release()
  await until(() => ofEvent(one.desk, 2).length > 0 && one.poller.hasDelivered(), 'the second one')
  const empty = await stand(context, (_seen, response) => say(response, list([])))
  await until(() => empty.poller.facts().lastStatus === 200 && empty.poller.hasDelivered(), 'that there is nothing')
})

/** Answers an event with its one offer. */
const sayEvent = (response: Parameters<Script>[1], id: number): void =>
  say(response, JSON.stringify({ betOffers: [offer(id, id, [1_600, 4_200, 5_300])], events: [event(id, KICKOFF)] }))

const ofEvent = (desk: Desk, id: number): Desk['observations'] =>
  desk.observations.filter((observation) => observation.event.sourceKey === `kambi:${id}`)

/** Whether all quotes of an event are shown as this. */
const are = (status: QuoteStatus, desk: Desk, id: number): boolean => desk.board.areAll(status, `kambi:${id}`)

test('an offer that is gone is closed; an event that is gone is suspended, then closed and polled no longer', async (context) => {
  let round = 0
  const one = await stand(
    context,
    ({ url }, response) => {
      if (isList(url)) say(response, list([event(1, KICKOFF), event(2, KICKOFF)]))
      else if (idIn(url) === 2) sayEvent(response, 2)
      else if (++round > 2) say(response, '', {}, 404)
      else {
        const offers = round === 1 ? [offer(1, 1, [1_600, 4_200, 5_300])] : []
        say(response, JSON.stringify({ betOffers: offers, events: [event(1, KICKOFF)] }))
      }
    },
    { lists: [{ path: '{operator}/listView/football.json', intervalMs: HOUR_MS }] },
  )
  const said = (): string[] => one.desk.board.statements.filter((statement) => statement.includes(' event 1'))
  await until(() => said().at(-1) === 'leave event 1 gap', 'the end of the event')
  const [open, closed] = ofEvent(one.desk, 1)
  assert.deepEqual(
    [open, closed].map((each) => each!.prices.map(({ status }) => status)),
    [
      ['open', 'open', 'open'],
      ['closed', 'closed', 'closed'],
    ],
  )
  const [missed, gone] = said().slice(-3)
  assert.equal(missed, 'suspect event 1 gap')
  const endedAt = Number(/^end event 1 (\d+)$/.exec(gone!)![1])
  assert.ok(endedAt > closed!.observedAt)
  assert.equal(one.poller.facts().events, 1)
  assert.deepEqual(one.desk.told, [])
})

test('a host that has no event any more is not believed: suspended, told, not heard; and all of it comes back', async (context) => {
  let isWell = true
  let listStatus = 200
  const one = await stand(
    context,
    ({ url }, response) => {
      if (isList(url)) say(response, list([event(1, KICKOFF), event(2, KICKOFF)]), {}, listStatus)
      else if (isWell) sayEvent(response, idIn(url))
      else say(response, '', {}, 404)
    },
    { limits: { ...QUICK, staleMsMin: 100 } },
  )
  for (listStatus of [200, 404]) {
    isWell = true
    await until(() => are('open', one.desk, 1) && are('open', one.desk, 2), 'both events')
    isWell = false
    await until(() => are('suspended', one.desk, 1) && are('suspended', one.desk, 2), 'their suspension')
    const { heard } = one.desk
    const asked = one.source.urlsOf('/offering/v2018/nbuk/betoffer').length
    await until(() => one.source.urlsOf('/offering/v2018/nbuk/betoffer').length >= asked + 6, 'more looks')
    assert.equal(one.desk.heard, heard)
    const trouble =
      listStatus === 200 ? /^event [12]: was not found \(status 404\)/ : /^list .* \(status 404\); and . more$/
    await until(() => trouble.test(one.poller.trouble() ?? ''), 'that it is told')
    assert.equal(one.poller.facts().events, 2)
  }
  assert.ok(!one.desk.board.statements.some((statement) => statement.startsWith('end ')))
})

test('the last event is over when its list, which names others, leaves it out', async (context) => {
  let isOver = false
  const one = await stand(context, ({ url }, response) => {
    const tomorrow = event(9, now() + 25 * HOUR_MS)
    if (isList(url)) say(response, list(isOver ? [tomorrow] : [event(1, KICKOFF), tomorrow]))
    else if (isOver) say(response, '', {}, 404)
    else sayEvent(response, 1)
  })
  await until(() => ofEvent(one.desk, 1).length > 0, 'its prices')
  isOver = true
  await until(() => are('closed', one.desk, 1), 'its end')
  assert.equal(one.poller.facts().events, 0)
})

test('prices that cannot be taken in are asked for again', async (context) => {
  const one = await stand(context, ({ url, headers }, response) => {
    if (isList(url)) return say(response, list([event(1, KICKOFF)]))
    if (headers['if-none-match'] !== undefined) return void response.writeHead(304).end()
    const body = { betOffers: [offer(1, 1, [1_600, 4_200, 5_300])], events: [event(1, KICKOFF)] }
    say(response, JSON.stringify(body), { etag: '"1"' })
  })
  let faults = 0
  one.desk.board.onTake = () => {
    if (faults++ === 0) throw new Error('no room')
  }
  await until(() => are('open', one.desk, 1) && one.desk.told.length >= 2, 'prices')
  assert.deepEqual(one.desk.told.slice(0, 2), ['warn event 1: no room', 'info event 1: answers again'])
})

test('a flood of events is bounded: the next kickoffs, no more than so many, and it is told once', async (context) => {
  const flood = Array.from({ length: 5_000 }, (_, index) => event(index + 1, KICKOFF + (5_000 - index) * 1_000))
  const one = await stand(
    context,
    ({ url }, response) => {
      if (isList(url))
        say(response, list([...flood, event(9_001, now() - 7 * HOUR_MS), event(9_002, now() + 25 * HOUR_MS)]))
      else say(response, JSON.stringify({ betOffers: [], events: [event(idIn(url), KICKOFF)] }))
    },
    { eventsMax: 10, event: { ...OPTIONS.event!, intervalMs: 20 } },
  )
  await until(() => one.source.seen.length >= 60, 'a few rounds')
  const polled = new Set(one.source.seen.filter(({ url }) => !isList(url)).map(({ url }) => idIn(url)))
  assert.deepEqual(
    [...polled].sort(),
    ['4991', '4992', '4993', '4994', '4995', '4996', '4997', '4998', '4999', '5000'].map(Number),
  )
  assert.deepEqual(one.desk.told, ['warn 4990 of 5000 events are not polled: at most 10 are'])
  const { events, unpolledEvents, urls } = one.poller.facts()
  assert.deepEqual([events, unpolledEvents, urls], [10, 4_990, 11])
})

test('an event that nobody looks at any more is suspended', async (context) => {
  let events = [event(1, KICKOFF)]
  const one = await stand(
    context,
    ({ url }, response) => {
      const id = idIn(url)
      if (isList(url)) say(response, list(events))
      else
        say(
          response,
          JSON.stringify({ betOffers: [offer(id, id, [1_600, 4_200, 5_300])], events: [event(id, KICKOFF)] }),
        )
    },
    { eventsMax: 1 },
  )
  await until(() => one.desk.observations.length >= 1, 'the first event')
  events = [event(1, KICKOFF), event(2, KICKOFF - 60_000)]
  await until(
    () => one.desk.observations.some(({ event: { sourceKey } }) => sourceKey === 'kambi:2'),
    'the earlier one',
  )
  await until(() => are('suspended', one.desk, 1), 'its suspension')
  assert.deepEqual(
    one.desk.board.statements.filter((statement) => !statement.startsWith('confirm')),
    ['leave event 1 gap'],
  )
})

test('an event that fails while others do not is suspended, and comes back', async (context) => {
  let isWell = true
  const one = await stand(
    context,
    ({ url, headers }, response) => {
      const id = idIn(url)
      if (isList(url)) say(response, list([event(1, KICKOFF), event(2, KICKOFF)]))
      else if (id === 1 && !isWell) say(response, '', {}, 500)
      else if (headers['if-none-match'] !== undefined) response.writeHead(304).end()
      else {
        const body = { betOffers: [offer(id, id, [1_600, 4_200, 5_300])], events: [event(id, KICKOFF)] }
        say(response, JSON.stringify(body), { etag: `"${id}"` })
      }
    },
    { limits: { ...QUICK, staleMsMin: 50 } },
  )
  await until(() => are('open', one.desk, 1), 'the first prices')
  isWell = false
  await until(() => are('suspended', one.desk, 1), 'its suspension')
  isWell = true
  await until(() => are('open', one.desk, 1), 'its return')
  assert.equal(ofEvent(one.desk, 1).length, 1, 'the URL has said that nothing is new')
})

test('pages are as many as the first one says, within their bound; 304 confirms what a page said', async (context) => {
  const one = await stand(
    context,
    ({ url, headers }, response) => {
      if (headers['if-none-match'] !== undefined) return void response.writeHead(304).end()
      const start = Number(new URL(url, 'http://source').searchParams.get('range_start'))
      const offers = [start + 1, start + 2].map((id) => offer(id, id, [1_600, 4_200, 5_300]))
      const events = [event(start + 1, KICKOFF), event(start + 2, KICKOFF)]
      say(response, JSON.stringify({ betOffers: offers, events, range: { start, size: 2, total: 9 } }), { etag: '"p"' })
    },
    {
      lists: [],
      pages: [
        {
          path: '/{operator}/betoffer/football.json?type=2&range_start={start}&range_size={size}',
          size: 2,
          pagesMax: 3,
          intervalMs: 5,
        },
      ],
    },
  )
  const confirmed = (): string[] => one.desk.board.statements.filter((statement) => statement.startsWith('confirm'))
  await until(() => confirmed().length >= 9, 'three pages, and again')
  await until(() => new Set(confirmed().map((statement) => statement.split(' ')[2])).size === 3, 'each')
  const starts = new Set(
    one.source.seen.map(({ url }) => new URL(url, 'http://source').searchParams.get('range_start')),
  )
  assert.deepEqual([...starts].sort(), ['0', '2', '4'])
  assert.deepEqual([...new Set(one.desk.observations.map(({ event: { sourceKey } }) => sourceKey))].sort(), [
    'kambi:1',
    'kambi:2',
    'kambi:3',
    'kambi:4',
    'kambi:5',
    'kambi:6',
  ])
  assert.match(
    one.desk.told.join('\n'),
    /^warn page \/offering\/v2018\/nbuk\/\S+range_start=0\S+: 9 rows are more than 3 pages, the rest is not polled$/,
  )
  // None closes what the others hold.
  assert.ok(one.desk.observations.every(({ prices }) => prices.every(({ status }) => status === 'open')))
})

test('a path without a start is one page, such as a list view: what it names no longer is suspended, not closed', async (context) => {
  let isSecond = false
  const entry = (id: number): object => ({
    event: event(id, KICKOFF),
    betOffers: [offer(id, id, [1_600, 4_200, 5_300])],
  })
  const one = await stand(
    context,
    (_seen, response) => say(response, JSON.stringify({ events: isSecond ? [entry(2)] : [entry(1), entry(2)] })),
    {
      limits: { ...QUICK, staleMsMin: 150 },
      lists: [],
      event: null,
      pages: [{ path: '{operator}/listView/football.json?lang=en_GB', size: 1, pagesMax: 3, intervalMs: 5 }],
    },
  )
  await until(() => are('open', one.desk, 1) && are('open', one.desk, 2), 'both events')
  isSecond = true
  await until(() => are('suspended', one.desk, 1), 'that the first one is old')
  assert.ok(are('open', one.desk, 2))
  assert.deepEqual(new Set(one.source.seen.map(({ url }) => url)).size, 1)
  assert.deepEqual(one.desk.told, [])
})

test('events of a page that fails are suspended, unless another page has named them since', async (context) => {
  // What each page names, by its start.
  const named = [[1], [2, 3]]
  let isWell = true
  const one = await stand(
    context,
    ({ url }, response) => {
      const start = Number(new URL(url, 'http://source').searchParams.get('start'))
      if (start > 0 && !isWell) return say(response, '', {}, 500)
      const ids = named[start]!
      const offers = ids.map((id) => offer(id, id, [1_600, 4_200, 5_300]))
      const events = ids.map((id) => event(id, KICKOFF))
      say(response, JSON.stringify({ betOffers: offers, events, range: { start, size: 1, total: 2 } }))
    },
    {
      limits: { ...QUICK, staleMsMin: 150 },
      lists: [],
      pages: [{ path: 'type2.json?start={start}', size: 1, pagesMax: 3, intervalMs: 5 }],
    },
  )
  await until(() => [1, 2, 3].every((id) => ofEvent(one.desk, id).length > 0), 'both pages')
  isWell = false
  named[0] = [1, 3]
  await until(() => are('suspended', one.desk, 2), 'the suspension')
  const { heard } = one.desk
  await until(() => one.desk.heard >= heard + 5, 'more of the first page')
  // Which of its troubles is told depends on how quick the machine is.
  assert.match(one.poller.trouble()!, /type2\.json\?start=1: (failed \(status 500\)|not answered for)/)
  for (const id of [1, 3]) assert.ok(are('open', one.desk, id))
  isWell = true
  await until(() => are('open', one.desk, 2), 'the return')
  await until(() => one.poller.trouble() === null, 'that nothing is wrong')
  // Gone from all pages, though none fails.
  named[1] = [3]
  await until(() => are('suspended', one.desk, 2), 'that nobody names it')
  for (const id of [1, 3]) assert.ok(are('open', one.desk, id))
})

test('after a pause of the process a page is not old because another one is answered first', async (context) => {
  let isHeldBack = false
  const heldBack: (() => void)[] = []
  const one = await stand(
    context,
    ({ url, headers }, response) => {
      const start = Number(new URL(url, 'http://source').searchParams.get('start'))
      const answer = (): void => {
        if (headers['if-none-match'] !== undefined) return void response.writeHead(304).end()
        const [id] = [start + 1]
        const offers = [offer(id, id, [1_600, 4_200, 5_300])]
        const range = { start, size: 1, total: 2 }
        say(response, JSON.stringify({ betOffers: offers, events: [event(id, KICKOFF)], range }), { etag: '"p"' })
      }
      if (start === 1 && isHeldBack) heldBack.push(answer)
      else answer()
    },
    {
      limits: { ...QUICK, staleMsMin: 5_000 },
      lists: [],
      pages: [{ path: 'type2.json?start={start}', size: 1, pagesMax: 3, intervalMs: 20 }],
    },
  )
  await until(() => are('open', one.desk, 1) && are('open', one.desk, 2), 'both pages')
  isHeldBack = true
  await until(() => heldBack.length > 0, 'a request of the second page')
  one.desk.aheadMs = 60_000
  const { heard } = one.desk
  await until(() => one.desk.heard >= heard + 3, 'the first page')
  isHeldBack = false
  for (const answer of heldBack) answer()
  await until(() => one.desk.board.find('kambi:2').every(({ observedAt }) => observedAt > now() + 50_000), 'the second')
  assert.deepEqual(
    one.desk.board.statements.filter((statement) => !statement.startsWith('confirm')),
    [],
  )
})

test('prices of an event and of a page come after the sign of life', async (context) => {
  const one = await stand(
    context,
    ({ url }, response) => {
      if (isList(url)) say(response, list([event(1, KICKOFF)]))
      else sayEvent(response, 1)
    },
    { pages: [{ path: 'type2.json?start={start}', size: 1, pagesMax: 1, intervalMs: 5 }] },
  )
  const heard: number[] = []
  one.desk.board.onTake = () => void heard.push(one.desk.heard)
  await until(() => heard.length >= 4, 'prices')
  assert.ok(
    heard.every((count, index) => count > index),
    `${heard}`,
  )
})

test('refresh has the lists first, then prices that were just fetched', async (context) => {
  const one = await stand(
    context,
    ({ url, headers }, response) => {
      if (isList(url)) return say(response, list([event(1, KICKOFF)]))
      assert.equal(headers['if-none-match'], undefined)
      say(response, JSON.stringify({ betOffers: [offer(1, 1, [1_600, 4_200, 5_300])], events: [event(1, KICKOFF)] }), {
        etag: '"1"',
      })
    },
    {
      lists: [{ path: '{operator}/listView/football.json', intervalMs: HOUR_MS }],
      event: { path: '{operator}/betoffer/event/{id}.json', intervalMs: HOUR_MS, liveIntervalMs: HOUR_MS },
    },
  )
  assert.equal(await one.poller.refresh(), undefined)
  const before = one.desk.observations.length
  assert.equal(before >= 1, true)
  assert.equal(await one.poller.refresh(), undefined)
  assert.equal(one.desk.observations.length, before + 1)
})

test('lists are read in both shapes; what cannot be read has its place', () => {
  const text = JSON.stringify({
    events: [
      { event: { id: 7, start: '2026-03-08T15:00:00Z', state: 'STARTED' }, betOffers: [] },
      { id: 8, start: '2026-03-08T16:00:00Z' },
      { event: { id: 9, start: '2026-03-08T16:00:00Z', state: 'FINISHED' } },
      { event: { id: '../..', start: '2026-03-08T16:00:00Z' } },
      { event: { id: 10, start: 'tomorrow' } },
      null,
    ],
  })
  assert.deepEqual(readEventList(text), {
    events: [
      { id: '7', kickoffAt: Date.parse('2026-03-08T15:00:00Z') },
      { id: '8', kickoffAt: Date.parse('2026-03-08T16:00:00Z') },
    ],
    malformed: [
      ['events[3].id', 'must be a number'],
      ['events[4].start', 'must be an RFC 3339 date-time'],
      ['events[5].id', 'must be a number'],
    ],
  })
  assert.deepEqual(readEventList('<html>'), { fault: 'is not JSON' })
  assert.deepEqual(readEventList('[]'), { fault: 'is not a list: it must have events' })
  const window = { horizonMs: 10, afterKickoffMs: 5, eventsMax: 9 }
  const at = [94, 95, 110, 111].map((kickoffAt, index) => ({ id: String(index), kickoffAt }))
  assert.deepEqual(
    chooseEvents(at, window, 100).map(({ kickoffAt }) => kickoffAt),
    [95, 110],
  )
})

const RECORDED = join(DATA, 'kambi', 'unibet-type2.json.gz')

test('a recorded page gives its totals through the poller', {
  skip: existsSync(RECORDED) ? false : 'the recorded payloads are not on this machine',
}, async (context) => {
  const bytes = readFileSync(RECORDED)
  const page = { path: 'type2.json?start={start}', size: 2_000, pagesMax: 1, intervalMs: HOUR_MS }
  const one = await stand(context, (_seen, response) => say(response, bytes, { 'content-encoding': 'gzip' }), {
    bookmaker: null,
    lists: [],
    pages: [page],
  })
  await until(() => one.poller.hasDelivered(), 'the page')
  const { read, mapped, noPrice, unmapped, malformed } = one.desk.account.totals()
  assert.deepEqual([read, mapped, noPrice, unmapped, malformed], [4_833, 1_061, 1, 3_771, 0])
  assert.equal(new Set(one.desk.observations.map((observation) => observation.event.sourceKey)).size, 354)
  assert.match(one.desk.told[0]!, /3737 rows are more than 1 pages/)
})
