// The simulator as a source.

import type { Observation } from '../../domain/observation.ts'
import type { Connector, ConnectorContext } from '../connector.ts'
import { Simulator } from './simulator.ts'

export interface SimulatorSourceOptions {
  /** The same seed gives the same world. */
  readonly seed: number
}

const STEP_MS = 50
const OBSERVATIONS_MAX = 500

export class SimulatorSource implements Connector {
  private readonly context: ConnectorContext
  private readonly simulator: Simulator
  private isStopped = false
  private stepping: Promise<void> = Promise.resolve()
  private timer: NodeJS.Timeout | undefined

  constructor({ seed }: SimulatorSourceOptions, context: ConnectorContext) {
    this.context = context
    this.simulator = new Simulator({ seed, startAt: context.now() })
    this.step()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    clearTimeout(this.timer)
    await this.stepping
  }

  /** The world has no other state than what it says by itself. */
  async refresh(): Promise<string | undefined> {
    return 'a simulated world cannot be asked for what stands now'
  }

  facts(): Readonly<Record<string, string | number | boolean | null>> {
    return {}
  }

  private step(): void {
    this.stepping = this.advance().then((steps) => {
      if (!this.isStopped) this.timer = setTimeout(() => this.step(), steps === OBSERVATIONS_MAX ? 0 : STEP_MS)
    })
  }

  private async advance(): Promise<number> {
    const { context, simulator } = this
    const observations: Observation[] = []
    const steps = simulator.advance(context.now(), (observation) => observations.push(observation), OBSERVATIONS_MAX)
    context.hear()
    await context.take(observations)
    return steps
  }
}
