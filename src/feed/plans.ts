// From the configuration of sources to plans that the supervisor can run.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { SourceMode } from '../domain/coverage.ts'
import { parseDateTime } from '../domain/time.ts'
import { factsOf, isFixtureFault, parseFixtures } from '../source/kit/fixture-list.ts'
import { FORMATS_WITH_ODDS_FORMAT, formatOf } from '../source/formats.ts'
import type { SourceFacts } from '../source/kit/normaliser.ts'
import { BetfairStream } from '../source/betfair/betfair-stream.ts'
import { endpointOf } from '../source/kit/stomp-connection.ts'
import type { Connector, ConnectorContext } from '../source/kit/connector.ts'
import type { FeedsFault, FeedsFile, SettingsOf, SourceKind, SourceSettings } from './feeds-file.ts'
import { FileSource } from './file-source.ts'
import { type SourceAccess, whyNeverPolled } from '../source/kit/http-client.ts'
import { KambiPoller } from '../source/kambi/kambi-poller.ts'
import { PinnaclePoller } from '../source/pinnacle/pinnacle-poller.ts'
import { POLL_LIMITS, staleMsOf } from '../source/kit/poll-limits.ts'
import { Paces } from '../source/kit/rate.ts'
import { TheOddsApiPoller } from '../source/the-odds-api/the-odds-api-poller.ts'
import type { RecordingLimits } from './recording.ts'
import { SimulatorSource } from '../source/simulator/simulator-source.ts'
import type { SourcePlan } from './supervisor.ts'
import { isAmqpUrl } from '../source/uof/message-queue.ts'
import { UOF_LIMITS, UofConnector } from '../source/uof/uof-connector.ts'
import { UpstreamBroker } from '../source/stomp/upstream-broker.ts'

export interface PlanParts {
  /** Where the configuration lies: the files that it names are seen from there. */
  readonly path: string
  /** A variable of the environment; undefined: it is not set. */
  readonly secretOf: (name: string) => string | undefined
  /** How the registry says that a bookmaker is reached; undefined: it does not know it. */
  readonly sourceModeOf: (bookmaker: string) => SourceMode | undefined
  readonly limits: RecordingLimits
  /** How far ahead of the clock the engine takes an observation, ms. */
  readonly skewMsMax: number
  /** Paces of hosts, where they are to outlive the plans; left out: new ones. */
  readonly paces?: Paces
}

interface Cadence {
  /** How often it says that it is there, ms, if there is such a rhythm: who is down sooner is down in between. */
  readonly beatMs: number
  readonly lateMs: number
  readonly downMs: number
  /** As of {@link SourcePlan.terms}. */
  readonly suspendMs: number | null
  readonly behindMsMax: number
}

type Connect = (context: ConnectorContext) => Connector

/** A field that is wrong, told from where the plan is made. */
class Wrong extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

const NEVER_BEHIND = Number.POSITIVE_INFINITY

/** Of a poller: two polls that fail make it late, four make it down. */
const cadenceOfPolls = (intervalMs: number, suspendMs: number | null): Cadence => ({
  // Of several URLs each answer is a sign of life.
  beatMs: 0,
  lateMs: Math.max(2.5 * intervalMs, 10_000),
  downMs: staleMsOf(intervalMs, POLL_LIMITS),
  suspendMs,
  behindMsMax: NEVER_BEHIND,
})

const cadenceOfBeats = (beatMs: number): Cadence => ({
  beatMs,
  lateMs: 2 * beatMs + 1_000,
  downMs: 4 * beatMs,
  suspendMs: 0,
  behindMsMax: 30_000,
})

/** Pauses and bounds of connections that are kept open. */
const LINK_LIMITS = {
  openMsMax: 20_000,
  closeMsMax: 2_000,
  pauseMsMin: 500,
  pauseMsMax: 30_000,
  refusedPauseMs: 120_000,
} as const

/** Of messages of a broker: one holds what is on offer of an event, or of a league. */
const MESSAGE_LIMITS = {
  bodyBytesMax: 16 * 1024 * 1024,
  heldBytesMax: 64 * 1024 * 1024,
} as const

const BETFAIR_LIMITS = {
  ...LINK_LIMITS,
  lineBytesMax: 16 * 1024 * 1024,
  namesMsMin: 1_000,
  namesAgainMs: 60_000,
  restampMs: 3_600_000,
} as const

const SECRET = /^\$([A-Z_][A-Z0-9_]*)$/

class Planner {
  private readonly file: FeedsFile
  private readonly parts: PlanParts
  // Two sources of one host share its pace.
  private readonly paces: Paces
  /** What the plan at hand was made of besides its settings. */
  private resolved: string[] = []

  constructor(file: FeedsFile, parts: PlanParts) {
    this.file = file
    this.parts = parts
    this.paces = parts.paces ?? new Paces()
  }

  /** Notes what a plan is made of: a secret, the content of a file. Kept as a digest, so that no secret is. */
  private note(what: string, value: string | null): void {
    this.resolved.push(
      createHash('sha256')
        .update(JSON.stringify([what, value]))
        .digest('base64'),
    )
  }

  plan(settings: SourceSettings): SourcePlan {
    const { name, kind, lateSeconds, downSeconds, suspendSeconds, pricesPerSecond, pricesBurst } = settings
    this.resolved = []
    const [cadence, connect, never = null] = (MAKERS[kind] as Maker<SourceKind>)(this, settings)
    const downMs =
      downSeconds === undefined ? Math.max(cadence.downMs, (lateSeconds ?? 0) * 1_000) : downSeconds * 1_000
    if (downMs < cadence.beatMs) {
      throw new Wrong('downSeconds', `must be ${cadence.beatMs / 1_000} or more: it says so often that it is there`)
    }
    const lateMs = lateSeconds === undefined ? Math.min(cadence.lateMs, downMs) : lateSeconds * 1_000
    const suspendMs =
      suspendSeconds === undefined ? cadence.suspendMs : suspendSeconds === null ? null : suspendSeconds * 1_000
    const bookmaker = 'bookmaker' in settings ? settings.bookmaker : undefined
    return {
      kind,
      terms: { name, lateMs, downMs, suspendMs, behindMsMax: cadence.behindMsMax },
      budget: { pricesPerSecond, pricesBurst },
      bookmakers: bookmaker === undefined ? [] : [bookmaker],
      never,
      input: { settings, resolved: this.resolved },
      connect,
    }
  }

  /** The value of a `$NAME`. */
  secret(field: string, text: string): string {
    const value = this.optionalSecret(text)
    if (value === null) throw new Wrong(field, `${text} is not set in the environment`)
    return value
  }

  /** The same; null where it is not set. Anything else than `$NAME` stands for itself. */
  optionalSecret(text: string): string | null {
    const name = SECRET.exec(text)?.[1]
    if (name === undefined) return text
    const value = this.parts.secretOf(name) || null
    this.note(text, value)
    return value
  }

  /** A file that the configuration names, seen from it. */
  path(path: string): string {
    return resolve(dirname(this.parts.path), path)
  }

  read(field: string, path: string): string {
    try {
      const content = readFileSync(this.path(path), 'utf8')
      this.note(field, content)
      return content
    } catch (error) {
      throw new Wrong(field, `${path} cannot be read (${(error as Error).message})`)
    }
  }

  /** How an HTTP source is reached, and what its answers are read with. */
  access(settings: SettingsOf<'kambi' | 'pinnacle' | 'the-odds-api'>): SourceAccess {
    const { proxies } = this.file
    const bookmaker = 'bookmaker' in settings ? settings.bookmaker : undefined
    const mode =
      settings.sourceMode ?? (bookmaker === undefined ? undefined : this.parts.sourceModeOf(bookmaker)) ?? 'direct'
    const shared = mode in proxies ? proxies[mode as keyof typeof proxies] : undefined
    const proxy = settings.proxy ?? shared
    this.note('mode', mode)
    this.note('proxy', proxy ?? null)
    const { credential, caFile } = settings
    const isPolled = mode !== 'disabled' && mode !== 'credential_required'
    const value = credential === undefined || !isPolled ? null : this.secret('credential.value', credential.value)
    return {
      mode,
      proxy: proxy === undefined || !isPolled ? null : this.secret('proxy', proxy),
      credential: credential === undefined || value === null ? null : { header: credential.header, value },
      authorities: caFile === undefined ? null : this.read('caFile', caFile),
    }
  }

  reading(settings: SettingsOf<'kambi' | 'pinnacle' | 'the-odds-api'>) {
    const { requestsPerSecond, concurrency, downSeconds, transport = null } = settings
    const { limits } = this.parts
    return {
      access: this.access(settings),
      limits: {
        ...POLL_LIMITS,
        requestsPerSecond,
        burst: Math.max(1, Math.min(POLL_LIMITS.burst, Math.ceil(requestsPerSecond))),
        concurrency,
        // A part of it is not given up before the whole would be.
        staleMsMin: downSeconds === undefined ? POLL_LIMITS.staleMsMin : ms(downSeconds),
      },
      bookmaker: ('bookmaker' in settings ? settings.bookmaker : undefined) ?? null,
      transport,
      payload: limits,
    }
  }

  /** What the configuration says of payloads beyond what they say themselves. */
  payloads({ format, fixtures, oddsFormat }: SettingsOf<'stomp' | 'file'>): Partial<SourceFacts> {
    if (oddsFormat !== undefined && formatOf(format).hasOddsFormat !== true) {
      throw new Wrong('oddsFormat', `goes with the formats ${FORMATS_WITH_ODDS_FORMAT.join(' and ')}`)
    }
    const known = fixtures === undefined ? undefined : parseFixtures(this.read('fixtures', fixtures), this.limits)
    if (known !== undefined && isFixtureFault(known)) throw new Wrong('fixtures', `${known.field} ${known.message}`)
    return {
      ...(known === undefined ? {} : factsOf(known)),
      ...(oddsFormat === undefined ? {} : { oddsFormat }),
    }
  }

  get limits(): RecordingLimits {
    return this.parts.limits
  }

  get skewMsMax(): number {
    return this.parts.skewMsMax
  }

  get sharedPaces(): Paces {
    return this.paces
  }
}

/** How a kind of source is judged and started, and why one is never started. */
type Maker<Kind extends SourceKind> = (
  planner: Planner,
  settings: SettingsOf<Kind>,
) => [Cadence, Connect, never?: string | null]

const ms = (seconds: number): number => Math.round(seconds * 1_000)

const kambi: Maker<'kambi'> = (planner, settings) => {
  const { lists, event, pages, baseUrl, operator } = settings
  if (lists.length === 0 && pages.length === 0) throw new Wrong('lists', 'or pages must name something to poll')
  if (lists.length > 0 && event === undefined) throw new Wrong('event', 'is missing: lists alone have no prices')
  const options = {
    ...planner.reading(settings),
    baseUrl,
    operator,
    lists: lists.map(({ path, intervalSeconds }) => ({ path, intervalMs: ms(intervalSeconds) })),
    event:
      event === undefined
        ? null
        : {
            path: event.path,
            intervalMs: ms(event.intervalSeconds),
            liveIntervalMs: ms(event.liveIntervalSeconds),
          },
    pages: pages.map(({ intervalSeconds, ...page }) => ({ ...page, intervalMs: ms(intervalSeconds) })),
    horizonMs: ms(settings.horizonSeconds),
    afterKickoffMs: ms(settings.afterKickoffSeconds),
    eventsMax: settings.eventsMax,
  }
  const intervals = [...options.lists, ...options.pages].map(({ intervalMs }) => intervalMs)
  if (options.event !== null) intervals.push(options.event.intervalMs)
  return [
    cadenceOfPolls(Math.min(...intervals), 0),
    (context) => new KambiPoller(options, context, planner.sharedPaces),
    whyNeverPolled(options.access),
  ]
}

const pinnacle: Maker<'pinnacle'> = (planner, settings) => {
  const { baseUrl, groups } = settings
  const options = {
    ...planner.reading(settings),
    baseUrl,
    groups: groups.map(({ complete, ...group }) => ({ ...group, isComplete: complete })),
    matchupsIntervalMs: ms(settings.matchupsIntervalSeconds),
    straightIntervalMs: ms(settings.straightIntervalSeconds),
  }
  return [
    cadenceOfPolls(options.straightIntervalMs, 0),
    (context) => new PinnaclePoller(options, context, planner.sharedPaces),
    whyNeverPolled(options.access),
  ]
}

const theOddsApi: Maker<'the-odds-api'> = (planner, settings) => {
  const { baseUrl, sports, markets, regions, bookmakers } = settings
  const apiKey = planner.optionalSecret(settings.apiKey)
  const options = {
    ...planner.reading(settings),
    baseUrl,
    apiKey: apiKey ?? '',
    sports: sports.map(({ key, intervalSeconds, priority }) => ({ key, intervalMs: ms(intervalSeconds), priority })),
    markets,
    regions,
    bookmakers,
    credits: {
      perMonth: settings.creditsPerMonth ?? null,
      reserve: settings.creditsReserve,
      resetDay: settings.creditsResetDay,
    },
    creditsIntervalMs: ms(settings.creditsIntervalSeconds),
  }
  const intervalMs = Math.min(...options.sports.map((sport) => sport.intervalMs))
  return [
    cadenceOfPolls(intervalMs, null),
    (context) => new TheOddsApiPoller(options, context, planner.sharedPaces),
    whyNeverPolled(options.access) ??
      (apiKey === null ? `has no API key, ${settings.apiKey} is not set: never polled` : null),
  ]
}

const betfair: Maker<'betfair'> = (planner, settings) => {
  const { host, port, session, login, caFile, marketFilter, transport = null, bookmaker = null } = settings
  if ((session === undefined) === (login === undefined)) throw new Wrong('session', 'or login is needed, one of them')
  const { certFile, keyFile } = login ?? {}
  if ((certFile === undefined) !== (keyFile === undefined)) throw new Wrong('login.keyFile', 'goes with certFile')
  const options = {
    host,
    port,
    appKey: planner.secret('appKey', settings.appKey),
    session:
      login === undefined
        ? planner.secret('session', session!)
        : {
            url: login.url,
            username: planner.secret('login.username', login.username),
            password: planner.secret('login.password', login.password),
            certificate:
              certFile === undefined
                ? null
                : { cert: planner.read('login.certFile', certFile), key: planner.read('login.keyFile', keyFile!) },
          },
    caFile: caFile === undefined ? null : planner.path(caFile),
    catalogueUrl: settings.catalogueUrl ?? null,
    marketFilter,
    heartbeatMs: ms(settings.heartbeatSeconds),
    bookmaker,
    transport,
    limits: { ...planner.limits, ...BETFAIR_LIMITS, aheadMsMax: planner.skewMsMax },
  }
  return [cadenceOfBeats(options.heartbeatMs), (context) => new BetfairStream(options, context)]
}

const uof: Maker<'uof'> = (planner, settings) => {
  const amqpUrl = planner.secret('amqpUrl', settings.amqpUrl)
  if (!isAmqpUrl(amqpUrl)) {
    throw new Wrong('amqpUrl', `${settings.amqpUrl} must hold amqps://TOKEN@HOST/VHOST, a % of the token as %25`)
  }
  const options = {
    amqpUrl,
    exchange: settings.exchange,
    apiUrl: settings.apiUrl,
    apiToken: planner.secret('apiToken', settings.apiToken),
    bookmaker: settings.bookmaker ?? null,
    transport: settings.transport ?? null,
    products: settings.products,
    aliveMsMax: ms(settings.aliveSeconds),
    limits: {
      ...UOF_LIMITS,
      pricesMax: planner.limits.pricesMax,
      textLengthMax: planner.limits.textLengthMax,
      aheadMsMax: planner.skewMsMax,
    },
  }
  // The connector suspends what a silent product left open; this holds where even the connector hears nothing.
  const { aliveMsMax } = options
  return [
    { beatMs: aliveMsMax / 2, lateMs: 0.75 * aliveMsMax, downMs: 1.25 * aliveMsMax, suspendMs: 0, behindMsMax: 30_000 },
    (context) => new UofConnector(options, context),
  ]
}

const stomp: Maker<'stomp'> = (planner, settings) => {
  const { addresses, passcode, caFile, destinations, headers, ack, prefetch, format, complete, onMalformed } = settings
  const endpoints = addresses.map((address, index) => {
    const endpoint = endpointOf(address)
    if (endpoint === undefined)
      throw new Wrong(`addresses[${index}]`, 'must be stomp://HOST:PORT or stomp+ssl://HOST:PORT')
    return endpoint
  })
  if (formatOf(format).examiner !== undefined && settings.oddsFormat === undefined) {
    throw new Wrong(
      'oddsFormat',
      `is missing: of ${format} only the whole recording can show it, and messages bring lines`,
    )
  }
  const options = {
    endpoints,
    login: settings.login ?? null,
    passcode: passcode === undefined ? null : planner.secret('passcode', passcode),
    vhost: settings.vhost ?? null,
    caFile: caFile === undefined ? null : planner.path(caFile),
    destinations,
    headers,
    ack,
    prefetch,
    format,
    facts: planner.payloads(settings),
    bookmaker: settings.bookmaker ?? null,
    transport: settings.transport ?? null,
    complete,
    onMalformed,
    heartbeatMs: ms(settings.heartbeatSeconds),
    quietIsHealthy: settings.quietIsHealthy,
    durable: settings.durable ?? destinations.every((destination) => /^\/(?:amq\/)?queue\//.test(destination)),
    limits: { ...planner.limits, ...LINK_LIMITS, ...MESSAGE_LIMITS },
  }
  const { heartbeatMs, quietIsHealthy } = options
  return [
    // Where only messages count, a quiet night is no reason to suspend anything.
    quietIsHealthy ? cadenceOfBeats(heartbeatMs) : { ...cadenceOfBeats(heartbeatMs), suspendMs: null },
    (context) => new UpstreamBroker(options, context),
  ]
}

const file: Maker<'file'> = (planner, settings) => {
  const { format, rebase, speed = null, repeatSeconds, receivedAt, bookmaker, transport = null } = settings
  const received = receivedAt === undefined ? undefined : parseDateTime(receivedAt)?.epochMs
  if (receivedAt !== undefined && received === undefined) throw new Wrong('receivedAt', 'must be an RFC 3339 date-time')
  const options = {
    path: planner.path(settings.path),
    format,
    transport,
    speed,
    rebase,
    repeatMs: repeatSeconds === undefined ? null : ms(repeatSeconds),
    facts: {
      ...(bookmaker === undefined ? {} : { bookmaker }),
      ...planner.payloads(settings),
      ...(received === undefined ? {} : { receivedAt: () => received }),
    },
    limits: planner.limits,
  }
  const cadence = { beatMs: 0, lateMs: 10_000, downMs: 30_000, suspendMs: null, behindMsMax: NEVER_BEHIND }
  return [cadence, (context) => new FileSource(options, context)]
}

const SIMULATOR_TERMS = { lateMs: 2_000, downMs: 5_000, suspendMs: 0, behindMsMax: 10_000 } as const

const simulator: Maker<'simulator'> = (_planner, { seed }) => [
  { beatMs: 0, ...SIMULATOR_TERMS },
  (context) => new SimulatorSource({ seed }, context),
]

/** The plan of a simulated world that no configuration names. */
export const simulatorPlan = (name: string, seed: number): SourcePlan => ({
  kind: 'simulator',
  terms: { name, ...SIMULATOR_TERMS },
  budget: { pricesPerSecond: 50_000, pricesBurst: 200_000 },
  bookmakers: [],
  never: null,
  input: { seed },
  connect: (context) => new SimulatorSource({ seed }, context),
})

const MAKERS: { readonly [Kind in SourceKind]: Maker<Kind> } = {
  kambi,
  pinnacle,
  'the-odds-api': theOddsApi,
  betfair,
  uof,
  stomp,
  file,
  simulator,
}

/** Makes the plans of all sources; all of them or, with one fault, none. */
export const plansOf = (file: FeedsFile, parts: PlanParts): SourcePlan[] | FeedsFault => {
  const planner = new Planner(file, parts)
  const plans: SourcePlan[] = []
  for (const [index, settings] of file.sources.entries()) {
    try {
      plans.push(planner.plan(settings))
    } catch (error) {
      if (!(error instanceof Wrong)) throw error
      return { field: `sources[${index}].${error.field}`, message: error.message }
    }
  }
  return plans
}
