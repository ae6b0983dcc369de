// Turns of the engine that sessions cause: a turn bounds their input, and its RECEIPTs wait for the end of the turn.

import type { Engine } from '../engine/engine.ts'
import type { Carrier } from './carrier.ts'
import type { LiveLimits } from './session-limits.ts'

/** The part of a session that turns use. */
export interface TurnMember {
  readonly carrier: Carrier
  readonly isConnected: boolean
  /** Continues reading, if all received octets are read. */
  readOn(): void
  /** Called when the turn has ended: what waited for that is written. */
  turnEnded(): void
}

export class Turns {
  private readonly engine: Engine
  private readonly limits: LiveLimits
  private readonly now: () => number
  private framesIn = 0
  private bytesIn = 0
  // Sessions with RECEIPTs that wait for the end of the turn, and sessions that read on in the next loop iteration.
  private readonly confirming = new Set<TurnMember>()
  private readonly paused = new Set<TurnMember>()

  constructor(engine: Engine, limits: LiveLimits, now: () => number) {
    this.engine = engine
    this.limits = limits
    this.now = now
  }

  /** Ends the turn, so that all pending changes are in the log. */
  end(): void {
    if (this.engine.isTurnDue || this.confirming.size > 0) this.turn()
  }

  private turn(): void {
    this.engine.turn(this.now())
    this.ended()
  }

  /** Called when a turn has ended, whatever ended it. */
  ended(): void {
    this.framesIn = 0
    this.bytesIn = 0
    if (this.confirming.size === 0) return
    for (const member of this.confirming) member.turnEnded()
    this.confirming.clear()
  }

  /** Counts a SEND; ends the turn at its limit. */
  noteFrame(): void {
    if (++this.framesIn >= this.limits.turnFramesMax) this.turn()
  }

  /** Counts received octets; at the limit the turn ends, and the session that sent them is paused. */
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

  /** Whether a session is paused, to read on later. */
  isPaused(member: TurnMember): boolean {
    return this.paused.has(member)
  }

  /** Registers a session whose {@link TurnMember.turnEnded} is called when the turn has ended. */
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
