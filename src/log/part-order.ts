// What a PartReader and its thread tell each other.

export interface PartOrder {
  readonly number: number
  readonly file: number
  /** Shared memory, all of it to be filled. */
  readonly into: Uint8Array
  /** Place in the file. */
  readonly start: number
}

export interface PartAnswer {
  readonly number: number
  /** The CRC-32 of what was read; undefined: it is not read, or not all of it. */
  readonly sum: number | undefined
}
