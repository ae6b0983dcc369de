// Accounts in a real browser: links, passwords, back-off, roles, the end of a session.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { testsWith } from '../root.ts'
import { chromiumMissing } from './chromium.ts'
import { curl, curlApi, PASSWORD, PortalSite, setPassword, tryLogIn, withoutRefused } from './portal-site.ts'

const skip = chromiumMissing()
const test = testsWith('accounts in a browser', skip)
let site: PortalSite

before(async () => {
  if (skip === false) site = await PortalSite.open()
})

after(async () => {
  if (skip === false) await site.close()
})

test('the printed link opens the dashboard of the demo, logged in, once', async () => {
  const { context, page, errors } = await site.visitor()
  await page.goto(site.demoLink)
  await page.waitForSelector('h1:has-text("Overview")')
  assert.equal(page.url(), site.base, 'the token is not in the address')
  assert.match(await page.locator('#account').innerText(), /demo@localhost/)
  assert.deepEqual(errors, [])
  const [cookie] = await context.cookies()
  assert.equal(cookie!.name, 'oddswire_session')
  assert.deepEqual([cookie!.httpOnly, cookie!.sameSite], [true, 'Strict'])
  const other = await site.visitor()
  await other.page.goto(site.demoLink)
  await other.page.waitForSelector('[role=alert] >> text=invalid_link')
  await context.close()
  await other.context.close()
})

test('a user sets a password by a link, logs out, and logs in by email and password', async () => {
  const { context, page, errors } = await site.visitor()
  await page.goto(site.newUser('ada@example.com', 'owner'))
  await page.fill('[name=password]', 'too short')
  await page.click('main button[type=submit]')
  assert.equal(await page.evaluate(`document.querySelector('[name=password]').validity.tooShort`), true)
  await page.fill('[name=password]', PASSWORD)
  await page.click('main button[type=submit]')
  await page.waitForSelector('text=Next steps')
  await page.click('#account >> text=Log out')
  await page.waitForURL(site.url('login'))
  assert.deepEqual(await context.cookies(), [])
  assert.equal(await tryLogIn(page, 'ada@example.com', 'not the right one'), 401)
  await page.waitForSelector('[role=alert] >> text=There is no user with this email and password')
  assert.equal(await tryLogIn(page, 'nobody@example.com', PASSWORD), 401)
  assert.equal(await tryLogIn(page, ' ADA@example.com ', PASSWORD), 200)
  await page.waitForURL(site.base)
  assert.deepEqual(withoutRefused(errors), [])
  await context.close()
})

test('who fails too often waits, is told so, and is let in after the pause', async () => {
  const { context, page } = await site.loggedIn('bea@example.com', 'owner')
  await page.click('#account >> text=Log out')
  await page.waitForURL(site.url('login'))
  let status = 0
  for (let n = 0; n < 12 && status !== 429; n++) status = await tryLogIn(page, 'bea@example.com', 'a wrong password')
  assert.equal(status, 429)
  const said = page.locator('[role=alert]', { hasText: /Too many attempts; try again in \d+ s\./ })
  await said.waitFor()
  for (const deadline = Date.now() + 60_000; status !== 200; ) {
    assert.ok(Date.now() < deadline, 'still refused')
    status = await tryLogIn(page, 'bea@example.com', PASSWORD)
    assert.ok(status === 200 || status === 429, `${status}`)
  }
  await page.waitForURL(site.base)
  await context.close()
})

test('members see, and cannot manage', async () => {
  const { context, page, errors } = await site.loggedIn('mia@example.com', 'member')
  await page.goto(site.url('keys'))
  await page.waitForSelector('th:has-text("Demo")')
  await page.waitForSelector('text=Owners of your organization make, rotate and revoke them')
  for (const name of ['New key', /^Rotate/, /^Revoke/]) {
    assert.equal(await page.getByRole('button', { name }).count(), 0)
  }
  assert.equal(await page.locator('.group-operator').isVisible(), false)
  await page.goto(site.url('operator'))
  await page.waitForSelector('text=This page is for operators')
  assert.deepEqual(errors, [])
  await context.close()
})

test('when the session has ended, an open page leads to the login, and that back to the page', async () => {
  const { context, page, errors } = await site.loggedIn('eve@example.com', 'owner')
  await page.goto(site.url('explain?event=1&transport=live'))
  await page.waitForSelector('text=Find out')
  // As its end by time: all sessions of the user are gone.
  site.done('user', 'set', 'eve@example.com', '--role', 'owner')
  await page.fill('[name=bookmaker]', 'aldermoor')
  await page.click('text=Find out')
  await page.waitForSelector('text=Your session has ended')
  const [, query] = page.url().split('?')
  assert.match(query!, /event=1&bookmaker=aldermoor&transport=live$/)
  await page.locator('main a', { hasText: 'Log in' }).click()
  assert.equal(await tryLogIn(page, 'eve@example.com', PASSWORD), 200)
  await page.waitForURL(site.url(`explain?${query}`))
  await page.waitForSelector('.steps')
  assert.deepEqual(withoutRefused(errors), [])
  await context.close()
})

test('the login leads to pages of the service only', async () => {
  const { context, page } = await site.loggedIn('fay@example.com', 'owner')
  for (const next of ['https://example.com/', '//example.com', 'javascript:alert(1)', '/\\example.com', 'login']) {
    await page.goto(site.url(`login?next=${encodeURIComponent(next)}`))
    assert.equal(await tryLogIn(page, 'fay@example.com', PASSWORD), 200)
    await page.waitForURL(site.base)
  }
  await context.close()
})

test('a logout ends the session everywhere: other tabs, copies of the cookie, the key of the board', async () => {
  const { context, page } = await site.loggedIn('gil@example.com', 'owner')
  const other = await site.tab(context)
  await other.page.goto(site.url('keys'))
  await other.page.waitForSelector('th:has-text("Demo")')
  const [cookie] = await context.cookies()
  const ask = () => curl('-b', `${cookie!.name}=${cookie!.value}`, site.url('portal/api/keys'))
  assert.equal((await ask()).status, 200)
  const secret = (await page.evaluate(`(async () => {
    const { csrf } = await (await fetch('portal/api/session')).json()
    const answer = await fetch('portal/api/live-key', { method: 'POST', headers: { 'X-Csrf-Token': csrf } })
    return (await answer.json()).secret
  })()`)) as string
  assert.equal((await curlApi(site, secret, 'sports')).status, 200)
  await page.click('#account >> text=Log out')
  await page.waitForURL(site.url('login'))
  assert.equal((await ask()).status, 401)
  assert.equal((await curlApi(site, secret, 'sports')).status, 401)
  await other.page.bringToFront()
  await other.page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await other.page.waitForSelector('text=Your session has ended')
  assert.equal(await other.page.locator('table').count(), 0, 'nothing of the organization is left on the page')
  await page.goBack()
  await page.locator('#account').getByText('Log in').waitFor()
  assert.equal(await page.locator('text=Next steps').count(), 0)
  await context.close()
})

test('a new link ends the sessions with the old password', async () => {
  const { context, page } = await site.loggedIn('ida@example.com', 'owner')
  const link = site.done('user', 'link', 'ida@example.com')
  const other = await site.visitor()
  await setPassword(other.page, link)
  await page.goto(site.url('keys'))
  await page.waitForSelector('text=Log in to see this page')
  await context.close()
  await other.context.close()
})
