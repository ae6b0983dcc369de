// Runs a normaliser of a polled source through a series of documents.

import assert from 'node:assert/strict'
import type { Observation } from '../../../src/domain/observation.ts'
import { Account } from '../../../src/source/kit/account.ts'
import {
  type ClosingNormaliser,
  type NormaliserOptions,
  type SourceFacts,
  NOTHING_KNOWN,
  isFormatFault,
} from '../../../src/source/kit/normaliser.ts'

export interface Polled {
  readonly account: Account
  /** Places and reasons. */
  readonly malformed: string[]
  readonly normaliser: ClosingNormaliser
  /** Takes a text, or anything that becomes JSON. */
  read(document: unknown, facts?: { readonly at?: string; readonly isComplete?: boolean }): Observation[]
  closeDue(at: string): Observation[]
  /** Ends, and checks that each outcome has ended in one place. */
  end(): void
}

/** @param known facts that hold for all documents */
export const poll = (
  make: (options: NormaliserOptions) => ClosingNormaliser,
  known: Partial<SourceFacts> = {},
  pricesMax = 10_000,
): Polled => {
  const account = new Account()
  const malformed: string[] = []
  let receivedAt: number | null = null
  let isComplete = false
  const normaliser = make({
    account,
    transport: null,
    facts: { ...NOTHING_KNOWN, receivedAt: () => receivedAt, isComplete: () => isComplete, ...known },
    limits: { pricesMax, textLengthMax: 60 },
    onMalformed: (place, reason) => malformed.push(`${place} ${reason}`),
  })
  return {
    account,
    malformed,
    normaliser,
    read: (document, facts = {}) => {
      receivedAt = facts.at === undefined ? null : Date.parse(facts.at)
      isComplete = facts.isComplete ?? false
      const result = normaliser.read(typeof document === 'string' ? document : JSON.stringify(document), 1)
      if (isFormatFault(result)) assert.fail(result.fault)
      return [...result]
    },
    closeDue: (at) => [...normaliser.closeDue(Date.parse(at))],
    end: () => {
      const result = normaliser.end()
      if (isFormatFault(result)) assert.fail(result.fault)
      assert.deepEqual([...result], [])
      assert.ok(account.isBalanced(), 'each outcome has ended in one place')
      assert.equal(account.malformed, malformed.length)
    },
  }
}

/** Event id, type, line, outcome, odds and status of each price. */
export const linesOf = (observations: readonly Observation[]): string[] =>
  observations.flatMap(({ event, prices }) =>
    prices.map(({ type, line, outcome, odds, status }) =>
      [event.sourceKey!.split(':')[1], type, Object.is(line, -0) ? '-0' : line, outcome, odds, status].join(' '),
    ),
  )

export const timesOf = (observations: readonly Observation[]): string[] => [
  ...new Set(observations.map(({ observedAt }) => new Date(observedAt).toISOString())),
]

/** Of all sports together. */
export const fatesOf = (account: Account): Record<string, Record<string, number>> => {
  const all: Record<string, Record<string, number>> = {}
  for (const { sourceMarket, fates } of account.sourceMarkets()) {
    const row = (all[sourceMarket] ??= {})
    for (const [fate, outcomes] of fates) row[fate] = (row[fate] ?? 0) + outcomes
  }
  return all
}

/** How many there are of each. */
export const tally = (words: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
