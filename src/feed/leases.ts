// Leases: which of several processes runs a source. Without other processes every source is ours at once.

/** The right to run a source, for one run of it. */
export interface Lease {
  /** The number of this run: larger than that of any run of the source before, in whichever process. */
  readonly run: number
  /** Whether the log was told of this run: set by whoever tells it. */
  isTaken: boolean
  /** Whether no other process can have taken the source meanwhile, by our own clock. */
  readonly isHeld: () => boolean
  /** Gives this run up, as if the lease were lost; it may be got again. */
  readonly giveUp: () => void
}

/** Where a source runs while this process holds its lease. */
export interface Tenant {
  /** The lease is ours: the source may run. */
  begin(lease: Lease): void
  /** It is ours no more: adds nothing from now on. Resolves when nothing of the source runs. May be called again. */
  end(): Promise<void>
  /** Whether customers need not wait for the source, for the other processes. */
  readonly isSettled: boolean
  /** The number of the last run that the log knows; 0: none. */
  readonly lastRun: number
}

/** Another process that runs a source, as far as is known. */
export interface Holder {
  readonly process: string
  /** Whether customers need not wait for the source. */
  readonly isSettled: boolean
}

export interface Leases {
  /** Whether other processes may run sources, too. */
  readonly isShared: boolean
  /** From now on the source is to run here when it can; of a source that runs here already, in another place of it. */
  want(source: string, tenant: Tenant): void
  /** The source is not to run here any more, and nothing of it does: others may run it when this resolves. */
  release(source: string): Promise<void>
  /** Which other process runs a wanted source; undefined: none, or it is not known. */
  holderOf(source: string): Holder | undefined
  /** Those of some sources that no process runs; rejects when that cannot be known. */
  free(sources: readonly string[]): Promise<readonly string[]>
  /** @param givesBack whether others may have the leases at once: every place must have ended */
  stop(givesBack: boolean): Promise<void>
}

/** The leases of a process that is alone. @param startedAt when it started, epoch ms: the number of its runs */
export const ownLeases = (startedAt: number): Leases => ({
  isShared: false,
  want: (_source, tenant) => {
    // A log that other processes have written, too, may know later runs.
    const run = Math.max(Math.floor(startedAt), tenant.lastRun + 1)
    tenant.begin({ run, isTaken: tenant.lastRun === 0, isHeld: () => true, giveUp: () => {} })
  },
  release: async () => {},
  holderOf: () => undefined,
  free: async (sources) => sources,
  stop: async () => {},
})
