// A STOMP broker as a source: its settings. Its messages may have any format.

import Type, { type Static } from 'typebox'
import { isLoopback } from '../../domain/loopback.ts'
import { cadenceOfBeats } from '../kit/cadence.ts'
import type { Formats } from '../kit/format.ts'
import type { PlainField } from '../kit/plain-field.ts'
import { LINK_LIMITS, ms, type Planner } from '../kit/planner.ts'
import {
  BOOKMAKER,
  COMMON,
  flag,
  object,
  oneOf,
  payloadFields,
  seconds,
  secret,
  text,
  url,
  whole,
} from '../kit/settings.ts'
import type { Source, Start } from '../kit/source.ts'
import { endpointOf } from '../kit/stomp-connection.ts'
import { UpstreamBroker } from './upstream-broker.ts'

/** Of a broker's message, which lists the offer of an event or of a league. */
const MESSAGE_LIMITS = {
  bodyBytesMax: 16 * 1024 * 1024,
  heldBytesMax: 64 * 1024 * 1024,
} as const

const settingsOf = (formats: Formats) =>
  object({
    ...COMMON,
    ...BOOKMAKER,
    kind: Type.Literal('stomp'),
    addresses: Type.Array(url('stomp|stomp\\+ssl', 'stomp://HOST:PORT or stomp+ssl://HOST:PORT'), {
      minItems: 1,
      description: 'tried in this order, repeatedly',
    }),
    login: Type.Optional(text('user')),
    passcode: Type.Optional(secret('password')),
    vhost: Type.Optional(text('virtual host')),
    caFile: Type.Optional(text('certificates to trust instead of the public authorities (PEM)')),
    destinations: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: '/queue/odds' }),
    headers: Type.Record(Type.String(), Type.String(), { description: 'more headers of each SUBSCRIBE', default: {} }),
    ack: oneOf(['client', 'client-individual'], 'how messages are acknowledged', 'client-individual'),
    prefetch: whole('messages that the broker may send ahead of our answers', 200),
    format: oneOf(Object.keys(formats), 'of a body', 'observations'),
    ...payloadFields(formats),
    complete: flag('whether a body has all that the source has of the events in it', false),
    onMalformed: oneOf(['ack', 'nack'], 'the answer to a message that cannot be read', 'ack'),
    heartbeatSeconds: seconds('heart-beat', 10, 0.1),
    quietIsHealthy: flag("whether the broker's heart-beats count as signs of life of the source", true),
    durable: Type.Optional(
      Type.Boolean({
        description:
          'whether the destinations keep what comes while the connection is lost; where they do not, all that was fed is ' +
          'suspended when it is lost; left out: true where each begins with /queue/ or /amq/queue/',
      }),
    ),
  })

type Settings = Static<ReturnType<typeof settingsOf>>

const start = (planner: Planner, settings: Settings): Start => {
  const { addresses, passcode, caFile, destinations, headers, ack, prefetch, complete, onMalformed } = settings
  const format = planner.format(settings.format)
  const endpoints = addresses.flatMap((address, index) => {
    const endpoint = endpointOf(address)
    if (endpoint !== undefined) return [endpoint]
    planner.wrong(`addresses[${index}]`, 'must be stomp://HOST:PORT or stomp+ssl://HOST:PORT')
    return []
  })
  if (format.examiner !== undefined && settings.oddsFormat === undefined) {
    planner.wrong(
      'oddsFormat',
      `is missing: of ${settings.format} only the whole recording can show it, and messages hold lines`,
    )
  }
  const options = {
    endpoints,
    login: settings.login ?? null,
    passcode: passcode === undefined ? null : planner.secret('passcode', passcode),
    vhost: settings.vhost ?? null,
    caFile: caFile === undefined ? null : planner.path(caFile),
    destinations,
    headers,
    ack,
    prefetch,
    format,
    facts: planner.payloads(settings),
    bookmaker: settings.bookmaker ?? null,
    transport: settings.transport ?? null,
    complete,
    onMalformed,
    heartbeatMs: ms(settings.heartbeatSeconds),
    quietIsHealthy: settings.quietIsHealthy,
    durable: settings.durable ?? destinations.every((destination) => /^\/(?:amq\/)?queue\//.test(destination)),
    limits: { ...planner.parts.limits, ...LINK_LIMITS, ...MESSAGE_LIMITS },
  }
  const { heartbeatMs, quietIsHealthy } = options
  return {
    // Where only messages are signs of life, a quiet night is no reason to suspend anything.
    cadence: quietIsHealthy ? cadenceOfBeats(heartbeatMs) : { ...cadenceOfBeats(heartbeatMs), suspendMs: null },
    connect: (context) => new UpstreamBroker(options, context),
  }
}

const plainFields = ({ passcode, addresses }: Settings): PlainField[] => {
  if (passcode === undefined) return []
  return addresses.flatMap((address, index): PlainField[] => {
    const endpoint = endpointOf(address)
    const isSafe = endpoint === undefined || endpoint.tls || isLoopback(endpoint.host)
    return isSafe ? [] : [[`addresses[${index}]`, 'passcode']]
  })
}

export const stompSource = {
  kinds: { stomp: { settings: settingsOf, start, plainFields } },
} satisfies Source
