// SIGKILL under load: what was confirmed or seen is still there.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { spreadMs } from './fault.ts'
import { Rig } from './rig.ts'

const SHORT = 25
const LONG = 1_000

/** A kill in so many comes after so much load that a checkpoint is made. */
const CHECKPOINT_EVERY = 20
const CHECKPOINT_FIRST = 5

const checkpoints = (dataDir: string): string[] =>
  readdirSync(join(dataDir, 'log')).filter((name) => name.includes('.ckpt'))

/** Shares of kills in special moments, and how long these may last. */
const IN_THE_END = 0.2
const END_MS = 500
const IN_THE_START = 0.1
const START_MS = 1_500

export const kills: Fault = {
  name: 'kill',
  promise:
    'nothing that was confirmed or seen is lost or changed, one epoch, no gap, at most two blocks of requests a kill',
  async run({ isLong, runs = isLong ? LONG : SHORT, seed, folder, store, note }) {
    const rig = new Rig({ folder, store, seed })
    const { violations, record, subscriber, reader, random } = rig
    await rig.begin()
    const readyMs: number[] = []
    const counts = { starts: 0, checkpoints: 0 }
    for (let run = 1; run <= runs && violations.count === 0; run++) {
      await rig.receipts(random.int(1, 1_500))
      if (run % CHECKPOINT_EVERY === CHECKPOINT_FIRST) {
        // At the moment when a checkpoint is begun, or done.
        const before = checkpoints(rig.dataDir)
        await rig.until('a checkpoint is made', () => checkpoints(rig.dataDir).some((name) => !before.includes(name)))
        counts.checkpoints++
      }
      if (random.chance(IN_THE_END)) {
        // In the middle of an end in order, perhaps while the checkpoint is written.
        rig.server.signal('SIGTERM')
        await pause(random.int(0, END_MS))
      }
      await rig.server.end('SIGKILL')
      await rig.gone()
      while (random.chance(IN_THE_START)) {
        const halfStarted = rig.spawn()
        await pause(random.int(0, START_MS))
        await halfStarted.end('SIGKILL')
        counts.starts++
      }
      readyMs.push((await rig.start()).readyMs)
      violations.check(rig.server.warnings.length === 0, () => `run ${run}: ${rig.server.warnings.join('; ')}`)
      await reader.audit(rig.server.ports.http)
      await rig.connectDesk()
      const compareReplay = await rig.again()
      await rig.connectPublishers()
      rig.readRest()
      await rig.receipts(1)
      await compareReplay()
      record.compare(subscriber.seq)
      violations.check(subscriber.desk.resets.length === 0, () => `run ${run}: reset ${subscriber.desk.resets}`)
      if (run % 100 === 0) note(`${run} kills, ${record.receipts} receipts, ready ${spreadMs(readyMs)}`)
    }
    await rig.quiet()
    await rig.settled()
    await reader.stop()
    await reader.audit(rig.server.ports.http)
    const quota = rig.checkQuota(readyMs.length + counts.starts)
    await rig.end()
    const seen = `${record.receipts} receipts, ${subscriber.messages} messages, ${quota}; ${counts.starts} starts were killed, too, ${counts.checkpoints} at a checkpoint; ready ${spreadMs(readyMs)}`
    return { runs: readyMs.length, seen, violations: violations.lines }
  },
}
