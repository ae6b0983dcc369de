// The X-RateLimit headers (docs/architecture.md 7.6) as one block whose digits are patched in place for every answer.
// Right-aligned: blanks before a value are not part of it (RFC 9110 §5.5).

const WIDTH = 12
const BLANK = 0x20
const ZERO = 0x30

/** Name of the header whose value the block begins with. */
export const FIRST_LIMIT_HEADER = 'X-RateLimit-Limit'

const blanks = ' '.repeat(WIDTH)
const REMAINING = '\r\nX-RateLimit-Remaining: '
const RESET = '\r\nX-RateLimit-Reset: '

const block = Buffer.from(`${blanks}${REMAINING}${blanks}${RESET}${blanks}`, 'latin1')
const REMAINING_AT = WIDTH + REMAINING.length
const RESET_AT = REMAINING_AT + WIDTH + RESET.length

const patch = (start: number, value: number): void => {
  let place = start + WIDTH
  let rest = value
  do {
    block[--place] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  } while (rest > 0 && place > start)
  while (place > start) block[--place] = BLANK
}

/** The block with these values. It is shared: valid until the next call. */
export const limitBlock = (limit: number, remaining: number, resetAtS: number): Buffer => {
  patch(0, limit)
  patch(REMAINING_AT, remaining)
  patch(RESET_AT, resetAtS)
  return block
}
