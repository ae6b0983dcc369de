// What is wrong with the configuration of sources, in terms of the file.

import type { TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import Value from 'typebox/value'
import { isRecord } from '../domain/record.ts'
import { SECRET_PATTERN } from '../source/kit/settings.ts'
import { didYouMean, nearest } from './nearest.ts'

/** The place in the file, and what is wrong there. */
export interface FeedsFault {
  readonly field: string
  readonly message: string
}

// The default is 8, and what is behind them is not looked at.
Settings.Set({ maxErrors: 1_000 })

const partsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

const fieldOf = (path: string, within: string): string => {
  const field = partsOf(path).reduce(
    (sum, part) => (/^\d+$/.test(part) ? `${sum}[${part}]` : sum === '' ? part : `${sum}.${part}`),
    '',
  )
  return within === '' ? field : field === '' ? within : `${within}.${field}`
}

const memberOf = (field: string, member: string): string => (field === '' ? member : `${field}.${member}`)

const schemaAt = (schema: TSchema, parts: readonly string[]): Readonly<Record<string, unknown>> => {
  let at: unknown = schema
  for (const part of parts) {
    if (!isRecord(at)) return {}
    at = isRecord(at.properties) ? at.properties[part] : at.items
  }
  return isRecord(at) ? at : {}
}

/** The fields that are known at a place. */
const membersAt = (schema: TSchema, parts: readonly string[]): readonly string[] => {
  const { properties } = schemaAt(schema, parts)
  return isRecord(properties) ? Object.keys(properties) : []
}

export const mustBeOneOf = (words: readonly unknown[], given: unknown): string =>
  `must be one of ${words.join(', ')}${typeof given === 'string' ? didYouMean(given, words.map(String)) : ''}`

type SchemaError = ReturnType<typeof Value.Errors>[number]

const messageOf = (
  { keyword, instancePath, params, message }: SchemaError,
  schema: TSchema,
  value: unknown,
): string => {
  if (keyword === 'enum') {
    const given = partsOf(instancePath).reduce<unknown>(
      (at, part) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[part] : undefined),
      value,
    )
    return mustBeOneOf((params as { readonly allowedValues: readonly unknown[] }).allowedValues, given)
  }
  if (keyword !== 'pattern') return message
  const { description } = schemaAt(schema, partsOf(instancePath))
  const pattern = String((params as { readonly pattern: string | RegExp }).pattern)
  return pattern.includes(SECRET_PATTERN.slice(1, -1))
    ? 'must be the name of a variable of the environment, $NAME: this file must not hold secrets'
    : `must match ${pattern}${typeof description === 'string' ? ` (${description})` : ''}`
}

/** Everything that is wrong with a value, one fault a field. @param within its place in the file */
export const faultsOf = (schema: TSchema, value: unknown, within: string): FeedsFault[] => {
  const messages = new Map<string, string>()
  const note = (field: string, message: string): void => {
    if (!messages.has(field)) messages.set(field, message)
  }
  const errors = Value.Errors(schema, value)
  // A field that is missing because its name is misspelt is reported once, by the misspelt name.
  const meant = new Set<string>()
  for (const { keyword, instancePath } of errors) {
    if (keyword !== 'boolean') continue
    const parts = partsOf(instancePath)
    const name = parts.pop()!
    const known = membersAt(schema, parts)
    const parent = fieldOf(instancePath.slice(0, instancePath.lastIndexOf('/')), within)
    const near = nearest(name, known)
    if (near !== undefined) meant.add(memberOf(parent, near))
    note(memberOf(parent, name), `is not known here${didYouMean(name, known)}`)
  }
  for (const error of errors) {
    const field = fieldOf(error.instancePath, within)
    if (error.keyword === 'boolean' || error.keyword === 'additionalProperties') continue
    if (error.keyword === 'required') {
      const { requiredProperties } = error.params as { readonly requiredProperties: readonly string[] }
      for (const name of requiredProperties) {
        const missing = memberOf(field, name)
        if (!meant.has(missing)) note(missing, 'is missing')
      }
    } else note(field === '' ? 'file' : field, messageOf(error, schema, value))
  }
  return Array.from(messages, ([field, message]) => ({ field, message }))
}
