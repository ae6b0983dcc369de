// The memory of columns, and of threads.

/** Smaller columns are in memory of their own kind. */
const SHARED_OCTETS_MIN = 1 << 20

/**
 * Zeroed memory. That of large columns is shared: threads can fill it, and the collector of garbage does not count it. It would
 * begin again and again while a board is allocated: 35 times, 60 ms in all, in a start with 5 M quotes (--trace-gc).
 */
export const memoryOf = (octets: number): ArrayBuffer | SharedArrayBuffer =>
  octets < SHARED_OCTETS_MIN ? new ArrayBuffer(octets) : new SharedArrayBuffer(octets)

/**
 * Limits of V8 for each thread of the service but the first: what is young is collected after 4 MiB, a third of this, as the first
 * one has it from `--max-semi-space-size` (docs/operations.md, Sizing).
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 } as const
