// The portal's interface as pages see it, for tests of the browser side alone: fixed data, keys in memory.

import type { BrowserContext, Route } from 'playwright-core'

const HOUR_MS = 3_600_000
const START_AT = Date.UTC(2026, 10, 20, 12)

const at = (hours: number): string => new Date(START_AT + hours * HOUR_MS).toISOString()

/** A name that tries to look like another one. */
export const HOSTILE_NAME = '<img src=x onerror=alert(1)>\u202egnirts\u200b'

const buckets = (count: number, hours: number) =>
  Array.from({ length: count }, (_, place) => ({
    start: at((place - count) * hours),
    requests: Math.round(420 + 380 * Math.sin(place / 3.1) + 13 * (place % 5)) * hours,
    refused: (place * 7) % 11 === 0 ? 24 * hours : 2,
  }))

const key = (id: string, name: string, more: object = {}) => ({
  id,
  name,
  kind: 'customer',
  status: 'active',
  scope: { channels: null, bookmakers: null, sports: null },
  createdAt: at(-600),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: at(-1),
  createdBy: 'anna@example.com',
  ...more,
})

const STEPS = [
  ['coverage', true, 'aldermoor is verified for football on rest and live.'],
  ['entitlement', true, 'Your organization may see aldermoor.'],
  ['scope', true, 'The key is not restricted to other bookmakers or sports.'],
  ['plan', true, 'The plan has the live channel.'],
  ['status', false, 'The quote is suspended since 19:03:11 UTC, cause: book. REST shows open quotes only.'],
] as const

interface Call {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly csrf: string
}

/** Serves /portal/api/ in a context of a browser. */
export class FakePortal {
  readonly calls: Call[] = []
  isLoggedIn = true
  role = 'operator'
  /** What `live-key` gives. */
  private readonly liveKey: string
  private keys = [
    key('k_4f9a21', 'Production', { scope: { channels: ['rest', 'live'], bookmakers: null, sports: null } }),
    key('k_77b0c3', 'Trading desk', {
      expiresAt: at(2_000),
      scope: { channels: ['live'], bookmakers: null, sports: ['football', 'tennis'] },
    }),
    key('k_0c41de', HOSTILE_NAME, { lastUsedAt: null, createdBy: null }),
    key('k_91aa02', 'Old importer', { status: 'revoked', revokedAt: at(-90), lastUsedAt: at(-100) }),
  ]

  constructor(liveKey: string) {
    this.liveKey = liveKey
  }

  async serve(context: BrowserContext): Promise<void> {
    await context.route('**/portal/api/**', (route) => this.answer(route))
  }

  private async answer(route: Route): Promise<void> {
    const request = route.request()
    const path = new URL(request.url()).pathname.split('/portal/api/')[1]!
    const body = (request.postDataJSON() ?? {}) as Call['body']
    this.calls.push({ method: request.method(), path, body, csrf: request.headers()['x-csrf-token'] ?? '' })
    const [status, answer] = this.reply(request.method(), path, body)
    await route.fulfill({ status, ...(answer === undefined ? {} : { json: answer }) })
  }

  private reply(method: string, path: string, body: Call['body']): [status: number, answer?: unknown] {
    if (path === 'status') return [200, STATUS]
    if (path === 'session' && method === 'POST') {
      if (body['password'] !== 'a sentence only we know') {
        return [401, { error: { code: 'invalid_login', message: 'E-mail address or password is wrong.' } }]
      }
      this.isLoggedIn = true
    }
    if (!this.isLoggedIn) return [401, { error: { code: 'not_logged_in', message: 'Log in first.' } }]
    if (path === 'session') {
      if (method === 'DELETE') {
        this.isLoggedIn = false
        return [204]
      }
      const organization = { id: 'o_1', name: 'Harbour Desk' }
      return [
        200,
        { user: { email: 'anna@example.com', role: this.role, organization }, csrf: 'c5rf', expiresAt: at(12) },
      ]
    }
    if (method === 'POST' && path === 'keys') {
      const made = key('k_new001', String(body['name']), { lastUsedAt: null })
      this.keys = [made, ...this.keys]
      return [201, { key: made, secret: 'odds_live_7Jq2fakefakefakefakefakefake' }]
    }
    if (method === 'DELETE' && path.startsWith('keys/')) {
      this.keys = this.keys.map((row) => (`keys/${row.id}` === path ? { ...row, status: 'revoked' } : row))
      return [204]
    }
    if (method === 'POST' && path.startsWith('keys/')) {
      return [201, { key: this.keys[0], secret: 'odds_live_7Jq2fakefakefakefakefakefake' }]
    }
    if (path === 'live-key') return [201, { secret: this.liveKey, expiresAt: '2099-01-01T00:00:00Z' }]
    if (path === 'keys') return [200, { data: this.keys }]
    const known = DATA[path]
    return known === undefined ? [404, { error: { code: 'not_found', message: 'No such path.' } }] : [200, known]
  }
}

const STATUS = {
  at: at(0),
  bookmakers: [
    ['aldermoor', 'Aldermoor', 'live', 240],
    ['cote_verveine', 'Côte Verveine', 'late', 12_400],
    ['emberquote', 'Emberquote', 'live', 90],
    ['holdfeny', 'Holdfény Tipp', 'down', null],
    ['kadakas', 'Kadakas', 'live', 410],
  ].map(([slug, displayName, state, delayMs]) => ({ slug, displayName, state, delayMs })),
}

const DATA: Readonly<Record<string, unknown>> = {
  organization: {
    id: 'o_1',
    name: 'Harbour Desk',
    plan: { name: 'pro', hourlyLimit: 10_000, monthlyQuota: 1_000_000, liveEnabled: true },
    bookmakers: ['aldermoor', 'birkenquote', 'emberquote', 'kadakas', 'northlight', 'ostrel'],
    sports: ['football', 'tennis', 'basketball', 'ice_hockey'],
    channels: ['rest', 'live'],
  },
  usage: {
    hours: buckets(48, 1),
    days: buckets(30, 24),
    quota: {
      hour: { limit: 10_000, used: 612, resetAt: at(1) },
      month: { limit: 1_000_000, used: 934_180, resetAt: at(250) },
    },
    refusedBy: { rate_limit_exceeded: 214, validation_failed: 61, api_key_scope_denied: 9 },
  },
  sessions: {
    data: [
      {
        id: 's-8f2',
        carrier: 'websocket',
        keyId: 'k_77b0c3',
        since: at(-3),
        subscriptions: 4,
        queuedBytes: 0,
        behindMs: 2,
      },
      {
        id: 's-901',
        carrier: 'tcp',
        keyId: 'k_4f9a21',
        since: at(-30),
        subscriptions: 1,
        queuedBytes: 731_000,
        behindMs: 1_840,
      },
    ],
  },
  refusals: {
    data: [
      {
        at: at(-0.1),
        keyId: 'k_4f9a21',
        method: 'get',
        path: '/api/v1/events?sport=soccer',
        code: 'validation_failed',
        message: 'sport must be one of football, tennis, …',
      },
      {
        at: at(-0.2),
        keyId: null,
        method: 'get',
        path: '/api/v1/bookmakers',
        code: 'missing_api_key',
        message: 'The request carries no API key.',
      },
    ],
  },
  explain: { steps: STEPS.map(([rule, passed, detail]) => ({ rule, passed, detail })), hiddenBy: 'status' },
  audit: {
    data: [{ at: at(-2), by: 'anna@example.com', what: 'key created', subject: 'k_4f9a21', detail: 'Production' }],
  },
  'operator/health': {
    ...{ version: '0.1.0', revision: '0123456789abcdef', uptimeSeconds: 93_000, ready: true, reasons: [] },
    eventLoop: { p50Ms: 0.4, p99Ms: 3.1, maxMs: 21.5 },
    memory: { residentBytes: 730_000_000, heapUsedBytes: 210_000_000 },
    store: { isUp: true, isWritable: true, restarts: 0 },
    log: {
      ...{ position: 81_230, unwrittenTurns: 0, trouble: null, diskBytes: 4_100_000_000, freeBytes: 53_000_000_000 },
      turnsSinceCheckpoint: 1_204,
    },
    board: { quotesMax: 1_000_000, events: 97, held: { quotes: 0.41, events: 0.02 } },
    live: { sessions: 12, behind: 1, subscriptions: 40, degraded: 0 },
  },
  'operator/sources': {
    data: [
      {
        name: 'kambi-nordics',
        kind: 'kambi',
        state: 'live',
        pricesPerSecond: 312.4,
        behindMs: 240,
        lastError: '',
        credits: null,
      },
      {
        name: 'the-odds-api',
        kind: 'the-odds-api',
        state: 'late',
        pricesPerSecond: 0.8,
        behindMs: 12_400,
        lastError: '429 from api.example',
        credits: 1_840,
      },
    ],
  },
  'operator/verifications': { data: [{ bookmaker: 'aldermoor', at: at(-5), result: 'passed', prices: 812 }] },
  'operator/conflicts': {
    data: [
      {
        id: 'c1',
        sport: 'football',
        kickoffAt: at(8),
        a: 'Harbour Town v Millbrook Utd',
        b: 'Harbour Town FC v Millbrook',
      },
    ],
  },
  'operator/sessions': {
    data: [{ id: 's-8f2', organization: 'Harbour Desk', carrier: 'websocket', queuedBytes: 0, behindMs: 2 }],
  },
}
