// Kambi (FEEDS 6): bet offers of an event, or a page of those of many; one document an answer. The payload does not say
// when it was seen, and leaves out what is gone: so the normaliser remembers. One for each address that is polled: what
// one address says again (`restate`) is not what another one says.

import { isBookmakerSlug } from '../domain/coverage.ts'
import type { EventSighting, Observation } from '../domain/observation.ts'
import type { QuoteStatus } from '../domain/quote.ts'
import { isRecord } from '../domain/record.ts'
import { parseDateTime } from '../domain/time.ts'
import type { Fate } from './account.ts'
import { KAMBI_MARKETS, type KambiMarket, type KambiOutcome, type KambiSides } from './kambi-markets.ts'
import { leagueKeyOf } from './league.ts'
import type { FormatFault, NormaliserOptions, RememberingNormaliser } from './normaliser.ts'
import { slugOf } from './slug.ts'
import { sportOfKambi } from './sport.ts'
import { type Listing, type StandingEvent, StandingQuotes } from './standing-quotes.ts'
import { isCleanText, shown } from './text.ts'

const SOURCE = 'kambi'
const BOOKMAKER = 'unibet'
const THOUSANDTHS = 1000

// Names of criteria kept for the account; one more than it has rows would be of no use.
const NAMES_MAX = 2_000

const isId = (value: unknown): value is number => Number.isSafeInteger(value)

const numberOr = <Other>(value: unknown, other: Other): number | Other => (typeof value === 'number' ? value : other)
const textOr = <Other>(value: unknown, other: Other): string | Other => (typeof value === 'string' ? value : other)

/** What a document says of an event. */
interface SourceEvent {
  /** The reason why none of its outcomes can be mapped, else the event as observations name it. */
  readonly sighting: EventSighting | 'event' | 'sport'
  readonly sides: KambiSides
  readonly isFinished: boolean
}

const UNKNOWN_EVENT: SourceEvent = {
  sighting: 'event',
  sides: { home: '', away: '', homeId: undefined, awayId: undefined },
  isFinished: false,
}

/** What one document gives of an event. */
interface EventReading {
  readonly standing: StandingEvent
  readonly sides: KambiSides
  /** Ids of the mapped offers that the document lists. */
  readonly offers: Set<number>
}

/** A bet offer that is mapped. */
interface Offer {
  readonly market: KambiMarket
  readonly listing: Listing
  readonly status: QuoteStatus
  readonly reading: EventReading
}

const placeOf = (offer: number, outcome: number): string => `betOffers[${offer}].outcomes[${outcome}]`

const keyOfEvent = (bookmaker: string, id: number): string => `${bookmaker} ${id}`

/** `range` of an answer that is one of several pages: what is missing from it may be on another one. */
const isPage = (range: unknown): boolean => {
  if (!isRecord(range)) return false
  const { start, size, total } = range
  return numberOr(start, 0) > 0 || numberOr(total, 0) > numberOr(size, 0)
}

const SECONDS_LENGTH = '2021-05-30T09:45:46Z'.length

/** The newest `changedDate` of an answer, epoch ms; undefined where there is none. */
const newestChange = (offers: readonly unknown[]): number | undefined => {
  let newest = ''
  let newestAt: number | undefined
  for (const offer of offers) {
    if (!isRecord(offer) || !Array.isArray(offer.outcomes)) continue
    for (const outcome of offer.outcomes as unknown[]) {
      const text = isRecord(outcome) ? outcome.changedDate : undefined
      // Texts of this one length sort as their times do, and most are older than one already seen.
      if (typeof text !== 'string' || (text.length === SECONDS_LENGTH && text <= newest)) continue
      const at = parseDateTime(text)?.epochMs
      if (at === undefined || (newestAt !== undefined && at <= newestAt)) continue
      newestAt = at
      if (text.length === SECONDS_LENGTH) newest = text
    }
  }
  return newestAt
}

/** Epoch ms; Infinity where there is none, undefined when it is no time. */
const closingTime = (value: unknown): number | undefined => {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY
  return typeof value === 'string' ? parseDateTime(value)?.epochMs : undefined
}

/** The participant of the first outcome that names one: of a player's offer, only one does. */
const playerOf = (outcomes: readonly unknown[]): string | undefined => {
  for (const outcome of outcomes) {
    if (isRecord(outcome) && typeof outcome.participant === 'string') return outcome.participant
  }
  return undefined
}

const isNumberOrNone = (value: unknown): boolean => value === undefined || value === null || typeof value === 'number'

/** Field and reason, where an outcome cannot be read. */
const faultOf = ({ type, odds, line, status }: Record<string, unknown>): readonly [string, string] | undefined => {
  if (typeof type !== 'string') return ['type', 'must be a text']
  if (!isNumberOrNone(odds)) return ['odds', 'must be a number']
  if (!isNumberOrNone(line)) return ['line', 'must be a number']
  return typeof status === 'string' ? undefined : ['status', 'must be a text']
}

const outcomeOf = (outcome: Record<string, unknown>): KambiOutcome => ({
  type: textOr(outcome.type, ''),
  line: numberOr(outcome.line, null),
  participant: textOr(outcome.participant, undefined),
  participantId: numberOr(outcome.participantId, undefined),
  homeScore: textOr(outcome.homeScore, undefined),
  awayScore: textOr(outcome.awayScore, undefined),
  lowerLimit: numberOr(outcome.lowerLimit, undefined),
})

class KambiNormaliser implements RememberingNormaliser {
  private readonly options: NormaliserOptions
  private readonly standing: StandingQuotes
  private readonly names = new Map<number, string>()
  /** When the last document was seen, epoch ms. */
  private lastAt: number | undefined
  private bookmaker = BOOKMAKER
  private events = new Map<number, SourceEvent>()
  private readings = new Map<number, EventReading>()
  private hasUnreadOffers = false

  constructor(options: NormaliserOptions) {
    this.options = options
    this.standing = new StandingQuotes(options.limits, options.transport ?? 'rest')
  }

  take(text: string): Iterable<Observation> | FormatFault {
    let document: unknown
    try {
      document = JSON.parse(text)
    } catch (error) {
      return { fault: `is not JSON: ${shown((error as Error).message)}` }
    }
    const answer = isRecord(document) && isRecord(document.data) ? document.data : document
    if (!isRecord(document) || !isRecord(answer) || !Array.isArray(answer.betOffers) || !Array.isArray(answer.events)) {
      return { fault: 'is not an answer of Kambi: it must have the arrays betOffers and events' }
    }
    const { facts } = this.options
    const offers: readonly unknown[] = answer.betOffers
    const at = facts.receivedAt() ?? newestChange(offers) ?? this.lastAt
    this.lastAt = at
    const slug = slugOf(textOr(document.bookmaker, ''))
    this.bookmaker = facts.bookmaker ?? (isBookmakerSlug(slug) ? slug : BOOKMAKER)
    this.events = new Map()
    this.readings = new Map()
    this.hasUnreadOffers = false
    this.takeEvents(answer.events)
    if (at !== undefined) this.standing.begin(at)
    for (let index = 0; index < offers.length; index++) this.takeOffer(offers[index], index, at)
    if (at === undefined) return []
    this.fall(facts.isComplete() && !isPage(answer.range))
    return this.standing.observations()
  }

  end(): readonly Observation[] {
    return []
  }

  restate(at: number): Iterable<Observation> {
    return this.standing.restate(at)
  }

  private takeEvents(events: readonly unknown[]): void {
    for (const [index, value] of events.entries()) {
      const place = `events[${index}]`
      if (!isRecord(value)) this.malformed(place, 'must be an object')
      else if (!isId(value.id)) this.malformed(`${place}.id`, 'must be a whole number')
      else {
        const event = this.readEvent(value, place)
        if (event !== undefined) this.events.set(value.id, event)
      }
    }
  }

  private readEvent(event: Record<string, unknown>, place: string): SourceEvent | undefined {
    const home = this.name(event.homeName, `${place}.homeName`)
    const away = this.name(event.awayName, `${place}.awayName`)
    if (home === undefined || away === undefined) return undefined
    const kickoffAt = parseDateTime(textOr(event.start, ''))?.epochMs
    if (kickoffAt === undefined && event.start !== undefined && event.start !== null) {
      return this.malformed(`${place}.start`, 'must be an RFC 3339 date-time')
    }
    const ids: { home?: number; away?: number } = {}
    for (const participant of Array.isArray(event.participants) ? (event.participants as unknown[]) : []) {
      if (!isRecord(participant) || !isId(participant.participantId)) continue
      ids[participant.home === true ? 'home' : 'away'] = participant.participantId
    }
    return {
      sighting: this.sighting(event, home, away, kickoffAt),
      sides: { home, away, homeId: ids.home, awayId: ids.away },
      isFinished: event.state === 'FINISHED',
    }
  }

  private sighting(
    event: Record<string, unknown>,
    home: string,
    away: string,
    kickoffAt: number | undefined,
  ): EventSighting | 'event' | 'sport' {
    const path = (Array.isArray(event.path) ? (event.path as unknown[]) : []).filter(isRecord)
    const [sportWord, ...leagueWords] = path.map(({ termKey }) => textOr(termKey, ''))
    // Without both names nobody can tell what a price is for; a competition as a whole has none.
    if (home.trim() === '' || away.trim() === '' || home === away) return 'event'
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

  private takeOffer(offer: unknown, index: number, at: number | undefined): void {
    if (!isRecord(offer)) return this.malformedOffer(index, '', 'must be an object')
    const { id, eventId, criterion, outcomes } = offer
    if (!isId(id)) return this.malformedOffer(index, '.id', 'must be a whole number')
    if (!isId(eventId)) return this.malformedOffer(index, '.eventId', 'must be a whole number')
    if (!isRecord(criterion) || !isId(criterion.id)) {
      return this.malformedOffer(index, '.criterion.id', 'must be a whole number')
    }
    if (!Array.isArray(outcomes)) return this.malformedOffer(index, '.outcomes', 'must be an array')
    const event = this.eventOf(eventId)
    const { sighting } = event
    if (typeof sighting === 'string') return this.pass(outcomes, index, criterion, sighting)
    if (at === undefined) return this.pass(outcomes, index, criterion, 'no_timestamp')
    const market = sighting.sport === 'football' ? KAMBI_MARKETS.get(criterion.id) : undefined
    if (market === undefined) return this.pass(outcomes, index, criterion, 'market')
    const closesAt = closingTime(offer.closed)
    if (closesAt === undefined) return this.malformedOffer(index, '.closed', 'must be an RFC 3339 date-time')
    const status = event.isFinished ? 'closed' : offer.suspended === true ? 'suspended' : 'open'
    const reading = this.readingOf(eventId, event, sighting)
    reading.offers.add(id)
    this.takeOutcomes(outcomes, index, { market, listing: { id, period: 0, closesAt }, status, reading }, criterion)
  }

  /** Outcomes that cannot be mapped, all for one reason. */
  private pass(outcomes: readonly unknown[], offer: number, criterion: Record<string, unknown>, fate: Fate): void {
    let count = 0
    for (let index = 0; index < outcomes.length; index++) {
      if (isRecord(outcomes[index])) count++
      else this.malformed(placeOf(offer, index), 'must be an object')
    }
    if (count === 0) return
    this.options.account.read += count
    this.options.account.count(this.nameOf(criterion), fate, count)
  }

  private takeOutcomes(
    outcomes: readonly unknown[],
    offer: number,
    { market, listing, status, reading }: Offer,
    criterion: Record<string, unknown>,
  ): void {
    const { account, limits } = this.options
    const name = this.nameOf(criterion)
    const player = market.type === 'player_prop' ? playerOf(outcomes) : undefined
    for (let index = 0; index < outcomes.length; index++) {
      const value = outcomes[index]
      if (!isRecord(value)) {
        this.malformed(placeOf(offer, index), 'must be an object')
        continue
      }
      const fault = faultOf(value)
      if (fault !== undefined) {
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
        continue
      }
      const odds = typeof value.odds === 'number' ? value.odds / THOUSANDTHS : null
      const hasPrice = odds !== null && odds > 1
      account.count(name, hasPrice ? market.type : odds === null ? 'no_price' : 'bad_price')
      const said = status === 'open' && value.status !== 'OPEN' ? 'suspended' : status
      this.standing.list(reading.standing, listing, market.type, line, label, hasPrice ? odds : null, said)
    }
  }

  /** What follows from what the document does not list. */
  private fall(isComplete: boolean): void {
    // What may be behind an offer that could not be read is not gone.
    const gone = this.hasUnreadOffers ? 'suspended' : 'closed'
    for (const [id, { isFinished }] of this.events) {
      const event = isFinished || isComplete ? this.standing.known(keyOfEvent(this.bookmaker, id)) : undefined
      if (event === undefined) continue
      const offers = this.readings.get(id)?.offers
      const missing = (offer: number): 'suspended' | 'closed' => (offers?.has(offer) === true ? 'suspended' : gone)
      this.standing.fall(event, isFinished ? () => 'closed' : (listing) => missing(listing.id))
    }
  }

  private eventOf(id: number): SourceEvent {
    const event = this.events.get(id)
    if (event !== undefined) return event
    // An answer that names none of its events is read with what an earlier one said.
    const sighting = this.standing.known(keyOfEvent(this.bookmaker, id))?.sighting
    if (sighting === undefined) return UNKNOWN_EVENT
    const { home, away } = sighting
    return { sighting, sides: { home, away, homeId: undefined, awayId: undefined }, isFinished: false }
  }

  private readingOf(id: number, event: SourceEvent, sighting: EventSighting): EventReading {
    let reading = this.readings.get(id)
    if (reading === undefined) {
      const standing = this.standing.sight(keyOfEvent(this.bookmaker, id), this.bookmaker, sighting)
      reading = { standing, sides: event.sides, offers: new Set() }
      this.readings.set(id, reading)
    }
    return reading
  }

  /** What the account calls a criterion: the first English name that its id has come with. */
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

  private malformedOffer(index: number, field: string, reason: string): void {
    this.hasUnreadOffers = true
    this.malformed(`betOffers[${index}]${field}`, reason)
  }

  private malformed(place: string, reason: string): undefined {
    this.options.account.malformed++
    this.options.onMalformed(place, reason)
    return undefined
  }
}

/** The format `kambi`: one document, the answer to a call for bet offers, plain or wrapped in `data`. */
export const kambiNormaliser = (options: NormaliserOptions): RememberingNormaliser => new KambiNormaliser(options)
