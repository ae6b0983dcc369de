// Lines that a document shows, run by a shell as a reader would: on and on, until the test has seen what they do.

import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { whyNotListen } from '../src/server/listener.ts'
import { endedWithTests } from './children.ts'
import { until } from './feeds/waiting.ts'
import type { Random } from './random.ts'

export class RunningLines {
  private readonly shell: ChildProcess
  private printed = ''
  private complained = ''

  /** @param folder where they run, and where they put what they keep for a while */
  constructor(lines: string, folder?: string) {
    const options = folder === undefined ? {} : { cwd: folder, env: { ...process.env, TMPDIR: folder } }
    this.shell = endedWithTests(
      spawn('bash', ['-c', lines], { ...options, stdio: ['pipe', 'pipe', 'pipe'], detached: true }),
    )
    this.shell.stdout!.setEncoding('utf8').on('data', (text: string) => (this.printed += text))
    this.shell.stderr!.setEncoding('utf8').on('data', (text: string) => (this.complained += text))
  }

  prints(what: RegExp): Promise<unknown> {
    return until(
      `${what}`,
      () => what.test(this.printed),
      () => `${this.printed}${this.complained}`,
    )
  }

  /** Kills the shell and all that the lines have started. */
  end(): void {
    process.kill(-this.shell.pid!, 'SIGKILL')
  }

  /** Kills one of the programs that the lines have started: that with these words in its command. */
  kill(words: string): void {
    for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        const [, , group] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ')
        if (Number(group) === this.shell.pid && command.includes(words)) process.kill(Number(name), 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

/** Some digits which with each of 1, 2 and 3 behind them are a free port, below those that the system gives away. */
export const freePrefix = async (random: Random): Promise<string> => {
  for (;;) {
    const prefix = `${random.int(1_100, 3_200)}`
    const reasons = await Promise.all([1, 2, 3].map((digit) => whyNotListen('127.0.0.1', Number(`${prefix}${digit}`))))
    if (reasons.every((reason) => reason === undefined)) return prefix
  }
}
