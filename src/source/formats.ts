// The formats of all sources that can be read from a file, by their names on the command line.

import { type Format, withOddsFormat } from './kit/format.ts'
import type { Source } from './kit/source.ts'
import { SOURCES } from './sources.ts'

type NamesOf<Each> = Each extends { readonly formats: infer Formats } ? keyof Formats : never

export type FormatName = NamesOf<(typeof SOURCES)[number]>

export const FORMATS = Object.fromEntries(
  SOURCES.flatMap(({ formats = {} }: Source) => Object.entries(formats)),
) as Readonly<Record<FormatName, Format>>

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[]

/** Formats whose prices may be decimal or American. */
export const FORMATS_WITH_ODDS_FORMAT = withOddsFormat(FORMATS)

export const isFormatName = (value: string): value is FormatName => Object.hasOwn(FORMATS, value)
