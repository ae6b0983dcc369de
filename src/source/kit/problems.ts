// The problems of a poller: each kind is logged once, and current problems stay listed even if the rest works.

export class Problems {
  private readonly log: (message: string) => void
  private readonly secrets: readonly string[]
  /** The key that logged a kind of problem: the kind is logged again only after that key worked in between. */
  private readonly loggedBy = new Map<string, string>()
  /** Current problems by key, the oldest first. */
  private readonly current = new Map<string, string>()

  /** @param secrets texts that must not be logged */
  constructor(log: (message: string) => void, secrets: readonly string[]) {
    this.log = log
    this.secrets = secrets.filter((secret) => secret !== '')
  }

  /**
   * Notes a problem, and logs it unless one of its kind was logged already.
   * @param key of the target that has it; it stays until that one works, or is dropped
   */
  logOnce(kind: string, key: string, message: string): void {
    const line = this.clean(message)
    this.current.set(key, line)
    if (this.loggedBy.has(kind)) return
    this.loggedBy.set(kind, key)
    this.log(line)
  }

  /** The problems of a key are over: the next one is logged again. @returns whether any was logged */
  well(key: string): boolean {
    this.current.delete(key)
    let wasLogged = false
    for (const [kind, by] of this.loggedBy) {
      if (by === key) wasLogged = this.loggedBy.delete(kind) || wasLogged
    }
    return wasLogged
  }

  /** The current problems in short; null: none. */
  get text(): string | null {
    const [first] = this.current.values()
    if (first === undefined) return null
    return this.current.size === 1 ? first : `${first}; and ${this.current.size - 1} more`
  }

  /** A text without the secrets. */
  clean(text: string): string {
    return this.secrets.reduce((clean, secret) => clean.replaceAll(secret, '(secret)'), text)
  }
}
