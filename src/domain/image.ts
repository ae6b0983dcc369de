// An image: the whole state of the engine as a list of named parts in a fixed order. It is written to a checkpoint and
// read back, or only summed up: two engines with equal images are, and remain, the same under equal inputs.
//
// A class saves itself between two turns, and loads into an object that was just constructed, with limits of its own.

export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

export interface ImageWriter {
  /** A part of plain values: numbers, texts, booleans, null, undefined, and arrays and objects of them. */
  value(name: string, value: unknown): void
  /** A part of numbers. They are read before this returns. */
  column(name: string, values: Column): void
  /** Numbers that follow from the parts before: they only make loading faster, and are left out of a checksum. */
  derived(name: string, values: Column): void
}

/** Reads the parts in the order in which they were written. Throws {@link ImageFault} where a part is not as written. */
export interface ImageReader {
  value(name: string): unknown
  /** Fills the first places of `into`. @returns how many */
  column(name: string, into: Column): number
  /**
   * The same for a column that nothing reads while the image is loaded: it may be there only when all of the image is, or
   * after {@link settle}.
   */
  fill(name: string, into: Column): number
  /** Completes what {@link fill} and {@link derived} have begun. */
  settle(): void
  /** The length of the next part, a column. */
  lengthOf(name: string): number
  /**
   * Fills `into`, as {@link fill} does.
   * @param when `now`: it is there when this returns
   * @returns false where the part has another length: it is skipped
   */
  derived(name: string, into: Column, when?: 'now' | 'later'): boolean
}

export class ImageFault extends Error {
  override readonly name: string = 'ImageFault'
}

/** Nothing is damaged: this process cannot use the image, and another one can. It must not be moved or replaced. */
export class UnfitImage extends ImageFault {
  override readonly name = 'UnfitImage'
}

/** The error of a state that is too large for the limits of this process. */
export const tooLarge = (holds: string, setting: string, needed: number): UnfitImage =>
  new UnfitImage(`the saved state holds ${holds}: --${setting} must be at least ${needed}`)
