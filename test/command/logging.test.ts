// The log for the journal of systemd: a priority before each line where stderr is the journal, nothing elsewhere.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { priorityOf } from '../../src/command/logging.ts'
import { MAIN, newFolder } from '../service.ts'

test('levels are the priorities of syslog', () => {
  assert.deepEqual([10, 20, 30, 40, 50, 60].map(priorityOf), [7, 7, 6, 4, 3, 2])
})

test('a line has its priority where stderr is the journal, and only there', () => {
  const folder = newFolder()
  // A source that is off is a warning; a demo that is ended by its first signal logs information.
  const feeds = join(folder.path, 'feeds.json')
  const source = { name: 'keyed', kind: 'pinnacle', baseUrl: 'http://127.0.0.1:1/' }
  const groups = [{ name: 'f', matchups: 'm', straight: 's' }]
  const credential = { header: 'X-Secret', value: '$LOGGING_SECRET' }
  writeFileSync(feeds, JSON.stringify({ sources: [{ ...source, groups, credential }] }))
  const file = join(folder.path, 'journal')
  const linesWith = (streamOf: (descriptor: number) => string): string[] => {
    const descriptor = openSync(file, 'w')
    // It is ended as soon as it says that it is ready.
    const program = [
      "const { spawn } = require('node:child_process')",
      "const child = spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })",
      "child.stdout.once('data', () => child.kill('SIGTERM'))",
      "child.once('exit', (code) => process.exit(code))",
    ].join('\n')
    const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0', '--ready-after', '0']
    const { status } = spawnSync(
      process.execPath,
      ['-e', program, '--', MAIN, 'serve', '--feeds', feeds, '--data-dir', join(folder.path, 'data'), ...ports],
      {
        stdio: ['ignore', 'ignore', descriptor],
        env: { ...process.env, JOURNAL_STREAM: streamOf(descriptor) },
      },
    )
    closeSync(descriptor)
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    assert.equal(status, 0, lines.join('\n'))
    return lines
  }
  try {
    const lines = linesWith((descriptor) => {
      const { dev, ino } = fstatSync(descriptor)
      return `${dev}:${ino}`
    })
    for (const line of lines) {
      const [, priority, text] = /^<(\d)>(\{.*\})$/.exec(line) ?? []
      assert(text !== undefined, line)
      assert.equal(Number(priority), priorityOf((JSON.parse(text) as { readonly level: number }).level))
    }
    assert(lines.some((line) => /^<6>.*"msg":"ready"/.test(line)))
    assert(lines.some((line) => /^<4>.*ready without these sources/.test(line)))
    for (const line of linesWith(() => '1:2')) assert(line.startsWith('{'), line)
  } finally {
    folder.remove()
  }
})
