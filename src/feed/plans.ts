// From the configuration of sources to plans that the supervisor can run.

import { FORMATS } from '../source/formats.ts'
import { type OffCause, Planner, type PlannerParts } from '../source/kit/planner.ts'
import { Paces } from '../source/kit/rate.ts'
import { type CommonSettings, SECRET_PATTERN } from '../source/kit/settings.ts'
import { simulation } from '../source/simulator/simulator-source.ts'
import { isRecord } from '../domain/record.ts'
import type { FeedsFault } from './feeds-faults.ts'
import type { FeedsFile } from './feeds-file.ts'
import { KINDS, type SourceSettings } from './source-kinds.ts'
import type { SourcePlan } from './running-source.ts'

export interface PlanParts extends Omit<PlannerParts, 'paces' | 'proxies' | 'formats'> {
  /** Paces of hosts, when they outlive the plans; omitted: new ones. */
  readonly paces?: Paces
}

/** A fault of a source; its cause is not null where only this source has to stay off. */
export interface SourceFault extends FeedsFault {
  /** Its name. */
  readonly source: string
  readonly cause: OffCause | null
}

const planOf = (settings: SourceSettings, planner: Planner): SourcePlan => {
  const { kind } = settings
  const common: CommonSettings = settings
  const { name, lateSeconds, downSeconds, suspendSeconds, pricesPerSecond, pricesBurst, bookmaker } = common
  const { cadence, connect, never = null } = KINDS[kind].start(planner, settings)
  const downMs = downSeconds === undefined ? Math.max(cadence.downMs, (lateSeconds ?? 0) * 1_000) : downSeconds * 1_000
  if (downMs < cadence.beatMs) {
    planner.wrong('downSeconds', `must be ${cadence.beatMs / 1_000} or more: its signs of life are that far apart`)
  }
  const lateMs = lateSeconds === undefined ? Math.min(cadence.lateMs, downMs) : lateSeconds * 1_000
  const suspendMs =
    suspendSeconds === undefined ? cadence.suspendMs : suspendSeconds === null ? null : suspendSeconds * 1_000
  return {
    kind,
    terms: { name, lateMs, downMs, suspendMs, behindMsMax: cadence.behindMsMax },
    budget: { pricesPerSecond, pricesBurst },
    bookmakers: bookmaker === undefined ? [] : [bookmaker],
    never,
    input: { settings, resolved: planner.resolved },
    connect,
  }
}

/** The plan of a simulated world that is not in the configuration. */
export const simulatorPlan = (name: string, seed: number): SourcePlan => {
  const { cadence, connect } = simulation(seed)
  const { beatMs: _, ...terms } = cadence
  return {
    kind: 'simulator',
    terms: { name, ...terms },
    budget: { pricesPerSecond: 50_000, pricesBurst: 200_000 },
    bookmakers: [],
    never: null,
    input: { seed },
    connect,
  }
}

export interface Plans {
  /** Of every source whose settings are right in themselves; those that have to stay off say so. */
  readonly plans: readonly SourcePlan[]
  readonly faults: readonly SourceFault[]
}

/** Makes the plans of all sources, and finds everything that is wrong with them. */
export const plansOf = ({ sources, places, proxies, unread }: FeedsFile, parts: PlanParts): Plans => {
  const shared = { ...parts, proxies, paces: parts.paces ?? new Paces(), formats: FORMATS }
  const plans: SourcePlan[] = []
  const faults: SourceFault[] = []
  for (const [index, settings] of sources.entries()) {
    const planner = new Planner(shared)
    const plan = planOf(settings, planner)
    const found = planner.faults.map(({ field, message, cause }) => ({
      ...{ field: `${places[index]}.${field}`, message, cause },
      source: settings.name,
    }))
    faults.push(...found)
    if (found.some(({ cause }) => cause === null)) continue
    const [first] = found
    if (first === undefined) plans.push(plan)
    else {
      const never = `is off: ${planner.faults.map(({ field, message }) => `${field} ${message}`).join('; ')}`
      plans.push({ ...plan, never, off: first.cause })
    }
  }
  for (const [place, entry] of unread) faults.push(...unsetSecrets(place, entry, parts.secretOf))
  return { plans, faults }
}

const SECRET = new RegExp(SECRET_PATTERN)

/** Variables that a source needs whose settings could not be read: so that all faults are found at once. */
const unsetSecrets = (place: string, entry: unknown, secretOf: PlanParts['secretOf']): SourceFault[] => {
  if (typeof entry === 'object' && entry !== null) {
    if (isRecord(entry) && (entry.sourceMode === 'disabled' || entry.sourceMode === 'credential_required')) return []
    return Object.entries(entry).flatMap(([name, value]) =>
      unsetSecrets(Array.isArray(entry) ? `${place}[${name}]` : `${place}.${name}`, value, secretOf),
    )
  }
  if (typeof entry !== 'string' || !SECRET.test(entry) || secretOf(entry.slice(1))) return []
  return [{ field: place, message: `${entry} is not set in the environment, nor in .env`, source: '', cause: 'secret' }]
}
