// A transaction (STOMP 1.2, BEGIN): frames that take effect together, or not at all.

import type { Subscription } from './subscription.ts'

/** A SEND that waits for its COMMIT. */
export interface PendingSend {
  readonly bookmaker: string
  readonly body: Buffer
  readonly receipt: string | undefined
}

/** An ACK or NACK of a message. */
export interface Acknowledgement {
  readonly subscription: Subscription
  readonly messageId: string
  readonly isNack: boolean
}

export class Transaction {
  readonly sends: PendingSend[] = []
  readonly acknowledgements: Acknowledgement[] = []
  /** Octets of the bodies in it. */
  bytes = 0

  get frames(): number {
    return this.sends.length + this.acknowledgements.length
  }
}
