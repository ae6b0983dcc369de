// The outbox of a session: what is written to its carrier, in which order, and when that is too much. All output that a
// client can cause counts here: messages that wait for it, RECEIPTs, CONNECTED, its own topics.

import type { Carrier } from './carrier.ts'
import type { Run } from './flow.ts'
import type { OwnFrame } from './own-topics.ts'
import { type Fault, limitExceeded, slowConsumer } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'

/** A reply to a frame: messages of the session's own topics, then the RECEIPT (empty: none was asked for). */
export interface Reply {
  frames: readonly OwnFrame[]
  text: string
  isSettled: boolean
}

/** The part of a session that is told of output. */
export interface Watched {
  /** Called before something is written. */
  stir(): void
}

const RATE_MS = 1_000

const NO_FRAMES: readonly OwnFrame[] = []

const octetsOf = (frames: readonly OwnFrame[]): number => frames.reduce((sum, { bytes }) => sum + bytes.length, 0)

export class Outbox {
  readonly carrier: Carrier
  /** When something was last sent to the client. */
  sentAt: number
  /** Octets that wait for subscriptions that are behind. */
  backlogBytes = 0
  /** Messages that wait to be acknowledged, of all subscriptions. */
  unackedCount = 0
  /** Octets written to the carrier so far. */
  writtenBytes = 0
  // Upper bound of the octets in the carrier that are small frames which the client asked for one by one.
  private directBytes = 0
  // Replies in the order of the frames that they answer: each waits until it and those before it are settled.
  private replies: Reply[] = []
  private repliesBytes = 0
  // Octets of snapshots and replays, by their place among all that was written to the carrier.
  private paced: { readonly from: number; to: number }[] = []
  private runs: { readonly run: Run; readonly isBinary: boolean }[] = []
  private readonly session: Watched
  private readonly limits: LiveLimits
  // When the client last read something of what waits, and the octets that it had read by then.
  private progressAt: number
  private readBytes = 0
  // When octets a second were last counted, and the octets written by then.
  private rateAt: number
  private rateBytes = 0

  constructor(carrier: Carrier, session: Watched, limits: LiveLimits, nowAt: number) {
    this.carrier = carrier
    this.session = session
    this.limits = limits
    this.sentAt = nowAt
    this.progressAt = nowAt
    this.rateAt = nowAt
  }

  /**
   * Octets that count against the session's budget. A run is bounded by its turn: what the carrier holds of it counts only
   * when another run has to wait behind it. Snapshots and replays are paced by the socket, and never count.
   */
  get pendingBytes(): number {
    const { bufferedBytes } = this.carrier
    this.directBytes = Math.min(this.directBytes, bufferedBytes)
    const behind = this.backlogBytes > 0 ? this.backlogBytes + bufferedBytes - this.pacedBytes : 0
    return Math.max(behind, this.directBytes) + this.repliesBytes
  }

  /** Notes octets that were written to the carrier. */
  noteWritten(bytes: number): void {
    this.session.stir()
    this.writtenBytes += bytes
  }

  /** Notes octets of a snapshot or replay that were written to the carrier. */
  notePaced(bytes: number): void {
    const from = this.writtenBytes
    this.noteWritten(bytes)
    const last = this.paced.at(-1)
    if (last?.to === from) last.to = this.writtenBytes
    // V8 gives an empty array room for 17 with the first push.
    else if (last === undefined) this.paced = [{ from, to: this.writtenBytes }]
    else this.paced.push({ from, to: this.writtenBytes })
    this.forgetRead()
  }

  /** Octets of snapshots and replays in the carrier. */
  private get pacedBytes(): number {
    const readTo = this.forgetRead()
    return this.paced.reduce((sum, { from, to }) => sum + to - Math.max(from, readTo), 0)
  }

  /** Forgets the paced octets that the client has read. Returns up to which octet it has read. */
  private forgetRead(): number {
    const readTo = this.writtenBytes - this.carrier.bufferedBytes
    while (this.paced.length > 0 && this.paced[0]!.to <= readTo) this.paced.shift()
    return readTo
  }

  /** Octets that wait for the client, here and in the carrier. */
  get queuedBytes(): number {
    return this.backlogBytes + this.repliesBytes + this.carrier.bufferedBytes
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

  /** When {@link overRate} is to be called; before the first octet after it was, there is no need to. */
  get rateDueAt(): number {
    return this.writtenBytes === this.rateBytes ? Number.POSITIVE_INFINITY : this.rateAt + RATE_MS
  }

  /** The fault if the octets a second exceed their limit; to be called in each tick, or when it is due. */
  overRate(nowAt: number): Fault | undefined {
    this.skipSilence(nowAt)
    if (nowAt - this.rateAt < RATE_MS) return undefined
    const { bytesPerSecondMax } = this.limits
    const perSecond = ((this.writtenBytes - this.rateBytes) * 1_000) / (nowAt - this.rateAt)
    this.rateAt = nowAt
    this.rateBytes = this.writtenBytes
    if (perSecond <= bytesPerSecondMax) return undefined
    const message = `More than ${bytesPerSecondMax} octets a second; subscribe to less, and to nothing twice`
    return limitExceeded('bytesPerSecondMax', message)
  }

  /**
   * Whether the client reads nothing of what waits for it: it is disconnected before its backlog exceeds the budget.
   * @param hasPending whether anything waits for the carrier
   */
  isStalled(nowAt: number, hasPending: boolean, msMax: number): boolean {
    const { bufferedBytes } = this.carrier
    const readBytes = this.writtenBytes - bufferedBytes
    if (!hasPending || readBytes !== this.readBytes || bufferedBytes === 0) {
      this.readBytes = readBytes
      this.progressAt = nowAt
      return false
    }
    return nowAt - this.progressAt > msMax
  }

  /** Nothing has waited, and nothing was written, until this time: neither {@link overRate} nor {@link isStalled} was called. */
  wasCalmUntil(at: number): void {
    this.progressAt = Math.max(this.progressAt, at)
    this.skipSilence(at)
  }

  /** The seconds in which octets are counted follow one another, however many of them nobody has looked at: they had none. */
  private skipSilence(at: number): void {
    if (this.writtenBytes !== this.rateBytes || at < this.rateAt + RATE_MS) return
    this.rateAt += Math.floor((at - this.rateAt) / RATE_MS) * RATE_MS
  }

  /** This process was paused: octets that were not read are not the client's fault. */
  excuse(nowAt: number): void {
    this.progressAt = nowAt
  }

  /** Whether replies wait for others. */
  get hasReplies(): boolean {
    return this.replies.length > 0
  }

  write(frame: Buffer, isBinary = false): void {
    this.directBytes = Math.min(this.directBytes, this.carrier.bufferedBytes) + frame.length
    this.noteWritten(frame.length)
    this.carrier.write(frame, isBinary)
  }

  /** Writes a reply after those that wait. */
  writeInOrder(text: string): void {
    if (this.hasReplies) this.settle(this.reserve(text))
    else this.write(Buffer.from(text))
  }

  /** Adds a reply that is not settled yet: the RECEIPT of a frame that takes effect with the turn. */
  reserve(text: string): Reply {
    const reply = { frames: NO_FRAMES, text, isSettled: false }
    this.replies.push(reply)
    this.repliesBytes += text.length
    return reply
  }

  /** Settles a reply; {@link flush} follows, once for all of a turn. */
  settle(reply: Reply, text = reply.text, frames = NO_FRAMES): void {
    this.repliesBytes += text.length - reply.text.length + octetsOf(frames)
    reply.text = text
    reply.frames = frames
    reply.isSettled = true
  }

  /** Writes the replies up to the first that is not settled. Returns whether there was anything to write. */
  flush(): boolean {
    let count = 0
    let hasOutput = false
    for (; count < this.replies.length && this.replies[count]!.isSettled; count++) {
      const { frames, text } = this.replies[count]!
      // A frame without a receipt has an empty reply.
      hasOutput ||= text !== '' || frames.length > 0
    }
    const settled = count === this.replies.length ? this.replies : this.replies.slice(0, count)
    this.replies = count === this.replies.length ? [] : this.replies.slice(count)
    if (!hasOutput) return false
    // Receipts are short and many: they are encoded as one text.
    let texts = ''
    const writeTexts = (): void => {
      if (texts !== '') this.write(Buffer.from(texts))
      texts = ''
    }
    this.carrier.cork(() => {
      for (const { frames, text } of settled) {
        this.repliesBytes -= text.length + octetsOf(frames)
        if (frames.length > 0) writeTexts()
        for (const { bytes, isBinary } of frames) this.write(bytes, isBinary)
        texts += text
        // A WebSocket message is one frame.
        if (this.carrier.kind !== 'tcp') writeTexts()
      }
      writeTexts()
    })
    return true
  }

  /** Writes a run to the carrier. */
  writeRun({ bytes }: Run, isBinary: boolean): void {
    this.carrier.write(bytes, isBinary)
    this.noteWritten(bytes.length)
  }

  /** Keeps a run of the turn for {@link flushRuns}. Returns whether it is the first. */
  post(run: Run, isBinary: boolean): boolean {
    return this.runs.push({ run, isBinary }) === 1
  }

  /** Writes the runs of the turn, of several subscriptions. */
  flushRuns(): void {
    const { runs } = this
    this.runs = []
    if (runs.length === 1) this.writeRun(runs[0]!.run, runs[0]!.isBinary)
    else {
      this.carrier.cork(() => {
        for (const { run, isBinary } of runs) this.writeRun(run, isBinary)
      })
    }
  }

  clear(): void {
    this.replies = []
    this.repliesBytes = 0
    this.runs = []
  }
}
