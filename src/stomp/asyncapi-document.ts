// The AsyncAPI 3.0 document, made from the tables that the broker itself uses. It describes the service, so that `send`
// is what the service sends and `receive` what it accepts; a client does the opposite.

import { FEED_STATES } from '../domain/feed-health.ts'
import { SPORTS } from '../domain/sport.ts'
import { listed, observationSchema, type Schema } from '../source/observations/observation-fields.ts'
import {
  at,
  BOOKMAKER,
  EVENT_ID,
  exampleError,
  exampleOf,
  OBSERVATION_EXAMPLES,
  shortExample,
} from './asyncapi-examples.ts'
import {
  addressOf,
  COMPONENTS,
  CONNECT_HEADERS,
  CONNECTED_HEADERS,
  ERROR_HEADERS,
  ErrorBody,
  messageHeaders,
  NO_BODY,
  PAYLOADS,
  RECEIPT_HEADERS,
  type SEGMENTS,
  SEND_HEADERS,
  shortHeaders,
  ShortUpdate,
  subscribeHeaders,
} from './asyncapi-schemas.ts'
import { STREAM_PATH, STREAM_WORDS, streamMessages, streamQuery } from './asyncapi-stream.ts'
import { CODE_WORDS, type DocumentLimits, feedWords, TOPIC_WORDS } from './asyncapi-words.ts'
import { VERSIONS } from './connect.ts'
import { TOPIC_PREFIX, TOPICS, type Topic } from './destination.ts'
import { ENCODINGS, type Kind } from './message.ts'
import { isNumberedTopic } from './numbers.ts'
import { limitsShown } from './session-limits.ts'

/** Version of the live contract. */
export const LIVE_CONTRACT_VERSION = '1.0.0'

export interface LiveDocumentOptions {
  /** How customers reach the HTTP port: an absolute URL without a slash at its end. */
  readonly publicUrl: string
  /** The TCP port in use. */
  readonly stompPort: number
  /** Whether the TCP port uses TLS. */
  readonly isTls: boolean
  readonly limits: DocumentLimits
}

const namesOfComponents = new Map<unknown, string>(Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]))

/** A schema in the document's form: named ones by reference. */
const shown = (schema: unknown, isDefinition = false): unknown => {
  const name = namesOfComponents.get(schema)
  if (name !== undefined && !isDefinition) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(schema)) return schema.map((entry) => shown(entry))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, shown(value)]))
}

/** Path of WebSocket upgrades on the HTTP port. */
const WEBSOCKET_PATH = '/stomp'

const camel = (texts: readonly string[]): string =>
  texts
    .flatMap((each) => each.split('-'))
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join('')

/** Short updates have no kind; here they have a name. */
const shortMessagesOf = (topic: Topic) =>
  isNumberedTopic(topic)
    ? {
        short: {
          name: camel([topic, 'short']),
          title: `${topic}: short`,
          summary: 'Changes of quotes by number (`quotes:numbered`). It has no `kind`.',
          'x-stomp-command': 'MESSAGE',
          headers: shown(shortHeaders(topic)),
          payload: shown(ShortUpdate),
          examples: [shortExample(topic)],
        },
      }
    : {}

const messagesOf = (topic: Topic): Readonly<Record<string, object>> => {
  const kinds = Object.entries(PAYLOADS[topic]) as [Kind, Schema][]
  return Object.assign(
    Object.fromEntries(
      kinds.map(([kind, payload]) => [
        kind,
        {
          name: camel(kinds.length === 1 ? [kind] : [topic, kind]),
          title: `${topic}: ${kind}`,
          summary: payload.description,
          'x-stomp-command': 'MESSAGE',
          headers: shown(messageHeaders(topic, kind)),
          payload: shown(payload),
          examples: [exampleOf(topic, kind)],
        },
      ]),
    ),
    shortMessagesOf(topic),
  )
}

const ANY = '*'

const PARAMETERS: Readonly<Record<keyof typeof SEGMENTS, object>> = {
  sport: { enum: [...SPORTS, ANY], default: ANY, description: 'Sport slug; in a SUBSCRIBE also `*` for any.' },
  bookmaker: {
    default: ANY,
    description:
      'Bookmaker slug; in a SUBSCRIBE also `*` for any. A wildcard leaves out what you may not see; a bookmaker that you name and may not see is refused.',
    examples: [BOOKMAKER, ANY],
  },
  eventId: {
    default: ANY,
    description:
      'Event id; in a SUBSCRIBE also `*` for any. The id of an event that was merged into another leads to that one, as on ' +
      'REST, also if it is merged later. A subscriber that asked for a snapshot, or resumes from a point before, gets how the ' +
      'former event ended, then `reset` (`audience`) and a snapshot of what it became.',
    examples: [EVENT_ID, ANY],
  },
}

const channelOf = (topic: Topic, limits: DocumentLimits) => {
  const segments = TOPICS[topic]
  const rest =
    segments.length === 0
      ? []
      : [
          `A segment of a SUBSCRIBE may be \`*\`, the last one \`#\` for all that are left: \`${TOPIC_PREFIX}${topic}.#\`.`,
        ]
  const states = topic === 'feeds' ? [listed(FEED_STATES, feedWords(limits))] : []
  return {
    address: addressOf(topic),
    title: topic,
    servers: STOMP_SERVERS,
    summary: TOPIC_WORDS[topic],
    ...(rest.length + states.length === 0 ? {} : { description: [...rest, ...states].join('\n\n') }),
    messages: messagesOf(topic),
    ...(segments.length === 0
      ? {}
      : { parameters: Object.fromEntries(segments.map((segment) => [segment, PARAMETERS[segment]])) }),
  }
}

const sessionMessages = (limits: DocumentLimits) => ({
  connect: {
    name: 'Connect',
    summary: 'The first frame of a client.',
    'x-stomp-command': 'CONNECT',
    headers: shown(CONNECT_HEADERS),
    payload: NO_BODY,
    examples: [
      {
        name: 'connect',
        headers: { 'accept-version': '1.2', host: 'localhost', 'heart-beat': '10000,10000', passcode: 'API_KEY' },
      },
    ],
  },
  connected: {
    name: 'Connected',
    summary: 'The key is valid, and the session is open.',
    'x-stomp-command': 'CONNECTED',
    headers: shown(CONNECTED_HEADERS),
    payload: NO_BODY,
  },
  subscribe: {
    name: 'Subscribe',
    summary: 'Subscribes to topics: from now on, after a snapshot, or from a point of the log.',
    'x-stomp-command': 'SUBSCRIBE',
    headers: shown(subscribeHeaders(limits)),
    payload: NO_BODY,
    examples: [
      { name: 'snapshot', headers: { id: 'sub-0', destination: '/topic/odds.football.#', snapshot: 'true' } },
      { name: 'resume', headers: { id: 'sub-0', destination: '/topic/odds.football.#', 'from-seq': at(881240) } },
      {
        name: 'slowly',
        headers: { id: 'sub-0', destination: '/topic/odds.#', 'conflate-ms': '1000', types: 'match_result_1x2,total' },
      },
      {
        name: 'numbered',
        headers: { id: 'sub-0', destination: '/topic/odds.#', snapshot: 'true', quotes: 'numbered' },
      },
    ],
  },
  receipt: {
    name: 'Receipt',
    summary: 'A frame has taken effect.',
    'x-stomp-command': 'RECEIPT',
    headers: shown(RECEIPT_HEADERS),
    payload: NO_BODY,
  },
  error: {
    name: 'Error',
    summary: 'The session ends: this is its last frame.',
    'x-stomp-command': 'ERROR',
    headers: shown(ERROR_HEADERS),
    payload: shown(ErrorBody),
    examples: [
      exampleError('slow_consumer', `More than ${limits.pendingBytesMax} octets waited for this session`, {
        'resume-from': at(881240),
      }),
    ],
  },
})

const reference = (...path: string[]) => ({ $ref: `#/${path.join('/')}` })

const STOMP_SERVERS = ['tcp', 'websocket'].map((name) => reference('servers', name))

const messageOf = (channel: string, message: string) => reference('channels', channel, 'messages', message)

/** The answer of the session to a client's frame. */
const answeredBy = (...messages: readonly string[]) => ({
  channel: reference('channels', 'session'),
  messages: [...messages, 'error'].map((message) => messageOf('session', message)),
})

const operations = (limits: DocumentLimits) => ({
  connect: {
    action: 'receive',
    channel: reference('channels', 'session'),
    summary: 'Open a session.',
    messages: [messageOf('session', 'connect')],
    reply: answeredBy('connected'),
  },
  subscribe: {
    action: 'receive',
    channel: reference('channels', 'session'),
    summary: 'Subscribe.',
    description:
      'The RECEIPT comes first, then the snapshot or the replay, then every change. Nothing is missing in between, and nothing is repeated.',
    messages: [messageOf('session', 'subscribe')],
    reply: answeredBy('receipt'),
  },
  observe: {
    action: 'receive',
    channel: reference('channels', 'feed'),
    summary: 'Send an observation.',
    messages: [messageOf('feed', 'observation')],
    reply: answeredBy('receipt'),
  },
  stream: {
    action: 'send',
    channel: reference('channels', 'stream'),
    summary: 'Stream changes.',
    description: STREAM_WORDS,
    messages: Object.keys(streamMessages()).map((message) => messageOf('stream', message)),
    bindings: { http: { method: 'GET', query: shown(streamQuery(limits)), bindingVersion: '0.3.0' } },
  },
  ...Object.fromEntries(
    (Object.keys(TOPICS) as Topic[]).map((topic) => [
      `send${camel([topic])}`,
      {
        action: 'send',
        channel: reference('channels', topic),
        summary: `Publish ${topic}.`,
        messages: Object.keys(messagesOf(topic)).map((message) => messageOf(topic, message)),
      },
    ]),
  ),
})

const SECURITY = {
  BearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: '`Authorization: Bearer API_KEY`, a header of CONNECT; over WebSocket also of the upgrade.',
  },
  HeaderKey: {
    type: 'httpApiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: '`X-Api-Key: API_KEY`, a header of CONNECT; over WebSocket also of the upgrade.',
  },
  Passcode: { type: 'apiKey', in: 'password', description: '`passcode: API_KEY`, a header of CONNECT; any `login`.' },
} as const

const DESCRIPTION = [
  'Odds as they change, over STOMP: plain TCP, or WebSocket; and as server-sent events (channel `stream`). REST and this channel have one log: the quotes that are open by a snapshot and the messages after it are those that REST returns with `transport=live` at the same seq.',
  'This document describes the service: where it says `send`, a client receives. Frames of clients that are not here (UNSUBSCRIBE, ACK, NACK, BEGIN, COMMIT, ABORT, DISCONNECT) are as in STOMP.',
  '**Resume.** Keep the last `message-id` without a dot that you have processed. After a reconnect, SUBSCRIBE with it as `from-seq`: you get everything after it, or a `reset` with the reason why not, and a snapshot. At a `reset`, discard what you had.',
  '**Slow consumers.** A client that does not keep up never gets a gap without notice: it gets ERROR `slow_consumer` with `resume-from`, and the connection is closed. `conflate-ms` and narrower topics reduce the number of messages. With `on-slow:conflate` a subscription that is too far behind gets all changes of status and only the latest prices instead, and is told so (`degraded`, `restored`).',
  'Compatible additions may appear: clients must tolerate new members, headers and values.',
].join('\n\n')

const serversOf = ({ publicUrl, stompPort, isTls }: LiveDocumentOptions) => {
  const { protocol, host, hostname, pathname } = new URL(publicUrl)
  const security = Object.keys(SECURITY).map((name) => reference('components', 'securitySchemes', name))
  return {
    tcp: {
      host: `${hostname}:${stompPort}`,
      protocol: isTls ? 'stomps' : 'stomp',
      protocolVersion: VERSIONS[0],
      description: `STOMP ${VERSIONS.toReversed().join(', ')} over TCP${isTls ? ' with TLS' : ''}.`,
      security,
    },
    websocket: {
      host,
      pathname: `${pathname.replace(/\/$/, '')}${WEBSOCKET_PATH}`,
      protocol: protocol === 'https:' ? 'wss' : 'ws',
      description: `STOMP ${VERSIONS.toReversed().join(', ')} over WebSocket: one frame in each message of the service.`,
      security,
      'x-subprotocols': VERSIONS.map((version) => `v${version.replace('.', '')}.stomp`),
    },
    sse: {
      host,
      pathname: `${pathname.replace(/\/$/, '')}${STREAM_PATH}`,
      protocol: protocol.slice(0, -1),
      description: 'Server-sent events: a response that goes on.',
      security: security.slice(0, 2),
    },
  }
}

/** The document, ready for `JSON.stringify`. */
export const asyncApiDocument = (options: LiveDocumentOptions) => {
  const { publicUrl, limits } = options
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'oddswire live',
      version: LIVE_CONTRACT_VERSION,
      description: DESCRIPTION,
      license: { name: 'Proprietary', url: `${publicUrl}/` },
      contact: { name: 'The operator of this service', url: `${publicUrl}/` },
      externalDocs: { url: 'https://stomp.github.io/stomp-specification-1.2.html', description: 'STOMP 1.2' },
      tags: [{ name: 'Odds', description: 'Current odds and their status, as they change.' }],
    },
    defaultContentType: ENCODINGS.json,
    servers: serversOf(options),
    channels: {
      ...Object.fromEntries((Object.keys(TOPICS) as Topic[]).map((topic) => [topic, channelOf(topic, limits)])),
      feed: {
        address: '/feed/{bookmaker}',
        title: 'feed',
        servers: STOMP_SERVERS,
        summary: 'Observations of a bookmaker, sent with a feed key for it.',
        description:
          'A body that is wrong in any point is refused whole. One that is older than the current quotes gets its RECEIPT and has no effect. Where the board is full, or the share of it that the bookmaker may hold (`service_unavailable`), the quotes that are on the board already are updated all the same.',
        messages: {
          observation: {
            name: 'Observation',
            summary: 'What a source saw of one event at one time.',
            'x-stomp-command': 'SEND',
            headers: shown(SEND_HEADERS),
            payload: shown(observationSchema(limits)),
            examples: OBSERVATION_EXAMPLES,
          },
        },
        parameters: { bookmaker: { description: 'Bookmaker slug.', examples: [BOOKMAKER] } },
      },
      session: {
        address: null,
        title: 'session',
        servers: STOMP_SERVERS,
        summary: 'Frames about the session, without a topic.',
        messages: sessionMessages(limits),
      },
      stream: {
        address: STREAM_PATH,
        title: 'stream',
        servers: [reference('servers', 'sse')],
        summary: 'Topics as server-sent events.',
        description: STREAM_WORDS,
        messages: shown(streamMessages()),
      },
    },
    operations: operations(limits),
    components: {
      securitySchemes: SECURITY,
      schemas: Object.fromEntries(Object.entries(COMPONENTS).map(([name, schema]) => [name, shown(schema, true)])),
    },
    'x-limits': limitsShown(limits),
    'x-error-codes': CODE_WORDS,
  }
}
