// Invariants: what holds whatever the inputs are. If one does not, the board is not reliable any more.

/**
 * Ends the process if an invariant does not hold: the error is thrown, and thrown again where nothing can catch it.
 * @param text a constant: it must cost nothing where the invariant holds
 */
export function invariant(holds: boolean, text: string): asserts holds {
  if (!holds) fail(text)
}

const fail = (text: string): never => {
  const error = new Error(`invariant violated: ${text}`)
  queueMicrotask(() => {
    throw error
  })
  throw error
}
