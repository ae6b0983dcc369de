// The renderer: bodies of messages for a flow, from the ring (changes) or from the board (the current state). Each
// method leaves the body in `bodies` and returns the frame's head, up to its message-id; undefined: the flow does not
// carry it.

import { isEventNotice, type Notice } from '../board/changes.ts'
import { bookmakersOf } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import type { FeedHealth } from '../domain/feed-health.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import type { Flow } from './flow.ts'
import {
  ALL_TYPES,
  Bodies,
  changesOf,
  headOf,
  type HeldPrice,
  newSelection,
  NONE,
  select,
  type Selection,
  type Subject,
} from './message.ts'
import { SHORT_LATE_MS_MAX, shortHeadOf, writeChanges, writeHeld } from './numbers.ts'
import type { ReplayRing } from './replay-ring.ts'
import { eventChange, includesEvent, seesBookmaker, seesFeed } from './visibility.ts'

const timeText = (epochMs: number): string => new Date(epochMs).toISOString()

export class Renderer {
  readonly engine: Engine
  readonly ring: ReplayRing
  readonly bodies: Bodies
  /** What the last call of {@link group} has picked. */
  readonly selection = newSelection()

  constructor(engine: Engine, ring: ReplayRing) {
    this.engine = engine
    this.ring = ring
    this.bodies = new Bodies(engine.epoch, engine.reader)
  }

  /**
   * Whether a flow carries a group of the ring; if so, `selection.lastSeq` is the seq of its message.
   * @param afterSeq changes up to this seq are left out
   * @param repeated changes of the ring that are picked in any case
   */
  pickGroup(flow: Flow, group: number, afterSeq = -1, repeated = NONE): boolean {
    const { ring, selection } = this
    const { filter } = flow
    const notice = ring.noticeOf(group)
    if (notice !== undefined) {
      selection.lastSeq = ring.lastSeqOf(group)
      if (selection.lastSeq <= afterSeq) return false
      if (!isEventNotice(notice)) return filter.topic === 'feeds' && seesFeed(flow, notice.bookmaker)
      return filter.topic === 'events' && eventChange(flow, notice) !== undefined
    }
    if (filter.topic !== 'status' && filter.topic !== 'odds') return false
    const view = ring.viewOf(group)
    if (!includesEvent(filter, ring.eventOf(group), view)) return false
    if (!seesBookmaker(flow, view.sportNumber, ring.bookmakerOf(group))) return false
    select(ring, group, changesOf(filter), filter.types, afterSeq, repeated, selection)
    return selection.count > 0
  }

  /** What is picked of a group of the ring. @param fullUntil see {@link update} */
  picked(flow: Flow, group: number, fullUntil: number): Uint8Array | undefined {
    const { ring, bodies, selection } = this
    const notice = ring.noticeOf(group)
    if (notice !== undefined) return this.notice(flow, notice, selection.lastSeq, ring.recordedAtOf(group))
    const subject = bodies.subjectOf(ring.viewOf(group), ring.bookmakerOf(group))
    return this.update(flow, group, selection, subject, fullUntil)
  }

  /**
   * Changes of quotes of a group.
   * @param fullUntil up to this seq, the subscriber may know a number as that of a later quote: groups that begin by then
   * have full quotes
   */
  update(flow: Flow, group: number, selection: Selection, subject: Subject, fullUntil = -1): Uint8Array {
    const { ring, bodies } = this
    const { topic, isNumbered } = flow.filter
    const mayBeShort = isNumbered && ring.firstSeqOf(group) > fullUntil
    if (mayBeShort && writeChanges(bodies.writer, ring, group, selection)) return shortHeadOf(topic)
    bodies.update(ring, group, selection, subject, isNumbered)
    return topic === 'status' ? subject.status : subject.odds
  }

  /** Held prices of one (event, bookmaker). @param newest the newest seq and times of them */
  held(
    flow: Flow,
    prices: readonly HeldPrice[],
    newest: HeldPrice['moment'],
    subject: Subject,
    nowAt: number,
  ): Uint8Array {
    const { bodies } = this
    const { topic, isNumbered } = flow.filter
    // The process may have been paused for hours while they were held.
    const hasDay = nowAt - newest.recordedAt < SHORT_LATE_MS_MAX
    const isShort = isNumbered && hasDay && writeHeld(bodies.writer, prices, newest.recordedAt, newest.observedAt)
    if (isShort) return shortHeadOf(topic)
    bodies.held(prices, newest, subject, isNumbered)
    return subject.odds
  }

  notice(flow: Flow, notice: Notice, seq: number, recordedAt: number): Uint8Array | undefined {
    const { bodies } = this
    const { topic } = flow.filter
    if (isEventNotice(notice)) {
      if (topic !== 'events') return undefined
      const change = eventChange(flow, notice)
      if (change === undefined) return undefined
      const { event, sportNumber, mergedInto } = notice
      bodies.object(seq, {
        change,
        ...this.eventMembers(flow, event, sportNumber, recordedAt),
        recordedAt: timeText(recordedAt),
        ...(mergedInto === undefined ? {} : { mergedInto }),
      })
      return headOf(`/topic/events.${event.sport}.${event.id}`)
    }
    if (topic !== 'feeds' || !seesFeed(flow, notice.bookmaker)) return undefined
    bodies.object(seq, { ...this.feedMembers(notice), recordedAt: timeText(recordedAt) })
    return this.feedHead(notice)
  }

  /** The current state of an event, for the topic `events`. */
  event(flow: Flow, view: EventView, seq: number, nowAt: number): Uint8Array | undefined {
    const { event, sportNumber } = view
    if (!includesEvent(flow.filter, event, view)) return undefined
    const { reader } = this.engine
    if (!reader.liveBookmakers(view).some((bookmaker) => seesBookmaker(flow, sportNumber, bookmaker))) return undefined
    this.bodies.object(seq, {
      ...this.eventMembers(flow, event, sportNumber, nowAt),
      recordedAt: timeText(nowAt),
    })
    return headOf(`/topic/events.${event.sport}.${event.id}`)
  }

  /** The bookmakers whose books of an event a flow carries. */
  booksOf(flow: Flow, view: EventView): readonly number[] {
    const { event, sportNumber } = view
    if (!includesEvent(flow.filter, event, view)) return []
    return this.engine.reader.liveBookmakers(view).filter((bookmaker) => seesBookmaker(flow, sportNumber, bookmaker))
  }

  /** The current quotes of a book, open or suspended. */
  book(flow: Flow, view: EventView, bookmaker: number, seq: number, nowAt: number): Uint8Array | undefined {
    const { bodies } = this
    const { reader } = this.engine
    const { types, topic, isNumbered } = flow.filter
    const isAsked = (type: number): boolean => types === ALL_TYPES || (types & (1 << type)) !== 0
    let newestAt = -1
    reader.visitLiveBook(view, bookmaker, nowAt, (type, _line, _outcome, _odds, _status, observedAt) => {
      if (isAsked(type) && observedAt > newestAt) newestAt = observedAt
    })
    if (newestAt === -1) return undefined
    const subject = bodies.subjectOf(view, bookmaker)
    bodies.beginQuotes(subject, seq, newestAt, nowAt)
    reader.visitLiveBook(view, bookmaker, nowAt, (type, line, outcome, odds, status, observedAt, number) => {
      if (isAsked(type)) bodies.quote(type, line, outcome, odds, status, 0, 0, observedAt, isNumbered ? number : 0)
    })
    bodies.endQuotes()
    return topic === 'status' ? subject.status : subject.odds
  }

  /** The current health of a bookmaker's source, for the topic `feeds`. */
  feed(flow: Flow, bookmaker: number, seq: number, nowAt: number): Uint8Array | undefined {
    const health = this.engine.reader.healthOf(bookmaker)
    if (health === undefined || !seesFeed(flow, bookmaker)) return undefined
    this.bodies.object(seq, { ...this.feedMembers(health), recordedAt: timeText(nowAt) })
    return this.feedHead(health)
  }

  private feedHead({ bookmaker }: FeedHealth): Uint8Array {
    return headOf(`/topic/feeds.${this.engine.reader.bookmakerSlug(bookmaker)}`)
  }

  private feedMembers({ bookmaker, state, since, behindMs }: FeedHealth): object {
    return { bookmaker: this.engine.reader.bookmakerSlug(bookmaker), state, since: timeText(since), behindMs }
  }

  /** The fields of the spec's Event (§2.9), in its order. */
  private eventMembers(flow: Flow, event: Event, sportNumber: number, nowAt: number): object {
    const { reader } = this.engine
    const view = reader.eventOf(event.id)
    const live = bookmakersOf(flow.audience, TRANSPORT_NUMBER.live, sportNumber)
    return {
      id: event.id,
      sport: event.sport,
      leagueKey: event.leagueKey,
      leagueName: event.leagueName,
      homeTeam: event.homeTeam,
      awayTeam: event.awayTeam,
      kickoffAt: timeText(event.kickoffAt),
      marketCount: view === undefined ? 0 : reader.marketCount(view, TRANSPORT_NUMBER.live, live, nowAt, false),
    }
  }
}
