// The programs that the portal prints, run as they are printed, against the real service.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Snippet, snippets } from '../../src/console/snippets.ts'
import { endedWithTests } from '../children.ts'
import { ROOT } from '../root.ts'
import { newFolder, type RunningService, startService } from '../service.ts'

const LIMIT_MS = 60_000

const folder = newFolder()
let service: RunningService
let printed: readonly Snippet[] = []

before(async () => {
  service = await startService(folder.path, '--demo')
  let key = ''
  // The lines of the demo follow the one that says it is ready.
  key = (await service.printed(/Demo key.*: (\S+)/))[1]!
  printed = snippets(key, {
    api: service.api,
    live: `ws://127.0.0.1:${service.port}/stomp`,
    host: '127.0.0.1',
    stompPort: service.stompPort,
    isTls: false,
  })
})

after(async () => {
  await service.stop()
  folder.remove()
})

interface Runner {
  readonly language: string
  readonly program: string
  /** The file of REST, and of live. */
  readonly files: readonly [string, string]
  readonly command: (file: string) => string
}

const RUNNERS: readonly Runner[] = [
  { language: 'curl', program: 'curl --version', files: ['rest.sh', 'live.sh'], command: (file) => `sh ${file}` },
  { language: 'Node', program: 'node --version', files: ['rest.mjs', 'live.mjs'], command: (file) => `node ${file}` },
  {
    language: 'Python',
    program: 'python3 --version',
    files: ['rest.py', 'live.py'],
    command: (file) => `python3 ${file}`,
  },
  { language: 'Go', program: 'go version', files: ['rest.go', 'live.go'], command: (file) => `go run ${file}` },
  { language: 'Java', program: 'java --version', files: ['Rest.java', 'Live.java'], command: (file) => `java ${file}` },
]

/** Runs it until its output fits, or it ends. */
const outputOf = (command: string, cwd: string, fits: RegExp): Promise<string> =>
  new Promise((resolve) => {
    const child = endedWithTests(spawn(`exec ${command}`, { cwd, shell: true, detached: true }))
    let output = ''
    let isOver = false
    const end = (): void => {
      clearTimeout(timer)
      // All of its group: a shell may have started others.
      if (!isOver && child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
      isOver = true
      resolve(output)
    }
    const timer = setTimeout(end, LIMIT_MS)
    const take = (part: Buffer): void => {
      output += part.toString()
      if (fits.test(output)) end()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('close', end)
  })

for (const { language, program, files, command } of RUNNERS) {
  const isHere = spawnSync(program, { shell: true, stdio: 'ignore' }).status === 0
  const skip = isHere ? false : `${program.split(' ')[0]} is not installed`
  test(`${language}: REST and live work as they are printed`, { skip }, async () => {
    const snippet = printed.find((one) => one.language === language)!
    const cwd = join(folder.path, `snippets-${language}`)
    mkdirSync(cwd)
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
    const [rest, live] = files
    writeFileSync(join(cwd, rest), snippet.rest)
    writeFileSync(join(cwd, live), snippet.live)
    assert.match(await outputOf(command(rest), cwd, /homeTeam|T\d\d:\d\d.* v /), /homeTeam|T\d\d:\d\d.* v /)
    const isLive = /kind:update|snapshot-end|"change":|^CONNECTED/m
    assert.match(await outputOf(command(live), cwd, isLive), isLive)
  })
}
