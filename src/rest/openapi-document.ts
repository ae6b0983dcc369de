// The OpenAPI 3.1 document (docs/architecture.md 7), made from the operations and schemas that the router itself uses.

import type { TSchema } from 'typebox'
import { REFUSAL_STATUS, type RefusalCode } from '../domain/refusal.ts'
import { EXAMPLES } from './examples.ts'
import { BASE_PATH, OPERATIONS, type Operation, type OperationId } from './operations.ts'
import { COMPONENTS, type Parameter } from './schemas.ts'

/** Version of the contract (CONTRIBUTING.md 4). */
export const CONTRACT_VERSION = '1.0.0'

/** Used in examples if the service's own address is not known. */
const EXAMPLE_URL = 'http://localhost:8080'

const CONDITIONS: Readonly<Record<RefusalCode, string>> = {
  validation_failed: 'A query or path parameter fails validation; the message names it and what is allowed.',
  missing_api_key: 'No credential was sent.',
  invalid_api_key: 'The key is malformed, unknown, expired or revoked, or two credentials disagree.',
  live_not_enabled: '`transport=live` without a plan that has Live.',
  forbidden: 'No product-verified bookmaker entitlement for the requested sport and transport.',
  api_key_scope_denied: 'The key is restricted and does not allow the requested channel, bookmaker or sport.',
  not_found: 'The event does not exist or is not visible to the organization.',
  method_not_allowed: 'Only GET, HEAD and OPTIONS.',
  rate_limit_exceeded:
    'The hourly rate limit or the monthly REST request quota is exhausted, or, for a stream, the plan has no live connection left; the message says which.',
  service_unavailable: 'Limits cannot be checked or recorded just now; every request is refused.',
}

const RESPONSE_NAMES: Readonly<Record<number, string>> = {
  400: 'ValidationFailed',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'RateLimited',
  503: 'Unavailable',
}

const header = (type: string, description: string, example: unknown) => ({
  description,
  schema: { type },
  example,
})

const HEADERS = {
  ETag: header(
    'string',
    'Strong validator of these bytes; send it in `If-None-Match` to get 304. It ends in `-gzip` where they are in gzip; a client that takes gzip may send either.',
    '"47DEQpj8HBSa-_TImW-5JC"',
  ),
  'X-Odds-Seq': header('string', 'Position in the log when this was answered, `EPOCH-SEQ`.', 'mi8n2k4p-881234'),
  'X-Odds-Log': header(
    'string',
    'Only `away`: the log of several processes cannot be written at the moment, so nothing changes until it can.',
    'away',
  ),
  'X-RateLimit-Limit': header('integer', 'Requests allowed in the active hourly or monthly window.', 10_000),
  'X-RateLimit-Remaining': header('integer', 'Requests remaining in that window.', 9_871),
  'X-RateLimit-Reset': header('integer', 'Unix timestamp when the window resets.', 1_795_204_800),
  'Retry-After': header('integer', 'Seconds until the next request is allowed.', 1_740),
} as const

type HeaderName = keyof typeof HEADERS

const headersOf = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const RATE_HEADERS: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const namesOfComponents = new Map<unknown, string>(Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]))

/** A schema in the document's form: named ones by reference. */
const shown = (schema: unknown, isDefinition = false): unknown => {
  const name = namesOfComponents.get(schema)
  if (name !== undefined && !isDefinition) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(schema)) return schema.map((entry) => shown(entry))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !key.startsWith('~'))
      .map(([key, value]) => [key, shown(value)]),
  )
}

const shownParameter = (parameter: Parameter) => ({
  name: parameter.name,
  in: parameter.in,
  required: parameter.in === 'path' || parameter.isRequired === true,
  description: parameter.description,
  // An array is one comma-separated value.
  ...((parameter.schema as TSchema & { type?: string }).type === 'array' ? { style: 'form', explode: false } : {}),
  schema: shown(parameter.schema),
})

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last event, as EventSource sends it when it connects again: everything after it follows.',
  schema: { type: 'string' },
}

const errorResponse = (status: number, pagesUrl: string) => {
  const codes = (Object.keys(REFUSAL_STATUS) as RefusalCode[]).filter((code) => REFUSAL_STATUS[code] === status)
  const examples = Object.fromEntries(
    codes.map((code) => {
      const links =
        code === 'forbidden' ? { upgradeUrl: `${pagesUrl}/billing`, docsUrl: `${pagesUrl}/docs/errors#forbidden` } : {}
      return [code, { summary: code, value: { error: { code, message: CONDITIONS[code], ...links } } }]
    }),
  )
  return {
    description: codes.map((code) => `\`${code}\`: ${CONDITIONS[code]}`).join('\n\n'),
    headers:
      status === 429
        ? headersOf(...RATE_HEADERS, 'Retry-After')
        : status === 401 || status === 503
          ? {}
          : headersOf(...RATE_HEADERS),
    content: { 'application/json': { schema: shown(COMPONENTS.Error), examples } },
  }
}

const shownOperation = (operation: Operation, id: OperationId) => {
  const statuses = [...new Set(operation.refusals.map((code) => REFUSAL_STATUS[code]))].sort((a, b) => a - b)
  const publicHeaders = {
    'Access-Control-Allow-Origin': { schema: { type: 'string', const: '*' }, description: 'Any origin may read it.' },
    'Cache-Control': { schema: { type: 'string', const: 'public, max-age=300' }, description: 'Five minutes.' },
    ...headersOf('ETag'),
  }
  const headers = operation.isPublic
    ? publicHeaders
    : operation.isStream === true
      ? headersOf('X-Odds-Seq', 'X-Odds-Log')
      : headersOf('ETag', 'X-Odds-Seq', 'X-Odds-Log', ...RATE_HEADERS)
  const contentType = operation.isStream === true ? 'text/event-stream' : 'application/json'
  const notModified = { description: 'Not modified: `If-None-Match` names the current ETag.', headers }
  return {
    operationId: id,
    tags: [operation.isPublic ? 'Contract' : 'Odds'],
    summary: operation.summary,
    description: operation.description,
    ...(operation.isPublic ? { security: [] } : {}),
    ...(operation.parameters.length === 0
      ? {}
      : {
          parameters: [
            ...operation.parameters.map(shownParameter),
            ...(operation.isStream === true ? [LAST_EVENT_ID] : []),
          ],
        }),
    responses: {
      200: {
        description: operation.answerDescription,
        headers,
        content: { [contentType]: { schema: shown(operation.answer), examples: EXAMPLES[id] } },
      },
      ...(operation.isStream === true ? {} : { 304: notModified }),
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/${RESPONSE_NAMES[status]}` }]),
      ),
    },
  }
}

/**
 * The document. `publicUrl`: how customers reach the service, without the version prefix; empty if that is not known:
 * then the server's address is relative to the document's own.
 */
export const openApiDocument = (publicUrl: string) => {
  const pagesUrl = publicUrl === '' ? EXAMPLE_URL : publicUrl
  return {
    openapi: '3.1.0',
    info: {
      title: 'oddswire',
      version: CONTRACT_VERSION,
      summary: 'Current odds from European bookmakers, read-only.',
      description: [
        'Decimal odds of many bookmakers and sports, from one memory. Two product channels, `rest` and `live`, are selected by the `transport` parameter.',
        'REST answers hold only quotes that are open, were observed within the last 24 hours and come from eligible bookmakers. That a quote is missing means only that it is no longer tradable or no longer fresh: suspensions are on the live stream.',
        'Pages in browsers may read answers and refusals where the operator has listed their origin (CORS): `OPTIONS` is answered for every path, without a key.',
        'Answers of 4 KiB or more come with `Content-Encoding: gzip` where `Accept-Encoding` prefers it, once somebody has asked for the same bytes before.',
        'Compatible additions may appear under /api/v1: clients must tolerate new fields and values.',
      ].join('\n\n'),
      license: { name: 'Proprietary', url: `${pagesUrl}/` },
      contact: { name: 'The operator of this service', url: `${pagesUrl}/` },
    },
    servers: [{ url: `${publicUrl}${BASE_PATH}`, description: 'This service' }],
    security: [{ BearerKey: [] }, { HeaderKey: [] }],
    tags: [
      { name: 'Odds', description: 'Sports, events, odds and bookmakers. One API key per request.' },
      { name: 'Contract', description: 'The contract itself.' },
    ],
    paths: Object.fromEntries(
      (Object.entries(OPERATIONS) as [OperationId, Operation][]).map(([id, operation]) => [
        operation.path,
        { get: shownOperation(operation, id) },
      ]),
    ),
    components: {
      securitySchemes: {
        BearerKey: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer API_KEY` (recommended).' },
        HeaderKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: '`X-Api-Key: API_KEY`.' },
      },
      headers: HEADERS,
      responses: Object.fromEntries(
        Object.entries(RESPONSE_NAMES).map(([status, name]) => [name, errorResponse(Number(status), pagesUrl)]),
      ),
      schemas: Object.fromEntries(Object.entries(COMPONENTS).map(([name, schema]) => [name, shown(schema, true)])),
    },
  }
}
