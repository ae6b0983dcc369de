// The operator's view, coverage: what customers see of which bookmaker, its changes, removals and verification. The rules are
// those of `oddswire coverage`.

import type { Access } from '../access/access.ts'
import type { CoverageRemoval, Haste } from '../access/coverage-records.ts'
import { dateOf } from '../access/coverage-rows.ts'
import { COVERAGE_STATUSES, type CoverageStatus } from '../domain/coverage.ts'
import { hasHidden } from '../domain/safe-text.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import { type Members, readDay, readMembers, readSwitch, readText, readWord, refusalIn } from './body.ts'
import {
  isPortalRefusal,
  jsonReply,
  NOT_FOUND,
  type PortalRefusal,
  type PortalReply,
  refuseAs,
  timeText,
} from './portal-request.ts'
import { ask, type Visit } from './visit.ts'

type Answer = Promise<PortalReply | PortalRefusal>

const SLUG_LENGTH_MAX = 100

/** What lies further ahead is a mistake. */
const EFFECTIVE_MS_MAX = 2 * 366 * 24 * 3_600_000

const removalRow = ({ id, announcedAt, effectiveAt, ...removal }: CoverageRemoval) => ({
  id: String(id),
  ...removal,
  announcedOn: dateOf(announcedAt),
  effectiveOn: dateOf(effectiveAt),
})

/** A reason that people can read; of spaces only: none. */
const readReason = (value: unknown, lengthMax: number): string | PortalRefusal => {
  const text = readText(value, 'reason', lengthMax)
  if (typeof text !== 'string' || text.trim() === '' || !hasHidden(text)) return text
  return refuseAs('validation_failed', 'reason must have characters that can be seen only.', 'reason')
}

export class OperatorCoverage {
  private readonly access: Access
  private readonly limits: { readonly portalRowsMax: number; readonly reasonLengthMax: number }

  constructor(access: Access, limits: { readonly portalRowsMax: number; readonly reasonLengthMax: number }) {
    this.access = access
    this.limits = limits
  }

  /** `GET operator/coverage`. */
  list(): PortalReply {
    const { registry } = this.access
    const data = registry.bookmakers.map(({ slug, displayName, sourceMode, coverage }) => ({
      ...{ bookmaker: slug, displayName, sourceMode, coverage },
      removals: this.access.removalsOf(slug).map(removalRow),
    }))
    return jsonReply({ data, sports: SPORTS, statuses: COVERAGE_STATUSES })
  }

  /** `POST operator/coverage`: as `oddswire coverage set`. */
  async set({ request, user: { asker } }: Visit): Answer {
    const members = readMembers(
      request,
      ['bookmaker', 'sport'],
      ['status', 'restAvailable', 'liveAvailable', 'now', 'reason'],
    )
    if (isPortalRefusal(members)) return members
    const { status, restAvailable, liveAvailable } = members
    const given = {
      ...(status === undefined ? {} : { status: readWord(status, 'status', COVERAGE_STATUSES) }),
      ...(restAvailable === undefined ? {} : { restAvailable: readSwitch(restAvailable, 'restAvailable') }),
      ...(liveAvailable === undefined ? {} : { liveAvailable: readSwitch(liveAvailable, 'liveAvailable') }),
    }
    const read = this.readCommon(members)
    const refused = refusalIn(Object.values({ ...read, ...given }))
    if (refused !== undefined) return refused
    if (Object.keys(given).length === 0) {
      return refuseAs('validation_failed', 'Give status, restAvailable or liveAvailable.', 'body')
    }
    const { bookmaker, sport, haste } = read as Common
    const fields = given as { status?: CoverageStatus; restAvailable?: boolean; liveAvailable?: boolean }
    const done = await ask(this.access, { kind: 'set-coverage', ...asker, bookmaker, sport, fields, haste })
    if (isPortalRefusal(done)) return done
    return jsonReply({ withdrawnRemovals: done.withdrawn, isRemoval: done.immediate > 0 })
  }

  /** `POST operator/removals`: as `oddswire coverage remove`. */
  async remove({ request, user: { asker } }: Visit): Answer {
    const members = readMembers(request, ['bookmaker', 'sport'], ['effectiveOn', 'now', 'reason'])
    if (isPortalRefusal(members)) return members
    const read = this.readCommon(members)
    const effectiveAt = readDay(members.effectiveOn, 'effectiveOn')
    if (typeof effectiveAt === 'number' && effectiveAt > asker.at + EFFECTIVE_MS_MAX) {
      return refuseAs('validation_failed', 'effectiveOn must be within two years.', 'effectiveOn')
    }
    const refused = refusalIn([...Object.values(read), effectiveAt])
    if (refused !== undefined) return refused
    const { bookmaker, sport, haste } = read as Common
    if (haste.isNow && effectiveAt !== undefined) {
      return refuseAs('validation_failed', 'effectiveOn does not go with now.', 'effectiveOn')
    }
    const done = await ask(this.access, {
      ...{ kind: 'remove-coverage', ...asker, bookmaker, sport, haste },
      effectiveAt: effectiveAt as number | undefined,
    })
    if (isPortalRefusal(done)) return done
    return jsonReply({ removal: done.removal === undefined ? null : removalRow(done.removal) }, { status: 201 })
  }

  // --- verification

  /** `GET operator/verifications`. */
  async verifications({ user: { asker } }: Visit): Answer {
    const rows = await ask(this.access, { kind: 'verifications', ...asker, rowsMax: this.limits.portalRowsMax })
    if (isPortalRefusal(rows)) return rows
    return jsonReply({ data: rows.map((row) => ({ ...row, at: timeText(row.at) })) })
  }

  /** `POST operator/verifications`: as `oddswire coverage verify`, without waiting for its end. */
  async verify({ request, user: { asker } }: Visit): Answer {
    const members = readMembers(request, [], ['bookmaker', 'sport'])
    if (isPortalRefusal(members)) return members
    const { bookmaker: slug = null, sport: name = null } = members
    const bookmaker = slug === null ? null : readText(slug, 'bookmaker', SLUG_LENGTH_MAX)
    const sport = name === null ? null : readWord(name, 'sport', SPORTS)
    if (bookmaker !== null && typeof bookmaker !== 'string') return bookmaker
    if (sport !== null && typeof sport !== 'string') return sport
    const asked = await ask(this.access, { kind: 'verify', ...asker, bookmaker, sport })
    return isPortalRefusal(asked) ? asked : jsonReply({ id: String(asked.id) }, { status: 202 })
  }

  /** `GET operator/verifications/ID`: whether a request is done; an empty detail has nothing to add. */
  async verification({ user: { asker }, id }: Visit): Answer {
    if (!/^\d{1,15}$/.test(id)) return NOT_FOUND
    const found = await ask(this.access, { kind: 'verification', ...asker, id: Number(id) })
    return isPortalRefusal(found) ? found : jsonReply({ ...found, id: String(found.id) })
  }

  private readCommon({ bookmaker, sport, now, reason }: Members): Readonly<Record<keyof Common, unknown>> {
    const isNow = readSwitch(now, 'now')
    const why = reason === undefined ? undefined : readReason(reason, this.limits.reasonLengthMax)
    return {
      bookmaker: readText(bookmaker, 'bookmaker', SLUG_LENGTH_MAX),
      sport: readWord(sport, 'sport', [...SPORTS, '*']),
      haste: refusalIn([isNow, why]) ?? {
        isNow: isNow === true,
        reason: typeof why === 'string' ? why.trim() || undefined : undefined,
      },
    }
  }
}

interface Common {
  readonly bookmaker: string
  readonly sport: Sport | '*'
  readonly haste: Haste
}
