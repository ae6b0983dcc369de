// What a format of payloads is to those who read files or messages of it.

import type { Account } from './account.ts'
import type { Examiner, Normaliser, NormaliserOptions, SourceFacts } from './normaliser.ts'

export interface Format {
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

/** By the name that the command line and the configuration know. */
export type Formats = Readonly<Record<string, Format>>

/** For {@link Format.namedBy}, where a fixture list has the names. */
export const FIXTURES = 'give them with --fixtures FILE (fixtures of a file or stomp source)'

/** Names of the formats whose prices may be decimal or American. */
export const withOddsFormat = (formats: Formats): string[] =>
  Object.keys(formats).filter((name) => formats[name]!.hasOddsFormat)

/** What a source did not name, and what to give for it, as a sentence without its beginning; undefined: nothing is missing. */
export const unnamedText = ({ namedBy }: Format, { missingNames }: Account): string | undefined => {
  const missing = missingNames.text()
  if (missing === undefined || namedBy === undefined) return undefined
  return `does not name ${missing}, and nothing of them is published: ${namedBy}`
}
