// What others may try through the browser of somebody who is logged in: pages of other origins, frames, names, other
// organizations.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { Page } from 'playwright-core'
import { PAGES } from '../../src/pages/frame.ts'
import { testsWith } from '../root.ts'
import { chromiumMissing } from './chromium.ts'
import { HOSTILE, newFeed } from './feed.ts'
import { curlApi, PortalSite, settled, shown, until, withoutRefused } from './portal-site.ts'

const skip = chromiumMissing()
const test = testsWith('attacks in a browser', skip)
let site: PortalSite
/** Serves one page, whatever is asked for. */
let attacker: Server
let attackerPage = ''

before(async () => {
  if (skip !== false) return
  attacker = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(attackerPage))
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve))
  site = await PortalSite.open()
  site.done('org', 'create', 'Rivals', '--plan', 'pro', '--bookmakers', 'aldermoor')
})

after(async () => {
  if (skip !== false) return
  attacker.close()
  await site.close()
})

/** Of the same site, where cookies with SameSite=Strict are sent, and of another one. */
const attackers = (): string[] =>
  ['localhost', '127.0.0.1'].map((host) => `http://${host}:${(attacker.address() as AddressInfo).port}/`)

interface Fetched {
  readonly status: number
  readonly text: string
}

/** Asks the portal as a page of it can, with the session and its token. */
const ask = (page: Page, method: string, path: string, body?: object): Promise<Fetched> =>
  page.evaluate(
    async ([how, where, what]) => {
      const { csrf } = (await (await fetch('/portal/api/session')).json()) as { csrf: string }
      const answer = await fetch(`/portal/api/${where}`, {
        method: how!,
        headers: { 'X-Csrf-Token': csrf, ...(what === '' ? {} : { 'Content-Type': 'application/json' }) },
        ...(what === '' ? {} : { body: what! }),
      })
      return { status: answer.status, text: await answer.text() }
    },
    [method, path, body === undefined ? '' : JSON.stringify(body)] as const,
  )

const idOf = (text: string): string => /key_\w+/.exec(text)![0]

test('a session reaches nothing of another organization', async () => {
  const own = await site.loggedIn('ada@example.com', 'owner')
  const rival = await site.loggedIn('rita@rivals.example', 'owner', 'Rivals')
  const { id } = JSON.parse((await ask(own.page, 'GET', 'organization')).text) as { id: string }
  const made = await ask(own.page, 'POST', 'keys', { name: 'Ours' })
  const { secret } = JSON.parse(made.text) as { secret: string }
  const key = idOf(made.text)
  for (const path of ['organization', 'keys', 'usage', 'sessions', 'refusals', 'audit']) {
    assert.equal((await ask(rival.page, 'GET', `${path}?organization=${id}`)).status, 404, path)
    const { text } = await ask(rival.page, 'GET', path)
    assert.ok(!text.includes(key) && !text.includes(id), path)
  }
  for (const [method, path, body] of [
    ['DELETE', `keys/${key}`, undefined],
    ['DELETE', `keys/${key}?organization=${id}`, undefined],
    ['POST', `keys/${key}/rotate`, { graceSeconds: 0 }],
    ['POST', `keys?organization=${id}`, { name: 'Theirs' }],
    ['POST', `live-key?organization=${id}`, undefined],
    ['GET', 'operator/health', undefined],
    ['GET', 'operator/organizations', undefined],
  ] as const) {
    assert.equal((await ask(rival.page, method, path, body)).status, 404, `${method} ${path}`)
  }
  const foreign = await ask(rival.page, 'GET', `explain?key=${key}&event=a&bookmaker=aldermoor`)
  const none = await ask(rival.page, 'GET', 'explain?key=key_000000000000&event=a&bookmaker=aldermoor')
  assert.deepEqual(foreign, none, 'a key of others is as unknown as one that does not exist')
  assert.equal((await curlApi(site, secret, 'sports')).status, 200)
  await own.context.close()
  await rival.context.close()
})

test('pages of other origins change nothing, and read nothing', async () => {
  const { context, page } = await site.loggedIn('bea@example.com', 'owner')
  const names = async (): Promise<string> => (await ask(page, 'GET', 'keys')).text
  const before = await names()
  const api = site.url('portal/api/')
  attackerPage = `<!doctype html>
<form id="make" method="post" enctype="text/plain" action="${api}keys"><input name='{"name":"evil","x":"' value='"}'></form>
<form id="log-in" method="post" enctype="text/plain" action="${api}session"><input name='{"email":"eve@example.com","password":"' value='"}'></form>
<script>
const json = { 'Content-Type': 'application/json' }
const send = (path, more) => fetch('${api}' + path, { credentials: 'include', ...more }).then((answer) => answer.text(), () => 'refused')
window.told = Promise.all([
  send('keys', { method: 'POST', headers: json, body: '{"name":"evil"}' }),
  send('keys', { method: 'POST', headers: { ...json, 'X-Csrf-Token': 'guess' }, body: '{"name":"evil"}' }),
  send('keys', { method: 'POST', mode: 'no-cors', body: '{"name":"evil"}' }),
  send('live-key', { method: 'POST', mode: 'no-cors' }),
  send('session', { method: 'DELETE' }),
  send('session'),
  send('keys'),
])
</script>`
  for (const address of attackers()) {
    const evil = await site.tab(context)
    await evil.page.goto(address)
    for (const text of (await evil.page.evaluate('told')) as string[])
      assert.ok(text === 'refused' || text === '', text)
    for (const form of ['make', 'log-in']) {
      await evil.page.goto(address)
      const [answer] = await Promise.all([
        evil.page.waitForResponse(
          (response) => response.url().startsWith(api) && response.request().isNavigationRequest(),
        ),
        evil.page.evaluate(`document.getElementById('${form}').submit()`),
      ])
      assert.equal(answer.status(), 403, await answer.text())
    }
    await evil.page.close()
  }
  assert.equal(await names(), before)
  assert.equal((await ask(page, 'GET', 'session')).status, 200)
  await context.close()
})

test('no other page can frame a page of the portal', async () => {
  const { context, page } = await site.loggedIn('cem@example.com', 'owner')
  attackerPage = `<!doctype html><iframe src="${site.url('keys')}"></iframe>`
  for (const address of attackers()) {
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await page.goto(address)
    await refused
    await until(page, 'window.frames.length === 1')
    assert.ok(!(await page.frames()[1]!.content()).includes('oddswire'))
  }
  await context.close()
})

/** Characters that nobody sees, and that a page shows as marks. */
const HIDDEN = '[\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]'

/** Texts and attributes of a page with such a character in them, and elements that names have made. */
const planted = async (page: Page): Promise<string[]> =>
  (await page.evaluate(`(() => {
    const hidden = /${HIDDEN}/
    const found = []
    for (const element of document.querySelectorAll('*')) {
      if (element.matches('img, iframe, [onerror], [onload]')) found.push(element.outerHTML)
      for (const { name, value } of element.attributes) if (hidden.test(value)) found.push(element.tagName + ' ' + name)
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE && hidden.test(node.nodeValue)) found.push(node.nodeValue)
      }
    }
    return found
  })()`)) as string[]

const ELEMENT = '<img src=x onerror=alert(1)>'

test('names of teams, leagues, bookmakers, keys, organizations and users are text on every page', async () => {
  site.done('org', 'create', ELEMENT, '--plan', 'desk')
  const file = join(site.dataDir, 'hostile.json')
  const bookmaker = {
    ...{ slug: 'northlight', displayName: HOSTILE, region: 'Europe', countries: ['SE'], sourceMode: 'direct' },
    customerNote: HOSTILE,
    coverage: [
      { sports: ['*'], status: 'verified_rest_live', restAvailable: true, liveAvailable: true, lastVerifiedAt: null },
    ],
  }
  writeFileSync(file, JSON.stringify({ bookmakers: [bookmaker] }))
  site.done('coverage', 'import', file)
  const feed = await newFeed(site.service, site.dataDir, 'northlight')
  await feed.send({ odds: 2.1, status: 'open' })
  const email = `o'&lt;b&gt;${'{{7*7}}'}@x.example`
  const visitor = await site.loggedIn(email, 'operator', ELEMENT)
  const { context, page, errors } = visitor
  const made = await ask(page, 'POST', 'keys', { name: ELEMENT, scope: { bookmakers: ['northlight'] } })
  assert.equal(made.status, 201, made.text)
  const { key, secret } = JSON.parse(made.text) as { key: { id: string }; secret: string }
  const hostilePath = `events?sport=${ELEMENT.replaceAll(' ', '+')}`
  assert.equal((await curlApi(site, secret, hostilePath)).status, 400)
  assert.equal((await curlApi(site, secret, 'events?sport=\u202eU\u200b')).status, 400)

  const event = await feed.eventId(site.demoKey)
  const asked = `explain?key=${key.id}&bookmaker=northlight&transport=live&event=`
  const paths = [...Object.values(PAGES).map(({ path }) => path), `${asked}${event}`, `${asked}zzyz`, `${asked}a`]
  for (const path of paths.filter((each) => each !== 'login')) {
    await page.goto(site.url(path))
    if (path === 'board') await page.waitForSelector('td.cell .odds:not(:empty)')
    else await settled(visitor)
    assert.deepEqual(await planted(page), [], `/${path}`)
  }
  // They are there, as text.
  const shows = async (path: string, text: string): Promise<void> => {
    await page.goto(site.url(path))
    await shown(page, text)
  }
  const marked = HOSTILE.replace('\u202e', 'U+202E').replace('\u200b', 'U+200B')
  await shows('keys', ELEMENT)
  await shows('plan', marked)
  await shows('status', marked)
  await shows('audit', email)
  await shows('usage', 'sport=<img+src=x+onerror=alert(1)>')
  await shows('usage', 'sport=U+202EUU+200B')
  await shows(`${asked}${event}`, marked)
  await shows(`${asked}zzyz`, marked)
  await page.goto(site.url(`board#sport=football&event=${event}`))
  await page.waitForSelector('td.cell .odds:not(:empty)')
  await shown(page, marked)
  assert.deepEqual(await planted(page), [], 'the board')
  assert.deepEqual(withoutRefused(errors), [])
  await feed.close()
  await context.close()
})
