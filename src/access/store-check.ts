// When the content of the store is checked while it is open: pages that were written over and that nobody reads are noticed
// only by reading all of them. Time comes in as polls of the store thread.

/** Polls between two checks at least, for a small store: a minute. */
const CHECK_POLLS = 1_200

/**
 * A check takes some 2.5 ms a MB (120 ms with 100 000 keys, 49 MB), and what is asked of the thread waits meanwhile: so many
 * polls a MB keep it to a thousandth of the time. After a change that is not ours, of a command or of nobody, it may take a
 * twentieth.
 */
const CHECK_POLLS_PER_MB = 50
const SUSPECT_POLLS = 20
const SUSPECT_POLLS_PER_MB = 1

/**
 * A store that is larger is not checked while it runs: revocations wait meanwhile, and from a slow disk (26 MB/s) this much
 * takes the 5 s after which a thread counts as silent.
 */
const CHECKED_BYTES_MAX = 128 * 1024 * 1024

const MB = 1024 * 1024

export class CheckSchedule {
  private stamp: string | undefined
  private polls = 0
  private isSuspect = false

  /**
   * A poll has passed. Whether the content should be checked now.
   * @param stamp another one whenever the files have changed
   * @param bytes the size of the files
   * @param isOurs whether we have written since the poll before
   */
  poll(stamp: string, bytes: number, isOurs: boolean): boolean {
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
