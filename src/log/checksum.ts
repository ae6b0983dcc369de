// A checksum of an image: equal for equal states, in any process.

import { createHash } from 'node:crypto'
import type { Column, ImageWriter } from '../domain/image.ts'
import { kindOf, octetsOf, pack, partHead, VALUE } from './part-format.ts'

/** Sums up an image: SHA-256, which the processor computes at over 1 GB/s, shortened to 128 bits. */
export class ChecksumWriter implements ImageWriter {
  private readonly hash = createHash('sha256')

  value(name: string, value: unknown): void {
    this.part(VALUE, name, pack(value))
  }

  column(name: string, values: Column): void {
    this.part(kindOf(values), name, octetsOf(values))
  }

  derived(): void {
    // It follows from the other parts, and may have been built in another order.
  }

  /** 32 hexadecimal digits. Once. */
  digest(): string {
    return this.hash.digest('hex').slice(0, 32)
  }

  private part(kind: number, name: string, payload: Uint8Array): void {
    this.hash.update(partHead(kind, name, payload.length, 0)).update(payload)
  }
}
