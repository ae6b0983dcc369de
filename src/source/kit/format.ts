// A format of payloads, as readers of files and messages see it.

import type { Account } from './account.ts'
import type { Examiner, Normaliser, NormaliserOptions, SourceFacts } from './normaliser.ts'

export interface Format {
  /** What a normaliser reads at a time. Several documents are read by one normaliser, into one picture. */
  readonly piece: 'line' | 'document'
  readonly normaliser: (options: NormaliserOptions) => Normaliser
  /** For lines that must be checked as a whole before any of them is published. */
  readonly examiner?: (facts: SourceFacts) => Examiner
  /** Whether its prices may be decimal or American. */
  readonly hasOddsFormat?: true
  /** Whether its payloads do not state when a price was seen: a recording of it needs `--received-at`. */
  readonly isUndated?: true
  /** What to configure when its payloads name no teams; undefined: they always do. */
  readonly namedBy?: string
}

/** By its name on the command line and in the configuration. */
export type Formats = Readonly<Record<string, Format>>

/** For {@link Format.namedBy}, where a fixture list has the names. */
export const FIXTURES = 'give them with --fixtures FILE (fixtures of a file or stomp source)'

/** Names of the formats whose prices may be decimal or American. */
export const withOddsFormat = (formats: Formats): string[] =>
  Object.keys(formats).filter((name) => formats[name]!.hasOddsFormat)

/**
 * What the source did not name, and what to configure for it, as a sentence without its beginning; undefined: nothing
 * is missing.
 */
export const unnamedText = ({ namedBy }: Format, { missingNames }: Account): string | undefined => {
  const missing = missingNames.text()
  if (missing === undefined || namedBy === undefined) return undefined
  return `does not name ${missing}, and nothing of them is published: ${namedBy}`
}
