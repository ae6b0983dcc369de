// oddswire suspend, oddswire resume: an operator suspends the quotes of a bookmaker, and resumes them.

import { fault, isFault } from '../access/fault.ts'
import { isBookmakerSlug } from '../domain/coverage.ts'
import type { Suspension } from '../domain/event-identity.ts'
import { type Action, type Given, notesOn, type Outcome, runAction } from './action.ts'

const FLAGS = {
  synopsis: '--bookmaker B [--event ID]',
  details: [
    '',
    '  --bookmaker B   slug of the bookmaker',
    '  --event ID      id of an event, as in GET /events; not checked, as events come and go (default: all events)',
  ],
  required: ['bookmaker'],
  optional: ['event'],
}

const isSame = (a: Suspension, b: Suspension): boolean => a.bookmaker === b.bookmaker && a.event === b.event

/** The recorded suspension that the flags name. */
const find = ({ store, flags }: Given) => {
  const { bookmaker = '', event = null } = flags
  if (!isBookmakerSlug(bookmaker)) return fault(`--bookmaker must be a slug, not "${bookmaker}"`)
  if (event !== null && !/^\d{1,15}$/.test(event))
    return fault(`--event must be the id of an event (digits), not "${event}"`)
  const named: Suspension = { kind: 'suspend', bookmaker, event }
  const known = store.decisions
    .all()
    .find(({ decisions: [decision] }) => decision?.kind === 'suspend' && isSame(decision, named))
  return { named, known, name: event === null ? bookmaker : `${bookmaker} at event ${event}` }
}

const suspend: Action = {
  ...FLAGS,
  summary: 'Shows what the bookmaker has open, now or later, as suspended (cause: operator), until it is resumed.',
  act: (given): Outcome => {
    const found = find(given)
    if (isFault(found)) return found
    const { named, known, name } = found
    if (known !== undefined) return fault(`${name} is suspended already`)
    const { auditId } = given.store.decisions.add([named], given.at)
    return { auditId, notes: [`${name} is suspended`, ...notesOn(given.store, [named.bookmaker])] }
  },
}

const resume: Action = {
  ...FLAGS,
  summary: 'Ends what oddswire suspend with the same flags began.',
  act: (given): Outcome => {
    const found = find(given)
    if (isFault(found)) return found
    const { known, name } = found
    if (known === undefined) return fault(`${name} is not suspended; oddswire event decisions lists what is`)
    const removed = given.store.decisions.remove(known.id, given.at)
    return isFault(removed) ? removed : { auditId: removed.auditId, notes: [`${name} is resumed`] }
  },
}

const ACTIONS = { suspend, resume }

/** Runs `oddswire suspend …` or `oddswire resume …`. Resolves to the exit code. */
export const runNamed =
  (name: keyof typeof ACTIONS) =>
  (argv: readonly string[]): Promise<number> =>
    runAction('', ACTIONS, [name, ...argv])
