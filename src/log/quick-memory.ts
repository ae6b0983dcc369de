// What the two threads of a QuickWriter share.

export interface QuickMemory {
  /** See below. */
  readonly numbers: Int32Array
  /** In the file. */
  readonly position: Float64Array
  readonly octets: Uint8Array
}

/** Number of the write that is asked for. */
export const ASKED = 0
/** Of the last one that was done. */
export const DONE = 1
/** Of one that nobody waits for any more: it is answered with a message. */
export const LATE = 2
export const FD = 3
export const LENGTH = 4
/** Octets; -1: it failed. */
export const WRITTEN = 5
/** In place of a number: the thread ends. */
export const END = -1
