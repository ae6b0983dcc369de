// What a board knows of what the producers of a connector say, for tests of connectors: a quote a line, in one Map.

import type { Observation, Price } from '../../../src/domain/observation.ts'
import type { QuoteStatus } from '../../../src/domain/quote.ts'
import type { Producer, SuspectCause } from '../../../src/source/kit/connector.ts'

export interface SaidQuote {
  /** Who last spoke of it. */
  producer: object
  odds: number | null
  /** As it was said. */
  status: QuoteStatus
  doubt: SuspectCause | undefined
  observedAt: number
  observation: Observation
}

export class SaidBoard {
  readonly observations: Observation[] = []
  /** All but observations, `WORD PRODUCER …`. */
  readonly statements: string[] = []
  /** Called before observations are recorded; may wait, or throw. */
  onTake: () => Promise<void> | void = () => {}
  /** Nothing is recorded any more, and nobody is told. */
  isClosed = false
  /** All observations are refused. */
  isRefusing = false
  private readonly quotes = new Map<string, SaidQuote>()
  private readonly onChange: () => void
  /** What is said takes effect in its order. */
  private turn: Promise<unknown> = Promise.resolve()

  /** @param onChange called when something was said */
  constructor(onChange: () => void = () => {}) {
    this.onChange = onChange
  }

  readonly producer = (name: string): Producer => {
    const id = { name }
    const of = (): SaidQuote[] => [...this.quotes.values()].filter(({ producer }) => producer === id)
    const state = (words: string, change: (quote: SaidQuote) => void): Promise<void> =>
      this.inTurn(() => {
        this.statements.push(words)
        for (const quote of of()) if (quote.status !== 'closed') change(quote)
      })
    return {
      observe: (observations, doubt) =>
        this.inTurn(async () => {
          await this.onTake()
          if (this.isClosed) return true
          if (this.isRefusing) return false
          for (const observation of observations) this.record(observation, id, doubt)
          return true
        }),
      suspect: (doubt) =>
        void state(`suspect ${name} ${doubt}`, (quote) => {
          quote.doubt = doubt
        }),
      confirm: (at) =>
        state(`confirm ${name} ${at}`, (quote) => {
          quote.doubt = undefined
          quote.observedAt = Math.max(quote.observedAt, at)
        }),
      end: (at) =>
        state(`end ${name} ${at}`, (quote) => {
          quote.status = 'closed'
          quote.doubt = undefined
        }),
      leave: (cause = 'source_down') =>
        state(`leave ${name} ${cause}`, (quote) => {
          quote.doubt = cause
        }),
    }
  }

  /** Of the quotes whose key, `BOOKMAKER TRANSPORT EVENT TYPE LINE OUTCOME`, has all of these words, in their order. */
  find(...words: readonly string[]): SaidQuote[] {
    const part = words.length === 0 ? '' : ` ${words.join(' ')} `
    return [...this.quotes].filter(([key]) => ` ${key} `.includes(part)).map(([, quote]) => quote)
  }

  /** How such quotes are shown. */
  shown(...words: readonly string[]): QuoteStatus[] {
    return this.find(...words).map(({ status, doubt }) =>
      status === 'open' && doubt !== undefined ? 'suspended' : status,
    )
  }

  /** Whether there are such quotes, and all are shown as this. */
  areAll(status: QuoteStatus, ...words: readonly string[]): boolean {
    const shown = this.shown(...words)
    return shown.length > 0 && shown.every((each) => each === status)
  }

  /** All of it, without times: `KEY ODDS STATUS`, in order. */
  lines(): string[] {
    return [...this.quotes.keys()].map((key) => `${key} ${this.quotes.get(key)!.odds} ${this.shown(key)[0]}`).sort()
  }

  private record(observation: Observation, producer: object, doubt: SuspectCause | undefined): void {
    this.observations.push(observation)
    const { bookmaker, transport, event, observedAt, others } = observation
    const place = `${bookmaker} ${transport} ${event.sourceKey}`
    const named = new Set<string>()
    const write = (key: string, status: QuoteStatus, odds: number | null): void => {
      const known = this.quotes.get(key)
      if (known !== undefined && known.observedAt > observedAt) return
      this.quotes.set(key, { producer, odds: odds ?? known?.odds ?? null, status, doubt, observedAt, observation })
    }
    for (const { type, line, outcome, odds, status } of observation.prices as readonly Price[]) {
      const key = `${place} ${type} ${line} ${outcome}`
      named.add(key)
      write(key, status, odds)
    }
    if (others === 'keep') return
    for (const [key, { status }] of this.quotes) {
      if (key.startsWith(`${place} `) && !named.has(key) && status !== 'closed') write(key, others, null)
    }
  }

  private inTurn<T>(work: () => Promise<T> | T): Promise<T> {
    const done = this.turn.then(work).finally(this.onChange)
    this.turn = done.catch(() => {})
    return done
  }
}
