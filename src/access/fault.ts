// Fault: why an operation on the accounts was not done. Returned, never thrown.

/** One line: what is wrong and what to do about it. */
export interface Fault {
  readonly fault: string
  /** The rule of the store that it breaks, for callers that are no command and word it themselves. */
  readonly breaks?: Broken
}

/** Rules of the store. */
export type Rule =
  | 'organization is new'
  | 'plan exists'
  | 'plan is new'
  | 'plan is unused'
  | 'user is new'
  | 'user exists'
  | 'bookmaker exists'
  | 'coverage exists'
  | 'new coverage has a status'
  | 'customers have notice'
  | 'haste has a reason'
  | 'notice is long enough'
  | 'removal is announced once'

export interface Broken {
  readonly rule: Rule
  /** What is concerned: names, dates. */
  readonly detail: string
}

export const fault = (message: string): Fault => ({ fault: message })

/** A fault of a caller who breaks a rule of the store. */
export const broken = (rule: Rule, message: string, detail = ''): Fault => ({
  fault: message,
  breaks: { rule, detail },
})

export const isFault = (value: unknown): value is Fault =>
  typeof value === 'object' && value !== null && 'fault' in value

/** Message of something thrown, on one line and without its stack. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ')
