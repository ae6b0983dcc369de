// Resolves the settings of a source for its start: secrets, files, limits, cadences.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { SourceMode } from '../../domain/coverage.ts'
import { factsOf, isFixtureFault, parseFixtures } from './fixture-list.ts'
import { type Format, type Formats, withOddsFormat } from './format.ts'
import type { SourceAccess } from './http-client.ts'
import type { RecordingLimits, SourceFacts } from './normaliser.ts'
import type { OddsFormat } from './odds-format.ts'
import { POLL_LIMITS } from './poll-limits.ts'
import type { Paces } from './rate.ts'
import { type HttpSettings, SECRET_PATTERN } from './settings.ts'

/** HTTP(S) proxies by source mode, for sources without one of their own. */
export type Proxies = { readonly [Mode in SourceMode]?: string }

export interface PlannerParts {
  /** The path of the configuration: the files that it names are relative to it. */
  readonly path: string
  /** A variable of the environment; undefined: it is not set. */
  readonly secretOf: (name: string) => string | undefined
  /** The source mode of a bookmaker in the registry; undefined: it is not listed. */
  readonly sourceModeOf: (bookmaker: string) => SourceMode | undefined
  readonly limits: RecordingLimits
  /** How far ahead of the clock the engine accepts an observation, ms. */
  readonly skewMsMax: number
  /** Of hosts: sources of one host share its pace. */
  readonly paces: Paces
  readonly proxies: Proxies
  readonly formats: Formats
}

interface PayloadSettings {
  readonly format: string
  readonly fixtures?: string
  readonly oddsFormat?: OddsFormat
}

/**
 * Why a source cannot be started though its settings may be right: a variable of the environment is not set or holds
 * something else, or a file that it names cannot be used.
 */
export const OFF_CAUSES = ['secret', 'file'] as const

export type OffCause = (typeof OFF_CAUSES)[number]

/** A field that is wrong, and what is wrong with it. */
export interface Wrong {
  readonly field: string
  readonly message: string
  /** Null: the setting itself is wrong. */
  readonly cause: OffCause | null
}

/** Seconds of the configuration in ms. */
export const ms = (seconds: number): number => Math.round(seconds * 1_000)

/** Pauses and bounds of persistent connections. */
export const LINK_LIMITS = {
  openMsMax: 20_000,
  closeMsMax: 2_000,
  pauseMsMin: 500,
  pauseMsMax: 30_000,
  refusedPauseMs: 120_000,
} as const

const SECRET = new RegExp(SECRET_PATTERN)

export class Planner {
  readonly parts: PlannerParts
  /** Digests of what the source depends on besides its settings. */
  readonly resolved: string[] = []
  private readonly wrongs = new Map<string, Wrong>()

  constructor(parts: PlannerParts) {
    this.parts = parts
  }

  /** Notes an input of a plan: a secret, the content of a file. Only its digest is kept, so that no secret is. */
  private note(what: string, value: string | null): void {
    this.resolved.push(
      createHash('sha256')
        .update(JSON.stringify([what, value]))
        .digest('base64'),
    )
  }

  /** What is wrong, one for each field: then the source must not be started. */
  get faults(): readonly Wrong[] {
    return [...this.wrongs.values()]
  }

  /** Notes what is wrong with a field; planning goes on, so that all faults are found at once. */
  wrong(field: string, message: string, cause: OffCause | null = null): void {
    if (!this.wrongs.has(field)) this.wrongs.set(field, { field, message, cause })
  }

  /** The value of a `$NAME`; any other text is itself. Where it is not set, that is noted, and it is empty. */
  secret(field: string, text: string): string {
    if (!SECRET.test(text)) return text
    const value = this.parts.secretOf(text.slice(1)) || null
    this.note(text, value)
    if (value === null) this.wrong(field, `${text} is not set in the environment, nor in .env`, 'secret')
    return value ?? ''
  }

  /** A file that the configuration names, relative to it. */
  path(path: string): string {
    return resolve(dirname(this.parts.path), path)
  }

  /** The content of a file. Where it cannot be read, that is noted, and it is empty. */
  read(field: string, path: string): string {
    let content: string | null = null
    try {
      content = readFileSync(this.path(path), 'utf8')
    } catch (error) {
      this.wrong(field, `${path} cannot be read (${(error as Error).message})`, 'file')
    }
    this.note(field, content)
    return content ?? ''
  }

  /** How an HTTP source is reached, and the limits of its answers. */
  access(settings: HttpSettings): SourceAccess {
    const { bookmaker } = settings
    const mode =
      settings.sourceMode ?? (bookmaker === undefined ? undefined : this.parts.sourceModeOf(bookmaker)) ?? 'direct'
    const proxy = settings.proxy ?? this.parts.proxies[mode]
    this.note('mode', mode)
    this.note('proxy', proxy ?? null)
    const { credential, caFile } = settings
    const isPolled = mode !== 'disabled' && mode !== 'credential_required'
    const value = credential === undefined || !isPolled ? null : this.secret('credential.value', credential.value)
    return {
      mode,
      proxy: proxy === undefined || !isPolled ? null : this.secret('proxy', proxy),
      credential: credential === undefined || value === null ? null : { header: credential.header, value },
      authorities: caFile === undefined ? null : this.read('caFile', caFile),
    }
  }

  reading(settings: HttpSettings) {
    const { requestsPerSecond, concurrency, downSeconds, transport = null } = settings
    const { limits } = this.parts
    return {
      access: this.access(settings),
      limits: {
        ...POLL_LIMITS,
        requestsPerSecond,
        burst: Math.max(1, Math.min(POLL_LIMITS.burst, Math.ceil(requestsPerSecond))),
        concurrency,
        // A part is not suspected sooner than the whole would be.
        staleMsMin: downSeconds === undefined ? POLL_LIMITS.staleMsMin : ms(downSeconds),
      },
      bookmaker: settings.bookmaker ?? null,
      transport,
      payload: limits,
    }
  }

  /** What the configuration adds to payloads. */
  payloads({ format, fixtures, oddsFormat }: PayloadSettings): Partial<SourceFacts> {
    if (oddsFormat !== undefined && this.format(format).hasOddsFormat !== true) {
      this.wrong('oddsFormat', `goes with the formats ${withOddsFormat(this.parts.formats).join(' and ')}`)
    }
    const known = fixtures === undefined ? undefined : parseFixtures(this.read('fixtures', fixtures), this.parts.limits)
    const isWrong = known !== undefined && isFixtureFault(known)
    if (isWrong) this.wrong('fixtures', `${known.field} ${known.message}`, 'file')
    return {
      ...(known === undefined || isWrong ? {} : factsOf(known)),
      ...(oddsFormat === undefined ? {} : { oddsFormat }),
    }
  }

  /** A format; the schema has checked that it exists. */
  format(name: string): Format {
    return this.parts.formats[name]!
  }
}
