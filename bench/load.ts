// The load programs (stomp-load.c, http-load.c): compiled into a folder, run on the load's core, asked for what
// they have counted.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { madeOnce } from './made-once.ts'
import { isInstalled } from './peer.ts'
import { cpuSeconds, LOAD_CORE, onCore, type Server, stopServer } from './process.ts'
import { median, rounded } from './report.ts'

// Compiled, this file is in dist/bench; the C sources stay in bench.
const SOURCES = resolve(dirname(fileURLToPath(import.meta.url)), '../../bench')

/** Compiles a load program, below a folder or for a run. Returns its path, undefined where there is no C compiler. */
export const buildLoad = (
  folder: string,
  name: 'stomp-load' | 'http-load' | 'write-costs' = 'stomp-load',
): string | undefined => {
  if (!isInstalled('gcc', '--version')) return undefined
  const made = madeOnce(folder, `${name}.built`, (making) => {
    const words = ['-O2', '-o', join(making, name), join(SOURCES, `${name}.c`)]
    const { status, stderr } = spawnSync('gcc', words, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`gcc: ${stderr}`)
  })
  return join(made, name)
}

/** What a load program has counted since it was last asked (stomp-load.c). */
export interface Counted {
  /** Subscribers: MESSAGEs. */
  readonly frames: number
  /** Subscribers: all that was read. */
  readonly bytes: number
  /** Subscribers: calls that got something. */
  readonly reads: number
  readonly closed: number
  readonly errors: number
  /** Subscribers: from the first MESSAGE to the last. Publishers: since it was last asked. */
  readonly span_s: number
  readonly frames_per_s: number
  /** Subscribers, where a MESSAGE came whose due time can be read. */
  readonly p50_us?: number
  readonly p90_us?: number
  readonly p99_us?: number
  readonly p999_us?: number
  readonly max_us?: number
  /** Publishers. */
  readonly sent: number
  /** Publishers: of their SENDs. Subscribers that begin all at once: those that are subscribed. */
  readonly receipts: number
  readonly sent_per_s: number
  readonly receipts_per_s: number
  /** Publishers: by how much the latest SEND was made too late. */
  readonly late_max_us: number
  /** Publishers: SENDs made more than 1 ms late though there was room for them, and by how much the latest of those. */
  readonly late?: number
  readonly own_late_max_us?: number
  readonly cpu_s: number
  /** Share of a core that the program has used since it was last asked. */
  readonly busy: number
  /** CPU time of each process of `--cpu-of`, s. */
  readonly servers_cpu_s?: readonly number[]
}

/** Above this share of its core the load is the limit, not the server. */
export const BUSY_MAX = 0.95

/**
 * How honest the load was, as medians over the rounds: its share of its core, whether that was all of it, what share of what it
 * offered was late through its own fault, and by how much the latest.
 * @param rounds in each the counts of all programs on the load's core
 */
export const loadMarks = (rounds: readonly (readonly (Counted | undefined)[])[]) => {
  const over = (figure: (count: Counted) => number): number =>
    median(rounds.map((counts) => counts.reduce((sum, count) => sum + (count === undefined ? 0 : figure(count)), 0)))
  const busy = over((count) => count.busy)
  return {
    loadCoreBusy: rounded(busy),
    loadLimited: busy > BUSY_MAX,
    lateShare: rounded(over(({ late = 0, sent }) => (late > 0 ? late / sent : 0))),
    lateMs: rounded(over(({ own_late_max_us: lateUs = 0 }) => lateUs / 1e3)),
  }
}

type Flags = Readonly<Record<string, string | number | true>>

/** A running load program. It ends on request, or with this process. */
export class Load {
  readonly process: ChildProcess
  private readonly what: string
  private isGone = false
  private readonly answers: ((line: string | undefined) => void)[] = []

  private constructor(child: ChildProcess, what: string) {
    this.process = child
    this.what = what
    const lines = createInterface({ input: child.stdout! })
    lines.on('line', (line) => this.answers.shift()?.(line))
    // A program that ends early has said why on stderr.
    lines.on('close', () => {
      this.isGone = true
      for (const answer of this.answers.splice(0)) answer(undefined)
    })
    child.stdin!.on('error', () => {})
  }

  /** Starts a subcommand on the load's core; resolves when all its connections stand. */
  static async start(program: string, what: string, flags: Flags): Promise<Load> {
    const words = Object.entries(flags).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [`--${name}`, String(value)],
    )
    const [file, args] = onCore(LOAD_CORE, program, what, ...words)
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const load = new Load(child, what)
    await load.answer()
    return load
  }

  private async answer(): Promise<string> {
    const line = this.isGone
      ? undefined
      : await new Promise<string | undefined>((take) => {
          this.answers.push(take)
        })
    if (line === undefined) throw new Error(`stomp-load ${this.what} ended early`)
    return line
  }

  /** What it has counted since it was asked before, or since it was ready. */
  async count(): Promise<Counted> {
    const answer = this.answer()
    this.process.stdin!.write('\n')
    return JSON.parse(await answer) as Counted
  }

  /** Ends it where it is of no more use; one that has ended stays as it is. */
  kill(): void {
    this.process.kill('SIGKILL')
  }

  /** Ends it. Returns what it has counted since it was asked before. */
  async stop(): Promise<Counted> {
    const gone = new Promise((resolve) => this.process.once('exit', resolve))
    const answer = this.answer()
    this.process.stdin!.end()
    const counted = JSON.parse(await answer) as Counted
    await gone
    return counted
  }
}

/** Now, as stomp-load reads it from `--origin`: the due times of a run are small numbers then, as odds are. */
export const newOrigin = (): string => String(process.hrtime.bigint())

/** A port that a server's ready line names. */
export const portOf = (server: Server, name: 'http' | 'stomp' | 'admin'): number => {
  const port = (server.ready as Readonly<Record<string, number | undefined>>)[name]
  if (port === undefined) throw new Error(`the ready line names no ${name} port: ${JSON.stringify(server.ready)}`)
  return port
}

/** Ends a server; one that has died already is not waited for. */
export const endServer = async (server: Server): Promise<void> => {
  const { exitCode, signalCode } = server.process
  if (exitCode === null && signalCode === null) await stopServer(server)
}

/** Memory of a process that is in RAM, in MB (VmRSS). */
export const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000

/** Measures CPU time of a process between two moments. */
export const startCpuMeter = (pid: number): (() => number) => {
  const before = cpuSeconds(pid)
  return () => cpuSeconds(pid) - before
}
