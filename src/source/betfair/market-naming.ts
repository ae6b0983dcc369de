// Sees to it that markets which the stream has only ids of get their names: asks the catalogue beside the stream, a batch at a
// time, and not again and again for what it does not have.

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
  /** Between two questions at least, ms. */
  readonly namesMsMin: number
  /** After which a market is asked for again that the catalogue did not have, and after a fault any. */
  readonly namesAgainMs: number
}

export class Naming {
  private readonly options: NamingOptions
  private nextAt = 0
  /** From when on the catalogue is asked again for a market that it did not have, epoch ms. */
  private readonly againAt = new Map<string, number>()
  private asking: Promise<void> | undefined

  constructor(options: NamingOptions) {
    this.options = options
  }

  /** Resolves when nothing is being asked. */
  async settled(): Promise<void> {
    await this.asking
  }

  /** Whether every market has its names, or the catalogue was asked for them and did not have them. */
  get isDone(): boolean {
    return this.asking === undefined && this.options.unnamed().every((id) => this.againAt.has(id))
  }

  /** To be called now and then: asks if it is time, and nothing is being asked. */
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
