// The configuration of sources, `oddswire.feeds.json`: its schema and its reader. It contains no secrets: where one is
// needed the value is the name of a variable of the environment, `$NAME`.

import Type, { type Static, type TSchema } from 'typebox'
import Value from 'typebox/value'
import { isRecord } from '../domain/record.ts'
import { object, oneOf, SECRET_PATTERN, whole } from '../source/kit/settings.ts'
import { isKind, KINDS, schemaOf, type SourceKind, type SourceSettings } from './source-kinds.ts'

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

/** Why a configuration was refused: the place in it and what is wrong there. */
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

/** The first fault of a value, in terms of the file; undefined: none. */
const faultOf = (schema: TSchema, value: unknown, within: string): FeedsFault | undefined => {
  const errors = Value.Errors(schema, value)
  // An unknown member is reported as such, and not by the faults that it causes.
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
      const isSecret = String(pattern).includes(SECRET_PATTERN.slice(1, -1))
      return {
        field,
        message: isSecret
          ? 'must be the name of a variable of the environment, $NAME: this file must not hold secrets'
          : `must match ${String(pattern)}`,
      }
    }
    default:
      return { field: field === '' ? 'file' : field, message: error.message }
  }
}

/** Reads a configuration. One fault refuses the whole file. */
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
    const schema = schemaOf(kind)
    const settings = Value.Default(schema, entry) as SourceSettings
    const wrong = faultOf(schema, settings, place)
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

/** A schema as the author of the file sees it: what has a default may be omitted. */
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
    properties: {
      ...Top.properties,
      sources: { type: 'array', items: { anyOf: (Object.keys(KINDS) as SourceKind[]).map(schemaOf) } },
    },
  }) as object),
})
