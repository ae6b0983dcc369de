// The problems of a poller: each kind is told once, and what is not over stays known, however well the rest is.

/** By the key of what has it: a target, or a part of the source. */
export class Problems {
  private readonly tell: (message: string) => void
  /** Who told a kind of problem: it is told again only when that one was well in between. */
  private readonly tellers = new Map<string, string>()
  /** What is not over, by key; the longest known comes first. */
  private readonly standing = new Map<string, string>()

  constructor(tell: (message: string) => void) {
    this.tell = tell
  }

  /** Notes a problem, and tells it unless one of its kind was told already. */
  tellOnce(kind: string, key: string, message: string): void {
    this.standing.set(key, message)
    if (this.tellers.has(kind)) return
    this.tellers.set(kind, key)
    this.tell(message)
  }

  /** The problems of a key are over: the next one is told again. @returns whether any was told */
  well(key: string): boolean {
    this.standing.delete(key)
    let wasTold = false
    for (const [kind, teller] of this.tellers) {
      if (teller === key) wasTold = this.tellers.delete(kind) || wasTold
    }
    return wasTold
  }

  /** What is not over, in short; null: nothing. */
  get text(): string | null {
    const [first] = this.standing.values()
    if (first === undefined) return null
    return this.standing.size === 1 ? first : `${first}; and ${this.standing.size - 1} more`
  }
}
