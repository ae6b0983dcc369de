// An engine whose sources are judged as the service does it, each turn: for tests of the board without a supervisor.

import assert from 'node:assert/strict'
import { LIMITS } from '../src/limits.ts'
import type { SourceTerms } from '../src/domain/feed-source.ts'
import type { AddInput, Input } from '../src/domain/input.ts'
import type { Observation } from '../src/domain/observation.ts'
import type { Doubt } from '../src/domain/quote.ts'
import type { Refusal } from '../src/domain/refusal.ts'
import { Engine, type EngineOptions } from '../src/engine/engine.ts'
import { Turns } from '../src/engine/turns.ts'
import { FeedClock, type FeedClockLimits } from '../src/feed/feed-clock.ts'
import { Supervisor, type SupervisorParts } from '../src/feed/supervisor.ts'

export class FedEngine extends Engine {
  readonly clock: FeedClock

  constructor(options: EngineOptions & FeedClockLimits, nowAt: number) {
    super(options, nowAt)
    this.clock = new FeedClock(options)
  }

  /** Returns its number in the clock, which is also that of the source as a producer. */
  addSource(terms: SourceTerms, nowAt: number): number {
    const number = this.clock.addSource(terms, nowAt)
    assert.equal(this.producerNumber(`${number}`), number)
    return number
  }

  /** A part of a source, by its number. */
  addProducer(source: number, name: string): number {
    return this.producerNumber(`${source} ${name}`)
  }

  isWalkingOn(producer: number): boolean {
    return producer !== 0 && this.isWalking(this.board.producers.get(producer).name)
  }

  sourceOf(producer: number): number {
    return this.board.producers.sourceOf(producer)
  }

  expectBookmaker(slug: string, source: number, nowAt: number): void {
    this.clock.expect(slug, source, nowAt)
  }

  hear(source: number, nowAt: number): boolean {
    return this.clock.beat(source, nowAt)
  }

  endSource(source: number, nowAt: number): void {
    this.clock.endSource(source, nowAt)
    for (const { number } of this.producersOf(source)) this.leave(number, nowAt, 'source_down')
  }

  override observe(observation: Observation, nowAt: number, producer = 0, doubt?: Doubt): Refusal | undefined {
    const refusal = super.observe(observation, nowAt, producer, doubt)
    const { bookmaker, observedAt } = observation
    if (refusal?.field !== 'observedAt') this.clock.hear(bookmaker, observedAt, nowAt, this.sourceOf(producer))
    return refusal
  }

  override turn(nowAt: number): boolean {
    const { healths, suspended } = this.clock.look(nowAt)
    for (const health of healths) this.noteHealth(health, nowAt)
    for (const source of suspended) {
      for (const { number } of this.producersOf(source)) this.suspect(number, nowAt, 'source_down')
    }
    return super.turn(nowAt)
  }

  private producersOf(source: number) {
    return [...this.board.producers.all()].filter((producer) => producer.source === source)
  }
}

/** A supervisor on an engine, wired as in the service. @param onInput called with each input; a refusal replaces it */
export const superviseOn = (
  engine: Engine,
  parts: Omit<SupervisorParts, 'engine' | 'add' | 'clock'>,
  onInput: (input: Input) => Refusal | undefined = () => undefined,
): { readonly supervisor: Supervisor; readonly turns: Turns; readonly clock: FeedClock } => {
  const turns = new Turns(engine, { ...LIMITS, walkEveryMs: 0 }, parts.now)
  const clock = new FeedClock({ feedLateMs: 10_000, feedDownMs: 60_000 })
  const add: AddInput = (input, settled) => {
    const refusal = onInput(input)
    if (refusal === undefined) turns.add(input, settled)
    else settled?.(refusal)
  }
  const supervisor = new Supervisor({ ...parts, engine, add, clock })
  turns.onObserved = (observation, producer, nowAt) => supervisor.note(observation, producer, nowAt)
  turns.onEnded((nowAt) => supervisor.judge(nowAt))
  return { supervisor, turns, clock }
}
