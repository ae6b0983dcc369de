// What the operator sees of the limits of the board: a line in the log before one is reached, and metrics.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { until } from '../feeds/waiting.ts'
import { done, get, newFolder, startService } from '../service.ts'

test('a bound of the board is in the log before it is reached, and in the metrics with what was refused', async () => {
  const folder = newFolder()
  const at = new Date(clock.now() - 60_000).toISOString()
  const lineOf = (bookmaker: string, event: number, count: number): string =>
    JSON.stringify({
      bookmaker,
      transport: 'rest',
      observedAt: at,
      event: { sport: 'football', league: { key: 'l', name: 'L' }, home: `H${event}`, away: 'A', kickoffAt: at },
      quotes: Array.from({ length: count }, (_, n) => ({ type: 'outright', outcome: `p${n}`, odds: 2 })),
    })
  const recording = join(folder.path, 'observations.jsonl')
  writeFileSync(recording, [lineOf('greedy', 1, 30), lineOf('other', 1, 5)].join('\n'))
  const service = await startService(
    folder.path,
    ...['--replay', recording, '--format', 'observations', '--quotes-max', '40'],
  )
  try {
    const metrics = await (await fetch(`${service.admin}/metrics`)).text()
    const lines = metrics.split('\n')
    for (const line of [
      'oddswire_quotes_max 40',
      'oddswire_events 1',
      'oddswire_events_max 40',
      'oddswire_outcome_labels 20',
      'oddswire_outcome_labels_max 40',
      'oddswire_event_source_ids 0',
      'oddswire_event_source_ids_max 160',
      'oddswire_board_held_ratio{limit="quotes"} 0.625',
      'oddswire_bookmaker_share_ratio{bookmaker="greedy",limit="quotes"} 1',
      'oddswire_bookmaker_share_ratio{bookmaker="greedy",limit="labels"} 1',
      'oddswire_board_refused_total{limit="bookmaker_quotes"} 10',
      'oddswire_board_refused_total{limit="quotes"} 0',
      'oddswire_prices_ignored_total{reason="full"} 10',
    ]) {
      assert(lines.includes(line), `${line}\n${metrics}`)
    }
    assert(!metrics.includes('oddswire_bookmaker_share_ratio{bookmaker="other"'))
    const logged = service
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"source":"board"'))
      .map((line) => JSON.parse(line) as { level: number; msg: string })
    assert.deepEqual(
      logged.map(({ level, msg }) => [level, msg]),
      [
        [40, 'greedy holds 16 quotes of at most 20: past that new ones are refused; --bookmaker-share makes room'],
        [
          40,
          'greedy holds 16 outcome labels of at most 20: past that new ones are refused; --bookmaker-share makes room',
        ],
      ].toSorted(),
    )
  } finally {
    await service.stop()
    folder.remove()
  }
})

test('the log is in the metrics: what was written, how long it took, its disk, its checkpoints, and the recovery', async () => {
  const folder = newFolder()
  const valuesOf = async (admin: string): Promise<ReadonlyMap<string, number>> => {
    const { text } = await fetch(`${admin}/metrics`).then(async (answer) => ({ text: await answer.text() }))
    const rows = text.split('\n').filter((row) => row.startsWith('oddswire_log_'))
    return new Map(rows.map((row) => [row.slice(0, row.lastIndexOf(' ')), Number(row.slice(row.lastIndexOf(' ') + 1))]))
  }
  const first = await startService(folder.path)
  let values = await valuesOf(first.admin)
  // The service may be ready before its first turn is written.
  while (values.get('oddswire_log_write_seconds_count') === 0) values = await valuesOf(first.admin)
  for (const name of [
    'position',
    'appends_total',
    'writes_total',
    'bytes_written_total',
    'write_seconds_sum',
    'write_seconds_count',
    'disk_bytes',
    'checkpoint_age_turns',
    'recovery_seconds',
  ]) {
    assert(values.get(`oddswire_log_${name}`)! > 0, name)
  }
  for (const name of [
    'faults_total{operation="write"}',
    'faults_total{operation="sync"}',
    'checkpoints_total{result="done"}',
    'checkpoints_total{result="failed"}',
    'checkpoint_seconds',
    'recovery_turns',
  ]) {
    assert.equal(values.get(`oddswire_log_${name}`), 0, name)
  }
  // A busy disk has trouble, and turns that wait; between two scrapes there may be no turn.
  const others = ['write_max_seconds', 'syncs_total', 'troubled', 'unwritten_turns']
  for (const name of others) assert(values.has(`oddswire_log_${name}`), name)
  const written = values.get('oddswire_log_position')! - values.get('oddswire_log_unwritten_turns')!
  await first.kill()
  const second = await startService(folder.path)
  try {
    values = await valuesOf(second.admin)
    assert(values.get('oddswire_log_recovery_turns')! >= written)
    assert(values.get('oddswire_log_position')! >= written)
    // Measured soon after the start.
    await until('the free space is known', async () => {
      return (await valuesOf(second.admin)).get('oddswire_log_disk_free_bytes')! > 0
    })
  } finally {
    await second.stop()
    folder.remove()
  }
})

/** Metrics of every process that dashboards expect under these names. */
const STANDARD = [
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_max_fds',
  'nodejs_eventloop_lag_seconds',
  ...['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((name) => `nodejs_eventloop_lag_${name}_seconds`),
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_gc_duration_seconds_count{kind="minor"}',
  'nodejs_heap_space_size_used_bytes{space="old"}',
]

test('process and Node have their standard names, the build and the store are there, and promtool has no complaint', async (t) => {
  const folder = newFolder()
  done(folder.path, 'org', 'create', 'limited', '--plan', 'starter')
  const key = done(folder.path, 'key', 'create', '--org', 'limited')
  const service = await startService(folder.path, '--demo')
  try {
    for (const path of ['/sports', '/events', '/events/1/odds', '/nowhere']) await get(service, path, key)
    await fetch(`${service.admin}/metrics`)
    const { text, type } = await fetch(`${service.admin}/metrics`).then(async (answer) => ({
      text: await answer.text(),
      type: answer.headers.get('content-type'),
    }))
    assert.equal(type, 'text/plain; version=0.0.4; charset=utf-8')
    const valueOf = (name: string): number => {
      const line = text.split('\n').find((each) => each.startsWith(`${name} `))
      return line === undefined ? Number.NaN : Number(line.slice(name.length + 1))
    }
    for (const name of STANDARD) assert(valueOf(name) >= 0, `${name}: ${valueOf(name)}`)
    if (process.platform === 'linux') {
      assert(valueOf('process_open_fds') > 10 && valueOf('process_open_fds') < valueOf('process_max_fds'))
      assert(valueOf('process_virtual_memory_bytes') > valueOf('process_resident_memory_bytes'))
    }
    assert(Math.abs(valueOf('process_start_time_seconds') - clock.now() / 1000) < 600)
    assert.match(text, /^nodejs_version_info\{version="v\d+\.\d+\.\d+",major="\d+",minor="\d+",patch="\d+"\} 1$/m)
    assert.match(
      text,
      /^oddswire_build_info\{version="\d[^"]*",revision="([0-9a-f]{40}|unknown)",node_version="v[^"]+"\} 1$/m,
    )
    assert(valueOf('oddswire_store_answer_seconds_count{operation="reserve"}') >= 1)
    assert(valueOf('oddswire_store_answer_seconds_sum{operation="reserve"}') > 0)
    assert(!text.includes('oddswire_certificate_expiry_timestamp_seconds{'), 'no port has TLS')
    const check = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    if (check.error === undefined) assert.equal(`${check.stdout}${check.stderr}`, '')
    else t.diagnostic('promtool is not installed: what it checks was not checked')
  } finally {
    await service.stop()
    folder.remove()
  }
})
