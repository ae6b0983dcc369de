// Options of a connection to the Betfair exchange stream.

import type { FedTransport } from '../../domain/transport.ts'
import type { NormaliserLimits } from '../kit/normaliser.ts'
import type { BetfairLogin } from './betfair-login.ts'

/** Which markets are followed; an omitted member does not narrow the filter (the API's MarketFilter). */
export interface BetfairMarketFilter {
  readonly marketIds?: readonly string[]
  readonly eventIds?: readonly string[]
  readonly eventTypeIds?: readonly string[]
  readonly marketTypes?: readonly string[]
  readonly countryCodes?: readonly string[]
  readonly turnInPlayEnabled?: boolean
}

export interface BetfairLimits extends NormaliserLimits {
  /** Of a message, without its end. The first image of many markets comes in segments. */
  readonly lineBytesMax: number
  /** Time limit of each step until the first change: login, TLS, greeting, authentication, subscription. */
  readonly openMsMax: number
  /** Pause before the first new try; it doubles with each try. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
  /** Pause after a refusal that only an operator can fix. */
  readonly refusedPauseMs: number
  /** How far ahead of our clock a message may be; what the engine accepts. */
  readonly aheadMsMax: number
  /** Least time between two requests to the catalogue, for markets that the stream gives by id only. */
  readonly namesMsMin: number
  /** Time after which it is asked again for a market that it did not have, and after a fault for any. */
  readonly namesAgainMs: number
  /** How often unchanged quotes are confirmed while the exchange is healthy (docs/feeds.md 2.6: once an hour). */
  readonly restampMs: number
}

export interface BetfairOptions {
  /** `stream-api.betfair.com`; name or address, IPv6 without brackets. */
  readonly host: string
  readonly port: number
  readonly appKey: string
  /** A session token that is kept alive elsewhere, or how to get one. */
  readonly session: string | BetfairLogin
  /** A file of certificates (PEM) to trust instead of the public authorities; null: those. Read for each connection. */
  readonly caFile: string | null
  /**
   * Where names of markets are asked for: `https://api.betfair.com/exchange/betting/rest/v1.0/listMarketCatalogue/`.
   * Null: nowhere; then only markets that the stream itself names (as recordings do) are published.
   */
  readonly catalogueUrl: string | null
  readonly marketFilter: BetfairMarketFilter
  /** Requested interval of heart-beats, ms; the exchange accepts 500 to 5,000. */
  readonly heartbeatMs: number
  /** Null: the format's own. */
  readonly bookmaker: string | null
  readonly transport: FedTransport | null
  readonly limits: BetfairLimits
}
