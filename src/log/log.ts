// The log: all turns, in one order. What it holds survives the process; nothing outside of this folder knows where it is
// stored.

import type { Turn } from '../domain/input.ts'

export interface Log {
  /** Which log this is. A seq is never used twice for different content in one epoch. */
  readonly epoch: string
  /** Number of the last turn that was appended; the first one has number 1. */
  readonly position: number
  /** Number of the last turn that is written. */
  readonly written: number
  /** Why the last turns are not written yet, in words for the operator; undefined: nothing is wrong. */
  readonly trouble: string | undefined
  /** Whether as much waits as may wait: append nothing more until there is room. */
  readonly isFull: boolean
  /**
   * Appends a turn, which must not change after that. `written` is called once it is written, in the order of the turns,
   * perhaps before this returns, with the turn as it is to be applied: other processes may have appended before. It is
   * called late while the log has trouble, and never if the process ends before.
   */
  append(turn: Turn, written: (turn: Turn) => void): void
  /** Calls back with the turns that other processes append, in one order with those of {@link append}. */
  onForeign?(listener: (turn: Turn) => void): void
  /** Calls back each time when there is room again after {@link Log.isFull}. */
  onRoom(listener: () => void): void
  /** Calls back with {@link Log.trouble} whenever it begins, changes, or is over. */
  onTrouble(listener: (trouble: string | undefined) => void): void
  /** The turns from a number on, as far as they are written. */
  read(from: number): Iterable<Turn> | AsyncIterable<Turn>
  /** Drops turns before a number that no checkpoint and no reader needs. */
  trim(before: number): void
  /** Ends it: a log that was closed goes on with the same epoch, even in another boot. @returns whether all is written */
  close(): Promise<boolean>
}
