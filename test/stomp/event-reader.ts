// Server-sent events as a suspicious client reads them (WHATWG HTML, 9.2.6): anything that the service need not send is a
// fault.

import assert from 'node:assert/strict'
import type { ServerFrame } from './strict-frames.ts'

export interface ServerEvent {
  readonly type: string
  /** What EventSource shows as `lastEventId`, and resumes from. */
  readonly lastEventId: string
  /** Whether it has an id of its own. */
  readonly hasId: boolean
  readonly data: string
}

const BODY_TYPES = ['update', 'short', 'snapshot', 'snapshot-end', 'reset', 'lag', 'degraded', 'restored', 'error']

export class EventReader {
  readonly events: ServerEvent[] = []
  lastEventId = ''
  retryMs: number | undefined
  comments = 0
  private rest = Buffer.alloc(0)
  private fields = new Map<string, string>()

  push(bytes: Uint8Array): void {
    let from = 0
    this.rest = Buffer.concat([this.rest, bytes])
    for (let end = this.rest.indexOf(0x0a); end !== -1; end = this.rest.indexOf(0x0a, from)) {
      this.line(new TextDecoder('utf-8', { fatal: true }).decode(this.rest.subarray(from, end)))
      from = end + 1
    }
    this.rest = this.rest.subarray(from)
  }

  /** The events that came since the last call. */
  take(): ServerEvent[] {
    return this.events.splice(0)
  }

  private line(line: string): void {
    assert(!line.includes('\r'), `a carriage return: ${line}`)
    if (line === '') return this.dispatch()
    if (line === ':') {
      assert.equal(this.fields.size, 0, 'a comment within an event')
      this.comments++
      return
    }
    const match = /^(event|id|data|retry): (.+)$/s.exec(line)
    assert(match !== null, `not a line of an event: ${JSON.stringify(line)}`)
    const [, name, value] = match as unknown as [string, string, string]
    assert(!this.fields.has(name), `${name} twice in an event`)
    this.fields.set(name, value)
  }

  private dispatch(): void {
    const { fields } = this
    this.fields = new Map()
    const retry = fields.get('retry')
    if (retry !== undefined) this.retryMs = Number(retry)
    this.lastEventId = fields.get('id') ?? this.lastEventId
    const data = fields.get('data')
    assert.equal(data === undefined, fields.get('event') === undefined, 'an event has a type and data, or neither')
    if (data === undefined) return
    const type = fields.get('event')!
    assert(BODY_TYPES.includes(type), `an event of type ${type}`)
    this.events.push({ type, lastEventId: this.lastEventId, hasId: fields.has('id'), data })
  }
}

/** The body of an event as STOMP has it: without `prev`. */
export const bodyText = ({ type, data }: ServerEvent): string =>
  type === 'update' ? data.replace(/^\{"prev":"[^"]+",/, '{') : type === 'short' ? data.replace(/^\[\d+,/, '[') : data

/** The event as the MESSAGE that a subscriber of STOMP would get. @param destination that it would subscribe to */
export const messageOf = (event: ServerEvent, destination: string): ServerFrame => {
  const { type, data, hasId, lastEventId } = event
  if (type === 'short') return shortOf(event, destination)
  const body = JSON.parse(data) as Record<string, string>
  const topic = /^\/topic\/([a-z]+)/.exec(destination)![1]!
  const subject =
    type === 'reset' || type === 'snapshot-end'
      ? destination
      : topic === 'events'
        ? `/topic/events.${body.sport}.${body.id}`
        : topic === 'feeds'
          ? `/topic/feeds.${body.bookmaker}`
          : `/topic/${topic}.${body.sport}.${body.bookmaker}.${body.eventId}`
  const headers = new Map([
    ['destination', subject],
    ['message-id', hasId ? lastEventId : body.seq!],
    ['kind', type],
    ['content-type', 'application/json'],
  ])
  if (type === 'update') headers.set('prev', body.prev!)
  return { command: 'MESSAGE', headers, body: Buffer.from(bodyText(event)), isBinary: false }
}

const shortOf = (event: ServerEvent, destination: string): ServerFrame => {
  const [prev] = JSON.parse(event.data) as [number]
  // Without an id it is older than what came before, by how much it does not say.
  const [, seq] = event.hasId ? event.lastEventId.split('-') : [undefined, String(prev)]
  const headers = new Map([
    ['destination', destination.startsWith('/topic/odds') ? '/o' : '/s'],
    ['message-id', `${event.lastEventId.split('-')[0]}-${seq}`],
    ['prev', String(Number(seq) - prev)],
  ])
  return { command: 'MESSAGE', headers, body: Buffer.from(bodyText(event)), isBinary: false }
}
