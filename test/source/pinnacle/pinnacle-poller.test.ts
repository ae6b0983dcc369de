// The Pinnacle poller against a local server that answers both calls.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { now } from '../../../src/clock.ts'
import { type PinnacleOptions, PinnaclePoller } from '../../../src/source/pinnacle/pinnacle-poller.ts'
import { Desk, DIRECT, QUICK, say, type Script, ScriptedProxy, ScriptedSource, until } from '../kit/scripted-source.ts'

const START = new Date(now() + 3_600_000).toISOString()

const OPTIONS: Omit<PinnacleOptions, 'baseUrl'> = {
  access: DIRECT,
  limits: QUICK,
  bookmaker: null,
  transport: null,
  payload: { pricesMax: 1_000, textLengthMax: 200 },
  groups: [
    {
      name: 'league 77',
      matchups: 'leagues/77/matchups',
      straight: 'leagues/77/markets/straight',
      isComplete: true,
    },
  ],
  matchupsIntervalMs: 20,
  straightIntervalMs: 5,
}

const matchup = (id: number, home: string, period = 'open'): object => ({
  id,
  type: 'matchup',
  units: 'Regular',
  isLive: false,
  startTime: START,
  league: { id: 77, name: 'Northland - First Division', sport: { id: 29, name: 'Soccer' } },
  participants: [
    { alignment: 'home', name: home },
    { alignment: 'away', name: 'Kestrel & Vale' },
  ],
  periods: [{ period: 0, status: period }],
})

const MATCHUPS = JSON.stringify([matchup(501, 'Harbour Town')])

const total = (points: number, prices: readonly [number, number], matchupId = 501): object => ({
  matchupId,
  key: `s;0;ou;${points}`,
  type: 'total',
  period: 0,
  cutoffAt: START,
  prices: [
    { designation: 'over', points, price: prices[0] },
    { designation: 'under', points, price: prices[1] },
  ],
})

const STRAIGHT = JSON.stringify([total(2.5, [-110, 102]), total(3.5, [150, -170])])

const isMatchups = (url: string): boolean => url.endsWith('/matchups')

const stand = async (
  context: TestContext,
  script: Script,
  options: Partial<PinnacleOptions> = {},
): Promise<{ readonly source: ScriptedSource; readonly desk: Desk; readonly poller: PinnaclePoller }> => {
  const source = await new ScriptedSource(script).start()
  const desk = new Desk()
  const poller = new PinnaclePoller({ ...OPTIONS, baseUrl: `${source.origin}/0.1`, ...options }, desk)
  context.after(async () => {
    await poller.stop()
    await source.stop()
  })
  return { source, desk, poller }
}

const pricesOf = (observation: Desk['observations'][number] | undefined): string[] =>
  (observation?.prices ?? []).map(({ line, outcome, odds, status }) => `${line} ${outcome} ${odds} ${status}`)

test('both calls make prices; 304 confirms them, and what is missing next is suspended', async (context) => {
  let round = 0
  const one = await stand(context, ({ url, headers }, response) => {
    if (isMatchups(url)) say(response, gzipSync(MATCHUPS), { 'content-encoding': 'gzip' })
    else if (one.desk.observations.length === 0 || headers['if-none-match'] === undefined) {
      say(response, STRAIGHT, { etag: '"s"' })
    } else if (++round <= 2) response.writeHead(304).end()
    else say(response, JSON.stringify([total(2.5, [-120, 110])]))
  })
  await until(() => one.desk.observations.some(({ prices }) => prices.some(({ status }) => status !== 'open')), 'a gap')
  const all = ['2.5 over 1.909 open', '2.5 under 2.02 open', '3.5 over 2.5 open', '3.5 under 1.588 open']
  const { observations } = one.desk
  assert.deepEqual(pricesOf(observations[0]), all)
  const confirmed = one.desk.board.statements.map((statement) => /^confirm league 77 (\d+)$/.exec(statement)?.[1])
  assert.ok(confirmed.some((at) => Number(at) > observations[0]!.observedAt))
  const last = observations.find(({ prices }) => prices.some(({ status }) => status !== 'open'))
  assert.deepEqual(
    pricesOf(last).filter((price) => price.startsWith('3.5')),
    ['3.5 over null suspended', '3.5 under null suspended'],
  )
  assert.equal(observations[0]!.bookmaker, 'pinnacle')
  assert.ok(one.source.seen.some(({ url }) => url === '/0.1/leagues/77/markets/straight'))
  assert.equal(one.poller.facts().groups, 1)
})

test('an incomplete path leaves what it does not name alone', async (context) => {
  const one = await stand(
    context,
    ({ url }, response) => {
      if (isMatchups(url)) say(response, MATCHUPS)
      else say(response, one.desk.observations.length === 0 ? STRAIGHT : JSON.stringify([total(2.5, [-120, 110])]))
    },
    { groups: [{ ...OPTIONS.groups[0]!, isComplete: false }] },
  )
  await until(() => pricesOf(one.desk.observations.at(-1)).includes('2.5 over 1.833 open'), 'the shorter answer')
  assert.ok(one.desk.observations.every(({ prices }) => prices.every(({ status }) => status === 'open')))
})

test('prices that fail while names go on are suspended, and the source is not heard', async (context) => {
  let isWell = true
  const one = await stand(
    context,
    ({ url }, response) => {
      if (isMatchups(url)) say(response, MATCHUPS)
      else if (isWell) say(response, STRAIGHT, { etag: '"s"' })
      else say(response, '', {}, 500)
    },
    { limits: { ...QUICK, staleMsMin: 50 } },
  )
  await until(() => one.desk.observations.length > 0, 'prices')
  isWell = false
  await until(() => one.desk.board.areAll('suspended', 'pinnacle'), 'the suspension')
  const { heard } = one.desk
  const names = one.source.seen.filter(({ url }) => isMatchups(url)).length
  await until(() => one.source.seen.filter(({ url }) => isMatchups(url)).length >= names + 3, 'names, three times')
  assert.equal(one.desk.heard, heard)
  assert.ok(one.desk.board.areAll('suspended', 'pinnacle'), 'names do not open prices')
  isWell = true
  await until(() => one.desk.board.areAll('open', 'pinnacle'), 'the return')
  assert.equal(one.desk.board.shown().length, 4)
})

test('held prices that are named while their URL is stale are not open, until it answers again', async (context) => {
  let isWell = true
  let isNamed = false
  const both = JSON.stringify([total(2.5, [-110, 102]), total(2.5, [-130, 120], 502)])
  const one = await stand(
    context,
    ({ url, headers }, response) => {
      if (isMatchups(url)) {
        say(response, JSON.stringify([matchup(501, 'Harbour Town'), ...(isNamed ? [matchup(502, 'Lions')] : [])]))
      } else if (!isWell) say(response, '', {}, 500)
      else if (headers['if-none-match'] !== undefined) response.writeHead(304).end()
      else say(response, both, { etag: '"s"' })
    },
    { limits: { ...QUICK, staleMsMin: 50 } },
  )
  await until(() => one.desk.board.areAll('open', 'pinnacle:501'), 'prices')
  isWell = false
  await until(() => one.desk.board.areAll('suspended', 'pinnacle:501'), 'the suspension')
  isNamed = true
  await until(() => one.desk.board.find('pinnacle:502').length > 0, 'the prices that were held')
  assert.ok(one.desk.board.areAll('suspended', 'pinnacle:502'))
  isWell = true
  for (const event of ['pinnacle:501', 'pinnacle:502']) {
    await until(() => one.desk.board.areAll('open', event), `the return of ${event}`)
  }
})

test('held prices that are named after the source went down are not open, though their URL is not stale', async (context) => {
  let isWell = true
  let isNamed = false
  let unanswered = 0
  const one = await stand(context, ({ url }, response) => {
    if (isMatchups(url)) say(response, isNamed ? MATCHUPS : '[]')
    else if (isWell) say(response, STRAIGHT)
    else unanswered++
  })
  await until(() => one.desk.heard > 1, 'prices without names')
  isWell = false
  await until(() => unanswered > 0, 'a request that is not answered')
  one.poller.suspended()
  isNamed = true
  await until(() => one.desk.board.find('pinnacle').length > 0, 'the prices that were held')
  assert.ok(one.desk.board.areAll('suspended', 'pinnacle'))
})

for (const [period, shown] of [
  ['held', 'suspended'],
  ['settled', 'closed'],
] as const) {
  test(`a period that is ${period} and then open again is open, though its prices are unchanged`, async (context) => {
    let isHeld = false
    const one = await stand(context, ({ url, headers }, response) => {
      const body = isMatchups(url) ? JSON.stringify([matchup(501, 'Harbour Town', isHeld ? period : 'open')]) : STRAIGHT
      const etag = `"${isMatchups(url) && isHeld}"`
      if (headers['if-none-match'] === etag) response.writeHead(304).end()
      else say(response, body, { etag })
    })
    await until(() => one.desk.board.areAll('open', 'pinnacle'), 'prices')
    isHeld = true
    await until(() => one.desk.board.areAll(shown, 'pinnacle'), 'the hold')
    isHeld = false
    await until(() => one.desk.board.areAll('open', 'pinnacle'), 'the end of the hold')
  })
}

test('prices whose matchups are not answered are suspended, whatever their own URL answers, and come back', async (context) => {
  let isWell = true
  let straightTag = '"1"'
  const one = await stand(
    context,
    ({ url, headers }, response) => {
      if (isMatchups(url)) say(response, isWell ? MATCHUPS : '', {}, isWell ? 200 : 500)
      else if (headers['if-none-match'] === straightTag) response.writeHead(304).end()
      else say(response, STRAIGHT, { etag: straightTag })
    },
    { limits: { ...QUICK, staleMsMin: 50 } },
  )
  await until(() => one.desk.board.areAll('open', 'pinnacle'), 'prices')
  isWell = false
  await until(() => one.desk.board.areAll('suspended', 'pinnacle'), 'the suspension')
  assert.equal(one.desk.board.find('pinnacle')[0]!.doubt, 'gap')
  const moreOf = async (status: number): Promise<void> => {
    const { heard } = one.desk
    await until(() => one.desk.heard >= heard + 4, `more answers with ${status}`)
    assert.ok(one.desk.board.areAll('suspended', 'pinnacle'), `${status} of prices opens nothing`)
  }
  await moreOf(304)
  straightTag = '"2"'
  await moreOf(200)
  isWell = true
  await until(() => one.desk.board.areAll('open', 'pinnacle'), 'the return')
})

test('the credential and the proxy of its mode are used, and neither is told', async (context) => {
  const proxy = await new ScriptedProxy().start()
  context.after(() => proxy.stop())
  const one = await stand(
    context,
    ({ headers }, response) => say(response, JSON.stringify({ detail: `no ${headers['x-api-key']}` }), {}, 403),
    {
      access: {
        mode: 'cdp_proxy',
        proxy: `http://scout:hunter2@127.0.0.1:${proxy.port}`,
        credential: { header: 'X-API-Key', value: 'open sesame' },
        authorities: null,
      },
    },
  )
  await until(() => one.desk.told.length > 0, 'the warning')
  assert.match(one.desk.told[0]!, /credentials refused \(status 403: "no \(secret\)"\)$/)
  assert.match(proxy.asked[0]!.line, /^GET http:\/\/127\.0\.0\.1:\d+\/0\.1\/leagues\/77\//)
  assert.equal(proxy.asked[0]!.authorization, `Basic ${Buffer.from('scout:hunter2').toString('base64')}`)
})
