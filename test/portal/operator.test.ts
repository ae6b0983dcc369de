// What operators do in the portal: organizations, plans, users, coverage; that it holds when they are answered, is in the
// audit trail under their name, and that nobody else can do it.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { isFault } from '../../src/access/fault.ts'
import { COVERAGE_STATUSES } from '../../src/domain/coverage.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { SPORTS } from '../../src/domain/sport.ts'
import { AT, Browser, PASSWORD, refusalOf, Site } from './site.ts'

const sites: Site[] = []
const newSite = async (...options: Parameters<typeof Site.open>): Promise<Site> => {
  const site = await Site.open(...options)
  sites.push(site)
  return site
}
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close()
})

const OPERATOR = 'op@oddswire.example'

const operatorOf = (site: Site): Promise<Browser> => site.loggedIn(OPERATOR, 'operator', 'house')

const statusOf = (answer: Awaited<ReturnType<Browser['get']>>): string =>
  answer.status < 300 ? String(answer.status) : refusalOf(answer)

/** Who has done what to what, the newest last; of changes by users. */
const trail = (site: Site): string[] =>
  site.store
    .audit()
    .filter(({ by, what }) => by.includes('@') && !what.startsWith('user login') && what !== 'user password')
    .map(({ by, what }) => `${by} ${what}`)

const DAY_MS = 24 * 3_600_000

test('an operator creates an organization and changes its plan and bookmakers; its keys follow at once', async () => {
  const site = await newSite()
  const operator = await operatorOf(site)
  const body = { name: 'Nórdic Desk', plan: 'pro', bookmakers: ['a', 'c', 'a', 'none'] }
  const created = await operator.post('operator/organizations', body)
  assert.equal(created.status, 201)
  const { organization } = created.body
  assert.deepEqual(organization, { ...body, id: organization!.id, bookmakers: ['a', 'c', 'none'] })
  assert.deepEqual(created.body.uncovered, ['none'])
  const id = String(organization!.id)
  const { body: key } = await operator.post(`keys?organization=${id}`, { name: 'k' })
  const caller = () => {
    const found = site.access.gate.identify(undefined, String(key.secret), site.at)
    assert(!isRefusal(found))
    return found.organization
  }
  const changes: string[] = []
  site.access.gate.onChange(() => changes.push(caller().plan.name))
  const set = (path: string, terms: object) => operator.post(`operator/organizations/${path}`, terms)
  assert.deepEqual((await set(id, { bookmakers: ['b'] })).body, { uncovered: [] })
  assert.deepEqual(caller().entitlement, ['b'])
  assert.deepEqual((await set(id, { plan: 'starter', bookmakers: '*' })).status, 200)
  assert.deepEqual([caller().plan.name, caller().entitlement], ['starter', '*'])
  // Sessions were checked with the new rights before the answer.
  assert.deepEqual(changes, ['pro', 'starter'])
  assert.equal(statusOf(await set('org_000000000000', { plan: 'pro' })), '404 not_found')
  assert.equal(statusOf(await set('acme', { plan: 'pro' })), '404 not_found')
  assert.deepEqual(trail(site).slice(-3), [
    `${OPERATOR} key create`,
    `${OPERATOR} organization set`,
    `${OPERATOR} organization set`,
  ])
})

test('plans are created, changed and removed; one that an organization has stays', async () => {
  const site = await newSite()
  const operator = await operatorOf(site)
  const created = await operator.post('operator/plans', { name: 'gold', hourlyLimit: 500, liveEnabled: true })
  assert.equal(created.status, 201)
  assert.deepEqual(created.body.plan, {
    ...{ name: 'gold', hourlyLimit: 500, monthlyQuota: 5_000, liveEnabled: true, historyEnabled: false },
    ...{ liveReplayWindowSeconds: 120, liveConnectionsMax: 100, isPublic: false },
  })
  assert.equal(statusOf(await operator.post('operator/plans', { name: 'gold' })), '409 conflict name')
  const change = await operator.post('operator/plans/gold', { isPublic: true, liveConnectionsMax: 3 })
  assert.equal(change.status, 204)
  const gold = () => site.access.plans().find(({ name }) => name === 'gold')
  assert.deepEqual([gold()?.isPublic, gold()?.liveConnectionsMax, gold()?.hourlyLimit], [true, 3, 500])
  assert.equal(statusOf(await operator.post('operator/plans/silver', { isPublic: true })), '404 not_found')
  const id = await site.organization('acme')
  await operator.post(`operator/organizations/${id}`, { plan: 'gold' })
  const inUse = await operator.send('delete', 'operator/plans/gold')
  assert.equal(statusOf(inUse), '409 conflict')
  assert.match(String(inUse.body.error!.message), /acme/)
  await operator.post(`operator/organizations/${id}`, { plan: 'pro' })
  assert.equal((await operator.send('delete', 'operator/plans/gold')).status, 204)
  assert.equal(gold(), undefined)
  assert.equal(statusOf(await operator.send('delete', 'operator/plans/gold')), '404 not_found')
  const names = (await operator.get('operator/organizations')).body.plans as unknown as { name: string }[]
  assert.deepEqual(
    names.map(({ name }) => name),
    ['desk', 'pro', 'starter'],
  )
  // A restart, and a command, see the same.
  await site.access.close()
  await site.start()
  assert.equal(gold(), undefined)
  assert(isFault(site.store.accounts.setOrganization('acme', { plan: 'gold' }, site.at)))
})

test('a user gets a link that is shown once; a change of role and a removal end the sessions before the answer', async () => {
  const site = await newSite()
  const operator = await operatorOf(site)
  const acme = await site.organization('acme')
  const users = `operator/users?organization=${acme}`
  const created = await operator.post(users, { email: ' Ada@Example.com ', role: 'owner' })
  assert.equal(created.status, 201)
  const { user, link, expiresAt } = created.body
  assert.deepEqual(user, {
    ...{ id: user!.id, email: 'ada@example.com', role: 'owner', hasPassword: false },
    createdAt: '2026-11-20T12:30:00.000Z',
  })
  assert.equal(expiresAt, '2026-11-21T12:30:00.000Z')
  const list = await operator.get(users)
  assert.deepEqual(list.body.data, [user])
  const token = /^http:\/\/localhost:8080\/login#link=([\w-]{43})$/.exec(String(link))![1]!
  assert(!list.text.includes(token) && !(await operator.get('audit')).text.includes(token))
  const ada = new Browser(site)
  assert.equal((await ada.post('link', { token, password: PASSWORD })).status, 200)
  assert.equal((await ada.post('keys', { name: 'k' })).status, 201)
  assert.equal(statusOf(await new Browser(site).post('link', { token, password: PASSWORD })), '401 invalid_link')

  const one = (rest = ''): string => `operator/users/${user!.id}${rest}?organization=${acme}`
  assert.equal((await operator.post(one(), { role: 'member' })).status, 204)
  assert.equal(statusOf(await ada.get('organization')), '401 not_logged_in')
  assert.equal((await ada.logIn('ada@example.com')).status, 200)
  assert.equal(statusOf(await ada.post('keys', { name: 'k' })), '403 forbidden')
  const second = await operator.post(one('/link'))
  assert.equal(second.status, 201)
  assert.deepEqual(second.body.user, { ...user, role: 'member', hasPassword: true })
  assert.equal((await operator.send('delete', one())).status, 204)
  assert.equal(statusOf(await ada.get('organization')), '401 not_logged_in')
  assert.equal(statusOf(await operator.send('delete', one())), '404 not_found')
  const later = /#link=(.*)$/.exec(String(second.body.link))![1]!
  assert.equal(statusOf(await ada.post('link', { token: later, password: PASSWORD })), '401 invalid_link')
  // The trail of the organization says who has done it.
  const rows = (await operator.get(`audit?organization=${acme}`)).body.data as unknown as { by: string; what: string }[]
  assert.deepEqual(
    rows.filter(({ by }) => by === OPERATOR).map(({ what }) => what),
    ['user remove', 'user link', 'user set', 'user link', 'user create'],
  )
})

test('an operator cannot change or remove the own account, and a user is of one organization', async () => {
  const site = await newSite()
  const operator = await operatorOf(site)
  await site.loggedIn('bob@example.com', 'member')
  const [house, acme] = [await site.organization('house'), await site.organization('acme')]
  const idOf = (email: string): string => site.store.users.userOf(email)!.id
  const own = `operator/users/${idOf(OPERATOR)}`
  assert.equal(statusOf(await operator.post(own, { role: 'member' })), '409 conflict')
  assert.equal(statusOf(await operator.send('delete', own)), '409 conflict')
  const bob = `operator/users/${idOf('bob@example.com')}`
  for (const organization of [house, 'org_000000000000']) {
    assert.equal(
      statusOf(await operator.post(`${bob}?organization=${organization}`, { role: 'owner' })),
      '404 not_found',
    )
    assert.equal(statusOf(await operator.post(`${bob}/link?organization=${organization}`)), '404 not_found')
    assert.equal(statusOf(await operator.send('delete', `${bob}?organization=${organization}`)), '404 not_found')
  }
  assert.equal((await operator.post(`${bob}?organization=${acme}`, { role: 'operator' })).status, 204)
  assert.equal(site.store.users.userOf('bob@example.com')?.role, 'operator')
})

test('coverage is suspended with a reason, restored, and removed after a notice of 90 days', async () => {
  const site = await newSite()
  const operator = await operatorOf(site)
  const set = (body: object) => operator.post('operator/coverage', { bookmaker: 'a', sport: 'football', ...body })
  const isCovered = (): boolean => site.access.registry.isCovered('a', 'football')
  const suspended = { status: 'disabled_until_review' }
  assert.equal(statusOf(await set(suspended)), '409 conflict now')
  assert.equal(statusOf(await set({ ...suspended, now: true })), '400 validation_failed reason')
  assert.equal(statusOf(await set({ ...suspended, now: true, reason: '  ' })), '400 validation_failed reason')
  assert(isCovered())
  let checked = 0
  site.access.gate.onChange(() => {
    checked++
    assert(!isCovered())
  })
  const now = { now: true, reason: 'wrong prices' }
  assert.deepEqual((await set({ ...suspended, ...now })).body, { withdrawnRemovals: 0, isRemoval: true })
  assert.equal(checked, 1)
  assert(!isCovered() && site.access.registry.isCovered('a', 'tennis'))
  await site.access.close()
  await site.start()
  assert(!isCovered(), 'after a restart')
  assert.deepEqual((await set({ status: 'verified_rest_live' })).body, { withdrawnRemovals: 0, isRemoval: false })
  assert(isCovered())

  const remove = (body: object) => operator.post('operator/removals', { bookmaker: 'a', sport: 'football', ...body })
  assert.equal(statusOf(await remove({ effectiveOn: '2027-02-18' })), '400 validation_failed effectiveOn')
  assert.equal(statusOf(await remove({ effectiveOn: '2027-02-31' })), '400 validation_failed effectiveOn')
  assert.equal(statusOf(await remove({ effectiveOn: '2027-03-01', ...now })), '400 validation_failed effectiveOn')
  const announced = await remove({ reason: 'its licence ends' })
  assert.equal(announced.status, 201)
  const { removal } = announced.body
  assert.deepEqual(
    [removal!.announcedOn, removal!.effectiveOn, removal!.status, removal!.reason],
    ['2026-11-20', '2027-02-19', 'announced', 'its licence ends'],
  )
  assert.equal(statusOf(await remove({})), '409 conflict')
  assert(isCovered())
  const list = (await operator.get('operator/coverage')).body
  assert.deepEqual([list.sports, list.statuses], [SPORTS, COVERAGE_STATUSES])
  const [a] = list.data as unknown as { bookmaker: string; coverage: object[]; removals: object[] }[]
  assert.deepEqual([a!.bookmaker, a!.coverage.length, a!.removals], ['a', 2, [removal]])
  // A change of what was announced withdraws the removal.
  assert.deepEqual((await set({ liveAvailable: true })).body, { withdrawnRemovals: 1, isRemoval: false })
  await remove({})
  site.at = AT + 91 * DAY_MS
  assert.equal(await site.access.removeDue(), undefined)
  assert(!isCovered())
  const history = site.store.coverage.history('a').map(({ by, reason }) => `${by}: ${reason}`)
  assert(history.includes('set: wrong prices'), history.join())
  assert.equal(trail(site).filter((line) => line === `${OPERATOR} coverage set`).length, 3)
})

test('a verification is asked for, and its request can be followed', async () => {
  const site = await newSite()
  const operator = await operatorOf(site)
  const asked = await operator.post('operator/verifications', { bookmaker: 'a', sport: 'football' })
  assert.equal(asked.status, 202)
  const path = `operator/verifications/${asked.body.id}`
  let found = await operator.get(path)
  while (String(found.body.status) === 'pending') found = await operator.get(path)
  // This server has no sources.
  assert.deepEqual(found.body, {
    ...{ id: asked.body.id, bookmaker: 'a', sport: 'football', status: 'done' },
    detail: 'this server verifies nothing: no sources are configured',
  })
  assert.equal((await operator.post('operator/verifications', {})).status, 202)
  assert.equal(statusOf(await operator.get('operator/verifications/99')), '404 not_found')
  assert.equal(statusOf(await operator.get('operator/verifications/x')), '404 not_found')
})

/** A change of each kind, with a body that would be accepted. */
const CHANGES = (organization: string, user: string) =>
  [
    ['post', 'operator/organizations', { name: 'new', plan: 'pro' }],
    ['post', `operator/organizations/${organization}`, { plan: 'desk' }],
    ['post', 'operator/plans', { name: 'new' }],
    ['post', 'operator/plans/pro', { hourlyLimit: 0 }],
    ['delete', 'operator/plans/desk', undefined],
    ['post', 'operator/users', { email: 'new@example.com', role: 'operator' }],
    ['post', `operator/users/${user}`, { role: 'operator' }],
    ['post', `operator/users/${user}/link`, undefined],
    ['delete', `operator/users/${user}`, undefined],
    ['post', 'operator/coverage', { bookmaker: 'a', sport: 'football', status: 'live_beta', now: true, reason: 'r' }],
    ['post', 'operator/removals', { bookmaker: 'a', sport: 'football' }],
    ['post', 'operator/verifications', {}],
  ] as const

const READS = ['organizations', 'users', 'coverage', 'verifications/1']

test('members and owners find nothing of it, for no organization; without the token of the page nothing changes', async () => {
  const site = await newSite()
  const owner = await site.loggedIn('ada@example.com')
  const member = await site.loggedIn('bob@example.com', 'member')
  const operator = await operatorOf(site)
  const [acme, house] = [await site.organization('acme'), await site.organization('house')]
  const { id } = site.store.users.userOf('bob@example.com')!
  const before = site.store.audit().length
  for (const browser of [owner, member]) {
    for (const query of ['', `?organization=${acme}`, `?organization=${house}`]) {
      for (const path of READS) {
        assert.equal(statusOf(await browser.get(`operator/${path}${query}`)), '404 not_found', path)
      }
      for (const [method, path, body] of CHANGES(acme, id)) {
        assert.equal(statusOf(await browser.send(method, `${path}${query}`, body)), '404 not_found', path)
      }
    }
  }
  for (const [method, path, body] of CHANGES(acme, id)) {
    const csrf = await operator.send(method, path, body, { csrf: 'other' })
    assert.equal(statusOf(csrf), '403 csrf_failed X-Csrf-Token')
    const foreign = await operator.send(method, path, body, { origin: 'https://evil.example' })
    assert.equal(statusOf(foreign), '403 cross_origin Origin')
    const nobody = await operator.send(method, path, body, { cookies: '' })
    assert.equal(statusOf(nobody), '401 not_logged_in')
  }
  assert.equal(site.store.audit().length, before)
})

test('an operator who is demoted by a command changes nothing after', async () => {
  const site = await newSite()
  const operator = await operatorOf(site)
  const acme = await site.organization('acme')
  const { id } = site.store.users.userOf(OPERATOR)!
  const demoted = site.store.users.set(OPERATOR, { role: 'owner' }, site.at)
  assert(!isFault(demoted))
  // At once, whether or not this process has noticed yet.
  for (const [method, path, body] of CHANGES(acme, id)) {
    assert.equal(statusOf(await operator.send(method, path, body)), '401 not_logged_in', path)
  }
})

test('what is wrong is refused by the name of the member, and nothing changes', async () => {
  const site = await newSite()
  const operator = await operatorOf(site)
  const acme = await site.organization('acme')
  await site.link('bob@example.com', 'member')
  const { id } = site.store.users.userOf('bob@example.com')!
  const before = site.store.audit().length
  const coverage = { bookmaker: 'a', sport: 'football' }
  const cases: [path: string, body: unknown, refusal: string][] = [
    ['organizations', {}, '400 validation_failed name'],
    ['organizations', { name: 'x' }, '400 validation_failed plan'],
    ['organizations', { name: '', plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: ' x', plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: 'org_1', plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: 'a\u202eb', plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: '\u3164', plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: 'beta\ufe0f', plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: 'l\u2028s', plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: 'a\u0301', plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: 'x'.repeat(101), plan: 'pro' }, '400 validation_failed name'],
    ['organizations', { name: 'acme', plan: 'pro' }, '409 conflict name'],
    ['organizations', { name: 'x', plan: 'none' }, '400 validation_failed plan'],
    ['organizations', { name: 'x', plan: 5 }, '400 validation_failed plan'],
    ['organizations', { name: 'x', plan: 'pro', bookmakers: 'a' }, '400 validation_failed bookmakers'],
    ['organizations', { name: 'x', plan: 'pro', bookmakers: ['a', 'B!'] }, '400 validation_failed bookmakers[1]'],
    ['organizations', { name: 'x', plan: 'pro', bookmakers: [{}] }, '400 validation_failed bookmakers[0]'],
    ['organizations', { name: 'x', plan: 'pro', color: 1 }, '400 validation_failed color'],
    [`organizations/${acme}`, {}, '400 validation_failed body'],
    [`organizations/${acme}`, { plan: 'none' }, '400 validation_failed plan'],
    [`organizations/${acme}`, { name: 'other' }, '400 validation_failed name'],
    ['plans', { name: 'Gold' }, '400 validation_failed name'],
    ['plans', { name: 'gold', hourlyLimit: -1 }, '400 validation_failed hourlyLimit'],
    ['plans', { name: 'gold', hourlyLimit: 1.5 }, '400 validation_failed hourlyLimit'],
    ['plans', { name: 'gold', monthlyQuota: 1e13 }, '400 validation_failed monthlyQuota'],
    ['plans', { name: 'gold', liveEnabled: 'yes' }, '400 validation_failed liveEnabled'],
    ['plans', { name: 'gold', isPublic: null }, '400 validation_failed isPublic'],
    ['plans/pro', {}, '400 validation_failed body'],
    ['plans/pro', { name: 'x' }, '400 validation_failed name'],
    ['plans/pro', { liveConnectionsMax: '3' }, '400 validation_failed liveConnectionsMax'],
    ['users', { email: 'x', role: 'member' }, '400 validation_failed email'],
    ['users', { email: 'bob@example.com\u3164', role: 'member' }, '400 validation_failed email'],
    ['users', { email: 'bob@example.com', role: 'member' }, '409 conflict email'],
    ['users', { email: 'x@example.com', role: 'admin' }, '400 validation_failed role'],
    ['users', { email: 'x@example.com' }, '400 validation_failed role'],
    [`users/${id}?organization=${acme}`, { role: 'root' }, '400 validation_failed role'],
    ['coverage', { ...coverage }, '400 validation_failed body'],
    ['coverage', { ...coverage, status: 'fine' }, '400 validation_failed status'],
    ['coverage', { ...coverage, restAvailable: 1 }, '400 validation_failed restAvailable'],
    ['coverage', { ...coverage, status: 'live_beta', now: 'yes' }, '400 validation_failed now'],
    ['coverage', { ...coverage, sport: 'chess', status: 'live_beta' }, '400 validation_failed sport'],
    ['coverage', { ...coverage, bookmaker: 'none', status: 'live_beta' }, '400 validation_failed bookmaker'],
    ['coverage', { bookmaker: 'a', status: 'live_beta' }, '400 validation_failed sport'],
    ['removals', { ...coverage, bookmaker: 'none' }, '400 validation_failed bookmaker'],
    ['removals', { ...coverage, effectiveOn: 'tomorrow' }, '400 validation_failed effectiveOn'],
    ['removals', { ...coverage, effectiveOn: '9999-12-31' }, '400 validation_failed effectiveOn'],
    ['removals', { ...coverage, now: true, reason: '\u200b\u202e' }, '400 validation_failed reason'],
    ['removals', { ...coverage, now: true }, '400 validation_failed reason'],
    ['verifications', { bookmaker: 'none' }, '400 validation_failed bookmaker'],
    ['verifications', { sport: '*' }, '400 validation_failed sport'],
  ]
  for (const [path, body, refusal] of cases) {
    // Of another minute: not too often.
    site.at += 60_000
    const answer = await operator.post(`operator/${path}`, body)
    assert.equal(statusOf(answer), refusal, `${path} ${JSON.stringify(body)}`)
    assert(!answer.text.includes('<'), answer.text)
    assert(!/--|oddswire /.test(answer.text), `words of the command line: ${answer.text}`)
  }
  assert.equal(site.store.audit().length, before)
})

test('there are so many organizations, plans and users, a reason is so long, and changes are so frequent', async () => {
  const limits = { organizationsMax: 2, plansMax: 4, organizationUsersMax: 1, reasonLengthMax: 5, portalWritesMax: 10 }
  const site = await newSite(limits)
  const operator = await operatorOf(site)
  const post = async (path: string, body: object): Promise<string> =>
    statusOf(await operator.post(`operator/${path}`, body))
  assert.equal(await post('organizations', { name: 'one', plan: 'pro' }), '201')
  assert.equal(await post('organizations', { name: 'two', plan: 'pro' }), '409 conflict')
  assert.equal(await post('plans', { name: 'one' }), '201')
  assert.equal(await post('plans', { name: 'two' }), '409 conflict')
  // The operator is the one user of this organization.
  assert.equal(await post('users', { email: 'x@example.com', role: 'member' }), '409 conflict')
  const coverage = { bookmaker: 'a', sport: 'football', status: 'live_beta', now: true }
  assert.equal(await post('coverage', { ...coverage, reason: '123456' }), '400 validation_failed reason')
  assert.equal(await post('coverage', { ...coverage, reason: '12345' }), '200')
  assert.equal(await post('plans/one', { hourlyLimit: 1 }), '204')
  assert.equal(await post('plans/one', { hourlyLimit: 2 }), '204')
  assert.equal(await post('plans/one', { hourlyLimit: 3 }), '204')
  assert.equal(await post('plans/one', { hourlyLimit: 4 }), '429 too_many_attempts')
  assert.equal((await operator.get('operator/coverage')).status, 200)
})

test('commands and the portal change the same things at the same time: each change is whole, and the last one holds', async () => {
  const site = await newSite({ portalWritesMax: 1_000 })
  const operator = await operatorOf(site)
  const acme = await site.organization('acme')
  const rounds = 20
  const statuses: number[] = []
  let auditId = 0
  // Where the machine is busy the store does not answer in time; then people try again.
  const post = async (path: string, body: object): Promise<number> => {
    for (;;) {
      const { status } = await operator.post(path, body)
      if (status !== 503) return status
    }
  }
  for (let round = 1; round <= rounds; round++) {
    const answers = [
      post('operator/plans/pro', { hourlyLimit: round }),
      post(`operator/organizations/${acme}`, { bookmakers: ['a'] }),
    ]
    // As a command, on a connection of its own.
    auditId = site.store.accounts.setPlan('pro', { monthlyQuota: round }, site.at).auditId
    const set = site.store.accounts.setOrganization(acme, { plan: 'pro' }, site.at)
    assert(!isFault(set))
    const taken = site.store.accounts.createOrganization({ name: `n${round}`, plan: 'pro', entitlement: '*' }, site.at)
    assert(!isFault(taken))
    answers.push(post('operator/organizations', { name: `n${round}`, plan: 'pro' }))
    statuses.push(...(await Promise.all(answers)))
  }
  assert.deepEqual(
    statuses.filter((_, place) => place % 3 !== 2),
    Array.from({ length: rounds }, () => [204, 200]).flat(),
  )
  assert.deepEqual(new Set(statuses.filter((_, place) => place % 3 === 2)), new Set([409]))
  await site.confirmed(auditId)
  const pro = site.access.plans().find(({ name }) => name === 'pro')!
  assert.deepEqual([pro.hourlyLimit, pro.monthlyQuota], [rounds, rounds])
  assert.deepEqual(
    site.store.accounts.plans().find(({ name }) => name === 'pro'),
    pro,
  )
  assert.deepEqual(site.access.organizationOf(acme)!.entitlement, ['a'])
})
