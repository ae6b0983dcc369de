// The README and the documents: what can be pasted works, what is shown is real, and links lead somewhere.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './root.ts'
import { RunningLines } from './running-lines.ts'
import { done, MAIN, newFolder, startService } from './service.ts'

const LINES_MAX = 150
const PICTURE_BYTES_MAX = 150_000

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

const blocks = [...README.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => ({
  language: language!,
  text: text!,
}))

test('the README is short, and begins with the two commands', () => {
  assert(README.split('\n').length - 1 <= LINES_MAX)
  const commands = blocks[0]!.text
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, ''))
  assert.deepEqual(commands, ['npm ci && npm start', 'npm ci && npm test'])
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  assert(scripts['start'] !== undefined && scripts['test'] !== undefined)
  assert(statSync(join(ROOT, 'docs', 'live-board.png')).size <= PICTURE_BYTES_MAX)
})

test('its curl and STOMP lines, as they stand, are answered as it shows; its frame is one of the same event', async () => {
  const folder = newFolder()
  const service = await startService(folder.path, '--demo')
  try {
    await service.printed(/Demo key/)
    const [, curl, answer, subscribe, frame] = blocks
    // As they stand, but for the folder and the ports of the test.
    const here = (text: string): string =>
      text
        .replace('npx oddswire', `"${process.execPath}" "${MAIN}"`)
        .replace('--org demo', `--org demo --data-dir "${folder.path}"`)
        .replace('localhost:8080', `127.0.0.1:${service.port}`)
        .replace('localhost 61613', `127.0.0.1 ${service.stompPort}`)
    const { status, stdout } = spawnSync('bash', ['-c', here(curl!.text)], { encoding: 'utf8' })
    assert.equal(status, 0)
    if (spawnSync('nc', ['-h']).error === undefined) {
      const [keyLine] = curl!.text.split('\n')
      // `tr` writes each line at once on a terminal only.
      const desk = new RunningLines(here(`${keyLine}\n${subscribe!.text}`).replace(/ \| tr .*/, ''))
      try {
        await desk.prints(/^CONNECTED\n/)
        done(folder.path, 'suspend', '--bookmaker', 'aldermoor')
        await desk.prints(/\0\s*MESSAGE\ndestination:\/topic\/status\.football\.aldermoor\./)
      } finally {
        desk.end()
      }
    }
    const membersOf = (text: string): readonly string[] => [...text.matchAll(/"(\w+)":/g)].map(([, name]) => name!)
    const shown = answer!.text.replaceAll('\n', '')
    assert.deepEqual(membersOf(stdout), membersOf(shown))

    const [head, body] = frame!.text.trim().split('\n\n')
    const octets = Buffer.byteLength(body!.replaceAll('\n', ''))
    assert(head!.includes(`\ncontent-length:${octets}`), `${octets} octets`)
    const { eventId, quotes } = JSON.parse(body!) as {
      readonly eventId: string
      readonly quotes: readonly { readonly status: string }[]
    }
    assert(shown.includes(`"id":"${eventId}"`))
    assert(quotes.every((quote) => quote.status === 'suspended'))
  } finally {
    await service.stop()
    folder.remove()
  }
})

test('examples that it names are there, and can be read by Node', () => {
  for (const [, file] of README.matchAll(/examples\/([\w.-]+)/g)) {
    assert(existsSync(join(ROOT, 'examples', file!)), file)
    if (!file!.endsWith('.mjs')) continue
    assert.equal(spawnSync(process.execPath, ['--check', join(ROOT, 'examples', file!)]).status, 0, file)
  }
})

test('links of the documents lead to files that are there, and to headings of these', () => {
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'src/README.md',
    'bench/README.md',
  ].concat(
    readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join('docs', file)),
  )
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8').replace(/^```.*?^```$/gms, '')
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^\w+:/.test(link!)) continue
      const [path = '', anchor] = link!.split('#')
      const target = path === '' ? join(ROOT, file) : join(ROOT, dirname(file), path)
      assert(existsSync(target), `${file}: ${link}`)
      if (anchor === undefined || !target.endsWith('.md')) continue
      const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      )
      assert(headings.includes(anchor), `${file}: ${link}`)
    }
  }
})
