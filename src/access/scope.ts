// Scope: how one key narrows its organization's access (docs/architecture.md 7.4). It never widens anything.

import { type Refusal, refuse } from '../domain/refusal.ts'
import type { Sport } from '../domain/sport.ts'
import type { Transport } from '../domain/transport.ts'

export const CHANNELS = ['rest', 'live', 'history'] as const

export type Channel = (typeof CHANNELS)[number]

/** Null: not narrowed. */
export interface Scope {
  readonly channels: readonly Channel[] | null
  /** Slugs. Of a feed key: the bookmakers that it may SEND. */
  readonly bookmakers: readonly string[] | null
  readonly sports: readonly Sport[] | null
}

export const UNRESTRICTED: Scope = { channels: null, bookmakers: null, sports: null }

/** What a request asks for, defaults included (docs/architecture.md 7.4). An omitted field is not asked for. */
export interface Asked {
  readonly transport: Transport
  readonly sport?: Sport | undefined
  readonly bookmakers?: readonly string[] | undefined
}

/** Refuses what lies outside a scope with `api_key_scope_denied`, naming the parameter and what the key allows. */
export const checkScope = (scope: Scope, asked: Asked): Refusal | undefined => {
  const { transport, sport, bookmakers } = asked
  if (scope.channels !== null && !scope.channels.includes(transport)) {
    return denied('transport', transport, scope.channels)
  }
  if (sport !== undefined && scope.sports !== null && !scope.sports.includes(sport)) {
    return denied('sport', sport, scope.sports)
  }
  if (bookmakers !== undefined && scope.bookmakers !== null) {
    for (const slug of bookmakers) {
      if (!scope.bookmakers.includes(slug)) return denied('bookmaker', slug, scope.bookmakers)
    }
  }
  return undefined
}

const denied = (field: string, value: string, allowed: readonly string[]): Refusal =>
  refuse(
    'api_key_scope_denied',
    `This API key does not allow ${field} ${value}; it allows ${allowed.join(', ')}`,
    field,
  )
