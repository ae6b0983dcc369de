import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { isFault } from '../../src/access/fault.ts'
import { BUILT_IN_PLANS } from '../../src/access/plan.ts'
import { UNRESTRICTED } from '../../src/access/scope.ts'
import { adviceOn } from '../../src/access/database-faults.ts'
import { Store } from '../../src/access/store.ts'
import type { Bookmaker } from '../../src/domain/coverage.ts'
import { newFolder } from './folder.ts'
import { makeVersion1 } from './version-1.ts'

const AT = Date.UTC(2026, 10, 20, 12)

const openStore = (dataDir = newFolder()): Store => {
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(store))
  return store
}

const organizationIn = (store: Store, name = 'acme'): string => {
  const created = store.accounts.createOrganization({ name, plan: 'pro', entitlement: ['a', 'b'] }, AT)
  assert.ok(!isFault(created))
  return created.id
}

const bookmaker = (slug: string, sports: readonly ('*' | 'football' | 'tennis')[]): Bookmaker => ({
  slug,
  displayName: slug.toUpperCase(),
  region: 'Europe',
  countries: ['MT', 'GB'],
  sourceMode: 'direct',
  customerNote: 'note',
  coverage: sports.map((sport) => ({
    sport,
    status: 'verified_rest_only',
    restAvailable: true,
    liveAvailable: false,
    lastVerifiedAt: sport === '*' ? null : '2026-11-20',
  })),
})

test('a new store has the built-in plans, and opening it again changes nothing', () => {
  const dataDir = newFolder()
  const first = openStore(dataDir)
  assert.deepEqual(
    first.accounts
      .plans()
      .map(({ name, hourlyLimit, monthlyQuota, liveEnabled }) => [name, hourlyLimit, monthlyQuota, liveEnabled]),
    [
      ['desk', 0, 0, true],
      ['pro', 10_000, 1_000_000, true],
      ['starter', 100, 5_000, false],
    ],
  )
  first.accounts.setPlan('starter', { hourlyLimit: 7 }, AT)
  const before = first.everything()
  first.close()
  assert.deepEqual(openStore(dataDir).everything(), before)
})

test('a store of a newer version is refused by its version', () => {
  const dataDir = newFolder()
  openStore(dataDir).close()
  const database = new Database(join(dataDir, 'oddswire.db'))
  database.pragma('user_version = 99')
  database.close()
  const store = Store.open(dataDir, { waitMs: 0, busyMs: 0, at: AT })
  assert.ok(isFault(store))
  assert.match(store.fault, /version 99.*newer/)
})

test('a store of version 1 is migrated with all that it holds, and knows what was imported', () => {
  const dataDir = newFolder()
  makeVersion1(dataDir)
  const store = openStore(dataDir)
  assert.deepEqual(
    [store.accounts.plans().length, store.accounts.organizations()[0]?.name, store.accounts.keys()[0]?.id],
    [1, 'acme', 'key_1'],
  )
  const [found] = store.coverage.bookmakers()
  assert.deepEqual(
    found?.coverage.map(({ sport, status, lastVerifiedAt }) => [sport, status, lastVerifiedAt]),
    [
      ['*', 'verified_rest_only', null],
      ['football', 'verified_rest_live', '2026-11-19'],
    ],
  )
  assert.deepEqual([store.lastAuditId(), store.appliedAuditId()], [2, 2])
  assert.deepEqual([store.coverage.history(), store.coverage.removals(), store.decisions.all()], [[], [], []])
  const fallen = { status: 'source_limited' } as const
  assert.ok(!isFault(store.coverage.set('a', 'football', fallen, { isNow: true, reason: 'it lies' }, AT)))
  store.coverage.import([found!], AT, true)
  assert.equal(
    store.coverage.bookmakers()[0]?.coverage[1]?.status,
    'source_limited',
    'the file that was there before says nothing new',
  )
  store.close()
  assert.equal(openStore(dataDir).coverage.removals().length, 1)
})

/** Makes a store of the newest version one of version 6. */
const UNDO_7 = 'ALTER TABLE plans DROP COLUMN isPublic;'

/** Makes a store of the newest version one of version 5: only the tables; of its content nothing is asked. */
const UNDO_6 = `
  ${UNDO_7}
  DROP TABLE rotations; DROP TABLE links; DROP TABLE sessions; DROP TABLE users; DROP TABLE traffic; DROP INDEX auditOfOrganization;
  ALTER TABLE audit DROP COLUMN organization; ALTER TABLE audit DROP COLUMN by;
  ALTER TABLE keys DROP COLUMN lastUsedAt; ALTER TABLE keys DROP COLUMN createdBy; ALTER TABLE keys DROP COLUMN name;
`

test('plans of a store of version 6 stay public; a new one is private', () => {
  const dataDir = newFolder()
  const before = openStore(dataDir)
  before.accounts.setPlan('gold', { hourlyLimit: 7 }, AT)
  before.close()
  const database = new Database(join(dataDir, 'oddswire.db'))
  database.exec(UNDO_7)
  database.pragma('user_version = 6')
  database.close()
  const store = openStore(dataDir)
  store.accounts.setPlan('silver', {}, AT)
  store.accounts.setPlan('gold', { hourlyLimit: 8 }, AT)
  assert.deepEqual(
    store.accounts.plans().map(({ name, isPublic }) => [name, isPublic]),
    [
      ['desk', true],
      ['gold', true],
      ['pro', true],
      ['silver', false],
      ['starter', true],
    ],
  )
})

test('the audit trail and the keys of a store of version 5 stay, with their organization', () => {
  const dataDir = newFolder()
  const before = openStore(dataDir)
  const organization = organizationIn(before)
  const key = before.accounts.createKey({ kind: 'customer', organization, scope: UNRESTRICTED, expiresAt: null }, AT)
  before.close()
  const database = new Database(join(dataDir, 'oddswire.db'))
  database.exec(UNDO_6)
  database.pragma('user_version = 5')
  database.close()
  const store = openStore(dataDir)
  assert.deepEqual(
    store.newestAudit(organization, 10).map(({ what, by }) => [what, by]),
    [
      ['key create', 'command'],
      ['organization create', 'command'],
    ],
  )
  const { name, createdBy, lastUsedAt } = store.accounts.keyWithId(key.id)!
  assert.deepEqual([name, createdBy, lastUsedAt], ['', 'command', null])
  assert.equal(store.newestAudit(null, 1)[0]?.what, 'key create')
})

test('a merge with swapped sides of a store of version 4 stays one', () => {
  const dataDir = newFolder()
  openStore(dataDir).close()
  const database = new Database(join(dataDir, 'oddswire.db'))
  const stored = '[{"kind":"merge","keys":["a:1","b:1"],"turned":true}]'
  database.prepare(`INSERT INTO eventDecisions (at, kind, decisions) VALUES (1, 'merge', ?)`).run(stored)
  database.exec(UNDO_6)
  database.pragma('user_version = 4')
  database.close()
  assert.deepEqual(openStore(dataDir).decisions.holding(), [{ kind: 'merge', keys: ['a:1', 'b:1'], swapped: true }])
})

test('built-in plans of a store of version 3 get a bound on live connections; one that an operator has set stays', () => {
  const dataDir = newFolder()
  openStore(dataDir).close()
  const database = new Database(join(dataDir, 'oddswire.db'))
  database.exec(`UPDATE plans SET liveConnectionsMax = 0; UPDATE plans SET liveConnectionsMax = 7 WHERE name = 'pro'`)
  database.exec(UNDO_6)
  database.exec(`INSERT INTO plans SELECT 'own', hourlyLimit, monthlyQuota, liveEnabled, historyEnabled,
    liveReplayWindowSeconds, liveConnectionsMax FROM plans WHERE name = 'desk'`)
  database.pragma('user_version = 3')
  database.close()
  const plans = openStore(dataDir).accounts.plans()
  assert.deepEqual(
    plans.map(({ name, liveConnectionsMax }) => [name, liveConnectionsMax]),
    [
      ['desk', 20_000],
      ['own', 0],
      ['pro', 7],
      ['starter', 100],
    ],
  )
  assert.deepEqual(
    BUILT_IN_PLANS.map(({ name, liveConnectionsMax }) => [name, liveConnectionsMax]),
    [
      ['starter', 100],
      ['pro', 100],
      ['desk', 20_000],
    ],
  )
})

test('a file that is no store is refused', () => {
  const store = Store.open('/proc', { waitMs: 0, busyMs: 0, at: AT })
  assert.ok(isFault(store))
  assert.match(store.fault, /--data-dir/)
})

test('what was written is read back, by name, id and secret', () => {
  const store = openStore()
  const id = organizationIn(store)
  assert.deepEqual(store.accounts.organizationOf('acme'), { id, name: 'acme', plan: 'pro', entitlement: ['a', 'b'] })
  assert.deepEqual(store.accounts.organizationOf(id), store.accounts.organizationOf('acme'))
  assert.ok(isFault(store.accounts.createOrganization({ name: 'acme', plan: 'pro', entitlement: '*' }, AT)))
  assert.ok(isFault(store.accounts.createOrganization({ name: 'other', plan: 'none', entitlement: '*' }, AT)))
  assert.ok(isFault(store.accounts.setOrganization('acme', { plan: 'none' }, AT)))
  assert.ok(isFault(store.accounts.setOrganization('nobody', { plan: 'desk' }, AT)))
  store.accounts.setOrganization(id, { entitlement: '*' }, AT)
  assert.deepEqual(store.accounts.organizationOf('acme'), { id, name: 'acme', plan: 'pro', entitlement: '*' })
  const scope = { ...UNRESTRICTED, channels: ['rest'], sports: ['golf'] } as const
  const key = store.accounts.createKey({ kind: 'customer', organization: id, scope, expiresAt: AT + 1 }, AT)
  const record = store.accounts.keyOf(key.secret)
  assert.deepEqual(record, store.accounts.keyOf(key.id))
  assert.deepEqual(record?.scope, scope)
  assert.deepEqual([record?.createdAt, record?.expiresAt, record?.revokedAt], [AT, AT + 1, null])
  assert.deepEqual(store.accounts.keys(id), [record])
  assert.deepEqual(store.accounts.keys('org_0'), [])
})

test('a secret is nowhere on the disk, and no audit row holds it or its hash', () => {
  const dataDir = newFolder()
  const store = openStore(dataDir)
  const { secret } = store.accounts.createKey(
    { kind: 'feed', organization: organizationIn(store), scope: UNRESTRICTED, expiresAt: null },
    AT,
  )
  const random = secret.slice(10, 40)
  for (const file of ['oddswire.db', 'oddswire.db-wal']) {
    assert.ok(!readFileSync(join(dataDir, file)).includes(random), file)
  }
  assert.ok(!JSON.stringify(store.audit()).includes(store.accounts.keyOf(secret)!.hash))
})

test('every mutation appends one audit row, and the changes since a row hold what was touched', () => {
  const store = openStore()
  const start = store.lastAuditId()
  assert.equal(store.changesSince(start), undefined)
  const organization = organizationIn(store)
  const key = store.accounts.createKey({ kind: 'customer', organization, scope: UNRESTRICTED, expiresAt: null }, AT)
  store.accounts.setPlan('gold', { hourlyLimit: 1 }, AT + 1)
  const imported = store.coverage.import([bookmaker('b', ['*']), bookmaker('a', ['football', '*'])], AT + 2)
  assert.equal(imported.auditId, start + 4)
  assert.deepEqual(
    store
      .audit()
      .slice(-4)
      .map(({ what, at }) => [what, at]),
    [
      ['organization create', AT],
      ['key create', AT],
      ['plan set', AT + 1],
      ['coverage import', AT + 2],
    ],
  )
  const all = store.changesSince(start)!
  assert.equal(all.auditId, start + 4)
  assert.deepEqual([all.plans.length, all.organizations.length, all.keys.length, all.bookmakers?.length], [1, 1, 1, 2])
  const revoked = store.accounts.revokeKey(key.secret, AT + 3)
  assert.ok(!isFault(revoked))
  const last = store.changesSince(imported.auditId)!
  assert.deepEqual([last.plans, last.organizations, last.bookmakers], [[], [], null])
  assert.equal(last.keys[0]?.revokedAt, AT + 3)
  assert.deepEqual(
    store.accounts.revokeKey(key.id, AT + 9),
    { id: key.id, auditId: revoked.auditId },
    'again: nothing is written',
  )
  assert.ok(isFault(store.accounts.revokeKey('key_0', AT)))
})

test('an import replaces the coverage of the bookmakers that it names, and leaves the others', () => {
  const store = openStore()
  store.coverage.import([bookmaker('b', ['*', 'tennis']), bookmaker('a', ['football'])], AT)
  store.coverage.import([{ ...bookmaker('b', ['football']), region: 'Asia' }], AT)
  assert.deepEqual(store.coverage.bookmakers(), [
    bookmaker('a', ['football']),
    { ...bookmaker('b', ['football']), region: 'Asia' },
  ])
})

test('a demo key belongs to the organization demo, and deletes those that have expired', () => {
  const store = openStore()
  const first = store.accounts.createDemoKey(AT)
  const second = store.accounts.createDemoKey(AT + 1)
  assert.equal(first.organization, second.organization)
  const demo = store.accounts.organizationOf('demo')
  assert.ok(!isFault(demo))
  assert.deepEqual([demo.plan, demo.entitlement], ['desk', '*'])
  assert.equal(store.accounts.keyOf(first.id)?.expiresAt, AT + 24 * 3_600_000)
  const before = store.lastAuditId()
  const third = store.accounts.createDemoKey(AT + 24 * 3_600_000)
  assert.deepEqual(
    store.accounts.keys().map(({ id }) => id),
    [second.id, third.id],
  )
  assert.deepEqual(store.changesSince(before)?.keysDeleted, [first.id])
})

test('reservations stop at the limit, survive the connection, and can be given back', () => {
  const dataDir = newFolder()
  const window = { organization: 'org_1', kind: 'hour', start: AT, limit: 120 } as const
  const first = openStore(dataDir)
  assert.deepEqual(first.usage.reserve([{ ...window, amount: 100 }]), [{ before: 0, granted: 100 }])
  first.close()
  const second = openStore(dataDir)
  assert.deepEqual(second.usage.reserve([{ ...window, amount: 100 }]), [{ before: 100, granted: 20 }])
  assert.deepEqual(second.usage.reserve([{ ...window, amount: 1 }]), [{ before: 120, granted: 0 }])
  assert.deepEqual(second.usage.reserve([{ ...window, limit: 50, amount: 1 }]), [{ before: 120, granted: 0 }])
  second.usage.release([{ organization: 'org_1', kind: 'hour', start: AT, amount: 30 }])
  assert.deepEqual(second.usage.reserve([{ ...window, amount: 100 }]), [{ before: 90, granted: 30 }])
})

test('what SQLite refuses is reported with what to do; what is neither disk nor another process is not', () => {
  for (const [code, advice] of [
    ['SQLITE_BUSY', /^the store is busy: another process has been writing to it for seconds; try again$/],
    ['SQLITE_BUSY_SNAPSHOT', /^the store is busy/],
    [
      'SQLITE_CORRUPT',
      /^the store is damaged \(why\): stop the server and restore a backup \(docs\/operations\.md 8\)/,
    ],
    ['SQLITE_CORRUPT_INDEX', /^the store is damaged/],
    ['SQLITE_NOTADB', /^the store is damaged/],
    ['SQLITE_FULL', /^the disk is full \(why\): free some space, and try again$/],
    ['SQLITE_IOERR_WRITE', /^the disk refuses \(why\): make the data folder readable and writable for this user/],
    ['SQLITE_READONLY', /^the disk refuses/],
    ['SQLITE_CANTOPEN', /^the disk refuses/],
  ] as const) {
    assert.match(adviceOn(new Database.SqliteError('why', code)) ?? '', advice, code)
  }
  for (const error of [new Database.SqliteError('why', 'SQLITE_CONSTRAINT_UNIQUE'), new Error('SQLITE_FULL'), 'text']) {
    assert.equal(adviceOn(error), undefined)
  }
})

test('a store that cannot be opened is refused with the same advice', () => {
  const dataDir = newFolder()
  writeFileSync(join(dataDir, 'oddswire.db'), Buffer.alloc(8_192, 0x5a))
  const refused = Store.open(dataDir, { waitMs: 0, busyMs: 0, at: AT })
  assert.ok(isFault(refused))
  assert.match(refused.fault, /cannot be opened: the store is damaged \(.*\): stop the server and restore a backup/)
  assert.equal('lost' in refused && refused.lost, 'damaged')
})
