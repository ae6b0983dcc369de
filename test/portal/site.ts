// A portal with its store, in this process and with a clock of the test's, and browsers that use it.

import assert from 'node:assert/strict'
import { Access } from '../../src/access/access.ts'
import { confirm } from '../../src/access/confirm.ts'
import { isFault } from '../../src/access/fault.ts'
import { Store } from '../../src/access/store.ts'
import { hashOfToken, LINK_MS, newToken } from '../../src/access/token.ts'
import type { Role } from '../../src/access/user-records.ts'
import type { Bookmaker } from '../../src/domain/coverage.ts'
import type { EventConflict } from '../../src/domain/event-identity.ts'
import { LIMITS } from '../../src/limits.ts'
import type { Explain } from '../../src/portal/explain-page.ts'
import { Portal } from '../../src/portal/portal.ts'
import type { PortalReply, PortalRequest } from '../../src/portal/portal-request.ts'
import { newFolder } from '../access/folder.ts'
import type { Json } from '../json.ts'

export const AT = Date.UTC(2026, 10, 20, 12, 30)

type Limits = Partial<Record<keyof typeof LIMITS, number>>

export const PASSWORD = 'correct horse battery'

const bookmaker = (slug: string): Bookmaker => ({
  ...{ slug, displayName: slug.toUpperCase(), region: 'Europe', countries: ['MT'], sourceMode: 'direct' },
  customerNote: '',
  coverage: [
    { sport: '*', status: 'verified_rest_live', restAvailable: true, liveAvailable: true, lastVerifiedAt: null },
  ],
})

export interface Told {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Json
  readonly text: string
}

const told = ({ status, headers, body }: PortalReply): Told => ({
  status,
  headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
  body: body === undefined ? {} : JSON.parse(body),
  text: body ?? '',
})

/** The code of a refusal, with its field. */
export const refusalOf = ({ status, body: { error } }: Told): string =>
  [status, error?.code, ...(error?.field === undefined ? [] : [error.field])].join(' ')

/** One browser: it keeps the cookie and the token against requests of other pages. */
export class Browser {
  cookie = ''
  csrf: string | undefined
  address = '192.0.2.1'
  private readonly site: Site

  constructor(site: Site) {
    this.site = site
  }

  async send(method: string, path: string, body?: unknown, more: Partial<PortalRequest> = {}): Promise<Told> {
    const url = new URL(path, 'http://portal/')
    const answer = told(
      await this.site.portal.answer({
        method,
        path: url.pathname.slice(1),
        query: url.searchParams,
        cookies: this.cookie,
        origin: undefined,
        site: undefined,
        csrf: this.csrf,
        contentType: body === undefined ? undefined : 'application/json',
        host: 'localhost:8080',
        address: this.address,
        body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
        ...more,
      }),
    )
    const set = answer.headers.get('set-cookie')
    if (set !== undefined) this.cookie = set.split(';', 1)[0]!
    if (typeof answer.body.csrf === 'string') this.csrf = answer.body.csrf
    return answer
  }

  get(path: string): Promise<Told> {
    return this.send('get', path)
  }

  post(path: string, body?: unknown): Promise<Told> {
    return this.send('post', path, body)
  }

  logIn(email: string, password = PASSWORD): Promise<Told> {
    return this.post('session', { email, password })
  }
}

export class Site {
  at = AT
  readonly dataDir = newFolder()
  readonly store: Store
  conflicts: EventConflict[] = []
  explain: Explain = () => ({ candidates: [], isCut: false })
  access!: Access
  portal!: Portal

  private constructor() {
    const store = Store.open(this.dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
    assert(!isFault(store))
    this.store = store
  }

  static async open(limits: Limits = {}, publicUrl = 'http://localhost:8080'): Promise<Site> {
    const site = new Site()
    await site.start(limits, publicUrl)
    return site
  }

  /** Opens the store as a server does. */
  async start(limits: Limits = {}, publicUrl = 'http://localhost:8080'): Promise<void> {
    // Passwords are checked by the dozen here, and passwords.test.ts has the cost that they have.
    const all = { ...LIMITS, passwordN: 1_024, ...limits } as typeof LIMITS
    const numbers = new Map<string, number>()
    const access = await Access.open({
      dataDir: this.dataDir,
      numberOf: (slug) => {
        if (!numbers.has(slug)) numbers.set(slug, numbers.size + 1)
        return numbers.get(slug)!
      },
      now: () => this.at,
      limits: all,
    })
    assert(!isFault(access))
    this.access = access
    this.portal = new Portal({
      access,
      operator: {
        ask: (path) => ({ path }),
        conflicts: () => this.conflicts,
        health: () => ({ ready: true }),
        viewSessions: () => [],
      },
      explain: (fields, reading) => this.explain(fields, reading),
      status: () => [{ slug: 'a', displayName: 'A', state: 'live', delayMs: 1 }],
      publicUrl,
      hasPublicUrl: publicUrl !== 'http://localhost:8080',
      isTls: false,
      limits: all,
      now: () => this.at,
      onFault: (error) => {
        throw error
      },
    })
    assert.equal(await access.importCoverage(['a', 'b', 'c'].map(bookmaker)), undefined)
  }

  /** The id of an organization, created where it is missing. */
  async organization(name: string, plan = 'pro'): Promise<string> {
    const found = this.store.accounts.organizations().find((each) => each.name === name)
    if (found !== undefined) return found.id
    const created = this.store.accounts.createOrganization({ name, plan, entitlement: ['a', 'b'] }, this.at)
    assert(!isFault(created))
    await this.confirmed(created.auditId)
    return created.id
  }

  /** A link of a user, who is created where there is none. */
  async link(email: string, role: Role = 'owner', organization = 'acme'): Promise<string> {
    const id = await this.organization(organization)
    if (this.store.users.userOf(email) === undefined) {
      assert(!isFault(this.store.users.create({ email, role, organization: id }, this.at)))
    }
    const token = newToken()
    const hash = hashOfToken(token)
    const put = this.store.users.putLink(email, { hash, needsPassword: true, expiresAt: this.at + LINK_MS }, this.at)
    assert(!isFault(put))
    await this.confirmed(put.auditId)
    return token
  }

  /** A browser in which a user is logged in. */
  async loggedIn(email: string, role: Role = 'owner', organization = 'acme'): Promise<Browser> {
    const browser = new Browser(this)
    const token = await this.link(email, role, organization)
    assert.equal((await browser.post('link', { token, password: PASSWORD })).status, 200)
    return browser
  }

  /** Waits as a command does. */
  async confirmed(auditId: number): Promise<void> {
    let ms = 0
    assert.equal(await confirm(this.store, this.dataDir, auditId, 100_000, () => ms++), undefined)
  }

  async close(): Promise<void> {
    await this.access.close()
    this.store.close()
  }
}
