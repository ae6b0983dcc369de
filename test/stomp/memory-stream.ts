// Server-sent events in memory: the carrier of the service over a response that behaves as the library's, whose client
// reads as many octets as the test says.

import assert from 'node:assert/strict'
import { LIMITS } from '../../src/limits.ts'
import { type ResponseHandle, SseCarrier } from '../../src/stomp/sse-carrier.ts'
import type { SseQuery } from '../../src/stomp/sse-request.ts'
import type { SseSession } from '../../src/stomp/sse-session.ts'
import { isFault } from '../../src/stomp/session-fault.ts'
import { EventReader } from './event-reader.ts'
import type { Customer, LiveRoom } from './memory-carrier.ts'

const CORK_BYTES = 16 * 1024

/** A response of the library: it keeps what the system does not accept, and passes it on only where it is written to. */
export class MemoryResponse implements ResponseHandle {
  readonly reader = new EventReader()
  ending: 'none' | 'ended' | 'closed' = 'none'
  /** The chunks as they were given. */
  readonly chunks: Buffer[] = []
  onWritable: () => void = () => {}
  onAborted: () => void = () => {}
  private allowance = Number.POSITIVE_INFINITY
  private held = Buffer.alloc(0)
  private corked: Buffer[] | undefined

  write(chunk: Buffer): boolean {
    assert.equal(this.ending, 'none', 'written after the end')
    assert(chunk.length > 0, 'an empty chunk would end the response')
    this.chunks.push(chunk)
    const corkedBytes = (this.corked ?? []).reduce((sum, each) => sum + each.length, 0)
    this.drain()
    if (this.held.length === 0 && this.corked !== undefined && corkedBytes + chunk.length <= CORK_BYTES) {
      this.corked.push(Buffer.from(chunk))
      return true
    }
    this.uncork()
    // As the library does it: what does not fit beside what was corked is dropped where that was not accepted.
    if (corkedBytes > 0 && this.held.length > 0) return false
    this.accept(chunk)
    return this.held.length === 0
  }

  cork(write: () => void): void {
    if (this.ending !== 'none') assert.fail('corked after the end')
    if (this.corked !== undefined) return write()
    this.corked = []
    write()
    this.uncork()
    this.corked = undefined
    this.drain()
  }

  end(): void {
    assert.equal(this.ending, 'none')
    this.uncork()
    this.ending = 'ended'
  }

  close(): void {
    assert.equal(this.ending, 'none')
    this.ending = 'closed'
    this.held = Buffer.alloc(0)
    this.onAborted()
  }

  /** From now on the client reads this many octets and no more. */
  allow(octets: number): void {
    this.allowance = octets
    // The library passes on what it holds by itself only after the end.
    if (this.ending === 'ended') this.drain()
    else for (let n = 0; n < 10_000 && this.held.length > 0 && this.allowance > 0; n++) this.onWritable()
  }

  /** The connection breaks. */
  cut(): void {
    if (this.ending !== 'none') return
    this.ending = 'closed'
    this.onAborted()
  }

  private uncork(): void {
    for (const chunk of this.corked?.splice(0) ?? []) this.accept(chunk)
  }

  private accept(chunk: Buffer): void {
    this.held = Buffer.concat([this.held, chunk])
    this.drain()
  }

  private drain(): void {
    const count = Math.min(this.allowance, this.held.length)
    if (count === 0) return
    this.allowance -= count
    this.reader.push(this.held.subarray(0, count))
    this.held = this.held.subarray(count)
  }
}

export const ASKED: SseQuery = {
  topic: 'odds',
  sport: undefined,
  bookmaker: undefined,
  event: undefined,
  snapshot: false,
  lag: false,
  fromSeq: undefined,
  conflateMs: 0,
  onSlow: 'disconnect',
  quotes: 'full',
  types: undefined,
  leagues: undefined,
  lastEventId: undefined,
}

export interface MemoryStream {
  readonly response: MemoryResponse
  readonly carrier: SseCarrier
  readonly session: SseSession
}

/** Opens a stream, whose client reads so many octets at first; or returns the code of the refusal. */
export const openStream = (
  { broker }: LiveRoom,
  { secret }: Pick<Customer, 'secret'>,
  query: Partial<SseQuery> = {},
  octets = Number.POSITIVE_INFINITY,
): MemoryStream | string => {
  const admission = broker.admitSse(undefined, secret, { ...ASKED, ...query })
  if (isFault(admission)) return admission.code
  const response = new MemoryResponse()
  response.allow(octets)
  const carrier = new SseCarrier(response, LIMITS.closeMsMax, () => {})
  const session = broker.openSse(carrier, admission)
  response.onAborted = () => {
    carrier.gone()
    session.closed()
  }
  response.onWritable = () => {
    carrier.writable()
    session.drained()
  }
  session.open()
  return { response, carrier, session }
}
