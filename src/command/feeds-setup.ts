// Loading of the configuration of sources, for commands.

import { existsSync, readFileSync } from 'node:fs'
import { type Fault, fault, messageOf } from '../access/fault.ts'
import { secretOf } from '../config.ts'
import { LIMITS } from '../limits.ts'
import type { SourceMode } from '../domain/coverage.ts'
import { parseFeeds, type VerificationSettings } from '../feed/feeds-file.ts'
import type { Paces } from '../source/kit/rate.ts'
import { plainSecrets } from '../feed/plain-secrets.ts'
import { plansOf } from '../feed/plans.ts'
import type { SourcePlan } from '../feed/running-source.ts'

/** The default file. */
export const FEEDS_FILE = 'oddswire.feeds.json'

export interface Feeds {
  readonly path: string
  readonly plans: readonly SourcePlan[]
  /** Null: coverage is verified by hand only. */
  readonly verification: VerificationSettings | null
  /** Valid but unwise settings, a sentence each. */
  readonly warnings: readonly string[]
}

/**
 * Loads the configuration of sources. A fault names the field that is wrong.
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
  if ('message' in file) return fault(`--feeds ${from}: ${file.field} ${file.message}`)
  const plans = plansOf(file, {
    ...{ path: from, secretOf, sourceModeOf, limits: LIMITS, skewMsMax: LIMITS.skewMsMax },
    ...(paces === undefined ? {} : { paces }),
  })
  if ('message' in plans) return fault(`--feeds ${from}: ${plans.field} ${plans.message}`)
  return { path: from, plans, verification: file.verification, warnings: plainSecrets(file, secretOf) }
}
