// The store's own thread in the server: everything that waits for the disk runs here. See store-messages.ts.

import { parentPort, workerData } from 'node:worker_threads'
import type { StoreInput, StoreMark } from '../domain/input.ts'
import { isFault, messageOf } from './fault.ts'
import { holderOf } from './holder.ts'
import { discardPreparedLoss, forgetLoss, isLossRecorded, prepareLoss, recordLoss, unknownLoss } from './loss.ts'
import { CheckSchedule } from './store-check.ts'
import { closeDescriptors, damage, type FileFault, FileWatch, isLogIntact, reasonOf, storePath } from './store-file.ts'
import type { Glance } from './store-glance.ts'
import {
  type FromThread,
  type Outage,
  PULSE,
  type Standing,
  type StoreHealth,
  type Task,
  type ThreadData,
  type ToThread,
} from './store-messages.ts'
import { performPortal } from './portal-work.ts'
import { type Job, Proposer } from './proposer.ts'
import type { Outcome, Proposal } from './shared-records.ts'
import { isBusy, isDamage, isDiskFault, isUnreadable } from './database-faults.ts'
import { copyStore } from './store-copy.ts'
import { Store } from './store.ts'
import { WriteHealth } from './write-health.ts'

/** How often the store is checked for writes of commands. */
const POLL_MS = 50

/**
 * Polls in a row that look fully at the same files: only then do the times of their last changes lie so far back that each
 * later change has another one.
 */
const SAME_POLLS = 2

/** Polls after which one looks fully, whatever the files show. */
const FULL_POLLS = 20

/** Short, because revocations wait meanwhile; a caller that finds the store busy asks again. */
const BUSY_MS = 100

/** How long the start waits for a command that is creating the store. */
const OPEN_WAIT_MS = 5_000

/** How long reopening waits: tasks fail after that, so that polls are never late for long. */
const REOPEN_WAIT_MS = 100

/** Requests to verify are answered before, or never. */
const LAPSE_MS = 3_600_000

// A thread that was begun early is told later what to open.
const data = ((workerData as ThreadData | undefined) ??
  (await new Promise((resolve) => parentPort!.once('message', resolve)))) as ThreadData

type StoreTask = Exclude<Task, { readonly task: 'close' | 'copy' }>

/** Tasks that are about this process, or the log, where the store is shared. */
const OWN_TASKS: readonly Task['task'][] = ['reserve', 'release', 'last-verifications', 'make', 'compare']

/** Tasks that change what main must know. */
const CHANGES: readonly Task['task'][] = ['import-coverage', 'remove-due', 'record-verification', 'portal', 'demo-key']

const send = (message: FromThread): void => parentPort!.postMessage(message)

/** Serves the store to the thread's parent. */
class StoreThread {
  /** Undefined after a failure, until it is reopened. */
  private store: Store | undefined
  private readonly generation: string
  private versionSeen = -1
  private sentAuditId: number
  /** What main has confirmed, and what of that is recorded. */
  private appliedAuditId = 0
  private recordedAuditId = 0
  private watch: FileWatch
  /** Whether the header of the database says that it is in use. */
  private isMarked = false
  /** Why the content of the store is no longer valid, until the process ends. */
  private damage: FileFault | undefined
  private readonly writing = new WriteHealth()
  private readonly checks = new CheckSchedule()
  /** Whether we may have changed the files since the last poll. */
  private isChangeOurs = true
  /** What the files showed at the last full look, how many in a row have seen that, and how many polls have relied on it. */
  private seen: Glance | undefined
  private samePolls = 0
  private knownPolls = 0
  private isLossRecorded = false
  private reported: StoreHealth = { misplaced: undefined, unwritable: undefined }
  private readonly proposer = new Proposer((draft, proposal) => send({ kind: 'propose', draft, proposal }))
  /** Changes of commands that are under way, by their names. */
  private readonly taken = new Set<string>()
  private readonly timer = setInterval(() => this.poll(), POLL_MS)

  constructor(store: Store, watch: FileWatch, auditId: number) {
    this.store = store
    this.generation = store.state().generation
    this.watch = watch
    this.sentAuditId = auditId
    // Only after a check of the files: another server may have acquired the folder since they were opened.
    if (this.misplaced() === undefined) {
      this.tryWriting()
      this.prepareLoss()
    }
    parentPort!.on('message', (message: ToThread) => this.receive(message))
  }

  private receive(message: ToThread): void {
    if (message.task === 'applied') {
      this.appliedAuditId = message.auditId
      this.recordApplied()
      return
    }
    if (message.task === 'settled') return this.proposer.settle(message.proposal, message.verdict)
    if (message.task === 'confirmed') return this.conclude(message.proposal, unconfirmedBy(message.detail))
    const { number } = message
    if (message.task === 'copy') {
      void this.copy(message.file).then(
        (result) => send({ kind: 'done', number, result, isInLog: false }),
        (error) => this.fail(number, error),
      )
      return
    }
    if (data.shared !== undefined && message.task !== 'close' && !OWN_TASKS.includes(message.task)) {
      return this.proposer.add(this.jobOf(message, number))
    }
    try {
      const result = message.task === 'close' ? this.close() : this.performInPlace(message)
      send({ kind: 'done', number, result, isInLog: false })
    } catch (error) {
      this.fail(number, error)
    }
    if (message.task === 'close') {
      clearInterval(this.timer)
      parentPort!.close()
    }
  }

  private async copy(file: string): Promise<StoreMark> {
    this.checkPlace()
    return await copyStore(data.dataDir, file)
  }

  private fail(number: number, error: unknown): void {
    // The write may have succeeded; the next poll finds out.
    this.versionSeen = -1
    this.noteFailure(error)
    send({ kind: 'failed', number, message: messageOf(error), busy: isBusy(error) })
  }

  /** A task that may change what other processes must know. */
  private jobOf(task: StoreTask, number: number): Job {
    const isWaitedFor = task.task === 'portal' && task.work.kind !== 'note-use'
    // A key that is revoked already may not be revoked everywhere.
    const isRevocation = task.task === 'portal' && task.work.kind === 'revoke-key'
    let result: unknown
    return {
      rehearse: () => {
        this.checkPlace()
        const rehearsed = this.use((store) => store.sharing.rehearse(() => this.perform(store, task)))
        result = rehearsed.result
        return rehearsed.draft
      },
      done: (isInLog) => send({ kind: 'done', number, result, isInLog: isRevocation || (isInLog && isWaitedFor) }),
      fail: (error) => this.fail(number, error),
    }
  }

  // --- changes of commands, where the store is shared

  /** Brings what commands have proposed since into the log. */
  private takeProposals(store: Store): void {
    for (const proposal of store.shared.proposals()) {
      if (this.taken.has(proposal.id)) continue
      this.taken.add(proposal.id)
      this.proposer.add(this.jobOfCommand(proposal))
    }
  }

  private jobOfCommand({ id, draft }: Proposal): Job {
    const isMade = (): boolean => this.use((store) => store.shared.has({ proposal: id, version: draft.version }))
    const late = (): void => {
      // A thread before this one may have brought it into the log.
      if (isMade()) send({ kind: 'confirm', proposal: id })
      else this.conclude(id, { outcome: 'again', detail: '' })
    }
    return {
      proposal: id,
      // One without statements changes nothing: it only has to hold everywhere.
      rehearse: () => (draft.statements.length === 0 ? undefined : draft),
      done: () => send({ kind: 'confirm', proposal: id }),
      late,
      fail: (error) => this.conclude(id, { outcome: 'failed', detail: `not done: ${messageOf(error)}` }),
    }
  }

  /** Where it cannot be written, the command has its own deadline. */
  private conclude(proposal: string, outcome: Outcome): void {
    try {
      this.change((store) => store.shared.conclude(proposal, outcome))
    } catch (error) {
      // It is found again.
      this.versionSeen = -1
      this.noteFailure(error)
    }
    this.taken.delete(proposal)
  }

  /**
   * Nothing is recorded in a file that is no longer the store, and what another process has stored meanwhile is not
   * overwritten.
   */
  private performInPlace(task: StoreTask): unknown {
    this.checkPlace()
    const result = this.change((store) => {
      const done = this.perform(store, task)
      if (CHANGES.includes(task.task)) this.sendChanges(store)
      return done
    })
    this.checkPlace()
    if (task.task !== 'last-verifications' && task.task !== 'portal') this.writing.worked()
    return result
  }

  private checkPlace(): void {
    const misplaced = this.misplaced()
    if (misplaced !== undefined) throw new Error(misplaced.reason)
  }

  private perform(store: Store, task: StoreTask): unknown {
    switch (task.task) {
      case 'reserve':
        return store.usage.reserve(task.wants)
      case 'release':
        return store.usage.release(task.leftovers)
      case 'import-coverage':
        // Every process imports the same at its start.
        if (data.shared !== undefined && store.coverage.isImported(task.bookmakers)) return undefined
        store.coverage.import(task.bookmakers, task.at, true)
        return undefined
      case 'remove-due':
        if (data.shared !== undefined) store.verification.lapse(task.at - LAPSE_MS)
        store.coverage.removeDue(task.at)
        return undefined
      case 'record-verification':
        return store.verification.record(task.run, task.policy, task.request, task.at)
      case 'finish-request':
        return store.verification.finish(task.id, task.detail)
      case 'last-verifications':
        return store.verification.last()
      case 'portal':
        return performPortal(store, task.work)
      case 'demo-key':
        return store.accounts.createDemoKey(task.at)
      case 'make': {
        const made = store.sharing.make(task.input)
        if (made === 'made') this.sendChanges(store, this.proposer.isOwn(task.input))
        return made
      }
      case 'compare':
        return standingOf(store, task)
    }
  }

  /**
   * Looks for changes of commands, records what main has applied, and reports the state of the store. A glance at the files
   * suffices while it shows what it showed when all was well: a full look has some thirty calls to the system, and their cold
   * caches took a hundredth of a processor that serves requests.
   */
  private poll(): void {
    Atomics.add(data.pulse, PULSE.polls, 1)
    // First: what changes while we look shows in the next one.
    const glance = this.glance()
    if (this.isKnown(glance)) {
      this.knownPolls++
      Atomics.add(data.pulse, PULSE.beats, 1)
      this.keepUp(glance)
      this.report({ misplaced: undefined, unwritable: this.writing.problem })
      return
    }
    const misplaced = this.misplaced()
    const unrecorded = this.recordLoss(misplaced?.isLost === true)
    // A file that is no longer the store says nothing about access rights.
    const isSeen = misplaced === undefined && this.look()
    this.note(isSeen ? glance : undefined)
    if (misplaced === undefined) this.keepUp(glance)
    const stated =
      misplaced === undefined || unrecorded === undefined
        ? misplaced
        : { ...misplaced, reason: `${misplaced.reason}; the next start cannot know it (${unrecorded})` }
    this.report({ misplaced: stated, unwritable: this.writing.problem })
  }

  /** Whether a full look would find what the last one has found: that all is well, and nothing new. */
  private isKnown(glance: Glance | undefined): glance is Glance {
    if (glance === undefined || glance !== this.seen || this.samePolls < SAME_POLLS) return false
    const isWell = this.damage === undefined && this.store !== undefined && this.versionSeen !== -1
    return isWell && !this.isLossRecorded && this.knownPolls < FULL_POLLS - 1
  }

  /** A full look has found what it can find of these files; undefined: it has not. */
  private note(glance: Glance | undefined): void {
    this.samePolls = glance === this.seen ? this.samePolls + 1 : 1
    this.seen = glance
    this.knownPolls = 0
  }

  /** What a poll does besides looking. */
  private keepUp(glance: Glance | undefined): void {
    if (glance !== undefined && this.checks.poll(glance, glance.bytes, this.isChangeOurs)) this.check()
    this.isChangeOurs = false
    this.recordApplied()
    if (this.writing.poll(!this.isMarked)) this.tryWriting()
  }

  /** @returns whether all changes are seen */
  private look(): boolean {
    try {
      this.use((store) => {
        const version = store.dataVersion()
        if (version === this.versionSeen) return
        this.sendChanges(store)
        if (data.shared !== undefined) this.takeProposals(store)
        this.versionSeen = version
      })
      Atomics.store(data.pulse, PULSE.failures, 0)
      Atomics.add(data.pulse, PULSE.beats, 1)
      return true
    } catch (error) {
      Atomics.add(data.pulse, PULSE.failures, 1)
      // A store that cannot be read is reopened: it is enough that the disk returns. A failed write is no reason:
      // opening writes, too, and revocations must be seen even while nothing can be recorded.
      if (isDamage(error) || isUnreadable(error)) this.abandon(error)
      else if (!isBusy(error)) this.close()
      return false
    }
  }

  /** Undefined where the state of the files cannot be determined, or means nothing yet. */
  private glance(): Glance | undefined {
    try {
      return this.isMarked ? this.watch.glance() : undefined
    } catch {
      return undefined
    }
  }

  /** Reads all of it: pages that nothing reads may be damaged, too. */
  private check(): void {
    const { store } = this
    if (store === undefined) return
    try {
      const path = storePath(data.dataDir)
      if (!isLogIntact(data.dataDir)) this.damage ??= damage(`${path}-wal`, 'damaged')
      else if (!store.isSound(this.sentAuditId)) this.damage ??= damage(path, 'damaged')
    } catch (error) {
      this.noteFailure(error)
    }
  }

  private report(health: StoreHealth): void {
    const { misplaced, unwritable } = this.reported
    const isSamePlace = health.misplaced?.reason === misplaced?.reason && health.misplaced?.isLost === misplaced?.isLost
    if (isSamePlace && health.unwritable === unwritable) return
    this.reported = health
    send({ kind: 'health', health })
  }

  /** Why the open files are no longer the store; undefined: they are. */
  private misplaced(): Outage | undefined {
    try {
      const fault = this.lossNow()
      return fault && { reason: reasonOf(fault), isLost: true }
    } catch (error) {
      // The files cannot be examined: nothing is known of them.
      return { reason: messageOf(error), isLost: false }
    }
  }

  private lossNow(): FileFault | undefined {
    return this.damage ?? this.watch.fault(this.isMarked, this.store !== undefined)
  }

  private prepareLoss(): void {
    try {
      prepareLoss(data.dataDir, unknownLoss(storePath(data.dataDir), 'lost'))
    } catch {
      // A write that fails now may succeed when there is a loss to record.
    }
  }

  /**
   * Records a loss, so that commands and the next start know it, however this process ends.
   * @returns why it cannot be recorded; undefined: it is
   */
  private recordLoss(isLost: boolean): string | undefined {
    // The folder of another server says nothing about our store.
    if (holderOf(data.dataDir)?.pid !== process.pid) return undefined
    try {
      const isRecorded = this.isLossRecorded && isLossRecorded(data.dataDir)
      if (isLost === isRecorded && isLost === this.isLossRecorded) return undefined
      const fault = isLost ? this.lossNow() : undefined
      if (fault === undefined) forgetLoss(data.dataDir)
      else {
        const { generation, sentAuditId: auditId } = this
        recordLoss(data.dataDir, { ...fault, store: this.watch.storeId, generation, auditId })
      }
      this.isLossRecorded = fault !== undefined
      return undefined
    } catch (error) {
      // Tried again with the next poll.
      return messageOf(error)
    }
  }

  private tryWriting(): void {
    try {
      this.change((store) => {
        if (this.isMarked) store.tryWriting()
        else this.isMarked = store.beginUse(data.run)
      })
      this.writing.worked()
    } catch (error) {
      this.noteFailure(error)
    }
  }

  private noteFailure(error: unknown): void {
    if (isBusy(error)) this.writing.failed('another process keeps the database locked', true)
    else if (isDamage(error) || isUnreadable(error)) this.abandon(error)
    else if (isDiskFault(error)) this.writing.failed(messageOf(error), false)
  }

  /**
   * Closes a store that cannot be read, and leaves its files as they are. A damaged store stays open until the process
   * ends, though nothing uses it: a command that finds it is then not the last one to close it, and neither checkpoints
   * nor deletes the log.
   */
  private abandon(error: unknown): void {
    if (isDamage(error)) {
      this.damage ??= damage(storePath(data.dataDir), `damaged (${messageOf(error)})`)
      return
    }
    try {
      this.store?.abandon()
    } finally {
      this.store = undefined
    }
  }

  /** @param isOwn whether this process verifies what is requested */
  private sendChanges(store: Store, isOwn = data.shared === undefined): void {
    const changes = store.changesSince(this.sentAuditId)
    if (changes === undefined) return
    send({ kind: 'changed', changes: isOwn ? changes : { ...changes, requests: [] } })
    this.sentAuditId = changes.auditId
  }

  /** Tried again with the next poll when it fails; the command that waits for it has its own deadline. */
  private recordApplied(): void {
    if (this.appliedAuditId === this.recordedAuditId || this.misplaced() !== undefined) return
    try {
      this.change((store) => store.setApplied(this.appliedAuditId))
      this.recordedAuditId = this.appliedAuditId
      this.writing.worked()
    } catch (error) {
      this.noteFailure(error)
    }
  }

  /** Uses the store for a write. */
  private change<T>(work: (store: Store) => T): T {
    this.isChangeOurs = true
    return this.use(work)
  }

  private use<T>(work: (store: Store) => T): T {
    if (this.store === undefined) {
      this.isChangeOurs = true
      const resumes = { store: this.watch.storeId, lock: data.lockId }
      const opened = Store.open(data.dataDir, { ...OPENING, waitMs: REOPEN_WAIT_MS, resumes })
      if (isFault(opened)) {
        if (opened.lost === 'damaged') this.damage ??= damage(storePath(data.dataDir), 'damaged')
        throw new Error(opened.fault)
      }
      if (data.shared !== undefined) opened.sharing.begin()
      this.store = opened
      this.watch = new FileWatch(data.dataDir, data.lockId, this.watch)
      this.versionSeen = -1
    }
    return work(this.store)
  }

  /** Ends the use of the store; the files of a suspect store are left as they are, for the next start. */
  private close(): void {
    const { store } = this
    if (store === undefined) return
    try {
      this.checkPlace()
      // Close only what is sound: else the log stays, because it may hold what is damaged in the database.
      if (isLogIntact(data.dataDir) && store.isSound(this.sentAuditId)) {
        store.endUse(data.run)
        store.close()
        this.isMarked = false
        discardPreparedLoss(data.dataDir)
      }
    } catch {
      // The next start asks whether anything is missing.
    }
    // Already closed, unless something failed.
    store.abandon()
    this.store = undefined
  }
}

const OPENING = { busyMs: BUSY_MS, at: data.at, serves: true } as const

const unconfirmedBy = (detail: string): Outcome =>
  detail === '' ? { outcome: 'done', detail: '' } : { outcome: 'unconfirmed', detail }

const standingOf = (store: Store, { mark, begins }: Task & { readonly task: 'compare' }): Standing => {
  const { head } = store.shared.state()
  if (head === mark.proposal) return { kind: 'even' }
  if (begins || store.sharing.canFollow(mark)) return { kind: 'adopts', draft: store.sharing.adoption() }
  const reason = store.shared.obstacleTo({ after: mark.proposal, version: mark.version + 1 })
  return { kind: 'missed', reason: reason ?? 'the store is not that of the log' }
}

/** Makes the changes of the log that were not made before the last process ended; see `compare` for what is missing. */
const makeMissed = (store: Store, missed: readonly StoreInput[]): void => {
  for (const input of missed) store.sharing.make(input)
}

/** Does what fell due while no server ran. A failed write does not prevent the start: it is tried again. */
const catchUp = (store: Store): void => {
  try {
    store.verification.lapse()
    store.coverage.removeDue(data.at)
  } catch {}
}

const open = (): void => {
  const { dataDir, lockId, accepts } = data
  const resumes = data.resumes && { ...data.resumes, lock: lockId }
  const store = Store.open(dataDir, { ...OPENING, waitMs: OPEN_WAIT_MS, accepts, resumes })
  if (isFault(store)) {
    send({ kind: 'refused', outage: { reason: store.fault, isLost: store.lost !== undefined } })
    return
  }
  try {
    const watch = new FileWatch(dataDir, lockId)
    if (data.shared === undefined) store.shared.end()
    else {
      store.sharing.begin()
      if (resumes === undefined) makeMissed(store, data.shared.missed)
    }
    // Requests of this run are under way, or are sent again. What others share is done by one of them, later.
    if (resumes === undefined && data.shared === undefined) catchUp(store)
    const changes = resumes === undefined ? store.everything() : store.changesSince(resumes.auditId)
    send({ kind: 'opened', changes, store: watch.storeId })
    new StoreThread(store, watch, changes?.auditId ?? resumes!.auditId)
  } catch (error) {
    store.close()
    const reason = `the store in ${dataDir} cannot be read (${messageOf(error)})`
    send({ kind: 'refused', outage: { reason, isLost: isDamage(error) } })
  }
}

open()

// Without an exception the thread ends only after it has closed the store, or has not opened it; nothing copies it any more.
process.once('exit', (code) => {
  if (code === 0 && data.isAlone) closeDescriptors()
})
