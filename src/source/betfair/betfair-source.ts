// The Betfair Exchange Stream as a source: its settings, and the format of its lines.

import Type, { type Static } from 'typebox'
import { cadenceOfBeats } from '../kit/cadence.ts'
import { FIXTURES } from '../kit/format.ts'
import { isPlain } from '../kit/plain-field.ts'
import { LINK_LIMITS, ms, type Planner } from '../kit/planner.ts'
import { BOOKMAKER, COMMON, object, secret, text, url } from '../kit/settings.ts'
import type { Source, Start } from '../kit/source.ts'
import { betfairNormaliser } from './betfair-normaliser.ts'
import { BetfairStream } from './betfair-stream.ts'

const LIMITS = {
  ...LINK_LIMITS,
  lineBytesMax: 16 * 1024 * 1024,
  namesMsMin: 1_000,
  namesAgainMs: 60_000,
  restampMs: 3_600_000,
} as const

const Settings = object({
  ...COMMON,
  ...BOOKMAKER,
  kind: Type.Literal('betfair'),
  host: text('stream', 'stream-api.betfair.com'),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 443 }),
  appKey: secret('application key'),
  session: Type.Optional(secret('a session token that is kept alive elsewhere; or give login')),
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
      description: 'where names of markets are requested; null: nowhere',
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
    { additionalProperties: false, description: "the markets wanted, in Betfair's words", default: {} },
  ),
  heartbeatSeconds: Type.Number({ minimum: 0.5, maximum: 5, default: 5 }),
})

const start = (planner: Planner, settings: Static<typeof Settings>): Start => {
  const { host, port, session, login, caFile, marketFilter, transport = null, bookmaker = null } = settings
  if ((session === undefined) === (login === undefined)) planner.wrong('session', 'or login is needed, one of them')
  const { certFile, keyFile } = login ?? {}
  if ((certFile === undefined) !== (keyFile === undefined)) planner.wrong('login.keyFile', 'goes with certFile')
  const options = {
    host,
    port,
    appKey: planner.secret('appKey', settings.appKey),
    session:
      login === undefined
        ? planner.secret('session', session ?? '')
        : {
            url: login.url,
            username: planner.secret('login.username', login.username),
            password: planner.secret('login.password', login.password),
            certificate:
              certFile === undefined || keyFile === undefined
                ? null
                : { cert: planner.read('login.certFile', certFile), key: planner.read('login.keyFile', keyFile) },
          },
    caFile: caFile === undefined ? null : planner.path(caFile),
    catalogueUrl: settings.catalogueUrl ?? null,
    marketFilter,
    heartbeatMs: ms(settings.heartbeatSeconds),
    bookmaker,
    transport,
    limits: { ...planner.parts.limits, ...LIMITS, aheadMsMax: planner.parts.skewMsMax },
  }
  return { cadence: cadenceOfBeats(options.heartbeatMs), connect: (context) => new BetfairStream(options, context) }
}

export const betfairSource = {
  formats: {
    betfair: {
      piece: 'line',
      normaliser: betfairNormaliser,
      namedBy: `${FIXTURES}, events by event id or market id, runners by selection id`,
    },
  },
  kinds: {
    betfair: {
      settings: () => Settings,
      start,
      plainFields: ({ catalogueUrl }: Static<typeof Settings>) =>
        isPlain(catalogueUrl ?? '') ? [['catalogueUrl', 'appKey and session']] : [],
    },
  },
} satisfies Source
