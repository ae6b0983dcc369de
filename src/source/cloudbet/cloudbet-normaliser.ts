// Cloudbet (docs/feeds.md 16): events of a competition, or one event, with their markets; one document an answer. The
// payload does not give the time at which it was seen, and omits what is not offered: so the normaliser remembers what
// was listed. One normaliser for each polled competition: a complete answer covers all that the normaliser remembers.

import type { EventSighting, Observation } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { isRecord } from '../../domain/record.ts'
import type { Fate } from '../kit/account.ts'
import { isId, parseJson } from '../kit/json.ts'
import { type EventQuotes, ListedQuotes } from '../kit/listed-quotes.ts'
import type { ClosingNormaliser, FormatFault, NormaliserOptions } from '../kit/normaliser.ts'
import {
  type Competition,
  competitionsOf,
  isLive,
  readSelection,
  type Selection,
  sightingOf,
  sportKeyOf,
  statusOfEvent,
  timeInAnswer,
  timeOf,
  uncleanText,
} from './cloudbet-answer.ts'
import {
  CLOUDBET_MARKETS,
  type CloudbetMarket,
  hasParamsOf,
  MARKET_KEY,
  paramsOf,
  settlesIn,
  type Submarket,
  submarketOf,
} from './cloudbet-markets.ts'
import { prefixOf, sportOfCloudbet } from './cloudbet-sports.ts'

const BOOKMAKER = 'cloudbet'

/** Events whose end of betting is remembered. */
const CUTOFFS_MAX = 20_000

/** The reading of an event in one document. */
interface EventReading {
  readonly sighting: EventSighting | 'event' | 'sport'
  /** Ours, else the source's key of it, for the account. */
  readonly sport: string | null
  /** How the keys of its markets begin. */
  readonly prefix: string
  readonly status: QuoteStatus
  readonly isLive: boolean
  readonly listed: EventQuotes | undefined
  readonly nameOf: (player: string) => string | undefined
  /** Keys of the markets that it lists. */
  readonly markets: Set<string>
  /** A part of it could not be read: what is not listed may have changed. */
  isUnclear: boolean
}

/** The selections of a submarket. */
interface SelectionList {
  readonly key: string
  readonly submarketKey: string
  /** Undefined: its key cannot be read. */
  readonly submarket: Submarket | undefined
  /** Key of the submarket that each quote of the market was read from. */
  readonly owners: Map<string, string>
}

class CloudbetNormaliser implements ClosingNormaliser {
  private readonly options: NormaliserOptions
  private readonly listed: ListedQuotes
  /** When the last document was seen, epoch ms. */
  private lastAt: number | undefined
  private readings = new Map<number, EventReading>()
  /** Whether the document has events that could not be read as far as their ids. */
  private hasNameless = false
  /** Events that have not begun, and when betting on them ends, epoch ms. */
  private readonly cutoffs = new Map<number, number>()

  constructor(options: NormaliserOptions) {
    this.options = options
    this.listed = new ListedQuotes(options.limits, options.transport ?? 'rest')
  }

  read(text: string): Iterable<Observation> | FormatFault {
    const json = parseJson(text)
    if ('fault' in json) return json
    const competitions = competitionsOf(json.value)
    if (competitions === undefined) {
      return {
        fault: 'is not an answer of Cloudbet: it must have competitions, events, or the id and markets of an event',
      }
    }
    const { facts } = this.options
    const at = facts.receivedAt() ?? timeInAnswer(competitions) ?? this.lastAt
    this.lastAt = at
    this.readings = new Map()
    this.hasNameless = false
    if (facts.isComplete()) this.cutoffs.clear() // what it does not list is suspended in any case
    if (at !== undefined) this.listed.begin(at)
    for (const competition of competitions) {
      if (typeof competition === 'string') this.nameless(`${competition}.events`, 'must be an array')
      else for (const [index, event] of competition.events.entries()) this.readEvent(event, index, competition, at)
    }
    if (at === undefined) return []
    this.fall(facts.isComplete())
    return this.listed.observations()
  }

  end(): readonly Observation[] {
    return []
  }

  /** Nothing closes by its time here; betting on a match that has not begun is off until the source says that it is live. */
  *closeDue(at: number): Generator<Observation> {
    this.listed.begin(at)
    for (const [id, cutoffAt] of this.cutoffs) {
      if (at < cutoffAt) continue
      this.cutoffs.delete(id)
      const event = this.listed.known(id)
      if (event !== undefined) this.listed.fall(event, () => 'suspended')
    }
    yield* this.listed.observations()
    yield* this.listed.closeDue(at)
  }

  private readEvent(event: unknown, index: number, competition: Competition, at: number | undefined): void {
    const place = competition.placeOf(index)
    if (!isRecord(event)) return this.nameless(place, 'must be an object')
    const { id } = event
    if (!isId(id)) return this.nameless(`${place}.id`, 'must be a whole number')
    const reading = this.reading(event, id, place, competition, at)
    this.readings.set(id, reading)
    this.options.account.sport = reading.sport
    const { markets = null } = event
    if (!isRecord(markets)) {
      if (markets !== null) this.unclear(reading, `${place}.markets`, 'must be an object')
      return
    }
    for (const [key, market] of Object.entries(markets)) {
      const marketPlace = `${place}.markets.${MARKET_KEY.test(key) ? key : '?'}`
      if (!MARKET_KEY.test(key)) this.unclear(reading, marketPlace, 'must have a market key like soccer.match_odds')
      else if (!isRecord(market) || !isRecord(market.submarkets)) {
        this.unclear(reading, `${marketPlace}.submarkets`, 'must be an object')
      } else {
        reading.markets.add(key)
        const { submarkets } = market
        const owners = new Map<string, string>()
        // Sorted: of an outcome that two submarkets have, the same one counts in each answer.
        for (const submarketKey of Object.keys(submarkets).sort()) {
          const submarket = submarkets[submarketKey]
          const selections = isRecord(submarket) ? submarket.selections : undefined
          const list = { key, submarketKey, submarket: submarketOf(submarketKey), owners }
          if (Array.isArray(selections)) this.readSelections(selections, list, id, reading, marketPlace, at)
          else this.unclear(reading, `${marketPlace}.selections`, 'must be an array')
        }
      }
    }
  }

  private reading(
    event: Record<string, unknown>,
    id: number,
    place: string,
    competition: Competition,
    at: number | undefined,
  ): EventReading {
    const { limits, facts } = this.options
    const known = this.listed.known(id)?.sighting
    const unclean = uncleanText(competition, event, limits.textLengthMax)
    const kickoffAt = isLive(event.status) ? known?.kickoffAt : undefined
    // Of an event whose names cannot be read, nothing new is published.
    const sighting = unclean === undefined ? sightingOf(competition, event, kickoffAt) : 'event'
    const cutoffAt = timeOf(event.cutoffTime)
    let status = statusOfEvent(event.status)
    this.cutoffs.delete(id)
    if (status === 'open' && !isLive(event.status) && at !== undefined) {
      // An end of betting that cannot be read may have come.
      if (cutoffAt === undefined || at >= cutoffAt) status = 'suspended'
      else if (cutoffAt !== Number.POSITIVE_INFINITY && this.cutoffs.size < CUTOFFS_MAX) this.cutoffs.set(id, cutoffAt)
    }
    const sportKey = sportKeyOf(competition.sport, limits.textLengthMax) ?? ''
    const players = isRecord(event.players) ? event.players : {}
    const reading: EventReading = {
      sighting,
      sport: sportOfCloudbet(sportKey) ?? (sportKey === '' ? null : sportKey),
      prefix: `${prefixOf(sportKey)}.`,
      status,
      isLive: isLive(event.status),
      listed:
        typeof sighting === 'string' || at === undefined
          ? undefined
          : this.listed.sight(id, facts.bookmaker ?? BOOKMAKER, sighting),
      nameOf: (key) => {
        const player = Object.hasOwn(players, key) ? players[key] : undefined
        return isRecord(player) && typeof player.name === 'string' ? player.name : undefined
      },
      markets: new Set(),
      isUnclear: unclean !== undefined || (cutoffAt === undefined && event.cutoffTime !== undefined),
    }
    if (unclean !== undefined) {
      this.malformed(
        `${place}.${unclean}`,
        `must have at most ${limits.textLengthMax} characters, none a control character`,
      )
    } else if (cutoffAt === undefined) this.malformed(`${place}.cutoffTime`, 'must be an RFC 3339 date-time')
    return reading
  }

  private readSelections(
    values: readonly unknown[],
    list: SelectionList,
    id: number,
    reading: EventReading,
    place: string,
    at: number | undefined,
  ): void {
    const { account, limits } = this.options
    const { listed, status } = reading
    const { key, submarketKey, owners } = list
    for (let index = 0; index < values.length; index++) {
      const selection = readSelection(values[index], limits.textLengthMax)
      if ('fault' in selection) {
        const { field, fault } = selection
        this.unclear(reading, `${place}.selections[${index}]${field === '' ? '' : `.${field}`}`, fault)
        continue
      }
      account.read++
      const market = this.marketOf(list, reading, selection, at)
      if (typeof market === 'string') {
        account.count(key, market)
        continue
      }
      const params = paramsOf(selection.params)!
      const label = market.labelOf(selection.outcome, params, reading.nameOf)
      const line = label === undefined ? undefined : market.lineOf(params)
      if (label === undefined || line === undefined || label.length > limits.textLengthMax) {
        account.count(key, 'outcome')
        continue
      }
      const quote = `${line} ${label}`
      const owner = owners.get(quote) ?? submarketKey
      if (owner !== submarketKey) {
        account.count(key, 'twin')
        continue
      }
      owners.set(quote, owner)
      const { price, isEnabled } = selection
      const hasPrice = price !== null && price > 1
      account.count(key, hasPrice ? market.type : price === null ? 'no_price' : 'bad_price')
      const said = status === 'open' && !isEnabled ? 'suspended' : status
      const listing = { id, period: 0, type: key, closesAt: Number.POSITIVE_INFINITY }
      this.listed.list(listed!, listing, market.type, line, label, hasPrice ? price : null, said)
    }
  }

  /** The market that a selection is mapped to, or why it is not. */
  private marketOf(
    { key, submarket }: SelectionList,
    { sighting, prefix, isLive: isInPlay }: EventReading,
    { isBack, params: text, outcome }: Selection,
    at: number | undefined,
  ): CloudbetMarket | Fate {
    if (typeof sighting === 'string') return sighting
    if (!isBack) return 'lay'
    if (at === undefined) return 'no_timestamp'
    const market = key.startsWith(prefix) ? CLOUDBET_MARKETS.get(key) : undefined
    const params = market === undefined ? undefined : paramsOf(text)
    if (market === undefined || params === undefined || !hasParamsOf(market, params)) return 'market'
    if (submarket === undefined || !settlesIn(market, submarket, params)) return 'market'
    if (isInPlay && market.isPrematchOnly === true) return 'market'
    return market.isTwin?.(outcome) === true ? 'twin' : market
  }

  /** Suspends or closes quotes that the document does not list. */
  private fall(isComplete: boolean): void {
    const isOneOfMany = this.options.facts.isOneOfMany?.() ?? false
    const isAll = (isComplete && !isOneOfMany) || this.hasNameless
    const readings = new Map<EventQuotes, EventReading>()
    for (const [id, reading] of this.readings) {
      const event = this.listed.known(id)
      if (event !== undefined) readings.set(event, reading)
    }
    for (const event of isAll ? this.listed.events() : readings.keys()) {
      const reading = readings.get(event)
      this.listed.fall(event, ({ type = '' }) => {
        // An event may be missing because the list is full, or by a mistake: that is no proof that it is over.
        if (reading === undefined) return 'suspended'
        if (reading.status !== 'open') return reading.status
        return isComplete || reading.isUnclear || typeof reading.sighting === 'string' || reading.markets.has(type)
          ? 'suspended'
          : undefined
      })
    }
  }

  /** A part of an event could not be read. */
  private unclear(reading: EventReading, place: string, reason: string): void {
    reading.isUnclear = true
    this.malformed(place, reason)
  }

  /** An entry whose event is not known could not be read. */
  private nameless(place: string, reason: string): void {
    this.hasNameless = true
    this.malformed(place, reason)
  }

  private malformed(place: string, reason: string): void {
    this.options.account.malformed++
    this.options.onMalformed(place, reason)
  }
}

/** The format `cloudbet`: one document, the answer of `/events`, `/competitions/{key}` or `/events/{id}`. */
export const cloudbetNormaliser = (options: NormaliserOptions): ClosingNormaliser => new CloudbetNormaliser(options)
