// The access of one of several processes: its store makes the changes that the log has accepted. Where the store is not
// that of the log, it takes over a copy of that of another process.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Access, type AccessOptions } from '../access/access.ts'
import { type Fault, fault, isFault } from '../access/fault.ts'
import type { Lock } from '../access/lock.ts'
import { hasStore } from '../access/store-file.ts'
import { installStore, replacedPath } from '../access/store-copy.ts'
import type { StoreInput } from '../domain/input.ts'
import type { Engine } from '../engine/engine.ts'
import type { Turns } from '../engine/turns.ts'

/** What it needs of the other processes. */
export interface OtherProcesses {
  readonly isLeader: boolean
  /** Whether the log began with this process. */
  readonly hasBegun: boolean
  /**
   * Resolves when all living processes have applied a turn of the log, with what it does to their stores; a text: why
   * that is not known.
   */
  readonly haveApplied: (turn: number) => Promise<true | string>
  /** Fetches a copy of the store of another process into a file. @returns why there is none */
  readonly fetchStore: (file: string) => Promise<string | undefined>
}

export interface SharedAccessParts {
  readonly engine: Engine
  readonly turns: Turns
  /** Changes of the store in turns that were applied before {@link turns} were. */
  readonly missed: readonly StoreInput[]
  readonly others: OtherProcesses
  /** Resolves when suspensions by operators have reached all quotes. */
  readonly held: () => Promise<void>
  readonly report: (level: 'info' | 'warn' | 'error', message: string) => void
  /** Called where this process must not go on with its store: end the service, and start it again. */
  readonly onMissed: (reason: string) => void
}

/** How names of copies begin that are sent to other processes. */
export const OUTGOING = 'store.outgoing.'

/** Copies that are taken over before the start gives up: another process may be behind this one for a moment. */
const COPIES_MAX = 10
const COPY_PAUSE_MS = 250

/** Opens the access, and makes its store that of the log. No turn with a change of the store is published before. */
export const openSharedAccess = async (
  options: AccessOptions & { readonly lock: Lock },
  { engine, turns, missed, others, held, report, onMissed }: SharedAccessParts,
): Promise<Access | Fault> => {
  const { dataDir } = options
  let access: Access | undefined
  // A copy of a store may have to be taken over before the first turn goes on.
  let opened = (_access: Access): void => {}
  let opening = new Promise<Access>((resolve) => (opened = resolve))
  turns.onStore = async (input) => (await opening).makeStore(input)
  let isJoined = false
  const open = (): Promise<Access | Fault> =>
    Access.open({
      ...options,
      // Nobody is served before.
      onRefuseAll: (reason) => isJoined && options.onRefuseAll?.(reason),
      // It stays with this process while the store is replaced.
      lock: {
        announce: (...given) => options.lock.announce(...given),
        release: () => isJoined && options.lock.release(),
      },
      shared: {
        mark: () => engine.storeMark,
        missed,
        propose: (input) =>
          new Promise((resolve) =>
            turns.add(input, (refusal) => {
              if (refusal !== undefined && refusal.field !== 'expects') report('warn', refusal.message)
              resolve(refusal)
            }),
          ),
        holdsEverywhere: async () => {
          await held()
          return await others.haveApplied(engine.link.turn)
        },
        isLeader: () => others.isLeader,
        onMissed: (reason) => isJoined && onMissed(reason),
      },
    })
  // What this start makes, or fetches, has nothing of its own.
  let isFormer = hasStore(dataDir)
  const takeOver = async (): Promise<string | undefined> => {
    const file = join(dataDir, 'store.incoming')
    const failed = await others.fetchStore(file)
    if (failed !== undefined) return failed
    const uninstalled = installStore(dataDir, file, { replaces: true, keeps: isFormer })
    if (uninstalled !== undefined) return uninstalled.fault
    report('info', 'the store of another process was taken over')
    if (isFormer) report('warn', `the former store is kept in ${replacedPath(dataDir)}`)
    isFormer = false
    return undefined
  }
  const giveUp = async (why: Fault): Promise<Fault> => {
    isJoined = true
    if (access === undefined) options.lock.release()
    else await access.close()
    return why
  }
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(OUTGOING)) rmSync(join(dataDir, name), { force: true })
  }
  // A new process, whose store would only be thrown away.
  let failed = engine.storeMark.proposal !== '' && !hasStore(dataDir) ? await takeOver() : undefined
  for (let copies = 0; ; copies++) {
    let next = await open()
    // Its files are damaged, or incomplete: others have all of it.
    if (isFault(next) && copies === 0 && engine.storeMark.proposal !== '') {
      report('warn', `${next.fault}: the store of another process is fetched instead`)
      if ((await takeOver()) === undefined) next = await open()
    }
    if (isFault(next)) return await giveUp(next)
    access = next
    opened(access)
    // Nobody else has a store: this one is that of the log.
    const isLast = failed !== undefined && (others.hasBegun || options.acceptsStore === true)
    const apart = await access.join(isLast)
    if (apart === undefined) break
    if (failed !== undefined || copies >= COPIES_MAX) {
      return await giveUp(
        fault(`${apart.fault}; and no other process gives a copy of its store (${failed ?? 'of now'})`),
      )
    }
    if (isFormer) report('warn', `${apart.fault}: the store of another process is fetched`)
    opening = new Promise((resolve) => (opened = resolve))
    await access.close()
    access = undefined
    if (copies > 0) await pause(COPY_PAUSE_MS)
    failed = await takeOver()
  }
  isJoined = true
  return access
}
