// Turns: inputs are gathered, appended to the log, and applied together in their order when the log has written them;
// then their changes are published. Between two turns nothing changes what readers see. This is the only place that
// schedules, bounds and ends a turn.
//
//   add ──▶ gathered ──end──▶ log ──written──▶ applied ──▶ published ──▶ settled (RECEIPTs, refusals)
//
// Where several processes share a log, it also brings the turns of the others: all are applied in its order.

import { NO_PRODUCER } from '../domain/feed-source.ts'
import type { Input, Settled, StoreInput, Turn } from '../domain/input.ts'
import type { Observation } from '../domain/observation.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import type { Log } from '../log/log.ts'
import type { Engine } from './engine.ts'
import { applyTurn } from './inputs.ts'

export interface TurnLimits {
  /** Inputs of one turn: with as many, it ends before the next input, or when the sockets have been looked at. */
  readonly turnInputsMax: number
  /** Prices of one turn, but for those of its last input. */
  readonly turnPricesMax: number
  /** How long the changes of a turn may take to be applied and published, ms; by that, turns end with fewer prices. */
  readonly turnBusyMs: number
  /** How long turns may take that are published between two looks at the sockets, but for the last of them, ms. */
  readonly turnsMsMax: number
  /** Turns that are written and not yet published, above which nothing more is read. */
  readonly turnsWaitingMax: number
  /** Walks continue at most this often, ms. */
  readonly walkEveryMs: number
}

/** Where turns are appended. */
export type TurnLog = Pick<Log, 'append' | 'isFull' | 'onRoom' | 'onForeign'>

/** Keeps nothing: for tests, and programs that end with their data. */
export const NO_LOG: TurnLog = { append: (turn, written) => written(turn), isFull: false, onRoom: () => {} }

/** A turn of our own that is not published yet. */
interface Pending {
  /** By input. */
  readonly settled: readonly (Settled | undefined)[]
  readonly prices: number
  isWritten: boolean
  /** Published, or refused. */
  isDone: boolean
}

/** A turn that is written and not published yet. `pending`: it is our own. */
interface Ready {
  readonly turn: Turn
  readonly pending: Pending | undefined
  readonly prices: number
}

const NOBODY_WAITS: readonly undefined[] = []

/** The least prices that end a turn, as a part of `turnPricesMax`; and how much more of them each turn in time allows. */
const PRICES_SHARE_MIN = 1 / 16
/** Prices that end the first turn: it runs before anything is compiled. */
const PRICES_FIRST = 64
const PRICES_GROWTH = 1.25

export class Turns {
  /**
   * Called with each observation whose time is not ahead of the clock, and whose source no other run has taken, whatever
   * became of its prices.
   */
  onObserved: ((observation: Observation, producer: string, nowAt: number) => void) | undefined
  /** Called with each input of a turn before it is appended: returns it with its times by our clock. */
  byOurClock: ((input: Input, nowAt: number) => Input) | undefined
  /** Called with each input of a turn of another process, when it was applied. */
  onOthers: ((input: Input) => void) | undefined
  /** Whether this process appends turns without inputs: of those that share a log, one does. */
  leads: () => boolean = () => true
  /**
   * Called with each change of the store that was accepted, when its turn was applied: nothing is settled, and no other
   * turn is applied, before the promise resolves. It must not reject.
   */
  onStore: ((input: StoreInput) => Promise<void>) | undefined
  /** Whether so much that was published is still to be written that nothing more should be. */
  isDelivering: () => boolean = () => false
  /** How long customers were served between the last two looks at the sockets, ms: turns may take as long in addition. */
  customersMs: () => number = () => 0
  /** Turns that have ended, so far. */
  ended = 0
  private readonly engine: Engine
  private readonly limits: TurnLimits
  private readonly now: () => number
  private readonly elapsedMs: () => number
  private readonly log: TurnLog
  private readonly listeners: ((nowAt: number) => void)[] = []
  private readonly roomListeners: (() => void)[] = []
  private inputs: Input[] = []
  // By input.
  private settled: (Settled | undefined)[] = []
  private prices = 0
  // What ends a turn. A price of a new event takes ten times as long as one of a known quote.
  private pricesMax: number
  // Of our own, in their order: written or not. Where the log refuses one, those before it may still be underway.
  private readonly underway: Pending[] = []
  private readonly ready: Ready[] = []
  // Called when the turns up to a number are published.
  private readonly waiting: { readonly turn: number; readonly published: () => void }[] = []
  private published = 0
  // How long turns were applied and published since the last look at the sockets.
  private busyMs = 0
  // Of the last turn that had prices: how long each took.
  private priceMs = 0
  private isLooking = false
  private isCrowded = false
  private isScheduled = false
  private isRunningNow = false
  private isPublishing = false
  /** Whether a turn that was applied waits for the store. */
  isHeld = false
  // The last turn has left work that is due, or work that has a pace.
  private isBehind = false
  private isComplete = true
  private lastAt: number
  private timer: NodeJS.Timeout | undefined
  private walker: NodeJS.Timeout | undefined

  /**
   * @param now the clock, epoch ms: read once a turn
   * @param elapsedMs monotonic, with fraction; left out: turns do not end by how long the ones before have taken
   */
  constructor(
    engine: Engine,
    limits: TurnLimits,
    now: () => number,
    log: TurnLog = NO_LOG,
    elapsedMs: () => number = () => 0,
  ) {
    this.engine = engine
    this.elapsedMs = elapsedMs
    this.pricesMax = Math.min(limits.turnPricesMax, PRICES_FIRST)
    this.limits = limits
    this.now = now
    this.log = log
    this.lastAt = engine.lastTurnAt
    log.onRoom(() => this.hasRoom())
    log.onForeign?.((turn) => {
      this.ready.push({
        turn,
        pending: undefined,
        prices: turn.inputs.reduce((sum, input) => sum + pricesOf(input), 0),
      })
      this.publishReady()
    })
  }

  /**
   * Calls `listener` when a turn was published and its inputs are settled, and when one was due and nothing was to be
   * done. It may add inputs and end turns.
   */
  onEnded(listener: (nowAt: number) => void): void {
    this.listeners.push(listener)
  }

  /** Calls `listener` when {@link isFull} has ended. */
  onRoom(listener: () => void): void {
    this.roomListeners.push(listener)
  }

  /** Whether the log, or what it has written, is behind: add nothing more that can wait. */
  get isFull(): boolean {
    return this.log.isFull || this.isCrowded || this.isHeld
  }

  /**
   * Adds an input to the current turn, or to the next one where that is at its limits. It ends in this iteration of the event loop,
   * at its limits in the next one, or when the turns before it are published.
   */
  add(input: Input, settled?: Settled): void {
    // Not behind the input that fills it: to read that one may have taken this iteration long enough.
    if (this.isAtLimit) this.end()
    this.inputs.push(input)
    this.settled.push(settled)
    this.prices += pricesOf(input)
    this.schedule()
  }

  /** Whether there are inputs whose turn is not published. */
  get isUnderway(): boolean {
    return this.inputs.length > 0 || this.underway.length > 0
  }

  /** Whether a turn is applied, published or settled now. */
  get isRunning(): boolean {
    return this.isRunningNow && !this.isHeld
  }

  /**
   * Ends the current turn, if it has inputs. Without effect while a turn is published, or the log is behind: then it ends
   * as soon as possible.
   */
  end(): void {
    if (this.inputs.length > 0 && !this.isRunningNow && !this.log.isFull) this.append()
  }

  /** Ends the current turn, and calls `published` when all inputs so far are settled: perhaps before this returns. */
  settle(published: () => void): void {
    this.end()
    const turn = this.ended + (this.inputs.length > 0 ? 1 : 0)
    if (turn <= this.published) published()
    else this.waiting.push({ turn, published })
  }

  /**
   * Ends the current turn, with or without inputs: what is due expires, and walks continue. Without effect while one is
   * published, or the log is behind.
   * @returns whether nothing is left to do at this time; if not, the next turn is scheduled
   */
  run(): boolean {
    if (this.isRunningNow || this.log.isFull) return false
    const nowAt = this.now()
    const isDue = this.underway.length === 0 && this.ready.length === 0 && this.engine.isDue(nowAt) && this.leads()
    if (this.inputs.length > 0 || isDue) this.append(nowAt)
    else for (const listener of this.listeners) listener(nowAt)
    return !this.isUnderway && this.isComplete
  }

  /** Runs turns at least this often: quotes expire, and walks continue, without inputs too. */
  start(everyMs: number): void {
    this.timer = setInterval(() => this.run(), everyMs)
  }

  stop(): void {
    clearInterval(this.timer)
    clearTimeout(this.walker)
  }

  private get isAtLimit(): boolean {
    return this.inputs.length >= this.limits.turnInputsMax || this.prices >= this.pricesMax
  }

  private append(nowAt = this.now()): void {
    const { inputs, settled } = this
    // The clock of an earlier process may have been ahead.
    this.lastAt = Math.max(nowAt, this.lastAt)
    const { byOurClock, lastAt } = this
    if (byOurClock !== undefined) for (let n = 0; n < inputs.length; n++) inputs[n] = byOurClock(inputs[n]!, lastAt)
    const pending: Pending = { settled, prices: this.prices, isWritten: false, isDone: false }
    this.inputs = []
    this.settled = []
    this.prices = 0
    this.ended++
    this.underway.push(pending)
    try {
      this.log.append({ at: this.lastAt, inputs }, (turn) => {
        pending.isWritten = true
        this.ready.push({ turn, pending, prices: pending.prices })
        this.publishReady()
      })
    } catch (error) {
      // It was written at once: the fault is not the log's.
      if (pending.isWritten) throw error
      this.refuse(pending, error)
    }
  }

  /** The log has no form for a turn, or it is too large: nothing of it is applied. */
  private refuse(pending: Pending, error: unknown): void {
    const refusal = refuse('service_unavailable', `it cannot be recorded: ${(error as Error).message}`)
    for (const settled of pending.settled) settled?.(refusal)
    this.done(pending)
    this.tellPublished()
    if (this.inputs.length > 0) this.schedule()
  }

  private publishReady(): void {
    // A listener may end turns: they follow, within the same time.
    if (this.isPublishing || this.isHeld) return
    this.isPublishing = true
    try {
      while (this.mayPublish) {
        const ready = this.ready.shift()!
        const startedMs = this.elapsedMs()
        this.publish(ready)
        const tookMs = this.elapsedMs() - startedMs
        this.busyMs += tookMs
        if (ready.prices > 0) this.priceMs = tookMs / ready.prices
        this.pace(ready.prices, tookMs)
      }
    } finally {
      this.isPublishing = false
    }
    if (this.ready.length >= this.limits.turnsWaitingMax) this.isCrowded = true
    if (this.busyMs > 0 || (this.ready.length > 0 && this.isDelivering())) this.publishLater()
  }

  /** One that would not end in time, by what the last one has taken, waits, unless it is the first one. */
  private get mayPublish(): boolean {
    const [next] = this.ready
    if (next === undefined || this.isHeld || this.isDelivering()) return false
    if (this.busyMs === 0) return true
    return this.busyMs + next.prices * this.priceMs <= this.limits.turnsMsMax + this.customersMs()
  }

  /** Turns to come end with as many prices as can be published in time, by what the last one has taken. */
  private pace(prices: number, tookMs: number): void {
    const { turnPricesMax, turnBusyMs } = this.limits
    if (tookMs > turnBusyMs && prices > 0) {
      const inTime = (Math.min(prices, this.pricesMax) * turnBusyMs) / tookMs
      this.pricesMax = Math.max(turnPricesMax * PRICES_SHARE_MIN, inTime)
    } else if (prices >= this.pricesMax / 2) {
      this.pricesMax = Math.min(turnPricesMax, this.pricesMax * PRICES_GROWTH)
    }
  }

  /** After a slow write many turns are written at once: between them the sockets are looked at. */
  private publishLater(): void {
    if (this.isLooking) return
    this.isLooking = true
    // The first of both may still be of this iteration of the event loop, before the sockets are looked at.
    setImmediate(() => setImmediate(() => this.publishMore()))
  }

  private publishMore(): void {
    this.isLooking = false
    this.busyMs = 0
    this.publishReady()
    if (!this.isCrowded || this.ready.length > this.limits.turnsWaitingMax / 2) return
    this.isCrowded = false
    this.hasRoom()
  }

  private publish({ turn, pending }: Ready): void {
    const settled = pending?.settled ?? NOBODY_WAITS
    const { engine } = this
    const nowAt = turn.at
    const refusals: (Refusal | undefined)[] = []
    const stored: StoreInput[] = []
    this.isRunningNow = true
    try {
      this.isComplete = applyTurn(engine, turn, (input, place, refusal) => {
        refusals[place] = refusal
        if (input.kind === 'store' && refusal?.field !== 'expects') stored.push(input)
        if (pending === undefined) this.onOthers?.(input)
        this.noteObserved(input, refusal, nowAt)
      })
      this.isHeld = stored.length > 0 && this.onStore !== undefined
      if (!this.isHeld) for (let n = 0; n < settled.length; n++) settled[n]?.(refusals[n])
    } finally {
      if (!this.isHeld) this.conclude(pending)
    }
    if (this.isHeld) void this.hold(pending, nowAt, refusals, stored)
    else this.goOn(nowAt)
  }

  /** Lets the store make its changes, while everything else waits; then the turn is settled. */
  private async hold(
    pending: Pending | undefined,
    nowAt: number,
    refusals: readonly (Refusal | undefined)[],
    stored: readonly StoreInput[],
  ): Promise<void> {
    for (const input of stored) await this.onStore?.(input)
    this.isHeld = false
    try {
      for (const [n, settled] of (pending?.settled ?? NOBODY_WAITS).entries()) settled?.(refusals[n])
    } finally {
      this.conclude(pending)
    }
    this.goOn(nowAt)
    this.publishReady()
    this.hasRoom()
  }

  private conclude(pending: Pending | undefined): void {
    if (pending !== undefined) this.done(pending)
    this.isRunningNow = false
  }

  private done(pending: Pending): void {
    const { underway } = this
    pending.isDone = true
    for (; underway[0]?.isDone === true; underway.shift()) this.published++
  }

  private tellPublished(): void {
    while (this.waiting[0] !== undefined && this.waiting[0].turn <= this.published) this.waiting.shift()!.published()
  }

  private goOn(nowAt: number): void {
    for (const listener of this.listeners) listener(nowAt)
    this.tellPublished()
    this.isBehind = !this.engine.reader.isSettled(nowAt)
    if (this.inputs.length > 0 || this.isBehind) this.schedule()
    else if (!this.isComplete) this.walkLater()
  }

  private noteObserved(input: Input, refusal: Refusal | undefined, nowAt: number): void {
    if (input.kind === 'observe' && refusal?.field !== 'observedAt' && refusal?.field !== 'producer') {
      this.onObserved?.(input.observation, input.producer, nowAt)
    } else if (input.kind === 'commit' && refusal === undefined) {
      for (const observation of input.observations) this.onObserved?.(observation, NO_PRODUCER, nowAt)
    }
  }

  private hasRoom(): void {
    if (this.inputs.length > 0) this.schedule()
    for (const listener of this.roomListeners) listener()
  }

  private walkLater(): void {
    this.walker ??= setTimeout(() => {
      this.walker = undefined
      this.run()
    }, this.limits.walkEveryMs)
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    const run = (): void => {
      this.isScheduled = false
      // While a turn is written the next one gathers: fewer writes, and it ends when that one is published.
      if (this.underway.length > 0) return
      if (this.inputs.length > 0 || this.isBehind) this.run()
    }
    // A full turn in the next iteration, when the sockets have been looked at.
    setImmediate(() => (this.isAtLimit ? setImmediate(run) : run()))
  }
}

const pricesOf = (input: Input): number => {
  if (input.kind === 'observe') return input.observation.prices.length
  return input.kind === 'commit' ? input.observations.reduce((sum, { prices }) => sum + prices.length, 0) : 0
}
