// The outbox of a session: what is written to its carrier, in which order, and when that is too much. All output that a
// client can cause counts here: messages that wait for it, RECEIPTs, CONNECTED, its own topics.

import type { Carrier } from './carrier.ts'
import type { Run } from './flow.ts'
import type { OwnFrame } from './own-topics.ts'
import { type Fault, limitExceeded, slowConsumer } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'

export class Outbox {
  readonly carrier: Carrier
  /** When something was last sent to the client. */
  saidAt: number
  /** Octets that wait for subscriptions that are behind. */
  backlogBytes = 0
  /** Messages that wait to be acknowledged, of all subscriptions. */
  unackedCount = 0
  /** Octets written to the carrier so far. */
  handedBytes = 0
  // Upper bound of the octets in the carrier that are small frames which the client asked for one by one.
  private directBytes = 0
  // Frames that wait for the end of the turn, because what they confirm has to be in the stream first.
  private later: (string | OwnFrame)[] = []
  private laterBytes = 0
  private runs: { readonly run: Run; readonly isBinary: boolean }[] = []
  private readonly limits: LiveLimits
  // When the client last read something of what waits, and the octets that it had read by then.
  private progressAt: number
  private takenBytes = 0
  // When octets a second were last counted, and the octets written by then.
  private rateAt: number
  private rateBytes = 0

  constructor(carrier: Carrier, limits: LiveLimits, nowAt: number) {
    this.carrier = carrier
    this.limits = limits
    this.saidAt = nowAt
    this.progressAt = nowAt
    this.rateAt = nowAt
  }

  /**
   * Octets that count against the session's budget. A snapshot is paced by the socket, and a run is bounded by its
   * turn: what the carrier holds of these counts only when another run has to wait behind it.
   */
  get pendingBytes(): number {
    const { bufferedBytes } = this.carrier
    this.directBytes = Math.min(this.directBytes, bufferedBytes)
    return (this.backlogBytes > 0 ? this.backlogBytes + bufferedBytes : this.directBytes) + this.laterBytes
  }

  /** Octets that wait for the client, here and in the carrier. */
  get queuedBytes(): number {
    return this.backlogBytes + this.laterBytes + this.carrier.bufferedBytes
  }

  /** Whether the carrier holds so much that runs are kept here until it is read. */
  get isFull(): boolean {
    return this.carrier.bufferedBytes > this.limits.socketBytesMax
  }

  /** The fault if the backlog, or the frames that the client asked for one by one, exceed their budget. */
  overBudget(): Fault | undefined {
    const { pendingBytesMax } = this.limits
    if (this.pendingBytes <= pendingBytesMax) return undefined
    return slowConsumer(`More than ${pendingBytesMax} octets waited for this session`)
  }

  /** The fault if the octets a second exceed their limit; to be called several times a second. */
  overRate(nowAt: number): Fault | undefined {
    if (nowAt - this.rateAt < 1_000) return undefined
    const { bytesPerSecondMax } = this.limits
    const perSecond = ((this.handedBytes - this.rateBytes) * 1_000) / (nowAt - this.rateAt)
    this.rateAt = nowAt
    this.rateBytes = this.handedBytes
    if (perSecond <= bytesPerSecondMax) return undefined
    const message = `More than ${bytesPerSecondMax} octets a second; subscribe to less, and to nothing twice`
    return limitExceeded('bytesPerSecondMax', message)
  }

  /**
   * Whether the client reads nothing of what waits for it: it is disconnected before its backlog exceeds the budget.
   * @param isHungry whether anything waits for the carrier
   */
  isStalled(nowAt: number, isHungry: boolean): boolean {
    const { bufferedBytes } = this.carrier
    const taken = this.handedBytes - bufferedBytes
    if (!isHungry || taken !== this.takenBytes || bufferedBytes === 0) {
      this.takenBytes = taken
      this.progressAt = nowAt
      return false
    }
    return nowAt - this.progressAt > this.limits.stalledMsMax
  }

  /** This process was paused: octets that were not read are not the client's fault. */
  excuse(nowAt: number): void {
    this.progressAt = nowAt
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

  /** Writes a frame after those that wait for the end of the turn. */
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
    // Receipts are short and many: they are encoded as one text.
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

  /** Writes a run to the carrier. */
  hand({ bytes }: Run, isBinary: boolean): void {
    this.carrier.write(bytes, isBinary)
    this.handedBytes += bytes.length
  }

  /** Keeps a run of the turn for {@link flushRuns}. Returns whether it is the first. */
  post(run: Run, isBinary: boolean): boolean {
    return this.runs.push({ run, isBinary }) === 1
  }

  /** Writes the runs of the turn, of several subscriptions. */
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
