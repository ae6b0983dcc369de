// A buffer that grows, and the numbers and texts of turn-format.ts in it.

import { TEXT_OCTETS_MAX, UTF_16 } from './turn-format.ts'

const FIRST_OCTETS = 64 * 1024

/** Longer buffers are not kept for the next record. */
const KEPT_OCTETS_MAX = 4 * 1024 * 1024

/** Texts up to this length are written in a loop if they are ASCII, as most are: three calls out of JavaScript cost more. */
const SHORT_LENGTH_MAX = 32

const UNPAIRED_SURROGATE = /[\ud800-\udfff]/u

/** Writes one record after the other. Only {@link reserve} and {@link text} make room; all else writes where there is. */
export class OctetWriter {
  private buffer = Buffer.allocUnsafeSlow(FIRST_OCTETS)
  private view = new DataView(this.buffer.buffer)
  private at = 0

  /** Starts a record. */
  start(): void {
    this.at = 0
    if (this.buffer.length > KEPT_OCTETS_MAX) this.allocate(FIRST_OCTETS)
  }

  /** The record, valid until the next one starts. */
  record(): Uint8Array {
    this.checkRoom()
    return this.buffer.subarray(0, this.at)
  }

  /** Makes room for so many octets. */
  reserve(octets: number): void {
    if (this.at + octets > this.buffer.length) this.allocate(Math.max(this.buffer.length * 2, this.at + octets))
  }

  octet(value: number): void {
    this.buffer[this.at++] = value
  }

  /** Leaves out an octet. @returns its place, for {@link put} */
  skip(): number {
    return this.at++
  }

  put(place: number, value: number): void {
    this.buffer[place] = value
  }

  varint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.buffer[this.at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.buffer[this.at++] = rest
  }

  zigzag(value: number): void {
    this.varint(((value << 1) ^ (value >> 31)) >>> 0)
  }

  double(value: number): void {
    this.view.setFloat64(this.at, value, true)
    this.at += 8
  }

  /** Writes length, flags and octets of a text, and makes room for so many octets after it. */
  text(text: string, flags: number, octetsAfter: number): void {
    if (text.length <= SHORT_LENGTH_MAX && this.shortAscii(text, flags, octetsAfter)) return
    const isUtf8 = !UNPAIRED_SURROGATE.test(text)
    const octets = isUtf8 ? Buffer.byteLength(text) : text.length * 2
    if (octets > TEXT_OCTETS_MAX) throw new RangeError(`the log holds texts of at most ${TEXT_OCTETS_MAX} octets`)
    this.reserve(5 + octets + octetsAfter)
    this.varint(octets * 4 + (isUtf8 ? flags : flags | UTF_16))
    this.buffer.write(text, this.at, isUtf8 ? 'utf8' : 'utf16le')
    this.at += octets
  }

  /** @returns whether the text is ASCII; otherwise nothing is written */
  private shortAscii(text: string, flags: number, octetsAfter: number): boolean {
    const { length } = text
    this.reserve(5 + length + octetsAfter)
    const { buffer, at } = this
    this.varint(length * 4 + flags)
    for (let place = 0; place < length; place++) {
      const code = text.charCodeAt(place)
      if (code > 0x7f) {
        this.at = at
        return false
      }
      buffer[this.at + place] = code
    }
    this.at += length
    return true
  }

  /** Octets past the end of a Buffer are lost in silence: a record with too little room must not be written. */
  private checkRoom(): void {
    if (this.at > this.buffer.length) throw new RangeError('a record was written past the room that was made for it')
  }

  private allocate(octets: number): void {
    this.checkRoom()
    const former = this.buffer
    this.buffer = Buffer.allocUnsafeSlow(octets)
    this.view = new DataView(this.buffer.buffer)
    former.copy(this.buffer, 0, 0, this.at)
  }
}
