// Parses the raw request target into an operation and its checked parameters (docs/architecture.md 7.3). Targets
// repeat, so results are cached by the raw text, and parsing is off the hot path.

import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Refusal, refuse } from '../domain/refusal.ts'
import { SPORT_NUMBER, type Sport } from '../domain/sport.ts'
import { parseDateTime } from '../domain/time.ts'
import type { Transport } from '../domain/transport.ts'
import { type CacheTarget, latestPlaces } from './reply-cache.ts'
import { BASE_PATH, OPERATIONS, type OperationId } from './operations.ts'
import type { Parameter, STREAM_TOPICS } from './schemas.ts'

/** What a request for server-sent events asks for. */
export interface StreamQuery {
  readonly topic: (typeof STREAM_TOPICS)[number]
  readonly sport: Sport | undefined
  readonly bookmaker: string | undefined
  readonly event: string | undefined
  readonly snapshot: boolean
  readonly lag: boolean
  readonly fromSeq: string | undefined
  readonly conflateMs: number
  readonly onSlow: string
  readonly quotes: string
  readonly types: readonly string[] | undefined
  readonly leagues: readonly string[] | undefined
}

/** Checked parameters, with defaults; `undefined`: the parameter was not sent, or the operation does not have it. */
export interface Query {
  readonly transport: Transport
  readonly limit: number
  readonly offset: number
  readonly sport: Sport | undefined
  readonly sportNumber: number | undefined
  readonly league: string | undefined
  /** Epoch ms, inclusive. */
  readonly kickoffFrom: number
  readonly kickoffTo: number
  readonly bookmakers: readonly string[] | undefined
  readonly eventId: string
  /** Of a stream. */
  readonly stream: StreamQuery | undefined
}

/** A request target that names an operation. Its number is 0 where it is too long to be cached. */
export interface Target extends CacheTarget {
  readonly operation: OperationId
  /** Whether it needs no key. */
  readonly isPublic: boolean
  /** The transport that the request is counted for before its parameters are checked: `rest` unless it says `live`. */
  readonly transport: Transport
  readonly query: Query | Refusal
}

interface Rule {
  readonly parameter: Parameter
  readonly kind: 'integer' | 'boolean' | 'date-time' | 'list' | 'text'
  readonly fallback: unknown
  check(value: unknown): boolean
  readonly allowed: string
}

interface SchemaFacts {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly default?: unknown
}

const allowedText = (kind: Rule['kind'], facts: SchemaFacts): string => {
  if (facts.enum !== undefined) return `must be one of ${facts.enum.join(', ')}`
  switch (kind) {
    case 'integer':
      return `must be an integer from ${facts.minimum} to ${facts.maximum}, without sign, fraction or leading zeros`
    case 'boolean':
      return 'must be true or false'
    case 'date-time':
      return 'must be an RFC 3339 date-time with an offset, such as 2026-11-20T19:00:00Z'
    case 'list':
      return 'must be bookmaker slugs separated by commas, none blank and none twice'
    case 'text':
      return facts.pattern === undefined ? 'must not be empty' : 'must be digits only'
  }
}

const ruleOf = (parameter: Parameter): Rule => {
  const facts = parameter.schema as TSchema & SchemaFacts
  const kind =
    facts.type === 'integer'
      ? 'integer'
      : facts.type === 'boolean'
        ? 'boolean'
        : facts.type === 'array'
          ? 'list'
          : facts.format === 'date-time'
            ? 'date-time'
            : 'text'
  const compiled = Compile(parameter.schema)
  return {
    parameter,
    kind,
    fallback: facts.default,
    check: (value) => compiled.Check(value),
    allowed: parameter.allowed ?? allowedText(kind, facts),
  }
}

const RULES: Readonly<Record<OperationId, readonly Rule[]>> = Object.fromEntries(
  Object.values(OPERATIONS).map((operation) => [operation.id, operation.parameters.map(ruleOf)]),
) as Record<OperationId, Rule[]>

const STATIC_PATHS: ReadonlyMap<string, OperationId> = new Map(
  Object.values(OPERATIONS)
    .filter((operation) => !operation.path.includes('{'))
    .map((operation) => [BASE_PATH + operation.path, operation.id]),
)

const ODDS_PREFIX = `${BASE_PATH}/events/`
const ODDS_SUFFIX = '/odds'

/** Splits a raw query into decoded pairs; undefined: percent-decoding failed. `+` is a plus. */
const decodePairs = (raw: string): [string, string][] | undefined => {
  const pairs: [string, string][] = []
  for (const part of raw.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    try {
      pairs.push([
        decodeURIComponent(equals === -1 ? part : part.slice(0, equals)),
        equals === -1 ? '' : decodeURIComponent(part.slice(equals + 1)),
      ])
    } catch {
      return undefined
    }
  }
  return pairs
}

const fault = (rule: Rule): Refusal =>
  refuse('validation_failed', `${rule.parameter.name} ${rule.allowed}`, rule.parameter.name)

const valueOf = (rule: Rule, text: string): unknown => {
  switch (rule.kind) {
    case 'integer':
      return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'list':
      return text.split(',')
    case 'date-time':
      return parseDateTime(text) === undefined ? undefined : text
    case 'text':
      return text
  }
}

const parseQuery = (operation: OperationId, raw: string, pathParameters: Record<string, string>): Query | Refusal => {
  const pairs = decodePairs(raw)
  if (pairs === undefined) return refuse('validation_failed', 'the query is not percent-encoded UTF-8')
  const values: Record<string, unknown> = {}
  for (const rule of RULES[operation]) {
    const { name } = rule.parameter
    const sent =
      rule.parameter.in === 'path'
        ? [pathParameters[name]!]
        : pairs.filter(([sentName]) => sentName === name).map(([, value]) => value)
    if (sent.length === 0) {
      if (rule.parameter.isRequired === true) return fault(rule)
      values[name] = rule.fallback
      continue
    }
    if (sent.length > 1) return refuse('validation_failed', `${name} is given more than once`, name)
    const value = sent[0] === '' ? undefined : valueOf(rule, sent[0]!)
    if (value === undefined || !rule.check(value)) return fault(rule)
    values[name] = value
  }
  const from = values.dateFrom === undefined ? undefined : parseDateTime(values.dateFrom as string)!
  const to = values.dateTo === undefined ? undefined : parseDateTime(values.dateTo as string)!
  // Kickoffs are whole milliseconds: a lower bound between two of them is rounded up.
  const kickoffFrom = from === undefined ? Number.NEGATIVE_INFINITY : from.epochMs + (from.isExact ? 0 : 1)
  const kickoffTo = to === undefined ? Number.POSITIVE_INFINITY : to.epochMs
  if (from !== undefined && to !== undefined && from.epochMs > to.epochMs) {
    return refuse('validation_failed', 'dateFrom must be before or equal to dateTo', 'dateFrom')
  }
  const sport = values.sport as Sport | undefined
  return {
    transport: (values.transport ?? 'rest') as Transport,
    limit: (values.limit ?? 0) as number,
    offset: (values.offset ?? 0) as number,
    sport,
    sportNumber: sport === undefined ? undefined : SPORT_NUMBER.get(sport),
    league: values.league as string | undefined,
    kickoffFrom,
    kickoffTo,
    bookmakers: Array.isArray(values.bookmaker) ? values.bookmaker : undefined,
    eventId: (values.eventId ?? '') as string,
    stream: operation === 'streamChanges' ? (values as unknown as StreamQuery) : undefined,
  }
}

const transportOf = (raw: string): Transport => {
  const asked = decodePairs(raw)?.filter(([name]) => name === 'transport')
  return asked?.length === 1 && asked[0]![1] === 'live' ? 'live' : 'rest'
}

/** A longer raw target is parsed each time, so that the cache stays small. */
const REMEMBERED_LENGTH_MAX = 512

/** Targets by path, and by the query behind it: no text of both is made, whose hashing would copy it. */
class KnownTargets {
  /** Paths and queries that were added. */
  size = 0
  private readonly paths = new Map<string, Target>()
  private readonly queries = new Map<string, Map<string, Target>>()

  get(path: string, rawQuery: string): Target | undefined {
    return rawQuery === '' ? this.paths.get(path) : this.queries.get(path)?.get(rawQuery)
  }

  add(path: string, rawQuery: string, target: Target): void {
    this.size++
    if (rawQuery === '') {
      this.paths.set(path, target)
      return
    }
    let ofPath = this.queries.get(path)
    if (ofPath === undefined) this.queries.set(path, (ofPath = new Map()))
    ofPath.set(rawQuery, target)
  }
}

/** Caches parsed targets by their raw text. */
export class Targets {
  // Two generations: a target in use stays, with its number, however many others come, and a hit needs no reordering.
  private known = new KnownTargets()
  private older = new KnownTargets()
  private readonly targetsMax: number
  private lastNumber = 0

  constructor(targetsMax: number) {
    this.targetsMax = targetsMax
  }

  /** The target that a path and raw query name; undefined: there is none (404). */
  parse(path: string, rawQuery: string): Target | undefined {
    return this.known.get(path, rawQuery) ?? this.recall(path, rawQuery) ?? this.parseNew(path, rawQuery)
  }

  private parseNew(path: string, rawQuery: string): Target | undefined {
    const pathParameters: Record<string, string> = {}
    let operation = STATIC_PATHS.get(path)
    let badPath = false
    if (operation === undefined) {
      if (!path.startsWith(ODDS_PREFIX) || !path.endsWith(ODDS_SUFFIX)) return undefined
      const segment = path.slice(ODDS_PREFIX.length, -ODDS_SUFFIX.length)
      if (segment === '' || segment.includes('/')) return undefined
      operation = 'getEventOdds'
      try {
        pathParameters.eventId = decodeURIComponent(segment)
      } catch {
        badPath = true
      }
    }
    const isRemembered = path.length + rawQuery.length < REMEMBERED_LENGTH_MAX
    const target: Target = {
      number: isRemembered ? ++this.lastNumber : 0,
      operation,
      isPublic: OPERATIONS[operation].isPublic,
      transport: transportOf(rawQuery),
      query: badPath
        ? refuse('validation_failed', 'eventId is not percent-encoded UTF-8', 'eventId')
        : parseQuery(operation, rawQuery, pathParameters),
      latest: latestPlaces(),
    }
    if (isRemembered) this.remember(path, rawQuery, target)
    return target
  }

  private recall(path: string, rawQuery: string): Target | undefined {
    const target = this.older.get(path, rawQuery)
    if (target !== undefined) this.remember(path, rawQuery, target)
    return target
  }

  private remember(path: string, rawQuery: string, target: Target): void {
    if (this.known.size >= this.targetsMax) {
      this.older = this.known
      this.known = new KnownTargets()
    }
    this.known.add(path, rawQuery, target)
  }
}
