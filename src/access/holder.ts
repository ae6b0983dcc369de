// Holder of a data folder: what its server states about itself, and whether that process still has the store open.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileIdOf, storePath } from './store-file.ts'

/** `server.json`: the process that holds the folder. For information: only the lock decides. */
export interface ServerInfo {
  readonly pid: number
  /** Epoch ms. */
  readonly startedAt: number
  /** Ports by name, once they are in use. */
  readonly ports?: Readonly<Record<string, number>>
  /** Whether the ports for customers use TLS. */
  readonly tls?: boolean
  /** The address of its admin port. */
  readonly admin?: AdminAddress
  /** Where customers reach it, without a slash at the end. */
  readonly publicUrl?: string
}

/** The address that the admin port listens on, and whether it uses TLS. */
export interface AdminAddress {
  readonly host: string
  readonly tls: boolean
}

export const infoPath = (dataDir: string): string => join(dataDir, 'server.json')

/** What the server of a data folder last stated about itself; undefined: nothing readable. */
export const holderOf = (dataDir: string): ServerInfo | undefined => {
  try {
    return JSON.parse(readFileSync(infoPath(dataDir), 'utf8')) as ServerInfo
  } catch {
    return undefined
  }
}

/**
 * Whether the process in `server.json` is another one and has the store open, even if its lock was deleted. False where
 * the system does not show that; a process with a reused number has other files open.
 */
export const holdsStore = (dataDir: string): boolean => {
  const pid = holderOf(dataDir)?.pid
  const id = fileIdOf(storePath(dataDir))
  if (pid === undefined || pid === process.pid || id === undefined) return false
  try {
    return readdirSync(`/proc/${pid}/fd`).some((name) => fileIdOf(`/proc/${pid}/fd/${name}`) === id)
  } catch {
    return false
  }
}
