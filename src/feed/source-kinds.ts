// The kinds of sources that the configuration knows: those in `source/`, and recordings.

import type { Static, TSchema } from 'typebox'
import { FORMATS } from '../source/formats.ts'
import type { Kind, Source } from '../source/kit/source.ts'
import { SOURCES } from '../source/sources.ts'
import { fileSource } from './file-source.ts'

const ALL = [...SOURCES, fileSource] as const

type KindsOf<Each> = Each extends { readonly kinds: infer Kinds } ? Kinds[keyof Kinds] : never

/** A source as configured, with defaults; secrets still as `$NAME`. */
export type SourceSettings =
  KindsOf<(typeof ALL)[number]> extends infer Each
    ? Each extends { settings(...formats: never): infer Settings extends TSchema }
      ? Static<Settings>
      : never
    : never

export type SourceKind = SourceSettings['kind']

export const KINDS = Object.fromEntries(ALL.flatMap(({ kinds = {} }: Source) => Object.entries(kinds))) as Readonly<
  Record<SourceKind, Kind>
>

/** The schema of the settings of a kind. */
export const schemaOf = (kind: SourceKind): TSchema => KINDS[kind].settings(FORMATS)

export const isKind = (value: unknown): value is SourceKind => typeof value === 'string' && Object.hasOwn(KINDS, value)
