// What each key could see at which seq of the log: who comes back with a point of the log may know more or less by then
// than he may see now.

import type { Caller } from '../access/gate.ts'
import type { Audience } from '../domain/audience.ts'
import { isRefusal, type Refusal } from '../domain/refusal.ts'

interface Right {
  readonly audience: Audience
  /** Of the last change of the log before it held. */
  readonly afterSeq: number
}

/** Changes remembered of a key; who was away for more of them begins anew. */
const CHANGES_KEPT = 8
/** Keys remembered. Past it the one that came first is forgotten, and begins anew, too. */
const KEYS_KEPT = 10_000

export class RightsLog {
  // By key, the oldest right first. The first one holds from the beginning of the log, until keys have to be forgotten.
  private readonly keys = new Map<string, Right[]>()
  private isForgetful = false

  /** Begins to remember a key. @param seq of the log by now */
  meet({ keyId, audience }: Caller, seq: number): void {
    if (this.keys.has(keyId)) return
    // Whether it was here before is not known any more.
    const afterSeq = this.isForgetful ? seq : -1
    this.keys.set(keyId, [{ audience, afterSeq }])
    if (this.keys.size <= KEYS_KEPT) return
    this.isForgetful = true
    for (const first of this.keys.keys()) {
      this.keys.delete(first)
      return
    }
  }

  /** Rights may have changed at a seq. */
  note(callerOf: (keyId: string) => Caller | Refusal, seq: number): void {
    for (const [keyId, rights] of this.keys) {
      const caller = callerOf(keyId)
      // A key that is refused now may hold again tomorrow: an expiry is moved, a plan gets live back.
      if (isRefusal(caller) || caller.audience === rights.at(-1)!.audience) continue
      rights.push({ audience: caller.audience, afterSeq: seq })
      if (rights.length > CHANGES_KEPT) rights.shift()
    }
  }

  /** What a key saw at a seq: all of it, where rights changed at that very seq. Undefined: not known any more. */
  audiencesAt({ keyId, audience }: Caller, seq: number): readonly Audience[] | undefined {
    const rights = this.keys.get(keyId)
    if (rights === undefined) return [audience]
    if (rights[0]!.afterSeq > seq) return undefined
    return rights
      .filter(
        (right, place) => right.afterSeq <= seq && seq <= (rights[place + 1]?.afterSeq ?? Number.POSITIVE_INFINITY),
      )
      .map((right) => right.audience)
  }
}
