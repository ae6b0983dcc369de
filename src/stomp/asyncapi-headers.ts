// The headers of the frames of the live channel as JSON Schemas.

import { MARKET_TYPES } from '../domain/market.ts'
import { SPORTS } from '../domain/sport.ts'
import { listed, type Schema } from '../source/observations/observation-fields.ts'
import { among, Code, DIGITS, either, LOG_POINT, matching, object, SLUG, text } from './asyncapi-schemas.ts'
import { ACK_WORDS } from './asyncapi-words.ts'
import { VERSIONS } from './connect.ts'
import { TOPICS, type Topic } from './destination.ts'
import { ENCODINGS, type Kind } from './message.ts'
import type { LiveLimits } from './session-limits.ts'
import { ACK_MODES, type AckMode } from './subscription.ts'

/** What a destination that was subscribed to may hold beside the letters of a topic. */
const SUBSCRIBED = '^/topic/[A-Za-z0-9._*#-]+$'

export const SEGMENTS = {
  sport: either(SPORTS),
  bookmaker: SLUG,
  eventId: DIGITS,
} as const

export const TOPIC_PREFIX = '/topic/'

export const addressOf = (topic: Topic): string =>
  `${TOPIC_PREFIX}${[topic, ...TOPICS[topic].map((segment) => `{${segment}}`)].join('.')}`

const destinationOf = (topic: Topic): string =>
  `^${TOPIC_PREFIX}${[topic, ...TOPICS[topic].map((segment) => SEGMENTS[segment])].join('\\.')}$`

/** Kinds whose message-id is a point from which a SUBSCRIBE can go on. */
const RESUME_POINTS: readonly Kind[] = ['update', 'snapshot-end']
/** Kinds that name the destination subscribed to, with its wildcards. */
export const OF_SUBSCRIPTION: readonly Kind[] = ['snapshot-end', 'reset']

const AnyDestination = matching(SUBSCRIBED, 'The destination that was subscribed to.')
const LogPoint = matching(`^${LOG_POINT}$`, 'Where the log is after this message: what `from-seq` takes.')
const PartId = matching(`^${LOG_POINT}\\.\\d+$`, 'No resume point: `EPOCH-SEQ.N`.')
const Prev = matching(
  `^${LOG_POINT}$`,
  'The message before this one among those of the same topics and rights. If you have all up to S and this is greater than S, you have missed something.',
)
const ContentType = among(Object.values(ENCODINGS), 'As the SUBSCRIBE has asked for; the same body either way.')
const ContentLength = matching('^\\d+$', 'Length of the body in octets.')
const SubscriptionId = text('The id that the SUBSCRIBE gave. Missing only in STOMP 1.0, where it may give none.')
const AckId = matching(
  `^${LOG_POINT}(\\.\\d+)?/\\d+$`,
  'What ACK and NACK name; in STOMP 1.2, where messages are acknowledged. They may give the `message-id` instead, in `id` or in a header of that name, where one subscription of the session alone waits for it.',
)

/** The headers of a MESSAGE of a topic and kind. */
export const messageHeaders = (topic: Topic, kind: Kind): Schema => {
  const acknowledges = topic !== 'lag' && topic !== 'refusals'
  return object(
    'Headers of the MESSAGE frame. All are texts.',
    {
      destination: OF_SUBSCRIPTION.includes(kind)
        ? AnyDestination
        : matching(destinationOf(topic), 'What the message is about.'),
      'message-id': RESUME_POINTS.includes(kind) ? LogPoint : PartId,
      ...(kind === 'update' ? { prev: Prev } : {}),
      kind: { const: kind },
      'content-type': ContentType,
      'content-length': ContentLength,
    },
    { subscription: SubscriptionId, ...(acknowledges ? { ack: AckId } : {}) },
  )
}

const RECEIPT = text('Asks for a RECEIPT with this id, once the frame has taken effect.')

export const subscribeHeaders = ({ conflateMsMax }: LiveLimits): Schema =>
  object(
    'Headers of the SUBSCRIBE frame. All are texts. Only those marked STOMP are from there.',
    {
      destination: matching(
        SUBSCRIBED,
        'STOMP. A topic; a segment may be `*`, the last one `#` for all that are left.',
      ),
    },
    {
      id: text('STOMP. Names the subscription; needed from 1.1 on.'),
      ack: { ...among(ACK_MODES, `STOMP.\n\n${listed(ACK_MODES, ACK_WORDS)}`), default: 'auto' satisfies AckMode },
      receipt: RECEIPT,
      snapshot: {
        ...among(['true', 'false'], 'First the present state of all that matches, then its changes.'),
        default: 'false',
      },
      'from-seq': matching(
        `^${LOG_POINT}$`,
        "First everything after this point, then what happens: a `message-id` of an `update` or a `snapshot-end`, a `resume-from`, or REST's `X-Odds-Seq`.",
      ),
      'conflate-ms': {
        ...matching(
          '^\\d{1,9}$',
          `0 to ${conflateMsMax}. Of each quote at most one price in this time, the latest. All other changes come at once, with the price of their moment. With it a message may have a lower id than one before: the greatest is the point to go on from. Only on \`odds\`.`,
        ),
        default: '0',
      },
      types: matching(`^${either(MARKET_TYPES)}(,${either(MARKET_TYPES)})*$`, 'Only these market types.'),
      leagues: matching(
        '^[A-Za-z0-9][A-Za-z0-9_.:/-]*(,[A-Za-z0-9][A-Za-z0-9_.:/-]*)*$',
        'Only these leagues, by key.',
      ),
      'content-type': {
        type: 'string',
        description: `How the bodies of its messages are to be written: \`${ENCODINGS.msgpack}\` (in any case, parameters are ignored) selects MessagePack, every other value JSON.`,
        default: ENCODINGS.json,
        examples: Object.values(ENCODINGS),
      },
    },
  )

export const CONNECT_HEADERS = object(
  'Headers of the CONNECT frame (STOMP is taken for it, too). The key is needed once, in one of three headers.',
  {},
  {
    'accept-version': text(
      `Versions that the client speaks, with commas between; the highest of ${VERSIONS.join(', ')} wins. Without it: 1.0.`,
    ),
    host: text('Taken, and not looked at.'),
    'heart-beat': matching(
      '^ *\\d{1,9} *, *\\d{1,9} *$',
      'What the client sends and what it wants, ms; 0: none.',
      '10000,10000',
    ),
    login: text('Taken, and not looked at.'),
    passcode: text('The key.'),
    Authorization: text('`Bearer` and the key.'),
    'X-Api-Key': text('The key.'),
  },
)

export const CONNECTED_HEADERS = object('Headers of the CONNECTED frame.', {
  version: among(VERSIONS, 'The version that is spoken.'),
  session: text('Names the session.'),
  server: matching('^oddswire/', 'Name and version of the service.'),
  'heart-beat': matching('^\\d+,\\d+$', 'What the service sends and what it wants, ms.'),
})

export const RECEIPT_HEADERS = object(
  'Headers of the RECEIPT frame.',
  { 'receipt-id': text('The `receipt` of the frame that has taken effect.') },
  { refused: { ...Code, description: 'The SEND was refused; the refusal came before on `/topic/refusals`.' } },
)

export const ERROR_HEADERS = object(
  'Headers of the ERROR frame.',
  {
    message: Code,
    detail: text(
      'The `message` of the body on one line, shortened where it is long: for clients that show headers only.',
    ),
    'content-type': { const: 'application/json' },
    'content-length': ContentLength,
  },
  {
    field: text('The `field` of the body, where there is one.'),
    'retry-after': matching('^\\d+$', 'Seconds until the key may connect again, where it connects too often.'),
    'receipt-id': text('The `receipt` of the frame that is at fault.'),
    'resume-from': matching(
      `^${LOG_POINT}$`,
      'Everything up to here was handed to the connection. Missing in the middle of a snapshot.',
    ),
    version: text('The versions that are spoken, where the client speaks none of them.'),
  },
)

export const SEND_HEADERS = object(
  'Headers of the SEND frame. All are texts.',
  { destination: matching(`^/feed/${SLUG}$`, 'The bookmaker that was seen.') },
  {
    receipt: text(
      'Asks for a RECEIPT with this id: the observation is on the board. Without one, SEND it again after a reconnect; that is harmless.',
    ),
    transaction: text('The transaction that it is part of.'),
    'content-type': text(`Not looked at: the body is ${ENCODINGS.json}.`),
    'content-length': ContentLength,
  },
)

/** The schemas of headers that the document names. */
export const HEADERS = {
  AnyDestination,
  LogPoint,
  PartId,
  Prev,
  ContentType,
  ContentLength,
  SubscriptionId,
  AckId,
} as const satisfies Record<string, Schema>
