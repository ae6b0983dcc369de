// Header lines of STOMP frames: names and values by version, and the cache of lines that a publisher repeats.

const LF = 0x0a
const CR = 0x0d
const ZERO = 0x30

export type Version = '1.0' | '1.1' | '1.2'

/** The decoded headers of a frame; of repeated ones the first (STOMP 1.2, Repeated Header Entries). May be kept. */
export class FrameHeaders {
  // name, value, name, value …: a scan of a few pairs is cheaper than building a Map.
  private readonly pairs: readonly string[]

  constructor(pairs: readonly string[]) {
    this.pairs = pairs
  }

  /** Case-sensitive; undefined: the frame has no such header. */
  get(name: string): string | undefined {
    const { pairs } = this
    for (let place = 0; place < pairs.length; place += 2) if (pairs[place] === name) return pairs[place + 1]
    return undefined
  }

  /** All headers as a Map. */
  toMap(): Map<string, string> {
    const map = new Map<string, string>()
    for (let place = this.pairs.length - 2; place >= 0; place -= 2) map.set(this.pairs[place]!, this.pairs[place + 1]!)
    return map
  }
}

const ESCAPES: Readonly<Record<Version, ReadonlyMap<string, string>>> = {
  '1.0': new Map(),
  '1.1': new Map([
    ['\\\\', '\\'],
    ['\\n', '\n'],
    ['\\c', ':'],
  ]),
  '1.2': new Map([
    ['\\\\', '\\'],
    ['\\n', '\n'],
    ['\\c', ':'],
    ['\\r', '\r'],
  ]),
}

/** Undefined: an escape is not defined in this version (STOMP 1.1 and 1.2, Value Encoding: a fatal error). */
export const unescaped = (text: string, version: Version): string | undefined => {
  const escapes = ESCAPES[version]
  let plain = ''
  let from = 0
  for (;;) {
    const at = text.indexOf('\\', from)
    if (at === -1) return plain + text.slice(from)
    const meant = escapes.get(text.slice(at, at + 2))
    if (meant === undefined) return undefined
    plain += text.slice(from, at) + meant
    from = at + 2
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === CR

/**
 * A header value as STOMP 1.0 reads it: without spaces, tabs and CRs at its ends. The parser trims in sessions of 1.0;
 * the session trims the values of a CONNECT.
 */
export const trimHeader = (value: string): string => {
  // No regular expression: one that matches blanks at the end restarts at each blank inside.
  let from = 0
  let to = value.length
  while (from < to && isBlank(value.charCodeAt(from))) from++
  while (to > from && isBlank(value.charCodeAt(to - 1))) to--
  return value.slice(from, to)
}

/** The value of `content-length`: digits only (too many of them give Infinity), or undefined. */
export const parseLength = (text: string): number | undefined => {
  if (text === '') return undefined
  let length = 0
  for (let place = 0; place < text.length; place++) {
    const digit = text.charCodeAt(place) - 0x30
    if (digit < 0 || digit > 9) return undefined
    length = length * 10 + digit
  }
  return length
}

/** The names that sessions ask for, as the engine's own texts: whether two of those are equal needs no look at their letters. */
const NAMES = new Map(
  [
    'destination',
    'content-type',
    'content-length',
    'receipt',
    'transaction',
    'id',
    'message-id',
    'subscription',
    'ack',
  ].map((name) => [name, name]),
)

/** The same name, if it is one that sessions ask for. */
export const knownName = (name: string): string => NAMES.get(name) ?? name

/** Digits of a number that a small integer has. */
const DIGITS_MAX = 9

export const KEPT_LINES = 8
const KEPT_LINE_BYTES = 128

/**
 * The header lines of the last SEND. A publisher repeats most of them from frame to frame; a repeated line is compared,
 * not decoded. 1 KiB, and only for connections that SEND.
 */
export class KeptLines {
  private readonly bytes = new Uint8Array(KEPT_LINES * KEPT_LINE_BYTES)
  /** Sizes of the lines, EOL included; 0: none is kept. */
  private readonly sizes = new Uint8Array(KEPT_LINES)
  private readonly colons = new Uint8Array(KEPT_LINES)
  private readonly names: string[] = Array.from({ length: KEPT_LINES }, () => '')
  private readonly values: string[] = Array.from({ length: KEPT_LINES }, () => '')

  /** How many bytes from `start` on equal those of the kept line `index`. */
  same(index: number, bytes: Buffer, start: number, end: number): number {
    const { bytes: kept } = this
    const from = index * KEPT_LINE_BYTES
    const most = Math.min(this.sizes[index]!, end - start)
    let same = 0
    while (same < most && bytes[start + same] === kept[from + same]) same++
    return same
  }

  /** The size of the kept line if `same` bytes are all of it, else 0. */
  sizeOfWhole(index: number, same: number): number {
    return same === this.sizes[index] ? same : 0
  }

  /** The name of the kept line if `same` bytes include its colon. */
  nameIn(index: number, same: number): string | undefined {
    return same > this.colons[index]! ? this.names[index] : undefined
  }

  nameOf(index: number): string {
    return this.names[index]!
  }

  valueOf(index: number): string {
    return this.values[index]!
  }

  /**
   * Keeps a line that is the kept one with another number: receipts are counted, and bodies have lengths. Its text is made of
   * the number (20 ns; of the octets 80), and nothing in it has to be looked for.
   * @param same its first bytes, which are kept already
   * @returns its size, EOL included; 0: it is another line
   */
  keepNumber(index: number, bytes: Buffer, start: number, end: number, same: number): number {
    const colon = this.colons[index]!
    if (same <= colon) return 0
    const first = start + colon + 1
    let at = first
    let number = 0
    for (const most = Math.min(end, first + DIGITS_MAX); at < most; at++) {
      const digit = bytes[at]! - ZERO
      if (digit < 0 || digit > 9) break
      number = number * 10 + digit
    }
    if (at === first || at === end || bytes[at] !== LF || bytes[first] === ZERO) return 0
    this.keep(index, bytes, start, at + 1, same, start + colon, this.names[index]!, String(number))
    return at + 1 - start
  }

  /** Keeps a line for the next frame, if it is short; the first `same` bytes are already kept. */
  keep(
    index: number,
    bytes: Buffer,
    start: number,
    end: number,
    same: number,
    colon: number,
    name: string,
    value: string,
  ): void {
    const size = end - start
    if (size > KEPT_LINE_BYTES) {
      this.sizes[index] = 0
      return
    }
    const { bytes: kept } = this
    const from = index * KEPT_LINE_BYTES
    for (let place = same; place < size; place++) kept[from + place] = bytes[start + place]!
    this.sizes[index] = size
    this.colons[index] = colon - start
    this.names[index] = name
    this.values[index] = value
  }
}

const KNOWN_PLACES = 512
const KNOWN_BYTES_MAX = 64

/**
 * Header lines of SENDs that are neither those of the frame before nor new: a publisher with several bookmakers takes turns
 * with their destinations, and bodies of some hundred octets have some hundred lengths. Such a line is found by its last
 * octets and compared, and its texts are those of before (a frame of 8 000 took 750 ns, and 1 010 without). One table for all
 * connections, of 40 KB and the texts; the last line of each place is kept.
 *
 * Only lines that mean the same in STOMP 1.1 and 1.2: of ASCII, without an escape and without CR.
 */
class KnownLines {
  private readonly bytes = new Uint8Array(KNOWN_PLACES * KNOWN_BYTES_MAX)
  /** Without EOL; 0: there is none. */
  private readonly sizes = new Uint8Array(KNOWN_PLACES)
  private readonly colons = new Uint8Array(KNOWN_PLACES)
  private readonly names: string[] = Array.from({ length: KNOWN_PLACES }, () => '')
  private readonly values: string[] = Array.from({ length: KNOWN_PLACES }, () => '')

  /** The place of a line without its EOL; -1: it is not known. */
  find(bytes: Buffer, start: number, end: number): number {
    const place = placeOf(bytes, start, end)
    const size = end - start
    if (this.sizes[place] !== size) return -1
    const { bytes: known } = this
    const from = place * KNOWN_BYTES_MAX
    for (let at = 0; at < size; at++) if (bytes[start + at] !== known[from + at]) return -1
    return place
  }

  nameOf(place: number): string {
    return this.names[place]!
  }

  valueOf(place: number): string {
    return this.values[place]!
  }

  colonOf(place: number): number {
    return this.colons[place]!
  }

  /** @param colon of the line, from its start */
  keep(bytes: Buffer, start: number, end: number, colon: number, name: string, value: string): void {
    const size = end - start
    if (size > KNOWN_BYTES_MAX) return
    const place = placeOf(bytes, start, end)
    for (let at = 0; at < size; at++) this.bytes[place * KNOWN_BYTES_MAX + at] = bytes[start + at]!
    this.sizes[place] = size
    this.colons[place] = colon
    this.names[place] = name
    this.values[place] = value
  }
}

/** Lines that end in successive numbers have successive places. */
const placeOf = (bytes: Buffer, start: number, end: number): number => {
  let place = (end - start) * 37
  for (let at = Math.max(start, end - 4); at < end; at++) place = place * 10 + bytes[at]!
  return place & (KNOWN_PLACES - 1)
}

export const KNOWN_LINES = new KnownLines()
