// The simulator as a source.

import Type, { type Static } from 'typebox'
import type { Observation } from '../../domain/observation.ts'
import type { Connector, ConnectorContext, Producer } from '../kit/connector.ts'
import type { Planner } from '../kit/planner.ts'
import { COMMON, object, whole } from '../kit/settings.ts'
import type { Source, Start } from '../kit/source.ts'
import { Simulator } from './simulator.ts'

export interface SimulatorSourceOptions {
  /** The same seed gives the same world. */
  readonly seed: number
}

const STEP_MS = 50
const OBSERVATIONS_MAX = 500

export class SimulatorSource implements Connector {
  private readonly context: ConnectorContext
  private readonly producer: Producer
  private readonly simulator: Simulator
  private isStopped = false
  private hasOpened = false
  private readonly waiting: (() => void)[] = []
  private stepping: Promise<void> = Promise.resolve()
  private timer: NodeJS.Timeout | undefined

  constructor({ seed }: SimulatorSourceOptions, context: ConnectorContext) {
    this.context = context
    this.producer = context.producer('world')
    this.simulator = new Simulator({ seed, startAt: context.now() })
    this.step()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    clearTimeout(this.timer)
    await this.stepping
    this.answerWaiting()
  }

  /** Resolves when all due observations were sent: at first the opening prices of all bookmakers. */
  async refresh(): Promise<string | undefined> {
    if (!this.isStopped) await new Promise<void>((resolve) => this.waiting.push(resolve))
    return this.isStopped ? 'it has been stopped' : undefined
  }

  hasDelivered(): boolean {
    return this.hasOpened
  }

  facts(): Readonly<Record<string, string | number | boolean | null>> {
    return {}
  }

  private step(): void {
    this.stepping = this.advance().then((steps) => {
      const isBehind = steps === OBSERVATIONS_MAX
      if (!isBehind) {
        this.hasOpened = true
        this.answerWaiting()
      }
      if (!this.isStopped) this.timer = setTimeout(() => this.step(), isBehind ? 0 : STEP_MS)
    })
  }

  private answerWaiting(): void {
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  private async advance(): Promise<number> {
    const { context, simulator } = this
    const observations: Observation[] = []
    const steps = simulator.advance(context.now(), (observation) => observations.push(observation), OBSERVATIONS_MAX)
    context.alive()
    await this.producer.observe(observations)
    return steps
  }
}

const Settings = object({
  ...COMMON,
  kind: Type.Literal('simulator'),
  seed: whole('the same seed gives the same world', 1, 0),
})

/** A world that begins at its connection. */
export const simulation = (seed: number): Start => ({
  cadence: { beatMs: 0, lateMs: 2_000, downMs: 5_000, suspendMs: 0, behindMsMax: 10_000 },
  connect: (context) => new SimulatorSource({ seed }, context),
})

export const simulatorSource = {
  kinds: {
    simulator: { settings: () => Settings, start: (_: Planner, { seed }: Static<typeof Settings>) => simulation(seed) },
  },
} satisfies Source
