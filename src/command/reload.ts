// Reloading: what SIGHUP asks for, one at a time.

/** Runs a reload when it is asked for; asked for while one is running, once more after it. */
export class Reloads {
  private readonly reload: () => Promise<void>
  private isOpen = false
  private isDue = false
  private running: Promise<void> | undefined

  /** @param reload never rejects */
  constructor(reload: () => Promise<void>) {
    this.reload = reload
  }

  /** Asks for a reload. Before {@link open} it is put off until then. */
  ask(): void {
    this.isDue = true
    if (this.isOpen) this.run()
  }

  /** From now on there is something to reload. */
  open(): void {
    this.isOpen = true
    if (this.isDue) this.run()
  }

  /** Begins no more reloads. */
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
