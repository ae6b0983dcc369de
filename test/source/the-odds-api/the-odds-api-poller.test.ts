// The Odds API poller against a local server that counts credits.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type TheOddsApiOptions, TheOddsApiPoller } from '../../../src/source/the-odds-api/the-odds-api-poller.ts'
import { DATA, ROOT } from '../../root.ts'
import { Desk, DIRECT, QUICK, say, type Script, ScriptedSource, until } from '../kit/scripted-source.ts'

const KEY = 'k3y/with+signs'

const ANSWER = readFileSync(join(ROOT, 'fixtures', 'the-odds-api', 'answer.json'), 'utf8')

const OPTIONS: Omit<TheOddsApiOptions, 'baseUrl'> = {
  access: DIRECT,
  limits: QUICK,
  bookmaker: null,
  transport: null,
  payload: { pricesMax: 1_000, textLengthMax: 200 },
  apiKey: KEY,
  sports: [
    { key: 'soccer_epl', intervalMs: 5, priority: 1 },
    { key: 'basketball_nba', intervalMs: 5, priority: 1 },
  ],
  markets: ['h2h', 'totals'],
  regions: ['uk', 'eu'],
  bookmakers: [],
  credits: { perMonth: null, reserve: 10, resetDay: 1 },
  creditsIntervalMs: 3_600_000,
}

const stand = async (
  context: TestContext,
  script: Script,
  options: Partial<TheOddsApiOptions> = {},
): Promise<{ readonly source: ScriptedSource; readonly desk: Desk; readonly poller: TheOddsApiPoller }> => {
  const source = await new ScriptedSource(script).start()
  const desk = new Desk()
  const poller = new TheOddsApiPoller({ ...OPTIONS, baseUrl: source.origin, ...options }, desk)
  context.after(async () => {
    await poller.stop()
    await source.stop()
  })
  return { source, desk, poller }
}

const isCredits = (url: string): boolean => url.startsWith('/v4/sports?')

/** Counts credits as the source does: an answer with something in it costs, the list of sports is free. */
const counting = (account: { remaining: number }, cost: number, body = ANSWER): Script => {
  let used = 0
  return ({ url }, response) => {
    const last = isCredits(url) ? 0 : cost
    account.remaining -= last
    used += last
    say(response, isCredits(url) ? '[]' : body, {
      'x-requests-remaining': String(account.remaining),
      'x-requests-used': String(used),
      'x-requests-last': String(last),
    })
  }
}

test('credits are asked for first, then each sport; the URL is as documented', async (context) => {
  const one = await stand(context, counting({ remaining: 100_000_000_000 }, 4))
  await until(() => one.desk.heard >= 8, 'four answers, on the board')
  const urls = one.source.seen.map(({ url }) => new URL(url, one.source.origin))
  assert.equal(urls[0]!.pathname, '/v4/sports')
  const epl = urls.find(({ pathname }) => pathname === '/v4/sports/soccer_epl/odds')!
  assert.deepEqual(Object.fromEntries(epl.searchParams), {
    regions: 'uk,eu',
    markets: 'h2h,totals',
    oddsFormat: 'decimal',
    dateFormat: 'iso',
    apiKey: KEY,
  })
  assert.ok(urls.some(({ pathname }) => pathname === '/v4/sports/basketball_nba/odds'))
  assert.ok(one.desk.observations.length > 0)
  assert.equal(one.desk.observations[0]!.event.sourceKey, 'the-odds-api:f1')
  const { credits, creditsLast, stretch, sports } = one.poller.facts()
  assert.ok(Number(credits) < 100_000_000_000)
  assert.deepEqual([creditsLast, stretch, sports], [4, 1, 2])
  assert.deepEqual(one.desk.told, [])
})

test('an answer in American odds, though decimals were asked for, is refused as a whole and told', async (context) => {
  const american = readFileSync(join(ROOT, 'fixtures', 'the-odds-api', 'american.json'), 'utf8')
  const one = await stand(context, counting({ remaining: 100_000_000_000 }, 4, american))
  await until(() => one.desk.told.length > 0, 'the problem')
  assert.match(one.desk.told[0]!, /^warn .*holds American odds \(.*price is -150\): ask for it with oddsFormat=decimal/)
  assert.deepEqual(one.desk.observations, [])
})

test('polling stops at the reserve, says so, and goes on when there are more credits', async (context) => {
  const account = { remaining: 30 }
  const one = await stand(context, counting(account, 4), {
    sports: [{ key: 'soccer_epl', intervalMs: 5, priority: 1 }],
    creditsIntervalMs: 20,
  })
  // A refresh spends what the spread would keep for later.
  for (let refresh = 0; refresh < 10 && (await one.poller.refresh()) === undefined; refresh++) continue
  assert.ok(account.remaining >= 10 && account.remaining < 14, `${account.remaining} are left`)
  await until(() => one.desk.told.some((line) => line.includes('reserved')), 'the warning')
  const warnings = (): string[] => one.desk.told.filter((line) => line.startsWith('warn'))
  assert.match(
    warnings()[0]!,
    /^warn has 10 credits left, of which 10 are reserved: not polled before 20\d\d-\d\d-01T00:00/,
  )
  assert.match((await one.poller.refresh())!, /^source has 10 credits left/)
  const polls = one.source.urlsOf('/v4/sports/soccer_epl').length
  const asked = one.source.urlsOf('/v4/sports?').length
  await until(() => one.source.urlsOf('/v4/sports?').length >= asked + 3, 'free looks at the credits')
  assert.equal(one.source.urlsOf('/v4/sports/soccer_epl').length, polls)

  assert.equal(warnings().length, 1, 'told once, however often it is looked at')

  account.remaining = 100_000_000_000
  await until(() => one.source.urlsOf('/v4/sports/soccer_epl').length >= polls + 3, 'polls with new credits')
  assert.ok(
    one.desk.told.some((line) => /^info has \d+ credits: polled again$/.test(line)),
    one.desk.told.join('\n'),
  )
})

test('credits that must last are spread: one poll now, the next one in hours', async (context) => {
  const one = await stand(context, counting({ remaining: 30 }, 4), {
    sports: [{ key: 'soccer_epl', intervalMs: 60_000, priority: 1 }],
  })
  await until(() => one.desk.heard === 2, 'the first poll, on the board')
  const { nextPollAt, lastPollAt, stretch, creditsResetAt } = one.poller.facts()
  const leftMs = Number(creditsResetAt) - Number(lastPollAt)
  // 26 credits less the reserve pay for four polls; the credits themselves are asked for within the hour.
  assert.ok(Math.abs(Number(stretch) - leftMs / 4 / 60_000) <= 1 || leftMs < 600_000, `${String(stretch)}`)
  assert.ok(Number(nextPollAt) - Number(lastPollAt) > 0.8 * Math.min(3_600_000, leftMs / 4) || leftMs < 600_000)
  assert.match(one.desk.told[0] ?? '', leftMs < 600_000 ? /./ : /^info polls are up to [\d.]+ times further apart/)
})

test('a key without credits is refused: nothing more is spent, and the key is not told', async (context) => {
  const one = await stand(context, ({ url }, response) => {
    if (isCredits(url)) say(response, '[]')
    else {
      const message = `Usage quota has been reached for ${KEY}`
      say(response, JSON.stringify({ message, error_code: 'OUT_OF_USAGE_CREDITS' }), {}, 401)
    }
  })
  await until(() => one.desk.told.length >= 2, 'both warnings')
  assert.match(one.desk.told[0]!, /^warn has 0 credits left, of which 10 are reserved/)
  assert.match(one.desk.told[1]!, /credentials refused \(status 401: "Usage quota has been reached for \(secret\)"\)$/)
  assert.equal(one.source.seen.filter(({ url }) => !isCredits(url)).length, 1)
  assert.ok(![...one.desk.told, JSON.stringify(one.poller.facts())].some((text) => text.includes('k3y')))
})

test('books asked for by name cost a region for each ten', async (context) => {
  const bookmakers = Array.from({ length: 11 }, (_, index) => `book${index}`)
  // Two regions' worth for two markets are 4: with 13 left and 10 reserved, that is too much.
  const one = await stand(context, counting({ remaining: 13 }, 4), { bookmakers })
  await until(() => one.desk.told.length > 0, 'the warning')
  assert.deepEqual(
    one.source.seen.filter(({ url }) => !isCredits(url)),
    [],
  )
  const other = await stand(context, counting({ remaining: 13 }, 2), { bookmakers: bookmakers.slice(0, 10) })
  await until(() => other.desk.heard > 0, 'one poll')
  const asked = other.source.seen.find(({ url }) => !isCredits(url))!
  const { searchParams } = new URL(asked.url, other.source.origin)
  assert.equal(searchParams.get('bookmakers'), bookmakers.slice(0, 10).join(','))
  assert.equal(searchParams.get('regions'), null)
})

test('an answer that is no list of events is told, and the next one is taken', async (context) => {
  let count = 0
  const good = counting({ remaining: 100_000_000_000 }, 4)
  const one = await stand(context, (seen, response) => {
    if (!isCredits(seen.url) && ++count === 1) say(response, '[{"id":')
    else good(seen, response)
  })
  await until(() => one.desk.heard > 0 && one.desk.malformed.length > 0, 'both')
  assert.match(one.desk.malformed[0]!, /^(soccer_epl|basketball_nba) is not JSON: /)
})

const RECORDED = join(DATA, 'the-odds-api', 'h2h.json.gz')

test('a recorded answer gives its totals through the poller', {
  skip: existsSync(RECORDED) ? false : 'the recorded payloads are not on this machine',
}, async (context) => {
  const bytes = readFileSync(RECORDED)
  const one = await stand(
    context,
    ({ url }, response) => {
      if (isCredits(url)) say(response, '[]')
      else say(response, bytes, { 'content-encoding': 'gzip' })
    },
    { sports: [{ key: 'soccer_epl', intervalMs: 3_600_000, priority: 1 }] },
  )
  await until(() => one.desk.heard >= 2, 'the answer, on the board')
  const { read, mapped, badPrice, unmapped } = one.desk.account.totals()
  assert.deepEqual([read, mapped, badPrice, unmapped], [851, 734, 5, 112])
})
