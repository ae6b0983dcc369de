// Processes of a bench: started on one core, asked for their CPU time, ended by their id.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Core of the server, and of the load: they do not disturb each other. */
export const SERVER_CORE = '0'
export const LOAD_CORE = '1'

const pinnable = new Map<string, boolean>()

const isPinnable = (core: string): boolean => {
  let is = pinnable.get(core)
  if (is === undefined) {
    is = spawnSync('taskset', ['-c', core, 'true'], { stdio: 'ignore' }).status === 0
    pinnable.set(core, is)
    if (!is)
      process.stderr.write(`pinning to core ${core} is left out: taskset is not installed, or there is no such core\n`)
  }
  return is
}

/** What to start so that a program runs on one core; where that is not possible, it runs on any. */
export const onCore = (core: string, program: string, ...args: readonly string[]): [file: string, args: string[]] =>
  isPinnable(core) ? ['taskset', ['-c', core, program, ...args]] : [program, [...args]]

/**
 * Keeps this process, which measures itself, on the server's core with all its threads, as servers are. To wake a thread that
 * sleeps on another core takes an interrupt: in a virtual machine each write of the log took as long as five SENDs so.
 */
export const stayOnServerCore = (): void => {
  if (isPinnable(SERVER_CORE))
    spawnSync('taskset', ['-a', '-p', '-c', SERVER_CORE, String(process.pid)], { stdio: 'ignore' })
}

/** As the service is deployed (docs/operations.md, Sizing). */
export const ENVIRONMENT = {
  ...process.env,
  NODE_OPTIONS: '--max-semi-space-size=4',
}

export interface Server {
  readonly process: ChildProcess
  readonly ready: { readonly http: number; readonly admin?: number }
}

/** Starts a program on the server's core, or another one, and waits for its ready line. */
export const startServer = async (
  script: string,
  args: readonly string[],
  core: string = SERVER_CORE,
): Promise<Server> => {
  const [file, all] = onCore(core, process.execPath, script, ...args)
  const child = spawn(file, all, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{"ready"')) {
      child.stdout!.resume()
      return { process: child, ready: JSON.parse(line) }
    }
  }
  throw new Error(`${script} ended before it was ready`)
}

/** Ends a server and waits until it is gone. */
export const stopServer = async (server: Server): Promise<void> => {
  const gone = new Promise((resolve) => server.process.once('exit', resolve))
  server.process.kill('SIGTERM')
  await gone
}

const TICKS_PER_SECOND = 100

/** CPU seconds, user and system, that a process has used. */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const ownFields = (): readonly number[] => {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
}

/** CPU seconds of children of this process that have ended. */
const childrenCpuSeconds = (): number => (ownFields()[13]! + ownFields()[14]!) / TICKS_PER_SECOND

/** CPU seconds of this process and of its children that have ended. */
export const cpuSecondsWithChildren = (): number =>
  childrenCpuSeconds() + (ownFields()[11]! + ownFields()[12]!) / TICKS_PER_SECOND

/** CPU seconds that all processes of the machine have used; what its host has taken (steal) counts, too. */
export const cpuSecondsOfMachine = (): number => {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]!
    .split(/\s+/)
    .map(Number)
  return (user! + nice! + system! + irq! + softirq! + steal!) / TICKS_PER_SECOND
}

interface WrkOptions {
  readonly connections: number
  readonly seconds: number
  readonly headers?: readonly string[]
  readonly script?: string
}

const wrkArguments = (url: string, { connections, seconds, headers = [], script }: WrkOptions): string[] => [
  ...['-t1', `-c${connections}`, `-d${seconds}s`, ...headers.flatMap((header) => ['-H', header])],
  ...(script === undefined ? [] : ['-s', script]),
  url,
]

/** Runs wrk on the load's core. Returns its requests per second, those that failed, and its share of the core. */
export const wrk = (
  url: string,
  options: WrkOptions,
): { requests: number; perSecond: number; failed: number; busy: number } => {
  const [file, all] = onCore(LOAD_CORE, 'wrk', ...wrkArguments(url, options))
  const cpuBefore = childrenCpuSeconds()
  const output = execFileSync(file, all, { encoding: 'utf8' })
  const numberAfter = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0)
  return {
    requests: numberAfter(/(\d+) requests in/),
    perSecond: numberAfter(/Requests\/sec:\s+([\d.]+)/),
    failed: numberAfter(/Non-2xx or 3xx responses: (\d+)/),
    busy: (childrenCpuSeconds() - cpuBefore) / options.seconds,
  }
}
