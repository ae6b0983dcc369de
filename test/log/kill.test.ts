// A process that appends is killed again and again: what it has reported written is there, and the epoch goes on.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FsyncMode } from '../../src/log/segment-writer.ts'
import { endedWithTests } from '../children.ts'
import { Random, SEED } from '../random.ts'
import { ROOT } from '../root.ts'
import { newFolder } from './log-folder.ts'

const KILLS = Number(process.env.ODDSWIRE_TEST_KILLS ?? 20)
/** Each start replays all turns: begin anew before that takes long. */
const SAME_FOLDER = 20
const CHILD = join(ROOT, 'dist/test/log/appending-child.js')

for (const fsync of ['always', 'interval'] as const satisfies FsyncMode[]) {
  test(`${KILLS} kills lose nothing that was written (${fsync})`, { timeout: 900_000 }, async () => {
    const random = new Random(SEED)
    let folder = ''
    let epoch = ''
    let confirmed = 0
    let moved = 0
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % SAME_FOLDER === 0) {
        folder = join(newFolder(), 'log')
        mkdirSync(folder)
        confirmed = 0
      }
      const child = endedWithTests(spawn(process.execPath, [CHILD, folder, fsync]))
      let errors = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
      // A part of a line is not said.
      let rest = ''
      const before = confirmed
      const about = `seed ${SEED}, kill ${kill}`
      // Half of them from the first turn that is written: on a busy machine none may be so soon after the log is opened.
      const from = kill % 2 === 0 ? 'open' : 'written'
      const killAfterMs = random.int(0, 60)
      let isDying = false
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop()!
        for (const line of lines) {
          const [word, first, second, ...why] = line.split(' ')
          if (word === from && !isDying) {
            isDying = true
            setTimeout(() => child.kill('SIGKILL'), killAfterMs)
          }
          if (word === 'open') {
            assert.ok(Number(second) >= before, `${about}: ${second} of ${before} turns`)
            // Before the first segment exists, nothing has been written, and the next process begins an epoch of its own.
            if (before > 0) assert.deepEqual([first, why.join(' ')], [epoch, ''], about)
            epoch = first!
          } else {
            assert.equal(word, 'written', `${about}: ${line}`)
            confirmed = Number(first)
          }
        }
      })
      const [code] = (await once(child, 'close')) as [number | null]
      assert.equal(code, null, `${about}: ${errors}`)
      if (confirmed > before) moved++
    }
    assert.ok(moved >= KILLS >> 1, `seed ${SEED}: ${moved} of ${KILLS} processes wrote`)
  })
}
