// Reloads on SIGHUP, one at a time.

/** Runs a reload on request; a request during a reload causes one more after it. */
export class Reloads {
  private readonly reload: () => Promise<void>
  private isOpen = false
  private isDue = false
  private running: Promise<void> | undefined

  /** @param reload never rejects */
  constructor(reload: () => Promise<void>) {
    this.reload = reload
  }

  /** Requests a reload. Before {@link open} it is deferred until then. */
  ask(): void {
    this.isDue = true
    if (this.isOpen) this.run()
  }

  /** From now on reloads can run. */
  open(): void {
    this.isOpen = true
    if (this.isDue) this.run()
  }

  /** Starts no more reloads. */
  close(): void {
    this.isOpen = false
    this.isDue = false
  }

  /** Resolves when none is running. */
  async settled(): Promise<void> {
    await this.running
  }

  private run(): void {
    this.running ??= this.runAll().finally(() => {
      this.running = undefined
    })
  }

  private async runAll(): Promise<void> {
    while (this.isDue) {
      this.isDue = false
      await this.reload()
    }
  }
}
