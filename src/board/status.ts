// The status of a quote in its column: the status that its source last gave, and whether that is suspect. One number,
// so that `status === QUOTE_STATUS.open` is the whole test for a quote that is shown open; 0: the slot is free.
//
//   bits 0-1   what the source said (QUOTE_STATUS)
//   bits 2-4   suspect, and why (CAUSE); 0: not
//   bit  5     suspect because the last observation could not be recorded: no confirmation clears that
//   bit  6     suspended by an operator
//
// A closed quote has none of the higher bits.

import { CAUSE, type CauseNumber, type Doubt, QUOTE_STATUS, type QuoteStatusNumber } from '../domain/quote.ts'

export const SAID = 0b11
const DOUBT_SHIFT = 2

export const SUSPECT = 0b111 << DOUBT_SHIFT
export const LOST = 1 << 5
export const HELD = 1 << 6

export const suspectBy = (doubt: Doubt): number => CAUSE[doubt] << DOUBT_SHIFT

/** What the source said last. */
export const saidOf = (status: number): QuoteStatusNumber => (status & SAID) as QuoteStatusNumber

/** What is shown. */
export const shownOf = (status: number): QuoteStatusNumber =>
  status > SAID ? QUOTE_STATUS.suspended : (status as QuoteStatusNumber)

/** Why a quote is shown suspended. An operator takes precedence, then the bookmaker's own status. */
export const causeOf = (status: number): CauseNumber => {
  if ((status & HELD) !== 0) return CAUSE.operator
  if (saidOf(status) === QUOTE_STATUS.suspended) return CAUSE.book
  return ((status & SUSPECT) >> DOUBT_SHIFT) as CauseNumber
}
