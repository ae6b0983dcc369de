// Fault: why an operation on the accounts was not done. Returned, never thrown.

/** One line: what is wrong and what to do about it. */
export interface Fault {
  readonly fault: string
}

export const fault = (message: string): Fault => ({ fault: message })

export const isFault = (value: unknown): value is Fault =>
  typeof value === 'object' && value !== null && 'fault' in value

/** Message of something thrown, on one line and without its stack. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ')
