// A data folder whose log has millions of quotes (P9, P10).

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { madeOnce } from './made-once.ts'

const here = dirname(fileURLToPath(import.meta.url))

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
export const filledBoard = (
  own: string,
  quotes: number,
  perEvent: number,
): { readonly dataDir: string; readonly filled: Filled } => {
  const folder = madeOnce(own, `filled-${quotes}-${perEvent}`, (making) => {
    const words = ['--quotes', String(quotes), '--quotes-max', String(quotes), '--per-event', String(perEvent)]
    writeFileSync(join(making, 'filled.json'), JSON.stringify(fillBoard(join(making, 'data'), ...words)))
  })
  return { dataDir: join(folder, 'data'), filled: JSON.parse(readFileSync(join(folder, 'filled.json'), 'utf8')) }
}
