// A quote: the current record of one outcome at one bookmaker on one transport.

/** Quote status (docs/architecture.md 3.3) and its number inside the stores; 0 is left to the board for a free slot. */
export const QUOTE_STATUS = { open: 1, suspended: 2, closed: 3 } as const

export type QuoteStatus = keyof typeof QUOTE_STATUS
export type QuoteStatusNumber = (typeof QUOTE_STATUS)[QuoteStatus]

export const QUOTE_STATUSES = Object.keys(QUOTE_STATUS) as readonly QuoteStatus[]
/** What happened to a quote. The numbers are those of the change log. */
export const CHANGE = { added: 1, repriced: 2, suspended: 3, reopened: 4, closed: 5, aged_out: 6 } as const

export type Change = keyof typeof CHANGE
export type ChangeNumber = (typeof CHANGE)[Change]

export const CHANGES = Object.keys(CHANGE) as readonly Change[]

/**
 * Why a quote is shown suspended: by its bookmaker; because its source is down; because its producer may have missed
 * something; because the source's clock is ahead; by an operator. Every change `suspended` and `reopened` has one.
 */
export const CAUSE = { book: 1, source_down: 2, gap: 3, clock: 4, operator: 5 } as const

export type Cause = keyof typeof CAUSE
export type CauseNumber = (typeof CAUSE)[Cause]

export const CAUSES = Object.keys(CAUSE) as readonly Cause[]

/** Why quotes of a producer are suspect. */
export type Doubt = Exclude<Cause, 'book' | 'operator'>

/** A quote is fresh for 24 hours after its observation (docs/architecture.md 3.3), that last millisecond excluded. */
export const FRESHNESS_MS = 24 * 3_600_000

/**
 * A source's clock may run ahead by this much; an observation beyond it is refused. It bounds how long a price with a
 * wrong time can keep newer ones out: clocks kept by NTP differ by less than a second.
 */
export const SKEW_MS_MAX = 5_000
