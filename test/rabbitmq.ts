// A private RabbitMQ for tests: its ports, its name service, its cookie and all its files are its own, in a folder of
// the system's temporary one that goes with it. A node that Debian runs is not touched.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface RabbitOptions {
  /** With the STOMP plugin; else AMQP only. */
  readonly stomp?: boolean
  /** Files in PEM: AMQP also over TLS, on `amqpsPort`. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** A running node. User and password are guest, the virtual host is `/`. Its ports stay what they are over a restart. */
export interface Rabbit {
  /** `amqp://guest:guest@127.0.0.1:PORT/%2f` */
  readonly amqpUrl: string
  readonly amqpPort: number
  /** 0 without TLS. */
  readonly amqpsPort: number
  /** 0 without STOMP. */
  readonly stompPort: number
  /** Ends it in order, if it runs, and its folder with it. */
  stop(): Promise<void>
  /** Ends it in order, if it runs, and starts it again with all that is durable in it. */
  restart(): Promise<void>
  /** SIGKILL: connections break without a message. {@link Rabbit.restart} starts it again. */
  kill9(): Promise<void>
}

/** The script itself; the one in the PATH insists on the user rabbitmq. */
const SCRIPT = '/usr/lib/rabbitmq/bin/rabbitmq-server'

const START_MS_MAX = 120_000
const QUIT_MS_MAX = 30_000
const POLL_MS = 50

/** Why there is none to test with; false: there is. Fails where ODDSWIRE_TEST_REQUIRE names `rabbitmq`. */
export const rabbitMissing = (): string | false => {
  const isThere = existsSync(SCRIPT) && spawnSync('sh', ['-c', 'command -v epmd'], { stdio: 'ignore' }).status === 0
  if (isThere) return false
  const isRequired = (process.env.ODDSWIRE_TEST_REQUIRE ?? '').split(',').includes('rabbitmq')
  assert(!isRequired, 'rabbitmq-server is required, and not installed')
  return 'rabbitmq-server is not installed'
}

/** Free at this moment, each another one. */
const freePorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

const isGone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const untilListening = async (port: number, child: ChildProcess): Promise<void> => {
  for (let waitedMs = 0; waitedMs < START_MS_MAX && !isGone(child); waitedMs += POLL_MS) {
    if (await isListening(port)) return
    await pause(POLL_MS)
  }
  assert.fail(`${child.spawnfile} does not listen on port ${port} (exit ${child.exitCode ?? child.signalCode})`)
}

const quit = async (child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
  if (isGone(child)) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const patience = setTimeout(() => child.kill('SIGKILL'), QUIT_MS_MAX)
  await gone
  clearTimeout(patience)
}

/** Starts a node and resolves when it accepts connections. Check {@link rabbitMissing} before. */
export const startRabbit = async (options: RabbitOptions = {}): Promise<Rabbit> => {
  const home = mkdtempSync(join(tmpdir(), 'oddswire-rabbitmq-'))
  const [amqpPort, distribution, names, secondPort, thirdPort] = (await freePorts(5)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const stompPort = options.stomp === true ? secondPort : 0
  const amqpsPort = options.tls === undefined ? 0 : thirdPort
  const lines = [
    `listeners.tcp.1 = 127.0.0.1:${amqpPort}`,
    // What is left of others' folders is small; a full disk of the machine is not what is tested.
    'disk_free_limit.absolute = 1MB',
    'vm_memory_high_watermark.absolute = 512MB',
  ]
  if (stompPort !== 0) lines.push(`stomp.listeners.tcp.1 = 127.0.0.1:${stompPort}`)
  if (options.tls !== undefined) {
    const { cert, key } = options.tls
    lines.push(
      `listeners.ssl.1 = 127.0.0.1:${amqpsPort}`,
      `ssl_options.cacertfile = ${cert}`,
      `ssl_options.certfile = ${cert}`,
      `ssl_options.keyfile = ${key}`,
      'ssl_options.verify = verify_none',
    )
  }
  writeFileSync(join(home, 'rabbitmq.conf'), `${lines.join('\n')}\n`)
  writeFileSync(join(home, 'plugins'), stompPort === 0 ? '[].\n' : '[rabbitmq_stomp].\n')
  writeFileSync(join(home, 'environment'), '')
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'test@localhost',
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_CONF_ENV_FILE: join(home, 'environment'),
    RABBITMQ_CONFIG_FILE: join(home, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(home, 'plugins'),
    RABBITMQ_MNESIA_BASE: join(home, 'mnesia'),
    RABBITMQ_LOG_BASE: join(home, 'log'),
    RABBITMQ_PID_FILE: join(home, 'pid'),
    // One thread that does not spin while it waits: tests share the machine.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none',
    // The script becomes the virtual machine instead of starting it: its process id is then ours.
    RABBITMQ_ALLOW_INPUT: 'true',
  }
  const children = new Set<ChildProcess>()
  // A test run that is broken off must not leave a virtual machine behind.
  const onExit = (): void => children.forEach((child) => child.kill('SIGKILL'))
  process.once('exit', onExit)
  const start = (program: string, ...args: string[]): ChildProcess => {
    const child = spawn(program, args, { stdio: 'ignore', env, cwd: home })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  // Started here, it ends here; the virtual machine would leave one behind.
  const epmd = start('epmd', '-port', String(names), '-address', '127.0.0.1')
  let node = epmd
  const boot = async (): Promise<void> => {
    node = start(SCRIPT, '-noinput')
    for (const port of [amqpPort, stompPort, amqpsPort]) if (port !== 0) await untilListening(port, node)
  }
  const stop = async (): Promise<void> => {
    await quit(node, 'SIGTERM')
    await quit(epmd, 'SIGKILL')
    process.removeListener('exit', onExit)
    rmSync(home, { recursive: true, force: true })
  }
  try {
    await untilListening(names, epmd)
    await boot()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    amqpUrl: `amqp://guest:guest@127.0.0.1:${amqpPort}/%2f`,
    amqpPort,
    amqpsPort,
    stompPort,
    stop,
    restart: async () => {
      await quit(node, 'SIGTERM')
      await boot()
    },
    kill9: () => quit(node, 'SIGKILL'),
  }
}
