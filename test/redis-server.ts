// A private Redis for tests: a free port, and a folder of its own that goes with it. One that Debian runs is not touched.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A running server. Its port stays what it is over a restart. */
export interface RedisServer {
  readonly port: number
  /** `redis://127.0.0.1:PORT` */
  readonly url: string
  /** Its folder, with `dump.rdb` and the append-only files. */
  readonly folder: string
  /** Process id; undefined: it does not run. */
  readonly pid: number | undefined
  /** Runs redis-cli. @returns what it prints, without the last newline */
  cli(...args: readonly string[]): string
  /** Starts it again; with what is in its folder. */
  start(): Promise<void>
  /** SIGTERM, and waits for its end: it saves what it is configured to save. */
  stop(): Promise<void>
  /** SIGKILL, and waits for its end. */
  kill9(): Promise<void>
  /** SIGSTOP: it answers nothing, and its connections stay. */
  freeze(): void
  /** SIGCONT. */
  thaw(): void
  /** Ends it, and removes its folder. */
  remove(): Promise<void>
}

const POLL_MS = 20
const START_MS_MAX = 30_000

/** Why there is none to test with; false: there is. Fails where ODDSWIRE_TEST_REQUIRE names `redis`. */
export const redisMissing = (): string | false => {
  if (spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0) return false
  const isRequired = (process.env.ODDSWIRE_TEST_REQUIRE ?? '').split(',').includes('redis')
  assert(!isRequired, 'redis-server is required, and not installed')
  return 'redis-server is not installed'
}

/** A port that nobody uses just now. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (is: boolean): void => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })

/** @param options of redis-server, as in `--appendonly`, `yes` */
export const startRedis = async (...options: readonly string[]): Promise<RedisServer> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-redis-'))
  let child: ChildProcess | undefined
  const cli = (...args: readonly string[]): string => {
    const done = spawnSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8', timeout: 20_000 })
    return done.stdout.trimEnd()
  }
  const start = async (): Promise<void> => {
    assert(child === undefined, 'it runs already')
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--daemonize', 'no']
    child = spawn('redis-server', [...own, ...options], { stdio: 'ignore' })
    const started = child
    const until = Date.now() + START_MS_MAX
    while (!(await isListening(port)) || cli('PING') !== 'PONG') {
      assert(started.exitCode === null && Date.now() < until, `redis-server does not start on ${port}`)
      await pause(POLL_MS)
    }
  }
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    // A process that is stopped does not see SIGTERM.
    ending.kill('SIGCONT')
    ending.kill(signal)
    await ended
  }
  await start()
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    folder,
    get pid() {
      return child?.pid
    },
    cli,
    start,
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    remove: async () => {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
