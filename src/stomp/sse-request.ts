// A request for server-sent events: its parameters as the headers of a SUBSCRIBE.

import type { Caller } from '../access/gate.ts'
import type { Registry } from '../access/registry.ts'
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts'
import { TOPIC_PREFIX, TOPICS, type Topic } from './destination.ts'
import { FrameHeaders } from './frame-headers.ts'
import { type LogPoint, readSubscribe, type SubscribeFrame } from './subscribe.ts'

/** Checked parameters; undefined: not given. */
export interface SseQuery {
  readonly topic: Exclude<Topic, 'refusals'>
  readonly sport: string | undefined
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
  /** The header `Last-Event-ID`. */
  readonly lastEventId: string | undefined
}

/** What a caller that was admitted gets. */
export interface SseAdmission {
  readonly caller: Caller
  readonly request: SubscribeFrame
  readonly wantsLag: boolean
}

/** The id of an event: EPOCH-SEQ, in a snapshot with the number of the part. */
const EVENT_ID = /^([0-9A-Za-z]{1,32})-(\d{1,15})(\.\d{1,15})?$/

/** Reads the parameters of a caller, as SUBSCRIBE reads its headers. */
export const readSse = (
  query: SseQuery,
  caller: Caller,
  registry: Registry,
  conflateMsMax: number,
): SubscribeFrame | Refusal => {
  const { topic } = query
  const asked = { sport: query.sport, bookmaker: query.bookmaker, eventId: query.event }
  const segments: readonly (keyof typeof asked)[] = TOPICS[topic]
  for (const name of ['sport', 'bookmaker', 'eventId'] as const) {
    // Left out silently, the client would get more than it has asked for.
    if (asked[name] === undefined || segments.includes(name)) continue
    const parameter = name === 'eventId' ? 'event' : name
    return refuse('validation_failed', `${parameter} must be left out: topic ${topic} has none`, parameter)
  }
  const from = readPoint(query)
  if (from !== undefined && isRefusal(from)) return from
  const destination = `${TOPIC_PREFIX}${[topic, ...segments.map((name) => asked[name] ?? '*')].join('.')}`
  const pairs = ['destination', destination, 'snapshot', String(query.snapshot)]
  // It is the only subscription.
  pairs.push('id', 'events', 'conflate-ms', String(query.conflateMs), 'on-slow', query.onSlow, 'quotes', query.quotes)
  if (from !== undefined) pairs.push('from-seq', `${from.epoch}-${from.seq}`)
  if (query.types !== undefined) pairs.push('types', query.types.join())
  if (query.leagues !== undefined) pairs.push('leagues', query.leagues.join())
  const request = readSubscribe(new FrameHeaders(pairs), caller, registry, conflateMsMax)
  if (isRefusal(request) || from === undefined) return request
  return { ...request, from }
}

/** The point to resume from. The header is of a reconnect, and later than the parameter. */
const readPoint = ({ lastEventId, fromSeq }: SseQuery): LogPoint | Refusal | undefined => {
  const text = lastEventId === undefined || lastEventId === '' ? fromSeq : lastEventId
  if (text === undefined) return undefined
  const match = EVENT_ID.exec(text)
  if (match === null) {
    const name = text === fromSeq ? 'fromSeq' : 'Last-Event-ID'
    return refuse('validation_failed', `${name} must be the id of an event, or an X-Odds-Seq: EPOCH-SEQ`, name)
  }
  return { epoch: match[1]!, seq: Number(match[2]), isInSnapshot: match[3] !== undefined }
}
