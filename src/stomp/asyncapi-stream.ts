// Server-sent events in the AsyncAPI document: the topics once more, as a response to GET.

import type { Schema } from '../source/observations/observation-fields.ts'
import { CODE_WORDS } from './asyncapi-words.ts'
import { ErrorBody, PAYLOADS, Prev, ShortUpdate, subscribeHeaders } from './asyncapi-schemas.ts'
import { TOPICS, type Topic } from './destination.ts'
import type { EventType } from './event-frame.ts'
import { type Kind, KINDS } from './message.ts'
import type { LiveLimits } from './session-limits.ts'

/** Path of the stream on the HTTP port. */
export const STREAM_PATH = '/api/v1/stream'

const STREAMED = (Object.keys(TOPICS) as Topic[]).filter((topic) => topic !== 'refusals')

const STREAMED_KINDS = KINDS.filter((kind) => kind !== 'refusal')

const propertiesOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  schema.properties as Readonly<Record<string, Schema>>

const payloadOf = (kind: Kind): Schema => {
  const bodies = [...new Set(STREAMED.map((topic) => PAYLOADS[topic][kind]).filter((body) => body !== undefined))]
  const body = bodies.length === 1 ? bodies[0]! : { anyOf: bodies }
  if (kind !== 'update') return body
  return { allOf: [{ type: 'object', required: ['prev'], properties: { prev: Prev } }, body] }
}

const idOf = (kind: EventType | 'error'): string => {
  switch (kind) {
    case 'update':
    case 'short':
    case 'degraded':
    case 'restored':
      return 'The `message-id`. None where that has a dot, and for a price that `conflateMs` has held, which is older than messages before it.'
    case 'snapshot':
    case 'reset':
      return '`EPOCH-SEQ.N`: whoever resumes from here has half a snapshot, and gets `reset` (`incomplete`) and another one.'
    case 'error':
      return 'As `resumeFrom`.'
    case 'lag':
      return 'None.'
    default:
      return 'The `message-id`.'
  }
}

const messageOf = (kind: EventType | 'error', summary: string, payload: Schema) => ({
  name: `Stream${kind[0]!.toUpperCase()}${kind.slice(1)}`,
  title: `stream: ${kind}`,
  summary,
  headers: {
    type: 'object',
    description: 'Fields of the event.',
    required: ['event'],
    properties: { event: { const: kind }, id: { type: 'string', description: idOf(kind) } },
  },
  payload,
})

const STREAM_SHORT: Schema = {
  ...ShortUpdate,
  minItems: 4,
  description: `${String(ShortUpdate.description)}\n\nHere \`[prev, recorded, age, change, …]\`: \`prev\` is the SEQ of the message before.`,
}

const STREAM_ERROR: Schema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: propertiesOf(ErrorBody).error!,
    resumeFrom: { ...Prev, description: 'Everything up to this point was sent. Missing in the middle of a snapshot.' },
  },
}

/** The messages of the channel. */
export const streamMessages = () => ({
  ...Object.fromEntries(
    STREAMED_KINDS.map((kind) => [kind, messageOf(kind, `The body of a MESSAGE of kind ${kind}.`, payloadOf(kind))]),
  ),
  short: messageOf('short', 'Changes of quotes by number (`quotes=numbered`).', STREAM_SHORT),
  error: messageOf('error', `The response ends. ${CODE_WORDS.slow_consumer}`, STREAM_ERROR),
})

/** The query of the request; `/api/v1/spec` has its parameters in full. */
export const streamQuery = (limits: LiveLimits): Schema => {
  const properties = propertiesOf(subscribeHeaders(limits))
  const text = (description: string): Schema => ({ type: 'string', description })
  return {
    type: 'object',
    required: ['topic'],
    properties: {
      topic: { type: 'string', enum: STREAMED },
      sport: text('Only this sport.'),
      bookmaker: text('Only this bookmaker.'),
      event: text('Only this event, by its id.'),
      snapshot: properties.snapshot!,
      lag: text('`true`: also how far this stream is behind, once a second.'),
      fromSeq: properties['from-seq']!,
      conflateMs: properties['conflate-ms']!,
      onSlow: properties['on-slow']!,
      quotes: properties.quotes!,
      types: properties.types!,
      leagues: properties.leagues!,
    },
  }
}

export const STREAM_WORDS = [
  'What a topic carries, as server-sent events, for clients behind proxies that block WebSocket. The same rights, limits and rule for slow consumers; a stream counts as a live connection, and as no request.',
  'The data of an event is the body of the MESSAGE, of an `update` with `prev` as the first member, and of a `short` with its SEQ. `Last-Event-ID`, or `fromSeq`, resumes. Refusals are HTTP answers, as on REST, until the first octet.',
].join('\n\n')
