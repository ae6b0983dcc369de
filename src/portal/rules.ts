// What operators are told where a change would break a rule of the store.

import { NOTICE_DAYS } from '../access/coverage-records.ts'
import type { RuleDenied } from '../access/operator-tasks.ts'
import { type PortalRefusal, refuseAs } from './portal-request.ts'

type BrokenRule = RuleDenied['broken']

/** By rule; what is concerned is named in the detail. */
const REFUSALS: Readonly<Record<BrokenRule['rule'], (detail: string) => PortalRefusal>> = {
  'organization is new': () => refuseAs('conflict', 'There is an organization of this name already.', 'name'),
  'plan exists': (names) => refuseAs('validation_failed', `plan must be one of ${names}.`, 'plan'),
  'plan is new': () => refuseAs('conflict', 'There is a plan of this name already.', 'name'),
  'plan is unused': (names) => refuseAs('conflict', `${names} have this plan; give them another one first.`),
  'user is new': () => refuseAs('conflict', 'There is a user with this email already.', 'email'),
  'user exists': () => refuseAs('not_found', 'There is no such user.'),
  'bookmaker exists': () => refuseAs('validation_failed', 'Coverage has no such bookmaker.', 'bookmaker'),
  'coverage exists': () => refuseAs('conflict', 'There is no such coverage to remove.', 'sport'),
  'new coverage has a status': () =>
    refuseAs('validation_failed', 'There is no coverage in this sport yet: give its status, too.', 'status'),
  'customers have notice': (losses) =>
    refuseAs(
      'conflict',
      `This takes ${losses} from customers: announce its removal, or do it at once, with a reason.`,
      'now',
    ),
  'haste has a reason': (losses) =>
    refuseAs('validation_failed', `This takes ${losses} from customers without notice: give a reason.`, 'reason'),
  'notice is long enough': (day) =>
    refuseAs(
      'validation_failed',
      `Customers have ${NOTICE_DAYS} days of notice: ${day} at the earliest.`,
      'effectiveOn',
    ),
  'removal is announced once': (day) => refuseAs('conflict', `This removal is announced already, for ${day}.`),
  'own account': () => refuseAs('conflict', 'This is your own account; another operator may change it.'),
  'no more': (what) => refuseAs('conflict', `There are as many ${what} as there may be.`),
}

export const refusalOfRule = ({ rule, detail }: BrokenRule): PortalRefusal => REFUSALS[rule](detail)
