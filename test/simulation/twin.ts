// The naive twin: what the board must show after these turns. Maps, lists and filters; it keeps nothing that it can compute.

import { MARKET_TYPES } from '../../src/domain/market.ts'
import { NO_PRODUCER, sourceOfProducer } from '../../src/domain/feed-source.ts'
import type { Suspension } from '../../src/domain/event-identity.ts'
import type { Turn } from '../../src/domain/input.ts'
import type { Transport } from '../../src/domain/transport.ts'
import { NaiveEngine, type NaiveEvent, type NaiveQuote, shownStatus } from '../naive-engine.ts'

const DAY_MS = 86_400_000

export class Twin extends NaiveEngine {
  /** Readers see no quote that is a day old at this time, whether or not it has ended. */
  viewAt = 0
  private holds: readonly Suspension[] = []
  private readonly numbers: Map<string, number>

  constructor(skewMsMax: number) {
    // A source itself is a producer, too.
    const numbers = new Map<string, number>([[NO_PRODUCER, 0]])
    const names: string[] = [NO_PRODUCER]
    super(Number.POSITIVE_INFINITY, skewMsMax, (number) => {
      const source = sourceOfProducer(names[number]!)
      if (!numbers.has(source)) numbers.set(source, names.push(source) - 1)
      return numbers.get(source)!
    })
    this.numbers = numbers
    this.names = names
  }

  private readonly names: string[]

  private numberOf(name: string): number {
    if (!this.numbers.has(name)) this.numbers.set(name, this.names.push(name) - 1)
    return this.numbers.get(name)!
  }

  nameOf(number: number): string {
    return this.names[number]!
  }

  apply({ at, inputs }: Turn): void {
    this.age(at)
    for (const input of inputs) {
      switch (input.kind) {
        case 'observe':
          this.observe(input.observation, at, this.numberOf(input.producer))
          break
        case 'commit':
          if (input.observations.some(({ observedAt }) => observedAt > at + 5_000)) break
          for (const observation of input.observations) this.observe(observation, at)
          break
        case 'suspect':
          this.suspect(this.numberOf(input.producer), input.doubt)
          break
        case 'confirm':
          this.confirm(this.numberOf(input.producer), input.at, at)
          break
        case 'end':
          this.end(this.numberOf(input.producer), input.at, at)
          break
        case 'leave':
          if (input.doubt !== undefined) this.suspect(this.numberOf(input.producer), input.doubt)
          break
        case 'decide':
          this.holds = input.decisions.filter((decision) => decision.kind === 'suspend')
          break
        default:
        // Nothing that the board shows.
      }
    }
  }

  private isHeld({ event, bookmaker }: NaiveQuote): boolean {
    return this.holds.some((hold) => hold.bookmaker === bookmaker && (hold.event === null || hold.event === event.id))
  }

  private isFresh({ observedAt }: NaiveQuote): boolean {
    return observedAt + DAY_MS > this.viewAt
  }

  statusOf(quote: NaiveQuote): string {
    return shownStatus(quote) === 'open' && this.isHeld(quote) ? 'suspended' : shownStatus(quote)
  }

  override open(event: NaiveEvent, transport: Transport, sees: (bookmaker: string) => boolean): NaiveQuote[] {
    return super.open(event, transport, sees).filter((quote) => !this.isHeld(quote) && this.isFresh(quote))
  }

  override isQuoted(event: NaiveEvent, transport: Transport, sees: (bookmaker: string) => boolean): boolean {
    return this.quotes.some(
      (quote) => quote.event === event && quote.transport === transport && this.isFresh(quote) && sees(quote.bookmaker),
    )
  }

  /** What changes have announced: quote to odds and status, as text, in any order. */
  picture(): Map<string, string> {
    const shown = new Map<string, string>()
    for (const quote of this.quotes) {
      if (quote.status === 'closed') continue
      shown.set(
        pictureKey(quote.event.id, quote.bookmaker, quote.transport, quote),
        `${quote.odds} ${this.statusOf(quote)}`,
      )
    }
    return shown
  }
}

interface QuoteName {
  readonly type: string
  readonly line: number | null
  readonly outcome: string
}

export const pictureKey = (
  eventId: string,
  bookmaker: string,
  transport: string,
  { type, line, outcome }: QuoteName,
): string => [eventId, bookmaker, transport, type, line ?? 'none', outcome].join(' ')

/** In the order of the contract. */
export const marketOrder = (type: string): number => MARKET_TYPES.indexOf(type as never)
