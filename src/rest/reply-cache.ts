// Replies that are kept, by target and audience, within a bound of memory.

import { LRUCache } from 'lru-cache'
import type { Caller } from '../access/gate.ts'
import type { Audience } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import type { TransportNumber } from '../domain/transport.ts'
import { type OddsPlaces, placesBytes } from './get-event-odds.ts'
import type { Reply } from './reply.ts'

/** What an answer follows from, besides the rights of its caller. */
export interface Source {
  readonly transport: TransportNumber
  /** Of a list of one sport. */
  readonly sportNumber: number | undefined
  /** The event that the target names by its id, as it was; undefined: none. */
  readonly view: EventView | undefined
  readonly event: Event | undefined
  version: number
}

/** A request target, as far as the cache knows it. */
export interface CacheTarget {
  /** Unique per cached raw target, part of the key. */
  readonly number: number
  /** What was sent of it last, while that is kept: by audience, see {@link latestPlaces}. */
  readonly latest: (CachedReply | undefined)[]
}

export interface CachedReply extends Source {
  reply: Reply
  /** Where the odds are in it; undefined: it is rendered anew. */
  odds: OddsPlaces | undefined
  /** Compared on every lookup: keys may collide. */
  readonly target: CacheTarget
  readonly audience: Audience
  /** Who was answered with it last: that caller may see it. Callers are replaced, never changed. */
  caller: Caller
  registryVersion: number
  /** The first moment at which a quote in it ages out. */
  freshUntil: number
  /** When the cache last learnt that it is used. */
  usedAt: number
}

// The key of a target and an audience. Keys may collide after 2^26 audiences; then one reply replaces the other,
// and neither is served for the other.
const keyOf = (target: CacheTarget, audience: Audience): number => target.number * 2 ** 26 + (audience.id % 2 ** 26)

/** Memory of an entry without its body, and of a gzip form: blocks, keys, links. */
const ENTRY_BYTES = 1024
const GZIP_BYTES = 1024

const bytesOf = ({ reply: { body, gzip }, odds }: CachedReply): number =>
  ENTRY_BYTES +
  body.buffer.byteLength +
  (odds === undefined ? 0 : placesBytes(odds)) +
  (gzip === undefined ? 0 : GZIP_BYTES + gzip.body.length)

/** The order of use learns so often that an entry is used, at most: it costs more than all else of finding one. */
const USED_MS = 1_000

/** Entries that a target has itself; a power of two. */
const LATEST = 4

/** Audiences that share a place take turns. */
const placeOf = (audience: Audience): number => audience.id & (LATEST - 1)

/** Places for the entries of a target that were used last, see {@link ReplyCache.latest}. */
export const latestPlaces = (): (CachedReply | undefined)[] => Array.from({ length: LATEST }, () => undefined)

export class ReplyCache {
  private readonly entries: LRUCache<number, CachedReply>

  constructor(bytesMax: number) {
    this.entries = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: bytesOf,
      dispose: (entry) => {
        const { latest } = entry.target
        const place = placeOf(entry.audience)
        if (latest[place] === entry) latest[place] = undefined
      },
    })
  }

  get size(): number {
    return this.entries.size
  }

  get bytes(): number {
    return this.entries.calculatedSize
  }

  /** What is kept for a target and an audience, of whatever version. */
  find(target: CacheTarget, audience: Audience): CachedReply | undefined {
    const entry = this.entries.get(keyOf(target, audience))
    return entry?.target === target && entry.audience === audience ? entry : undefined
  }

  /** The same without a look into the map, for a caller that was answered with it last; undefined: {@link find} may know. */
  latest(target: CacheTarget, caller: Caller): CachedReply | undefined {
    const entry = target.latest[placeOf(caller.audience)]
    return entry?.caller === caller ? entry : undefined
  }

  keep(entry: CachedReply): void {
    this.entries.set(keyOf(entry.target, entry.audience), entry)
  }

  /** A caller was answered with an entry that was found. */
  note(entry: CachedReply, caller: Caller, nowAt: number): void {
    entry.caller = caller
    entry.usedAt = nowAt
    entry.target.latest[placeOf(entry.audience)] = entry
  }

  /** An entry was used again. */
  touch(entry: CachedReply, nowAt: number): void {
    if (nowAt - entry.usedAt < USED_MS) return
    entry.usedAt = nowAt
    this.entries.get(keyOf(entry.target, entry.audience))
  }

  /** The memory of a reply has changed, as by its gzip form: others may have to go for it. */
  recount(target: CacheTarget, audience: Audience, reply: Reply): void {
    const key = keyOf(target, audience)
    const entry = this.entries.peek(key)
    if (entry?.reply === reply) this.entries.set(key, { ...entry })
  }
}
