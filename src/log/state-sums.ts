// Whether the processes that share a log have the same state: each reports checksums of it, in the log itself. Who is not with
// more than half of them does not know what is right, and must not go on.

import { LIMITS } from '../limits.ts'

export interface StateSumsOptions {
  /** Of this process. */
  readonly process: string
  /** How many processes report. */
  readonly reporting: () => number
  /** Called once, with what differs, in words. */
  readonly onDiffer: (reason: string) => void
}

export class StateSums {
  /** Rounds in which all were equal. */
  equal = 0
  private readonly options: StateSumsOptions
  /** By turn, then by process. */
  private readonly rounds = new Map<number, Map<string, number>>()
  private hasDiffered = false

  constructor(options: StateSumsOptions) {
    this.options = options
  }

  /** Called with each checksum of the log, in its order. */
  note(process: string, turn: number, sum: number): void {
    const round = this.rounds.get(turn) ?? new Map<string, number>()
    round.set(process, sum)
    this.rounds.set(turn, round)
    if (this.rounds.size > LIMITS.checksumRounds) this.rounds.delete(this.rounds.keys().next().value!)
    const own = round.get(this.options.process)
    if (own === undefined || round.size < 2 || round.size < this.options.reporting() || this.hasDiffered) return
    const same = [...round.values()].filter((each) => each === own).length
    if (same === round.size) this.equal++
    if (same * 2 > round.size) return
    this.hasDiffered = true
    this.options.onDiffer(`the state after turn ${turn} is that of ${same} of ${round.size} processes`)
  }
}
