// What a fault is for the program that injects them: a name, what is promised, and how it is tried.

export interface FaultTerms {
  readonly isLong: boolean
  /** How often; undefined: as the form says. */
  readonly runs: number | undefined
  readonly seed: number
  /** An empty folder of its own. */
  readonly folder: string
  /** Folder with a prepared store, to be copied. */
  readonly store: string
  /** Prints a line about the progress. */
  readonly note: (line: string) => void
}

export interface Outcome {
  readonly runs: number
  /** What was seen, in figures. */
  readonly seen: string
  /** What was not as promised, a line each. */
  readonly violations: readonly string[]
}

/** It cannot be tried on this machine. */
export interface Skipped {
  readonly skipped: string
}

export interface Fault {
  readonly name: string
  readonly promise: string
  run(terms: FaultTerms): Promise<Outcome | Skipped>
}

const SHOWN_MAX = 20

/** Collects what was not as promised. */
export class Violations {
  readonly lines: string[] = []
  count = 0

  add(line: string): void {
    this.count++
    if (this.lines.length < SHOWN_MAX) this.lines.push(line)
    else if (this.lines.length === SHOWN_MAX) this.lines.push('… and more')
  }

  check(isKept: boolean, line: () => string): void {
    if (!isKept) this.add(line())
  }
}

/** The middle and the greatest, as text. */
export const spreadMs = (values: readonly number[]): string => {
  if (values.length === 0) return 'none'
  const sorted = [...values].sort((a, b) => a - b)
  return `p50 ${Math.round(sorted[sorted.length >>> 1]!)} ms, max ${Math.round(sorted.at(-1)!)} ms`
}
