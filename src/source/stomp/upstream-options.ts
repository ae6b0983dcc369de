// Options and limits of a STOMP broker as a source.

import type { FedTransport } from '../../domain/transport.ts'
import type { Format } from '../kit/format.ts'
import type { NormaliserLimits, SourceFacts } from '../kit/normaliser.ts'
import type { Endpoint } from '../kit/stomp-connection.ts'

export interface UpstreamLimits extends NormaliserLimits {
  /** Of a body, as received and unpacked. */
  readonly bodyBytesMax: number
  /** Of all bodies that are held; at least one body of the maximum size must fit. */
  readonly heldBytesMax: number
  /** Time limit up to CONNECTED, and from there to the answers to SUBSCRIBE. */
  readonly openMsMax: number
  /** How long DISCONNECT waits for its RECEIPT. */
  readonly closeMsMax: number
  /** Pause before the first new try; it doubles with each try. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
  /** Pause after every address has refused the connection. */
  readonly refusedPauseMs: number
}

export interface UpstreamOptions {
  /** Tried in this order, repeatedly; at least one. */
  readonly endpoints: readonly Endpoint[]
  readonly login: string | null
  readonly passcode: string | null
  /** The `host` header: with RabbitMQ the virtual host; null: the host of the address. */
  readonly vhost: string | null
  /** A file of certificates (PEM) to trust instead of the public authorities; null: those. */
  readonly caFile: string | null
  readonly destinations: readonly string[]
  /** Additional headers of each SUBSCRIBE: `{"durable":"true"}`. */
  readonly headers: Readonly<Record<string, string>>
  readonly ack: 'client' | 'client-individual'
  /**
   * Messages of a destination that the broker may send before they are acknowledged; also the number of messages held
   * in total.
   */
  readonly prefetch: number
  /** Of a body, which is one piece of it. */
  readonly format: Format
  /** What is known of its payloads beyond their own text. */
  readonly facts?: Partial<SourceFacts>
  readonly bookmaker: string | null
  readonly transport: FedTransport | null
  /** Whether a body lists all that the source has of its events. */
  readonly complete: boolean
  /** The answer to a message that cannot be read; `nack` is for brokers that put it aside. */
  readonly onMalformed: 'ack' | 'nack'
  readonly heartbeatMs: number
  /**
   * Whether the broker's heart-beats are signs of life of the source. They show that the broker is there, not that its
   * queues are still fed.
   */
  readonly quietIsHealthy: boolean
  /**
   * Whether the destinations keep messages while we are disconnected. If they do not, a suspension may be missed, and
   * everything that was fed is suspected when the connection is lost.
   */
  readonly durable: boolean
  readonly limits: UpstreamLimits
}
