// A service as a process that a test watches from its first moment, before it is ready.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { endedWithTests } from '../children.ts'
import { until } from '../feeds/waiting.ts'
import { MAIN } from '../service.ts'

export interface Ports {
  readonly http: number
  readonly stomp: number
  readonly admin: number
}

const FREE_PORTS = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']

/** One line of the log. */
export interface LogLine {
  readonly level: number
  readonly msg: string
  readonly [name: string]: unknown
}

export class ServiceProcess {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  stdout = ''
  private stderr = ''
  private readonly dataDir: string

  /** @param cwd where it finds `.env` and the configuration that is not named */
  constructor(dataDir: string, cwd: string, ...args: string[]) {
    this.dataDir = dataDir
    this.child = endedWithTests(
      spawn(process.execPath, [MAIN, 'serve', '--data-dir', dataDir, ...FREE_PORTS, ...args], { cwd }),
    )
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.exited = new Promise((resolve) => this.child.once('exit', resolve))
  }

  get isReady(): boolean {
    return this.stdout.includes('{"ready":true')
  }

  /** Lines of the log so far, those with a message of this beginning. */
  logged(beginning = ''): LogLine[] {
    return this.stderr
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine)
      .filter(({ msg }) => msg.startsWith(beginning))
  }

  /** All that it has written. */
  get everything(): string {
    return this.stdout + this.stderr
  }

  /** What it says at its end, where it does not start. */
  get complaint(): string {
    return this.stderr
      .split('\n')
      .filter((line) => line.startsWith('oddswire: '))
      .join('\n')
  }

  /** The ports, as the data folder has them before the service is ready. */
  async ports(): Promise<Ports> {
    return this.until('the ports are known', () => {
      try {
        const note = JSON.parse(readFileSync(join(this.dataDir, 'server.json'), 'utf8')) as Partial<{
          readonly pid: number
          readonly ports: Ports
        }>
        return note.pid === this.child.pid && note.ports
      } catch {
        return undefined
      }
    })
  }

  /** What the admin port answers, as text. */
  async admin(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`http://127.0.0.1:${(await this.ports()).admin}${path}`)
    return { status: response.status, text: await response.text() }
  }

  async metric(name: string): Promise<string | undefined> {
    const { text } = await this.admin('/metrics')
    return text
      .split('\n')
      .find((row) => row.startsWith(`${name} `))
      ?.slice(name.length + 1)
  }

  until<Value>(
    what: string,
    look: () => Promise<Value | undefined | false> | Value | undefined | false,
  ): Promise<Value> {
    return until(what, look, () => `${this.stdout}\n${this.stderr}`)
  }

  async ready(): Promise<void> {
    await this.until('it is ready', () => this.isReady)
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM')
    return this.exited
  }
}

/** Sends frames over STOMP, and resolves to what has come when something of it matches, or the connection ends. */
export const converse = (port: number, frames: string, isEnough: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(frames))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (isEnough.test(text)) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })

export const connectFrame = (key: string): string => `CONNECT\naccept-version:1.2\npasscode:${key}\n\n\0`
