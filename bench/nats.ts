// The peer nats-server: a private one on a free port of the loopback, on the server's core. It keeps nothing on disk.

import { spawn } from 'node:child_process'
import { freePort, isInstalled, type Peer, untilListening, versionOf } from './peer.ts'
import { onCore, SERVER_CORE } from './process.ts'

export const isNatsInstalled = (): boolean => isInstalled('nats-server', '--version')

export const natsVersion = (): string => versionOf('nats-server', '--version')

/** Starts nats-server with its defaults. */
export const startNats = async (): Promise<Peer> => {
  const port = await freePort()
  const [file, args] = onCore(SERVER_CORE, 'nats-server', '-a', '127.0.0.1', '-p', String(port))
  const child = spawn(file, args, { stdio: 'ignore' })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = (): Promise<void> => {
    child.kill('SIGKILL')
    return gone
  }
  try {
    await untilListening(port, () => child.exitCode !== null)
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid!, port, stop }
}
