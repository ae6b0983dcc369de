// Gets the names of markets that the stream gives by id only: asks the catalogue beside the stream, a batch at a time,
// and not repeatedly for what it does not have.

import type { MarketNames } from './betfair-market.ts'
import { type CatalogueFault, MARKETS_A_REQUEST } from './market-names.ts'

export interface NamingOptions {
  /** Ids of the markets that need names. */
  readonly unnamed: () => readonly string[]
  readonly ask: (marketIds: readonly string[]) => Promise<ReadonlyMap<string, MarketNames> | CatalogueFault>
  readonly name: (marketId: string, names: MarketNames) => Promise<void>
  readonly onFault: (fault: CatalogueFault) => void
  /** Epoch ms. */
  readonly now: () => number
  /** Least time between two requests, ms. */
  readonly namesMsMin: number
  /** Time after which the catalogue is asked again for a market that it did not have, and after a fault for any, ms. */
  readonly namesAgainMs: number
}

export class Naming {
  private readonly options: NamingOptions
  private nextAt = 0
  /** When the catalogue is asked again for a market that it did not have, epoch ms. */
  private readonly againAt = new Map<string, number>()
  private asking: Promise<void> | undefined

  constructor(options: NamingOptions) {
    this.options = options
  }

  /** Resolves when no request is under way. */
  async settled(): Promise<void> {
    await this.asking
  }

  /** Whether every market has its names, or the catalogue was asked for them and did not have them. */
  get isDone(): boolean {
    return this.asking === undefined && this.options.unnamed().every((id) => this.againAt.has(id))
  }

  /** Asks if it is time and no request is under way. Call it regularly. */
  look(): void {
    const nowAt = this.options.now()
    if (this.asking !== undefined || nowAt < this.nextAt) return
    this.nextAt = nowAt + this.options.namesMsMin
    const unnamed = new Set(this.options.unnamed())
    for (const id of this.againAt.keys()) if (!unnamed.has(id)) this.againAt.delete(id)
    const isDue = (id: string): boolean => nowAt >= (this.againAt.get(id) ?? 0)
    const batch = [...unnamed].filter(isDue).slice(0, MARKETS_A_REQUEST)
    if (batch.length > 0) {
      this.asking = this.ask(batch)
        .catch((error: unknown) => {
          this.options.onFault({ fault: `markets cannot be named: ${String(error)}`, isSessionOver: false })
        })
        .then(() => {
          this.asking = undefined
        })
    }
  }

  private async ask(batch: readonly string[]): Promise<void> {
    const { ask, name, now, namesAgainMs, onFault } = this.options
    const answer = await ask(batch)
    const againAt = now() + namesAgainMs
    if ('fault' in answer) {
      this.nextAt = againAt
      onFault(answer)
      return
    }
    for (const id of batch) {
      const names = answer.get(id)
      if (names === undefined) this.againAt.set(id, againAt)
      else await name(id, names)
    }
  }
}
