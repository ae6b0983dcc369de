// Capacity: how much the board holds of each kind that a source can add, how much it may hold, and the share of one
// bookmaker, so that one source cannot fill the board for the others. A warning comes before a bound is reached.

import { type ImageReader, type ImageWriter, tooLarge } from '../domain/image.ts'
import { readColumn } from '../domain/image-columns.ts'
import { invariant } from './invariant.ts'

/**
 * What is counted. `source_ids`: ids that sources give events; they have no share. `endings`: bet stops and complete
 * lists that are stored apart from books, see endings.ts.
 */
const KINDS = ['quotes', 'events', 'labels', 'source_ids', 'endings'] as const

export type Kind = (typeof KINDS)[number]

// Bounds that refuse only the new quotes of an observation.
const PRICE_BOUNDS = [
  ...KINDS,
  'bookmaker_quotes',
  'bookmaker_events',
  'bookmaker_labels',
  'bookmaker_endings',
  'bookmakers',
] as const

export type Bound = (typeof PRICE_BOUNDS)[number]

/** Every bound that can keep something new off the board. `book_quotes` refuses an observation whole. */
export const BOUNDS = [...PRICE_BOUNDS, 'book_quotes'] as const

/** The board has come near a bound, or is no longer near it. */
export interface Level {
  readonly kind: Kind
  /** Whose share it is; 0: the whole board. */
  readonly bookmaker: number
  readonly held: number
  readonly max: number
  readonly isNear: boolean
}

// Warns at this part of a bound, and clears at this one: a board that stays about there warns once.
const NEAR = 0.8
const CALM = 0.7

// A bookmaker's number is 16 bits wide in the columns.
const NUMBERS_END = 2 ** 16

const SHARE_OF = {
  quotes: 'bookmaker_quotes',
  events: 'bookmaker_events',
  labels: 'bookmaker_labels',
  // It has no share.
  source_ids: 'source_ids',
  endings: 'bookmaker_endings',
} as const satisfies Record<Kind, Bound>

/** How much the board holds of one kind. */
export class Holding {
  readonly kind: Kind
  readonly max: number
  /** What one bookmaker may hold of it; what it has beyond that (moved there by a decision) stays. */
  readonly shareMax: number
  held = 0
  /** Called when the board comes near the bound, or a bookmaker near its share, and when it no longer is. Once each. */
  onLevel: ((level: Level) => void) | undefined
  private readonly own = new Uint32Array(NUMBERS_END)
  private readonly nearAt: number
  private readonly calmAt: number
  private readonly ownNearAt: number
  private readonly ownCalmAt: number
  private isNear = false
  private readonly nearOnes = new Set<number>()

  /** @param share of a bookmaker, above 0 and up to 1 */
  constructor(kind: Kind, max: number, share = 1) {
    this.kind = kind
    this.max = max
    this.shareMax = Math.max(1, Math.floor(max * share))
    this.nearAt = Math.ceil(max * NEAR)
    this.calmAt = Math.floor(max * CALM)
    // If a bookmaker may hold all, the bound of the board warns.
    this.ownNearAt = share < 1 ? Math.ceil(this.shareMax * NEAR) : Number.POSITIVE_INFINITY
    this.ownCalmAt = Math.floor(this.shareMax * CALM)
  }

  /** The bound that keeps a bookmaker from holding one more; undefined: none. */
  boundFor(bookmaker: number): Bound | undefined {
    if (this.held >= this.max) return this.kind
    return this.own[bookmaker]! >= this.shareMax ? SHARE_OF[this.kind] : undefined
  }

  /** How many more fit, and how many more a bookmaker may hold. */
  get capacityLeft(): number {
    return this.max - this.held
  }

  shareLeft(bookmaker: number): number {
    return this.shareMax - this.own[bookmaker]!
  }

  ownOf(bookmaker: number): number {
    return this.own[bookmaker]!
  }

  /** One more on the board. */
  add(): void {
    if (++this.held < this.nearAt || this.isNear) return
    this.isNear = true
    this.report(0, this.held, this.max, true)
  }

  remove(): void {
    invariant(--this.held >= 0, 'no count of the board is negative')
    if (this.held > this.calmAt || !this.isNear) return
    this.isNear = false
    this.report(0, this.held, this.max, false)
  }

  /** One more that a bookmaker holds. */
  addOf(bookmaker: number): void {
    const own = ++this.own[bookmaker]!
    if (own < this.ownNearAt || this.nearOnes.has(bookmaker)) return
    this.nearOnes.add(bookmaker)
    this.report(bookmaker, own, this.shareMax, true)
  }

  removeOf(bookmaker: number): void {
    invariant(this.own[bookmaker]! > 0, 'no count of a bookmaker is negative')
    const own = --this.own[bookmaker]!
    if (own > this.ownCalmAt || this.nearOnes.size === 0 || !this.nearOnes.delete(bookmaker)) return
    this.report(bookmaker, own, this.shareMax, false)
  }

  /** @param numbers of bookmakers that are in use end below this */
  save(image: ImageWriter, numbers: number): void {
    let end = numbers
    while (end > 0 && this.own[end - 1] === 0) end--
    const nearOnes = [...this.nearOnes].sort((a, b) => a - b)
    image.value(`held ${this.kind}`, [this.held, this.isNear, nearOnes, this.max])
    image.column(`held ${this.kind} own`, this.own.subarray(0, end))
  }

  /**
   * Reports no levels: what changed them was before.
   * @returns whether it fits. More than the bound may be held: by a split an event is added in any case. It does not fit
   * if the bound was larger before
   */
  load(image: ImageReader): boolean {
    const saved = image.value(`held ${this.kind}`) as [number, boolean, number[], number]
    const [held, isNear, nearOnes, max] = saved
    this.held = held
    // With the bounds of before these are the flags of before.
    this.isNear = held >= this.nearAt || (isNear && held > this.calmAt)
    const own = readColumn(image, `held ${this.kind} own`, Uint32Array)
    this.own.set(own)
    const wereNear = new Set(nearOnes)
    for (let bookmaker = 0; bookmaker < own.length; bookmaker++) {
      const owned = own[bookmaker]!
      if (owned >= this.ownNearAt || (wereNear.has(bookmaker) && owned > this.ownCalmAt)) this.nearOnes.add(bookmaker)
    }
    return held <= this.max || this.max >= max
  }

  private report(bookmaker: number, held: number, max: number, isNear: boolean): void {
    this.onLevel?.({ kind: this.kind, bookmaker, held, max, isNear })
  }
}

const WORDS = {
  quotes: { text: 'quotes', flag: 'quotes-max' },
  events: { text: 'events', flag: 'events-max' },
  labels: { text: 'outcome labels', flag: 'labels-max' },
  source_ids: { text: 'source ids of events', flag: 'events-max' },
  endings: { text: 'bet stops without a quote', flag: 'events-max' },
} as const satisfies Record<Kind, { readonly text: string; readonly flag: string }>

/** What a board may hold. A kind without a bound is bounded by the quotes: each entry has at least one. */
export interface BoardLimits {
  readonly quotesMax: number
  readonly eventsMax?: number
  /** Distinct outcome labels. */
  readonly labelsMax?: number
  /** Source ids an event, on average. */
  readonly sourceIdsPerEvent?: number
  /** The part of the quotes, events and labels that one bookmaker may hold; 1: all. */
  readonly bookmakerShare?: number
  /** Quotes that a bookmaker may hold of one event on one transport. */
  readonly bookQuotesMax?: number
}

export class Capacity {
  readonly quotes: Holding
  /** A bookmaker holds the events at which it has a quote; it may always join one that is on the board. */
  readonly events: Holding
  /** A bookmaker holds the labels that it was the first to use; it may always use a known one. */
  readonly labels: Holding
  readonly sourceIds: Holding
  /** Quotes that a book may hold; what it has beyond that (moved there by a decision) stays. */
  readonly bookQuotesMax: number
  /** As many as events: for books without a quote, and for further sources of a book. */
  readonly endings: Holding
  private readonly sourceIdsPerEvent: number

  constructor(limits: BoardLimits) {
    const { quotesMax, eventsMax = quotesMax, labelsMax = quotesMax, bookmakerShare } = limits
    const { sourceIdsPerEvent = Number.POSITIVE_INFINITY, bookQuotesMax = Number.POSITIVE_INFINITY } = limits
    this.bookQuotesMax = bookQuotesMax
    this.sourceIdsPerEvent = sourceIdsPerEvent
    this.quotes = new Holding('quotes', quotesMax, bookmakerShare)
    this.events = new Holding('events', eventsMax, bookmakerShare)
    this.labels = new Holding('labels', labelsMax, bookmakerShare)
    this.sourceIds = new Holding('source_ids', eventsMax * sourceIdsPerEvent)
    this.endings = new Holding('endings', eventsMax, bookmakerShare)
  }

  /** @param numbers of bookmakers that are in use end below this */
  save(image: ImageWriter, numbers: number): void {
    for (const holding of this.all) holding.save(image, numbers)
  }

  load(image: ImageReader): void {
    for (const holding of this.all) {
      if (holding.load(image)) continue
      const { kind, held } = holding
      const { text, flag } = WORDS[kind]
      // An event has several source ids.
      const perUnit = kind === 'source_ids' ? this.sourceIdsPerEvent : 1
      throw tooLarge(`${held} ${text}`, flag, Math.ceil(held / perUnit))
    }
  }

  get all(): readonly Holding[] {
    return [this.quotes, this.events, this.labels, this.sourceIds, this.endings]
  }

  /** Which bound is near, and what an operator can do. */
  levelText({ kind, bookmaker, held, max, isNear }: Level, slug: string): string {
    const { text, flag } = WORDS[kind]
    const whose = bookmaker === 0 ? 'the board' : slug
    const state = `${whose} holds ${held} ${text} of at most ${max}`
    if (!isNear) return `${state}: there is room again`
    return `${state}: past that new ones are refused; --${bookmaker === 0 ? flag : 'bookmaker-share'} makes room`
  }

  /** Which book would be too long, and what its source can do. */
  longBookText(bookmaker: string, held: number, added: number): string {
    return (
      `${bookmaker} holds ${held} of at most ${this.bookQuotesMax} quotes of this event, and ${added} new ones do not fit: ` +
      'nothing was recorded; send the quotes that are held by themselves, and fewer new ones (closed quotes count for 24 hours)'
    )
  }

  /** What is full, and what an operator can do. */
  fullText(bound: Exclude<Bound, 'bookmakers'>, bookmaker: string, missed: number): string {
    const leftOut = `${missed} prices left out`
    const holding = this.all.find(({ kind }) => bound === kind || bound === `bookmaker_${kind}`)!
    const { kind, max, shareMax } = holding
    const { text, flag } = WORDS[kind]
    return bound === kind
      ? `the board is full (${max} ${text}): ${leftOut}; --${flag} makes room`
      : `${bookmaker} holds its share of the board (${shareMax} of ${max} ${text}): ${leftOut}; --bookmaker-share makes room`
  }
}
