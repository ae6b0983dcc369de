// Durations by size, as the histograms of /metrics show them: to count one costs an addition and a few comparisons.

/** Upper bounds of the buckets, in seconds: an answer from memory takes microseconds, a disk milliseconds. */
export const DURATION_BOUNDS_S = [
  0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
  1,
] as const

export class Durations {
  /** How many are in each bucket, and not in one before it; the last one has no bound. */
  readonly buckets = new Float64Array(DURATION_BOUNDS_S.length + 1)
  sumS = 0

  add(ms: number): void {
    const seconds = ms / 1000
    this.sumS += seconds
    let bucket = 0
    while (bucket < DURATION_BOUNDS_S.length && seconds > DURATION_BOUNDS_S[bucket]!) bucket++
    this.buckets[bucket]!++
  }
}
