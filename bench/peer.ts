// What the peers of the live channel have in common: programs of others, started on free ports of the loopback.

import { spawnSync } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program of others that runs. */
export interface Peer {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

const START_SECONDS_MAX = 60
const POLL_SECONDS = 0.1

/** Resolves when a port accepts connections; rejects when `isGone` says that none will. */
export const untilListening = async (port: number, isGone: () => boolean): Promise<void> => {
  for (let waited = 0; waited < START_SECONDS_MAX && !isGone(); waited += POLL_SECONDS) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      })
      socket.on('error', () => resolve(false))
    })
    if (isOpen) return
    await sleep(POLL_SECONDS * 1000)
  }
  throw new Error(`nothing listens on port ${port}`)
}

/** Whether a program can be started. */
export const isInstalled = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** Whether a program can be found; for those that have no question to answer with success. */
export const isOnPath = (program: string): boolean => isInstalled('sh', '-c', `command -v ${program}`)

/** What a program prints when it is asked for its version: the first line of it. */
export const versionOf = (program: string, ...args: string[]): string =>
  spawnSync(program, args, { encoding: 'utf8' }).stdout.trim().split('\n')[0]!

/** One line on stderr: what is left out of a run, and why. */
export const leaveOut = (what: string, why: string): void => {
  process.stderr.write(`${what} is left out: ${why}\n`)
}

/** A port that is free at this moment. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
