// Proposer: brings the changes of a shared store into the log, one at a time: what is made from the same state could not
// both be accepted. Part of the store thread.
//
//   job ──rehearsed──▶ draft ──▶ log ──▶ accepted: the job is done
//    ▲                                └─▶ others were first: it is rehearsed anew
//    └── waits while another one is under way

import type { StoreInput } from '../domain/input.ts'
import { type Draft, newName } from './rehearsal.ts'
import { SHARED_TRIES_MAX } from './shared-records.ts'

/** What became of a change in the log. Late: others have changed the store before. */
export type Verdict = 'accepted' | 'late' | { readonly failed: string }

export interface Job {
  /** Makes the change in a rehearsal. Throws as the store does; undefined: there is nothing to propose. */
  rehearse(): Draft | undefined
  /** It is done. @param isInLog whether it has changed the store, rather than only read it */
  done(isInLog: boolean): void
  fail(error: unknown): void
  /** Its name in the log, where it has one before; such a job is not rehearsed anew. */
  readonly proposal?: string
  /** Others were first, where it is not rehearsed anew. */
  late?(): void
}

/** Jobs that wait. Users of the portal wait for their answers, so there are hardly ever any. */
const WAITING_MAX = 1_000

interface Current {
  readonly job: Job | undefined
  readonly proposal: string
  readonly tries: number
}

export class Proposer {
  private readonly send: (draft: Draft, proposal: string) => void
  private readonly waiting: { readonly job: Job; readonly tries: number }[] = []
  private current: Current | undefined

  constructor(send: (draft: Draft, proposal: string) => void) {
    this.send = send
  }

  /** What only reads is done when this returns. */
  add(job: Job): void {
    if (this.waiting.length >= WAITING_MAX) job.fail(new Error('too many changes of the store wait'))
    else this.start(job, 0)
  }

  private start(job: Job, tries: number): void {
    try {
      const draft = job.rehearse()
      if (draft === undefined) job.done(false)
      else if (draft.isSoft) {
        job.done(false)
        // One that comes while another one is under way comes again.
        if (this.current === undefined) this.propose(undefined, draft, 0)
      } else if (this.current !== undefined) this.waiting.push({ job, tries })
      else this.propose(job, draft, tries)
    } catch (error) {
      job.fail(error)
    }
  }

  private propose(job: Job | undefined, draft: Draft, tries: number): void {
    const proposal = job?.proposal ?? newName()
    this.current = { job, proposal, tries }
    this.send(draft, proposal)
  }

  /** Whether a change that the log has accepted is the one that this process has brought. */
  isOwn({ proposal }: Pick<StoreInput, 'proposal'>): boolean {
    return this.current?.proposal === proposal
  }

  /** The log has said what becomes of a change; perhaps of one that a thread before this one has sent. */
  settle(proposal: string, verdict: Verdict): void {
    const { current } = this
    if (current?.proposal !== proposal) return
    this.current = undefined
    this.conclude(current, verdict)
    for (let next = this.next(); next !== undefined; next = this.next()) this.start(next.job, next.tries)
  }

  private next(): { readonly job: Job; readonly tries: number } | undefined {
    return this.current === undefined ? this.waiting.shift() : undefined
  }

  private conclude({ job, tries }: Current, verdict: Verdict): void {
    if (job === undefined) return
    if (verdict === 'accepted') job.done(true)
    else if (verdict !== 'late') job.fail(new Error(verdict.failed))
    else if (job.late !== undefined) job.late()
    else if (tries + 1 >= SHARED_TRIES_MAX) job.fail(new Error('other processes change the store all the time'))
    else this.waiting.unshift({ job, tries: tries + 1 })
  }
}
