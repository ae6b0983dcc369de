// The effects of SEND, ACK and NACK: at once, or together when their transaction is committed.

import type { Caller } from '../access/gate.ts'
import { NO_PRODUCER } from '../domain/feed-source.ts'
import type { Input } from '../domain/input.ts'
import type { Observation } from '../domain/observation.ts'
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts'
import type { Channel } from './channel.ts'
import { feedOf, isTopic } from './destination.ts'
import type { Version } from './frame-headers.ts'
import type { Frame } from './frame-parser.ts'
import { badHeader, type Fault, faultOf, isFault } from './session-fault.ts'
import type { SessionSubscriptions } from './session-subscriptions.ts'
import { type Acknowledgement, Transactions } from './transaction.ts'

/** What a frame asks of the engine. */
export interface Submission {
  readonly input: Input
  /** Called when it was applied. */
  readonly applied?: () => void
}

/**
 * `now`: the frame has taken effect. A submission takes effect with the turn. A refusal concerns an observation: it need
 * not end the session.
 */
export type Effect = 'now' | Submission | Fault | Refusal

export class Effects {
  private readonly channel: Channel
  private readonly subscriptions: SessionSubscriptions
  private readonly transactions: Transactions

  constructor(channel: Channel, subscriptions: SessionSubscriptions) {
    this.channel = channel
    this.subscriptions = subscriptions
    this.transactions = new Transactions(channel.limits)
  }

  send({ headers, body }: Frame, receipt: string | undefined, caller: Caller): Effect {
    const destination = headers.get('destination')
    if (destination === undefined) return badHeader('destination', 'destination is missing')
    if (caller.kind !== 'feed') return faultOf(refuse('forbidden', 'Only a feed key may SEND', 'destination'))
    if (isTopic(destination)) return faultOf(refuse('forbidden', 'A topic accepts no SEND', 'destination'))
    const bookmaker = feedOf(destination)
    if (bookmaker === undefined) {
      return faultOf(refuse('not_found', 'SEND goes to /feed/{bookmaker}', 'destination'))
    }
    if (caller.scope.bookmakers?.includes(bookmaker) !== true) {
      return faultOf(refuse('api_key_scope_denied', `This feed key does not feed ${bookmaker}`, 'destination'))
    }
    const transaction = headers.get('transaction')
    if (transaction !== undefined) {
      // The bytes are the parser's, and valid only during this call.
      return this.transactions.addSend(transaction, { bookmaker, body: Buffer.from(body), receipt }) ?? 'now'
    }
    const observation = this.channel.options.readObservation(body, bookmaker)
    if (isRefusal(observation)) return observation
    return { input: { kind: 'observe', observation, producer: NO_PRODUCER, doubt: undefined } }
  }

  /** ACK or NACK. */
  acknowledge(frame: Frame, version: Version): Effect {
    const acknowledgement = readAck(frame, version, this.subscriptions)
    if (isFault(acknowledgement)) return acknowledgement
    const transaction = frame.headers.get('transaction')
    if (transaction !== undefined) return this.transactions.addAcknowledgement(transaction, acknowledgement) ?? 'now'
    if (!acknowledgement.subscription.unacked.has(acknowledgement.messageId)) return UNKNOWN_ACK
    this.subscriptions.acknowledge(acknowledgement)
    return 'now'
  }

  begin({ headers }: Frame): Effect {
    return this.transactions.begin(headers.get('transaction')) ?? 'now'
  }

  abort({ headers }: Frame): Effect {
    const transaction = this.transactions.end(headers.get('transaction'))
    return isFault(transaction) ? transaction : 'now'
  }

  /** All or nothing. */
  commit({ headers }: Frame): Effect {
    const transaction = this.transactions.end(headers.get('transaction'))
    if (isFault(transaction)) return transaction
    const { readObservation } = this.channel.options
    const { sends, acknowledgements } = transaction
    const observations: Observation[] = []
    for (const { bookmaker, body, receipt } of sends) {
      const observation = readObservation(body, bookmaker)
      if (isRefusal(observation)) {
        const place = receipt === undefined ? '' : ` (receipt ${receipt})`
        return { ...observation, message: `The transaction was refused: ${observation.message}${place}` }
      }
      observations.push(observation)
    }
    if (acknowledgements.some(({ subscription, messageId }) => !subscription.unacked.has(messageId))) return UNKNOWN_ACK
    const applied = (): void => {
      for (const acknowledgement of acknowledgements) this.subscriptions.acknowledge(acknowledgement)
    }
    if (observations.length > 0) return { input: { kind: 'commit', observations }, applied }
    applied()
    return 'now'
  }
}

const UNKNOWN_ACK: Fault = badHeader('id', 'No message with this id waits to be acknowledged')

const AMBIGUOUS_ACK: Fault = badHeader(
  'id',
  'Several subscriptions wait for an acknowledgement of this message-id; give the ack header of the MESSAGE as id',
)

/**
 * Which message of which subscription an ACK or NACK names: in STOMP 1.2 by the `ack` header of the MESSAGE, in 1.1 by
 * `message-id` and `subscription`, in 1.0 by `message-id`. A `message-id` is accepted in 1.2, too, because clients
 * written for 1.1 send it, if only one subscription waits for it: among several it is ambiguous.
 */
const readAck = (
  { command, headers }: Frame,
  version: Version,
  subscriptions: SessionSubscriptions,
): Acknowledgement | Fault => {
  const isNack = command === 'NACK'
  const id = headers.get('subscription')
  const name = version === '1.2' ? 'id' : 'message-id'
  const messageId = headers.get(name) ?? headers.get('message-id')
  if (messageId === undefined) return badHeader(name, `${name} is missing`)
  if (version === '1.1' && id === undefined) return badHeader('subscription', 'subscription is missing')
  const slash = version === '1.2' ? messageId.lastIndexOf('/') : -1
  if (slash !== -1) {
    const subscription = subscriptions.ofAckNumber(Number(messageId.slice(slash + 1)))
    return subscription === undefined ? UNKNOWN_ACK : { subscription, messageId: messageId.slice(0, slash), isNack }
  }
  const [subscription, other] = subscriptions.waitingFor(messageId, id)
  if (subscription === undefined) return UNKNOWN_ACK
  return version === '1.2' && other !== undefined ? AMBIGUOUS_ACK : { subscription, messageId, isNack }
}
