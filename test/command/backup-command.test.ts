// Backup and restore as an operator does them, with the real program; and who may read what it creates.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { mintSecret } from '../../src/access/key.ts'
import * as clock from '../../src/clock.ts'
import { endedWithTests } from '../children.ts'
import {
  command,
  done,
  get,
  list,
  MAIN,
  newFolder,
  type RunningService,
  startService,
  writeCoverage,
} from '../service.ts'

const folder = newFolder()
const dataDir = join(folder.path, 'data')
let service: RunningService
let umask = 0
let kept = ''
let revoked = ''

before(async () => {
  umask = process.umask(0)
  done(dataDir, 'org', 'create', 'acme', '--plan', 'pro')
  kept = done(dataDir, 'key', 'create', '--org', 'acme')
  revoked = done(dataDir, 'key', 'create', '--org', 'acme')
  service = await startService(dataDir)
})

after(async () => {
  process.umask(umask)
  await service.stop()
  folder.remove()
})

const openToOthers = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((each) => (statSync(each).mode & 0o077) !== 0)

const refused = (args: readonly string[], dir: string, message: RegExp): void => {
  const { code, stderr } = command(dir, ...args)
  assert.equal(code, 1, stderr)
  assert.match(stderr, /^oddswire: [^\n]+\n$/)
  assert.match(stderr, message)
}

const PORTS = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']

test('a backup while the server runs: whole, private, and never over another file', async () => {
  assert.equal((await get(service, '/sports', kept)).status, 200)
  const file = join(folder.path, 'backup.db')
  done(dataDir, 'backup', file)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const bytes = readFileSync(file)
  refused(['backup', file], dataDir, /backup\.db exists: choose another name/)
  assert.deepEqual(readFileSync(file), bytes)
  refused(['backup', join(folder.path, 'none', 'b')], dataDir, /cannot be written/)
  refused(['backup', join(folder.path, 'b')], join(folder.path, 'empty'), /there is no store in .*--data-dir/)
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => name !== 'data'),
    ['backup.db'],
    'nothing else is left',
  )
  assert.match(command(dataDir, 'backup', '--help').stdout, /oddswire backup FILE/)
})

test('a restored backup is noticed; what was revoked since is revoked again before it is served', async () => {
  const file = join(folder.path, 'backup-2.db')
  done(dataDir, 'backup', file)
  done(dataDir, 'key', 'revoke', revoked)
  assert.equal((await get(service, '/sports', revoked)).status, 401)
  const id = /key (key_\w+) is revoked/.exec(service.stderr())?.[1]
  assert.ok(id !== undefined, 'the log names it, which is what an operator of a backup has')

  const restored = join(folder.path, 'restored')
  mkdirSync(restored)
  copyFileSync(file, join(restored, 'oddswire.db'))
  refused(['serve', ...PORTS], restored, /is a backup of .*--accept-store/)
  const again = command(restored, 'key', 'revoke', id)
  assert.equal(again.code, 0, again.stderr)
  assert.match(again.stderr, /^note: this store is a backup that no server has accepted yet/)
  refused(['serve', ...PORTS], restored, /is a backup of .*--accept-store/)
  const other = await startService(restored, '--accept-store')
  try {
    assert.equal((await get(other, '/sports', kept)).status, 200)
    assert.equal((await get(other, '/sports', revoked)).status, 401)
    assert.equal(await other.stop(), 0)
  } finally {
    await other.kill()
  }
  const later = await startService(restored)
  assert.equal(await later.stop(), 0, 'once is enough')
})

test('a database that was copied while the server runs, without its log, is not served; after a kill it is', async () => {
  const copied = join(folder.path, 'copied')
  mkdirSync(copied)
  copyFileSync(join(dataDir, 'oddswire.db'), join(copied, 'oddswire.db'))
  refused(['serve', ...PORTS], copied, /was in use and its log .* is missing/)
  refused(['key', 'list'], copied, /was in use and its log .* is missing/)
  const killed = join(folder.path, 'killed')
  done(killed, 'org', 'create', 'acme', '--plan', 'pro')
  await (await startService(killed)).kill()
  const second = await startService(killed)
  await second.kill()
  // A command is the last to close the store, and so its log is gone before the next start.
  done(killed, 'org', 'list')
  const third = await startService(killed)
  assert.equal(await third.stop(), 0)
  // An unexpected end: the library closes the store all the same.
  done(killed, 'org', 'list')
})

/** The epoch, and the bookmakers whose prices of the only event are shown. */
const shown = async (dir: string, args: readonly string[], key: string): Promise<[epoch: string, slugs: string[]]> => {
  const running = await startService(dir, ...args)
  try {
    const events = await get(running, '/events?sport=football', key)
    assert.equal(events.status, 200)
    const epoch = events.headers.get('x-odds-seq')!.split('-')[0]!
    const [event] = list(events.body.data)
    if (event === undefined) return [epoch, []]
    const odds = await get(running, `/events/${event.id as unknown as string}/odds`, key)
    assert.equal(odds.status, 200)
    const slugs = new Set([...odds.text.matchAll(/"slug":"(\w+)"/g)].map(([, slug]) => slug!))
    return [epoch, [...slugs].toSorted()]
  } finally {
    await running.stop()
  }
}

test('a restored store with and without a log: an older log begins an epoch, and shows what the store allows', async () => {
  const source = join(folder.path, 'logged')
  done(source, 'org', 'create', 'acme', '--plan', 'desk')
  const key = done(source, 'key', 'create', '--org', 'acme')
  done(source, 'coverage', 'import', writeCoverage(folder.path, [['one', 'verified_rest_live', true, true]]))
  const older = join(folder.path, 'older.db')
  done(source, 'backup', older)
  const rows = ['one', 'two'].map((slug) => [slug, 'verified_rest_live', true, true] as const)
  done(source, 'coverage', 'import', writeCoverage(folder.path, rows))
  const at = new Date(clock.now() - 60_000).toISOString()
  const event = { sport: 'football', league: { key: 'l', name: 'L' }, home: 'H', away: 'A', kickoffAt: at }
  const quotes = [{ type: 'outright', outcome: 'p', odds: 2 }]
  const recording = join(folder.path, 'two.jsonl')
  const lines = ['one', 'two'].map((bookmaker) =>
    JSON.stringify({ bookmaker, transport: 'both', observedAt: at, event, quotes }),
  )
  writeFileSync(recording, lines.join('\n'))
  const [epoch, both] = await shown(source, ['--replay', recording, '--format', 'observations'], key)
  assert.deepEqual(both, ['one', 'two'])

  /** A folder with a store that is restored. */
  const restore = (name: string, from: string): string => {
    const dir = join(folder.path, name)
    mkdirSync(dir)
    copyFileSync(from, join(dir, 'oddswire.db'))
    return dir
  }
  const [bare, none] = await shown(restore('bare', older), ['--accept-store'], key)
  assert.notEqual(bare, epoch)
  assert.deepEqual(none, [], 'a store alone has no board')

  const copy = restore('copy', older)
  cpSync(join(source, 'log'), join(copy, 'log'), { recursive: true })
  const [copied, kept] = await shown(copy, ['--accept-store'], key)
  assert(copied !== epoch && copied !== bare)
  assert.deepEqual(kept, ['one'], 'the board of the log, and the coverage of the store')

  // The store is newer than the log: that of an earlier moment is put back beside it.
  const before = join(folder.path, 'log-before')
  cpSync(join(source, 'log'), before, { recursive: true })
  assert.equal((await shown(source, [], key))[0], epoch)
  done(source, 'coverage', 'remove', 'one', '--now', '--reason', 'gone')
  rmSync(join(source, 'log'), { recursive: true })
  cpSync(before, join(source, 'log'), { recursive: true })
  const [back, two] = await shown(source, [], key)
  assert.notEqual(back, epoch)
  assert.deepEqual(two, ['two'])

  const newer = join(folder.path, 'newer.db')
  done(source, 'backup', newer)
  const move = restore('move', newer)
  renameSync(join(source, 'log'), join(move, 'log'))
  renameSync(join(source, 'log-position.json'), join(move, 'log-position.json'))
  const [moved, same] = await shown(move, ['--accept-store'], key)
  assert.equal(moved, back, 'a log that was moved goes on')
  assert.deepEqual(same, ['two'])
})

test('everything that the process creates can be read by its user alone, whatever the umask', () => {
  assert.deepEqual(openToOthers(dataDir), [])
  const names = readdirSync(dataDir).toSorted()
  assert.deepEqual(names, [
    'clock.json',
    'lock.db',
    'log',
    'log-position.json',
    'oddswire.db',
    'oddswire.db-shm',
    'oddswire.db-wal',
    'server.json',
    'store-loss.spare',
  ])
})

test('a key is read from stdin, or from the environment, and named when it is revoked', () => {
  const run = (args: readonly string[], input: string, environment: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, [MAIN, ...args], {
      input,
      encoding: 'utf8',
      env: { ...process.env, ODDSWIRE_KEY: '', ...environment },
    })
  const key = (): string => done(dataDir, 'key', 'create', '--org', 'acme')
  const arguments_ = ['key', 'revoke', '--data-dir', dataDir]
  const fromStdin = run([...arguments_, '-'], `${key()}\n`)
  assert.deepEqual([fromStdin.status, fromStdin.stdout], [0, ''], fromStdin.stderr)
  assert.match(fromStdin.stderr, /^revoked: key_\w+\n$/)
  const fromEnvironment = run(arguments_, '', { ODDSWIRE_KEY: key() })
  assert.equal(fromEnvironment.status, 0, fromEnvironment.stderr)
  assert.match(fromEnvironment.stderr, /^revoked: key_\w+\n$/)
  assert.equal(run(arguments_, '').status, 2)
  for (const input of ['', '\n', 'x'.repeat(2_000), mintSecret('customer').slice(1)]) {
    const { status, stderr } = run([...arguments_, '-'], input)
    assert.equal(status, 1, stderr)
    assert.doesNotMatch(stderr, /xxx/)
  }
  // As far as the connection, which is not answered: the key was read.
  const recording = join(folder.path, 'one.jsonl')
  writeFileSync(recording, '')
  const sending = ['feed', 'send', recording, '--format', 'observations', '--to', 'stomp://127.0.0.1:1']
  assert.equal(run(sending, '').status, 2)
  assert.match(run(sending, '', { ODDSWIRE_KEY: mintSecret('customer') }).stderr, /must be a feed key/)
  assert.match(run([...sending, '--key', '-'], mintSecret('customer')).stderr, /must be a feed key/)
  assert.doesNotMatch(run([...sending, '--key', '-'], mintSecret('feed')).stderr, /--key/)
})

test('a process that ends by a fault leaves a store that the next one serves', async () => {
  const dir = join(folder.path, 'fault')
  const hook = new URL('./end-process.js', import.meta.url).href
  const child = endedWithTests(
    spawn(process.execPath, ['--import', hook, MAIN, 'serve', '--data-dir', dir, ...PORTS], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGUSR2')
  const [code] = await exited
  assert.equal(code, 1)
  const next = await startService(dir)
  assert.equal(await next.stop(), 0)
})
