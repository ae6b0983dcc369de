// The state that all sessions of the live channel share. Each part owns its own.

import type { Gate } from '../access/gate.ts'
import type { Registry } from '../access/registry.ts'
import { DueRing, type Filed } from '../domain/due-ring.ts'
import type { Observation } from '../domain/observation.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Engine } from '../engine/engine.ts'
import type { Turns } from '../engine/turns.ts'
import { AwaitedPoints } from './awaited.ts'
import { Delivery } from './delivery.ts'
import { TOPICS, type Topic } from './destination.ts'
import type { EventIds } from './event-ids.ts'
import { Flows } from './flows.ts'
import { LiveAccess } from './live-access.ts'
import type { LiveHistory } from './live-history.ts'
import { LiveRights } from './live-rights.ts'
import { Passes } from './passes.ts'
import { ReadBound } from './read-bound.ts'
import { Renderer } from './renderer.ts'
import type { ReplayRing } from './replay-ring.ts'
import type { ErrorCode } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'
import { Snapshots } from './snapshots.ts'

/** How often what depends on time is looked at, ms. */
export const TICK_MS = 100
/** Each session is looked at after so many ticks at the latest. */
const LOOK_TICKS_MAX = 256

export interface ChannelOptions {
  readonly engine: Engine
  /** Of the engine: what is published, and what was. */
  readonly history: LiveHistory
  /** The former process of this log has ended in order: no use of a key is missing in it. Default: some may be. */
  readonly wasClosed?: boolean
  /** Whether several processes share the log. */
  readonly isShared?: boolean
  readonly turns: Turns
  readonly gate: Gate
  readonly registry: Registry
  readonly limits: LiveLimits
  /** The clock, epoch ms. */
  readonly now: () => number
  /** Monotonic ms with fraction, for durations. */
  readonly elapsedMs: () => number
  /** The header `server` of CONNECTED: `oddswire/x.y.z`. */
  readonly server: string
  /** Reads the body of a SEND. */
  readonly readObservation: (body: Buffer, bookmaker: string) => Observation | Refusal
  /** A new id that cannot be guessed. */
  readonly mintId: () => string
  /** Members of an ERROR's body beside code, message and field: the links of docs/architecture.md 7.8. */
  readonly errorMembers?: (code: ErrorCode) => object
  /** Whether customers may connect: until the sources have delivered, only feeds may. Default: they may. */
  readonly isServing?: () => boolean
  /**
   * Whether nobody may connect, feeds neither: what others have decided of their keys is not known. Default: they may.
   */
  readonly isOut?: () => boolean
  /** How long a point of the log that another process has reached is waited for, ms. Default: it is not. */
  readonly aheadMsMax?: number
  /** Whether WebSockets wait for others to send CONNECT: these then have less time. */
  readonly isCrowded?: () => boolean
  /** Collects what is young of the memory, at once. Default: it is left to V8. */
  readonly collectYoung?: () => void
}

/** The part of a session that writes its replies. */
export interface Settling {
  flush(): void
}

/** A session, as a tick sees it. */
export interface Looked extends Filed {
  look(nowAt: number): boolean
  judge(nowAt: number): void
  excuse(nowAt: number): void
}

export class Channel {
  readonly options: ChannelOptions
  readonly limits: LiveLimits
  readonly history: LiveHistory
  readonly ring: ReplayRing
  readonly renderer: Renderer
  readonly eventIds: EventIds
  readonly rights: LiveRights
  readonly access: LiveAccess
  readonly turns: Turns
  readonly readBound: ReadBound
  readonly passes: Passes
  readonly flows: Flows
  readonly snapshots: Snapshots
  readonly delivery: Delivery
  readonly awaited: AwaitedPoints
  /** All sessions, by when each is to be looked at. */
  readonly looks: DueRing<Looked>
  /** Sessions with replies that the current turn has settled. */
  readonly settled = new Set<Settling>()
  /** Received octets of all sessions that wait to be read. */
  inputBytes = 0
  /** Octets of conflation state of all sessions. */
  conflationBytes = 0
  readonly counts = {
    messages: Object.fromEntries(Object.keys(TOPICS).map((topic) => [topic, 0])) as Record<Topic, number>,
    bytes: 0,
    errors: new Map<string, number>(),
    slowConsumers: 0,
    degraded: 0,
    sendsRefused: 0,
    acked: 0,
    nacked: 0,
    opened: 0,
  }

  constructor(options: ChannelOptions) {
    const { engine, history, turns, gate, limits, now } = options
    this.options = options
    this.limits = limits
    this.history = history
    this.ring = history.ring
    this.eventIds = history.eventIds
    this.rights = new LiveRights(engine.rights, this.ring, turns, options.wasClosed, options.isShared)
    turns.onOthers = (input) => this.rights.hear(input)
    this.renderer = new Renderer(engine, this.ring)
    this.access = new LiveAccess(gate, limits, {
      isServing: options.isServing ?? (() => true),
      isOut: options.isOut ?? (() => false),
    })
    this.looks = new DueRing<Looked>(TICK_MS, LOOK_TICKS_MAX, now())
    this.turns = turns
    this.readBound = new ReadBound(turns, limits.turnBytesMax)
    this.passes = new Passes(limits, options.elapsedMs)
    this.flows = new Flows(history, this.renderer, limits)
    this.snapshots = new Snapshots(engine, limits, now)
    this.awaited = new AwaitedPoints(options.aheadMsMax ?? 0, options.elapsedMs)
    this.delivery = new Delivery(engine, this.renderer, this.passes, limits.socketBytesMax, this.counts)
  }

  countError(code: ErrorCode): void {
    this.counts.errors.set(code, (this.counts.errors.get(code) ?? 0) + 1)
  }
}
