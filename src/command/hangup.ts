// SIGHUP, from the first moment of a process to its last: by default it would end the process.

let isHeld = false
let isDue = false
let handle = (): void => {
  isDue = true
}

/** From now on SIGHUP does not end the process; one that arrives is kept until it is handled. */
export const holdHangups = (): void => {
  if (isHeld) return
  isHeld = true
  process.on('SIGHUP', () => handle())
  // A process that ends naturally removes the listener early; one that ends by exit() does not.
  process.once('beforeExit', () => process.exit())
}

/** Calls the handler for every SIGHUP from now on, and once if one arrived before. */
export const handleHangups = (handler: () => void): void => {
  holdHangups()
  handle = handler
  if (!isDue) return
  isDue = false
  handler()
}
