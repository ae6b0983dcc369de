// From the configuration of sources to plans that the supervisor can run.

import { FORMATS } from '../source/formats.ts'
import { Planner, type PlannerParts, Wrong } from '../source/kit/planner.ts'
import { Paces } from '../source/kit/rate.ts'
import type { CommonSettings } from '../source/kit/settings.ts'
import { simulation } from '../source/simulator/simulator-source.ts'
import type { FeedsFault, FeedsFile } from './feeds-file.ts'
import { KINDS, type SourceSettings } from './source-kinds.ts'
import type { SourcePlan } from './running-source.ts'

export interface PlanParts extends Omit<PlannerParts, 'paces' | 'proxies' | 'formats'> {
  /** Paces of hosts, when they outlive the plans; omitted: new ones. */
  readonly paces?: Paces
}

const planOf = (settings: SourceSettings, planner: Planner): SourcePlan => {
  const { kind } = settings
  const common: CommonSettings = settings
  const { name, lateSeconds, downSeconds, suspendSeconds, pricesPerSecond, pricesBurst, bookmaker } = common
  const { cadence, connect, never = null } = KINDS[kind].start(planner, settings)
  const downMs = downSeconds === undefined ? Math.max(cadence.downMs, (lateSeconds ?? 0) * 1_000) : downSeconds * 1_000
  if (downMs < cadence.beatMs) {
    throw new Wrong('downSeconds', `must be ${cadence.beatMs / 1_000} or more: its signs of life are that far apart`)
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

/** Makes the plans of all sources. One fault refuses all of them. */
export const plansOf = ({ sources, proxies }: FeedsFile, parts: PlanParts): SourcePlan[] | FeedsFault => {
  const shared = { ...parts, proxies, paces: parts.paces ?? new Paces(), formats: FORMATS }
  const plans: SourcePlan[] = []
  for (const [index, settings] of sources.entries()) {
    try {
      plans.push(planOf(settings, new Planner(shared)))
    } catch (error) {
      if (!(error instanceof Wrong)) throw error
      return { field: `sources[${index}].${error.field}`, message: error.message }
    }
  }
  return plans
}
