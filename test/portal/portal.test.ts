// What users may do: keys, reading, the operator's pages; and that nobody reaches another organization.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { EventConflict } from '../../src/domain/event-identity.ts'
import { mintSecret } from '../../src/access/key.ts'
import { isRefusal, refuse } from '../../src/domain/refusal.ts'
import { Browser, refusalOf, Site, type Told } from './site.ts'

const sites: Site[] = []
const newSite = async (...options: Parameters<typeof Site.open>): Promise<Site> => {
  const site = await Site.open(...options)
  sites.push(site)
  return site
}
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close()
})

const SHOWN = { candidates: [], isCut: false }

const secretOf = ({ status, body }: Told): string => {
  assert.equal(status, 201)
  return String(body.secret)
}

/** Why a key is refused now; `valid`: it is not. */
const stateOf = ({ access, at }: Site, secret: string): string => {
  const caller = access.gate.identify(undefined, secret, at)
  return isRefusal(caller) ? caller.message : 'valid'
}

const keyOf = async (browser: Browser, name = 'key'): Promise<{ id: string; secret: string }> => {
  const { body } = await browser.post('keys', { name })
  return { id: String(body.key!.id), secret: String(body.secret) }
}

test('a key has name, scope and expiry as they were given; its secret is in no list', async () => {
  const site = await newSite()
  const owner = await site.loggedIn('ada@example.com')
  const scope = { channels: ['rest'], bookmakers: ['a'], sports: ['football', 'tennis'] }
  const created = await owner.post('keys', { name: ' desk ', expiresAt: '2026-12-01T00:00:00+01:00', scope })
  const secret = secretOf(created)
  assert.deepEqual(created.body.key, {
    ...{ id: created.body.key!.id, name: 'desk', kind: 'customer', status: 'active', scope },
    ...{ createdAt: '2026-11-20T12:30:00.000Z', expiresAt: '2026-11-30T23:00:00.000Z', revokedAt: null },
    ...{ lastUsedAt: null, createdBy: 'ada@example.com' },
  })
  const caller = site.access.gate.identify(undefined, secret, site.at)
  assert(!isRefusal(caller))
  assert.deepEqual(caller.scope, scope)
  const list = await owner.get('keys')
  assert.deepEqual(list.body.data, [created.body.key])
  assert(!list.text.includes(secret))
})

test('what a key cannot have is refused by the name of the member', async () => {
  const site = await newSite({ organizationKeysMax: 2 })
  const owner = await site.loggedIn('ada@example.com')
  const cases: [body: unknown, refusal: string][] = [
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '\u202e' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: 'k', color: 'red' }, 'color'],
    [{ name: 'k', '<img src=x>': 1 }, '?'],
    [{ name: 'k', expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ name: 'k', expiresAt: '2026-11-20T12:30:00Z' }, 'expiresAt'],
    [{ name: 'k', scope: [] }, 'scope'],
    [{ name: 'k', scope: { sport: ['football'] } }, 'scope.sport'],
    [{ name: 'k', scope: { channels: [] } }, 'scope.channels'],
    [{ name: 'k', scope: { channels: ['rest', 'history'] } }, 'scope.channels[1]'],
    [{ name: 'k', scope: { bookmakers: ['a', 'c'] } }, 'scope.bookmakers[1]'],
    [{ name: 'k', scope: { sports: ['chess'] } }, 'scope.sports[0]'],
    [[], 'body'],
    ['key', 'body'],
    [null, 'body'],
  ]
  for (const [body, field] of cases) {
    const answer = await owner.post('keys', body)
    assert.equal(refusalOf(answer), `400 validation_failed ${field}`, JSON.stringify(body))
    assert(!answer.text.includes('<'), answer.text)
  }
  for (const text of ['{', '', '{"name":"k"', '\xff']) {
    const answer = await owner.send('post', 'keys', {}, { body: Buffer.from(text, 'latin1') })
    assert.equal(refusalOf(answer), '400 validation_failed body', text)
  }
  assert.deepEqual((await owner.get('keys')).body.data, [])
  await keyOf(owner)
  const last = await keyOf(owner)
  assert.equal(refusalOf(await owner.post('keys', { name: 'k' })), '409 conflict')
  await owner.send('delete', `keys/${last.id}`)
  assert.equal((await owner.post('keys', { name: 'k' })).status, 201)
})

test('a revoked key is refused at once; a rotated one for the grace period and no longer', async () => {
  const site = await newSite()
  const owner = await site.loggedIn('ada@example.com')
  const { id, secret } = await keyOf(owner, 'old')
  for (const graceSeconds of [-1, 1.5, '60', 30 * 24 * 3_600 + 1]) {
    const answer = await owner.post(`keys/${id}/rotate`, { graceSeconds })
    assert.equal(refusalOf(answer), '400 validation_failed graceSeconds')
  }
  const rotated = await owner.post(`keys/${id}/rotate`, { graceSeconds: 60 })
  const next = secretOf(rotated)
  assert.equal(rotated.body.key!.name, 'old')
  assert.deepEqual([stateOf(site, secret), stateOf(site, next)], ['valid', 'valid'])
  site.at += 59_999
  assert.equal(stateOf(site, secret), 'valid')
  site.at += 1
  assert.deepEqual([stateOf(site, secret), stateOf(site, next)], ['This API key has expired', 'valid'])
  assert.equal(refusalOf(await owner.post(`keys/${id}/rotate`, { graceSeconds: 60 })), '409 conflict')
  assert.equal((await owner.send('delete', `keys/${rotated.body.key!.id}`)).status, 204)
  assert.equal(stateOf(site, next), 'This API key has been revoked')
  // A rotation never makes a key live longer.
  const short = (await owner.post('keys', { name: 's', expiresAt: new Date(site.at + 1_000).toISOString() })).body
  await owner.post(`keys/${short.key!.id}/rotate`, { graceSeconds: 60 })
  site.at += 1_000
  assert.equal(stateOf(site, String(short.secret)), 'This API key has expired')
})

test('members read, and change nothing; operators act for every organization; nobody else does', async () => {
  const site = await newSite()
  const owner = await site.loggedIn('owner@acme.example')
  const member = await site.loggedIn('member@acme.example', 'member')
  const stranger = await site.loggedIn('owner@other.example', 'owner', 'other')
  const operator = await site.loggedIn('op@oddswire.example', 'operator', 'house')
  const acme = await site.organization('acme')
  const { id, secret } = await keyOf(owner)
  const reads = ['organization', 'keys', 'usage', 'sessions', 'refusals', 'audit']
  const operators = ['organizations', 'sources', 'verifications', 'conflicts', 'sessions', 'health']
  const writes = [
    ['post', 'keys', { name: 'k' }],
    ['post', `keys/${id}/rotate`, { graceSeconds: 1 }],
    ['delete', `keys/${id}`, undefined],
  ] as const
  for (const path of reads) {
    assert.equal((await member.get(path)).status, 200, path)
    const foreign = await stranger.get(`${path}?organization=${acme}`)
    assert.equal(refusalOf(foreign), '404 not_found', path)
    assert.equal(foreign.text, (await stranger.get(`${path}?organization=org_000000000000`)).text)
    assert.equal((await operator.get(`${path}?organization=${acme}`)).status, 200, path)
    assert.equal(refusalOf(await operator.get(`${path}?organization=org_000000000000`)), '404 not_found')
  }
  assert.equal((await stranger.get('audit')).text.includes(id), false)
  assert.equal((await operator.get('audit')).text.includes(id), true)
  for (const [method, path, body] of writes) {
    assert.equal(refusalOf(await member.send(method, path, body)), '403 forbidden', path)
    assert.equal(refusalOf(await stranger.send(method, `${path}?organization=${acme}`, body)), '404 not_found', path)
    if (path !== 'keys') assert.equal(refusalOf(await stranger.send(method, path, body)), '404 not_found', path)
  }
  assert.equal(refusalOf(await stranger.post(`live-key?organization=${acme}`)), '404 not_found')
  for (const path of operators) {
    assert.equal(refusalOf(await owner.get(`operator/${path}`)), '404 not_found', path)
    assert.equal((await operator.get(`operator/${path}`)).status, 200, path)
  }
  assert.equal(refusalOf(await owner.post('operator/conflicts/1', { decision: 'same' })), '404 not_found')
  assert.equal(stateOf(site, secret), 'valid')
  assert.equal((await operator.send('delete', `keys/${id}?organization=${acme}`)).status, 204)
  assert.equal(stateOf(site, secret), 'This API key has been revoked')
  const [last] = (await owner.get('audit')).body.data as unknown as { by: string; what: string; subject: string }[]
  assert.deepEqual([last!.by, last!.what, last!.subject], ['op@oddswire.example', 'key revoke', id])
})

test('without a session there is the status page, and nothing else', async () => {
  const site = await newSite()
  const owner = await site.loggedIn('ada@example.com')
  const { cookie } = owner
  owner.cookie = ''
  for (const path of ['organization', 'keys', 'usage', 'sessions', 'refusals', 'audit', 'operator/health']) {
    assert.equal(refusalOf(await owner.get(path)), '401 not_logged_in', path)
  }
  for (const path of ['keys', 'live-key', 'keys/key_1/rotate', 'operator/conflicts/1']) {
    assert.equal(refusalOf(await owner.post(path, {})), '401 not_logged_in', path)
  }
  assert.deepEqual((await owner.get('session')).body, { user: null })
  const status = await owner.get('status')
  assert.deepEqual(status.body.bookmakers, [{ slug: 'a', displayName: 'A', state: 'live', delayMs: 1 }])
  owner.cookie = cookie
  assert.equal(refusalOf(await owner.get('')), '404 not_found')
  const put = await owner.send('put', 'keys', {})
  assert.deepEqual([refusalOf(put), put.headers.get('allow')], ['405 method_not_allowed', 'GET, POST'])
})

test('the key of a page is in no list, ends with its session, and after an hour; a session has so many and no more', async () => {
  const site = await newSite({ liveKeysMax: 2, liveKeysTotalMax: 3 })
  const owner = await site.loggedIn('ada@example.com')
  const live = async (browser: Browser): Promise<string> => secretOf(await browser.post('live-key'))
  const secrets = [await live(owner)]
  const states = (): string[] => secrets.map((secret) => stateOf(site, secret))
  // The same for a part of the hour.
  assert.equal(await live(owner), secrets[0])
  site.at += 1_800_000
  secrets.push(await live(owner))
  assert.deepEqual([new Set(secrets).size, ...states()], [2, 'valid', 'valid'])
  assert.deepEqual((await owner.get('keys')).body.data, [])
  const other = await site.loggedIn('bob@example.com', 'member')
  secrets.push(await live(other))
  assert.deepEqual(states(), ['valid', 'valid', 'valid'])
  site.at += 1_800_000
  secrets.push(await live(owner))
  assert.deepEqual(states(), ['This API key has expired', 'valid', 'valid', 'valid'])
  await owner.send('delete', 'session')
  const none = 'There is no such API key'
  assert.deepEqual(states(), [none, none, 'valid', none])
  site.at += 3_600_000
  assert.deepEqual(states().slice(2, 3), ['This API key has expired'])
  const audit = (await other.get('audit')).body.data as unknown as { what: string; by: string; subject: string }[]
  assert.deepEqual(audit[0] && [audit[0].what, audit[0].by, audit[0].subject], [
    'user logout',
    'ada@example.com',
    'ada@example.com',
  ])
})

test('over the keys of pages that may be in use, the oldest ends, and works again when it is used again', async () => {
  const site = await newSite({ liveKeysTotalMax: 2 })
  const changed: (ReadonlySet<string> | 'all')[] = []
  const secrets: string[] = []
  const ids: string[] = []
  for (const name of ['ada', 'bob', 'cyd']) {
    secrets.push(secretOf(await (await site.loggedIn(`${name}@example.com`)).post('live-key')))
  }
  site.access.gate.onChange((concerned) => changed.push(concerned))
  for (const secret of secrets) {
    const caller = site.access.gate.identify(undefined, secret, site.at)
    assert(!isRefusal(caller))
    ids.push(caller.keyId)
  }
  assert.equal(changed.length, 0, 'not in the midst of a request')
  await Promise.resolve()
  assert.deepEqual(changed, [new Set([await site.organization('acme')])])
  const isKnown = (id: string): boolean => !isRefusal(site.access.gate.callerOf(id, site.at))
  assert.deepEqual(ids.map(isKnown), [false, true, true])
  assert.equal(stateOf(site, secrets[0]!), 'valid')
  await Promise.resolve()
  assert.deepEqual(ids.map(isKnown), [true, false, true])
})

test('requests and refusals are shown by hour and code, bounded, without keys; they survive a restart', async () => {
  const site = await newSite({ refusalsMax: 3, refusalsTotalMax: 4, refusalPathMax: 40 })
  const owner = await site.loggedIn('ada@example.com')
  const { id, secret } = await keyOf(owner)
  const organization = await site.organization('acme')
  const caller = site.access.gate.identify(undefined, secret, site.at)
  assert(!isRefusal(caller))
  for (let n = 0; n < 5; n++) await site.access.gate.admit(caller, 'rest', site.at)
  const refused = (name: string, n: number): void =>
    site.access.traffic.noteRefused(name, {
      ...{ at: site.at + n, keyId: id, method: 'GET', path: `/api/v1/events?limit=${n}&key=${secret}` },
      ...{ code: 'validation_failed', message: 'm' },
    })
  for (let n = 0; n < 4; n++) refused(organization, n)
  const { data } = (await owner.get('refusals')).body as unknown as { data: { path: string; at: string }[] }
  assert.deepEqual(
    data.map(({ path }) => path),
    [3, 2, 1].map((n) => `/api/v1/events?limit=${n}&key=…`),
  )
  for (let n = 0; n < 2; n++) refused('org_other', n)
  assert.deepEqual((await owner.get('refusals')).body.data, [], 'over the total the oldest organization goes')
  const check = async (): Promise<void> => {
    const { hours, days, quota, refusedBy } = (await owner.get('usage')).body as unknown as {
      hours: object[]
      days: object[]
      quota: Record<string, object>
      refusedBy: object
    }
    assert.deepEqual([hours.length, days.length], [48, 31])
    assert.deepEqual(hours.at(-1), { start: '2026-11-20T12:00:00.000Z', requests: 5, refused: 4 })
    assert.deepEqual(days.at(-1), { start: '2026-11-20T00:00:00.000Z', requests: 5, refused: 4 })
    assert.deepEqual(quota.hour, { limit: 10_000, used: 5, resetAt: '2026-11-20T13:00:00.000Z' })
    assert.deepEqual(quota.month, { limit: 1_000_000, used: 5, resetAt: '2026-12-01T00:00:00.000Z' })
    assert.deepEqual(refusedBy, { validation_failed: 4 })
    const [key] = (await owner.get('keys')).body.data as unknown as { lastUsedAt: string }[]
    assert.equal(key!.lastUsedAt, '2026-11-20T12:30:00.000Z')
  }
  await check()
  await site.access.close()
  await site.start()
  await check()
})

test('an operator settles a conflict of events: one of two events, or none', async () => {
  const site = await newSite()
  const operator = await site.loggedIn('op@oddswire.example', 'operator')
  const event = (id: string, ...keys: string[]) => ({
    event: { id } as EventConflict['event']['event'],
    sightings: keys.map((key) => ({ key, sighting: {} as never, swapped: key === 'x:2' })),
  })
  site.conflicts = [
    { reason: 'turned', event: event('1', 'a:1'), others: [event('2', 'x:1', 'x:2')] },
    { reason: 'ambiguous', event: event('3', 'a:3'), others: [event('4', 'x:4'), event('5', 'x:5')] },
    { reason: 'alike', event: event('6'), others: [event('7', 'x:7')] },
  ]
  const decide = async (id: string, body: object): Promise<string> => {
    const answer = await operator.post(`operator/conflicts/${id}`, body)
    return answer.status === 204 ? '204' : refusalOf(answer)
  }
  assert.equal(await decide('9', { decision: 'same' }), '404 not_found')
  assert.equal(await decide('1', { decision: 'perhaps' }), '400 validation_failed decision')
  assert.equal(await decide('3', { decision: 'same' }), '400 validation_failed other')
  assert.equal(await decide('3', { decision: 'same', other: '2' }), '400 validation_failed other')
  assert.equal(await decide('6', { decision: 'same' }), '409 conflict')
  assert.equal(await decide('1', { decision: 'same' }), '204')
  assert.equal(await decide('3', { decision: 'same', other: '4' }), '204')
  assert.equal(await decide('3', { decision: 'different' }), '204')
  assert.deepEqual(
    site.store.decisions.all().map(({ decisions }) => decisions),
    [
      [
        { kind: 'merge', keys: ['a:1', 'x:1'], swapped: true },
        { kind: 'merge', keys: ['a:1', 'x:2'], swapped: false },
      ],
      [{ kind: 'merge', keys: ['a:3', 'x:4'], swapped: false }],
      [
        { kind: 'split', keys: ['a:3', 'x:4'] },
        { kind: 'split', keys: ['a:3', 'x:5'] },
      ],
    ],
  )
})

test('a user changes so much in a minute and no more; others may, and a logout is possible', async () => {
  const site = await newSite({ portalWritesMax: 2 })
  const owner = await site.loggedIn('ada@example.com')
  const member = await site.loggedIn('bob@example.com', 'member')
  const other = await site.loggedIn('eve@example.com', 'owner', 'other')
  const { id } = await keyOf(owner)
  // Also what is refused for its content.
  assert.equal((await owner.post('keys', {})).status, 400)
  const refused = await owner.post(`keys/${id}/rotate`, { graceSeconds: 1 })
  assert.deepEqual([refusalOf(refused), refused.headers.get('retry-after')], ['429 too_many_attempts', '60'])
  assert.equal((await other.post('keys', { name: 'k' })).status, 201)
  assert.equal((await member.send('delete', 'session')).status, 204)
  assert.equal((await owner.get('keys')).status, 200)
  site.at += 60_000
  assert.equal((await owner.post(`keys/${id}/rotate`, { graceSeconds: 1 })).status, 201)
})

test('an explanation is about the own keys, for a customer; for an operator about all; it is asked so often and no more', async () => {
  const site = await newSite({ portalQuestionsMax: 4 })
  const asked: unknown[] = []
  site.explain = (fields, reading) => {
    asked.push([fields.key, fields.line, reading])
    return fields.bookmaker === undefined ? refuse('validation_failed', 'bookmaker is missing', 'bookmaker') : SHOWN
  }
  const member = await site.loggedIn('bob@example.com', 'member')
  const operator = await site.loggedIn('op@example.com', 'operator', 'house')
  const acme = await site.organization('acme')
  const path = 'explain?key=key_1&event=1&bookmaker=a'
  assert.deepEqual((await member.get(`${path}&line=2.5`)).body, SHOWN)
  assert.equal((await operator.get(path)).status, 200)
  assert.equal((await operator.get(`${path}&organization=${acme}`)).status, 200)
  assert.deepEqual(asked, [
    ['key_1', '2.5', { reader: 'customer', organization: acme }],
    ['key_1', undefined, { reader: 'operator' }],
    ['key_1', undefined, { reader: 'operator', organization: acme }],
  ])
  assert.equal(
    refusalOf(await member.get(`explain?key=${mintSecret('customer')}&event=1&bookmaker=a`)),
    '400 validation_failed key',
  )
  assert.equal(refusalOf(await member.get(`${path}&bookmaker=b`)), '400 validation_failed bookmaker')
  assert.equal(asked.length, 3)
  assert.equal(refusalOf(await member.get('explain?key=key_1&event=1')), '400 validation_failed bookmaker')
  for (let more = 0; more < 2; more++) assert.equal((await member.get(path)).status, 200)
  const often = await member.get(path)
  assert.deepEqual([refusalOf(often), often.headers.get('retry-after')], ['429 too_many_attempts', '60'])
  site.at += 60_000
  assert.equal((await member.get(path)).status, 200)
})

test('a revocation is never too much, and pages that open keep nobody from changing something', async () => {
  const site = await newSite({ portalWritesMax: 2, portalLiveKeysMax: 2 })
  const owner = await site.loggedIn('ada@example.com')
  const member = await site.loggedIn('bob@example.com', 'member')
  const { id } = await keyOf(owner)
  for (let each = 0; each < 2; each++) assert.equal((await member.post('live-key')).status, 201)
  assert.equal(refusalOf(await member.post('live-key')), '429 too_many_attempts')
  assert.equal((await owner.post('live-key')).status, 201)
  assert.equal((await owner.post('keys', { name: 'two' })).status, 201)
  assert.equal((await owner.post('keys', { name: 'three' })).status, 429)
  assert.equal((await owner.send('delete', `keys/${id}`)).status, 204)
})

test('reads of a user are given a few at a time, so many wait, and so many are given in a minute; those of others go on', async () => {
  const site = await newSite({ portalReadsAtOnceMax: 1, portalReadsWaitingMax: 2, portalReadsMax: 6 })
  const owner = await site.loggedIn('ada@example.com')
  const other = await site.loggedIn('bob@example.com', 'member')
  const statuses = (await Promise.all(Array.from({ length: 5 }, () => owner.get('audit')))).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 429, 429])
  assert.equal((await other.get('audit')).status, 200)
  assert.equal((await owner.get('keys')).status, 200)
  const often = await owner.get('keys')
  assert.deepEqual([refusalOf(often), often.headers.get('retry-after')], ['429 too_many_attempts', '60'])
  site.at += 60_000
  assert.equal((await owner.get('keys')).status, 200)
})

test('keys are listed in bounds: all that are valid, and the newest of the others', async () => {
  const site = await newSite({ portalKeysMax: 4 })
  const owner = await site.loggedIn('ada@example.com')
  const names: string[] = []
  for (const [n, isRevoked] of [true, false, true, false, true, false].entries()) {
    site.at += 1
    const { id } = await keyOf(owner, `k${n}`)
    if (isRevoked) await owner.send('delete', `keys/${id}`)
    else names.push(`k${n}`)
  }
  const { body } = await owner.get('keys')
  assert.deepEqual(
    (body.data as unknown as { name: string }[]).map(({ name }) => name),
    ['k1', 'k3', 'k4', 'k5'],
  )
})

test('a key that was rotated is rotated no more; without a grace period there is room for its successor', async () => {
  const site = await newSite({ organizationKeysMax: 2 })
  const owner = await site.loggedIn('ada@example.com')
  const { id } = await keyOf(owner)
  const next = await owner.post(`keys/${id}/rotate`, { graceSeconds: 60 })
  assert.equal(next.status, 201)
  assert.equal(refusalOf(await owner.post(`keys/${id}/rotate`, { graceSeconds: 60 })), '409 conflict')
  const successor = String(next.body.key!.id)
  assert.equal(refusalOf(await owner.post(`keys/${successor}/rotate`, { graceSeconds: 60 })), '409 conflict')
  assert.equal((await owner.post(`keys/${successor}/rotate`, { graceSeconds: 0 })).status, 201)
})

test('where the address of the service is configured, only pages of that one may use it', async () => {
  for (const [publicUrl, origin, status] of [
    ['https://odds.example', 'https://odds.example', 200],
    ['https://odds.example', 'http://odds.example', 403],
    ['https://odds.example', 'http://localhost:8080', 403],
    ['http://localhost:8080', 'http://localhost:8080', 200],
  ] as const) {
    const site = await newSite({}, publicUrl)
    const answer = await new Browser(site).send('get', 'status', undefined, { origin, host: new URL(origin).host })
    assert.equal(answer.status, status, `${publicUrl} ${origin}`)
  }
})

test('a name needs something to be seen', async () => {
  const owner = await (await newSite()).loggedIn('ada@example.com')
  for (const name of ['\u3164', '\u2800\u2800', '\u115f \u1160', '\u200b']) {
    assert.equal(refusalOf(await owner.post('keys', { name })), '400 validation_failed name', JSON.stringify(name))
  }
})

test('a login leaves the rights of everybody as they were: nothing is checked again', async () => {
  const site = await newSite()
  await site.loggedIn('ada@example.com')
  const browser = new Browser(site)
  let changes = 0
  site.access.gate.onChange(() => changes++)
  assert.equal((await browser.logIn('ada@example.com')).status, 200)
  assert.equal(changes, 0)
  await keyOf(browser)
  assert.equal(changes, 1)
})

test('no answer holds HTML, whatever the names are', async () => {
  const site = await newSite()
  const owner = await site.loggedIn('ada@example.com', 'owner', '<script>alert(1)</script>')
  await owner.post('keys', { name: '<img src=x onerror=alert(1)>' })
  for (const path of ['organization', 'keys', 'audit']) {
    const { text, headers, body } = await owner.get(path)
    assert(!text.includes('<'), path)
    assert.deepEqual(
      [headers.get('content-type'), headers.get('x-content-type-options')],
      ['application/json', 'nosniff'],
    )
    assert(JSON.stringify(body).includes('<'), 'the name itself is whole')
  }
})
