// The fast path for our own format: from the bytes of a SEND to an observation, without a text and a JSON tree between.
//
// Nearly all of a SEND has been seen before: its event, and of each quote everything but odds and status. So the
// scanner keeps byte ranges that it has seen, with their meaning, and compares instead of parsing:
//
//   {"transport":"live","observedAt":"2026-11-20T19:03:11.482Z","event":{…},"quotes":[{…,"odds":2.1,"status":"open"},…],…}
//                                     └── minute ──┘└─ read ─┘          └┬┘           └┬┘        └─┬┘
//                                                                  event range    head range     read
//
// The meaning of a range is determined by the slow path's own functions when it is first seen, so the two cannot
// differ. All other bytes must be as wireObservation and JSON.stringify write them; otherwise the slow path reads the
// whole body. Refusals always come from the slow path.
//
// One piece, although long: all of it works on one copy of the body, and is fast because it does. With the table of ranges as a
// module of its own a SEND takes 1.05 and 1.08 times as long in bench/ingest.ts, which is not bundled (two pairs).

import { isUtf8 } from 'node:buffer'
import { isBookmakerSlug } from '../../domain/coverage.ts'
import type { MarketType } from '../../domain/market.ts'
import { type EventSighting, type Observation, type Others, type Price, withMemo } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { type Refusal, isRefusal } from '../../domain/refusal.ts'
import { parseDateTime } from '../../domain/time.ts'
import type { FedTransport } from '../../domain/transport.ts'
import type { NormaliserLimits } from '../kit/normaliser.ts'
import { keyOf, parseObservationBytes, readEvent, readPrice } from './observations.ts'

const COMMA = 0x2c
const DOT = 0x2e
const ZERO = 0x30
const BRACE = 0x7b
const BRACE_END = 0x7d
const BRACKET_END = 0x5d
const QUOTE = 0x22
const CAPITAL_Z = 0x5a

/** Four ASCII characters as the word that they form in a body. */
const wordOf = (text: string): number => Buffer.from(text, 'latin1').readInt32LE(0)

const NULL = wordOf('null')
const LIVE = wordOf('live')
const REST = wordOf('rest')
const BOTH = wordOf('both')
const OPENING_WITH_BOOKMAKER = wordOf('{"bo')
// `,"odds":` and `,"status":`, the ends of a head.
const ODDS_1 = wordOf(',"od')
const ODDS_2 = wordOf('ds":')
const STATUS_1 = wordOf(',"st')
// `},"quotes":[`, the end of an event; and its first seven bytes, as words that begin one byte later each.
const QUOTES_1 = wordOf('},"q')
const QUOTES_2 = wordOf('uote')
const QUOTES_3 = wordOf('s":[')
const QUOTES_LATER_1 = wordOf(',"qu')
const QUOTES_LATER_2 = wordOf('"quo')
const QUOTES_LATER_3 = wordOf('quot')
const QUOTES_BYTES = ',"quotes":['.length

/** A shorter range is none. */
const RANGE_BYTES_MIN = 8

/** Doubles of a range of at most so many bytes. */
const doublesIn = (bytesMax: number): number => (bytesMax >> 3) + 1

/**
 * Writes a range of bytes as doubles, for comparison eight bytes at a time: the whole ones, then its last eight bytes again,
 * which may overlap. Two doubles are equal where their bytes are, but for zeros and NaN: the first are no text, and the
 * second are no UTF-8 and only never equal. Whole numbers of four bytes take 1.05 times as long for all of a body.
 */
const putRange = (view: DataView, at: number, doubles: Float64Array, doublesAt: number, length: number): void => {
  const whole = length >> 3
  for (let place = 0; place < whole; place++) doubles[doublesAt + place] = view.getFloat64(at + place * 8, true)
  doubles[doublesAt + whole] = view.getFloat64(at + length - 8, true)
}

/** Whether the bytes at `at` equal the range of `length` bytes whose doubles start at `doublesAt`. */
const isRange = (view: DataView, at: number, doubles: Float64Array, doublesAt: number, length: number): boolean => {
  const whole = length >> 3
  for (let place = 0; place < whole; place++) {
    if (view.getFloat64(at + place * 8, true) !== doubles[doublesAt + place]) return false
  }
  return view.getFloat64(at + length - 8, true) === doubles[doublesAt + whole]
}

/** A constant piece of a body. */
class Piece {
  readonly length: number
  private readonly doubles: Float64Array

  constructor(text: string) {
    const bytes = Buffer.from(text)
    this.length = bytes.length
    this.doubles = new Float64Array(doublesIn(bytes.length))
    putRange(new DataView(bytes.buffer, bytes.byteOffset), 0, this.doubles, 0, bytes.length)
  }

  isAt(view: DataView, at: number): boolean {
    return isRange(view, at, this.doubles, 0, this.length)
  }
}

const TRANSPORT = new Piece('"transport":"')
const OBSERVED_AT = new Piece('","observedAt":"')
const EVENT = new Piece(',"event":')
const OPEN = new Piece(',"status":"open"}')
const SUSPENDED = new Piece(',"status":"suspended"}')
const CLOSED = new Piece(',"status":"closed"}')

/** The possible ends of a body after its quotes, and what each says of the others. */
const ENDINGS = (
  [
    [',"others":"keep"}', 'keep'],
    [',"complete":false,"others":"keep"}', 'keep'],
    [',"others":"suspended"}', 'suspended'],
    [',"others":"closed"}', 'closed'],
    [',"complete":false}', 'keep'],
    [',"complete":true}', 'closed'],
    [',"complete":true,"others":"closed"}', 'closed'],
    [',"complete":false,"others":"suspended"}', 'suspended'],
    [',"complete":false,"others":"closed"}', 'closed'],
  ] satisfies [string, Others][]
).map(([text, others]) => ({ piece: new Piece(text), others }))

/** How many ranges are kept; powers of two, 4 at least. */
export interface ScannerSizes {
  /** Events, separate for each bookmaker. 0.4 KB each, and about as much again for their meaning. */
  readonly eventsMax: number
  /** Market type, line and outcome, by spelling. 0.1 KB each, and about as much again. */
  readonly headsMax: number
}

const SIZES: ScannerSizes = { eventsMax: 2 ** 15, headsMax: 2 ** 16 }

// The slow path reads longer ranges. A head has 60 bytes and the label, an event 120 and the names.
const EVENT_BYTES_MAX = 380
const HEAD_BYTES_MAX = 124
// More than any access may reach past the end of a body.
const SLACK_BYTES = 512
const BODY_BYTES_MAX = 2 * 1024 * 1024
const BOOKMAKERS_MAX = 4_096

// Learning a head costs as much time as some known ones save (5 to 10 µs, measured), so known heads pay for it. Without
// credit only one is learned in as many bodies; otherwise a feed whose heads are always new would cost several times as
// much as with the slow path alone.
const LEARNING_PRICE = 8
const CREDIT_MAX = LEARNING_PRICE * SIZES.headsMax
// Limit for one body, so that the first one of a large event does not block the event loop.
const LEARNED_MAX = 256

const WAYS = 4

/** The places of a set that begins with `first`, in the order of a hash. */
const placeIn = (first: number, hash: number, way: number): number => first | (((hash >>> 30) + way) & (WAYS - 1))

const hashStep = (hash: number, word: number): number => ((hash << 5) | (hash >>> 27)) ^ Math.imul(word, 0x9e3779b1)

const finishHash = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}

// Of a row, before the doubles of its range.
const LENGTH = 0
const HASH = 1
const OWNER = 2
const NEXT = 3
const HEAD_DOUBLES = 2

/**
 * Byte ranges that were seen before, a row each. A range may be in one of the four places of its set, or of a second one where that
 * was full, so the table has a fixed size; a range that was evicted is only parsed again. With one set each, a quarter of the
 * places in use let 2 % of the ranges evict each other all the time, a half of them 14 %.
 *
 * Rows are taken in order, so that those in use are together: when a row was at the place of its hash, the hundred heads of a first
 * SEND were on as many pages, which the system gives when they are first touched, and took 4.4 to 5.6 ms instead of 1.7.
 *
 * All of a range is in one row: those of thousands of events are in no cache, and each array more is a wait for memory (with
 * five, 8 000 books at random took 0.1 to 0.3 µs more a body). A place has a part of the hash, so that one row is waited for.
 */
class Ranges {
  private readonly rowWords: number
  private readonly rows: Int32Array
  /** The same memory. */
  private readonly doubles: Float64Array
  /** Rows in use. */
  private used = 0
  /** By place: a row, counted from 1, and above it as many bits of the hash as there is room for; 0: none. */
  private readonly places: Int32Array
  private readonly rowMask: number
  private readonly setMask: number
  private nextWay = 0

  constructor(ranges: number, bytesMax: number) {
    const rowDoubles = HEAD_DOUBLES + doublesIn(bytesMax)
    this.rowWords = 2 * rowDoubles
    this.doubles = new Float64Array(ranges * rowDoubles)
    this.rows = new Int32Array(this.doubles.buffer)
    // Written, so that the system gives their pages now, and not each with another range of the first body.
    this.places = new Int32Array(ranges).fill(0)
    this.rowMask = 2 ** (32 - Math.clz32(ranges)) - 1
    this.setMask = ranges / WAYS - 1
  }

  /** Bytes of the range in a row. */
  lengthOf(row: number): number {
    return this.rows[row * this.rowWords + LENGTH]!
  }

  /** The row of the head that last followed this one; 0 at first. */
  nextOf(row: number): number {
    return this.rows[row * this.rowWords + NEXT]!
  }

  setNext(row: number, head: number): void {
    this.rows[row * this.rowWords + NEXT] = head
  }

  /** Whether the bytes at `at` begin with the range in `row`. */
  isAt(row: number, view: DataView, at: number): boolean {
    const word = row * this.rowWords
    const length = this.rows[word + LENGTH]!
    return length !== 0 && isRange(view, at, this.doubles, (word >> 1) + HEAD_DOUBLES, length)
  }

  /** The row of a range of an owner; -1 where it has none. */
  find(view: DataView, at: number, length: number, hash: number, owner: number): number {
    const row = this.findIn(this.setOf(hash), view, at, length, hash, owner)
    return row >= 0 ? row : this.findIn(this.secondSetOf(hash), view, at, length, hash, owner)
  }

  private findIn(first: number, view: DataView, at: number, length: number, hash: number, owner: number): number {
    const { rows, doubles, rowWords, places, rowMask } = this
    for (let way = 0; way < WAYS; way++) {
      const place = places[placeIn(first, hash, way)]!
      if (place === 0 || ((place ^ hash) & ~rowMask) !== 0) continue
      const row = (place & rowMask) - 1
      const word = row * rowWords
      if (rows[word + HASH] !== hash || rows[word + LENGTH] !== length || rows[word + OWNER] !== owner) continue
      if (isRange(view, at, doubles, (word >> 1) + HEAD_DOUBLES, length)) return row
    }
    return -1
  }

  /**
   * Keeps a range: in a new row where it has a free place, else in one of those that `mayGo`, in turn.
   * @returns the row; -1 where none may
   */
  keep(
    view: DataView,
    at: number,
    length: number,
    hash: number,
    owner: number,
    mayGo: (row: number) => boolean,
  ): number {
    const row = this.rowFor(hash, mayGo)
    if (row < 0) return row
    const { rows } = this
    const word = row * this.rowWords
    putRange(view, at, this.doubles, (word >> 1) + HEAD_DOUBLES, length)
    rows[word + LENGTH] = length
    rows[word + HASH] = hash
    rows[word + OWNER] = owner
    return row
  }

  /** Gives a hash a place, which has a row. */
  private rowFor(hash: number, mayGo: (row: number) => boolean): number {
    const { places, rowMask } = this
    const sets = [this.setOf(hash), this.secondSetOf(hash)]
    for (const first of sets) {
      for (let way = 0; way < WAYS; way++) {
        const at = placeIn(first, hash, way)
        if (places[at] !== 0) continue
        places[at] = (hash & ~rowMask) | (this.used + 1)
        return this.used++
      }
    }
    for (const first of sets) {
      for (let way = 0; way < WAYS; way++) {
        this.nextWay = (this.nextWay + 1) % WAYS
        const at = first + this.nextWay
        const row = (places[at]! & rowMask) - 1
        if (!mayGo(row)) continue
        places[at] = (hash & ~rowMask) | (row + 1)
        return row
      }
    }
    return -1
  }

  /** The first place of the set of a hash. */
  private setOf(hash: number): number {
    return (hash & this.setMask) * WAYS
  }

  private secondSetOf(hash: number): number {
    return ((hash >>> 16) & this.setMask) * WAYS
  }
}

/** The meaning of a head. All its spellings share one object, so that a repetition is found in any spelling. */
interface Offer {
  readonly type: MarketType
  readonly line: number | null
  readonly outcome: string
  /** The last read that named it. */
  namedIn: number
  /** How many heads that are kept mean it. */
  spellings: number
}

/** A bookmaker as it is written in bodies. */
interface Named {
  readonly bookmaker: string
  readonly number: number
  readonly opening: Piece
}

const MINUTES_KEPT = 64
/** `2026-11-20T19:03:` */
const MINUTE_BYTES = 17
const MINUTE_DOUBLES = doublesIn(MINUTE_BYTES)
/** `2026-11-20T19:03:11.482Z` */
const TIME_BYTES = 24

// These powers are exact doubles, and so is a whole number up to 2^53: then one division rounds as JSON.parse does.
const POWERS_OF_TEN = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))
// Digits and the point, so that there is a power for all decimals. No double needs more than 17 digits.
const NUMBER_BYTES_MAX = 22

const mayAlwaysGo = (): boolean => true

/**
 * Reads observations from the bodies of SENDs (docs/live-protocol.md 7). Keeps the ranges that it has seen in tables of
 * a fixed size, and a copy of the current body. One for all bookmakers; not for several threads.
 */
export class ObservationScanner {
  private readonly limits: NormaliserLimits
  // A copy of the body, so that words can be read at any place through one view.
  private copy = new Uint8Array(0)
  private view = new DataView(this.copy.buffer)
  private readonly events: Ranges
  /** By row of its event. */
  private readonly sightings: EventSighting[] = []
  private readonly heads: Ranges
  /** By row of its head. */
  private readonly offers: Offer[] = []
  private readonly offerByKey = new Map<string, Offer>()
  private readonly minuteDoubles = new Float64Array(MINUTES_KEPT * MINUTE_DOUBLES)
  private readonly minutes = new Float64Array(MINUTES_KEPT).fill(Number.NaN)
  private readonly named = new Map<string, Named>()
  private namedCount = 0
  private lastNamed: Named | undefined
  // The credit for learning, in known heads.
  private credit = CREDIT_MAX
  /** Heads learned from the current body. */
  private learned = 0
  /** Number of the current read; wraps, which at worst makes a body go the slow path. */
  private round = 0
  /** The end of the quotes. */
  private quotesEnd = 0

  constructor(limits: NormaliserLimits, sizes: ScannerSizes = SIZES) {
    this.limits = limits
    this.events = new Ranges(sizes.eventsMax, EVENT_BYTES_MAX)
    this.heads = new Ranges(sizes.headsMax, HEAD_BYTES_MAX)
  }

  /**
   * Reads one observation from the body of a SEND: the same result as `parseObservationBytes`, refusals included, only
   * faster. The observation and its prices are new objects, which the caller may keep; its `event` is shared with other
   * observations of the same event.
   */
  read(bytes: Buffer, bookmaker: string): Observation | Refusal {
    return this.scan(bytes, bookmaker) ?? parseObservationBytes(bytes, bookmaker, this.limits)
  }

  /** The observation, or undefined where something is not as expected. */
  private scan(bytes: Buffer, bookmaker: string): Observation | undefined {
    const end = bytes.length
    if (end > BODY_BYTES_MAX) return undefined
    const named = this.lastNamed?.bookmaker === bookmaker ? this.lastNamed : this.nameOf(bookmaker)
    if (named === undefined) return undefined
    this.copyBody(bytes)
    this.round = (this.round + 1) | 0
    this.learned = 0
    const { copy, view } = this
    let at = 1
    if (view.getInt32(0, true) === OPENING_WITH_BOOKMAKER) {
      if (!named.opening.isAt(view, 0)) return undefined
      at = named.opening.length
    } else if (copy[0] !== BRACE) {
      return undefined
    }
    if (!TRANSPORT.isAt(view, at)) return undefined
    at += TRANSPORT.length
    const transport = transportOf(view.getInt32(at, true))
    at += 4
    if (transport === undefined || !OBSERVED_AT.isAt(view, at)) return undefined
    at += OBSERVED_AT.length
    const observedAt = this.timeAt(at)
    at += TIME_BYTES
    // NaN is no time.
    if (observedAt !== observedAt || copy[at] !== QUOTE || !EVENT.isAt(view, at + 1)) return undefined
    at += 1 + EVENT.length
    const event = this.eventAt(at, end, named)
    if (event < 0) return undefined
    // Read now: the wait for memory overlaps with the prices.
    const sighting = this.sightings[event]!
    at += this.events.lengthOf(event) + QUOTES_BYTES
    const prices = this.pricesAt(at, end, event)
    if (prices === undefined) return undefined
    const others = this.othersAt(this.quotesEnd, end)
    if (others === undefined) return undefined
    this.credit = Math.min(this.credit + prices.length, CREDIT_MAX)
    // The same text each time: its hash is known, and comparing it is comparing two pointers.
    return { bookmaker: named.bookmaker, transport, observedAt, event: sighting, prices, others }
  }

  /** Copies the body, and ends it with a NUL: no piece and no range contains one, so none reaches past the end. */
  private copyBody(bytes: Buffer): void {
    if (this.copy.length < bytes.length + SLACK_BYTES) {
      this.copy = new Uint8Array(2 * bytes.length + SLACK_BYTES)
      this.view = new DataView(this.copy.buffer)
    }
    this.copy.set(bytes)
    this.copy[bytes.length] = 0
  }

  private nameOf(bookmaker: string): Named | undefined {
    let named = this.named.get(bookmaker)
    if (named === undefined) {
      if (!isBookmakerSlug(bookmaker)) return undefined
      if (this.named.size === BOOKMAKERS_MAX) this.named.clear()
      // A number is never reused, so ranges of a bookmaker that was forgotten cannot match for another.
      named = {
        bookmaker: internalized(bookmaker),
        number: ++this.namedCount,
        opening: new Piece(`{"bookmaker":"${bookmaker}",`),
      }
      this.named.set(bookmaker, named)
    }
    this.lastNamed = named
    return named
  }

  /** Epoch ms of a time of the form `2026-11-20T19:03:11.482Z`; NaN where it is none. */
  private timeAt(at: number): number {
    const { copy, view, minuteDoubles, minutes } = this
    // Indexed by minute of the hour: times of bodies that come together are within minutes.
    const place = ((copy[at + 14]! & 15) * 10 + (copy[at + 15]! & 15)) & (MINUTES_KEPT - 1)
    const doublesAt = place * MINUTE_DOUBLES
    if (!isRange(view, at, minuteDoubles, doublesAt, MINUTE_BYTES)) {
      const text = String.fromCharCode(...copy.subarray(at, at + MINUTE_BYTES))
      const instant = parseDateTime(`${text}00.000Z`)
      if (instant === undefined) return Number.NaN
      putRange(view, at, minuteDoubles, doublesAt, MINUTE_BYTES)
      minutes[place] = instant.epochMs
    }
    const tens = copy[at + 17]! - ZERO
    const ones = copy[at + 18]! - ZERO
    const a = copy[at + 20]! - ZERO
    const b = copy[at + 21]! - ZERO
    const c = copy[at + 22]! - ZERO
    // A leap second goes the slow path.
    const isTime =
      tens >>> 0 < 6 &&
      isDigit(ones) &&
      copy[at + 19] === DOT &&
      isDigit(a) &&
      isDigit(b) &&
      isDigit(c) &&
      copy[at + 23] === CAPITAL_Z
    return isTime ? minutes[place]! + (tens * 10 + ones) * 1000 + a * 100 + b * 10 + c : Number.NaN
  }

  /** The row of the event that ends before `,"quotes":[`; -1 where there is none. */
  private eventAt(at: number, end: number, named: Named): number {
    const { view } = this
    const stop = Math.min(end, at + EVENT_BYTES_MAX)
    let hash = named.number
    // In steps of four, one word lies within the first seven bytes of `},"quotes":[`. All bytes of the event are hashed
    // by then, and possibly some that follow every event.
    for (let place = at; place < stop; place += 4) {
      const word = view.getInt32(place, true)
      let eventEnd = 0
      if (word === QUOTES_1) eventEnd = place + 1
      else if (word === QUOTES_LATER_1) eventEnd = place
      else if (word === QUOTES_LATER_2) eventEnd = place - 1
      else if (word === QUOTES_LATER_3) eventEnd = place - 2
      if (eventEnd !== 0 && this.isEventEnd(eventEnd)) return this.eventOf(at, eventEnd - at, finishHash(hash), named)
      hash = hashStep(hash, word)
    }
    return -1
  }

  private isEventEnd(at: number): boolean {
    const { view } = this
    return (
      view.getInt32(at - 1, true) === QUOTES_1 &&
      view.getInt32(at + 3, true) === QUOTES_2 &&
      view.getInt32(at + 7, true) === QUOTES_3
    )
  }

  private eventOf(at: number, length: number, hash: number, named: Named): number {
    const { events, view } = this
    if (length < RANGE_BYTES_MIN) return -1
    const known = events.find(view, at, length, hash, named.number)
    if (known >= 0) return known
    const value = this.plainEventOf(at, length) ?? this.valueOf(at, length, '')
    const sighting = value === undefined ? undefined : readEvent(value, named.bookmaker, this.limits)
    if (sighting === undefined || isRefusal(sighting)) return -1
    const row = events.keep(view, at, length, hash, named.number, mayAlwaysGo)
    this.sightings[row] = withMemo(sighting)
    return row
  }

  /** The prices of an event, up to the end of the array; sets `quotesEnd`. */
  private pricesAt(start: number, end: number, event: number): Price[] | undefined {
    const { copy, view, events, heads, offers, round } = this
    const { pricesMax } = this.limits
    const prices: Price[] = []
    let at = start
    if (copy[at] === BRACKET_END) {
      this.quotesEnd = at + 1
      return prices
    }
    let before = -1
    for (;;) {
      // A prediction: the first head of the event's last body, and the head that last followed a head.
      let head = before < 0 ? events.nextOf(event) : heads.nextOf(before)
      if (!heads.isAt(head, view, at)) {
        head = this.headAt(at, end)
        if (head < 0) return undefined
        if (before < 0) events.setNext(event, head)
        else heads.setNext(before, head)
      }
      before = head
      at += heads.lengthOf(head)
      const offer = offers[head]!
      if (offer.namedIn === round || prices.length === pricesMax) return undefined
      offer.namedIn = round
      let odds: number | null = null
      if (view.getInt32(at, true) === ODDS_1 && view.getInt32(at + 4, true) === ODDS_2) {
        at += 8
        if (view.getInt32(at, true) === NULL) {
          at += 4
        } else {
          // Odds are above 1, so their first digit is not 0.
          let digit = copy[at]! - ZERO
          if (digit === 0 || !isDigit(digit)) return undefined
          let whole = 0
          const digitsAt = at
          do {
            whole = whole * 10 + digit
            digit = copy[++at]! - ZERO
          } while (isDigit(digit))
          let decimals = 0
          if (copy[at] === DOT) {
            const decimalsAt = ++at
            digit = copy[at]! - ZERO
            while (isDigit(digit)) {
              whole = whole * 10 + digit
              digit = copy[++at]! - ZERO
            }
            decimals = at - decimalsAt
            if (decimals === 0) return undefined
          }
          if (at - digitsAt > NUMBER_BYTES_MAX) return undefined
          odds = whole <= Number.MAX_SAFE_INTEGER ? whole / POWERS_OF_TEN[decimals]! : this.numberAt(digitsAt, at)
          if (!(odds > 1)) return undefined
        }
      }
      let status: QuoteStatus = 'open'
      if (OPEN.isAt(view, at)) {
        at += OPEN.length
      } else if (copy[at] === BRACE_END) {
        at++
      } else if (SUSPENDED.isAt(view, at)) {
        status = 'suspended'
        at += SUSPENDED.length
      } else if (CLOSED.isAt(view, at)) {
        status = 'closed'
        at += CLOSED.length
      } else {
        return undefined
      }
      if (odds === null && status === 'open') return undefined
      prices.push({ type: offer.type, line: offer.line, outcome: offer.outcome, odds, status })
      const next = copy[at++]
      if (next === COMMA) continue
      if (next !== BRACKET_END) return undefined
      this.quotesEnd = at
      return prices
    }
  }

  /** A number too long for one division. */
  private numberAt(at: number, end: number): number {
    return Number(String.fromCharCode(...this.copy.subarray(at, end)))
  }

  /** The row of the head that ends before `,"odds":` or `,"status":`; -1 where there is none, or none can be kept. */
  private headAt(at: number, end: number): number {
    const { copy, view, heads, offers, round } = this
    const stop = Math.min(end, at + HEAD_BYTES_MAX + 1)
    let headEnd = at
    for (; headEnd < stop; headEnd++) {
      if (copy[headEnd] !== COMMA) continue
      const word = view.getInt32(headEnd, true)
      if (word === ODDS_1 || word === STATUS_1) break
    }
    const length = headEnd - at
    if (headEnd >= stop || length < RANGE_BYTES_MIN) return -1
    let hash = length
    for (let place = at; place < headEnd - 4; place += 4) hash = hashStep(hash, view.getInt32(place, true))
    hash = finishHash(hashStep(hash, view.getInt32(headEnd - 4, true)))
    const known = heads.find(view, at, length, hash, 0)
    if (known >= 0) return known
    if (this.credit < LEARNING_PRICE) {
      this.credit++
      return -1
    }
    if (this.learned === LEARNED_MAX) return -1
    this.learned++
    this.credit -= LEARNING_PRICE
    const offer = this.offerOf(at, length)
    if (offer === undefined) return -1
    // A head of the current body must stay, or its repetition would not be found.
    const row = heads.keep(view, at, length, hash, 0, (row) => offers[row]!.namedIn !== round)
    if (row < 0) return -1
    const former = offers[row]
    offer.spellings++
    offers[row] = offer
    this.offerByKey.set(keyOf(offer), offer)
    if (former !== undefined && --former.spellings === 0) this.offerByKey.delete(keyOf(former))
    return row
  }

  /** The meaning of a new head. */
  private offerOf(at: number, length: number): Offer | undefined {
    const value = this.valueOf(at, length, '}')
    if (value === undefined || Object.hasOwn(value, 'odds') || Object.hasOwn(value, 'status')) return undefined
    // With any odds it is a whole quote, which the slow path can check.
    const price = readPrice({ ...value, odds: 2 }, 'quotes[]', this.limits)
    if ('refused' in price) return undefined
    const known = this.offerByKey.get(keyOf(price))
    if (known !== undefined) return known
    const { type, line } = price
    return { type, line, outcome: internalized(price.outcome), namedIn: this.round - 1, spellings: 0 }
  }

  /**
   * The same as {@link valueOf} for an event of plain letters in the usual order; undefined for any other. JSON.parse enters each text of
   * up to ten letters into V8's table of names of properties, which is copied whole when it grows: 3 ms at 10 000 events, 11 at 100 000.
   */
  private plainEventOf(at: number, length: number): object | undefined {
    const bytes = Buffer.from(this.copy.buffer, at, length)
    const match = PLAIN_EVENT.exec(bytes.toString('latin1'))
    if (match === null) return undefined
    let from = 0
    const [sport, key, name, home, away, kickoffAt, sourceId] = BEFORE_TEXTS.map((before, n) => {
      from += before.length
      // In memory of its own: a part of the match would keep all of it.
      return bytes.toString('latin1', from, (from += match[n + 1]!.length))
    })
    return { sport: internalized(sport!), league: { key, name }, home, away, kickoffAt, sourceId }
  }

  /** A range with `ending` after it, as JSON; undefined where it is no JSON object. */
  private valueOf(at: number, length: number, ending: string): object | undefined {
    const bytes = Buffer.from(this.copy.buffer, at, length)
    if (!isUtf8(bytes)) return undefined
    try {
      const value: unknown = JSON.parse(bytes.toString('utf8') + ending)
      return typeof value === 'object' && value !== null ? value : undefined
    } catch {
      return undefined
    }
  }

  private othersAt(at: number, end: number): Others | undefined {
    const { copy, view } = this
    const length = end - at
    if (length === 1) return copy[at] === BRACE_END ? 'keep' : undefined
    for (const { piece, others } of ENDINGS) if (piece.length === length && piece.isAt(view, at)) return others
    return undefined
  }
}

/** No control characters, which JSON forbids, and nothing that is more than one octet. */
const PLAIN = '([ !#-[\\]-~]*)'
/** What is before each text of an event. */
const BEFORE_TEXTS = [
  '{"sport":"',
  '","league":{"key":"',
  '","name":"',
  '"},"home":"',
  '","away":"',
  '","kickoffAt":"',
  '","sourceId":"',
] as const
const PLAIN_EVENT = new RegExp(`^${BEFORE_TEXTS.map((before) => before.replaceAll('{', '\\{') + PLAIN).join('')}"\\}$`)

/** A text as V8 keeps the names of properties: one of each, so that comparing two is comparing their places. */
const internalized = (text: string): string => Object.keys({ [text]: 0 })[0]!

const isDigit = (digit: number): boolean => digit >>> 0 < 10

const transportOf = (word: number): FedTransport | undefined => {
  if (word === LIVE) return 'live'
  if (word === REST) return 'rest'
  return word === BOTH ? 'both' : undefined
}
