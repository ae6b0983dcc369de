// Redis has begun anew: it was restarted, or a replica has taken over. It may have lost turns that a process has published, or
// the former master may still accept turns of a process that we cannot see. The epoch goes on there where all processes that
// were there say that they are where the log is; where one is missing, another epoch must begin.

import { elapsedMs } from '../clock.ts'
import { LIMITS } from '../limits.ts'
import type { RedisPort, Reply } from '../redis/redis.ts'
import { type Heard, pairsOf, timedOf } from './cluster.ts'
import type { Place } from './stream-join.ts'
import { HOLD, STAND } from './stream-scripts.ts'

export interface StreamHoldOptions {
  readonly redis: RedisPort
  readonly id: string
  /** Where this process is. */
  readonly place: () => Place
  /** Called where not all say so in time. */
  readonly onMissing: (reason: string) => void
}

export class StreamHold {
  private readonly options: StreamHoldOptions
  /** Processes that were there when Redis was last the one of the epoch; undefined: that was never heard. */
  private known: readonly string[] | undefined
  private unheldSinceMs: number | undefined
  private isAsking = false

  constructor(options: StreamHoldOptions) {
    this.options = options
  }

  /** Called with what Redis says. @param isServing whether this process says where it is, and may say that nobody is missing */
  look({ isHeld, members, epoch, position }: Heard, isServing: boolean): void {
    if (isHeld) {
      this.unheldSinceMs = undefined
      // Also those that have been silent for a while: they may be where nobody else is. Who begins has published nothing.
      this.known = members.filter(({ ageMs, peer }) => peer !== '' && ageMs < LIMITS.holdKnownMs).map(({ id }) => id)
      return
    }
    if (!isServing) return
    const own = this.options.place()
    // Another epoch, and a log that has lost turns, are noticed elsewhere.
    if (epoch !== own.epoch || this.isAsking) return
    this.unheldSinceMs ??= elapsedMs()
    this.isAsking = true
    this.ask(own, position)
      .catch(() => undefined)
      .finally(() => (this.isAsking = false))
  }

  private async ask(own: Place, position: number): Promise<void> {
    const { redis, id, onMissing } = this.options
    const [time, all] = (await redis.run(STAND, ['holders'], [id, own.position])) as readonly Reply[]
    const here = new Set<string>()
    for (const [other, text] of pairsOf(all)) {
      const [at, place] = timedOf(text)
      if (Number(time) - at < LIMITS.memberMsMax && Number(place) === position) here.add(other)
    }
    const missing = this.known?.filter((other) => other !== id && !here.has(other))
    if (missing?.length === 0 && own.position === position) {
      await redis.run(HOLD, ['meta', 'holders'], [own.epoch, own.position, own.chain])
    } else if (elapsedMs() - this.unheldSinceMs! >= LIMITS.holdMsMax) {
      onMissing(`Redis has begun anew at turn ${position}, and not all processes say that they are there, too`)
    }
  }
}
