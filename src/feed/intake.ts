// The intake: the way of all sources into the engine. Each source has a lane with its own budget; a source that sends
// more waits in its lane, and does not delay the others.

import type { Observation } from '../domain/observation.ts'

export interface IntakeParts {
  /** Whether the engine can take more just now; left out: always. See {@link Intake.resume}. */
  readonly isFull?: () => boolean
  /** A monotonic clock, ms. */
  readonly elapsedMs: () => number
}

/** How much a source may send. */
export interface Budget {
  /** Prices a second, on average. */
  readonly pricesPerSecond: number
  /** The size of a burst, in prices. */
  readonly pricesBurst: number
}

/** Prices of a lane before the next lane is served: half a millisecond of the engine's time. */
const SLICE_PRICES = 1_000

export type Observe = (observation: Observation) => void

interface Batch {
  readonly observations: Iterator<Observation>
  readonly observe: Observe
  /** Read from the iterator already, and not passed on yet. */
  next: IteratorYieldResult<Observation> | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The way of one source into the engine. */
export class Lane {
  /** Observations and prices passed on. */
  observations = 0
  prices = 0
  /** How long batches have waited for the budget, ms. */
  throttledMs = 0
  private readonly budget: Budget
  private readonly intake: Intake
  private readonly batches: Batch[] = []
  private tokens: number
  private refilledMs: number
  private isClosed = false
  private timer: NodeJS.Timeout | undefined

  constructor(intake: Intake, budget: Budget) {
    this.intake = intake
    this.budget = budget
    this.tokens = budget.pricesBurst
    this.refilledMs = intake.parts.elapsedMs()
  }

  /**
   * Passes observations on, in order. Resolves when all of them are on the board; a source must not read on until then.
   * The iterator is advanced only when there is capacity. Rejects when the iterator throws: that ends this batch, not
   * others.
   */
  push(observations: Iterable<Observation>, observe: Observe): Promise<void> {
    return this.add(observations[Symbol.iterator](), observe)
  }

  /** Runs a function after all earlier batches. It costs nothing of the budget. */
  act(work: () => void): Promise<void> {
    const next = (): IteratorReturnResult<undefined> => {
      work()
      return { done: true, value: undefined }
    }
    return this.add({ next }, () => {})
  }

  private add(observations: Iterator<Observation>, observe: Observe): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.batches.push({ observations, observe, next: undefined, resolve, reject })
      // Mostly nothing waits, and the first slice is all.
      if (this.batches.length === 1 && !this.intake.isFull) this.slice()
      if (this.batches.length > 0) this.intake.schedule(this)
    })
  }

  /** Drops what waits, and all later batches. */
  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    for (const { resolve } of this.batches.splice(0)) resolve()
  }

  /** Schedules the lane again when the budget has recovered. */
  waitFor(ms: number): void {
    if (this.timer !== undefined || this.isClosed) return
    const startedMs = this.intake.parts.elapsedMs()
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.throttledMs += this.intake.parts.elapsedMs() - startedMs
      this.intake.schedule(this)
    }, ms)
  }

  get isWaiting(): boolean {
    return this.batches.length > 0
  }

  /**
   * Passes on as much as a slice and the budget allow.
   * @returns how long the lane has to wait for its budget, ms; 0: it does not
   */
  slice(): number {
    this.refill()
    let left = SLICE_PRICES
    while (this.batches.length > 0 && left > 0) {
      const batch = this.batches[0]!
      // One ahead: a batch without more observations is done, whatever the budget.
      const step = batch.next ?? this.nextOf(batch)
      if (step === undefined) continue
      batch.next = step
      if (this.tokens <= 0) {
        return Math.max(1, Math.ceil((-this.tokens * 1_000) / this.budget.pricesPerSecond))
      }
      batch.next = undefined
      const { length } = step.value.prices
      const cost = Math.max(1, length)
      left -= cost
      this.tokens -= cost
      this.observations++
      this.prices += length
      batch.observe(step.value)
    }
    return 0
  }

  /** The next step of a batch; undefined: it is done, and was removed. */
  private nextOf(batch: Batch): IteratorYieldResult<Observation> | undefined {
    try {
      const step = batch.observations.next()
      if (step.done !== true) return step
      batch.resolve()
    } catch (error) {
      batch.reject(error)
    }
    this.batches.shift()
    return undefined
  }

  private refill(): void {
    const { pricesPerSecond, pricesBurst } = this.budget
    const nowMs = this.intake.parts.elapsedMs()
    this.tokens = Math.min(pricesBurst, this.tokens + ((nowMs - this.refilledMs) * pricesPerSecond) / 1_000)
    this.refilledMs = nowMs
  }
}

export class Intake {
  readonly parts: IntakeParts
  // Lanes with pending batches, in the order in which they are served.
  private readonly waiting = new Set<Lane>()
  private isDue = false

  constructor(parts: IntakeParts) {
    this.parts = parts
  }

  newLane(budget: Budget): Lane {
    return new Lane(this, budget)
  }

  /** Serves a lane until it is empty. */
  schedule(lane: Lane): void {
    if (!lane.isWaiting) return
    this.waiting.add(lane)
    this.plan()
  }

  get isFull(): boolean {
    return this.parts.isFull?.() === true
  }

  /** Serves the lanes again: the engine can take more. */
  resume(): void {
    if (this.waiting.size > 0) this.plan()
  }

  private plan(): void {
    if (this.isDue) return
    this.isDue = true
    setImmediate(() => this.round())
  }

  private round(): void {
    this.isDue = false
    if (this.isFull) return
    for (const lane of [...this.waiting]) {
      this.waiting.delete(lane)
      if (!lane.isWaiting) continue
      const waitMs = lane.slice()
      if (waitMs > 0) lane.waitFor(waitMs)
      else this.schedule(lane)
    }
  }
}
