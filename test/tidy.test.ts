// Reads the sources and holds the house rules: which room imports which, sole owners, no cycles, no dead files.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './root.ts'

/** Rooms, and the rooms that each may import. A file directly in src/ is a room of its own. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  clock: [],
  // Limits are related to how long a quote is fresh.
  limits: ['domain'],
  config: ['domain', 'limits'],
  'json-writer': [],
  durations: [],
  metrics: ['durations'],
  source: ['domain'],
  feed: ['domain', 'redis', 'source'],
  identity: ['board', 'domain'],
  board: ['domain'],
  engine: ['identity', 'board', 'log', 'domain'],
  redis: [],
  access: ['clock', 'domain', 'durations', 'redis'],
  console: ['domain'],
  pages: ['domain'],
  log: ['clock', 'domain', 'durations', 'limits', 'redis'],
  rest: ['engine', 'board', 'access', 'domain', 'json-writer'],
  stomp: ['engine', 'board', 'access', 'source', 'domain', 'json-writer'],
  explain: ['access', 'board', 'domain', 'engine', 'feed', 'stomp'],
  portal: ['access', 'explain', 'domain', 'clock'],
  server: ['rest', 'stomp', 'portal', 'domain', 'clock', 'metrics'],
  command: [
    'access',
    'clock',
    'config',
    'domain',
    'durations',
    'engine',
    'explain',
    'feed',
    'identity',
    'limits',
    'log',
    'metrics',
    'pages',
    'portal',
    'redis',
    'rest',
    'server',
    'source',
    'stomp',
  ],
  // The store's thread is begun before the rest is loaded.
  main: ['access', 'command'],
}

/** Files for tests, benches and the simulation alone, which must stay beside what they describe. */
const FOR_TESTS = ['log/checksum.ts']

/** Who alone may do what. */
const OWNERS: readonly [what: string, pattern: RegExp, owner: RegExp][] = [
  ['reads the environment', /\bprocess\.env\b|loadEnvFile/, /^config\.ts$/],
  [
    'reads the clock',
    /\bDate\.now\(|\bperformance\.now\(|\bnew Date\(\)|\bprocess\.hrtime/,
    /^(console\/browser-)?clock\.ts$/,
  ],
  ['imports uWebSockets.js', /from 'uWebSockets\.js'/, /^server\//],
  [
    'imports the store',
    /from 'better-sqlite3'/,
    /^access\/(store|store-connection|store-copy|store-look|file-lock|database-faults)\.ts$/,
  ],
  ['imports the reply cache', /from 'lru-cache'/, /^(rest|source\/uof|identity)\//],
  ['imports the client of Redis', /from 'ioredis'/, /^redis\//],
  ['imports the upstream client', /from 'stompit'/, /^source\//],
  ['imports MessagePack', /from 'msgpackr\b/, /^(stomp|log)\//],
  ['imports the AMQP client', /from 'amqplib'/, /^source\/uof\//],
  ['imports the XML parser', /from 'saxes'/, /^source\/uof\//],
  ['imports the HTTP client', /from 'undici'/, /^source\//],
]

/** Words that are out, and what to write instead. */
const BANNED: readonly [pattern: RegExp, instead: string][] = [
  [/\bexport default\b/, 'a named export'],
  [/: any\b|\bas any\b|<any>/, 'unknown at the edge, then narrow'],
  [/\benum \w+ \{/, 'a table as const'],
  [/\bMath\.random\(/, 'a seeded generator, or node:crypto'],
  [/@ts-ignore|@ts-expect-error/, 'types that fit'],
  [/\b(TODO|FIXME|XXX)\b/, 'the thing itself'],
  [/\b(DESIGN|LIVE|FEEDS) ?§? ?\d/, 'a section of docs/'],
]

const SRC = join(ROOT, 'src')

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))

const sources = new Map(files.map((path) => [path, readFileSync(join(SRC, path), 'utf8')]))

const roomOf = (path: string): string => path.split('/')[0]!.replace(/\.tsx?$/, '')

/** The files of src/ that a file imports, types included. */
const importsOf = (path: string): string[] =>
  [...sources.get(path)!.matchAll(/(?:from|import\(|new URL\()\s*'(\.{1,2}\/[^']+)'/g)]
    .map(([, target]) => relative(SRC, resolve(SRC, dirname(path), target!)).replace(/\.js$/, '.ts'))
    .filter((target) => /\.tsx?$/.test(target))

test('rooms import only what they may', () => {
  for (const path of files) {
    const room = roomOf(path)
    assert(room in ROOMS, `src/${path}: no such room; place it in the tour (src/README.md) first`)
    for (const target of importsOf(path)) {
      const other = roomOf(target)
      assert(other === room || ROOMS[room]!.includes(other), `src/${path} imports src/${target}: ${room} may not`)
    }
  }
})

test('there are no import cycles', () => {
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    assert(!trail.includes(path), `cycle: ${[...trail, path].join(' → ')}`)
    if (done.has(path)) return
    for (const target of importsOf(path)) visit(target, [...trail, path])
    done.add(path)
  }
  // Types come and go together within a room; across files with values a cycle is a knot.
  for (const path of files) visit(path, [])
})

test('every file is reached from main', () => {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    for (const target of importsOf(path)) visit(target)
  }
  visit('main.ts')
  // What the browser loads.
  visit('console/main.tsx')
  // What aliases.build.js runs.
  visit('identity/alias-rows.ts')
  assert.deepEqual(
    files.filter((path) => !reached.has(path)),
    FOR_TESTS,
  )
})

test('what has one owner has one owner', () => {
  for (const [path, source] of sources) {
    for (const [what, pattern, owner] of OWNERS) {
      assert(owner.test(path) || !pattern.test(source), `src/${path} ${what}; only ${owner.source} may`)
    }
  }
})

test('banned words are not used', () => {
  for (const [path, source] of sources) {
    for (const [pattern, instead] of BANNED) {
      assert(!pattern.test(source), `src/${path}: ${pattern.source}; write ${instead}`)
    }
    assert(!/(^|\/)(utils?|helpers?|common|index)\.tsx?$/.test(path), `src/${path}: name it after its idea`)
  }
})

test('no two files have the same name', () => {
  const byName = new Map<string, string>()
  for (const path of files) {
    const name = path.split('/').at(-1)!
    const other = byName.get(name)
    assert(other === undefined, `src/${path} has the name of src/${other}`)
    byName.set(name, path)
  }
})

test('the tour names every room', () => {
  const tour = readFileSync(join(SRC, 'README.md'), 'utf8')
  for (const room of new Set(files.map(roomOf)))
    assert(new RegExp(`^## \`${room}(/|\\.ts)\``, 'm').test(tour), `src/README.md does not name ${room}`)
})
