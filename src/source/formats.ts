// The formats that can be read from a file, by the name that the command line knows. A new one is one row here.

import type { Account } from './kit/account.ts'
import { betfairNormaliser } from './betfair/betfair-normaliser.ts'
import { footballDataNormaliser } from './football-data/football-data-normaliser.ts'
import { kambiNormaliser } from './kambi/kambi-normaliser.ts'
import type { Examiner, Normaliser, NormaliserOptions, SourceFacts } from './kit/normaliser.ts'
import { observationsNormaliser } from './observations/observations.ts'
import { pinnacleNormaliser } from './pinnacle/pinnacle-normaliser.ts'
import {
  theOddsApiCsvExaminer,
  theOddsApiCsvNormaliser,
  theOddsApiNormaliser,
} from './the-odds-api/the-odds-api-normaliser.ts'
import { txlineNormaliser } from './txline/txline-normaliser.ts'
import { uofNormaliser } from './uof/uof-normaliser.ts'

interface Format {
  /** What a normaliser of it takes at a time. Of several documents one normaliser makes one picture. */
  readonly piece: 'line' | 'document'
  readonly normaliser: (options: NormaliserOptions) => Normaliser
  /** Of lines that must be judged as a whole before one of them is published. */
  readonly examiner?: (facts: SourceFacts) => Examiner
  /** Whether its prices may be decimal or American. */
  readonly hasOddsFormat?: true
  /** What to give where its payloads name no teams; undefined: they always do. */
  readonly namedBy?: string
}

const FIXTURES = 'give them with --fixtures FILE (fixtures of a file or stomp source)'

export const FORMATS = {
  'the-odds-api-csv': {
    piece: 'line',
    normaliser: theOddsApiCsvNormaliser,
    examiner: theOddsApiCsvExaminer,
    hasOddsFormat: true,
  },
  'the-odds-api': { piece: 'document', normaliser: theOddsApiNormaliser, hasOddsFormat: true },
  betfair: {
    piece: 'line',
    normaliser: betfairNormaliser,
    namedBy: `${FIXTURES}, events by event id or market id, runners by selection id`,
  },
  kambi: { piece: 'document', normaliser: kambiNormaliser },
  pinnacle: {
    piece: 'document',
    normaliser: pinnacleNormaliser,
    namedBy:
      'give its matchups in the same document, {"matchups":[…],"markets":[…]}, or with feed explain as the file before it',
  },
  uof: { piece: 'document', normaliser: uofNormaliser, namedBy: `${FIXTURES}, by event id` },
  'football-data': { piece: 'line', normaliser: footballDataNormaliser },
  txline: { piece: 'document', normaliser: txlineNormaliser, namedBy: `${FIXTURES}, by fixture id` },
  observations: { piece: 'line', normaliser: observationsNormaliser },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[]

/** A format with all that it may have. */
export const formatOf = (name: FormatName): Format => FORMATS[name]

/** Formats whose prices may be decimal or American. */
export const FORMATS_WITH_ODDS_FORMAT = FORMAT_NAMES.filter((name) => formatOf(name).hasOddsFormat)

/** What a source did not name, and what to give for it, as a sentence without its beginning; undefined: nothing is missing. */
export const unnamedText = (name: FormatName, { missingNames }: Account): string | undefined => {
  const missing = missingNames.text()
  const { namedBy } = formatOf(name)
  if (missing === undefined || namedBy === undefined) return undefined
  return `does not name ${missing}, and nothing of them is published: ${namedBy}`
}

export const isFormatName = (value: string): value is FormatName => Object.hasOwn(FORMATS, value)
