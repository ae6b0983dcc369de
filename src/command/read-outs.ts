// What /metrics reads out of the rooms. Labels hold no id, path or key.

import type { Access } from '../access/access.ts'
import * as clock from '../clock.ts'
import { CHANGE, CHANGES } from '../domain/quote.ts'
import { TRANSPORT_NUMBER, TRANSPORTS } from '../domain/transport.ts'
import type { Engine } from '../engine.ts'
import type { Metrics, Sample } from '../metrics.ts'
import type { Rest } from '../rest/rest.ts'

const samples = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))

/** Makes the engine, the access rules and the reply cache visible. */
export const readOut = (metrics: Metrics, engine: Engine, access: Access, rest: Rest): void => {
  const { counts, board } = engine
  metrics.readOutCounter('oddswire_observations_total', 'Observations, by what became of them.', () =>
    samples('result', {
      recorded: counts.recorded,
      refused_ahead: counts.refusedAhead,
      refused_full: counts.refusedFull,
      stale: counts.stale,
    }),
  )
  metrics.readOutCounter('oddswire_prices_ignored_total', 'Prices of observations that were not recorded.', () =>
    samples('reason', { older: counts.older, unpriced: counts.unpriced, full: counts.full }),
  )
  metrics.readOutCounter('oddswire_changes_total', 'Changes of quotes.', () =>
    samples('change', Object.fromEntries(CHANGES.map((change) => [change, engine.changeCounts[CHANGE[change]]!]))),
  )
  metrics.readOut('oddswire_quotes', 'Quotes on the board; closed ones count until they age out.', () =>
    TRANSPORTS.map((transport) => ({ labels: { transport }, value: board.counts[TRANSPORT_NUMBER[transport]] })),
  )
  metrics.readOut('oddswire_quotes_max', 'Quotes that the board can hold.', () => board.quotesMax)
  metrics.readOut('oddswire_events', 'Events on the board.', () => board.catalogue.eventCount)
  metrics.readOut(
    'oddswire_bookmakers',
    'Bookmakers known, by coverage or by observation.',
    () => board.bookmakers.size,
  )
  metrics.readOut('oddswire_log_seq', 'Position in the log of changes.', () => engine.seq)
  metrics.readOut('oddswire_wheel_lag_seconds', 'How far the expiry wheel is behind.', () =>
    Math.max(0, (clock.now() - board.quietUntil) / 1000),
  )
  metrics.readOut(
    'oddswire_audiences',
    'Audiences: sets of callers who see the same bytes.',
    () => access.gate.audienceCount,
  )
  metrics.readOutCounter('oddswire_reply_cache_total', 'Replies by whether they were rendered.', () =>
    samples('result', { hit: rest.cacheCounts.hits, miss: rest.cacheCounts.misses }),
  )
  metrics.readOut('oddswire_reply_cache_entries', 'Finished replies kept.', () => rest.cachedReplies)
  metrics.readOut(
    'oddswire_clock_drift_seconds',
    'How far the system clock has moved from ours.',
    () => clock.driftMs() / 1000,
  )
}
