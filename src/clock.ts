// The only reader of the time.

// Anchored once, then monotonic: a step of the system's clock neither ages quotes nor resets a quota.
const anchorMs = Date.now() - performance.now()

/** Now, in epoch ms (whole). Never goes back. */
export const now = (): number => Math.floor(anchorMs + performance.now())

/** The epoch ms of a value of {@link elapsedMs}: one reading of the clock serves both. */
export const epochMsOf = (momentMs: number): number => Math.floor(anchorMs + momentMs)

/** Monotonic ms with fraction, for durations. */
export const elapsedMs = (): number => performance.now()

/** How far the system's clock has drifted from ours, in ms (positive: it is ahead). */
export const driftMs = (): number => Date.now() - (anchorMs + performance.now())
