import assert from 'node:assert/strict'
import { rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { LogSpace } from '../../src/command/log-space.ts'
import { LIMITS } from '../../src/limits.ts'
import { checkpointPath } from '../../src/log/log-folder.ts'
import { until } from '../feeds/waiting.ts'
import { newFolder } from '../service.ts'

test('one line before the disk is full, one when there is room again; it looks once a minute', async () => {
  const folder = newFolder()
  const lines: string[] = []
  let turn = 0
  const space = new LogSpace(
    folder.path,
    () => turn,
    (level, message) => lines.push(`${level} ${message}`),
  )
  try {
    space.look(0)
    await until('it was measured', () => space.freeBytes !== undefined)
    const { bavail, bsize } = statfsSync(folder.path)
    assert(space.freeBytes! > 0 && space.freeBytes! < 2 * bavail * bsize)
    const before = lines.length
    // A checkpoint, without contents, of which two do not fit.
    turn = 7
    const path = checkpointPath(folder.path, turn)
    writeFileSync(path, '')
    truncateSync(path, space.freeBytes!)
    space.look(LIMITS.logSpaceMs - 1)
    space.look(LIMITS.logSpaceMs)
    space.look(LIMITS.logSpaceMs + 1)
    await until('it warns', () => lines.length > before)
    assert.match(lines.at(-1)!, /^warn the disk of the log has \d+ octets left, and .* need \d+: free space on it$/)
    rmSync(path)
    writeFileSync(path, '')
    space.look(2 * LIMITS.logSpaceMs)
    await until('there is room', () => lines.length > before + 1)
    assert.match(lines.at(-1)!, /^info the disk of the log has \d+ octets left: that is enough again$/)
    assert.equal(lines.length, before + 2)
  } finally {
    folder.remove()
  }
})
