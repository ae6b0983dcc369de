// The session's own topics: how far it is behind, and which of its SENDs were refused (docs/live-protocol.md 4.7, 7.4).
// No other session gets these messages, and they are in no log: their ids are no resume points.

import type { ClassForm } from './flow.ts'
import { FrameRun } from './frame-run.ts'
import { type Bodies, headOf } from './message.ts'
import { SparseMap } from './sparse.ts'

export type OwnTopic = 'lag' | 'refusals'

/** A message for the carrier. */
export interface OwnFrame {
  readonly bytes: Buffer
  readonly isBinary: boolean
}

const KIND_OF = { lag: 'lag', refusals: 'refusal' } as const

/** Interval of the lag messages. */
const LAG_MS = 1_000

const NO_LISTENERS: readonly FrameRun[] = []

export class OwnTopics {
  private readonly bodies: Bodies
  private readonly epoch: string
  // By the key of the subscription.
  private readonly subscribed = new SparseMap<string, { readonly topic: OwnTopic; readonly run: FrameRun }>()
  private lagSentAt = 0
  private count = 0

  constructor(bodies: Bodies, epoch: string) {
    this.bodies = bodies
    this.epoch = epoch
  }

  get size(): number {
    return this.subscribed.size
  }

  has(key: string): boolean {
    return this.subscribed.has(key)
  }

  /** The current subscriptions to a topic. */
  listeners(topic: OwnTopic): readonly FrameRun[] {
    if (this.subscribed.size === 0) return NO_LISTENERS
    return [...this.subscribed.values()].filter((each) => each.topic === topic).map(({ run }) => run)
  }

  add(topic: OwnTopic, key: string, { subscription, encoding, isEvent = false }: ClassForm, nowAt: number): void {
    const form = { subscription, encoding, isEvent, acknowledges: false, ackNumber: undefined }
    const run = new FrameRun(this.epoch, form)
    this.subscribed.set(key, { topic, run })
    if (topic === 'lag') this.lagSentAt = nowAt
  }

  delete(key: string): void {
    this.subscribed.delete(key)
  }

  clear(): void {
    this.subscribed.clear()
  }

  /** When the lag is to be sent. */
  get lagDueAt(): number {
    return this.listeners('lag').length > 0 ? this.lagSentAt + LAG_MS : Number.POSITIVE_INFINITY
  }

  /** Notes that it was sent. */
  lagSent(nowAt: number): void {
    this.lagSentAt = nowAt
  }

  /** A message of a topic, for each subscription to it. `seq`: of the log, for orientation. */
  frames(topic: OwnTopic, seq: number, members: object, listeners = this.listeners(topic)): OwnFrame[] {
    const frames: OwnFrame[] = []
    for (const run of listeners) {
      this.bodies.object(seq, members)
      run.add(headOf(`/topic/${topic}`), seq, ++this.count, -1, KIND_OF[topic], this.bodies.writer.view())
      frames.push({ bytes: run.detach().bytes, isBinary: run.form.encoding === 'msgpack' })
    }
    return frames
  }
}
