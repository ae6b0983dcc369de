// REST: one request in, one reply out. The order of checks is docs/architecture.md 7.1: credential, limits, parameters,
// live, scope, forbidden, not found. An exception becomes a refusal: a fault never gives a wrong answer.

import type { Access } from '../access/access.ts'
import { type Caller, UNKNOWN } from '../access/gate.ts'
import type { Admission } from '../access/ledger.ts'
import type { RefusedRequest } from '../access/traffic.ts'
import { type Audience, type BookmakerSet, bookmakersOf, hasBookmaker, isEmptySet } from '../domain/audience.ts'
import type { EventView } from '../domain/event.ts'
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import { JsonWriter, piece } from '../json-writer.ts'
import { BodyMemory } from './body-memory.ts'
import type { Compressor } from './compressor.ts'
import { takesGzip } from './content-coding.ts'
import { METHODS } from './cors.ts'
import type { Exchange } from './exchange.ts'
import { openApiDocument } from './openapi-document.ts'
import { type OddsPlaces, OddsWriter } from './get-event-odds.ts'
import { writeBookmakers } from './list-bookmakers.ts'
import { EventList } from './list-events.ts'
import { writeSports } from './list-sports.ts'
import { type ListLimits, LongLists, type ReadReply } from './long-lists.ts'
import { documentReply, type PublicFile, publicReplies } from './public-replies.ts'
import {
  type ErrorExtras,
  errorReply,
  etagOf,
  notModifiedOf,
  okReply,
  patchSeq,
  type Reply,
  rewriteReply,
  streamHead,
} from './reply.ts'
import { type CachedReply, ReplyCache, type Source } from './reply-cache.ts'
import { type Query, type Target, Targets } from './target.ts'

export interface RestOptions {
  readonly engine: Engine
  readonly access: Access
  readonly publicUrl: string
  /** The same for the document; empty if it was not set, as the service may have other names. */
  readonly documentUrl: string
  readonly targetsMax: number
  readonly limits: ListLimits & { readonly bodyBytesFree: number }
  readonly cacheBytesMax: number
  /** Left out: nothing is compressed. */
  readonly compressor?: Compressor
  /** Pages for people, by path: rendered on request. */
  readonly pages: Readonly<Record<string, () => string>>
  /** Plain texts, by path: rendered on request. */
  readonly texts?: Readonly<Record<string, () => string>>
  /** Files of these pages, by path. */
  readonly files?: ReadonlyMap<string, PublicFile>
  /** Documents for programs, by path; public like the contract. Rendered once, as JSON. */
  readonly documents?: Readonly<Record<string, object>>
  /** The clock, epoch ms: read again for a request that had to wait. */
  readonly now: () => number
  /** Called with every exception. */
  readonly onFault: (error: unknown) => void
  /** Called with each refused request of a known key. */
  readonly onRefused?: (organization: string, request: RefusedRequest) => void
}

/** An event that has another id now, as after a merge, is looked up each time. */
const sourceOf = (query: Query, view?: EventView): Omit<Source, 'version'> => {
  const isOwn = view?.event.id === query.eventId
  return {
    transport: TRANSPORT_NUMBER[query.transport],
    sportNumber: query.sportNumber,
    view: isOwn ? view : undefined,
    event: isOwn ? view?.event : undefined,
  }
}

const MANY_LISTS = refuse(
  'service_unavailable',
  'Too many lists of events are being read; ask for one sport, or try again.',
)
const RIGHTS_CHANGED = refuse('service_unavailable', 'The rights of the key have changed meanwhile; try again.')
const AGAIN_SOON: ErrorExtras = { headers: ['Retry-After: 1'] }

export const METHOD_NOT_ALLOWED = refuse('method_not_allowed', 'The interface is read-only: use GET or HEAD.')

/** Links of a `forbidden`: where to get more, and what it means (docs/architecture.md 7.8). */
export const forbiddenLinks = (publicUrl: string): { readonly upgradeUrl: string; readonly docsUrl: string } => ({
  upgradeUrl: `${publicUrl}/billing`,
  docsUrl: `${publicUrl}/docs/errors#forbidden`,
})

export class Rest {
  /** Replies that were served from the cache, of which prices were written again, and that were rendered. */
  readonly cacheCounts = { hits: 0, repriced: 0, misses: 0 }
  private readonly engine: Engine
  private readonly access: Access
  private readonly publicUrl: string
  private readonly now: () => number
  private readonly onFault: (error: unknown) => void
  private readonly onRefused: RestOptions['onRefused']
  private readonly targets: Targets
  private readonly replies: ReplyCache
  private readonly bodyMemory: BodyMemory
  private readonly compressor: Compressor | undefined
  private readonly writer = new JsonWriter()
  private readonly odds: OddsWriter
  private readonly specReply: Reply
  private readonly streamHead = streamHead()
  /** Public pages and documents, by path. */
  private readonly pages: ReadonlyMap<string, () => Reply>
  private readonly listAtOnceMax: number
  private readonly longLists: LongLists
  private bookmakerHeads: (Uint8Array | undefined)[] = []
  private bookmakerHeadsVersion = -1

  constructor(options: RestOptions) {
    this.engine = options.engine
    this.access = options.access
    this.publicUrl = options.publicUrl
    this.now = options.now
    this.onFault = options.onFault
    this.onRefused = options.onRefused
    this.listAtOnceMax = options.limits.listAtOnceMax
    this.longLists = new LongLists(options.engine, options.limits, options.now)
    this.targets = new Targets(options.targetsMax)
    this.compressor = options.compressor
    this.replies = new ReplyCache(options.cacheBytesMax)
    this.bodyMemory = new BodyMemory(options.limits.bodyBytesFree)
    this.odds = new OddsWriter(this.writer, (bookmaker) => this.bookmakerHead(bookmaker))
    this.specReply = documentReply(openApiDocument(options.documentUrl))
    this.pages = publicReplies(options)
  }

  get cachedReplies(): number {
    return this.replies.size
  }

  get cachedBytes(): number {
    return this.replies.bytes
  }

  get compressedReplies(): number {
    return this.compressor?.count ?? 0
  }

  /** Writes the answer into the exchange. A promise only if the ledger has to ask its store first, or a long list is read. */
  answer(exchange: Exchange, nowAt: number): undefined | Promise<void> {
    exchange.operation = 'none'
    exchange.admission = undefined
    exchange.stream = undefined
    try {
      return this.route(exchange, nowAt)
    } catch (error) {
      this.fail(exchange, error)
      return undefined
    }
  }

  private route(exchange: Exchange, nowAt: number): undefined | Promise<void> {
    if (exchange.fault !== undefined) return this.refuse(exchange, exchange.fault)
    const target = this.targets.parse(exchange.path, exchange.rawQuery)
    const { method } = exchange
    const page = target === undefined ? this.pages.get(exchange.path) : undefined
    if (target === undefined && page === undefined) {
      return this.refuse(exchange, refuse('not_found', 'No such path; the contract is at /api/v1/spec.'))
    }
    if (method !== 'get' && method !== 'head') {
      return this.refuse(exchange, METHOD_NOT_ALLOWED, { headers: [`Allow: ${METHODS}`] })
    }
    if (target === undefined) {
      this.send(exchange, page!())
      return undefined
    }
    exchange.operation = target.operation
    if (target.isPublic) {
      this.send(exchange, this.specReply)
      return undefined
    }
    const caller = this.access.gate.identify(exchange.authorization, exchange.apiKey, nowAt)
    // Not by `isRefusal`: what is called with objects of many forms looks a property up by hashing.
    if ('refused' in caller) {
      // A flood of invented keys is not hashed twice.
      const key = caller === UNKNOWN ? undefined : this.access.gate.keyOf(exchange.authorization, exchange.apiKey)
      if (key !== undefined) this.noteRefused(exchange, key.organization, key.id, caller)
      return this.refuse(exchange, caller)
    }
    if (target.operation === 'streamChanges') return this.passToLive(exchange, target)
    const admission = this.access.gate.admit(caller, target.transport, nowAt)
    if (admission instanceof Promise) return this.answerLater(exchange, target, caller, admission)
    return this.answerAdmitted(exchange, target, caller, admission, nowAt)
  }

  // Apart, like all that has a closure: for these a function allocates its variables, whether or not it gets to them.
  private async answerLater(
    exchange: Exchange,
    target: Target,
    caller: Caller,
    admission: Promise<Admission>,
  ): Promise<void> {
    const later = await admission
    try {
      // During the wait, the key may have been revoked or its rights changed.
      const still = this.access.gate.callerOf(caller.keyId, this.now())
      if (isRefusal(still)) this.refuse(exchange, still)
      else await this.answerAdmitted(exchange, target, still, later, this.now())
      // It is not sent yet.
      exchange.reply.isHeld = true
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /** A stream is a live session, which counts as no request: its limits and rights are checked by the live channel. */
  private passToLive(exchange: Exchange, { query }: Target): undefined {
    if (isRefusal(query)) return this.refuse(exchange, query)
    patchSeq(this.streamHead, this.engine.epoch, this.engine.seq)
    exchange.head = this.streamHead
    exchange.stream = query.stream
    return undefined
  }

  private answerAdmitted(
    exchange: Exchange,
    target: Target,
    caller: Caller,
    admission: Admission,
    nowAt: number,
  ): undefined | Promise<void> {
    if (admission.limit > 0) exchange.admission = admission
    if (admission.refusal !== undefined) {
      const { refusal, retryAfterS } = admission
      this.noteRefused(exchange, caller.organization.id, caller.keyId, refusal)
      return this.refuse(exchange, refusal, { headers: retryAfterS > 0 ? [`Retry-After: ${retryAfterS}`] : [] })
    }
    const { query } = target
    const reply =
      this.again(target, caller, nowAt) ??
      (isRefusal(query) ? errorReply(query) : this.replyTo(target, query, caller, nowAt))
    if (reply instanceof Promise) return this.answerWhenRead(exchange, target, caller, reply)
    return this.finish(exchange, target, caller, reply, this.engine.seq)
  }

  private async answerWhenRead(
    exchange: Exchange,
    target: Target,
    caller: Caller,
    reading: Promise<ReadReply>,
  ): Promise<void> {
    try {
      const { reply, seq } = await reading
      const still = this.access.gate.callerOf(caller.keyId, this.now())
      if (isRefusal(still)) this.refuse(exchange, still)
      else if (still.audience !== caller.audience) this.refuse(exchange, RIGHTS_CHANGED, AGAIN_SOON)
      else this.finish(exchange, target, caller, reply, seq)
      // It is not sent yet.
      exchange.reply.isHeld = true
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  private finish(exchange: Exchange, target: Target, caller: Caller, reply: Reply, seq: number): undefined {
    if (reply.refusal !== undefined) this.noteRefused(exchange, caller.organization.id, caller.keyId, reply.refusal)
    this.send(exchange, reply, target, caller.audience, seq)
    return undefined
  }

  /**
   * The reply with which this caller was answered last, while nothing has changed that it follows from: without a look into
   * maps of events and replies, and at rights.
   */
  private again(target: Target, caller: Caller, nowAt: number): Reply | undefined {
    const entry = this.replies.latest(target, caller)
    if (entry === undefined || !this.isValid(entry, nowAt)) return undefined
    const { reader } = this.engine
    const { view } = entry
    if (view !== undefined) {
      const isSame = reader.eventAt(view.number) === view && view.event === entry.event
      if (!isSame || entry.version !== reader.eventVersion(view, entry.transport)) return undefined
    } else {
      if (target.operation !== 'listEvents' || !reader.isSettled(nowAt)) return undefined
      if (entry.version !== reader.listVersion(entry.transport, entry.sportNumber)) return undefined
    }
    this.replies.touch(entry, nowAt)
    this.cacheCounts.hits++
    return entry.reply
  }

  private noteRefused(exchange: Exchange, organization: string, keyId: string, refusal: Refusal): void {
    const { method, path, rawQuery } = exchange
    this.onRefused?.(organization, {
      at: this.now(),
      keyId,
      method: method.toUpperCase(),
      path: rawQuery === '' ? path : `${path}?${rawQuery}`,
      code: refusal.refused,
      message: refusal.message,
    })
  }

  private replyTo(target: Target, query: Query, caller: Caller, nowAt: number): Reply | Promise<ReadReply> {
    if (target.operation === 'getEventOdds') return this.replyWithOdds(target, query, caller, nowAt)
    const refusal = this.access.gate.permit(caller, {
      transport: query.transport,
      sport: query.sport,
      bookmakers: undefined,
    })
    if (refusal !== undefined) return errorReply(refusal)
    if (target.operation === 'listEvents') return this.replyWithEvents(target, query, caller, nowAt)
    const { registry } = this.access
    const write = target.operation === 'listSports' ? writeSports : writeBookmakers
    // These two depend on coverage, not on quotes.
    const source = { ...sourceOf(query), version: registry.version, isSettled: true }
    return this.cached(target, caller, source, nowAt, () => {
      write(this.writer, registry, caller.audience, query)
      return Number.POSITIVE_INFINITY
    })
  }

  private replyWithEvents(target: Target, query: Query, caller: Caller, nowAt: number): Reply | Promise<ReadReply> {
    const { engine, listAtOnceMax } = this
    const { reader } = engine
    const isSettled = reader.isSettled(nowAt)
    const version = reader.listVersion(TRANSPORT_NUMBER[query.transport], query.sportNumber)
    const source = { ...sourceOf(query), version, isSettled }
    const write = (list: EventList): number => {
      list.write(this.writer)
      return Number.POSITIVE_INFINITY
    }
    if (reader.listSize(query.sportNumber, query.league) > listAtOnceMax) {
      const known = this.replies.find(target, caller.audience)
      const isCurrent = isSettled && known?.version === version && this.isValid(known, nowAt)
      if (!isCurrent) {
        const reading = this.longLists.read(target, query, caller, (list, read, readAt) =>
          this.cached(target, caller, { ...source, ...read }, readAt, () => write(list)),
        )
        return reading ?? errorReply(MANY_LISTS, AGAIN_SOON)
      }
    }
    return this.cached(target, caller, source, nowAt, () => {
      const list = new EventList(engine, caller.audience, query)
      list.visit(listAtOnceMax, nowAt)
      return write(list)
    })
  }

  private replyWithOdds(target: Target, query: Query, caller: Caller, nowAt: number): Reply {
    const { reader } = this.engine
    // Checked for an unknown event, too: the answer must not distinguish it from an invisible one.
    const view = reader.eventOf(query.eventId)
    const refusal = this.access.gate.permit(caller, {
      transport: query.transport,
      sport: view?.event.sport,
      bookmakers: query.bookmakers,
    })
    if (refusal !== undefined) return errorReply(refusal)
    if (view === undefined) return this.notFound()
    const transport = TRANSPORT_NUMBER[query.transport]
    const version = reader.eventVersion(view, transport)
    const known = this.replies.find(target, caller.audience)
    if (known !== undefined && this.isValid(known, nowAt)) {
      if (known.version === version) return this.hit(known, caller, nowAt)
      const { odds } = known
      if (odds?.shape === reader.eventShape(view, transport)) return this.repriced(known, odds, version)
    }
    return this.renderedOdds(target, query, caller, view, nowAt)
  }

  private renderedOdds(target: Target, query: Query, caller: Caller, view: EventView, nowAt: number): Reply {
    const { engine } = this
    const { reader } = engine
    const transport = TRANSPORT_NUMBER[query.transport]
    const version = reader.eventVersion(view, transport)
    const shape = reader.eventShape(view, transport)
    const seen = bookmakersOf(caller.audience, transport, view.sportNumber)
    if (isEmptySet(seen)) return this.forbidden(query)
    const isSettled = reader.isSettled(nowAt)
    if (!reader.isQuoted(view, transport, seen, nowAt)) return this.notFound()
    const source = { ...sourceOf(query, view), version, isSettled }
    const render = (): number => {
      const asked = query.bookmakers === undefined ? seen : this.narrowed(seen, query.bookmakers)
      const count = reader.marketCount(view, transport, seen, nowAt, isSettled)
      return this.odds.write(engine, view, transport, seen, asked, count, nowAt)
    }
    return this.cached(target, caller, source, nowAt, render, () => this.odds.places(shape))
  }

  private narrowed(seen: BookmakerSet, slugs: readonly string[]): BookmakerSet {
    const narrowed = new Uint32Array(seen.length)
    for (const slug of slugs) {
      const bookmaker = this.engine.reader.bookmakerNumber(slug)
      if (bookmaker !== 0 && hasBookmaker(seen, bookmaker)) narrowed[bookmaker >>> 5]! |= 1 << (bookmaker & 31)
    }
    return narrowed
  }

  /** Whether nothing but its version can make an entry outdated. */
  private isValid({ registryVersion, freshUntil }: CachedReply, nowAt: number): boolean {
    return registryVersion === this.access.registry.version && nowAt < freshUntil
  }

  private hit(entry: CachedReply, caller: Caller, nowAt: number): Reply {
    this.replies.note(entry, caller, nowAt)
    this.cacheCounts.hits++
    return entry.reply
  }

  /**
   * The cached odds of an event of which nothing but odds and times has changed. Times only go forward, so that the body
   * is valid at least as long as it was.
   */
  private repriced(entry: CachedReply, odds: OddsPlaces, version: number): Reply {
    const { reply } = entry
    // Whatever happens meanwhile, they are of that body or gone.
    entry.odds = undefined
    if (!this.odds.rewrite(this.engine.reader, reply.body, odds)) this.cacheCounts.hits++
    else {
      this.cacheCounts.repriced++
      entry.reply = this.written(reply, odds)
    }
    entry.odds = odds
    entry.version = version
    if (entry.reply !== reply) this.replies.recount(entry.target, entry.audience, entry.reply)
    return entry.reply
  }

  /** What was written, as a reply: in the place of an earlier one, if there is one that may change. */
  private written(before: Reply | undefined, odds: OddsPlaces | undefined): Reply {
    const bytes = this.writer.view()
    const etag = etagOf(odds?.content ?? bytes)
    const isSame = before?.etag === etag
    const stays = isSame || (before !== undefined && rewriteReply(before, bytes, etag))
    const reply = stays ? before : okReply(bytes, etag, this.bodyMemory.take(bytes.length))
    this.writer.clear()
    if (before !== undefined && !stays) this.bodyMemory.replace(before)
    return reply
  }

  /**
   * The cached reply while its version is current, else a new one. `render` writes the body and returns until when it
   * is valid. While the wheel is late, a body depends on more than its version, and is not kept.
   *
   * A version also changes with quotes that this audience does not see. The bytes are then the same, and so are the
   * ETag and the reply: a tag does not reveal that a hidden book has changed.
   */
  private cached(
    target: Target,
    caller: Caller,
    source: Source & { readonly isSettled: boolean },
    nowAt: number,
    render: () => number,
    places: () => OddsPlaces | undefined = () => undefined,
  ): Reply {
    const { isSettled, ...of } = source
    const known = this.replies.find(target, caller.audience)
    if (isSettled && known?.version === of.version && this.isValid(known, nowAt)) return this.hit(known, caller, nowAt)
    this.cacheCounts.misses++
    const freshUntil = render()
    const odds = places()
    if (!isSettled || target.number === 0) return this.written(undefined, odds)
    const { audience } = caller
    const registryVersion = this.access.registry.version
    const reply = this.written(known?.reply, odds)
    this.replies.keep({ reply, odds, target, audience, caller, ...of, registryVersion, freshUntil, usedAt: nowAt })
    return reply
  }

  private bookmakerHead(bookmaker: number): Uint8Array {
    const { registry } = this.access
    if (this.bookmakerHeadsVersion !== registry.version) {
      this.bookmakerHeadsVersion = registry.version
      this.bookmakerHeads = []
    }
    const known = this.bookmakerHeads[bookmaker]
    if (known !== undefined) return known
    const slug = this.engine.reader.bookmakerSlug(bookmaker)
    const displayName = registry.bookmakerOf(slug)?.displayName ?? slug
    const head = piece(`{"slug":${JSON.stringify(slug)},"displayName":${JSON.stringify(displayName)},"outcomes":[`)
    this.bookmakerHeads[bookmaker] = head
    return head
  }

  /** @param target of a reply that may be in the cache, with its audience */
  private send(
    exchange: Exchange,
    reply: Reply,
    target?: Target,
    audience?: Audience,
    seq: number = this.engine.seq,
  ): void {
    const { engine, compressor } = this
    const { ifNoneMatch, acceptEncoding } = exchange
    const takes = acceptEncoding !== undefined && compressor?.covers(reply) === true && takesGzip(acceptEncoding)
    const form = takes ? (reply.gzip ?? reply) : reply
    let { head } = form
    if (ifNoneMatch !== undefined) head = notModifiedOf(reply, form, takes, ifNoneMatch) ?? head
    if (takes && head === reply.head) this.noteTaken(compressor, reply, target, audience)
    patchSeq(head, engine.epoch, seq)
    exchange.reply = form
    exchange.head = head
  }

  private noteTaken(compressor: Compressor, reply: Reply, target?: Target, audience?: Audience): void {
    compressor.note(reply, () => {
      if (target !== undefined && audience !== undefined) this.replies.recount(target, audience, reply)
    })
  }

  private refuse(exchange: Exchange, refusal: Refusal, extras?: ErrorExtras): undefined {
    this.send(exchange, errorReply(refusal, extras))
    return undefined
  }

  private notFound(): Reply {
    return errorReply(refuse('not_found', 'No such event, or none that your organization may see.'))
  }

  private forbidden(query: Query): Reply {
    const message = `Your organization has no verified bookmaker for this sport on transport ${query.transport}.`
    return errorReply(refuse('forbidden', message), {
      members: forbiddenLinks(this.publicUrl),
    })
  }

  private fail(exchange: Exchange, error: unknown): void {
    // A partial body must not begin the next one.
    this.writer.detach()
    this.onFault(error)
    this.refuse(exchange, refuse('service_unavailable', 'An internal fault; nothing was answered. Try again.'))
  }
}
