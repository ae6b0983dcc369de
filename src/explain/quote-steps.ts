// The rules about the quotes themselves: whether the board has them, whether they are fresh, and their status. One quote
// is shown where it is fresh, and open; the live channel shows suspended ones, too, as suspended.

import type { QuoteState } from '../board/quote-states.ts'
import { type Cause, FRESHNESS_MS } from '../domain/quote.ts'
import { sourceOfProducer } from '../domain/feed-source.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import { didYouMean } from '../feed/nearest.ts'
import type { Question } from './question.ts'
import { ended, type Finding, hidesBy, passes, someOf, spanText, timeText, type Way } from './step.ts'
import type { Reader } from './board-steps.ts'

/** Ways in which a quote is shown while it is fresh. */
const shownFresh = ({ shown }: QuoteState, ways: readonly Way[]): readonly Way[] => {
  if (shown === 'closed') return []
  return shown === 'open' ? ways : ways.filter((way) => way === 'live')
}

/** Ways in which a quote is shown, as far as it is concerned itself. */
export const shownBy = (state: QuoteState, ways: readonly Way[], nowAt: number): readonly Way[] =>
  nowAt < state.staleAt ? shownFresh(state, ways) : []

/** `total_goals 2.5 over`. */
export const quoteName = ({ type, line, outcome }: Pick<QuoteState, 'type' | 'line' | 'outcome'>): string =>
  [MARKET_TYPES[type]!, ...(line === null ? [] : [String(line)]), outcome].join(' ')

const askedName = ({ market, line, outcome }: Question): string =>
  [
    market ?? 'any market',
    ...(line === undefined ? [] : [line === null ? 'without a line' : String(line)]),
    outcome ?? 'any outcome',
  ].join(' ')

const countText = (count: number, what = 'quote'): string => `${count} ${what}${count === 1 ? '' : 's'}`

/**
 * @param found the quotes that are asked for
 * @param nearby of the same book; more than those that are asked for, where these are none
 */
export const quoteStep = (of: Question, found: readonly QuoteState[], nearby: readonly QuoteState[]): Finding => {
  const { bookmaker, market, outcome, transport } = of
  if (found.length > 0) {
    return passes(
      'quote',
      `The board has ${found.length === 1 ? quoteName(found[0]!) : countText(found.length)} of ${bookmaker} on transport ${transport}.`,
    )
  }
  const never = 'it was never observed, or not for 24 hours, so that it has aged out'
  if (nearby.length === 0) {
    return hidesBy('quote', `The board has nothing of ${bookmaker} at this event on transport ${transport}: ${never}.`)
  }
  const inMarket = nearby.filter(({ type }) => market === undefined || MARKET_TYPES[type] === market)
  const missing = `${bookmaker} has no ${askedName(of)} here: ${never}.`
  if (inMarket.length === 0) {
    const markets = [...new Set(nearby.map(({ type }) => MARKET_TYPES[type]!))]
    return hidesBy('quote', `${missing} It has the markets ${someOf(markets)}.`)
  }
  const names = [...new Set(inMarket.map(quoteName))]
  const outcomes = [...new Set(inMarket.map((each) => each.outcome))]
  const hint = outcome === undefined || outcomes.includes(outcome) ? '' : didYouMean(outcome, outcomes.slice(0, 100))
  return hidesBy('quote', `${missing} ${ended(`It has ${someOf(names)}${hint}`)}`)
}

export const freshnessStep = (found: readonly QuoteState[], nowAt: number): Finding | undefined => {
  if (found.length === 0) return undefined
  const newest = found.reduce((a, b) => (b.observedAt > a.observedAt ? b : a))
  const fresh = found.filter(({ staleAt }) => nowAt < staleAt)
  const { observedAt, staleAt } = newest
  const age =
    nowAt < observedAt ? `${spanText(observedAt - nowAt)} ahead of our clock` : `${spanText(nowAt - observedAt)} ago`
  const last = `${found.length === 1 ? 'Last observed' : 'The newest was observed'} at ${timeText(observedAt)}, ${age}`
  if (fresh.length === 0) {
    return hidesBy(
      'freshness',
      `${last}: not within the last ${FRESHNESS_MS / 3_600_000} hours, so that it aged out at ${timeText(staleAt)}. Its source has to observe it again.`,
    )
  }
  const stale = found.length - fresh.length
  const others = stale === 0 ? '' : ` ${countText(stale)} aged out.`
  return passes(
    'freshness',
    `${last}; unless observed again it ages out at ${timeText(staleAt)}, in ${spanText(staleAt - nowAt)}.${others}`,
  )
}

/** @param heldBy what an operator has suspended: `all`, or the id of the event; undefined: nothing */
const causeText = (
  { cause, said, isLost, producer }: QuoteState,
  { bookmaker }: Question,
  heldBy: string | undefined,
  reader: Reader,
): string => {
  const source = producer === null || reader === 'customer' ? 'its source' : `source ${sourceOfProducer(producer)}`
  const part = producer === null || reader === 'customer' || !producer.includes(' ') ? '' : ` (${producer})`
  const texts: Readonly<Record<Cause, string>> = {
    book: `suspended by the bookmaker itself, by its last observation; it opens when the bookmaker says so`,
    operator:
      reader === 'customer'
        ? 'suspended by the operator of the service'
        : `suspended by an operator, ${heldBy === undefined || heldBy === 'all' ? `all of ${bookmaker}` : `${bookmaker} at event ${heldBy}`}; oddswire resume --bookmaker ${bookmaker}${heldBy === undefined || heldBy === 'all' ? '' : ` --event ${heldBy}`} ends that`,
    source_down: `suspect, because ${source} is down or was stopped; its next observation or confirmation opens it`,
    gap: isLost
      ? `suspect, because the last observation of ${source} could not be recorded; only a new one opens it`
      : `suspect, because ${source}${part} may have missed something (a broken connection, a request without an answer); its next observation or confirmation opens it`,
    clock: `suspect, because the clock of ${source} is ahead of ours, so that what it says is refused; set it right`,
  }
  const also = cause === 'operator' && said === 'suspended' ? '; the bookmaker has suspended it, too' : ''
  return cause === null ? said : `${texts[cause]}${also}`
}

export const statusStep = (
  of: Question,
  found: readonly QuoteState[],
  ways: readonly Way[],
  heldBy: string | undefined,
  nowAt: number,
  reader: Reader,
): Finding | undefined => {
  if (found.length === 0) return undefined
  const fresh = found.filter(({ staleAt }) => nowAt < staleAt)
  // What has aged out has its own step, and a status all the same.
  const judged = fresh.length > 0 ? fresh : found
  const hides = ways.filter((way) => !judged.some((each) => shownFresh(each, ways).includes(way)))
  const [first] = judged
  if (judged.length === 1) return { rule: 'status', hides, detail: oneText(of, first!, heldBy, reader) }
  const open = judged.filter(({ shown }) => shown === 'open').length
  const closed = judged.filter(({ shown }) => shown === 'closed').length
  const causes = new Map<Cause, QuoteState[]>()
  for (const each of judged) if (each.cause !== null) causes.set(each.cause, [...(causes.get(each.cause) ?? []), each])
  const suspended = [...causes].map(
    ([cause, states]) => `${states.length} suspended (${cause}): ${causeText(states[0]!, of, heldBy, reader)}`,
  )
  const parts = [
    ...(open > 0 ? [`${open} open`] : []),
    ...suspended,
    ...(closed > 0 ? [`${closed} closed: over, or no longer offered`] : []),
  ]
  const live = causes.size > 0 && of.transport === 'live' ? LIVE_SHOWS : ''
  return { rule: 'status', hides, detail: `Of ${countText(judged.length)}: ${parts.join('; ')}.${live}` }
}

const LIVE_SHOWS =
  ' The live channel shows suspended quotes as suspended; GET odds leaves them out until they are open.'

const oneText = (of: Question, state: QuoteState, heldBy: string | undefined, reader: Reader): string => {
  const name = quoteName(state)
  if (state.shown === 'open') return `${name} is open at ${state.odds}.`
  if (state.shown === 'closed') {
    return `${name} is closed: its market is over, or the bookmaker no longer offers it. Only a newer observation brings it back.`
  }
  const live = of.transport === 'live' ? LIVE_SHOWS : ''
  return `${name} is ${causeText(state, of, heldBy, reader)} (suspended, cause ${state.cause}).${live}`
}
