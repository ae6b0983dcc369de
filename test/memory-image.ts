// An image in memory: its parts can be compared by name, and it can be loaded.

import assert from 'node:assert/strict'
import type { Column, ImageReader, ImageWriter } from '../src/domain/image.ts'
import { pack, unpack } from '../src/log/part-format.ts'

interface Part {
  readonly name: string
  readonly kind: 'value' | 'column' | 'derived'
  /** A value is packed: it must not share objects with what it was saved from. */
  readonly content: Buffer | Column
}

export class MemoryImage implements ImageWriter, ImageReader {
  readonly parts: Part[] = []
  private place = 0
  private readonly filling: (() => void)[] = []

  value(name: string, ...value: [unknown?]): unknown {
    if (value.length === 0) return unpack(this.next(name, 'value').content as Buffer)
    this.parts.push({ name, kind: 'value', content: Buffer.from(pack(value[0])) })
    return undefined
  }

  column(name: string, values: Column): number {
    if (!this.isReading) {
      this.parts.push({ name, kind: 'column', content: copyOf(values) })
      return values.length
    }
    const content = this.next(name, 'column').content as Column
    assert.equal(content.constructor, values.constructor, name)
    values.set(content)
    return content.length
  }

  fill(name: string, into: Column): number {
    const content = this.next(name, 'column').content as Column
    assert.equal(content.constructor, into.constructor, name)
    this.filling.push(() => void into.set(content))
    return content.length
  }

  /** As late as possible: nothing may read them while the image is loaded. */
  settle(): void {
    for (const fill of this.filling.splice(0)) fill()
  }

  lengthOf(name: string): number {
    assert.equal(this.parts[this.place]?.name, name)
    return (this.parts[this.place]!.content as Column).length
  }

  derived(name: string, values: Column, when: 'now' | 'later' = 'later'): boolean {
    if (!this.isReading) {
      this.parts.push({ name, kind: 'derived', content: copyOf(values) })
      return true
    }
    const content = this.next(name, 'derived').content as Column
    if (content.length !== values.length) return false
    if (when === 'now') values.set(content)
    else this.filling.push(() => void values.set(content))
    return true
  }

  static of(...saved: readonly { save(image: ImageWriter): void }[]): MemoryImage {
    const image = new MemoryImage()
    for (const each of saved) each.save(image)
    return image
  }

  /** The same parts, to be read from the first one on. */
  reader(): MemoryImage {
    const image = new MemoryImage()
    image.parts.push(...this.parts)
    return image.read()
  }

  /** Whether another one has the same parts. */
  equals(other: MemoryImage): boolean {
    try {
      assertSameImage(this, other, '')
      return true
    } catch {
      return false
    }
  }

  /** From now on it is read, from the first part on. */
  read(): this {
    this.isReading = true
    this.place = 0
    return this
  }

  /** All parts were read. */
  checkRead(): void {
    this.settle()
    assert.equal(this.place, this.parts.length)
  }

  private isReading = false

  private next(name: string, kind: Part['kind']): Part {
    const part = this.parts[this.place++]
    assert.deepEqual([part?.name, part?.kind], [name, kind])
    return part!
  }
}

/** Equal parts, but for derived ones, as in a checksum; the first difference is named. */
export const assertSameImage = (actual: MemoryImage, expected: MemoryImage, at: string): void => {
  assert.deepEqual(
    actual.parts.map(({ name, kind }) => `${kind} ${name}`),
    expected.parts.map(({ name, kind }) => `${kind} ${name}`),
    at,
  )
  for (const [place, { name, kind, content }] of actual.parts.entries()) {
    const other = expected.parts[place]!.content
    if (kind === 'derived' || octetsOf(content).equals(octetsOf(other))) continue
    if (kind === 'value') assert.deepEqual(unpack(content as Buffer), unpack(other as Buffer), `${at}: "${name}"`)
    assert.deepEqual(content, other, `${at}: "${name}"`)
  }
}

/** Of the plain type: octets may be a Buffer, whose slices share its memory. */
const copyOf = (values: Column): Column => (values instanceof Uint8Array ? new Uint8Array(values) : values.slice())

const octetsOf = ({ buffer, byteOffset, byteLength }: Buffer | Column): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
