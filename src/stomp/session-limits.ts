// The limits of the live channel. Their sizes, and why, stand in one table with all others (config.ts).

import type { FrameLimits } from './frame-parser.ts'
import type { RingLimits } from './replay-ring.ts'

export interface LiveLimits extends FrameLimits, RingLimits {
  /** Octets of a body that a feed key sends. */
  readonly feedBodyBytesMax: number
  readonly bytesBeforeConnectMax: number
  readonly handshakeMsMax: number
  readonly connectMsMax: number
  readonly crowdedConnectMsMax: number
  readonly upgradeMsMax: number
  readonly unconnectedBytesMax: number
  readonly subscriptionsMax: number
  readonly transactionsMax: number
  readonly transactionFramesMax: number
  readonly transactionBytesMax: number
  readonly webSocketSlackBytes: number
  readonly unackedMax: number
  readonly sessionUnackedMax: number
  readonly shareMsMax: number
  readonly passMsMax: number
  readonly inputBytesMax: number
  readonly inputBytesTotalMax: number
  readonly ownSubscriptionsMax: number
  readonly streamedPerTopicMax: number
  readonly streamedIdBytesMax: number
  readonly conflatingPerTopicMax: number
  readonly bytesPerSecondMax: number
  readonly catchUpBytesMax: number
  readonly catchUpBytesTotalMax: number
  readonly conflationBytesMax: number
  readonly conflationBytesTotalMax: number
  readonly conflateMsMax: number
  readonly pendingBytesMax: number
  readonly stalledMsMax: number
  readonly socketBytesMax: number
  readonly closeMsMax: number
  readonly heartBeatMs: number
  readonly silentMsMax: number
  readonly rightsUnknownMsMax: number
  readonly turnFramesMax: number
  readonly turnBytesMax: number
  readonly closeEveryMs: number
  readonly pauseMsMin: number
  readonly errorSessionsMax: number
  readonly errorWindowMs: number
  readonly throttleMs: number
  readonly throttleMsMax: number
}
