// Kambi (docs/feeds.md 6): bet offers of an event, a page of those of many, or a list view; one document an answer. The payload does
// not give the time at which it was seen, and omits what is gone: so the normaliser remembers what was listed. One
// normaliser for each polled target: a complete answer covers all that the normaliser remembers.

import { isBookmakerSlug } from '../../domain/coverage.ts'
import type { EventSighting, Observation } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { isRecord } from '../../domain/record.ts'
import { parseDateTime } from '../../domain/time.ts'
import type { Fate } from '../kit/account.ts'
import { answerOf, type KambiAnswer, closingTime, faultOf, newestChange } from './kambi-answer.ts'
import { offerOf, offerTypeOf, outcomeOf, playerOf, sideIdsOf, textOr } from './kambi-answer.ts'
import { footballMarketOf, KAMBI_MARKETS, type KambiMarket, type KambiSides } from './kambi-markets.ts'
import { competitionMarketOf, type KambiOffer, matchMarketOf } from './kambi-sports.ts'
import { leagueKeyOf } from '../kit/league.ts'
import { moneylineTypeOf } from '../kit/market-words.ts'
import type { ClosingNormaliser, FormatFault, NormaliserOptions } from '../kit/normaliser.ts'
import { slugOf } from '../../domain/slug.ts'
import type { Sport } from '../../domain/sport.ts'
import { sportOfKambi } from '../kit/sport-words.ts'
import { type Listing, type EventQuotes, ListedQuotes } from '../kit/listed-quotes.ts'
import { isId, parseJson } from '../kit/json.ts'
import { isCleanText } from '../kit/text.ts'

const SOURCE = 'kambi'
const BOOKMAKER = 'unibet'
const COMPETITION = 'COMPETITION'
const THOUSANDTHS = 1000

// Names of criteria for the account, which has no more rows.
const NAMES_MAX = 2_000

/** An event by a document. */
interface SourceEvent {
  /** The event as observations name it, or the reason why none of its outcomes can be mapped. */
  readonly sighting: EventSighting | 'event' | 'sport'
  readonly sides: KambiSides
  readonly isFinished: boolean
  /** Whether it is a competition as a whole, which has no sides. */
  readonly isCompetition?: boolean
  /** Its sport in the account: ours, else the source's word; none: not given. */
  readonly sport?: string
  /** Whether its entry could not be read: the rest is from an earlier document. */
  readonly isRefused?: boolean
}

const UNKNOWN_EVENT: SourceEvent = {
  sighting: 'event',
  sides: { home: '', away: '', homeId: undefined, awayId: undefined },
  isFinished: false,
}

/** The reading of an event in one document. */
interface EventReading {
  readonly listed: EventQuotes
  readonly sides: KambiSides
}

/** A bet offer that is mapped. */
interface Offer {
  readonly market: KambiMarket
  readonly listing: Listing
  readonly status: QuoteStatus
  readonly reading: EventReading
}

const placeOf = (offer: string, outcome: number): string => `${offer}.outcomes[${outcome}]`

const keyOfEvent = (bookmaker: string, id: number): string => `${bookmaker} ${id}`

class KambiNormaliser implements ClosingNormaliser {
  private readonly options: NormaliserOptions
  private readonly listed: ListedQuotes
  private readonly names = new Map<number, string>()
  /** When the last document was seen, epoch ms. */
  private lastAt: number | undefined
  private bookmaker = BOOKMAKER
  private events = new Map<number, SourceEvent>()
  private readings = new Map<number, EventReading>()
  /** By id, the offers of the document, and whether each is open with all its outcomes mapped and read. */
  private offers = new Map<number, boolean>()
  /** Whether the document has offers or events that could not be read as far as their ids. */
  private hasNameless = false
  /** Whether it has offers without a readable event id. */
  private hasEventless = false

  constructor(options: NormaliserOptions) {
    this.options = options
    this.listed = new ListedQuotes(options.limits, options.transport ?? 'rest')
  }

  read(text: string): Iterable<Observation> | FormatFault {
    const json = parseJson(text)
    if ('fault' in json) return json
    const { value: document } = json
    const answer = answerOf(isRecord(document) && isRecord(document.data) ? document.data : document)
    if (!isRecord(document) || answer === undefined) {
      return { fault: 'is not an answer of Kambi: it must have the arrays betOffers and events, or be a list view' }
    }
    const { facts } = this.options
    if (answer.shape === 'list' && facts.isComplete()) {
      return { fault: 'is a list view, which has the main offers of its events only: it cannot be complete' }
    }
    const { offers } = answer
    const at = facts.receivedAt() ?? newestChange(offers) ?? this.lastAt
    this.lastAt = at
    const slug = slugOf(textOr(document.bookmaker, ''))
    this.bookmaker = facts.bookmaker ?? (isBookmakerSlug(slug) ? slug : BOOKMAKER)
    this.events = new Map()
    this.readings = new Map()
    this.offers = new Map()
    this.hasNameless = false
    this.hasEventless = false
    this.readEvents(answer)
    if (at !== undefined) this.listed.begin(at)
    for (let index = 0; index < offers.length; index++) this.readOffer(offers[index], answer.placeOfOffer(index), at)
    if (at === undefined) return []
    this.fall(facts.isComplete() && answer.shape === 'offers')
    return this.listed.observations()
  }

  end(): readonly Observation[] {
    return []
  }

  closeDue(at: number): Iterable<Observation> {
    return this.listed.closeDue(at)
  }

  private readEvents({ events, placeOfEvent }: KambiAnswer): void {
    for (const [index, value] of events.entries()) {
      const place = placeOfEvent(index)
      if (!isRecord(value)) this.nameless(place, 'must be an object')
      else if (!isId(value.id)) this.nameless(`${place}.id`, 'must be a whole number')
      else {
        const isFinished = value.state === 'FINISHED'
        const said = this.readEvent(value, place) ?? { ...this.eventOf(value.id), isRefused: true }
        this.events.set(value.id, { ...said, isFinished })
      }
    }
  }

  private readEvent(event: Record<string, unknown>, place: string): Omit<SourceEvent, 'isFinished'> | undefined {
    const home = this.name(event.homeName, `${place}.homeName`)
    const away = this.name(event.awayName, `${place}.awayName`)
    if (home === undefined || away === undefined) return undefined
    const kickoffAt = parseDateTime(textOr(event.start, ''))?.epochMs
    if (kickoffAt === undefined && event.start !== undefined && event.start !== null) {
      return this.malformed(`${place}.start`, 'must be an RFC 3339 date-time')
    }
    const [sport] = Array.isArray(event.path) ? (event.path as unknown[]) : []
    const word = isRecord(sport) ? textOr(sport.termKey, '') : ''
    const isCompetition = away === '' && Array.isArray(event.tags) && event.tags.includes(COMPETITION)
    return {
      sighting: this.sighting(event, home, away, kickoffAt, isCompetition),
      isCompetition,
      ...(word === '' || !this.isClean(word) ? {} : { sport: sportOfKambi(word) ?? word }),
      sides: { home, away, ...sideIdsOf(event.participants) },
    }
  }

  private sighting(
    event: Record<string, unknown>,
    home: string,
    away: string,
    kickoffAt: number | undefined,
    isCompetition: boolean,
  ): EventSighting | 'event' | 'sport' {
    const path = (Array.isArray(event.path) ? (event.path as unknown[]) : []).filter(isRecord)
    const [sportWord, ...leagueWords] = path.map(({ termKey }) => textOr(termKey, ''))
    // Without both names it is unclear what a price is for; a competition as a whole has one.
    if (home.trim() === '' || (away.trim() === '' && !isCompetition) || home === away) return 'event'
    if (kickoffAt === undefined || sportWord === undefined) return 'event'
    const sport = sportOfKambi(sportWord)
    if (sport === undefined) return 'sport'
    const leagueKey = leagueKeyOf(leagueWords.join('_'), sport)
    const leagueName = textOr(path.length > 1 ? path.at(-1)!.englishName : undefined, textOr(event.group, ''))
    return {
      sport,
      leagueKey,
      leagueName: leagueName.trim() !== '' && this.isClean(leagueName) ? leagueName : leagueKey,
      home,
      away,
      kickoffAt,
      sourceKey: `${SOURCE}:${String(event.id)}`,
    }
  }

  private readOffer(offer: unknown, place: string, at: number | undefined): void {
    if (!isRecord(offer)) return this.nameless(place, 'must be an object')
    const { id, eventId, criterion, outcomes } = offer
    if (!isId(id)) return this.nameless(`${place}.id`, 'must be a whole number')
    this.offers.set(id, false)
    if (!isId(eventId)) {
      this.hasEventless = true
      return this.malformed(`${place}.eventId`, 'must be a whole number')
    }
    if (!isRecord(criterion) || !isId(criterion.id)) {
      return this.malformed(`${place}.criterion.id`, 'must be a whole number')
    }
    if (!Array.isArray(outcomes)) return this.malformed(`${place}.outcomes`, 'must be an array')
    const event = this.eventOf(eventId)
    const { sighting } = event
    this.options.account.sport = event.sport ?? null
    if (typeof sighting === 'string') return this.countAll(outcomes, place, criterion, sighting)
    if (at === undefined) return this.countAll(outcomes, place, criterion, 'no_timestamp')
    const market =
      sighting.sport === 'football' && event.isCompetition !== true
        ? footballMarketOf(criterion.id, () => offerTypeOf(offer))
        : this.marketOf(eventId, event, sighting.sport, offerOf(offer, criterion.id, criterion.englishLabel, outcomes))
    if (market === undefined) return this.countAll(outcomes, place, criterion, 'market')
    const closesAt = closingTime(offer.closed)
    if (closesAt === undefined) return this.malformed(`${place}.closed`, 'must be an RFC 3339 date-time')
    const { suspended = null } = offer
    if (suspended !== null && typeof suspended !== 'boolean') {
      this.malformed(`${place}.suspended`, 'must be true or false') // it may be suspended
    }
    const status = event.isFinished ? 'closed' : suspended === null || suspended === false ? 'open' : 'suspended'
    const reading = this.readingOf(eventId, event, sighting)
    const read = { market, listing: { id, period: 0, closesAt }, status, reading } as const
    const isWhole = this.readOutcomes(outcomes, place, read, criterion)
    this.offers.set(id, isWhole && status === 'open')
  }

  private marketOf(id: number, event: SourceEvent, sport: Sport, offer: KambiOffer): KambiMarket | undefined {
    return event.isCompetition === true
      ? competitionMarketOf(offer)
      : matchMarketOf(sport, offer, () => this.hadDraw(id, sport))
  }

  /** Whether the event's moneyline has listed a draw. */
  private hadDraw(id: number, sport: Sport): boolean {
    const quotes = this.listed.known(keyOfEvent(this.bookmaker, id))?.quotes
    return quotes?.find(moneylineTypeOf(sport, true), null, 'draw') !== undefined
  }

  /** Counts outcomes that cannot be mapped, all for one reason. */
  private countAll(outcomes: readonly unknown[], offer: string, criterion: Record<string, unknown>, fate: Fate): void {
    let count = 0
    for (let index = 0; index < outcomes.length; index++) {
      if (isRecord(outcomes[index])) count++
      else this.malformed(placeOf(offer, index), 'must be an object')
    }
    if (count === 0) return
    this.options.account.read += count
    this.options.account.count(this.nameOf(criterion), fate, count)
  }

  /** @returns whether each outcome was identified and read */
  private readOutcomes(
    outcomes: readonly unknown[],
    offer: string,
    { market, listing, status, reading }: Offer,
    criterion: Record<string, unknown>,
  ): boolean {
    const { account, limits } = this.options
    let isWhole = true
    const name = this.nameOf(criterion)
    const player = market.type === 'player_prop' ? playerOf(outcomes) : undefined
    for (let index = 0; index < outcomes.length; index++) {
      const value = outcomes[index]
      if (!isRecord(value)) {
        this.malformed(placeOf(offer, index), 'must be an object')
        isWhole = false
        continue
      }
      const fault = faultOf(value)
      if (fault !== undefined) {
        isWhole = false
        this.malformed(`${placeOf(offer, index)}.${fault[0]}`, fault[1])
        continue
      }
      account.read++
      const outcome = outcomeOf(value)
      if (market.isTwin?.(outcome) === true) {
        account.count(name, 'twin')
        continue
      }
      const label = market.labelOf(outcome, reading.sides, player)
      const line = label === undefined ? undefined : market.lineOf(outcome, label)
      if (label === undefined || line === undefined || label.length > limits.textLengthMax) {
        account.count(name, 'outcome')
        isWhole = false
        continue
      }
      const odds = typeof value.odds === 'number' ? value.odds / THOUSANDTHS : null
      const hasPrice = odds !== null && odds > 1
      account.count(name, hasPrice ? market.type : odds === null ? 'no_price' : 'bad_price')
      const said = status === 'open' && value.status !== 'OPEN' ? 'suspended' : status
      this.listed.list(reading.listed, listing, market.type, line, label, hasPrice ? odds : null, said)
    }
    return isWhole
  }

  /** Suspends or closes quotes that the document does not list. */
  private fall(isComplete: boolean): void {
    const named = new Map<EventQuotes, SourceEvent>()
    for (const [id, said] of this.events) {
      const event = this.listed.known(keyOfEvent(this.bookmaker, id))
      if (event !== undefined) named.set(event, said)
    }
    const isOneOfMany = this.options.facts.isOneOfMany?.() ?? false
    // A quote may belong to an entry without an id: it may not be gone.
    const gone = this.hasNameless ? 'suspended' : 'closed'
    for (const event of isComplete || this.hasEventless ? this.listed.events() : named.keys()) {
      const said = named.get(event)
      const speaksOf = isComplete && (said !== undefined || !isOneOfMany)
      this.listed.fall(event, ({ id }) => {
        if (said?.isFinished === true) return 'closed'
        const isOpen = this.offers.get(id)
        if (isOpen === false) return 'suspended'
        if (!speaksOf) return undefined
        return isOpen === true || said?.isRefused === true ? 'suspended' : gone
      })
    }
  }

  /** An event by the document, or, where it is not listed there, by an earlier one. */
  private eventOf(id: number): SourceEvent {
    let event = this.events.get(id)
    if (event !== undefined) return event
    event = UNKNOWN_EVENT
    const sighting = this.listed.known(keyOfEvent(this.bookmaker, id))?.sighting
    if (sighting !== undefined) {
      const { home, away } = sighting
      const sides = { home, away, homeId: undefined, awayId: undefined }
      event = { sighting, sport: sighting.sport, sides, isFinished: false, isCompetition: away === '' }
    }
    this.events.set(id, event)
    return event
  }

  private readingOf(id: number, event: SourceEvent, sighting: EventSighting): EventReading {
    let reading = this.readings.get(id)
    if (reading === undefined) {
      const listed = this.listed.sight(keyOfEvent(this.bookmaker, id), this.bookmaker, sighting)
      reading = { listed, sides: event.sides }
      this.readings.set(id, reading)
    }
    return reading
  }

  /** Name of a criterion in the account: the first English name that came with its id. */
  private nameOf({ id, englishLabel, label }: Record<string, unknown>): string {
    const number = Number(id)
    const known = this.names.get(number)
    if (known !== undefined) return known
    const said = textOr(englishLabel, textOr(label, ''))
    const words = KAMBI_MARKETS.get(number)?.name ?? (this.isClean(said) ? said : '')
    const name = `${words} (${number})`.trimStart()
    if (this.names.size < NAMES_MAX) this.names.set(number, name)
    return name
  }

  /** A name; '' where there is none. */
  private name(value: unknown, place: string): string | undefined {
    if (value === undefined || value === null) return ''
    if (typeof value === 'string' && this.isClean(value)) return value
    const { textLengthMax } = this.options.limits
    return this.malformed(place, `must be a text of at most ${textLengthMax} characters, none a control character`)
  }

  private isClean(text: string): boolean {
    return isCleanText(text, this.options.limits.textLengthMax)
  }

  /** Notes an offer or event whose id could not be read. */
  private nameless(place: string, reason: string): void {
    this.hasNameless = true
    this.malformed(place, reason)
  }

  private malformed(place: string, reason: string): undefined {
    this.options.account.malformed++
    this.options.onMalformed(place, reason)
    return undefined
  }
}

/** The format `kambi`: one document, the answer to a call for bet offers, plain or wrapped in `data`. */
export const kambiNormaliser = (options: NormaliserOptions): ClosingNormaliser => new KambiNormaliser(options)
