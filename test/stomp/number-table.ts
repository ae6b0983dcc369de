// What a client with `quotes:numbered` keeps: which quote each number names (docs/live-protocol.md 4.8). A short update
// becomes the full one that a client without numbers gets.

import assert from 'node:assert/strict'
import { unpack } from 'msgpackr'
import { type Json, list } from '../json.ts'
import type { ServerFrame } from './strict-frames.ts'

const DAY_MS = 86_400_000

const CAUSES = ['book', 'source_down', 'gap', 'clock', 'operator']

/** What a change is, by its code: tens for the change, ones for its cause. */
const CODES = new Map<number, { readonly change: string; readonly cause?: string }>([
  [0, { change: 'repriced' }],
  ...CAUSES.map((cause, n) => [31 + n, { change: 'suspended', cause }] as const),
  ...CAUSES.map((cause, n) => [41 + n, { change: 'reopened', cause }] as const),
])

/** A quote that a number names. */
interface Named {
  readonly eventId: string
  readonly sport: string
  readonly bookmaker: string
  readonly type: string
  readonly line: number | null
  readonly outcome: string
  status: string
}

const keyOf = (named: Named | undefined): string | undefined =>
  named && JSON.stringify([named.eventId, named.bookmaker, named.type, named.line, named.outcome])

type ShortBody = readonly [recordedAt: number, ageMs: number, ...changes: (readonly number[])[]]

export class NumberTable {
  private readonly isBinary: boolean
  /** The clock of the client, epoch ms. */
  private readonly now: () => number
  private readonly named = new Map<number, Named>()

  constructor(isBinary: boolean, now: () => number) {
    this.isBinary = isBinary
    this.now = now
  }

  get size(): number {
    return this.named.size
  }

  clear(): void {
    this.named.clear()
  }

  copyFrom(other: NumberTable): void {
    for (const [number, named] of other.named) this.named.set(number, { ...named })
  }

  /** Notes the numbers in full quotes: of a snapshot, or of an update that has its full form. */
  note(body: Json): void {
    const [eventId, sport, bookmaker] = [String(body.eventId), String(body.sport), String(body.bookmaker)]
    for (const quote of list(body.quotes)) {
      const number = Number(quote.number)
      assert(Number.isSafeInteger(number) && number > 0, `a number is ${quote.number}`)
      const { type, line, outcome, status, change } = quote as unknown as Named & { change?: string }
      const named = { eventId, sport, bookmaker, type, line, outcome, status }
      if (change === undefined || change === 'added') this.named.set(number, named)
      // Another quote may have the number already.
      else if (keyOf(this.named.get(number)) !== keyOf(named)) continue
      else if (change === 'closed' || change === 'aged_out') this.named.delete(number)
      else this.named.get(number)!.status = status
    }
  }

  /** A short update as a full one. */
  read(frame: ServerFrame): Json {
    const text = this.isBinary ? '' : frame.body.toString('utf8')
    const [sinceMidnight, ageMs, ...changes] = (this.isBinary ? unpack(frame.body) : JSON.parse(text)) as ShortBody
    assert(!this.isBinary || frame.headers.has('content-length'), 'octets may be NUL')
    const now = this.now()
    // The day is the one with which the moment is nearest to now.
    const recordedAt = Math.round((now - sinceMidnight) / DAY_MS) * DAY_MS + sinceMidnight
    const observedAt = recordedAt - ageMs
    let of: Named | undefined
    const quotes = changes.map(([number, thousandths, code = 0, olderMs = 0]) => {
      const named = this.named.get(number!) ?? assert.fail(`number ${number} names no quote`)
      of ??= named
      assert.deepEqual([named.eventId, named.bookmaker], [of.eventId, of.bookmaker], 'a message is about one book')
      const { type, line, outcome } = named
      const { change, cause } = CODES.get(code) ?? assert.fail(`no change has code ${code}`)
      if (change !== 'repriced') named.status = change === 'suspended' ? 'suspended' : 'open'
      const lastUpdatedAt = new Date(observedAt - olderMs).toISOString()
      const odds = thousandths! / 1000
      return { number, type, line, outcome, odds, status: named.status, change, cause, lastUpdatedAt }
    })
    assert(of !== undefined, 'a message about nothing')
    const { eventId, sport, bookmaker } = of
    const seq = frame.headers.get('message-id')!.split('.', 1)[0]
    const times = { observedAt: new Date(observedAt).toISOString(), recordedAt: new Date(recordedAt).toISOString() }
    return { seq, eventId, sport, bookmaker, ...times, quotes } as unknown as Json
  }
}
