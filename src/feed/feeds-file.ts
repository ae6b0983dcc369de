// The configuration of sources, `oddswire.feeds.json`: its schema, and how it is read. Secrets are not in it: where one is
// needed stands the name of a variable of the environment, `$NAME`.

import Type, { type Static, type TSchema } from 'typebox'
import Value from 'typebox/value'
import { SOURCE_MODES } from '../domain/coverage.ts'
import { isRecord } from '../domain/record.ts'
import { FED_TRANSPORTS } from '../domain/transport.ts'
import { FORMAT_NAMES, FORMATS_WITH_ODDS_FORMAT } from '../source/formats.ts'
import { ODDS_FORMATS } from '../source/kit/odds-format.ts'

const NAME = '^[a-z0-9][a-z0-9_-]{0,63}$'
const SLUG = '^[a-z0-9][a-z0-9_.-]{0,63}$'
const SECRET = '^\\$[A-Z_][A-Z0-9_]*$'

const oneOf = <Word extends string>(words: readonly Word[], description: string, fallback?: Word) =>
  Type.Unsafe<Word>({ enum: [...words], description, ...(fallback === undefined ? {} : { default: fallback }) })

const text = (description: string, fallback?: string) =>
  Type.String({ minLength: 1, description, ...(fallback === undefined ? {} : { default: fallback }) })

const url = (schemes: string, description: string, fallback?: string) =>
  Type.String({
    pattern: `^(${schemes})://[^\\s]+$`,
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  })

const secret = (description: string) =>
  Type.String({ pattern: SECRET, description: `${description}; the name of a variable of the environment, $NAME` })

// A default would be filled in: what may be left out, and means something then, has none.
const fallingBack = (fallback: number | undefined) => (fallback === undefined ? {} : { default: fallback })

const seconds = (description: string, fallback: number | undefined, minimum = 0.1) =>
  Type.Number({ minimum, maximum: 31 * 86_400, description: `${description}, s`, ...fallingBack(fallback) })

const whole = (description: string, fallback: number | undefined, minimum = 1) =>
  Type.Integer({ minimum, maximum: 2 ** 31, description, ...fallingBack(fallback) })

const flag = (description: string, fallback: boolean) => Type.Boolean({ description, default: fallback })

const texts = (description: string, fallback: readonly string[] = []) =>
  Type.Array(Type.String({ minLength: 1 }), { description, default: [...fallback] })

const strict = { additionalProperties: false }

const object = <Members extends Record<string, TSchema>>(members: Members) => Type.Object(members, strict)

// --- what every source has

const COMMON = {
  name: Type.String({ pattern: NAME, description: 'name of the source: lower-case letters, digits, _ and -' }),
  transport: Type.Optional(oneOf(FED_TRANSPORTS, 'the product channels that it feeds; left out: as its format says')),
  lateSeconds: Type.Optional(seconds('silence after which it is late; left out: by its kind and interval', undefined)),
  downSeconds: Type.Optional(seconds('silence after which it is down; left out: by its kind and interval', undefined)),
  suspendSeconds: Type.Optional(
    Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description:
        'how long after it went down its open quotes are suspended; null: never, they age out; left out: at once where ' +
        'the source has suspensions of its own, never where it has none',
    }),
  ),
  pricesPerSecond: whole('prices that it may bring a second, on average', 50_000),
  pricesBurst: whole('prices that it may bring at once, after a rest', 200_000),
}

const BOOKMAKER = { bookmaker: Type.Optional(Type.String({ pattern: SLUG, description: 'whose prices they are' })) }

/** Of sources that bring payloads of any format. */
const PAYLOADS = {
  fixtures: Type.Optional(
    text('a fixture list, seen from this file: names that payloads of betfair, uof, txline lack'),
  ),
  oddsFormat: Type.Optional(
    oneOf(
      ODDS_FORMATS,
      `of the prices of ${FORMATS_WITH_ODDS_FORMAT.join(' and ')}; left out: decimal, and a payload that proves otherwise is refused`,
    ),
  ),
}

// --- HTTP

const HTTP = {
  sourceMode: Type.Optional(
    oneOf(SOURCE_MODES, 'how it is reached; left out: as the registry says of the bookmaker, else direct'),
  ),
  proxy: Type.Optional(
    Type.String({
      pattern: `(^https?://[^\\s@]+$)|(${SECRET})`,
      description: 'HTTP(S) proxy of the proxy modes; left out: that of `proxies`; one with a password as $NAME',
    }),
  ),
  credential: Type.Optional(object({ header: text('a request header'), value: secret('its value') })),
  caFile: Type.Optional(text('certificates of authorities to trust besides the usual ones (PEM)')),
  requestsPerSecond: Type.Number({ minimum: 0.001, maximum: 1_000, description: 'to its host', default: 2 }),
  concurrency: whole('requests under way at a time', 2),
}

const Kambi = object({
  ...COMMON,
  ...BOOKMAKER,
  ...HTTP,
  kind: Type.Literal('kambi'),
  baseUrl: url('https?', 'https://HOST/offering/v2018/'),
  operator: text("Kambi's code of the operator"),
  lists: Type.Array(
    object({
      path: text('{operator}/listView/football.json?lang=en_GB'),
      intervalSeconds: seconds('how often', 60, 1),
    }),
    { description: 'lists of events: what they name is polled event by event', default: [] },
  ),
  event: Type.Optional(
    object({
      path: text('one event', '{operator}/betoffer/event/{id}.json?lang=en_GB'),
      intervalSeconds: seconds('how often before kickoff', 30, 1),
      liveIntervalSeconds: seconds('and after', 10, 1),
    }),
  ),
  pages: Type.Array(
    object({
      path: text('{operator}/betoffer/group/1.json?type=2&range_start={start}&range_size={size}'),
      size: whole('offers of a page', 2_000),
      pagesMax: whole('pages', 10),
      intervalSeconds: seconds('how often', 60, 1),
    }),
    { description: 'offers of many events', default: [] },
  ),
  horizonSeconds: seconds('how far ahead a kickoff may be', 7 * 86_400),
  afterKickoffSeconds: seconds('how long after its kickoff an event is still polled', 4 * 3_600),
  eventsMax: whole('events polled', 500),
})

const Pinnacle = object({
  ...COMMON,
  ...BOOKMAKER,
  ...HTTP,
  kind: Type.Literal('pinnacle'),
  baseUrl: url('https?', 'https://HOST/0.1/'),
  groups: Type.Array(
    object({
      name: text('as messages call it'),
      matchups: text('leagues/2117/matchups'),
      straight: text('leagues/2117/markets/straight'),
      complete: flag('whether a market that an answer lacks is off', true),
    }),
    { minItems: 1, description: 'leagues or sports' },
  ),
  matchupsIntervalSeconds: seconds('how often names, leagues and starts are asked for', 300, 1),
  straightIntervalSeconds: seconds('how often prices are', 30, 1),
})

const TheOddsApi = object({
  ...COMMON,
  ...HTTP,
  kind: Type.Literal('the-odds-api'),
  baseUrl: url('https?', 'where it is', 'https://api.the-odds-api.com/'),
  apiKey: secret('the API key'),
  sports: Type.Array(
    object({
      key: text("the API's key of the sport, soccer_epl"),
      intervalSeconds: seconds('how often', 60, 1),
      priority: Type.Number({ minimum: 0.01, maximum: 1_000, description: 'when credits are short', default: 1 }),
    }),
    { minItems: 1 },
  ),
  markets: texts('h2h, spreads, totals, …', ['h2h']),
  regions: texts('uk, eu, …', ['eu']),
  bookmakers: texts("the API's keys of the books wanted; empty: all of the regions"),
  creditsPerMonth: Type.Optional(whole('what the plan gives; left out: by what the answers say', undefined)),
  creditsReserve: whole('credits left for others', 0, 0),
  creditsResetDay: Type.Integer({ minimum: 1, maximum: 28, description: 'day of the month, UTC', default: 1 }),
  creditsIntervalSeconds: seconds('how often the credits are asked for, which is free', 600, 10),
})

// --- push

const Betfair = object({
  ...COMMON,
  ...BOOKMAKER,
  kind: Type.Literal('betfair'),
  host: text('stream', 'stream-api.betfair.com'),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 443 }),
  appKey: secret('application key'),
  session: Type.Optional(secret('a session token that somebody else keeps alive; or give login')),
  login: Type.Optional(
    object({
      url: url('https', 'https://identitysso-cert.betfair.com/api/certlogin'),
      username: secret('user'),
      password: secret('password'),
      certFile: Type.Optional(text('client certificate (PEM)')),
      keyFile: Type.Optional(text('its key (PEM)')),
    }),
  ),
  caFile: Type.Optional(text('certificates to trust instead of the public authorities (PEM)')),
  catalogueUrl: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'where names of markets are asked for; null: nowhere',
      default: 'https://api.betfair.com/exchange/betting/rest/v1.0/listMarketCatalogue/',
    }),
  ),
  marketFilter: Type.Object(
    {
      marketIds: Type.Optional(Type.Array(Type.String())),
      eventIds: Type.Optional(Type.Array(Type.String())),
      eventTypeIds: Type.Optional(Type.Array(Type.String())),
      marketTypes: Type.Optional(Type.Array(Type.String())),
      countryCodes: Type.Optional(Type.Array(Type.String())),
      turnInPlayEnabled: Type.Optional(Type.Boolean()),
    },
    { ...strict, description: "the markets wanted, in Betfair's words", default: {} },
  ),
  heartbeatSeconds: Type.Number({ minimum: 0.5, maximum: 5, default: 5 }),
})

const Uof = object({
  ...COMMON,
  ...BOOKMAKER,
  kind: Type.Literal('uof'),
  amqpUrl: secret('amqps://TOKEN@HOST/VHOST'),
  exchange: text('the exchange', 'unifiedfeed'),
  apiUrl: url('https?', 'where fixtures and recoveries are asked for', 'https://api.betradar.com'),
  apiToken: secret('access token'),
  products: Type.Array(object({ id: whole('product', 1), name: text('in the paths of the API: liveodds, pre') }), {
    minItems: 1,
    default: [
      { id: 1, name: 'liveodds' },
      { id: 3, name: 'pre' },
    ],
  }),
  aliveSeconds: seconds('silence of a product after which its quotes are suspended', 20, 0.2),
})

const Stomp = object({
  ...COMMON,
  ...BOOKMAKER,
  kind: Type.Literal('stomp'),
  addresses: Type.Array(url('stomp|stomp\\+ssl', 'stomp://HOST:PORT or stomp+ssl://HOST:PORT'), {
    minItems: 1,
    description: 'tried in this order, round and round',
  }),
  login: Type.Optional(text('user')),
  passcode: Type.Optional(secret('password')),
  vhost: Type.Optional(text('virtual host')),
  caFile: Type.Optional(text('certificates to trust instead of the public authorities (PEM)')),
  destinations: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: '/queue/odds' }),
  headers: Type.Record(Type.String(), Type.String(), { description: 'more headers of each SUBSCRIBE', default: {} }),
  ack: oneOf(['client', 'client-individual'], 'how messages are acknowledged', 'client-individual'),
  prefetch: whole('messages that the broker may send ahead of our answers', 200),
  format: oneOf(FORMAT_NAMES, 'of a body', 'observations'),
  ...PAYLOADS,
  complete: flag('whether a body has all that the source has of the events in it', false),
  onMalformed: oneOf(['ack', 'nack'], 'what a message gets that nobody can read', 'ack'),
  heartbeatSeconds: seconds('heart-beat', 10, 0.1),
  quietIsHealthy: flag("whether the broker's heart-beats count as word of the source", true),
  durable: Type.Optional(
    Type.Boolean({
      description:
        'whether the destinations keep what comes while the connection is lost; where they do not, all that was fed is ' +
        'suspended when it is lost; left out: true where each begins with /queue/ or /amq/queue/',
    }),
  ),
})

// --- at home

const File = object({
  ...COMMON,
  ...BOOKMAKER,
  kind: Type.Literal('file'),
  path: text('the recording, seen from this file'),
  format: oneOf(FORMAT_NAMES, 'its format'),
  speed: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: 'times as fast as recorded; left out: as fast as it can be taken',
    }),
  ),
  rebase: flag('whether its times are made those of now', false),
  repeatSeconds: Type.Optional(seconds('begin again this long after its end', undefined, 0)),
  ...PAYLOADS,
  receivedAt: Type.Optional(text('when it was received, RFC 3339')),
})

const SimulatorWorld = object({
  ...COMMON,
  kind: Type.Literal('simulator'),
  seed: whole('the same seed gives the same world', 1, 0),
})

/** Every kind of source. A new one is one row here, and one in `plans.ts`. */
const KINDS = {
  kambi: Kambi,
  pinnacle: Pinnacle,
  'the-odds-api': TheOddsApi,
  betfair: Betfair,
  uof: Uof,
  stomp: Stomp,
  file: File,
  simulator: SimulatorWorld,
} as const

export type SourceKind = keyof typeof KINDS

/** A source as configured, defaults filled in; secrets still as `$NAME`. */
export type SourceSettings = { [Kind in SourceKind]: Static<(typeof KINDS)[Kind]> }[SourceKind]

export type SettingsOf<Kind extends SourceKind> = Static<(typeof KINDS)[Kind]>

const Verification = object({
  everyHours: Type.Number({ minimum: 0.01, maximum: 8_760, description: 'how old a verification may be', default: 24 }),
  failuresMax: whole('failures in a row after which a bookmaker falls', 2),
  onFailure: oneOf(['source_limited', 'disabled_until_review'], 'to what it falls', 'source_limited'),
})

export type VerificationSettings = Static<typeof Verification>

const Proxies = object({
  worker_proxy: Type.Optional(Type.String()),
  sidecar_proxy: Type.Optional(Type.String()),
  cdp_proxy: Type.Optional(Type.String()),
})

const Top = object({
  $schema: Type.Optional(Type.String()),
  proxies: Type.Optional(Proxies),
  verification: Type.Optional(Verification),
  sources: Type.Array(Type.Unknown()),
})

export interface FeedsFile {
  readonly sources: readonly SourceSettings[]
  /** HTTP(S) proxies by source mode, for sources without one of their own. */
  readonly proxies: Static<typeof Proxies>
  /** Null: coverage is verified by hand only. */
  readonly verification: VerificationSettings | null
}

/** Why a configuration was not taken: the place in it and what is wrong there. */
export interface FeedsFault {
  readonly field: string
  readonly message: string
}

const fieldOf = (path: string, within: string): string => {
  const field = path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((sum, part) => (/^\d+$/.test(part) ? `${sum}[${part}]` : sum === '' ? part : `${sum}.${part}`), '')
  return within === '' ? field : field === '' ? within : `${within}.${field}`
}

/** The first thing that is wrong with a value, in the words of whoever wrote it; undefined: nothing is. */
const faultOf = (schema: TSchema, value: unknown, within: string): FeedsFault | undefined => {
  const errors = Value.Errors(schema, value)
  // A member that does not exist is told as what it is, before what that does to others.
  const error = errors.find(({ keyword }) => keyword === 'boolean') ?? errors[0]
  if (error === undefined) return undefined
  const { keyword, instancePath, params } = error
  const field = fieldOf(instancePath, within)
  switch (keyword) {
    case 'boolean':
      return { field, message: 'is not known here' }
    case 'required': {
      const [missing] = (params as { readonly requiredProperties: readonly string[] }).requiredProperties
      return { field: field === '' ? missing! : `${field}.${missing}`, message: 'is missing' }
    }
    case 'enum': {
      const { allowedValues } = params as { readonly allowedValues: readonly unknown[] }
      return { field, message: `must be one of ${allowedValues.join(', ')}` }
    }
    case 'pattern': {
      const { pattern } = params as { readonly pattern: string | RegExp }
      const isSecret = String(pattern).includes(SECRET.slice(1, -1))
      return {
        field,
        message: isSecret
          ? 'must be the name of a variable of the environment, $NAME: secrets do not stand in this file'
          : `must match ${String(pattern)}`,
      }
    }
    default:
      return { field: field === '' ? 'file' : field, message: error.message }
  }
}

const isKind = (value: unknown): value is SourceKind => typeof value === 'string' && Object.hasOwn(KINDS, value)

/** Reads a configuration. It is taken whole or, with one fault in it, not at all. */
export const parseFeeds = (content: string): FeedsFile | FeedsFault => {
  let file: unknown
  try {
    file = JSON.parse(content)
  } catch (error) {
    return { field: 'file', message: `is not JSON: ${(error as Error).message}` }
  }
  const filled = Value.Default(Top, file)
  const fault = faultOf(Top, filled, '')
  if (fault !== undefined) return fault
  const { sources: entries, proxies = {}, verification = null } = filled as Static<typeof Top>
  const sources: SourceSettings[] = []
  for (const [index, entry] of entries.entries()) {
    const place = `sources[${index}]`
    const kind = isRecord(entry) ? entry.kind : undefined
    if (!isKind(kind)) return { field: `${place}.kind`, message: `must be one of ${Object.keys(KINDS).join(', ')}` }
    const settings = Value.Default(KINDS[kind], entry) as SourceSettings
    const wrong = faultOf(KINDS[kind], settings, place)
    if (wrong !== undefined) return wrong
    if (sources.some(({ name }) => name === settings.name)) {
      return { field: `${place}.name`, message: `repeats ${settings.name}` }
    }
    const { lateSeconds, downSeconds } = settings
    if (lateSeconds !== undefined && downSeconds !== undefined && lateSeconds > downSeconds) {
      return { field: `${place}.lateSeconds`, message: 'must not be longer than downSeconds' }
    }
    sources.push(settings)
  }
  return { sources, proxies, verification }
}

/** A schema as whoever writes the file sees it: what has a default may be left out. */
const asWritten = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(asWritten)
  if (!isRecord(schema)) return schema
  const written = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, asWritten(value)]))
  const { required, properties } = schema
  if (!Array.isArray(required) || !isRecord(properties)) return written
  const isNeeded = (name: string): boolean => {
    const member = properties[name]
    return !(isRecord(member) && 'default' in member)
  }
  return { ...written, required: (required as string[]).filter(isNeeded) }
}

/** The configuration as a JSON Schema, for editors. */
export const feedsSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'oddswire.feeds.json',
  ...(asWritten({
    ...Top,
    properties: { ...Top.properties, sources: { type: 'array', items: { anyOf: Object.values(KINDS) } } },
  }) as object),
})
