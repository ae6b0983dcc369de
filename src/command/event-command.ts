// oddswire event: decisions about events that the rule keeps separate, or has merged wrongly (docs/identity.md 7).

import { askServer } from '../access/admin-client.ts'
import { type Fault, fault, isFault } from '../access/fault.ts'
import { LIMITS } from '../limits.ts'
import type { Decision, EventDecision } from '../domain/event-identity.ts'
import { isRecord } from '../domain/record.ts'
import { isSport, SPORTS } from '../domain/sport.ts'
import { slugOf } from '../domain/slug.ts'
import { type Action, type Given, noSuchValue, type Outcome, runAction } from './action.ts'
import type { Row } from './table.ts'

/** An event as the running server reports it; an unseen source key is an event of which nothing else is known. */
interface Known {
  /** For people. */
  readonly name: string
  readonly sport: string | undefined
  /** At least one. */
  readonly spellings: readonly Spelling[]
  /** The running server does not have it now. */
  readonly isUnseen: boolean
  /** All names of its event, where the event is known by more than what was given. */
  readonly siblings: readonly Spelling[]
}

/** One source's name of an event. */
interface Spelling {
  /** `SOURCE:ID`. */
  readonly key: string
  /** Whether its home and away are swapped, compared with the event that was given. */
  readonly swapped: boolean
}

const textIn = (value: unknown, name: string): string | undefined => {
  const text = isRecord(value) ? value[name] : undefined
  return typeof text === 'string' ? text : typeof text === 'number' ? String(text) : undefined
}

const textsIn = (value: unknown, name: string): string[] => {
  const texts = isRecord(value) ? value[name] : undefined
  return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : []
}

const spellingsIn = (event: unknown): Spelling[] => {
  const spellings = isRecord(event) ? event.spellings : undefined
  const swapped = new Set(
    Array.isArray(spellings) ? spellings.filter((each) => isRecord(each) && each.turned === true).map(keyIn) : [],
  )
  return textsIn(event, 'sourceKeys').map((key) => ({ key, swapped: swapped.has(key) }))
}

const keyIn = (spelling: unknown): string | undefined => textIn(spelling, 'key')

/** `1234 Arsenal v Chelsea (football, 2026-11-21T15:00:00.000Z)`, as far as it is known. */
const nameOf = (event: unknown): string => {
  const [home, away] = [textIn(event, 'home'), textIn(event, 'away')]
  const teams = home === undefined || away === undefined ? [] : [`${home} v ${away}`]
  const facts = [textIn(event, 'sport'), textIn(event, 'kickoffAt')].filter((fact) => fact !== undefined)
  const head = [textIn(event, 'id') ?? textsIn(event, 'sourceKeys')[0] ?? '?', ...teams].join(' ')
  return facts.length === 0 ? head : `${head} (${facts.join(', ')})`
}

const isId = (given: string): boolean => /^\d{1,20}$/.test(given)

/** `SOURCE:ID`, as sources are named in the configuration. */
const isSourceKey = (given: string): boolean => /^[^\s:]{1,64}:\P{C}{1,200}$/u.test(given)

const lookUp = async (given: string, dataDir: string): Promise<Known | Fault> => {
  if (!isId(given) && !isSourceKey(given)) {
    return fault(`"${given}" is no event: give an id (digits), or a source's own id as SOURCE:ID`)
  }
  const spelling: Spelling = { key: given, swapped: false }
  const itself: Known = { name: given, sport: undefined, spellings: [spelling], isUnseen: false, siblings: [] }
  const answer = await askServer(dataDir, `/events/${encodeURIComponent(given)}`)
  if (isFault(answer)) {
    // A source key is sufficient; ids are valid in the running server only.
    if (isSourceKey(given)) return itself
    return fault(`${answer.fault}, and only it knows event ids: start it, or give source keys (SOURCE:ID)`)
  }
  const { status, body } = answer
  if (status !== 200 && isSourceKey(given)) return { ...itself, isUnseen: status === 404 }
  if (status === 404) return fault(`there is no event ${given} now; see oddswire event conflicts`)
  if (status !== 200)
    return fault(`the running server has no information about event ${given} (status ${status}); see its log`)
  // One key is not its whole event: to be split off, it must be used alone.
  const spellings = spellingsIn(body)
  const sport = textIn(body, 'sport')
  if (isSourceKey(given)) return { ...itself, name: `${given} of ${nameOf(body)}`, sport, siblings: spellings }
  if (spellings.length === 0) {
    return fault(`event ${given} comes from sources without ids of their own: nothing can be decided about it`)
  }
  return { name: nameOf(body), sport, spellings, isUnseen: false, siblings: [] }
}

const pairsOf = (a: readonly Spelling[], b: readonly Spelling[]): [Spelling, Spelling][] =>
  a.flatMap((one) => b.map((other): [Spelling, Spelling] => [one, other]))

const without = (some: readonly Spelling[], others: readonly Spelling[]): Spelling[] =>
  some.filter(({ key }) => others.every((other) => other.key !== key))

/**
 * The spellings on each side of a merge. If both are of one event already, the first side is all others of that event,
 * so that no earlier decision between these and the second stays in effect.
 */
const sidesOf = (first: Known, second: Known): readonly [readonly Spelling[], readonly Spelling[]] => {
  const [own] = first.spellings
  const [other] = second.spellings
  const sameWay = first.siblings.find(({ key }) => key === own!.key)?.swapped
  if (sameWay === undefined || !first.siblings.some(({ key }) => key === other!.key)) {
    return [first.spellings, second.spellings]
  }
  const others = without(first.siblings, second.spellings)
  return [others.map(({ key, swapped }) => ({ key, swapped: swapped !== sameWay })), second.spellings]
}

/** Writes one decision for each pair, because any two sources of the events may be the only ones tomorrow. */
const decide = (
  { store, at }: Given,
  decisions: readonly EventDecision[],
  text: string,
  about: readonly Known[] = [],
): Outcome => {
  const [first, ...others] = decisions
  if (first === undefined) return fault('there is nothing to decide: both are the same source key')
  const { id, auditId } = store.decisions.add([first, ...others], at)
  const unseen = about.filter(({ isUnseen }) => isUnseen)
  const notes = unseen.map(({ name }) => `note: no source has named ${name} yet; it holds as soon as one does`)
  return { auditId, notes: [`decision ${id}: ${text}`, ...notes] }
}

const AB = [
  '',
  '  A, B        each the id of an event on the running server (digits), or the id that a source gives it, with the',
  '              name of the source (SOURCE:ID, like kambi:1007519027)',
]

const merge: Action = {
  creates: true,
  synopsis: 'A B [--swapped]',
  summary: 'Decides that A and B are one event, now and whenever their sources name them again.',
  details: [...AB, '  --swapped   the home side of B is the away side of A'],
  positionals: ['A', 'B'],
  // `--turned` is the former name, accepted until 2027-02-20 (CHANGELOG.md).
  switches: ['swapped', 'turned'],
  act: async (given): Promise<Outcome> => {
    const [a, b] = given.positionals as [string, string]
    const [first, second] = [await lookUp(a, given.dataDir), await lookUp(b, given.dataDir)]
    if (isFault(first)) return first
    if (isFault(second)) return second
    const swapped = given.flags.swapped !== undefined || given.flags.turned !== undefined
    if (a === b || without(first.spellings, second.spellings).length < first.spellings.length) {
      const hint = swapped && a !== b ? ': to swap the sides of one of its sources, give source keys (SOURCE:ID)' : ''
      return fault(`${a} and ${b} are one event already${hint}`)
    }
    if (first.sport !== undefined && second.sport !== undefined && first.sport !== second.sport) {
      return fault(`${a} is ${first.sport} and ${b} is ${second.sport}: events of different sports are never one`)
    }
    const decisions = pairsOf(...sidesOf(first, second)).map(
      ([one, other]): EventDecision => ({
        kind: 'merge',
        keys: [one.key, other.key],
        // Up to three swaps: of the events to each other, and of each spelling in its event.
        swapped: [swapped, one.swapped, other.swapped].filter(Boolean).length % 2 === 1,
      }),
    )
    const how = swapped ? ', sides swapped' : ''
    return decide(given, decisions, `${first.name} and ${second.name} are one event${how}`, [first, second])
  },
}

const split: Action = {
  creates: true,
  synopsis: 'A B',
  summary: 'Decides that A and B are two events. To split an event, give its id and the key to split off.',
  details: AB,
  positionals: ['A', 'B'],
  act: async (given): Promise<Outcome> => {
    const [a, b] = given.positionals as [string, string]
    if (a === b) return fault(`${a} cannot be split from itself: name the source key to split off (SOURCE:ID)`)
    const [first, second] = [await lookUp(a, given.dataDir), await lookUp(b, given.dataDir)]
    if (isFault(first)) return first
    if (isFault(second)) return second
    const [left, right] = isId(a)
      ? [without(first.spellings, second.spellings), second.spellings]
      : [first.spellings, without(second.spellings, first.spellings)]
    if (left.length === 0 || right.length === 0) {
      const keys = first.spellings.map(({ key }) => key)
      return isId(a) && isId(b)
        ? fault(
            `${a} and ${b} are one event now, known as ${keys.join(', ')}: name the key to split off, or undo the decision ` +
              'that made them one (oddswire event decisions)',
          )
        : fault(`${a} and ${b} have the same source key only: there is nothing to split`)
    }
    const decisions = pairsOf(left, right).map(
      ([one, other]): EventDecision => ({ kind: 'split', keys: [one.key, other.key] }),
    )
    return decide(given, decisions, `${first.name} and ${second.name} are two events`, [first, second])
  },
}

const readName = (what: string, value: string): string | Fault => {
  const name = value.normalize('NFC').trim()
  const isName = name !== '' && name.length <= LIMITS.textLengthMax && !/\p{C}/u.test(name)
  return isName ? name : fault(`${what} must be a name of 1 to ${LIMITS.textLengthMax} printable characters`)
}

const alias: Action = {
  creates: true,
  synopsis: 'NAME --means NAME [--sport S]',
  summary: 'Decides that a name of a team or player means another one.',
  details: ['', '  --means NAME   the name that others use', '  --sport S      in this sport only (default: in all)'],
  positionals: ['NAME'],
  required: ['means'],
  optional: ['sport'],
  act: (given): Outcome => {
    const { flags, positionals } = given
    const name = readName('NAME', positionals[0]!)
    if (isFault(name)) return name
    const means = readName('--means', flags.means!)
    if (isFault(means)) return means
    for (const each of [name, means]) {
      if (slugOf(each) !== '') continue
      return fault(`"${each}" has no Latin letter or digit, by which names are compared; merge the events instead`)
    }
    if (slugOf(name) === slugOf(means)) return fault(`"${name}" means "${means}" already`)
    const { sport = null } = flags
    if (sport !== null && !isSport(sport)) return noSuchValue('sport', sport, SPORTS)
    const where = sport === null ? '' : ` in ${sport}`
    return decide(given, [{ kind: 'alias', sport, name, means }], `"${name}" means "${means}"${where}`)
  },
}

const undo: Action = {
  synopsis: 'ID',
  summary: 'Undoes a decision; an earlier one about the same events or name holds again.',
  positionals: ['ID'],
  act: ({ store, positionals, at }): Outcome => {
    const given = positionals[0]!
    if (!/^\d{1,15}$/.test(given))
      return fault('ID must be the number of a decision; oddswire event decisions lists them')
    const removed = store.decisions.remove(Number(given), at)
    return isFault(removed) ? removed : { auditId: removed.auditId, notes: [`decision ${given} is undone`] }
  },
}

const aboutOf = (decision: Decision): readonly string[] => {
  if (decision.kind === 'alias') return [decision.name, decision.means]
  if (decision.kind === 'suspend') return [decision.bookmaker, ...(decision.event === null ? [] : [decision.event])]
  return decision.keys
}

const decisions: Action = {
  synopsis: '',
  summary: 'Lists the decisions that are not undone, oldest first; holds is false where a later one overrides it.',
  lists: true,
  act: ({ store }): Outcome => ({
    rows: store.decisions.all().map(({ id, at, kind, holds, decisions: made }): Row => {
      const [first] = made
      return {
        id: String(id),
        at: new Date(at).toISOString(),
        kind,
        holds,
        about: [...new Set(made.flatMap(aboutOf))],
        turned: first?.kind === 'merge' && first.swapped,
        sport: first?.kind === 'alias' ? first.sport : null,
      }
    }),
  }),
}

const conflicts: Action = {
  synopsis: '',
  summary: 'Lists events that the running server keeps separate although they look alike, with what they look like.',
  lists: true,
  act: async ({ dataDir }): Promise<Outcome> => {
    const answer = await askServer(dataDir, '/events/conflicts')
    if (isFault(answer)) return fault(`${answer.fault}, and only it knows the conflicts: start it first`)
    const found = isRecord(answer.body) ? answer.body.conflicts : undefined
    if (answer.status !== 200 || !Array.isArray(found)) {
      return fault(`the running server cannot list conflicts (status ${answer.status}); see its log`)
    }
    return {
      rows: found.map(
        (conflict: unknown, place): Row => ({
          id: textIn(conflict, 'id') ?? String(place + 1),
          reason: textIn(conflict, 'reason') ?? null,
          event: isRecord(conflict) ? nameOf(conflict.event) : null,
          candidates: isRecord(conflict) && Array.isArray(conflict.candidates) ? conflict.candidates.map(nameOf) : [],
        }),
      ),
    }
  },
}

/** Runs `oddswire event …`. Resolves to the exit code. */
export const run = (argv: readonly string[]): Promise<number> =>
  runAction('event', { conflicts, decisions, merge, split, alias, undo }, argv)
