import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Accounts } from '../../src/access/accounts.ts'
import { hashOf, isSecret, type KeyRecord, mintId, mintSecret, withChecksum } from '../../src/access/key.ts'
import { PageKeys } from '../../src/access/page-keys.ts'
import { UNRESTRICTED } from '../../src/access/scope.ts'

const AT = Date.UTC(2026, 10, 20, 12, 30)
const LIMITS = { liveKeyMs: 3_600_000, liveKeysMax: 4, liveKeysTotalMax: 10 }
const ORGANIZATION = mintId('org')
const EMAIL = 'ada@example.com'

/** As each of several processes has it. */
const newProcess = (secret: Uint8Array, sessions: readonly string[]) => {
  const accounts = new Accounts()
  accounts.apply({
    ...{ auditId: 0, plans: [], keys: [], keysDeleted: [], bookmakers: null },
    organizations: [{ id: ORGANIZATION, name: 'acme', plan: 'pro', entitlement: '*' }],
  })
  const ended: KeyRecord[] = []
  const pages = new PageKeys({ accounts, limits: LIMITS, secret, onEnded: (keys) => ended.push(...keys) })
  pages.update([{ email: EMAIL, sessions }])
  return { accounts, pages, ended }
}

const newSession = (): string => randomBytes(32).toString('hex')

test('a key works wherever the secret and the session are, with the same id, and nowhere else', () => {
  const secret = randomBytes(32)
  const session = newSession()
  const [a, b] = [newProcess(secret, [session]), newProcess(secret, [session])]
  const made = a.pages.create(ORGANIZATION, { session, endsAt: Number.MAX_SAFE_INTEGER }, AT)
  assert.ok(isSecret(made.secret) && made.secret.length === 111, made.secret)
  assert.ok(!made.secret.includes(session), 'not all of the session')
  const known = [a, b].map(({ pages }) => pages.keyOf(made.secret, AT))
  assert.deepEqual(known[0], known[1])
  const { id, ...rest } = known[0]!
  assert.deepEqual(rest, {
    ...{ hash: hashOf(made.secret), kind: 'customer', organization: ORGANIZATION, expiresAt: AT + 3_600_000 },
    ...{ scope: UNRESTRICTED, createdAt: AT, revokedAt: null },
    ...{ name: '', createdBy: EMAIL, lastUsedAt: null },
  })
  assert.equal(b.accounts.keyOf(id), known[1])
  assert.equal(newProcess(randomBytes(32), [session]).pages.keyOf(made.secret, AT), undefined)
  assert.equal(newProcess(secret, [newSession()]).pages.keyOf(made.secret, AT), undefined)
  // It is found to have expired, and not kept.
  const late = newProcess(secret, [session])
  assert.equal(late.pages.keyOf(made.secret, made.expiresAt)?.expiresAt, made.expiresAt)
  assert.equal(late.accounts.keyOf(id), undefined)
})

test('a key ends with its session, in each process that learns of it, and only that key', () => {
  const secret = randomBytes(32)
  const sessions = [newSession(), newSession()]
  const process = newProcess(secret, sessions)
  const [first, second] = sessions.map(
    (session) => process.pages.create(ORGANIZATION, { session, endsAt: AT + 60_000 }, AT).secret,
  ) as [string, string]
  const id = process.pages.keyOf(first, AT)!.id
  assert.ok(process.pages.keyOf(second, AT))
  process.pages.update([{ email: 'bob@example.com', sessions: [newSession()] }])
  process.pages.update([{ email: EMAIL, sessions: sessions.slice(1) }])
  assert.deepEqual(
    process.ended.map((key) => key.id),
    [id],
  )
  assert.equal(process.pages.keyOf(first, AT), undefined)
  assert.ok(process.pages.keyOf(second, AT))
  process.pages.update([{ email: EMAIL, sessions: [] }])
  assert.equal(process.pages.keyOf(second, AT), undefined)
})

test('whoever changes what a key says, or signs it with something else, has no key', () => {
  const secret = randomBytes(32)
  const [session, other] = [newSession(), newSession()]
  const { pages } = newProcess(secret, [session, other])
  const made = pages.create(ORGANIZATION, { session, endsAt: AT + 60_000 }, AT).secret
  const text = made.slice(0, -7)
  for (let place = 'odds_page_'.length; place < text.length; place++) {
    const changed = withChecksum(text.slice(0, place) + (text[place] === '1' ? '2' : '1') + text.slice(place + 1))
    assert.ok(isSecret(changed))
    assert.equal(pages.keyOf(changed, AT), undefined, `character ${place}`)
  }
  const of = (own: string): string => pages.create(ORGANIZATION, { session: own, endsAt: AT + 60_000 }, AT).secret
  const swapped = of(other).slice(0, -50) + text.slice(-43)
  assert.equal(pages.keyOf(withChecksum(swapped), AT), undefined)
  const forged = createHmac('sha256', '').update(text.slice(0, -43)).digest('hex').slice(0, 43)
  assert.equal(pages.keyOf(withChecksum(text.slice(0, -43) + forged), AT), undefined)
  assert.equal(pages.keyOf(mintSecret('customer'), AT), undefined)
})

test('what has expired is let go, when another one is used', async () => {
  const session = newSession()
  const { accounts, pages, ended } = newProcess(randomBytes(32), [session])
  const use = (at: number): string | undefined =>
    pages.keyOf(pages.create(ORGANIZATION, { session, endsAt: AT + 86_400_000 }, at).secret, at)?.id
  const ids: (string | undefined)[] = []
  for (let n = 0; n < 12; n++) {
    ids.push(use(AT + n * 900_000))
    await Promise.resolve()
  }
  assert.deepEqual(
    ended.map(({ id }) => id),
    ids.slice(0, -LIMITS.liveKeysMax),
  )
  // The gate does that.
  for (const { id } of ended) accounts.remove(id)
  assert.ok(ids.slice(-LIMITS.liveKeysMax).every((id) => accounts.keyOf(id!) !== undefined))
})

test('an organization that is not there has no keys', () => {
  const session = newSession()
  const { pages } = newProcess(randomBytes(32), [session])
  const made = pages.create(mintId('org'), { session, endsAt: AT + 60_000 }, AT)
  assert.equal(pages.keyOf(made.secret, AT), undefined)
})

test('a session has so many valid keys of an organization, however many it asks for', () => {
  const session = newSession()
  const { pages } = newProcess(randomBytes(32), [session])
  const made = new Map<string, number>()
  for (let at = AT; at < AT + 86_400_000; at += 60_000) {
    const { secret, expiresAt } = pages.create(ORGANIZATION, { session, endsAt: AT + 86_400_000 }, at)
    made.set(secret, expiresAt)
    const leftMs = expiresAt - at
    assert.ok((leftMs > 2_700_000 || expiresAt === AT + 86_400_000) && leftMs <= 3_600_000)
    assert.ok([...made.values()].filter((endsAt) => endsAt > at).length <= LIMITS.liveKeysMax)
  }
})
