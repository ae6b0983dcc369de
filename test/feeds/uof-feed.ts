// Sportradar's side of the Unified Odds Feed, from the recording: publishes to a real RabbitMQ, is alive as long as it is
// told to be, answers recoveries with all that it has, and knows the names of the recorded events.

import { fixtureXml, type Recovery, snapshotComplete, StandIn, alive } from '../source/uof/feed-stand-in.ts'
import type { Rabbit } from '../rabbitmq.ts'
import * as clock from '../../src/clock.ts'

const ALIVE_MS = 500

export const UOF_PRODUCTS = [
  { id: 3, name: 'pre' },
  { id: 4, name: 'betpal' },
] as const

export class UofFeed {
  readonly standIn: StandIn
  private readonly messages: () => readonly string[]
  private readonly timer: NodeJS.Timeout
  private isUp = true

  /** @param messages all that there is to say of now */
  static async start(rabbit: Rabbit, messages: () => readonly string[]): Promise<UofFeed> {
    return new UofFeed(await StandIn.start(rabbit), messages)
  }

  private constructor(standIn: StandIn, messages: () => readonly string[]) {
    this.standIn = standIn
    this.messages = messages
    standIn.onRecovery = (recovery) => {
      void this.recover(recovery)
      return [202, '<response response_code="ACCEPTED"/>']
    }
    this.timer = setInterval(() => void this.say(...UOF_PRODUCTS.map(({ id }) => alive(id, clock.now()))), ALIVE_MS)
  }

  /** Names an event. */
  name(id: string, home: string, away: string, kickoffAt: number): void {
    const xml = fixtureXml(id, home, away)
      .replace(/scheduled="[^"]*"/, `scheduled="${new Date(kickoffAt).toISOString()}"`)
      .replace(/name="England" country_code="ENG"/, 'name="International"')
      .replace('Premier League', 'Friendlies')
    this.standIn.fixtures.set(id, () => [200, xml])
  }

  /** Its broker goes away: says nothing until {@link isBack}. */
  isGone(): void {
    this.isUp = false
  }

  async isBack(): Promise<void> {
    await this.standIn.connect()
    this.isUp = true
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    this.isUp = false
    await this.standIn.stop()
  }

  private async recover({ product, requestId, after }: Recovery): Promise<void> {
    const { id } = UOF_PRODUCTS.find(({ name }) => name === product)!
    // Since its last sign of life nothing has changed: only who asks for everything is told everything.
    const own = after === null ? this.messages().filter((message) => message.includes(`product="${id}"`)) : []
    await this.say(...own, snapshotComplete(id, clock.now(), requestId))
  }

  private async say(...messages: readonly string[]): Promise<void> {
    // The channel breaks with its broker; what is said then is lost, as it would be.
    if (this.isUp) await this.standIn.publish(...messages).catch(() => {})
  }
}
