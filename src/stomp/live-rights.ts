// What each key could see at which seq, as sessions need it: the history that the log has (engine/rights.ts), with what
// has happened since and is not applied yet.
//
//   gate ──use, change──┬──▶ here, at once: a SUBSCRIBE of the same turn is answered by it
//                       └──▶ an input of the log ──written, applied──▶ engine.rights, and again after a restart
//
// Where several processes share the log, rights change by changes of their stores, which every process has applied at the same
// turn: the engine knows them from these. Uses of keys at other processes come with their turns.
//
// Both get the same calls in the same order, with the same seqs. An input that is lost with the process is lost for both
// the next time: see Rights.change.

import type { Caller } from '../access/gate.ts'
import type { Input } from '../domain/input.ts'
import { Rights } from '../engine/rights.ts'
import type { Turns } from '../engine/turns.ts'
import type { ReplayRing } from './replay-ring.ts'

export class LiveRights {
  /** What the log will have when all is applied. */
  readonly history: Rights
  private readonly ring: ReplayRing
  private readonly turns: Pick<Turns, 'add'>
  private readonly isShared: boolean
  // Inputs that are not added to the turn yet.
  private inputs: Input[] = []

  /**
   * @param applied what the log has
   * @param wasClosed whether the process before has ended in order: no use of a key was lost with it
   * @param isShared whether several processes share the log
   */
  constructor(applied: Rights, ring: ReplayRing, turns: Pick<Turns, 'add'>, wasClosed = false, isShared = false) {
    this.history = applied.copy()
    this.ring = ring
    this.turns = turns
    this.isShared = isShared
    if (ring.lastSeq === 0) return
    // The log continues. Rights may have changed while there was no process.
    if (!isShared) this.note(null, !wasClosed)
    else if (!wasClosed) this.note([], true)
  }

  /** An input of another process was applied. */
  hear(input: Input): void {
    if (input.kind === 'use') this.history.use(input.key, input.organization, input.audience, input.seq)
    else if (input.kind === 'rights') this.history.change(input.organizations, input.seq, input.isStart)
  }

  /** A key is used for the first time, or for the first time since rights have changed. */
  use({ keyId: key, organization: { id: organization }, audience: { text: audience } }: Caller): void {
    const seq = this.ring.lastSeq
    this.history.use(key, organization, audience, seq)
    this.add({ kind: 'use', key, organization, audience, seq })
  }

  /** Rights may have changed. */
  change(concerned: ReadonlySet<string> | 'all'): void {
    if (this.isShared) {
      this.history.change(concerned === 'all' ? null : [...concerned], this.ring.lastSeq)
      return
    }
    if (concerned === 'all') this.note(null, false)
    else if (concerned.size > 0) this.note([...concerned], false)
  }

  private note(organizations: readonly string[] | null, isStart: boolean): void {
    const seq = this.ring.lastSeq
    this.history.change(organizations, seq, isStart)
    this.add({ kind: 'rights', organizations, seq, isStart })
  }

  /** What a caller that gives a point of the log may have seen there, as {@link Rights.audiencesAt}. */
  audiencesAt(
    { keyId, organization }: Caller,
    seq: number,
    isValid: (key: string) => boolean,
  ): readonly string[] | undefined {
    return this.history.audiencesAt(keyId, organization.id, seq, isValid)
  }

  /**
   * Adds an input to the turn when the current call is over: while all sessions are checked again, no turn may be
   * published to those that are not checked yet.
   */
  private add(input: Input): void {
    this.inputs.push(input)
    if (this.inputs.length > 1) return
    queueMicrotask(() => {
      const { inputs } = this
      this.inputs = []
      for (const each of inputs) this.turns.add(each)
    })
  }
}
