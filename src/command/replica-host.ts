// What one of several processes needs of the machine that it runs on: connections to Redis, the log of its data folder, and
// states of other processes.

import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Fault, messageOf } from '../access/fault.ts'
import * as clock from '../clock.ts'
import type { Settings } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { checkpointPath } from '../log/log-folder.ts'
import { Redis, type RedisPort, type RedisTerms } from '../redis/redis.ts'
import type { RedisAddress } from '../redis/redis-address.ts'
import { logFolder, recover, type RecoveredState, witnessPath } from './log-recovery.ts'
import { PeerServer, type PeerServerOptions, TURN_HEADER } from './peer-server.ts'

export type Report = (level: 'info' | 'warn' | 'error', message: string) => void

/** What the operating system's process remembers over the services that begin in it. */
export interface ReplicaMemory {
  /** As what it stands for the log: a service that begins again stands as the same one. */
  readonly standsAs: string
  /** When its state has differed from that of the others. */
  differedMs: number
  /** Its next start takes the state of another one. */
  distrustsDisk: boolean
}

export interface ReplicaHost {
  readonly memory: ReplicaMemory
  /** Text that nobody else has, of so many random octets. */
  readonly mint: (octets: number) => string
  /** Epoch ms. */
  readonly now: () => number
  readonly connect: (terms?: RedisTerms) => RedisPort
  readonly recover: () => Promise<RecoveredState | Fault>
  /** Gives files to other processes, which reach it at the URL. @returns why it cannot, as a line for the operator, where it cannot */
  readonly listen: (
    secret: string,
    files: PeerServerOptions['files'],
  ) => Promise<Pick<PeerServer, 'url' | 'close'> | string>
  /** Replaces the log of the data folder by the state of another process. @returns why it could not */
  readonly fetchState: (peer: string, secret: string) => Promise<string | undefined>
  /** The log of the data folder is of another history, or wrong: the last such one is kept. */
  readonly setAside: () => Promise<void>
}

const mint = (octets: number): string => randomBytes(octets).toString('base64url')

const MEMORY: ReplicaMemory = {
  standsAs: mint(9),
  differedMs: Number.NEGATIVE_INFINITY,
  distrustsDisk: false,
}

export const replicaHost = (settings: Settings, address: RedisAddress, report: Report): ReplicaHost => {
  const folder = logFolder(settings.dataDir)
  const setAside = async (): Promise<void> => {
    const aside = `${folder}.aside`
    await rm(aside, { recursive: true, force: true })
    await rename(folder, aside).catch(() => undefined)
    await rm(witnessPath(settings.dataDir), { force: true })
    report('warn', `the former log is kept in ${aside}`)
  }
  return {
    memory: MEMORY,
    mint,
    now: clock.now,
    connect: (terms) => new Redis(address, terms),
    recover: () => recover(settings, report),
    listen: async (secret, files) => {
      const { peerHost: host, peerPort: port } = settings
      const peers = await PeerServer.listen({ host, port, secret, files, sendsMax: LIMITS.peerSendsMax })
      if (typeof peers === 'string') {
        return `cannot listen on ${host}:${port} (${peers}); choose another with --peer-port`
      }
      return { url: settings.peerUrl || peers.url, close: () => peers.close() }
    },
    fetchState: async (peer, secret) => {
      const incoming = `${folder}.incoming`
      try {
        await rm(incoming, { recursive: true, force: true })
        await mkdir(incoming, { recursive: true, mode: 0o700 })
        const response = await fetch(`${peer}/checkpoint`, {
          headers: { Authorization: `Bearer ${secret}` },
          signal: AbortSignal.timeout(LIMITS.peerMsMax),
        })
        if (response.status !== 200 || response.body === null) return (await response.text()).trim()
        const turn = Number(response.headers.get(TURN_HEADER))
        if (!Number.isSafeInteger(turn) || turn < 1) return 'it does not say of which turn its checkpoint is'
        await pipeline(
          Readable.fromWeb(response.body),
          createWriteStream(checkpointPath(incoming, turn), { mode: 0o600 }),
        )
      } catch (error) {
        return messageOf(error)
      }
      await setAside()
      await rename(incoming, folder)
      report('info', `a checkpoint was fetched from ${peer}`)
      return undefined
    },
    setAside,
  }
}
