// Flipped octets and truncated files in the data of a server that was killed or stopped: found and named, and nothing that
// was never a price is shown.

import { closeSync, openSync, readdirSync, readSync, statSync, truncateSync, utimesSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../random.ts'
import type { Fault } from './fault.ts'
import { Rig } from './rig.ts'

const SHORT = 20
const LONG = 500

/** A header of a segment, or of a checkpoint, is about so long. */
const HEADER_BYTES = 400

/** Whoever truncates a file does so some time after it was written: the time of the file says when. */
const LATER_S = 60

interface Damage {
  readonly file: string
  readonly text: string
}

/** Damages one file of the log, most often the end, where a restart reads. */
const damageOne = (folder: string, random: Random): Damage => {
  const files = readdirSync(folder).filter((name) => /\.(seg|ckpt)$/.test(name))
  const isLast = random.chance(0.6)
  const candidates = isLast
    ? ['seg', 'ckpt'].flatMap((kind) => files.filter((name) => name.endsWith(kind)).slice(-1))
    : files
  const file = candidates[random.int(0, candidates.length - 1)]!
  const path = join(folder, file)
  const { size } = statSync(path)
  const offset = random.int(0, (random.chance(0.2) ? Math.min(HEADER_BYTES, size) : size) - 1)
  if (random.chance(0.25)) {
    truncateSync(path, offset)
    const at = Date.now() / 1_000 + LATER_S
    utimesSync(path, at, at)
    return { file, text: `${file} truncated to ${offset} of ${size}` }
  }
  const octet = Buffer.alloc(1)
  const mask = random.chance(0.5) ? 1 << random.int(0, 7) : random.int(1, 255)
  const fd = openSync(path, 'r+')
  readSync(fd, octet, 0, 1, offset)
  octet[0]! ^= mask
  writeSync(fd, octet, 0, 1, offset)
  closeSync(fd)
  return { file, text: `${file} octet ${offset} of ${size} flipped by ${mask}` }
}

export const damage: Fault = {
  name: 'damage',
  promise:
    'damage is named with its file; nothing is shown that never was a price; what is lost is a new epoch, and desks get reset',
  async run({ isLong, runs = isLong ? LONG : SHORT, seed, folder, store, note }) {
    const rig = new Rig({ folder, store, seed, events: 8 })
    const { violations, random } = rig
    await rig.begin()
    await rig.reader.stop()
    const counts = { newEpoch: 0, nothingLost: 0, offsets: 0 }
    let run = 0
    while (run < runs && violations.count === 0) {
      run++
      await rig.receipts(random.int(1, 400))
      const end = random.chance(0.5) ? 'SIGKILL' : 'SIGTERM'
      await rig.server.end(end)
      await rig.gone()
      const { file, text } = damageOne(join(rig.dataDir, 'log'), random)
      const what = `run ${run} (${end}, ${text})`
      try {
        await rig.start()
      } catch (error) {
        violations.add(`${what}: ${(error as Error).message}`)
        break
      }
      const { warnings } = rig.server
      const isNew = await rig.goOnWithEither(what)
      const named = warnings.filter((line) => line.includes(file))
      if (isNew) {
        counts.newEpoch++
        const isExplained = warnings.some((line) => /^epoch \w+ begins, because/.test(line))
        violations.check(isExplained, () => `${what}: a new epoch, and the log does not say so`)
        const isNamed = named.length > 0 || warnings.some((line) => /another program|is a copy|ends at turn/.test(line))
        violations.check(isNamed, () => `${what}: the file is not named: ${warnings.join('; ')}`)
      } else counts.nothingLost++
      if (named.some((line) => /offset|octet \d|at \d/.test(line))) counts.offsets++
      for (const line of named) {
        violations.check(!line.includes('\n'), () => `${what}: more than one line: ${line}`)
      }
      if (run <= 5) note(`${text}: ${warnings.join(' | ') || 'nothing reported'}`)
      if (run % 50 === 0) note(`${run}: ${JSON.stringify(counts)}`)
    }
    await rig.end()
    return {
      runs: run,
      seen: `${counts.newEpoch} new epochs, ${counts.nothingLost} without any loss, the offset named ${counts.offsets} times; ${rig.record.receipts} receipts`,
      violations: violations.lines,
    }
  },
}
