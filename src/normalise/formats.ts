// The formats that can be read from a file, by the name that the command line knows. A new one is one row here.

import { betfairNormaliser } from './betfair.ts'
import { footballDataNormaliser } from './football-data.ts'
import { kambiNormaliser } from './kambi.ts'
import type { Normaliser, NormaliserOptions } from './normaliser.ts'
import { observationsNormaliser } from './observations.ts'
import { pinnacleNormaliser } from './pinnacle.ts'
import { theOddsApiCsvNormaliser, theOddsApiNormaliser } from './the-odds-api.ts'
import { txlineNormaliser } from './txline.ts'
import { uofNormaliser } from './uof.ts'

interface Format {
  /** What a normaliser of it takes at a time. Of several documents one normaliser makes one picture. */
  readonly piece: 'line' | 'document'
  readonly normaliser: (options: NormaliserOptions) => Normaliser
}

export const FORMATS = {
  'the-odds-api-csv': { piece: 'line', normaliser: theOddsApiCsvNormaliser },
  'the-odds-api': { piece: 'document', normaliser: theOddsApiNormaliser },
  betfair: { piece: 'line', normaliser: betfairNormaliser },
  kambi: { piece: 'document', normaliser: kambiNormaliser },
  pinnacle: { piece: 'document', normaliser: pinnacleNormaliser },
  uof: { piece: 'document', normaliser: uofNormaliser },
  'football-data': { piece: 'line', normaliser: footballDataNormaliser },
  txline: { piece: 'document', normaliser: txlineNormaliser },
  observations: { piece: 'line', normaliser: observationsNormaliser },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[]

export const isFormatName = (value: string): value is FormatName => Object.hasOwn(FORMATS, value)
