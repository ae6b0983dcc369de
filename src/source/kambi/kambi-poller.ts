// Polls Kambi (docs/feeds.md 6, 14): lists of events, each event's own offers, and pages of one type of offer. Which of them,
// and where, the configuration says: nothing about an operator is known here.

import { kambiNormaliser } from './kambi-normaliser.ts'
import type { ClosingNormaliser } from '../kit/normaliser.ts'
import type { Connector, ConnectorContext, Producer } from '../kit/connector.ts'
import { secretsOf, type SourceAccess } from '../kit/http-client.ts'
import { chooseEvents, type EventWindow, type ListedEvent, readEventList } from './kambi-events.ts'
import { urlOf } from '../kit/path-template.ts'
import { type PollLimits, staleMsOf } from '../kit/poll-limits.ts'
import type { PollTarget } from '../kit/poll-target.ts'
import { Poller } from '../kit/poller.ts'
import { Paces } from '../kit/rate.ts'
import { Reading, type ReadingOptions } from '../kit/reading.ts'

/** Paths below the base are templates; `{operator}` is put into all of them. */
export interface KambiOptions extends ReadingOptions, EventWindow {
  readonly access: SourceAccess
  readonly limits: PollLimits
  /** `https://HOST/offering/v2018/`. */
  readonly baseUrl: string
  /** Kambi's code of the operator. */
  readonly operator: string
  /** Lists of events, `{operator}/listView/football.json?lang=en_GB`: what they name is polled event by event. */
  readonly lists: readonly { readonly path: string; readonly intervalMs: number }[]
  /** One event, `{operator}/betoffer/event/{id}.json?lang=en_GB`; null: lists are of no use. */
  readonly event: {
    readonly path: string
    /** Before and after kickoff. */
    readonly intervalMs: number
    readonly liveIntervalMs: number
  } | null
  /** Offers of many events, `{operator}/betoffer/group/1.json?type=2&range_start={start}&range_size={size}`. */
  readonly pages: readonly {
    readonly path: string
    readonly size: number
    /** Pages of this path; what lies past them is told once, and not polled. */
    readonly pagesMax: number
    readonly intervalMs: number
  }[]
}

/** An event that is polled. */
interface PolledEvent extends ListedEvent {
  /** Path of the list that named it last. */
  readonly list: string
  readonly reading: Reading<ClosingNormaliser>
  readonly producer: Producer
}

/** What a page said in one answer. */
interface PageAnswer {
  readonly producer: Producer
  /** When it was last so, epoch ms. */
  at: number
  hasLeft: boolean
}

/** Pages of one path, read by one normaliser. */
type Pages = KambiOptions['pages'][number] & {
  readonly reading: Reading<ClosingNormaliser>
  /** Those that may still hold. */
  readonly answers: Set<PageAnswer>
}

/** What a list named when it was last read. */
interface ReadList {
  readonly events: readonly ListedEvent[]
  /** When it was last answered so, epoch ms. */
  readonly at: number
}

const EVENT = 'event '

/** Rows in all, as the answer's `range` says; 0 where it says nothing. Not parsed a second time for this: it is large. */
const RANGE_TOTAL = /"range"\s*:\s*\{[^{}]*"total"\s*:\s*(\d{1,9})/

const rowsIn = (text: string): number => Number(RANGE_TOTAL.exec(text)?.[1] ?? 0)

const shownPath = ({ pathname, search }: URL): string => pathname + search

const keyOfPage = (url: URL): string => `page ${shownPath(url)}`

export class KambiPoller implements Connector {
  private readonly options: KambiOptions
  private readonly context: ConnectorContext
  private readonly poller: Poller
  private readonly events = new Map<string, PolledEvent>()
  /** By the path of the list. */
  private readonly listed = new Map<string, ReadList>()
  private unpolled = 0
  /** When an event was last answered well, whichever. */
  private presentAt = 0

  /** @param paces those of all sources of the process, where two may ask the same host */
  constructor(options: KambiOptions, context: ConnectorContext, paces: Paces = new Paces()) {
    this.options = options
    this.context = context
    const { access, limits, baseUrl, lists, pages, event } = options
    const { origin } = new URL(baseUrl)
    const secrets = secretsOf(access)
    this.poller = new Poller({ access, limits, origin, secrets }, context, paces)
    if (event !== null) for (const list of lists) this.poller.put(this.listTarget(list))
    for (const page of pages) this.putPage({ ...page, reading: this.newReading(), answers: new Set() }, 0)
    this.poller.start()
  }

  stop(): Promise<void> {
    return this.poller.stop()
  }

  refresh(): Promise<string | undefined> {
    return this.poller.refresh()
  }

  resume(): void {
    this.poller.hasten()
  }

  hasDelivered(): boolean {
    return this.poller.hasDelivered
  }

  trouble(): string | null {
    return this.poller.trouble()
  }

  facts(): Readonly<Record<string, string | number | null>> {
    return { ...this.poller.facts(), events: this.events.size, unpolledEvents: this.unpolled }
  }

  private newReading(): Reading<ClosingNormaliser> {
    return new Reading(kambiNormaliser, this.options, this.context, (text) => this.poller.clean(text))
  }

  private url(template: string, values: Readonly<Record<string, string | number>>): URL {
    const { baseUrl, operator } = this.options
    return urlOf(baseUrl, template, { operator, ...values })
  }

  // --- lists and their events ---

  private listTarget({ path, intervalMs }: KambiOptions['lists'][number]): PollTarget {
    const url = this.url(path, {})
    return {
      key: `list ${shownPath(url)}`,
      url,
      kind: 'list',
      group: path,
      priority: 1,
      intervalMs: () => intervalMs,
      take: (text, receivedAt) => this.takeList(path, text, receivedAt),
      // Time goes on though the list does not change: events come into the window and leave it.
      stands: async (receivedAt) => {
        const list = this.listed.get(path)
        if (list !== undefined) this.listed.set(path, { ...list, at: receivedAt })
        await this.choose(receivedAt)
        return true
      },
      gone: null,
      stale: null,
    }
  }

  private async takeList(path: string, text: string, receivedAt: number): Promise<string | true> {
    const list = readEventList(text)
    if ('fault' in list) return list.fault
    const { account, onMalformed } = this.context
    for (const [place, reason] of list.malformed) {
      account.malformed++
      onMalformed(place, reason)
    }
    this.listed.set(path, { events: list.events, at: receivedAt })
    await this.choose(receivedAt)
    return true
  }

  /** An event stays polled when no list names it any more: its own URL says what became of it, until it is not there. */
  private async choose(nowAt: number): Promise<void> {
    const known = new Map<string, ListedEvent & { readonly list: string }>(this.events)
    for (const [list, { events }] of this.listed) for (const event of events) known.set(event.id, { ...event, list })
    const chosen = chooseEvents(known.values(), this.options, nowAt)
    const ids = new Set(chosen.map(({ id }) => id))
    const inWindow = chooseEvents(known.values(), { ...this.options, eventsMax: known.size }, nowAt).length
    this.unpolled = inWindow - chosen.length
    if (this.unpolled > 0) {
      const message = `${this.unpolled} of ${inWindow} events are not polled: at most ${this.options.eventsMax} are`
      this.poller.tellOnce('events', 'events', message)
    } else this.poller.well('events')
    for (const event of this.events.values()) {
      if (ids.has(event.id)) continue
      this.dropEvent(event)
      await event.producer.leave() // nobody looks at it any more
    }
    for (const { id, kickoffAt } of chosen) {
      const { list } = known.get(id)!
      const { reading, producer } = this.events.get(id) ?? {
        reading: this.newReading(),
        producer: this.context.producer(EVENT + id),
      }
      const event = { id, kickoffAt, list, reading, producer }
      this.events.set(id, event)
      this.poller.put(this.eventTarget(event))
    }
  }

  private dropEvent({ id }: PolledEvent): void {
    this.events.delete(id)
    this.poller.drop(EVENT + id)
  }

  /**
   * Whether an event that is not there is over. The same answer comes from a host that has lost its way, so there must be
   * a witness: a list read since that names others, or an event that is there, where no list read since names this one.
   */
  private isOver({ id, list }: PolledEvent, sinceAt: number): boolean {
    const read = this.listed.get(list)
    if (read === undefined || read.at <= sinceAt) return this.presentAt > sinceAt
    if (read.events.some((listed) => listed.id === id)) return false
    return read.events.length > 0 || this.presentAt > sinceAt
  }

  private eventTarget(event: PolledEvent): PollTarget {
    const { path, intervalMs, liveIntervalMs } = this.options.event!
    const { reading, producer } = event
    return {
      key: EVENT + event.id,
      url: this.url(path, { id: event.id }),
      kind: 'prices',
      group: event.list,
      priority: 1,
      intervalMs: (nowAt) => (event.kickoffAt <= nowAt ? liveIntervalMs : intervalMs),
      take: async (text, receivedAt) => {
        const taken = await reading.take(producer, text, receivedAt, true)
        if (typeof taken !== 'string') this.presentAt = receivedAt
        return taken
      },
      stands: async (receivedAt) => {
        this.presentAt = receivedAt
        await reading.confirm(producer, receivedAt)
        return true
      },
      gone: async (receivedAt, sinceAt) => {
        if (!this.isOver(event, sinceAt)) return
        this.dropEvent(event)
        await producer.end(receivedAt)
        await producer.leave()
      },
      stale: () => producer.suspect('gap'),
    }
  }

  // --- pages ---

  private pageUrl({ path, size }: KambiOptions['pages'][number], index: number): URL {
    return this.url(path, { start: index * size, size })
  }

  /**
   * Offers wander between pages, so each answer of a page is a producer: what the next one does not name is left to the page
   * that names it then. What none has named for long is on no page that anybody looks at.
   */
  private putPage(pages: Pages, index: number): void {
    const { reading, answers, intervalMs } = pages
    const url = this.pageUrl(pages, index)
    const key = keyOfPage(url)
    const staleMs = staleMsOf(intervalMs, this.options.limits)
    let last: PageAnswer | undefined
    let count = 0
    const leaveOld = (nowAt: number): void => {
      for (const answer of answers) {
        if (answer.at > nowAt - staleMs) continue
        answers.delete(answer)
        answer.hasLeft = true
        void answer.producer.leave()
      }
    }
    this.poller.put({
      key,
      url,
      kind: 'prices',
      group: pages.path,
      priority: 1,
      intervalMs: () => intervalMs,
      take: async (text, receivedAt) => {
        const answer = { producer: this.context.producer(`${key} ${++count}`), at: receivedAt, hasLeft: false }
        answers.add(answer)
        const taken = await reading.take(answer.producer, text, receivedAt, false)
        if (typeof taken === 'string') return taken
        last = answer
        if (index === 0) this.putPages(pages, rowsIn(text))
        leaveOld(receivedAt)
        return taken
      },
      stands: async (receivedAt) => {
        if (last === undefined || last.hasLeft) return false
        last.at = receivedAt
        await reading.confirm(last.producer, receivedAt)
        leaveOld(receivedAt)
        return true
      },
      // The first one says how many there are: one that should be there may be missed for a moment only.
      gone: null,
      stale: leaveOld,
    })
  }

  /** As many pages as the first one says that there are. */
  private putPages(pages: Pages, rows: number): void {
    const { path, size, pagesMax } = pages
    const count = Math.ceil(rows / size)
    const kind = `pages ${path}`
    if (count > pagesMax) {
      const first = keyOfPage(this.pageUrl(pages, 0))
      this.poller.tellOnce(kind, kind, `${first}: ${rows} rows are more than ${pagesMax} pages, the rest is not polled`)
    } else this.poller.well(kind)
    for (let index = 1; index < pagesMax; index++) {
      const key = keyOfPage(this.pageUrl(pages, index))
      if (index >= count) this.poller.drop(key)
      else if (!this.poller.has(key)) this.putPage(pages, index)
    }
  }
}
