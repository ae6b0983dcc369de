// The flag of the unit and the image does not keep V8 from taking code from the cache of Node's own modules.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../root.ts'

const MODULE = JSON.stringify(join(ROOT, 'dist', 'src', 'command', 'node-cache.js'))

/** What V8 compares before it takes code from a cache: its version and flags. */
const tagOf = (script: string, options: string): string => {
  const source = `import { cachedDataVersionTag } from 'node:v8'\n${script}\nconsole.log(cachedDataVersionTag())`
  const env = { ...process.env, NODE_OPTIONS: options }
  const words = ['--input-type=module', '-e', source]
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env })
  assert.match(stdout, /^\d+\n$/, stderr)
  return stdout
}

test("with --max-semi-space-size V8 takes code from the cache of Node's modules", () => {
  const flag = '--max-semi-space-size=4'
  const plain = tagOf('', '')
  assert.notEqual(tagOf('', flag), plain, 'V8 compares the flag')
  assert.equal(tagOf(`const { useNodeCache } = await import(${MODULE}); useNodeCache()`, flag), plain)
  assert.equal(tagOf(`const { useNodeCache } = await import(${MODULE}); useNodeCache()`, ''), plain)
})
