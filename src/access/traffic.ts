// Traffic: what customers have asked for, as people read it: requests by hour, the last refused ones, when keys were used.
// It is collected from counters once a minute, so that a request costs an addition, and is lost for that minute in a crash.

import type { TrafficRow } from './traffic-records.ts'

/** How often a key was used since the start, and when last. Changed by each request: only numbers are written. */
export interface KeyUse {
  /** Id. */
  readonly organization: string
  /** Epoch ms; 0: not yet. */
  at: number
  /** Requests on REST. */
  requests: number
}

/** A request that was refused. */
export interface RefusedRequest {
  /** Epoch ms. */
  readonly at: number
  readonly keyId: string
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly code: string
  readonly message: string
}

export interface TrafficLimits {
  /** Refused requests that are kept of an organization, and of all. */
  readonly refusalsMax: number
  readonly refusalsTotalMax: number
  /** Characters of a path that are kept. */
  readonly refusalPathMax: number
}

/** What is to be recorded. */
export interface Collected {
  /** When keys were last used, epoch ms by id. */
  readonly keys: readonly (readonly [id: string, at: number])[]
  readonly traffic: readonly TrafficRow[]
}

interface Told {
  at: number
  requests: number
}

const HOUR_MS = 3_600_000

const RETURNED_MAX = 100_000

export class Traffic {
  private readonly limits: TrafficLimits
  private readonly uses: () => Iterable<readonly [keyId: string, use: KeyUse]>
  /** What was collected of a key before. */
  private readonly told = new Map<string, Told>()
  /** By organization, the one that was refused last at the end; of each the newest request at the end. */
  private readonly refused = new Map<string, RefusedRequest[]>()
  private refusedTotal = 0
  /** By organization and code, since they were collected. */
  private readonly counts = new Map<string, Map<string, number>>()
  /** Rows that could not be recorded. */
  private readonly returned: TrafficRow[] = []
  private collectedAt: number

  /** @param startedAt epoch ms */
  constructor(limits: TrafficLimits, uses: () => Iterable<readonly [keyId: string, use: KeyUse]>, startedAt: number) {
    this.limits = limits
    this.collectedAt = startedAt
    this.uses = uses
  }

  noteRefused(organization: string, request: RefusedRequest): void {
    const { refusalsMax, refusalsTotalMax, refusalPathMax } = this.limits
    let codes = this.counts.get(organization)
    if (codes === undefined) {
      codes = new Map()
      this.counts.set(organization, codes)
    }
    codes.set(request.code, (codes.get(request.code) ?? 0) + 1)
    const kept = this.refused.get(organization) ?? []
    kept.push({ ...request, path: maskKeys(request.path).slice(0, refusalPathMax) })
    this.refusedTotal++
    if (kept.length > refusalsMax) {
      kept.shift()
      this.refusedTotal--
    }
    this.refused.delete(organization)
    this.refused.set(organization, kept)
    while (this.refusedTotal > refusalsTotalMax) {
      const [oldest, requests] = this.refused.entries().next().value!
      this.refused.delete(oldest)
      this.refusedTotal -= requests.length
    }
  }

  /** The newest first. */
  refusedOf(organization: string): RefusedRequest[] {
    return (this.refused.get(organization) ?? []).toReversed()
  }

  /** Requests that were refused since they were collected, by organization (id) and code. */
  refusedSince(): { readonly organization: string; readonly code: string; readonly count: number }[] {
    return [...this.counts].flatMap(([organization, codes]) =>
      [...codes].map(([code, count]) => ({ organization, code, count })),
    )
  }

  /** What has happened since the last call. */
  collect(now: number): Collected {
    // What was asked for since the last call belongs to the hour of that call: this one may come just after its end.
    const hour = this.collectedAt - (this.collectedAt % HOUR_MS)
    this.collectedAt = now
    const keys: [string, number][] = []
    const requests = new Map<string, number>()
    for (const [id, { organization, at, requests: total }] of this.uses()) {
      const told = this.told.get(id)
      const more = total - (told?.requests ?? 0)
      if (more > 0) requests.set(organization, (requests.get(organization) ?? 0) + more)
      if (at > (told?.at ?? 0)) keys.push([id, at])
      if (told === undefined) this.told.set(id, { at, requests: total })
      else Object.assign(told, { at, requests: total })
    }
    const traffic = this.returned.splice(0)
    for (const [organization, count] of requests) traffic.push({ organization, hour, code: '', count })
    for (const [organization, codes] of this.counts) {
      for (const [code, count] of codes) traffic.push({ organization, hour, code, count })
    }
    this.counts.clear()
    return { keys, traffic }
  }

  /** Keys are gone. */
  forget(keys: readonly string[]): void {
    for (const id of keys) this.told.delete(id)
  }

  /** Takes back what could not be recorded. */
  putBack({ keys, traffic }: Collected): void {
    for (const [id] of keys) {
      const told = this.told.get(id)
      if (told !== undefined) told.at = 0
    }
    // While the disk is full for long, the figures of that time are lost; they are for people.
    if (this.returned.length + traffic.length <= RETURNED_MAX) this.returned.push(...traffic)
  }
}

/** Parameters of REST, whose values are kept; another one may hold a secret. */
const KEPT = new Set([
  'sport',
  'league',
  'dateFrom',
  'dateTo',
  'transport',
  'limit',
  'offset',
  'bookmaker',
  'topic',
  'event',
])

/** As long as this, a run of letters and digits may be a key, or a part of one. */
const SECRET = /odds_(?:live|feed|page)_[0-9A-Za-z_]*|[0-9A-Za-z]{32,}/gi

/** A key in an address is a mistake of its client: whoever reads the list must not get it, however it is encoded. */
const maskKeys = (target: string): string => {
  const question = target.indexOf('?')
  const path = decoded(question === -1 ? target : target.slice(0, question)).replaceAll(SECRET, '…')
  if (question === -1) return path
  const fields = target
    .slice(question + 1)
    .split('&')
    .map((field) => {
      const equals = field.indexOf('=')
      const name = decoded(equals === -1 ? field : field.slice(0, equals))
      if (!KEPT.has(name)) return `${name.slice(0, 32).replaceAll(SECRET, '…')}=…`
      return `${name}=${decoded(field.slice(equals + 1)).replaceAll(SECRET, '…')}`
    })
  return `${path}?${fields.join('&')}`
}

/** Also where some of it is encoded twice. */
const decoded = (text: string): string => {
  if (!text.includes('%')) return text
  let before = text
  for (let round = 0; round < 3; round++) {
    const after = before.replaceAll(/%([0-7][0-9a-f])/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    if (after === before) break
    before = after
  }
  return before
}
