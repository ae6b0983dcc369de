// Late writes, one after the other, in a process that has nothing else to do.

import { openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { QuickWriter } from '../../src/log/quick-writer.ts'

const writer = new QuickWriter(0)
const fd = openSync(process.argv[2]!, 'w')
let late = 0
while (late < 20) {
  if (writer.write(fd, new Uint8Array(100), 0) === undefined && writer.idle === undefined) {
    // The thread has not begun.
    await pause(1)
    continue
  }
  if (writer.idle === undefined) continue
  await writer.idle
  late++
}
process.stdout.write(`${late} late writes have ended\n`)
