// The board beside the truth: whatever happens to prices, to the connection, to the service and to rights, at rest each cell
// of the page is what REST has (open) or what its bookmaker said last (suspended), and a page without a connection says so.
// ODDSWIRE_TEST_SEED repeats a run.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { Random, SEED } from '../random.ts'
import { done, get, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { chromiumMissing, startChromium } from './chromium.ts'
import { type Proxy, startProxy } from './proxy.ts'
import { type Sent, type SentQuote, sendAll } from './sender.ts'
import { differences, expected, type Price, readShown } from './shown-board.ts'

const skip = chromiumMissing()
const BOOKMAKERS = ['east', 'north', 'south', 'west']
const LIMIT_MS = 30_000
const STEPS = 24

const PLACES = [
  ...['home', 'draw', 'away'].map((outcome) => ({ type: 'match_result_1x2', line: null, outcome })),
  ...[2.5, 3.5].flatMap((line) => ['over', 'under'].map((outcome) => ({ type: 'total_goals', line, outcome }))),
  ...['yes', 'no'].map((outcome) => ({ type: 'btts', line: null, outcome })),
]

const EVENT = {
  sport: 'football',
  league: { key: 'truth_league', name: 'Truth League' },
  home: 'Harbour Town',
  away: 'Millbrook United',
  kickoffAt: '2031-01-01T20:00:00Z',
}

interface Said extends SentQuote {
  readonly bookmaker: string
  /** The step at which it was suspended with a cause; 0: without one. */
  readonly since: number
}

const folder = newFolder()
const random = new Random(SEED)
let service: RunningService
let browser: Browser
let proxy: Proxy
let context: BrowserContext
let page: Page
let customerKey = ''
let feedKey = ''
let eventId = ''

/** What each bookmaker has said last, by place. */
const said = new Map<string, Said>()
let step = 0
/** The last step at which the page may have begun anew: then it does not know causes of before. */
let voidAt = 0
/** Bookmakers that the customer may see. */
let seen = new Set(BOOKMAKERS)

const keyOf = (bookmaker: string, { type, line, outcome }: { type: string; line: number | null; outcome: string }) =>
  `${bookmaker} ${type} ${line} ${outcome}`

const start = async (): Promise<void> => {
  service = await startService(folder.path, '--log-level', 'warn')
  proxy?.lead(service.port)
}

/** Sends it, and notes what then holds. */
const feed = async (sent: readonly Sent[]): Promise<void> => {
  for (const { bookmaker, quotes, others } of sent) {
    for (const [key, quote] of others === undefined ? [] : said) {
      if (quote.bookmaker !== bookmaker) continue
      if (others === 'closed') said.delete(key)
      else said.set(key, { ...quote, status: 'suspended', since: quote.status === 'suspended' ? quote.since : step })
    }
    for (const quote of quotes) {
      const key = keyOf(bookmaker, quote)
      const known = said.get(key)
      // One that begins suspended has no cause.
      const since = known?.status === 'suspended' ? known.since : known === undefined ? 0 : step
      if (quote.status === 'closed') said.delete(key)
      else said.set(key, { ...quote, bookmaker, since })
    }
  }
  await sendAll(service.stompPort, feedKey, EVENT, sent)
}

const odds = (): number => random.int(110, 900) / 100

const someQuotes = (bookmaker: string, most: number, status?: SentQuote['status']): SentQuote[] =>
  [...PLACES]
    .sort(() => random.next() - 0.5)
    .slice(0, random.int(1, most))
    .map((place) => {
      const known = said.get(keyOf(bookmaker, place))
      const isOpen = status === undefined ? random.chance(0.75) : status === 'open'
      return {
        ...place,
        odds: known === undefined || random.chance(0.7) ? odds() : known.odds,
        status: status ?? (isOpen ? 'open' : random.chance(0.8) ? 'suspended' : 'closed'),
      }
    })
    // What was never said cannot be closed.
    .filter(({ status: next, ...place }) => next !== 'closed' || said.has(keyOf(bookmaker, place)))

const aBookmaker = (): string => BOOKMAKERS[random.int(0, BOOKMAKERS.length - 1)]!

const changeSome = () => {
  const bookmaker = aBookmaker()
  return feed([{ bookmaker, quotes: someQuotes(bookmaker, PLACES.length) }])
}

/** Waits until the service has read the rights that a command has given. */
const restHasRights = async (): Promise<void> => {
  const until = performance.now() + LIMIT_MS
  for (;;) {
    const { body, text } = await get(service, '/bookmakers?sport=football&transport=live', customerKey)
    const slugs = (body['data'] as unknown as readonly { slug: string }[]).map(({ slug }) => slug)
    if (slugs.join() === [...seen].sort().join()) return
    assert.ok(performance.now() < until, `seed ${SEED}, step ${step}: rights are not known: ${text}`)
    await pause(20)
  }
}

const isStale = (): Promise<boolean> => page.locator('.watch.is-stale').isVisible()

/** What the page has to show: open prices by REST, suspended ones by what was said. */
const truth = async (): Promise<Price[]> => {
  const { body, status, text } = await get(service, `/events/${eventId}/odds?transport=live`, customerKey)
  assert.equal(status, 200, text)
  const prices: Price[] = []
  interface Market {
    readonly type: string
    readonly line: number | null
    readonly bookmakers: readonly { slug: string; outcomes: readonly { outcome: string; odds: number }[] }[]
  }
  for (const { type, line, bookmakers } of body['data']!['markets'] as unknown as readonly Market[]) {
    for (const { slug, outcomes } of bookmakers) {
      for (const { outcome, odds: price } of outcomes)
        prices.push({ bookmaker: slug, type, line, outcome, odds: price })
    }
  }
  for (const { status: is, since, ...quote } of said.values()) {
    if (is === 'suspended' && seen.has(quote.bookmaker))
      prices.push({ ...quote, cause: since > voidAt ? 'book' : 'susp.' })
  }
  return prices
}

/** Waits until the page shows the truth, as a connection that is live; fails with what differs. */
const atRest = async (what: string): Promise<void> => {
  const should = expected(await truth())
  const until = performance.now() + LIMIT_MS
  for (;;) {
    const isOld = await isStale()
    const is = new Map(await readShown(page))
    // Where the page began anew meanwhile, it has no causes of before; where it went on, it has.
    for (const [key, text] of should) {
      if (text.endsWith(' susp.') && is.get(key) === text.replace('susp.', 'book')) is.set(key, text)
    }
    const wrong = differences(is, should)
    if (!isOld && wrong.length === 0) return
    if (performance.now() > until) {
      assert.fail(`seed ${SEED}, step ${step}, ${what}: ${isOld ? 'not live; ' : ''}\n${wrong.join('\n')}`)
    }
    await pause(20)
  }
}

const becomesStale = (): Promise<void> => page.locator('.watch.is-stale').waitFor({ timeout: LIMIT_MS })

const ACTIONS: Readonly<Record<string, readonly [weight: number, act: () => Promise<void>]>> = {
  change: [12, changeSome],
  'bet stop': [3, () => feed([{ bookmaker: aBookmaker(), quotes: [], others: 'suspended' }])],
  'complete list': [
    2,
    () => {
      const bookmaker = aBookmaker()
      return feed([{ bookmaker, quotes: someQuotes(bookmaker, PLACES.length, 'open'), others: 'closed' }])
    },
  ],
  'cut connection': [
    4,
    async () => {
      proxy.cut()
      for (let round = random.int(0, 3); round > 0; round--) await changeSome()
    },
  ],
  'service killed': [
    2,
    async () => {
      voidAt = step
      await service.kill()
      await becomesStale()
      await start()
      await changeSome()
    },
  ],
  'dead connection': [
    1,
    async () => {
      proxy.stall()
      await changeSome()
      await becomesStale()
      assert.match(await page.locator('.stale-notice').innerText(), /Not live\. .* old/)
      proxy.mend()
    },
  ],
  rights: [
    2,
    async () => {
      voidAt = step
      seen = seen.size < BOOKMAKERS.length ? new Set(BOOKMAKERS) : new Set(BOOKMAKERS.filter(() => random.chance(0.7)))
      if (seen.size === 0) seen.add('north')
      done(folder.path, 'org', 'set', 'customers', '--bookmakers', [...seen].join(','))
      await restHasRights()
      // The page begins anew at the same moment. What comes after it on the same connection shows that it has: a cut before
      // would have the page begin anew later, without the causes that it is expected to know.
      const [bookmaker] = seen
      await feed([{ bookmaker: bookmaker!, quotes: [{ ...PLACES[0]!, odds: odds(), status: 'open' }] }])
    },
  ],
  'busy page': [
    2,
    async () => {
      const busy = page.evaluate('const until = performance.now() + 1500; while (performance.now() < until);')
      for (let round = 0; round < 20; round++) await changeSome()
      await busy
    },
  ],
}

const draw = (): string => {
  const weights = Object.entries(ACTIONS).map(([name, [weight]]) => [name, weight] as const)
  let left = random.int(
    1,
    weights.reduce((sum, [, weight]) => sum + weight, 0),
  )
  return weights.find(([, weight]) => (left -= weight) <= 0)![0]
}

before(async () => {
  if (skip !== false) return
  done(
    folder.path,
    'coverage',
    'import',
    writeCoverage(
      folder.path,
      BOOKMAKERS.map((slug) => [slug, 'verified_rest_live', true, true]),
    ),
  )
  done(folder.path, 'org', 'create', 'customers', '--plan', 'desk', '--bookmakers', BOOKMAKERS.join(','))
  customerKey = done(folder.path, 'key', 'create', '--org', 'customers')
  feedKey = done(folder.path, 'key', 'create', '--org', 'customers', '--feed', BOOKMAKERS.join(','))
  await start()
  proxy = await startProxy(service.port)
  browser = await startChromium()
  context = await browser.newContext({ viewport: { width: 1600, height: 1200 } })
  context.setDefaultTimeout(LIMIT_MS)
  page = await context.newPage()
  const link = done(folder.path, 'user', 'create', 'ada@example.com', '--org', 'customers', '--role', 'owner')
  await page.goto(`http://127.0.0.1:${proxy.port}/status`)
  const status = await page.evaluate(
    `fetch('/portal/api/link', { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: '${link.split('link=')[1]}', password: 'a sentence only we know' }) }).then(({ status }) => status)`,
  )
  assert.equal(status, 200, link)
  for (const bookmaker of BOOKMAKERS) {
    await feed([{ bookmaker, quotes: PLACES.map((place) => ({ ...place, odds: odds(), status: 'open' })) }])
  }
  const { body } = await get(service, '/events?sport=football&transport=live', customerKey)
  eventId = (body['data'] as unknown as readonly { id: string }[])[0]!.id
})

after(async () => {
  if (skip !== false) return
  await browser.close()
  await proxy.close()
  await service.stop()
  folder.remove()
})

test(`at rest the board shows what is true, whatever has happened (seed ${SEED})`, {
  skip,
  timeout: 300_000,
}, async () => {
  await page.goto(`http://127.0.0.1:${proxy.port}/board#event=${eventId}`)
  await atRest('first')
  for (step = 1; step <= STEPS; step++) {
    const what = draw()
    await ACTIONS[what]![1]()
    await atRest(what)
  }
  await page.reload()
  voidAt = step
  await atRest('reload')
})

test('a key that ends is replaced, and the board goes on where it was', { skip }, async () => {
  let keys = 0
  await page.route('**/portal/api/live-key', async (route) => {
    const answer = await route.fetch()
    const key = (await answer.json()) as { secret: string }
    // The page replaces a key a minute before its end.
    const spare = keys++ === 0 ? 62_000 : 3_600_000
    await route.fulfill({ response: answer, json: { ...key, expiresAt: new Date(Date.now() + spare).toISOString() } })
  })
  await page.reload()
  voidAt = step++
  await atRest('first key')
  while (keys < 2) await changeSome()
  await atRest('second key')
  await page.locator('.strip dd', { hasText: /^1$/ }).waitFor()
  assert.equal(keys, 2)
  await page.unroute('**/portal/api/live-key')
})

test('who is logged out elsewhere is asked for a key, and sees no price', { skip }, async () => {
  done(folder.path, 'user', 'set', 'ada@example.com', '--role', 'member')
  await page.locator('input[name=key]').waitFor()
  assert.equal(await page.locator('table.grid').count(), 0)
})
