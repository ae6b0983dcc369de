import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { readConsole } from '../../src/pages/console-files.ts'
import { ROOT } from '../root.ts'
import { newFolder, type RunningService, startService } from '../service.ts'

const folder = newFolder()
let service: RunningService

before(async () => {
  service = await startService(folder.path)
})

after(async () => {
  await service.stop()
  folder.remove()
})

interface Raw {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** As it is on the wire: fetch would undo gzip. */
const raw = (path: string, headers: Record<string, string> = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    request({ port: service.port, path, headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(parts) }),
      )
    })
      .on('error', reject)
      .end()
  })

test('every built file is served as it is, with a type, a tag, and for ever where its name has a hash', async () => {
  const { files } = readConsole(join(ROOT, 'dist', 'console'))!
  assert.ok(files.size > 10)
  for (const [path, { body, isImmutable }] of files) {
    const answer = await raw(path)
    assert.equal(answer.status, 200, path)
    assert.ok(answer.body.equals(body), path)
    assert.match(String(answer.headers['content-type']), /^(text\/(javascript|css)|image\/svg\+xml)/)
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.equal(/immutable/.test(String(answer.headers['cache-control'])), isImmutable)
    assert.equal(path.startsWith('/assets/'), isImmutable)
    const again = await raw(path, { 'if-none-match': String(answer.headers['etag']) })
    assert.equal(again.status, 304, path)
    assert.equal(again.body.length, 0)
  }
})

test('a client that takes gzip gets it with the first answer', async () => {
  const { files } = readConsole(join(ROOT, 'dist', 'console'))!
  const [path, file] = [...files].find(([name]) => name.includes('/main-') && name.endsWith('.js'))!
  const answer = await raw(path, { 'accept-encoding': 'gzip' })
  assert.equal(answer.headers['content-encoding'], 'gzip')
  assert.ok(answer.body.length < file.body.length / 2)
  assert.ok(gunzipSync(answer.body).equals(file.body))
  const again = await raw(path, { 'accept-encoding': 'gzip', 'if-none-match': String(answer.headers['etag']) })
  assert.equal(again.status, 304)
})

test('only what is in the folder is served', async () => {
  for (const path of [
    '/assets/',
    '/assets/../main.js',
    '/.vite/manifest.json',
    '/assets/none.js',
    '/assets/%2e%2e/icon.svg',
  ]) {
    assert.equal((await raw(path)).status, 404, path)
  }
})

test('pages name the files that they load, and each is there', async () => {
  const { files, of } = readConsole(join(ROOT, 'dist', 'console'))!
  const { scripts, styles, preloads } = of('board')
  assert.equal(scripts.length, 1)
  assert.equal(styles.length, 2)
  assert.ok(preloads.some((file) => file.includes('board-page')))
  for (const file of [...scripts, ...styles, ...preloads]) assert.ok(files.has(`/${file}`), file)
})

test('a folder that is missing or damaged is none', () => {
  assert.equal(readConsole(join(folder.path, 'nothing')), undefined)
  mkdirSync(join(folder.path, 'damaged', '.vite'), { recursive: true })
  writeFileSync(join(folder.path, 'damaged', '.vite', 'manifest.json'), '{')
  assert.equal(readConsole(join(folder.path, 'damaged')), undefined)
})
