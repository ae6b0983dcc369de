// The topics of a session itself: how far it is behind, and what of its SENDs was refused (LIVE 2, 3a). Nobody else gets
// these messages, and they stand in no log: their ids are no resume points.

import type { ClassForm } from './flow.ts'
import { type Bodies, FrameRun, headOf } from './message.ts'

export type OwnTopic = 'lag' | 'refusals'

/** A message as its carrier takes it. */
export interface OwnFrame {
  readonly bytes: Buffer
  readonly isBinary: boolean
}

const KIND_OF = { lag: 'lag', refusals: 'refusal' } as const

/** How often the lag is told. */
const LAG_MS = 1_000

export class OwnTopics {
  private readonly bodies: Bodies
  private readonly epoch: string
  private readonly subscribed = new Map<OwnTopic, { readonly key: string; readonly run: FrameRun }>()
  private lagToldAt = 0
  private count = 0

  constructor(bodies: Bodies, epoch: string) {
    this.bodies = bodies
    this.epoch = epoch
  }

  get size(): number {
    return this.subscribed.size
  }

  has(topic: OwnTopic): boolean {
    return this.subscribed.has(topic)
  }

  /** The topic that is subscribed to under a key. */
  topicOf(key: string): OwnTopic | undefined {
    for (const [topic, subscription] of this.subscribed) if (subscription.key === key) return topic
    return undefined
  }

  add(topic: OwnTopic, key: string, { subscription, encoding }: ClassForm, nowAt: number): void {
    const run = new FrameRun(this.epoch, { subscription, encoding, acknowledges: false, ackNumber: undefined })
    this.subscribed.set(topic, { key, run })
    if (topic === 'lag') this.lagToldAt = nowAt
  }

  delete(topic: OwnTopic): void {
    this.subscribed.delete(topic)
  }

  clear(): void {
    this.subscribed.clear()
  }

  /** Whether the lag is to be told; asking counts as telling. */
  isLagDue(nowAt: number): boolean {
    if (!this.subscribed.has('lag') || nowAt - this.lagToldAt < LAG_MS) return false
    this.lagToldAt = nowAt
    return true
  }

  /** A message of a topic that is subscribed to. `seq`: of the log, for orientation. */
  frame(topic: OwnTopic, seq: number, members: object): OwnFrame {
    const { run } = this.subscribed.get(topic)!
    this.bodies.object(seq, members)
    run.add(headOf(`/topic/${topic}`), seq, ++this.count, -1, KIND_OF[topic], this.bodies.writer.view())
    return { bytes: run.take().bytes, isBinary: run.form.encoding === 'msgpack' }
  }
}
