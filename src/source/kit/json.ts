// JSON of a source, whose values may be anything.

import { shown } from './text.ts'

/** A text as JSON. A fault is a sentence without its beginning. */
export const parseJson = (text: string): { readonly value: unknown } | { readonly fault: string } => {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: `is not JSON: ${shown((error as Error).message)}` }
  }
}

export const isId = (value: unknown): value is number => Number.isSafeInteger(value)

/** `1e999` is valid JSON, and parsed as Infinity. */
export const isNumberOrNone = (value: unknown): boolean =>
  value === undefined || value === null || Number.isFinite(value)
