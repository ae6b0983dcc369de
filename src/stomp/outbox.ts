// The outbox of a session: what is written to its carrier, in which order, and when that is too much. Whatever one client
// can make us write counts here: messages that wait for it, RECEIPTs, CONNECTED, its own topics.

import type { Carrier } from './carrier.ts'
import type { Run } from './flow.ts'
import type { OwnFrame } from './own-topics.ts'
import type { Backlog } from './subscription.ts'

export class Outbox implements Backlog {
  readonly carrier: Carrier
  backlogBytes = 0
  unackedCount = 0
  /** Octets given to the carrier so far. */
  handedBytes = 0
  // Of the octets that the carrier holds, at most so many are small frames that the client asked for one by one.
  private directBytes = 0
  // Frames that wait for the end of the turn, because what they confirm has to be in the stream first.
  private later: (string | OwnFrame)[] = []
  private laterBytes = 0
  private runs: { readonly run: Run; readonly isBinary: boolean }[] = []

  constructor(carrier: Carrier) {
    this.carrier = carrier
  }

  /**
   * Octets that count against the session's budget. A snapshot is paced by the socket, and a run is bounded by its turn:
   * what the carrier holds of these does not count before another run has to wait behind it.
   */
  get pendingBytes(): number {
    const { bufferedBytes } = this.carrier
    this.directBytes = Math.min(this.directBytes, bufferedBytes)
    return (this.backlogBytes > 0 ? this.backlogBytes + bufferedBytes : this.directBytes) + this.laterBytes
  }

  /** Octets that wait for the client, wherever they are. */
  get queuedBytes(): number {
    return this.backlogBytes + this.laterBytes + this.carrier.bufferedBytes
  }

  /** Whether frames wait for the end of the turn. */
  get waitsForTurn(): boolean {
    return this.later.length > 0
  }

  write(frame: Buffer, isBinary = false): void {
    this.directBytes = Math.min(this.directBytes, this.carrier.bufferedBytes) + frame.length
    this.handedBytes += frame.length
    this.carrier.write(frame, isBinary)
  }

  /** Writes a frame behind those that wait for the end of the turn. */
  writeInOrder(text: string): void {
    if (this.waitsForTurn) this.writeLater(text)
    else this.write(Buffer.from(text))
  }

  /** Writes a frame when the turn has ended. */
  writeLater(frame: string | OwnFrame): void {
    this.later.push(frame)
    this.laterBytes += typeof frame === 'string' ? frame.length : frame.bytes.length
  }

  /** The turn has ended: what waited for that is written. */
  turnEnded(): void {
    const { later } = this
    if (later.length === 0) return
    this.later = []
    this.laterBytes = 0
    // Receipts are short and many: as one text they become bytes in one go.
    let texts = ''
    this.carrier.cork(() => {
      for (const frame of later) {
        if (typeof frame === 'string') {
          texts += frame
          if (this.carrier.kind === 'tcp') continue
        }
        if (texts !== '') this.write(Buffer.from(texts))
        texts = ''
        if (typeof frame !== 'string') this.write(frame.bytes, frame.isBinary)
      }
      if (texts !== '') this.write(Buffer.from(texts))
    })
  }

  /** Gives a run to the carrier. */
  hand({ bytes }: Run, isBinary: boolean): void {
    this.carrier.write(bytes, isBinary)
    this.handedBytes += bytes.length
  }

  /** Keeps a run of the turn for {@link flushRuns}. Whether it is the first. */
  post(run: Run, isBinary: boolean): boolean {
    return this.runs.push({ run, isBinary }) === 1
  }

  /** Writes what the turn has brought to several subscriptions. */
  flushRuns(): void {
    const { runs } = this
    this.runs = []
    if (runs.length === 1) this.hand(runs[0]!.run, runs[0]!.isBinary)
    else {
      this.carrier.cork(() => {
        for (const { run, isBinary } of runs) this.hand(run, isBinary)
      })
    }
  }

  clear(): void {
    this.later = []
    this.laterBytes = 0
    this.runs = []
  }
}
