import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ClockFile } from '../../src/command/clock-file.ts'
import { resumedText } from '../../src/command/clock-texts.ts'
import { Host, HOUR, MINUTE } from '../host.ts'
import { newFolder } from '../service.ts'

test('the time is continued from the file, also after a kill, and without a file that can be read from the clock', async () => {
  const folder = newFolder()
  try {
    const host = new Host()
    const first = host.newClock()
    const file = new ClockFile(folder.path, first)
    file.start()
    await file.stop()
    host.run(first, HOUR, MINUTE)
    const lastTurnAt = first.now()
    host.wall += 25 * HOUR
    host.pass(MINUTE)
    const second = host.newClock()
    const resumed = new ClockFile(folder.path, second).resume(lastTurnAt)
    assert.deepEqual(resumed, { sinceTurnMs: MINUTE, isExact: true, apartMs: 25 * HOUR })
    assert.equal(second.now(), lastTurnAt + MINUTE)
    assert.match(resumedText(resumed)!, /the system's clock does not agree: it is 25\.0 h ahead of the time/)

    const path = join(folder.path, 'clock.json')
    const text = readFileSync(path, 'utf8')
    for (const bad of ['', text.slice(0, 20), '{}', 'null', '{"at":"1","bootId":"a","uptimeMs":1}']) {
      writeFileSync(path, bad)
      const other = new ClockFile(folder.path, host.newClock()).resume(lastTurnAt)
      assert.deepEqual(other, { sinceTurnMs: 25 * HOUR + MINUTE, isExact: false, apartMs: 0 })
      assert.match(resumedText(other)!, /25\.0 h have passed by the system's clock since the last turn/)
    }
  } finally {
    folder.remove()
  }
})

test('a restart after a moment is nothing to report', () => {
  assert.equal(resumedText({ sinceTurnMs: MINUTE, isExact: true, apartMs: 20 }), undefined)
})
