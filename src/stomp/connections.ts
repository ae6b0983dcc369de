// Connections of customers: the limits of their number, in total and before they have shown a key.
//
//   TCP        accepted ──(TLS)──▶ unconnected ──CONNECT──▶ connected
//   WebSocket  HTTP ──upgrade asked──▶ waits for a place ──101──▶ unconnected ──CONNECT──▶ connected
//              HTTP ──upgrade asked with a key──▶ a connection is reserved ──101, CONNECT──▶ connected
//   SSE        HTTP ──GET with a key──▶ connected ──end of the response──▶ HTTP

import { isIP } from 'node:net'
import { OldestKeys } from '../domain/oldest-keys.ts'
import { SparseMap } from './sparse.ts'

/** Kinds of connections. An HTTP connection may become a WebSocket, or carry server-sent events. */
export const CONNECTION_KINDS = ['http', 'websocket', 'sse', 'tcp'] as const

export type ConnectionKind = (typeof CONNECTION_KINDS)[number]

/** Which limit refused a connection. */
export const CONNECTION_REFUSALS = [
  'connections',
  'http_connections',
  'unconnected',
  'address_unconnected',
  'upgrade_timeout',
] as const

export type ConnectionRefusal = (typeof CONNECTION_REFUSALS)[number]

export interface ConnectionLimits {
  /** Connections of all kinds. */
  readonly connectionsMax: number
  /** Of these, HTTP connections. No limit by address: the library does not give the address of one that ended. */
  readonly httpConnectionsMax: number
  /** Connections that have not sent CONNECT, with the upgrades that wait, and without those that are reserved. */
  readonly unconnectedMax: number
  /** Of these, from one address. */
  readonly addressUnconnectedMax: number
  /** WebSockets that have shown no key, neither in the upgrade nor in a CONNECT. */
  readonly unconnectedWebSocketsMax: number
  /** Of these, from one address. */
  readonly addressUnconnectedWebSocketsMax: number
}

/** Counts by key, without those that are 0. */
export class Tally {
  // One key, which is all that most sessions need, and its count. It is not among the others.
  private one: string | undefined
  private countOfOne = 0
  private readonly others = new SparseMap<string, number>()

  of(key: string): number {
    return key === this.one ? this.countOfOne : (this.others.get(key) ?? 0)
  }

  add(key: string, by: 1 | -1): void {
    const count = this.of(key) + by
    if (this.countOfOne === 0 && !this.others.has(key)) this.one = key
    if (key === this.one) this.countOfOne = count
    else if (count === 0) this.others.delete(key)
    else this.others.set(key, count)
  }
}

/** Releases what was acquired; further calls do nothing. */
export type Release = () => void

export const once = (release: Release): Release => {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    release()
  }
}

interface Waiting {
  readonly address: string
  start: (() => void) | undefined
}

/** Those of one address. */
class Line {
  readonly all = new Set<Waiting>()
  readonly oldest = new OldestKeys(this.all)
}

/** A number of places. Requests wait for a free one; addresses are served round-robin: a busy one delays itself. */
export class PlaceQueue {
  private readonly placesMax: number
  private readonly addressPlacesMax: number
  private used = 0
  private readonly usedBy = new Tally()
  // In the order in which the addresses are served.
  private readonly waiting = new Map<string, Line>()

  constructor(placesMax: number, addressPlacesMax: number) {
    this.placesMax = placesMax
    this.addressPlacesMax = addressPlacesMax
  }

  get usedPlaces(): number {
    return this.used
  }

  get hasWaiting(): boolean {
    return this.waiting.size > 0
  }

  /** More than half of the places are used. */
  get isTight(): boolean {
    return this.used * 2 > this.placesMax
  }

  /**
   * Calls `start` when there is a free place, at once if there is one now.
   * @returns releases the place, or stops waiting for one
   */
  acquire(address: string, start: () => void): Release {
    const one: Waiting = { address, start }
    let line = this.waiting.get(address)
    if (line === undefined) this.waiting.set(address, (line = new Line()))
    line.all.add(one)
    this.next()
    return once(() => {
      if (one.start !== undefined) this.forget(one)
      else {
        this.used--
        this.usedBy.add(address, -1)
        this.next()
      }
    })
  }

  private forget(one: Waiting): void {
    const { all } = this.waiting.get(one.address)!
    all.delete(one)
    if (all.size === 0) this.waiting.delete(one.address)
  }

  private next(): void {
    // There are few addresses with all their places in use: placesMax / addressPlacesMax.
    for (const [address, line] of this.waiting) {
      if (this.used >= this.placesMax) return
      if (this.usedBy.of(address) >= this.addressPlacesMax) continue
      const one = line.oldest.next()!
      const start = one.start!
      this.forget(one)
      // Its next request comes after one of each other address.
      if (line.all.size > 0) {
        this.waiting.delete(address)
        this.waiting.set(address, line)
      }
      one.start = undefined
      this.used++
      this.usedBy.add(address, 1)
      start()
    }
  }
}

export class Connections {
  readonly limits: ConnectionLimits
  /** Places of WebSockets that have shown no key. */
  readonly places: PlaceQueue
  /** Open connections, by kind. */
  readonly open: Record<ConnectionKind, number> = { http: 0, websocket: 0, sse: 0, tcp: 0 }
  /** Connections that have not sent CONNECT, by kind. */
  readonly unconnected: Record<'websocket' | 'tcp', number> = { websocket: 0, tcp: 0 }
  /** Connections refused, by kind and limit. */
  readonly refused: Readonly<Record<ConnectionKind, Record<ConnectionRefusal, number>>>
  private readonly unconnectedBy = new Tally()
  private lingers = 0
  private readonly lingersBy = new Tally()

  constructor(limits: ConnectionLimits) {
    this.limits = limits
    this.places = new PlaceQueue(limits.unconnectedWebSocketsMax, limits.addressUnconnectedWebSocketsMax)
    const zeros = () => Object.fromEntries(CONNECTION_REFUSALS.map((refusal) => [refusal, 0]))
    this.refused = Object.fromEntries(CONNECTION_KINDS.map((kind) => [kind, zeros()])) as typeof this.refused
  }

  get openCount(): number {
    return this.open.http + this.open.websocket + this.open.sse + this.open.tcp
  }

  /** Counts a connection that was accepted, even if it is refused; returns the refusal if it exceeds a limit. */
  opened(kind: 'http' | 'tcp'): ConnectionRefusal | undefined {
    this.open[kind]++
    if (this.openCount > this.limits.connectionsMax) return this.refuse(kind, 'connections')
    if (this.open.http > this.limits.httpConnectionsMax && kind === 'http') return this.refuse(kind, 'http_connections')
    return undefined
  }

  closed(kind: ConnectionKind): void {
    this.open[kind]--
  }

  /** An HTTP connection has become a WebSocket. */
  upgraded(): void {
    this.open.http--
    this.open.websocket++
  }

  /** An HTTP connection carries server-sent events, until the returned function is called: REST keeps its share. */
  streaming(): Release {
    this.open.http--
    this.open.sse++
    return once(() => {
      this.open.sse--
      this.open.http++
    })
  }

  /**
   * Counts a connection that has not sent CONNECT.
   * @returns to be called when it has, or is gone; the refusal if it exceeds a limit
   */
  connecting(kind: 'websocket' | 'tcp', address: string): Release | ConnectionRefusal {
    const { unconnected, unconnectedBy, limits } = this
    if (unconnected.websocket + unconnected.tcp >= limits.unconnectedMax) return this.refuse(kind, 'unconnected')
    if (unconnectedBy.of(address) >= limits.addressUnconnectedMax) return this.refuse(kind, 'address_unconnected')
    unconnected[kind]++
    unconnectedBy.add(address, 1)
    return once(() => {
      unconnected[kind]--
      unconnectedBy.add(address, -1)
    })
  }

  /**
   * Whether a WebSocket that has not sent CONNECT may be closed with a close frame. Its descriptor may then stay in use
   * for a while, so their number has the same limits as connections that have not sent CONNECT.
   */
  mayLinger(address: string): boolean {
    const { unconnectedMax, addressUnconnectedMax } = this.limits
    return this.lingers < unconnectedMax && this.lingersBy.of(address) < addressUnconnectedMax
  }

  /**
   * Counts a WebSocket that was ended before CONNECT, and whose descriptor may still be in use.
   * @returns to be called when it is free
   */
  lingering(address: string): Release {
    this.lingers++
    this.lingersBy.add(address, 1)
    return once(() => {
      this.lingers--
      this.lingersBy.add(address, -1)
    })
  }

  refuse(kind: ConnectionKind, refusal: ConnectionRefusal): ConnectionRefusal {
    this.refused[kind][refusal]++
    return refusal
  }
}

/** {@link countedAddress} of the octets of an address, 4 or 16 of them: a storm of WebSockets asks for thousands. */
export const countedOctets = (octets: Uint8Array): string => {
  const isMapped =
    octets.length === 16 &&
    octets[10] === 0xff &&
    octets[11] === 0xff &&
    octets.subarray(0, 10).every((octet) => octet === 0)
  if (octets.length === 4 || isMapped) return octets.subarray(-4).join('.')
  const group = (n: number): string => ((octets[2 * n]! << 8) | octets[2 * n + 1]!).toString(16)
  return `${group(0)}:${group(1)}:${group(2)}:${group(3)}::/64`
}

/**
 * The address that limits count by: an IPv4 address, or the first 64 bits of an IPv6 address, because a client with one
 * address of such a network has them all.
 */
export const countedAddress = (text: string): string => {
  if (isIP(text) !== 6) return text
  const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)
  if (mapped !== null) return mapped[1]!
  const [head, tail] = text.replace(/%.*$/, '').split('::') as [string, string?]
  const groups = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  // In groups of 16 bits; a part in IPv4 notation counts as two.
  const size = (parts: readonly string[]): number => parts.length + (parts.at(-1)?.includes('.') === true ? 1 : 0)
  const all = [...groups, ...Array.from({ length: Math.max(0, 8 - size(groups) - size(last)) }, () => '0'), ...last]
  const numbers = all.map((group) => Number.parseInt(group, 16))
  // The library's form of an IPv4 address on an IPv6 socket.
  if (numbers.length === 8 && numbers.slice(0, 5).every((number) => number === 0) && numbers[5] === 0xffff) {
    return [numbers[6]! >> 8, numbers[6]! & 255, numbers[7]! >> 8, numbers[7]! & 255].join('.')
  }
  return `${numbers
    .slice(0, 4)
    .map((number) => number.toString(16))
    .join(':')}::/64`
}
