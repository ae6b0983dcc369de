// What oddswire doctor says of the data folder: the folder, its disk, the store and the log. One file is written there to
// time the disk, and deleted again.

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isFault, messageOf } from '../access/fault.ts'
import { lookAtStore } from '../access/store-look.ts'
import * as clock from '../clock.ts'
import type { Settings } from '../config.ts'
import { grouped } from '../domain/grouped.ts'
import { LIMITS } from '../limits.ts'
import { DISK } from '../log/disk.ts'
import { statLog } from '../log/inspect.ts'
import { fine, type Finding, note, warning, wrong, wrongBy } from './findings.ts'
import { logFolder } from './log-recovery.ts'

/** Flushes of a block, of which the median counts. */
const SYNCS = 15
const BLOCK_BYTES = 4_096

/** With `fsync` always a RECEIPT waits for one flush; else flushes go on beside the service, and may be slower. */
const SLOW_ALWAYS_MS = 10
const SLOW_MS = 100

/** File systems of other machines, as statfs(2) names them: their locks and flushes are not those of a local disk. */
const REMOTE = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
])

/** Kept in memory: gone at the next start of the host. */
const TMPFS = 0x01021994

const room = (bytes: number): string => `${grouped(Math.floor(bytes / 1_048_576))} MiB`

/** The folder, or the nearest one above it that is there. */
const existing = (path: string): string => (existsSync(path) || dirname(path) === path ? path : existing(dirname(path)))

export const diskFindings = async (settings: Settings): Promise<Finding[]> => {
  const folder = resolve(settings.dataDir)
  const there = existing(folder)
  const id = 'data folder'
  if (!statSync(there).isDirectory()) {
    return [wrong(id, `${there} is not a folder`, 'choose another with --data-dir')]
  }
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return [
      wrong(
        id,
        `${there} cannot be written (${messageOf(error)})`,
        'give it to the user of the service, or choose another with --data-dir',
      ),
    ]
  }
  const { log, bytes: logBytes, kept } = await logFinding(settings.dataDir)
  return [
    folderFinding(folder, there),
    spaceFinding(there, settings, logBytes, kept),
    speedFinding(there, settings),
    ...storeFindings(settings.dataDir),
    log,
  ]
}

const folderFinding = (folder: string, there: string): Finding => {
  const id = 'data folder'
  if (folder !== there) return note(id, `${folder} is not there yet: serve makes it`)
  const { type } = statfsSync(there)
  const remote = REMOTE.get(type)
  if (remote !== undefined) {
    return wrong(id, `${folder} is on ${remote}`, 'put it on a local disk: locks and flushes are not certain there')
  }
  if (type === TMPFS) {
    return warning(id, `${folder} is in memory (tmpfs)`, 'put it on a disk: a start of the host loses it')
  }
  // Group and others: it holds hashes of keys.
  if ((statSync(folder).mode & 0o077) !== 0) {
    return warning(id, `${folder} can be read by other users`, `chmod 700 ${folder}`)
  }
  return fine(id, folder)
}

const spaceFinding = (folder: string, { logBytesMax }: Settings, logBytes: number, kept: number): Finding => {
  const id = 'disk space'
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  // As the server warns: a checkpoint is written beside the two before it.
  const needed = 2 * kept + LIMITS.logSegmentBytesMax
  const found = `${room(free)} free`
  if (free < needed)
    return wrong(id, `${found}, and a segment and two checkpoints need ${room(needed)}`, 'free space on it')
  const wanted = logBytesMax - logBytes
  return free < wanted
    ? warning(id, `${found}, and the log may take ${room(wanted)} more`, 'set a smaller --log-bytes-max, or free space')
    : fine(id, found)
}

const speedFinding = (folder: string, { fsync }: Settings): Finding => {
  try {
    return flushFinding(medianFlushMs(folder), fsync)
  } catch (error) {
    return wrong(
      'disk flush',
      `nothing can be written in ${folder} (${messageOf(error)})`,
      'free space on the disk, and check it',
    )
  }
}

/** @param ms the time of a usual flush */
export const flushFinding = (ms: number, fsync: Settings['fsync']): Finding => {
  const id = 'disk flush'
  const found = `${ms.toFixed(1)} ms a flush (median of ${SYNCS})`
  if (ms > LIMITS.logSlowMsMax)
    return wrong(id, found, 'take another disk: the service reports each as trouble of the log')
  if (fsync === 'always' && ms > SLOW_ALWAYS_MS) {
    return warning(id, `${found}, and each RECEIPT waits for one`, 'take a faster disk, or --fsync interval:50ms')
  }
  return ms > SLOW_MS ? warning(id, found, 'take a faster disk, or see what else writes to it') : fine(id, found)
}

const medianFlushMs = (folder: string): number => {
  const path = join(folder, `.oddswire-doctor-${process.pid}`)
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    const block = Buffer.alloc(BLOCK_BYTES, 1)
    const times = Array.from({ length: SYNCS }, () => {
      writeSync(descriptor, block)
      const beganMs = clock.elapsedMs()
      fdatasyncSync(descriptor)
      return clock.elapsedMs() - beganMs
    })
    return times.toSorted((a, b) => a - b)[SYNCS >> 1]!
  } finally {
    closeSync(descriptor)
    rmSync(path, { force: true })
  }
}

const storeFindings = (dataDir: string): Finding[] => {
  const id = 'store'
  const look = lookAtStore(dataDir)
  if (look === undefined) return [note(id, 'there is none yet: serve or org create makes it'), NO_COVERAGE]
  if (typeof look === 'string') return [note(id, `not read: ${look}`)]
  if (isFault(look)) return [wrongBy(id, look, 'restore a backup (docs/operations.md 8)')]
  const { organizations, bookmakers } = look
  return [
    organizations === 0
      ? warning(
          id,
          'it has no organization, so nobody has a key',
          'oddswire org create NAME --plan PLAN, then key create',
        )
      : fine(id, `${organizations} organization(s)`),
    bookmakers === 0 ? NO_COVERAGE : fine('coverage', `${bookmakers} bookmaker(s)`),
  ]
}

const NO_COVERAGE = warning(
  'coverage',
  'no bookmaker has verified coverage: nothing is shown to customers, whatever the sources say',
  'oddswire coverage import FILE, or coverage set (serve --demo brings its own)',
)

/** With the octets of the log, and of its newest checkpoint. */
const logFinding = async (dataDir: string): Promise<{ log: Finding; bytes: number; kept: number }> => {
  const id = 'log'
  const folder = logFolder(dataDir)
  if (!existsSync(folder)) return { log: note(id, 'there is none yet: serve makes it'), bytes: 0, kept: 0 }
  try {
    const { bytes, turns, checkpoints, faults } = await statLog(DISK, folder)
    const kept = checkpoints.at(-1)?.bytes ?? 0
    const [first] = faults
    const advice = 'oddswire log check names all that is damaged (docs/operations.md 11)'
    const log =
      first === undefined
        ? fine(id, `${grouped(turns)} turns, ${room(bytes)}`)
        : wrong(id, first.message, first.advice ?? advice)
    return { log, bytes, kept }
  } catch (error) {
    const found = `${folder} cannot be read (${messageOf(error)})`
    return { log: wrong(id, found, 'make it readable for this user'), bytes: 0, kept: 0 }
  }
}
