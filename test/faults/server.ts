// The built server as a child process, on free ports. Nothing here knows node:test: this is a program.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as clock from '../../src/clock.ts'
import { until } from '../feeds/waiting.ts'

export const MAIN = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'src', 'main.js')

const FREE_PORTS = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']

export interface Ports {
  /** Of this process alone, also where it shares one with others. */
  readonly http: number
  readonly stomp: number
  readonly admin: number
}

interface Line {
  readonly level: number
  readonly msg: string
  readonly [name: string]: unknown
}

const WARN = 40

/** Those that run: they end with this program. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export interface ServerOptions {
  readonly dataDir: string
  readonly args?: readonly string[]
  /** Runs it under another program: that one's words. */
  readonly under?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export class Server {
  readonly child: ChildProcess
  readonly startedMs = clock.elapsedMs()
  /** From the start of the process to its ready line. */
  readyMs = 0
  stdout = ''
  stderr = ''
  hasExited = false
  private readonly exited: Promise<number | null>
  private readonly dataDir: string
  private known: Ports | undefined

  constructor({ dataDir, args = [], under = [], env = {} }: ServerOptions) {
    this.dataDir = dataDir
    const words = [...under, process.execPath, MAIN, 'serve', '--data-dir', dataDir, ...FREE_PORTS, ...args]
    this.child = spawn(words[0]!, words.slice(1), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    running.add(this.child)
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
      if (this.readyMs === 0 && this.stdout.includes('{"ready":true')) this.readyMs = clock.elapsedMs() - this.startedMs
    })
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code) => {
        running.delete(this.child)
        this.hasExited = true
        resolve(code)
      })
    })
  }

  get isReady(): boolean {
    return this.readyMs > 0
  }

  get ports(): Ports {
    if (this.known === undefined) throw new Error('the ports are not known yet')
    return this.known
  }

  /** Waits for the ready line. Throws if it ends before. */
  async ready(msMax = 60_000): Promise<this> {
    await until(
      'it is ready',
      () => this.isReady || this.hasExited,
      () => this.stderr,
      msMax,
    )
    if (!this.isReady) throw new Error(`the server ended at its start: ${this.stderr}`)
    this.readPorts()
    return this
  }

  /** Waits until its ports are known, before it is ready. */
  async listening(): Promise<this> {
    await until(
      'its ports are known',
      () => this.readPorts() || this.hasExited,
      () => this.stderr,
    )
    return this
  }

  private readPorts(): boolean {
    try {
      const note = JSON.parse(readFileSync(join(this.dataDir, 'server.json'), 'utf8')) as Partial<{
        readonly pid: number
        readonly ports: Ports & { readonly own?: number }
      }>
      // Under another program it may have another pid.
      if (note.ports !== undefined && (note.pid === this.child.pid || this.isReady)) {
        this.known = { ...note.ports, http: note.ports.own ?? note.ports.http }
      }
    } catch {
      // It is being written.
    }
    return this.known !== undefined
  }

  /** Warnings and errors that it has logged. */
  get warnings(): readonly string[] {
    return this.stderr
      .split('\n')
      .slice(0, -1)
      .flatMap((text) => {
        try {
          const { level, msg } = JSON.parse(text) as Line
          return level >= WARN ? [msg] : []
        } catch {
          return [text]
        }
      })
  }

  async admin(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`http://127.0.0.1:${this.ports.admin}${path}`)
    return { status: response.status, text: await response.text() }
  }

  async metric(name: string): Promise<number | undefined> {
    const { text } = await this.admin('/metrics')
    const row = text.split('\n').find((line) => line.startsWith(`${name} `))
    return row === undefined ? undefined : Number(row.slice(name.length + 1))
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name)
  }

  /** @returns the exit code */
  end(name: NodeJS.Signals): Promise<number | null> {
    this.child.kill(name)
    return this.exited
  }

  gone(): Promise<number | null> {
    return this.exited
  }
}

/** Runs a command of the command line: its last line. */
export const command = (dataDir: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args, '--data-dir', dataDir], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`oddswire ${args.join(' ')}: ${stderr}`)
  return stdout.trimEnd().split('\n').at(-1)!
}
