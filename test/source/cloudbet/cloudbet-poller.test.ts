// The Cloudbet poller against a local server: what it asks for, and what becomes of its answers.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { now } from '../../../src/clock.ts'
import { parseFeeds } from '../../../src/feed/feeds-file.ts'
import { plansOf } from '../../../src/feed/plans.ts'
import { type CloudbetOptions, CloudbetPoller } from '../../../src/source/cloudbet/cloudbet-poller.ts'
import { Desk, DIRECT, QUICK, say, type Script, ScriptedSource, until } from '../kit/scripted-source.ts'

const START = new Date(now() + 3_600_000).toISOString()

const OPTIONS: Omit<CloudbetOptions, 'baseUrl'> = {
  access: { ...DIRECT, credential: { header: 'X-API-Key', value: 'the-secret' } },
  limits: QUICK,
  bookmaker: null,
  transport: null,
  payload: { pricesMax: 1_000, textLengthMax: 200 },
  competitions: [
    {
      key: 'soccer-northland-first-division',
      markets: ['soccer.match_odds', 'soccer.total_goals'],
      intervalMs: 5,
      liveIntervalMs: 5,
    },
  ],
}

const answer = (home: number, over: object = {}): string =>
  JSON.stringify({
    name: 'First Division',
    key: 'soccer-northland-first-division',
    sport: { name: 'Soccer', key: 'soccer' },
    events: [
      {
        id: 1,
        home: { name: 'Harbour Town' },
        away: { name: 'Kestrel & Vale' },
        status: 'TRADING',
        cutoffTime: START,
        markets: {
          'soccer.match_odds': {
            submarkets: {
              'period=ft': {
                selections: ['home', 'draw', 'away'].map((outcome) => ({
                  outcome,
                  params: '',
                  price: home,
                  status: 'SELECTION_ENABLED',
                  side: 'BACK',
                })),
              },
            },
          },
        },
        ...over,
      },
    ],
  })

const stand = async (
  context: TestContext,
  script: Script,
  options: Partial<CloudbetOptions> = {},
): Promise<{ readonly source: ScriptedSource; readonly desk: Desk; readonly poller: CloudbetPoller }> => {
  const source = await new ScriptedSource(script).start()
  const desk = new Desk()
  const poller = new CloudbetPoller({ ...OPTIONS, baseUrl: `${source.origin}/pub/v2/odds`, ...options }, desk)
  context.after(async () => {
    await poller.stop()
    await source.stop()
  })
  return { source, desk, poller }
}

test('a competition is polled with its markets and the key; 304 confirms, and an empty answer suspends', async (context) => {
  let isOver = false
  const one = await stand(context, ({ headers }, response) => {
    if (isOver) say(response, JSON.stringify({ sport: { key: 'soccer' }, events: [] }))
    else if (headers['if-none-match'] === '"a"') response.writeHead(304).end()
    else say(response, answer(2.5), { etag: '"a"' })
  })
  const confirmed = (): boolean =>
    one.desk.board.statements.some((statement) => statement.startsWith('confirm soccer-northland-first-division '))
  await until(confirmed, 'a confirmation')
  const [first] = one.source.seen
  assert.equal(
    first?.url,
    '/pub/v2/odds/competitions/soccer-northland-first-division?markets=soccer.match_odds&markets=soccer.total_goals',
  )
  assert.equal(first.headers['x-api-key'], 'the-secret')
  assert.equal(one.desk.observations.length, 1)
  assert.ok(one.desk.board.areAll('open', 'cloudbet'))
  assert.equal(one.poller.facts().competitions, 1)
  isOver = true
  await until(() => one.desk.board.areAll('suspended', 'cloudbet'), 'the suspension')
})

test('Retry-After is kept, a key that is refused is not shown, and prices without an answer are suspended', async (context) => {
  let status = 200
  const one = await stand(
    context,
    (_seen, response) => {
      if (status === 200) say(response, answer(2.5))
      else if (status === 429) say(response, '', { 'retry-after': '3600' }, 429)
      else say(response, JSON.stringify({ message: 'the key the-secret is not valid' }), {}, status)
    },
    { limits: { ...QUICK, staleMsMin: 50 } },
  )
  await until(() => one.desk.observations.length > 0, 'prices')
  status = 401
  await until(() => one.desk.told.some((line) => line.includes('credentials refused')), 'the refusal')
  assert.ok(!one.desk.told.some((line) => line.includes('the-secret')), one.desk.told.join('\n'))
  await until(() => one.desk.board.areAll('suspended', 'cloudbet'), 'the suspension')
  status = 429
  await until(() => one.desk.told.some((line) => line.includes('asks for fewer requests')), 'the pause')
  const { nextPollAt } = one.poller.facts()
  assert.ok(Number(nextPollAt) >= now() + 3_500_000, `next at ${nextPollAt}`)
})

test('a live event is polled more often', async (context) => {
  let isLive = true
  const one = await stand(
    context,
    (_seen, response) => say(response, answer(2.5, isLive ? { status: 'TRADING_LIVE' } : {})),
    { competitions: [{ ...OPTIONS.competitions[0]!, intervalMs: 3_600_000 }] },
  )
  await until(() => one.source.seen.length >= 3, 'three polls')
  isLive = false
  await until(() => Number(one.poller.facts().nextPollAt) > now() + 1_800_000, 'the long interval')
})

const LEAST = { name: 'c', kind: 'cloudbet', apiKey: '$KEY', competitions: [{ key: 'soccer-england-premier-league' }] }

type Planned = Pick<ReturnType<typeof plansOf>, 'plans'> & {
  readonly faults: readonly { field: string; message: string }[]
}

const planned = (over: object, secret: string | undefined = 'k'): Planned => {
  const file = parseFeeds(JSON.stringify({ sources: [{ ...LEAST, ...over }] }))
  if (file.faults.length > 0) return { plans: [], faults: file.faults }
  return plansOf(file, {
    path: '/nowhere/oddswire.feeds.json',
    secretOf: () => secret,
    sourceModeOf: () => undefined,
    limits: { lineBytesMax: 2 ** 20, documentBytesMax: 2 ** 20, pricesMax: 1_000, textLengthMax: 200 },
    skewMsMax: 5_000,
  })
}

test('its settings: the least, and refusals that name the field', () => {
  const [plan] = planned({}).plans
  assert.equal(plan?.never ?? null, null)
  assert.equal(plan?.terms.downMs, 135_000)
  const unset = planned({}, '')
  assert.match(JSON.stringify(unset), /apiKey.*\$KEY is not set.*secret/)
  const refusals: readonly (readonly [object, RegExp])[] = [
    [{ apiKey: 'plain' }, /^sources\[0\]\.apiKey: /],
    [{ competitions: [] }, /^sources\[0\]\.competitions: /],
    [{ competitions: [{ key: 'Premier League' }] }, /^sources\[0\]\.competitions\[0\]\.key: /],
    [{ competitions: [{ key: 'kabaddi-india-league' }] }, /^sources\[0\]\.competitions\[0\]\.key: .*sport/],
    [
      { competitions: [LEAST.competitions[0], LEAST.competitions[0]] },
      /^sources\[0\]\.competitions\[1\]\.key: .*twice/,
    ],
    [{ markets: ['soccer.matchOdds'] }, /^sources\[0\]\.markets\[0\]: .*soccer\.match_odds/],
    [{ markets: ['tennis.winner'] }, /^sources\[0\]\.markets: .*soccer-england-premier-league/],
    [{ credential: { header: 'X', value: '$KEY' } }, /^sources\[0\]\.credential: /],
  ]
  for (const [over, expected] of refusals) {
    const { faults } = planned(over)
    assert(
      faults.some(({ field, message }) => expected.test(`${field}: ${message}`)),
      JSON.stringify([over, faults]),
    )
  }
})
