// Columns of an image that are built and read element by element: lists of numbers and texts.

import { type Column, ImageFault, type ImageReader, type ImageWriter } from './image.ts'

type ColumnType<T extends Column> = new (length: number) => T

/** The next part, in an array of its own. */
export const readColumn = <T extends Column>(image: ImageReader, name: string, type: ColumnType<T>): T => {
  const values = new type(image.lengthOf(name))
  image.column(name, values)
  return values
}

/** A column that grows. */
export class GrowingColumn<T extends Column> {
  private values: T
  private readonly type: ColumnType<T>
  length = 0

  constructor(type: ColumnType<T>, length = 1_024) {
    this.type = type
    this.values = new type(length)
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const wider = new this.type(this.length * 2)
      wider.set(this.values)
      this.values = wider
    }
    this.values[this.length++] = value
  }

  save(image: ImageWriter, name: string): void {
    image.column(name, this.values.subarray(0, this.length) as T)
  }
}

// Texts are stored in Latin-1, and in UTF-16 where that does not do: both are exact for any text.
const LATIN_1 = /^[\0-\xff]*$/

/** Saves texts: their lengths in octets, doubled, plus one where a text is in UTF-16; and their octets. */
export const saveTexts = (image: ImageWriter, name: string, texts: readonly string[]): void => {
  const lengths = new Uint32Array(texts.length)
  let total = 0
  for (let n = 0; n < texts.length; n++) {
    const text = texts[n]!
    const isWide = !LATIN_1.test(text)
    const length = isWide ? text.length * 2 : text.length
    lengths[n] = length * 2 + (isWide ? 1 : 0)
    total += length
  }
  const octets = Buffer.allocUnsafe(total)
  let place = 0
  for (let n = 0; n < texts.length; n++)
    place += octets.write(texts[n]!, place, (lengths[n]! & 1) === 0 ? 'latin1' : 'utf16le')
  image.column(`${name} lengths`, lengths)
  image.column(name, octets)
}

/** What `toString` calls, without the choice among encodings: there are hundreds of thousands of texts. */
interface Slices {
  latin1Slice(start: number, end: number): string
  ucs2Slice(start: number, end: number): string
}

/** Texts of an image by number, each made when it is first asked for. */
export class LoadedTexts {
  private readonly octets: Buffer & Slices
  /** As they were saved. */
  private readonly lengths: Uint32Array
  private readonly starts: Uint32Array
  private readonly known: (string | undefined)[]

  /** Reads what {@link saveTexts} has saved. */
  constructor(image: ImageReader, name: string) {
    this.lengths = readColumn(image, `${name} lengths`, Uint32Array)
    this.octets = Buffer.from(readColumn(image, name, Uint8Array).buffer) as Buffer & Slices
    this.starts = new Uint32Array(this.lengths.length)
    let end = 0
    for (let n = 0; n < this.lengths.length; n++) {
      this.starts[n] = end
      end += this.lengths[n]! >>> 1
    }
    if (end !== this.octets.length)
      throw new ImageFault(`${name}: has ${this.octets.length} octets of text, not ${end}`)
    this.known = Array.from({ length: this.lengths.length }, () => undefined)
  }

  /** All of them, for an image that is read at once. */
  get all(): string[] {
    return Array.from(this.known, (_, n) => this.at(n)!)
  }

  /** Undefined where there is none. */
  at(n: number): string | undefined {
    if (n < 0 || n >= this.lengths.length) return undefined
    const known = this.known[n]
    if (known !== undefined) return known
    const length = this.lengths[n]!
    const [start, end] = [this.starts[n]!, this.starts[n]! + (length >>> 1)]
    const text = (length & 1) === 0 ? this.octets.latin1Slice(start, end) : this.octets.ucs2Slice(start, end)
    this.known[n] = text
    return text
  }
}

/** Reads what {@link saveTexts} has saved. */
export const loadTexts = (image: ImageReader, name: string): string[] => new LoadedTexts(image, name).all

/** Texts with a number; those that are looked up, each once. */
export class TextTable {
  readonly texts: string[] = []
  private readonly numbers = new Map<string, number>()

  numberOf(text: string): number {
    const known = this.numbers.get(text)
    if (known !== undefined) return known
    this.numbers.set(text, this.texts.length)
    return this.add(text)
  }

  /** Adds a text that is not looked up: it occurs once. */
  add(text: string): number {
    return this.texts.push(text) - 1
  }
}
