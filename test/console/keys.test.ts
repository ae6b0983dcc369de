// Keys in a real browser, and with curl: make, use, rotate, revoke.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'playwright-core'
import { testsWith } from '../root.ts'
import { chromiumMissing } from './chromium.ts'
import { curlApi, PortalSite, shoot } from './portal-site.ts'

const skip = chromiumMissing()
const test = testsWith('keys in a browser', skip)
let site: PortalSite

before(async () => {
  if (skip === false) site = await PortalSite.open()
})

after(async () => {
  if (skip === false) await site.close()
})

const shownSecret = async (page: Page): Promise<string> => {
  const secret = await page.locator('.secret-line code').innerText()
  assert.match(secret, /^odds_live_\w+$/)
  return secret
}

/** Status and code of an answer of REST. */
const answer = async (key: string, path: string): Promise<string> => {
  const { status, body } = await curlApi(site, key, path)
  return status === 200 ? '200' : `${status} ${JSON.parse(body).error.code}`
}

test('a scoped key is made, works with curl as far as its scope, is rotated and revoked', async () => {
  const { context, page, errors } = await site.loggedIn('ada@example.com', 'owner')
  await page.goto(site.url('keys'))
  await page.click('text=New key')
  await page.fill('[name=name]', 'Laptop')
  await page.check('[name=channels][value=rest]')
  await page.check('[name=sports][value=football]')
  await page.check('[name=bookmakers][value=aldermoor]')
  await page.check('[name=bookmakers][value=kadakas]')
  await page.selectOption('[name=expiry]', '30')
  await shoot(page, 'keys-form')
  await page.click('text=Make the key')
  const secret = await shownSecret(page)
  await shoot(page, 'keys-new')
  for (const language of ['curl', 'Node', 'Python', 'Go', 'Java']) {
    await page.getByRole('tab', { name: language }).click()
    assert.equal(await page.locator('.snippets pre', { hasText: secret }).count(), 2, language)
  }
  await page.click('text=I have copied it')
  assert.ok(!(await page.content()).includes(secret))
  const row = page.locator('tbody tr', { hasText: 'Laptop' })
  assert.match(await row.innerText(), /active\s+rest · Aldermoor, Kadakas · Football\s+never/)
  assert.match(await row.innerText(), /ada@example\.com/)

  const { status, body } = await curlApi(site, secret, 'events?sport=football&limit=1')
  assert.equal(status, 200)
  const event = String(JSON.parse(body).data[0].id)
  assert.equal(await answer(secret, `events/${event}/odds?bookmaker=aldermoor`), '200')
  assert.equal(await answer(secret, 'events?sport=tennis'), '403 api_key_scope_denied')
  assert.equal(await answer(secret, 'events?sport=football&transport=live'), '403 api_key_scope_denied')
  assert.equal(await answer(secret, `events/${event}/odds?bookmaker=ostrel`), '403 api_key_scope_denied')

  await row.getByRole('button', { name: 'Rotate Laptop' }).click()
  await page.selectOption('dialog select', '3600')
  await shoot(page, 'keys-rotate', false)
  await page.click('text=Make the new key')
  const next = await shownSecret(page)
  assert.notEqual(next, secret)
  await page.click('text=I have copied it')
  assert.deepEqual([await answer(secret, 'sports'), await answer(next, 'sports')], ['200', '200'], 'grace')
  assert.equal(await answer(next, 'events?sport=tennis'), '403 api_key_scope_denied', 'the rights are the same')

  const ids = await page.locator('tbody tr:has-text("Laptop") code').allInnerTexts()
  assert.equal(ids.length, 2)
  for (const id of ids) {
    const button = page.locator('tbody tr', { hasText: id }).getByRole('button', { name: 'Revoke Laptop' })
    await button.click()
    assert.match(await page.locator('dialog').innerText(), /It was last used just now/)
    if (id === ids[0]) await shoot(page, 'keys-revoke', false)
    await page.click('text=Keep it')
    await button.click()
    await page.click('text=Revoke the key')
    await page.locator('tbody tr', { hasText: id }).getByText('revoked').waitFor()
  }
  assert.equal(await answer(secret, 'sports'), '401 invalid_api_key')
  assert.equal(await answer(next, 'sports'), '401 invalid_api_key')
  assert.deepEqual(errors, [])

  await page.goto(site.url('audit'))
  await page.locator('tbody tr').first().waitFor()
  const done = await page.locator('tbody tr', { hasText: 'ada@example.com' }).allInnerTexts()
  const count = (what: string): number => done.filter((text) => text.includes(what)).length
  assert.deepEqual([count('revoked the key'), count('rotated the key'), count('made the key')], [2, 1, 2])
  assert.deepEqual(errors, [])
  await context.close()
})

test('a rotation at once leaves one key that works', async () => {
  const { context, page } = await site.loggedIn('bob@example.com', 'owner')
  await page.goto(site.url('keys'))
  await page.click('text=New key')
  await page.fill('[name=name]', 'Importer')
  await page.click('text=Make the key')
  const secret = await shownSecret(page)
  await page.click('text=I have copied it')
  await page.getByRole('button', { name: 'Rotate Importer' }).click()
  await page.selectOption('dialog select', '0')
  await page.click('text=Make the new key')
  const next = await shownSecret(page)
  assert.deepEqual([await answer(secret, 'sports'), await answer(next, 'sports')], ['401 invalid_api_key', '200'])
  await page.locator('tbody tr', { hasText: 'Importer' }).getByText('expired').waitFor()
  await context.close()
})

test('what is refused shows on the usage page, with its reason, and a live session with its key', async () => {
  const { context, page, errors } = await site.loggedIn('cam@example.com', 'owner')
  assert.equal(await answer(site.demoKey, 'events?sport=soccer'), '400 validation_failed')
  assert.equal(await answer(site.demoKey, 'events/999/odds'), '404 not_found')
  const board = await site.tab(context)
  await board.page.goto(site.url('board'))
  await board.page.waitForSelector('td.cell .odds:not(:empty)')
  await page.goto(site.url('usage'))
  const refused = page.locator('section', { hasText: 'Last refused requests' }).last()
  await refused.locator('tr', { hasText: '/api/v1/events?sport=soccer' }).getByText('Demo', { exact: true }).waitFor()
  await refused.getByText('sport must be one of football, tennis').waitFor()
  assert.equal(await refused.locator('a[href$="docs/errors#not_found"]').count(), 1)
  await page
    .locator('section', { hasText: 'Live sessions' })
    .locator('tr', { hasText: 'a page of the portal' })
    .waitFor()
  assert.match(await page.locator('figcaption').innerText(), /\d+ requests in the 48 hours shown, \d+ of them refused/)
  assert.match(await page.locator('.quota').first().innerText(), /requests, unlimited\s+Resets at /)
  assert.deepEqual([...errors, ...board.errors], [])
  await context.close()
})
