// Conflation (LIVE 2, `conflate-ms`): of each quote at most one price in a given time, the latest. The first price after a
// pause goes at once; those that follow it too early are held, and the last of them goes when the time is over. Changes
// of status (and all that is no mere `repriced`) are never held, and bring the price of their moment.

import { CHANGE } from '../domain/quote.ts'
import { type HeldPrice, pick, type Selection } from './message.ts'
import type { ReplayRing } from './replay-ring.ts'

interface Quote {
  /** When it was last shown, epoch ms. */
  shownAt: number
  held: HeldPrice | undefined
}

export class Conflation {
  private readonly ms: number
  // By number of the quote, in the order in which they were last shown.
  private readonly quotes = new Map<number, Quote>()
  /** Prices that were never shown, because a later one or a status came before their time. */
  merged = 0

  constructor(ms: number) {
    this.ms = ms
  }

  /** When the first held price may go; undefined: none is held or remembered. Epoch ms. */
  get dueAt(): number | undefined {
    for (const quote of this.quotes.values()) return quote.shownAt + this.ms
    return undefined
  }

  /**
   * Leaves in the selection what goes now, and holds the rest back.
   * @param selection changes of the group, as {@link select} has picked them
   */
  pass(ring: ReplayRing, group: number, selection: Selection, nowAt: number): void {
    const { count, changes } = selection
    const first = ring.firstChangeOf(group)
    const firstSeq = ring.firstSeqOf(group)
    selection.count = 0
    selection.observedAt = 0
    for (let n = 0; n < count; n++) {
      const at = changes[n]!
      const number = ring.quoteAt(at)
      const seq = firstSeq + (at - first)
      let quote = this.quotes.get(number)
      if (ring.changeAt(at) === CHANGE.repriced) {
        // Of two in one turn the later is the latest; the earlier one has never been anything else.
        const isOutdone = this.isRepricedNext(ring, changes, n, count, number)
        if (isOutdone) {
          this.merged++
          continue
        }
        if (quote !== undefined && nowAt < quote.shownAt + this.ms) {
          if (quote.held !== undefined) this.merged++
          quote.held = {
            view: ring.viewOf(group),
            bookmaker: ring.bookmakerOf(group),
            type: ring.typeAt(at),
            line: ring.lineAt(at),
            outcome: ring.outcomeAt(at),
            odds: ring.oddsAt(at),
            status: ring.statusAt(at),
            observedAt: ring.observedAtAt(at),
            recordedAt: ring.recordedAtOf(group),
            seq,
          }
          continue
        }
      }
      if (quote?.held !== undefined) this.merged++
      this.quotes.delete(number)
      quote = { shownAt: nowAt, held: undefined }
      this.quotes.set(number, quote)
      pick(ring, at, seq, selection)
    }
  }

  /** Gives the prices whose time is over, as they were held. */
  release(nowAt: number): HeldPrice[] {
    const released: HeldPrice[] = []
    for (const [number, quote] of this.quotes) {
      if (quote.shownAt + this.ms > nowAt) break
      this.quotes.delete(number)
      if (quote.held === undefined) continue
      released.push(quote.held)
      this.quotes.set(number, { shownAt: nowAt, held: undefined })
    }
    return released
  }

  /** The prices that are held have been shown otherwise. */
  forgetHeld(nowAt: number): void {
    const held = [...this.quotes].filter(([, quote]) => quote.held !== undefined)
    for (const [number] of held) {
      this.quotes.delete(number)
      this.quotes.set(number, { shownAt: nowAt, held: undefined })
    }
  }

  /** Whether the next change of the same quote in the selection is a mere price, too. */
  private isRepricedNext(
    ring: ReplayRing,
    changes: readonly number[],
    n: number,
    count: number,
    number: number,
  ): boolean {
    for (let later = n + 1; later < count; later++) {
      if (ring.quoteAt(changes[later]!) === number) return ring.changeAt(changes[later]!) === CHANGE.repriced
    }
    return false
  }
}
