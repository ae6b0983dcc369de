// What is dear to make and the same for several programs of a run is made by the first that needs it: a data folder whose
// log has millions of quotes (P9, P10). A program that is started alone makes it for itself.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/** Names the folder of a run, for its programs. */
export const SHARED_FOLDER = 'ODDSWIRE_BENCH_FOLDER'

/**
 * A folder that is made once for all programs of a run.
 * @param own where it is made when a program runs alone
 */
export const madeOnce = async (
  own: string,
  name: string,
  make: (folder: string) => void | Promise<void>,
): Promise<string> => {
  const folder = join(process.env[SHARED_FOLDER] ?? own, name)
  if (!existsSync(folder)) {
    const making = `${folder}.making`
    // Of a program that has failed.
    rmSync(making, { recursive: true, force: true })
    mkdirSync(making)
    await make(making)
    renameSync(making, folder)
  }
  return folder
}

/** What fill-board.js says of its work. */
export type Filled = Readonly<Record<'quotes' | 'events' | 'position', number>>

/** Runs fill-board.js. With `--kill` it ends as after SIGKILL. */
export const fillBoard = (dataDir: string, ...args: readonly string[]): Filled => {
  try {
    return JSON.parse(
      execFileSync(process.execPath, [join(here, 'fill-board.js'), dataDir, ...args], { encoding: 'utf8' }),
    )
  } catch (error) {
    if (!args.includes('--kill') || (error as { signal?: string }).signal !== 'SIGKILL') throw error
    return JSON.parse((error as { stdout: string }).stdout)
  }
}

/** A data folder with so many quotes, ended as after SIGTERM; it is not to be changed. */
export const filledBoard = async (
  own: string,
  quotes: number,
  perEvent: number,
): Promise<{ readonly dataDir: string; readonly filled: Filled }> => {
  const folder = await madeOnce(own, `filled-${quotes}-${perEvent}`, (making) => {
    const words = ['--quotes', String(quotes), '--quotes-max', String(quotes), '--per-event', String(perEvent)]
    writeFileSync(join(making, 'filled.json'), JSON.stringify(fillBoard(join(making, 'data'), ...words)))
  })
  return { dataDir: join(folder, 'data'), filled: JSON.parse(readFileSync(join(folder, 'filled.json'), 'utf8')) }
}
