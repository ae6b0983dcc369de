// What is wrong with a file of the log, and what to do.

import { CheckpointFault } from './checkpoint.ts'
import type { ParsedHeader } from './segment.ts'
import { SEGMENT_FORMAT } from './segment.ts'

const DAMAGE_ADVICE = 'check the disk and the memory; `oddswire log check` reads all of the log'

export class LogFault extends Error {
  readonly file: string | undefined
  readonly offset: number | undefined
  readonly what: string
  readonly advice: string
  /** It was written by a newer version, and is not damaged. */
  readonly isNewer: boolean

  constructor(file: string | undefined, offset: number | undefined, what: string, advice: string, isNewer = false) {
    const place = file === undefined ? '' : `${file}${offset === undefined ? '' : ` at offset ${offset}`}: `
    super(`${place}${what}: ${advice}`)
    this.name = 'LogFault'
    this.file = file
    this.offset = offset
    this.what = what
    this.advice = advice
    this.isNewer = isNewer
  }

  static ofDamage(file: string, offset: number | undefined, what: string): LogFault {
    return new LogFault(file, offset, what, DAMAGE_ADVICE)
  }

  static ofHeader(file: string, header: Exclude<ParsedHeader, { kind: 'header' }>): LogFault {
    if (header.kind === 'damaged') return LogFault.ofDamage(file, 0, header.what)
    const what = `it has format ${header.format}, and this version of oddswire reads formats up to ${SEGMENT_FORMAT}`
    return new LogFault(
      file,
      undefined,
      what,
      'start the version that has written it, or move the folder of the log away',
      true,
    )
  }

  /** @param error what reading it has thrown */
  static ofCheckpoint(file: string, error: unknown): LogFault {
    if (error instanceof CheckpointFault) return LogFault.ofDamage(file, error.offset, error.what)
    return LogFault.ofDamage(file, undefined, (error as Error).message)
  }

  /** Names the place of what a decoder refuses. */
  static around<Value>(file: string, offset: number, decode: () => Value): Value {
    try {
      return decode()
    } catch (error) {
      throw LogFault.ofDamage(file, offset, `the turn cannot be read (${(error as Error).message})`)
    }
  }
}
