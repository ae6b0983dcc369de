// Short updates (`quotes:numbered`, docs/live-protocol.md 4.8): a quote is named by its number, which a snapshot or its
// last full change has given it.
//
//   [ ms since midnight UTC, ms since the newest observation, [number, thousandths, code?, ms older?], … ]
//
// The number is that of the quote's row on the board: every process and every restart of a log gives the same one. When
// a quote has left the board its row is used again, so the changes that begin or end a quote are sent in full.

import { CAUSE, CHANGE, type Cause, type CauseNumber, type ChangeNumber } from '../domain/quote.ts'
import type { JsonWriter } from '../json-writer.ts'
import { headOf, type HeldPrice, type Selection } from './message.ts'
import type { ReplayRing } from './replay-ring.ts'

/** How a subscription wants its quotes. */
export const QUOTE_FORMS = ['full', 'numbered'] as const

export type QuoteForm = (typeof QUOTE_FORMS)[number]

/** Topics of which quotes may be numbered, with the destination of short updates: it need not say what a number says. */
export const SHORT_DESTINATIONS = { odds: '/o', status: '/s' } as const

export type NumberedTopic = keyof typeof SHORT_DESTINATIONS

export const isNumberedTopic = (topic: string): topic is NumberedTopic => topic in SHORT_DESTINATIONS

const HEADS = { odds: headOf(SHORT_DESTINATIONS.odds), status: headOf(SHORT_DESTINATIONS.status) } as const

/** The frame of a short update up to its message-id. */
export const shortHeadOf = (topic: string): Uint8Array => (topic === 'status' ? HEADS.status : HEADS.odds)

/** Whether a frame that begins like this is a short update. */
export const isShortHead = (head: Uint8Array): boolean => head === HEADS.odds || head === HEADS.status

/** Changes that have a short form: the others begin or end a quote. */
const SHORT = (1 << CHANGE.repriced) | (1 << CHANGE.suspended) | (1 << CHANGE.reopened)

/** What a short change is: tens for the change, ones for its cause; 0: a price. */
export const codeOf = (change: ChangeNumber, cause: CauseNumber | 0): number =>
  change === CHANGE.repriced ? 0 : 10 * change + cause

/** The codes of the changes that have a short form. */
export const CODES: readonly (readonly [code: number, change: 'repriced' | 'suspended' | 'reopened', cause?: Cause])[] =
  [
    [0, 'repriced'],
    ...(['suspended', 'reopened'] as const).flatMap((change) =>
      (Object.entries(CAUSE) as [Cause, CauseNumber][]).map(
        ([name, cause]) => [codeOf(CHANGE[change], cause), change, name] as const,
      ),
    ),
  ]

/** Above this, doubles have no thousandths. */
const ODDS_MAX = 1e9

/** Whether odds are a whole number of thousandths: k / 1000 is correctly rounded, so that nothing is lost. */
const hasThousandths = (odds: number): boolean => odds < ODDS_MAX && Math.round(odds * 1000) / 1000 === odds

const DAY_MS = 86_400_000

/** Later than this after it was recorded, a short update is not sent: its day is the one that is nearest to now. */
export const SHORT_LATE_MS_MAX = 3_600_000

const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d

const begin = (writer: JsonWriter, recordedAt: number, observedAt: number): void => {
  writer.clear()
  writer.char(OPEN)
  writer.integer(recordedAt % DAY_MS)
  writer.char(COMMA)
  // The clock of a source may be ahead.
  writer.signed(recordedAt - observedAt)
}

const add = (writer: JsonWriter, number: number, odds: number, code: number, olderMs: number): void => {
  writer.char(COMMA)
  writer.char(OPEN)
  writer.integer(number)
  writer.char(COMMA)
  writer.integer(Math.round(odds * 1000))
  if (code > 0 || olderMs > 0) {
    writer.char(COMMA)
    writer.integer(code)
  }
  if (olderMs > 0) {
    writer.char(COMMA)
    writer.integer(olderMs)
  }
  writer.char(CLOSE)
}

/** Writes the body of a short update with changes of a group. Returns whether they have that form. */
export const writeChanges = (writer: JsonWriter, ring: ReplayRing, group: number, selection: Selection): boolean => {
  const { changes, count, observedAt } = selection
  for (let n = 0; n < count; n++) {
    const at = changes[n]!
    if ((SHORT & (1 << ring.changeAt(at))) === 0 || !hasThousandths(ring.oddsAt(at))) return false
  }
  begin(writer, ring.recordedAtOf(group), observedAt)
  for (let n = 0; n < count; n++) {
    const at = changes[n]!
    const code = codeOf(ring.changeAt(at), ring.causeAt(at))
    add(writer, ring.quoteAt(at), ring.oddsAt(at), code, observedAt - ring.observedAtAt(at))
  }
  writer.char(CLOSE)
  return true
}

/** Writes the body of a short update with held prices. Returns whether they have that form. */
export const writeHeld = (
  writer: JsonWriter,
  prices: readonly HeldPrice[],
  recordedAt: number,
  observedAt: number,
): boolean => {
  if (!prices.every(({ quote }) => hasThousandths(quote.odds))) return false
  begin(writer, recordedAt, observedAt)
  for (const { quote, moment } of prices) add(writer, moment.quote, quote.odds, 0, observedAt - moment.observedAt)
  writer.char(CLOSE)
  return true
}
