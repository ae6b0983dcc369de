// Every page in a real browser: what axe finds, what the console reports, what it weighs, how it looks.
// ODDSWIRE_TEST_SCREENSHOTS names a folder for a picture of each: light, dark and narrow.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { PAGES } from '../../src/pages/frame.ts'
import { testsWith } from '../root.ts'
import { axe } from './axe.ts'
import { chromiumMissing } from './chromium.ts'
import { curlApi, LOOKS, PortalSite, SCREENSHOTS, settled, shoot, type Visitor } from './portal-site.ts'

const skip = chromiumMissing()
const test = testsWith('pages in a browser', skip)
const OCTETS_MAX = 150_000

/** Paths without the slash before. */
const PATHS: readonly string[] = Object.values(PAGES).map(({ path }) => path)

/** What anybody can read. */
const PUBLIC = ['', 'login', 'keys', 'board', 'status', 'reference', 'docs/errors', 'billing'] as const

let site: PortalSite
let event = ''

before(async () => {
  if (skip !== false) return
  site = await PortalSite.open()
  // Pages with something on them.
  for (const path of [
    'sports',
    'events?sport=football&limit=5',
    'events?sport=soccer',
    'events/1/odds',
    'bookmakers',
  ]) {
    await curlApi(site, site.demoKey, path)
  }
  const { body } = await curlApi(site, site.demoKey, 'events?sport=football&limit=1')
  event = JSON.parse(body).data[0].id
  const [org, name] = [
    ['--org', 'demo'],
    ['--name', 'Trading desk'],
  ] as const
  site.done('key', 'create', ...org, ...name, '--channels', 'live', '--sports', 'football,tennis')
  site.done('key', 'create', ...org, '--name', 'Importer', '--feed', 'northlight')
})

after(async () => {
  if (skip === false) await site.close()
})

const visit = async (visitor: Visitor, path: string): Promise<void> => {
  await visitor.page.goto(site.url(path))
  if (path === 'board' && (await visitor.page.locator('.group-operator').isVisible())) {
    await visitor.page.waitForSelector('td.cell .odds:not(:empty)')
  }
  await settled(visitor)
}

const check = async ({ page }: Visitor, path: string, look: string): Promise<void> => {
  assert.equal(await page.locator('h1').count(), 1, `/${path} has one heading`)
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    true,
    `/${path} is no wider than the window`,
  )
  assert.deepEqual(await axe(page, look), [], `/${path}`)
}

const nameOf = (path: string): string =>
  path === '' ? 'home' : path.replace(/\W.*/, (rest) => rest.replace(/\W+/g, '-'))

for (const [look, options] of Object.entries(LOOKS)) {
  test(`every page, ${look}: nothing serious for axe, nothing in the console`, async () => {
    const visitor = await site.loggedIn(`${look}@example.com`, 'operator', 'demo', options)
    for (const path of PATHS.filter((each) => each !== 'login')) {
      await visit(visitor, path)
      await check(visitor, path, look)
      await shoot(visitor.page, `${nameOf(path)}-${look}`, path !== 'board')
    }
    await visit(visitor, `explain?event=${event}&bookmaker=aldermoor&transport=live`)
    await visitor.page.waitForSelector('.steps')
    await check(visitor, 'explain?event=…', look)
    await shoot(visitor.page, `explain-answer-${look}`)
    assert.deepEqual(visitor.errors, [])
    await visitor.context.close()
  })
}

test('what is public: nothing serious for axe, nothing in the console of who has no session', async () => {
  for (const [look, options] of Object.entries(LOOKS)) {
    const visitor = await site.visitor(options)
    for (const path of PUBLIC) {
      await visit(visitor, path)
      if (look === 'light') await check(visitor, path, look)
      if (path === '' || path === 'login') await shoot(visitor.page, `${path || 'landing'}-${look}`)
    }
    assert.deepEqual(visitor.errors, [])
    await visitor.context.close()
  }
})

test('nothing is inline, and pages load nothing from elsewhere', async () => {
  for (const path of PATHS) {
    const answer = await fetch(site.url(path))
    const policy = answer.headers.get('content-security-policy')!
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(answer.headers.get('cache-control'), 'no-cache')
    for (const [, file] of (await answer.text()).matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g)) {
      const asset = await fetch(new URL(file!, site.url(path)))
      assert.equal(asset.status, 200, file)
      if (file!.includes('assets/')) assert.match(asset.headers.get('cache-control')!, /immutable/)
    }
  }
})

test(`each page but the reference weighs ${OCTETS_MAX / 1_000} kB at most, as it is sent`, async () => {
  const weigher = await site.loggedIn('weight@example.com', 'operator')
  const weights: string[] = []
  for (const path of PATHS.filter((each) => each !== 'reference')) {
    // Nothing from the cache: a new context each, with the session.
    const context = await site.browser.newContext({ storageState: await weigher.context.storageState() })
    const visitor = await site.tab(context)
    await visit(visitor, path)
    const octets = (await visitor.page.evaluate(`[
      ...performance.getEntriesByType('resource'),
      ...performance.getEntriesByType('navigation'),
    ]
      .filter(({ name }) => !name.includes('/api/'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)) as number
    weights.push(`/${path} ${(octets / 1_000).toFixed(1)}`)
    assert.ok(octets > 0 && octets <= OCTETS_MAX, `/${path}: ${octets} octets`)
    await context.close()
  }
  if (SCREENSHOTS !== undefined) console.log(`kB of each page: ${weights.join(', ')}`)
  await weigher.context.close()
})

test('what is public can be read without a script', async () => {
  const context = await site.browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(site.url('docs/errors#rate_limit_exceeded'))
  assert.ok(await page.locator('#rate_limit_exceeded').isVisible())
  await page.goto(site.url('billing'))
  assert.ok(await page.getByText('Requests per hour').first().isVisible())
  await page.goto(site.url('keys'))
  assert.match(await page.content(), /<noscript>[\s\S]*This page needs JavaScript/)
  await context.close()
})

test('the pages work by keyboard: skip link, focus that is seen, tabs by arrows, a dialog that closes', async () => {
  const visitor = await site.loggedIn('keyboard@example.com', 'owner')
  const { page } = visitor
  await visit(visitor, '')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
  assert.match(String(await page.evaluate('getComputedStyle(document.activeElement).outline')), /solid 3px/)
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.id'), 'main')
  await page.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Node')
  await visit(visitor, 'keys')
  await page.getByRole('button', { name: 'Rotate Demo' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('dialog[open]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
  assert.equal(await page.evaluate(`document.activeElement.getAttribute('aria-label')`), 'Rotate Demo')
  await visitor.context.close()
})
