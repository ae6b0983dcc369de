// Gate: identifies the caller (docs/architecture.md 7.2), and checks the limits (7.6) and what the key allows. REST and
// live sessions use the same gate.

import type { Audience } from '../domain/audience.ts'
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts'
import type { Transport } from '../domain/transport.ts'
import type { Accounts, Changes } from './accounts.ts'
import { Audiences } from './audiences.ts'
import { hashOf, isSecret, type KeyKind, type KeyRecord, mintSecret } from './key.ts'
import { type Admission, type Ledger, NO_LIMIT, type Prospect, UNLIMITED, unavailable } from './ledger.ts'
import type { Organization } from './organization.ts'
import type { Registry } from './registry.ts'
import { type Asked, checkScope, type Scope, UNRESTRICTED } from './scope.ts'
import type { PageKeys } from './page-keys.ts'
import type { KeyUse } from './traffic.ts'

/** A valid key, and all that follows from it. Replaced, never changed: hold its `keyId`, not the caller. */
export interface Caller {
  readonly keyId: string
  readonly kind: KeyKind
  readonly organization: Organization
  readonly scope: Scope
  readonly audience: Audience
  /** Epoch ms; Infinity for a key without expiry. */
  readonly expiresAt: number
  /** The same object for all callers of the key. */
  readonly use: KeyUse
}

/** A key as the gate sees it, valid or not. */
export interface Examined {
  /** What it may see now, or could see if it were valid. */
  readonly caller: Caller
  readonly key: KeyRecord
  /** Why it is not valid; undefined: it is. */
  readonly refusal: Refusal | undefined
}

/** Gets the organizations whose rights may have changed, by id; `all`: coverage has changed. */
export type OnRightsChange = (concerned: ReadonlySet<string> | 'all') => void

export interface GateParts {
  readonly accounts: Accounts
  readonly registry: Registry
  readonly ledger: Ledger
  /** Keys that are in no store; left out: there are none. */
  readonly pages?: PageKeys
  /** Credentials remembered, so that they are hashed once. */
  readonly credentialsMax: number
}

export class Gate {
  private readonly accounts: Accounts
  private readonly registry: Registry
  private readonly ledger: Ledger
  private readonly pages: PageKeys | undefined
  private readonly credentialsMax: number
  private readonly audiences: Audiences
  // Raw header values, by header: a value that is valid in one is malformed in the other.
  private readonly byAuthorization = new Map<string, Caller>()
  private readonly byApiKey = new Map<string, Caller>()
  private readonly callers = new Map<string, Caller>()
  private readonly listeners = new Set<OnRightsChange>()
  private readonly onUseListeners = new Set<(caller: Caller) => void>()
  private readonly internalSecret = mintSecret('customer')
  private readonly internalHash = hashOf(this.internalSecret)
  private internal: Caller | undefined
  /** By key, since the start. */
  private readonly usesByKey = new Map<string, KeyUse>()
  private shut: Admission | undefined
  private isLost = false

  constructor(parts: GateParts) {
    this.accounts = parts.accounts
    this.registry = parts.registry
    this.ledger = parts.ledger
    this.pages = parts.pages
    this.credentialsMax = parts.credentialsMax
    this.audiences = new Audiences(parts.registry)
  }

  /** Audiences in use. */
  get audienceCount(): number {
    return this.audiences.count
  }

  /**
   * The caller with these headers (undefined or empty: not sent). `now` is epoch ms; expiry is checked every time.
   * Refuses with `missing_api_key` when there is no credential at all, else with `invalid_api_key`
   * (docs/architecture.md 7.2).
   */
  identify(authorization: string | undefined, apiKey: string | undefined, now: number): Caller | Refusal {
    const caller = authorization
      ? apiKey
        ? undefined
        : this.byAuthorization.get(authorization)
      : apiKey && this.byApiKey.get(apiKey)
    return caller && now < caller.expiresAt ? caller : this.identifyFully(authorization, apiKey, now)
  }

  /**
   * The secret of this process, with which it reads back through REST what it verifies: it sees every registered
   * bookmaker regardless of coverage, counts in no limit, and ends with the process. It is neither stored nor listed; a
   * leak of it gives access to everything.
   */
  internalKey(): string {
    return this.internalSecret
  }

  /** The current caller of a key: what a session asks for after {@link onChange}, and when its key may have expired. */
  callerOf(keyId: string, now: number): Caller | Refusal {
    if (keyId === INTERNAL_ID) return this.internalCaller()
    const key = this.accounts.keyOf(keyId)
    return key === undefined ? UNKNOWN : this.callerOfKey(key, now)
  }

  /**
   * Counts one request against the limits of the caller's organization. Limits only; {@link permit} checks the rights.
   * An admission that is not a promise is valid until the organization's next one.
   */
  admit(caller: Caller, transport: Transport, now: number): Admission | Promise<Admission> {
    if (this.shut !== undefined) return this.shut
    if (caller.keyId === INTERNAL_ID) return UNLIMITED
    const { use } = caller
    use.at = now
    use.requests += 1
    const admission = this.ledger.admit(caller.organization, transport, now)
    // Rights may have become unknown meanwhile.
    return admission instanceof Promise ? admission.then((later) => this.shut ?? later) : admission
  }

  /**
   * Refuses what plan and key do not allow (docs/architecture.md 7.1, 7.4): `live_not_enabled`, then
   * `api_key_scope_denied`.
   */
  permit(caller: Caller, asked: Asked): Refusal | undefined {
    if (asked.transport === 'live' && !caller.organization.plan.liveEnabled) return LIVE_NOT_ENABLED
    if (caller.kind === 'feed') return FEED_KEY
    return checkScope(caller.scope, asked)
  }

  /**
   * A key by its id, its secret, or the SHA-256 of the secret in hexadecimal; asking does not count as a use.
   * @returns a refusal: there is no such key
   */
  examine(named: string, now: number): Examined | Refusal {
    const isMistyped = named.startsWith('odds_') && !isSecret(named)
    if (isMistyped) return NO_SECRET
    const key =
      this.accounts.keyOf(named) ??
      (isSecret(named) ? this.keyOfSecret(named, hashOf(named), now) : this.accounts.keyOfHash(named.toLowerCase()))
    if (key === undefined) return UNKNOWN
    return { key, caller: this.callers.get(key.id) ?? this.newCaller(key), refusal: refusalOf(key, now) }
  }

  /** What {@link admit} would say, without counting a request. */
  prospect(caller: Caller, transport: Transport, now: number): Prospect {
    return this.ledger.prospect?.(caller.organization, transport, now) ?? NO_LIMIT
  }

  /** The use of each key since the start. */
  uses(): Iterable<readonly [keyId: string, use: KeyUse]> {
    return this.usesByKey
  }

  /** Forgets the use of keys that are gone. To be called when it was collected. */
  forgetUses(): string[] {
    const gone = [...this.usesByKey.keys()].filter((id) => this.accounts.keyOf(id) === undefined)
    for (const id of gone) this.usesByKey.delete(id)
    return gone
  }

  /** The key of the credential of a request, valid or not; undefined: there is none, or no such key. */
  keyOf(authorization: string | undefined, apiKey: string | undefined): KeyRecord | undefined {
    const secret = (authorization ? /^bearer +(\S+)$/i.exec(authorization)?.[1] : apiKey) ?? ''
    return isSecret(secret) ? this.accounts.keyOfHash(hashOf(secret)) : undefined
  }

  /** Ends keys that are in no store, also for live sessions. */
  dropUnlisted(keys: readonly KeyRecord[]): void {
    if (keys.length === 0) return
    for (const { id } of keys) this.accounts.remove(id)
    this.forgetCallers()
    const concerned = new Set(keys.map(({ organization }) => organization))
    for (const listener of this.listeners) listener(concerned)
  }

  /** Calls the listener after every change of accounts or registry, before the command that made it returns. */
  onChange(listener: OnRightsChange): void {
    this.listeners.add(listener)
  }

  /** Calls the listener at the first use of a customer's key, and at its first use after every change. */
  onUse(listener: (caller: Caller) => void): void {
    this.onUseListeners.add(listener)
  }

  /** Whether a key is valid; asking does not count as a use. */
  isValid(keyId: string, now: number): boolean {
    const key = this.accounts.keyOf(keyId)
    return key !== undefined && refusalOf(key, now) === undefined
  }

  apply(changes: Changes): void {
    const { plans, plansRemoved = [], organizations, keys, keysDeleted, bookmakers } = changes
    const touched = [plans, plansRemoved, organizations, keys, keysDeleted]
    // A login, say: the rights of nobody have changed.
    if (bookmakers === null && touched.every(({ length }) => length === 0)) return
    const concerned = this.concernedBy(changes)
    this.accounts.apply(changes)
    if (changes.bookmakers !== null) this.registry.replace(changes.bookmakers)
    this.forgetCallers()
    for (const listener of this.listeners) listener(concerned)
  }

  /** Bookmakers of the registry have numbers that had none. */
  renumber(): void {
    this.registry.replace(this.registry.bookmakers)
    this.forgetCallers()
    for (const listener of this.listeners) listener('all')
  }

  private forgetCallers(): void {
    this.byAuthorization.clear()
    this.byApiKey.clear()
    this.callers.clear()
    this.internal = undefined
  }

  private concernedBy({ bookmakers, organizations, keys, keysDeleted }: Changes): ReadonlySet<string> | 'all' {
    if (bookmakers !== null) return 'all'
    const deleted = keysDeleted.flatMap((id) => this.accounts.keyOf(id) ?? [])
    return new Set([...organizations.map(({ id }) => id), ...[...keys, ...deleted].map((key) => key.organization)])
  }

  /** Whether all requests are refused with 503. */
  get refusesAll(): boolean {
    return this.shut !== undefined
  }

  /**
   * Whether all requests are refused because the store of the access rights is lost. Sessions end at once then, because
   * waiting does not help.
   */
  get isStoreLost(): boolean {
    return this.shut !== undefined && this.isLost
  }

  /** Answers every request with 503, for the given reason; undefined ends it. `isLost`: see {@link isStoreLost}. */
  refuseAll(reason: string | undefined, isLost = false): void {
    this.shut = reason === undefined ? undefined : unavailable(reason)
    this.isLost = isLost
  }

  private identifyFully(authorization: string | undefined, apiKey: string | undefined, now: number): Caller | Refusal {
    if (!authorization && !apiKey) return MISSING
    const bearer = authorization ? /^bearer +(\S+)$/i.exec(authorization)?.[1] : undefined
    if (authorization && bearer === undefined) return NO_BEARER
    if (bearer !== undefined && apiKey && bearer !== apiKey) return DISAGREE
    const secret = bearer ?? apiKey!
    if (!isSecret(secret)) return NO_SECRET
    const hash = hashOf(secret)
    const key = this.keyOfSecret(secret, hash, now)
    const isInternal = hash === this.internalHash
    const caller = isInternal ? this.internalCaller() : key === undefined ? UNKNOWN : this.callerOfKey(key, now)
    if (isRefusal(caller)) return caller
    // Only in its usual spelling: variants of one key must not fill the memory.
    if (authorization && authorization.length === BEARER_LENGTH + secret.length) {
      remember(this.byAuthorization, authorization, caller, this.credentialsMax)
    }
    if (apiKey) remember(this.byApiKey, apiKey, caller, this.credentialsMax)
    return caller
  }

  private keyOfSecret(secret: string, hash: string, now: number): KeyRecord | undefined {
    return this.accounts.keyOfHash(hash) ?? this.pages?.keyOf(secret, now)
  }

  private internalCaller(): Caller {
    this.internal ??= {
      keyId: INTERNAL_ID,
      kind: 'customer',
      organization: INTERNAL_ORGANIZATION,
      scope: UNRESTRICTED,
      audience: this.audiences.wholeAudience(),
      expiresAt: Number.POSITIVE_INFINITY,
      use: { organization: INTERNAL_ID, at: 0, requests: 0 },
    }
    return this.internal
  }

  private callerOfKey(key: KeyRecord, now: number): Caller | Refusal {
    const refusal = refusalOf(key, now)
    if (refusal !== undefined) return refusal
    const known = this.callers.get(key.id)
    if (known !== undefined) return known
    const caller = this.newCaller(key)
    this.callers.set(key.id, caller)
    if (key.kind === 'customer') for (const listener of this.onUseListeners) listener(caller)
    return caller
  }

  private newCaller(key: KeyRecord): Caller {
    const organization = this.accounts.organizationOf(key.organization)
    return {
      keyId: key.id,
      kind: key.kind,
      organization,
      scope: key.scope,
      audience: this.audiences.audienceOf(key.kind === 'feed' ? [] : organization.entitlement, key.scope),
      expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY,
      use: this.useOf(key),
    }
  }

  private useOf({ id, organization }: KeyRecord): KeyUse {
    const known = this.usesByKey.get(id)
    if (known !== undefined) return known
    const use = { organization, at: 0, requests: 0 }
    this.usesByKey.set(id, use)
    return use
  }
}

/** Ids of stored keys begin with `key_`, ids of organizations with `org_`: neither is ever one of these. */
const INTERNAL_ID = 'internal'

const INTERNAL_ORGANIZATION: Organization = {
  id: INTERNAL_ID,
  name: INTERNAL_ID,
  plan: {
    name: INTERNAL_ID,
    hourlyLimit: 0,
    monthlyQuota: 0,
    liveEnabled: true,
    historyEnabled: false,
    liveReplayWindowSeconds: 0,
    liveConnectionsMax: 0,
    isPublic: false,
  },
  entitlement: '*',
}

const BEARER_LENGTH = 'Bearer '.length

/** Cleared when full: a rare pause for hashing is cheaper than an order that every request maintains. */
const remember = (callers: Map<string, Caller>, credential: string, caller: Caller, sizeMax: number): void => {
  if (callers.size >= sizeMax) callers.clear()
  callers.set(credential, caller)
}

// Refusals are created once. None repeats any part of what was sent.
const MISSING = refuse(
  'missing_api_key',
  'Send your API key as "Authorization: Bearer API_KEY" or "X-Api-Key: API_KEY"',
)
const NO_BEARER = refuse('invalid_api_key', 'The Authorization header must read "Bearer API_KEY"')
const DISAGREE = refuse('invalid_api_key', 'Authorization and X-Api-Key carry different keys; send one of them')
const NO_SECRET = refuse('invalid_api_key', 'This is not an API key: it is incomplete or mistyped')
/** What {@link Gate.identify} says of a secret that is no key's. */
export const UNKNOWN = refuse('invalid_api_key', 'There is no such API key')
const REVOKED = refuse('invalid_api_key', 'This API key has been revoked')
const EXPIRED = refuse('invalid_api_key', 'This API key has expired')

/** Why a key is invalid. */
const refusalOf = ({ revokedAt, expiresAt }: KeyRecord, now: number): Refusal | undefined => {
  if (revokedAt !== null) return REVOKED
  return expiresAt !== null && now >= expiresAt ? EXPIRED : undefined
}

const LIVE_NOT_ENABLED = refuse('live_not_enabled', 'The plan of your organization does not include transport live')
const FEED_KEY = refuse('api_key_scope_denied', 'This is a feed key: it may only send observations; use a customer key')
