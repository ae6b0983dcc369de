// Interning: a text becomes a small number.

import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { loadTexts, saveTexts } from '../domain/image-columns.ts'

/** Texts that are never released (bookmakers). Numbers start at 1; 0 is "none". */
export class Interner {
  // Not in shards, as what has a key for each event is: a label is looked up with each price, and there it takes up to 14 ns more.
  protected readonly numbers = new Map<string, number>()
  protected readonly texts: string[] = ['']

  /** The number of a text, 0 where it is unknown. */
  find(text: string): number {
    return this.numbers.get(text) ?? 0
  }

  /** The number of a text, a new one where it is unknown. */
  intern(text: string): number {
    const known = this.find(text)
    return known === 0 ? this.add(text, this.texts.length) : known
  }

  textOf(number: number): string {
    return this.texts[number]!
  }

  get size(): number {
    return this.numbers.size
  }

  save(image: ImageWriter, name: string): void {
    saveTexts(image, name, this.texts)
  }

  load(image: ImageReader, name: string): void {
    for (const [number, text] of loadTexts(image, name).entries()) if (number !== 0) this.add(text, number)
  }

  protected add(text: string, number: number): number {
    this.numbers.set(text, number)
    this.texts[number] = text
    return number
  }
}
