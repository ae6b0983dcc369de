// Why a key sees a quote, or does not: each rule that can hide it, in the order in which the service applies them.
//
//   key ─▶ service ─▶ limit ─▶ plan ─▶ scope ─▶ entitlement ─▶ coverage ─▶ event ─▶ quote ─▶ freshness ─▶ status
//
// Every verdict is computed by the functions that answer requests and subscriptions, from the state of this moment. Work
// is bounded: one book is read (bookQuotesMax), and explain.groupsMax changes of the log where the event is gone.

import type { Caller, Examined } from '../access/gate.ts'
import { QuoteStates, type QuoteState } from '../board/quote-states.ts'
import { bookmakersOf } from '../domain/audience.ts'
import type { EventView } from '../domain/event.ts'
import { MARKET_TYPE_NUMBER, MARKET_TYPES } from '../domain/market.ts'
import { isRefusal, type Refusal } from '../domain/refusal.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import {
  type BoardParts,
  coverageStep,
  eventName,
  eventStep,
  type Reader,
  seesBookmaker,
  sourceStep,
} from './board-steps.ts'
import {
  type CallerParts,
  entitlementStep,
  keyStep,
  limitStep,
  planStep,
  scopeStep,
  serviceStep,
} from './caller-steps.ts'
import type { Question } from './question.ts'
import { freshnessStep, quoteName, quoteStep, shownBy, statusStep } from './quote-steps.ts'
import { type Finding, hidesBy, type Rule, type Step, WAYS, type Way } from './step.ts'

/** What an explanation is made from: the parts of a running service. */
export interface ExplainParts extends CallerParts, Omit<BoardParts, 'states'> {
  /** Epoch ms. */
  readonly now: () => number
  /** Quotes that an explanation lists. */
  readonly quotesMax: number
}

export interface Reading {
  /** `operator` unless said otherwise. A customer gets no step after the first that hides, and nothing of the inside. */
  readonly reader?: Reader
  /** Id of an organization: keys of others are unknown. */
  readonly organization?: string
}

/** A quote that was asked for. */
export interface ExplainedQuote {
  /** `total_goals 2.5 over`. */
  readonly name: string
  readonly market: string
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
  /** As it is shown while it is fresh. */
  readonly status: string
  readonly cause: string | null
  readonly observedAt: string
  readonly agesOutAt: string
  /** Where it is shown to the key; empty: nowhere. */
  readonly shownBy: readonly Way[]
}

export interface Explanation {
  readonly transport: Question['transport']
  readonly bookmaker: string
  /** Undefined where there is no such key, or event. */
  readonly keyId: string | undefined
  readonly event:
    | { readonly id: string; readonly name: string; readonly sport: string; readonly kickoffAt: string }
    | undefined
  readonly steps: readonly Step[]
  /** The first rule after which the quote (one of the quotes) is shown nowhere; null: it is shown. */
  readonly hiddenBy: Rule | null
  /** `rest`: GET /events/{eventId}/odds shows it; `live`: a snapshot of the live channel does. */
  readonly shownBy: readonly Way[]
  /** One line: `hidden by: coverage — …`, or `visible: …`. */
  readonly verdict: string
  /** The first of the quotes that were asked for, and how many there are. */
  readonly quotes: readonly ExplainedQuote[]
  readonly quoteCount: number
  /** When this was so, epoch ms. */
  readonly at: number
}

/** Explains what a key sees of a quote, or of several: then it is visible where one of them is. */
export const explain = (parts: ExplainParts, question: Question, reading: Reading = {}): Explanation => {
  const { engine } = parts
  const { reader = 'operator' } = reading
  const nowAt = parts.now()
  const ways = WAYS[question.transport]
  const board: BoardParts = { ...parts, states: new QuoteStates(engine.board) }
  const examined = keyOf(parts, question, reading, nowAt)
  const caller = isRefusal(examined) ? undefined : examined.caller
  const view = engine.reader.eventOf(question.event)
  const found = view === undefined ? [] : quotesOf(board, question, view)
  const findings: Finding[] = []
  findings.push(
    isRefusal(examined)
      ? hidesBy('key', `${examined.message} (401 ${examined.refused}). Give the id of a key, or its whole secret.`)
      : keyStep(examined, nowAt),
  )
  findings.push(serviceStep(parts))
  const isShown = view !== undefined && caller !== undefined && isQuoted(parts, question, view, caller, nowAt)
  if (caller !== undefined) {
    findings.push(limitStep(parts, caller, question, nowAt), planStep(parts, caller, question))
    findings.push(scopeStep(caller, question, view?.event.sport), entitlementStep(caller, question))
  }
  const coverage = coverageStep(board, question, view?.event.sport, caller?.audience, reader)
  const isBlamed = [...findings.slice(-2), coverage].some(({ hides }) => hides.length > 0)
  const isUnseen = view !== undefined && caller !== undefined && !seesBookmaker(board, caller.audience, question, view)
  findings.push(isUnseen && !isBlamed ? hidesBy('coverage', UNNUMBERED) : coverage)
  findings.push(eventStep(board, question, view, isShown, nowAt, reader))
  if (view !== undefined) findings.push(...quoteFindings(board, question, view, found, nowAt, reader))
  const steps = stepsOf(findings, ways, reader)
  const shown = steps.reduce<readonly Way[]>((left, { hides }) => left.filter((way) => !hides.includes(way)), ways)
  const hidden = steps.find(({ passed }) => !passed)
  // A customer is not told of quotes that it may not see.
  const mayList = reader === 'operator' || hidden === undefined || LATE.has(hidden.rule)
  const own = mayList ? found : []
  const isVisible = hidden === undefined
  const outer = isVisible
    ? ways.filter((way) => steps.every(({ rule, hides }) => LATE.has(rule) || !hides.includes(way)))
    : []
  const quotes = own.slice(0, parts.quotesMax).map((state) => quoteRow(state, outer, nowAt))
  return {
    transport: question.transport,
    bookmaker: question.bookmaker,
    keyId: caller?.keyId,
    event: view === undefined || !(reader === 'operator' || isShown) ? undefined : eventRow(view),
    steps,
    hiddenBy: hidden?.rule ?? null,
    shownBy: shown,
    verdict: verdictOf(question, hidden, shown, found, nowAt),
    quotes,
    quoteCount: own.length,
    at: nowAt,
  }
}

/** Rules about the quotes, not about who asks. */
const LATE: ReadonlySet<Rule> = new Set<Rule>(['quote', 'freshness', 'status', 'source'])

const UNNUMBERED =
  'Coverage shows it, but it is one bookmaker too many to be distinguished (bookmakersMax), or was registered this moment.'

/** The key; one of another organization is as unknown as one that does not exist. */
export const keyOf = (
  { gate }: Pick<ExplainParts, 'gate'>,
  { key }: Pick<Question, 'key'>,
  { organization }: Reading,
  nowAt: number,
): Examined | Refusal => {
  const examined = gate.examine(key, nowAt)
  const isOther = organization !== undefined && !isRefusal(examined) && examined.key.organization !== organization
  return isOther ? gate.examine('', nowAt) : examined
}

const filterOf = ({ market, line, outcome }: Question) => ({
  type: market === undefined ? undefined : MARKET_TYPE_NUMBER.get(market)!,
  line,
  outcome,
})

const quotesOf = ({ engine, states }: BoardParts, question: Question, view: EventView): QuoteState[] => {
  const bookmaker = engine.reader.bookmakerNumber(question.bookmaker)
  return states.find(view, bookmaker, TRANSPORT_NUMBER[question.transport], filterOf(question))
}

/** Whether REST has an answer at all: otherwise an event that is hidden is the same as none. */
export const isQuoted = (
  { engine }: Pick<ExplainParts, 'engine'>,
  { transport }: Question,
  view: EventView,
  { audience }: Caller,
  nowAt: number,
): boolean => {
  const seen = bookmakersOf(audience, TRANSPORT_NUMBER[transport], view.sportNumber)
  return engine.reader.isQuoted(view, TRANSPORT_NUMBER[transport], seen, nowAt)
}

const quoteFindings = (
  board: BoardParts,
  question: Question,
  view: EventView,
  found: readonly QuoteState[],
  nowAt: number,
  reader: Reader,
): Finding[] => {
  const { engine, states } = board
  const { transport } = question
  const bookmaker = engine.reader.bookmakerNumber(question.bookmaker)
  const nearby = found.length > 0 ? found : states.find(view, bookmaker, TRANSPORT_NUMBER[transport], {})
  const producers = nearby.map(({ producer }) => producer)
  return [
    quoteStep(question, found, nearby),
    freshnessStep(found, nowAt),
    statusStep(question, found, WAYS[transport], engine.heldBy(bookmaker, view), nowAt, reader),
    sourceStep(board, question, producers, nowAt, reader),
  ].filter((finding) => finding !== undefined)
}

/** A rule has passed where some way is left after it, as far as it has something to do with that. */
const stepsOf = (findings: readonly Finding[], ways: readonly Way[], reader: Reader): Step[] => {
  const steps: Step[] = []
  let left = ways
  for (const { rule, detail, hides: all } of findings) {
    const hides = ways.filter((way) => all.includes(way))
    const before = left
    left = left.filter((way) => !hides.includes(way))
    const passed = hides.length < ways.length && (left.length > 0 || before.length === 0)
    steps.push({ rule, passed, detail, hides })
    if (reader === 'customer' && !passed) break
  }
  return steps
}

const verdictOf = (
  { bookmaker, transport }: Question,
  hidden: Step | undefined,
  shown: readonly Way[],
  found: readonly QuoteState[],
  nowAt: number,
): string => {
  if (hidden !== undefined) return `hidden by: ${hidden.rule} — ${hidden.detail}`
  const seen = found.filter((state) => shownBy(state, shown, nowAt).length > 0)
  const isSuspended = seen.every((state) => state.shown === 'suspended')
  const what =
    found.length === 1
      ? quoteName(found[0]!)
      : `${seen.length === found.length ? '' : `${seen.length} of `}${found.length} quotes`
  const where = shown.map((way) => (way === 'rest' ? `GET odds?transport=${transport}` : 'the live channel'))
  return `visible: ${what} of ${bookmaker}, by ${where.join(' and ')}${isSuspended ? ', as suspended' : ''}`
}

const eventRow = ({ event }: EventView): NonNullable<Explanation['event']> => ({
  id: event.id,
  name: eventName(event),
  sport: event.sport,
  kickoffAt: new Date(event.kickoffAt).toISOString(),
})

const quoteRow = (state: QuoteState, ways: readonly Way[], nowAt: number): ExplainedQuote => ({
  name: quoteName(state),
  market: MARKET_TYPES[state.type]!,
  line: state.line,
  outcome: state.outcome,
  odds: state.odds,
  status: state.shown,
  cause: state.cause,
  observedAt: new Date(state.observedAt).toISOString(),
  agesOutAt: new Date(state.staleAt).toISOString(),
  shownBy: shownBy(state, ways, nowAt),
})
