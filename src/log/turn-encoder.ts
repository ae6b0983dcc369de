// From turns to records (turn-format.ts): the hot half of the log's codec.

import type { Decision } from '../domain/event-identity.ts'
import { FEED_STATES } from '../domain/feed-health.ts'
import type { Input, StoredValue, StoreInput, Turn } from '../domain/input.ts'
import { MARKET_TYPE_NUMBER } from '../domain/market.ts'
import { type EventSighting, type Observation, OTHERS, type Price } from '../domain/observation.ts'
import { CAUSE, type Doubt, QUOTE_STATUS } from '../domain/quote.ts'
import { SPORT_NUMBER } from '../domain/sport.ts'
import { FED_TRANSPORTS } from '../domain/transport.ts'
import { OctetWriter } from './octet-writer.ts'
import { TextNumbers } from './text-numbers.ts'
import { TurnDecoder } from './turn-decoder.ts'
import {
  ALL_SPORTS,
  DECISIONS,
  DOUBT_SHIFT,
  KEYLESS,
  KINDS,
  LINE_IN_QUARTERS,
  LINE_IS_F64,
  MARKET_SHIFT,
  NO_LINE,
  NO_ODDS,
  NUMBERED,
  ODDS_IN_HUNDREDTHS,
  ODDS_IN_THOUSANDTHS,
  ODDS_IS_F64,
  ODDS_SHIFT,
  OTHERS_SHIFT,
  SAME_MARKET,
  SIGHTINGS_MAX_MAX,
  TEXTS_MAX_MAX,
  TIME_IS_F64,
  TURN_FORMAT,
  VALUES,
} from './turn-format.ts'

export interface TurnEncoderOptions {
  /**
   * Texts that get a number, at most {@link TEXTS_MAX_MAX}; further ones are written in full each time. 0.1 to 0.6 KB
   * each, in the encoder and in every decoder. The default is four texts for each of 65 000 sightings.
   */
  readonly textsMax?: number
  /**
   * Sightings of events that get a number, at most {@link SIGHTINGS_MAX_MAX}; further ones are written in full each
   * time, 15 octets and more. 0.1 KB each beside their texts.
   */
  readonly sightingsMax?: number
}

const TEXTS_MAX = 2 ** 18
const SIGHTINGS_MAX = 2 ** 17

/** Longer texts get no number, so that the size of a dictionary has a bound in octets, too. Sources' texts have 200. */
const NUMBERED_LENGTH_MAX = 256

/** Sightings with the same source key that are compared: a source that moves between few spellings is still compact. */
const SPELLINGS_COMPARED_MAX = 4

/** What one input, observation, price or decision needs at most, beside texts in place: the most has a new sighting. */
const MEMBER_OCTETS_MAX = 64

const SCALED_MAX = 2 ** 28

/** Texts that were written lately, by place. */
const RECENT = 64

/** Above all counts of sightings: with one of texts they are one number. */
const SIZES = 2 * SIGHTINGS_MAX_MAX

const lengthIn = (max: number, maxMax: number, name: string): number => {
  if (Number.isSafeInteger(max) && max >= 1 && max <= maxMax) return max
  throw new RangeError(`${name} must be a whole number from 1 to ${maxMax}`)
}

/** The number of a word in its table; a word that is not in it is an error of the program. */
const numberIn = (number: number | undefined, what: string, word: string): number => {
  if (number !== undefined && number >= 0) return number
  throw new TypeError(`the log has no number for ${what} ${word}`)
}

const doubtNumber = (doubt: Doubt | undefined): number => (doubt === undefined ? 0 : CAUSE[doubt])

const isEqualSighting = (a: EventSighting, b: EventSighting): boolean =>
  a === b ||
  (a.home === b.home &&
    a.away === b.away &&
    Object.is(a.kickoffAt, b.kickoffAt) &&
    a.leagueKey === b.leagueKey &&
    a.leagueName === b.leagueName &&
    a.sport === b.sport &&
    a.sourceKey === b.sourceKey)

/** The last text at each place, and its number. */
class RecentTexts {
  readonly texts = Array.from<string | undefined>({ length: RECENT })
  readonly numbers = new Int32Array(RECENT)

  clear(): void {
    this.texts.fill(undefined)
  }
}

let dictionaries = 0

/** What the records since the last `begin` refer to, by number. */
class TurnDictionary {
  /** Its own in this thread: memos name it by that, which keeps nothing of it. */
  readonly number = ++dictionaries
  readonly texts: string[] = []
  readonly sightings: EventSighting[] = []

  get size(): number {
    return this.texts.length * SIZES + this.sightings.length
  }

  decoderFrom(size: number): TurnDecoder {
    const sightings = size % SIZES
    return new TurnDecoder(this.texts.slice(0, (size - sightings) / SIZES), this.sightings.slice(0, sightings))
  }
}

/** Writes turns as records. The same turns since the same {@link begin} give the same octets. */
export class TurnEncoder {
  private readonly textsMax: number
  private readonly sightingsMax: number
  private readonly out = new OctetWriter()
  private readonly numbers = new TextNumbers()
  /** Of the records since {@link begin}. */
  dictionary = new TurnDictionary()
  /** The sighting before with the same source key; -1: none. */
  private earlier: number[] = []
  /** By the number of a source key (where it is null: of the home side): the last sighting with it. */
  private lastOfKey: number[] = []
  private readonly outcomes = new RecentTexts()
  private readonly names = new RecentTexts()
  /** Whether the dictionary has only what was handed out. */
  private isWhole = true

  constructor({ textsMax = TEXTS_MAX, sightingsMax = SIGHTINGS_MAX }: TurnEncoderOptions = {}) {
    this.textsMax = lengthIn(textsMax, TEXTS_MAX_MAX, 'textsMax')
    this.sightingsMax = lengthIn(sightingsMax, SIGHTINGS_MAX_MAX, 'sightingsMax')
  }

  /** Starts a new dictionary: the next record can be decoded without those before it. */
  begin(): void {
    this.numbers.clear()
    // Who has kept the former one may still need it.
    this.dictionary = new TurnDictionary()
    this.earlier = []
    this.lastOfKey = []
    this.outcomes.clear()
    this.names.clear()
    this.isWhole = true
  }

  /** Texts that have a number. */
  get texts(): number {
    return this.numbers.count
  }

  /** Of the dictionary. */
  get size(): number {
    return this.dictionary.size
  }

  /** Whether texts or sightings are written in full again and again: a new dictionary would be more compact. */
  get isFull(): boolean {
    return this.numbers.count >= this.textsMax || this.dictionary.sightings.length >= this.sightingsMax
  }

  /** @returns the record, valid until the next call. */
  encode(turn: Turn): Uint8Array {
    if (!this.isWhole) throw new Error('a turn could not be encoded: begin a new segment before the next one')
    this.isWhole = false
    this.out.start()
    this.out.reserve(MEMBER_OCTETS_MAX)
    this.out.octet(TURN_FORMAT)
    this.out.double(turn.at)
    this.out.varint(turn.inputs.length)
    for (const input of turn.inputs) this.input(input, turn.at)
    this.isWhole = true
    return this.out.record()
  }

  private input(input: Input, at: number): void {
    this.out.reserve(MEMBER_OCTETS_MAX)
    this.out.octet(KINDS[input.kind])
    switch (input.kind) {
      case 'observe':
        this.recent(this.names, input.producer)
        this.observation(input.observation, at, input.doubt)
        return
      case 'commit':
        this.out.varint(input.observations.length)
        for (const observation of input.observations) this.observation(observation, at, undefined)
        return
      case 'suspect':
      case 'leave':
        this.text(input.producer)
        this.out.octet(doubtNumber(input.doubt))
        return
      case 'confirm':
      case 'end':
        this.text(input.producer)
        this.out.double(input.at)
        return
      case 'decide':
        this.out.varint(input.decisions.length)
        for (const decision of input.decisions) this.decision(decision)
        return
      case 'health': {
        const { bookmaker, state, since, behindMs } = input.health
        this.text(bookmaker)
        this.out.octet(numberIn(FEED_STATES.indexOf(state), 'the state', state))
        this.out.double(since)
        this.out.double(behindMs)
        return
      }
      case 'bookmakers':
        this.listOfTexts(input.slugs)
        return
      case 'use':
        this.text(input.key)
        this.text(input.organization)
        this.text(input.audience)
        this.out.double(input.seq)
        return
      case 'rights':
        this.out.octet(input.organizations === null ? 0 : 1)
        if (input.organizations !== null) this.listOfTexts(input.organizations)
        this.out.double(input.seq)
        this.out.octet(input.isStart ? 1 : 0)
        return
      case 'take':
        this.text(input.source)
        this.out.double(input.run)
        return
      case 'link':
        this.text(input.epoch)
        this.out.double(input.turn)
        // Never the same again: not in the dictionary.
        this.out.octet(0)
        this.out.text(input.chain, 0, MEMBER_OCTETS_MAX)
        return
      case 'checksum':
        this.text(input.process)
        this.out.double(input.turn)
        this.out.double(input.sum)
        return
      case 'store':
        this.store(input)
        return
      default:
        throw new TypeError(`the log has no form for ${String(input satisfies never)}`)
    }
  }

  private store({
    proposal,
    expects,
    after,
    version,
    statements,
    decisions,
    bookmakers,
    organizations,
  }: StoreInput): void {
    for (const name of [proposal, expects, after]) this.once(name)
    this.out.double(version)
    this.out.varint(statements.length)
    for (const [sql, values] of statements) {
      this.out.reserve(MEMBER_OCTETS_MAX)
      this.text(sql)
      this.out.varint(values.length)
      for (const value of values) this.value(value)
    }
    this.out.reserve(MEMBER_OCTETS_MAX)
    this.out.octet(decisions === null ? 0 : 1)
    if (decisions !== null) {
      this.out.varint(decisions.length)
      for (const decision of decisions) this.decision(decision)
    }
    this.out.reserve(MEMBER_OCTETS_MAX)
    this.listOfTexts(bookmakers)
    this.out.reserve(MEMBER_OCTETS_MAX)
    this.out.octet(organizations === null ? 0 : 1)
    if (organizations !== null) this.listOfTexts(organizations)
  }

  private value(value: StoredValue): void {
    this.out.reserve(MEMBER_OCTETS_MAX)
    if (value === null) this.out.octet(VALUES.null)
    else if (typeof value === 'number') {
      this.out.octet(VALUES.number)
      this.out.double(value)
    } else {
      this.out.octet(VALUES.text)
      this.once(value)
    }
  }

  /** A text that hardly ever comes again gets no number. */
  private once(text: string): void {
    this.out.octet(0)
    this.out.text(text, 0, MEMBER_OCTETS_MAX)
  }

  private decision(decision: Decision): void {
    this.out.reserve(MEMBER_OCTETS_MAX)
    this.out.octet(DECISIONS[decision.kind])
    switch (decision.kind) {
      case 'merge':
      case 'split':
        this.text(decision.keys[0])
        this.text(decision.keys[1])
        if (decision.kind === 'merge') this.out.octet(decision.swapped ? 1 : 0)
        return
      case 'alias':
        this.out.octet(decision.sport === null ? ALL_SPORTS : this.sport(decision.sport))
        this.text(decision.name)
        this.text(decision.means)
        return
      case 'suspend':
        this.text(decision.bookmaker)
        this.out.octet(decision.event === null ? 0 : 1)
        if (decision.event !== null) this.text(decision.event)
        return
      default:
        throw new TypeError(`the log has no form for ${String(decision satisfies never)}`)
    }
  }

  private listOfTexts(texts: readonly string[]): void {
    this.out.varint(texts.length)
    for (const text of texts) {
      this.out.reserve(MEMBER_OCTETS_MAX)
      this.text(text)
    }
  }

  private observation(observation: Observation, at: number, doubt: Doubt | undefined): void {
    const { bookmaker, transport, observedAt, event, prices, others } = observation
    this.out.reserve(MEMBER_OCTETS_MAX)
    const age = (at - observedAt) | 0
    const isAge = observedAt !== 0 && at - age === observedAt
    this.out.octet(
      numberIn(FED_TRANSPORTS.indexOf(transport), 'the transport', transport) |
        (numberIn(OTHERS.indexOf(others), 'others', others) << OTHERS_SHIFT) |
        (doubtNumber(doubt) << DOUBT_SHIFT) |
        (isAge ? 0 : TIME_IS_F64),
    )
    if (isAge) this.out.zigzag(age)
    else this.out.double(observedAt)
    this.recent(this.names, bookmaker)
    this.sighting(event)
    this.out.varint(prices.length)
    // A text from the start: where one of two is not, V8 calls for each comparison.
    let type = ''
    let line: number | null = null
    for (const price of prices) {
      // -0 and 0 are different lines.
      const isSame = price.type === type && price.line === line && (line !== 0 || Object.is(price.line, line))
      this.price(price, isSame)
      ;({ type, line } = price)
    }
  }

  private price({ type, line, outcome, odds, status }: Price, isSameMarket: boolean): void {
    this.out.reserve(MEMBER_OCTETS_MAX)
    const flagsAt = this.out.skip()
    let market: number = SAME_MARKET
    if (!isSameMarket) {
      this.out.octet(numberIn(MARKET_TYPE_NUMBER.get(type), 'the market type', type))
      market = this.line(line)
    }
    this.recent(this.outcomes, outcome)
    this.out.put(flagsAt, QUOTE_STATUS[status] | (market << MARKET_SHIFT) | (this.odds(odds) << ODDS_SHIFT))
  }

  /** A text that is mostly one of a few: comparing it with the last one at its place is several times as fast. */
  private recent(recent: RecentTexts, text: string): void {
    // By the last letter: bookmakers of one spelling differ in that, and each miss is two look-ups.
    const place = (text.charCodeAt(text.length - 1) + 8 * text.length) & (RECENT - 1)
    if (recent.texts[place] === text) {
      this.out.varint(recent.numbers[place]! + 1)
      return
    }
    if (!this.text(text)) return
    recent.texts[place] = text
    recent.numbers[place] = this.numbers.of(text)!
  }

  private line(line: number | null): number {
    if (line === null) return NO_LINE
    const quarters = line * 4
    // Written so that -0, NaN and Infinity fail, too.
    if (quarters === (quarters | 0) && quarters < SCALED_MAX && quarters > -SCALED_MAX && !Object.is(line, -0)) {
      this.out.zigzag(quarters)
      return LINE_IN_QUARTERS
    }
    this.out.double(line)
    return LINE_IS_F64
  }

  private odds(odds: number | null): number {
    if (odds === null) return NO_ODDS
    if (odds > 0 && odds < SCALED_MAX / 1000) {
      const hundredths = (odds * 100 + 0.5) | 0
      if (hundredths / 100 === odds) {
        this.out.varint(hundredths)
        return ODDS_IN_HUNDREDTHS
      }
      const thousandths = (odds * 1000 + 0.5) | 0
      if (thousandths / 1000 === odds) {
        this.out.varint(thousandths)
        return ODDS_IN_THOUSANDTHS
      }
    }
    this.out.double(odds)
    return ODDS_IS_F64
  }

  private sighting(sighting: EventSighting): void {
    const { sourceKey, home, memo } = sighting
    // Of those with the same source key the last one is compared first: it is the one that is found below, too.
    if (memo !== undefined && memo.dictionary === this.dictionary.number && this.lastOfKey[memo.key] === memo.number) {
      this.out.varint(memo.number + 2)
      return
    }
    const keyText = sourceKey ?? home
    const key = this.numbers.of(keyText)
    if (key !== undefined) {
      let number = this.lastOfKey[key]!
      for (let compared = 0; number !== -1 && compared < SPELLINGS_COMPARED_MAX; compared++) {
        if (isEqualSighting(this.dictionary.sightings[number]!, sighting)) {
          if (memo !== undefined) {
            memo.dictionary = this.dictionary.number
            memo.key = key
            memo.number = number
          }
          this.out.varint(number + 2)
          return
        }
        number = this.earlier[number]!
      }
    }
    this.newSighting(sighting, keyText)
  }

  private newSighting(sighting: EventSighting, keyText: string): void {
    const { sport, leagueKey, leagueName, home, away, kickoffAt, sourceKey } = sighting
    const modeAt = this.out.skip()
    this.out.octet(this.sport(sport) | (sourceKey === null ? KEYLESS : 0))
    let areNumbered = this.text(leagueKey)
    areNumbered = this.text(leagueName) && areNumbered
    areNumbered = this.text(home) && areNumbered
    areNumbered = this.text(away) && areNumbered
    this.out.double(kickoffAt)
    if (sourceKey !== null) areNumbered = this.text(sourceKey) && areNumbered
    // A text without a number may be of any length; a sighting that is kept must not keep it.
    const isKept = areNumbered && this.dictionary.sightings.length < this.sightingsMax
    this.out.put(modeAt, isKept ? 1 : 0)
    if (!isKept) return
    const key = this.numbers.of(keyText)!
    this.earlier.push(this.lastOfKey[key]!)
    this.lastOfKey[key] = this.dictionary.sightings.length
    this.dictionary.sightings.push(sighting)
  }

  private sport(sport: string): number {
    return numberIn(SPORT_NUMBER.get(sport), 'the sport', sport)
  }

  /** @returns whether the text has a number. Keeps room for another member. */
  private text(text: string): boolean {
    const number = this.numbers.of(text)
    if (number !== undefined) {
      this.out.varint(number + 1)
      return true
    }
    const isNumbered = text.length <= NUMBERED_LENGTH_MAX && this.numbers.count < this.textsMax
    if (isNumbered) {
      this.numbers.add(text)
      this.dictionary.texts.push(text)
      this.lastOfKey.push(-1)
    }
    this.out.octet(0)
    this.out.text(text, isNumbered ? NUMBERED : 0, MEMBER_OCTETS_MAX)
    return isNumbered
  }
}
