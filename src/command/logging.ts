// The server's log: JSON lines on stderr, pretty on a terminal, and for the journal of systemd with the priority before each
// line, so that `journalctl -p warning` shows what it should.

import { fstatSync } from 'node:fs'
import pino from 'pino'
import { journalStream, type Settings } from '../config.ts'

const STDERR = 2

/** From pino's levels to the priorities of syslog (sd-daemon(3)). */
const PRIORITIES = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
] as const
const DEBUG_PRIORITY = 7

export const priorityOf = (level: number): number => PRIORITIES.find(([from]) => level >= from)?.[1] ?? DEBUG_PRIORITY

/** Whether stderr is the journal itself: the variable alone is inherited by processes whose output goes elsewhere. */
const isJournal = (): boolean => {
  const stream = journalStream()
  if (stream === undefined) return false
  try {
    const { dev, ino } = fstatSync(STDERR, { bigint: true })
    return stream === `${dev}:${ino}`
  } catch {
    return false
  }
}

/** pino tells a stream with this member the level of each line. */
const WANTS_LEVEL = Symbol.for('pino.metadata')

class JournalStream {
  readonly [WANTS_LEVEL] = true
  lastLevel = 0
  private readonly out = pino.destination({ fd: STDERR, sync: true })

  write(line: string): void {
    this.out.write(`<${priorityOf(this.lastLevel)}>${line}`)
  }
}

export const newLogger = async ({ logLevel: level }: Pick<Settings, 'logLevel'>): Promise<pino.Logger> => {
  if (process.stderr.isTTY) {
    return pino({ level }, (await import('pino-pretty')).default({ destination: STDERR, sync: true }))
  }
  return pino({ level }, isJournal() ? new JournalStream() : pino.destination({ fd: STDERR, sync: true }))
}
