// Priorities of threads: which are V8's, and that the event loop and the threads of the service keep theirs.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { threadsOfV8 } from '../../src/command/thread-priority.ts'
import { Random, SEED } from '../random.ts'
import { ROOT } from '../root.ts'

test('the threads of V8 are the first that a process began, wherever the numbers begin anew', () => {
  const random = new Random(SEED)
  for (let run = 0; run < 2_000; run++) {
    // The system gives numbers in turn, others take some between, and it begins anew at the end.
    const end = random.chance(0.5) ? 32_768 : 2 ** 22
    let number = random.chance(0.5) ? end - random.int(1, 40) : random.int(300, end - 1)
    const started = Array.from({ length: random.int(1, 20) }, () => {
      const taken = number
      number += random.int(1, 4)
      if (number >= end) number = 300 + random.int(0, 3)
      return taken
    })
    const [pid, ...others] = started as [number, ...number[]]
    const shuffled = [...started].sort(() => random.next() - 0.5)
    const found = [...threadsOfV8(pid, shuffled)]
    assert.deepEqual(found, others.slice(0, 5), `seed ${SEED}, run ${run}: ${started.join(' ')}`)
  }
})

// A run that has a low priority itself shows nothing.
const IS_SKIPPED = process.platform !== 'linux' || getPriority() >= 10

const MODULE = JSON.stringify(join(ROOT, 'dist', 'src', 'command', 'thread-priority.js'))

const SCRIPT = `
import { readFile } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
const { yieldV8 } = await import(${MODULE})
const threads = () => readdirSync('/proc/self/task').map(Number)
const before = getPriority(process.pid)
yieldV8()
const lowered = threads().filter((thread) => getPriority(thread) === 10).length
const plain = new Worker('setTimeout(() => {}, 3e5)', { eval: true })
await new Promise((resolve) => plain.once('online', resolve))
await readFile('/proc/self/stat')
const withPlain = threads().filter((thread) => getPriority(thread) === 10).length
const source = 'import(' + JSON.stringify(${MODULE}) + ').then((m) => { m.yieldThread(); return import("node:worker_threads") }).then((w) => { w.parentPort.postMessage(0); setTimeout(() => {}, 3e5) })'
const low = new Worker(source, { eval: true })
await new Promise((resolve) => low.once('message', resolve))
const withLow = threads().filter((thread) => getPriority(thread) === 10).length
console.log(JSON.stringify({ lowered, withPlain, withLow, isKept: getPriority(process.pid) === before }))
process.exit()
`

test('the event loop and threads that begin later keep their priority', { skip: IS_SKIPPED }, () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], { encoding: 'utf8' })
  assert.ok(stdout !== '', stderr)
  assert.deepEqual(JSON.parse(stdout), { lowered: 5, withPlain: 5, withLow: 6, isKept: true })
})

const COLLECTIONS = `
import { PerformanceObserver } from 'node:perf_hooks'
import { runInNewContext } from 'node:vm'
const { newCollectYoung } = await import(${MODULE})
let count = 0
const MINOR = 1
new PerformanceObserver((list) => {
  count += list.getEntries().filter(({ detail }) => detail.kind === MINOR).length
}).observe({ entryTypes: ['gc'] })
const collectYoung = newCollectYoung()
for (let call = 0; call < 20; call++) collectYoung()
setTimeout(() => console.log(JSON.stringify({ count, later: runInNewContext('typeof gc') })), 50)
`

test('what is young is collected at once, and no other code can do it', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', COLLECTIONS], {
    encoding: 'utf8',
  })
  assert.ok(stdout !== '', stderr)
  const { count, later } = JSON.parse(stdout)
  assert.ok(count >= 20 && count < 30, `collected ${count} times`)
  assert.equal(later, 'undefined')
})
