// Metrics of a process that shares its log with others.

import type { Metrics } from '../metrics.ts'
import type { Replica } from './replica.ts'

export const readOutReplica = (metrics: Metrics, replica: Replica): void => {
  const { cluster, log, sums } = replica
  metrics.readOut(
    'oddswire_replica_members',
    'Processes of the service that are there, this one included.',
    () => replica.alive().length,
  )
  metrics.readOut('oddswire_replica_leader', 'Whether this process leads: one does.', () => Number(cluster.isLeader))
  metrics.readOut(
    'oddswire_replica_silent_seconds',
    'For how long nothing was heard of Redis: after --rights-away all requests are refused.',
    () => (Number.isFinite(cluster.silentMs) ? cluster.silentMs / 1_000 : []),
  )
  metrics.readOut('oddswire_replica_clock_skew_seconds', 'How far the clock is ahead of that of Redis.', () =>
    cluster.skewMs === undefined ? [] : cluster.skewMs / 1_000,
  )
  metrics.readOut(
    'oddswire_stream_position',
    'Number of the last turn of the shared log that was delivered.',
    () => log.position,
  )
  metrics.readOutCounter('oddswire_stream_turns_total', 'Turns delivered, by whose they are.', () => [
    { labels: { of: 'own' }, value: log.counts.own },
    { labels: { of: 'other' }, value: log.counts.foreign },
  ])
  metrics.readOutCounter('oddswire_stream_repeated_total', 'Turns that were sent to Redis again.', () => [
    { value: log.counts.repeated },
  ])
  metrics.readOutDurations(
    'oddswire_stream_append_seconds',
    'From the append of an own turn until it is delivered.',
    () => [{ durations: log.durations }],
  )
  metrics.readOutCounter(
    'oddswire_replica_checksums_total',
    'Checksums of the state that were equal in all processes.',
    () => [{ value: sums.equal }],
  )
}
