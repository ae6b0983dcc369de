// Polls Kambi (docs/feeds.md 6, 14): lists of events, each event's own offers, and pages of one type of offer. The
// configuration gives the paths: nothing about an operator is known here.

import { kambiNormaliser } from './kambi-normaliser.ts'
import type { ClosingNormaliser } from '../kit/normaliser.ts'
import type { ConnectorContext, Producer } from '../kit/connector.ts'
import { secretsOf, type SourceAccess } from '../kit/http-client.ts'
import { chooseEvents, type EventWindow, type ListedEvent, readEventList } from './kambi-events.ts'
import { urlOf } from '../kit/path-template.ts'
import { type PollLimits, staleMsOf } from '../kit/poll-limits.ts'
import type { PollTarget } from '../kit/poll-target.ts'
import { Poller } from '../kit/poller.ts'
import { Paces } from '../kit/rate.ts'
import { Reading, type ReadingOptions } from '../kit/reading.ts'

/** Paths below the base are templates; `{operator}` is replaced in all of them. */
export interface KambiOptions extends ReadingOptions, EventWindow {
  readonly access: SourceAccess
  readonly limits: PollLimits
  /** `https://HOST/offering/v2018/`. */
  readonly baseUrl: string
  /** Kambi's code of the operator. */
  readonly operator: string
  /** Lists of events, `{operator}/listView/football.json?lang=en_GB`, whose events are polled one by one. */
  readonly lists: readonly { readonly path: string; readonly intervalMs: number }[]
  /** One event, `{operator}/betoffer/event/{id}.json?lang=en_GB`; null: lists are not polled for events. */
  readonly event: {
    readonly path: string
    /** Before and after kickoff. */
    readonly intervalMs: number
    readonly liveIntervalMs: number
  } | null
  /**
   * Offers of many events, `{operator}/betoffer/group/1.json?type=2&range_start={start}&range_size={size}`; a path without
   * `{start}`, such as that of a list view, is one page.
   */
  readonly pages: readonly {
    readonly path: string
    readonly size: number
    /** Pages of this path; further ones are not polled, which is logged once. */
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

/** One answer of a page. */
interface PageAnswer {
  /** Key of the page. */
  readonly key: string
  readonly producer: Producer
  /** When it was last received or confirmed, epoch ms. */
  at: number
  hasLeft: boolean
}

/** Pages of one path, read by one normaliser. */
type Pages = KambiOptions['pages'][number] & {
  readonly reading: Reading<ClosingNormaliser>
  /** Answers that may still be valid. */
  readonly answers: Set<PageAnswer>
  /** The last one of each page, by its key. */
  readonly last: Map<string, PageAnswer>
}

/** A list as last read. */
interface ReadList {
  readonly events: readonly ListedEvent[]
  /** When it was last received or confirmed, epoch ms. */
  readonly at: number
}

const EVENT = 'event '

/** Total of rows by the answer's `range`, else 0. The large answer is not parsed a second time for it. */
const RANGE_TOTAL = /"range"\s*:\s*\{[^{}]*"total"\s*:\s*(\d{1,9})/

const rowsIn = (text: string): number => Number(RANGE_TOTAL.exec(text)?.[1] ?? 0)

const shownPath = ({ pathname, search }: URL): string => pathname + search

const keyOfPage = (url: URL): string => `page ${shownPath(url)}`

export class KambiPoller extends Poller {
  private readonly options: KambiOptions
  private readonly events = new Map<string, PolledEvent>()
  /** By the path of the list. */
  private readonly listed = new Map<string, ReadList>()
  private unpolled = 0
  /** When any event was last found. */
  private presentAt = 0

  /** @param paces of all sources of the process: two may poll the same host */
  constructor(options: KambiOptions, context: ConnectorContext, paces: Paces = new Paces()) {
    const { access, limits, baseUrl, lists, pages, event } = options
    super({ access, limits, origin: new URL(baseUrl).origin, secrets: secretsOf(access) }, context, paces)
    this.options = options
    if (event !== null) for (const list of lists) this.put(this.listTarget(list))
    for (const page of pages)
      this.putPage({ ...page, reading: this.newReading(), answers: new Set(), last: new Map() }, 0)
    this.start()
  }

  override facts(): Readonly<Record<string, string | number | null>> {
    return { ...super.facts(), events: this.events.size, unpolledEvents: this.unpolled }
  }

  private newReading(): Reading<ClosingNormaliser> {
    return new Reading(kambiNormaliser, this.options, this.context, (text) => this.problems.clean(text))
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
      intervalMs: () => intervalMs,
      read: (text, receivedAt) => this.readList(path, text, receivedAt),
      // Events enter and leave the window even if the list does not change.
      unchanged: async (receivedAt) => {
        const list = this.listed.get(path)
        if (list !== undefined) this.listed.set(path, { ...list, at: receivedAt })
        await this.choose(receivedAt)
        return true
      },
    }
  }

  private async readList(path: string, text: string, receivedAt: number): Promise<string | true> {
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

  /** An event that is no longer listed is still polled, until its own URL answers 404. */
  private async choose(nowAt: number): Promise<void> {
    const known = new Map<string, ListedEvent & { readonly list: string }>(this.events)
    for (const [list, { events }] of this.listed) for (const event of events) known.set(event.id, { ...event, list })
    const chosen = chooseEvents(known.values(), this.options, nowAt)
    const ids = new Set(chosen.map(({ id }) => id))
    const inWindow = chooseEvents(known.values(), { ...this.options, eventsMax: known.size }, nowAt).length
    this.unpolled = inWindow - chosen.length
    if (this.unpolled > 0) {
      const message = `${this.unpolled} of ${inWindow} events are not polled: at most ${this.options.eventsMax} are`
      this.problems.logOnce('events', 'events', message)
    } else this.problems.well('events')
    for (const event of this.events.values()) {
      if (ids.has(event.id)) continue
      this.dropEvent(event)
      await event.producer.leave('gap') // it is no longer polled
    }
    for (const { id, kickoffAt } of chosen) {
      const { list } = known.get(id)!
      const { reading, producer } = this.events.get(id) ?? {
        reading: this.newReading(),
        producer: this.context.producer(EVENT + id),
      }
      const event = { id, kickoffAt, list, reading, producer }
      this.events.set(id, event)
      this.put(this.eventTarget(event))
    }
  }

  private dropEvent({ id }: PolledEvent): void {
    this.events.delete(id)
    this.drop(EVENT + id)
  }

  /**
   * Whether an event that was not found is over. A misconfigured host gives the same answer, so another answer must
   * prove that the host is sane: a list read since that names other events, or, unless a list read since names this
   * event, another event that was found.
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
      intervalMs: (nowAt) => (event.kickoffAt <= nowAt ? liveIntervalMs : intervalMs),
      read: async (text, receivedAt, onReadable) => {
        const result = await reading.read(producer, text, receivedAt, true, onReadable)
        if (typeof result !== 'string') this.presentAt = receivedAt
        return result
      },
      unchanged: async (receivedAt) => {
        this.presentAt = receivedAt
        await reading.confirm(producer, receivedAt)
        return true
      },
      gone: async (receivedAt, sinceAt) => {
        if (!this.isOver(event, sinceAt)) return
        this.dropEvent(event)
        await producer.end(receivedAt)
        await producer.leave('gap')
      },
      stale: () => producer.suspect('gap'),
    }
  }

  // --- pages ---

  private pageUrl({ path, size }: KambiOptions['pages'][number], index: number): URL {
    return this.url(path, { start: index * size, size })
  }

  /**
   * Offers move between pages, so each answer of a page is a producer: offers that the next answer does not name are
   * left to the page that names them then. An offer that no answer has named for long is on no polled page.
   */
  private putPage(pages: Pages, index: number): void {
    const { reading, answers, last, intervalMs } = pages
    const url = this.pageUrl(pages, index)
    const key = keyOfPage(url)
    const staleMs = staleMsOf(intervalMs, this.options.limits)
    let count = 0
    const leaveOld = (nowAt: number): void => {
      for (const answer of answers) {
        // The last answer of a page is valid until the page is stale, which a pause of the process puts off.
        const isLast = last.get(answer.key) === answer
        if (answer.at > nowAt - staleMs || (isLast && !this.isStale(answer.key))) continue
        answers.delete(answer)
        answer.hasLeft = true
        void answer.producer.leave('gap')
      }
    }
    this.put({
      key,
      url,
      kind: 'prices',
      group: pages.path,
      intervalMs: () => intervalMs,
      read: async (text, receivedAt, onReadable) => {
        const answer = { key, producer: this.context.producer(`${key} ${++count}`), at: receivedAt, hasLeft: false }
        answers.add(answer)
        const result = await reading.read(answer.producer, text, receivedAt, false, onReadable)
        if (typeof result === 'string') return result
        last.set(key, answer)
        if (index === 0) this.putPages(pages, rowsIn(text))
        leaveOld(receivedAt)
        return result
      },
      unchanged: async (receivedAt) => {
        const answer = last.get(key)
        if (answer === undefined || answer.hasLeft) return false
        answer.at = receivedAt
        await reading.confirm(answer.producer, receivedAt)
        leaveOld(receivedAt)
        return true
      },
      // The first page gives the number of pages: a 404 for one of them is temporary.
      stale: leaveOld,
    })
  }

  /** Polls as many pages as the first one gives. */
  private putPages(pages: Pages, rows: number): void {
    const { path, size, pagesMax } = pages
    if (!path.includes('{start}')) return
    const count = Math.ceil(rows / size)
    const kind = `pages ${path}`
    if (count > pagesMax) {
      const first = keyOfPage(this.pageUrl(pages, 0))
      this.problems.logOnce(
        kind,
        kind,
        `${first}: ${rows} rows are more than ${pagesMax} pages, the rest is not polled`,
      )
    } else this.problems.well(kind)
    for (let index = 1; index < pagesMax; index++) {
      const key = keyOfPage(this.pageUrl(pages, index))
      if (index >= count) this.drop(key)
      else if (!this.has(key)) this.putPage(pages, index)
    }
  }
}
