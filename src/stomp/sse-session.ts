// A session that gets server-sent events: one subscription, for as long as the response lasts. What it may ask for,
// what it gets and what ends it is as in STOMP; there is nothing to read.

import type { Carrier } from './carrier.ts'
import type { Channel } from './channel.ts'
import { LiveSession, type LiveSessionOptions } from './live-session.ts'
import { type Fault, isFault } from './session-fault.ts'
import type { SseAdmission } from './sse-request.ts'

/** Of its one subscription, and of the lag beside it. */
const KEY = 'events'
const LAG_KEY = 'lag'

const FORM = { subscription: '', acknowledges: false, hasAckHeader: false, encoding: 'json', isEvent: true } as const

export class SseSession extends LiveSession {
  private readonly admission: SseAdmission
  private hasBegun = false
  // When something was last written, and the octets written by then.
  private writtenAt: number
  private writtenBytes = 0

  constructor(channel: Channel, carrier: Carrier, admission: SseAdmission, options: LiveSessionOptions) {
    super(channel, carrier, options)
    this.admission = admission
    this.caller = admission.caller
    this.state = 'connected'
    this.writtenAt = options.nowAt
  }

  /** Writes the beginning: the head of the response was written. */
  open(): void {
    if (!this.isConnected) return
    this.writeText(`retry: ${this.channel.limits.sseRetryMs}\n\n`)
    this.channel.passes.serve(this)
  }

  /** What it asks for begins in the history, which may not be complete yet. */
  get hasInput(): boolean {
    return !this.hasBegun && this.isConnected
  }

  protected readInput(): void {
    if (this.hasBegun || !this.channel.history.isComplete) return
    this.hasBegun = true
    const { request, wantsLag } = this.admission
    const isLagOnly = request.pattern.topic === 'lag'
    if (wantsLag || isLagOnly) this.own.add('lag', LAG_KEY, FORM, this.now())
    this.stir()
    if (isLagOnly) return
    const caller = this.caller!
    const subscription = this.subscriptions.add(KEY, request, FORM, caller.audience)
    if (isFault(subscription)) {
      this.fail(subscription)
      return
    }
    // With neither snapshot nor replay a client that breaks off before the first event needs a point, too.
    if (!request.wantsSnapshot && request.from === undefined) this.writePoint()
    this.subscriptions.begin(subscription, request, caller)
  }

  // It has asked for something that has not begun: its own point holds.
  protected override get resumeSeq(): number | undefined {
    return this.hasBegun ? super.resumeSeq : undefined
  }

  protected tick(nowAt: number): boolean {
    if (!this.isConnected) return false
    this.tickState(nowAt)
    if (!this.isConnected) return false
    if (this.outbox.writtenBytes !== this.writtenBytes) {
      this.writtenBytes = this.outbox.writtenBytes
      this.writtenAt = nowAt
    } else if (nowAt - this.writtenAt >= this.channel.limits.sseBeatMs && this.carrier.bufferedBytes === 0) {
      this.writePoint()
    }
    return this.isStalled(nowAt)
  }

  protected override get nextLookAt(): number {
    if (this.outbox.writtenBytes !== this.writtenBytes) return 0
    return Math.min(super.nextLookAt, this.writtenAt + this.channel.limits.sseBeatMs)
  }

  judge(nowAt: number): void {
    if (this.isConnected && this.isStalled(nowAt)) this.failStalled()
  }

  /**
   * A comment, as a sign of life, and the point that a client has reached if it was sent all up to it: it gets no event,
   * but resumes from there. A client that is sent little would have a point that the log no longer reaches back to.
   */
  private writePoint(): void {
    const seq = this.subscriptions.size === 0 ? undefined : this.resumeSeq
    this.writeText(seq === undefined ? ':\n\n' : `:\nid: ${this.channel.renderer.engine.epoch}-${seq}\n\n`)
  }

  private writeText(text: string): void {
    this.outbox.sentAt = this.now()
    this.outbox.write(Buffer.from(text))
  }

  protected fail(fault: Fault): void {
    if (!this.isConnected) return
    const { code } = fault
    this.channel.countError(code)
    const bytes = errorEvent(fault, this.channel.options.errorMembers?.(code))
    this.end(code)
    this.carrier.write(bytes, false)
    this.carrier.end(true)
  }
}

/** The last event of a response. Its id is the point to resume from, where there is one. */
const errorEvent = ({ code, message, field, headers = [] }: Fault, members: object | undefined): Buffer => {
  const resumeFrom = headers.find(([name]) => name === 'resume-from')?.[1]
  const error = { code, message, ...(field === undefined ? {} : { field }), ...members }
  const data = JSON.stringify({ error, ...(resumeFrom === undefined ? {} : { resumeFrom }) })
  return Buffer.from(`event: error\n${resumeFrom === undefined ? '' : `id: ${resumeFrom}\n`}data: ${data}\n\n`)
}
