// The package as npm makes it: it runs with its dependencies alone, and holds what the program reads beside itself.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../root.ts'
import { newFolder } from '../service.ts'

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}

test('what npm packs serves the demo without the tools that have built it', () => {
  const folder = newFolder()
  try {
    // As it is built: other tests run from dist/ meanwhile.
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder.path]
    const packed = spawnSync('npm', pack, { cwd: ROOT, encoding: 'utf8' })
    assert.equal(packed.status, 0, packed.stderr)
    const file = readdirSync(folder.path).find((name) => /^oddswire-.*\.tgz$/.test(name))!
    assert.equal(spawnSync('tar', ['-xzf', file], { cwd: folder.path }).status, 0)
    const program = join(folder.path, 'package')
    for (const path of ['docs/operations.md', 'deploy/oddswire.service', 'coverage', 'examples/board.mjs', 'LICENSE']) {
      assert(existsSync(join(program, path)), path)
    }
    for (const path of ['test', 'bench', 'dist/test', 'src', 'node_modules', '.env']) {
      assert(!existsSync(join(program, path)), path)
    }
    // Its dependencies, as installed here; what they depend on is found from where they are.
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
    for (const [path, { dev }] of Object.entries(packages)) {
      if (dev === true || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || !existsSync(join(ROOT, path))) continue
      mkdirSync(dirname(join(program, path)), { recursive: true })
      symlinkSync(join(ROOT, path), join(program, path))
    }
    const { bin, version } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8')) as {
      readonly bin: Readonly<Record<string, string>>
      readonly version: string
    }
    const main = join(program, bin.oddswire!)
    assert.equal(spawnSync(main, ['--version'], { encoding: 'utf8' }).stdout, `${version}\n`)
    // A reader that ends as soon as the key is there, which ends the service in order.
    const script = [
      "const { spawn } = require('node:child_process')",
      "const child = spawn(process.argv[1], process.argv.slice(2), { stdio: ['ignore', 'pipe', 'inherit'] })",
      "let text = ''",
      "child.stdout.on('data', (chunk) => { text += chunk; if (/Contract: /.test(text)) child.kill('SIGTERM') })",
      "child.once('exit', (code) => { console.log(text); process.exit(code) })",
    ].join('\n')
    const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0', '--log-level', 'error']
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['-e', script, '--', main, 'serve', '--demo', '--data-dir', join(folder.path, 'data'), ...ports],
      { encoding: 'utf8', cwd: folder.path },
    )
    assert.equal(status, 0, stderr)
    assert.match(stdout, /"ready":true/)
    // The example is in the package.
    assert.match(stdout, /examples\/board\.mjs/)
  } finally {
    folder.remove()
  }
})
