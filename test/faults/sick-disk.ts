// Writes and syncs that fail, or write less than they were given, by libfiu, under load: nothing that was confirmed is lost.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as clock from '../../src/clock.ts'
import type { Fault } from './fault.ts'
import { Rig } from './rig.ts'

const FOLDERS = ['/usr/lib/fiu', '/usr/local/lib/fiu', '/usr/lib/x86_64-linux-gnu/fiu']

const EIO = 5
const ENOSPC = 28

/** How often each of these calls fails while the disk is sick. */
const SICKNESSES: Readonly<Record<string, readonly string[]>> = {
  'syncs fail': [
    `enable_random name=posix/io/sync/fdatasync,probability=0.5,failinfo=${EIO}`,
    `enable_random name=posix/io/sync/fsync,probability=0.5,failinfo=${EIO}`,
  ],
  'writes fail': [
    `enable_random name=posix/io/rw/pwrite,probability=0.3,failinfo=${EIO}`,
    `enable_random name=posix/io/rw/pwritev,probability=0.3,failinfo=${EIO}`,
  ],
  'no room, now and then': [
    `enable_random name=posix/io/rw/pwrite,probability=0.3,failinfo=${ENOSPC}`,
    `enable_random name=posix/io/rw/pwritev,probability=0.3,failinfo=${ENOSPC}`,
  ],
  'writes are short': [
    'enable_random name=posix/io/rw/pwrite/reduce,probability=0.5',
    'enable_random name=posix/io/rw/pwritev/reduce,probability=0.5',
  ],
}

const nameIn = (words: string): string => /name=([^,]+)/.exec(words)![1]!

/** Time of a sickness: the service must go on, however few observations it confirms meanwhile. */
const SICK_MS = 2_000

export const sickDisk: Fault = {
  name: 'sick-disk',
  promise:
    'writes and syncs that fail or are short: nothing confirmed is lost, works again without a restart, the epoch stays',
  async run({ isLong, runs = Object.keys(SICKNESSES).length * (isLong ? 10 : 1), seed, folder, store, note }) {
    const libraries = FOLDERS.find((path) => existsSync(join(path, 'fiu_posix_preload.so')))
    if (libraries === undefined) return { skipped: 'libfiu (package fiu-utils) is not installed' }
    const control = join(folder, 'fiu')
    const env = {
      LD_PRELOAD: `${join(libraries, 'fiu_run_preload.so')} ${join(libraries, 'fiu_posix_preload.so')}`,
      FIU_CTRL_FIFO: control,
    }
    const rig = new Rig({ folder, store, seed, args: ['--log-away', '600'] })
    const { violations, random, record, subscriber } = rig
    const tell = (words: string): void => {
      const { status, stderr } = spawnSync('fiu-ctrl', ['-f', control, '-c', words, String(rig.server.child.pid)], {
        encoding: 'utf8',
        timeout: 20_000,
      })
      if (status !== 0) throw new Error(`fiu-ctrl -c '${words}': ${stderr}`)
    }
    await rig.begin({ env })
    await rig.reader.stop()
    const names = Object.keys(SICKNESSES)
    let confirmedSick = 0
    let run = 0
    for (; run < runs && violations.count === 0; run++) {
      const name = names[run % names.length]!
      const isKilled = (run + Math.floor(run / names.length)) % 2 === 1
      await rig.receipts(random.int(1, 300))
      const sickMs = clock.elapsedMs()
      const before = record.receipts
      for (const words of SICKNESSES[name]!) tell(words)
      await rig.until('the disk was sick for a while', () => clock.elapsedMs() - sickMs > SICK_MS)
      confirmedSick += record.receipts - before
      if (!isKilled) {
        for (const words of SICKNESSES[name]!) tell(`disable name=${nameIn(words)}`)
        await rig.receipts(500)
        await rig.quiet()
        await rig.settled()
        const { status, text } = await rig.server.admin('/readyz')
        violations.check(status === 200, () => `${name}: afterwards /readyz is ${status}: ${text}`)
      }
      const problems = rig.server.warnings.length
      await rig.server.end('SIGKILL')
      await rig.gone()
      await rig.start({ env })
      await rig.reader.audit(rig.server.ports.http)
      await rig.connectDesk()
      const compareReplay = await rig.again()
      await rig.connectPublishers()
      await rig.receipts(1)
      await compareReplay()
      violations.check(subscriber.desk.resets.length === 0, () => `${name}: reset ${subscriber.desk.resets}`)
      note(
        `${name}${isKilled ? ', killed meanwhile' : ''}: ${record.receipts - before} receipts, ${problems} lines of the log`,
      )
    }
    await rig.quiet()
    await rig.settled()
    await rig.end()
    return {
      runs: run,
      seen: `${record.receipts} receipts, ${confirmedSick} of them meanwhile`,
      violations: violations.lines,
    }
  },
}
