// What one of several processes needs of the machine that it runs on: connections to Redis, the log of its data folder, and
// states of other processes.

import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Fault, messageOf } from '../access/fault.ts'
import { isPrepared } from '../access/store-look.ts'
import * as clock from '../clock.ts'
import type { Settings } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { checkedText, readChecked } from '../log/checked-file.ts'
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
  /** Whether it has answered customers. */
  hasServed: boolean
}

/** What a data folder knows of the service that its log is of. */
export interface ServiceMark {
  /** See StreamMeta; empty: none yet. */
  readonly service: string
  /** As what the process that used it last was known to the others; empty: none. It has ended. */
  readonly member: string
}

export interface ReplicaHost {
  readonly memory: ReplicaMemory
  /** Text that nobody else has, of so many random octets. */
  readonly mint: (octets: number) => string
  /** Epoch ms. */
  readonly now: () => number
  readonly connect: (terms?: RedisTerms) => RedisPort
  readonly recover: () => Promise<RecoveredState | Fault>
  readonly readMark: () => ServiceMark
  readonly writeMark: (mark: ServiceMark) => Promise<void>
  /** Whether the data folder has a store with keys, coverage and so on that no other process can have. */
  readonly hasPreparedStore: () => boolean
  /** Gives files to other processes, which reach it at the URL. @returns why it cannot, as a line for the operator, where it cannot */
  readonly listen: (
    secret: string,
    files: PeerServerOptions['files'],
  ) => Promise<Pick<PeerServer, 'url' | 'close'> | string>
  /** A copy of the store of another process, into a file. @returns why it could not */
  readonly fetchStore: (peer: string, secret: string, file: string) => Promise<string | undefined>
  /** Replaces the log of the data folder by the state of another process. @returns why it could not */
  readonly fetchState: (peer: string, secret: string) => Promise<string | undefined>
  /** The log of the data folder is of another history, or wrong: the last such one is kept. */
  readonly setAside: () => Promise<void>
}

/** @returns the turn that the file is of; text: why there is none */
const download = async (url: string, secret: string, file: string): Promise<number | string> => {
  const response = await fetch(url, {
    headers: { Authorization: `Bearer ${secret}` },
    signal: AbortSignal.timeout(LIMITS.peerMsMax),
  })
  if (response.status !== 200 || response.body === null) return (await response.text()).trim()
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file, { mode: 0o600 }))
  return Number(response.headers.get(TURN_HEADER))
}

const markPath = (dataDir: string): string => join(dataDir, 'log-service.json')

const mint = (octets: number): string => randomBytes(octets).toString('base64url')

const MEMORY: ReplicaMemory = {
  standsAs: mint(9),
  differedMs: Number.NEGATIVE_INFINITY,
  distrustsDisk: false,
  hasServed: false,
}

const readMark = (path: string): ServiceMark => {
  const { service, member } = (readChecked(path) ?? {}) as Partial<ServiceMark>
  const isName = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,64}$/.test(value)
  return { service: isName(service) ? service : '', member: isName(member) ? member : '' }
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
    readMark: () => readMark(markPath(settings.dataDir)),
    writeMark: async (mark) => {
      const path = markPath(settings.dataDir)
      await writeFile(`${path}.part`, checkedText(mark), { mode: 0o600, flush: true })
      await rename(`${path}.part`, path)
    },
    hasPreparedStore: () => isPrepared(settings.dataDir),
    listen: async (secret, files) => {
      const { peerHost: host, peerPort: port } = settings
      const peers = await PeerServer.listen({ host, port, secret, files, sendsMax: LIMITS.peerSendsMax })
      if (typeof peers === 'string') {
        return `cannot listen on ${host}:${port} (${peers}); choose another with --peer-port`
      }
      return { url: settings.peerUrl || peers.url, close: () => peers.close() }
    },
    fetchStore: async (peer, secret, file) => {
      try {
        await rm(file, { force: true })
        const done = await download(`${peer}/store`, secret, file)
        return typeof done === 'string' ? done : undefined
      } catch (error) {
        return messageOf(error)
      }
    },
    fetchState: async (peer, secret) => {
      const incoming = `${folder}.incoming`
      try {
        await rm(incoming, { recursive: true, force: true })
        await mkdir(incoming, { recursive: true, mode: 0o700 })
        const partial = join(incoming, 'partial')
        const turn = await download(`${peer}/checkpoint`, secret, partial)
        if (typeof turn === 'string') return turn
        if (!Number.isSafeInteger(turn) || turn < 1) return 'it does not say of which turn its checkpoint is'
        await rename(partial, checkpointPath(incoming, turn))
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
