// The real service for tests: compiled, in a process of its own, on free ports, with a data folder of its own.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { endedWithTests } from './children.ts'
import type { Json } from './json.ts'

export { type Json, list } from './json.ts'

export const MAIN = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'main.js')

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The last line of stdout. */
  readonly last: string
}

/** A folder for a test; removed by the returned function. */
export const newFolder = (): { readonly path: string; remove(): void } => {
  const path = mkdtempSync(join(tmpdir(), 'oddswire-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 20 }) }
}

/** Runs a command of the command line to its end. */
export const command = (dataDir: string, ...args: string[]): CommandResult => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args, '--data-dir', dataDir], {
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr, last: stdout.trimEnd().split('\n').at(-1)! }
}

/** The same, expected to succeed: its last line. */
export const done = (dataDir: string, ...args: string[]): string => {
  const result = command(dataDir, ...args)
  assert.equal(result.code, 0, `oddswire ${args.join(' ')}: ${result.stderr}`)
  return result.last
}

export interface RunningService {
  readonly process: ChildProcess
  readonly dataDir: string
  readonly api: string
  readonly admin: string
  readonly port: number
  /** STOMP over TCP. */
  readonly stompPort: number
  /** Everything on stdout and stderr so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** What matches on stdout, once it is there. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
}

/** Starts `oddswire serve` and waits for its ready line. */
export const startService = async (dataDir: string, ...args: string[]): Promise<RunningService> => {
  const child = endedWithTests(
    spawn(
      process.execPath,
      [MAIN, 'serve', '--data-dir', dataDir, '--http-port', '0', '--stomp-port', '0', '--admin-port', '0', ...args],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    ),
  )
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const lines = createInterface({ input: child.stdout })
  const ready = await new Promise<{ http: number; stomp: number; admin: number } | undefined>((resolve) => {
    lines.on('line', (line) => {
      stdout += `${line}\n`
      if (line.startsWith('{"ready"')) resolve(JSON.parse(line))
    })
    void exited.then(() => resolve(undefined))
  })
  assert(ready !== undefined, `oddswire serve ${args.join(' ')} ended: ${stderr}`)
  return {
    process: child,
    dataDir,
    port: ready.http,
    stompPort: ready.stomp,
    api: `http://127.0.0.1:${ready.http}/api/v1`,
    admin: `http://127.0.0.1:${ready.admin}`,
    stdout: () => stdout,
    stderr: () => stderr,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(stdout)
        if (match !== null) return match
        const hasEnded = await Promise.race([once(lines, 'line').then(() => false), exited.then(() => true)])
        assert(!hasEnded, `ended before ${pattern}: ${stderr}`)
      }
    },
    stop() {
      child.kill('SIGTERM')
      return exited
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
  readonly text: string
}

/** GETs a path below the API with a key. */
export const get = async (
  service: RunningService,
  path: string,
  key?: string,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const response = await fetch(`${service.api}${path}`, {
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text === '' ? {} : JSON.parse(text) }
}

/** A coverage file in a folder. Each row: slug, status, restAvailable, liveAvailable, sports. */
export const writeCoverage = (
  folder: string,
  rows: readonly (readonly [slug: string, status: string, rest: boolean, live: boolean, sports?: readonly string[]])[],
): string => {
  const file = join(folder, 'coverage.json')
  const bookmakers = rows.map(([slug, status, restAvailable, liveAvailable, sports = ['*']]) => ({
    slug,
    displayName: slug.toUpperCase(),
    region: 'Europe',
    countries: ['SE'],
    sourceMode: 'direct',
    customerNote: '',
    coverage: [{ sports, status, restAvailable, liveAvailable, lastVerifiedAt: null }],
  }))
  writeFileSync(file, JSON.stringify({ bookmakers }))
  return file
}
