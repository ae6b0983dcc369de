// oddswire log: what the log of a data folder holds, and whether it is sound; also while a server writes to it.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { grouped } from '../domain/grouped.ts'
import { messageOf } from '../access/fault.ts'
import { ImageFault, UnfitImage } from '../domain/image.ts'
import { CheckpointReader } from '../log/checkpoint.ts'
import { DISK } from '../log/disk.ts'
import { checkLog, dumpLog, type LogStat, statLog } from '../log/inspect.ts'
import type { Witnessed } from '../log/file-log.ts'
import { LogFault } from '../log/log-fault.ts'
import { whyIncomplete } from '../log/recovery.ts'
import { TurnDecoder } from '../log/turn-decoder.ts'
import { WitnessFile } from '../log/witness-file.ts'
import { aligned, parseFlags, refused, unknownWord, usage } from './arguments.ts'
import { logFolder, witnessPath } from './log-recovery.ts'
import { printRows, type Row } from './table.ts'

interface LogAction {
  readonly synopsis: string
  readonly summary: string
  readonly help: string
  readonly flags: readonly string[]
  /** @param flags those that were given */
  readonly act: (folder: string, flags: Readonly<Record<string, string | undefined>>) => Promise<number>
}

const newDecoder = (): TurnDecoder => new TurnDecoder()

const timeText = (at: number): string => new Date(at).toISOString()

/** Prints what is wrong, as text on a terminal, else as JSON. */
const printFaults = (faults: readonly LogFault[]): void => {
  for (const { file = null, offset = null, what, advice, message } of faults) {
    process.stdout.write(`${process.stdout.isTTY ? message : JSON.stringify({ file, offset, what, advice })}\n`)
  }
}

/** A newer format is no damage: what this version cannot read is not judged. */
const newerOf = (faults: readonly LogFault[]): LogFault | undefined => faults.find(({ isNewer }) => isNewer)

const stat = async (folder: string): Promise<number> => {
  const found = await statLog(DISK, folder)
  const newer = newerOf(found.faults)
  if (newer !== undefined) return refused(newer.message)
  const rows = rowsOf(found)
  if (process.stdout.isTTY) process.stdout.write(`${totalLines(found).join('\n')}\n\n`)
  printRows(process.stdout.isTTY ? rows : [...rows, totalRow(found)])
  for (const { message } of found.faults) refused(message)
  return found.faults.length === 0 ? 0 : 1
}

const rowsOf = ({ segments, checkpoints }: LogStat): Row[] => [
  ...segments.map(({ file, header, last, bytes, isClosed }) => ({
    id: basename(file),
    kind: 'segment',
    first: header.first,
    last,
    turns: last - header.first + 1,
    bytes,
    epoch: header.epoch,
    at: timeText(header.at),
    closed: isClosed,
  })),
  ...checkpoints.map(({ file, turn, bytes }) => ({
    id: basename(file),
    kind: 'checkpoint',
    first: null,
    last: turn,
    turns: null,
    bytes,
    epoch: null,
    at: null,
    closed: null,
  })),
]

const totalsOf = ({ segments, checkpoints, epochs, turns, bytes }: LogStat) => ({
  first: segments[0]?.header.first ?? null,
  last: segments.at(-1)?.last ?? null,
  turns,
  bytes,
  epochs,
  at: segments.length === 0 ? null : timeText(segments[0]!.header.at),
  checkpoint: checkpoints.at(-1)?.turn ?? null,
  checkpointBytes: checkpoints.at(-1)?.bytes ?? null,
})

const totalRow = (found: LogStat): Row => ({ id: 'total', ...totalsOf(found) })

const totalLines = (found: LogStat): string[] => {
  const { first, last, turns, bytes, epochs, at, checkpoint, checkpointBytes } = totalsOf(found)
  const newest = checkpoint === null ? 'none' : `of turn ${checkpoint}, ${grouped(checkpointBytes ?? 0)} octets`
  return aligned([
    ['turns', turns === 0 ? '0' : `${grouped(turns)}, from ${first} to ${last}, since ${at}`],
    ['octets', grouped(bytes)],
    ['epochs', epochs.join(', ') || 'none'],
    ['newest checkpoint', newest],
  ])
}

/** How a checkpoint is damaged: all of its checksums, without the board that it describes. */
const checkCheckpoint = async (path: string): Promise<LogFault | undefined> => {
  try {
    const reader = new CheckpointReader(path)
    try {
      reader.checkRest()
    } finally {
      reader.close()
    }
    return undefined
  } catch (error) {
    if (error instanceof UnfitImage || !(error instanceof ImageFault)) throw error
    return LogFault.ofCheckpoint(path, error)
  }
}

/** What the log lacks of what it once had; undefined: nothing. */
const missingOf = async (folder: string, was: Witnessed | undefined): Promise<string | undefined> => {
  if (was === undefined) return undefined
  const { segments, epochs } = await statLog(DISK, folder)
  const newest = segments.at(-1)
  if (newest !== undefined && epochs.at(-1) !== was.epoch) return undefined
  return whyIncomplete(was, newest?.last ?? 0, newest?.header.first ?? 0)
}

const check = async (folder: string): Promise<number> => {
  // Before: a server may go on meanwhile.
  const was = new WitnessFile(witnessPath(dirname(folder))).read()
  const { faults, notes, files, turns, bytes } = await checkLog(DISK, folder, newDecoder, checkCheckpoint)
  const newer = newerOf(faults)
  if (newer !== undefined) return refused(newer.message)
  printFaults(faults)
  for (const note of notes) process.stderr.write(`note: ${note}\n`)
  const missing = faults.length === 0 ? await missingOf(folder, was) : undefined
  if (missing !== undefined) process.stderr.write(`${missing} (log-position.json): a part of it was lost or replaced\n`)
  const counts = `${grouped(files)} files, ${grouped(turns)} turns, ${grouped(bytes)} octets`
  const sound = missing === undefined ? 'sound' : 'incomplete'
  process.stderr.write(`${counts}: ${faults.length === 0 ? sound : `damaged in ${faults.length} place(s)`}\n`)
  return faults.length === 0 && missing === undefined ? 0 : 1
}

const dump = async (folder: string, flags: Readonly<Record<string, string | undefined>>): Promise<number> => {
  const from = Number(flags.from ?? 1)
  const to = Number(flags.to ?? Number.POSITIVE_INFINITY)
  // A reader that ends early (`| head`).
  let isOver = false
  process.stdout.once('error', () => (isOver = true))
  let isFirst = true
  for await (const { number, turn, file } of dumpLog(DISK, folder, newDecoder, from)) {
    if (isFirst && flags.from !== undefined && number > from) {
      process.stderr.write(`note: turns before ${number} are not kept any more\n`)
    }
    isFirst = false
    if (number > to || isOver) break
    const line = JSON.stringify({ number, at: timeText(turn.at), file, inputs: turn.inputs })
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain').catch(() => (isOver = true))
  }
  return 0
}

const ACTIONS: Readonly<Record<string, LogAction>> = {
  check: {
    synopsis: '',
    summary: 'read all of it, and name what is damaged',
    help: `oddswire log check [--data-dir DIR]

Reads all segments and checkpoints of the log, and checks every checksum; also while the server runs. One line a fault:
the file, the offset, what is wrong, and what to do; a text on a terminal, else a JSON object. A record that the running
server is just writing is a note on stderr.

Exit code 0: sound, 1: damaged, or written by a newer version.`,
    flags: [],
    act: check,
  },
  dump: {
    synopsis: '[--from N] [--to N]',
    summary: 'print its turns, one JSON object a line',
    help: `oddswire log dump [--from N] [--to N] [--data-dir DIR]

Prints the turns of the log in their order, one JSON object a line: its number, its time, its file, and its inputs as the
engine applies them; also while the server runs.

  --from N    the first turn (default: the first that is kept)
  --to N      the last turn (default: the last that is written)`,
    flags: ['from', 'to'],
    act: dump,
  },
  stat: {
    synopsis: '',
    summary: 'show its files, turns, octets, epochs and newest checkpoint',
    help: `oddswire log stat [--data-dir DIR]

Shows the segments and checkpoints of the log: turns from first to last, octets, epoch, since when, and whether a segment
was closed by a server that ended in order; also while the server runs. A table on a terminal, else one JSON object a
file and one for all together (id "total"). Exit code 1 when the beginning of a file cannot be read.`,
    flags: [],
    act: stat,
  },
}

const HELP = [
  `oddswire log ${Object.keys(ACTIONS).join('|')} …`,
  '',
  ...aligned(
    Object.entries(ACTIONS).map(([name, { synopsis, summary }]) => [`${name} ${synopsis}`.trimEnd(), summary]),
  ),
  '',
  'oddswire log ACTION --help for more.',
].join('\n')

const NUMBER = /^[1-9]\d{0,14}$/

/** Runs `oddswire log …`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const [name = '', ...rest] = argv
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(`${HELP}\n`)
    return 0
  }
  if (!Object.hasOwn(ACTIONS, name)) {
    const word = name.startsWith('-') ? '' : name
    return usage(unknownWord('log needs an action', `log has no action "${word}"`, word, Object.keys(ACTIONS)), HELP)
  }
  const action = ACTIONS[name]!
  const types = Object.fromEntries(action.flags.map((flag) => [flag, { type: 'string' }] as const))
  const parsed = parseFlags(rest, action.help, types, { settings: ['data-dir'] })
  if (typeof parsed === 'number') return parsed
  const flags: Readonly<Record<string, string | undefined>> = parsed.flags
  for (const flag of action.flags) {
    const value = flags[flag]
    if (value === undefined || NUMBER.test(value)) continue
    return usage(`--${flag} must be the number of a turn, from 1 on, not "${value}"`, action.help)
  }
  if (Number(flags.to ?? Number.POSITIVE_INFINITY) < Number(flags.from ?? 1)) {
    return usage('--to must not be less than --from', action.help)
  }
  const { dataDir } = parsed.settings
  const folder = logFolder(dataDir)
  if (!existsSync(folder)) return refused(`there is no log in ${dataDir}: name its folder with --data-dir`)
  try {
    return await action.act(folder, flags)
  } catch (error) {
    if (error instanceof LogFault || error instanceof UnfitImage) return refused(error.message)
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    return refused(`the log in ${folder} cannot be read (${messageOf(error)})`)
  }
}
