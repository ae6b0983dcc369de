// The portal in a real browser: the real program with simulated bookmakers, and for pages of accounts a fake of the portal's
// interface. ODDSWIRE_TEST_SCREENSHOTS names a folder for a picture of each page: light, dark and narrow.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { newFolder, type RunningService, startService } from '../service.ts'
import { chromiumMissing, startChromium } from './chromium.ts'
import { FakePortal, HOSTILE_NAME } from './fake-portal.ts'
import { newFeed } from './feed.ts'

const skip = chromiumMissing()
const LIMIT_MS = 30_000
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SCREENSHOTS = process.env.ODDSWIRE_TEST_SCREENSHOTS

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
}

const PAGES = [
  '',
  'keys',
  'usage',
  'plan',
  'explain',
  'board',
  'status',
  'reference',
  'docs/errors',
  'docs/guides',
  'docs/guides/keep-a-board',
  'docs/live-protocol',
  'docs/coverage',
  'docs/changelog',
  'billing',
  'operator',
  'login',
]

const folder = newFolder()
let service: RunningService
let browser: Browser
let key = ''
let base = ''

before(async () => {
  if (skip !== false) return
  ;[service, browser] = await Promise.all([startService(folder.path, '--demo'), startChromium()])
  base = `http://127.0.0.1:${service.port}`
  // The lines of the demo follow the one that says it is ready.
  while (key === '') {
    key = /Demo key.*: (\S+)/.exec(service.stdout())?.[1] ?? ''
    await new Promise((resolve) => setImmediate(resolve))
  }
})

after(async () => {
  if (skip !== false) return
  await browser.close()
  await service.stop()
  folder.remove()
})

interface Opened {
  readonly context: BrowserContext
  readonly page: Page
  readonly portal: FakePortal
  /** What the console of the browser has said, without answers of the network. */
  readonly errors: string[]
}

const open = async (look: BrowserContextOptions = LOOKS['light']!): Promise<Opened> => {
  const context = await browser.newContext(look)
  context.setDefaultTimeout(LIMIT_MS)
  const portal = new FakePortal(key)
  await portal.serve(context)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) {
      errors.push(message.text())
    }
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  return { context, page, portal, errors }
}

/** Faults that axe finds serious, each with where. */
const axe = async (page: Page): Promise<string[]> => {
  // Through the debugger, as the policy of the page lets no script in.
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html} ${nodes[0]!.failureSummary}`)
}

/** Until the page shows what it loads. */
const settled = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(`!/^Loading/m.test(document.querySelector('main').innerText)`)
}

for (const [look, options] of Object.entries(LOOKS)) {
  test(`every page, ${look}: nothing serious for axe, nothing in the console`, { skip }, async () => {
    const { context, page, portal, errors } = await open(options)
    for (const path of PAGES) {
      portal.isLoggedIn = path !== 'login'
      await page.goto(`${base}/${path}`)
      if (path === 'board') await page.waitForSelector('td.cell .odds:not(:empty)')
      else await settled(page)
      if (path === 'explain') {
        await page.fill('[name=event]', '1')
        await page.fill('[name=bookmaker]', 'aldermoor')
        await page.click('button[type=submit]')
        await page.waitForSelector('.steps')
      }
      assert.equal(await page.locator('h1').count(), 1, `/${path} has one heading`)
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        true,
        `/${path} is no wider than the window`,
      )
      assert.deepEqual(await axe(page), [], `/${path}`)
      if (SCREENSHOTS !== undefined) {
        await page.screenshot({
          path: join(SCREENSHOTS, `${path === '' ? 'overview' : path.replace('/', '-')}-${look}.png`),
          fullPage: path !== 'board',
        })
      }
    }
    assert.deepEqual(errors, [])
    await context.close()
  })
}

test('nothing is inline, and pages load nothing from elsewhere', { skip }, async () => {
  for (const path of PAGES) {
    const answer = await fetch(`${base}/${path}`)
    const policy = answer.headers.get('content-security-policy')!
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(answer.headers.get('cache-control'), 'no-cache')
    for (const [, file] of (await answer.text()).matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g)) {
      const asset = await fetch(new URL(file!, `${base}/${path}`))
      assert.equal(asset.status, 200, file)
      if (file!.includes('assets/')) assert.match(asset.headers.get('cache-control')!, /immutable/)
    }
  }
})

test('each page weighs 150 kB at most, as it is sent', { skip }, async () => {
  const { context, page } = await open()
  for (const path of PAGES) {
    await page.goto(`${base}/${path}`)
    await settled(page)
    const octets =
      (await page.evaluate(`[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
      .filter(({ name }) => !name.includes('/api/'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)) as number
    assert.ok(octets > 0 && octets <= 150_000, `/${path}: ${octets} octets`)
  }
  await context.close()
})

test('what is public can be read without a script', { skip }, async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${base}/docs/errors#rate_limit_exceeded`)
  assert.ok(await page.locator('#rate_limit_exceeded').isVisible())
  await page.goto(`${base}/billing`)
  assert.ok(await page.getByText('Requests per hour').first().isVisible())
  await page.goto(`${base}/docs/guides`)
  await page.getByRole('link', { name: 'Keep a board' }).click()
  assert.ok(await page.getByText('There are five rules').isVisible())
  await page.goto(`${base}/keys`)
  assert.match(await page.content(), /<noscript>[\s\S]*This page needs JavaScript/)
  await context.close()
})

test('a key is made, shown once with programs that use it, and revoked after a question', { skip }, async () => {
  const { context, page, portal, errors } = await open()
  await page.goto(`${base}/keys`)
  await page.click('text=New key')
  await page.fill('[name=name]', 'Laptop')
  await page.check('[name=channels][value=live]')
  await page.check('[name=sports][value=football]')
  await page.click('text=Make the key')
  const secret = 'odds_live_7Jq2fakefakefakefakefakefake'
  await page.waitForSelector(`.secret-line >> text=${secret}`)
  const made = portal.calls.find(({ method, path }) => method === 'POST' && path === 'keys')!
  assert.deepEqual(made.body, { name: 'Laptop', scope: { channels: ['live'], sports: ['football'] } })
  assert.equal(made.csrf, 'c5rf')
  for (const language of ['curl', 'Node', 'Python', 'Go', 'Java']) {
    await page.getByRole('tab', { name: language }).click()
    assert.equal(await page.locator('.snippets pre', { hasText: secret }).count(), 2, language)
  }
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, 'keys-new.png'), fullPage: true })
  await page.click('text=I have copied it')
  assert.equal(await page.locator(`text=${secret}`).count(), 0)
  await page.getByRole('button', { name: 'Revoke Laptop' }).click()
  assert.ok(!portal.calls.some(({ method }) => method === 'DELETE'))
  await page.click('text=Revoke the key')
  await page.waitForSelector('tr:has-text("Laptop") >> text=revoked')
  assert.deepEqual(errors, [])
  await context.close()
})

test('names from outside are text, and hidden characters in them are marks', { skip }, async () => {
  const { context, page, errors } = await open()
  await page.goto(`${base}/keys`)
  const name = page.locator('tbody bdi', { hasText: 'onerror' })
  assert.equal(await name.innerText(), HOSTILE_NAME.replace('\u202e', 'U+202E').replace('\u200b', 'U+200B'))
  assert.equal(await page.locator('main img').count(), 0)
  assert.deepEqual(errors, [])
  await context.close()
})

test('a wrong password is said; the right one leads on', { skip }, async () => {
  const { context, page, portal } = await open()
  portal.isLoggedIn = false
  await page.goto(`${base}/keys`)
  await page.click('main >> text=Log in >> nth=-1')
  await page.fill('[name=email]', 'anna@example.com')
  await page.fill('[name=password]', 'wrong')
  await page.click('button[type=submit]')
  await page.waitForSelector('[role=alert] >> text=wrong')
  await page.fill('[name=password]', 'a sentence only we know')
  await page.click('button[type=submit]')
  await page.waitForURL(`${base}/keys`)
  await page.waitForSelector('text=Trading desk')
  await context.close()
})

test('the board follows prices, strikes a suspension through, and goes on after a break', { skip }, async () => {
  const feed = await newFeed(service, folder.path, 'northlight')
  const { context, page, portal, errors } = await open()
  portal.isLoggedIn = false
  await feed.send({ odds: 2.1, status: 'open' })
  await page.goto(`${base}/board#key=${key}`)
  // The key does not stay in the address.
  await page.waitForFunction('!location.hash.includes("key")')
  await page.fill('input[type=search]', feed.home.replaceAll(/\W/g, ' '))
  await page.locator('.events button').first().click()
  const cell = page.locator('td.cell').first()
  await page.waitForSelector('td.cell .odds:text-is("2.10")')
  assert.equal(await page.locator('h1 img').count(), 0)
  assert.ok((await page.locator('h1').innerText()).includes('U+202E'), 'a name with a hidden character')
  await feed.send({ odds: 2.25, status: 'open' })
  await page.waitForSelector('td.cell .odds:text-is("2.25")')
  await feed.send({ odds: 2.25, status: 'suspended' })
  await page.waitForSelector('td.cell.suspended')
  assert.equal(await cell.locator('.cause').innerText(), 'book')
  assert.match(
    String(await page.evaluate(`getComputedStyle(document.querySelector('td.cell .odds')).textDecorationLine`)),
    /line-through/,
  )
  assert.match((await cell.getAttribute('title'))!, /by the bookmaker/)
  await cell.press('Enter')
  await page.waitForSelector('.path-panel .points li >> nth=2')
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, 'board-suspended.png') })

  await page.click('text=Cut the connection')
  await page.waitForSelector('text=connection lost')
  await feed.send({ odds: 2.4, status: 'open' })
  await page.waitForSelector('td.cell .odds:text-is("2.40")')
  assert.match(await page.locator('.strip div:has-text("resumed") dd').innerText(), /^1$/)
  assert.equal(await page.locator('.path-panel .points li').count(), 4, 'the path goes on')
  assert.deepEqual(errors, [])
  await feed.close()
  await context.close()
})
