// The README and the documents: what can be pasted works, what is shown is real, and links lead somewhere.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './root.ts'
import { newFolder, startService } from './service.ts'

const LINES_MAX = 120
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

test('its curl line is answered as it shows, and its frame is one of the same event', async () => {
  const folder = newFolder()
  const service = await startService(folder.path, '--demo')
  try {
    let key = ''
    while (key === '') {
      key = /Demo key.*: (\S+)/.exec(service.stdout())?.[1] ?? ''
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [, curl, answer, frame] = blocks
    const line = curl!.text.replace('<API_KEY>', key).replace('localhost:8080', `127.0.0.1:${service.port}`)
    const { status, stdout } = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
    assert.equal(status, 0)
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
