// The X-RateLimit headers (docs/architecture.md 7.6), as the end of a head: written in one piece with it, their digits patched
// in place for every answer. Right-aligned: blanks before a value are not part of it (RFC 9110 §5.5).

/** Digits of the largest value of a plan. */
const WIDTH = 12
const BLANK = 0x20
const ZERO = 0x30

const NAMES = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

const LINES = NAMES.map((name) => `\r\n${name}: ${'0'.padStart(WIDTH)}`)

const LIMIT_LINES = LINES.join('')

const RESET_END = 0
const REMAINING_END = LINES[2]!.length
const LIMIT_END = REMAINING_END + LINES[1]!.length

/**
 * Writes the digits of a number over those of the one before, from the right, as far as they differ: mostly one. A division
 * for each digit took 0.6 of the 19 µs of a request.
 */
const patch = (block: Buffer, end: number, value: number, before: number): void => {
  let rest = value
  let restBefore = before
  for (let place = end - 1; rest !== restBefore && place >= end - WIDTH; place--) {
    const tens = Math.floor(rest / 10)
    block[place] = rest === 0 && place < end - 1 ? BLANK : ZERO + rest - 10 * tens
    rest = tens
    restBefore = Math.floor(restBefore / 10)
  }
}

/** A head, and limit headers behind it. */
export class LimitedBlock {
  /** Without limit headers, in the same memory. */
  readonly head: Buffer
  private readonly block: Buffer
  private limit = 0
  private remaining = 0
  private resetAt = 0

  /** @param head in Latin-1 */
  constructor(head: string) {
    this.block = Buffer.from(head + LIMIT_LINES, 'latin1')
    this.head = this.block.subarray(0, head.length)
  }

  /** The block with these values; `resetAt` in epoch seconds. Valid until the next call. */
  with(limit: number, remaining: number, resetAt: number): Buffer {
    const { block } = this
    const end = block.length
    patch(block, end - LIMIT_END, limit, this.limit)
    patch(block, end - REMAINING_END, remaining, this.remaining)
    patch(block, end - RESET_END, resetAt, this.resetAt)
    this.limit = limit
    this.remaining = remaining
    this.resetAt = resetAt
    return block
  }
}
