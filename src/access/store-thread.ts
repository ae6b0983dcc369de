// The store's own thread in the server: everything that waits for the disk runs here. See store-messages.ts.

import { parentPort, workerData } from 'node:worker_threads'
import { isFault, messageOf } from './fault.ts'
import { holderOf } from './holder.ts'
import { discardPreparedLoss, forgetLoss, isLossRecorded, prepareLoss, recordLoss, unknownLoss } from './loss.ts'
import { CheckSchedule } from './store-check.ts'
import { damage, type FileFault, FileWatch, isLogIntact, reasonOf, storePath } from './store-file.ts'
import {
  type FromThread,
  type Outage,
  PULSE,
  type StoreHealth,
  type Task,
  type ThreadData,
  type ToThread,
} from './store-messages.ts'
import { performPortal } from './portal-work.ts'
import { isBusy, isDamage, isDiskFault, isUnreadable } from './database-faults.ts'
import { Store } from './store.ts'
import { WriteHealth } from './write-health.ts'

/** How often the store is checked for writes of commands. */
const POLL_MS = 50

/** Short, because revocations wait meanwhile; a caller that finds the store busy asks again. */
const BUSY_MS = 100

/** How long the start waits for a command that is creating the store. */
const OPEN_WAIT_MS = 5_000

/** How long reopening waits: tasks fail after that, so that polls are never late for long. */
const REOPEN_WAIT_MS = 100

const data = workerData as ThreadData

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
  private isLossRecorded = false
  private reported: StoreHealth = { misplaced: undefined, unwritable: undefined }
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
    const { number } = message
    try {
      const result = message.task === 'close' ? this.close() : this.performInPlace(message)
      send({ kind: 'done', number, result })
    } catch (error) {
      // The write may have succeeded; the next poll finds out.
      this.versionSeen = -1
      this.noteFailure(error)
      send({ kind: 'failed', number, message: messageOf(error), busy: isBusy(error) })
    }
    if (message.task === 'close') {
      clearInterval(this.timer)
      parentPort!.close()
    }
  }

  /**
   * Nothing is recorded in a file that is no longer the store, and what another process has stored meanwhile is not
   * overwritten.
   */
  private performInPlace(task: Exclude<Task, { readonly task: 'close' }>): unknown {
    this.checkPlace()
    const result = this.change((store) => this.perform(store, task))
    this.checkPlace()
    if (task.task !== 'last-verifications' && task.task !== 'portal') this.writing.worked()
    return result
  }

  private checkPlace(): void {
    const misplaced = this.misplaced()
    if (misplaced !== undefined) throw new Error(misplaced.reason)
  }

  private perform(store: Store, task: Exclude<Task, { readonly task: 'close' }>): unknown {
    switch (task.task) {
      case 'reserve':
        return store.usage.reserve(task.wants)
      case 'release':
        return store.usage.release(task.leftovers)
      case 'import-coverage':
        store.coverage.import(task.bookmakers, task.at, true)
        return this.sendChanges(store)
      case 'remove-due':
        if (store.coverage.removeDue(task.at) !== undefined) this.sendChanges(store)
        return undefined
      case 'record-verification': {
        const effect = store.verification.record(task.run, task.policy, task.request, task.at)
        this.sendChanges(store)
        return effect
      }
      case 'finish-request':
        return store.verification.finish(task.id, task.detail)
      case 'last-verifications':
        return store.verification.last()
      case 'portal': {
        const result = performPortal(store, task.work)
        this.sendChanges(store)
        return result
      }
      case 'demo-key': {
        const key = store.accounts.createDemoKey(task.at)
        this.sendChanges(store)
        return key
      }
    }
  }

  /** Looks for changes of commands, records what main has applied, and reports the state of the store. */
  private poll(): void {
    Atomics.add(data.pulse, PULSE.polls, 1)
    const misplaced = this.misplaced()
    const unrecorded = this.recordLoss(misplaced?.isLost === true)
    // A file that is no longer the store says nothing about access rights.
    if (misplaced === undefined) {
      const stamp = this.stamp()
      this.look()
      if (stamp !== undefined && this.checks.poll(stamp.text, stamp.bytes, this.isChangeOurs)) this.check()
      this.isChangeOurs = false
      this.recordApplied()
      if (this.writing.poll(!this.isMarked)) this.tryWriting()
    }
    const stated =
      misplaced === undefined || unrecorded === undefined
        ? misplaced
        : { ...misplaced, reason: `${misplaced.reason}; the next start cannot know it (${unrecorded})` }
    this.report({ misplaced: stated, unwritable: this.writing.problem })
  }

  private look(): void {
    try {
      this.use((store) => {
        const version = store.dataVersion()
        if (version === this.versionSeen) return
        this.sendChanges(store)
        this.versionSeen = version
      })
      Atomics.store(data.pulse, PULSE.failures, 0)
      Atomics.add(data.pulse, PULSE.beats, 1)
    } catch (error) {
      Atomics.add(data.pulse, PULSE.failures, 1)
      // A store that cannot be read is reopened: it is enough that the disk returns. A failed write is no reason:
      // opening writes, too, and revocations must be seen even while nothing can be recorded.
      if (isDamage(error) || isUnreadable(error)) this.abandon(error)
      else if (!isBusy(error)) this.close()
    }
  }

  /** State of the files; undefined where it cannot be determined. */
  private stamp(): { readonly text: string; readonly bytes: number } | undefined {
    try {
      return this.isMarked ? this.watch.stamp() : undefined
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

  private sendChanges(store: Store): void {
    const changes = store.changesSince(this.sentAuditId)
    if (changes === undefined) return
    send({ kind: 'changed', changes })
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
    // Requests of this run are under way, or are sent again.
    if (resumes === undefined) catchUp(store)
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
