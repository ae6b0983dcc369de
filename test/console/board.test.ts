// The live board in a real browser: it follows prices, strikes suspensions through, and goes on after a break.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { testsWith } from '../root.ts'
import { chromiumMissing } from './chromium.ts'
import { newFeed } from './feed.ts'
import { PortalSite, shoot, until } from './portal-site.ts'

const skip = chromiumMissing()
const test = testsWith('the board in a browser', skip)
let site: PortalSite

before(async () => {
  if (skip === false) site = await PortalSite.open()
})

after(async () => {
  if (skip === false) await site.close()
})

test('the board follows prices, strikes a suspension through, and goes on after a break', async () => {
  const feed = await newFeed(site.service, site.dataDir, 'northlight')
  const { context, page, errors } = await site.visitor()
  await feed.send({ odds: 2.1, status: 'open' })
  await page.goto(site.url(`board#key=${site.demoKey}`))
  // The key does not stay in the address.
  await until(page, '!location.hash.includes("key")')
  await page.fill('input[type=search]', feed.word)
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
  await shoot(page, 'board-suspended', false)

  // The next attempt is made at once, so the page may say it for less time than lies between two looks at it from here.
  await page.evaluate(`new MutationObserver((_, observer) => {
    if (!document.querySelector('.strip').innerText.includes('connection lost')) return
    window.sawBreak = true
    observer.disconnect()
  }).observe(document.querySelector('.strip'), { subtree: true, childList: true, characterData: true })`)
  await page.click('text=Cut the connection')
  await until(page, 'window.sawBreak')
  await feed.send({ odds: 2.4, status: 'open' })
  await page.waitForSelector('td.cell .odds:text-is("2.40")')
  assert.match(await page.locator('.strip div:has-text("resumed") dd').innerText(), /^1$/)
  assert.equal(await page.locator('.path-panel .points li').count(), 4, 'the path goes on')
  assert.deepEqual(errors, [])
  await feed.close()
  await context.close()
})

test('a price of the board leads to the rules about it: a suspension hides it from REST, not from the board', async () => {
  const feed = await newFeed(site.service, site.dataDir, 'kadakas', 'explained')
  await feed.send({ odds: 3.5, status: 'suspended' })
  const { context, page, errors } = await site.loggedIn('ada@example.com', 'owner')
  await page.goto(site.url(`board#sport=football&event=${await feed.eventId(site.demoKey)}`))
  await page.locator('td.cell.suspended').first().click()
  await page.click('text=What the rules say about it')
  await page.waitForSelector('.banner.good >> text=No rule hides it: it is shown by the live channel')
  assert.match(page.url(), /bookmaker=kadakas&market=match_result_1x2&line=none&outcome=home&transport=live/)
  const status = page.locator('.steps li', { hasText: 'Status' }).first()
  assert.match(await status.innerText(), /not by REST/)
  assert.match(await page.locator('main table').innerText(), /Match result\s+· home\s+3\.50\s+suspended book\s+live/)
  await page.selectOption('[name=transport]', 'rest')
  await page.click('text=Find out')
  await page.waitForSelector('h2:has-text("Hidden by: Event")')
  await shoot(page, 'explain-hidden')
  // By words of the names; several events lead to a choice.
  await page.selectOption('[name=market]', '')
  await page.fill('[name=line]', '')
  await page.fill('[name=outcome]', '')
  await page.fill('[name=event]', 'e')
  await page.fill('[name=bookmaker]', 'Aldermoor')
  await page.click('text=Find out')
  const choice = page.locator('.candidates button').nth(1)
  const name = await choice.locator('strong').innerText()
  await shoot(page, 'explain-choice')
  await choice.click()
  await page.locator('.steps').getByText(name).first().waitFor()
  assert.match(page.url(), /event=\d+&bookmaker=aldermoor/)
  await page.fill('[name=event]', 'no such side')
  await page.click('text=Find out')
  await page.waitForSelector('h2:has-text("No such event")')
  assert.deepEqual(errors, [])
  await feed.close()
  await context.close()
})
