// Producers whose sources nothing keeps up to date: of an earlier process, or of one that has ended, where no process is
// configured to run the source any more. They leave after a while, so that none of their prices stays open.

import { sourceOfProducer } from '../domain/feed-source.ts'
import type { Leases } from './leases.ts'
import type { SourceParts } from './running-source.ts'

export interface OthersParts extends Pick<SourceParts, 'add' | 'engine' | 'now'> {
  /** Names of the producers of an earlier process that have quotes on the board, and when it ended, epoch ms. */
  readonly formers?: Iterable<string>
  readonly formerAt?: number
  /** When those of a source that is no longer configured leave, ms after that. */
  readonly formerMsMax?: number
  /** Whether this process says what holds for all of them; omitted: it is the only one. */
  readonly isLeader?: () => boolean
}

type Parts = OthersParts & { readonly leases: Leases }

export class OthersProducers {
  private readonly parts: Parts
  /** Whether a source has a place in this process. */
  private readonly isPlaced: (source: string) => boolean
  /** Producers of an earlier process, by sources that have not been started since. */
  private readonly formers = new Map<string, readonly string[]>()
  // Where processes share sources: when it was looked, and which sources nobody ran then.
  private lookedAt: number
  private nobodys: ReadonlySet<string> = new Set()
  private isLooking = false

  constructor(parts: Parts, isPlaced: (source: string) => boolean) {
    this.parts = parts
    this.isPlaced = isPlaced
    this.lookedAt = parts.now()
    for (const producer of parts.formers ?? []) {
      const name = sourceOfProducer(producer)
      this.formers.set(name, [...(this.formers.get(name) ?? []), producer])
    }
  }

  /** A source starts here: its producers of an earlier process are its own. */
  takeFormers(source: string): readonly string[] | undefined {
    const formers = this.formers.get(source)
    this.formers.delete(source)
    return formers
  }

  /** Called after each turn, once sources are configured. */
  judge(nowAt: number): void {
    const { leases, isLeader = () => true, formerAt = 0, formerMsMax = 0 } = this.parts
    if (!leases.isShared) {
      if (this.formers.size > 0 && nowAt - formerAt >= formerMsMax) this.leave([...this.formers.values()].flat())
      return
    }
    if (this.isLooking || nowAt - this.lookedAt < formerMsMax) return
    this.lookedAt = nowAt
    if (!isLeader()) {
      this.nobodys = new Set()
      return
    }
    this.isLooking = true
    void this.look().finally(() => {
      this.isLooking = false
    })
  }

  /** Has the producers of sources leave that nobody runs, now and at the last look. */
  private async look(): Promise<void> {
    const bySource = new Map<string, string[]>()
    // Before the leases are asked for: what a free lease is said of has ended.
    for (const { name, isLeft } of this.parts.engine.producers()) {
      const source = sourceOfProducer(name)
      if (isLeft || this.isPlaced(source)) continue
      const known = bySource.get(source)
      if (known === undefined) bySource.set(source, [name])
      else known.push(name)
    }
    // Where it cannot be known, nobody leaves.
    const free = await this.parts.leases.free([...bySource.keys()]).catch((): readonly string[] => [])
    for (const source of free) if (this.nobodys.has(source)) this.leave(bySource.get(source)!)
    this.nobodys = new Set(free)
  }

  private leave(producers: readonly string[]): void {
    for (const producer of producers) this.parts.add({ kind: 'leave', producer, doubt: 'source_down' })
    this.formers.clear()
  }
}
