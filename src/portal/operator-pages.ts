// The operator's view: sources, event conflicts, live sessions, health. What the operator's port answers is
// shown as it is there.

import type { Access } from '../access/access.ts'
import type { EventConflict, EventDecision, KnownEvent } from '../domain/event-identity.ts'
import { readMembers, readText, readWord } from './body.ts'
import { sessionsReply, type ViewSessions } from './organization-pages.ts'
import {
  emptyReply,
  isPortalRefusal,
  jsonReply,
  NOT_FOUND,
  type PortalRefusal,
  type PortalReply,
  refuseAs,
} from './portal-request.ts'
import { ask, type Visit } from './visit.ts'

export interface OperatorParts {
  /** Answers of the operator's port, by path. */
  readonly ask: (path: string, rawQuery: string) => object | undefined
  readonly conflicts: () => readonly EventConflict[]
  /** State of the process, its store and its log. */
  readonly health: () => object
  readonly viewSessions: ViewSessions
}

type Answer = Promise<PortalReply | PortalRefusal>

const DECISIONS = ['same', 'different'] as const

/**
 * Decisions that two events are one, or are two: one for each pair of source keys, because any two sources of the events
 * may be the only ones tomorrow.
 * @param swapped the home side of one is the away side of the other
 */
export const decisionsOn = (
  event: KnownEvent,
  other: KnownEvent,
  decision: (typeof DECISIONS)[number],
  swapped: boolean,
): EventDecision[] =>
  event.sightings.flatMap((one) =>
    other.sightings.map((two): EventDecision => {
      const keys = [one.key, two.key] as const
      if (decision === 'different') return { kind: 'split', keys }
      // Up to three swaps: of the events to each other, and of each spelling in its event.
      return { kind: 'merge', keys, swapped: [swapped, one.swapped, two.swapped].filter(Boolean).length % 2 === 1 }
    }),
  )

export class OperatorPages {
  private readonly access: Access
  private readonly parts: OperatorParts
  private readonly rowsMax: number

  constructor(access: Access, parts: OperatorParts, rowsMax: number) {
    this.access = access
    this.parts = parts
    this.rowsMax = rowsMax
  }

  /** `GET operator/sources`. */
  sources(): PortalReply {
    return jsonReply(this.parts.ask('/feeds', '') ?? {})
  }

  /** `GET operator/conflicts`. */
  conflicts(): PortalReply {
    const { conflicts = [] } = (this.parts.ask('/events/conflicts', '') ?? {}) as { conflicts?: readonly object[] }
    return jsonReply({ conflicts: conflicts.slice(0, this.rowsMax), count: conflicts.length })
  }

  /** `POST operator/conflicts/ID`. Where there are several candidates, `other` names the one. */
  async decide({ request, user: { asker }, id }: Visit): Answer {
    const members = readMembers(request, ['decision'], ['other'])
    if (isPortalRefusal(members)) return members
    const decision = readWord(members.decision, 'decision', DECISIONS)
    if (typeof decision !== 'string') return decision
    const named = members.other === undefined ? undefined : readText(members.other, 'other', 40)
    if (named !== undefined && typeof named !== 'string') return named
    const conflict = this.parts.conflicts().find(({ event }) => event.event.id === id)
    if (conflict === undefined) return NOT_FOUND
    const others = conflict.others.filter(({ event }) => named === undefined || event.id === named)
    if (others.length === 0) return refuseAs('validation_failed', 'other is no candidate of this conflict.', 'other')
    if (decision === 'same' && others.length > 1) {
      const ids = others.map(({ event }) => event.id).join(', ')
      return refuseAs('validation_failed', `Several events look like it; name one of ${ids} as other.`, 'other')
    }
    const swapped = conflict.reason === 'turned'
    const [first, ...more] = others.flatMap((other) => decisionsOn(conflict.event, other, decision, swapped))
    if (first === undefined) {
      return refuseAs('conflict', 'It comes from sources without ids of their own: nothing can be decided about it.')
    }
    const decided = await ask(this.access, { kind: 'decide', ...asker, decisions: [first, ...more] })
    return decided === true ? emptyReply() : decided
  }

  /** `GET operator/sessions`: of all organizations. */
  sessions(): PortalReply {
    return sessionsReply(this.parts.viewSessions(null, this.rowsMax))
  }

  /** `GET operator/health`. */
  health(): PortalReply {
    return jsonReply(this.parts.health())
  }
}
