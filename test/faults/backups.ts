// Restored backups: what was seen since the copy is gone, so another epoch begins, and desks are told.

import { cpSync, renameSync, rmSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import * as clock from '../../src/clock.ts'
import type { Fault } from './fault.ts'
import { Rig } from './rig.ts'

/** As docs say, of times of files: what is younger than this may look like the file itself. */
const AGE_MS_MIN = 6_000

type Way = (dataDir: string, copy: string) => void

const copyTo = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to])

/** How a copy comes back. */
const WAYS: Readonly<Record<string, Way>> = {
  'folder renamed': (dataDir, copy) => {
    rmSync(dataDir, { recursive: true })
    renameSync(copy, dataDir)
  },
  'copied over what is there': (dataDir, copy) => copyTo(`${copy}/.`, dataDir),
  'only the log': (dataDir, copy) => {
    rmSync(join(dataDir, 'log'), { recursive: true })
    copyTo(join(copy, 'log'), join(dataDir, 'log'))
  },
  'only the log, copied over': (dataDir, copy) => copyTo(`${join(copy, 'log')}/.`, join(dataDir, 'log')),
  'as an archive restores it': (dataDir, copy) => {
    execFileSync('tar', ['-C', copy, '-cf', `${copy}.tar`, '.'])
    execFileSync('tar', ['-C', dataDir, '-xf', `${copy}.tar`])
    rmSync(`${copy}.tar`)
  },
  'without times': (dataDir, copy) => cpSync(copy, dataDir, { recursive: true, force: true }),
}

const LONG_TIMES = 5

export const backups: Fault = {
  name: 'backup',
  promise:
    'where a copy of the data that is put back lacks something, a new epoch begins, and desks get reset; no seq has another content in one epoch',
  async run({ isLong, runs = Object.keys(WAYS).length * (isLong ? LONG_TIMES : 1), seed, folder, store, note }) {
    const rig = new Rig({ folder, store, seed, events: 8, args: ['--accept-store'] })
    const { violations, random } = rig
    await rig.begin()
    await rig.reader.stop()
    const names = Object.keys(WAYS)
    let run = 0
    let newEpochs = 0
    for (; run < runs && violations.count === 0; run++) {
      const name = names[run % names.length]!
      const isRunning = (run + Math.floor(run / names.length)) % 2 === 0
      const copy = join(folder, `copy-${run}`)
      const what = `${name}, copied ${isRunning ? 'while it ran' : 'after it had stopped'}`
      await rig.receipts(random.int(1, 400))
      if (!isRunning) {
        await rig.server.end('SIGTERM')
        await rig.gone()
      }
      copyTo(rig.dataDir, copy)
      const copiedMs = clock.elapsedMs()
      if (!isRunning) {
        await rig.start()
        await rig.connectDesk()
        await rig.connectPublishers()
      }
      await rig.receipts(random.int(1, 400))
      await rig.quiet()
      await rig.until('the copy is old', () => clock.elapsedMs() - copiedMs > AGE_MS_MIN)
      rig.flow()
      await rig.receipts(1)
      await rig.server.end('SIGKILL')
      await rig.gone()
      WAYS[name]!(rig.dataDir, copy)
      rmSync(copy, { recursive: true, force: true })
      await rig.start()
      const isNew = await rig.goOnWithEither(what)
      if (isNew) newEpochs++
      note(`${what}: ${rig.server.warnings.join(' | ') || 'nothing is missing'}`)
    }
    await rig.end()
    return {
      runs: run,
      seen: `${newEpochs} new epochs, ${run - newEpochs} without any loss; ${rig.record.receipts} receipts`,
      violations: violations.lines,
    }
  },
}
