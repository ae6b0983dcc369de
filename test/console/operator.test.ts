// The operator's pages in a real browser, with the real program: what the demo prints logs in as an operator, who makes an
// organization and its owner, changes what it may see, and settles a conflict of events.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { done, get, newFolder, type RunningService, startService } from '../service.ts'
import { axe } from './axe.ts'
import { chromiumMissing, startChromium } from './chromium.ts'

const skip = chromiumMissing()
const LIMIT_MS = 30_000
const SCREENSHOTS = process.env.ODDSWIRE_TEST_SCREENSHOTS
const PASSWORD = 'a sentence only we know'

const SECTIONS = [
  'health',
  'sources',
  'conflicts',
  'sessions',
  'organizations',
  'plans',
  'coverage',
  'verifications',
  'audit',
]

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
}

const folder = newFolder()
let service: RunningService
let browser: Browser
let base = ''
/** Of the operator, logged in by the printed link. */
let state: Awaited<ReturnType<BrowserContext['storageState']>>

before(async () => {
  if (skip !== false) return
  ;[service, browser] = await Promise.all([startService(folder.path, '--demo'), startChromium()])
  const link = (await service.printed(/^Operator: (\S+)$/m))[1]!
  base = new URL('/', link).href
  const { context, page, errors } = await open({}, true)
  await page.goto(link)
  await page.waitForURL(base)
  await page.waitForSelector('nav >> text=Operator')
  state = await context.storageState()
  assert.deepEqual(errors, [])
  await context.close()
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
  /** What the console of the browser has said, without answers of the network. */
  readonly errors: string[]
}

const open = async (options: BrowserContextOptions = LOOKS['light']!, isNew = false): Promise<Opened> => {
  const context = await browser.newContext({ ...options, ...(isNew ? {} : { storageState: state }) })
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) {
      errors.push(message.text())
    }
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  return { context, page, errors }
}

const show = async (page: Page, section: string): Promise<void> => {
  await page.goto(`${base}operator#${section}`)
  await page.waitForSelector(`.subnav [aria-current]`)
  await until(page, `!/^Loading/m.test(document.querySelector('main').innerText)`)
}

/** Waits for something in the page; its policy lets the browser evaluate nothing by itself. */
const until = async (page: Page, expression: string): Promise<void> => {
  const endMs = performance.now() + LIMIT_MS
  while (!(await page.evaluate(expression))) assert(performance.now() < endMs, expression)
}

/** Sends what is in the open dialog, and waits until it is done. */
const send = async (page: Page, action: string): Promise<void> => {
  await page.click(`dialog button:text-is("${action}")`)
  await page.waitForSelector('dialog', { state: 'detached' })
}

/** Sends observations of football by a feed key of these bookmakers, over one session. */
const feed = async (events: readonly (readonly [bookmaker: string, id: string, home: string, away: string])[]) => {
  done(folder.path, 'org', 'create', 'feeds', '--plan', 'desk')
  const slugs = [...new Set(events.map(([slug]) => slug))].join(',')
  const secret = done(folder.path, 'key', 'create', '--org', 'feeds', '--feed', slugs)
  const socket = connect(service.stompPort, '127.0.0.1')
  await once(socket, 'connect')
  const frames = events.map(([bookmaker, sourceId, home, away], place) => {
    const body = JSON.stringify({
      transport: 'live',
      observedAt: new Date().toISOString(),
      event: {
        ...{ sport: 'football', league: { key: 'zz_league', name: 'Zz League' }, home, away, sourceId },
        kickoffAt: '2031-01-01T20:00:00Z',
      },
      quotes: [{ type: 'match_result_1x2', outcome: 'home', odds: 2.1, status: 'open' }],
    })
    return `SEND\ndestination:/feed/${bookmaker}\nreceipt:${place}\n\n${body}\0`
  })
  socket.write(`CONNECT\naccept-version:1.2\nheart-beat:0,0\npasscode:${secret}\n\n\0${frames.join('')}`)
  let said = ''
  for await (const part of socket.setEncoding('utf8')) {
    said += String(part)
    assert(!said.includes('ERROR'), said)
    if (said.split('RECEIPT').length > events.length) break
  }
  socket.destroy()
}

const CLUBS = ['Zlovna Zz', 'Quillham Yy'] as const

for (const [look, options] of Object.entries(LOOKS)) {
  test(`every section, ${look}: nothing serious for axe, nothing in the console, no wider than the window`, {
    skip,
  }, async () => {
    const { context, page, errors } = await open(options)
    for (const section of SECTIONS) {
      await show(page, section)
      assert.equal(await page.locator('h1').count(), 1, section)
      const isInside = await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
      assert.equal(isInside, true, `${section} is no wider than the window`)
      assert.deepEqual(await axe(page, look), [], section)
      if (SCREENSHOTS !== undefined) {
        await page.screenshot({ path: join(SCREENSHOTS, `operator-${section}-${look}.png`), fullPage: true })
      }
    }
    assert.deepEqual(errors, [])
    await context.close()
  })
}

test('an organization with a plan and bookmakers, its owner by a link, and what its key may see then', {
  skip,
}, async () => {
  const { context, page, errors } = await open()
  await show(page, 'plans')
  await page.click('text=New plan')
  await page.fill('[name=name]', 'tiny')
  await page.fill('[name=hourlyLimit]', '50')
  await page.check('dialog [name=liveEnabled]')
  assert.deepEqual(await axe(page, 'light'), [])
  await send(page, 'Create the plan')
  await page.waitForSelector('tr:has-text("tiny") >> text=private')
  assert(!(await (await fetch(`${base}billing`)).text()).includes('tiny'), 'a private plan is not published')

  await show(page, 'organizations')
  await page.click('text=New organization')
  await page.fill('dialog [name=name]', '<b>Nórdic</b> Desk')
  await page.selectOption('dialog [name=plan]', 'tiny')
  await page.check('dialog [value=some]')
  await page.check('dialog [value=aldermoor]')
  await page.check('dialog [value=emberquote]')
  await send(page, 'Create it')
  const row = page.locator('tr:has-text("Nórdic")')
  assert.match(await row.innerText(), /<b>Nórdic<\/b> Desk[^]*tiny\s+2/)
  assert.equal(await page.evaluate('document.activeElement.innerText'), 'New organization', 'the focus is back')

  await row.locator('text=Users').click()
  await page.fill('[name=email]', 'owner@nordic.example')
  await page.selectOption('[name=role]', 'owner')
  await page.click('text=Create the user, and a link')
  const link = await page.locator('.secret-line code').innerText()
  assert.deepEqual(await axe(page, 'light'), [])

  // Somebody else, in another browser.
  const other = await open({}, true)
  await other.page.goto(link)
  await other.page.fill('[name=password]', PASSWORD)
  await other.page.click('button[type=submit]')
  await other.page.waitForURL(base)
  await other.page.waitForSelector('text=owner@nordic.example')
  assert.equal(await other.page.locator('nav >> text=Operator >> visible=true').count(), 0)
  await other.page.goto(`${base}operator`)
  await other.page.waitForSelector('text=This page is for operators')
  assert.equal(await other.page.locator('nav >> text=Operator >> visible=true').count(), 0, 'also on the page itself')
  await other.page.goto(`${base}keys`)
  await other.page.click('text=New key')
  await other.page.fill('[name=name]', 'Production')
  await other.page.click('button[type=submit]')
  const secret = await other.page.locator('.secret-line code').innerText()
  assert.deepEqual(other.errors, [])

  const slugs = async (): Promise<readonly string[]> => {
    const { body } = await get(service, '/bookmakers?sport=football', secret)
    return (body.data as unknown as { slug: string }[]).map(({ slug }) => slug)
  }
  assert.deepEqual(await slugs(), ['aldermoor', 'emberquote'])
  await row.locator('text=Change').click()
  await page.uncheck('dialog [value=aldermoor]')
  await send(page, 'Change it')
  assert.deepEqual(await slugs(), ['emberquote'], 'from the answer on')
  assert.equal((await get(service, '/events?transport=live', secret)).status, 200)
  await show(page, 'plans')
  await page.click('[aria-label="Change tiny"]')
  await page.uncheck('dialog [name=liveEnabled]')
  await send(page, 'Change the plan')
  const refused = await get(service, '/events?transport=live', secret)
  assert.deepEqual([refused.status, refused.body.error?.code], [403, 'live_not_enabled'])
  await page.click('[aria-label="Remove tiny"]')
  await page.click('dialog >> text=Remove the plan >> nth=-1')
  await page.waitForSelector('dialog [role=alert] >> text=give them another one first')
  await page.keyboard.press('Escape')

  // The operator looks at its keys, and ends one.
  await show(page, 'organizations')
  await row.locator('a:text-is("keys")').click()
  await page.waitForSelector('text=as an operator')
  await page.click('[aria-label="Revoke Production"]')
  await page.click('text=Revoke the key')
  await page.waitForSelector('tr:has-text("Production") >> text=revoked')
  assert.equal((await get(service, '/sports', secret)).status, 401)

  await show(page, 'organizations')
  await row.locator('text=Users').click()
  await page.click('[aria-label="Remove owner@nordic.example"]')
  await send(page, 'Remove the user')
  await page.waitForSelector('text=Nobody yet')
  await other.page.goto(`${base}keys`)
  await other.page.waitForSelector('main >> text=Log in >> nth=-1')
  await show(page, 'audit')
  await page.waitForSelector('tr:has-text("operator@localhost"):has-text("user remove")')
  assert.deepEqual(errors, [])
  await other.context.close()
  await context.close()
})

test('coverage is suspended for a reason and restored; a removal is announced', { skip }, async () => {
  const { context, page, errors } = await open()
  const secret = done(folder.path, 'key', 'create', '--org', 'demo')
  const isSeen = async (): Promise<boolean> =>
    (await get(service, '/bookmakers?sport=football', secret)).text.includes('"alpenpfad"')
  assert(await isSeen(), 'before')
  await show(page, 'coverage')
  await page.fill('input[type=search]', 'alpenpfad')
  await page.click('[aria-label^="Suspend"]')
  await page.fill('dialog [name=reason]', 'wrong prices')
  assert.deepEqual(await axe(page, 'light'), [])
  await send(page, 'Suspend it now')
  assert(!(await isSeen()))
  assert.equal(await page.inputValue('input[type=search]'), 'alpenpfad', 'what was typed stays')
  await page.waitForSelector('.pill.bad')
  await page.click('[aria-label^="Change coverage"]')
  await page.selectOption('dialog [name=status]', 'verified_rest_live')
  await send(page, 'Change it')
  assert(await isSeen())
  await page.click('[aria-label^="Remove"]')
  await send(page, 'Announce the removal')
  await page.waitForSelector('.pill:has-text("ends 20")')
  assert(await isSeen())
  assert.deepEqual(errors, [])
  await context.close()
})

test('a conflict of events is settled: both are shown as their sources spell them', { skip }, async () => {
  const [home, away] = CLUBS
  await feed([
    ['aldermoor', 'a1', home, away],
    ['emberquote', 'e1', away, home],
  ])
  const { context, page, errors } = await open()
  await show(page, 'conflicts')
  const pair = page.locator(`.card:has-text("${home}")`)
  await pair.waitFor()
  const text = await pair.innerText()
  assert.match(text, /sides are swapped/i)
  for (const key of ['aldermoor:a1', 'emberquote:e1']) assert(text.includes(key), text)
  assert.deepEqual(await axe(page, 'light'), [])
  await page.setViewportSize(LOOKS['narrow']!.viewport!)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, 'operator-conflict-narrow.png') })
  await pair.locator('text=The same event').click()
  await send(page, 'Make them one')
  await pair.waitFor({ state: 'detached' })
  const conflicts = await fetch(`${service.admin}/events/conflicts`)
  assert(!(await conflicts.text()).includes(home))
  assert.deepEqual(errors, [])
  await context.close()
})

test('what is live changes by itself, and leaves the focus where it is', { skip }, async () => {
  const { context, page, errors } = await open()
  await show(page, 'sources')
  const prices = page.locator('tr:has-text("simulator") .number').nth(2)
  const before = await prices.innerText()
  await page.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await until(page, `document.querySelectorAll('tr:has(.pill) .number')[2].innerText !== ${JSON.stringify(before)}`)
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')
  assert.equal(await page.locator('details[open]').count(), 1)
  assert.deepEqual(errors, [])
  await context.close()
})
