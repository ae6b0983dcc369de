// The store's own thread in the server: everything that waits for the disk happens here. See store-messages.ts.

import { parentPort, workerData } from 'node:worker_threads'
import { isFault, messageOf } from './fault.ts'
import { type FromThread, PULSE, type Task, type ThreadData, type ToThread } from './store-messages.ts'
import { isBusy, Store } from './store.ts'

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
  private versionSeen = -1
  private sentAuditId: number
  /** What main has confirmed, and what of that is recorded. */
  private appliedAuditId = 0
  private recordedAuditId = 0
  private readonly timer = setInterval(() => this.poll(), POLL_MS)

  constructor(store: Store, auditId: number) {
    this.store = store
    this.sentAuditId = auditId
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
      const result = message.task === 'close' ? this.close() : this.use((store) => this.perform(store, message))
      send({ kind: 'done', number, result })
    } catch (error) {
      // It may be written all the same; then the next poll finds out.
      this.versionSeen = -1
      send({ kind: 'failed', number, message: messageOf(error), busy: isBusy(error) })
    }
    if (message.task === 'close') {
      clearInterval(this.timer)
      parentPort!.close()
    }
  }

  private perform(store: Store, task: Exclude<Task, { readonly task: 'close' }>): unknown {
    switch (task.task) {
      case 'reserve':
        return store.reserve(task.wants)
      case 'release':
        return store.release(task.leftovers)
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
        const key = store.createDemoKey(task.at)
        this.sendChanges(store)
        return key
      }
    }
  }

  /** Looks for changes that commands have made, and records what main has applied. */
  private poll(): void {
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
      if (!isBusy(error)) this.close()
    }
    this.recordApplied()
  }

  private sendChanges(store: Store): void {
    const changes = store.changesSince(this.sentAuditId)
    if (changes === undefined) return
    send({ kind: 'changed', changes })
    this.sentAuditId = changes.auditId
  }

  /** Tried again with the next poll when it fails; the command that waits for it has a deadline of its own. */
  private recordApplied(): void {
    if (this.appliedAuditId === this.recordedAuditId) return
    try {
      this.use((store) => store.setApplied(this.appliedAuditId))
      this.recordedAuditId = this.appliedAuditId
    } catch {}
  }

  private use<T>(work: (store: Store) => T): T {
    if (this.store === undefined) {
      const opened = Store.open(data.dataDir, { waitMs: REOPEN_WAIT_MS, busyMs: BUSY_MS, at: data.at })
      if (isFault(opened)) throw new Error(opened.fault)
      this.store = opened
      this.versionSeen = -1
    }
    return work(this.store)
  }

  private close(): void {
    this.store?.close()
    this.store = undefined
  }
}

/** Does what fell due while no server ran. What cannot be written just now is no reason not to start: it is tried again. */
const catchUp = (store: Store): void => {
  try {
    store.verification.lapse()
    store.coverage.removeDue(data.at)
  } catch {}
}

const open = (): void => {
  const store = Store.open(data.dataDir, { waitMs: OPEN_WAIT_MS, busyMs: BUSY_MS, at: data.at })
  if (isFault(store)) {
    send({ kind: 'refused', fault: store.fault })
    return
  }
  try {
    catchUp(store)
    const everything = store.everything()
    send({ kind: 'opened', everything })
    new StoreThread(store, everything.auditId)
  } catch (error) {
    store.close()
    send({ kind: 'refused', fault: `the store in ${data.dataDir} cannot be read (${messageOf(error)})` })
  }
}

open()
