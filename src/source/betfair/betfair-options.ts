// What a connection to the Betfair exchange stream must be told.

import type { FedTransport } from '../../domain/transport.ts'
import type { NormaliserLimits } from '../kit/normaliser.ts'
import type { BetfairLogin } from './betfair-login.ts'

/** Which markets are followed; what is left out does not narrow (the API's MarketFilter). */
export interface BetfairMarketFilter {
  readonly marketIds?: readonly string[]
  readonly eventIds?: readonly string[]
  readonly eventTypeIds?: readonly string[]
  readonly marketTypes?: readonly string[]
  readonly countryCodes?: readonly string[]
  readonly turnInPlayEnabled?: boolean
}

export interface BetfairLimits extends NormaliserLimits {
  /** Of a message, without its end. The first picture of many markets comes in segments. */
  readonly lineBytesMax: number
  /** How long each step may take until the first change: login, TLS, greeting, authentication, subscription. */
  readonly openMsMax: number
  /** Pause before the first new try; it doubles from try to try. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
  /** Pause after a refusal that only somebody else can mend. */
  readonly refusedPauseMs: number
  /** How far ahead of our clock a message may be; what the engine takes. */
  readonly aheadMsMax: number
  /** How often the catalogue is asked at most, for markets that the stream has only ids of. */
  readonly namesMsMin: number
  /** After which it is asked again for a market that it did not have, and after a fault for any. */
  readonly namesAgainMs: number
  /**
   * How often quotes that have not changed are stamped anew while the exchange is healthy (docs/feeds.md 2.6: once an hour).
   */
  readonly restampMs: number
}

export interface BetfairOptions {
  /** `stream-api.betfair.com`; name or address, IPv6 without brackets. */
  readonly host: string
  readonly port: number
  readonly appKey: string
  /** A session token that somebody else keeps alive, or how to get one. */
  readonly session: string | BetfairLogin
  /** A file of certificates (PEM) to trust instead of the public authorities; null: those. Read anew for each connection. */
  readonly caFile: string | null
  /**
   * Where names of markets are asked for: `https://api.betfair.com/exchange/betting/rest/v1.0/listMarketCatalogue/`. Null:
   * nowhere; then only markets that the stream itself names (as recordings do) are given out.
   */
  readonly catalogueUrl: string | null
  readonly marketFilter: BetfairMarketFilter
  /** How soon the exchange is to speak when it has nothing to say, ms; it takes 500 to 5,000. */
  readonly heartbeatMs: number
  /** Null: the format's own. */
  readonly bookmaker: string | null
  readonly transport: FedTransport | null
  readonly limits: BetfairLimits
}
