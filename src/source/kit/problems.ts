// The problems of a poller: each kind is logged once, and current problems stay listed even if the rest works.

/** The key is a target, or a part of the source. */
export class Problems {
  private readonly tell: (message: string) => void
  /** The key that logged a kind of problem: the kind is logged again only after that key worked in between. */
  private readonly tellers = new Map<string, string>()
  /** Current problems by key, the oldest first. */
  private readonly standing = new Map<string, string>()

  constructor(tell: (message: string) => void) {
    this.tell = tell
  }

  /** Notes a problem, and logs it unless one of its kind was logged already. */
  tellOnce(kind: string, key: string, message: string): void {
    this.standing.set(key, message)
    if (this.tellers.has(kind)) return
    this.tellers.set(kind, key)
    this.tell(message)
  }

  /** The problems of a key are over: the next one is logged again. @returns whether any was logged */
  well(key: string): boolean {
    this.standing.delete(key)
    let wasTold = false
    for (const [kind, teller] of this.tellers) {
      if (teller === key) wasTold = this.tellers.delete(kind) || wasTold
    }
    return wasTold
  }

  /** The current problems in short; null: none. */
  get text(): string | null {
    const [first] = this.standing.values()
    if (first === undefined) return null
    return this.standing.size === 1 ? first : `${first}; and ${this.standing.size - 1} more`
  }
}
