// Options and limits of a connection to the Unified Odds Feed.

import type { FedTransport } from '../../domain/transport.ts'
import type { NormaliserLimits } from '../kit/normaliser.ts'
import type { FixtureLimits } from './uof-fixtures.ts'
import type { ProductLimits } from './uof-product.ts'

export interface UofLimits
  extends NormaliserLimits,
    Omit<FixtureLimits, 'textLengthMax'>,
    Omit<ProductLimits, 'aliveMsMax'> {
  readonly messageBytesMax: number
  /** Messages on their way to the board. */
  readonly prefetch: number
  /** Bound of the messages of events without fixture: messages, markets and outcomes together. */
  readonly heldMax: number
  /** Bound of the quotes and markets kept. */
  readonly knownMax: number
  /** How far a product's clock may be ahead of ours: what the engine accepts. */
  readonly aheadMsMax: number
  /** Time limit of opening a connection, and of closing one. */
  readonly openMsMax: number
  readonly requestMsMax: number
  readonly answerBytesMax: number
  /** How often the quotes of a product that is alive are confirmed, so that they do not age out. */
  readonly confirmMs: number
}

/** Limits of this source alone. */
export const UOF_LIMITS: Omit<UofLimits, keyof NormaliserLimits | 'aheadMsMax'> = {
  messageBytesMax: 4 * 2 ** 20,
  prefetch: 200,
  heldMax: 1_000_000,
  knownMax: 1_000_000,
  fixturesMax: 50_000,
  parallelMax: 8,
  absentMs: 600_000,
  openMsMax: 10_000,
  requestMsMax: 30_000,
  answerBytesMax: 2 ** 20,
  gapMsMax: 3_000,
  recoveryMsMax: 900_000,
  afterMsMax: 3 * 3_600_000,
  pauseMsMin: 1_000,
  pauseMsMax: 60_000,
  confirmMs: 3_600_000,
}

export interface UofConnectorOptions {
  /** `amqps://TOKEN@HOST/VHOST` */
  readonly amqpUrl: string
  /** `unifiedfeed` at Sportradar. */
  readonly exchange: string
  /** `https://HOST` */
  readonly apiUrl: string
  readonly apiToken: string
  /** The bookmaker of the prices; null: the supplier's name. */
  readonly bookmaker: string | null
  readonly transport: FedTransport | null
  /** The products to follow, by number and by name in the paths of the API: `{id: 1, name: 'liveodds'}`. */
  readonly products: readonly { readonly id: number; readonly name: string }[]
  /** Silence of a product after which its quotes are suspended; Sportradar says 20 s. */
  readonly aliveMsMax: number
  readonly limits: UofLimits
}
