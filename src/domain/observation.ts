// Observation: what a normaliser passes to the engine. One bookmaker, one event, one time, n prices.

import type { MarketType } from './market.ts'
import type { QuoteStatus } from './quote.ts'
import type { Sport } from './sport.ts'
import type { FedTransport } from './transport.ts'

/** One price of an observation. */
export interface Price {
  readonly type: MarketType
  /** Market line; null for markets without one. For handicaps always the home side's. */
  readonly line: number | null
  /** Outcome label (`home`, `over`, `2-1`). */
  readonly outcome: string
  /** Decimal odds above 1, exactly the source's number; null (not with `open`) keeps the last ones. */
  readonly odds: number | null
  readonly status: QuoteStatus
}

/** League key and league name of an event whose source gives none. */
export const UNKNOWN_LEAGUE = 'unknown'

/** The event as the source spells it. */
export interface EventSighting {
  readonly sport: Sport
  readonly leagueKey: string
  readonly leagueName: string
  readonly home: string
  readonly away: string
  /** Epoch ms. */
  readonly kickoffAt: number
  /** The source's own id of the event, `SOURCE:ID`; a known id alone determines the event. */
  readonly sourceKey: string | null
  /** Undefined: the object is a new one each time. Not a part of the sighting, and not enumerable. */
  readonly memo?: SightingMemo
}

/**
 * What those who get the same sighting object again and again keep of it, so as not to look it up by its texts each time: two maps of
 * thousands of texts are a dozen waits for memory. Each entry names its owner, and means nothing to another one.
 */
export class SightingMemo {
  /** identity/sightings.ts: where it was found last. */
  foundBy: object | undefined = undefined
  found: object | undefined = undefined
  /** log/turn-encoder.ts: the numbers of its source key and of itself in a dictionary, and the number of that; 0: none. */
  dictionary = 0
  key = 0
  number = 0
}

/** Gives a sighting that will come again as the same object a memo. */
export const withMemo = (sighting: EventSighting): EventSighting =>
  Object.defineProperty(sighting, 'memo', { value: new SightingMemo() })

/** An event of a fixture list; the source's payloads name it by id only. */
export type Fixture = Omit<EventSighting, 'sourceKey'>

/** What becomes of the bookmaker's quotes of the event and transport that the observation does not name. */
export const OTHERS = ['keep', 'suspended', 'closed'] as const

export type Others = (typeof OTHERS)[number]

export interface Observation {
  readonly bookmaker: string
  readonly transport: FedTransport
  /** The source's own time of seeing, epoch ms. */
  readonly observedAt: number
  readonly event: EventSighting
  readonly prices: readonly Price[]
  readonly others: Others
}
