// Interning: a text becomes a small number, and with it the bytes that answers need.

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

const NO_BYTES = new Uint8Array(0)

/** Texts that are never released (bookmakers). Numbers start at 1; 0 is "none". */
export class Interner {
  private readonly numbers = new Map<string, number>()
  private readonly texts: string[] = ['']
  private readonly encoded: Uint8Array[] = [jsonBytes('')]

  /** The number of a text, 0 where it is unknown. */
  find(text: string): number {
    return this.numbers.get(text) ?? 0
  }

  /** The number of a text, a new one where it is unknown. */
  intern(text: string): number {
    const known = this.numbers.get(text)
    if (known !== undefined) return known
    const number = this.freeNumber()
    this.numbers.set(text, number)
    this.texts[number] = text
    this.encoded[number] = jsonBytes(text)
    return number
  }

  textOf(number: number): string {
    return this.texts[number]!
  }

  /** The text as JSON, quotes included. Valid while the number is in use. */
  jsonOf(number: number): Uint8Array {
    return this.encoded[number]!
  }

  get size(): number {
    return this.numbers.size
  }

  protected freeNumber(): number {
    return this.texts.length
  }

  protected forget(number: number): void {
    this.numbers.delete(this.texts[number]!)
    // The number may be free for a long time.
    this.texts[number] = ''
    this.encoded[number] = NO_BYTES
  }
}
