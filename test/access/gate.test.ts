import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Accounts } from '../../src/access/accounts.ts'
import { type Caller, Gate } from '../../src/access/gate.ts'
import { hashOf, type KeyKind, type KeyRecord, mintSecret } from '../../src/access/key.ts'
import { type Ledger, UNLIMITED } from '../../src/access/ledger.ts'
import type { Entitlement } from '../../src/access/organization.ts'
import { BUILT_IN_PLANS, NEW_PLAN, type Plan } from '../../src/access/plan.ts'
import { Registry } from '../../src/access/registry.ts'
import { type Channel, type Scope, UNRESTRICTED } from '../../src/access/scope.ts'
import { hasBookmaker, isEmptySet } from '../../src/domain/audience.ts'
import type { Bookmaker, CoverageStatus } from '../../src/domain/coverage.ts'
import { isRefusal, type Refusal } from '../../src/domain/refusal.ts'
import { TRANSPORTS } from '../../src/domain/transport.ts'

const AT = Date.UTC(2026, 10, 20, 12)

const open: Ledger = { admit: () => UNLIMITED, close: async () => {} }

interface KeyFields {
  readonly kind?: KeyKind
  readonly scope?: Partial<Scope>
  readonly expiresAt?: number | null
  readonly revokedAt?: number | null
}

/** A gate in memory, whose accounts a test changes by hand. */
class Site {
  readonly gate: Gate
  readonly registry = new Registry((slug) => slug.charCodeAt(0) - 96)
  private readonly keys: KeyRecord[] = []

  constructor(plan: Plan = NEW_PLAN, entitlement: Entitlement = '*', credentialsMax = 1_000) {
    this.gate = new Gate({ accounts: new Accounts(), registry: this.registry, ledger: open, credentialsMax })
    this.apply({ plans: [plan], organizations: [{ id: 'org_1', name: 'acme', plan: plan.name, entitlement }] })
  }

  apply(changes: Partial<Parameters<Gate['apply']>[0]>): void {
    const none = { auditId: 1, plans: [], organizations: [], keys: [], keysDeleted: [], bookmakers: null }
    this.gate.apply({ ...none, ...changes })
  }

  key({ kind = 'customer', scope = {}, expiresAt = null, revokedAt = null }: KeyFields = {}): string {
    const secret = mintSecret(kind)
    const id = `key_${this.keys.length}`
    const record = {
      id,
      hash: hashOf(secret),
      kind,
      organization: 'org_1',
      createdAt: AT,
      expiresAt,
      revokedAt,
      name: '',
      createdBy: 'command',
      lastUsedAt: null,
    }
    this.keys.push({ ...record, scope: { ...UNRESTRICTED, ...scope } })
    this.apply({ keys: [this.keys.at(-1)!] })
    return secret
  }

  revoke(): void {
    this.apply({ keys: [{ ...this.keys.at(-1)!, revokedAt: AT }] })
  }
}

const code = (value: Caller | Refusal | undefined): string =>
  value === undefined ? 'permitted' : isRefusal(value) ? value.refused : value.keyId

test('one header of either kind is enough, Bearer in any case; both may stand when they agree', () => {
  const site = new Site()
  const secret = site.key()
  const forms: [string | undefined, string | undefined][] = [
    [`Bearer ${secret}`, undefined],
    [`bearer ${secret}`, undefined],
    [`BEARER  ${secret}`, ''],
    [undefined, secret],
    ['', secret],
    [`Bearer ${secret}`, secret],
  ]
  // Twice: the second time from memory.
  for (const [authorization, apiKey] of [...forms, ...forms]) {
    assert.equal(code(site.gate.identify(authorization, apiKey, AT)), 'key_0', `${authorization} | ${apiKey}`)
  }
})

test('no credential is missing_api_key; a malformed one, or two that disagree, is invalid_api_key', () => {
  const site = new Site()
  const other = site.key()
  const secret = site.key()
  assert.equal(code(site.gate.identify(undefined, undefined, AT)), 'missing_api_key')
  assert.equal(code(site.gate.identify('', '', AT)), 'missing_api_key')
  const wrong: [string | undefined, string | undefined][] = [
    [secret, undefined],
    [`Basic ${secret}`, undefined],
    ['Bearer', undefined],
    [`Bearer ${secret} ${secret}`, undefined],
    [`Bearer ${secret},`, undefined],
    [undefined, `Bearer ${secret}`],
    [undefined, `${secret} `],
    [undefined, secret.slice(0, -1)],
    [`Bearer ${secret}`, other],
    [`Bearer ${secret}`, 'x'],
    ['Basic x', secret],
    [`Bearer ${mintSecret('customer')}`, undefined],
    [undefined, 'x'.repeat(10_000)],
  ]
  site.gate.identify(`Bearer ${secret}`, undefined, AT)
  site.gate.identify(undefined, secret, AT)
  for (const [authorization, apiKey] of wrong) {
    const refusal = site.gate.identify(authorization, apiKey, AT)
    assert.equal(code(refusal), 'invalid_api_key', `${authorization} | ${apiKey}`)
    assert.ok(!JSON.stringify(refusal).includes(secret.slice(10, 30)), 'a refusal repeats nothing of a secret')
  }
})

test('expiry is checked at every request, to the millisecond', () => {
  const site = new Site()
  const secret = site.key({ expiresAt: AT + 1_000 })
  for (let round = 0; round < 2; round++) {
    assert.equal(code(site.gate.identify(undefined, secret, AT + 999)), 'key_0')
    assert.equal(code(site.gate.identify(undefined, secret, AT + 1_000)), 'invalid_api_key')
    assert.equal(code(site.gate.callerOf('key_0', AT + 999)), 'key_0')
    assert.equal(code(site.gate.callerOf('key_0', AT + 1_000)), 'invalid_api_key')
  }
})

test('a revocation and a deletion hold at once, and listeners are notified', () => {
  const site = new Site()
  const secret = site.key()
  const told: string[] = []
  site.gate.onChange(() => told.push(code(site.gate.callerOf('key_0', AT))))
  assert.equal(code(site.gate.identify(undefined, secret, AT)), 'key_0')
  site.revoke()
  assert.equal(code(site.gate.identify(undefined, secret, AT)), 'invalid_api_key')
  site.apply({ keysDeleted: ['key_0'] })
  assert.equal(code(site.gate.identify(undefined, secret, AT)), 'invalid_api_key')
  assert.deepEqual(told, ['invalid_api_key', 'invalid_api_key'])
})

test('a caller has the plan, entitlement and coverage of the moment', () => {
  const site = new Site()
  const secret = site.key()
  const caller = (): Caller => site.gate.identify(undefined, secret, AT) as Caller
  assert.equal(caller(), caller(), 'the same object while nothing changes')
  const before = caller().audience
  assert.ok(before.sets.every(isEmptySet))
  const coverage = [{ sport: '*', status: 'verified_rest_only', restAvailable: true, liveAvailable: true } as const]
  const a: Bookmaker = {
    slug: 'a',
    displayName: 'A',
    region: '',
    countries: [],
    sourceMode: 'direct',
    customerNote: '',
    coverage: coverage.map((row) => ({ ...row, lastVerifiedAt: null })),
  }
  site.apply({ bookmakers: [a] })
  assert.notEqual(caller().audience, before)
  assert.equal(site.gate.audienceCount, 2)
  site.apply({ plans: [{ ...NEW_PLAN, liveEnabled: true }] })
  assert.equal(caller().organization.plan.liveEnabled, true)
  site.apply({ organizations: [{ id: 'org_1', name: 'acme', plan: NEW_PLAN.name, entitlement: [] }] })
  assert.equal(caller().audience, before)
})

test('the memory of credentials is bounded', () => {
  const site = new Site(NEW_PLAN, '*', 2)
  const secrets = Array.from({ length: 5 }, () => site.key())
  for (let round = 0; round < 2; round++) {
    for (const [n, secret] of secrets.entries()) {
      assert.equal(code(site.gate.identify(`Bearer ${secret}`, undefined, AT)), `key_${n}`)
    }
  }
})

test('plan × channels × kind × transport: what is permitted, and the order of refusals', () => {
  const scopes: (readonly Channel[] | null)[] = [null, ['rest'], ['live'], ['rest', 'live'], ['history']]
  for (const plan of BUILT_IN_PLANS) {
    for (const kind of ['customer', 'feed'] as const) {
      for (const channels of scopes) {
        const site = new Site(plan)
        const caller = site.gate.identify(undefined, site.key({ kind, scope: { channels } }), AT) as Caller
        for (const transport of TRANSPORTS) {
          const expected =
            transport === 'live' && plan.name === 'starter'
              ? 'live_not_enabled'
              : kind === 'feed' || (channels !== null && !channels.includes(transport))
                ? 'api_key_scope_denied'
                : 'permitted'
          const at = `${plan.name} ${kind} ${channels} ${transport}`
          assert.equal(code(site.gate.permit(caller, { transport })), expected, at)
        }
      }
    }
  }
})

test('a sport or a bookmaker outside the scope is denied by name; what is not asked for is not', () => {
  const site = new Site()
  const scope = { bookmakers: ['a', 'b'], sports: ['tennis', 'golf'] } as const
  const caller = site.gate.identify(undefined, site.key({ scope }), AT) as Caller
  const rest = { transport: 'rest' } as const
  assert.equal(site.gate.permit(caller, rest), undefined)
  assert.equal(site.gate.permit(caller, { ...rest, sport: 'golf', bookmakers: ['b', 'a'] }), undefined)
  const sport = site.gate.permit(caller, { ...rest, sport: 'football', bookmakers: ['c'] })
  assert.equal(sport?.refused, 'api_key_scope_denied')
  assert.equal(sport?.field, 'sport')
  assert.match(sport!.message, /football.*tennis, golf/)
  const bookmaker = site.gate.permit(caller, { ...rest, bookmakers: ['a', 'c'] })
  assert.equal(bookmaker?.refused, 'api_key_scope_denied')
  assert.equal(bookmaker?.field, 'bookmaker')
})

test('a feed key has an empty audience', () => {
  const site = new Site()
  const caller = site.gate.identify(undefined, site.key({ kind: 'feed', scope: { bookmakers: ['a'] } }), AT) as Caller
  assert.equal(caller.kind, 'feed')
  assert.deepEqual(caller.scope.bookmakers, ['a'])
  assert.ok(caller.audience.sets.every(isEmptySet))
})

test('while all requests are refused, so are those without limits', () => {
  const site = new Site()
  const caller = site.gate.identify(undefined, site.key(), AT) as Caller
  site.gate.refuseAll('the store cannot be read')
  const admission = site.gate.admit(caller, 'rest', AT)
  assert.ok(!(admission instanceof Promise))
  assert.equal(admission.refusal?.refused, 'service_unavailable')
  site.gate.refuseAll(undefined)
  assert.equal(site.gate.admit(caller, 'rest', AT), UNLIMITED)
})

const bookmakerOf = (slug: string, status: CoverageStatus): Bookmaker => ({
  slug,
  displayName: slug,
  region: '',
  countries: [],
  sourceMode: 'direct',
  customerNote: '',
  coverage: [{ sport: '*', status, restAvailable: true, liveAvailable: false, lastVerifiedAt: null }],
})

test('the internal key sees every bookmaker on both channels, counts nowhere, and grows with the registry', () => {
  const counted: string[] = []
  const registry = new Registry((slug) => slug.charCodeAt(0) - 96)
  const ledger: Ledger = {
    admit: ({ id }) => {
      counted.push(id)
      return UNLIMITED
    },
    close: async () => {},
  }
  const gate = new Gate({ accounts: new Accounts(), registry, ledger, credentialsMax: 10 })
  const none = { auditId: 1, plans: [], organizations: [], keys: [], keysDeleted: [] }
  const internal = (): Caller => {
    const caller = gate.identify(`Bearer ${gate.internalKey()}`, undefined, AT)
    assert.ok(!isRefusal(caller))
    assert.deepEqual(gate.callerOf(caller.keyId, AT), caller)
    return caller
  }
  assert.ok(internal().audience.sets.every(isEmptySet))
  gate.apply({ ...none, bookmakers: [bookmakerOf('a', 'source_limited'), bookmakerOf('b', 'verified_rest_only')] })
  const sees = (slug: string): boolean[] =>
    internal().audience.sets.map((set) => hasBookmaker(set, slug.charCodeAt(0) - 96))
  assert.ok([...sees('a'), ...sees('b')].every(Boolean))
  assert.ok(!sees('c').some(Boolean))
  gate.apply({ ...none, bookmakers: ['a', 'b', 'c'].map((slug) => bookmakerOf(slug, 'disabled_until_review')) })
  assert.ok(sees('c').every(Boolean))
  assert.equal(gate.permit(internal(), { transport: 'live', sport: 'golf', bookmakers: ['a'] }), undefined)
  assert.equal(gate.admit(internal(), 'rest', AT), UNLIMITED)
  assert.deepEqual(counted, [], 'no ledger has counted it')
})

test('the internal key is another for every gate, and nothing but itself leads to it', () => {
  const [first, second] = [new Site(), new Site()]
  const secret = first.key()
  assert.notEqual(first.gate.internalKey(), second.gate.internalKey())
  assert.equal(code(second.gate.identify(undefined, first.gate.internalKey(), AT)), 'invalid_api_key')
  assert.equal(code(first.gate.identify(undefined, secret, AT)), 'key_0')
  assert.equal(code(first.gate.identify(undefined, first.gate.internalKey().slice(0, -1), AT)), 'invalid_api_key')
  assert.equal(code(first.gate.identify(undefined, 'internal', AT)), 'invalid_api_key')
})
