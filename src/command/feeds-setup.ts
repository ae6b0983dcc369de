// Loading of the configuration of sources, for commands.

import { existsSync, readFileSync } from 'node:fs'
import { type Fault, fault, messageOf } from '../access/fault.ts'
import { secretOf } from '../config.ts'
import { LIMITS } from '../limits.ts'
import type { SourceMode } from '../domain/coverage.ts'
import type { FeedsFault } from '../feed/feeds-faults.ts'
import { parseFeeds, type VerificationSettings } from '../feed/feeds-file.ts'
import type { Paces } from '../source/kit/rate.ts'
import { plainSecrets } from '../feed/plain-secrets.ts'
import { plansOf, type SourceFault } from '../feed/plans.ts'
import type { SourcePlan } from '../feed/running-source.ts'

/** The default file. */
export const FEEDS_FILE = 'oddswire.feeds.json'

/** For commands that need one. */
export const NO_FEEDS_FILE = `there is no ${FEEDS_FILE} here; name one with --feeds (examples/feeds.json has one of each kind)`

export interface Feeds {
  readonly path: string
  readonly plans: readonly SourcePlan[]
  /** Null: coverage is verified by hand only. */
  readonly verification: VerificationSettings | null
  /** Valid but unwise settings, a sentence each. */
  readonly warnings: readonly string[]
  /** Everything that is wrong with the text of the file. */
  readonly textFaults: readonly FeedsFault[]
  /** What is wrong with the surroundings of sources, or between their settings. */
  readonly sourceFaults: readonly SourceFault[]
  /** Sources in the file, with those that cannot be read. */
  readonly sources: number
}

const placed = ({ path }: Feeds, { field, message }: FeedsFault): string => `--feeds ${path}: ${field} ${message}`

/** Which source a field is of; -1: of none. */
const sourceAt = ({ field }: FeedsFault): number => Number(/^sources\[(\d+)\]/.exec(field)?.[1] ?? -1)

/** All faults, a line each, in the order of the sources. */
export const faultLines = (feeds: Feeds): string[] =>
  [...feeds.textFaults, ...feeds.sourceFaults]
    .toSorted((a, b) => sourceAt(a) - sourceAt(b))
    .map((each) => placed(feeds, each))

/**
 * The configuration where it may be used. What is wrong in the file refuses it. A source that only lacks a secret or a
 * file is off, and the others run, where it may be off.
 * @param mayBeOff by name
 */
export const usableFeeds = (feeds: Feeds, mayBeOff: (source: string) => boolean): Feeds | Fault => {
  const refusing = [
    ...feeds.textFaults,
    ...feeds.sourceFaults.filter(({ cause, source }) => cause === null || !mayBeOff(source)),
  ]
  const [first] = refusing
  if (first === undefined) return feeds
  const more = refusing.length === 1 ? '' : `; and ${refusing.length - 1} more: oddswire feed check lists them all`
  return fault(`${placed(feeds, first)}${more}`)
}

/**
 * Loads the configuration of sources with everything that is wrong with it. A fault: it cannot be read.
 * @param path empty: {@link FEEDS_FILE} of the working folder, or none if it is missing
 * @param paces of hosts that are polled already, where sources are running
 */
export const loadFeeds = (
  path: string,
  sourceModeOf: (bookmaker: string) => SourceMode | undefined,
  paces?: Paces,
): Feeds | undefined | Fault => {
  if (path === '' && !existsSync(FEEDS_FILE)) return undefined
  const from = path === '' ? FEEDS_FILE : path
  let text: string
  try {
    text = readFileSync(from, 'utf8')
  } catch (error) {
    return fault(`--feeds ${from} cannot be read (${messageOf(error)})`)
  }
  const file = parseFeeds(text)
  const { plans, faults } = plansOf(file, {
    ...{ path: from, secretOf, sourceModeOf, limits: LIMITS, skewMsMax: LIMITS.skewMsMax },
    ...(paces === undefined ? {} : { paces }),
  })
  return {
    ...{ path: from, plans, verification: file.verification, warnings: plainSecrets(file, secretOf) },
    ...{ textFaults: file.faults, sourceFaults: faults, sources: file.sources.length + file.unread.size },
  }
}
