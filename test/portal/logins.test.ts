// Logging in: links, passwords, sessions, cookies, and what protects them.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { fault, isFault } from '../../src/access/fault.ts'
import { LIMITS } from '../../src/limits.ts'
import { Browser, PASSWORD, refusalOf, Site } from './site.ts'

const HOUR_MS = 3_600_000

const sites: Site[] = []
const newSite = async (...options: Parameters<typeof Site.open>): Promise<Site> => {
  const site = await Site.open(...options)
  sites.push(site)
  return site
}
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close()
})

test('a link sets the password and logs in, once; a new one replaces it, and it expires after a day', async () => {
  const site = await newSite()
  const browser = new Browser(site)
  const first = await site.link('ada@example.com')
  const token = await site.link('ada@example.com')
  assert.equal(refusalOf(await browser.post('link', { token: first, password: PASSWORD })), '401 invalid_link')
  for (const password of ['x'.repeat(11), 'x'.repeat(257), 5]) {
    assert.equal(refusalOf(await browser.post('link', { token, password })), '400 validation_failed password')
  }
  const asked = await browser.post('link', { token })
  assert.deepEqual([asked.body, asked.headers.has('set-cookie')], [{ user: null, needsPassword: true }, false])
  const used = await browser.post('link', { token, password: PASSWORD })
  assert.equal(used.status, 200)
  assert.deepEqual(
    [used.body.user!.email, used.body.user!.role, used.body.user!.organization!.name],
    ['ada@example.com', 'owner', 'acme'],
  )
  assert.equal(refusalOf(await new Browser(site).post('link', { token, password: PASSWORD })), '401 invalid_link')
  assert.equal((await new Browser(site).logIn('ADA@Example.com ')).status, 200)
  const late = await site.link('ada@example.com')
  site.at += 24 * HOUR_MS
  assert.equal(refusalOf(await browser.post('link', { token: late, password: PASSWORD })), '401 invalid_link')
})

test('two that use a link at the same time: one is logged in', async () => {
  const site = await newSite()
  const token = await site.link('two@example.com')
  const answers = await Promise.all([1, 2, 3].map(() => new Browser(site).post('link', { token, password: PASSWORD })))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401])
})

test('a new password ends the other sessions of the user', async () => {
  const site = await newSite()
  const browser = await site.loggedIn('ada@example.com')
  await site.loggedIn('ada@example.com')
  assert.equal(refusalOf(await browser.get('organization')), '401 not_logged_in')
})

test('the cookie is for this host, no script and no other site, and over TLS only where the service is', async () => {
  for (const [publicUrl, secure] of [
    ['http://localhost:8080', false],
    ['https://odds.example', true],
  ] as const) {
    const site = await newSite({}, publicUrl)
    const browser = new Browser(site)
    const answer = await browser.post('link', { token: await site.link('a@example.com'), password: PASSWORD })
    const [pair, ...attributes] = answer.headers.get('set-cookie')!.split('; ')
    assert.match(pair!, secure ? /^__Host-oddswire_session=[\w-]{43}$/ : /^oddswire_session=[\w-]{43}$/)
    assert.deepEqual(
      attributes.toSorted(),
      ['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Strict', ...(secure ? ['Secure'] : [])].toSorted(),
    )
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert(!answer.text.includes(pair!.split('=')[1]!), 'a script could read the token')
  }
})

test('a session ends after 12 idle hours, and after 7 days of use', async () => {
  const site = await newSite()
  const idle = await site.loggedIn('idle@example.com')
  site.at += 12 * HOUR_MS - 1
  assert.equal((await idle.get('organization')).status, 200)
  site.at += 12 * HOUR_MS
  assert.equal(refusalOf(await idle.get('organization')), '401 not_logged_in')
  const busy = await site.loggedIn('busy@example.com')
  for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
    site.at += 6 * HOUR_MS
    assert.equal((await busy.get('organization')).status, 200, `after ${hours + 6} hours`)
  }
  site.at += 6 * HOUR_MS
  assert.equal(refusalOf(await busy.get('organization')), '401 not_logged_in')
})

test('a login makes a new session, whatever cookie was there; that one ends', async () => {
  const site = await newSite()
  const browser = await site.loggedIn('ada@example.com')
  const before = browser.cookie
  assert.equal((await browser.logIn('ada@example.com')).status, 200)
  assert.notEqual(browser.cookie, before)
  const old = new Browser(site)
  old.cookie = before
  assert.equal(refusalOf(await old.get('organization')), '401 not_logged_in')
  const planted = new Browser(site)
  planted.cookie = `oddswire_session=${'p'.repeat(43)}`
  await planted.logIn('ada@example.com')
  assert(!planted.cookie.includes('ppp'))
  // Two cookies: one of them may be planted.
  const two = new Browser(site)
  two.cookie = `${browser.cookie}; oddswire_session=${'p'.repeat(43)}`
  assert.equal(refusalOf(await two.get('organization')), '401 not_logged_in')
  two.cookie = `theme=dark; ${browser.cookie}; x="y"`
  assert.equal((await two.get('organization')).status, 200)
  two.cookie = `x=${'y'.repeat(LIMITS.portalCookieBytesMax)}; ${browser.cookie}`
  assert.equal(refusalOf(await two.get('organization')), '401 not_logged_in')
})

test('a logout ends the session, and takes the cookie', async () => {
  const site = await newSite()
  const browser = await site.loggedIn('ada@example.com')
  const copy = new Browser(site)
  copy.cookie = browser.cookie
  const out = await browser.send('delete', 'session')
  assert.equal(out.status, 204)
  assert.match(out.headers.get('set-cookie')!, /^oddswire_session=; Path=\/; Max-Age=0; HttpOnly/)
  assert.equal(refusalOf(await copy.get('organization')), '401 not_logged_in')
})

test('a user has a bounded number of sessions; the oldest ends', async () => {
  const site = await newSite({ portalSessionsMax: 2 })
  const browsers = [await site.loggedIn('ada@example.com')]
  for (let n = 0; n < 2; n++) {
    site.at += 1
    browsers.push(new Browser(site))
    assert.equal((await browsers.at(-1)!.logIn('ada@example.com')).status, 200)
  }
  const statuses = await Promise.all(browsers.map(async (browser) => (await browser.get('organization')).status))
  assert.deepEqual(statuses, [401, 200, 200])
})

test('what changes something needs the token of the session; another page cannot send anything', async () => {
  const site = await newSite()
  const browser = await site.loggedIn('ada@example.com')
  const other = await site.loggedIn('bob@example.com')
  const body = { name: 'key' }
  for (const csrf of [undefined, '', 'x', other.csrf]) {
    assert.equal(refusalOf(await browser.send('post', 'keys', body, { csrf })), '403 csrf_failed X-Csrf-Token')
  }
  for (const origin of ['http://evil.example', 'null', 'http://localhost:8081', 'https://localhost:8080', '']) {
    assert.equal(refusalOf(await browser.send('post', 'keys', body, { origin })), '403 cross_origin Origin', origin)
    assert.equal(refusalOf(await browser.send('get', 'keys', undefined, { origin })), '403 cross_origin Origin')
  }
  for (const site of ['cross-site', 'same-site', 'other']) {
    const answer = await browser.send('post', 'session', { email: 'ada@example.com', password: PASSWORD }, { site })
    assert.equal(refusalOf(answer), '403 cross_origin Sec-Fetch-Site')
  }
  for (const origin of ['http://localhost:8080', 'http://127.0.0.1:8080']) {
    const host = new URL(origin).host
    assert.equal((await browser.send('get', 'keys', undefined, { origin, host, site: 'same-origin' })).status, 200)
  }
  // A form of another page can send these types without asking first.
  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', undefined]) {
    assert.equal(refusalOf(await browser.send('post', 'keys', body, { contentType })), '415 not_json Content-Type')
  }
  assert.deepEqual((await browser.get('keys')).body.data, [])
})

test('failed logins make an email wait, and an address; both are bounded, and nobody learns who is a user', async () => {
  const site = await newSite()
  await site.loggedIn('ada@example.com')
  const attempt = (email: string, address: string, password = 'wrong'): Promise<string> => {
    const browser = new Browser(site)
    browser.address = address
    return browser.logIn(email, password).then((answer) => `${answer.status} ${answer.headers.get('retry-after')}`)
  }
  for (const email of ['ada@example.com', 'nobody@example.com']) {
    const answers: string[] = []
    for (let n = 0; n < 7; n++) answers.push(await attempt(email, `192.0.2.${n}`))
    assert.deepEqual(answers, [...Array<string>(5).fill('401 undefined'), '429 1', '429 1'], email)
    // Also the right password waits.
    assert.equal(await attempt(email, '192.0.2.9', PASSWORD), '429 1')
    site.at += 1_000
    assert.equal(await attempt(email, '192.0.2.9'), '401 undefined')
    assert.equal(await attempt(email, '192.0.2.9'), '429 2')
  }
  site.at += 2_000
  assert.equal(await attempt('ada@example.com', '192.0.2.9', PASSWORD), '200 undefined')
  assert.equal(await attempt('ada@example.com', '192.0.2.9'), '401 undefined')
  for (let n = 0; n < 20; n++) assert.equal(await attempt(`u${n}@example.com`, '198.51.100.1'), '401 undefined')
  assert.equal(await attempt('ada@example.com', '198.51.100.1', PASSWORD), '429 1')
})

test('tries at the same time are all counted', async () => {
  const site = await newSite({ passwordsOfAddressMax: 10 })
  await site.loggedIn('ada@example.com')
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => new Browser(site).logIn('ada@example.com', 'wrong')),
  )
  assert.equal(answers.filter(({ status }) => status === 401).length, 5)
})

test('passwords are checked a few at a time; who would have to wait for too many is refused', async () => {
  const site = await newSite({ passwordsWaitingMax: 2 })
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => {
      const browser = new Browser(site)
      browser.address = `192.0.2.${n}`
      return browser.logIn(`u${n}@example.com`, 'wrong')
    }),
  )
  const statuses = answers.map(({ status }) => status).toSorted()
  assert(statuses.includes(503) && statuses.includes(401), statuses.join())
})

test('one address has some places in the queue of passwords; the others stay for others', async () => {
  const site = await newSite({ passwordsOfAddressMax: 1, passwordsWaitingMax: 10 })
  const [first, second, other] = [new Browser(site), new Browser(site), new Browser(site)]
  other.address = '192.0.2.9'
  const answers = await Promise.all(
    [first, second, other].map((browser) => browser.logIn('nobody@example.com', 'wrong')),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 503, 401],
  )
})

test('a user logs in so often and no more; others do, and a wrong password uses nothing of it up', async () => {
  const site = await newSite({ loginsMax: 2, loginFailuresMax: 100 })
  await site.loggedIn('ada@example.com')
  await site.loggedIn('bob@example.com')
  const browser = new Browser(site)
  for (let each = 0; each < 2; each++) await browser.logIn('ada@example.com', 'wrong')
  for (let each = 0; each < 2; each++) assert.equal((await browser.logIn('ada@example.com')).status, 200)
  const often = await browser.logIn('ada@example.com')
  assert.equal(refusalOf(often), '429 too_many_attempts')
  assert.equal((await browser.logIn('bob@example.com')).status, 200)
  site.at += 60_000
  assert.equal((await browser.logIn('ada@example.com')).status, 200)
})

test('the key of a page ends with its session, also where that ends for one more, and lives no longer', async () => {
  const site = await newSite({ portalSessionsMax: 1, portalSessionMsMax: 600_000 })
  const browser = await site.loggedIn('ada@example.com')
  const made = await browser.post('live-key')
  assert.equal(Date.parse(String(made.body.expiresAt)), site.at + 600_000)
  const isValid = (): boolean => 'keyId' in site.access.gate.identify(undefined, String(made.body.secret), site.at)
  assert.equal(isValid(), true)
  assert.equal((await new Browser(site).logIn('ada@example.com')).status, 200)
  assert.equal((await browser.get('session')).body.user, null)
  assert.equal(isValid(), false)
})

test('while the store is away a login fails for nobody: right passwords work when it is back', async () => {
  const site = await newSite({ loginFailuresMax: 1 })
  await site.loggedIn('ada@example.com')
  const browser = new Browser(site)
  const { access } = site
  const portal = access.portal.bind(access)
  const away = { ...fault('away') }
  Object.assign(access, { portal: () => Promise.resolve(away) })
  for (let each = 0; each < 3; each++) assert.equal((await browser.logIn('ada@example.com')).status, 503)
  Object.assign(access, { portal })
  assert.equal((await browser.logIn('ada@example.com')).status, 200)
})

test('a user who is changed or removed is logged out at once, with the keys of the page', async () => {
  const site = await newSite()
  for (const change of ['set', 'remove'] as const) {
    const email = `${change}@example.com`
    const browser = await site.loggedIn(email)
    const secret = String((await browser.post('live-key')).body.secret)
    const status = (): boolean => 'keyId' in site.access.gate.identify(undefined, secret, site.at)
    assert.equal(status(), true)
    const written =
      change === 'set'
        ? site.store.users.set(email, { role: 'member' }, site.at)
        : site.store.users.remove(email, site.at)
    assert(!isFault(written))
    await site.confirmed(written.auditId)
    assert.equal(refusalOf(await browser.get('organization')), '401 not_logged_in')
    assert.equal(status(), false)
  }
})

test('sessions stay through a restart', async () => {
  const site = await newSite()
  const browser = await site.loggedIn('ada@example.com')
  await site.access.close()
  await site.start()
  assert.equal((await browser.get('organization')).status, 200)
})
