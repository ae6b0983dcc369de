// oddswire plan: the plans that organizations can have.

import { type Fault, fault, isFault } from '../access/fault.ts'
import { isPlanName, type Plan, PLAN_COUNT_MAX } from '../access/plan.ts'
import { type Action, type Outcome, runAction } from './action.ts'
import { countOf } from './table.ts'

type Field = Exclude<keyof Plan, 'name'>

const FIELDS: Readonly<Record<string, Field>> = {
  hourly: 'hourlyLimit',
  monthly: 'monthlyQuota',
  live: 'liveEnabled',
  history: 'historyEnabled',
  'replay-window': 'liveReplayWindowSeconds',
  'live-connections': 'liveConnectionsMax',
  public: 'isPublic',
}

const SWITCHES: ReadonlySet<Field> = new Set(['liveEnabled', 'historyEnabled', 'isPublic'])

const readField = (flag: string, value: string): number | boolean | Fault => {
  if (SWITCHES.has(FIELDS[flag]!)) {
    return value === 'true' || value === 'false'
      ? value === 'true'
      : fault(`--${flag} must be true or false, not "${value}"`)
  }
  if (/^\d{1,13}$/.test(value) && Number(value) <= PLAN_COUNT_MAX) return Number(value)
  return fault(`--${flag} must be a whole number, 0 (unlimited) to ${PLAN_COUNT_MAX}, not "${value}"`)
}

const set: Action = {
  creates: true,
  synopsis:
    'NAME [--hourly N] [--monthly N] [--live true|false] [--history true|false] [--replay-window S] [--live-connections N] ' +
    '[--public true|false]',
  summary: 'Changes a plan, or creates one (with the values of starter for flags that are not given). 0 is unlimited.',
  details: [
    '',
    '  --hourly N             authenticated requests per hour',
    '  --monthly N            requests with transport=rest per calendar month (UTC)',
    '  --live true|false      the live channel: transport=live and STOMP',
    '  --history true|false   the history channel',
    '  --replay-window S      how many seconds back a live session may resume',
    '  --live-connections N   live sessions at the same time',
    '  --public true|false    whether the page /billing shows it to everybody (default of a new one: false)',
  ],
  positionals: ['NAME'],
  optional: Object.keys(FIELDS),
  act: ({ store, flags, positionals, at }): Outcome => {
    const name = positionals[0]!
    if (!isPlanName(name)) return fault('NAME must be 1 to 32 lower-case letters, digits, _ or -')
    const fields: Partial<Record<Field, number | boolean>> = {}
    for (const [flag, field] of Object.entries(FIELDS)) {
      const value = flags[flag]
      if (value === undefined) continue
      const read = readField(flag, value)
      if (isFault(read)) return read
      fields[field] = read
    }
    return { auditId: store.accounts.setPlan(name, fields as Partial<Plan>, at).auditId }
  },
}

const list: Action = {
  synopsis: '',
  summary: 'Lists all plans.',
  lists: true,
  act: ({ store }): Outcome => {
    const plans = store.accounts.plans()
    return {
      rows: plans.map(({ name, ...plan }) => ({ id: name, ...plan })),
      table: plans.map((plan) => ({
        ...{ plan: plan.name, hourly: plan.hourlyLimit, monthly: plan.monthlyQuota, live: plan.liveEnabled },
        ...{ history: plan.historyEnabled, 'replay s': plan.liveReplayWindowSeconds },
        ...{ 'live connections': plan.liveConnectionsMax, public: plan.isPublic },
      })),
      summary: `${countOf(plans.length, 'plan')}; 0 is unlimited`,
    }
  },
}

const remove: Action = {
  synopsis: 'NAME',
  summary: 'Removes a plan that no organization has.',
  positionals: ['NAME'],
  act: ({ store, positionals, at }): Outcome => {
    const removed = store.accounts.removePlan(positionals[0]!, at)
    return isFault(removed) ? removed : { auditId: removed.auditId }
  },
}

/** Runs `oddswire plan …`. Resolves to the exit code. */
export const run = (argv: readonly string[]): Promise<number> => runAction('plan', { set, list, remove }, argv)
