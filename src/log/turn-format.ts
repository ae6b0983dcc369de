// The binary form of a turn, format 1. Numbers are little-endian; a varint is LEB128 of 32 bits.
//
//   turn         octet format, f64 at, varint count, inputs
//   input        octet kind (KINDS), then its members in the order of domain/input.ts
//   observation  octet flags, bookmaker, observedAt (flag: f64, or `at` minus it as a zigzag varint), sighting,
//                varint count, prices
//   price        octet flags; unless it is of the market of the price before it: octet type, line; outcome; odds
//   value        octet: 0 null, 1 f64, 2 text (of a statement of a store)
//   text         varint: number + 1 of an earlier text; or 0, then varint length in octets * 4 + flags, octets
//   sighting     varint: number + 2 of an earlier one; or 0 or 1, then octet sport (+ flag), four texts, f64 kickoffAt,
//                and the source key unless the flag says null. After 1 it gets the next number
//
// Numbers of texts and sightings start at 0 in each dictionary, in the order of first use. All times and other numbers
// are f64.
//
// Enumerations are written as their numbers in the tables of domain/. A table may be extended at its end only: another
// order is another format. A test compares the tables with what format 1 was recorded with.

import type { Input } from '../domain/input.ts'

/** The first octet of a turn. Any change of the form, or of the order of an enumeration, needs a new one. */
export const TURN_FORMAT = 1

/** Number of each kind of input; never reused. */
export const KINDS = {
  observe: 1,
  commit: 2,
  suspect: 3,
  confirm: 4,
  end: 5,
  leave: 6,
  decide: 7,
  health: 8,
  bookmakers: 9,
  use: 10,
  rights: 11,
  store: 12,
  link: 13,
  checksum: 14,
  take: 15,
} as const satisfies Record<Input['kind'], number>

/** Number of each kind of decision. */
export const DECISIONS = { merge: 1, split: 2, alias: 3, suspend: 4 } as const

/** Number of each type of a value of a statement. */
export const VALUES = { null: 0, number: 1, text: 2 } as const

/** Instead of the number of a sport: in all sports. */
export const ALL_SPORTS = 0xff

/** Flag beside the number of a sport: the sighting has no source key. */
export const KEYLESS = 0x80

/** Flags of an observation: transport, others, doubt (0: none), and how `observedAt` is written. */
export const OTHERS_SHIFT = 2
export const DOUBT_SHIFT = 4
export const TIME_IS_F64 = 0x80

/** Flags of a text in place: it gets the next number; it is UTF-16LE, because UTF-8 has no unpaired surrogates. */
export const NUMBERED = 1
export const UTF_16 = 2

/**
 * Flags of a price: status; how the market is written; how the odds are written. Whole quarters, hundredths and
 * thousandths are varints: a division gives back the same double, which the encoder checks for each number.
 */
export const MARKET_SHIFT = 2
export const ODDS_SHIFT = 4
export const SAME_MARKET = 0
export const NO_LINE = 1
/** Zigzag. */
export const LINE_IN_QUARTERS = 2
export const LINE_IS_F64 = 3
export const NO_ODDS = 0
export const ODDS_IN_HUNDREDTHS = 1
export const ODDS_IN_THOUSANDTHS = 2
export const ODDS_IS_F64 = 3

/** Texts and sightings that a dictionary may hold in this format: what a decoder accepts. A reader needs 1 GB for them. */
export const TEXTS_MAX_MAX = 2 ** 21
export const SIGHTINGS_MAX_MAX = 2 ** 21

/** The longest text: what its length and its flags leave of a varint, and V8 of a string. */
export const TEXT_OCTETS_MAX = 2 ** 28

/** A record that is not a turn. Nothing of it was used: the decoder is as before. */
export class TurnFault extends Error {
  override readonly name = 'TurnFault'
}
