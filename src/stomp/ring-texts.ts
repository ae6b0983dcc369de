// What the groups of the replay ring refer to, as an image: events on the board by number, events that are gone and former
// names by value, each once; labels once; notices. Texts are saved as JSON: it keeps a lone surrogate, UTF-8 does not.

import type { Catalogue } from '../board/catalogue.ts'
import { isEventNotice, type EventNotice, type Notice } from '../board/changes.ts'
import { jsonBytes, type OutcomeLabels } from '../board/outcome-labels.ts'
import { type Event, type EventView, isSameEvent } from '../domain/event.ts'
import type { FeedHealth } from '../domain/feed-health.ts'
import { ImageFault, type ImageReader, type ImageWriter } from '../domain/image.ts'
import { SPORT_NUMBER } from '../domain/sport.ts'

/** An event that is no longer on the board: its number, its last names, its former ids. */
type GoneView = readonly [number: number, event: EventRow, formerIds: readonly string[]]

type EventRow = readonly [
  id: string,
  sport: Event['sport'],
  leagueKey: string,
  leagueName: string,
  homeTeam: string,
  awayTeam: string,
  kickoffAt: number,
]

/** What few notices have. `was`: number of the event, -1: none. */
type Extra = readonly [
  formerIds: readonly string[],
  formerId: NonNullable<EventNotice['formerId']> | null,
  was: number,
  mergedInto: string | null,
]

const rowOf = ({ id, sport, leagueKey, leagueName, homeTeam, awayTeam, kickoffAt }: Event): EventRow => [
  id,
  sport,
  leagueKey,
  leagueName,
  homeTeam,
  awayTeam,
  kickoffAt,
]

const eventOf = ([id, sport, leagueKey, leagueName, homeTeam, awayTeam, kickoffAt]: EventRow): Event => ({
  id,
  sport,
  leagueKey,
  leagueName,
  homeTeam,
  awayTeam,
  kickoffAt,
})

/** In a column of notices: the health of a source follows, not the bookmakers of an event. */
const HEALTH = 0xffff_ffff

/** Numbers what the groups refer to, in the order in which they do so for the first time. */
export class RingTexts {
  private readonly catalogue: Catalogue
  private readonly views = new Map<EventView, number>()
  // For each view, and each event: its number on the board; 0: it is not, or no longer, on the board like this.
  private readonly viewRecords: number[] = []
  private readonly gone: GoneView[] = []
  private readonly events = new Map<Event, number>()
  /** Of those that are not on the board like this. */
  private readonly eventsByText = new Map<string, number>()
  private readonly eventRecords: number[] = []
  private readonly rows: EventRow[] = []
  private readonly labels = new Map<Uint8Array, number>()
  private readonly labelsByText = new Map<string, number>()
  // For each notice: the event, the lengths of `before` and `after`, what is in them, and the extra (from 1; 0: none).
  private readonly notices: number[] = []
  private readonly extras: Extra[] = []
  private readonly healths: FeedHealth[] = []

  constructor(catalogue: Catalogue) {
    this.catalogue = catalogue
  }

  numberOfView(view: EventView): number {
    const known = this.views.get(view)
    if (known !== undefined) return known
    const isOnBoard = this.catalogue.recordOf(view.number) === view
    this.viewRecords.push(isOnBoard ? view.number : 0)
    if (!isOnBoard) this.gone.push([view.number, rowOf(view.event), view.formerIds])
    this.views.set(view, this.views.size)
    return this.views.size - 1
  }

  /** Events of equal content have one number: which objects they were does not outlast the process. */
  numberOfEvent(event: Event): number {
    const known = this.events.get(event)
    if (known !== undefined) return known
    const record = this.catalogue.names.eventOf(event.id)
    const number =
      record !== undefined && isSameEvent(record.event, event) ? this.numberOfCurrent(record) : this.numberOfText(event)
    this.events.set(event, number)
    return number
  }

  /** The number of an event as it is on the board: nearly all are. */
  private numberOfCurrent({ event, number }: EventView): number {
    const known = this.events.get(event)
    if (known !== undefined) return known
    this.events.set(event, this.eventRecords.length)
    return this.eventRecords.push(number) - 1
  }

  private numberOfText(event: Event): number {
    const row = rowOf(event)
    const text = JSON.stringify(row)
    const known = this.eventsByText.get(text)
    if (known !== undefined) return known
    this.eventsByText.set(text, this.eventRecords.length)
    this.rows.push(row)
    return this.eventRecords.push(0) - 1
  }

  numberOfLabel(label: Uint8Array): number {
    const known = this.labels.get(label)
    if (known !== undefined) return known
    const text = Buffer.from(label.buffer, label.byteOffset, label.byteLength).toString('utf8')
    let number = this.labelsByText.get(text)
    if (number === undefined) {
      number = this.labelsByText.size
      this.labelsByText.set(text, number)
    }
    this.labels.set(label, number)
    return number
  }

  addNotice(notice: Notice): void {
    const { notices, extras } = this
    if (!isEventNotice(notice)) {
      notices.push(HEALTH, this.healths.length)
      this.healths.push(notice)
      return
    }
    const { event, formerIds, formerId = null, before, after, was, mergedInto = null } = notice
    notices.push(this.numberOfEvent(event), before.length, after.length, ...before, ...after)
    if (formerIds.length === 0 && formerId === null && was === undefined && mergedInto === null) notices.push(0)
    else notices.push(extras.push([formerIds, formerId, was === undefined ? -1 : this.numberOfEvent(was), mergedInto]))
  }

  save(image: ImageWriter): void {
    image.column('ring.views', Uint32Array.from(this.viewRecords))
    image.value('ring.gone', JSON.stringify(this.gone))
    image.column('ring.events', Uint32Array.from(this.eventRecords))
    image.value('ring.rows', JSON.stringify(this.rows))
    image.value('ring.labels', `[${[...this.labelsByText.keys()].join()}]`)
    image.column('ring.notices', Uint32Array.from(this.notices))
    image.value('ring.extras', JSON.stringify(this.extras))
    image.value(
      'ring.healths',
      JSON.stringify(
        this.healths.map(({ bookmaker, state, since, behindMs }) => ({ bookmaker, state, since, behindMs })),
      ),
    )
  }
}

export interface LoadedTexts {
  readonly views: readonly EventView[]
  readonly events: readonly Event[]
  readonly labels: readonly Uint8Array[]
  /** In the order of their groups. */
  readonly notices: () => Generator<Notice, void>
}

/** Reads what {@link RingTexts} has saved. The board is the one of the same image. */
export const loadRingTexts = (image: ImageReader, catalogue: Catalogue, labels: OutcomeLabels): LoadedTexts => {
  const recordOf = (number: number) => {
    const record = catalogue.recordOf(number)
    if (record === undefined) throw new ImageFault(`the board has no event ${number}, which the replay ring names`)
    return record
  }
  const viewRecords = columnOf(image, 'ring.views')
  const gone = listOf<GoneView>(image, 'ring.gone')
  let goneNext = 0
  const views = Array.from(viewRecords, (record) => (record === 0 ? goneView(gone[goneNext++]!) : recordOf(record)))
  const eventRecords = columnOf(image, 'ring.events')
  const rows = listOf<EventRow>(image, 'ring.rows')
  let rowNext = 0
  const events = Array.from(eventRecords, (record) =>
    record === 0 ? eventOf(rows[rowNext++]!) : recordOf(record).event,
  )
  const texts = listOf<string>(image, 'ring.labels')
  const loadedLabels = texts.map((text) => {
    const number = labels.find(text)
    return number === 0 ? jsonBytes(text) : labels.jsonOf(number)
  })
  return { views, events, labels: loadedLabels, notices: loadNotices(image, events) }
}

const loadNotices = (image: ImageReader, events: readonly Event[]): LoadedTexts['notices'] => {
  const column = columnOf(image, 'ring.notices')
  const extras = listOf<Extra>(image, 'ring.extras')
  const healths = listOf<FeedHealth>(image, 'ring.healths')
  return function* () {
    for (let at = 0; at < column.length; ) {
      if (column[at] === HEALTH) {
        yield healths[column[at + 1]!]!
        at += 2
        continue
      }
      const event = events[column[at]!]!
      const end = at + 3 + column[at + 1]! + column[at + 2]!
      const extra = column[end] === 0 ? NO_EXTRA : extras[column[end]! - 1]!
      const was = extra[2] === -1 ? undefined : events[extra[2]]
      yield new SavedNotice(column, at, event, was, extra)
      at = end + 1
    }
  }
}

// Hundreds of thousands of them, of which hardly one is read again: its lists stay in the column until then.
class SavedNotice implements EventNotice {
  readonly event: Event
  readonly sportNumber: number
  readonly was: Event | undefined
  private readonly column: Uint32Array
  private readonly at: number
  private readonly extra: Extra

  constructor(column: Uint32Array, at: number, event: Event, was: Event | undefined, extra: Extra) {
    this.column = column
    this.at = at
    this.event = event
    this.sportNumber = SPORT_NUMBER.get(event.sport)!
    this.was = was
    this.extra = extra
  }

  get before(): number[] {
    return this.numbers(this.at + 3, this.column[this.at + 1]!)
  }

  get after(): number[] {
    return this.numbers(this.at + 3 + this.column[this.at + 1]!, this.column[this.at + 2]!)
  }

  get formerIds(): readonly string[] {
    return this.extra[0]
  }

  get formerId(): EventNotice['formerId'] {
    return this.extra[1] ?? undefined
  }

  get mergedInto(): string | undefined {
    return this.extra[3] ?? undefined
  }

  private numbers(from: number, count: number): number[] {
    return Array.from(this.column.subarray(from, from + count))
  }
}

const NO_EXTRA: Extra = [[], null, -1, null]

const goneView = ([number, row, formerIds]: GoneView): EventView => {
  const event = eventOf(row)
  return { number, event, sportNumber: SPORT_NUMBER.get(event.sport)!, formerIds }
}

export const columnOf = (image: ImageReader, name: string): Uint32Array => {
  const column = new Uint32Array(image.lengthOf(name))
  image.column(name, column)
  return column
}

const listOf = <T>(image: ImageReader, name: string): T[] => JSON.parse(image.value(name) as string)
