// What the users of an organization read about it: what it has, its requests, live sessions, refusals, and who did what.

import type { Access } from '../access/access.ts'
import { windowEnd, windowStart } from '../access/ledger.ts'
import type { TrafficRow } from '../access/traffic-records.ts'
import { isPortalRefusal, jsonReply, type PortalRefusal, type PortalReply, timeText } from './portal-request.ts'
import { ask, offerOf, type Visit } from './visit.ts'

/** A live session as the live channel shows it. */
export interface LiveSessionView {
  readonly id: string
  readonly carrier: string
  /** Id. */
  readonly organization: string
  readonly keyId: string
  /** Epoch ms. */
  readonly since: number
  readonly subscriptions: number
  readonly queuedBytes: number
  readonly behindMs: number
}

/** Live sessions of an organization (by id), or (null) of all. */
export type ViewSessions = (organization: string | null, countMax: number) => readonly LiveSessionView[]

type Answer = Promise<PortalReply | PortalRefusal>

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const HOURS_SHOWN = 48
const DAYS_SHOWN = 31

interface Total {
  readonly start: string | null
  readonly requests: number
  readonly refused: number
}

/** Requests without a valid key are not among those with one. */
const WITHOUT_KEY = 'invalid_api_key'

const isRequest = ({ code }: TrafficRow): boolean => code === '' || code === WITHOUT_KEY

const sum = (rows: readonly TrafficRow[]): number => rows.reduce((total, { count }) => total + count, 0)

/** The last windows, the newest last, also those without requests. */
const totalsOf = (traffic: readonly TrafficRow[], now: number, windowMs: number, shown: number): Total[] => {
  const last = now - (now % windowMs)
  const byStart = new Map<number, TrafficRow[]>()
  for (const row of traffic) {
    const start = row.hour - (row.hour % windowMs)
    const rows = byStart.get(start)
    if (rows === undefined) byStart.set(start, [row])
    else rows.push(row)
  }
  return Array.from({ length: shown }, (_, place) => {
    const start = last - (shown - 1 - place) * windowMs
    const rows = byStart.get(start) ?? []
    return {
      start: timeText(start),
      requests: sum(rows.filter(isRequest)),
      refused: sum(rows.filter(({ code }) => code !== '')),
    }
  })
}

export class OrganizationPages {
  private readonly access: Access
  private readonly viewSessions: ViewSessions
  private readonly rowsMax: number

  constructor(access: Access, viewSessions: ViewSessions, rowsMax: number) {
    this.access = access
    this.viewSessions = viewSessions
    this.rowsMax = rowsMax
  }

  /** `GET organization`. */
  overview({ organization }: Visit): PortalReply {
    const { id, name, plan, entitlement } = organization
    const { channels, sports, bookmakers } = offerOf(organization, this.access)
    const { hourlyLimit, monthlyQuota, liveEnabled } = plan
    return jsonReply({
      id,
      name,
      plan: { name: plan.name, hourlyLimit, monthlyQuota, liveEnabled },
      bookmakers: entitlement,
      sports,
      channels,
      names: Object.fromEntries(
        bookmakers.map((slug) => [slug, this.access.registry.bookmakerOf(slug)?.displayName ?? slug]),
      ),
    })
  }

  /** `GET usage`. */
  async usage({ user: { asker }, organization: { id, plan } }: Visit): Answer {
    const { at } = asker
    const [hour, month] = [windowStart('hour', at), windowStart('month', at)]
    await this.access.collect()
    const found = await ask(this.access, {
      kind: 'usage',
      organization: id,
      ...asker,
      hour,
      month,
      hoursFrom: at - (at % HOUR_MS) - HOURS_SHOWN * HOUR_MS,
    })
    if (isPortalRefusal(found)) return found
    const { traffic, reserved } = found
    const used = await this.access.used(id, reserved)
    const counted = (from: number): number => sum(traffic.filter((row) => row.code === '' && row.hour >= from))
    const refusedBy: Record<string, number> = {}
    for (const { code, count } of traffic) if (code !== '') refusedBy[code] = (refusedBy[code] ?? 0) + count
    return jsonReply({
      hours: totalsOf(traffic, at, HOUR_MS, HOURS_SHOWN),
      days: totalsOf(traffic, at, DAY_MS, DAYS_SHOWN),
      quota: {
        hour: {
          limit: plan.hourlyLimit,
          used: plan.hourlyLimit === 0 ? counted(hour) : used.hour,
          resetAt: timeText(windowEnd('hour', at)),
        },
        month: {
          limit: plan.monthlyQuota,
          used: plan.monthlyQuota === 0 ? counted(month) : used.month,
          resetAt: timeText(windowEnd('month', at)),
        },
      },
      refusedBy,
    })
  }

  /** `GET sessions`. */
  sessions({ organization }: Visit): PortalReply {
    return sessionsReply(this.viewSessions(organization.id, this.rowsMax))
  }

  /** `GET refusals`. */
  refusals({ organization }: Visit): PortalReply {
    const data = this.access.traffic.refusedOf(organization.id)
    return jsonReply({ data: data.map((row) => ({ ...row, at: timeText(row.at) })) })
  }

  /** `GET audit`: of an organization; of everything, for an operator who names none. */
  async audit({ request, user: { asker, role }, organization: { id } }: Visit): Answer {
    const organization = role === 'operator' && !request.query.has('organization') ? null : id
    const rows = await ask(this.access, { kind: 'audit', ...asker, organization, rowsMax: this.rowsMax })
    if (isPortalRefusal(rows)) return rows
    return jsonReply({
      data: rows.map(({ at, by, what, subject, detail }) => ({
        ...{ at: timeText(at), by, what, subject, detail: JSON.parse(detail) as unknown },
      })),
    })
  }
}

export const sessionsReply = (views: readonly LiveSessionView[]): PortalReply =>
  jsonReply({ data: views.map((view) => ({ ...view, since: timeText(view.since) })) })
