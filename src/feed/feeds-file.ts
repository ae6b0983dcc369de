// The configuration of sources, `oddswire.feeds.json`: its schema and its reader. It contains no secrets: where one is
// needed the value is the name of a variable of the environment, `$NAME`.

import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { isRecord } from '../domain/record.ts'
import { object, oneOf, whole } from '../source/kit/settings.ts'
import { type FeedsFault, faultsOf, mustBeOneOf } from './feeds-faults.ts'
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
  /** Those whose settings are right. */
  readonly sources: readonly SourceSettings[]
  /** The place of each of them in the file. */
  readonly places: readonly string[]
  /** HTTP(S) proxies by source mode, for sources without one of their own. */
  readonly proxies: Static<typeof Proxies>
  /** Null: coverage is verified by hand only. */
  readonly verification: VerificationSettings | null
  /** Everything that is wrong with the text of the file; none: it may be used. */
  readonly faults: readonly FeedsFault[]
  /** Sources with such a fault, by their place in the file. */
  readonly unread: ReadonlyMap<string, unknown>
}

/** Line and column of a fault that `JSON.parse` reports by position. */
const lineAndColumn = (content: string, message: string): string => {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position === undefined) return message
  const lines = content.slice(0, Number(position)).split('\n')
  return `${message} (line ${lines.length}, column ${lines.at(-1)!.length + 1})`
}

const nothing = (...faults: FeedsFault[]): FeedsFile => ({
  ...{ sources: [], places: [], proxies: {}, verification: null, unread: new Map() },
  faults,
})

/** What the schema of one field does not show. */
const relatedFaults = (settings: SourceSettings, place: string): FeedsFault[] => {
  const { lateSeconds, downSeconds } = settings
  return lateSeconds !== undefined && downSeconds !== undefined && lateSeconds > downSeconds
    ? [{ field: `${place}.lateSeconds`, message: 'must not be longer than downSeconds' }]
    : []
}

/** Reads a configuration. All that is wrong with it is among its faults. */
export const parseFeeds = (content: string): FeedsFile => {
  let file: unknown
  try {
    file = JSON.parse(content)
  } catch (error) {
    return nothing({ field: 'file', message: `is not JSON: ${lineAndColumn(content, (error as Error).message)}` })
  }
  const filled = Value.Default(Top, file)
  const faults = faultsOf(Top, filled, '')
  if (!isRecord(filled) || !Array.isArray(filled.sources)) return nothing(...faults)
  const {
    sources: entries,
    proxies = {},
    verification = null,
  } = faults.length === 0 ? (filled as Static<typeof Top>) : { sources: filled.sources as unknown[] }
  const sources: SourceSettings[] = []
  const places: string[] = []
  const unread = new Map<string, unknown>()
  const names = new Set<unknown>()
  for (const [index, entry] of entries.entries()) {
    const place = `sources[${index}]`
    const { kind, name } = isRecord(entry) ? entry : {}
    const wrong: FeedsFault[] = []
    if (typeof name === 'string' && names.has(name)) wrong.push({ field: `${place}.name`, message: `repeats ${name}` })
    names.add(name)
    if (isKind(kind)) {
      const settings = Value.Default(schemaOf(kind), entry) as SourceSettings
      wrong.push(...faultsOf(schemaOf(kind), settings, place))
      if (wrong.length === 0) wrong.push(...relatedFaults(settings, place))
      if (wrong.length === 0) {
        sources.push(settings)
        places.push(place)
        continue
      }
    } else wrong.push({ field: `${place}.kind`, message: mustBeOneOf(Object.keys(KINDS), kind) })
    faults.push(...wrong)
    unread.set(place, entry)
  }
  return { sources, places, proxies, verification, faults, unread }
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
