// The access of a service, wired to its log: what the store has decided comes into the log, and what waits for it is told.

import { Access, type AccessOptions } from '../access/access.ts'
import { type Fault, isFault } from '../access/fault.ts'
import type { Lock } from '../access/lock.ts'
import * as clock from '../clock.ts'
import type { StoreInput } from '../domain/input.ts'
import type { Engine } from '../engine/engine.ts'
import type { Turns } from '../engine/turns.ts'
import { LIMITS } from '../limits.ts'
import type { Replica } from './replica.ts'
import type { ServiceOptions } from './service-options.ts'
import { openSharedAccess } from './shared-access.ts'
import type { Verifications } from './verification-command.ts'

export interface ServiceAccessParts {
  readonly options: Omit<ServiceOptions, 'onFault' | 'signal'>
  readonly lock: Lock
  readonly engine: Engine
  readonly turns: Turns
  readonly replica: Replica | undefined
  /** Changes of the store in turns that were applied at the start. */
  readonly missed: readonly StoreInput[]
  readonly verifications: Verifications
}

export interface ServiceAccess {
  readonly access: Access
  /** Whether bookmakers wait for their numbers, which the log gives them. */
  readonly isNumbering: () => boolean
}

/** Opens the store in the data folder that is locked; with other processes, it is made that of the log. */
export const openAccess = async (parts: ServiceAccessParts): Promise<ServiceAccess | Fault> => {
  const { options, lock, engine, turns, replica, missed, verifications } = parts
  const { settings, onRefuseAll, onUnwritable, acceptsStore, onFeed, onBreak, reservations } = options
  // Suspensions by operators reach the board in several turns.
  const holding: (() => void)[] = []
  turns.onEnded(() => {
    if (!engine.isHolding) for (const resolve of holding.splice(0)) resolve()
  })
  let isNumbered = true
  const accessOptions: AccessOptions & { readonly lock: Lock } = {
    dataDir: settings.dataDir,
    lock,
    numberOf: (slug) => engine.board.bookmakers.find(slug),
    addBookmakers: (slugs) => {
      isNumbered = false
      return new Promise((resolve) => {
        turns.add({ kind: 'bookmakers', slugs }, () => {
          isNumbered = true
          resolve()
        })
      })
    },
    now: clock.now,
    limits: LIMITS,
    reservations,
    pageSecret: replica?.secretFor('keys of pages'),
    onRefuseAll,
    onUnwritable,
    onAudit: (line) => onFeed('info', 'audit', line),
    // After a restore the log shows which revocations the backup lacks.
    onRevoked: (keyId) => onFeed('info', 'access', `key ${keyId} is revoked`),
    acceptsStore,
    onDecisions: (decisions) => {
      turns.add({ kind: 'decide', decisions }, (refusal) => {
        if (refusal !== undefined) onFeed('warn', 'events', refusal.message)
      })
      return new Promise((resolve) => {
        turns.settle(() => {
          if (engine.isHolding) holding.push(resolve)
          else resolve()
        })
      })
    },
    onVerificationRequest: (request) => verifications.accept(request),
    onRemovalFault: ({ fault }) => onFeed('warn', 'coverage', `removals that are due cannot be carried out: ${fault}`),
  }
  const access =
    replica === undefined
      ? await Access.open(accessOptions)
      : await openSharedAccess(accessOptions, {
          engine,
          turns,
          missed,
          others: replica,
          held: () => new Promise((resolve) => (engine.isHolding ? holding.push(resolve) : resolve())),
          report: (level, message) => onFeed(level, 'access', message),
          onMissed: onBreak,
        })
  return isFault(access) ? access : { access, isNumbering: () => !isNumbered }
}
