// Outcome labels: interned, and released with the last quote that uses them, so that years of players cost nothing.

import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { loadTexts, readColumn, saveTexts } from '../domain/image-columns.ts'
import { outcomeSortKey } from '../domain/market.ts'
import { Interner } from './interning.ts'
import { invariant } from './invariant.ts'
import type { Holding } from './capacity.ts'

const NO_BYTES = new Uint8Array(0)

/**
 * A text as a JSON string literal in UTF-8, in its own memory: a part of Node's pool would hold 8 KB for as long as one
 * text of that part is in use.
 */
export const jsonBytes = (text: string): Uint8Array => {
  const json = JSON.stringify(text)
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json))
  bytes.write(json)
  return bytes
}

export class OutcomeLabels extends Interner {
  private readonly encoded: Uint8Array[] = [NO_BYTES]
  private readonly sortKeys: string[] = ['']
  private readonly uses: number[] = [0]
  private readonly owners: number[] = [0]
  private readonly free: number[] = []
  private readonly capacity: Holding

  constructor(capacity: Holding) {
    super()
    this.capacity = capacity
  }

  /** @param bookmaker that holds the label if it is new; 0: none */
  override intern(label: string, bookmaker = 0): number {
    const known = this.find(label)
    if (known !== 0) return known
    const number = this.add(label, this.free.pop() ?? this.texts.length)
    this.encoded[number] = jsonBytes(label)
    this.sortKeys[number] = outcomeSortKey(label)
    this.uses[number] = 0
    this.owners[number] = bookmaker
    this.capacity.add()
    this.capacity.addOf(bookmaker)
    return number
  }

  /** The label as JSON, quotes included. Valid while the number is in use. */
  jsonOf(number: number): Uint8Array {
    return this.encoded[number]!
  }

  /** Labels of one market sort by this (`<`). */
  sortKeyOf(number: number): string {
    return this.sortKeys[number]!
  }

  override save(image: ImageWriter, name: string): void {
    saveTexts(image, name, this.texts)
    image.column(`${name} uses`, Uint32Array.from(this.uses))
    image.column(`${name} owners`, Uint16Array.from(this.owners))
    // The last one is used first.
    image.column(`${name} free`, Uint32Array.from(this.free))
  }

  override load(image: ImageReader, name: string): void {
    const texts = loadTexts(image, name)
    const uses = readColumn(image, `${name} uses`, Uint32Array)
    const owners = readColumn(image, `${name} owners`, Uint16Array)
    for (const number of readColumn(image, `${name} free`, Uint32Array)) this.free.push(number)
    for (let number = 1; number < texts.length; number++) {
      const label = texts[number]!
      const isUsed = uses[number] !== 0
      if (isUsed) this.numbers.set(label, number)
      this.texts[number] = label
      this.encoded[number] = isUsed ? jsonBytes(label) : NO_BYTES
      this.sortKeys[number] = isUsed ? outcomeSortKey(label) : ''
      this.uses[number] = uses[number]!
      this.owners[number] = owners[number]!
    }
  }

  retain(number: number): void {
    this.uses[number]!++
  }

  /** Releases one use; with the last one the number is free for another label. */
  release(number: number): void {
    const uses = --this.uses[number]!
    invariant(uses >= 0, 'a label is released as often as it is used')
    if (uses > 0) return
    this.numbers.delete(this.texts[number]!)
    // The number may be free for a long time.
    this.texts[number] = ''
    this.encoded[number] = NO_BYTES
    this.sortKeys[number] = ''
    this.capacity.remove()
    this.capacity.removeOf(this.owners[number]!)
    this.free.push(number)
  }
}
