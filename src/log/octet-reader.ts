// The numbers and texts of turn-format.ts in a record, each checked against the octets that are left.

import { isUtf8 } from 'node:buffer'
import { TEXT_OCTETS_MAX, TurnFault, UTF_16 } from './turn-format.ts'

/** Texts up to this length are checked in a loop whether they are ASCII, as most are: a view of them costs more. */
const SHORT_OCTETS_MAX = 32

/** Reads one record after the other. Every method throws {@link TurnFault} where its value is not there; `what` names it. */
export class OctetReader {
  private bytes: Buffer = Buffer.alloc(0)
  private view = new DataView(this.bytes.buffer)
  private at = 0

  start(record: Uint8Array): void {
    this.bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
    this.view = new DataView(record.buffer, record.byteOffset, record.byteLength)
    this.at = 0
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  octet(what: string): number {
    if (this.at >= this.bytes.length) this.need(1, what)
    return this.bytes[this.at++]!
  }

  varint(what: string): number {
    const first = this.octet(what)
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let shift = 7; shift < 28; shift += 7) {
      const octet = this.octet(what)
      value |= (octet & 0x7f) << shift
      if (octet < 0x80) return value
    }
    const last = this.octet(what)
    if (last > 0xf) this.fail(`${what} has over 32 bits`, 1)
    return (value | (last << 28)) >>> 0
  }

  zigzag(what: string): number {
    const value = this.varint(what)
    return (value >>> 1) ^ -(value & 1)
  }

  double(what: string): number {
    if (this.left < 8) this.need(8, what)
    const value = this.view.getFloat64(this.at, true)
    this.at += 8
    return value
  }

  /** A number of members of at least so many octets each: checked before anything is made for them. */
  count(what: string, octetsEach: number): number {
    const count = this.varint(`the number of ${what}`)
    if (count * octetsEach > this.left) this.fail(`${count} ${what} in ${this.left} octets`)
    return count
  }

  isSet(what: string): boolean {
    const octet = this.octet(what)
    if (octet > 1) this.fail(`${what}: ${octet} is neither 0 nor 1`, 1)
    return octet === 1
  }

  /** The octets of a text after its head: length * 4 + flags. */
  text(head: number, what: string): string {
    const octets = head >>> 2
    this.need(octets, what)
    if (octets > TEXT_OCTETS_MAX) this.fail(`${what} has over ${TEXT_OCTETS_MAX} octets`)
    const { bytes, at } = this
    const end = at + octets
    if ((head & UTF_16) !== 0) {
      if (octets % 2 === 1) this.fail(`${what}: UTF-16 of ${octets} octets`)
      this.at = end
      return bytes.toString('utf16le', at, end)
    }
    const isAscii = this.isShortAscii(end)
    if (!isAscii && !isUtf8(bytes.subarray(at, end))) this.fail(`${what} is not UTF-8`)
    this.at = end
    return bytes.toString(isAscii ? 'latin1' : 'utf8', at, end)
  }

  /** @param before octets since what is wrong */
  fail(what: string, before = 0): never {
    throw new TurnFault(`offset ${this.at - before}: ${what}`)
  }

  private isShortAscii(end: number): boolean {
    const { bytes, at } = this
    if (end - at > SHORT_OCTETS_MAX) return false
    for (let place = at; place < end; place++) if (bytes[place]! > 0x7f) return false
    return true
  }

  private need(octets: number, what: string): void {
    if (octets > this.left) this.fail(`${what} needs ${octets} octets, of which ${this.left} are there`)
  }
}
