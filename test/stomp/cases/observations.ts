// docs/live-protocol.md 7: observations in.

import assert from 'node:assert/strict'
import { type At, type Case, holds, NEWEST, ONCE, quotesOf } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { clientFrame, jsonOf, shownFrame } from '../strict-frames.ts'
import { AWAY, DRAW, type Fixture, HOME, OVER, timeText, type WireObservation } from '../world.ts'

const EXAMPLE =
  '## 3a. Observations in (`SEND /feed/{bookmaker}`; one a line in `observations` files, there with `"bookmaker"`)'
const TRANSPORT = '`transport` is `rest`, `live` or `both`.'
const OTHERS =
  "`others` says what becomes of this bookmaker's quotes of the event and transport that are not named: `keep`, `suspended` (with `quotes: []`: a bet stop), `closed`; `complete: true` is `closed`."
const LEFT_OUT = '`status` may be left out (`open`), `line` too (null), `complete` too (false).'
const NO_ODDS = '`odds` may be left out where the status is not `open`: the last one stays.'
const SOURCE_ID = "`sourceId` is the bookmaker's own id of the event: once resolved, it decides."
const RECEIPT = 'The RECEIPT says that the observation is on the board and in the journal.'
const OLDER = 'An observation older than what the board holds is receipted and ignored.'
const WRONG =
  'A body that is wrong in any point (an `observedAt` over 5 s ahead included) is refused whole: ERROR `validation_failed` naming the field; nothing of it is recorded.'
const REFUSALS =
  "A feed that must not lose its connection over one bad body subscribes to `/topic/refusals`: then refusals arrive there (code, message, field, the SEND's receipt), the RECEIPT carries `refused: CODE`, and the session goes on."
const REPEATED = 'A SEND without its RECEIPT must be repeated after a reconnect; that is harmless.'

const send = (feeder: RawClient, book: string, body: object | string) =>
  feeder.request('SEND', { destination: `/feed/${book}` }, typeof body === 'string' ? body : JSON.stringify(body))

/** A feed and a subscriber of its event's odds. */
const fed = async (at: At): Promise<{ event: Fixture; feeder: RawClient; client: RawClient }> => {
  const event = await at.event()
  const feeder = await at.feeder()
  const client = await at.desk()
  await client.subscribe(event.topic())
  return { event, feeder, client }
}

/** Quotes of MESSAGEs until so many have come, sorted. */
const says = async (client: RawClient, count: number): Promise<string[]> => {
  const quotes: string[] = []
  while (quotes.length < count) quotes.push(...quotesOf(await client.next('MESSAGE')))
  return quotes.sort()
}

const threeQuotes = [
  { ...HOME, odds: 2 },
  { ...DRAW, odds: 3 },
  { ...AWAY, odds: 4 },
]

/** What becomes of three quotes and the one that each event starts with, when only `home` is named, or none. */
const othersCase = (what: string, over: Partial<WireObservation>, expected: readonly string[]): Case =>
  holds(
    OTHERS,
    async (at) => {
      const { event, feeder, client } = await fed(at)
      await send(feeder, event.book, event.observation(threeQuotes))
      await says(client, 3)
      await send(feeder, event.book, event.observation(over.quotes ?? [{ ...HOME, odds: 2.5 }], over))
      assert.deepEqual(await says(client, expected.length), [...expected].sort())
      await send(feeder, event.book, event.observation([{ ...OVER, odds: 9 }]))
      assert.deepEqual(await says(client, 1), ['over added 9 open'])
    },
    { ...NEWEST, what },
  )

/** One wrong point: what is changed in a good body, and the field that the ERROR must name. */
type Wrong = readonly [what: string, change: (body: Record<string, unknown>) => unknown, field: RegExp]

const inEvent = (fields: object) => (body: Record<string, unknown>) => ({
  ...body,
  event: { ...(body.event as object), ...fields },
})

const withQuote = (fields: object) => (body: Record<string, unknown>) => ({
  ...body,
  quotes: [...(body.quotes as object[]), { ...DRAW, odds: 3, ...fields }],
})

const without = (name: string) => (body: Record<string, unknown>) => {
  const { [name]: _, ...rest } = body
  return rest
}

const WRONGS: readonly Wrong[] = [
  ['no JSON', () => 'no JSON', /observation|body|JSON/],
  ['nothing', () => '', /observation|body|JSON/],
  ['an array', (body) => [body], /observation|body/],
  ['no transport', without('transport'), /transport/],
  ['another transport', (body) => ({ ...body, transport: 'tv' }), /transport/],
  ['no observedAt', without('observedAt'), /observedAt/],
  ['observedAt without an offset', (body) => ({ ...body, observedAt: '2026-11-20T19:03:11.482' }), /observedAt/],
  ['observedAt as a number', (body) => ({ ...body, observedAt: 1_790_000_000_000 }), /observedAt/],
  ['observedAt 7 s ahead', (body) => ({ ...body, observedAt: timeText(-7_000) }), /observedAt/],
  ['no event', without('event'), /event/],
  ['another sport', inEvent({ sport: 'chess' }), /event\.sport/],
  ['no league', inEvent({ league: undefined }), /event\.league/],
  ['a league without a key', inEvent({ league: { name: 'L' } }), /event\.league\.key/],
  ['no home', inEvent({ home: undefined }), /event\.home/],
  ['a kickoff that is no time', inEvent({ kickoffAt: 'soon' }), /event\.kickoffAt/],
  ['a sourceId that is a number', inEvent({ sourceId: 7 }), /event\.sourceId/],
  ['no quotes', without('quotes'), /quotes/],
  ['quotes that are no array', (body) => ({ ...body, quotes: {} }), /quotes/],
  ['another market type', withQuote({ type: 'coin_toss' }), /quotes\[1\]\.type/],
  ['a line that is a text', withQuote({ line: '2.5' }), /quotes\[1\]\.line/],
  ['no outcome', withQuote({ outcome: undefined }), /quotes\[1\]\.outcome/],
  ['odds of 1', withQuote({ odds: 1 }), /quotes\[1\]\.odds/],
  ['odds that are a text', withQuote({ odds: '2.5' }), /quotes\[1\]\.odds/],
  ['open without odds', withQuote({ odds: undefined }), /quotes\[1\]\.odds/],
  ['another status', withQuote({ status: 'paused' }), /quotes\[1\]\.status/],
  ['a field that is not known', withQuote({ price: 3 }), /quotes\[1\]\.price/],
  ['a quote twice', withQuote(HOME), /quotes\[1\]/],
  ['other others', (body) => ({ ...body, others: 'drop' }), /others/],
  ['complete that is a text', (body) => ({ ...body, complete: 'yes' }), /complete/],
  ['another bookmaker', (body) => ({ ...body, bookmaker: 'somebody' }), /bookmaker/],
]

const bodyOf = (event: Fixture, change: Wrong[1]): string => {
  const good = { ...event.observation([{ ...HOME, odds: 2 }]) }
  const wrong = change(good)
  return typeof wrong === 'string' ? wrong : JSON.stringify(wrong)
}

export const OBSERVATIONS: readonly Case[] = [
  holds(EXAMPLE, async (at) => {
    const { feeder } = await fed(at)
    const sighting = at.world.sighting()
    const body = {
      transport: 'live',
      observedAt: timeText(),
      event: sighting,
      quotes: [{ type: 'match_result_1x2', line: null, outcome: 'home', odds: 2.1, status: 'open' }],
      complete: false,
      others: 'keep',
    }
    await send(feeder, at.book, body)
    const id = await at.world.eventId(sighting)
    assert.deepEqual([...(await at.world.oddsOnRest(id, at.book, 'live'))], [['match_result_1x2 null home', 2.1]])
    await send(feeder, at.book, { bookmaker: at.book, ...body, observedAt: timeText() })
  }),
  ...(
    [
      ['rest', ['rest']],
      ['live', ['live']],
      ['both', ['rest', 'live']],
    ] as const
  ).map(([transport, seen]) =>
    holds(
      TRANSPORT,
      async (at) => {
        const { event, feeder } = await fed(at)
        await send(feeder, event.book, event.observation([{ ...HOME, odds: 2 }], { transport }))
        for (const each of ['rest', 'live'] as const) {
          const odds = await at.world.oddsOnRest(event.id, event.book, each)
          const isSeen = (seen as readonly string[]).includes(each)
          assert.equal(odds.has('match_result_1x2 null home'), isSeen, each)
        }
      },
      { ...NEWEST, what: transport },
    ),
  ),
  othersCase('keep', { others: 'keep' }, ['home repriced 2.5 open']),
  othersCase('nothing said', {}, ['home repriced 2.5 open']),
  othersCase('suspended', { others: 'suspended' }, [
    'home repriced 2.5 open',
    'draw suspended 3 suspended',
    'away suspended 4 suspended',
    'odd suspended 1.9 suspended',
  ]),
  othersCase('a bet stop', { others: 'suspended', quotes: [] }, [
    'home suspended 2 suspended',
    'draw suspended 3 suspended',
    'away suspended 4 suspended',
    'odd suspended 1.9 suspended',
  ]),
  ...(
    [
      ['closed', { others: 'closed' }],
      ['complete', { complete: true }],
      ['both ways', { complete: true, others: 'closed' }],
    ] as const
  ).map(([what, over]) =>
    othersCase(what, over, [
      'home repriced 2.5 open',
      'draw closed 3 closed',
      'away closed 4 closed',
      'odd closed 1.9 closed',
    ]),
  ),
  holds(
    OTHERS,
    async (at) => {
      const { event, client } = await fed(at)
      const other = event.at(at.world.book())
      const witness = await at.desk()
      await witness.subscribe(`/topic/odds.football.*.${event.id}`)
      await other.observe([{ ...HOME, odds: 5 }])
      await event.observe([{ ...HOME, odds: 2 }], { transport: 'both' })
      await event.observe([], { transport: 'rest', others: 'closed' })
      await event.observe([], { others: 'suspended' })
      assert.deepEqual(await says(client, 3), [
        'home added 2 open',
        'home suspended 2 suspended',
        'odd suspended 1.9 suspended',
      ])
      const all = await says(witness, 4)
      assert(all.includes('home added 5 open'))
      assert(!all.includes('home suspended 5 suspended'))
    },
    { ...NEWEST, what: 'of this bookmaker, event and transport' },
  ),
  holds(LEFT_OUT, async (at) => {
    const { event, feeder, client } = await fed(at)
    const quotes = [{ type: 'match_result_1x2', outcome: 'home', odds: 2 }] as const
    await send(feeder, event.book, event.observation(quotes))
    const message = await client.next('MESSAGE')
    assert.deepEqual(quotesOf(message), ['home added 2 open'])
    assert(message.body.includes('"line":null'))
    // The same in full: nothing changes.
    await send(feeder, event.book, event.observation([{ ...HOME, odds: 2, status: 'open' }], { complete: false }))
    await send(feeder, event.book, event.observation([{ ...AWAY, odds: 9 }]))
    assert.deepEqual(await says(client, 1), ['away added 9 open'])
  }),
  holds(NO_ODDS, async (at) => {
    const { event, feeder, client } = await fed(at)
    await send(feeder, event.book, event.observation([{ ...HOME, odds: 2.35 }]))
    await send(feeder, event.book, event.observation([{ ...HOME, status: 'suspended' }]))
    await send(feeder, event.book, event.observation([{ ...HOME, odds: null, status: 'closed' }]))
    const quotes: string[] = []
    while (quotes.length < 3) quotes.push(...quotesOf(await client.next('MESSAGE')))
    assert.deepEqual(quotes, ['home added 2.35 open', 'home suspended 2.35 suspended', 'home closed 2.35 closed'])
  }),
  holds(
    SOURCE_ID,
    async (at) => {
      const { event, feeder, client } = await fed(at)
      // Of this case alone: two books that name an event alike mean the same one.
      const renamed = { ...event.sighting, home: `Another ${event.id}`, away: 'Name', kickoffAt: timeText(-9_000_000) }
      await send(feeder, event.book, event.observation([{ ...HOME, odds: 2 }], { event: renamed }))
      const message = await client.next('MESSAGE')
      assert.equal(String(jsonOf(message).eventId), event.id)
      assert.deepEqual(quotesOf(message), ['home added 2 open'])
    },
    NEWEST,
  ),
  holds(RECEIPT, async (at) => {
    const { event, feeder } = await fed(at)
    for (let odds = 2; odds < 12; odds++) {
      await send(feeder, event.book, event.observation([{ ...HOME, odds }]))
      const onRest = await at.world.oddsOnRest(event.id, event.book, 'live')
      assert.equal(onRest.get('match_result_1x2 null home'), odds)
    }
  }),
  holds(OLDER, async (at) => {
    const { event, feeder, client } = await fed(at)
    await send(feeder, event.book, event.observation([{ ...HOME, odds: 2 }]))
    const older = event.observation(
      [
        { ...HOME, odds: 3 },
        { ...DRAW, odds: 4 },
      ],
      { observedAt: timeText(60_000) },
    )
    await send(feeder, event.book, older)
    await send(feeder, event.book, event.observation([{ ...AWAY, odds: 9 }]))
    // Per quote: what is newer than the board is recorded.
    assert.deepEqual(await says(client, 3), ['away added 9 open', 'draw added 4 open', 'home added 2 open'])
  }),
  ...WRONGS.map(([what, change, field]) =>
    holds(
      WRONG,
      async (at) => {
        const { event, feeder, client } = await fed(at)
        const body = bodyOf(event, change)
        await feeder.frame('SEND', { destination: `/feed/${event.book}`, receipt: 'r' }, body)
        const error = await feeder.refused('validation_failed')
        assert.equal(error.headers.get('receipt-id'), 'r')
        assert.match(error.body.toString('utf8'), field)
        await event.observe([{ ...AWAY, odds: 9 }])
        assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['away added 9 open'])
      },
      { ...ONCE, what },
    ),
  ),
  holds(
    WRONG,
    async (at) => {
      const { event, feeder } = await fed(at)
      const body = Buffer.from(
        JSON.stringify(event.observation([{ ...HOME, odds: 2 }])).replace('Home', 'H\u00ffme'),
        'latin1',
      )
      const headers = { destination: `/feed/${event.book}`, 'content-length': String(body.length) }
      await feeder.frame('SEND', headers, body)
      await feeder.refused('validation_failed')
    },
    { ...ONCE, what: 'bytes that are not UTF-8' },
  ),
  holds(
    WRONG,
    async (at) => {
      const { event, feeder } = await fed(at)
      // A little ahead is the clock of the source.
      await send(feeder, event.book, event.observation([{ ...HOME, odds: 2 }], { observedAt: timeText(-3_000) }))
    },
    { ...ONCE, what: 'but 3 s ahead is taken' },
  ),
  holds(REFUSALS, async (at) => {
    const { event, feeder, client } = await fed(at)
    await feeder.subscribe('/topic/refusals')
    const bad = JSON.stringify(event.observation([{ ...HOME, odds: 0.5 }]))
    const { receipt, before } = await send(feeder, event.book, bad)
    assert.equal(receipt.headers.get('refused'), 'validation_failed')
    assert.equal(before.length, 1)
    const refusal = before[0]!
    assert.equal(refusal.headers.get('destination'), '/topic/refusals')
    assert.equal(refusal.headers.get('subscription'), 'sub-0')
    const body = jsonOf(refusal)
    assert.equal(String(body.code), 'validation_failed', shownFrame(refusal))
    assert.match(String(body.field), /quotes\[0\]\.odds/)
    assert.notEqual(String(body.message), '')
    assert.equal(String(body.receipt), receipt.headers.get('receipt-id'))
    const { receipt: good } = await send(feeder, event.book, event.observation([{ ...HOME, odds: 2 }]))
    assert.equal(good.headers.get('refused'), undefined)
    assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['home added 2 open'])
  }),
  holds(
    REFUSALS,
    async (at) => {
      const { event, feeder } = await fed(at)
      await feeder.subscribe('/topic/refusals')
      await feeder.frame('SEND', { destination: `/feed/${event.book}` }, '[]')
      assert.equal(String(jsonOf(await feeder.next('MESSAGE')).code), 'validation_failed')
      assert.deepEqual((await feeder.barrier()).map(shownFrame), [])
    },
    { ...NEWEST, what: 'a SEND without a receipt' },
  ),
  holds(
    REFUSALS,
    async (at) => {
      const { event, feeder } = await fed(at)
      await feeder.subscribe('/topic/refusals')
      await send(feeder, event.book, '[]')
      await feeder.request('UNSUBSCRIBE', { id: 'sub-0' })
      await feeder.frame('SEND', { destination: `/feed/${event.book}` }, '[]')
      await feeder.refused('validation_failed')
    },
    { ...NEWEST, what: 'as long as it is subscribed' },
  ),
  holds(
    REFUSALS,
    async (at) => {
      const { event, feeder } = await fed(at)
      await feeder.subscribe('/topic/refusals')
      const COUNT = 200
      for (let place = 0; place < COUNT; place++) {
        const body = place % 2 === 0 ? '[]' : JSON.stringify(event.observation([{ ...HOME, odds: 2 + place }]))
        void feeder.frame('SEND', { destination: `/feed/${event.book}`, receipt: `s${place}` }, body)
      }
      const frames = await feeder.until((frame) => frame.headers.get('receipt-id') === `s${COUNT - 1}`)
      const receipts = frames.filter((frame) => frame.command === 'RECEIPT')
      assert.deepEqual(
        receipts.map((frame) => `${frame.headers.get('receipt-id')} ${frame.headers.get('refused') ?? 'taken'}`),
        Array.from({ length: COUNT }, (_, place) => `s${place} ${place % 2 === 0 ? 'validation_failed' : 'taken'}`),
      )
      assert.equal(frames.length - receipts.length, COUNT / 2)
    },
    { ...NEWEST, what: 'many SENDs under way' },
  ),
  holds(
    REFUSALS,
    async (at) => {
      const { event, feeder } = await fed(at)
      await feeder.subscribe('/topic/refusals')
      const destination = `/feed/${event.book}`
      // The board refuses it, with the turn; what follows is of the same turn.
      const ahead = JSON.stringify(event.observation([{ ...HOME, odds: 2 }], { observedAt: timeText(-60_000) }))
      const good = JSON.stringify(event.observation([{ ...HOME, odds: 3 }]))
      const frames = [
        clientFrame('SEND', { destination }, feeder.version, ahead),
        clientFrame('UNSUBSCRIBE', { id: 'sub-0', receipt: 'left' }, feeder.version),
        clientFrame('SEND', { destination, receipt: 'good' }, feeder.version, good),
      ]
      for (const frame of frames) void feeder.write(frame)
      const answers = await feeder.until((frame) => frame.headers.get('receipt-id') === 'good')
      assert.deepEqual(
        answers.map((frame) => frame.headers.get('receipt-id') ?? jsonOf(frame).field),
        ['observedAt', 'left', 'good'],
      )
    },
    { ...NEWEST, what: 'in the order of the frames, to those that were subscribed' },
  ),
  holds(REPEATED, async (at) => {
    const { event, feeder, client } = await fed(at)
    const body = event.observation([{ ...HOME, odds: 2 }])
    void feeder.frame('SEND', { destination: `/feed/${event.book}` }, JSON.stringify(body))
    feeder.finish()
    const again = await at.feeder()
    await send(again, event.book, body)
    await send(again, event.book, body)
    await send(again, event.book, event.observation([{ ...AWAY, odds: 9 }]))
    const quotes: string[] = []
    while (quotes.length < 2) quotes.push(...quotesOf(await client.next('MESSAGE')))
    assert.deepEqual(quotes, ['home added 2 open', 'away added 9 open'])
  }),
]
