// SIGHUP, from the first moment of a process to its last: left to the system it ends the process.

let isHeld = false
let isDue = false
let take = (): void => {
  isDue = true
}

/** From now on SIGHUP does not end the process; one that comes is kept until somebody takes it. */
export const holdHangups = (): void => {
  if (isHeld) return
  isHeld = true
  process.on('SIGHUP', () => take())
  // The listener is gone while the process is taken apart at its natural end, but not within exit().
  process.once('beforeExit', () => process.exit())
}

/** Hands over SIGHUP: what comes from now on, and once what has come before. */
export const takeHangups = (taker: () => void): void => {
  holdHangups()
  take = taker
  if (!isDue) return
  isDue = false
  taker()
}
