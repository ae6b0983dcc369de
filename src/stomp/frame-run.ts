// MESSAGE frames, written as bytes around a body that is rendered once: the headers `subscription` and `ack`, and the
// encoding, differ from class to class.

import { Packr } from 'msgpackr/pack'
import { JsonWriter, piece } from '../json-writer.ts'
import { writeEvent } from './event-frame.ts'
import { type Encoding, ENCODINGS, type Kind, KINDS } from './message.ts'
import { isShortHead } from './numbers.ts'

const SUBSCRIPTION = '\nsubscription:'
const ACK = piece('\nack:')
const PREV_TEXT = '\nprev:'
const PREV = piece(PREV_TEXT)
const LENGTH = piece('\ncontent-length:')
const HEAD_END = piece('\n\n')
const FRAME_END = piece('\0\n')
const DOT = 0x2e
const SLASH = 0x2f

const tailOf = (kind: Kind, encoding: Encoding): Uint8Array =>
  piece(`\nkind:${kind}\ncontent-type:${ENCODINGS[encoding]}\ncontent-length:`)

const TAILS = Object.fromEntries(
  KINDS.map((kind) => [kind, { json: tailOf(kind, 'json'), msgpack: tailOf(kind, 'msgpack') }]),
) as Readonly<Record<Kind, Readonly<Record<Encoding, Uint8Array>>>>

/** How the messages of a class differ from those of others. */
export interface MessageForm {
  /** The header `subscription` of every message, escaped; empty: none (STOMP 1.0 without an id). */
  readonly subscription: string
  /** Whether messages are acknowledged, so that their ids have to be kept. */
  readonly acknowledges: boolean
  /** Number in the header `ack` (STOMP 1.2); undefined: there is no such header. */
  readonly ackNumber: number | undefined
  readonly encoding: Encoding
  /** As server-sent events. */
  readonly isEvent?: boolean
  readonly bundleBytes?: number
}

// Plain maps in their shortest form: every MessagePack reader can read them.
const packr = new Packr({ useRecords: false, variableMapSize: true })

/** A piece that is kept for long, and nearly always the same as the one asked for before. */
class KeptPiece {
  private text = ''
  private bytes: Uint8Array = Buffer.alloc(0)

  of(text: string): Uint8Array {
    if (text !== this.text) {
      this.text = text
      // In memory of its own: a slice of Node's pool keeps 8 KiB, as each of ten thousand streams did.
      this.bytes = Buffer.from(new Uint8Array(piece(text)).buffer)
    }
    return this.bytes
  }
}

const epochs = new KeptPiece()
const lines = new KeptPiece()
const prevs = new KeptPiece()

/** Octets of memory that no run has now. */
const SPARE_BYTES_MAX = 4 * 1024 * 1024

/**
 * Memory for runs: each has some while it has frames. Most of ten thousand streams nearly always have none, and kept 5 KB each, which they
 * had got in steps of 12 KB in all, as had each snapshot: where thousands connected at once, 16 MB a second outside of V8's heap. Where
 * that has grown by 64 MB, V8 marks what is old for 5 to 10 ms with each buffer that is made meanwhile; now it grows by 1 MB in 6 s.
 *
 * By size: a carrier that does not read keeps the memory of what was written to it, which must not be far more than that.
 */
class Spares {
  readonly writers: JsonWriter[] = []
  bytes = 0
}

let spares: Spares[] = []
/** Of all of them. */
let spareBytes = 0

const LEAST_BYTES = 8 * 1024

/** What a frame has besides its head and its body, mostly: with more the memory of a run grows by itself. */
const AROUND_BYTES = 512

/** 0: up to {@link LEAST_BYTES}; each next one: twice as much. */
const sizeClassOf = (bytes: number): number => 32 - Math.clz32(Math.trunc(Math.max(0, bytes - 1) / LEAST_BYTES))

/** @param bytes how many are expected */
const takeWriter = (bytes: number): JsonWriter => {
  const sizeClass = sizeClassOf(bytes)
  const of = spares[sizeClass]
  const writer = of?.writers.pop()
  if (writer !== undefined) {
    of!.bytes -= writer.room
    spareBytes -= writer.room
    return writer
  }
  // All that the class has at once, and so that it is given back to it. What a carrier keeps is not there for the next run:
  // growing to its length in steps, a SEND to a subscriber flat out took 1.1 us a quote where it takes 0.9.
  return new JsonWriter(sizeClass === 0 ? bytes : LEAST_BYTES * 2 ** sizeClass)
}

const giveBack = (writer: JsonWriter): void => {
  const { room } = writer
  const sizeClass = sizeClassOf(room)
  const of = (spares[sizeClass] ??= new Spares())
  if (spareBytes + room > SPARE_BYTES_MAX && of.bytes < spareBytes) {
    // What runs of other lengths have left must not take all: each run of this one would get new memory.
    spares = []
    spares[sizeClass] = of
    spareBytes = of.bytes
  }
  if (spareBytes + room > SPARE_BYTES_MAX) return
  writer.clear()
  of.writers.push(writer)
  of.bytes += room
  spareBytes += room
}

/**
 * More memory for a run that has become longer than the one before it. What it had is given back: a writer that grew by itself would be
 * missing where it came from, and too many would gather where it ended. (Of a feed flat out with one subscriber, whose turns are of
 * 8 to 64 KB, a sixth of the runs got new memory so, and 20 MB a second of what no run had were left to V8, which marked all
 * that is old every two seconds.)
 */
const exchange = (writer: JsonWriter, octets: number): JsonWriter => {
  const larger = takeWriter(Math.max(2 * writer.room, writer.size + octets))
  larger.raw(writer.view())
  giveBack(writer)
  return larger
}

/** The octets in memory of just their length. */
export const copyOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** Writes frames of one form, one after the other. */
export class FrameRun {
  readonly form: MessageForm
  // Undefined: there are no frames.
  private writer: JsonWriter | undefined
  /** Octets of the last run: the next one is about as long. */
  private sizeBefore = 0
  private readonly epochDash: Uint8Array
  private readonly line: Uint8Array
  private readonly prev: Uint8Array
  private readonly ackTail: Uint8Array | undefined
  /** Where each frame ends. */
  ends: number[] = []

  constructor(epoch: string, form: MessageForm) {
    this.form = form
    this.epochDash = epochs.of(`${epoch}-`)
    this.prev = prevs.of(`${PREV_TEXT}${epoch}-`)
    this.line = lines.of(form.subscription === '' ? '' : `${SUBSCRIPTION}${form.subscription}`)
    this.ackTail = form.ackNumber === undefined ? undefined : piece(String(form.ackNumber))
  }

  get size(): number {
    return this.writer === undefined ? 0 : this.writer.size
  }

  private begin(): JsonWriter {
    return (this.writer = takeWriter(this.sizeBefore))
  }

  private roomFor(octets: number): JsonWriter {
    const writer = this.writer ?? this.begin()
    // Short ones may grow by themselves: their class has all lengths.
    if (writer.size + octets <= Math.max(writer.room, LEAST_BYTES)) return writer
    return (this.writer = exchange(writer, octets))
  }

  /**
   * @param head the frame up to its message-id
   * @param part a number after the seq, for messages that are no resume points; -1: none
   * @param prev seq of the message before; -1: no such header
   * @param body JSON
   */
  add(head: Uint8Array, seq: number, part: number, prev: number, kind: Kind, body: Uint8Array): void {
    const { form } = this
    const writer = this.roomFor(head.length + body.length + AROUND_BYTES)
    if (form.isEvent === true) {
      writeEvent(writer, this.epochDash, seq, part, prev, isShortHead(head) ? 'short' : kind, body)
      this.ends.push(writer.size)
      return
    }
    writer.raw(head)
    this.id(writer, seq, part)
    writer.raw(this.line)
    if (this.ackTail !== undefined) {
      writer.raw(ACK)
      this.id(writer, seq, part)
      writer.char(SLASH)
      writer.raw(this.ackTail)
    }
    const bytes = form.encoding === 'json' ? body : packr.pack(JSON.parse(Buffer.from(body).toString()))
    if (isShortHead(head)) {
      writer.raw(PREV)
      writer.signed(seq - prev)
      // The body as JSON holds no NUL.
      if (form.encoding !== 'json') {
        writer.raw(LENGTH)
        writer.integer(bytes.length)
      }
    } else {
      if (prev >= 0) {
        writer.raw(this.prev)
        writer.integer(prev)
      }
      writer.raw(TAILS[kind][form.encoding])
      writer.integer(bytes.length)
    }
    writer.raw(HEAD_END)
    writer.raw(bytes)
    writer.raw(FRAME_END)
    this.ends.push(writer.size)
  }

  private id(writer: JsonWriter, seq: number, part: number): void {
    writer.raw(this.epochDash)
    writer.integer(seq)
    if (part < 0) return
    writer.char(DOT)
    writer.integer(part)
  }

  /** The frames written, in place. {@link end} must be called before the next frame. */
  view(): { readonly bytes: Buffer; readonly ends: readonly number[] } {
    return { bytes: (this.writer ?? this.begin()).view(), ends: this.ends }
  }

  /** Forgets the frames. @param isKept whether their bytes are still needed: the memory is for no other run then */
  end(isKept: boolean): void {
    const { writer } = this
    if (writer !== undefined) {
      this.sizeBefore = writer.size
      if (!isKept) giveBack(writer)
      this.writer = undefined
    }
    this.ends = []
  }

  /** The frames written, in their own memory, and where each ends. The run is empty again. */
  detach(): { readonly bytes: Buffer; readonly ends: readonly number[] } {
    const { bytes, ends } = this.view()
    const run = { bytes: copyOf(bytes), ends }
    this.end(false)
    return run
  }
}
