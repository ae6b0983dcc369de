// `GET explain`: why a key of the organization sees a quote, or does not (docs/operations.md 9).

import { isRefusal, type Refusal } from '../domain/refusal.ts'
import type { Candidates } from '../explain/answer.ts'
import type { Explanation, Reading } from '../explain/explanation.ts'
import { QUESTION_FIELDS } from '../explain/question.ts'
import { jsonReply, type PortalRefusal, type PortalReply, refuseAs, tooOften } from './portal-request.ts'
import type { Visit } from './visit.ts'
import { Pace } from './pace.ts'
import { VisitRate } from './visit-rate.ts'

/** Answers a question by its fields as texts. */
export type Explain = (
  fields: Readonly<Record<string, string | undefined>>,
  reading: Reading,
) => Explanation | Candidates | Refusal

export interface ExplainLimits {
  readonly portalQuestionsMax: number
  readonly portalQuestionWindowMs: number
  readonly portalQuestionsWaitingMax: number
}

/** All explanations together take a fifth of the event loop. */
const REST = 4

const BUSY: PortalRefusal = {
  ...refuseAs('service_unavailable', 'Too many people ask just now; try again in a moment.'),
  retryS: 1,
}

export class ExplainPage {
  private readonly explain: Explain
  private readonly rate: VisitRate
  private readonly pace: Pace

  constructor(explain: Explain, limits: ExplainLimits) {
    this.explain = explain
    this.rate = new VisitRate(limits.portalQuestionsMax, limits.portalQuestionWindowMs)
    this.pace = new Pace(REST, limits.portalQuestionsWaitingMax)
  }

  /**
   * `GET explain`: an operator reads what the command prints, of every key unless an organization is named; everybody
   * else reads what a customer may know, of the own keys.
   */
  async answer({ request: { query }, user, organization }: Visit): Promise<PortalReply | PortalRefusal> {
    const fields: Record<string, string | undefined> = {}
    for (const name of QUESTION_FIELDS) {
      const [value, second] = query.getAll(name)
      if (second !== undefined) return refuseAs('validation_failed', `${name} is given more than once`, name)
      fields[name] = value
    }
    // Addresses are kept in histories of browsers and logs of proxies.
    if (fields.key?.startsWith('odds_') === true) {
      return refuseAs('validation_failed', 'key must be the id of a key: a secret belongs in no address', 'key')
    }
    const waitMs = this.rate.waitMs(user.organization.id, user.asker.at)
    if (waitMs > 0) return tooOften('asks', waitMs)
    const isOfAll = user.role === 'operator' && !query.has('organization')
    const reading = isOfAll ? {} : { organization: organization.id }
    const reader = user.role === 'operator' ? 'operator' : 'customer'
    const answered = await this.pace.do(() => this.explain(fields, { ...reading, reader }))
    if (answered === undefined) return BUSY
    if (isRefusal(answered)) return refuseAs('validation_failed', answered.message, answered.field)
    return jsonReply(answered)
  }
}
