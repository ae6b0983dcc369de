// Bodies of the portal: JSON objects with known members. A refusal names the member.

import { isRecord } from '../domain/record.ts'
import { hasHidden } from '../domain/safe-text.ts'
import { parseDateTime } from '../domain/time.ts'
import { isPortalRefusal, type PortalRefusal, type PortalRequest, refuseAs } from './portal-request.ts'

export type Members = Readonly<Record<string, unknown>>

const wrong = (field: string, message: string): PortalRefusal => refuseAs('validation_failed', message, field)

/** The object of a body, with no members but these. */
export const readMembers = (
  { body, contentType }: PortalRequest,
  required: readonly string[],
  optional: readonly string[] = [],
): Members | PortalRefusal => {
  // Only this type needs a preflight: no form of another page can send it.
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) {
    return refuseAs('not_json', 'Send the body as Content-Type: application/json.', 'Content-Type')
  }
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return wrong('body', 'The body must be JSON in UTF-8.')
  }
  return membersOf(value, 'body', required, optional)
}

const membersOf = (
  value: unknown,
  field: string,
  required: readonly string[],
  optional: readonly string[],
): Members | PortalRefusal => {
  if (!isRecord(value)) return wrong(field, `${field} must be a JSON object.`)
  const prefix = field === 'body' ? '' : `${field}.`
  const known = [...required, ...optional]
  const extra = Object.keys(value).find((name) => !known.includes(name))
  if (extra !== undefined) {
    // What was sent is repeated only where it can be a name.
    const name = /^\w{1,40}$/.test(extra) ? extra : '?'
    return wrong(`${prefix}${name}`, `There is no such member; use ${known.join(', ')}.`)
  }
  const missing = required.find((name) => value[name] === undefined)
  return missing === undefined ? value : wrong(`${prefix}${missing}`, `${prefix}${missing} is missing.`)
}

/** A text of 1 to `lengthMax` characters. */
export const readText = (value: unknown, field: string, lengthMax: number): string | PortalRefusal =>
  typeof value === 'string' && value !== '' && value.length <= lengthMax
    ? value
    : wrong(field, `${field} must be a text of 1 to ${lengthMax} characters.`)

const NAME_LENGTH_MAX = 100

/** A name for people: printable, NFC, without surrounding space. */
export const readName = (value: unknown, field: string): string | PortalRefusal => {
  const text = readText(value, field, NAME_LENGTH_MAX)
  if (typeof text !== 'string') return text
  const name = text.normalize('NFC').trim()
  return !hasHidden(name) && !/\p{C}/u.test(name) ? name : wrong(field, `${field} must have printable characters only.`)
}

/** A whole number of 0 to `max`. */
export const readCount = (value: unknown, field: string, max: number): number | PortalRefusal =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max
    ? value
    : wrong(field, `${field} must be a whole number of 0 to ${max}.`)

/** True or false; left out: undefined. */
export const readSwitch = (value: unknown, field: string): boolean | undefined | PortalRefusal =>
  value === undefined || typeof value === 'boolean' ? value : wrong(field, `${field} must be true or false.`)

/** A UTC day like `2030-01-31`, as the epoch ms of its start; left out or null: undefined. */
export const readDay = (value: unknown, field: string): number | undefined | PortalRefusal => {
  if (value === undefined || value === null) return undefined
  const isDay = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
  const day = isDay ? parseDateTime(`${value}T00:00:00Z`) : undefined
  return day === undefined ? wrong(field, `${field} must be a day, like 2030-01-31.`) : day.epochMs
}

/** A date-time of RFC 3339 after `now`, epoch ms; null or left out: null. */
export const readLater = (value: unknown, field: string, now: number): number | null | PortalRefusal => {
  if (value === undefined || value === null) return null
  const instant = typeof value === 'string' && value.length <= 40 ? parseDateTime(value) : undefined
  if (instant === undefined) return wrong(field, `${field} must be a date-time of RFC 3339, like 2030-01-31T00:00:00Z.`)
  return instant.epochMs > now ? instant.epochMs : wrong(field, `${field} is in the past.`)
}

/** One word of a table. */
export const readWord = <Word extends string>(
  value: unknown,
  field: string,
  words: readonly Word[],
): Word | PortalRefusal =>
  words.find((word) => word === value) ?? wrong(field, `${field} must be one of ${words.join(', ')}.`)

/** A list of words, each once; null or left out: null, which is all of them. */
export const readWords = <Word extends string>(
  value: unknown,
  field: string,
  words: readonly Word[],
  what: string,
): readonly Word[] | null | PortalRefusal => {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value) || value.length === 0) return wrong(field, `${field} must be null, or a list of ${what}.`)
  const known = new Set<unknown>(words)
  const place = value.findIndex((word) => !known.has(word))
  if (place !== -1) return wrong(`${field}[${place}]`, `This is none of the ${what} that your organization has.`)
  return [...new Set(value as Word[])]
}

/** Members of a member; left out or null: none. */
export const readInner = (value: unknown, field: string, optional: readonly string[]): Members | PortalRefusal =>
  value === undefined || value === null ? {} : membersOf(value, field, [], optional)

/** The first refusal among values that were read. */
export const refusalIn = (values: readonly unknown[]): PortalRefusal | undefined =>
  values.find((value): value is PortalRefusal => isRecord(value) && isPortalRefusal(value))
