// The only reader of the environment: all settings and their defaults.

import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { isNetwork } from './domain/trusted-proxies.ts'
import { LIMITS } from './limits.ts'

type Kind =
  | 'text'
  | 'port'
  | 'count'
  | 'derived'
  | 'share'
  | 'limit'
  | 'seconds'
  | 'level'
  | 'switch'
  | 'fsync'
  | 'bytes'
  | 'origins'
  | 'networks'

interface SettingRow {
  readonly kind: Kind
  readonly fallback: string
  readonly help: string
}

/** Every setting: its flag is `--` + the name, its variable `ODDSWIRE_` + the name in capitals with `_`. */
export const SETTINGS = {
  host: { kind: 'text', fallback: '127.0.0.1', help: 'address that REST and STOMP listen on' },
  'http-port': {
    kind: 'port',
    fallback: '8080',
    help: 'REST at /api/v1, STOMP over WebSocket at /stomp, portal at / (0: a free one)',
  },
  'stomp-port': { kind: 'port', fallback: '61613', help: 'STOMP over TCP (0: a free one)' },
  'shared-ports': {
    kind: 'switch',
    fallback: 'false',
    help: 'with --redis-url: processes of one machine listen on the same --http-port and --stomp-port (Node 22.12), and the system gives each connection to one of them',
  },
  'admin-port': { kind: 'port', fallback: '9090', help: '/livez, /readyz, /metrics (0: a free one)' },
  'admin-host': { kind: 'text', fallback: '127.0.0.1', help: 'address that the admin port listens on' },
  'admin-hosts': {
    kind: 'text',
    fallback: '',
    help: 'names by which the admin port may be addressed besides localhost and addresses, with commas between',
  },
  'admin-tls': {
    kind: 'switch',
    fallback: 'false',
    help: 'the admin port uses TLS, too, with --tls-cert and --tls-key',
  },
  'data-dir': { kind: 'text', fallback: './data', help: 'data folder, which holds the store; one server per folder' },
  feeds: {
    kind: 'text',
    fallback: '',
    help: 'configuration of sources (default: oddswire.feeds.json, where there is one)',
  },
  'ready-after': {
    kind: 'seconds',
    fallback: '60',
    help: 'longest wait at the start for sources that have not delivered, s (0: none); until then customers get 503',
  },
  'quotes-max': { kind: 'count', fallback: '1000000', help: 'quotes that the board can hold' },
  'events-max': {
    kind: 'derived',
    fallback: '',
    help: 'events that the board can hold, 1 to 7 KB each (default: an eighth of --quotes-max, at least 10000)',
  },
  'labels-max': {
    kind: 'derived',
    fallback: '',
    help: 'distinct outcome labels that the board can hold, up to 1.5 KB each (default: a quarter of --quotes-max, at least 10000)',
  },
  'bookmaker-share': {
    kind: 'share',
    fallback: '0.5',
    help: 'the part of quotes, events and labels that one bookmaker may hold (1: all)',
  },
  'tls-cert': { kind: 'text', fallback: '', help: 'certificate file; with --tls-key, REST and STOMP use TLS' },
  'tls-key': { kind: 'text', fallback: '', help: 'private key file' },
  'public-url': {
    kind: 'text',
    fallback: '',
    help: 'URL by which customers reach the service (default: http://localhost:HTTP_PORT)',
  },
  origins: {
    kind: 'origins',
    fallback: '',
    help: 'origins of pages that may read REST (CORS) and open WebSockets, with commas between, or * (default: REST none, WebSockets all)',
  },
  'trusted-proxies': {
    kind: 'networks',
    fallback: '',
    help: 'addresses of proxies in front of the portal, with commas between, as in 127.0.0.1,10.0.0.0/8: their X-Forwarded-For is believed',
  },
  'connections-max': {
    kind: 'limit',
    fallback: '0',
    help: 'connections of customers (0: what the limit of file descriptors leaves)',
  },
  'unconnected-max': {
    kind: 'count',
    fallback: '1000',
    help: 'live connections that may be open without having sent CONNECT',
  },
  'address-unconnected-max': {
    kind: 'count',
    fallback: '500',
    help: 'of these, from one address (behind a proxy all come from one: set it to --unconnected-max)',
  },
  'warm-up': {
    kind: 'switch',
    fallback: 'true',
    help: 'run once at the start what the first feed, session and turn would have to compile (false: ready 0.1 s sooner, for development)',
  },
  'ws-compression': { kind: 'switch', fallback: 'false', help: 'permessage-deflate: less traffic, more CPU' },
  'error-sessions-max': {
    kind: 'count',
    fallback: String(LIMITS.errorSessionsMax),
    help: 'live sessions of one key that may end with an ERROR within a minute before the key has to wait',
  },
  fsync: {
    kind: 'fsync',
    fallback: 'interval:50ms',
    help: 'when the log is on the disk: always (before a RECEIPT), interval:Nms (a power failure costs N ms at most), off',
  },
  'log-bytes-max': {
    kind: 'bytes',
    fallback: '16g',
    help: 'disk space of the log with its checkpoints; what a restart needs is kept in any case',
  },
  'log-away': {
    kind: 'seconds',
    fallback: '',
    help: 'how long REST answers and sessions last while the log cannot be written, s: prices cannot change then (default: 10, with --redis-url 30)',
  },
  'redis-url': {
    kind: 'text',
    fallback: '',
    help: 'Redis with the log that several processes share: redis://…, rediss://… or redis-sentinel://… (default: none)',
  },
  'redis-prefix': {
    kind: 'text',
    fallback: 'oddswire',
    help: 'what the names of all its keys there begin with: processes with the same one are one service',
  },
  'redis-replicas': {
    kind: 'limit',
    fallback: '0',
    help: 'replicas of Redis that must have a turn before a RECEIPT of this process is sent (WAIT)',
  },
  'redis-log-bytes-max': {
    kind: 'bytes',
    fallback: '512m',
    help: 'memory of the log in Redis; beyond it, turns that all processes have applied are dropped before the next checkpoint',
  },
  'rights-away': {
    kind: 'seconds',
    fallback: '2',
    help: 'with --redis-url: how long requests are answered without a word of Redis, s: a revocation could be missed then',
  },
  'peer-host': {
    kind: 'text',
    fallback: '127.0.0.1',
    help: 'with --redis-url: address on which other processes of the service fetch the state; they know its port by Redis',
  },
  'peer-port': { kind: 'port', fallback: '0', help: 'its port (0: a free one)' },
  'peer-url': {
    kind: 'text',
    fallback: '',
    help: 'URL by which they reach it (default: http://PEER_HOST:PEER_PORT), where --peer-host is 0.0.0.0, for example',
  },
  'log-level': { kind: 'level', fallback: 'info', help: 'trace, debug, info, warn, error, fatal or silent' },
} as const satisfies Record<string, SettingRow>

export type SettingName = keyof typeof SETTINGS

export interface Settings {
  readonly host: string
  readonly httpPort: number
  readonly stompPort: number
  /** Other processes of the service listen on these two, too. */
  readonly sharedPorts: boolean
  readonly adminPort: number
  readonly adminHost: string
  /** Names by which the admin port may be addressed. */
  readonly adminHosts: readonly string[]
  readonly adminTls: boolean
  readonly dataDir: string
  /** Empty: `oddswire.feeds.json` of the working folder, where there is one. */
  readonly feeds: string
  /** The longest that the service waits for its sources before it answers customers. */
  readonly readyAfterMs: number
  readonly quotesMax: number
  readonly eventsMax: number
  readonly labelsMax: number
  /** Above 0, up to 1. */
  readonly bookmakerShare: number
  readonly tlsCert: string
  readonly tlsKey: string
  /** Empty: derived from the port in use. */
  readonly publicUrl: string
  /** Origins of pages that may read REST (empty: none) and open WebSockets (empty: all); `*`: all. */
  readonly origins: readonly string[]
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** 0: what the limit of file descriptors leaves. */
  readonly connectionsMax: number
  readonly unconnectedMax: number
  readonly addressUnconnectedMax: number
  /** Whether what is used first is run once before. */
  readonly warmUp: boolean
  readonly wsCompression: boolean
  /** See the limit of this name. */
  readonly errorSessionsMax: number
  /** When turns of the log are on the disk. */
  readonly fsync: 'always' | 'interval' | 'off'
  /** For `interval`. */
  readonly fsyncEveryMs: number
  readonly logBytesMax: number
  /** How long the service goes on while the log cannot be written. */
  readonly logAwayMs: number
  readonly redisUrl: string
  readonly redisPrefix: string
  readonly redisReplicas: number
  readonly redisLogBytesMax: number
  readonly rightsAwayMs: number
  readonly peerHost: string
  readonly peerPort: number
  readonly peerUrl: string
  readonly logLevel: string
}

/** A setting with an invalid value: which one, and what is allowed. */
export interface SettingFault {
  readonly setting: string
  readonly message: string
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** The largest board: beyond it, use one process per sport (docs/architecture.md 10), not a larger table. */
const QUOTES_MAX_MAX = 100_000_000

/** Longest `ready-after`: a start of more than an hour is a fault to investigate. */
const SECONDS_MAX = 3_600

const FSYNC_INTERVAL = /^interval:([1-9]\d{0,3})ms$/

const bytesOf = (value: string): number =>
  Number(value.slice(0, -1)) * 1_024 ** ('kmgt'.indexOf(value.at(-1)!.toLowerCase()) + 1)

const countFaultOf = (value: string): string | undefined =>
  /^[1-9]\d{0,9}$/.test(value) && Number(value) <= QUOTES_MAX_MAX
    ? undefined
    : `must be a whole number, 1 to ${QUOTES_MAX_MAX}`

/** Schemes of web pages, and those that no page has, are not among them (https://url.spec.whatwg.org/#special-scheme). */
const OWN_SCHEME = /^(?!(?:https?|wss?|ftp|file):)[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:\d{1,5})?$/

/** Whether paths can be appended to it. */
const isBaseUrl = (value: string): boolean => {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return false
  const { username, password, search, hash } = new URL(value)
  return username + password + search + hash === ''
}

/** Why an entry is no origin as a browser sends it (RFC 6454 §6.2); undefined: it is one. */
const originFaultOf = (entry: string, isAlone: boolean): string | undefined => {
  if (entry === '*') return isAlone ? undefined : 'has "*" beside others: * stands alone, for all'
  // A page from a file or in a sandbox sends null; an app's own scheme is no URL that has an origin.
  if (entry === 'null' || OWN_SCHEME.test(entry)) return undefined
  const isWebSocket = /^wss?:\/\//.test(entry)
  const page = isWebSocket ? entry.replace('ws', 'http') : entry // the address of the page, not of what it opens
  const origin = URL.canParse(page) ? new URL(page).origin : 'null'
  if (entry === origin && /^https?:/.test(origin) && !entry.includes('*')) return undefined
  const meant =
    !/^https?:/.test(origin) || origin.includes('*')
      ? 'give scheme, host and port, as in https://app.example.com'
      : `write ${origin}`
  return `has "${entry}", which is no origin: ${meant}`
}

const listOf = (value: string): string[] => (value === '' ? [] : value.split(',').map((text) => text.trim()))

const faultOf = (name: string, row: SettingRow, value: string): string | undefined => {
  switch (row.kind) {
    case 'port':
      return /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? undefined : 'must be a port, 0 to 65535'
    case 'count':
      return countFaultOf(value)
    case 'derived':
      return value === '' ? undefined : countFaultOf(value)
    case 'share':
      return /^(0?\.\d{1,6}|1(\.0{1,6})?)$/.test(value) && Number(value) > 0
        ? undefined
        : 'must be a part of the whole, above 0 and up to 1, as in 0.5'
    case 'seconds':
      if (value === '' && row.fallback === '') return undefined
      // Nobody would be answered.
      if (name === 'rights-away' && /^0+$/.test(value)) return `must be at least 1 s: 1 to ${SECONDS_MAX}`
      return /^\d{1,4}$/.test(value) && Number(value) <= SECONDS_MAX
        ? undefined
        : `must be a whole number of seconds, ${name === 'rights-away' ? 1 : 0} to ${SECONDS_MAX}`
    case 'fsync':
      return value === 'always' || value === 'off' || FSYNC_INTERVAL.test(value)
        ? undefined
        : 'must be always, off, or an interval of 1 to 9999 ms as in interval:50ms'
    case 'bytes':
      return /^[1-9]\d{0,8}[kmgt]$/i.test(value) ? undefined : 'must be a size, as in 500m or 16g'
    case 'origins': {
      const entries = listOf(value)
      return entries.map((entry) => originFaultOf(entry, entries.length === 1)).find((fault) => fault !== undefined)
    }
    case 'networks':
      return listOf(value).every(isNetwork) ? undefined : 'must be addresses, or networks such as 10.0.0.0/8'
    case 'limit':
      return /^\d{1,9}$/.test(value) ? undefined : 'must be a whole number, 0 to 999999999'
    case 'switch':
      return ['true', 'false'].includes(value) ? undefined : 'must be true or false'
    case 'level':
      return LEVELS.includes(value) ? undefined : `must be one of ${LEVELS.join(', ')}`
    case 'text':
      if (name === 'public-url' && value !== '' && !/^https?:\/\/[^\s"'<>\\]+$/.test(value)) {
        return 'must be an absolute http or https URL'
      }
      if (name === 'peer-url' && value !== '' && !isBaseUrl(value)) {
        return 'must be http://HOST:PORT, as other processes reach this one'
      }
      if (name === 'redis-prefix' && !/^[^\s{}]{1,100}$/.test(value)) {
        return 'must be 1 to 100 characters without white space, { and }'
      }
      if (name === 'admin-host' && value === '') return 'must be an address or a name'
      return undefined
  }
}

/** The environment variable of a setting. */
export const variableOf = (name: string): string => `ODDSWIRE_${name.toUpperCase().replaceAll('-', '_')}`

/** Variables that `.env` has set. */
const fromFile = new Set<string>()

/**
 * Reads `.env` of the working folder, if there is one, into the environment. Variables that are already set stay,
 * unless an earlier call has set them: secrets can be exchanged while the service runs.
 */
export const loadEnvironmentFile = (): void => {
  const values = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}
  for (const name of fromFile) {
    if (Object.hasOwn(values, name)) continue
    delete process.env[name]
    fromFile.delete(name)
  }
  for (const [name, value] of Object.entries(values)) {
    if (process.env[name] !== undefined && !fromFile.has(name)) continue
    process.env[name] = value
    fromFile.add(name)
  }
}

/** Variables that are named like settings, and are none: with what follows `ODDSWIRE_`, a typing error has no effect. */
export const unknownVariables = (environment: Readonly<Record<string, string | undefined>> = process.env): string[] => {
  const known = new Set(['ODDSWIRE_KEY', ...Object.keys(SETTINGS).map(variableOf)])
  return Object.keys(environment).filter((name) => /^ODDSWIRE_(?!TEST_)/.test(name) && !known.has(name))
}

/** A secret that a configuration file names; undefined: it is not in the environment. */
export const secretOf = (name: string): string | undefined => process.env[name]

/** Device and inode of the stream that systemd has connected to its journal; undefined: none. */
export const journalStream = (): string | undefined => process.env.JOURNAL_STREAM || undefined

/** The key of a command that gets none as an argument; undefined: not set, or empty. */
export const keyFromEnvironment = (): string | undefined => process.env.ODDSWIRE_KEY || undefined

/** Settings from flags, then the environment, then defaults. */
export const readSettings = (
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Settings | SettingFault => {
  const values: Record<string, string> = {}
  for (const [name, row] of Object.entries(SETTINGS)) {
    const flag = flags[name]
    const variable = environment[variableOf(name)]
    // An empty variable is one that is not set.
    const value = typeof flag === 'string' ? flag : variable || row.fallback
    const fault = faultOf(name, row, value)
    if (fault !== undefined) {
      const given = row.kind === 'origins' ? '' : `, not "${value}"`
      return { setting: typeof flag === 'string' ? `--${name}` : variableOf(name), message: `${fault}${given}` }
    }
    values[name] = value
  }
  const pick = (name: SettingName): string => values[name]!
  if ((pick('tls-cert') === '') !== (pick('tls-key') === '')) {
    return { setting: '--tls-cert, --tls-key', message: 'go together: set both or none' }
  }
  if (pick('admin-tls') === 'true' && pick('tls-cert') === '') {
    return { setting: '--admin-tls', message: 'needs --tls-cert and --tls-key' }
  }
  if (/^(0\.0\.0\.0|::)$/.test(pick('peer-host')) && pick('peer-url') === '') {
    return { setting: '--peer-url', message: `is needed with --peer-host ${pick('peer-host')}: nobody can reach that` }
  }
  const sharedPorts = pick('shared-ports') === 'true'
  if (sharedPorts && pick('redis-url') === '') {
    return { setting: '--shared-ports', message: 'needs --redis-url: processes that share a port must share their log' }
  }
  if (sharedPorts && Number(pick('http-port')) === 0) {
    return { setting: '--http-port', message: 'must be a fixed port with --shared-ports, not 0' }
  }
  const quotesMax = Number(pick('quotes-max'))
  const derived = (name: SettingName, quotesPer: number): number =>
    pick(name) === ''
      ? Math.min(quotesMax, Math.max(LIMITS.boardLeast, Math.floor(quotesMax / quotesPer)))
      : Number(pick(name))
  return {
    host: pick('host'),
    httpPort: Number(pick('http-port')),
    stompPort: Number(pick('stomp-port')),
    sharedPorts,
    adminPort: Number(pick('admin-port')),
    adminHost: pick('admin-host'),
    adminHosts: listOf(pick('admin-hosts')),
    adminTls: pick('admin-tls') === 'true',
    dataDir: pick('data-dir'),
    feeds: pick('feeds'),
    readyAfterMs: Number(pick('ready-after')) * 1_000,
    quotesMax,
    eventsMax: derived('events-max', LIMITS.quotesPerEvent),
    labelsMax: derived('labels-max', LIMITS.quotesPerLabel),
    bookmakerShare: Number(pick('bookmaker-share')),
    tlsCert: pick('tls-cert'),
    tlsKey: pick('tls-key'),
    publicUrl: pick('public-url').replace(/\/+$/, ''),
    origins: listOf(pick('origins')),
    trustedProxies: listOf(pick('trusted-proxies')),
    connectionsMax: Number(pick('connections-max')),
    unconnectedMax: Number(pick('unconnected-max')),
    addressUnconnectedMax: Number(pick('address-unconnected-max')),
    warmUp: pick('warm-up') === 'true',
    wsCompression: pick('ws-compression') === 'true',
    errorSessionsMax: Number(pick('error-sessions-max')),
    fsync: FSYNC_INTERVAL.test(pick('fsync')) ? 'interval' : (pick('fsync') as 'always' | 'off'),
    fsyncEveryMs: Number(FSYNC_INTERVAL.exec(pick('fsync'))?.[1] ?? 0),
    logBytesMax: bytesOf(pick('log-bytes-max')),
    logAwayMs: Number(pick('log-away') || (pick('redis-url') === '' ? 10 : 30)) * 1_000,
    redisUrl: pick('redis-url'),
    redisPrefix: pick('redis-prefix'),
    redisReplicas: Number(pick('redis-replicas')),
    redisLogBytesMax: bytesOf(pick('redis-log-bytes-max')),
    rightsAwayMs: Number(pick('rights-away')) * 1_000,
    peerHost: pick('peer-host'),
    peerPort: Number(pick('peer-port')),
    peerUrl: pick('peer-url').replace(/\/+$/, ''),
    logLevel: pick('log-level'),
  }
}
