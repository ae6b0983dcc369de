// From records to turns (turn-format.ts). A record comes from a disk or another process: every octet is checked.

import type { Decision } from '../domain/event-identity.ts'
import { FEED_STATES } from '../domain/feed-health.ts'
import type { Input, StoredValue, StoreInput, StoreStatement, Turn } from '../domain/input.ts'
import { MARKET_TYPES, type MarketType } from '../domain/market.ts'
import { type EventSighting, type Observation, OTHERS, type Price } from '../domain/observation.ts'
import { CAUSE, type Doubt, QUOTE_STATUS, QUOTE_STATUSES, type QuoteStatus } from '../domain/quote.ts'
import { SPORTS } from '../domain/sport.ts'
import { FED_TRANSPORTS } from '../domain/transport.ts'
import { OctetReader } from './octet-reader.ts'
import {
  ALL_SPORTS,
  DECISIONS,
  DOUBT_SHIFT,
  KEYLESS,
  KINDS,
  LINE_IN_QUARTERS,
  MARKET_SHIFT,
  NO_LINE,
  NO_ODDS,
  NUMBERED,
  ODDS_IN_HUNDREDTHS,
  ODDS_IN_THOUSANDTHS,
  ODDS_SHIFT,
  OTHERS_SHIFT,
  SAME_MARKET,
  SIGHTINGS_MAX_MAX,
  TEXTS_MAX_MAX,
  TIME_IS_F64,
  TURN_FORMAT,
  VALUES,
} from './turn-format.ts'

/** By number; undefined: no such status. */
const STATUS_OF_NUMBER: readonly (QuoteStatus | undefined)[] = Array.from({ length: 4 }, (_, number) =>
  QUOTE_STATUSES.find((status) => QUOTE_STATUS[status] === number),
)

const DOUBTS: readonly Doubt[] = ['source_down', 'gap', 'clock']
const DOUBT_OF_NUMBER: ReadonlyMap<number, Doubt> = new Map(DOUBTS.map((doubt) => [CAUSE[doubt], doubt]))

const KIND_OF_NUMBER: ReadonlyMap<number, Input['kind']> = new Map(
  (Object.keys(KINDS) as Input['kind'][]).map((kind) => [KINDS[kind], kind]),
)

/** Octets that the shortest member of a list has: no count can be larger than the octets after it allow. */
const SHORTEST = { input: 2, observation: 5, price: 2, decision: 3, text: 1, statement: 2, value: 1 } as const

const TWO_BITS = 3
const THREE_BITS = 7
const PRICE_FLAGS_MAX = 0x3f

/** Reads records into turns: the records since the encoder's `begin`, all of them, in their order. */
export class TurnDecoder {
  private readonly record = new OctetReader()
  private texts: string[]
  private sightings: EventSighting[]

  /** @param texts with numbers, and @param sightings, of records before the first; left out: it begins as the encoder did */
  constructor(texts: string[] = [], sightings: EventSighting[] = []) {
    this.texts = texts
    this.sightings = sightings
  }

  /** Forgets all texts and sightings: where the encoder did. */
  begin(): void {
    this.texts = []
    this.sightings = []
  }

  /** Throws {@link TurnFault} where the record is not a turn; the decoder is as before then. */
  decode(record: Uint8Array): Turn {
    this.record.start(record)
    const texts = this.texts.length
    const sightings = this.sightings.length
    try {
      const turn = this.turn()
      if (this.record.left > 0) this.record.fail(`${this.record.left} octets follow the turn`)
      return turn
    } catch (error) {
      this.texts.length = texts
      this.sightings.length = sightings
      throw error
    }
  }

  private turn(): Turn {
    const format = this.record.octet('the format')
    if (format !== TURN_FORMAT) this.record.fail(`format ${format} is not ${TURN_FORMAT}`, 1)
    const at = this.record.double('the time')
    const inputs: Input[] = []
    for (let left = this.record.count('inputs', SHORTEST.input); left > 0; left--) inputs.push(this.input(at))
    return { at, inputs }
  }

  private input(turnAt: number): Input {
    const number = this.record.octet('the kind of an input')
    const kind = KIND_OF_NUMBER.get(number)
    switch (kind) {
      case 'observe': {
        const producer = this.text('a producer')
        const flags = this.record.octet('the flags of an observation')
        const doubt = this.doubtOf((flags >> DOUBT_SHIFT) & THREE_BITS)
        return { kind, observation: this.observation(flags, turnAt), producer, doubt }
      }
      case 'commit':
        return { kind, observations: this.observations(turnAt) }
      case 'suspect': {
        const producer = this.text('a producer')
        const doubt = this.doubtOf(this.record.octet('a doubt')) ?? this.record.fail('a doubt is missing', 1)
        return { kind, producer, doubt }
      }
      case 'confirm':
      case 'end':
        return { kind, producer: this.text('a producer'), at: this.record.double('a time') }
      case 'leave':
        return { kind, producer: this.text('a producer'), doubt: this.doubtOf(this.record.octet('a doubt')) }
      case 'decide':
        return { kind, decisions: this.decisions() }
      case 'store':
        return this.store()
      case 'health': {
        const bookmaker = this.text('a bookmaker')
        const state = this.wordOf(FEED_STATES, this.record.octet('a state'), 'state')
        return {
          kind,
          health: { bookmaker, state, since: this.record.double('a time'), behindMs: this.record.double('an age') },
        }
      }
      case 'bookmakers':
        return { kind, slugs: this.listOfTexts('a bookmaker') }
      case 'use': {
        const key = this.text('a key')
        const organization = this.text('an organization')
        const audience = this.text('an audience')
        return { kind, key, organization, audience, seq: this.record.double('a seq') }
      }
      case 'rights': {
        const organizations = this.record.isSet('a list of organizations') ? this.listOfTexts('an organization') : null
        const seq = this.record.double('a seq')
        return { kind, organizations, seq, isStart: this.record.isSet('a start') }
      }
      case 'take':
        return { kind, source: this.text('a source'), run: this.record.double('a run') }
      case 'link':
        return { kind, epoch: this.text('an epoch'), turn: this.record.double('a turn'), chain: this.text('a chain') }
      case 'checksum': {
        const process = this.text('a process')
        return { kind, process, turn: this.record.double('a turn'), sum: this.record.double('a sum') }
      }
      case undefined:
        return this.record.fail(`no kind of input has number ${number}`, 1)
    }
  }

  private store(): StoreInput {
    const proposal = this.text('the name of a change')
    const expects = this.text('the name of a change')
    const after = this.text('the name of a change')
    const version = this.record.double('a version')
    const statements: StoreStatement[] = []
    for (let left = this.record.count('statements', SHORTEST.statement); left > 0; left--) {
      const sql = this.text('a statement')
      const values: StoredValue[] = []
      for (let more = this.record.count('values', SHORTEST.value); more > 0; more--) values.push(this.value())
      statements.push([sql, values])
    }
    const decisions = this.record.isSet('a list of decisions') ? this.decisions() : null
    const bookmakers = this.listOfTexts('a bookmaker')
    const organizations = this.record.isSet('a list of organizations') ? this.listOfTexts('an organization') : null
    return { kind: 'store', proposal, expects, after, version, statements, decisions, bookmakers, organizations }
  }

  private value(): StoredValue {
    const type = this.record.octet('the type of a value')
    if (type === VALUES.null) return null
    if (type === VALUES.number) return this.record.double('a value')
    return type === VALUES.text ? this.text('a value') : this.record.fail(`no type of a value has number ${type}`, 1)
  }

  private decisions(): readonly Decision[] {
    const decisions: Decision[] = []
    for (let left = this.record.count('decisions', SHORTEST.decision); left > 0; left--) decisions.push(this.decision())
    return decisions
  }

  private decision(): Decision {
    const kind = this.record.octet('the kind of a decision')
    switch (kind) {
      case DECISIONS.merge:
        return { kind: 'merge', keys: this.keys(), swapped: this.record.isSet('whether sides are swapped') }
      case DECISIONS.split:
        return { kind: 'split', keys: this.keys() }
      case DECISIONS.alias: {
        const number = this.record.octet('a sport')
        const sport = number === ALL_SPORTS ? null : this.wordOf(SPORTS, number, 'sport')
        return { kind: 'alias', sport, name: this.text('a name'), means: this.text('a name') }
      }
      case DECISIONS.suspend: {
        const bookmaker = this.text('a bookmaker')
        return { kind: 'suspend', bookmaker, event: this.record.isSet('an event') ? this.text('an event') : null }
      }
      default:
        return this.record.fail(`no kind of decision has number ${kind}`, 1)
    }
  }

  private keys(): readonly [string, string] {
    return [this.text('a source key'), this.text('a source key')]
  }

  private observations(turnAt: number): readonly Observation[] {
    const observations: Observation[] = []
    for (let left = this.record.count('observations', SHORTEST.observation); left > 0; left--) {
      const flags = this.record.octet('the flags of an observation')
      if (((flags >> DOUBT_SHIFT) & THREE_BITS) !== 0)
        this.record.fail('an observation of a transaction has a doubt', 1)
      observations.push(this.observation(flags, turnAt))
    }
    return observations
  }

  private observation(flags: number, turnAt: number): Observation {
    const transport = this.wordOf(FED_TRANSPORTS, flags & TWO_BITS, 'transport')
    const others = this.wordOf(OTHERS, (flags >> OTHERS_SHIFT) & TWO_BITS, 'others')
    const observedAt =
      (flags & TIME_IS_F64) === 0 ? turnAt - this.record.zigzag('an age') : this.record.double('a time')
    const bookmaker = this.text('a bookmaker')
    const event = this.sighting()
    return { bookmaker, transport, observedAt, event, prices: this.prices(), others }
  }

  private prices(): readonly Price[] {
    const prices: Price[] = []
    let type: MarketType | undefined
    let line: number | null = null
    for (let left = this.record.count('prices', SHORTEST.price); left > 0; left--) {
      const flags = this.record.octet('the flags of a price')
      const status = STATUS_OF_NUMBER[flags & TWO_BITS]
      if (status === undefined || flags > PRICE_FLAGS_MAX) return this.record.fail(`no price has flags ${flags}`, 1)
      const form = (flags >> MARKET_SHIFT) & TWO_BITS
      if (form !== SAME_MARKET) {
        type = this.wordOf(MARKET_TYPES, this.record.octet('a market type'), 'market type')
        line = this.line(form)
      }
      if (type === undefined) return this.record.fail('the first price has the market of the price before')
      const outcome = this.text('an outcome')
      prices.push({ type, line, outcome, odds: this.odds(flags >> ODDS_SHIFT), status })
    }
    return prices
  }

  private line(form: number): number | null {
    if (form === NO_LINE) return null
    return form === LINE_IN_QUARTERS ? this.record.zigzag('a line') / 4 : this.record.double('a line')
  }

  private odds(form: number): number | null {
    if (form === ODDS_IN_HUNDREDTHS) return this.record.varint('odds') / 100
    if (form === ODDS_IN_THOUSANDTHS) return this.record.varint('odds') / 1000
    return form === NO_ODDS ? null : this.record.double('odds')
  }

  private sighting(): EventSighting {
    const mode = this.record.varint('a sighting')
    if (mode > 1) return this.sightings[mode - 2] ?? this.record.fail(`no sighting has number ${mode - 2}`)
    const number = this.record.octet('a sport')
    const sport = this.wordOf(SPORTS, number & ~KEYLESS, 'sport')
    const leagueKey = this.text('a league key')
    const leagueName = this.text('a league name')
    const home = this.text('a home side')
    const away = this.text('an away side')
    const kickoffAt = this.record.double('a kickoff')
    const sourceKey = (number & KEYLESS) === 0 ? this.text('a source key') : null
    const sighting = { sport, leagueKey, leagueName, home, away, kickoffAt, sourceKey }
    if (mode === 1) {
      if (this.sightings.length === SIGHTINGS_MAX_MAX) this.record.fail(`more than ${SIGHTINGS_MAX_MAX} sightings`)
      this.sightings.push(sighting)
    }
    return sighting
  }

  private listOfTexts(what: string): readonly string[] {
    const texts: string[] = []
    for (let left = this.record.count('texts', SHORTEST.text); left > 0; left--) texts.push(this.text(what))
    return texts
  }

  private text(what: string): string {
    const reference = this.record.varint(what)
    if (reference === 0) return this.textInPlace(what)
    return this.texts[reference - 1] ?? this.record.fail(`${what}: no text has number ${reference - 1}`)
  }

  private textInPlace(what: string): string {
    const head = this.record.varint(what)
    const text = this.record.text(head, what)
    if ((head & NUMBERED) !== 0) {
      if (this.texts.length === TEXTS_MAX_MAX) this.record.fail(`more than ${TEXTS_MAX_MAX} texts`)
      this.texts.push(text)
    }
    return text
  }

  private doubtOf(number: number): Doubt | undefined {
    if (number === 0) return undefined
    return DOUBT_OF_NUMBER.get(number) ?? this.record.fail(`no doubt has number ${number}`, 1)
  }

  private wordOf<Word extends string>(words: readonly Word[], number: number, what: string): Word {
    return words[number] ?? this.record.fail(`no ${what} has number ${number}`, 1)
  }
}
