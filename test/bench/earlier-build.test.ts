// An earlier commit is built and run in a folder of its own: a repository of one file, whose build and bench are the least.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { buildEarlier } from '../../bench/earlier-build.ts'

const folder = mkdtempSync(join(tmpdir(), 'oddswire-earlier-test-'))
after(() => rmSync(folder, { recursive: true }))

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim()

/** Writes what its bench was called with, and whether it had the packages of the work tree. */
const BENCH = `
const { writeFileSync, existsSync } = require('node:fs')
const [file] = process.argv.slice(-1)
writeFileSync(file, JSON.stringify({
  commit: COMMIT,
  packages: existsSync('node_modules/a'),
  targets: process.argv.slice(2, -3).map((id) => ({ id, failed: id === 'P9' ? ['restart'] : [] })),
}))
`

const commit = (name: string, lock = '{}'): string => {
  const bench = BENCH.replace('COMMIT', JSON.stringify(name))
  const build = 'mkdir -p dist/bench && cp main.cjs dist/bench/main.js'
  writeFileSync(join(folder, 'main.cjs'), bench)
  writeFileSync(join(folder, 'package-lock.json'), lock)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'a', version: '1.0.0', scripts: { build } }))
  git('add', '.')
  git('commit', '--quiet', '--message', name)
  return git('rev-parse', '--short=10', 'HEAD')
}

const LOCK = JSON.stringify({ name: 'a', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'a' } } })

git('init', '--quiet')
writeFileSync(join(folder, '.gitignore'), 'node_modules\ndist\n')
mkdirSync(join(folder, 'node_modules', 'a'), { recursive: true })
const otherLock = commit('other lock', LOCK)
const first = commit('first')
commit('second')

const folders = (): readonly string[] => readdirSync(tmpdir()).filter((name) => /^oddswire-earlier-(?!test)/.test(name))

test('an earlier commit is built beside the work tree, runs what is asked for, and leaves nothing', () => {
  const before = folders()
  const build = buildEarlier(folder, first)
  const made = folders().filter((name) => !before.includes(name))
  assert.equal(made.length, 1)
  for (const ids of [['P1', 'P4'], ['P2']]) {
    const targets = ids.map((id) => ({ id, failed: [] }))
    assert.deepEqual(build.run(ids) as unknown, { commit: 'first', packages: true, targets })
  }
  assert(!existsSync(join(folder, 'dist')), 'it was built in the work tree')
  build.remove()
  assert(!existsSync(join(tmpdir(), made[0]!)))
  assert(existsSync(join(folder, 'node_modules', 'a')), 'packages of the work tree are removed with it')
})

test('where other packages are locked, it has its own', () => {
  const build = buildEarlier(folder, otherLock)
  const targets = [{ id: 'P1', failed: [] }]
  assert.deepEqual(build.run(['P1']) as unknown, { commit: 'other lock', packages: false, targets })
  build.remove()
})

test('a bench that fails gives no figures, nor those of the run before', () => {
  const build = buildEarlier(folder, first)
  assert.throws(() => build.run(['P1', 'P9']), /benches of .* failed: P9/)
  build.run(['P1'])
  const [made] = folders().filter((name) => existsSync(join(tmpdir(), name, 'dist', 'earlier.json')))
  writeFileSync(join(tmpdir(), made!, 'dist', 'bench', 'main.js'), 'process.exit(1)')
  assert.throws(() => build.run(['P1']), /left no figures/)
  build.remove()
})

test('a commit that is not there, or that cannot be built, is refused and leaves nothing', () => {
  const before = folders()
  assert.throws(
    () => buildEarlier(folder, '0123456789'),
    /commit 0123456789 cannot be built here: git archive: .*0123456789.*--unshallow/s,
  )
  const scripts = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { build: string } }
  scripts.scripts.build = 'echo broken >&2; exit 1'
  writeFileSync(join(folder, 'package.json'), JSON.stringify(scripts))
  git('commit', '--quiet', '--all', '--message', 'broken')
  assert.throws(() => buildEarlier(folder, 'HEAD'), /broken/)
  assert.deepEqual(folders(), before)
})
