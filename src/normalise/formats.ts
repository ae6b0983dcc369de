// The formats that can be read from a file, by the name that the command line knows. A new one is one row here.

import type { Normaliser, NormaliserOptions } from './normaliser.ts'
import { observationsNormaliser } from './observations.ts'
import { theOddsApiCsvNormaliser, theOddsApiNormaliser } from './the-odds-api.ts'

interface Format {
  /** What a normaliser of it takes at a time. */
  readonly piece: 'line' | 'document'
  readonly normaliser: (options: NormaliserOptions) => Normaliser
}

export const FORMATS = {
  'the-odds-api-csv': { piece: 'line', normaliser: theOddsApiCsvNormaliser },
  'the-odds-api': { piece: 'document', normaliser: theOddsApiNormaliser },
  observations: { piece: 'line', normaliser: observationsNormaliser },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[]

export const isFormatName = (value: string): value is FormatName => Object.hasOwn(FORMATS, value)
