// What `oddswire doctor` finds.

import type { Fault } from '../access/fault.ts'

/** `note`: nothing to do, but good to know; `warning`: the service runs, and may surprise; `wrong`: to be mended. */
export type Level = 'fine' | 'note' | 'warning' | 'wrong'

export interface Finding {
  /** What was looked at. */
  readonly id: string
  readonly level: Level
  readonly found: string
  /** What to do; null: nothing. */
  readonly advice: string | null
}

export const fine = (id: string, found: string): Finding => ({ id, level: 'fine', found, advice: null })

export const note = (id: string, found: string): Finding => ({ id, level: 'note', found, advice: null })

export const warning = (id: string, found: string, advice: string): Finding => ({ id, level: 'warning', found, advice })

export const wrong = (id: string, found: string, advice: string): Finding => ({ id, level: 'wrong', found, advice })

/** A refusal of the service: what is before the first `; ` is wrong, and what is behind it says what to do. */
export const wrongBy = (id: string, { fault }: Fault, otherwise: string): Finding => {
  const end = /; |: (?=set |name |choose |stop |restore |put )/.exec(fault)
  return end === null
    ? wrong(id, fault, otherwise)
    : wrong(id, fault.slice(0, end.index), fault.slice(end.index + end[0].length))
}
