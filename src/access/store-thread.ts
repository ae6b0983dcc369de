// The store's own thread in the server: everything that waits for the disk happens here. See store-messages.ts.

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
import { isBusy, isDamage, isDiskFault, isUnreadable } from './database-faults.ts'
import { Store } from './store.ts'
import { WriteHealth } from './write-health.ts'

/** How often the store is asked whether a command has written. */
const POLL_MS = 50

/** Short, because revocations wait meanwhile; whoever found the store busy asks again. */
const BUSY_MS = 100

/** How long the start waits for a command that is creating the store. */
const OPEN_WAIT_MS = 5_000

/** A store that stays away longer than this fails what is asked of it, so that polling is never late for long. */
const REOPEN_WAIT_MS = 100

const data = workerData as ThreadData

const send = (message: FromThread): void => parentPort!.postMessage(message)

/** Serves the store to the thread's parent. */
class StoreThread {
  /** Undefined after a failure, until it can be opened again. */
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
  /** Why nothing that the store says counts any more, to the end of the process. */
  private damage: FileFault | undefined
  private readonly writing = new WriteHealth()
  private readonly checks = new CheckSchedule()
  /** Whether we may have changed the files since the last poll. */
  private isChangeOurs = true
  /** Whether a loss is written down. */
  private isLossRecorded = false
  private told: StoreHealth = { misplaced: undefined, unwritable: undefined }
  private readonly timer = setInterval(() => this.poll(), POLL_MS)

  constructor(store: Store, watch: FileWatch, auditId: number) {
    this.store = store
    this.generation = store.state().generation
    this.watch = watch
    this.sentAuditId = auditId
    // Not before a look at the files: another server may have taken the folder over since they were opened.
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
      // It may be written all the same; then the next poll finds out.
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
   * What is recorded in a file that is no longer the store is not recorded; and what somebody else has stored meanwhile
   * is not written over.
   */
  private performInPlace(task: Exclude<Task, { readonly task: 'close' }>): unknown {
    this.checkPlace()
    const result = this.change((store) => this.perform(store, task))
    this.checkPlace()
    if (task.task !== 'last-verifications') this.writing.worked()
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
      case 'demo-key': {
        const key = store.accounts.createDemoKey(task.at)
        this.sendChanges(store)
        return key
      }
    }
  }

  /** Looks for changes that commands have made, records what main has applied, and tells how the store is. */
  private poll(): void {
    Atomics.add(data.pulse, PULSE.polls, 1)
    const misplaced = this.misplaced()
    const unrecorded = this.recordLoss(misplaced?.isLost === true)
    // What is in a file that is no longer the store says nothing about who may do what.
    if (misplaced === undefined) {
      const stamp = this.stamp()
      this.look()
      if (stamp !== undefined && this.checks.poll(stamp.text, stamp.bytes, this.isChangeOurs)) this.check()
      this.isChangeOurs = false
      this.recordApplied()
      if (this.writing.poll(!this.isMarked)) this.tryWriting()
    }
    const told =
      misplaced === undefined || unrecorded === undefined
        ? misplaced
        : { ...misplaced, reason: `${misplaced.reason}; the next start will not know it (${unrecorded})` }
    this.tell({ misplaced: told, unwritable: this.writing.problem })
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
      // What cannot even be read is opened anew: it is enough that the disk comes back. A write that fails is no
      // reason: opening takes writing too, and who cannot record must still see revocations.
      if (isDamage(error) || isUnreadable(error)) this.abandon(error)
      else if (!isBusy(error)) this.close()
    }
  }

  /** How the files are just now; undefined where that cannot be told. */
  private stamp(): { readonly text: string; readonly bytes: number } | undefined {
    try {
      return this.isMarked ? this.watch.stamp() : undefined
    } catch {
      return undefined
    }
  }

  /** Reads all there is: what nobody reads may be damaged all the same. */
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

  private tell(health: StoreHealth): void {
    const { misplaced, unwritable } = this.told
    const isSamePlace = health.misplaced?.reason === misplaced?.reason && health.misplaced?.isLost === misplaced?.isLost
    if (isSamePlace && health.unwritable === unwritable) return
    this.told = health
    send({ kind: 'health', health })
  }

  /** Why what is open is not the store any more; undefined: it is. */
  private misplaced(): Outage | undefined {
    try {
      const fault = this.lossNow()
      return fault && { reason: reasonOf(fault), isLost: true }
    } catch (error) {
      // The files cannot be looked at: nothing is known of them.
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
      // Where nothing can be written now, something may be when it counts.
    }
  }

  /**
   * Commands and the next start must know it, however this process ends.
   * @returns why that cannot be written down; undefined: it is
   */
  private recordLoss(isLost: boolean): string | undefined {
    // The folder of another server says nothing of our store.
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
   * Closes what cannot be read, and leaves its files as they are. What is damaged stays open to the end, though nobody uses it:
   * a command that finds it is not the last one then, and neither checkpoints nor deletes the log.
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

  /** Tried again with the next poll when it fails; the command that waits for it has a deadline of its own. */
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

  /** Uses it for what writes. */
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

  /** Ends the use of the store; where it is in doubt, the next start finds the files as they are. */
  private close(): void {
    const { store } = this
    if (store === undefined) return
    try {
      this.checkPlace()
      // What is damaged is not mended by the log; but the log may hold what is damaged.
      if (isLogIntact(data.dataDir) && store.isSound(this.sentAuditId)) {
        store.endUse(data.run)
        store.close()
        this.isMarked = false
        discardPreparedLoss(data.dataDir)
      }
    } catch {
      // Then the next start asks whether anything is missing.
    }
    // Closed already, where all went well.
    store.abandon()
    this.store = undefined
  }
}

const OPENING = { busyMs: BUSY_MS, at: data.at, serves: true } as const

/** Does what fell due while no server ran. What cannot be written just now is no reason not to start: it is tried again. */
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
    // What was asked for while this run went on is under way, or told once more.
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
