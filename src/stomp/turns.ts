// Turns of the engine, as sessions bring them about: what they send is bounded by a turn, and what confirms it waits for
// the end of one.

import type { Engine } from '../engine/engine.ts'
import type { Carrier } from './carrier.ts'
import type { LiveLimits } from './session-limits.ts'

/** A session, as far as it takes part in turns. */
export interface TurnMember {
  readonly carrier: Carrier
  readonly isConnected: boolean
  /** Goes on reading, if all that has come in is read. */
  readOn(): void
  /** The turn has ended: what waited for that may go. */
  turnEnded(): void
}

export class Turns {
  private readonly engine: Engine
  private readonly limits: LiveLimits
  private readonly now: () => number
  private framesIn = 0
  private bytesIn = 0
  // Those that wait for the end of the turn with what they have confirmed, and those that wait for it to read on.
  private readonly confirming = new Set<TurnMember>()
  private readonly paused = new Set<TurnMember>()

  constructor(engine: Engine, limits: LiveLimits, now: () => number) {
    this.engine = engine
    this.limits = limits
    this.now = now
  }

  /** Ends the turn, so that all that has happened is in the log. */
  end(): void {
    if (this.engine.isTurnDue || this.confirming.size > 0) this.turn()
  }

  private turn(): void {
    this.engine.turn(this.now())
    this.ended()
  }

  /** The turn has ended, whoever ended it. */
  ended(): void {
    this.framesIn = 0
    this.bytesIn = 0
    if (this.confirming.size === 0) return
    for (const member of this.confirming) member.turnEnded()
    this.confirming.clear()
  }

  /** Counts a SEND; a turn is bounded. */
  noteFrame(): void {
    if (++this.framesIn >= this.limits.turnFramesMax) this.turn()
  }

  /** Counts octets that came in; past the bound the turn ends, and whoever sent them waits for the next one. */
  noteBytes(member: TurnMember, bytes: number): void {
    this.bytesIn += bytes
    if (this.bytesIn < this.limits.turnBytesMax || !member.isConnected) return
    this.end()
    this.bytesIn = 0
    member.carrier.pauseReading()
    this.paused.add(member)
    if (this.paused.size > 1) return
    setImmediate(() => {
      const members = [...this.paused]
      this.paused.clear()
      for (const each of members) each.readOn()
    })
  }

  /** Whether a session waits for others, and then reads on. */
  isPaused(member: TurnMember): boolean {
    return this.paused.has(member)
  }

  /** Has {@link TurnMember.turnEnded} called when the turn has ended. */
  confirmAtEnd(member: TurnMember): void {
    // A SEND that changes nothing causes no turn, and is confirmed all the same.
    if (this.confirming.size === 0) setImmediate(() => this.end())
    this.confirming.add(member)
  }

  forget(member: TurnMember): void {
    this.confirming.delete(member)
    this.paused.delete(member)
  }
}
