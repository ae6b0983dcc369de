// Transactions (STOMP 1.2, BEGIN): frames that take effect together, or not at all.

import { badHeader, type Fault, limitExceeded } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'
import { SparseMap } from './sparse.ts'
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

export interface Transaction {
  readonly sends: readonly PendingSend[]
  readonly acknowledgements: readonly Acknowledgement[]
}

interface OpenTransaction {
  readonly sends: PendingSend[]
  readonly acknowledgements: Acknowledgement[]
  bytes: number
}

/** The open transactions of a session. They are discarded when the connection ends. */
export class Transactions {
  private readonly limits: LiveLimits
  private readonly open = new SparseMap<string, OpenTransaction>()
  private bytes = 0

  constructor(limits: LiveLimits) {
    this.limits = limits
  }

  begin(id: string | undefined): Fault | undefined {
    if (id === undefined) return MISSING
    if (this.open.has(id)) return badHeader('transaction', 'This transaction has begun already')
    const { transactionsMax } = this.limits
    if (this.open.size >= transactionsMax) {
      return limitExceeded('transactionsMax', `No more than ${transactionsMax} transactions at the same time`)
    }
    this.open.set(id, { sends: [], acknowledgements: [], bytes: 0 })
    return undefined
  }

  addSend(id: string, send: PendingSend): Fault | undefined {
    const transaction = this.openIn(id)
    if ('code' in transaction) return transaction
    const { transactionBytesMax } = this.limits
    if (this.bytes + send.body.length > transactionBytesMax) {
      return limitExceeded('transactionBytesMax', `No more than ${transactionBytesMax} octets in open transactions`)
    }
    transaction.sends.push(send)
    transaction.bytes += send.body.length
    this.bytes += send.body.length
    return undefined
  }

  addAcknowledgement(id: string, acknowledgement: Acknowledgement): Fault | undefined {
    const transaction = this.openIn(id)
    if ('code' in transaction) return transaction
    transaction.acknowledgements.push(acknowledgement)
    return undefined
  }

  /** Removes a transaction, to be applied or discarded. */
  end(id: string | undefined): Transaction | Fault {
    if (id === undefined) return MISSING
    const transaction = this.open.get(id)
    if (transaction === undefined) return UNKNOWN
    this.open.delete(id)
    this.bytes -= transaction.bytes
    return transaction
  }

  private openIn(id: string): OpenTransaction | Fault {
    const transaction = this.open.get(id)
    if (transaction === undefined) return UNKNOWN
    const { transactionFramesMax } = this.limits
    return transaction.sends.length + transaction.acknowledgements.length < transactionFramesMax
      ? transaction
      : limitExceeded('transactionFramesMax', `No more than ${transactionFramesMax} frames in a transaction`)
  }
}

const MISSING = badHeader('transaction', 'transaction is missing')
const UNKNOWN = badHeader('transaction', 'There is no such transaction')
