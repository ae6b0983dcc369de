// oddswire backup: a consistent copy of the store, whatever the server writes meanwhile.

import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isFault, messageOf } from '../access/fault.ts'
import { Store } from '../access/store.ts'
import { storePath } from '../access/store-file.ts'
import * as clock from '../clock.ts'
import { BUSY_MS } from './action.ts'
import { parseFlags, refused } from './arguments.ts'

const help = `oddswire backup FILE [--data-dir DIR]

Copies the store (organizations, plans, keys, usage, coverage, decisions about events) as it is now into FILE, also while
the server runs. FILE must not exist; only its owner can read it, and it appears when it is complete. Do not copy the
files of the data folder instead: what is in the log beside the database would be lost, the latest revocations too.

The board is not in it: a server that starts with the copy alone begins a new epoch with an empty board, which its
sources fill. Move the folder "log" and log-position.json to it as well to keep the board and the epoch.

To restore: stop the server, move the data folder away and make a new one, copy FILE there as oddswire.db, revoke again
what was revoked since the backup, and start once with --accept-store. docs/operations.md 8 has the steps.`

/** Interval of progress lines where stderr is not a terminal. */
const REPORT_MS = 5_000

/** Runs `oddswire backup …`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(argv, help, {}, { settings: ['data-dir'], positionals: ['FILE'] })
  if (typeof parsed === 'number') return parsed
  const file = parsed.positionals[0]!
  const { dataDir } = parsed.settings
  const path = storePath(dataDir)
  if (!existsSync(path)) return refused(`there is no store in ${dataDir}: name its folder with --data-dir`)
  if (existsSync(file)) return refused(`${file} exists: choose another name, or remove it first`)
  const at = clock.now()
  const store = Store.open(dataDir, { waitMs: BUSY_MS, busyMs: BUSY_MS, at })
  if (isFault(store)) return refused(store.fault)
  const part = `${file}.${process.pid}.part`
  try {
    closeSync(openSync(part, 'wx', 0o600))
    await store.backup(part, at, progressReporter())
    flush(part)
    if (!rename(part, file)) return refused(`${file} exists: choose another name, or remove it first`)
    flush(dirname(resolve(file)))
  } catch (error) {
    return refused(`${file} cannot be written (${messageOf(error)})`)
  } finally {
    store.close()
    for (const left of [part, `${part}-journal`]) rmSync(left, { force: true })
  }
  return 0
}

const progressReporter = (): ((done: number) => void) => {
  const isTerminal = process.stderr.isTTY === true
  let reportedMs = clock.elapsedMs()
  return (done) => {
    const text = `backup: ${Math.floor(done * 100)} %`
    if (isTerminal) process.stderr.write(done < 1 ? `\r\u001b[K${text}` : '\r\u001b[K')
    else if (clock.elapsedMs() - reportedMs >= REPORT_MS) {
      reportedMs = clock.elapsedMs()
      process.stderr.write(`${text}\n`)
    }
  }
}

/** Flushes a file, or the names in a folder, to the disk. */
const flush = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Renames a file without ever overwriting another one. False: there is another one. */
const rename = (from: string, to: string): boolean => {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // Some file systems have no hard links.
    if (existsSync(to)) return false
    renameSync(from, to)
    return true
  }
}
