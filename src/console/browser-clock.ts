// The time in the browser. The only reader of it there.

/** Epoch ms, as the clock of the visitor has it. */
export const now = (): number => Date.now()

/** Ms since the page was opened; never goes back. */
export const elapsedMs = (): number => performance.now()
