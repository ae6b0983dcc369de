// The settings of sources: parts of schemas, and the fields that many sources have. Secrets are not among the values:
// where one is needed the value is the name of a variable of the environment, `$NAME`.

import Type, { type Static, type TSchema } from 'typebox'
import { BOOKMAKER_SLUG, SOURCE_MODES } from '../../domain/coverage.ts'
import { FED_TRANSPORTS } from '../../domain/transport.ts'
import { type Formats, withOddsFormat } from './format.ts'
import { ODDS_FORMATS } from './odds-format.ts'

const NAME = '^[a-z0-9][a-z0-9_-]{0,63}$'
export const SECRET_PATTERN = '^\\$[A-Z_][A-Z0-9_]*$'

export const oneOf = <Word extends string>(words: readonly Word[], description: string, fallback?: Word) =>
  Type.Unsafe<Word>({ enum: [...words], description, ...(fallback === undefined ? {} : { default: fallback }) })

export const text = (description: string, fallback?: string) =>
  Type.String({ minLength: 1, description, ...(fallback === undefined ? {} : { default: fallback }) })

export const url = (schemes: string, description: string, fallback?: string) =>
  Type.String({
    pattern: `^(${schemes})://[^\\s]+$`,
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  })

export const secret = (description: string) =>
  Type.String({
    pattern: SECRET_PATTERN,
    description: `${description}; the name of a variable of the environment, $NAME`,
  })

// A default would be filled in: a field whose absence has a meaning has none.
const fallingBack = (fallback: number | undefined) => (fallback === undefined ? {} : { default: fallback })

export const seconds = (description: string, fallback: number | undefined, minimum = 0.1) =>
  Type.Number({ minimum, maximum: 31 * 86_400, description: `${description}, s`, ...fallingBack(fallback) })

export const whole = (description: string, fallback: number | undefined, minimum = 1) =>
  Type.Integer({ minimum, maximum: 2 ** 31, description, ...fallingBack(fallback) })

export const flag = (description: string, fallback: boolean) => Type.Boolean({ description, default: fallback })

export const texts = (description: string, fallback: readonly string[] = []) =>
  Type.Array(Type.String({ minLength: 1 }), { description, default: [...fallback] })

const strict = { additionalProperties: false }

export const object = <Members extends Record<string, TSchema>>(members: Members) => Type.Object(members, strict)

/** Fields that every source has. */
export const COMMON = {
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
  pricesPerSecond: whole('prices that it may send a second, on average', 50_000),
  pricesBurst: whole('prices that it may send at once, after a quiet time', 200_000),
}

export const BOOKMAKER = {
  bookmaker: Type.Optional(Type.String({ pattern: BOOKMAKER_SLUG, description: 'whose prices they are' })),
}

/** Fields of sources whose payloads may have any format. */
export const payloadFields = (formats: Formats) => ({
  fixtures: Type.Optional(
    text('a fixture list, relative to this file: names that payloads of betfair, uof, txline lack'),
  ),
  oddsFormat: Type.Optional(
    oneOf(
      ODDS_FORMATS,
      `of the prices of ${withOddsFormat(formats).join(' and ')}; left out: decimal, and a payload that proves otherwise is refused`,
    ),
  ),
})

/** Fields of sources that are polled over HTTP. */
export const HTTP = {
  sourceMode: Type.Optional(
    oneOf(SOURCE_MODES, 'how it is reached; left out: as the registry says of the bookmaker, else direct'),
  ),
  proxy: Type.Optional(
    Type.String({
      pattern: `(^https?://[^\\s@]+$)|(${SECRET_PATTERN})`,
      description: 'HTTP(S) proxy of the proxy modes; left out: that of `proxies`; one with a password as $NAME',
    }),
  ),
  credential: Type.Optional(object({ header: text('a request header'), value: secret('its value') })),
  caFile: Type.Optional(text('certificates of authorities to trust besides the usual ones (PEM)')),
  requestsPerSecond: Type.Number({ minimum: 0.001, maximum: 1_000, description: 'to its host', default: 2 }),
  concurrency: whole('requests under way at a time', 2),
}

const Common = object({ ...COMMON, ...BOOKMAKER })
const Http = object({ ...COMMON, ...BOOKMAKER, ...HTTP })

/** The settings that every kind of source has. */
export type CommonSettings = Static<typeof Common>
export type HttpSettings = Static<typeof Http>
