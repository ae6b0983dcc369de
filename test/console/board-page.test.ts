// The page of the board in a real browser: its address, its keyboard, events that end, and how late it says it is.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { done, get, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { chromiumMissing, startChromium } from './chromium.ts'
import { type SentQuote, sendAll } from './sender.ts'

const skip = chromiumMissing()
const LIMIT_MS = 30_000
const BOOKMAKERS = ['east', 'north']

const folder = newFolder()
let service: RunningService
let browser: Browser
let context: BrowserContext
let page: Page
let key = ''
let feedKey = ''
let base = ''

const eventOf = (home: string, kickoffAt = '2031-01-01T20:00:00Z') => ({
  sport: 'football',
  league: { key: 'page_league', name: 'Page League' },
  home,
  away: `${home} Rovers`,
  kickoffAt,
})

const HARBOUR = eventOf('Harbour')
const LATE = eventOf('Quay', new Date(Date.now() - 1_800_000).toISOString())

const quotes = (home: number, status: SentQuote['status'] = 'open'): SentQuote[] =>
  ['home', 'draw', 'away'].map((outcome, place) => ({
    ...{ type: 'match_result_1x2', line: null, outcome, status },
    odds: home + place,
  }))

const send = (event: ReturnType<typeof eventOf>, bookmaker: string, list: SentQuote[]): Promise<void> =>
  sendAll(service.stompPort, feedKey, event, [{ bookmaker, quotes: list }])

const idOf = async (home: string): Promise<string> => {
  const { body } = await get(service, '/events?sport=football&transport=live', key)
  return (body['data'] as unknown as readonly { id: string; homeTeam: string }[]).find(
    ({ homeTeam }) => homeTeam === home,
  )!.id
}

const heading = (text: string): Promise<void> => page.locator('h1', { hasText: text }).waitFor()

before(async () => {
  if (skip !== false) return
  const rows = BOOKMAKERS.map((slug) => [slug, 'verified_rest_live', true, true] as const)
  done(folder.path, 'coverage', 'import', writeCoverage(folder.path, rows))
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk', '--bookmakers', '*')
  key = done(folder.path, 'key', 'create', '--org', 'desk')
  feedKey = done(folder.path, 'key', 'create', '--org', 'desk', '--feed', BOOKMAKERS.join(','))
  service = await startService(folder.path, '--log-level', 'warn')
  base = `http://127.0.0.1:${service.port}`
  for (const event of [HARBOUR, LATE]) await send(event, 'east', quotes(2))
  await send(HARBOUR, 'north', quotes(2.5).slice(1))
  browser = await startChromium()
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: 'America/New_York' })
  context.setDefaultTimeout(LIMIT_MS)
  page = await context.newPage()
  await page.goto(`${base}/board#event=${await idOf('Harbour')}&key=${key}`)
})

after(async () => {
  if (skip !== false) return
  await browser.close()
  await service.stop()
  folder.remove()
})

test('the address names the event, survives a reload, and leads to another one', { skip }, async () => {
  await heading('Harbour v Harbour Rovers')
  await page.reload()
  await heading('Harbour v Harbour Rovers')
  assert.equal(await page.locator('.event-head time').innerText(), 'kickoff Wed, 1 Jan 2031, 15:00 GMT-5')
  assert.equal(await page.locator('.event-head .in-play').count(), 0)
  await page.evaluate(`location.hash = 'event=${await idOf('Quay')}'`)
  await heading('Quay v Quay Rovers')
  assert.equal(await page.locator('.event-head .in-play').innerText(), 'in play')
  await page.evaluate(`location.hash = 'event=123'`)
  await page.locator('.empty', { hasText: 'Event 123 is over, or your key does not see it' }).waitFor()
  await page.evaluate(`location.hash = 'event=${await idOf('Harbour')}'`)
  await heading('Harbour v Harbour Rovers')
})

test('arrow keys move over prices, Enter opens a path and Escape closes it', { skip }, async () => {
  await page.locator('td.cell .odds:not(:empty)').first().waitFor()
  await page.focus('table.grid')
  const label = page.locator('.grid-scroll [role=status]')
  await label.filter({ hasText: /^Match result, home, EAST: 2.00, best price$/ }).waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowRight')
  assert.match((await label.textContent())!, /home, EAST/, 'north has no price for home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
  await label.filter({ hasText: /draw, NORTH: 3.50, best price/ }).waitFor({ state: 'attached' })
  const active = await page.getAttribute('table.grid', 'aria-activedescendant')
  assert.equal(await page.locator(`#${active} .odds`).innerText(), '3.50')
  await page.keyboard.press('Enter')
  await page.locator('.path-panel h2', { hasText: 'NORTH' }).waitFor()
  await send(HARBOUR, 'north', quotes(2.6).slice(1))
  await page.locator('.path-panel .points li').nth(1).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.path-panel').waitFor({ state: 'detached' })
})

test('the page says by how much it is late, its own queue included', { skip, timeout: 2 * LIMIT_MS }, async () => {
  for (let round = 0; round < 3; round++) await send(HARBOUR, 'east', quotes(2 + round / 10))
  const lag = page.locator('.strip div', { hasText: 'own lag' }).locator('dd')
  await lag.filter({ hasText: /^\d+ ms$/ }).waitFor()
  // Each text is there for a second only.
  await page.evaluate(`{
    const dd = [...document.querySelectorAll('.strip dt')].find((each) => each.textContent === 'own lag').nextElementSibling
    window.lags = []
    new MutationObserver(() => lags.push(dd.textContent)).observe(dd, { characterData: true, childList: true, subtree: true })
  }`)
  // On a loaded machine the change may come when the page is no longer busy: then once more.
  for (let n = 0, isLate = false; !isLate; n++) {
    const busy = page.evaluate('{ const until = performance.now() + 3000; while (performance.now() < until); }')
    await send(HARBOUR, 'east', quotes(2.9 + n / 10))
    await busy
    isLate = await page
      .waitForFunction("lags.some((text) => text.endsWith(' s'))", undefined, { timeout: 5_000 })
      .then(() => true)
      .catch(() => false)
  }
  await lag.filter({ hasText: /^\d+ ms$/ }).waitFor()
})

test('what is closed is shown as such, then leaves; an event without a price says so', { skip }, async () => {
  await send(HARBOUR, 'north', quotes(2.6, 'closed').slice(1))
  await page.locator('td.cell.gone .cause', { hasText: 'closed' }).first().waitFor()
  await page.locator('thead .book', { hasText: 'NORTH' }).waitFor({ state: 'detached' })
  assert.equal(await page.locator('thead .book').count(), 1)
  await send(HARBOUR, 'east', quotes(2.9, 'closed'))
  await page.locator('.grid-scroll .empty', { hasText: 'No bookmaker has a price for it now' }).waitFor()
  assert.equal(await page.locator('td.cell').count(), 0)
  await heading('Harbour v Harbour Rovers')
})
