// Turns as JSON, for tests of the files of the log.

import assert from 'node:assert/strict'
import type { Turn } from '../../src/domain/input.ts'
import type { Encoder } from '../../src/log/file-log.ts'
import type { Decoder } from '../../src/log/read-turns.ts'

/** A record refers to the one before it, so that none can be decoded without those before it. */
export class JsonEncoder implements Encoder {
  private count = 0
  private readonly countMax: number

  constructor(countMax = Number.POSITIVE_INFINITY) {
    this.countMax = countMax
  }

  begin(): void {
    this.count = 0
  }

  encode(turn: Turn): Uint8Array {
    return Buffer.from(JSON.stringify([this.count++, turn]))
  }

  get isFull(): boolean {
    return this.count >= this.countMax
  }

  readonly dictionary = { decoderFrom: (size: number): JsonDecoder => new JsonDecoder(size) }

  get size(): number {
    return this.count
  }
}

export class JsonDecoder implements Decoder {
  private count: number

  /** @param count of the records before the first */
  constructor(count = 0) {
    this.count = count
  }

  begin(): void {
    this.count = 0
  }

  decode(record: Uint8Array): Turn {
    const [count, turn] = JSON.parse(Buffer.from(record).toString()) as [number, Turn]
    assert.equal(count, this.count++, 'records before it were not decoded')
    return turn
  }
}

export const AT = 1_790_000_000_000

/** The turn with a number. */
export const turnOf = (number: number, length = 20): Turn => ({
  at: AT + number,
  inputs: [{ kind: 'end', producer: `${number} ${'x'.repeat(length)}`, at: AT }],
})
