// The flows that have subscribers: the subscriptions of each, and the flows that carry a group of changes. The flows of
// a book are looked up once, when it first appears or when flows are added or removed, and kept.

import type { Audience } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import { SparseList } from '../domain/sparse-list.ts'
import { type Notice, isEventNotice } from '../board/changes.ts'
import { type ClassForm, Flow, flowKey, patternKey, Stream } from './flow.ts'
import type { LastSeqs } from './last-seqs.ts'
import type { LiveHistory } from './live-history.ts'
import type { Subject } from './message.ts'
import type { Renderer } from './renderer.ts'
import type { ReplayRing } from './replay-ring.ts'
import type { LiveLimits } from './session-limits.ts'
import { type Place, Subscription, type SubscribeRequest, type SubscriptionOwner } from './subscription.ts'
import { seesBookmaker } from './visibility.ts'

/** The flows that carry a book's changes. */
export interface Route {
  /** Undefined: no flow does. */
  readonly subject: Subject | undefined
  readonly odds: readonly Flow[]
  readonly status: readonly Flow[]
}

/** Looked up again when the flows or the event have changed. */
interface KnownRoute extends Route {
  readonly view: EventView
  readonly event: Event
  readonly bookmaker: number
  readonly version: number
}

/** Where nobody subscribes to quotes. */
const NOWHERE: Route = { subject: undefined, odds: [], status: [] }

const NONE: ReadonlySet<Flow> = new Set()

export class Flows {
  private readonly ring: ReplayRing
  private readonly renderer: Renderer
  private readonly limits: LiveLimits
  private readonly lastSeqs: LastSeqs
  private readonly flows = new Map<string, Flow>()
  private readonly byPattern = new Map<string, Set<Flow>>()
  // By number of the book.
  private readonly routes = new SparseList<KnownRoute>()
  // Increased when routes have to be looked up again.
  private version = 0
  private streamCount = 0
  private privateCount = 0

  constructor({ ring, lastSeqs }: LiveHistory, renderer: Renderer, limits: LiveLimits) {
    this.ring = ring
    this.renderer = renderer
    this.limits = limits
    this.lastSeqs = lastSeqs
  }

  get size(): number {
    return this.flows.size
  }

  /** All current flows. */
  all(): Iterable<Flow> {
    return this.flows.values()
  }

  /** Stops all timers. */
  close(): void {
    for (const { conflation } of this.flows.values()) conflation?.close()
  }

  // --- subscriptions

  subscribe(
    owner: SubscriptionOwner,
    request: SubscribeRequest,
    form: ClassForm,
    audience: Audience,
    place: Place,
  ): Subscription {
    const { filter } = request
    // Which prices are held depends on what this subscription was sent, so a flow with conflation is not shared.
    const isShared = filter.conflateMs === 0 && place === 'stream'
    const own = isShared ? filter : { ...filter, privateTo: ++this.privateCount }
    const stream = this.streamOf(this.flowOf(own, audience, place), form)
    stream.users++
    const subscription = new Subscription(owner, request, stream, place, this.limits)
    stream.flow.conflation?.open(owner, () => subscription.releaseDue())
    return subscription
  }

  unsubscribe(subscription: Subscription): void {
    subscription.detach()
    this.leave(subscription.stream)
  }

  /**
   * Moves a subscription to the same topics as another audience sees them. One that is degraded stays so: the other
   * audience must see the same.
   */
  move(subscription: Subscription, audience: Audience): void {
    const { stream } = subscription
    if (subscription.degraded === undefined) subscription.detach()
    const { form, flow } = stream
    const isNew = !this.flows.has(flowKey(flow.filter, audience))
    const nextFlow = this.flowOf(flow.filter, audience, subscription.place)
    // A new flow may start at the floor of the ring; the old flow knows that it carried nothing after its last message.
    if (isNew) nextFlow.lastSeq = Math.min(nextFlow.lastSeq, flow.lastSeq)
    const next = this.streamOf(nextFlow, { ...form, hasAckHeader: form.ackNumber !== undefined })
    next.users++
    this.leave(stream)
    subscription.stream = next
    if (subscription.degraded !== undefined) subscription.degraded.flow = nextFlow
    nextFlow.conflation?.open(subscription.owner, () => subscription.releaseDue())
  }

  /** @param place `log`: turns do not write to the flow */
  private flowOf(filter: Flow['filter'], audience: Audience, place: Place): Flow {
    const key = flowKey(filter, audience)
    const known = this.flows.get(key)
    if (known !== undefined) return known
    const flow = new Flow(key, filter, audience, this.ring.floorSeq)
    this.lastSeqs.setFor(flow, this.renderer)
    if (place === 'log') return flow
    this.flows.set(key, flow)
    const pattern = patternOf(flow)
    const flows = this.byPattern.get(pattern)
    if (flows === undefined) this.byPattern.set(pattern, new Set([flow]))
    else flows.add(flow)
    this.version++
    return flow
  }

  private streamOf(flow: Flow, form: ClassForm): Stream {
    const { subscription, acknowledges, hasAckHeader, encoding, isEvent = false, bundleBytes = 0 } = form
    const key = `${encoding} ${isEvent} ${bundleBytes} ${acknowledges} ${hasAckHeader} ${subscription}`
    const known = flow.streams.get(key)
    if (known !== undefined) return known
    const number = ++this.streamCount
    const ackNumber = hasAckHeader ? number : undefined
    const messageForm = { subscription, acknowledges, ackNumber, encoding, isEvent, bundleBytes }
    const stream = new Stream(flow, messageForm, String(number), this.renderer.engine.epoch, key)
    flow.streams.set(key, stream)
    return stream
  }

  private leave(stream: Stream): void {
    if (--stream.users > 0) return
    const { flow } = stream
    flow.streams.delete(stream.key)
    if (flow.streams.size > 0 || !this.flows.delete(flow.key)) return
    flow.conflation?.close()
    const pattern = patternOf(flow)
    const flows = this.byPattern.get(pattern)!
    flows.delete(flow)
    if (flows.size === 0) this.byPattern.delete(pattern)
    this.version++
  }

  // --- changes

  /** Ids of events lead elsewhere. Returns whether a flow names one of them. */
  idsMoved(moved: ReadonlySet<string>): boolean {
    this.version++
    return [...this.flows.values()].some(({ filter }) => filter.eventId !== null && moved.has(filter.eventId))
  }

  /** The flows that may carry a notice. */
  ofNotice(notice: Notice): Flow[] {
    const keys = isEventNotice(notice)
      ? [notice.sportNumber, null].flatMap((sport) =>
          [notice.event.id, ...notice.formerIds, null].map((eventId) => patternKey('events', sport, null, eventId)),
        )
      : [notice.bookmaker, null].map((bookmaker) => patternKey('feeds', null, bookmaker, null))
    return keys.flatMap((key) => [...(this.byPattern.get(key) ?? NONE)])
  }

  /** The flows that carry a group of changes of quotes. */
  routeOf(group: number): Route {
    const { ring, version } = this
    if (this.byPattern.size === 0) return NOWHERE
    const book = ring.bookOf(group)
    const view = ring.viewOf(group)
    const event = ring.eventOf(group)
    const bookmaker = ring.bookmakerOf(group)
    const known = this.routes.get(book)
    // Numbers of books are reused, even for another bookmaker of the same event.
    if (
      known !== undefined &&
      known.version === version &&
      known.view === view &&
      known.event === event &&
      known.bookmaker === bookmaker
    ) {
      return known
    }
    const odds = this.flowsFor('odds', view, event, bookmaker)
    const status = this.flowsFor('status', view, event, bookmaker)
    const subject = odds.length + status.length === 0 ? undefined : this.renderer.bodies.subjectOf(view, bookmaker)
    const route = { view, event, bookmaker, version, subject, odds, status }
    this.routes.set(book, route)
    return route
  }

  private flowsFor(topic: 'odds' | 'status', view: EventView, event: Event, bookmaker: number): Flow[] {
    const found: Flow[] = []
    for (const sport of [view.sportNumber, null]) {
      for (const book of [bookmaker, null]) {
        for (const eventId of [event.id, ...view.formerIds, null]) {
          for (const flow of this.byPattern.get(patternKey(topic, sport, book, eventId)) ?? NONE) {
            const { leagues } = flow.filter
            if (leagues !== null && !leagues.has(event.leagueKey)) continue
            if (seesBookmaker(flow, view.sportNumber, bookmaker)) found.push(flow)
          }
        }
      }
    }
    // Flows of the same market types and form are adjacent, so that they share the rendered body.
    return found.sort(
      ({ filter: a }, { filter: b }) => a.types - b.types || Number(a.isNumbered) - Number(b.isNumbered),
    )
  }
}

const patternOf = ({ filter: { topic, sportNumber, bookmaker, eventId } }: Flow): string =>
  patternKey(topic, sportNumber, bookmaker, eventId)
