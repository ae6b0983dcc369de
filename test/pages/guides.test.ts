// The guides: every block of code is run as it is printed, with key and addresses put in as the pages do.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { withAddresses } from '../../src/pages/documents.ts'
import { endedWithTests } from '../children.ts'
import { ROOT } from '../root.ts'
import { newFolder, type RunningService, startService } from '../service.ts'

const LIMIT_MS = 60_000
const GUIDES = join(ROOT, 'docs', 'guides')

interface Block {
  readonly guide: string
  readonly language: string
  readonly name: string
  readonly text: string
}

const BLOCKS: readonly Block[] = readdirSync(GUIDES)
  .filter((file) => file.endsWith('.md'))
  .flatMap((guide) =>
    [...readFileSync(join(GUIDES, guide), 'utf8').matchAll(/^```(\w*) ?(\S*)\n(.*?)^```$/gms)].map(
      ([, language, name, text]) => ({ guide, language: language!, name: name!, text: text! }),
    ),
  )
  .filter(({ language }) => language !== 'text')

/** What each must print. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  'first-request': /^\{"meta":\{"total":\d+,"limit":2,.*"homeTeam"/,
  'odds-of-an-event': /"markets":\[\{"type":/,
  'poll.mjs': / v .*: \d+ markets/,
  'see-status': /^event: snapshot\nid: .*\n/m,
  'see-frames': /^CONNECTED\n[\s\S]*\nMESSAGE\n.*odds\.football/,
  'desk.mjs': /^snapshot-end$/m,
  ready: /^ready[\s\S]*oddswire_ready 1/,
  'one-log': /^x-odds-seq: +\w+-\d+[\s\S]*^id: \w+-\d+/im,
  contracts: /"openapi":"3[\s\S]*"asyncapi":"3/,
  'keep-board.mjs': /^\w+-\d+: [1-9]\d* open, \d+ suspended$/m,
  'compare-cursors.mjs': /^-1 undefined$/m,
  'rest-then-live.mjs': /^REST at \w+-\d+ \d+ markets\n[\s\S]*update \w+-\d+ after \w+-\d+/m,
  'conflated.mjs': /^\w+-\d+ \S+ repriced [\d.]+$/m,
  'numbered.mjs': /^\d+ .+ \d+(\.\d+)? (open|suspended)$/m,
  'lag.mjs': /^\d+ octets wait, \d+ ms behind, \d+ prices merged$/m,
  'on-slow.mjs': /^whole at \w+-\d+$/m,
  'acknowledge.mjs': /^[1-9]00 worked off/m,
  stream: /^event: snapshot\nid: .*\n/m,
  'stream.mjs': /^snapshot-end /m,
  'client-stompjs.mjs': /^snapshot-end /m,
  'client-stompjs-msgpack.mjs': /^\w+-\d+\n/,
  'client-stompit.mjs': /^snapshot-end /m,
  'client-stomp-py.py': /^snapshot-end /m,
  'client-go-stomp.go': /^snapshot-end /m,
  'client-ruby.rb': /^snapshot-end /m,
}

/** The first line of the README. It installs and builds, which a test cannot do beneath itself. */
const OF_THE_README = 'start'

interface Language {
  readonly command: (file: string) => string
  /** Succeeds where it can be run. */
  readonly probe: string
}

// The libraries of Debian are for Debian's Python.
const LANGUAGES: Readonly<Record<string, Language>> = {
  bash: { command: (file) => `bash ${file}`, probe: 'bash --version' },
  js: { command: (file) => `node ${file}`, probe: 'node --version' },
  python: { command: (file) => `/usr/bin/python3 ${file}`, probe: "/usr/bin/python3 -c 'import stomp'" },
  ruby: { command: (file) => `ruby ${file}`, probe: 'ruby -e \'require "stomp"\'' },
  // The module is where ODDSWIRE_TEST_GO says.
  go: {
    command: (file) => `env -C "$ODDSWIRE_TEST_GO" go run "$PWD/${file}"`,
    probe: 'env -C "$ODDSWIRE_TEST_GO" go list github.com/go-stomp/stomp/v3',
  },
}

const folder = newFolder()
let service: RunningService
let key = ''
let event = ''

before(async () => {
  service = await startService(folder.path, '--demo')
  // The lines of the demo follow the one that says it is ready.
  key = (await service.printed(/Demo key.*: (\S+)/))[1]!
  const answer = await fetch(`${service.api}/events?sport=football&transport=live&limit=1&offset=5`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] }
  event = data[0]!.id
})

after(async () => {
  await service.stop()
  folder.remove()
})

/** Runs it until its output fits, or it ends. */
const outputOf = (command: string, cwd: string, fits: RegExp): Promise<string> =>
  new Promise((resolve) => {
    // As at a terminal: its input stays open.
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
    child.stdout!.on('data', take)
    child.stderr!.on('data', take)
    child.once('close', end)
  })

for (const { guide, language, name, text } of BLOCKS.filter((block) => block.name !== OF_THE_README)) {
  const known = LANGUAGES[language]
  const isHere = known !== undefined && spawnSync(known.probe, { shell: true, stdio: 'ignore' }).status === 0
  const skip = known === undefined || isHere ? false : `${known.probe} fails`
  test(`${guide}: ${name} works as it is printed`, { skip }, async () => {
    const expected = EXPECTED[name]
    assert(known !== undefined && expected !== undefined, `${name} in ${language}: no test knows what it must print`)
    const cwd = join(folder.path, `guide-${name}`)
    mkdirSync(cwd)
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
    const program = withAddresses(text, { publicUrl: `http://127.0.0.1:${service.port}`, stompPort: service.stompPort })
      .replaceAll('http://127.0.0.1:9090', service.admin)
      .replaceAll('<API_KEY>', key)
      .replaceAll('<EVENT_ID>', event)
    assert(!/localhost:(8080|61613)|<[A-Z_]+>/.test(program), 'an address or a placeholder is left')
    writeFileSync(join(cwd, name), program)
    assert.match(await outputOf(known.command(name), cwd, expected), expected)
  })
}

test('what must be printed is expected of a block that is there', () => {
  const names = BLOCKS.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(
    Object.keys(EXPECTED).filter((name) => !names.includes(name)),
    [],
  )
  const start = BLOCKS.find(({ name }) => name === OF_THE_README)
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  assert(readme.includes(start!.text.trim()), 'the README begins with another command')
})

test('documents and llms.txt are plain text too, with a tag and for every origin', async () => {
  const base = service.api.replace('/api/v1', '')
  for (const path of ['/llms.txt', '/docs/guides/resume.md', '/docs/live-protocol.md', '/docs/changelog.md']) {
    const answer = await fetch(base + path)
    assert.equal(answer.status, 200, path)
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.equal(answer.headers.get('access-control-allow-origin'), '*')
    assert.match(await answer.text(), /^# /)
    const again = await fetch(base + path, { headers: { 'If-None-Match': answer.headers.get('etag')! } })
    assert.equal(again.status, 304, path)
  }
  for (const path of ['/docs/guides/none', '/docs/guides/', '/docs/operations.md']) {
    assert.equal((await fetch(base + path)).status, 404, path)
  }
})
