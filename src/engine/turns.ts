// Turns: inputs are gathered, applied together in their order, and published. Between two turns nothing changes what
// readers see. This is the only place that schedules, bounds and ends a turn.

import { NO_PRODUCER } from '../domain/feed-source.ts'
import type { Input, Settled } from '../domain/input.ts'
import type { Observation } from '../domain/observation.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Engine } from './engine.ts'
import { applyInput } from './inputs.ts'

export interface TurnLimits {
  /** Inputs of one turn: with as many, it ends at once. */
  readonly turnInputsMax: number
  /** Prices of one turn, but for those of its last input. */
  readonly turnPricesMax: number
  /** Walks continue at most this often, ms. */
  readonly walkEveryMs: number
}

export class Turns {
  /** Called with each observation whose time is not ahead of the clock, whatever became of its prices. */
  onObserved: ((observation: Observation, producer: number, nowAt: number) => void) | undefined
  private readonly engine: Engine
  private readonly limits: TurnLimits
  private readonly now: () => number
  private readonly listeners: ((nowAt: number) => void)[] = []
  private inputs: Input[] = []
  // By input.
  private settled: (Settled | undefined)[] = []
  private prices = 0
  private isScheduled = false
  private isRunningNow = false
  private timer: NodeJS.Timeout | undefined
  private walker: NodeJS.Timeout | undefined
  private walkedAt = Number.NEGATIVE_INFINITY

  /** @param now the clock, epoch ms: read once a turn */
  constructor(engine: Engine, limits: TurnLimits, now: () => number) {
    this.engine = engine
    this.limits = limits
    this.now = now
  }

  /** Calls `listener` when a turn was published and its inputs are settled. It may add inputs and end turns. */
  onEnded(listener: (nowAt: number) => void): void {
    this.listeners.push(listener)
  }

  /** Adds an input to the current turn, which ends in this iteration of the event loop, or at its limits. */
  add(input: Input, settled?: Settled): void {
    this.inputs.push(input)
    this.settled.push(settled)
    this.prices += pricesOf(input)
    const { turnInputsMax, turnPricesMax } = this.limits
    if (!this.isRunningNow && (this.inputs.length >= turnInputsMax || this.prices >= turnPricesMax)) this.run()
    else this.schedule()
  }

  /** Whether a turn is applied, published or settled now. */
  get isRunning(): boolean {
    return this.isRunningNow
  }

  /** Ends the current turn, if it has inputs. Without effect while a turn is published. */
  end(): void {
    if (this.inputs.length > 0) this.run()
  }

  /**
   * Runs a turn, with or without inputs: what is due expires, and walks continue. Without effect while one runs.
   * @returns whether nothing is left to do at this time; if not, the next turn is scheduled
   */
  run(): boolean {
    if (this.isRunningNow) return false
    const nowAt = this.now()
    const { engine, inputs, settled } = this
    this.inputs = []
    this.settled = []
    this.prices = 0
    this.isRunningNow = true
    let isComplete = false
    try {
      const refusals: (Refusal | undefined)[] = []
      for (const input of inputs) refusals.push(this.apply(input, nowAt))
      isComplete = engine.turn(nowAt, this.mayWalk(nowAt))
      for (let n = 0; n < settled.length; n++) settled[n]?.(refusals[n])
    } finally {
      this.isRunningNow = false
    }
    for (const listener of this.listeners) listener(nowAt)
    if (this.inputs.length > 0 || !engine.reader.isSettled(nowAt)) this.schedule()
    else if (!isComplete) this.walkLater()
    return isComplete && this.inputs.length === 0
  }

  /** By the times of turns alone: subscribers have to read what walks change, so they have a pace. */
  private mayWalk(nowAt: number): boolean {
    const passedMs = nowAt - this.walkedAt
    const isDue = passedMs >= this.limits.walkEveryMs || passedMs < 0
    if (isDue) this.walkedAt = nowAt
    return isDue
  }

  private walkLater(): void {
    this.walker ??= setTimeout(() => {
      this.walker = undefined
      this.run()
    }, this.limits.walkEveryMs)
  }

  /** Runs turns at least this often: quotes expire, and walks continue, without inputs too. */
  start(everyMs: number): void {
    this.timer = setInterval(() => this.run(), everyMs)
  }

  stop(): void {
    clearInterval(this.timer)
    clearTimeout(this.walker)
  }

  private apply(input: Input, nowAt: number): Refusal | undefined {
    const refusal = applyInput(this.engine, input, nowAt)
    if (input.kind === 'observe' && refusal?.field !== 'observedAt') {
      this.onObserved?.(input.observation, input.producer, nowAt)
    } else if (input.kind === 'commit' && refusal === undefined) {
      for (const observation of input.observations) this.onObserved?.(observation, NO_PRODUCER, nowAt)
    }
    return refusal
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.run()
    })
  }
}

const pricesOf = (input: Input): number => {
  if (input.kind === 'observe') return input.observation.prices.length
  return input.kind === 'commit' ? input.observations.reduce((sum, { prices }) => sum + prices.length, 0) : 0
}
