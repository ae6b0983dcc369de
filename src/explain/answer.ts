// From the fields of a question to its answer: the event by id, by a source's own id, or by names.

import type { EventView } from '../domain/event.ts'
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts'
import { slugOf } from '../domain/slug.ts'
import { eventName } from './board-steps.ts'
import { type Explanation, type ExplainParts, explain, isQuoted, keyOf, type Reading } from './explanation.ts'
import { type Question, readQuestion } from './question.ts'

export interface Candidate {
  readonly id: string
  /** `Harbour Town v Millbrook`. */
  readonly name: string
  readonly sport: string
  readonly league: string
  readonly kickoffAt: string
}

/** The events that names lead to: none, or several. */
export interface Candidates {
  readonly candidates: readonly Candidate[]
  /** There are more, or not all events were compared. */
  readonly isCut: boolean
}

export interface AnswerParts extends ExplainParts {
  /** Events that are compared with names, and that are listed. */
  readonly eventsMax: number
  readonly candidatesMax: number
}

/** Events that have begun this long ago are still looked for first, ms. */
const PAST_MS = 6 * 3_600_000

/** Words that stand between two sides. */
const BETWEEN = new Set(['v', 'vs', 'versus', 'at', ''])

/** Answers a question as it is given, by its fields as texts. The portal and the command ask here. */
export const answer = (
  parts: AnswerParts,
  fields: Readonly<Record<string, string | undefined>>,
  reading: Reading = {},
): Explanation | Candidates | Refusal => {
  const question = readQuestion(fields)
  if (isRefusal(question)) return question
  if (/^\d+$/.test(question.event)) return explain(parts, question, reading)
  const mayName = maySee(parts, question, reading)
  const known = parts.engine.sightings.find(question.event)?.record
  if (known !== undefined && mayName(known)) return explain(parts, { ...question, event: known.event.id }, reading)
  const words = slugOf(question.event)
    .split('_')
    .filter((word) => !BETWEEN.has(word))
  if (words.length === 0) {
    return refuse('validation_failed', 'event must be an id, SOURCE:ID, or words of the names of its sides', 'event')
  }
  const found = findEvents(parts, words, mayName)
  const [only, second] = found.candidates
  if (only === undefined || second !== undefined || found.isCut) return found
  return explain(parts, { ...question, event: only.id }, reading)
}

/** Which events may be named in an answer: to customers, those that REST would show to the key. */
const maySee = (parts: AnswerParts, question: Question, reading: Reading): ((view: EventView) => boolean) => {
  if (reading.reader !== 'customer') return () => true
  const nowAt = parts.now()
  const examined = keyOf(parts, question, reading, nowAt)
  if (isRefusal(examined) || examined.refusal !== undefined) return () => false
  return (view) => isQuoted(parts, question, view, examined.caller, nowAt)
}

/** Events of which the names have all words, in kickoff order; what has begun long ago comes last. */
const findEvents = (
  { engine, now, eventsMax, candidatesMax }: AnswerParts,
  words: readonly string[],
  mayName: (view: EventView) => boolean,
): Candidates => {
  const candidates: Candidate[] = []
  const fromAt = now() - PAST_MS
  let visits = 0
  let isCut = false
  const visit = (view: EventView): boolean => {
    isCut = candidates.length >= candidatesMax || visits >= eventsMax
    if (isCut) return false
    visits++
    const { event } = view
    const slug = slugOf(`${event.homeTeam} ${event.awayTeam}`)
    if (words.every((word) => slug.includes(word)) && mayName(view)) candidates.push(candidateOf(view))
    return true
  }
  engine.reader.visitEvents(undefined, undefined, fromAt, visit)
  if (!isCut) {
    engine.reader.visitEvents(undefined, undefined, Number.NEGATIVE_INFINITY, (view) => {
      return view.event.kickoffAt < fromAt && visit(view)
    })
  }
  return { candidates, isCut }
}

const candidateOf = ({ event }: EventView): Candidate => ({
  id: event.id,
  name: eventName(event),
  sport: event.sport,
  league: event.leagueName,
  kickoffAt: new Date(event.kickoffAt).toISOString(),
})
