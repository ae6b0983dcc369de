// Values that /metrics reads from the other folders. Labels hold no id, path or key.

import type { Access } from '../access/access.ts'
import * as clock from '../clock.ts'
import { CHANGE, CHANGES } from '../domain/quote.ts'
import { TRANSPORT_NUMBER, TRANSPORTS } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import { SOURCE_STATES, type SourceFigures } from '../feed/running-source.ts'
import type { SenderTimes } from '../feed/sender-times.ts'
import type { Supervisor } from '../feed/supervisor.ts'
import type { FileLog } from '../log/file-log.ts'
import type { Metrics, Sample } from '../metrics.ts'
import type { Rest } from '../rest/rest.ts'
import type { Broker } from '../stomp/broker.ts'
import { CARRIER_KINDS } from '../stomp/carrier.ts'
import { CONNECTION_KINDS, CONNECTION_REFUSALS, type Connections } from '../stomp/connections.ts'
import { limitsShown } from '../stomp/session-limits.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { LogSpace } from './log-space.ts'

const samples = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))

/** Registers the metrics of engine, access rules, reply cache and broker. */
export const readOut = (metrics: Metrics, engine: Engine, access: Access, rest: Rest, broker: Broker): void => {
  readOutBroker(metrics, broker)
  readOutStore(metrics, access)
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
  readOutCapacity(metrics, engine)
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
    'Audiences: sets of bookmakers that callers may see.',
    () => access.gate.audienceCount,
  )
  metrics.readOutCounter(
    'oddswire_reply_cache_total',
    'Replies by whether they were kept, got new prices, or were rendered.',
    () =>
      samples('result', {
        hit: rest.cacheCounts.hits,
        repriced: rest.cacheCounts.repriced,
        miss: rest.cacheCounts.misses,
      }),
  )
  metrics.readOut('oddswire_reply_cache_entries', 'Finished replies kept.', () => rest.cachedReplies)
  metrics.readOut('oddswire_reply_cache_bytes', 'Their octets, gzip forms included.', () => rest.cachedBytes)
  metrics.readOutCounter('oddswire_replies_compressed_total', 'Replies of which a gzip form was made.', () => [
    { value: rest.compressedReplies },
  ])
}

/** Registers the metrics of the clock. */
export const readOutClock = (metrics: Metrics, senderTimes: SenderTimes): void => {
  metrics.readOut(
    'oddswire_clock_drift_seconds',
    'How far the system clock is ahead of the time of the service.',
    () => clock.driftMs() / 1000,
  )
  metrics.readOutCounter('oddswire_host_suspensions_total', 'Suspensions of the host that were noticed.', () => [
    { value: clock.ours.suspensions },
  ])
  metrics.readOutCounter('oddswire_host_suspended_seconds_total', 'How long the host was suspended.', () => [
    { value: clock.ours.suspendedMs / 1000 },
  ])
  metrics.readOutCounter(
    'oddswire_clock_corrections_total',
    'Times that our time went forward to the system clock, because a sender confirmed it.',
    () => [{ value: clock.ours.corrections }],
  )
  metrics.readOutCounter(
    'oddswire_times_translated_total',
    'Inputs whose time went with the system clock, and was translated to ours.',
    () => [{ value: senderTimes.translated }],
  )
}

const readOutStore = (metrics: Metrics, access: Access): void => {
  metrics.readOut('oddswire_store_up', 'Whether access rights can be checked; else all requests are refused.', () =>
    Number(access.storeHealth.isUp),
  )
  metrics.readOut('oddswire_store_writable', 'Whether requests can be counted; else limited plans are refused.', () =>
    Number(access.storeHealth.isWritable),
  )
  metrics.readOutCounter(
    'oddswire_store_restarts_total',
    'Store threads started in place of one that ended or hangs.',
    () => [{ value: access.storeHealth.restarts }],
  )
  metrics.readOutDurations(
    'oddswire_store_answer_seconds',
    'How long the store thread needs to answer, by what it was asked to do.',
    () => [...access.storeDurations].map(([operation, durations]) => ({ labels: { operation }, durations })),
  )
}

/** Smaller shares are not shown, to limit the number of series. */
const SHARE_SHOWN = 0.5

/** Capacity of the board, its use, and the largest holders. Label `bookmaker` is a slug. */
const readOutCapacity = (metrics: Metrics, { board, counts }: Engine): void => {
  const { capacity, bookmakers } = board
  metrics.readOut('oddswire_events_max', 'Events that the board can hold.', () => capacity.events.max)
  metrics.readOut('oddswire_outcome_labels', 'Distinct outcome labels on the board.', () => capacity.labels.held)
  metrics.readOut('oddswire_outcome_labels_max', 'Outcome labels that it can hold.', () => capacity.labels.max)
  metrics.readOut('oddswire_event_source_ids', 'Source ids of the events on the board.', () => capacity.sourceIds.held)
  metrics.readOut('oddswire_event_source_ids_max', 'Source ids that it can hold.', () => capacity.sourceIds.max)
  metrics.readOut('oddswire_board_held_ratio', 'How much of each limit of the board is used; 1 is full.', () =>
    capacity.all.map(({ kind, held, max }) => ({ labels: { limit: kind }, value: held / max })),
  )
  metrics.readOut(
    'oddswire_bookmaker_share_ratio',
    'How much of its share of a limit a bookmaker holds, from a half on; 1 is all.',
    () => {
      const shown: Sample[] = []
      for (let number = 1; number <= bookmakers.size; number++) {
        for (const holding of [capacity.quotes, capacity.events, capacity.labels, capacity.endings]) {
          const value = holding.ownOf(number) / holding.shareMax
          if (value < SHARE_SHOWN) continue
          shown.push({ labels: { bookmaker: bookmakers.textOf(number), limit: holding.kind }, value })
        }
      }
      return shown
    },
  )
  metrics.readOutCounter(
    'oddswire_board_refused_total',
    'Prices (of endings: bet stops) left out because the board, or a share of it, was full, by the limit.',
    () => samples('limit', counts.refused),
  )
}

const readOutBroker = (metrics: Metrics, broker: Broker): void => {
  const { counts, ring } = broker
  metrics.readOut('oddswire_stomp_sessions', 'Live sessions, by what carries them.', () =>
    CARRIER_KINDS.map((carrier) => ({ labels: { carrier }, value: broker.countSessions(carrier) })),
  )
  metrics.readOutCounter('oddswire_stomp_sessions_opened_total', 'Connections since the start.', () => [
    { value: counts.opened },
  ])
  metrics.readOut(
    'oddswire_websocket_reserved',
    'WebSockets whose upgrade has shown a key, and that have not sent CONNECT.',
    () => broker.reservedCount,
  )
  metrics.readOut('oddswire_stomp_sessions_behind', 'Sessions that do not keep up just now.', () => broker.behindCount)
  metrics.readOut(
    'oddswire_stomp_sessions_waiting',
    'Sessions that wait for their share of time.',
    () => broker.passes.waiting,
  )
  metrics.readOutCounter('oddswire_stomp_deferred_total', 'Times that a session asked for more than its share.', () => [
    { value: broker.passes.counts.deferred },
  ])
  metrics.readOut(
    'oddswire_stomp_input_bytes',
    'Octets that have come in and wait to be read.',
    () => broker.inputBytes,
  )
  metrics.readOut(
    'oddswire_stomp_catch_up_bytes',
    'Octets that snapshots hold and that are not read yet.',
    () => broker.catchUpBytes,
  )
  metrics.readOut('oddswire_stomp_conflation_bytes', 'Octets that conflation remembers.', () => broker.conflationBytes)
  metrics.readOut('oddswire_stomp_limit', 'Limits and budgets of the live channel, as /asyncapi.json shows them.', () =>
    Object.entries(limitsShown(broker.limits)).map(([limit, { value }]) => ({ labels: { limit }, value })),
  )
  metrics.readOut('oddswire_stomp_subscriptions', 'Subscriptions of all sessions.', () => broker.subscriptionCount)
  metrics.readOut('oddswire_stomp_flows', 'Topic sets and audiences that have subscribers.', () => broker.flowCount)
  metrics.readOutCounter('oddswire_stomp_messages_total', 'Messages to subscribers, by topic.', () =>
    samples('topic', counts.messages),
  )
  metrics.readOutCounter('oddswire_stomp_message_bytes_total', 'Octets of messages to subscribers.', () => [
    { value: counts.bytes },
  ])
  metrics.readOutCounter('oddswire_stomp_errors_total', 'Sessions ended with an ERROR, by its code.', () =>
    samples('code', Object.fromEntries(counts.errors)),
  )
  metrics.readOutCounter('oddswire_stomp_slow_consumers_total', 'Sessions ended because they did not keep up.', () => [
    { value: counts.slowConsumers },
  ])
  metrics.readOut(
    'oddswire_stomp_subscriptions_degraded',
    'Subscriptions that get only the latest prices now.',
    () => broker.degradedCount,
  )
  metrics.readOutCounter(
    'oddswire_stomp_degraded_total',
    'Times that a subscription with on-slow:conflate was too far behind.',
    () => [{ value: counts.degraded }],
  )
  metrics.readOutCounter(
    'oddswire_stomp_connects_throttled_total',
    'CONNECTs refused because too many sessions of their key have ended with an ERROR.',
    () => [{ value: broker.throttle.refused }],
  )
  metrics.readOut('oddswire_stomp_keys_throttled', 'Keys whose CONNECTs are refused now, for too many ERRORs.', () =>
    broker.throttle.waitingKeys(clock.now()),
  )
  metrics.readOutCounter('oddswire_stomp_sends_refused_total', 'Observations of feeds that were refused.', () => [
    { value: counts.sendsRefused },
  ])
  metrics.readOutCounter('oddswire_stomp_acknowledgements_total', 'Messages acknowledged.', () =>
    samples('command', { ack: counts.acked, nack: counts.nacked }),
  )
  metrics.readOut('oddswire_replay_ring_changes', 'Changes that can be replayed.', () => ring.size)
  metrics.readOut('oddswire_replay_ring_seconds', 'How far back the replay ring reaches.', () =>
    ring.oldestAt === undefined ? 0 : Math.max(0, (clock.now() - ring.oldestAt) / 1000),
  )
}

/** Reloads: those that were applied completely, and those with a fault in any part. */
export interface ReloadCounts {
  done: number
  refused: number
}

/** Registers the metrics of readiness and reloads. @param notReady what `/readyz` lists */
export const readOutService = (metrics: Metrics, notReady: () => readonly string[], reloads: ReloadCounts): void => {
  metrics.readOutCounter('oddswire_reloads_total', 'Reloads (SIGHUP); refused: something could not be applied.', () =>
    samples('result', { ...reloads }),
  )
  metrics.readOut('oddswire_ready', 'Whether the service is ready; /readyz lists what it waits for.', () =>
    notReady().length === 0 ? 1 : 0,
  )
}

export interface LogReadOuts {
  readonly log: FileLog
  readonly checkpoints: Checkpoints
  readonly space: LogSpace
  /** Of the start: turns that were applied after the checkpoint, and how long all of it took. */
  readonly recovered: { readonly turns: number; readonly tookMs: number }
}

/** Registers the metrics of the log, its checkpoints, and the recovery from it at the start. */
export const readOutLog = (metrics: Metrics, { log, checkpoints, space, recovered }: LogReadOuts): void => {
  const count = (name: string, help: string, valueOf: (counters: FileLog['counters']) => number): void =>
    metrics.readOutCounter(name, help, () => [{ value: valueOf(log.counters) }])
  metrics.readOut('oddswire_log_position', 'Number of the last turn that was appended.', () => log.position)
  metrics.readOut(
    'oddswire_log_unwritten_turns',
    'Turns that were appended and are not written yet: nobody sees them before.',
    () => log.position - log.written,
  )
  metrics.readOut('oddswire_log_troubled', 'Whether the log cannot be written, or is slow; /readyz says why.', () =>
    Number(log.trouble !== undefined),
  )
  metrics.readOut('oddswire_log_disk_bytes', 'Octets of all segments and checkpoints.', () => log.bytesOnDisk)
  metrics.readOut('oddswire_log_disk_free_bytes', 'Octets that the disk of the log has left; none: not known.', () =>
    space.freeBytes === undefined ? [] : [{ value: space.freeBytes }],
  )
  count('oddswire_log_appends_total', 'Turns appended.', ({ appends }) => appends)
  count(
    'oddswire_log_writes_total',
    'Writes to the disk; turns that wait are written together.',
    ({ writes }) => writes,
  )
  count('oddswire_log_bytes_written_total', 'Octets written to segments.', ({ bytesWritten }) => bytesWritten)
  count('oddswire_log_syncs_total', 'Times that a segment was flushed to the disk.', ({ syncs }) => syncs)
  metrics.readOutCounter('oddswire_log_faults_total', 'Writes and flushes of segments that failed.', () =>
    samples('operation', { write: log.counters.faults, sync: log.counters.syncFaults }),
  )
  metrics.readOutDurations('oddswire_log_write_seconds', 'From the append of a turn until it is written.', () => [
    { durations: log.writeDurations },
  ])
  metrics.readOut(
    'oddswire_log_write_max_seconds',
    'The longest time from append to written since the last scrape.',
    () => log.readLatencyMsMax() / 1000,
  )
  metrics.readOutCounter('oddswire_log_checkpoints_total', 'Checkpoints, by whether they were made.', () =>
    samples('result', { done: checkpoints.counts.done, failed: checkpoints.counts.failed }),
  )
  metrics.readOut(
    'oddswire_log_checkpoint_seconds',
    'How long the last checkpoint took.',
    () => checkpoints.counts.lastMs / 1000,
  )
  metrics.readOut(
    'oddswire_log_checkpoint_age_turns',
    'Turns since the newest checkpoint: a restart applies them.',
    () => log.position - checkpoints.position,
  )
  metrics.readOut(
    'oddswire_log_recovery_seconds',
    'How long the start took to read the log.',
    () => recovered.tookMs / 1000,
  )
  metrics.readOut('oddswire_log_recovery_turns', 'Turns that the start applied.', () => recovered.turns)
}

/** Registers the metrics of customers' connections. */
export const readOutConnections = (metrics: Metrics, connections: Connections): void => {
  const { limits, places } = connections
  metrics.readOut(
    'oddswire_connections',
    'Connections of customers; an HTTP connection may become a WebSocket, or a stream.',
    () => CONNECTION_KINDS.map((kind) => ({ labels: { kind }, value: connections.open[kind] })),
  )
  metrics.readOut(
    'oddswire_connections_max',
    'Connections that are accepted, of all kinds.',
    () => limits.connectionsMax,
  )
  metrics.readOut(
    'oddswire_connections_unconnected',
    'Live connections that have not sent CONNECT, upgrades that wait included, without those that are reserved.',
    () => samples('kind', connections.unconnected),
  )
  metrics.readOut(
    'oddswire_connections_unconnected_max',
    'Live connections that may not have sent CONNECT.',
    () => limits.unconnectedMax,
  )
  metrics.readOut(
    'oddswire_websocket_places_used',
    'WebSockets that have shown no key of a live connection yet; when all places are used, others wait for their upgrade.',
    () => places.usedPlaces,
  )
  metrics.readOut(
    'oddswire_websocket_places_max',
    'WebSockets that may have shown no key.',
    () => limits.unconnectedWebSocketsMax,
  )
  metrics.readOutCounter(
    'oddswire_connections_refused_total',
    'Connections refused, by the limit that they reached.',
    () =>
      CONNECTION_KINDS.flatMap((kind) =>
        CONNECTION_REFUSALS.map((limit) => ({ labels: { kind, limit }, value: connections.refused[kind][limit] })),
      ),
  )
}

/** Registers the metrics of the configured sources; label `source` is their name in the configuration. */
export const readOutFeeds = (metrics: Metrics, supervisor: Supervisor): void => {
  const perSource = (valuesOf: (figures: SourceFigures) => number): (() => Sample[]) => {
    return () => supervisor.figures().map((figures) => ({ labels: { source: figures.name }, value: valuesOf(figures) }))
  }
  metrics.readOut(
    'oddswire_feed_state',
    'State of each source: 1 for the one it is in; off: it cannot be started, see oddswire_feed_off; standby: not in this process.',
    () =>
      [
        ...supervisor.figures(),
        ...supervisor.standby().map((name) => ({ name, state: 'standby' })),
        ...supervisor.off.map(({ terms }) => ({ name: terms.name, state: 'off' })),
      ].flatMap(({ name, state }) =>
        [...SOURCE_STATES, 'off'].map((each) => ({
          labels: { source: name, state: each },
          value: each === state ? 1 : 0,
        })),
      ),
  )
  metrics.readOut(
    'oddswire_feed_off',
    'Sources that are off, with the reason: secret (a variable is not set, or holds something else), file (one that it names cannot be used), start.',
    () => supervisor.off.map(({ terms, off }) => ({ labels: { source: terms.name, reason: off! }, value: 1 })),
  )
  metrics.readOut(
    'oddswire_feed_silence_seconds',
    'How long a source has given no sign of life.',
    perSource(({ heardAt, since }) => Math.max(0, (clock.now() - (heardAt ?? since)) / 1000)),
  )
  metrics.readOut(
    'oddswire_feed_suspended',
    'Whether the open quotes of a source are suspended because it is down.',
    perSource(({ suspendedAt }) => (suspendedAt === null ? 0 : 1)),
  )
  const count = (name: string, help: string, valueOf: (figures: SourceFigures) => number): void =>
    metrics.readOutCounter(name, help, perSource(valueOf))
  count('oddswire_feed_observations_total', 'Observations received from a source.', ({ observations }) => observations)
  count('oddswire_feed_prices_total', 'Prices received from a source.', ({ prices }) => prices)
  count('oddswire_feed_refused_total', 'Observations of a source that were refused.', ({ refused }) => refused)
  count(
    'oddswire_feed_throttled_seconds_total',
    'How long a source was held by its budget.',
    ({ throttledMs }) => throttledMs / 1000,
  )
  count(
    'oddswire_feed_dated_outcomes_total',
    'Mapped outcomes of which a source names the day, and no time.',
    ({ totals }) => totals.dated,
  )
  count('oddswire_feed_malformed_total', 'Parts of payloads that could not be read.', ({ totals }) => totals.malformed)
  metrics.readOutCounter('oddswire_feed_outcomes_total', 'Outcomes that a source gave, by where they ended.', () =>
    supervisor.figures().flatMap(({ name, totals }) =>
      Object.entries({
        mapped: totals.mapped,
        no_price: totals.noPrice,
        bad_price: totals.badPrice,
        ...Object.fromEntries(totals.unmappedBy),
      }).map(([fate, value]) => ({ labels: { source: name, fate }, value })),
    ),
  )
}
