// When the content of an open store is checked: overwritten pages that nothing reads are only noticed by reading all of
// them. Time is counted in polls of the store thread.

/** Shortest interval of checks in polls, for a small store: a minute. */
const CHECK_POLLS = 1_200

/**
 * A check costs some 2.5 ms a MB (120 ms with 100 000 keys, 49 MB), and tasks of the thread wait meanwhile: this many
 * polls a MB limit it to a thousandth of the time. After a change that is not ours, of a command or of unknown origin,
 * it may use a twentieth.
 */
const CHECK_POLLS_PER_MB = 50
const SUSPECT_POLLS = 20
const SUSPECT_POLLS_PER_MB = 1

/**
 * A larger store is not checked while it runs: revocations wait meanwhile, and from a slow disk (26 MB/s) this much
 * needs the 5 s after which a thread counts as silent.
 */
const CHECKED_BYTES_MAX = 128 * 1024 * 1024

const MB = 1024 * 1024

export class CheckSchedule {
  private stamp: unknown
  private polls = 0
  private isSuspect = false

  /**
   * Counts a poll. Returns whether the content should be checked now.
   * @param stamp another value whenever the files have changed
   * @param bytes the size of the files
   * @param isOurs whether we have written since the previous poll
   */
  poll(stamp: unknown, bytes: number, isOurs: boolean): boolean {
    if (this.stamp !== undefined && stamp !== this.stamp && !isOurs) this.isSuspect = true
    this.stamp = stamp
    this.polls++
    if (bytes > CHECKED_BYTES_MAX) return false
    const [least, perMb] = this.isSuspect ? [SUSPECT_POLLS, SUSPECT_POLLS_PER_MB] : [CHECK_POLLS, CHECK_POLLS_PER_MB]
    if (this.polls < Math.max(least, (bytes / MB) * perMb)) return false
    this.polls = 0
    this.isSuspect = false
    return true
  }
}
