// One process per data folder. The lock is the system's: a killed process leaves none behind.

import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Fault, fault, messageOf } from './fault.ts'
import { type AdminAddress, holderOf, holdsStore, infoPath, type ServerInfo } from './holder.ts'
import { lockFile } from './file-lock.ts'
import { lockPath, makePrivate } from './store-file.ts'

export interface Lock {
  /** Publishes the ports in use, whether they use TLS, the address of the admin port, and the public URL. */
  announce(ports: Readonly<Record<string, number>>, tls?: boolean, admin?: AdminAddress, publicUrl?: string): void
  release(): void
}

/** Longer than a command's look at the lock; a server holds it for longer. */
const LOOK_MS = 300

/** Creates a data folder where it is missing. */
export const prepareFolder = (dataDir: string): Fault | undefined => {
  if (dataDir === '') return fault('the name of the data folder is empty: set --data-dir')
  try {
    makeFolder(resolve(dataDir))
    return undefined
  } catch (error) {
    return fault(`data folder ${dataDir} cannot be created (${messageOf(error)}): choose another with --data-dir`)
  }
}

// Level by level: mkdir with `recursive` never returns on /proc.
const makeFolder = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found !== undefined) throw new Error(`${path} is not a folder`)
  makeFolder(dirname(path))
  try {
    // The folder holds hashes of keys and access rights: private to its owner.
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes this process the one server of a data folder. The fault names the process that holds it. */
export const acquire = (dataDir: string, startedAt: number): Lock | Fault => {
  const missing = prepareFolder(dataDir)
  if (missing !== undefined) return missing
  try {
    for (const path of [lockPath(dataDir), infoPath(dataDir)]) makePrivate(path)
    // The server's lock may have been deleted: then a second process could acquire it.
    const file = holdsStore(dataDir) ? undefined : lockFile(lockPath(dataDir), LOOK_MS)
    if (file === undefined) {
      const pid = holderOf(dataDir)?.pid
      const holder = pid === undefined ? 'another process' : `process ${pid}`
      return fault(`data folder ${dataDir} is in use by ${holder}; stop it or choose another with --data-dir`)
    }
    const publish = (info: ServerInfo): void => writeFileSync(infoPath(dataDir), `${JSON.stringify(info)}\n`)
    const info = { pid: process.pid, startedAt }
    publish(info)
    return {
      announce: (ports, tls = false, admin, publicUrl) =>
        publish({
          ...info,
          ports,
          ...(tls ? { tls } : {}),
          ...(admin === undefined ? {} : { admin }),
          ...(publicUrl === undefined ? {} : { publicUrl }),
        }),
      release: () => {
        // The file may be that of another server, which found the lock free after ours was deleted.
        try {
          if (holderOf(dataDir)?.pid === process.pid) rmSync(infoPath(dataDir), { force: true })
        } catch {
          // The file is for information only; if nothing can be written any more, it stays.
        }
        file.release()
      },
    }
  } catch (error) {
    return fault(`data folder ${dataDir} cannot be written (${messageOf(error)}): choose another with --data-dir`)
  }
}
