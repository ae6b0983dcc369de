// A step of an explanation: one rule, and whether it hides the quote.

import type { Transport } from '../domain/transport.ts'

/** The rules that can hide a quote, in the order in which the service applies them. */
export const RULES = [
  'key',
  'service',
  'limit',
  'plan',
  'scope',
  'entitlement',
  'coverage',
  'event',
  'quote',
  'freshness',
  'status',
  'source',
] as const

export type Rule = (typeof RULES)[number]

/** Where a quote of a transport is shown: `rest`, by GET /events/{eventId}/odds; `live`, by a snapshot of the live channel. */
export const WAYS: Readonly<Record<Transport, readonly Way[]>> = { rest: ['rest'], live: ['rest', 'live'] }

export type Way = 'rest' | 'live'

export interface Finding {
  readonly rule: Rule
  /** For people: what holds, with figures, and what to do. */
  readonly detail: string
  /** The ways on which this rule hides the quote; empty: it passes. */
  readonly hides: readonly Way[]
}

export interface Step extends Finding {
  /** Whether the quote is still shown in some way, as far as this rule and those before it are concerned. */
  readonly passed: boolean
}

export const passes = (rule: Rule, detail: string): Finding => ({ rule, detail, hides: [] })

/** @param hides left out: every way */
export const hidesBy = (rule: Rule, detail: string, hides: readonly Way[] = ['rest', 'live']): Finding => ({
  rule,
  detail,
  hides,
})

/** `2026-11-23 12:34:56Z`. @param at epoch ms */
export const timeText = (at: number): string =>
  Number.isFinite(at) && Math.abs(at) < 8.64e15
    ? `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`
    : 'never'

/** `850 ms`, `12 s`, `3 min`, `5 h 10 min`, `2 d`. */
export const spanText = (ms: number): string => {
  const span = Math.max(0, ms)
  if (span < 1_000) return `${Math.round(span)} ms`
  const seconds = Math.floor(span / 1_000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d`
}

/** A sentence with its end: a question, such as "did you mean", has one already. */
export const ended = (text: string): string => (text.endsWith('?') ? text : `${text}.`)

/** The first of some names, and how many more there are. */
export const someOf = (names: readonly string[], most = 8): string =>
  names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`
