// The peer RabbitMQ with its STOMP plugin: a private node on free ports of the loopback, on the server's core, with its
// name service, its cookie and all its files in one folder. A node that Debian runs is not touched.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, isInstalled, type Peer, untilListening } from './peer.ts'
import { onCore, SERVER_CORE } from './process.ts'

/** The script itself; the one in the PATH insists on the user rabbitmq. */
const SCRIPT = '/usr/lib/rabbitmq/bin/rabbitmq-server'

/** Flags of stomp-load: the user that a new node has. */
export const RABBIT_USER = { login: 'guest', key: 'guest' } as const

/** It would first work off what waits in its queues, of which nothing is needed. */
const QUIT_MS_MAX = 1_000

export const isRabbitInstalled = (): boolean => existsSync(SCRIPT) && isInstalled('sh', '-c', 'command -v epmd')

/** The folder of the installed version is named after it. */
export const rabbitVersion = (): string =>
  readdirSync('/usr/lib/rabbitmq/lib').find((name) => name.startsWith('rabbitmq_server-')) ?? 'unknown'

const quit = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await Promise.race([gone, sleep(QUIT_MS_MAX)])
  child.kill('SIGKILL')
  await gone
}

/** Starts a node whose files are in `folder`, with its defaults but for where it listens. */
export const startRabbit = async (folder: string): Promise<Peer> => {
  const home = join(folder, 'rabbitmq')
  mkdirSync(home)
  const [port, distribution, names] = [await freePort(), await freePort(), await freePort()]
  writeFileSync(
    join(home, 'rabbitmq.conf'),
    [
      'listeners.tcp = none',
      `stomp.listeners.tcp.1 = 127.0.0.1:${port}`,
      // A publisher that is faster than its queues is to be held back early enough for the machine.
      'vm_memory_high_watermark.absolute = 2GB',
      '',
    ].join('\n'),
  )
  writeFileSync(join(home, 'plugins'), '[rabbitmq_stomp].\n')
  writeFileSync(join(home, 'environment'), '')
  const { PATH = '' } = process.env
  const env = {
    PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'bench@localhost',
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_CONF_ENV_FILE: join(home, 'environment'),
    RABBITMQ_CONFIG_FILE: join(home, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(home, 'plugins'),
    RABBITMQ_MNESIA_BASE: join(home, 'mnesia'),
    RABBITMQ_LOG_BASE: join(home, 'log'),
    RABBITMQ_PID_FILE: join(home, 'pid'),
    // The script becomes the virtual machine instead of starting it: its process id is then ours.
    RABBITMQ_ALLOW_INPUT: 'true',
  }
  // Started here, it ends here; the virtual machine would leave one behind.
  const epmd = spawn('epmd', ['-port', String(names), '-address', '127.0.0.1'], { stdio: 'ignore', env })
  await untilListening(names, () => epmd.exitCode !== null)
  const [file, args] = onCore(SERVER_CORE, SCRIPT, '-noinput')
  const child = spawn(file, args, { stdio: 'ignore', env, cwd: home })
  const stop = async (): Promise<void> => {
    await quit(child)
    await quit(epmd)
  }
  try {
    await untilListening(port, () => child.exitCode !== null)
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid!, port, stop }
}
